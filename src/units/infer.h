/* infer.h - dimensions that follow from use.
 *
 * A bare number and a parameter without unit have an unknown dimension. Each expression gets a
 * *term*: a known dimension times powers of unknowns, i.e. a linear form in the exponents. Places
 * that ask for equal dimensions give linear equations between terms; they are solved as they come,
 * so that the first contradiction is met where it is written.
 */
#ifndef CT_UNITS_INFER_H
#define CT_UNITS_INFER_H

#include "base/source.h"
#include "units/units.h"

typedef struct ct_infer ct_infer;
typedef uint32_t ct_unknown; /* 0: none */

typedef struct ct_dim_term {
    ct_dim known;
    uint32_t count; /* unknowns in it */
    const struct ct_dim_factor {
        ct_unknown unknown;
        double power;
    } * factor; /* sorted by unknown; in the arena of the ct_infer */
} ct_dim_term;

ct_infer *ct_infer_new(ct_arena *arena);

/* A new unknown. name: of a parameter, or 0 for a bare number; place: where it stands. */
ct_unknown ct_infer_unknown(ct_infer *infer, ct_name name, ct_place place);

ct_dim_term ct_term_known(ct_dim dim);
ct_dim_term ct_term_unknown(ct_infer *infer, ct_unknown unknown);
ct_dim_term ct_term_product(ct_infer *infer, ct_dim_term a, ct_dim_term b,
                            double power); /* a b^power */

/* Demands a = b at a place. False when they contradict: then *a_dim and *b_dim are the two
 * dimensions as far as they are known, and *culprit is an unknown with a name whose earlier use
 * fixed the one side (0 if none). */
typedef struct ct_dim_conflict {
    ct_dim a, b;
    ct_unknown culprit;
    ct_place earlier; /* where the culprit got its dimension */
} ct_dim_conflict;
bool ct_infer_equal(ct_infer *infer, ct_dim_term a, ct_dim_term b, ct_place place,
                    ct_dim_conflict *conflict);

/* True when the term's dimension is settled; *dim is then it. What is not settled counts as
 * dimensionless, and *dim has that. */
bool ct_infer_resolve(ct_infer *infer, ct_dim_term term, ct_dim *dim);

/* The term in unknowns that are still free. */
ct_dim_term ct_infer_free(ct_infer *infer, ct_dim_term term);

uint32_t ct_infer_count(const ct_infer *infer); /* unknowns are 1..count */
ct_name ct_infer_name(const ct_infer *infer, ct_unknown unknown);
ct_place ct_infer_place(const ct_infer *infer, ct_unknown unknown);

#endif
