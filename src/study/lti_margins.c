/* lti_margins.c - where a frequency response crosses a level: margins of a loop, bandwidth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/lti_make.h"
#include "study/lti_merit.h"

static const double pi = 3.14159265358979323846;

/* ---- frequencies --------------------------------------------------------------------------- */

enum { AROUND = 36 };

typedef struct samples {
    double *at;
    uint32_t count;
} samples;

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Of many roots a few each: they stand close to each other. */
static int around_each(uint32_t count)
{
    const double all = 4000, least = 4;
    return (int)fmax(least, fmin(AROUND, all / fmax(1, count)));
}

/* Equal angles seen from the root: there the curve in the plane is nearly a circle. */
static void add_around(samples *s, const ct_transfer *t, const ct_mode *root, uint32_t count,
                       double from, double to)
{
    const double narrow = 1e-4; /* of a root without damping */
    int around = around_each(count);
    for (uint32_t i = 0; i < count; i++) {
        ct_mode mode = ct_mode_in_s(&root[i], t->period);
        double width = fmax(fabs(mode.re), narrow * fabs(mode.im));
        for (int k = -around; mode.im > 0 && k <= around; k++) {
            double omega = mode.im + width * tan(pi / 2 * k / (around + 0.5));
            if (omega > from && omega < to)
                s->at[s->count++] = omega;
        }
    }
}

const double *ct_transfer_samples(ct_arena *arena, const ct_transfer *t, double from, double to,
                                  uint32_t even, uint32_t *count)
{
    uint32_t most = even + (2 * AROUND + 1) * (t->zero_count + t->pole_count), kept = 0;
    samples s = {CT_NEW_ARRAY(arena, double, most), even};
    memcpy(s.at, ct_lti_spaced(arena, from, to, even), even * sizeof(double));
    add_around(&s, t, t->zero, t->zero_count, from, to);
    add_around(&s, t, t->pole, t->pole_count, from, to);
    qsort(s.at, s.count, sizeof(double), compare_numbers);
    for (uint32_t k = 0; k < s.count; k++)
        if (kept == 0 || s.at[k] > s.at[kept - 1])
            s.at[kept++] = s.at[k];
    *count = kept;
    return s.at;
}

/* ---- crossings ----------------------------------------------------------------------------- */

/* dB or degrees over the frequency, and the level that is looked for. */
typedef struct search {
    ct_locus *curve;
    const double *omega, *value; /* samples */
    uint32_t count;
    bool phase;
    double level;
    double *found; /* frequencies */
    uint32_t found_count;
} search;

/* A curve nearer than this only touches its level: it may tend to it at the end. */
static const double touch = 1e-9;

static double height(const search *s, double omega)
{
    double db, degrees;
    ct_locus_bode(s->curve, &omega, 1, &db, &degrees);
    return (s->phase ? degrees : db) - s->level;
}

/* Between two frequencies where the curve lies on different sides. Jumps are left out: there a root
 * lies on the axis, and the curve goes by way of infinity. */
static void add_crossing(search *s, double a, double b)
{
    enum { HALVINGS = 200 };
    const double jump = 1e-3;
    bool above = height(s, a) > 0;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = sqrt(a) * sqrt(b);
        if (!(middle > a && middle < b))
            break;
        *((height(s, middle) > 0) == above ? &a : &b) = middle;
    }
    if (fabs(height(s, b)) < jump)
        s->found[s->found_count++] = b;
}

/* The point nearest to the level between samples that all lie on one side of it. */
static double nearest_between(const search *s, double a, double b, double side)
{
    enum { STEPS = 80 };
    const double golden = 0.61803398874989484820;
    a = log(a);
    b = log(b);
    for (int k = 0; k < STEPS; k++) {
        double left = b - golden * (b - a), right = a + golden * (b - a);
        if (side * height(s, exp(left)) < side * height(s, exp(right)))
            b = right;
        else
            a = left;
    }
    return exp((a + b) / 2);
}

/* Two crossings that no sample lies between. */
static void add_dip(search *s, uint32_t k)
{
    const double most = 90; /* degrees that samples around every root can hide */
    double side = s->value[k] > s->level ? 1 : -1;
    double own = side * (s->value[k] - s->level);
    double before = side * (s->value[k - 1] - s->level);
    double after = side * (s->value[k + 1] - s->level);
    if (!(own > touch && own < before && own <= after) || (s->phase && own > most))
        return;
    double lowest = nearest_between(s, s->omega[k - 1], s->omega[k + 1], side);
    if (!(side * height(s, lowest) < -touch))
        return;
    add_crossing(s, s->omega[k - 1], lowest);
    add_crossing(s, lowest, s->omega[k + 1]);
}

static void find_crossings(search *s)
{
    uint32_t last = UINT32_MAX; /* the last sample that does not touch the level */
    for (uint32_t k = 0; k < s->count; k++) {
        double own = s->value[k] - s->level;
        if (!(fabs(own) > touch))
            continue;
        if (last != UINT32_MAX && (s->value[last] > s->level) != (own > 0))
            add_crossing(s, s->omega[last], s->omega[k]);
        else if (k > 0 && k + 1 < s->count && isfinite(own))
            add_dip(s, k);
        last = k;
    }
}

/* ---- range --------------------------------------------------------------------------------- */

static int zeros_less_poles_at_zero(const ct_transfer *t)
{
    int excess = 0;
    for (uint32_t k = 0; k < t->zero_count; k++)
        excess += t->zero[k].frequency == 0;
    for (uint32_t k = 0; k < t->pole_count; k++)
        excess -= t->pole[k].frequency == 0;
    return excess;
}

static void widen(const ct_mode *mode, uint32_t count, double *lo, double *hi)
{
    for (uint32_t i = 0; i < count; i++)
        if (mode[i].frequency > 0) {
            *lo = fmin(*lo, mode[i].frequency);
            *hi = fmax(*hi, mode[i].frequency);
        }
}

/* The power of the frequency that |G| is like at an end; `known` where the factors tell. */
static int power_at(ct_locus *curve, double end, int known)
{
    const double apart = 1.25;
    if (ct_locus_transfer(curve)->right)
        return known;
    double ratio = cabs(ct_locus_at(curve, end * apart)) / cabs(ct_locus_at(curve, end));
    double power = round(log(ratio) / log(apart));
    return fabs(power) < 100 ? (int)power : 0;
}

/* Where |G|, a power of the frequency beyond this end, becomes one; the end itself where it does
 * not. */
static double one_beyond(ct_locus *curve, double end, int known)
{
    const double nearly_zero = 1e-290;
    int power = power_at(curve, end, known);
    double size = cabs(ct_locus_at(curve, end));
    double at = power ? end * pow(size, -1.0 / power) : end;
    return isfinite(at) && at > nearly_zero ? at : end;
}

static void choose_range(ct_locus *curve, double *from, double *to)
{
    const ct_transfer *t = ct_locus_transfer(curve);
    const double beyond = 100, past = 10;
    double lo = INFINITY, hi = 0;
    widen(t->zero, t->zero_count, &lo, &hi);
    widen(t->pole, t->pole_count, &lo, &hi);
    if (!(lo <= hi))
        lo = hi = 1;
    *from = fmax(lo / beyond, 1e-280);
    *to = fmin(hi * beyond, 1e280);
    double low = one_beyond(curve, *from, zeros_less_poles_at_zero(t)) / past;
    double high = one_beyond(curve, *to, (int)t->zero_count - (int)t->pole_count) * past;
    *from = fmin(*from, low);
    *to = fmax(*to, high);
    if (t->period > 0) {
        *to = pi / t->period;
        *from = fmin(*from, *to / beyond);
    }
}

/* ---- margins ------------------------------------------------------------------------------- */

typedef struct bench {
    ct_arena *arena;
    ct_locus *curve;
    const double *omega;
    double *db, *degrees;
    uint32_t count;
} bench;

static search search_new(const bench *b, bool phase, double level)
{
    search s = {.curve = b->curve, .omega = b->omega, .count = b->count};
    s.phase = phase;
    s.level = level;
    s.value = phase ? b->degrees : b->db;
    s.found = CT_NEW_ARRAY(b->arena, double, (size_t)2 * b->count + 2);
    find_crossings(&s);
    return s;
}

/* -180 .. 180 */
static double wrapped(double degrees)
{
    return degrees - 360 * ceil(degrees / 360 - 0.5);
}

static ct_margin crossing_at(const bench *b, double omega, bool phase)
{
    double db, degrees;
    ct_locus_bode(b->curve, &omega, 1, &db, &degrees);
    return (ct_margin){omega, phase ? -db : wrapped(degrees + 180)};
}

static void find_phase_margins(const bench *b, ct_margins *m)
{
    search s = search_new(b, false, 0);
    ct_margin *crossing = CT_NEW_ARRAY(b->arena, ct_margin, s.found_count);
    m->delay = INFINITY;
    for (uint32_t k = 0; k < s.found_count; k++) {
        crossing[k] = crossing_at(b, s.found[k], false);
        double turn = crossing[k].margin < 0 ? crossing[k].margin + 360 : crossing[k].margin;
        m->delay = fmin(m->delay, turn * pi / 180 / s.found[k]);
    }
    m->phase = crossing;
    m->phase_count = s.found_count;
}

static int compare_crossings(const void *left, const void *right)
{
    const ct_margin *a = left, *b = right;
    return compare_numbers(&a->omega, &b->omega);
}

/* At half of the sampling frequency G is real: where it is negative the curve does not only tend to
 * the axis, it meets it. */
static void add_last(const bench *b, ct_margin *crossing, uint32_t *count)
{
    const double close = 1e-9;
    double period = ct_locus_transfer(b->curve)->period, end = pi / period;
    if (!(period > 0))
        return;
    double complex value = ct_locus_at(b->curve, end);
    for (uint32_t k = 0; k < *count; k++)
        if (crossing[k].omega > (1 - close) * end)
            return;
    if (creal(value) < 0 && isfinite(cabs(value)))
        crossing[(*count)++] = (ct_margin){end, -20 * log10(cabs(value))};
}

/* The phase is not wrapped: every odd multiple of 180 degrees that it passes counts. */
static void find_gain_margins(const bench *b, ct_margins *m)
{
    double lowest = INFINITY, highest = -INFINITY;
    for (uint32_t k = 0; k < b->count; k++) {
        lowest = fmin(lowest, b->degrees[k]);
        highest = fmax(highest, b->degrees[k]);
    }
    int first = (int)floor((lowest + 180) / 360), last = (int)ceil((highest + 180) / 360);
    size_t levels = (size_t)(last - first) + 1;
    ct_margin *crossing = CT_NEW_ARRAY(b->arena, ct_margin, levels * (2 * b->count + 2) + 1);
    for (int level = first; level <= last; level++) {
        search s = search_new(b, true, 360.0 * level - 180);
        for (uint32_t k = 0; k < s.found_count; k++)
            crossing[m->gain_count++] = crossing_at(b, s.found[k], true);
    }
    add_last(b, crossing, &m->gain_count);
    qsort(crossing, m->gain_count, sizeof *crossing, compare_crossings);
    m->gain = crossing;
}

static double find_bandwidth(const bench *b)
{
    double steady = cabs(ct_locus_at(b->curve, 0));
    if (!(steady > 0) || isinf(steady))
        return NAN;
    search s = search_new(b, false, 20 * log10(steady) - 10 * log10(2));
    return s.found_count ? s.found[0] : NAN;
}

/* u = -y joins the states: W x' + E y' = A x - B y,  F y' = C x - (1 + D) y. */
static ct_lti closed_loop(ct_arena *arena, const ct_lti *g, uint32_t i, uint32_t j)
{
    size_t n = g->n, size = n + 1;
    double *A = CT_NEW_ARRAY(arena, double, size *size),
           *W = CT_NEW_ARRAY(arena, double, size *size);
    for (size_t r = 0; r < n; r++) {
        memcpy(A + r * size, g->A + r * n, n * sizeof(double));
        if (g->W)
            memcpy(W + r * size, g->W + r * n, n * sizeof(double));
        else
            W[r * size + r] = 1;
        A[r * size + n] = -g->B[r * g->m + j];
        W[r * size + n] = g->E ? g->E[r * g->m + j] : 0;
    }
    if (n)
        memcpy(A + n * size, g->C + i * n, n * sizeof(double));
    A[n * size + n] = -1 - (g->D ? g->D[(size_t)i * g->m + j] : 0);
    W[n * size + n] = g->F ? g->F[(size_t)i * g->m + j] : 0;
    return (ct_lti){.n = (uint32_t)size, .A = A, .W = W, .period = g->period};
}

/* Whether all modes die out; *known: whether there is a solution at all. */
static bool dies_out(ct_arena *arena, const ct_lti *closed, bool *known)
{
    uint32_t count = 0;
    *known = ct_lti_check(arena, closed) == CT_OK;
    const ct_mode *mode = *known ? ct_lti_poles(arena, closed, &count) : NULL;
    for (uint32_t k = 0; k < count; k++)
        if (ct_mode_grows(&mode[k], closed->period) >= 0)
            return false;
    return *known;
}

/* The loop of what joins this input and output, then with all modes of the system: one that it does
 * not reach, as the angle behind a speed, need not die out. */
static void judge_loop(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j, ct_margins *m)
{
    ct_lti_normal f = ct_lti_normal_new(arena, lti);
    f = ct_lti_channel(arena, &f, i, j);
    f = f.n > CT_LTI_FACTORS ? f : ct_lti_minimal(arena, &f);
    ct_lti part = {.n = f.n, .m = 1, .p = 1, .A = f.A, .B = f.R, .C = f.C, .D = f.P};
    part.F = f.degree ? f.P + 1 : NULL;
    part.period = lti->period;
    ct_lti whole = closed_loop(arena, lti, i, j), own = closed_loop(arena, &part, 0, 0);
    bool all = dies_out(arena, &whole, &m->known);
    m->stable = all || f.degree > 1 ? all : dies_out(arena, &own, &m->known);
    m->apart = m->stable && !all;
    m->mixed = f.n > CT_LTI_FACTORS && !m->stable;
}

/* The closed loop is judged by matrices: not where they have lost the exact response while it has
 * not fallen below one yet. */
static bool is_vague(const bench *b, ct_locus *near, const ct_margins *m, double to)
{
    const double alike = 0.05;
    double last = m->phase_count ? m->phase[m->phase_count - 1].omega : 0;
    if (cabs(ct_locus_at(b->curve, to)) >= 1)
        return true;
    if (last == 0)
        return false;
    double complex exact = ct_locus_at(b->curve, last);
    return cabs(ct_locus_at(near, last) - exact) > alike * cabs(exact);
}

ct_margins ct_lti_margins(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j)
{
    enum { PER_DECADE = 80 };
    const double few_turns = 30; /* radians; beyond them a dead time crosses without end */
    bench b = {.arena = arena, .curve = ct_locus_new(arena, lti, i, j, NULL)};
    const ct_transfer *t = ct_locus_transfer(b.curve);
    ct_margins m = {.delay = INFINITY, .bandwidth = NAN};
    double from, to;
    judge_loop(arena, lti, i, j, &m);
    if (t->gain == 0)
        return m;
    choose_range(b.curve, &from, &to);
    ct_locus *near = b.curve;
    if (lti->exact) {
        b.curve = ct_locus_near(b.curve, lti->exact);
        t = ct_locus_transfer(b.curve);
        to = fmin(to, fmax(2 * from, few_turns / ct_lti_sweep_lag(lti->exact)));
    }
    uint32_t even = (uint32_t)(PER_DECADE * log10(to / from)) + 2;
    b.omega = ct_transfer_samples(arena, t, from, to, even, &b.count);
    b.db = CT_NEW_ARRAY(arena, double, b.count);
    b.degrees = CT_NEW_ARRAY(arena, double, b.count);
    ct_locus_span(b.curve, from, to);
    ct_locus_bode(b.curve, b.omega, b.count, b.db, b.degrees);
    find_phase_margins(&b, &m);
    find_gain_margins(&b, &m);
    m.bandwidth = find_bandwidth(&b);
    m.vague = lti->exact && is_vague(&b, near, &m, to);
    return m;
}

const ct_margin *ct_smallest_crossing(const ct_margin *crossing, uint32_t count)
{
    const ct_margin *best = NULL;
    for (uint32_t k = 0; k < count; k++)
        if (!best || fabs(crossing[k].margin) < fabs(best->margin))
            best = &crossing[k];
    return best;
}
