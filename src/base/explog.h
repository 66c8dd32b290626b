/* explog.h - exponential and natural logarithm, the same bits everywhere: on the tape, in machine
 * code, in lanes, in exported C, for one argument or four at once.
 *
 * Errors are below 0.52 units of the last place, 0.76 where exp is no normal number. */
#ifndef CT_BASE_EXPLOG_H
#define CT_BASE_EXPLOG_H

#include "base/wide.h"

double ct_exp(double x);
double ct_log(double x);

ct_wide_fn ct_wide_exp(void);
ct_wide_fn ct_wide_log(void);

#endif
