/* form.c - how a fraction is written: which of its forms is the shortest.
 *
 *     factored   c * f1^n1 * f2^n2 / (g1^m1 * ..), each side factored only where that is shorter
 *     split      (a/x + b/y)/(z*g): the monomial part of the denominator goes to the terms
 *
 * Lengths are counted in characters before anything is built. */
#include <stdlib.h>
#include <string.h>

#include "simplify/form.h"

/* ---- lengths */

static size_t digits_of(const fmpz_t c)
{
    return fmpz_sizeinbase(c, 10);
}

static size_t power_length(const ct_task *t, slong variable, ulong power)
{
    size_t length = t->atom.at[variable].length;
    return power == 1 ? length : length + 2 + (power > 9);
}

size_t ct_term_length(const ct_task *t, const ulong *power, const fmpz_t c)
{
    size_t length = 2;
    for (slong v = 0; v < (slong)t->atom.count; v++)
        if (power[v])
            length += 1 + power_length(t, v, power[v]);
    return length + (fmpz_is_pm1(c) ? length == 2 : 1 + digits_of(c));
}

size_t ct_poly_length(const ct_task *t, const fmpz_mpoly_t p)
{
    size_t length = 0;
    for (slong i = 0; i < p->length; i++) {
        fmpz_mpoly_get_term_exp_ui(t->ring.power, p, i, t->ring.ctx);
        length += ct_term_length(t, t->ring.power, p->coeffs + i);
    }
    return length;
}

/* Likewise; behind a factor stands a star. */
static size_t factors_length(const ct_task *t, const fmpz_mpoly_factor_struct *f)
{
    size_t length = fmpz_is_pm1(f->constant) ? 2 : digits_of(f->constant) + 3;
    for (slong i = 0; i < f->num; i++) {
        bool one = f->poly[i].length == 1;
        length +=
            ct_poly_length(t, f->poly + i) - (one ? 2 : 0) + (fmpz_is_one(f->exp + i) ? 0 : 2);
    }
    return length;
}

/* ---- sides */

enum { MOST_FACTORED = 300, MOST_FACTORED_DEGREE = 32 };

static uint64_t factor_work(const ct_task *t, const fmpz_mpoly_t p)
{
    return 8 * (uint64_t)p->length * (uint64_t)t->ring.variables;
}

static bool may_factor(ct_task *t, const fmpz_mpoly_t p)
{
    return p->length > 1 && p->length <= MOST_FACTORED &&
           fmpz_mpoly_total_degree_si(p, t->ring.ctx) <= MOST_FACTORED_DEGREE &&
           t->ring.work >= factor_work(t, p);
}

/* Without factors of several terms: number * variables^powers * the rest. */
static bool factor_monomial(ct_task *t, fmpz_mpoly_factor_struct *f, const fmpz_mpoly_t p)
{
    ct_ring *ring = &t->ring;
    fmpz_mpoly_struct *one = ct_ring_poly(ring), *rest = ct_ring_poly(ring);
    fmpz_mpoly_term_content(one, p, ring->ctx);
    if (p->length < 2 || fmpz_mpoly_is_one(one, ring->ctx) ||
        !fmpz_mpoly_divides(rest, p, one, ring->ctx) || !fmpz_mpoly_factor(f, one, ring->ctx))
        return false;
    if (fmpz_sgn(rest->coeffs) < 0) {
        fmpz_mpoly_neg(rest, rest, ring->ctx);
        fmpz_neg(f->constant, f->constant);
    }
    fmpz_mpoly_factor_fit_length(f, f->num + 1, ring->ctx);
    fmpz_mpoly_swap(f->poly + f->num, rest, ring->ctx);
    fmpz_one(f->exp + f->num++);
    return true;
}

/* The variable in whose powers p is linear and which the fewest terms hold; -1: none. */
static slong linear_variable(ct_task *t, const fmpz_mpoly_t p, slong *terms)
{
    ct_ring *ring = &t->ring;
    slong count = (slong)t->atom.count, best = -1;
    slong *held = CT_NEW_ARRAY(t->arena, slong, (size_t)count + 1);
    for (slong i = 0; i < p->length; i++) {
        fmpz_mpoly_get_term_exp_ui(ring->power, p, i, ring->ctx);
        for (slong v = 0; v < count; v++)
            if (ring->power[v])
                held[v] = ring->power[v] > 1 ? WORD_MIN / 2 : held[v] + 1;
    }
    for (slong v = 0; v < count; v++)
        if (held[v] > 0 && (best < 0 || held[v] < held[best]))
            best = v;
    *terms = best < 0 ? 0 : held[best];
    return best;
}

/* p = a v + b, linear in v: what divides it divides a and b, or is all of it but such a divisor. */
static bool is_irreducible(ct_task *t, const fmpz_mpoly_t p, slong v)
{
    ct_ring *ring = &t->ring;
    uint32_t kept = ring->live.count;
    fmpz_mpoly_struct *a = ct_ring_poly(ring), *b = ct_ring_poly(ring), *both = ct_ring_poly(ring);
    for (slong i = 0; i < p->length; i++) {
        fmpz_mpoly_get_term_exp_ui(ring->power, p, i, ring->ctx);
        fmpz_mpoly_struct *to = ring->power[v] ? a : b;
        ring->power[v] = 0;
        fmpz_mpoly_push_term_fmpz_ui(to, p->coeffs + i, ring->power, ring->ctx);
    }
    fmpz_mpoly_sort_terms(a, ring->ctx);
    bool one = fmpz_mpoly_gcd(both, a, b, ring->ctx) && fmpz_mpoly_is_one(both, ring->ctx);
    ct_ring_drop(ring, kept);
    return one;
}

/* NULL: nothing to be taken out. */
static fmpz_mpoly_factor_struct *factored(ct_task *t, const fmpz_mpoly_t p)
{
    slong held = 0, v = may_factor(t, p) ? linear_variable(t, p, &held) : -1;
    if (!may_factor(t, p) || held == 1) { /* a is a monomial, and so is what divides it and b */
        fmpz_mpoly_factor_struct *f = ct_ring_factors(&t->ring);
        return factor_monomial(t, f, p) ? f : NULL;
    }
    t->ring.work -= factor_work(t, p);
    return v >= 0 && is_irreducible(t, p, v) ? NULL : ct_ring_factor(&t->ring, p);
}

ct_form_side ct_side_of_poly(ct_task *t, fmpz_mpoly_struct *p)
{
    ct_form_side plain = {.part = p, .count = 1, .length = ct_poly_length(t, p)};
    fmpz_mpoly_factor_struct *f = factored(t, p);
    if (!f)
        return plain;
    size_t length = factors_length(t, f);
    if (f->num == 1 ? fmpz_is_one(f->exp) && fmpz_is_pm1(f->constant) : length > plain.length)
        return plain;
    return (ct_form_side){f->constant, f->poly, f->exp, f->num, length};
}

/* ---- building */

ct_expr ct_write_integer(ct_writer *w, const fmpz_t z)
{
    if (fmpz_fits_si(z))
        return ct_expr_int(w->pool, fmpz_get_si(z));
    ct_arena *arena = w->task->arena;
    char *text = CT_NEW_ARRAY(arena, char, fmpz_sizeinbase(z, 10) + 2);
    fmpz_get_str(text, 10, z);
    bool minus = text[0] == '-';
    ct_expr e = ct_expr_decimal(w->pool, text + minus, strlen(text + minus));
    return minus ? ct_expr_neg(w->pool, e) : e;
}

static ct_expr gen_power(ct_writer *w, slong variable, slong power)
{
    ct_expr x = w->gen[variable];
    return power == 1 ? x : ct_expr_pow(w->pool, x, ct_expr_int(w->pool, power));
}

/* coefficient * product of gen^(power - less) */
ct_expr ct_write_monomial(ct_writer *w, const fmpz_t coefficient, const ulong *power,
                          const slong *less)
{
    uint32_t first = w->factor.count;
    CT_PUSH(w->task->arena, w->factor, ct_write_integer(w, coefficient));
    for (slong v = 0; v < (slong)w->task->atom.count; v++) {
        slong p = (slong)power[v] - (less ? less[v] : 0);
        if (p)
            CT_PUSH(w->task->arena, w->factor, gen_power(w, v, p));
    }
    ct_expr e = ct_expr_product(w->pool, w->factor.at + first, w->factor.count - first);
    w->factor.count = first;
    return e;
}

static ct_expr polynomial(ct_writer *w, const fmpz_mpoly_t p, const slong *less)
{
    uint32_t first = w->term.count;
    for (slong i = 0; i < p->length; i++) {
        fmpz_mpoly_get_term_exp_ui(w->ring->power, p, i, w->ring->ctx);
        CT_PUSH(w->task->arena, w->term, ct_write_monomial(w, p->coeffs + i, w->ring->power, less));
    }
    ct_expr e = ct_expr_sum(w->pool, w->term.at + first, w->term.count - first);
    w->term.count = first;
    return e;
}

/* Adds the factors of a side, sign +1 above the bar and -1 below it. */
static void put_side(ct_writer *w, const ct_form_side *s, slong sign)
{
    if (s->content) {
        ct_expr c = ct_write_integer(w, s->content);
        CT_PUSH(w->task->arena, w->factor,
                sign > 0 ? c : ct_expr_div(w->pool, ct_expr_int(w->pool, 1), c));
    }
    for (slong i = 0; i < s->count; i++) {
        slong n = s->power ? fmpz_get_si(s->power + i) : 1;
        ct_expr x = polynomial(w, s->part + i, NULL);
        if (x)
            x = ct_expr_pow(w->pool, x, ct_expr_int(w->pool, sign * n));
        CT_PUSH(w->task->arena, w->factor, x);
    }
}

/* ---- the split form */

typedef struct split {
    bool useful;
    fmpz_mpoly_struct *one, *rest; /* monomial part of the denominator, and what is left of it */
    slong *outside;                /* powers in front of all terms */
    slong *less;                   /* what the powers of each term are lowered by */
    ct_form_side below;
    size_t length;
} split;

static slong nearest_to_zero(slong low, slong high)
{
    return low > 0 ? low : high < 0 ? high : 0;
}

static void place_powers(ct_task *t, const fmpz_mpoly_t num, split *s)
{
    ct_ring *ring = &t->ring;
    fmpz_mpoly_get_term_exp_ui(ring->other, s->one, 0, ring->ctx);
    for (slong v = 0; v < (slong)t->atom.count; v++) {
        slong low = WORD_MAX, high = WORD_MIN;
        for (slong i = 0; i < num->length; i++) {
            slong p =
                (slong)fmpz_mpoly_get_term_var_exp_ui(num, i, v, ring->ctx) - (slong)ring->other[v];
            low = p < low ? p : low;
            high = p > high ? p : high;
        }
        s->outside[v] = nearest_to_zero(low, high);
        s->less[v] = (slong)ring->other[v] + s->outside[v];
    }
}

static size_t split_length(ct_task *t, const fmpz_mpoly_t num, const split *s)
{
    ct_ring *ring = &t->ring;
    size_t length = s->below.length + 2;
    for (slong i = 0; i < num->length; i++) {
        bool below = false;
        fmpz_mpoly_get_term_exp_ui(ring->power, num, i, ring->ctx);
        for (slong v = 0; v < (slong)t->atom.count; v++) {
            slong p = (slong)ring->power[v] - s->less[v];
            length += p ? 1 + power_length(t, v, (ulong)(p < 0 ? -p : p)) : 0;
            below |= p < 0;
        }
        length += below ? 3 : 2;
        length += fmpz_is_pm1(num->coeffs + i) ? 0 : digits_of(num->coeffs + i);
    }
    for (slong v = 0; v < (slong)t->atom.count; v++)
        if (s->outside[v])
            length += 1 + power_length(t, v, (ulong)labs(s->outside[v]));
    return length;
}

static split split_of(ct_task *t, const ct_fraction *f)
{
    split s = {0};
    ct_ring *ring = &t->ring;
    if (f->num->length < 2)
        return s;
    s.one = ct_ring_poly(ring);
    s.rest = ct_ring_poly(ring);
    fmpz_mpoly_term_content(s.one, f->den, ring->ctx);
    if (fmpz_mpoly_is_fmpz(s.one, ring->ctx) ||
        !fmpz_mpoly_divides(s.rest, f->den, s.one, ring->ctx))
        return s;
    s.outside = CT_NEW_ARRAY(t->arena, slong, (size_t)ring->variables + 1);
    s.less = CT_NEW_ARRAY(t->arena, slong, (size_t)ring->variables + 1);
    place_powers(t, f->num, &s);
    s.below = ct_side_of_poly(t, s.rest);
    s.length = split_length(t, f->num, &s);
    s.useful = true;
    return s;
}

static void put_split(ct_writer *w, const ct_fraction *f, const split *s)
{
    ct_arena *arena = w->task->arena;
    for (slong v = 0; v < (slong)w->task->atom.count; v++)
        if (s->outside[v])
            CT_PUSH(arena, w->factor, gen_power(w, v, s->outside[v]));
    ct_expr sum = polynomial(w, f->num, s->less); /* uses the list, too */
    CT_PUSH(arena, w->factor, sum);
    ct_expr c = ct_write_integer(w, s->one->coeffs);
    CT_PUSH(arena, w->factor, ct_expr_div(w->pool, ct_expr_int(w->pool, 1), c));
    put_side(w, &s->below, -1);
}

ct_expr ct_write_fraction(ct_task *t, ct_fraction *f, ct_pool *pool, const ct_expr *gen)
{
    ct_writer w = {.task = t, .ring = &t->ring, .pool = pool, .gen = gen};
    if (fmpz_mpoly_is_zero(f->num, t->ring.ctx))
        return ct_expr_int(pool, 0);
    ct_form_side above = ct_side_of_poly(t, f->num), below = ct_side_of_poly(t, f->den);
    split s = split_of(t, f);
    if (s.useful && s.length < above.length + below.length) {
        put_split(&w, f, &s);
    } else {
        put_side(&w, &above, 1);
        put_side(&w, &below, -1);
    }
    return ct_expr_product(pool, w.factor.at, w.factor.count);
}

ct_expr ct_write_fraction_collected(ct_task *t, ct_fraction *f, ct_pool *pool, const ct_expr *gen)
{
    ct_writer w = {.task = t, .ring = &t->ring, .pool = pool, .gen = gen};
    ct_expr above = ct_write_collected(&w, f->num);
    return ct_expr_div(pool, above, ct_write_collected(&w, f->den));
}
