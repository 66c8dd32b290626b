/* linear.h - linear systems A y = b with a fixed pattern, solved again and again.
 *
 * Small systems are factored by a recipe (recipe.c), large ones by KLU. The caller fills value[] in
 * the order of the pattern, factors, and solves as often as it likes. Memory of the caller comes
 * from an arena; KLU keeps its own, which ct_linear_free() gives back.
 */
#ifndef CT_SOLVE_LINEAR_H
#define CT_SOLVE_LINEAR_H

#include <klu.h>

#include "solve/problem.h"

/* A square pattern by columns, made from a part of a given one. */
typedef struct ct_pattern {
    uint32_t n, count;
    int *start, *row;   /* start has n + 1 entries; rows of a column are distinct */
    uint32_t *place;    /* of each entry of the given pattern; UINT32_MAX: outside the part */
    uint32_t *diagonal; /* of the first diagonal_count columns */
    uint32_t diagonal_count;
} ct_pattern;

/* Rows and columns first .. first + n - 1 of a pattern with `columns` columns; the first
 * diagonal_count diagonal entries are present in any case. */
ct_pattern ct_pattern_part(ct_arena *arena, uint32_t columns, const uint32_t *start,
                           const uint32_t *row, uint32_t first, uint32_t n,
                           uint32_t diagonal_count);

/* target = part of the given values; entries given twice add up. */
void ct_pattern_gather(const ct_pattern *pattern, uint32_t columns, const uint32_t *start,
                       const double *given, double *target);

typedef struct ct_recipe ct_recipe;

typedef struct ct_linear {
    ct_arena *arena;
    uint32_t n, count;
    int *start, *row;
    double *value;     /* of A, in the order of row; one more is the caller's */
    ct_recipe *recipe; /* of a small system; NULL: sparse */
    /* sparse */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    struct ct_lu *lu;              /* takes its place where old pivots are trusted; NULL: none */
    struct ct_definite *symmetric; /* of dear matrices; NULL: none */
    bool by_symmetric, asymmetric; /* its factors count; it will not be tried again */
    double growth, fresh_ratio;    /* of the last full factorization: rgrowth, pivot_ratio */
    uint32_t trusted;              /* so many times old pivots are taken without a look at them */
    uint32_t unseen;               /* since the last look */
    bool fresh;                    /* pivots are to be chosen anew */
    bool often;                    /* it is factored some hundred times: lu is worth its making */
    /* report */
    double pivot_ratio;     /* least by largest pivot, rows scaled to maximum 1 */
    ct_solve_status status; /* of the last factorization */
    uint32_t singular_at;   /* column without a pivot (recipe: with the least one), or UINT32_MAX */
    uint64_t factor_count, solve_count;
} ct_linear;

ct_linear *ct_linear_new(ct_arena *arena, const ct_pattern *pattern);
/* The same by KLU whatever the size: for systems that are factored some hundred times and more. */
ct_linear *ct_linear_new_sparse(ct_arena *arena, const ct_pattern *pattern);
void ct_linear_free(ct_linear *linear); /* KLU's memory only; NULL is accepted */

/* CT_SOLVED, CT_SINGULAR (singular_at tells where), CT_NOT_FINITE or CT_NO_MEMORY_LEFT. */
ct_solve_status ct_linear_factor(ct_linear *linear);
void ct_linear_solve(ct_linear *linear, double *b); /* b becomes y */

/* Only a part counts from now on (lu.h), NULL: all does. What is outside is left as it is. False:
 * not for this system; all does. */
bool ct_linear_focus(ct_linear *linear, const uint8_t *level, uint8_t least);
/* Of a factorization, in solutions. */
double ct_linear_work(const ct_linear *linear);
bool ct_linear_is_focused(const ct_linear *linear);

/* Used by ct_linear_factor() and ct_linear_solve(). */
ct_recipe *ct_recipe_new(ct_arena *arena, uint32_t n, uint32_t count);
ct_solve_status ct_recipe_factor(ct_linear *linear);
void ct_recipe_solve(ct_linear *linear, double *b);
ct_solve_status ct_klu_factor(ct_linear *linear);
void ct_klu_solve(ct_linear *linear, double *b);

#endif
