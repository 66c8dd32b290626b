/* lti.h - a linear system in numbers, and what control engineers ask of it.
 *
 *     W x' = A x + B u + E u',   y = C x + D u + F u'      W: identity when NULL
 *
 *     G(s) = C (s W - A)^-1 (B + s E) + D + s F
 *
 * Matrices are row-major; E, F, D may be NULL: zero. Numbers only: nothing here knows of models.
 *
 * A sampled system x[k+1] = A x[k] + B u[k] is one of the same form in d = (z - 1)/period instead
 * of s (ct_lti_of_ticks): what rests, z = 1, is d = 0, and slow roots are where they are in s.
 *
 * All functions throw (base/context.h) CT_ERR_USAGE when an entry is not finite, CT_ERR_MODEL when
 * s W - A is singular for every s, so that u does not determine x, and CT_ERR_CONVERGENCE when an
 * eigenvalue iteration fails. ct_lti_check() says beforehand whether one of the first two happens.
 *
 * Ranks are decided entry by entry: what cancels down to the rounding errors of the numbers that it
 * was made of is zero. No tolerance depends on the largest number of the system, so that fast and
 * slow parts in units far apart do not hide each other.
 */
#ifndef CT_STUDY_LTI_H
#define CT_STUDY_LTI_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

typedef struct ct_lti {
    uint32_t n, m, p; /* states, inputs, outputs */
    const double *A, *B, *C, *D, *E, *F, *W;
    double period;              /* s: the variable is d; 0: it is s */
    struct ct_lti_sweep *exact; /* margins are those of this response, which is near; NULL: none */
} ct_lti;

/* Of x[k+1] = A x[k] + B u[k], y[k] = C x[k] + D u[k]. */
ct_lti ct_lti_of_ticks(ct_arena *arena, const ct_lti *in_z, double period);

/* The variable on the edge of stability: s = i omega, or d at z = exp(i omega period). */
double complex ct_lti_edge(double period, double omega);

/* CT_OK, CT_ERR_USAGE, CT_ERR_MODEL as above. */
ct_status ct_lti_check(ct_arena *arena, const ct_lti *lti);

/* ---- roots --------------------------------------------------------------------------------- */

/* A root of a polynomial or pencil with its meaning. */
typedef struct ct_mode {
    double re, im;
    double frequency; /* natural, rad/s: |s| */
    double damping;   /* -re/|s|; NaN for a root at zero */
    double time;      /* time constant -1/re, negative for what grows; INFINITY at re = 0 */
} ct_mode;

/* Of a root in z with its meaning for s, z = exp(s period): frequency infinite for z = 0. */
ct_mode ct_mode_sampled(ct_mode mode, double period);

/* A root in d as one in s; with a period of 0 it is one. */
ct_mode ct_mode_in_s(const ct_mode *mode, double period);
/* Minus one: what belongs to the root dies out; 0: it stays as it is; 1: it grows. */
int ct_mode_grows(const ct_mode *mode, double period);

/* Finite eigenvalues of (A, W), by falling re, then rising |im|; conjugates together, +im first.
 * Roots at zero are exact zeros. */
const ct_mode *ct_lti_poles(ct_arena *arena, const ct_lti *lti, uint32_t *count);

#define CT_LTI_ALL UINT32_MAX

/* Finite transmission zeros from input j to output i (both CT_LTI_ALL: of the whole system, where
 * G(s) loses rank), of the controllable and observable part. None where G is zero. */
const ct_mode *ct_lti_zeros(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j,
                            uint32_t *count);

/* Of the finite modes (ct_lti_poles), how many all inputs reach and all outputs show. */
typedef struct ct_lti_rank {
    uint32_t states, controllable, observable, minimal; /* minimal: both */
} ct_lti_rank;

ct_lti_rank ct_lti_ranks(ct_arena *arena, const ct_lti *lti);

/* ---- transfer functions -------------------------------------------------------------------- */

/* From input j to output i, without common roots:
 *
 *     G(s) = num(s) / den(s) = gain * (s - zero[0]) .. / ((s - pole[0]) ..)
 *
 * num and den by falling powers of s, den[0] = 1. G = 0: gain 0, num = {0}, den = {1}. The factors
 * are the accurate form; where coefficients leave the range of numbers, their counts are 0.
 *
 * Zeros of many states are lost in rounding errors. So the factors are compared with G(s) itself
 * (ct_lti_sweep_at); where they are not right, and for more than CT_LTI_FACTORS states, there are
 * no zeros and coefficients: gain NaN, and all poles of the system. */
#define CT_LTI_FACTORS 200

typedef struct ct_transfer {
    bool right;
    const double *num, *den;
    uint32_t num_count, den_count; /* coefficients */
    const ct_mode *zero, *pole;
    uint32_t zero_count, pole_count;
    double gain;
    double period; /* of the system */
} ct_transfer;

ct_transfer ct_lti_transfer(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j);

/* G(s) by its factors; not finite at a pole. For those that are right, as is the next. */
double complex ct_transfer_at(const ct_transfer *transfer, double complex s);

/* Magnitude in dB and phase in degrees at the edge, omega > 0. The phase is continuous: it
 * begins at 90 degrees for each zero at s = 0, minus 90 for each pole there, minus 180 when the
 * gain is negative. It jumps only where a root lies on the imaginary axis, as for one just left of
 * it. */
void ct_transfer_bode(const ct_transfer *transfer, const double *omega, uint32_t count, double *db,
                      double *degrees);

/* G(0): p x m; INFINITY with the sign that it has at small positive s where there is a pole. */
const double *ct_lti_dc_gain(ct_arena *arena, const ct_lti *lti);

/* ---- curves -------------------------------------------------------------------------------- */

/* G(s) from s W - A itself, by sparse elimination with refinement, at any number of points. */
typedef struct ct_lti_sweep ct_lti_sweep;

/* Entries of s W - A that are other functions of s; A and W are zero there. */
typedef struct ct_lti_cells {
    uint32_t count;
    const uint32_t *row, *col; /* each place once */
    void (*fill)(const void *user, double complex s, double complex *value);
    const void *user;
    double lag; /* dead times in them, s: by so much phases may turn */
} ct_lti_cells;

/* Matrices of lti are kept. cells: NULL when there are none. */
ct_lti_sweep *ct_lti_sweep_new(ct_arena *arena, const ct_lti *lti, const ct_lti_cells *cells);

typedef struct ct_lti_entry {
    uint32_t row, col;
    double value;
} ct_lti_entry;

/* A large system: A, C and W by their entries that are not zero, each place once; without any W is
 * a diagonal of ones with zeros from `differential` on. The others are row-major as before. */
typedef struct ct_lti_sparse {
    uint32_t n, m, p, differential, a_count, c_count;
    const ct_lti_entry *a, *c;
    const double *B, *D, *E, *F;
    uint32_t w_count;
    const ct_lti_entry *w;
} ct_lti_sparse;

/* The root of its matrix near *s, which moves there; false: none is near. */
bool ct_lti_sweep_root(ct_lti_sweep *sweep, double complex *s);
ct_lti_sweep *ct_lti_sweep_sparse(ct_arena *arena, const ct_lti_sparse *system);
/* From input j to all outputs at `count` points: value[k*p + i]. The quickest way for a sparse one.
 */
void ct_lti_sweep_all(ct_lti_sweep *sweep, uint32_t j, const double complex *s, uint32_t count,
                      double complex *value, ct_arena *arena);
double ct_lti_sweep_lag(const ct_lti_sweep *sweep); /* of its cells */

/* From input j to output i; INFINITY at a pole. *error (may be NULL) gets a bound for what rounding
 * of each entry by itself can have changed. */
double complex ct_lti_sweep_at(ct_lti_sweep *sweep, uint32_t i, uint32_t j, double complex s,
                               double *error);

/* G(i*omega) for each of `count` omegas: value[k*p*m + i*m + j]; INFINITY where i*omega is a pole.
 */
void ct_lti_frequency(ct_arena *arena, const ct_lti *lti, const double *omega, uint32_t count,
                      double complex *value);

/* G(i*omega) of one input and output, with a phase that is continuous as that of ct_transfer_bode:
 * by factors where they are right, else point by point, the phase followed from below all poles. */
typedef struct ct_locus ct_locus;

/* `like` (may be NULL): one of the same system, which lends what it knows of all channels. */
ct_locus *ct_locus_new(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j,
                       const ct_locus *like);
/* G(s) of a sweep that is near to `like`, and so has roots where that has them. */
ct_locus *ct_locus_near(const ct_locus *like, ct_lti_sweep *sweep);
const ct_transfer *ct_locus_transfer(const ct_locus *curve);
double complex ct_locus_at(ct_locus *curve, double omega);

/* The part that ct_locus_bode() is asked for. */
void ct_locus_span(ct_locus *curve, double from, double to);
/* NaN where rounding errors leave nothing of G. */
void ct_locus_bode(ct_locus *curve, const double *omega, uint32_t count, double *db,
                   double *degrees);

/* Whole decades of omega, a decade and more beyond all poles and zeros of all transfer functions;
 * of a sampled system up to half of its frequency. */
void ct_lti_range(ct_arena *arena, const ct_lti *lti, double *from, double *to);

/* A time in which the slow modes settle, or grow clearly; for axes of step responses. */
double ct_lti_horizon(ct_arena *arena, const ct_lti *lti);

/* Rows of responses in time from 0 to `stop`, at most so many; of a sampled system at its ticks. */
const double *ct_lti_times(ct_arena *arena, const ct_lti *lti, double stop, uint32_t most,
                           uint32_t *count);

/* `count` values from `from` to `to`, equally far on a logarithmic scale. */
const double *ct_lti_spaced(ct_arena *arena, double from, double to, uint32_t count);

/* Response of all outputs to a unit step (impulse) of input j from rest: value[k*p + i] at times[k]
 * >= 0, at 0 the limit from the right. Exact up to rounding, by matrix exponentials; equal
 * distances of times share one. Impulses of y itself (at t = 0) are left out. Of a sampled system:
 * at the last tick; the impulse is a one for one period. */
void ct_lti_step(ct_arena *arena, const ct_lti *lti, uint32_t j, const double *times,
                 uint32_t count, double *value);
void ct_lti_impulse(ct_arena *arena, const ct_lti *lti, uint32_t j, const double *times,
                    uint32_t count, double *value);

/* out = exp(A t), or exp(A t) - 1 when less_one: accurate also for small exponents. n x n. */
void ct_matrix_exponential(ct_arena *arena, uint32_t n, const double *A, double t, bool less_one,
                           double *out);

#endif
