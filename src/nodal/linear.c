/* linear.c - the linear model of a network at its operating point, in the unknowns of nodal
 * analysis:
 *
 *     W z' = A z + B v + E v',   y = C z + D v          v: inputs of the model
 *
 * Its entries are those of the linear components and the derivatives of laws by inputs and rates,
 * as compiled: nothing is eliminated, so that it stays as sparse as the network is.
 */
#include <math.h>
#include <string.h>

#include "nodal/law.h"

typedef CT_VEC(ct_triplet) triplet_list;

/* What u[i] moves by, when inputs move. */
typedef struct slope {
    uint32_t input;
    double by;
} slope;

typedef struct linearising {
    net *n;
    double t, *z, *u;
    name_list input;
    const double *input_value;
    ct_map known; /* symbol -> index of its value, plus 1 */
    CT_VEC(double) value;
    uint32_t *slope_start; /* per u, and one more */
    slope *slopes;
    triplet_list w, a, b, e, c, d;
    uint64_t ops;
} linearising;

static void put(linearising *l, triplet_list *to, uint32_t row, uint32_t column, double value)
{
    if (value != 0)
        CT_PUSH(l->n->arena, *to, (ct_triplet){row, column, value});
}

/* by * u[wave] */
static void put_wave(linearising *l, triplet_list *to, uint32_t row, uint32_t wave, double by)
{
    for (uint32_t k = l->slope_start[wave]; k < l->slope_start[wave + 1]; k++)
        put(l, to, row, l->slopes[k].input, by * l->slopes[k].by);
}

/* ---- inputs: their values, and how functions of them move */

static void list_inputs(linearising *l)
{
    const ct_model *m = l->n->model;
    for (uint32_t i = 0; i < m->quantity_count; i++)
        if (m->quantity[i].kind == CT_INPUT)
            CT_PUSH(l->n->arena, l->input, m->quantity[i].name);
}

static double look_up(const void *user, ct_name symbol)
{
    const linearising *l = user;
    ct_quantities params = {l->n->model, l->n->value};
    uint32_t known = ct_map_get(&l->known, symbol);
    return known ? l->value.at[known - 1] : ct_look_up(&params, symbol);
}

static void learn(linearising *l, ct_name symbol, double value)
{
    CT_PUSH(l->n->arena, l->value, value);
    ct_map_put(&l->known, symbol, l->value.count);
}

/* Values of expressions over what is known; NULL: one has none. */
static double *values_of(linearising *l, const ct_expr *e, uint32_t count)
{
    net *n = l->n;
    double *value = CT_NEW_ARRAY(n->arena, double, count + 1);
    ct_expr_values(n->pool, e, count, look_up, l, value);
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return NULL;
    return value;
}

static bool find_inputs(linearising *l)
{
    net *n = l->n;
    ct_map_init(&l->known, n->arena);
    learn(l, n->time, l->t);
    list_inputs(l);
    ct_expr *driven = CT_NEW_ARRAY(n->arena, ct_expr, l->input.count + 1);
    for (uint32_t i = 0; i < l->input.count; i++)
        if (!(driven[i] = ct_net_driven(n, ct_expr_symbol(n->pool, l->input.at[i]))))
            return false;
    l->input_value = values_of(l, driven, l->input.count);
    for (uint32_t i = 0; l->input_value && i < l->input.count; i++)
        learn(l, l->input.at[i], l->input_value[i]);
    return l->input_value;
}

static bool find_slopes(linearising *l)
{
    net *n = l->n;
    ct_expr culprit;
    uint32_t waves = n->wave.count;
    const ct_jacobian *j = ct_jacobian_new(n->arena, n->pool, n->wave.at, waves, l->input.at,
                                           l->input.count, &culprit);
    double *value = j ? values_of(l, j->entry, j->count) : NULL;
    if (!value)
        return false;
    l->slope_start = CT_NEW_ARRAY(n->arena, uint32_t, waves + 3);
    l->slopes = CT_NEW_ARRAY(n->arena, slope, j->count + 1);
    for (uint32_t k = 0; k < j->count; k++)
        l->slope_start[j->row[k] + 3]++; /* wave i is u[i + 1] */
    for (uint32_t i = 0; i < waves; i++)
        l->slope_start[i + 3] += l->slope_start[i + 2];
    for (uint32_t c = 0; c < j->cols; c++)
        for (uint32_t k = j->start[c]; k < j->start[c + 1]; k++)
            l->slopes[l->slope_start[j->row[k] + 2]++] = (slope){c, value[k]};
    return true;
}

/* ---- the linear part */

static void put_linear(linearising *l)
{
    const columns *z = &l->n->z, *u = &l->n->u;
    for (uint32_t j = 0; j < z->count; j++)
        for (int k = z->start[j]; k < z->start[j + 1]; k++) {
            put(l, &l->w, (uint32_t)z->row[k], j, z->e[k]);
            put(l, &l->a, (uint32_t)z->row[k], j, -z->a[k]);
        }
    for (uint32_t j = 0; j < u->count; j++)
        for (int k = u->start[j]; k < u->start[j + 1]; k++) {
            put_wave(l, &l->b, (uint32_t)u->row[k], j, -u->a[k]);
            put_wave(l, &l->e, (uint32_t)u->row[k], j, -u->e[k]);
        }
}

/* ---- laws: F moves by `by` times a place and `rate` times its rate */

static void put_place(linearising *l, uint32_t row, uint32_t place, double by, double rate)
{
    const net *n = l->n;
    const law_place *p =
        place < n->n ? &(law_place){.column = (int32_t)place} : &n->laws->place.at[place - n->n];
    if (row == n->n)
        return;
    if (p->column >= 0) {
        put(l, &l->a, row, (uint32_t)p->column, -by);
        put(l, &l->w, row, (uint32_t)p->column, rate);
    }
    if (p->wave) {
        put_wave(l, &l->b, row, p->wave, -by);
        put_wave(l, &l->e, row, p->wave, -rate);
    }
    for (uint32_t k = p->offset; k; k = n->offsets.at[k - 1].next) {
        const offset *o = &n->offsets.at[k - 1];
        put_wave(l, &l->b, row, o->wave, -by * o->by);
        put_wave(l, &l->e, row, o->wave, -rate * o->by);
    }
}

static void put_derivative(linearising *l, const law_group *g, const law_entry *e, uint32_t i,
                           double by, double rate)
{
    size_t row = (size_t)e->row * g->room + i, input = (size_t)e->input * g->room + i;
    put_place(l, g->row_plus[row], g->plus[input], by, rate);
    put_place(l, g->row_plus[row], g->minus[input], -by, -rate);
    put_place(l, g->row_minus[row], g->plus[input], -by, -rate);
    put_place(l, g->row_minus[row], g->minus[input], by, rate);
}

/* Room for one block of lanes: parameters, inputs and rates, results. */
typedef struct lanes {
    double *parameter, *variable, *out, *work;
} lanes;

static void put_block(linearising *l, const law_group *g, uint32_t first, const lanes *b)
{
    const law *own = g->l;
    const double *x = l->n->laws->x;
    for (uint32_t k = 0; k < own->parameter_count; k++)
        memcpy(b->parameter + k * CT_LANES, g->parameter + k * (size_t)g->room + first,
               CT_LANES * sizeof *x);
    for (uint32_t k = 0; k < own->input_count * CT_LANES; k++) {
        size_t i = k / CT_LANES * (size_t)g->room + first + k % CT_LANES;
        b->variable[k] = x[g->plus[i]] - x[g->minus[i]]; /* rates are zero */
    }
    ct_lanes_prepare(own->program, b->parameter, b->work);
    ct_lanes_run(own->program, b->variable, b->out, b->work);
    for (uint32_t i = 0; i < CT_LANES && first + i < g->count; i++)
        for (const law_entry *e = own->entry; e < own->entry + own->entry_count; e++)
            put_derivative(l, g, e, first + i, e->by ? b->out[e->by * CT_LANES + i] : 0,
                           e->by_rate ? b->out[e->by_rate * CT_LANES + i] : 0);
}

static void put_laws(linearising *l)
{
    net *n = l->n;
    ct_laws_places(n->laws, l->z);
    for (uint32_t k = 0; k < n->laws->group.count; k++) {
        const law_group *g = &n->laws->group.at[k];
        const law *own = g->l;
        size_t inputs = own->input_count + own->rate_count;
        lanes b = {CT_NEW_ARRAY(n->arena, double, own->parameter_count *CT_LANES + 1),
                   CT_NEW_ARRAY(n->arena, double, inputs *CT_LANES + 1),
                   CT_NEW_ARRAY(n->arena, double, own->output_count *CT_LANES + 1),
                   CT_NEW_ARRAY(n->arena, double, ct_lanes_work(own->program) + 1)};
        l->ops += (uint64_t)g->count * ct_program_operations(own->program);
        for (uint32_t first = 0; first < g->count; first += CT_LANES)
            put_block(l, g, first, &b);
    }
}

/* ---- outputs: of each symbol that they read its form, times the derivative by it */

typedef struct shown {
    expr_list row;
    name_list symbol; /* variables, then inputs */
    form *form;       /* of variables */
    uint32_t variables;
} shown;

typedef struct reading {
    net *n;
    name_list *symbol;
} reading;

static void note_symbol(void *user, ct_expr e)
{
    const reading *r = user;
    ct_pool *pool = r->n->pool;
    ct_name name = ct_expr_kind_of(pool, e) == CT_EXPR_SYMBOL ? ct_expr_name(pool, e) : 0;
    if (name && name != r->n->time && !ct_map_get(r->n->model->quantity_by_name, name))
        CT_PUSH(r->n->arena, *r->symbol, name);
}

static bool has_rates(const form *f)
{
    for (uint32_t k = 0; k < f->term.count; k++)
        if (f->term.at[k].kind == FORM_RATE)
            return true;
    return false;
}

static bool find_forms(linearising *l, shown *s)
{
    net *n = l->n;
    reading r = {n, &s->symbol};
    ct_expr_walk(n->pool, s->row.at, s->row.count, note_symbol, &r);
    s->variables = s->symbol.count;
    s->form = CT_NEW_ARRAY(n->arena, form, s->variables + 1);
    for (uint32_t i = 0; i < s->variables; i++) {
        if (!ct_net_form(n, s->symbol.at[i], &s->form[i]) || has_rates(&s->form[i]))
            return false;
        learn(l, s->symbol.at[i], ct_form_value(&s->form[i], l->z, l->u, NULL));
    }
    for (uint32_t i = 0; i < l->input.count; i++)
        CT_PUSH(n->arena, s->symbol, l->input.at[i]);
    return true;
}

static void list_rows(linearising *l, shown *s)
{
    net *n = l->n;
    const ct_model *m = n->model;
    for (uint32_t i = 0; i < m->output_count; i++)
        CT_PUSH(n->arena, s->row, m->output[i].expr);
    for (uint32_t i = 0; i < n->state.count && !m->output_count; i++) {
        ct_name name = ct_intern_text(m->ctx, ct_net_state_name(n, i));
        CT_PUSH(n->arena, s->row, ct_expr_symbol(n->pool, name));
    }
}

static void put_output(linearising *l, const shown *s, uint32_t row, uint32_t symbol, double by)
{
    if (symbol >= s->variables)
        put(l, &l->d, row, symbol - s->variables, by);
    for (uint32_t i = 0; symbol < s->variables && i < s->form[symbol].term.count; i++) {
        const form_term *t = &s->form[symbol].term.at[i];
        if (t->kind == FORM_Z)
            put(l, &l->c, row, t->index, by * t->by);
        else
            put_wave(l, &l->d, row, t->index, by * t->by);
    }
}

static bool put_outputs(linearising *l)
{
    net *n = l->n;
    shown s = {0};
    ct_expr culprit;
    list_rows(l, &s);
    if (!find_forms(l, &s))
        return false;
    const ct_jacobian *j = ct_jacobian_new(n->arena, n->pool, s.row.at, s.row.count, s.symbol.at,
                                           s.symbol.count, &culprit);
    const double *value = j ? values_of(l, j->entry, j->count) : NULL;
    for (uint32_t c = 0; value && c < j->cols; c++)
        for (uint32_t k = j->start[c]; k < j->start[c + 1]; k++)
            put_output(l, &s, j->row[k], c, value[k]);
    return value;
}

/* ---- sorted by rows, then columns; equal places add up */

static void sort_by(ct_triplet *from, ct_triplet *to, uint32_t count, uint32_t keys, bool rows,
                    uint32_t *start)
{
    memset(start, 0, (keys + 2) * sizeof *start);
    for (uint32_t i = 0; i < count; i++)
        start[(rows ? from[i].row : from[i].col) + 1]++;
    for (uint32_t k = 0; k < keys; k++)
        start[k + 1] += start[k];
    for (uint32_t i = 0; i < count; i++)
        to[start[rows ? from[i].row : from[i].col]++] = from[i];
}

static ct_triplets sorted(linearising *l, const triplet_list *list, uint32_t rows, uint32_t cols,
                          ct_arena *arena)
{
    uint32_t count = list->count, keys = rows > cols ? rows : cols, used = 0;
    ct_triplet *at = CT_NEW_ARRAY(arena, ct_triplet, count + 1);
    ct_triplet *other = CT_NEW_ARRAY(l->n->arena, ct_triplet, count + 1);
    uint32_t *start = CT_NEW_ARRAY(l->n->arena, uint32_t, keys + 2);
    if (count) {
        sort_by(list->at, other, count, cols, false, start);
        sort_by(other, at, count, rows, true, start);
    }
    for (uint32_t i = 0; i < count; i++)
        if (used && at[used - 1].row == at[i].row && at[used - 1].col == at[i].col)
            at[used - 1].value += at[i].value;
        else
            at[used++] = at[i];
    return (ct_triplets){rows, cols, used, at};
}

/* ---- names */

static void name_nodes(const net *n, ct_name *name)
{
    const ct_model *m = n->model;
    for (uint32_t i = m->node_count; i-- > 0;) {
        uint32_t node = n->graph->node_of[i], k = 0;
        if (node >= n->graph->scalar_node_count || n->column[node] < 0 ||
            n->driver[node] != UINT32_MAX)
            continue;
        const ct_variable_row *row = ct_domain_row_at(m->node[i].domain)->variable;
        while (!row[k].across || row[k].order != 0)
            k++;
        name[n->column[node]] = ct_node_variable(m, i, k);
    }
}

static void name_component(const net *n, uint32_t component, ct_name *name)
{
    const ct_element *e = n->set.at[n->set_of[component]].v->element;
    for (uint32_t i = 0; i < e->edge_count; i++) {
        uint32_t through = n->through[n->first_edge[component] + i], k = 0;
        const ct_variable_row *row = ct_domain_row_at(e->edge[i].domain)->variable;
        while (row[k].across || row[k].order != 0)
            k++;
        if (through)
            name[through - 1] = ct_edge_variable(n->model, component, i, k);
    }
    for (uint32_t i = 0; i < e->var_count && n->own[component] + i < n->n; i++)
        name[n->own[component] + i] = ct_own_variable(n->model, component, i);
}

/* Positions that no variable of the model is have none of their own. */
static const ct_name *names_of(const net *n, ct_arena *arena)
{
    ct_name *name = CT_NEW_ARRAY(arena, ct_name, n->n + 1);
    name_nodes(n, name);
    for (uint32_t c = 0; c < n->model->component_count; c++)
        name_component(n, c, name);
    for (uint32_t i = 0; i < n->n; i++)
        if (!name[i])
            name[i] = ct_intern_text(n->model->ctx, ct_printf(n->model->ctx, "z%u", i + 1));
    return name;
}

/* ---- all */

typedef struct linear_job {
    const ct_tree *tree;
    const double *value;
    const ct_network_choice *choice;
    ct_arena *arena, *own;
    linearising l;
    ct_network *made;
    const char *why_not;
} linear_job;

static ct_network *collect(linear_job *j, const outputs *o, const law_rest *how)
{
    linearising *l = &j->l;
    net *n = l->n;
    ct_network *made = CT_NEW(j->arena, ct_network);
    uint32_t m = l->input.count, p = o->output_count;
    ct_point *point = ct_net_point(n, o, l->t, l->z, l->u, j->arena);
    point->method = how->method;
    point->iterations = how->iterations;
    ct_name *input = CT_NEW_ARRAY(j->arena, ct_name, m + 1);
    double *value = CT_NEW_ARRAY(j->arena, double, m + 1);
    for (uint32_t i = 0; i < m; i++) {
        input[i] = l->input.at[i];
        value[i] = l->input_value[i];
    }
    *made = (ct_network){.n = n->n,
                         .m = m,
                         .p = p,
                         .unknown = names_of(n, j->arena),
                         .input = input,
                         .output = point->output,
                         .input_value = value,
                         .linear = !n->law_count,
                         .ops = l->ops,
                         .point = point,
                         .W = sorted(l, &l->w, n->n, n->n, j->arena),
                         .A = sorted(l, &l->a, n->n, n->n, j->arena),
                         .B = sorted(l, &l->b, n->n, m, j->arena),
                         .E = sorted(l, &l->e, n->n, m, j->arena),
                         .C = sorted(l, &l->c, p, n->n, j->arena),
                         .D = sorted(l, &l->d, p, m, j->arena)};
    return made;
}

/* Why not; NULL: done. */
static const char *linearise(linear_job *j)
{
    linearising *l = &j->l;
    const char *why_not;
    outputs o;
    law_rest how = {.method = "nodal analysis"};
    l->n = ct_net_apart(j->tree, j->value, j->choice->lawful, j->own, &why_not);
    net *n = l->n;
    if (!n)
        return why_not;
    if (n->law_count && !j->choice->at_rest)
        return "the point is not one of rest";
    if (!ct_net_outputs(n, &o))
        return "an output reads what has no form";
    l->t = j->choice->t;
    l->z = CT_NEW_ARRAY(j->own, double, n->n + 1);
    l->u = CT_NEW_ARRAY(j->own, double, n->u.count + 1);
    if (n->law_count ? !ct_laws_rest(n->laws, l->t, l->z, &how) : !ct_net_steady(n, l->t, l->z))
        return "a matrix is singular";
    ct_net_u(n, l->t, l->u);
    if (!find_inputs(l) || !find_slopes(l))
        return "an input has no value";
    put_linear(l);
    if (n->law_count)
        put_laws(l);
    if (!put_outputs(l))
        return "an output reads what has no form";
    j->made = collect(j, &o, &how);
    return NULL;
}

static void make(void *user)
{
    linear_job *j = user;
    j->why_not = linearise(j);
}

const ct_network *ct_nodal_linear(const ct_tree *tree, const double *value,
                                  const ct_network_choice *choice, ct_arena *arena,
                                  const char **why_not)
{
    ct_context *ctx = tree->graph->ctx;
    linear_job j = {
        .tree = tree, .value = value, .choice = choice, .arena = arena, .own = ct_arena_new(ctx)};
    ct_status status = ct_protect(ctx, make, &j);
    ct_net_release(j.l.n);
    ct_arena_free(j.own);
    if (status != CT_OK)
        ct_throw(ctx, status);
    *why_not = j.why_not;
    return j.made;
}
