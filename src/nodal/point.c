/* point.c - the operating point of a network. */
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

static void find(void *user)
{
    point_job *j = user;
    outputs o;
    j->n = ct_net_new(j->tree, j->value, j->lawful, j->own, &j->why_not);
    net *n = j->n;
    if (!n)
        return;
    j->why_not = "an output reads what has no form";
    if (!ct_net_outputs(n, &o))
        return;
    j->why_not = "a matrix is singular";
    double *z = CT_NEW_ARRAY(j->own, double, n->n + 1);
    double *u = CT_NEW_ARRAY(j->own, double, n->u.count + 1);
    law_rest how = {.method = "nodal analysis"};
    if (n->law_count ? !ct_laws_rest(n->laws, j->t, z, &how) : !ct_net_steady(n, j->t, z))
        return;
    ct_net_u(n, j->t, u);
    j->point = ct_net_point(n, &o, j->t, z, u, j->arena);
    j->point->method = how.method;
    j->point->iterations = how.iterations;
    j->why_not = NULL;
}

const ct_point *ct_nodal_point(const ct_tree *tree, const double *value, double t, ct_lawful lawful,
                               ct_arena *arena, const char **why_not)
{
    ct_context *ctx = tree->graph->ctx;
    point_job j = {.tree = tree,
                   .value = value,
                   .t = t,
                   .lawful = lawful,
                   .arena = arena,
                   .own = ct_arena_new(ctx)};
    ct_status status = ct_protect(ctx, find, &j);
    ct_net_release(j.n);
    ct_arena_free(j.own);
    if (status != CT_OK)
        ct_throw(ctx, status);
    *why_not = j.why_not;
    return j.point;
}
