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
    if (ct_mx_is_zero(m, a))
        return a;
    return kept(m, ct_expr_neg(m->pool, a));
}

/* ---- vectors: components that the space does not have are zero, and nothing is built of them */

vec ct_mx_zero(const mechanics *m)
{
    return (vec){{m->zero, m->zero, m->zero}};
}

vec ct_mx_unit(const mechanics *m, uint32_t axis, ct_expr value)
{
    vec v = ct_mx_zero(m);
    v.x[axis] = value;
    return v;
}

vec ct_mx_vadd(mechanics *m, vec a, vec b)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = ct_mx_add(m, a.x[i], b.x[i]);
    return a;
}

vec ct_mx_vsub(mechanics *m, vec a, vec b)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = ct_mx_sub(m, a.x[i], b.x[i]);
    return a;
}

vec ct_mx_scale(mechanics *m, ct_expr c, vec a)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = ct_mx_mul(m, c, a.x[i]);
    return a;
}

vec ct_mx_opposite(mechanics *m, vec a)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = ct_mx_neg(m, a.x[i]);
    return a;
}

ct_expr ct_mx_dot(mechanics *m, vec a, vec b)
{
    ct_expr sum = ct_mx_mul(m, a.x[0], b.x[0]);
    for (int i = 1; i < 3; i++)
        sum = ct_mx_add(m, sum, ct_mx_mul(m, a.x[i], b.x[i]));
    return sum;
}

static const uint8_t after[3] = {1, 2, 0}, before[3] = {2, 0, 1};

/* e x a has -a[before] behind e's axis, a[after] before it. */
vec ct_mx_turned(mechanics *m, uint32_t axis, vec a)
{
    vec v = ct_mx_zero(m);
    v.x[after[axis]] = ct_mx_neg(m, a.x[before[axis]]);
    v.x[before[axis]] = a.x[after[axis]];
    return v;
}

vec ct_mx_spun(mechanics *m, vec spin, vec a)
{
    vec sum = ct_mx_zero(m);
    for (uint32_t j = m->space->turn; j < 3; j++)
        if (!ct_mx_is_zero(m, spin.x[j]))
            sum = ct_mx_vadd(m, sum, ct_mx_scale(m, spin.x[j], ct_mx_turned(m, j, a)));
    return sum;
}

vec ct_mx_cross(mechanics *m, vec a, vec b)
{
    vec v = ct_mx_zero(m);
    for (uint32_t i = m->space->turn; i < 3; i++)
        v.x[i] = ct_mx_sub(m, ct_mx_mul(m, a.x[after[i]], b.x[before[i]]),
                           ct_mx_mul(m, a.x[before[i]], b.x[after[i]]));
    return v;
}
