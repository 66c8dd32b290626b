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
        s->found |= ct_map_get(g->s->definition_by_name, ct_expr_name(g->pool, e)) != 0;
}

bool ct_unfold(engine *g)
{
    uint32_t count = g->s->definition_count;
    search s = {.g = g};
    if (!count)
        return true;
    g->defined = CT_NEW_ARRAY(g->arena, ct_name, count);
    g->definition = CT_NEW_ARRAY(g->arena, ct_expr, count);
    for (uint32_t i = 0; i < count; i++) {
        g->defined[i] = g->s->definition[i].name;
        g->definition[i] = g->s->definition[i].expr;
    }
    ct_finish_all(g, g->definition, count);
    ct_expr_walk(g->pool, g->definition, count, note_defined, &s);
    return !s.found;
}

void ct_put_definitions(engine *g, ct_expr *e, uint32_t count)
{
    if (g->s->definition_count && count)
        ct_expr_substitute_all(g->pool, e, e, count, g->defined, g->definition,
                               g->s->definition_count);
}
