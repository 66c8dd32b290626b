/* inside.h - inside the folder: a back end is a row. */
#ifndef CT_RUNNER_INSIDE_H
#define CT_RUNNER_INSIDE_H

#include "runner/runner.h"

/* Tasks give NULL when they are done, well or with a report; else a few words why this back end
 * cannot do it. */
typedef struct ct_runner_type {
    const char *word;
    const char *(*make)(ct_simulator *s); /* makes what can be made before the first task */
    const char *(*run)(ct_simulator *s, const ct_simulation_def *def, ct_arena *arena,
                       const ct_simulation **made);
    const char *(*rest)(ct_simulator *s, double t, ct_arena *arena, const ct_point **made);
    const char *(*at)(ct_simulator *s, double t, const ct_state_value *given, uint32_t count,
                      ct_arena *arena, const ct_point **made);
    void (*set)(ct_simulator *s); /* values have changed */
    void (*clone)(const ct_simulator *from, ct_simulator *to);
} ct_runner_type;

#define CT_NUMERIC_FORM "numeric" /* the form that asks for this back end alone */
#define CT_QUICK_FORM   "quick"   /* the usual one, when tolerances are known to be loose */

/* What variables are worth at rest by numbers alone: a ct_rest_finder of derived equations. */
bool ct_numeric_rest(void *simulator, double t, const ct_name *symbol, uint32_t count, double *out);

extern const ct_runner_type ct_modal_runner, ct_numeric_runner, ct_symbolic_runner;

#endif
