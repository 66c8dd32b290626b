/* ring.h - inside this folder: fractions of polynomials over generators, through FLINT.
 *
 * A generator is a symbol, a call, a root, an inexact number, or a part that was too large to look
 * into. Some obey a relation v^n = P: sin(x)^2 = 1 - cos(x)^2, and r^n = x for a root r = x^(1/n).
 *
 * MEMORY. FLINT takes its memory from malloc. Every polynomial that outlives one function of
 * fraction.c is listed in its ring and cleared with it; ct_simplify_all() closes the ring on every
 * way out. Functions of fraction.c clear what they initialise and take nothing from an arena in
 * between, because that can unwind.
 *
 * LIMITS. FLINT ends the program when memory runs out. An operation whose result could be large is
 * refused before it begins and sets `over`; the caller then takes another way. */
#ifndef CT_SIMPLIFY_RING_H
#define CT_SIMPLIFY_RING_H

#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>

#include "base/vec.h"
#include "expr/expr.h"
#include "expr/number.h"
#include "simplify/simplify.h"

/* A power above MOST_POWER, a degree above MOST_DEGREE or a number above MOST_BITS is left alone.
 */
enum { CT_MOST_POWER = 64, CT_MOST_DEGREE = 4096, CT_MOST_BITS = 4096 };
enum { CT_MOST_VARIABLES = 256, CT_SPARE = 16 };

typedef struct ct_fraction {
    fmpz_mpoly_t num, den; /* in lowest terms; den has a positive first coefficient */
} ct_fraction;

typedef struct ct_relation {
    slong variable;
    slong other; /* of a sine: its cosine; -1: a root */
    ulong power;
    fmpz_mpoly_struct *value; /* variable^power */
} ct_relation;

/* What a polynomial is a product of; NULL: it was not found. */
typedef struct ct_factored {
    fmpz_mpoly_struct *of;
    fmpz_mpoly_factor_struct *factors;
} ct_factored;

typedef struct ct_ring {
    ct_arena *arena;
    bool open;
    fmpz_mpoly_ctx_t ctx;
    slong variables;
    CT_VEC(fmpz_mpoly_struct *) live;
    CT_VEC(fmpz_mpoly_factor_struct *) live_factors;
    CT_VEC(ct_factored) factored; /* the same sums are tried in several forms */
    CT_VEC(ct_relation) relation;
    ulong *power, *other; /* scratch: exponents of a term */
    slong terms;          /* the most that a polynomial may have */
    uint64_t work;        /* still allowed: products of terms */
    bool over;
    bool uncancelled; /* some common factors were not looked for */
} ct_ring;

/* ---- ring.c */
void ct_ring_open(ct_ring *ring, slong variables);
void ct_ring_close(ct_ring *ring);
fmpz_mpoly_struct *ct_ring_poly(ct_ring *ring);           /* a new one, 0 */
void ct_ring_drop(ct_ring *ring, uint32_t kept);          /* all polynomials but the first ones */
ct_fraction *ct_ring_fraction(ct_ring *ring);             /* a new one, 0/1 */
fmpz_mpoly_factor_struct *ct_ring_factors(ct_ring *ring); /* a new list */
fmpz_mpoly_factor_struct *ct_ring_factor(ct_ring *ring, const fmpz_mpoly_t p); /* NULL: no */
bool ct_ring_spend(ct_ring *ring, uint64_t work);
bool ct_ring_fits(ct_ring *ring, const fmpz_mpoly_t p);
bool ct_ring_multiply(ct_ring *ring, fmpz_mpoly_t out, const fmpz_mpoly_t a, const fmpz_mpoly_t b);
/* Divides both by what they have in common: `divided`, which may be NULL. Where that would take too
 * long they stay, and `uncancelled` is set. */
void ct_ring_cancel(ct_ring *ring, fmpz_mpoly_t a, fmpz_mpoly_t b, fmpz_mpoly_struct *divided);
/* Replaces powers of the variable of a relation. */
bool ct_ring_apply(ct_ring *ring, fmpz_mpoly_t p, const ct_relation *relation);
bool ct_ring_reduce(ct_ring *ring, fmpz_mpoly_t p); /* by all relations */

/* ---- fraction.c; false: over, the result is of no use */
bool ct_fraction_set_number(ct_ring *ring, ct_fraction *out, const ct_number *number);
void ct_fraction_set_variable(ct_ring *ring, ct_fraction *out, slong variable);
bool ct_fraction_add(ct_ring *ring, ct_fraction *sum, const ct_fraction *b); /* sum += b */
bool ct_fraction_mul(ct_ring *ring, ct_fraction *product, const ct_fraction *b);
bool ct_fraction_pow(ct_ring *ring, ct_fraction *out, const ct_fraction *a, int64_t n);
void ct_fraction_settle(ct_ring *ring, ct_fraction *f); /* lowest terms, sign */
void ct_fraction_copy(ct_ring *ring, ct_fraction *to, const ct_fraction *from);

#endif
