/* algebra.c - arithmetic for mechanisms: results stay whole in the fast form, so that what was
 * computed once is used as it is; for print they are collected as usual. */
#include "mechanics/inside.h"

static ct_expr kept(mechanics *m, ct_expr e)
{
    return m->hold ? ct_expr_hold(m->pool, e) : e;
}

ct_expr ct_mx_add(mechanics *m, ct_expr a, ct_expr b)
{
    if (ct_mx_is_zero(m, a) || ct_mx_is_zero(m, b))
        return ct_mx_is_zero(m, a) ? b : a;
    return kept(m, ct_expr_add(m->pool, a, b));
}

ct_expr ct_mx_sub(mechanics *m, ct_expr a, ct_expr b)
{
    if (ct_mx_is_zero(m, b))
        return a;
    return ct_mx_is_zero(m, a) ? ct_mx_neg(m, b) : kept(m, ct_expr_sub(m->pool, a, b));
}

/* Makes *a positive where its sign stands in front; true: it was negative. Signs are kept out of
 * products, so that a product and its opposite are one computation. */
static bool take_sign(mechanics *m, ct_expr *a)
{
    ct_expr number = *a;
    if (!m->hold)
        return false;
    if (ct_expr_kind_of(m->pool, *a) == CT_EXPR_PRODUCT)
        number = ct_expr_constant(m->pool, *a);
    if (!ct_expr_is_number(m->pool, number) || ct_expr_to_double(m->pool, number) >= 0)
        return false;
    *a = kept(m, ct_expr_neg(m->pool, *a));
    return true;
}

static ct_expr signed_by(mechanics *m, ct_expr a, bool negative)
{
    return negative ? ct_mx_neg(m, a) : a;
}

ct_expr ct_mx_mul(mechanics *m, ct_expr a, ct_expr b)
{
    if (ct_mx_is_zero(m, a) || ct_mx_is_zero(m, b))
        return m->zero;
    bool negative = take_sign(m, &a) != take_sign(m, &b);
    if (a == m->one || b == m->one)
        return signed_by(m, a == m->one ? b : a, negative);
    return signed_by(m, kept(m, ct_expr_mul(m->pool, a, b)), negative);
}

ct_expr ct_mx_div(mechanics *m, ct_expr a, ct_expr b)
{
    if (ct_mx_is_zero(m, a) || b == m->one)
        return a;
    bool negative = take_sign(m, &b);
    ct_expr inverse = kept(m, ct_expr_div(m->pool, m->one, b));
    return signed_by(m, ct_mx_mul(m, a, inverse), negative);
}

ct_expr ct_mx_neg(mechanics *m, ct_expr a)
{
    return kept(m, ct_expr_neg(m->pool, a));
}

vec2 ct_mx_zero(const mechanics *m)
{
    return (vec2){{m->zero, m->zero}};
}

vec2 ct_mx_vadd(mechanics *m, vec2 a, vec2 b)
{
    return (vec2){{ct_mx_add(m, a.x[0], b.x[0]), ct_mx_add(m, a.x[1], b.x[1])}};
}

vec2 ct_mx_vsub(mechanics *m, vec2 a, vec2 b)
{
    return (vec2){{ct_mx_sub(m, a.x[0], b.x[0]), ct_mx_sub(m, a.x[1], b.x[1])}};
}

vec2 ct_mx_scale(mechanics *m, ct_expr c, vec2 a)
{
    return (vec2){{ct_mx_mul(m, c, a.x[0]), ct_mx_mul(m, c, a.x[1])}};
}

vec2 ct_mx_turned(mechanics *m, vec2 a)
{
    return (vec2){{ct_mx_neg(m, a.x[1]), a.x[0]}};
}

ct_expr ct_mx_dot(mechanics *m, vec2 a, vec2 b)
{
    return ct_mx_add(m, ct_mx_mul(m, a.x[0], b.x[0]), ct_mx_mul(m, a.x[1], b.x[1]));
}

ct_expr ct_mx_cross(mechanics *m, vec2 a, vec2 b)
{
    return ct_mx_sub(m, ct_mx_mul(m, a.x[0], b.x[1]), ct_mx_mul(m, a.x[1], b.x[0]));
}

static vec2 by_point(mechanics *m, vec2 a, ct_expr c, ct_expr s)
{
    return (vec2){{ct_mx_sub(m, ct_mx_mul(m, c, a.x[0]), ct_mx_mul(m, s, a.x[1])),
                   ct_mx_add(m, ct_mx_mul(m, s, a.x[0]), ct_mx_mul(m, c, a.x[1]))}};
}

vec2 ct_mx_rotated(mechanics *m, vec2 a, ct_expr angle)
{
    if (ct_mx_is_zero(m, angle))
        return a;
    return by_point(m, a, ct_expr_call1(m->pool, CT_OP_COS, angle),
                    ct_expr_call1(m->pool, CT_OP_SIN, angle));
}

vec2 ct_mx_world(mechanics *m, uint32_t group, vec2 local)
{
    return by_point(m, local, m->group[group].cosine, m->group[group].sine);
}
