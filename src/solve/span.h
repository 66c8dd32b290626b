/* span.h - a stretch of a run between two breaks: where steps may end, and which rows they hold. */
#ifndef CT_SOLVE_SPAN_H
#define CT_SOLVE_SPAN_H

#include "solve/problem.h"

typedef struct ct_span {
    const ct_run_def *def;
    double t, to;            /* the step that is being made */
    double end, first, last; /* of the stretch; it is evaluated between first and last */
    bool break_at_end;
    bool lands; /* rows are so few that steps end there */
    uint32_t next_row;
} ct_span;

/* Below this two times are one. */
double ct_hair(double from, double to);

ct_span ct_span_new(const ct_run_def *def);
/* The stretch that begins at t; those too short to hold a step are passed over. */
void ct_span_begin(ct_span *s, double (*next_break)(void *user, double t), void *user);
double ct_span_inside(const ct_span *s, double t);
/* Sets the end of a step of about h, and gives its size: it ends where it should at the latest, or
 * brings that near in equal steps. */
double ct_span_fit(ct_span *s, double h);
bool ct_span_holds(const ct_span *s, double h); /* is a step of this size one? */
/* The next row of the step; one at a break belongs to the stretch behind it. */
bool ct_span_row(const ct_span *s, double *t);
/* Those before the end of the step, counted up to the most. */
uint32_t ct_span_rows_inside(const ct_span *s, uint32_t most);
void ct_span_tell(const ct_span *s); /* that a step was made */

#endif
