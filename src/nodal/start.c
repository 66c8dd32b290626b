/* start.c - from a model to a network, where it begins, and where it rests. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "nodal/law.h"

static const double farthest = 1e9; /* a point beyond this is left to the usual path */

static const double most_amplified = 1e11;

/* ---- the network */

/* Functions of time; inputs that stay apart have the values that drive them. */
static bool make_waves(net *n)
{
    expr_list driven = {0};
    for (uint32_t i = 0; i < n->wave.count; i++)
        CT_PUSH(n->scratch, driven, ct_net_driven(n, n->wave.at[i]));
    for (uint32_t i = 0; i < n->wave.count; i++)
        if (!driven.at[i])
            return false;
    n->waves = ct_waves_new(n->model, n->value, driven.at, n->wave.count, n->arena);
    return n->waves != NULL;
}

/* Why it is not for this path; NULL: it is. */
static const char *make(net *n)
{
    if (!ct_net_plan(n))
        return n->lawful ? "the law of a component cannot stand by itself"
                         : "a component is not linear with factors of parameters alone";
    if (!ct_net_number_unknowns(n))
        return "storage or drivers depend on each other";
    if (n->wave.count && !make_waves(n))
        return "a source is no function of time";
    ct_net_assemble(n, false, &n->z, &n->u);
    if (n->law_count) {
        n->laws = ct_laws_new(n);
        return NULL;
    }
    n->pencil = (n->definite ? ct_pencil_new : ct_pencil_plain)(n->arena, n->n, n->z.start,
                                                                n->z.row, n->z.e, n->z.a);
    return NULL;
}

static net *new_net(const ct_tree *tree, const double *value, ct_lawful lawful, bool apart,
                    ct_arena *arena, const char **why_not)
{
    assert(tree->graph->model && why_not);
    const ct_model *model = tree->graph->model;
    net *n = CT_NEW(arena, net);
    *n = (net){.model = model,
               .graph = tree->graph,
               .tree = tree,
               .arena = arena,
               .scratch = ct_arena_new(model->ctx),
               .pool = model->pool,
               .value = value,
               .lawful = lawful,
               .apart = apart,
               .time = ct_intern_text(model->ctx, "t")};
    *why_not = make(n);
    ct_arena_free(n->scratch);
    n->scratch = n->arena;
    return *why_not ? NULL : n;
}

net *ct_net_new(const ct_tree *tree, const double *value, ct_lawful lawful, ct_arena *arena,
                const char **why_not)
{
    return new_net(tree, value, lawful, false, arena, why_not);
}

net *ct_net_apart(const ct_tree *tree, const double *value, ct_lawful lawful, ct_arena *arena,
                  const char **why_not)
{
    return new_net(tree, value, lawful, true, arena, why_not);
}

void ct_net_u(const net *n, double t, double *u)
{
    u[0] = 1;
    if (n->waves)
        ct_waves_at(n->waves, t, u + 1);
}

/* ---- where it begins */

/* Values at time t of what the model gives: states alone, each once. */
static bool read_start(net *n, const ct_start *s, double t, bool *given, double *x)
{
    ct_expr e = ct_net_timed(n, s->value);
    double value;
    uint32_t state = ct_net_state(n, ct_expr_name(n->pool, s->variable));
    if (state == UINT32_MAX || given[state] || !e)
        return false;
    if (n->tied_springs && n->state.at[state].kind == STATE_SPRING)
        return false;
    ct_expr at = ct_expr_real(n->pool, t);
    e = ct_expr_substitute(n->pool, e, &n->time, &at, 1);
    if (!e || !ct_net_number(n, e, &value))
        return false;
    given[state] = true;
    x[state] = ct_net_kept(n, state, value);
    return true;
}

bool ct_net_starts(net *n, double t, double *x)
{
    const ct_model *m = n->model;
    bool *given = CT_NEW_ARRAY(n->arena, bool, n->state.count + 1);
    for (uint32_t i = 0; i < n->state.count; i++)
        x[i] = ct_net_kept(n, i, 0);
    for (uint32_t i = 0; i < m->start_count; i++)
        if (ct_expr_kind_of(n->pool, m->start[i].variable) != CT_EXPR_SYMBOL ||
            !read_start(n, &m->start[i], t, given, x))
            return false;
    return true;
}

/* ---- where it rests */

/* r = -(A z + Ax u) */
static void residual(const net *n, const double *z, const double *u, double *r)
{
    memset(r, 0, n->n * sizeof *r);
    ct_pencil_times(n->pencil, n->z.a, -1, z, r);
    ct_columns_times(&n->u, n->u.a, -1, u, r);
}

static bool factor_steady(net *n)
{
    ct_complex zero = {0, 0};
    n->steady = ct_factor_new(n->pencil, false);
    if (ct_factor_make(n->steady, zero) == CT_SOLVED)
        return true;
    if (!n->pencil->ldl)
        return false;
    /* inductors have no resistance: the matrix is not definite at rest */
    n->rest = ct_pencil_plain(n->arena, n->n, n->z.start, n->z.row, n->z.e, n->z.a);
    n->steady = ct_factor_new(n->rest, false);
    return ct_factor_make(n->steady, zero) == CT_SOLVED;
}

/* Is rest determined? Rounding hides a singular matrix from its pivots; but then a right side of
 * the size of its rows has no solution of ordinary size. What rest leaves open the usual path
 * decides, in all cases by the same rule. */
static bool is_determined(net *n)
{
    double *r = n->steady_r;
    uint32_t state = 1;
    memset(r, 0, n->n * sizeof *r);
    for (uint32_t j = 0; j < n->z.count; j++)
        for (int k = n->z.start[j]; k < n->z.start[j + 1]; k++)
            r[n->z.row[k]] += fabs(n->z.a[k]);
    for (uint32_t i = 0; i < n->n; i++) {
        state = state * 1664525u + 1013904223u;
        r[i] *= 0.5 + (double)(state >> 8) / 16777216.0;
    }
    ct_factor_solve(n->steady, r);
    for (uint32_t i = 0; i < n->n; i++)
        if (!(fabs(r[i]) < most_amplified))
            return false;
    return true;
}

bool ct_net_steady(net *n, double t, double *z)
{
    if (!n->steady_u) {
        n->steady_u = CT_NEW_ARRAY(n->arena, double, n->u.count + 1);
        n->steady_r = CT_NEW_ARRAY(n->arena, double, n->n + 1);
    }
    double *u = n->steady_u, *r = n->steady_r;
    ct_net_u(n, t, u);
    if (!n->steady)
        n->determined = factor_steady(n) && is_determined(n);
    if (!n->determined)
        return false;
    memset(z, 0, n->n * sizeof *z);
    for (int round = 0; round < 2; round++) { /* once more for what rounding left */
        residual(n, z, u, r);
        ct_factor_solve(n->steady, r);
        for (uint32_t i = 0; i < n->n; i++) {
            z[i] += r[i];
            if (!(fabs(z[i]) < farthest))
                return false;
        }
    }
    return true;
}
