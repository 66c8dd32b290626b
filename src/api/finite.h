/* finite.h - inside the folder: results that are no numbers are told. */
#ifndef CT_API_FINITE_H
#define CT_API_FINITE_H

#include "model/model.h"

/* Warns of each output that is not finite somewhere, with the first place: columns from `first` on
 * are the model's outputs, column 0 tells where. */
void ct_warn_of_rows(const ct_model *model, const ct_rows *rows, uint32_t first);
void ct_warn_of_point(const ct_model *model, const ct_point *point);

#endif
