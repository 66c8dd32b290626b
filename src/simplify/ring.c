/* ring.c - polynomials with limits, and the relations among their variables. */
#include "simplify/ring.h"

enum { MOST_DIVIDED = 100 }; /* degree of what common factors are looked for in */

void ct_ring_open(ct_ring *ring, slong variables)
{
    ring->power = CT_NEW_ARRAY(ring->arena, ulong, (size_t)variables + 1);
    ring->other = CT_NEW_ARRAY(ring->arena, ulong, (size_t)variables + 1);
    ring->live.count = 0;
    ring->live_factors.count = ring->factored.count = 0;
    ring->relation.count = 0;
    ring->variables = variables;
    ring->over = ring->uncancelled = false;
    fmpz_mpoly_ctx_init(ring->ctx, variables, ORD_DEGLEX); /* the first term has the degree */
    ring->open = true;
}

void ct_ring_close(ct_ring *ring)
{
    if (!ring->open)
        return;
    for (uint32_t i = 0; i < ring->live.count; i++)
        fmpz_mpoly_clear(ring->live.at[i], ring->ctx);
    for (uint32_t i = 0; i < ring->live_factors.count; i++)
        fmpz_mpoly_factor_clear(ring->live_factors.at[i], ring->ctx);
    for (uint32_t i = 0; i < ring->factored.count; i++)
        fmpz_mpoly_clear(ring->factored.at[i].of, ring->ctx);
    ring->live.count = ring->live_factors.count = ring->factored.count = 0;
    fmpz_mpoly_ctx_clear(ring->ctx);
    ring->open = false;
}

fmpz_mpoly_struct *ct_ring_poly(ct_ring *ring)
{
    fmpz_mpoly_struct *p = CT_NEW(ring->arena, fmpz_mpoly_struct);
    CT_RESERVE(ring->arena, ring->live, ring->live.count + 1);
    fmpz_mpoly_init(p, ring->ctx);
    ring->live.at[ring->live.count++] = p;
    return p;
}

void ct_ring_drop(ct_ring *ring, uint32_t kept)
{
    while (ring->live.count > kept)
        fmpz_mpoly_clear(ring->live.at[--ring->live.count], ring->ctx);
}

ct_fraction *ct_ring_fraction(ct_ring *ring)
{
    ct_fraction *f = CT_NEW(ring->arena, ct_fraction);
    CT_RESERVE(ring->arena, ring->live, ring->live.count + 2);
    fmpz_mpoly_init(f->num, ring->ctx);
    fmpz_mpoly_init(f->den, ring->ctx);
    ring->live.at[ring->live.count++] = f->num;
    ring->live.at[ring->live.count++] = f->den;
    fmpz_mpoly_one(f->den, ring->ctx);
    return f;
}

fmpz_mpoly_factor_struct *ct_ring_factors(ct_ring *ring)
{
    fmpz_mpoly_factor_struct *f = CT_NEW(ring->arena, fmpz_mpoly_factor_struct);
    CT_RESERVE(ring->arena, ring->live_factors, ring->live_factors.count + 1);
    fmpz_mpoly_factor_init(f, ring->ctx);
    ring->live_factors.at[ring->live_factors.count++] = f;
    return f;
}

fmpz_mpoly_factor_struct *ct_ring_factor(ct_ring *ring, const fmpz_mpoly_t p)
{
    for (uint32_t i = 0; i < ring->factored.count; i++)
        if (ring->factored.at[i].of->length == p->length &&
            fmpz_mpoly_equal(ring->factored.at[i].of, p, ring->ctx))
            return ring->factored.at[i].factors;
    ct_factored done = {.of = CT_NEW(ring->arena, fmpz_mpoly_struct)};
    fmpz_mpoly_factor_struct *f = ct_ring_factors(ring);
    CT_RESERVE(ring->arena, ring->factored, ring->factored.count + 1);
    done.factors = fmpz_mpoly_factor(f, p, ring->ctx) ? f : NULL;
    fmpz_mpoly_init(done.of, ring->ctx);
    fmpz_mpoly_set(done.of, p, ring->ctx);
    ring->factored.at[ring->factored.count++] = done;
    return done.factors;
}

/* ---- limits */

bool ct_ring_spend(ct_ring *ring, uint64_t work)
{
    if (ring->work < work) {
        ring->over = true;
        return false;
    }
    ring->work -= work;
    return true;
}

/* Degrees and numbers within limits. */
static bool is_tame(ct_ring *ring, const fmpz_mpoly_t p)
{
    if (p->length == 0)
        return true;
    slong bits = fmpz_mpoly_max_bits(p);
    bool tame = (bits < 0 ? -bits : bits) <= CT_MOST_BITS &&
                fmpz_mpoly_total_degree_fits_si(p, ring->ctx) &&
                fmpz_mpoly_total_degree_si(p, ring->ctx) <= CT_MOST_DEGREE;
    ring->over |= !tame;
    return tame;
}

bool ct_ring_fits(ct_ring *ring, const fmpz_mpoly_t p)
{
    ring->over |= p->length > ring->terms;
    return is_tame(ring, p) && p->length <= ring->terms;
}

/* Products of many terms may collapse, or be divided by a common factor at once; to find out costs
 * at most 128 times what is allowed. */
bool ct_ring_multiply(ct_ring *ring, fmpz_mpoly_t out, const fmpz_mpoly_t a, const fmpz_mpoly_t b)
{
    uint64_t products = (uint64_t)a->length * (uint64_t)b->length;
    if (products > 128 * (uint64_t)ring->terms || !ct_ring_spend(ring, products)) {
        ring->over = true;
        return false;
    }
    fmpz_mpoly_mul(out, a, b, ring->ctx);
    return is_tame(ring, out);
}

/* ---- common factors */

/* The greatest common divisor of high powers can take for ever. For others it takes about as long
 * as three products for each term and variable, as measured from 10 to 200 000 terms. */
static bool is_cheap(ct_ring *ring, const fmpz_mpoly_t a, const fmpz_mpoly_t b)
{
    if (a->length <= 1 || b->length <= 1)
        return true;
    uint64_t cost = 3 * (uint64_t)(a->length + b->length) * (uint64_t)ring->variables;
    if (ring->work < cost || fmpz_mpoly_total_degree_si(a, ring->ctx) > MOST_DIVIDED ||
        fmpz_mpoly_total_degree_si(b, ring->ctx) > MOST_DIVIDED)
        return false;
    ring->work -= cost;
    return true;
}

void ct_ring_cancel(ct_ring *ring, fmpz_mpoly_t a, fmpz_mpoly_t b, fmpz_mpoly_struct *divided)
{
    if (divided)
        fmpz_mpoly_one(divided, ring->ctx);
    if (fmpz_mpoly_is_one(a, ring->ctx) || fmpz_mpoly_is_one(b, ring->ctx))
        return;
    if (!is_cheap(ring, a, b)) {
        ring->uncancelled = true;
        return;
    }
    fmpz_mpoly_t common, p, q;
    fmpz_mpoly_init(common, ring->ctx);
    fmpz_mpoly_init(p, ring->ctx);
    fmpz_mpoly_init(q, ring->ctx);
    if (fmpz_mpoly_gcd(common, a, b, ring->ctx) && !fmpz_mpoly_is_one(common, ring->ctx) &&
        fmpz_mpoly_divides(p, a, common, ring->ctx) &&
        fmpz_mpoly_divides(q, b, common, ring->ctx)) {
        fmpz_mpoly_swap(a, p, ring->ctx);
        fmpz_mpoly_swap(b, q, ring->ctx);
        if (divided)
            fmpz_mpoly_swap(divided, common, ring->ctx);
    }
    fmpz_mpoly_clear(common, ring->ctx);
    fmpz_mpoly_clear(p, ring->ctx);
    fmpz_mpoly_clear(q, ring->ctx);
}

/* ---- relations */

/* The terms of p with variable^(k*power) in them, divided by that. */
static void take_class(ct_ring *ring, fmpz_mpoly_t out, const fmpz_mpoly_t p, const ct_relation *r,
                       ulong k)
{
    fmpz_mpoly_zero(out, ring->ctx);
    for (slong i = 0; i < p->length; i++) {
        fmpz_mpoly_get_term_exp_ui(ring->power, p, i, ring->ctx);
        ulong have = ring->power[r->variable];
        if (have / r->power != k)
            continue;
        ring->power[r->variable] = have % r->power;
        fmpz_mpoly_push_term_fmpz_ui(out, p->coeffs + i, ring->power, ring->ctx);
    }
    fmpz_mpoly_sort_terms(out, ring->ctx);
    fmpz_mpoly_combine_like_terms(out, ring->ctx);
}

/* p = p0 + p1 v^n + p2 v^2n + ..., by Horner's rule in v^n. */
bool ct_ring_apply(ct_ring *ring, fmpz_mpoly_t p, const ct_relation *r)
{
    slong degree = fmpz_mpoly_degree_si(p, r->variable, ring->ctx);
    if (degree < (slong)r->power)
        return true;
    fmpz_mpoly_t sum, part;
    fmpz_mpoly_init(sum, ring->ctx);
    fmpz_mpoly_init(part, ring->ctx);
    bool good = true;
    for (ulong k = (ulong)degree / r->power + 1; good && k-- > 0;) {
        good = ct_ring_multiply(ring, sum, sum, r->value);
        take_class(ring, part, p, r, k);
        fmpz_mpoly_add(sum, sum, part, ring->ctx);
    }
    if (good)
        fmpz_mpoly_swap(p, sum, ring->ctx);
    fmpz_mpoly_clear(sum, ring->ctx);
    fmpz_mpoly_clear(part, ring->ctx);
    return good && ct_ring_fits(ring, p);
}

bool ct_ring_reduce(ct_ring *ring, fmpz_mpoly_t p)
{
    for (uint32_t i = 0; i < ring->relation.count; i++)
        if (!ct_ring_apply(ring, p, &ring->relation.at[i]))
            return false;
    return true;
}
