/* nearest.h - of the points that meet hard rows, the one where guesses, and then soft rows, are
 * least in the sense of least squares: the point nearest to a wanted one.
 *
 * The unknowns are known to the caller alone, who gives rows at the present point and moves it.
 */
#ifndef CT_SOLVE_NEAREST_H
#define CT_SOLVE_NEAREST_H

#include "solve/orthogonal.h"

typedef struct ct_nearest ct_nearest;

typedef struct ct_nearest_def {
    void *user;
    uint32_t cols;
    /* Calls ct_nearest_hard, _guess and _soft for all rows, in the same order each time. */
    void (*rows)(void *user, ct_nearest *into);
    /* Size of a change; about one is as far as a linear row may be believed. */
    double (*length)(void *user, const double *step);
    void (*move)(void *user, const double *step);
    /* All numbers of the point; it is put back by them and a step of zero. */
    double *point[2];
    uint32_t point_count[2];
    double closed; /* hard rows are met below it, as changes of unknowns */
    /* Several points may be nearest: a saddle is left, and of points that are equally near the one
     * is taken whose first soft row that differs is larger. */
    bool ties;
    bool backward;  /* or smaller */
    uint32_t *tied; /* out: that row among those with a unit, plus 1, where one was as near */
} ct_nearest_def;

/* value + entry.step = 0, columns ascending. */
void ct_nearest_hard(ct_nearest *into, const thin *entry, uint32_t count, double value);
/* unit: of its value, as large as the whole is; 0: it decides nothing between equals. */
void ct_nearest_soft(ct_nearest *into, const thin *entry, uint32_t count, double value,
                     double weight, double unit);
/* Soft, but ranked before all other soft rows: met exactly where it can be. */
void ct_nearest_guess(ct_nearest *into, const thin *entry, uint32_t count, double value,
                      double weight);

/* False: hard rows cannot be met from here; the point is as near to it as it came. */
bool ct_find_nearest(ct_context *ctx, const ct_nearest_def *def);

#endif
