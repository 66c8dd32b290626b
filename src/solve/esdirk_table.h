/* esdirk_table.h - the tables of esdirk.h. */
#ifndef CT_SOLVE_ESDIRK_TABLE_H
#define CT_SOLVE_ESDIRK_TABLE_H

enum { CT_ESDIRK_STAGES = 6, CT_ESDIRK_GUESSED = 4 };

static const double ct_esdirk_gamma = 0.25;
extern const double ct_esdirk_node[CT_ESDIRK_STAGES], ct_esdirk_embedded[CT_ESDIRK_STAGES];
extern const double ct_esdirk_table[CT_ESDIRK_STAGES][CT_ESDIRK_STAGES];
extern const double ct_esdirk_inner[2]; /* where rows are farthest from stages */

typedef struct ct_esdirk_dense {
    double power[CT_ESDIRK_STAGES - 1][CT_ESDIRK_STAGES];    /* factors of stages, by powers of x */
    double rate[CT_ESDIRK_STAGES - 1][CT_ESDIRK_STAGES - 1]; /* of rates without stage 1 */
    /* of the stages before, for guesses of stages from CT_ESDIRK_GUESSED on */
    double guess[CT_ESDIRK_STAGES - CT_ESDIRK_GUESSED][CT_ESDIRK_STAGES];
} ct_esdirk_dense;

void ct_esdirk_open(ct_esdirk_dense *dense);
/* Factors of the stages for z at x, from 0 to 1 over the step. */
void ct_esdirk_factors(const ct_esdirk_dense *dense, double x, double *by);
/* Those of rates for q and q' at x, right to order 4, without stage 1. */
void ct_esdirk_between(const ct_esdirk_dense *dense, double x, double *of_q, double *of_rate);

#endif
