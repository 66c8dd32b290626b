/* poly.c - see poly.h. */
#include "study/poly.h"

#include <string.h>

#include "expr/field.h"

ct_poly ct_poly_zero(ct_arena *arena, uint32_t count)
{
    return (ct_poly){CT_NEW_ARRAY(arena, ct_expr, count + 1), count};
}

static bool is_zero(const ct_pool *pool, ct_expr e)
{
    return !e || ct_expr_is_zero(pool, e);
}

void ct_poly_trim(const ct_pool *pool, ct_poly *a)
{
    while (a->count && is_zero(pool, a->at[a->count - 1]))
        a->count--;
}

void ct_poly_add(ct_pool *pool, ct_poly *a, const ct_poly *b, ct_expr factor, uint32_t shift)
{
    for (uint32_t i = 0; i < b->count; i++) {
        if (is_zero(pool, b->at[i]))
            continue;
        ct_expr part = ct_expr_mul(pool, factor, b->at[i]), *at = &a->at[i + shift];
        *at = *at ? ct_expr_add(pool, *at, part) : part;
    }
}

/* ---- degree of the common divisor, in the field of the fingerprints */

typedef struct residues {
    uint64_t *at;
    uint32_t count;
} residues;

static residues residues_of(ct_arena *arena, const ct_pool *pool, const ct_poly *a)
{
    residues r = {CT_NEW_ARRAY(arena, uint64_t, a->count + 1), a->count};
    for (uint32_t i = 0; i < a->count; i++)
        r.at[i] = a->at[i] ? ct_expr_fingerprint(pool, a->at[i]) : 0;
    return r;
}

/* a becomes the remainder of a divided by b. */
static void reduce_residues(residues *a, const residues *b)
{
    uint64_t lead = ct_field_inv(b->at[b->count - 1]);
    while (a->count >= b->count) {
        uint64_t factor = ct_field_neg(ct_field_mul(a->at[a->count - 1], lead));
        for (uint32_t i = 0; i < b->count; i++) {
            uint64_t *at = &a->at[a->count - b->count + i];
            *at = ct_field_add(*at, ct_field_mul(factor, b->at[i]));
        }
        while (a->count && a->at[a->count - 1] == 0)
            a->count--;
    }
}

static uint32_t common_degree(ct_arena *arena, const ct_pool *pool, const ct_poly *a,
                              const ct_poly *b)
{
    residues x = residues_of(arena, pool, a), y = residues_of(arena, pool, b);
    while (y.count) {
        if (x.count >= y.count)
            reduce_residues(&x, &y);
        residues kept = x;
        x = y;
        y = kept;
    }
    return x.count ? x.count - 1 : 0;
}

/* ---- Euclid's algorithm on expressions */

/* a = quotient * b + remainder; a becomes the remainder. */
static ct_poly divide(ct_arena *arena, ct_pool *pool, ct_poly *a, const ct_poly *b)
{
    ct_poly quotient = ct_poly_zero(arena, a->count >= b->count ? a->count - b->count + 1 : 0);
    while (a->count >= b->count) {
        uint32_t shift = a->count - b->count;
        ct_expr factor = ct_expr_div(pool, a->at[a->count - 1], b->at[b->count - 1]);
        quotient.at[shift] = factor;
        ct_poly_add(pool, a, b, ct_expr_neg(pool, factor), shift);
        a->at[a->count - 1] = 0;
        ct_poly_trim(pool, a);
    }
    return quotient;
}

static ct_poly copy(ct_arena *arena, const ct_poly *a)
{
    ct_poly out = ct_poly_zero(arena, a->count);
    if (a->count)
        memcpy(out.at, a->at, a->count * sizeof *out.at);
    return out;
}

static ct_poly common_divisor(ct_arena *arena, ct_pool *pool, const ct_poly *a, const ct_poly *b)
{
    ct_poly x = copy(arena, a), y = copy(arena, b);
    while (y.count) {
        if (x.count >= y.count)
            divide(arena, pool, &x, &y);
        ct_poly kept = x;
        x = y;
        y = kept;
    }
    return x;
}

/* The common case: a power of s. */
static void cancel_powers(const ct_pool *pool, ct_poly *num, ct_poly *den)
{
    while (num->count > 1 && den->count > 1 && is_zero(pool, num->at[0]) &&
           is_zero(pool, den->at[0])) {
        num->at++;
        num->count--;
        den->at++;
        den->count--;
    }
}

static void scale(ct_pool *pool, ct_poly *a, ct_expr by)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (a->at[i])
            a->at[i] = ct_expr_mul(pool, a->at[i], by);
}

void ct_poly_cancel(ct_arena *arena, ct_pool *pool, ct_poly *num, ct_poly *den)
{
    if (!num->count || !den->count)
        return;
    cancel_powers(pool, num, den);
    if (common_degree(arena, pool, num, den) == 0)
        return;
    ct_poly common = common_divisor(arena, pool, num, den);
    *num = divide(arena, pool, num, &common);
    *den = divide(arena, pool, den, &common);
    ct_expr lead = ct_expr_pow(pool, den->at[den->count - 1], ct_expr_int(pool, -1));
    scale(pool, num, lead);
    scale(pool, den, lead);
}
