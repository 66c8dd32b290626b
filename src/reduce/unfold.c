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

bool ct_unfold(engine *g)
{
    search s = {.g = g};
    if (!g->defined.count)
        return true;
    ct_finish_all(g, g->definition.at, g->definition.count);
    ct_expr_walk(g->pool, g->definition.at, g->definition.count, note_defined, &s);
    return !s.found;
}

void ct_put_definitions(engine *g, ct_expr *e, uint32_t count)
{
    if (g->defined.count && count)
        ct_expr_substitute_all(g->pool, e, e, count, g->defined.at, g->definition.at,
                               g->defined.count);
}
