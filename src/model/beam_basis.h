/* beam_basis.h - shapes of a body that bends, along its unit length s = 0 .. 1, in numbers.
 *
 * Deflections: polynomials, or modes of the uniform beam. Their second derivatives are orthogonal,
 * so that the stiffness is diagonal. What the frame of the body holds (its begin, its chord, or its
 * mean) the shapes leave at rest.
 */
#ifndef CT_MODEL_BEAM_BASIS_H
#define CT_MODEL_BEAM_BASIS_H

#include "model/beam_shapes.h"

typedef enum ct_beam_reference { CT_BEAM_CLAMPED, CT_BEAM_CHORD, CT_BEAM_MEAN } ct_beam_reference;

enum { CT_BEAM_SERIES = 48 }; /* Legendre polynomials in one shape */

/* A shape and its derivatives: a series of Legendre polynomials each, or a mode times `scale`. */
typedef struct ct_basis_shape {
    const ct_beam_mode *mode; /* NULL: series */
    double scale;
    double series[3][CT_BEAM_SERIES];
} ct_basis_shape;

typedef struct ct_basis {
    uint32_t count;
    const ct_basis_shape *shape;
    bool exact; /* polynomials: their integrals are ratios of whole numbers */
} ct_basis;

/* Deflections; more than CT_BEAM_SERIES - 6 shapes are too many. */
ct_basis ct_basis_bending(ct_arena *arena, uint32_t count, bool modal, ct_beam_reference reference);
/* Displacements along the axis, or twist. */
ct_basis ct_basis_along(ct_arena *arena, uint32_t count, ct_beam_reference reference);
double ct_basis_at(const ct_basis_shape *shape, int derivative, double s);

/* Integral from 0 to `end` of a weight times two shapes (NULL: one), differentiated. */
typedef enum ct_basis_weight {
    CT_WEIGHT_ONE,
    CT_WEIGHT_S,         /* s */
    CT_WEIGHT_REST,      /* 1 - s */
    CT_WEIGHT_REST_TWICE /* (1 - s^2)/2 */
} ct_basis_weight;
double ct_basis_integral(const ct_basis_shape *a, const ct_basis_shape *b, int derivative,
                         ct_basis_weight weight, double end);

#endif
