/* held.c - models between ticks: their trees, and what is told of them; see sampled.h. */
#include "model/held.h"

#include <math.h>

#include "study/sampled.h"

static bool assigns(const ct_happening *h)
{
    for (uint32_t k = 0; k < h->assigned_count; k++)
        if (h->assigned[k].target)
            return true;
    return false;
}

void ct_warn_held(const ct_model *m)
{
    enum { MOST_TOLD = 4 };
    ct_report *r = NULL;
    uint32_t told = 0;
    for (uint32_t i = 0; i < m->happening_count; i++) {
        const ct_happening *h = &m->happening[i];
        if (h->clock || !assigns(h))
            continue;
        if (!r)
            r = ct_warning(m->ctx, "W580", h->place, "the linear model leaves out `%s`", h->label);
        else if (told++ < MOST_TOLD)
            ct_note(r, "`%s`, too", h->label);
        ct_witness(r, h->label);
    }
    if (r)
        ct_note(r, "it holds as long as no such event happens: what they assign keeps its value");
}

const ct_tree *ct_held_tree(const ct_tree *tree, const double *value)
{
    ct_arena *arena = ct_arena_new(tree->graph->ctx);
    ct_graph *graph = CT_NEW(arena, ct_graph);
    ct_tree *own = CT_NEW(arena, ct_tree);
    *graph = *tree->graph;
    graph->model = ct_model_held(tree->graph->model, value);
    *own = *tree;
    own->graph = graph;
    return own;
}

/* What a clock would assign, and what is there. */
static bool changes(const ct_statespace *plant, ct_expr target, double next, double *now)
{
    const double same = 1e-6;
    const ct_model *held = plant->reduced->system->model;
    uint32_t q = ct_map_get(held->quantity_by_name, ct_expr_name(held->pool, target));
    *now = q ? held->quantity_value[q - 1] : next;
    return fabs(next - *now) > same * fmax(fabs(next), fabs(*now));
}

void ct_warn_restless(const ct_statespace *plant, const ct_model *m)
{
    const double *value = plant->point->y + m->output_count;
    double now;
    for (uint32_t i = 0; i < m->happening_count; i++) {
        const ct_happening *h = &m->happening[i];
        for (uint32_t k = 0; h->clock && k < h->assigned_count; k++) {
            const ct_assignment *a = &h->assigned[k];
            double next = a->target ? *value++ : 0;
            if (!a->target || !changes(plant, a->target, next, &now))
                continue;
            const char *name = ct_name_text(m->ctx, ct_expr_name(m->pool, a->target));
            ct_report *r = ct_warning(m->ctx, "W581", a->place,
                                      "the sampled loop does not rest at this point: `%s` would "
                                      "become %.6g, and is %.6g",
                                      name, next, now);
            ct_note(r, "the model is not linear, so that its linear model depends on the point");
            ct_help(r,
                    "take the end of a run with `--at t=..`, or give `%s` the start that it has "
                    "at rest",
                    name);
            ct_witness(r, name);
            return;
        }
    }
}
