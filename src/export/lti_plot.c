/* lti_plot.c - Bode, Nyquist, step and impulse figures of linear systems. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "export/lti_show.h"

static const double pi = 3.14159265358979323846;

typedef struct maker {
    ct_arena *arena;
    const ct_lti *lti;
    const ct_lti_names *names;
    ct_lti_plot_def def;
    double from, to; /* rad/s, or s */
    ct_figure *figure;
    ct_plot_curve **curve; /* of each, while it is made */
    uint32_t count;
} maker;

static const char *unit_of(const char *const *unit, uint32_t i)
{
    return unit && unit[i] && strcmp(unit[i], "1") != 0 ? unit[i] : "";
}

static const char *printed(ct_arena *arena, const char *format, ...)
{
    ct_text text = ct_text_new(arena);
    va_list list;
    va_start(list, format);
    ct_vputf(&text, format, list);
    va_end(list);
    return ct_text_string(&text);
}

/* `Servo: response to a step of V1.v` */
static const char *title_of_response(const maker *m, const char *what, uint32_t j)
{
    const char *title = m->names->title ? m->names->title : "", *colon = *title ? ": " : "";
    return printed(m->arena, "%s%sresponse to %s of %s", title, colon, what, m->names->input[j]);
}

/* `Servo: Bode plot from V1.v`; with one output also to where. */
static const char *title_of(const maker *m, const char *what, uint32_t j)
{
    const char *title = m->names->title ? m->names->title : "", *colon = *title ? ": " : "";
    const char *in = m->names->input[j];
    if (m->lti->p == 1)
        return printed(m->arena, "%s%s%s, %s to %s", title, colon, what, in, m->names->output[0]);
    return printed(m->arena, "%s%s%s from %s", title, colon, what, in);
}

static ct_figure *add_figure(maker *m, const char *title, const char *x_label, const char *y_label)
{
    ct_figure *f = &m->figure[m->count++];
    ct_plot_curve *curve = CT_NEW_ARRAY(m->arena, ct_plot_curve, (size_t)m->lti->p + 1);
    *f = (ct_figure){.title = title, .x_label = x_label, .y_label = y_label, .curve = curve};
    m->curve[f - m->figure] = curve;
    return f;
}

static ct_plot_curve *add_curve(const maker *m, ct_figure *figure)
{
    return m->curve[figure - m->figure] + figure->curve_count++;
}

/* ---- frequencies --------------------------------------------------------------------------- */

enum { EVEN = 500, AROUND = 36 };

typedef struct samples {
    double *at;
    uint32_t count;
} samples;

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Equal angles seen from the root: there the curve in the plane is nearly a circle. */
static void add_around(samples *s, const maker *m, const ct_mode *mode)
{
    double width = fmax(fabs(mode->re), 1e-4 * fabs(mode->im));
    for (int k = -AROUND; mode->im > 0 && k <= AROUND; k++) {
        double omega = mode->im + width * tan(pi / 2 * k / (AROUND + 0.5));
        if (omega > m->from && omega < m->to)
            s->at[s->count++] = omega;
    }
}

/* Even on the logarithmic axis, and closer where a hardly damped pair is. */
static samples choose_frequencies(const maker *m, const ct_transfer *t)
{
    uint32_t most = EVEN + (2 * AROUND + 1) * (t->zero_count + t->pole_count), kept = 0;
    samples s = {CT_NEW_ARRAY(m->arena, double, most), EVEN};
    memcpy(s.at, ct_lti_spaced(m->arena, m->from, m->to, EVEN), EVEN * sizeof(double));
    for (uint32_t k = 0; k < t->zero_count; k++)
        add_around(&s, m, &t->zero[k]);
    for (uint32_t k = 0; k < t->pole_count; k++)
        add_around(&s, m, &t->pole[k]);
    qsort(s.at, s.count, sizeof(double), compare_numbers);
    for (uint32_t k = 0; k < s.count; k++)
        if (kept == 0 || s.at[k] > s.at[kept - 1])
            s.at[kept++] = s.at[k];
    s.count = kept;
    return s;
}

static void choose_range(maker *m)
{
    double unit = m->def.hz ? 2 * pi : 1;
    if (!(m->def.from > 0 && m->def.to > m->def.from))
        ct_lti_range(m->arena, m->lti, &m->from, &m->to);
    if (m->def.from > 0)
        m->from = m->def.from * unit;
    if (m->def.to > 0)
        m->to = m->def.to * unit;
    if (!(m->to > m->from))
        m->to = 10 * m->from;
}

/* ---- Bode ---------------------------------------------------------------------------------- */

static void add_response(maker *m, ct_figure *size, ct_figure *phase, uint32_t i, uint32_t j)
{
    ct_transfer t = ct_lti_transfer(m->arena, m->lti, i, j);
    samples s = choose_frequencies(m, &t);
    double *db = CT_NEW_ARRAY(m->arena, double, s.count);
    double *degrees = CT_NEW_ARRAY(m->arena, double, s.count);
    ct_transfer_bode(&t, s.at, s.count, db, degrees);
    for (uint32_t k = 0; m->def.hz && k < s.count; k++)
        s.at[k] /= 2 * pi;
    *add_curve(m, size) = (ct_plot_curve){m->names->output[i], s.at, db, s.count};
    *add_curve(m, phase) = (ct_plot_curve){m->names->output[i], s.at, degrees, s.count};
}

static void add_bode(maker *m, uint32_t j)
{
    const char *x = m->def.hz ? "frequency [Hz]" : "angular frequency [rad/s]";
    ct_figure *size = add_figure(m, title_of(m, "Bode plot", j), NULL, "magnitude [dB]");
    ct_figure *phase = add_figure(m, NULL, x, "phase [deg]");
    size->x_log = phase->x_log = phase->no_legend = true;
    size->y_ticks = CT_TICKS_DECIBEL;
    phase->y_ticks = CT_TICKS_DEGREES;
    for (uint32_t i = 0; i < m->lti->p; i++)
        add_response(m, size, phase, i, j);
}

/* ---- Nyquist ------------------------------------------------------------------------------- */

/* Where a root on the axis takes the curve to infinity, what is far out is left out. */
static double largest_shown(const ct_transfer *t)
{
    const double far = 4;
    bool endless = t->zero_count > t->pole_count;
    for (uint32_t k = 0; k < t->pole_count; k++)
        endless |= t->pole[k].re == 0;
    return endless ? far : INFINITY;
}

/* From minus to plus infinity: the mirror image first. Gives how far out the curve goes. */
static double add_locus(maker *m, ct_figure *figure, uint32_t i, uint32_t j)
{
    ct_transfer t = ct_lti_transfer(m->arena, m->lti, i, j);
    samples s = choose_frequencies(m, &t);
    size_t n = s.count;
    double *x = CT_NEW_ARRAY(m->arena, double, 2 * n), *y = CT_NEW_ARRAY(m->arena, double, 2 * n);
    double limit = largest_shown(&t), largest = 0;
    for (size_t k = 0; k < n; k++) {
        double complex g = ct_transfer_at(&t, s.at[k] * I);
        bool shown = cabs(g) <= limit;
        largest = fmax(largest, cabs(g));
        x[n + k] = x[n - 1 - k] = shown ? creal(g) : NAN;
        y[n + k] = shown ? cimag(g) : NAN;
        y[n - 1 - k] = -y[n + k];
    }
    *add_curve(m, figure) = (ct_plot_curve){m->names->output[i], x, y, 2 * n};
    return largest;
}

static void add_nyquist(maker *m, uint32_t j)
{
    static const double minus_one[] = {-1}, zero[] = {0}, near = 0.3;
    double largest = 0;
    const char *title = title_of(m, "Nyquist plot", j);
    ct_figure *f = add_figure(m, title, "real part", "imaginary part");
    f->equal = true;
    for (uint32_t i = 0; i < m->lti->p; i++)
        largest = fmax(largest, add_locus(m, f, i, j));
    if (largest >= near) /* else it is far away, and would make all else small */
        *add_curve(m, f) = (ct_plot_curve){"\xe2\x88\x92\x31", minus_one, zero, 1};
}

/* ---- responses in time --------------------------------------------------------------------- */

enum { TIMES = 601 };

static const char *quantity(const maker *m, uint32_t i)
{
    const char *unit = unit_of(m->names->output_unit, i);
    return printed(m->arena, *unit ? "%s [%s]" : "%s", m->names->output[i], unit);
}

/* One figure for all outputs when they have one unit, else one for each. */
static bool same_units(const maker *m)
{
    for (uint32_t i = 1; i < m->lti->p; i++)
        if (strcmp(unit_of(m->names->output_unit, i), unit_of(m->names->output_unit, 0)) != 0)
            return false;
    return true;
}

static void add_times(maker *m, uint32_t j, bool step)
{
    size_t p = m->lti->p;
    double *t = CT_NEW_ARRAY(m->arena, double, TIMES);
    double *all = CT_NEW_ARRAY(m->arena, double, TIMES *p);
    const char *what = step ? "a step" : "an impulse";
    const char *unit = unit_of(m->names->output_unit, 0);
    bool together = same_units(m);
    for (uint32_t k = 0; k < TIMES; k++)
        t[k] = m->to * k / (TIMES - 1);
    (step ? ct_lti_step : ct_lti_impulse)(m->arena, m->lti, j, t, TIMES, all);
    ct_figure *f = NULL;
    for (uint32_t i = 0; i < p; i++) {
        double *y = CT_NEW_ARRAY(m->arena, double, TIMES);
        for (size_t k = 0; k < TIMES; k++)
            y[k] = all[k * p + i];
        if (!f || !together)
            f = add_figure(m, i ? NULL : title_of_response(m, what, j), "time [s]",
                           together && p > 1 ? printed(m->arena, *unit ? "[%s]" : "", unit)
                                             : quantity(m, i));
        *add_curve(m, f) = (ct_plot_curve){m->names->output[i], t, y, TIMES};
    }
}

static void add_step(maker *m, uint32_t j)
{
    add_times(m, j, true);
}

static void add_impulse(maker *m, uint32_t j)
{
    add_times(m, j, false);
}

/* ---- figures ------------------------------------------------------------------------------- */

static void choose_time(maker *m)
{
    m->to = m->def.to > 0 ? m->def.to : ct_lti_horizon(m->arena, m->lti);
}

static const struct kind {
    void (*prepare)(maker *m);
    void (*add)(maker *m, uint32_t input);
} kinds[] = {
    [CT_LTI_BODE] = {choose_range, add_bode},
    [CT_LTI_NYQUIST] = {choose_range, add_nyquist},
    [CT_LTI_STEP] = {choose_time, add_step},
    [CT_LTI_IMPULSE] = {choose_time, add_impulse},
};

const ct_figure *ct_lti_figures(ct_arena *arena, const ct_lti *lti, const ct_lti_names *names,
                                ct_lti_plot plot, const ct_lti_plot_def *def, uint32_t *count)
{
    maker m = {.arena = arena, .lti = lti, .names = names};
    size_t each = lti->p > 2 ? lti->p : 2;
    if (def)
        m.def = *def;
    m.figure = CT_NEW_ARRAY(arena, ct_figure, each * lti->m);
    m.curve = CT_NEW_ARRAY(arena, ct_plot_curve *, each * lti->m);
    if (lti->p && lti->m)
        kinds[plot].prepare(&m);
    for (uint32_t j = 0; lti->p && j < lti->m; j++)
        kinds[plot].add(&m, j);
    *count = m.count;
    return m.figure;
}

static void put_svg(const ct_lti *lti, const ct_lti_names *names, ct_lti_plot plot,
                    const ct_lti_plot_def *def, ct_text *out)
{
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    uint32_t count;
    const ct_figure *figure = ct_lti_figures(arena, lti, names, plot, def, &count);
    ct_figures_put_svg(figure, count, out);
    ct_arena_free(arena);
}

void ct_lti_put_bode(const ct_lti *lti, const ct_lti_names *names, const ct_lti_plot_def *def,
                     ct_text *out)
{
    put_svg(lti, names, CT_LTI_BODE, def, out);
}

void ct_lti_put_nyquist(const ct_lti *lti, const ct_lti_names *names, const ct_lti_plot_def *def,
                        ct_text *out)
{
    put_svg(lti, names, CT_LTI_NYQUIST, def, out);
}

void ct_lti_put_step(const ct_lti *lti, const ct_lti_names *names, const ct_lti_plot_def *def,
                     ct_text *out)
{
    put_svg(lti, names, CT_LTI_STEP, def, out);
}

void ct_lti_put_impulse(const ct_lti *lti, const ct_lti_names *names, const ct_lti_plot_def *def,
                        ct_text *out)
{
    put_svg(lti, names, CT_LTI_IMPULSE, def, out);
}
