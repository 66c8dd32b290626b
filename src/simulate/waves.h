/* waves.h - functions of time and parameters, compiled, with the times at which they jump or kink.
 */
#ifndef CT_SIMULATE_WAVES_H
#define CT_SIMULATE_WAVES_H

#include "simulate/simulate.h"

typedef struct ct_waves ct_waves;

/* Expressions over t and parameters, with the parameters' values in the order of the model's
 * quantities. NULL: it cannot be computed, or jumps at times that are not known beforehand. Nothing
 * is reported. */
ct_waves *ct_waves_new(const ct_model *model, const double *value, const ct_expr *e, uint32_t count,
                       ct_arena *arena);
void ct_waves_at(ct_waves *waves, double t, double *out);
/* The longest step that follows their sines; see timed.h. */
void ct_waves_follow(const ct_waves *waves, ct_run_def *def);
/* The next time after t at which something may jump or kink; INFINITY: none. */
double ct_waves_next_break(const ct_waves *waves, double t);
double ct_waves_next_jump(const ct_waves *waves, double t); /* the same without kinks */

#endif
