/* judge.c - does a network determine all its variables? Asked without a run. */
#include <math.h>

#include "nodal/law.h"

typedef struct judging {
    const ct_tree *tree;
    const double *value;
    ct_lawful lawful;
    ct_arena *own;
    net *n;
    const char *why_not; /* NULL: it does */
} judging;

/* The matrix of a step at a point like any other: where laws happen to be flat, as at zero, it
 * would say nothing. One length of steps at which it is regular is enough; at others rounding may
 * hide it, as of long rows of amplifiers, or of large storage that floats. */
static bool laws_are_regular(net *n)
{
    static const double often[] = {1e6, 1e9, 1e12};
    const double somewhere = 0.1, golden = 0.6180339887498949;
    laws *w = n->laws;
    double *z = CT_NEW_ARRAY(n->arena, double, w->size + 1);
    double *base = CT_NEW_ARRAY(n->arena, double, w->charge_count + 1);
    double *residual = CT_NEW_ARRAY(n->arena, double, w->charge_count + w->size + 1);
    bool regular = false;
    for (uint32_t i = 0; i < w->size; i++)
        z[i] = somewhere * (1 + fmod(i * golden, 1));
    ct_laws_inputs(w, 0);
    ct_laws_places(w, z);
    for (uint32_t i = 0; i < sizeof often / sizeof *often && !regular; i++) {
        ct_laws_evaluate(w, often[i], base, true, true, residual);
        regular = ct_linear_factor(w->linear) == CT_SOLVED;
    }
    return regular;
}

static void judge(void *user)
{
    judging *j = user;
    outputs o = {0};
    j->n = ct_net_new(j->tree, j->value, j->lawful, j->own, &j->why_not);
    if (!j->n)
        return;
    if (!ct_net_outputs(j->n, &o))
        j->why_not = "an output reads what has no form";
    else if (!(j->n->laws ? laws_are_regular(j->n) : ct_net_is_regular(j->n)))
        j->why_not = "a matrix is singular";
}

const char *ct_nodal_judge(const ct_tree *tree, const double *value, ct_lawful lawful)
{
    ct_context *ctx = tree->graph->model->ctx;
    judging j = {.tree = tree, .value = value, .lawful = lawful, .own = ct_arena_new(ctx)};
    ct_status status = ct_protect(ctx, judge, &j);
    ct_net_release(j.n);
    ct_arena_free(j.own);
    if (status != CT_OK)
        ct_throw(ctx, status);
    return j.why_not;
}
