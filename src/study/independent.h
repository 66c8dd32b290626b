/* independent.h - closed loops solved for as many states as they tie. */
#ifndef CT_STUDY_INDEPENDENT_H
#define CT_STUDY_INDEPENDENT_H

#include "study/statespace.h"

/* The same system with fewer states: those that loops tie are algebraic unknowns. NULL after
 * reporting (E533). */
const ct_reduced *ct_independent(const ct_reduced *reduced, const ct_statespace_def *def,
                                 ct_arena *arena);

#endif
