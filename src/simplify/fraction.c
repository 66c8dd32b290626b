/* fraction.c - arithmetic of fractions; common factors are divided out where they can arise. */
#include "simplify/ring.h"

#include <gmp.h>

static void get_integer(fmpz_t out, const uint64_t *limb, int32_t limbs)
{
    mpz_t z;
    fmpz_set_mpz(out, mpz_roinit_n(z, (const mp_limb_t *)limb, limbs));
}

bool ct_fraction_set_number(ct_ring *ring, ct_fraction *out, const ct_number *number)
{
    fmpz_t num, den;
    if (number->form == CT_REAL ||
        (number->form == CT_BIG &&
         (number->den_limbs > 16 || number->num_limbs > 16 || number->num_limbs < -16))) {
        ring->over = true;
        return false;
    }
    fmpz_init(num);
    fmpz_init(den);
    if (number->form == CT_BIG) {
        get_integer(num, number->num_at, number->num_limbs);
        get_integer(den, number->den_at, number->den_limbs);
    } else {
        fmpz_set_si(num, number->num);
        fmpz_set_si(den, number->den);
    }
    fmpz_mpoly_set_fmpz(out->num, num, ring->ctx);
    fmpz_mpoly_set_fmpz(out->den, den, ring->ctx);
    fmpz_clear(num);
    fmpz_clear(den);
    return true;
}

void ct_fraction_set_variable(ct_ring *ring, ct_fraction *out, slong variable)
{
    fmpz_mpoly_gen(out->num, variable, ring->ctx);
    fmpz_mpoly_one(out->den, ring->ctx);
}

void ct_fraction_copy(ct_ring *ring, ct_fraction *to, const ct_fraction *from)
{
    fmpz_mpoly_set(to->num, from->num, ring->ctx);
    fmpz_mpoly_set(to->den, from->den, ring->ctx);
}

static void make_positive(ct_ring *ring, ct_fraction *f)
{
    if (f->den->length && fmpz_sgn(fmpz_mpoly_leadcoeff(f->den)) < 0) {
        fmpz_mpoly_neg(f->num, f->num, ring->ctx);
        fmpz_mpoly_neg(f->den, f->den, ring->ctx);
    }
}

void ct_fraction_settle(ct_ring *ring, ct_fraction *f)
{
    ct_ring_cancel(ring, f->num, f->den, NULL);
    make_positive(ring, f);
}

/* A denominator that vanishes by a relation: a division by zero that nobody saw. */
static bool reduced(ct_ring *ring, ct_fraction *f)
{
    if (!ct_ring_reduce(ring, f->num) || !ct_ring_reduce(ring, f->den))
        return false;
    if (!fmpz_mpoly_is_zero(f->den, ring->ctx))
        return true;
    ring->over = true;
    return false;
}

/* a/b + c/d with g = gcd(b, d): t/(b*(d/g)), t = a*(d/g) + c*(b/g). Only g can have factors in
 * common with t [Henrici 1956]; to look for them in the long divisor would take much longer. */
static bool add_unlike(ct_ring *ring, ct_fraction *sum, const ct_fraction *b)
{
    fmpz_mpoly_t other, product, common;
    fmpz_mpoly_init(other, ring->ctx);
    fmpz_mpoly_init(product, ring->ctx);
    fmpz_mpoly_init(common, ring->ctx);
    fmpz_mpoly_set(other, b->den, ring->ctx);
    ct_ring_cancel(ring, sum->den, other, common);
    bool good = ct_ring_multiply(ring, sum->num, sum->num, other) &&
                ct_ring_multiply(ring, product, b->num, sum->den);
    if (good) {
        fmpz_mpoly_add(sum->num, sum->num, product, ring->ctx);
        ct_ring_cancel(ring, sum->num, common, NULL);
        good = ct_ring_multiply(ring, other, other, common) &&
               ct_ring_multiply(ring, sum->den, sum->den, other);
    }
    fmpz_mpoly_clear(other, ring->ctx);
    fmpz_mpoly_clear(product, ring->ctx);
    fmpz_mpoly_clear(common, ring->ctx);
    return good;
}

bool ct_fraction_add(ct_ring *ring, ct_fraction *sum, const ct_fraction *b)
{
    bool alike = fmpz_mpoly_equal(sum->den, b->den, ring->ctx);
    if (alike)
        fmpz_mpoly_add(sum->num, sum->num, b->num, ring->ctx);
    else if (!add_unlike(ring, sum, b))
        return false;
    if (!ct_ring_spend(ring, (uint64_t)sum->num->length) || !reduced(ring, sum))
        return false;
    if (alike || ring->relation.count)
        ct_fraction_settle(ring, sum);
    else
        make_positive(ring, sum);
    return ct_ring_fits(ring, sum->num) && ct_ring_fits(ring, sum->den);
}

/* (a/b)*(c/d): a can share factors with d only, c with b only. The product may be longer than what
 * is allowed: in b*c/d, which elimination adds to a, most of it cancels in the sum. */
bool ct_fraction_mul(ct_ring *ring, ct_fraction *product, const ct_fraction *b)
{
    fmpz_mpoly_t num, den;
    fmpz_mpoly_init(num, ring->ctx);
    fmpz_mpoly_init(den, ring->ctx);
    fmpz_mpoly_set(num, b->num, ring->ctx);
    fmpz_mpoly_set(den, b->den, ring->ctx);
    ct_ring_cancel(ring, product->num, den, NULL);
    ct_ring_cancel(ring, num, product->den, NULL);
    bool good = ct_ring_multiply(ring, product->num, product->num, num) &&
                ct_ring_multiply(ring, product->den, product->den, den);
    fmpz_mpoly_clear(num, ring->ctx);
    fmpz_mpoly_clear(den, ring->ctx);
    if (!good || !reduced(ring, product))
        return false;
    if (ring->relation.count)
        ct_fraction_settle(ring, product);
    return true;
}

/* Terms of a power, as far as they matter. */
static uint64_t power_terms(slong length, uint64_t n, uint64_t most)
{
    uint64_t terms = 1; /* (length + n - 1) over n */
    for (uint64_t i = 1; length > 1 && i <= n && terms <= most; i++)
        terms = terms * ((uint64_t)length - 1 + i) / i;
    return terms;
}

static bool to_power(ct_ring *ring, fmpz_mpoly_t out, const fmpz_mpoly_t p, uint64_t n)
{
    uint64_t terms = power_terms(p->length, n, 4 * (uint64_t)ring->terms);
    if (p->length == 0) {
        fmpz_mpoly_zero(out, ring->ctx);
        return true;
    }
    slong bits = fmpz_mpoly_max_bits(p), degree = fmpz_mpoly_total_degree_si(p, ring->ctx);
    bool allowed = terms <= 4 * (uint64_t)ring->terms &&
                   (uint64_t)(bits < 0 ? -bits : bits) * n <= CT_MOST_BITS &&
                   (uint64_t)degree * n <= CT_MOST_DEGREE && ct_ring_spend(ring, terms * n);
    ring->over |= !allowed;
    return allowed && fmpz_mpoly_pow_ui(out, p, n, ring->ctx) && ct_ring_fits(ring, out);
}

bool ct_fraction_pow(ct_ring *ring, ct_fraction *out, const ct_fraction *a, int64_t n)
{
    uint64_t size = n < 0 ? -(uint64_t)n : (uint64_t)n;
    bool down = n < 0;
    if (size > CT_MOST_POWER || (down && fmpz_mpoly_is_zero(a->num, ring->ctx))) {
        ring->over = true;
        return false;
    }
    if (!to_power(ring, out->num, down ? a->den : a->num, size) ||
        !to_power(ring, out->den, down ? a->num : a->den, size) || !reduced(ring, out))
        return false;
    ct_fraction_settle(ring, out);
    return true;
}
