/* accelerations.c - the equations of motion, added when it is known which loads depend on them.
 *
 * Elimination does not look into accelerations: rows hold a symbol for each. But loads may depend
 * on accelerations themselves: an inertia on a shaft that a joint turns, a gear between joints, an
 * ideal source that prescribes the speed of a joint through a motor. These are the loads that the
 * rows without rates leave open, and the rows of motion show them,
 *
 *     u' = a0 + sum of Y_k * load_k,
 *
 * a being linear in loads.
 */
#include "reduce/engine.h"

typedef enum answer { NOT_ASKED, SETTLED, WAITING } answer;

typedef struct joining {
    engine *g;
    unsigned char *answer; /* per unknown */
    uint32_t waiting;      /* so many loads wait for accelerations */
    CT_VEC(uint32_t) asked;
    CT_VEC(ct_name) load; /* of one acceleration: those that wait for it */
    CT_VEC(ct_expr) slope, zero;
    CT_VEC(ct_term) terms;
} joining;

void ct_define(engine *g, ct_name name, ct_expr expr)
{
    CT_PUSH(g->arena, g->defined, name);
    CT_PUSH(g->arena, g->definition, expr);
    ct_map_put(&g->is_defined, name, g->defined.count);
}

static bool is_open(const engine *g, uint32_t u)
{
    const ct_unknown_row *unknown = g->s->unknown;
    if (g->col[u].kind == COLUMN_RATE)
        return !unknown[unknown[u].owner].coordinate;
    return g->col[u].kind == COLUMN_PLAIN && g->col[u].loose;
}

/* Does what the network says of an unknown hold anything that is open? */
static bool waits(joining *j, uint32_t u)
{
    engine *g = j->g;
    if (j->answer[u] != NOT_ASKED)
        return j->answer[u] == WAITING;
    ct_term self = {u, g->one};
    uint32_t index = ct_add_engine_row(g, &self, 1, g->zero, NONE);
    ct_catch_up(g, index);
    const row *r = &g->row.at[index];
    bool open = false;
    for (uint32_t i = 0; i < r->term_count; i++)
        open |= is_open(g, r->term[i].unknown);
    for (uint32_t i = 0; i < r->nonlinear.count; i++)
        open |= is_open(g, r->nonlinear.at[i]);
    ct_drop_row(g, index);
    j->answer[u] = open ? WAITING : SETTLED;
    return open;
}

/* Of one acceleration: which of those that wait it holds. */
static void find_loads(joining *j, ct_expr a)
{
    engine *g = j->g;
    const ct_name *symbol;
    uint32_t count = j->waiting ? ct_expr_symbols(g->pool, a, &symbol) : 0;
    j->load.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t u = ct_index_get(g->s->unknown_by_name, symbol[i]);
        if (u && j->answer[u] == WAITING)
            CT_PUSH(g->scratch, j->load, symbol[i]);
    }
}

/* False: the acceleration is not linear in them, because a load is a function of something open. */
static bool find_slopes(joining *j, ct_expr a)
{
    engine *g = j->g;
    j->slope.count = j->zero.count = 0;
    for (uint32_t i = 0; i < j->load.count; i++) {
        ct_expr slope = ct_expr_diff(g->pool, a, j->load.at[i]);
        for (uint32_t k = 0; slope && k < j->load.count; k++)
            slope = ct_expr_has(g->pool, slope, j->load.at[k]) ? 0 : slope;
        if (!slope)
            return false;
        CT_PUSH(g->scratch, j->slope, slope);
        CT_PUSH(g->scratch, j->zero, g->zero);
    }
    return true;
}

static ct_expr defined(engine *g, const char *what, ct_name of, ct_name by, ct_expr expr)
{
    ct_context *ctx = g->s->model->ctx;
    if (ct_expr_is_number(g->pool, expr))
        return expr;
    const char *text =
        by ? ct_printf(ctx, "%s(%s, %s)", what, ct_name_text(ctx, of), ct_name_text(ctx, by))
           : ct_printf(ctx, "%s(%s)", what, ct_name_text(ctx, of));
    ct_name name = ct_intern_text(ctx, text);
    ct_define(g, name, expr);
    return ct_expr_symbol(g->pool, name);
}

static void add_row(joining *j, const ct_definition_row *d)
{
    engine *g = j->g;
    const ct_row *source = &g->s->row[d->row];
    ct_name u = g->s->unknown[source->origin_index].name;
    ct_expr a = d->expr;
    j->terms.count = 0;
    CT_PUSH(g->scratch, j->terms, (ct_term){g->s->unknown[source->origin_index].rate, g->one});
    find_loads(j, a);
    bool linear = find_slopes(j, a);
    for (uint32_t i = 0; linear && i < j->load.count; i++) {
        ct_expr factor = defined(g, "compliance", u, j->load.at[i], j->slope.at[i]);
        uint32_t load = ct_index_get(g->s->unknown_by_name, j->load.at[i]);
        CT_PUSH(g->scratch, j->terms, (ct_term){load, ct_expr_neg(g->pool, factor)});
    }
    if (linear && j->load.count)
        a = ct_expr_substitute(g->pool, a, j->load.at, j->zero.at, j->load.count);
    if (linear)
        a = defined(g, "acceleration", u, 0, a);
    ct_catch_up(g,
                ct_add_engine_row(g, j->terms.at, j->terms.count, ct_expr_neg(g->pool, a), d->row));
}

static void note_load(void *user, ct_expr e)
{
    joining *j = user;
    engine *g = j->g;
    if (ct_expr_kind_of(g->pool, e) != CT_EXPR_SYMBOL)
        return;
    uint32_t u = ct_index_get(g->s->unknown_by_name, ct_expr_name(g->pool, e));
    if (u && g->col[u].kind == COLUMN_PLAIN)
        CT_PUSH(g->scratch, j->asked, u);
}

static bool may_wait(const engine *g)
{
    for (uint32_t u = 1; u < g->s->unknown_count; u++)
        if (g->col[u].kind == COLUMN_PLAIN)
            return true;
    return false;
}

/* All accelerations share most of their nodes: one walk over all of them. */
static void ask_loads(joining *j)
{
    engine *g = j->g;
    if (!may_wait(g))
        return;
    ct_expr *all = CT_NEW_ARRAY(g->scratch, ct_expr, g->s->definition_count + 1);
    for (uint32_t i = 0; i < g->s->definition_count; i++)
        all[i] = g->s->definition[i].expr;
    ct_expr_walk(g->pool, all, g->s->definition_count, note_load, j);
    for (uint32_t i = 0; i < j->asked.count; i++)
        j->waiting += waits(j, j->asked.at[i]);
}

void ct_add_accelerations(engine *g)
{
    joining j = {.g = g, .answer = ct_arena_alloc(g->scratch, g->s->unknown_count)};
    ask_loads(&j);
    for (uint32_t i = 0; i < g->s->definition_count && !g->failed; i++)
        add_row(&j, &g->s->definition[i]);
}
