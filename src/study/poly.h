/* poly.h - inside the folder: polynomials in s with expressions as coefficients. Whether a
 * coefficient is zero is decided by fingerprints. */
#ifndef CT_STUDY_POLY_H
#define CT_STUDY_POLY_H

#include "study/transfer.h"

ct_poly ct_poly_zero(ct_arena *arena, uint32_t count);
void ct_poly_trim(const ct_pool *pool, ct_poly *a); /* drops zeros at the end */
/* a += factor * s^shift * b; a has room for it. */
void ct_poly_add(ct_pool *pool, ct_poly *a, const ct_poly *b, ct_expr factor, uint32_t shift);
/* Both divided by what they have in common; den begins with s^n if it did before. */
void ct_poly_cancel(ct_arena *arena, ct_pool *pool, ct_poly *num, ct_poly *den);

#endif
