/* exact.h - frequency responses of linear models whose fields are taken as they are: by hyperbolic
 * functions of s, without modes or cells. */
#ifndef CT_STUDY_EXACT_H
#define CT_STUDY_EXACT_H

#include "study/statespace.h"

/* G(s) from the equations of the network, with each field as a two-port; inputs and outputs are
 * those of the state space, which has numbers. NULL after reporting: a field without exact
 * impedances, with taps or a load that moves (E424), equations that are not linear (E425), or that
 * read what only the finite model has (E426). */
ct_lti_sweep *ct_exact_sweep(const ct_statespace *ss, ct_arena *arena);

/* Roots of the same equations near those of the finite model, in place; how many were found. */
uint32_t ct_exact_roots(const ct_statespace *ss, ct_arena *arena, ct_mode *mode, uint32_t count);

#endif
