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

static bool hold_defined(const engine *g, const ct_expr *e, uint32_t count)
{
    search s = {.g = g};
    ct_expr_walk(g->pool, e, count, note_defined, &s);
    return s.found;
}

/* Expressions of equal value share a node, and it may hold symbols on which the value does not
 * depend. */
static bool needs_defined(const engine *g, ct_expr e)
{
    const ct_name *symbol;
    uint32_t count = ct_expr_is_number(g->pool, e) ? 0 : ct_expr_symbols(g->pool, e, &symbol);
    for (uint32_t i = 0; i < count; i++) {
        bool defined = ct_map_get(&g->is_defined, symbol[i]) != 0;
        ct_expr slope = defined ? ct_expr_diff(g->pool, e, symbol[i]) : 0;
        if (defined && (!slope || !ct_expr_is_zero(g->pool, slope)))
            return true;
    }
    return false;
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

/* Definitions that hold others get what stands for these; false: they go round in a circle. */
static bool put_into_each_other(engine *g)
{
    bool circle = false;
    if (!hold_defined(g, g->definition.at, g->definition.count))
        return true;
    for (uint32_t i = 0; i < g->definition.count; i++) {
        ct_expr *e = &g->definition.at[i];
        if (!hold_defined(g, e, 1))
            continue;
        ct_put_definitions(g, e, 1);
        circle |= needs_defined(g, *e);
    }
    return !circle;
}

bool ct_unfold(engine *g)
{
    if (!g->defined.count)
        return true;
    ct_finish_all(g, g->definition.at, g->definition.count);
    bool separate = put_into_each_other(g);
    if (!separate)
        ct_report_motion_loop(g);
    return separate && loads_are_free(g);
}

typedef struct replacing {
    const engine *g;
    CT_VEC(ct_name) from;
    CT_VEC(ct_expr) to;
} replacing;

static void note_definition(void *user, ct_expr e)
{
    replacing *r = user;
    const engine *g = r->g;
    if (ct_expr_kind_of(g->pool, e) != CT_EXPR_SYMBOL)
        return;
    ct_name name = ct_expr_name(g->pool, e);
    uint32_t known = ct_map_get(&g->is_defined, name);
    if (!known)
        return;
    CT_PUSH(g->arena, r->from, name);
    CT_PUSH(g->arena, r->to, g->definition.at[known - 1]);
}

/* Only what they hold: there are as many definitions as joints. */
void ct_put_definitions(engine *g, ct_expr *e, uint32_t count)
{
    replacing r = {.g = g};
    if (!g->defined.count || !count)
        return;
    ct_expr_walk(g->pool, e, count, note_definition, &r);
    if (r.from.count)
        ct_expr_substitute_all(g->pool, e, e, count, r.from.at, r.to.at, r.from.count);
    CT_DROP(g->arena, r.from);
    CT_DROP(g->arena, r.to);
}
