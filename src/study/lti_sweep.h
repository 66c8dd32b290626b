/* lti_sweep.h - inside of the analysis of linear systems: values of G(s) by sparse elimination. */
#ifndef CT_STUDY_LTI_SWEEP_H
#define CT_STUDY_LTI_SWEEP_H

#include <klu.h>

#include "solve/many.h"
#include "study/lti.h"

struct ct_lti_sweep {
    ct_lti lti;       /* of which A, C and W stand below */
    int *start, *row; /* columns of the pattern of A and W */
    double *a, *w;
    uint32_t *c_start, *c_col; /* rows of C */
    double *c;
    ct_lti_cells cells;
    double complex *given;    /* values of cells */
    uint32_t *place;          /* of each cell, in value */
    double complex *value;    /* of M = s W - A */
    double complex *x, *b;    /* M x = b = column j of B + s E */
    double complex *y, *rest; /* M' y = row i of C */
    double complex s;
    uint32_t column; /* j of x */
    bool factored, solved;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    klu_common common;
    ct_many *many; /* for many points of a large system; NULL: not yet */
    bool planned;
};

/* Without its matrices. */
ct_lti_sweep *ct_lti_sweep_open(ct_arena *arena, const ct_lti *lti, const ct_lti_cells *cells);
void ct_lti_room_for_rows(ct_lti_sweep *sweep, ct_arena *arena, size_t count);

#endif
