/* unfold.c - symbols that stand for long expressions, replaced by these at the end. */
#include "reduce/engine.h"

typedef struct search {
    const engine *g;
    bool found;
} search;

static void note_defined(void *user, ct_expr e)
{
    search *s = user;
    const engine *g = s->g;
    if (ct_expr_kind_of(g->pool, e) == CT_EXPR_SYMBOL)
        s->found |= ct_map_get(&g->is_defined, ct_expr_name(g->pool, e)) != 0;
}

/* Loads that prescribe what is tied already, by a loop or by each other: only what stands for the
 * symbols shows that a determinant is zero in every position. */
static bool loads_are_free(engine *g)
{
    for (uint32_t i = 0; i < g->determinant.count; i++) {
        const block_divisor *d = &g->determinant.at[i];
        ct_expr value = d->value;
        ct_finish_all(g, &value, 1);
        ct_put_definitions(g, &value, 1);
        if (value && !ct_expr_is_zero(g->pool, value))
            continue;
        ct_report_prescribed(g, d->unknown, d->count);
        return false;
    }
    return true;
}

bool ct_unfold(engine *g)
{
    search s = {.g = g};
    if (!g->defined.count)
        return true;
    ct_finish_all(g, g->definition.at, g->definition.count);
    ct_expr_walk(g->pool, g->definition.at, g->definition.count, note_defined, &s);
    if (s.found)
        ct_report_motion_loop(g);
    return !s.found && loads_are_free(g);
}

void ct_put_definitions(engine *g, ct_expr *e, uint32_t count)
{
    if (g->defined.count && count)
        ct_expr_substitute_all(g->pool, e, e, count, g->defined.at, g->definition.at,
                               g->defined.count);
}
