/* at_point.h - inside the folder: what an operating point says exactly. */
#ifndef CT_STUDY_AT_POINT_H
#define CT_STUDY_AT_POINT_H

#include "study/statespace.h"

/* Puts values of variables into the entries (by rows, in any order) and constants, in place: zeros,
 * parts of a turn, and what somebody gave as a short number. Other variables stay symbols. */
void ct_put_in_exact(const ct_statespace_def *def, const ct_model *model, ct_arena *arena,
                     ct_pool *pool, ct_entry *entry, uint32_t entries, ct_expr *constant,
                     uint32_t constants);

#endif
