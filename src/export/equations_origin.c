/* equations_origin.c - which terminal, cutset, circuit and vertex equations an equation came from.
 *
 * Elimination mixes the row of a step into every row that holds the step's unknown. So the origins
 * of a row are its own, those of the steps whose unknowns stand in it as it was in the system, and
 * so on from there. That is a superset: a term that cancels on the way is still counted.
 *
 * The branch-chord form has no rows for cutsets and circuits: they were put into the terminal
 * equations before [McPhee-2, eq. 33]. A terminal equation that reads the across variable of a
 * chord used its circuit, one that reads the through variable of a branch its cutset.
 */
#include "export/equations_make.h"

/* ---- what terminal equations read */

typedef struct variable_uses { /* of the edges of an element */
    ct_map by_symbol;          /* index in use, plus 1 */
    CT_VEC(edge_use) use;
} variable_uses;

static void list_variables(maker *m, const ct_element *e, variable_uses *all)
{
    ct_map_init(&all->by_symbol, m->arena);
    for (uint32_t i = 0; i < e->edge_count; i++) {
        const ct_variable_row *v = ct_domain_row_at(e->edge[i].domain)->variable;
        for (uint32_t k = 0; k < CT_DOMAIN_VARIABLES && v[k].name; k++) {
            CT_PUSH(m->arena, all->use, ((edge_use){i, v[k].across, v[k].order}));
            ct_map_put(&all->by_symbol, ct_template_variable(m->model, e, i, k), all->use.count);
        }
    }
}

static equation_uses read_equation(maker *m, const variable_uses *all, const ct_element_equation *q)
{
    CT_VEC(edge_use) list = {0};
    ct_expr difference = ct_expr_sub(m->pool, q->left, q->right);
    const ct_name *symbol;
    uint32_t count = 0;
    if (!ct_expr_is_number(m->pool, difference))
        count = ct_expr_symbols(m->pool, difference, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t known = ct_map_get(&all->by_symbol, symbol[i]);
        if (known)
            CT_PUSH(m->arena, list, all->use.at[known - 1]);
    }
    return (equation_uses){list.at, list.count};
}

static const equation_uses *uses_of(maker *m, uint32_t element)
{
    const ct_element *e = m->model->element[element];
    if (!m->uses[element]) {
        variable_uses all = {0};
        list_variables(m, e, &all);
        m->uses[element] = CT_NEW_ARRAY(m->arena, equation_uses, e->equation_count + 1);
        for (uint32_t i = 0; i < e->equation_count; i++)
            m->uses[element][i] = read_equation(m, &all, &e->equation[i]);
    }
    return m->uses[element];
}

const equation_uses *ct_terminal_uses(maker *m, uint32_t row)
{
    uint32_t element = m->model->component[m->system->row[row].origin_index].element;
    uint32_t k = m->equation_of[row];
    return k < m->model->element[element]->equation_count ? &uses_of(m, element)[k] : NULL;
}

static void index_edges(maker *m)
{
    const ct_graph *g = m->system->graph;
    ct_map_init(&m->edge_of, m->arena);
    for (uint32_t e = 0; e < g->scalar_edge_count; e++) {
        uint32_t component = g->edge[e].owner, own = e - m->first_edge[component];
        ct_map_put(&m->edge_of, ct_edge_variable(m->model, component, own, 0), 2 * e + 1);
        ct_map_put(&m->edge_of, ct_edge_variable(m->model, component, own, 1), 2 * e + 2);
    }
}

void ct_origins_prepare(maker *m)
{
    const ct_system *s = m->system;
    uint32_t *met = CT_NEW_ARRAY(m->arena, uint32_t, m->model->component_count + 1);
    m->uses = CT_NEW_ARRAY(m->arena, equation_uses *, m->model->element_count + 1);
    m->equation_of = CT_NEW_ARRAY(m->arena, uint32_t, s->row_count + 1);
    m->row_seen = CT_NEW_ARRAY(m->arena, uint32_t, s->row_count + 1);
    for (uint32_t i = 0; i < s->row_count; i++)
        if (s->row[i].origin == CT_FROM_TERMINAL)
            m->equation_of[i] = met[s->row[i].origin_index]++;
    index_edges(m);
}

/* ---- origins of one row */

static void add(maker *m, origin_list *out, ct_origin_kind kind, uint32_t index)
{
    CT_PUSH(m->arena, *out, (ct_origin){kind, index});
}

static void add_use(maker *m, origin_list *out, uint32_t component, const edge_use *use)
{
    uint32_t edge = m->first_edge[component] + use->edge;
    bool branch = m->system->tree->is_branch[edge];
    bool by_tree = m->system->form == CT_FORM_BRANCH_CHORD || use->order != 0;
    if (by_tree && use->across && !branch)
        add(m, out, CT_FROM_CIRCUIT, edge);
    else if (by_tree && !use->across && branch)
        add(m, out, CT_FROM_CUTSET, edge);
}

static void add_row(maker *m, origin_list *out, uint32_t index)
{
    const ct_row *row = &m->system->row[index];
    add(m, out, row->origin, row->origin_index);
    if (row->origin != CT_FROM_TERMINAL)
        return;
    const equation_uses *uses = ct_terminal_uses(m, index);
    for (uint32_t i = 0; uses && i < uses->count; i++)
        add_use(m, out, row->origin_index, &uses->use[i]);
}

/* ---- the walk */

typedef struct origin_walk {
    CT_VEC(uint32_t) todo; /* rows */
    origin_list found;
    bool through_rates;
    uint32_t before; /* steps from this one on had not been made yet */
} origin_walk;

static void meet_row(maker *m, origin_walk *w, uint32_t row)
{
    if (row >= m->system->row_count || m->row_seen[row] == m->walk)
        return;
    m->row_seen[row] = m->walk;
    CT_PUSH(m->arena, w->todo, row);
}

/* A constraint differentiated in time has no row of its own: it follows the step of the constraint.
 */
static uint32_t source_of_step(const maker *m, uint32_t step)
{
    while (step > 0 && m->reduced->step[step].row.source == UINT32_MAX)
        step--;
    return m->reduced->step[step].row.source;
}

static void meet_unknown(maker *m, origin_walk *w, uint32_t u)
{
    const ct_unknown_row *row = &m->system->unknown[u];
    bool rate_of_state =
        row->kind == CT_UNKNOWN_RATE && !m->dependent[u] && m->state_rank[row->owner];
    if (m->step_of[u] && m->step_of[u] <= w->before && (w->through_rates || !rate_of_state))
        meet_row(m, w, source_of_step(m, m->step_of[u] - 1));
}

static void meet_symbols(maker *m, origin_walk *w, ct_expr e)
{
    const ct_name *symbol;
    if (ct_expr_is_number(m->pool, e))
        return;
    uint32_t count = ct_expr_symbols(m->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_unknown_of(m, symbol[i]);
        if (u)
            meet_unknown(m, w, u);
    }
}

static void finish(maker *m, origin_walk *w, ct_equation *out)
{
    ct_map met;
    ct_map_init(&met, m->arena);
    origin_list kept = {0};
    for (uint32_t at = 0; at < w->todo.count; at++) {
        const ct_row *row = &m->system->row[w->todo.at[at]];
        add_row(m, &w->found, w->todo.at[at]);
        for (uint32_t i = 0; i < row->count; i++)
            meet_unknown(m, w, m->system->term[row->first + i].unknown);
        if (row->nonlinear)
            meet_symbols(m, w, row->rest);
    }
    for (uint32_t i = 0; i < w->found.count; i++) {
        uint64_t key = ct_pair(w->found.at[i].kind + 1, w->found.at[i].index);
        if (ct_map_get(&met, key))
            continue;
        ct_map_put(&met, key, 1);
        CT_PUSH(m->arena, kept, w->found.at[i]);
    }
    out->origin = kept.at;
    out->origin_count = kept.count;
}

void ct_origins_of_row(maker *m, uint32_t row, ct_equation *out)
{
    origin_walk w = {.before = UINT32_MAX};
    m->walk++;
    meet_row(m, &w, row);
    finish(m, &w, out);
}

void ct_origins_of_step(maker *m, uint32_t step, bool solved, ct_equation *out)
{
    origin_walk w = {.before = solved ? UINT32_MAX : step, .through_rates = solved};
    m->walk++;
    meet_row(m, &w, source_of_step(m, step));
    finish(m, &w, out);
}

void ct_origins_of_expr(maker *m, ct_expr e, ct_equation *out)
{
    origin_walk w = {.before = UINT32_MAX, .through_rates = true};
    m->walk++;
    meet_symbols(m, &w, e);
    finish(m, &w, out);
}

void ct_origins_of_rows(maker *m, const uint32_t *row, uint32_t count, ct_equation *out)
{
    origin_walk w = {.before = 0};
    m->walk++;
    for (uint32_t i = 0; i < count; i++)
        meet_row(m, &w, row[i]);
    finish(m, &w, out);
}

/* Variables of edges that the form does not have as unknowns come from their cutset or circuit. */
void ct_origins_of_edges(maker *m, ct_expr e, ct_equation *out)
{
    origin_list list = {0};
    const ct_name *symbol;
    uint32_t count = ct_expr_is_number(m->pool, e) ? 0 : ct_expr_symbols(m->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = ct_map_get(&m->edge_of, symbol[i]);
        if (!code || ct_unknown_of(m, symbol[i]))
            continue;
        bool across = (code - 1) % 2 == 0, nodal = m->system->form == CT_FORM_NODAL;
        add(m, &list,
            nodal    ? CT_FROM_EDGE
            : across ? CT_FROM_CIRCUIT
                     : CT_FROM_CUTSET,
            (code - 1) / 2);
    }
    out->origin = list.at;
    out->origin_count = list.count;
}

void ct_set_origin(maker *m, ct_equation *out, ct_origin origin)
{
    origin_list list = {0};
    CT_PUSH(m->arena, list, origin);
    out->origin = list.at;
    out->origin_count = list.count;
}

void ct_origin_alone(maker *m, const ct_row *row, ct_equation *out)
{
    origin_list list = {0};
    if (m->system->form == CT_FORM_TABLEAU)
        add(m, &list, row->origin, row->origin_index);
    else
        add_row(m, &list, (uint32_t)(row - m->system->row));
    out->origin = list.at;
    out->origin_count = list.count;
}

/* ---- names */

const char *ct_origin_text(const ct_equation_list *list, ct_origin origin)
{
    static const char *const text[] = {"terminal", "vertex",   "cutset",   "circuit",
                                       "edge",     "position", "integral", "motion"};
    (void)list;
    return text[origin.kind];
}

const char *ct_origin_name(const ct_equation_list *list, ct_origin origin)
{
    const ct_system *s = list->reduced->system;
    ct_name name = 0;
    switch (origin.kind) {
    case CT_FROM_TERMINAL:
        name = s->model->component[origin.index].name;
        break;
    case CT_FROM_VERTEX:
        name = s->graph->node[origin.index].name;
        break;
    case CT_FROM_INTEGRAL:
    case CT_FROM_MOTION:
        name = s->unknown[origin.index].name;
        break;
    case CT_FROM_CUTSET:
    case CT_FROM_CIRCUIT:
    case CT_FROM_EDGE:
    case CT_FROM_POSITION:
        name = s->graph->edge[origin.index].name;
    }
    return ct_name_text(s->model->ctx, name);
}
