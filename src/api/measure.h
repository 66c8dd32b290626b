/* measure.h - inside the folder: .meas cards on rows. */
#ifndef CT_API_MEASURE_H
#define CT_API_MEASURE_H

#include <cotree/cotree.h>

#include "spice/spice.h"

/* Columns from `first` on are the model's outputs, column 0 is what they are drawn over. block: see
 * measure.c. NULL: the netlist asks for nothing. */
const ct_result *ct_measure_rows(ct_context *ctx, const ct_syntax *syntax, const ct_rows *rows,
                                 uint32_t first, uint32_t block);
const ct_result *ct_measure_phasors(ct_context *ctx, const ct_syntax *syntax, const double *x,
                                    const double complex *column, uint64_t count, uint32_t width);
/* Leaves the first columns only. */
void ct_hide_columns(ct_context *ctx, ct_rows *rows, uint32_t cols);

#endif
