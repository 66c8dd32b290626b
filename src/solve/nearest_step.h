/* nearest_step.h - inside the search for the nearest point: rows at one point, and steps from it.
 */
#ifndef CT_SOLVE_NEAREST_STEP_H
#define CT_SOLVE_NEAREST_STEP_H

#include "solve/linear.h"
#include "solve/nearest.h"

typedef struct near_row {
    uint32_t end; /* in ct_nearest.entry */
    bool hard, guess;
    bool decides; /* between points that are equally near */
    double value;
    double share; /* of it in the system */
} near_row;

/* What is wanted is moved a little, by rows alone: so that no rounding chooses a way. */
typedef struct ct_nudge {
    double by; /* parts of units; 0: not at all */
    uint32_t pattern;
    const double *row; /* or by row that decides */
    bool loose;        /* without hard rows and guesses */
} ct_nudge;

struct ct_nearest {
    ct_arena *arena; /* of one point */
    double guess;    /* weight of guesses; 0: they are hard */
    double worst;    /* of hard rows */
    double missed;   /* by guesses */
    ct_nudge nudge;  /* of soft rows */
    uint32_t nudged; /* rows so far */
    CT_VEC(thin) entry;
    CT_VEC(near_row) row; /* soft ones with their weights, hard ones of length one */
};

/* The step p down a gradient g along hard rows C p + c = 0 with multipliers l, in the metric of
 * soft rows R. Heavy guesses count less in R: they would hide what is left to do.
 *
 *     s - R p = 0,   C p - sharing l = -c,   R^T s + C^T l + damping p = -g */
typedef struct near_system {
    uint32_t rows, cols, size, *start, *row;
    double *value, *b;
    double *multiplier; /* by row: of hard ones */
    ct_pattern pattern;
    ct_linear *linear;
} near_system;

double ct_near_nudge(ct_nudge n, uint32_t row); /* of the row that decides */
void ct_near_rows(ct_nearest *n, const ct_nearest_def *def);
/* False: the rows have no step. It lives as long as the rows. */
bool ct_near_open(const ct_nearest *n, uint32_t cols, near_system *a);
/* The least change that meets the hard rows; returns the square of the gradient along them. */
double ct_near_steps(const ct_nearest *n, near_system *a, double *normal);
/* The step to the least soft rows, were there no others. */
void ct_near_aside(const ct_nearest *n, near_system *a, double *step);
/* Newton's step along the hard rows, where they are met; returns the decrease that it promises, of
 * half the sum of squares. Multipliers are used if the step before was taken wholly, and become
 * those of the point where the step goes; `whole`: it goes as far as Newton wants. */
double ct_near_newton(ct_context *ctx, const ct_nearest_def *def, const ct_nearest *n,
                      near_system *a, double *multiplier, bool *whole, double *step);

#endif
