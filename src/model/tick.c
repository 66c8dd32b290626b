/* tick.c - the time of a tick: what `t` is where a clock assigns values.
 *
 * Where something jumps, variables and signals are read just after it, so that time in them is a
 * hair later than the tick. `t` in `every` is the tick itself, offset + k*period, the number that
 * code in C is given; so is `t` in a signal that is read there, but for conditions of the signal:
 * on which side of them the tick lies must not hang on how its time is rounded. Derivatives and
 * integrals are of time that goes on.
 */
#include "model/build.h"

ct_name ct_tick_symbol(ct_context *ctx)
{
    return ct_intern_text(ctx, "tick(t)");
}

/* What jumps with time, and what looks at how time goes on. */
static bool keeps_time(const ct_pool *pool, ct_expr e)
{
    if (ct_expr_kind_of(pool, e) != CT_EXPR_CALL)
        return false;
    ct_op op = ct_expr_op(pool, e);
    return op == CT_OP_SIGN || op == CT_OP_FLOOR || op == CT_OP_MOD || op == CT_OP_STEP ||
           op == CT_OP_PULSE || op == CT_OP_DER || op == CT_OP_INTEGRAL ||
           (op >= CT_OP_LESS && op <= CT_OP_NOT);
}

/* Puts operands that are new on the stack; false: there are none. */
static bool push_operands(builder *b, ct_expr e)
{
    uint32_t before = b->ticking.count;
    for (uint32_t i = 0; i < ct_expr_arity(b->pool, e); i++) {
        ct_expr x = ct_expr_operand(b->pool, e, i);
        if (!ct_map_get(&b->ticked, x))
            CT_PUSH(b->scratch, b->ticking, x);
    }
    return b->ticking.count > before;
}

static ct_expr rebuilt(builder *b, ct_expr e)
{
    uint32_t arity = ct_expr_arity(b->pool, e);
    ct_expr few[8], *x = arity <= 8 ? few : CT_NEW_ARRAY(b->scratch, ct_expr, arity);
    bool changed = false;
    for (uint32_t i = 0; i < arity; i++) {
        x[i] = ct_map_get(&b->ticked, ct_expr_operand(b->pool, e, i));
        changed |= x[i] != ct_expr_operand(b->pool, e, i);
    }
    return changed ? ct_expr_rebuild(b->pool, e, x) : e;
}

ct_expr ct_at_tick(builder *b, ct_expr e)
{
    if (!e || !ct_expr_has(b->pool, e, b->name_t))
        return e;
    ct_map_put(&b->ticked, ct_expr_symbol(b->pool, b->name_t),
               ct_expr_symbol(b->pool, ct_tick_symbol(b->ctx)));
    CT_PUSH(b->scratch, b->ticking, e);
    while (b->ticking.count) {
        ct_expr top = b->ticking.at[b->ticking.count - 1];
        if (!ct_map_get(&b->ticked, top) && !keeps_time(b->pool, top) && push_operands(b, top))
            continue;
        b->ticking.count--;
        if (!ct_map_get(&b->ticked, top))
            ct_map_put(&b->ticked, top, keeps_time(b->pool, top) ? top : rebuilt(b, top));
    }
    return ct_map_get(&b->ticked, e);
}

ct_expr ct_off_tick(builder *b, ct_expr e)
{
    ct_name tick = ct_tick_symbol(b->ctx);
    ct_expr t = ct_expr_symbol(b->pool, b->name_t);
    return ct_expr_substitute(b->pool, e, &tick, &t, 1);
}

static cell at_tick(builder *b, cell c)
{
    return (cell){ct_at_tick(b, c.expr), c.dim};
}

shaped ct_shaped_at_tick(builder *b, shaped v)
{
    return ct_is_broken(v) || v.word ? v : ct_matrix_map(b, v, at_tick);
}
