/* unused.c - systems that nothing uses are checked where they stand, like elements.
 *
 * When the model is complete, one instance of each is made behind it, resolved for the sake of its
 * errors, and cut off again.
 */
#include <string.h>

#include "model/mech.h"

/* How far the lists of a builder go. */
typedef struct extent {
    uint32_t component, terminal_node, param_value, node, pending, state, deferred, instance;
    uint32_t output, start, wish, curve, figures, datum[8];
    ct_run_settings run;
    bool equilibrium;
    mech_extent mech;
} extent;

static extent extent_of(const builder *b)
{
    extent e = {
        .component = b->component.count,
        .terminal_node = b->terminal_node.count,
        .param_value = b->param_value.count,
        .node = b->node.count,
        .pending = b->pending.count,
        .state = b->component_state.count,
        .deferred = b->deferred.count,
        .instance = b->instance.count,
        .output = b->output.count,
        .start = b->start.count,
        .wish = b->wish.count,
        .curve = b->curve.count,
        .figures = b->figures,
        .run = b->model->run,
        .equilibrium = b->model->initial_equilibrium,
        .mech = ct_mech_extent(b),
    };
    memcpy(e.datum, b->datum, sizeof e.datum);
    return e;
}

static void cut_back(builder *b, const extent *e)
{
    b->component.count = e->component;
    b->terminal_node.count = e->terminal_node;
    b->param_value.count = e->param_value;
    b->node.count = e->node;
    b->pending.count = e->pending;
    b->component_state.count = b->component_flag.count = e->state;
    b->deferred.count = e->deferred;
    b->instance.count = e->instance;
    b->output.count = b->output_scope.count = e->output;
    b->start.count = e->start;
    b->wish.count = e->wish;
    b->curve.count = e->curve;
    b->figures = e->figures;
    b->model->run = e->run;
    b->model->initial_equilibrium = e->equilibrium;
    memcpy(b->datum, e->datum, sizeof e->datum);
    ct_mech_cut(b, &e->mech);
    ct_current(b);
}

void ct_check_unused_systems(builder *b)
{
    ct_symbols *own = b->model->symbols;
    for (uint32_t i = 0; i < b->definition.count; i++) {
        definition *d = b->definition.at[i];
        if (d->library || d->used || ct_at(d->s, d->node)->kind != CT_NODE_SYSTEM)
            continue;
        if (b->model->symbols == own) /* names of what is cut off may come again */
            b->model->symbols = ct_symbols_new(b->ctx, b->scratch);
        extent before = extent_of(b);
        uint32_t entries = b->entry.count;
        b->deferred.count = 0; /* of the model: all done */
        ct_try_system(b, d);
        ct_compose_deferred(b);
        ct_resolve_entries(b, entries);
        ct_resolve_components(b, before.component);
        ct_resolve_mech(b, &before.mech);
        ct_resolve_instances(b, before.instance);
        cut_back(b, &before);
    }
    b->model->symbols = own;
}
