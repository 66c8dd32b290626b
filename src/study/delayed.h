/* delayed.h - the linear model of a system with transport delays.
 *
 * exp(-s T) is no ratio of polynomials. In matrices each delay is its Pade approximation, with
 * states of its own; frequency responses and margins have it as it is.
 */
#ifndef CT_STUDY_DELAYED_H
#define CT_STUDY_DELAYED_H

#include "study/statespace.h"

enum { CT_PADE_ORDER = 5, CT_MOST_PADE = 12 }; /* the usual order, the largest */

/* Are there delays, and no other clocks? */
bool ct_model_is_delayed(const ct_model *model);

/* Arguments as those of ct_sampled_new(), and the order of the approximations. NULL after reporting
 * (E595); tells the order (W582). */
ct_statespace *ct_delayed_new(const ct_statespace *plant, const ct_reduced *reduced,
                              const ct_point *point, uint32_t order);

#endif
