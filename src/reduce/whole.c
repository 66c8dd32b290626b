/* whole.c - the equations as they were before anything was divided: numbers are eliminated with
 * pivots of their own, which expressions cannot choose.
 *
 * Each row of the elimination stands for one of the system, or for the derivative of a constraint.
 * Those that are neither pivots nor left in the end said nothing, or hold as invariants. */
#include <string.h>

#include "reduce/engine.h"

uint32_t ct_add_derived_row(engine *g, const ct_term *terms, uint32_t count, ct_expr rest,
                            const row *from)
{
    uint32_t parent = ct_row_parent(from);
    if (g->derivation) {
        ct_expr made = ct_sum_of_terms(g, terms, count, rest);
        CT_PUSH(g->arena, g->derived, made);
    }
    uint32_t fresh = ct_add_engine_row(g, terms, count, rest, NONE);
    g->row.at[fresh].parent = parent;
    g->row.at[fresh].whole = g->s->row_count + g->derived.count;
    return fresh;
}

uint32_t ct_replace_row(engine *g, uint32_t index, const ct_term *terms, uint32_t count,
                        ct_expr rest)
{
    uint32_t source = g->row.at[index].source, whole = g->row.at[index].whole;
    ct_drop_row(g, index);
    uint32_t fresh = ct_add_engine_row(g, terms, count, rest, source);
    g->row.at[fresh].whole = whole;
    return fresh;
}

/* Which undivided rows the elimination has used, or left. */
static bool *find_used(const engine *g, ct_arena *arena)
{
    bool *used = CT_NEW_ARRAY(arena, bool, g->s->row_count + g->derived.count + 2);
    for (uint32_t i = 0; i < g->row.count; i++)
        if (g->row.at[i].live)
            used[g->row.at[i].whole] = true;
    for (uint32_t u = 1; u < g->s->unknown_count; u++)
        if (g->pivot_row[u] != NONE)
            used[g->row.at[g->pivot_row[u]].whole] = true;
    return used;
}

static ct_expr system_row(engine *g, const ct_row *r)
{
    return ct_sum_of_terms(g, g->s->term + r->first, r->count, r->rest);
}

/* u' = a: what stands for the symbol of an acceleration is over unknowns, too. */
static ct_expr motion_row(engine *g, const ct_definition_row *d)
{
    uint32_t u = g->s->row[d->row].origin_index;
    return ct_expr_sub(g->pool, ct_engine_symbol(g, g->s->unknown[u].rate), d->expr);
}

const ct_expr *ct_reduced_whole(const ct_reduced *r, ct_arena *arena, uint32_t *count)
{
    engine *g = r->maker;
    if (!g || !g->derivation)
        return NULL;
    const ct_system *s = g->s;
    const bool *used = find_used(g, arena);
    ct_expr *list = CT_NEW_ARRAY(arena, ct_expr, s->row_count + g->derived.count + 1);
    *count = 0;
    for (uint32_t i = 0, k = 0; i < s->row_count; i++) {
        bool motion = k < s->definition_count && s->definition[k].row == i;
        if (used[i + 1])
            list[(*count)++] =
                motion ? motion_row(g, &s->definition[k]) : system_row(g, &s->row[i]);
        k += motion;
    }
    for (uint32_t i = 0; i < g->derived.count; i++)
        if (used[s->row_count + i + 1])
            list[(*count)++] = g->derived.at[i];
    ct_put_definitions(g, list, *count);
    ct_drop_marks(g, list, *count);
    return list;
}

const ct_expr *ct_reduced_values(const ct_reduced *r, ct_arena *arena)
{
    uint32_t count = r->system->unknown_count;
    ct_expr *value = CT_NEW_ARRAY(arena, ct_expr, count + 1);
    memcpy(value, r->value, count * sizeof *value);
    ct_put_definitions(r->maker, value, count);
    return value;
}

ct_expr ct_reduced_open(const ct_reduced *r, ct_expr e, ct_place place)
{
    ct_expr open = ct_system_express(r->system, e, place);
    if (open)
        ct_put_definitions(r->maker, &open, 1);
    return r->maker->failed ? 0 : open;
}
