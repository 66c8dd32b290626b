/* written.c - values that are computed step by step as they are written.
 *
 * Sums and products are collected and sorted as they are made, which is right and short, but rounds
 * otherwise than the text does. A controller that is written down at a clock shall give the bits
 * that the same steps give in C. So each step of its values is kept apart, by an operator that
 * nothing looks through but the program that is made of it.
 */
#include "model/build.h"

static bool is_kept(const ct_pool *pool, ct_expr e)
{
    return ct_expr_is_number(pool, e) ||
           (ct_expr_kind_of(pool, e) == CT_EXPR_CALL && ct_expr_op(pool, e) == CT_OP_WRITTEN);
}

ct_expr ct_as_written(builder *b, ct_expr e)
{
    return !b->written || !e || is_kept(b->pool, e) ? e : ct_expr_call1(b->pool, CT_OP_WRITTEN, e);
}

static bool numbers(const builder *b, ct_expr x, ct_expr y)
{
    return ct_expr_is_number(b->pool, x) && ct_expr_is_number(b->pool, y);
}

ct_expr ct_written_sum(builder *b, ct_expr x, ct_expr y)
{
    if (numbers(b, x, y))
        return ct_expr_real(b->pool, ct_expr_to_double(b->pool, x) + ct_expr_to_double(b->pool, y));
    return ct_as_written(b, ct_expr_add(b->pool, x, y));
}

/* A division stays one: x/10 is not x times the rounded tenth. */
ct_expr ct_written_product(builder *b, ct_expr x, ct_expr y, bool divides)
{
    if (numbers(b, x, y) && !(divides && ct_expr_is_zero(b->pool, y))) {
        double u = ct_expr_to_double(b->pool, x), v = ct_expr_to_double(b->pool, y);
        return ct_expr_real(b->pool, divides ? u / v : u * v);
    }
    if (!divides)
        return ct_as_written(b, ct_expr_mul(b->pool, x, y));
    if (ct_expr_is_zero(b->pool, y))
        return 0;
    return ct_as_written(b, ct_expr_call2(b->pool, CT_OP_OVER, x, y));
}

typedef struct rates {
    const ct_pool *pool;
    bool found;
} rates;

static void look_for_rate(void *user, ct_expr e)
{
    rates *r = user;
    if (ct_expr_kind_of(r->pool, e) != CT_EXPR_CALL)
        return;
    ct_op op = ct_expr_op(r->pool, e);
    r->found |= op == CT_OP_DER || op == CT_OP_INTEGRAL;
}

/* Derivatives and integrals are of expressions that are looked through. */
static bool is_present(builder *b, shaped v)
{
    rates r = {.pool = b->pool};
    for (uint32_t i = 0; i < v.rows * v.cols; i++)
        ct_expr_walk(b->pool, &v.cell[i].expr, 1, look_for_rate, &r);
    return !r.found;
}

shaped ct_lower_written(builder *b, const where *w, ct_node n)
{
    uint32_t reports = ct_reports_so_far(b->ctx);
    bool before = b->written;
    b->written = true;
    shaped v = ct_lower(b, w, n);
    b->written = before;
    if (w->at_tick && !ct_is_broken(v) && !v.word && !is_present(b, v))
        v = ct_lower(b, w, n);
    if (!ct_is_broken(v) && !v.word && (w->at_tick || is_present(b, v)))
        return v;
    ct_forget_reports_since(b->ctx, reports);
    return ct_broken_value();
}

void ct_keep_input_written(builder *b, const where *w, const ct_element *e, ct_node n,
                           uint32_t slot)
{
    shaped v = e->happening_count ? ct_lower_written(b, w, n) : ct_broken_value();
    if (!ct_is_broken(v))
        ct_map_put(&b->written_inputs, slot + 1, v.cell->expr);
}
