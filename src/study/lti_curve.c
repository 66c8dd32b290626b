/* lti_curve.c - a frequency response with its phase followed, where there are no factors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "study/lti_make.h"

static const double pi = 3.14159265358979323846;

typedef struct knot {
    double omega, phase; /* phase: radians, continuous */
    double complex value;
} knot;

struct ct_locus {
    ct_arena *arena;
    ct_transfer t;
    ct_lti_sweep *sweep;
    uint32_t i, j;
    CT_VEC(knot) knots; /* none when the factors are right */
};

ct_locus *ct_locus_new(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j,
                       const ct_locus *like)
{
    ct_locus *c = CT_NEW(arena, ct_locus);
    *c = (ct_locus){.arena = arena, .i = i, .j = j};
    bool large = like && like->t.pole_count > CT_LTI_FACTORS; /* then poles are those of all */
    c->t = large ? like->t : ct_lti_transfer(arena, lti, i, j);
    c->sweep = like ? like->sweep : ct_lti_sweep_new(arena, lti, NULL);
    return c;
}

ct_locus *ct_locus_near(const ct_locus *like, ct_lti_sweep *sweep)
{
    ct_locus *c = CT_NEW(like->arena, ct_locus);
    *c = (ct_locus){.arena = like->arena, .t = like->t, .sweep = sweep, .i = like->i, .j = like->j};
    c->t.right = false;
    return c;
}

const ct_transfer *ct_locus_transfer(const ct_locus *curve)
{
    return &curve->t;
}

double complex ct_locus_at(ct_locus *curve, double omega)
{
    if (curve->t.right)
        return ct_transfer_at(&curve->t, ct_lti_edge(curve->t.period, omega));
    return ct_lti_sweep_at(curve->sweep, curve->i, curve->j, ct_lti_edge(curve->t.period, omega),
                           NULL);
}

/* ---- knots --------------------------------------------------------------------------------- */

/* NaN: nothing of it is left by rounding. */
static double complex clear_value(ct_locus *c, double omega)
{
    double error;
    double complex s = ct_lti_edge(c->t.period, omega);
    double complex value = ct_lti_sweep_at(c->sweep, c->i, c->j, s, &error);
    return cabs(value) <= 2 * error ? NAN : value;
}

/* Between two values, -pi .. pi. */
static double turned(double complex from, double complex to)
{
    return carg(to * conj(from / cabs(from)));
}

/* What a turn is off (by half of one, at a root on the axis) does not add up. */
static void add_knot(ct_locus *c, double omega, double complex value, double turn)
{
    size_t count = c->knots.count;
    double phase = (count ? c->knots.at[count - 1].phase : 0) + turn;
    phase += remainder(carg(value) - phase, 2 * pi);
    CT_PUSH(c->arena, c->knots, ((knot){omega, phase, value}));
}

/* From the last knot to b. A point between that is not in the middle shows turns that two points
 * hide; a root on the axis turns by half a turn however near the points are: a pole to the right, a
 * zero to the left, as if they were just left of the axis. */
static void follow(ct_locus *c, double b, double complex value, int depth)
{
    const double calm = pi / 3, alike = 0.05, closest = 1e-11, part = 0.4;
    knot last = c->knots.at[c->knots.count - 1];
    double omega = last.omega * pow(b / last.omega, part);
    double whole = turned(last.value, value);
    double complex between = clear_value(c, omega);
    bool tight = depth <= 0 || b - last.omega <= closest * b;
    double first = turned(last.value, between), second = turned(between, value);
    bool smooth = fabs(first) < calm && fabs(second) < calm && fabs(first + second - whole) < alike;
    if (tight && !smooth && isfinite(cabs(between))) {
        bool pole = cabs(between) > fmin(cabs(last.value), cabs(value));
        whole = fabs(whole) < pi / 2 ? whole : pole ? -fabs(whole) : fabs(whole);
    }
    if (!smooth && !tight && isfinite(cabs(between))) {
        follow(c, omega, between, depth - 1);
        follow(c, b, value, depth - 1);
        return;
    }
    add_knot(c, b, value, whole);
}

static double lowest_pole(const ct_transfer *t)
{
    double lowest = INFINITY;
    for (uint32_t k = 0; k < t->pole_count; k++)
        if (t->pole[k].frequency > 0)
            lowest = fmin(lowest, t->pole[k].frequency);
    return lowest;
}

/* Where |G| is like omega^k, the phase is k quarters, or half a turn less. */
static void begin(ct_locus *c, double omega, double complex value)
{
    const double apart = 1.25;
    double complex next = clear_value(c, omega * apart);
    double slope = log(cabs(next) / cabs(value)) / log(apart);
    double quarters = isfinite(slope) ? round(slope) * pi / 2 : 0;
    double off = remainder(carg(value) - quarters, 2 * pi);
    if (off > pi / 2)
        off -= 2 * pi;
    add_knot(c, omega, value, quarters + off);
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Even on a logarithmic axis, and around every pole. */
static const double *places(ct_locus *c, double from, double to, uint32_t *count)
{
    enum { PER_DECADE = 40, AROUND = 3, MOST_TURNS = 20000 };
    const double narrow = 1e-4;
    uint32_t even = (uint32_t)(PER_DECADE * log10(to / from)) + 2;
    uint32_t turns = (uint32_t)fmin(MOST_TURNS, ceil(to * ct_lti_sweep_lag(c->sweep)));
    size_t most = even + turns + (size_t)(2 * AROUND + 1) * c->t.pole_count, at = even;
    double *omega = CT_NEW_ARRAY(c->arena, double, most);
    memcpy(omega, ct_lti_spaced(c->arena, from, to, even), even * sizeof *omega);
    for (uint32_t k = 1; k < turns; k++) { /* a dead time turns by one radian in between */
        double own = to * k / turns;
        if (own > from)
            omega[at++] = own;
    }
    for (uint32_t k = 0; k < c->t.pole_count; k++) {
        ct_mode p = ct_mode_in_s(&c->t.pole[k], c->t.period);
        double width = fmax(fabs(p.re), narrow * p.im);
        for (int n = -AROUND; p.im > 0 && n <= AROUND; n++) {
            double own = p.im + width * tan(pi / 2 * n / (AROUND + 0.5));
            if (own > from && own < to)
                omega[at++] = own;
        }
    }
    qsort(omega, at, sizeof *omega, compare_numbers);
    *count = (uint32_t)at;
    return omega;
}

void ct_locus_span(ct_locus *c, double from, double to)
{
    enum { DEPTH = 60 };
    const double below = 100, nudge = 1e-12;
    uint32_t count;
    if (c->t.right)
        return;
    c->knots.count = 0;
    const double *omega = places(c, fmin(from, lowest_pole(&c->t) / below), to, &count);
    for (uint32_t k = 0; k < count; k++) {
        double complex value = clear_value(c, omega[k]);
        double at = isinf(creal(value)) ? omega[k] * (1 + nudge) : omega[k];
        value = at == omega[k] ? value : clear_value(c, at);
        if (!isfinite(cabs(value)))
            continue;
        if (!c->knots.count)
            begin(c, at, value);
        else if (at > c->knots.at[c->knots.count - 1].omega)
            follow(c, at, value, DEPTH);
    }
}

/* ---- values -------------------------------------------------------------------------------- */

/* The last one that is not above omega. */
static const knot *knot_below(const ct_locus *c, double omega)
{
    size_t low = 0, high = c->knots.count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(c->knots.at[middle].omega <= omega ? &low : &high) = middle;
    }
    return &c->knots.at[low];
}

void ct_locus_bode(ct_locus *c, const double *omega, uint32_t count, double *db, double *degrees)
{
    if (c->t.right) {
        ct_transfer_bode(&c->t, omega, count, db, degrees);
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        double complex value = clear_value(c, omega[k]);
        db[k] = 20 * log10(cabs(value));
        degrees[k] = NAN;
        if (!c->knots.count || !isfinite(cabs(value)))
            continue;
        const knot *at = knot_below(c, omega[k]);
        degrees[k] = (at->phase + turned(at->value, value)) * 180 / pi;
    }
}
