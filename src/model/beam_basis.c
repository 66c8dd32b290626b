/* beam_basis.c - shapes of a body that bends; integrals by Gauss' rule in panels.
 *
 * Polynomials begin with what the frame leaves: clamped, the shape of a load at the tip and one
 * without deflection there, then shapes whose curvatures are the Legendre polynomials P_2, P_3, ...
 * By the integral of P_k, (P_(k+1) - P_(k-1))/(2 (2k+1)) on the unit length, each is a short
 * series.
 */
#include "model/beam_basis.h"

#include <math.h>
#include <string.h>

/* ---- series */

static double series_at(const double *c, double s)
{
    double t = 2 * s - 1, before = 1, now = t, sum = c[0] + c[1] * t;
    for (int k = 1; k + 1 < CT_BEAM_SERIES; k++) {
        double next = ((2 * k + 1) * t * now - k * before) / (k + 1);
        before = now, now = next;
        sum += c[k + 1] * now;
    }
    return sum;
}

/* The integral from 0. */
static void integrate(const double *c, double *out)
{
    memset(out, 0, CT_BEAM_SERIES * sizeof *out);
    for (int k = 0; k + 1 < CT_BEAM_SERIES; k++) {
        double part = c[k] / (2 * (2 * k + 1));
        out[k + 1] += part;
        if (k)
            out[k - 1] -= part;
        else
            out[0] += part;
    }
}

/* Adds a + b s to a shape: s = (P_0 + P_1)/2. */
static void add_line(ct_basis_shape *f, double a, double b)
{
    f->series[0][0] += a + b / 2;
    f->series[0][1] += b / 2;
    f->series[1][0] += b;
}

double ct_basis_at(const ct_basis_shape *f, int derivative, double s)
{
    return f->mode ? f->scale * ct_beam_mode_at(f->mode, derivative, s)
                   : series_at(f->series[derivative], s);
}

/* ---- integrals */

static const double rounding = 1e-13; /* of the parts of an integral that vanishes */
static const double point[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                0.9602898564975363},
                    weight_of[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                    0.1012285362903763};

enum { PANELS = 64 };

static double weight_at(ct_basis_weight weight, double s)
{
    return weight == CT_WEIGHT_S      ? s
           : weight == CT_WEIGHT_REST ? 1 - s
           : weight == CT_WEIGHT_ONE  ? 1
                                      : (1 - s * s) / 2;
}

double ct_basis_integral(const ct_basis_shape *a, const ct_basis_shape *b, int derivative,
                         ct_basis_weight weight, double end)
{
    double sum = 0, size = 0, h = end / PANELS;
    for (int i = 0; i < 8 * PANELS; i++) {
        double t = i % 2 ? point[i % 8 / 2] : -point[i % 8 / 2], s = h * (i / 8 + (1 + t) / 2);
        double value = weight_at(weight, s) * ct_basis_at(a, derivative, s);
        value *= (b ? ct_basis_at(b, derivative, s) : 1) * weight_of[i % 8 / 2] * h / 2;
        sum += value;
        size += fabs(value);
    }
    return fabs(sum) < rounding * size ? 0 : sum;
}

/* ---- polynomials */

static void set_curvature(ct_basis_shape *f, uint32_t k, ct_beam_reference reference)
{
    double *c = f->series[2];
    if (reference == CT_BEAM_CLAMPED && k < 2) { /* 3 (1 - s), 1 - 3 s */
        c[0] = k ? -0.5 : 1.5;
        c[1] = -1.5;
    } else {
        c[k] = 1;
    }
    integrate(f->series[2], f->series[1]);
    integrate(f->series[1], f->series[0]);
}

/* Takes off the line that leaves both ends, or the mean, at rest. */
static void set_rest(ct_basis_shape *f, ct_beam_reference reference)
{
    if (reference == CT_BEAM_CHORD)
        add_line(f, 0, -ct_basis_at(f, 0, 1));
    if (reference != CT_BEAM_MEAN)
        return;
    double mean = f->series[0][0], slope = f->series[0][1]; /* parts of P_0 and P_1 */
    add_line(f, slope - mean, -2 * slope);
}

/* ---- modes */

/* Amplitude one, or deflection one at the tip. */
static double scale_of(const ct_beam_mode *mode, ct_beam_reference reference)
{
    double of = reference == CT_BEAM_CHORD ? mode->weight[1] : ct_beam_mode_at(mode, 0, 1);
    return 1 / of;
}

static void set_modes(ct_arena *arena, uint32_t count, ct_beam_reference reference,
                      ct_basis_shape *shape)
{
    static const bool held[3][BEAM_ENDS] = {{true, true, false, false}, {true, false, true, false}};
    ct_beam beam;
    ct_beam_solve(arena, held[reference], count, &beam);
    for (uint32_t i = 0; i < count; i++) {
        shape[i].mode = &beam.mode[beam.rigid + i];
        shape[i].scale = scale_of(shape[i].mode, reference);
    }
}

ct_basis ct_basis_bending(ct_arena *arena, uint32_t count, bool modal, ct_beam_reference reference)
{
    ct_basis_shape *shape = CT_NEW_ARRAY(arena, ct_basis_shape, count + 1);
    if (modal)
        set_modes(arena, count, reference, shape);
    for (uint32_t i = 0; i < count && !modal; i++) {
        set_curvature(&shape[i], i, reference);
        set_rest(&shape[i], reference);
    }
    return (ct_basis){count, shape, !modal};
}

/* Strains are Legendre polynomials. */
ct_basis ct_basis_along(ct_arena *arena, uint32_t count, ct_beam_reference reference)
{
    ct_basis_shape *shape = CT_NEW_ARRAY(arena, ct_basis_shape, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        shape[i].series[1][i] = 1;
        integrate(shape[i].series[1], shape[i].series[0]);
        if (reference == CT_BEAM_MEAN)
            shape[i].series[0][0] = 0;
    }
    return (ct_basis){count, shape, true};
}
