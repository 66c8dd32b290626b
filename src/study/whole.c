/* whole.c - all equations and all unknowns at a point, consistent to rounding. */
#include "study/whole.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "equations/driven.h"
#include "solve/linear.h"

/* ---- derivatives */

enum { FEW_NODES = 4000 }; /* that expressions may take, besides one for two of the rows' own */

typedef struct counting {
    ct_pool *pool;
    uint32_t *count;
} counting;

static void count_node(void *user, ct_expr e)
{
    (void)e;
    ++*(uint32_t *)user;
}

uint32_t ct_count_nodes(ct_pool *pool, const ct_expr *e, uint32_t count)
{
    uint32_t nodes = 0;
    ct_expr_walk(pool, e, count, count_node, &nodes);
    return nodes;
}

static void count_operation(void *user, ct_expr e)
{
    const counting *c = user;
    *c->count += ct_expr_kind_of(c->pool, e) > CT_EXPR_SYMBOL;
}

ct_linearising ct_symbolic_effort(ct_pool *pool, const ct_jacobian *j)
{
    uint32_t ops = 0;
    counting c = {pool, &ops};
    ct_expr_walk(pool, j->entry, j->count, count_operation, &c);
    return (ct_linearising){
        .jacobian = "symbolic", .unknowns = j->cols, .entries = j->count, .ops = ops};
}

ct_linearising ct_program_effort(const ct_tangents *t)
{
    return (ct_linearising){.jacobian = "program",
                            .unknowns = t->pattern->cols,
                            .entries = t->pattern->count,
                            .colours = t->colours,
                            .ops = (uint64_t)t->ops * t->colours};
}

const ct_slopes *ct_slopes_at(const ct_statespace_def *def, const ct_knowns *known, ct_pool *pool,
                              const ct_expr *row, uint32_t rows, const ct_name *by, uint32_t cols,
                              ct_arena *arena, ct_expr *culprit)
{
    ct_slopes *out = CT_NEW(arena, ct_slopes);
    uint32_t nodes = ct_count_nodes(pool, row, rows);
    *culprit = 0;
    const ct_jacobian *j =
        ct_jacobian_within(arena, pool, row, rows, by, cols, FEW_NODES + nodes / 2, culprit);
    if (j) {
        double *value = CT_NEW_ARRAY(arena, double, j->count + 1);
        *out = (ct_slopes){.pattern = j, .value = value, .effort = ct_symbolic_effort(pool, j)};
        return ct_values_with(def->rig, def->point, known, j->entry, j->count, value) ? out : NULL;
    }
    const ct_tangents *t =
        *culprit ? NULL
                 : ct_tangents_at(def->rig, def->point, known, row, rows, by, cols, arena, culprit);
    if (!t)
        return NULL;
    *out = (ct_slopes){t->pattern, t->value, t->row, ct_program_effort(t)};
    return out;
}

/* ---- values of all unknowns */

typedef struct settling {
    const ct_reduced *r;
    const ct_statespace_def *def;
    ct_arena *arena;
    ct_pool *pool;
    ct_whole *w;
    bool *state, *rate; /* per unknown: one of a state, its rate */
} settling;

static ct_name name_of(const settling *s, uint32_t unknown)
{
    return s->r->system->unknown[unknown].name;
}

/* At rest inputs do not move. */
static void list_still(settling *s)
{
    const ct_model *m = s->r->system->model;
    ct_name_list found = ct_symbols_of(s->pool, s->arena, s->w->row, s->w->count), still = {0};
    for (uint32_t i = 0; i < found.count; i++) {
        uint32_t order;
        ct_name base = ct_base_symbol(m->symbols, found.at[i], &order);
        uint32_t q = order ? ct_map_get(m->quantity_by_name, base) : 0;
        if (q && m->quantity[q - 1].kind == CT_INPUT)
            CT_PUSH(s->arena, still, found.at[i]);
    }
    s->w->known.still = still.at;
    s->w->known.still_count = still.count;
}

/* By what elimination says of them; false: one has no value. */
static bool find_values(settling *s, const ct_reduced *whole)
{
    const ct_system *system = s->r->system;
    const ct_expr *value = ct_reduced_values(whole, s->arena);
    ct_expr *e = CT_NEW_ARRAY(s->arena, ct_expr, system->unknown_count + 1);
    s->w->known.value = CT_NEW_ARRAY(s->arena, double, system->unknown_count + 1);
    ct_map_init(&s->w->known.index, s->arena);
    for (uint32_t u = 1; u < system->unknown_count; u++) {
        if (!(e[u - 1] = value[u]))
            return false;
        ct_map_put(&s->w->known.index, name_of(s, u), u);
    }
    uint32_t count = system->unknown_count - 1;
    ct_knowns still = {.still = s->w->known.still, .still_count = s->w->known.still_count};
    ct_map_init(&still.index, s->arena);
    if (!ct_values_with(s->def->rig, s->def->point, &still, e, count, s->w->known.value))
        return false;
    for (uint32_t u = 0; u < count; u++)
        if (!isfinite(s->w->known.value[u]))
            return false;
    return true;
}

/* Of bodies alone nothing is eliminated but trivial rows. */
static bool has_network(const ct_system *system)
{
    for (uint32_t i = 0; i < system->row_count; i++)
        if (system->row[i].origin != CT_FROM_MOTION)
            return true;
    return false;
}

/* Rows of the system, then what ties states. */
static bool list_rows(settling *s, const ct_reduced *whole)
{
    uint32_t count, ties = s->r->algebraic_count - whole->algebraic_count;
    const ct_expr *row = ct_reduced_whole(whole, s->arena, &count);
    if (!row)
        return false;
    ct_expr *all = CT_NEW_ARRAY(s->arena, ct_expr, count + ties + 1);
    memcpy(all, row, count * sizeof *all);
    if (ties)
        memcpy(all + count, s->r->residual + whole->algebraic_count, ties * sizeof *all);
    s->w->row = all;
    s->w->count = count + ties;
    for (uint32_t i = 0; i < s->w->count; i++)
        if (!all[i])
            return false;
    return true;
}

/* All but states; false: there are not as many as rows. */
static bool list_unknowns(settling *s)
{
    const ct_system *system = s->r->system;
    uint32_t *unknown = CT_NEW_ARRAY(s->arena, uint32_t, system->unknown_count + 1), count = 0;
    s->state = CT_NEW_ARRAY(s->arena, bool, system->unknown_count + 1);
    s->rate = CT_NEW_ARRAY(s->arena, bool, system->unknown_count + 1);
    for (uint32_t i = 0; i < s->r->state_count; i++) {
        s->state[s->r->state[i]] = true;
        s->rate[system->unknown[s->r->state[i]].rate] = true;
    }
    for (uint32_t u = 1; u < system->unknown_count; u++)
        if (!s->state[u])
            unknown[count++] = u;
    s->w->unknown = unknown;
    return count == s->w->count;
}

/* ---- Newton's method: the point is there already, save what elimination has lost */

enum { MOST_ROUNDS = 8 };
/* Of states, by the largest unknown of the same kind. Others may have lost everything: of a base
 * that hangs at a conductance of 1e-12, elimination knows volts. */
static const double most_step = 1e-3;
static const double least_step = 1e-15;

typedef struct polishing {
    settling *s;
    const uint32_t *unknown; /* that move */
    ct_name *by;
    double *residual;
    double size[CT_UNKNOWN_RATE + 1];
    ct_linear *linear;
} polishing;

static void note_sizes(polishing *p)
{
    const ct_system *system = p->s->r->system;
    memset(p->size, 0, sizeof p->size);
    for (uint32_t u = 1; u < system->unknown_count; u++) {
        double *size = &p->size[system->unknown[u].kind];
        *size = fmax(*size, fabs(p->s->w->known.value[u - 1]));
    }
}

/* The matrix, anew only behind long steps; false: it is singular, or has no numbers. */
static bool factor(polishing *p)
{
    settling *s = p->s;
    uint32_t n = s->w->count;
    ct_expr culprit;
    ct_linear_free(p->linear);
    p->linear = NULL;
    const ct_slopes *j =
        ct_slopes_at(s->def, &s->w->known, s->pool, s->w->row, n, p->by, n, s->arena, &culprit);
    if (!j)
        return false;
    ct_pattern pattern = ct_pattern_part(s->arena, n, j->pattern->start, j->pattern->row, 0, n, 0);
    p->linear = ct_linear_new(s->arena, &pattern);
    memcpy(p->linear->value, j->value, j->pattern->count * sizeof *j->value);
    return ct_linear_factor(p->linear) == CT_SOLVED;
}

/* The largest part of a step, by the sizes of the unknowns; infinite: it goes too far. */
static double measure(const polishing *p, const double *step)
{
    const ct_system *system = p->s->r->system;
    double most = 0;
    for (uint32_t i = 0; i < p->s->w->count; i++) {
        uint32_t u = p->unknown[i];
        double size = p->size[system->unknown[u].kind], own = fabs(p->s->w->known.value[u - 1]);
        if (system->unknown[u].kind == CT_UNKNOWN_RATE) /* at rest they are rounding */
            continue;
        if (!isfinite(step[i]) || (p->s->state[u] && !(fabs(step[i]) <= most_step * size)))
            return INFINITY;
        most = fmax(most, fabs(step[i]) / fmax(own, most_step * size));
    }
    return most;
}

/* How far it goes; infinite: no further. */
static double step(polishing *p, double last)
{
    settling *s = p->s;
    uint32_t n = s->w->count;
    if ((last > most_step && !factor(p)) ||
        !ct_values_with(s->def->rig, s->def->point, &s->w->known, s->w->row, n, p->residual))
        return INFINITY;
    ct_linear_solve(p->linear, p->residual);
    return measure(p, p->residual);
}

/* False: the values are those that were. */
static bool polish(settling *s, const uint32_t *unknown)
{
    uint32_t n = s->w->count, all = s->r->system->unknown_count - 1;
    polishing p = {.s = s,
                   .unknown = unknown,
                   .by = CT_NEW_ARRAY(s->arena, ct_name, n + 1),
                   .residual = CT_NEW_ARRAY(s->arena, double, n + 1)};
    double last = INFINITY, *was = CT_NEW_ARRAY(s->arena, double, all + 1);
    memcpy(was, s->w->known.value, all * sizeof *was);
    for (uint32_t i = 0; i < n; i++)
        p.by[i] = name_of(s, unknown[i]);
    note_sizes(&p);
    for (uint32_t round = 0; round < MOST_ROUNDS && last > least_step; round++) {
        double own = step(&p, last);
        if (!(own < last / 2))
            break;
        for (uint32_t i = 0; i < n; i++)
            s->w->known.value[unknown[i] - 1] -= p.residual[i];
        last = own;
    }
    ct_linear_free(p.linear);
    if (!(last <= most_step))
        memcpy(s->w->known.value, was, all * sizeof *was);
    return last <= most_step;
}

/* At rest states move, and their rates are zero. */
static const uint32_t *resting(const settling *s)
{
    const ct_system *system = s->r->system;
    uint32_t *unknown = CT_NEW_ARRAY(s->arena, uint32_t, system->unknown_count + 1), count = 0;
    for (uint32_t u = 1; u < system->unknown_count; u++)
        if (!s->rate[u])
            unknown[count++] = u;
    return count == s->w->count ? unknown : NULL;
}

static bool polish_rest(settling *s)
{
    const ct_system *system = s->r->system;
    const uint32_t *unknown = resting(s);
    double *was = CT_NEW_ARRAY(s->arena, double, system->unknown_count + 1);
    if (!unknown)
        return false;
    memcpy(was, s->w->known.value, (system->unknown_count - 1) * sizeof *was);
    for (uint32_t u = 1; u < system->unknown_count; u++)
        if (s->rate[u])
            s->w->known.value[u - 1] = 0;
    if (polish(s, unknown))
        return true;
    memcpy(s->w->known.value, was, (system->unknown_count - 1) * sizeof *was);
    return false;
}

static const double *values_of(const ct_whole *w, ct_arena *arena, const char *const *name,
                               const double *was, uint32_t count)
{
    ct_context *ctx = ct_arena_context(arena);
    double *value = CT_NEW_ARRAY(arena, double, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t known = ct_map_get(&w->known.index, ct_intern_text(ctx, name[i]));
        value[i] = known ? w->known.value[known - 1] : was[i];
    }
    return value;
}

/* Values of outputs; those that were: something has none. */
static const double *outputs_of(const settling *s)
{
    const ct_model *m = s->r->system->model;
    const ct_point *was = s->def->point;
    ct_expr *e = CT_NEW_ARRAY(s->arena, ct_expr, m->output_count + 1);
    double *y = CT_NEW_ARRAY(s->arena, double, m->output_count + 1);
    for (uint32_t i = 0; i < m->output_count; i++)
        if (!(e[i] = ct_reduced_open(s->r, m->output[i].expr, (ct_place){0})))
            return was->y;
    bool known = m->output_count == was->output_count &&
                 ct_values_with(s->def->rig, was, &s->w->known, e, m->output_count, y);
    return known ? y : was->y;
}

/* The point with these values. */
static const ct_point *point_of(const settling *s)
{
    const ct_point *was = s->def->point;
    ct_point *point = CT_NEW(s->arena, ct_point);
    *point = *was;
    point->x = values_of(s->w, s->arena, was->state, was->x, was->state_count);
    point->w = values_of(s->w, s->arena, was->algebraic, was->w, was->algebraic_count);
    point->y = s->r->system->model->output_count ? outputs_of(s) : point->x;
    return point;
}

const ct_whole *ct_whole_new(const ct_reduced *whole, const ct_reduced *r,
                             const ct_statespace_def *def, ct_arena *arena)
{
    settling s = {
        .r = r, .def = def, .arena = arena, .pool = r->system->pool, .w = CT_NEW(arena, ct_whole)};
    if (!has_network(r->system) || !list_rows(&s, whole) || !list_unknowns(&s))
        return NULL;
    if (def->point->method)
        list_still(&s);
    if (!find_values(&s, whole))
        return NULL;
    if (!def->point->method || !polish_rest(&s))
        polish(&s, s.w->unknown);
    s.w->point = point_of(&s);
    return s.w;
}

void ct_whole_keep(ct_statespace *ss)
{
    uint32_t states = ss->differential;
    ss->W = (ct_entries){ss->n, ss->n, states, CT_NEW_ARRAY(ss->arena, ct_entry, states + 1)};
    for (uint32_t i = 0; i < states; i++)
        ss->W.entry[i] = (ct_entry){i, i, 0, 1};
    ss->reduced = NULL;
    ss->given_up = false;
}
