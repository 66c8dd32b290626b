/* whole.h - inside the folder: the equations of a model before anything is eliminated, at a point.
 *
 * Elimination on expressions takes the pivots that are shortest. In numbers they can be bad ones:
 * of a ladder of junctions, whose conductances differ by ten powers of ten, nothing is left of some
 * digits. So numbers are those of the rows of components and nodes, with the values of all
 * unknowns, which Newton's method makes consistent to rounding.
 */
#ifndef CT_STUDY_WHOLE_H
#define CT_STUDY_WHOLE_H

#include "study/statespace.h"

typedef struct ct_whole {
    const ct_expr *row;      /* over all unknowns of the system */
    const uint32_t *unknown; /* all but states and what is nowhere, as many as rows */
    uint32_t count;
    ct_knowns known;       /* all of them, and states */
    const ct_point *point; /* with these values */
} ct_whole;

/* Where the entries stand, and their numbers; entry NULL: by programs. */
typedef struct ct_slopes {
    const ct_jacobian *pattern; /* with expressions, or without */
    const double *value;
    const ct_expr *differential; /* per row; NULL: the pattern has expressions */
    ct_linearising effort;
} ct_slopes;

/* Derivatives at the point, by expressions as long as these are short, else by programs. NULL after
 * reporting, or when *culprit has none. */
const ct_slopes *ct_slopes_at(const ct_statespace_def *def, const ct_knowns *known, ct_pool *pool,
                              const ct_expr *row, uint32_t rows, const ct_name *by, uint32_t cols,
                              ct_arena *arena, ct_expr *culprit);

uint32_t ct_count_nodes(ct_pool *pool, const ct_expr *e, uint32_t count);

/* Of derivatives by expressions, and by programs. */
ct_linearising ct_symbolic_effort(ct_pool *pool, const ct_jacobian *jacobian);
ct_linearising ct_program_effort(const ct_tangents *tangents);

/* `whole` is the reduced system, `r` the same with states that loops tie among its unknowns. NULL:
 * there are no such equations; nothing is reported. */
const ct_whole *ct_whole_new(const ct_reduced *whole, const ct_reduced *r,
                             const ct_statespace_def *def, ct_arena *arena);

/* W x' = A x + .. with all unknowns among x, none eliminated: as sparse as the equations are. */
void ct_whole_keep(ct_statespace *ss);

#endif
