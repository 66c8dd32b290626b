/* beam_shapes.h - shapes of a uniform beam of length 1, mass 1 and bending stiffness 1, in numbers.
 *
 * Four end coordinates: deflection and slope at the begin, deflection and slope at the end. Held
 * ones are kept, the others are free of force. Modes are orthonormal; those of rigid motion come
 * first. A static shape is 1 in its held coordinate and 0 in the other held ones, unloaded, and
 * orthogonal to rigid motion that is left.
 */
#ifndef CT_MODEL_BEAM_SHAPES_H
#define CT_MODEL_BEAM_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { BEAM_ENDS = 4, BEAM_DEGREE = 5 };

typedef struct ct_beam_mode {
    double b;         /* wave number; 0: rigid, a polynomial */
    double weight[4]; /* of cos bs, sin bs, exp(-bs), exp(-b(1-s)); of a rigid one of 1, s */
    const struct ct_ritz *ritz; /* NULL: as above; else a sum of polynomials (beam_ritz.h) */
    const double *vector;
} ct_beam_mode;

typedef struct ct_beam {
    bool held[BEAM_ENDS];
    uint32_t rigid, count; /* modes, rigid ones among them */
    const ct_beam_mode *mode;
    double shape[BEAM_ENDS][BEAM_DEGREE + 1]; /* static shapes, by powers of s */
    double compliance[BEAM_ENDS][BEAM_ENDS];  /* between free coordinates, without rigid motion */
    const struct ct_ritz *ritz;               /* NULL: uniform; else found by beam_ritz.h: */
    const double *static_vector[BEAM_ENDS], *share[BEAM_ENDS];
    double mass[BEAM_ENDS][BEAM_ENDS], stiffness[BEAM_ENDS][BEAM_ENDS]; /* of static shapes */
    uint32_t all; /* modes, with those that are left out */
    bool buckles; /* under its axial force: it has no such modes */
} ct_beam;

/* As a derivative: the slope, where it is not the turn of the section, which is 1. */
enum { CT_BEAM_SLOPE = 9 };

/* Points of Gauss in 0..1, `i` of CT_GAUSS. */
enum { CT_GAUSS = 16 };
double ct_gauss_at(uint32_t i, double *weight);

/* `modes` without the rigid ones. */
void ct_beam_solve(ct_arena *arena, const bool *held, uint32_t modes, ct_beam *out);
double ct_beam_mode_at(const ct_beam_mode *mode, int derivative, double s);
double ct_beam_shape_at(const ct_beam *beam, uint32_t end, int derivative, double s);
/* Integral over the length of two shapes (0 .. 3: static, 4 ..: modes), both differentiated. */
double ct_beam_product(const ct_beam *beam, uint32_t i, uint32_t j, int derivative);
double ct_beam_mean(const ct_beam *beam, uint32_t i);
/* Of two static shapes: products by mass, and twice the strain energy. */
double ct_beam_mass(const ct_beam *beam, uint32_t i, uint32_t j);
double ct_beam_stiffness(const ct_beam *beam, uint32_t i, uint32_t j);
/* Share of mode k in static shape `end`: the integral of their product. */
double ct_beam_share(const ct_beam *beam, uint32_t end, uint32_t k);

#endif
