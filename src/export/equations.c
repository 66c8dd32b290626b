/* equations.c - the list of what is shown. */
#include "export/equations.h"

#include <assert.h>
#include <string.h>

#include "base/words.h"
#include "export/equations_make.h"
#include "export/formats.h"

/* ---- options */

ct_equations_def ct_default_equations_def(void)
{
    return (ct_equations_def){.simplify = CT_SIMPLIFY_FAST, .origins = true};
}

const ct_word ct_equations_forms[] = {
    {"auto", "", "what suits the model"},
    {"ode", "", "of higher order, without auxiliary variables"},
    {"dae", "", "differential and algebraic equations"},
    {"state", "", "of first order, solved for the rates"},
    /* the rows before elimination: */
    CT_FORM_LIST(CT_FORM_WORD){0},
};

bool ct_equations_form_find(const char *word, ct_equations_form *form)
{
    uint32_t row;
    bool found = ct_word_find(ct_equations_forms, word, &row);
    *form = found ? (ct_equations_form)row : *form;
    return found;
}

static const struct {
    void (*put)(const ct_equation_list *list, ct_text *out);
    bool whole;
} writers[] = {
#define EQUATIONS_FORMAT(name, word, endings, writer, whole, help) {writer, whole},
#include "export/formats.def"
};

bool ct_equations_format_find(const char *word, ct_equations_format *format)
{
    uint32_t row;
    bool found = ct_word_find(ct_equations_formats, word, &row);
    *format = found ? (ct_equations_format)row : *format;
    return found;
}

bool ct_equations_are_whole(const ct_equations_def *def)
{
    return def->all || writers[def->format].whole;
}

ct_form ct_equations_system_form(ct_equations_form form)
{
    return form == CT_EQUATIONS_NODAL     ? CT_FORM_NODAL
           : form == CT_EQUATIONS_TABLEAU ? CT_FORM_TABLEAU
                                          : CT_FORM_BRANCH_CHORD;
}

static bool shows_rows(const maker *m)
{
    return m->def.form >= CT_EQUATIONS_NODAL;
}

static bool shows_solved(const maker *m)
{
    return m->def.form == CT_EQUATIONS_ODE ||
           (m->def.form == CT_EQUATIONS_DAE && !m->system->mechanics);
}

/* ---- groups */

void ct_group_begin(maker *m)
{
    memset(&m->equation, 0, sizeof m->equation);
    CT_PUSH(m->arena, m->group, (ct_equation_group){0});
}

bool ct_group_full(maker *m)
{
    bool limited = !ct_equations_are_whole(&m->def);
    return m->group.at[m->group.count - 1].total++ >= CT_MOST_SHOWN && limited;
}

void ct_group_add(maker *m, ct_equation equation)
{
    CT_PUSH(m->arena, m->equation, equation);
}

void ct_group_end(maker *m, ct_group_kind kind, const char *title)
{
    ct_equation_group *g = &m->group.at[m->group.count - 1];
    g->kind = kind;
    g->title = title;
    g->equation = m->equation.at;
    g->count = m->equation.count;
    if (!g->count)
        m->group.count--;
}

void ct_group_names(maker *m, const char *title, const ct_name *name, uint32_t count)
{
    ct_equation_group g = {
        .kind = CT_GROUP_TRACE, .title = title, .name = name, .name_count = count};
    if (count)
        CT_PUSH(m->arena, m->group, g);
}

/* ---- governing equations */

/* The rate that belongs to the component of the row: with its factor positive, the matrix of rates
 * is symmetric where it should be [McPhee-2, eq. 68]. */
static uint32_t own_rate(const maker *m, const ct_shown *row)
{
    const ct_system *s = m->system;
    if (row->source >= s->row_count || s->row[row->source].origin != CT_FROM_TERMINAL)
        return 0;
    for (uint32_t i = 0; i < row->term_count; i++) {
        const ct_unknown_row *rate = &s->unknown[row->term[i].unknown];
        if (rate->kind != CT_UNKNOWN_RATE)
            continue;
        const ct_unknown_row *base = &s->unknown[rate->owner];
        uint32_t component = base->kind == CT_UNKNOWN_OWN         ? base->owner
                             : base->kind == CT_UNKNOWN_POTENTIAL ? UINT32_MAX
                             : base->kind == CT_UNKNOWN_RATE      ? UINT32_MAX
                                                             : s->graph->edge[base->owner].owner;
        if (component == s->row[row->source].origin_index)
            return row->term[i].unknown;
    }
    return 0;
}

/* The only rate of a kinematic row, x' = v, or 0. */
static uint32_t kinematic_rate(const maker *m, const ct_shown *row)
{
    const ct_system *s = m->system;
    if (row->source >= s->row_count || (s->row[row->source].origin != CT_FROM_POSITION &&
                                        s->row[row->source].origin != CT_FROM_INTEGRAL))
        return 0;
    uint32_t rate = 0;
    for (uint32_t i = 0; i < row->term_count; i++) {
        uint32_t u = row->term[i].unknown;
        if (s->unknown[u].kind != CT_UNKNOWN_RATE)
            continue;
        if (rate)
            return 0;
        rate = u;
    }
    return rate;
}

static ct_equation governing(maker *m, const ct_shown *row)
{
    uint32_t rate = kinematic_rate(m, row);
    if (!rate)
        return ct_equation_balanced(m, row, own_rate(m, row));
    return (ct_equation){.left = ct_side_of(m, ct_unknown_expr(m, rate)),
                         .right = ct_side_of(m, ct_row_solved(m, row, rate))};
}

static bool has_bound_state(const maker *m)
{
    for (uint32_t i = 0; i < m->reduced->algebraic_count; i++)
        if (m->system->unknown[m->reduced->algebraic[i]].rate)
            return true;
    return false;
}

/* Rows that determine what the listed ones hold beside states and algebraic unknowns. */
static void add_needed_rows(maker *m, shown_list *rows)
{
    const ct_reduced *r = m->reduced;
    bool *listed = CT_NEW_ARRAY(m->arena, bool, m->system->unknown_count);
    for (uint32_t i = 0; i < r->state_count; i++)
        listed[m->system->unknown[r->state[i]].rate] = true;
    for (uint32_t i = 0; i < rows->count; i++)
        for (uint32_t k = 0; k < rows->at[i].term_count; k++) {
            uint32_t u = rows->at[i].term[k].unknown;
            if (listed[u] || !m->step_of[u])
                continue;
            listed[u] = true;
            CT_PUSH(m->arena, *rows, r->step[m->step_of[u] - 1].row);
        }
}

/* Kept from before rates were solved for. Where index reduction went through several rounds, the
 * rows of the steps that solved for the rates serve instead. */
static shown_list eliminated_rows(maker *m)
{
    const ct_reduced *r = m->reduced;
    shown_list rows = {0};
    if (r->equation_count == r->state_count + r->algebraic_count) {
        for (uint32_t i = 0; i < r->equation_count; i++)
            CT_PUSH(m->arena, rows, r->equation[i]);
        return rows;
    }
    for (uint32_t i = 0; i < r->state_count; i++) {
        uint32_t step = m->step_of[m->system->unknown[r->state[i]].rate];
        if (step)
            CT_PUSH(m->arena, rows, r->step[step - 1].row);
    }
    if (has_bound_state(m))
        add_needed_rows(m, &rows);
    for (uint32_t i = 0; i < r->algebraic_count; i++)
        CT_PUSH(m->arena, rows, (ct_shown){NULL, 0, r->residual[i], UINT32_MAX});
    return rows;
}

static bool holds_rate(const maker *m, const ct_shown *row)
{
    for (uint32_t i = 0; i < row->term_count; i++)
        if (m->system->unknown[row->term[i].unknown].kind == CT_UNKNOWN_RATE)
            return true;
    return false;
}

static int kind_of(const maker *m, const ct_shown *row)
{
    return kinematic_rate(m, row) ? 1 : holds_rate(m, row) ? 0 : 2;
}

static void want_symbols(maker *m, ct_expr e, bool *wanted)
{
    const ct_name *symbol;
    if (!e || ct_expr_is_number(m->pool, e))
        return;
    uint32_t count = ct_expr_symbols(m->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_unknown_of(m, symbol[i]);
        if (u)
            wanted[u] = true;
    }
}

/* What stands in an equation and was eliminated is shown, too: a current whose resistance varies.
 */
static void want_row(maker *m, const ct_shown *row)
{
    for (uint32_t i = 0; i < row->term_count; i++)
        m->wanted[row->term[i].unknown] = true;
    want_symbols(m, row->rest, m->wanted);
}

static void show_governing(maker *m)
{
    const char *const title[] = {"Governing equations", ct_kinematics_title(m->system),
                                 "Algebraic equations"};
    uint32_t count;
    const hybrid_row *hybrid = ct_hybrid_rows(m, &count);
    shown_list rows = {0};
    if (!hybrid) {
        rows = eliminated_rows(m);
        count = rows.count;
    }
    for (int kind = 0; kind < 3; kind++) {
        ct_group_begin(m);
        for (uint32_t i = 0; i < count; i++) {
            const ct_shown *row = hybrid ? &hybrid[i].row : &rows.at[i];
            if (ct_is_motion_row(m, row->source) || kind_of(m, row) != kind || ct_group_full(m))
                continue;
            ct_equation e = governing(m, row);
            want_row(m, row);
            if (hybrid)
                ct_origins_of_rows(m, hybrid[i].source, hybrid[i].source_count, &e);
            else
                ct_origins_of_row(m, row->source, &e);
            ct_group_add(m, e);
        }
        ct_group_end(m, CT_GROUP_EQUATION, title[kind]);
    }
}

/* ---- solved equations */

static void show_solved(maker *m)
{
    const ct_reduced *r = m->reduced;
    ct_group_begin(m);
    for (uint32_t i = 0; i < r->state_count; i++) {
        uint32_t rate = m->system->unknown[r->state[i]].rate, step = m->step_of[rate];
        if (ct_group_full(m))
            continue;
        ct_equation e = {.left = ct_side_of(m, ct_unknown_expr(m, rate)),
                         .right = ct_side_of(m, r->rate[i])};
        if (step)
            ct_origins_of_step(m, step - 1, true, &e);
        ct_group_add(m, e);
    }
    ct_group_end(m, CT_GROUP_EQUATION, "State equations");
}

/* Residuals come in the order of their rows; the last rows of the governing equations are theirs.
 */
static void show_residuals(maker *m)
{
    const ct_reduced *r = m->reduced;
    bool known = r->equation_count == r->state_count + r->algebraic_count;
    ct_group_begin(m);
    for (uint32_t i = 0; i < r->algebraic_count; i++) {
        ct_shown row = {NULL, 0, r->residual[i], UINT32_MAX};
        if (ct_group_full(m))
            continue;
        ct_equation e = ct_equation_balanced(m, &row, 0);
        if (known)
            ct_origins_of_row(m, r->equation[r->state_count + i].source, &e);
        ct_group_add(m, e);
    }
    ct_group_end(m, CT_GROUP_EQUATION, "Algebraic equations");
}

/* ---- dependent storage */

static void add_constraint_step(maker *m, uint32_t step, const char *note)
{
    const ct_step *s = &m->reduced->step[step];
    ct_expr value = ct_row_solved(m, &s->row, s->unknown);
    if (!value || ct_group_full(m))
        return;
    ct_equation e = {.left = ct_side_of(m, ct_unknown_expr(m, s->unknown)),
                     .right = ct_side_of(m, value),
                     .note = note};
    ct_origins_of_step(m, step, false, &e);
    ct_group_add(m, e);
}

static void show_constraints(maker *m)
{
    const ct_reduced *r = m->reduced;
    ct_group_begin(m);
    for (uint32_t i = 0; i < r->constraint_count; i++) {
        uint32_t step = m->step_of[r->dependent[i]];
        uint32_t rate = m->step_of[m->system->unknown[r->dependent[i]].rate];
        if (step)
            add_constraint_step(m, step - 1, "constraint");
        if (rate)
            add_constraint_step(m, rate - 1, "its time derivative");
    }
    ct_group_end(m, CT_GROUP_CONSTRAINT, "Dependent variables");
}

/* ---- other variables */

static const char *output_note(maker *m, ct_expr e)
{
    uint32_t i = ct_map_get(&m->output_of, e);
    return i ? ct_printf(m->model->ctx, "output %s", m->model->output[i - 1].name) : NULL;
}

/* A step expresses its unknown by those of later steps: from first to last all that is wanted is
 * found. */
static bool *wanted_unknowns(maker *m, const ct_expr *output, bool *wanted)
{
    const ct_reduced *r = m->reduced;
    for (uint32_t i = 0; i < m->model->output_count; i++)
        want_symbols(m, output[i], wanted);
    for (uint32_t i = 0; i < r->step_count; i++) {
        const ct_step *s = &r->step[i];
        wanted[s->unknown] |= m->model->output_count == 0 && !m->system->mechanics;
        if (!wanted[s->unknown])
            continue;
        for (uint32_t k = 0; k < s->row.term_count; k++)
            wanted[s->row.term[k].unknown] = true;
        want_symbols(m, s->row.rest, wanted);
    }
    return wanted;
}

/* `name` stands for what is expressed; 0: nothing does. */
static void add_value(maker *m, ct_name name, ct_expr left, ct_expr right, const char *note)
{
    ct_equation e = {.left = ct_side_of(m, name ? ct_expr_symbol(m->pool, name) : left),
                     .right = ct_side_of(m, right),
                     .note = note};
    if (shows_solved(m))
        ct_origins_of_expr(m, ct_system_express(m->system, left, (ct_place){0}), &e);
    else
        ct_origins_of_edges(m, left, &e);
    ct_group_add(m, e);
}

static bool is_word(const char *text)
{
    bool good = *text != '\0';
    for (; *text && good; text++)
        good = *text == '_' || *text == '.' || (*text >= '0' && *text <= '9') ||
               ((*text | 32) >= 'a' && (*text | 32) <= 'z') || (unsigned char)*text >= 128;
    return good;
}

/* Name of an output that is an expression; 0: a variable, or an expression without a name. */
static ct_name output_name(maker *m, uint32_t output)
{
    const ct_output *o = &m->model->output[output];
    bool plain = ct_expr_kind_of(m->pool, o->expr) == CT_EXPR_SYMBOL;
    return plain || !is_word(o->name) ? 0 : ct_intern_text(m->model->ctx, o->name);
}

/* integral(v) = integral(v): on one side an operator, on the other the unknown of that name. */
static bool reads_the_same(maker *m, ct_expr a, ct_expr b)
{
    ct_text x = ct_text_new(m->arena), y = ct_text_new(m->arena);
    if (a == b)
        return true;
    if (ct_expr_kind_of(m->pool, b) != CT_EXPR_SYMBOL)
        return false;
    ct_expr_put(m->pool, &x, a);
    ct_expr_put(m->pool, &y, b);
    return strcmp(ct_text_string(&x), ct_text_string(&y)) == 0;
}

/* What 1-D elements do to bodies: symbols that stand in Q. */
static void show_loads(maker *m, bool *wanted)
{
    const ct_name *load = ct_motion_loads(m);
    ct_group_begin(m);
    for (; *load; load++) {
        ct_expr left = ct_expr_symbol(m->pool, *load);
        ct_expr right = ct_system_express(m->system, left, (ct_place){0});
        if (right)
            want_symbols(m, right, wanted);
        if (!right || reads_the_same(m, left, right) || ct_group_full(m))
            continue;
        add_value(m, 0, left, right, NULL);
    }
    ct_group_end(m, CT_GROUP_VALUE, "Loads on joints and lines");
}

/* By back-substitution, the last step first [McPhee-2, eqs. 34, 35]. */
static void show_steps(maker *m, const bool *wanted)
{
    const ct_reduced *r = m->reduced;
    for (uint32_t i = r->step_count; i-- > 0;) {
        const ct_step *s = &r->step[i];
        if (!wanted[s->unknown] || m->dependent[s->unknown] || ct_is_motion_row(m, s->row.source) ||
            m->system->unknown[s->unknown].kind == CT_UNKNOWN_RATE)
            continue;
        ct_expr value = ct_row_solved(m, &s->row, s->unknown);
        m->unknown_shown[s->unknown] = 1;
        if (!value || ct_group_full(m))
            continue;
        ct_expr left = ct_unknown_expr(m, s->unknown);
        ct_equation e = {.left = ct_side_of(m, left),
                         .right = ct_side_of(m, value),
                         .note = output_note(m, left)};
        ct_origins_of_step(m, i, false, &e);
        ct_group_add(m, e);
    }
}

static bool is_shown(maker *m, ct_expr e)
{
    if (ct_expr_kind_of(m->pool, e) != CT_EXPR_SYMBOL)
        return false;
    uint32_t u = ct_unknown_of(m, ct_expr_name(m->pool, e));
    return u && (m->unknown_shown[u] || m->state_rank[u] || m->dependent[u]);
}

static void show_values(maker *m)
{
    const ct_model *model = m->model;
    bool solved = shows_solved(m);
    ct_expr *output = CT_NEW_ARRAY(m->arena, ct_expr, model->output_count + 1);
    for (uint32_t i = 0; i < model->output_count; i++)
        output[i] =
            solved ? ct_reduced_express(m->reduced, model->output[i].expr, model->output[i].place)
                   : ct_system_express(m->system, model->output[i].expr, model->output[i].place);
    if (ct_shows_motion(m))
        show_loads(m, m->wanted);
    ct_group_begin(m);
    if (!solved || !model->output_count)
        show_steps(m, wanted_unknowns(m, output, m->wanted));
    for (uint32_t i = 0; i < model->output_count; i++) {
        ct_expr left = model->output[i].expr;
        ct_name name = output_name(m, i);
        ct_expr shown = name ? ct_expr_symbol(m->pool, name) : left;
        if (!output[i] || (ct_shows_motion(m) && ct_reads_dynamics(m, left)) || is_shown(m, left) ||
            reads_the_same(m, shown, output[i]) || ct_group_full(m))
            continue;
        add_value(m, name, left, output[i], name ? "output" : output_note(m, left));
    }
    bool alone = !m->reduced->state_count && !m->reduced->algebraic_count;
    ct_group_end(m, CT_GROUP_VALUE, alone ? "Solution" : "Other variables");
}

/* ---- the list */

static void index_system(maker *m)
{
    const ct_reduced *r = m->reduced;
    const ct_system *s = m->system;
    const ct_graph *g = s->graph;
    m->step_of = CT_NEW_ARRAY(m->arena, uint32_t, s->unknown_count + 1);
    m->state_rank = CT_NEW_ARRAY(m->arena, uint32_t, s->unknown_count + 1);
    m->unknown_shown = CT_NEW_ARRAY(m->arena, uint32_t, s->unknown_count + 1);
    m->wanted = CT_NEW_ARRAY(m->arena, bool, s->unknown_count + 1);
    m->dependent = CT_NEW_ARRAY(m->arena, bool, s->unknown_count + 1);
    m->potential = CT_NEW_ARRAY(m->arena, uint32_t, g->scalar_node_count + 1);
    m->first_edge = CT_NEW_ARRAY(m->arena, uint32_t, m->model->component_count + 1);
    for (uint32_t i = 0; i < r->step_count; i++)
        m->step_of[r->step[i].unknown] = i + 1;
    for (uint32_t i = 0; i < r->state_count; i++)
        m->state_rank[r->state[i]] = i + 1;
    for (uint32_t i = 0; i < r->constraint_count; i++) {
        m->dependent[r->dependent[i]] = true;
        m->dependent[s->unknown[r->dependent[i]].rate] = true;
    }
    for (uint32_t u = 1; u < s->unknown_count; u++)
        if (s->unknown[u].kind == CT_UNKNOWN_POTENTIAL)
            m->potential[s->unknown[u].owner] = u;
    ct_map_init(&m->output_of, m->arena);
    for (uint32_t i = m->model->output_count; i-- > 0;)
        ct_map_put(&m->output_of, m->model->output[i].expr, i + 1);
    for (uint32_t e = g->scalar_edge_count; e-- > 0;)
        m->first_edge[g->edge[e].owner] = e;
}

static void show_all(maker *m)
{
    if (m->def.trace)
        ct_show_trace_rows(m);
    if (shows_rows(m))
        ct_show_rows(m, CT_GROUP_EQUATION);
    if (m->def.trace)
        ct_show_trace_steps(m);
    if (shows_rows(m))
        return;
    if (shows_solved(m)) {
        show_solved(m);
        show_residuals(m);
    } else {
        show_governing(m);
    }
    show_constraints(m);
    show_values(m);
    ct_show_events(m);
    ct_show_remarks(m);
}

const ct_equation_list *ct_equations_list(const ct_equations *equations,
                                          const ct_equations_def *def)
{
    assert(equations->reduced->closed && equations->reduced->equation);
    ct_arena *arena = ct_arena_new(equations->model->ctx);
    const ct_reduced *reduced = ct_reduced_view(equations->reduced, arena);
    const ct_system *s = reduced->system;
    maker *m = CT_NEW(arena, maker);
    m->reduced = reduced, m->system = s, m->model = s->model, m->def = *def;
    m->def.all |= def->matrix; /* a vector is whole */
    m->arena = arena, m->pool = s->pool;
    m->zero = ct_expr_int(m->pool, 0);
    m->one = ct_expr_int(m->pool, 1);
    m->list = CT_NEW(arena, ct_equation_list);
    *m->list = (ct_equation_list){.reduced = reduced, .def = *def, .arena = arena, .pool = m->pool};
    index_system(m);
    ct_origins_prepare(m);
    show_all(m);
    if (def->simplify == CT_SIMPLIFY_FULL || ct_shows_motion(m))
        ct_shorten(m);
    ct_describe(m);
    if (def->matrix)
        ct_make_matrices(m);
    ct_name_intermediates(m);
    m->list->group = m->group.at, m->list->group_count = m->group.count;
    m->list->definition = m->definition.at, m->list->definition_count = m->definition.count;
    return m->list;
}

void ct_equations_put(const ct_equations *equations, const ct_equations_def *def, ct_text *out)
{
    const ct_equation_list *list = ct_equations_list(equations, def);
    writers[def->format].put(list, out);
    ct_pool_free(list->own_pool);
    ct_arena_free(list->arena);
}
