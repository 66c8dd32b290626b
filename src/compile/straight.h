/* straight.h - machine code for sums of products that are formed again and again in one order, as
 * in the elimination of a matrix whose pattern is fixed: no loops, no branches.
 *
 * Numbers stand in three arrays, those of a ct_straight_fn. Each operation is one rounded
 * operation: loops that do the same in the same order get the same bits.
 */
#ifndef CT_COMPILE_STRAIGHT_H
#define CT_COMPILE_STRAIGHT_H

#include "base/context.h"

typedef enum ct_straight_array {
    CT_STRAIGHT_WORK,
    CT_STRAIGHT_VARIABLE,
    CT_STRAIGHT_OUTPUT
} ct_straight_array;

typedef struct ct_straight_place {
    ct_straight_array array;
    uint32_t index;
} ct_straight_place;

typedef void (*ct_straight_fn)(double *work, const double *variable, double *output);

typedef struct ct_straight ct_straight;

/* NULL: there is no machine code here. It lives in a memory of its own until it is done. */
ct_straight *ct_straight_new(ct_context *ctx);

/* The sum at hand: from a number, from zero, from 1 by a number. */
void ct_straight_start(ct_straight *s, ct_straight_place from);
void ct_straight_start_zero(ct_straight *s);
void ct_straight_start_inverse(ct_straight *s, ct_straight_place of);
void ct_straight_subtract(ct_straight *s, ct_straight_place a, ct_straight_place b); /* a times b */
void ct_straight_times(ct_straight *s, ct_straight_place by);
void ct_straight_store(ct_straight *s, ct_straight_place to);
/* Adds what was stored last to a sum of all such, which is what `to` gets: not finite where one of
 * them is not. */
void ct_straight_check(ct_straight *s);
void ct_straight_store_check(ct_straight *s, ct_straight_place to);

/* The code, as a guest of the arena; NULL: the system does not allow it. s is gone. */
ct_straight_fn ct_straight_done(ct_straight *s, ct_arena *arena);

#endif
