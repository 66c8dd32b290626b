/* matrix.h - matrices of whole numbers as MATLAB writes them.
 *
 *     [1 2 1 4; 2,2,3,3]      rows end at ; or at the end of the line, brackets may be left out
 *
 * `%` begins a comment, `...` goes on in the next line, empty rows do not count.
 */
#ifndef CT_LG2SS_MATRIX_H
#define CT_LG2SS_MATRIX_H

#include <stdbool.h>

#include "base/diag.h"

typedef struct ct_lg_entry {
    int64_t value; /* -1: no whole number from 0 to a thousand million */
    ct_place place;
} ct_lg_entry;

typedef struct ct_lg_matrix {
    const ct_lg_entry *entry;
    const uint32_t *first; /* per row its first entry, and one more: where the last row ends */
    uint32_t rows;
    uint32_t source;
} ct_lg_matrix;

/* NULL after reporting E701. The rows may differ in length. */
const ct_lg_matrix *ct_lg_matrix_read(ct_context *ctx, ct_arena *arena, uint32_t source);

#endif
