/* lti_transfer.c - transfer functions by their poles, zeros and gain. */
#include <math.h>
#include <string.h>

#include "study/lti_make.h"

static const double pi = 3.14159265358979323846;

static double complex root_of(const ct_mode *mode)
{
    return mode->re + mode->im * I;
}

/* ---- by factors ---------------------------------------------------------------------------- */

/* Pairs of factors first, so that nothing overflows on the way. */
static double complex factors_at(const ct_transfer *t, double complex s)
{
    double complex value = 1;
    uint32_t most = t->zero_count > t->pole_count ? t->zero_count : t->pole_count;
    for (uint32_t k = 0; k < most; k++) {
        double complex factor = k < t->zero_count ? s - root_of(&t->zero[k]) : 1;
        if (k < t->pole_count) {
            double complex below = s - root_of(&t->pole[k]);
            if (below == 0)
                return INFINITY;
            factor /= below;
        }
        value *= factor;
    }
    return value;
}

double complex ct_transfer_at(const ct_transfer *t, double complex s)
{
    return t->gain == 0 ? 0 : t->gain * factors_at(t, s);
}

/* ---- gain ---------------------------------------------------------------------------------- */

/* C (s - A)^-1 R + P(s) for one input and output. */
static double complex value_at(ct_arena *arena, const ct_lti_normal *f, double complex s)
{
    double complex *x = CT_NEW_ARRAY(arena, double complex, f->n), sum = 0, p = 0;
    ct_lti_resolve(arena, f->n, 1, f->A, f->R, s, x);
    for (size_t k = 0; k < f->n; k++)
        sum += f->C[k] * x[k];
    for (uint32_t k = f->degree + 1; k-- > 0;)
        p = p * s + f->P[k];
    return sum + p;
}

/* The geometric mean of the roots' sizes. */
static double middle_of(const ct_transfer *t)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < t->zero_count + t->pole_count; k++) {
        const ct_mode *r = k < t->zero_count ? &t->zero[k] : &t->pole[k - t->zero_count];
        if (r->frequency > 0) {
            sum += log(r->frequency);
            count++;
        }
    }
    return count ? exp(sum / count) : 1;
}

static double nearest(const ct_transfer *t, double complex s)
{
    double least = 1;
    for (uint32_t k = 0; k < t->zero_count + t->pole_count; k++) {
        const ct_mode *r = k < t->zero_count ? &t->zero[k] : &t->pole[k - t->zero_count];
        least = fmin(least, cabs(s - root_of(r)) / cabs(s));
    }
    return least;
}

/* G(s) over its factors, at a point far from all roots. */
static double find_gain(ct_arena *arena, const ct_lti_normal *f, const ct_transfer *t)
{
    double middle = middle_of(t), best = -1;
    double complex at = middle;
    for (int k = 0; k < 16; k++) {
        double complex s = middle * cexp(pi / 2 * k / 15 * I);
        double distance = nearest(t, s);
        if (distance > 1.01 * best) {
            best = distance;
            at = s;
        }
    }
    return creal(value_at(arena, f, at) / factors_at(t, at));
}

/* ---- coefficients -------------------------------------------------------------------------- */

static void times_linear(double *c, uint32_t *count, double root)
{
    for (uint32_t k = (*count)++; k > 0; k--)
        c[k] -= root * c[k - 1];
}

/* s^2 - 2 re s + re^2 + im^2 */
static void times_pair(double *c, uint32_t *count, double re, double im)
{
    *count += 2;
    for (uint32_t k = *count - 1; k > 0; k--)
        c[k] += -2 * re * c[k - 1] + (k > 1 ? (re * re + im * im) * c[k - 2] : 0);
}

/* gain * (s - root) ..; of a pair the root above the axis stands for both. */
static const double *polynomial(ct_arena *arena, double gain, const ct_mode *root, uint32_t roots,
                                uint32_t *count)
{
    double *c = CT_NEW_ARRAY(arena, double, (size_t)roots + 1);
    c[0] = 1;
    *count = 1;
    for (uint32_t k = roots; k-- > 0;)
        if (root[k].im > 0)
            times_pair(c, count, root[k].re, root[k].im);
        else if (root[k].im == 0)
            times_linear(c, count, root[k].re);
    for (uint32_t k = 0; k < *count; k++)
        c[k] *= gain;
    return c;
}

static bool all_finite(const double *c, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!isfinite(c[k]))
            return false;
    return true;
}

/* ---- transfer function --------------------------------------------------------------------- */

static const ct_mode *keep(ct_arena *arena, const ct_mode *mode, uint32_t count)
{
    ct_mode *copy = CT_NEW_ARRAY(arena, ct_mode, count);
    if (count)
        memcpy(copy, mode, count * sizeof *copy);
    return copy;
}

/* Whether the factors give what the system itself gives, from below the slowest root to above the
 * fastest, as far as rounding lets it be seen. Modes of sampled systems crowd at z = 0: there
 * factors are asked for more, because going without them costs little. */
static bool is_right(ct_arena *scratch, const ct_lti *lti, uint32_t i, uint32_t j,
                     const ct_transfer *t)
{
    enum { POINTS = 48 };
    const double alike = lti->period > 0 ? 1e-10 : 1e-7, beyond = 10, noise = 100;
    double lo = INFINITY, hi = 0, error;
    ct_lti_sweep *sweep = ct_lti_sweep_new(scratch, lti, NULL);
    for (uint32_t k = 0; k < t->zero_count + t->pole_count; k++) {
        double size = (k < t->zero_count ? &t->zero[k] : &t->pole[k - t->zero_count])->frequency;
        lo = size > 0 ? fmin(lo, size) : lo;
        hi = fmax(hi, size);
    }
    lo = hi > 0 ? lo / beyond : 1;
    hi = hi > 0 ? hi * beyond : 1;
    if (lti->period > 0)
        hi = pi / lti->period;
    for (int k = 0; k < POINTS; k++) {
        double complex s = ct_lti_edge(lti->period, lo * pow(hi / lo, (k + 0.5) / POINTS));
        double complex want = ct_lti_sweep_at(sweep, i, j, s, &error), have = ct_transfer_at(t, s);
        double spread = 1 / nearest(t, s);
        if (!(cabs(have - want) <= alike * cabs(want) + noise * error * fmax(1, spread)))
            return false;
    }
    return true;
}

/* Factors that are not right are none. */
static ct_transfer without_factors(ct_arena *arena, const ct_lti_normal *all)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_transfer t = {.gain = NAN, .pole_count = all->n};
    t.pole = keep(arena, ct_matrix_modes(scratch, all->n, all->A), all->n);
    ct_arena_free(scratch);
    return t;
}

/* *part gets the minimal part, in scratch. */
static ct_transfer transfer_of(ct_arena *arena, ct_arena *scratch, const ct_lti *lti,
                               const ct_lti_normal *all, uint32_t i, uint32_t j,
                               ct_lti_normal *part)
{
    ct_lti_normal f = ct_lti_channel(scratch, all, i, j);
    *part = f = ct_lti_minimal(scratch, &f);
    ct_transfer t = {.right = true, .pole_count = f.n};
    if (f.n || f.degree || f.P[0] != 0) {
        t.zero = ct_lti_zeros_of(scratch, lti, i, j, &f, all->n, &t.zero_count);
        t.pole = ct_matrix_modes(scratch, f.n, f.A);
        t.gain = find_gain(scratch, &f, &t);
    }
    t.zero = keep(arena, t.zero, t.zero_count);
    t.pole = keep(arena, t.pole, t.pole_count);
    t.num = polynomial(arena, t.gain, t.zero, t.zero_count, &t.num_count);
    t.den = polynomial(arena, 1, t.pole, t.pole_count, &t.den_count);
    if (!all_finite(t.num, t.num_count) || !all_finite(t.den, t.den_count))
        t.num_count = t.den_count = 0;
    return t;
}

ct_transfer ct_lti_transfer(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_lti_normal f = ct_lti_normal_new(scratch, lti), part;
    ct_transfer t = {0};
    if (f.n <= CT_LTI_FACTORS) {
        t = transfer_of(arena, scratch, lti, &f, i, j, &part);
        t.right = is_right(scratch, lti, i, j, &t);
    }
    if (!t.right)
        t = without_factors(arena, &f);
    ct_arena_free(scratch);
    t.period = lti->period;
    return t;
}

/* ---- phase --------------------------------------------------------------------------------- */

/* The same of (z - root) along the unit circle: z (1 - root/z) of a root within, -root (1 - z/root)
 * of one without. */
static double turn_of_ticks(const ct_mode *root, double period, double omega)
{
    const double on_it = 1e-11;
    double complex r = 1 + period * root_of(root), z = cexp(omega * period * I);
    double size = cabs(r);
    if (root->frequency == 0)
        return omega * period / 2;
    if (size > 1 + on_it)
        return carg(1 - z / r) - carg(1 - 1 / r);
    if (size > 1 - on_it)
        r /= size;
    return omega * period + carg(1 - r / z) - carg(1 - r);
}

/* By how much the angle of (i omega - root) has grown from omega = 0, in radians. */
static double turn(const ct_mode *root, double period, double omega)
{
    if (period > 0)
        return turn_of_ticks(root, period, omega);
    if (root->frequency == 0)
        return 0;
    if (root->re == 0)
        return root->im > 0 && omega > root->im ? pi : 0;
    return atan((omega - root->im) / -root->re) - atan(root->im / root->re);
}

/* At small positive s. */
static bool is_negative(const ct_transfer *t)
{
    bool negative = t->gain < 0;
    for (uint32_t k = 0; k < t->zero_count; k++)
        negative ^= t->zero[k].im == 0 && t->zero[k].re > 0;
    for (uint32_t k = 0; k < t->pole_count; k++)
        negative ^= t->pole[k].im == 0 && t->pole[k].re > 0;
    return negative;
}

static int roots_at_zero(const ct_mode *root, uint32_t count)
{
    int found = 0;
    for (uint32_t k = 0; k < count; k++)
        found += root[k].frequency == 0;
    return found;
}

/* Phase just above omega = 0. */
static double first_phase(const ct_transfer *t)
{
    int quarters = roots_at_zero(t->zero, t->zero_count) - roots_at_zero(t->pole, t->pole_count);
    return quarters * pi / 2 - (is_negative(t) ? pi : 0);
}

void ct_transfer_bode(const ct_transfer *t, const double *omega, uint32_t count, double *db,
                      double *degrees)
{
    double first = first_phase(t);
    for (uint32_t i = 0; i < count; i++) {
        double size = log10(fabs(t->gain)), angle = first;
        double complex s = ct_lti_edge(t->period, omega[i]);
        for (uint32_t k = 0; k < t->zero_count; k++) {
            size += log10(cabs(s - root_of(&t->zero[k])));
            angle += turn(&t->zero[k], t->period, omega[i]);
        }
        for (uint32_t k = 0; k < t->pole_count; k++) {
            size -= log10(cabs(s - root_of(&t->pole[k])));
            angle -= turn(&t->pole[k], t->period, omega[i]);
        }
        db[i] = 20 * size;
        degrees[i] = t->gain == 0 ? NAN : angle * 180 / pi;
    }
}

/* ---- gain at zero -------------------------------------------------------------------------- */

/* By factors it would carry all their errors; by the matrix only where that has an inverse. */
static double gain_at_zero(ct_arena *arena, const ct_lti *lti, const ct_lti_normal *all, uint32_t i,
                           uint32_t j)
{
    ct_lti_normal part;
    ct_transfer t = transfer_of(arena, arena, lti, all, i, j, &part);
    if (roots_at_zero(t.zero, t.zero_count))
        return 0;
    if (roots_at_zero(t.pole, t.pole_count))
        return is_negative(&t) ? -INFINITY : INFINITY;
    return creal(value_at(arena, &part, 0));
}

const double *ct_lti_dc_gain(ct_arena *arena, const ct_lti *lti)
{
    double *gain = CT_NEW_ARRAY(arena, double, (size_t)lti->p * lti->m);
    ct_arena *all = ct_arena_new(ct_arena_context(arena));
    ct_lti_normal f = ct_lti_normal_new(all, lti);
    for (uint32_t i = 0; i < f.p; i++)
        for (uint32_t j = 0; j < f.m; j++) {
            ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
            gain[(size_t)i * f.m + j] = gain_at_zero(scratch, lti, &f, i, j);
            ct_arena_free(scratch);
        }
    ct_arena_free(all);
    return gain;
}
