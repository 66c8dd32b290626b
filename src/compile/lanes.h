/* lanes.h - a program for CT_LANES sets of variables and parameters at once.
 *
 * Values are interleaved: that of set l and variable i stands at variable[CT_LANES * i + l], and so
 * do parameters and outputs. The tape is read once for all sets, and their arithmetic shares vector
 * instructions; each set gets the bits that ct_program_run would give it. */
#ifndef CT_COMPILE_LANES_H
#define CT_COMPILE_LANES_H

#include "compile/program.h"

enum { CT_LANES = 8 };

/* Doubles of work space that these calls need. */
size_t ct_lanes_work(const ct_program *program);

void ct_lanes_prepare(const ct_program *program, const double *parameter, double *work);
void ct_lanes_run(const ct_program *program, const double *variable, double *output, double *work);

#endif
