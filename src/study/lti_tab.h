/* lti_tab.h - equations with constant coefficients, and the removal of what is no state.
 *
 *     W x' = A x + B_0 u + B_1 u' + ..        rows of equations
 *          y = C x + D_0 u + D_1 u' + ..      rows of outputs, below them
 *
 * One row is  W | A | B_0 | B_1 | ..  Each entry carries the size of the largest number that went
 * into it; one that falls to the rounding errors of that size becomes zero.
 */
#ifndef CT_STUDY_LTI_TAB_H
#define CT_STUDY_LTI_TAB_H

#include "study/lti_make.h"

typedef struct ct_lti_tab {
    ct_arena *arena;
    uint32_t rows, outputs, cols, m; /* rows: of equations */
    uint32_t degree;                 /* of the polynomials B, D in s */
    uint32_t room;                   /* columns of W and of A in memory */
    size_t stride;
    double *value, *size;
    bool singular; /* an equation 0 = 0, or 0 = something of u, was dropped */
} ct_lti_tab;

ct_lti_tab ct_lti_tab_new(ct_arena *arena, uint32_t rows, uint32_t outputs, uint32_t cols,
                          uint32_t m, uint32_t degree);
double *ct_lti_tab_w(const ct_lti_tab *tab, uint32_t row); /* W of a row */
double *ct_lti_tab_a(const ct_lti_tab *tab, uint32_t row);
double *ct_lti_tab_b(const ct_lti_tab *tab, uint32_t row); /* all blocks, m each */

/* After writing values. */
void ct_lti_tab_measure(ct_lti_tab *tab);

/* Solves algebraic equations for unknowns and puts them into the others, until the rows of W are
 * independent: infinite eigenvalues of s W - A are gone. Each unknown that goes takes its equation
 * with it. Equations that lose all unknowns are dropped. */
void ct_lti_tab_reduce(ct_lti_tab *tab);

/* W = 1, for as many equations as unknowns after the reduction. False: W is singular. */
bool ct_lti_tab_solve(ct_lti_tab *tab);

#endif
