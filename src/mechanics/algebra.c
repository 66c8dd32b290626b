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

/* ---- places */

enum { MOST_TERMS = 32 };

/* A sum without sums inside. `far`: entries met before, so that something cancels. */
typedef struct flat {
    uint32_t count;
    bool far;
    ct_expr c[MOST_TERMS], x[MOST_TERMS];
} flat;

static bool add_entry(mechanics *m, flat *f, ct_expr c, ct_expr x)
{
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->x[i] != x)
            continue;
        double own = ct_expr_to_double(m->pool, f->c[i]), more = ct_expr_to_double(m->pool, c);
        f->far |= own * more < 0;
        f->c[i] = ct_expr_add(m->pool, f->c[i], c);
        return true;
    }
    if (f->count == MOST_TERMS)
        return false;
    f->c[f->count] = c;
    f->x[f->count++] = x;
    return true;
}

/* Adds c*e; false: there are too many terms. Parts wait in a list of their own. */
static bool flatten(mechanics *m, flat *f, ct_expr c, ct_expr e)
{
    flat part = {.count = 1, .c = {c}, .x = {e}};
    while (part.count) {
        c = part.c[--part.count], e = part.x[part.count];
        ct_expr_kind kind = ct_expr_kind_of(m->pool, e);
        bool multiple = kind == CT_EXPR_PRODUCT && ct_expr_arity(m->pool, e) == 1 &&
                        ct_expr_coefficient(m->pool, e, 0) == m->one;
        if (kind == CT_EXPR_NUMBER)
            c = ct_expr_mul(m->pool, c, e), e = m->one;
        if (kind != CT_EXPR_SUM && !multiple) {
            if (!add_entry(m, f, c, e))
                return false;
            continue;
        }
        ct_expr own = ct_expr_mul(m->pool, c, ct_expr_constant(m->pool, e));
        if (!multiple && !add_entry(m, f, own, m->one))
            return false;
        for (uint32_t i = 0; i < ct_expr_arity(m->pool, e); i++) {
            if (part.count == MOST_TERMS)
                return false;
            ct_expr factor = multiple ? own : ct_expr_coefficient(m->pool, e, i);
            part.c[part.count] = multiple ? own : ct_expr_mul(m->pool, c, factor);
            part.x[part.count++] = ct_expr_operand(m->pool, e, i);
        }
    }
    return true;
}

/* Places that lie far off have large parts in common. What is held is not taken apart, so that
 * these would cancel in numbers and leave their rounding behind, which is not small where a loop is
 * nearly singular: there they cancel in symbols. */
static ct_expr apart(mechanics *m, ct_expr a, ct_expr b)
{
    flat f = {0};
    bool known = m->hold && flatten(m, &f, m->one, a) &&
                 flatten(m, &f, ct_expr_neg(m->pool, m->one), b) && f.far;
    return known ? kept(m, ct_expr_combine(m->pool, f.c, f.x, f.count)) : ct_mx_sub(m, a, b);
}

vec ct_mx_apart(mechanics *m, vec a, vec b)
{
    for (uint32_t i = 0; i < m->space->slides; i++)
        a.x[i] = apart(m, a.x[i], b.x[i]);
    return a;
}
