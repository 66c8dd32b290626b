/* invert.c - rows that hold one plain unknown inside of functions that have an inverse everywhere.
 *
 * (u - x) - K sinh(k asinh(q/q0)) = 0 gives q = q0 sinh(asinh((u - x)/K)/k): no Newton iteration in
 * the run, and no slope that nearly vanishes where the flow turns round.
 */
#include "reduce/engine.h"

typedef struct peeling {
    engine *g;
    ct_name unknown, hole;
    ct_expr inner, value;          /* inner = value; only inner holds the unknown */
    CT_VEC(ct_expr) divisor, part; /* parameters that were divided by */
} peeling;

/* The only operand that holds the unknown; NONE: there are several. */
static uint32_t only_operand(const peeling *p)
{
    ct_pool *pool = p->g->pool;
    uint32_t found = NONE;
    for (uint32_t i = 0; i < ct_expr_arity(pool, p->inner); i++) {
        if (!ct_expr_has(pool, ct_expr_operand(pool, p->inner, i), p->unknown))
            continue;
        if (found != NONE)
            return NONE;
        found = i;
    }
    return found;
}

static bool is_safe(engine *g, ct_expr factor)
{
    int risk = ct_factor_risk(g, factor);
    return risk == 0 || (risk == 1 && !ct_factor_vanishes(g, factor));
}

/* Of a sum or product: factor * operand + rest = value. */
static bool peel_linear(peeling *p, uint32_t at)
{
    engine *g = p->g;
    ct_expr operand = ct_expr_operand(g->pool, p->inner, at), factor, rest;
    p->part.count = 0;
    for (uint32_t i = 0; i < ct_expr_arity(g->pool, p->inner); i++)
        CT_PUSH(g->scratch, p->part,
                i == at ? ct_expr_symbol(g->pool, p->hole) : ct_expr_operand(g->pool, p->inner, i));
    ct_expr open = ct_expr_rebuild(g->pool, p->inner, p->part.at);
    if (!open || !ct_expr_linear(g->pool, open, &p->hole, 1, &factor, &rest) || !is_safe(g, factor))
        return false;
    if (!ct_expr_is_number(g->pool, factor))
        CT_PUSH(g->scratch, p->divisor, factor);
    p->value = ct_expr_div(g->pool, ct_expr_sub(g->pool, p->value, rest), factor);
    p->inner = operand;
    return true;
}

/* Functions that map all numbers onto all numbers, one to one. */
static const struct {
    ct_op op, inverse;
} inverses[] = {{CT_OP_SINH, CT_OP_ASINH}, {CT_OP_ASINH, CT_OP_SINH}};

static bool peel_call(peeling *p)
{
    ct_pool *pool = p->g->pool;
    for (size_t i = 0; i < sizeof inverses / sizeof *inverses; i++) {
        if (ct_expr_op(pool, p->inner) != inverses[i].op)
            continue;
        p->value = ct_expr_call1(pool, inverses[i].inverse, p->value);
        p->inner = ct_expr_operand(pool, p->inner, 0);
        return true;
    }
    return false;
}

static bool peel(peeling *p)
{
    ct_expr_kind kind = ct_expr_kind_of(p->g->pool, p->inner);
    uint32_t at = only_operand(p);
    if (at == NONE)
        return false;
    return kind == CT_EXPR_CALL ? peel_call(p) : peel_linear(p, at);
}

/* The plain unknown of a row that has no other; 0: it has none, or several. */
static uint32_t only_plain(const engine *g, const row *r)
{
    uint32_t found = 0;
    if (!r->live || r->hidden || r->rates || !r->plains || !r->nonlinear.count)
        return 0;
    for (uint32_t i = 0; i < r->term_count; i++)
        if (g->col[r->term[i].unknown].kind == COLUMN_PLAIN)
            return 0;
    for (uint32_t i = 0; i < r->nonlinear.count; i++) {
        uint32_t u = r->nonlinear.at[i];
        if (g->col[u].kind == COLUMN_PLAIN && found)
            return 0;
        found = g->col[u].kind == COLUMN_PLAIN ? u : found;
    }
    return found && g->col[found].fate == FATE_OPEN ? found : 0;
}

static bool invert(engine *g, uint32_t index, uint32_t u)
{
    ct_expr symbol = ct_engine_symbol(g, u);
    peeling p = {.g = g,
                 .unknown = g->s->unknown[u].name,
                 .hole = ct_intern_text(g->s->model->ctx, "(inner)"),
                 .inner = ct_row_expr(g, &g->row.at[index]),
                 .value = g->zero};
    while (p.inner != symbol)
        if (!peel(&p))
            return false;
    for (uint32_t i = 0; i < p.divisor.count; i++)
        CT_PUSH(g->arena, g->divisor, p.divisor.at[i]);
    ct_term term = {u, g->one};
    uint32_t fresh = ct_replace_row(g, index, &term, 1, ct_expr_neg(g->pool, p.value));
    ct_eliminate(g, u, fresh);
    return true;
}

bool ct_invert_rows(engine *g)
{
    bool changed = false;
    uint32_t count = g->row.count;
    for (uint32_t i = 0; i < count && !g->failed; i++) {
        uint32_t u = only_plain(g, &g->row.at[i]);
        changed |= u && invert(g, i, u);
    }
    return changed;
}
