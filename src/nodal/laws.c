/* laws.c - all nonlinear components of a network: where they stand in the matrix, evaluation. */
#include "nodal/law.h"

#include <math.h>
#include <string.h>

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

static const numbers *numbers_of(const net *n, uint32_t component)
{
    return &n->set.at[n->set_of[component]];
}

/* ---- places */

static uint32_t add_place(laws *w, law_place p)
{
    CT_PUSH(w->n->arena, w->place, p);
    return w->n->n + w->place.count - 1;
}

static uint32_t place_of_node(laws *w, uint32_t node)
{
    const net *n = w->n;
    if (!n->offset_of[node] && n->column[node] >= 0)
        return (uint32_t)n->column[node];
    uint32_t known = ct_map_get(&w->place_of_node, node);
    if (!known) {
        known = 1 + add_place(w, (law_place){n->column[node], n->offset_of[node], 0,
                                             n->graph->node[node].domain + 1});
        ct_map_put(&w->place_of_node, node, known);
    }
    return known - 1;
}

static void find_places(laws *w, law_group *g, uint32_t i)
{
    net *n = w->n;
    uint32_t component = g->component[i], zero = w->size; /* the first place */
    const numbers *p = numbers_of(n, component);
    for (uint32_t j = 0; j < g->l->input_count; j++) {
        const law_input *in = &g->l->input[j];
        uint32_t edge = n->first_edge[component] + in->index;
        uint32_t plus = 0, minus = zero;
        if (in->kind == INPUT_ACROSS) {
            const ct_graph_edge *e = &n->graph->edge[edge];
            bool turned = ct_net_sign(n, edge) < 0;
            plus = place_of_node(w, turned ? e->head : e->tail);
            minus = place_of_node(w, turned ? e->tail : e->head);
        } else if (in->kind == INPUT_THROUGH) {
            plus = n->through[edge] - 1;
        } else if (in->kind == INPUT_OWN) {
            plus = n->own[component] + in->index;
        } else {
            plus = add_place(w, (law_place){-1, 0, p->wave[in->index], 0});
        }
        g->plus[j * g->room + i] = plus;
        g->minus[j * g->room + i] = minus;
    }
}

/* ---- rows */

static void find_rows(laws *w, law_group *g, uint32_t i)
{
    const net *n = w->n;
    uint32_t component = g->component[i], edges = g->l->v->element->edge_count;
    for (uint32_t k = 0; k < g->l->row_count; k++) {
        uint32_t edge = n->first_edge[component] + k, *plus = &g->row_plus[k * g->room + i];
        uint32_t *minus = &g->row_minus[k * g->room + i];
        *plus = *minus = w->size;
        if (k >= edges) {
            *plus = n->own[component] + k - edges;
        } else if (n->through[edge]) {
            *plus = n->through[edge] - 1;
        } else {
            const ct_graph_edge *e = &n->graph->edge[edge];
            int32_t tail = n->column[e->tail], head = n->column[e->head];
            bool turned = ct_net_sign(n, edge) < 0;
            if (tail == head)
                continue;
            int32_t from = turned ? head : tail, to = turned ? tail : head;
            *plus = from < 0 ? w->size : (uint32_t)from;
            *minus = to < 0 ? w->size : (uint32_t)to;
        }
    }
}

/* ---- groups */

static law_group *group_of(laws *w, const law *l)
{
    for (uint32_t i = 0; i < w->group.count; i++)
        if (w->group.at[i].l == l)
            return &w->group.at[i];
    CT_PUSH(w->n->arena, w->group, (law_group){.l = l});
    return &w->group.at[w->group.count - 1];
}

static void take_memory(laws *w, law_group *g)
{
    ct_arena *arena = w->n->arena;
    const law *l = g->l;
    size_t room = (g->count + CT_LANES - 1) / CT_LANES * CT_LANES;
    g->room = (uint32_t)room;
    g->component = CT_NEW_ARRAY(arena, uint32_t, room + 1);
    g->parameter = CT_NEW_ARRAY(arena, double, room * l->parameter_count + 1);
    g->plus = CT_NEW_ARRAY(arena, uint32_t, room * l->input_count + 1);
    g->minus = CT_NEW_ARRAY(arena, uint32_t, room * l->input_count + 1);
    g->at = CT_NEW_ARRAY(arena, double, room * l->input_count + 1);
    g->row_plus = CT_NEW_ARRAY(arena, uint32_t, room * l->row_count + 1);
    g->row_minus = CT_NEW_ARRAY(arena, uint32_t, room * l->row_count + 1);
    g->slope = CT_NEW_ARRAY(arena, double, room * l->limit_count + 1);
    g->offset = CT_NEW_ARRAY(arena, double, room * l->limit_count + 1);
    g->critical = CT_NEW_ARRAY(arena, double, room * l->limit_count + 1);
    g->space = CT_NEW_ARRAY(arena, double, ct_laws_space(l) + 1);
    g->work = CT_NEW_ARRAY(arena, double, ct_lanes_work(l->program) + 1);
    g->kept = CT_NEW_ARRAY(arena, double, l->rate_count ? 1 : room * l->output_count + 1);
    g->charge = w->charge_count;
    w->charge_count += (uint32_t)room * l->rate_count;
    g->count = 0;
}

static void add_component(laws *w, law_group *g, uint32_t component)
{
    const numbers *p = numbers_of(w->n, component);
    uint32_t i = g->count++;
    g->component[i] = component;
    for (uint32_t k = 0; k < g->l->parameter_count; k++)
        g->parameter[k * g->room + i] = p->factor[g->l->parameter[k]];
    find_places(w, g, i);
    find_rows(w, g, i);
}

/* Are parameters of all blocks the same, as far as they go? */
static bool are_alike(const law_group *g)
{
    bool alike = true;
    for (uint32_t k = 0; k < g->l->parameter_count && g->count > CT_LANES && alike; k++) {
        const double *p = g->parameter + k * (size_t)g->room;
        alike = memcmp(p, p + CT_LANES, (g->count - CT_LANES) * sizeof *p) == 0;
    }
    return alike;
}

/* The last component whose parameters are those of lane i in the block before; else the last. */
static uint32_t filling(const law_group *g, uint32_t i)
{
    for (uint32_t c = g->count; g->alike && c-- > 0 && c + CT_LANES >= i && i >= CT_LANES;) {
        bool same = true;
        for (uint32_t k = 0; k < g->l->parameter_count && same; k++) {
            const double *p = g->parameter + k * (size_t)g->room;
            same = memcmp(p + c, p + i - CT_LANES, sizeof *p) == 0;
        }
        if (same)
            return c;
    }
    return g->count - 1;
}

/* What fills the last lanes does as a component, but goes nowhere. */
static void fill_up(laws *w, law_group *g)
{
    const law *l = g->l;
    g->alike = are_alike(g);
    for (uint32_t i = g->count; i < g->room; i++) {
        uint32_t as = filling(g, i);
        for (uint32_t k = 0; k < l->parameter_count; k++)
            g->parameter[k * g->room + i] = g->parameter[k * g->room + as];
        for (uint32_t j = 0; j < l->input_count; j++) {
            g->plus[j * g->room + i] = g->plus[j * g->room + as];
            g->minus[j * g->room + i] = g->minus[j * g->room + as];
        }
        for (uint32_t k = 0; k < l->row_count; k++)
            g->row_plus[k * g->room + i] = g->row_minus[k * g->room + i] = w->size;
    }
}

static void number_blocks(laws *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->group.count; i++) {
        w->group.at[i].first_block = count;
        count += w->group.at[i].room / CT_LANES;
    }
    w->state = CT_NEW_ARRAY(w->n->arena, uint8_t, count + 1);
    for (uint32_t i = 0; i < w->group.count; i++)
        w->group.at[i].state = w->state + w->group.at[i].first_block;
}

/* Does it add to any row? Junctions from bulk to source are short-circuited as a rule. */
static bool takes_part(const net *n, uint32_t component)
{
    const numbers *p = numbers_of(n, component);
    if (p->kind != PORT_LAW)
        return false;
    uint32_t edges = p->v->element->edge_count;
    bool found = p->law->rate_count > 0 || p->law->row_count > edges;
    for (uint32_t k = 0; k < p->law->row_count && !found; k++) {
        uint32_t edge = n->first_edge[component] + k;
        const ct_graph_edge *e = &n->graph->edge[edge];
        found = n->through[edge] || n->column[e->tail] != n->column[e->head];
    }
    return found;
}

static void make_groups(laws *w)
{
    net *n = w->n;
    uint32_t count = n->model->component_count;
    for (uint32_t c = 0; c < count; c++)
        if (takes_part(n, c))
            group_of(w, numbers_of(n, c)->law)->count++;
    for (uint32_t i = 0; i < w->group.count; i++)
        take_memory(w, &w->group.at[i]);
    number_blocks(w);
    for (uint32_t c = 0; c < count; c++)
        if (takes_part(n, c))
            add_component(w, group_of(w, numbers_of(n, c)->law), c);
    for (uint32_t i = 0; i < w->group.count; i++)
        fill_up(w, &w->group.at[i]);
}

/* ---- values of places */

void ct_laws_inputs(laws *w, double t)
{
    w->still_known = w->shifted = false;
    ct_net_u(w->n, t, w->u);
    for (uint32_t i = 0; i <= w->n->wave.count && w->share != 1; i++)
        w->u[i] *= w->share;
}

/* What is added to z follows from u alone. */
static void shift_places(laws *w)
{
    const net *n = w->n;
    for (uint32_t i = 0; i < w->place.count; i++) {
        const law_place *p = &w->place.at[i];
        double sum = p->wave ? w->u[p->wave] : 0;
        for (uint32_t k = p->offset; k; k = n->offsets.at[k - 1].next)
            sum += n->offsets.at[k - 1].by * w->u[n->offsets.at[k - 1].wave];
        if (w->shift[i] != sum) {
            w->moved[i] = w->any_moved = true;
            ct_laws_wake_place(w, w->size + i);
        }
        w->shift[i] = sum;
    }
    w->shifted = true;
}

void ct_laws_places(laws *w, const double *z)
{
    CT_EACH (i, w->part.of.solved)
        w->x[i] = z[i];
    if (!w->shifted)
        shift_places(w);
    for (uint32_t i = 0; i < w->place.count; i++) {
        int32_t column = w->place.at[i].column;
        w->x[w->size + i] = w->shift[i] + (column >= 0 ? w->x[column] : 0);
    }
    ct_laws_wake(w);
}

/* ---- all */

void ct_laws_forget(laws *w)
{
    w->sum_alpha = NAN;
    w->there_known = w->still_known = false;
}

/* alpha E + A */
static void set_sum(laws *w, double alpha)
{
    for (const ct_index_range *r = w->part.near.at; r < w->part.near.at + w->part.near.count; r++) {
        int first = w->start[r->begin], end = w->start[r->end];
        memcpy(w->sum + first, w->steady + first, (size_t)(end - first) * sizeof *w->sum);
        for (uint32_t k = w->held_start[r->begin]; k < w->held_start[r->end]; k++)
            w->sum[w->held[k].place] += alpha * w->held[k].e;
    }
    w->sum_alpha = alpha;
}

static void set_matrix(laws *w, double alpha)
{
    double *value = w->linear->value;
    for (const ct_index_range *r = w->part.near.at; r < w->part.near.at + w->part.near.count; r++) {
        int first = w->start[r->begin], end = w->start[r->end];
        memcpy(value + first, w->sum + first, (size_t)(end - first) * sizeof *value);
    }
    value[w->count] = 0;
    w->alpha = alpha;
}

static void add_entries(const laws *w, int k, int end, const double *m, const double *x,
                        double *restrict to)
{
    const int *row = w->row;
    const uint32_t *column = w->column;
    for (; k + 2 <= end; k += 2) {
        to[row[k]] += m[k] * x[column[k]];
        to[row[k + 1]] += m[k + 1] * x[column[k + 1]];
    }
    if (k < end)
        to[row[k]] += m[k] * x[column[k]];
}

/* to += M x by columns near what takes part */
static void add_product(const laws *w, const double *m, const double *x, double *restrict to)
{
    for (const ct_index_range *r = w->part.near.at; r < w->part.near.at + w->part.near.count; r++)
        add_entries(w, w->start[r->begin], w->start[r->end], m, x, to);
}

/* to += by * E (x - z of the reference), in rows that are counted */
static void add_held(const laws *w, double by, double *to)
{
    const uint8_t *level = w->part.level;
    const double *x = w->x, *z0 = w->z0;
    const law_held *held = w->held;
    bool all = w->part.all;
    for (const ct_index_range *r = w->part.near.at; r < w->part.near.at + w->part.near.count; r++)
        for (uint32_t k = w->held_start[r->begin]; k < w->held_start[r->end]; k++) {
            const law_held *h = &held[k];
            if (all || level[h->row] != CT_AT_REST)
                to[h->row] += h->e * (by * (x[h->column] - z0[h->column]));
        }
}

static void add_moved_inputs(laws *w, double by, double *to)
{
    const columns *u = &w->n->u;
    for (uint32_t i = 0; i < u->count; i++)
        w->du[i] = w->u[i] - w->u0[i];
    ct_columns_times(u, u->e, by, w->du, to);
}

static void set_there(laws *w)
{
    CT_EACH (i, w->part.near)
        w->there[i] = w->fixed[i];
    add_product(w, w->steady, w->z0, w->there);
    w->there_known = true;
}

static void set_still(laws *w, double alpha, const double *base)
{
    const columns *u = &w->n->u;
    if (!w->there_known)
        set_there(w);
    CT_EACH (i, w->part.near)
        w->still[i] = base ? w->there[i] - alpha * base[i] : w->there[i];
    ct_columns_times(u, u->a, 1, w->u, w->still);
    if (alpha != 0)
        add_moved_inputs(w, alpha, w->still);
    w->still_known = true;
}

static void evaluate_linear(laws *w, double alpha, const double *base, bool fresh, bool matrix,
                            double *residual)
{
    if (alpha != w->sum_alpha)
        set_sum(w, alpha);
    if (fresh || !w->still_known)
        set_still(w, alpha, base);
    if (matrix)
        set_matrix(w, alpha);
    CT_EACH (i, w->part.near) {
        residual[i] = w->still[i];
        w->far[i] = w->x[i] - w->z0[i];
    }
    add_product(w, w->sum, w->far, residual);
}

static void add_shunts(laws *w, double *residual)
{
    const net *n = w->n;
    for (uint32_t i = 0; i < n->graph->scalar_node_count; i++) {
        int32_t j = n->column[i];
        if (j < 0 || n->driver[i] != UINT32_MAX)
            continue;
        for (int k = w->start[j]; k < w->start[j + 1]; k++)
            if (w->row[k] == j)
                w->linear->value[k] += w->shunt;
        residual[j] += w->shunt * w->x[j];
    }
}

uint32_t ct_laws_evaluate(laws *w, double alpha, const double *base, bool fresh, bool matrix,
                          double *residual)
{
    uint32_t limited = 0;
    ct_laws_release(w);
    evaluate_linear(w, alpha, base, fresh, matrix, residual);
    for (uint32_t i = 0; i < w->group.count; i++)
        limited += ct_laws_group(w, &w->group.at[i], alpha, base, fresh, matrix, residual);
    if (w->shunt != 0)
        add_shunts(w, residual);
    return limited;
}

void ct_laws_respond(laws *w, double alpha, const double *base, const double *rate,
                     double *residual)
{
    CT_EACH (i, w->part.of.solved)
        residual[i] = rate[i];
    for (uint32_t i = 0; i < w->group.count; i++)
        if (w->group.at[i].l->rate_count)
            ct_laws_group_respond(w, &w->group.at[i], alpha, base, rate, residual);
}

bool ct_laws_hold(const laws *w)
{
    for (uint32_t i = 0; i < w->group.count; i++)
        if (!ct_laws_group_holds(w, &w->group.at[i]))
            return false;
    return true;
}

bool ct_laws_close(const laws *w)
{
    for (uint32_t i = 0; i < w->group.count; i++)
        if (!ct_laws_group_close(w, &w->group.at[i]))
            return false;
    return true;
}

void ct_laws_refer(laws *w)
{
    memset(w->stored0, 0, (w->charge_count - w->size) * sizeof *w->stored0);
    ct_laws_charges(w, w->refer);
    memcpy(w->stored0, w->refer + w->size, (w->charge_count - w->size) * sizeof *w->stored0);
    CT_EACH (i, w->part.of.solved)
        w->z0[i] = w->x[i];
    memcpy(w->u0, w->u, w->n->u.count * sizeof *w->u);
    w->there_known = w->still_known = false;
    if (++w->age % CT_LAWS_SETTLE == 0 && w->slack != 0 && w->part.all)
        ct_laws_settle(w);
}

void ct_laws_charges(laws *w, double *q)
{
    for (const ct_index_range *r = w->part.of.charges.at;
         r < w->part.of.charges.at + w->part.of.charges.count; r++)
        memset(q + r->begin, 0, (r->end - r->begin) * sizeof *q);
    add_held(w, 1, q);
    add_moved_inputs(w, 1, q);
    for (uint32_t i = 0; i < w->group.count; i++) {
        const law_group *g = &w->group.at[i];
        for (uint32_t k = 0; k < g->l->rate_count; k++)
            for (uint32_t c = 0; c < g->room; c++) {
                size_t at = g->l->rated[k] * (size_t)g->room + c;
                uint32_t own = g->charge + k * g->room + c;
                q[own] = w->x[g->plus[at]] - w->x[g->minus[at]] - w->stored0[own - w->size];
            }
    }
}

bool ct_laws_store(const laws *w)
{
    return w->held_count || w->charge_count > w->size;
}

/* ---- charges by states */

static uint32_t state_of(const laws *w, uint32_t component, const law_input *in)
{
    const net *n = w->n;
    uint32_t edge = n->first_edge[component] + in->index;
    uint32_t column = in->kind == INPUT_OWN ? n->own[component] + in->index : n->through[edge] - 1;
    return (in->kind == INPUT_ACROSS ? n->rate[edge] : n->column_state[column]) - 1;
}

/* Rates stand behind z in the augmented network: their columns tell what storage holds. */
void ct_laws_stored(laws *w, const double *state, double *q)
{
    net *n = w->n;
    columns z, u;
    memset(q, 0, w->charge_count * sizeof *q);
    ct_net_assemble(n, true, &z, &u);
    for (uint32_t i = 0; i < n->state.count; i++)
        for (int k = z.start[n->n + i]; k < z.start[n->n + i + 1]; k++)
            if ((uint32_t)z.row[k] < n->n)
                q[z.row[k]] += z.a[k] * state[i];
    for (uint32_t i = 0; i < w->group.count; i++) {
        const law_group *g = &w->group.at[i];
        for (uint32_t k = 0; k < g->l->rate_count; k++)
            for (uint32_t c = 0; c < g->count; c++)
                q[g->charge + k * (size_t)g->room + c] =
                    state[state_of(w, g->component[c], &g->l->input[g->l->rated[k]])];
    }
}

/* ---- where exponentials begin to matter: a slope of 1/sqrt(2), told from that at 20 */

static void find_limits(laws *w, law_group *g)
{
    const law *l = g->l;
    ct_arena *scratch = w->n->scratch;
    uint32_t inputs = l->input_count, results = l->row_count + 2 * l->entry_count;
    double *p = CT_NEW_ARRAY(scratch, double, l->parameter_count + 1);
    double *line = CT_NEW_ARRAY(scratch, double, 2 * l->limit_count + 1);
    double *x = CT_NEW_ARRAY(scratch, double, inputs + l->rate_count + 1);
    double *out = CT_NEW_ARRAY(scratch, double, results + 1);
    double *work = CT_NEW_ARRAY(scratch, double, ct_program_work(l->program) + 1);
    double *limit_work = CT_NEW_ARRAY(scratch, double, ct_program_work(l->limits) + 1);
    for (uint32_t i = 0; i < g->room; i++) {
        bool same = i > 0;
        for (uint32_t k = 0; k < l->parameter_count; k++) {
            same = same && p[k] == g->parameter[k * (size_t)g->room + i];
            p[k] = g->parameter[k * (size_t)g->room + i];
        }
        for (uint32_t k = 0; k < l->limit_count && same; k++) {
            size_t at = k * (size_t)g->room + i;
            g->slope[at] = g->slope[at - 1];
            g->offset[at] = g->offset[at - 1];
            g->critical[at] = g->critical[at - 1];
        }
        if (same)
            continue;
        ct_program_prepare(l->limits, p, limit_work);
        ct_program_run(l->limits, x, line, limit_work);
        ct_program_prepare(l->program, p, work);
        for (uint32_t k = 0; k < l->limit_count; k++) {
            const double far = 20;
            double most = 0;
            memset(x, 0, (inputs + l->rate_count) * sizeof *x);
            x[l->limit[k].input] = (far - line[2 * k + 1]) / line[2 * k];
            ct_program_run(l->program, x, out, work);
            for (uint32_t e = 0; e < l->entry_count; e++)
                if (l->entry[e].input == l->limit[k].input && l->entry[e].by)
                    most = fmax(most, fabs(out[l->entry[e].by]));
            size_t at = k * (size_t)g->room + i;
            g->slope[at] = line[2 * k];
            g->offset[at] = line[2 * k + 1];
            g->critical[at] = far + log(0.7071 / most);
            if (!(g->critical[at] > 1))
                g->critical[at] = 1;
        }
    }
}

laws *ct_laws_new(net *n)
{
    laws *w = CT_NEW(n->arena, laws);
    *w = (laws){.n = n, .size = n->n, .charge_count = n->n, .alpha = NAN, .share = 1};
    ct_map_init(&w->place_of_node, n->arena);
    add_place(w, (law_place){-1, 0, 0, 0}); /* zero */
    make_groups(w);
    ct_laws_pattern(w);
    ct_laws_part_new(w);
    for (uint32_t i = 0; i < w->group.count; i++)
        find_limits(w, &w->group.at[i]);
    w->x = CT_NEW_ARRAY(n->arena, double, w->size + w->place.count + 1);
    w->shift = CT_NEW_ARRAY(n->arena, double, w->place.count + 1);
    w->settled = CT_NEW_ARRAY(n->arena, double, w->place.count + 1);
    w->moved = CT_NEW_ARRAY(n->arena, bool, w->place.count + 1);
    w->fixed = CT_NEW_ARRAY(n->arena, double, w->size + 1);
    w->there = CT_NEW_ARRAY(n->arena, double, w->size + 1);
    w->still = CT_NEW_ARRAY(n->arena, double, w->size + 1);
    w->far = CT_NEW_ARRAY(n->arena, double, w->size + 1);
    w->sum = CT_NEW_ARRAY(n->arena, double, w->count + 1);
    w->sum_alpha = NAN;
    w->steady = CT_NEW_ARRAY(n->arena, double, w->count + 1);
    memcpy(w->steady, w->a, w->count * sizeof *w->a);
    w->u = CT_NEW_ARRAY(n->arena, double, n->wave.count + 2);
    w->u0 = CT_NEW_ARRAY(n->arena, double, n->wave.count + 2);
    w->du = CT_NEW_ARRAY(n->arena, double, n->wave.count + 2);
    w->z0 = CT_NEW_ARRAY(n->arena, double, w->size + 1);
    w->stored0 = CT_NEW_ARRAY(n->arena, double, w->charge_count - w->size + 1);
    w->refer = CT_NEW_ARRAY(n->arena, double, w->charge_count + 1);
    return w;
}
