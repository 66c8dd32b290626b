/* form.h - inside this folder: writing polynomials as expressions. */
#ifndef CT_SIMPLIFY_FORM_H
#define CT_SIMPLIFY_FORM_H

#include "simplify/task.h"

/* One side of the fraction bar: content * product of part^power. */
typedef struct ct_form_side {
    fmpz *content; /* belongs to `factors` or to the ring */
    fmpz_mpoly_struct *part;
    fmpz *power; /* NULL: all 1 */
    slong count;
    size_t length;
} ct_form_side;

typedef struct ct_writer {
    ct_task *task;
    ct_ring *ring;
    ct_pool *pool;
    const ct_expr *gen;
    CT_VEC(ct_expr) factor; /* of a term, or of the whole */
    CT_VEC(ct_expr) term;
} ct_writer;

/* ---- form.c */
size_t ct_poly_length(const ct_task *t, const fmpz_mpoly_t p); /* characters, about */
/* Of a term, with the three characters of " + " behind it. */
size_t ct_term_length(const ct_task *t, const ulong *power, const fmpz_t c);
/* Factored, where that is not longer. */
ct_form_side ct_side_of_poly(ct_task *t, fmpz_mpoly_struct *p);
ct_expr ct_write_integer(ct_writer *w, const fmpz_t z);
/* coefficient * product of gen^(power - less); less may be NULL */
ct_expr ct_write_monomial(ct_writer *w, const fmpz_t coefficient, const ulong *power,
                          const slong *less);

/* ---- collect.c */
ct_expr ct_write_collected(ct_writer *w, fmpz_mpoly_struct *p);

/* ---- circle.c */
/* A sum of terms, with c1*c2 + s1*s2 written as cos(x1 - x2). */
ct_expr ct_write_circle(ct_writer *w, const fmpz_mpoly_t p);

#endif
