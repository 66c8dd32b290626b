/* point.c - the operating point of a network. */
#include <math.h>
#include <string.h>

#include "nodal/law.h"

typedef struct point_job {
    const ct_tree *tree;
    const double *value;
    double t;
    ct_lawful lawful;
    ct_arena *arena, *own;
    net *n;
    ct_point *point;
    const char *why_not;
    const ct_name *symbol; /* whose values are asked for */
    uint32_t count;
    double *out;
} point_job;

static const char **output_names(const net *n, const outputs *o, ct_arena *arena)
{
    const char **name = CT_NEW_ARRAY(arena, const char *, o->output_count + 1);
    for (uint32_t i = 0; i < o->output_count; i++)
        name[i] = n->model->output_count ? n->model->output[i].name : ct_net_state_name(n, i);
    return name;
}

static void list_states(net *n, const double *z, const double *u, ct_point *p, ct_arena *arena)
{
    uint32_t count = n->state.count;
    const char **name = CT_NEW_ARRAY(arena, const char *, count + 1);
    const char **position = CT_NEW_ARRAY(arena, const char *, count + 1);
    double *x = CT_NEW_ARRAY(arena, double, count + 1);
    ct_net_states(n, z, u, x);
    for (uint32_t i = 0; i < count; i++) {
        name[i] = ct_net_state_name(n, i);
        x[i] = ct_net_shown(n, i, x[i]);
        if (n->state.at[i].kind == STATE_SPRING || n->state.at[i].kind == STATE_PLACE)
            position[p->coordinate_count++] = name[i];
    }
    p->state = name;
    p->state_count = count;
    p->coordinate = position;
    p->x = x;
    p->rate = CT_NEW_ARRAY(arena, double, count + 1);
}

ct_point *ct_net_point(net *n, const outputs *o, double t, const double *z, const double *u,
                       ct_arena *arena)
{
    ct_point *p = CT_NEW(arena, ct_point);
    double *y = CT_NEW_ARRAY(arena, double, o->column_count + 1);
    double *rest = CT_NEW_ARRAY(n->arena, double, n->state.count + 1);
    *p = (ct_point){.time = t, .y = y};
    ct_outputs_at(o, t, z, u, rest, y);
    list_states(n, z, u, p, arena);
    p->output = output_names(n, o, arena);
    p->output_count = o->output_count;
    p->algebraic = p->output; /* none */
    p->w = y;
    return p;
}

/* z and u at rest. */
static bool settle(point_job *j, law_rest *how, double **z, double **u)
{
    net *n = j->n;
    *z = CT_NEW_ARRAY(j->own, double, n->n + 1);
    *u = CT_NEW_ARRAY(j->own, double, n->u.count + 1);
    ct_net_u(n, j->t, *u);
    return n->law_count ? ct_laws_rest(n->laws, j->t, *z, how) : ct_net_steady(n, j->t, *z);
}

static void find(void *user)
{
    point_job *j = user;
    outputs o;
    double *z, *u;
    j->n = ct_net_new(j->tree, j->value, j->lawful, j->own, &j->why_not);
    net *n = j->n;
    if (!n)
        return;
    j->why_not = "an output reads what has no form";
    if (!ct_net_outputs(n, &o))
        return;
    j->why_not = "a matrix is singular";
    law_rest how = {.method = "nodal analysis"};
    if (!settle(j, &how, &z, &u))
        return;
    j->point = ct_net_point(n, &o, j->t, z, u, j->arena);
    j->point->method = how.method;
    j->point->iterations = how.iterations;
    j->why_not = NULL;
}

/* Through variables only of what stores: others are what laws make of it. */
static bool is_told(const net *n, ct_name symbol)
{
    return ct_net_through_of(n, symbol) == UINT32_MAX || ct_net_state(n, symbol) != UINT32_MAX;
}

static void find_values(void *user)
{
    point_job *j = user;
    double *z, *u;
    law_rest how = {0};
    j->n = ct_net_new(j->tree, j->value, j->lawful, j->own, &j->why_not);
    if (!j->n)
        return;
    j->why_not = "a matrix is singular";
    if (!settle(j, &how, &z, &u))
        return;
    double *still = CT_NEW_ARRAY(j->own, double, j->n->state.count + 1);
    for (uint32_t i = 0; i < j->count; i++) {
        form f = {0};
        bool told = is_told(j->n, j->symbol[i]) && ct_net_form(j->n, j->symbol[i], &f);
        j->out[i] = told ? ct_form_value(&f, z, u, still) : NAN;
    }
    j->why_not = NULL;
}

static void do_job(point_job *j, void (*task)(void *user))
{
    ct_context *ctx = j->tree->graph->ctx;
    j->own = ct_arena_new(ctx);
    ct_status status = ct_protect(ctx, task, j);
    ct_net_release(j->n);
    ct_arena_free(j->own);
    if (status != CT_OK)
        ct_throw(ctx, status);
}

const ct_point *ct_nodal_point(const ct_tree *tree, const double *value, double t, ct_lawful lawful,
                               ct_arena *arena, const char **why_not)
{
    point_job j = {.tree = tree, .value = value, .t = t, .lawful = lawful, .arena = arena};
    do_job(&j, find);
    *why_not = j.why_not;
    return j.point;
}

bool ct_nodal_rest(const ct_tree *tree, const double *value, double t, const ct_name *symbol,
                   uint32_t count, double *out)
{
    point_job j = {.tree = tree,
                   .value = value,
                   .t = t,
                   .lawful = CT_LAWFUL_ALL,
                   .symbol = symbol,
                   .count = count,
                   .out = out};
    do_job(&j, find_values);
    return !j.why_not;
}
