/* beam_ritz.h - modes and static shapes of a beam that may vary along its length, in numbers
 * [Rayleigh, Ritz].
 *
 * Along s = x/length the turn of sections times the length is theta, the shear is gamma, and
 *
 *     theta = theta_0 + integral of kappa,    w = w_0 + integral of (theta + gamma);
 *
 * kappa and gamma are sums of Legendre polynomials. So both parts of the strain energy are nearly
 * diagonal, however slender the beam is. Without gamma sections stay normal to the axis (Euler,
 * Rayleigh); without theta and kappa what is left is a bar, a shaft or a string.
 */
#ifndef CT_MODEL_BEAM_RITZ_H
#define CT_MODEL_BEAM_RITZ_H

#include "model/beam_shapes.h"

/* At one place: per length, or times length. */
typedef struct ct_ritz_section {
    double mass, inertia; /* rho A, rho I */
    double bend, shear;   /* E I, kappa G A */
    double tension;       /* axial force */
} ct_ritz_section;

typedef struct ct_ritz {
    uint32_t bend, shear; /* polynomials of kappa and gamma; bend 0: no theta */
    uint32_t n;           /* unknowns: w_0, theta_0, kappa, gamma */
} ct_ritz;

typedef struct ct_ritz_def {
    bool held[BEAM_ENDS];
    bool bends, shears;
    uint32_t modes; /* without rigid ones */
    double length;
    ct_ritz_section (*at)(void *user, double s);
    void *user;
} ct_ritz_def;

/* Modes have mass 1 and b^4 = omega^2. The beam has all modes that were found behind those that
 * were asked for; false: some part of it has no mass or no stiffness. */
bool ct_ritz_solve(ct_arena *arena, const ct_ritz_def *def, ct_beam *out);
/* The same with all modes. */
ct_beam ct_ritz_all(const ct_beam *beam);

/* Deflection (0), turn (1) or slope (CT_BEAM_SLOPE) of a shape at s. */
double ct_ritz_at(const ct_ritz *ritz, const double *shape, int what, double s);

#endif
