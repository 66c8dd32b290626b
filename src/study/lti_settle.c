/* lti_settle.c - rise time, overshoot and settling time of the answer to a step. */
#include <math.h>
#include <string.h>

#include "study/lti_make.h"
#include "study/lti_merit.h"

static const double pi = 3.14159265358979323846;
static const double band_part = 0.02; /* of the final value */

enum { MOST = 1 << 20, STAGE = 64, PER_TURN = 32 };

/* The answer in stages, each as long as all before: first as fine as the fastest mode needs, later
 * only as what is still alive needs. */
typedef struct answer {
    ct_arena *arena;
    ct_lti part; /* the minimal part of one input and output */
    const ct_mode *pole;
    double *t, *y;
    uint32_t count, room;
    double final, unit; /* unit: what parts are parts of */
} answer;

static double value_at(const answer *a, double t)
{
    double y;
    ct_lti_step(a->arena, &a->part, 0, &t, 1, &y);
    return y;
}

/* ---- samples ------------------------------------------------------------------------------- */

/* The step of a stage from `begin`: oscillations that have not died need their turns. */
static double step_of(const answer *a, double begin, double length)
{
    const double dead = 30;
    double step = length / STAGE;
    for (uint32_t k = 0; k < a->part.n; k++)
        if (a->pole[k].im > 0 && -a->pole[k].re * begin < dead)
            step = fmin(step, 2 * pi / a->pole[k].im / PER_TURN);
    return step;
}

static void make_room(answer *a, uint32_t more)
{
    if (a->count + more <= a->room)
        return;
    uint32_t room = 2 * (a->count + more);
    double *t = CT_NEW_ARRAY(a->arena, double, room), *y = CT_NEW_ARRAY(a->arena, double, room);
    if (a->count) {
        memcpy(t, a->t, a->count * sizeof *t);
        memcpy(y, a->y, a->count * sizeof *y);
    }
    a->t = t;
    a->y = y;
    a->room = room;
}

/* Gives the largest deviation from the end within it; NaN: too many samples. */
static double add_stage(answer *a, double begin, double end)
{
    double count = ceil((end - begin) / step_of(a, begin, end - begin)), away = 0;
    if (!(a->count + count < MOST))
        return NAN;
    uint32_t n = (uint32_t)count, first = a->count;
    make_room(a, n);
    for (uint32_t k = 0; k < n; k++)
        a->t[first + k] = begin + (end - begin) * k / n;
    ct_lti_step(a->arena, &a->part, 0, a->t + first, n, a->y + first);
    a->count += n;
    for (uint32_t k = 0; k < n; k++)
        away = fmax(away, fabs(a->y[first + k] - a->final));
    return away;
}

static double largest(const answer *a)
{
    double size = 0;
    for (uint32_t k = 0; k < a->count; k++)
        size = fmax(size, fabs(a->y[k]));
    return size;
}

/* Until the slowest mode has had its time and a whole stage lies well within the band. */
static bool sample(answer *a)
{
    const double fine = 0.05, well = 0.1;
    double fastest = 0, slowest = 0;
    for (uint32_t k = 0; k < a->part.n; k++) {
        fastest = fmax(fastest, a->pole[k].frequency);
        slowest = fmax(slowest, a->pole[k].time);
    }
    double end = fine / fastest, away = add_stage(a, 0, end), size = fabs(a->final);
    for (double begin = end; !isnan(away); begin = end) {
        end = 2 * begin;
        away = add_stage(a, begin, end);
        a->unit = size > 0 ? size : largest(a);
        if (begin >= slowest && away <= well * band_part * a->unit)
            return true;
    }
    return false;
}

/* ---- measures ------------------------------------------------------------------------------ */

/* The time between two at which y passes the level. */
static double pass(const answer *a, double left, double right, double level)
{
    enum { HALVINGS = 60 };
    bool above = value_at(a, left) > level;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = (left + right) / 2;
        if (!(middle > left && middle < right))
            break;
        *((value_at(a, middle) > level) == above ? &left : &right) = middle;
    }
    return right;
}

/* When y first is at this part of its end. */
static double first_time(const answer *a, double part)
{
    double level = part * a->final, sign = a->final < 0 ? -1 : 1;
    for (uint32_t k = 0; k < a->count; k++)
        if (sign * a->y[k] >= sign * level)
            return k ? pass(a, a->t[k - 1], a->t[k], level) : 0;
    return NAN;
}

/* The top of sign * (y - level) around sample k. */
static double top_time(const answer *a, uint32_t k, double sign)
{
    enum { STEPS = 50 };
    const double golden = 0.61803398874989484820;
    double left = a->t[k ? k - 1 : 0], right = a->t[k + 1 < a->count ? k + 1 : k];
    for (int i = 0; i < STEPS; i++) {
        double one = right - golden * (right - left), two = left + golden * (right - left);
        if (sign * value_at(a, one) > sign * value_at(a, two))
            right = two;
        else
            left = one;
    }
    double middle = (left + right) / 2;
    return sign * value_at(a, middle) > sign * a->y[k] ? middle : a->t[k];
}

/* Where sign * y is largest. */
static double extreme(const answer *a, double sign, double *value)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < a->count; k++)
        if (sign * a->y[k] > sign * a->y[best])
            best = k;
    double t = top_time(a, best, sign);
    *value = value_at(a, t);
    return t;
}

/* The top between samples may leave the band although they do not. */
static bool pokes_out(const answer *a, uint32_t k, double band, double *at)
{
    const double near = 0.97;
    double own = a->y[k] - a->final, sign = own < 0 ? -1 : 1;
    if (k == 0 || k + 1 >= a->count || fabs(own) < near * band ||
        fabs(own) < sign * (a->y[k - 1] - a->final) || fabs(own) < sign * (a->y[k + 1] - a->final))
        return false;
    *at = top_time(a, k, sign);
    return fabs(value_at(a, *at) - a->final) > band;
}

static double settling_time(const answer *a)
{
    double band = band_part * a->unit, out = 0;
    for (uint32_t k = a->count; k-- > 0;) {
        double away = a->y[k] - a->final;
        bool between = fabs(away) <= band;
        if (between && !pokes_out(a, k, band, &out))
            continue;
        double from = between ? out : a->t[k];
        return pass(a, from, a->t[k + 1 < a->count ? k + 1 : k],
                    a->final + (away < 0 ? -band : band));
    }
    return 0;
}

/* From the largest and smallest value, and the time of that with the larger size. */
static void finish_measures(const answer *a, double high, double low, double time, ct_step_merit *m)
{
    const double rounding = 1e-9;
    m->peak = fabs(high) >= fabs(low) ? high : low;
    m->peak_time = time;
    if (a->final == 0)
        return;
    double over = a->final > 0 ? high / a->final - 1 : low / a->final - 1;
    double under = a->final > 0 ? -low / a->final : -high / a->final;
    m->overshoot = over > rounding ? over : 0;
    m->undershoot = under > rounding ? under : 0;
    if (m->overshoot == 0 && m->undershoot <= 1) { /* it creeps to its end */
        m->peak = a->final;
        m->peak_time = NAN;
    }
}

static void measure(const answer *a, ct_step_merit *m)
{
    double high, low, high_time = extreme(a, 1, &high), low_time = extreme(a, -1, &low);
    m->settling = settling_time(a);
    if (a->final != 0)
        m->rise = first_time(a, 0.9) - first_time(a, 0.1);
    finish_measures(a, high, low, fabs(high) >= fabs(low) ? high_time : low_time, m);
}

static bool settles(const ct_mode *pole, uint32_t count, double period)
{
    for (uint32_t k = 0; k < count; k++)
        if (ct_mode_grows(&pole[k], period) >= 0)
            return false;
    return true;
}

/* ---- at ticks ------------------------------------------------------------------------------ */

/* Ticks of the system as it is, where nothing in it grows: modes of sampled systems crowd at z = 0,
 * and the part that is reached and seen is then less exact. */
static void take_whole(answer *a, const ct_lti *lti, uint32_t i, uint32_t j)
{
    uint32_t count;
    const ct_mode *pole = ct_lti_poles(a->arena, lti, &count);
    bool dies = true;
    for (uint32_t k = 0; k < count; k++)
        dies &= ct_mode_grows(&pole[k], lti->period) < 0;
    if (!dies || lti->W) {
        a->final = *ct_lti_dc_gain(a->arena, &a->part);
        return;
    }
    double *B = CT_NEW_ARRAY(a->arena, double, lti->n + 1);
    for (size_t k = 0; k < lti->n; k++)
        B[k] = lti->B[k * lti->m + j];
    a->part = (ct_lti){.n = lti->n, .m = 1, .p = 1, .A = lti->A, .B = B};
    a->part.C = lti->C + (size_t)i * lti->n;
    a->part.D = lti->D ? lti->D + (size_t)i * lti->m + j : NULL;
    a->part.period = lti->period;
    a->pole = pole;
    a->final = creal(ct_lti_sweep_at(ct_lti_sweep_new(a->arena, lti, NULL), i, j, 0, NULL));
}

/* Until the slowest mode has died. */
static bool sample_ticks(answer *a)
{
    const double dead = 20;
    double slowest = 0, period = a->part.period;
    for (uint32_t k = 0; k < a->part.n; k++)
        slowest = fmax(slowest, ct_mode_in_s(&a->pole[k], period).time / period);
    double count = ceil(dead * slowest) + a->part.n + 2;
    if (!(count < MOST))
        return false;
    make_room(a, (uint32_t)count);
    a->count = (uint32_t)count;
    for (uint32_t k = 0; k < a->count; k++)
        a->t[k] = k * period;
    ct_lti_step(a->arena, &a->part, 0, a->t, a->count, a->y);
    a->unit = a->final != 0 ? fabs(a->final) : largest(a);
    return true;
}

/* The first tick at which y is at this part of its end. */
static double first_tick(const answer *a, double part)
{
    double sign = a->final < 0 ? -1 : 1;
    for (uint32_t k = 0; k < a->count; k++)
        if (sign * a->y[k] >= sign * part * a->final)
            return a->t[k];
    return NAN;
}

static uint32_t extreme_tick(const answer *a, double sign)
{
    const double rounding = 1e-12;
    uint32_t best = 0;
    for (uint32_t k = 1; k < a->count; k++)
        if (sign * a->y[k] > sign * a->y[best] + rounding * a->unit)
            best = k;
    return best;
}

static void measure_ticks(const answer *a, ct_step_merit *m)
{
    uint32_t high = extreme_tick(a, 1), low = extreme_tick(a, -1), last = a->count;
    bool up = fabs(a->y[high]) >= fabs(a->y[low]);
    while (last > 0 && fabs(a->y[last - 1] - a->final) <= band_part * a->unit)
        last--;
    m->settling = last < a->count ? a->t[last] : NAN;
    m->rise = a->final != 0 ? first_tick(a, 0.9) - first_tick(a, 0.1) : NAN;
    finish_measures(a, a->y[high], a->y[low], up ? a->t[high] : a->t[low], m);
}

/* Nothing moves after the start: the answer is a step itself. */
static ct_step_merit measure_constant(double final)
{
    bool zero = final == 0;
    return (ct_step_merit){.known = true,
                           .settles = true,
                           .final = final,
                           .rise = zero ? NAN : 0,
                           .overshoot = zero ? NAN : 0,
                           .undershoot = zero ? NAN : 0,
                           .peak = final,
                           .peak_time = NAN};
}

ct_step_merit ct_lti_step_merit(ct_arena *arena, const ct_lti *lti, uint32_t i, uint32_t j)
{
    ct_step_merit m = {lti->n <= CT_LTI_FACTORS, false, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!m.known)
        return m;
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_lti_normal f = ct_lti_normal_new(scratch, lti);
    f = ct_lti_channel(scratch, &f, i, j);
    f = ct_lti_minimal(scratch, &f);
    answer a = {.arena = scratch, .pole = ct_matrix_modes(scratch, f.n, f.A)};
    a.part = (ct_lti){.n = f.n, .m = 1, .p = 1, .A = f.A, .B = f.R, .C = f.C, .D = f.P};
    a.part.period = lti->period;
    m.settles = settles(a.pole, f.n, lti->period);
    if (m.settles && lti->period > 0)
        take_whole(&a, lti, i, j);
    else if (m.settles)
        a.final = *ct_lti_dc_gain(scratch, &a.part);
    if (m.settles)
        m.final = a.final;
    if (m.settles && f.n == 0)
        m = measure_constant(m.final);
    else if (m.settles && lti->period > 0 && sample_ticks(&a))
        measure_ticks(&a, &m);
    else if (m.settles && !(lti->period > 0) && sample(&a))
        measure(&a, &m);
    ct_arena_free(scratch);
    return m;
}
