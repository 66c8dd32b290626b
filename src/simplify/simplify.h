/* simplify.h - expressions as a person would write them.
 *
 * Full simplification turns an expression into a fraction of two polynomials without common
 * factors, with sin(x)^2 + cos(x)^2 = 1 used, and writes that in the shortest of several ways:
 * factored or not, with divisors term by term or below one bar, or as it was. A long one is always
 * a ratio: the old form is kept only if it is one, or short. It is for what is shown; nothing that
 * runs depends on it.
 *
 * A pool merges nodes of equal value, and the oldest form wins: the short form is therefore built
 * in a second pool, where the long one has never been. Names are common to both.
 *
 * The value never changes. Work is limited: a part that grows beyond the budget is carried over as
 * it is, and `complete` is false. */
#ifndef CT_SIMPLIFY_SIMPLIFY_H
#define CT_SIMPLIFY_SIMPLIFY_H

#include "expr/expr.h"

typedef enum ct_simplify {
    CT_SIMPLIFY_NONE, /* as elimination left it */
    CT_SIMPLIFY_FAST, /* what all terms of an equation are divided by is dropped */
    CT_SIMPLIFY_FULL, /* this folder */
} ct_simplify;

extern const ct_word ct_simplify_words[];                       /* in the order of ct_simplify */
bool ct_simplify_find(const char *word, ct_simplify *simplify); /* "full"; false: no such word */

typedef struct ct_simplify_budget {
    uint32_t terms; /* of any polynomial on the way */
    uint64_t work;  /* products of two terms, or as much, in all that one simplifier does */
    double seconds; /* of processor time: the last resort, in all; results up to it do not depend on
                       the machine */
} ct_simplify_budget;

ct_simplify_budget ct_default_simplify_budget(void);

typedef struct ct_simplifier ct_simplifier;

/* What was simplified before is remembered; both pools must outlive it, `to` is best a new one. */
ct_simplifier *ct_simplifier_new(ct_arena *arena, ct_pool *from, ct_pool *to,
                                 ct_simplify_budget budget);
/* The short form, in `to`. *complete may be NULL; 0 in, 0 out. */
ct_expr ct_simplify_full(ct_simplifier *s, ct_expr e, bool *complete);
/* e as it is, in `to`. */
ct_expr ct_simplify_carry(ct_simplifier *s, ct_expr e);
/* How hard e is to read: its characters, and some more for fractions inside of fractions. */
size_t ct_simplify_cost(ct_pool *pool, ct_expr e, ct_arena *arena);

#endif
