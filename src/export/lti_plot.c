/* lti_plot.c - Bode, Nyquist, step and impulse figures of linear systems. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "export/lti_show.h"
#include "study/lti_merit.h"

static const double pi = 3.14159265358979323846;

void ct_lti_plot_range(ct_arena *arena, const ct_lti *lti, const ct_lti_plot_def *def, double *from,
                       double *to)
{
    double unit = def->hz ? 2 * pi : 1;
    if (!(def->from > 0 && def->to > def->from))
        ct_lti_range(arena, lti, from, to);
    if (def->from > 0)
        *from = def->from * unit;
    if (def->to > 0)
        *to = def->to * unit;
    if (!(*to > *from) && def->from > 0)
        *to = 10 * *from;
    else if (!(*to > *from))
        *from = *to / 10;
}

typedef struct maker {
    ct_arena *arena;
    const ct_lti *lti;
    const ct_lti_names *names;
    ct_lti_plot_def def;
    ct_locus *last;  /* the curve made before */
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
    ct_plot_curve *curve = CT_NEW_ARRAY(m->arena, ct_plot_curve, 2 * (size_t)m->lti->p + 1);
    *f = (ct_figure){.title = title, .x_label = x_label, .y_label = y_label, .curve = curve};
    m->curve[f - m->figure] = curve;
    return f;
}

static ct_plot_curve *add_curve(const maker *m, ct_figure *figure)
{
    return m->curve[figure - m->figure] + figure->curve_count++;
}

/* ---- frequencies --------------------------------------------------------------------------- */

enum { EVEN = 500 };

static void choose_range(maker *m)
{
    ct_lti_plot_range(m->arena, m->lti, &m->def, &m->from, &m->to);
}

/* ---- Bode ---------------------------------------------------------------------------------- */

/* With two curves of one output, which of them: `exact`, or with several outputs `y, exact`. */
static const char *curve_name(const maker *m, uint32_t i, bool exact)
{
    const char *which = exact ? "exact" : "finite model", *name = m->names->output[i];
    if (!m->def.exact)
        return name;
    return m->lti->p == 1 ? which : printed(m->arena, "%s, %s", name, which);
}

static void draw_bode(maker *m, ct_locus *curve, const char *name, ct_figure *size,
                      ct_figure *phase)
{
    const ct_transfer *t = ct_locus_transfer(curve);
    uint32_t n;
    const double *omega = ct_transfer_samples(m->arena, t, m->from, m->to, EVEN, &n);
    double *db = CT_NEW_ARRAY(m->arena, double, n), *degrees = CT_NEW_ARRAY(m->arena, double, n);
    double *x = CT_NEW_ARRAY(m->arena, double, n);
    ct_locus_span(curve, m->from, m->to);
    ct_locus_bode(curve, omega, n, db, degrees);
    for (uint32_t k = 0; k < n; k++)
        x[k] = omega[k] / (m->def.hz ? 2 * pi : 1);
    *add_curve(m, size) = (ct_plot_curve){name, x, db, n};
    *add_curve(m, phase) = (ct_plot_curve){name, x, degrees, n};
}

static void add_response(maker *m, ct_figure *size, ct_figure *phase, uint32_t i, uint32_t j)
{
    ct_locus *curve = m->last = ct_locus_new(m->arena, m->lti, i, j, m->last);
    if (m->def.exact)
        draw_bode(m, ct_locus_near(curve, m->def.exact), curve_name(m, i, true), size, phase);
    draw_bode(m, curve, curve_name(m, i, false), size, phase);
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
        endless |= t->period > 0 ? ct_mode_grows(&t->pole[k], t->period) == 0 : t->pole[k].re == 0;
    return endless ? far : INFINITY;
}

/* From minus to plus infinity: the mirror image first. Gives how far out the curve goes. */
static double draw_locus(maker *m, ct_locus *curve, const char *name, ct_figure *figure)
{
    const ct_transfer *t = ct_locus_transfer(curve);
    uint32_t count;
    const double *omega = ct_transfer_samples(m->arena, t, m->from, m->to, EVEN, &count);
    size_t n = count;
    double *x = CT_NEW_ARRAY(m->arena, double, 2 * n), *y = CT_NEW_ARRAY(m->arena, double, 2 * n);
    double limit = largest_shown(t), largest = 0;
    for (size_t k = 0; k < n; k++) {
        double complex g = ct_locus_at(curve, omega[k]);
        bool shown = cabs(g) <= limit;
        largest = fmax(largest, cabs(g));
        x[n + k] = x[n - 1 - k] = shown ? creal(g) : NAN;
        y[n + k] = shown ? cimag(g) : NAN;
        y[n - 1 - k] = -y[n + k];
    }
    *add_curve(m, figure) = (ct_plot_curve){name, x, y, 2 * n};
    return largest;
}

static double add_locus(maker *m, ct_figure *figure, uint32_t i, uint32_t j)
{
    ct_locus *curve = m->last = ct_locus_new(m->arena, m->lti, i, j, m->last);
    if (m->def.exact)
        draw_locus(m, ct_locus_near(curve, m->def.exact), curve_name(m, i, true), figure);
    return draw_locus(m, curve, curve_name(m, i, false), figure);
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

/* `m1.x [m]`, or with several `position [m]`. */
static const char *label_of(const maker *m, uint32_t i, bool several)
{
    const char *unit = unit_of(m->names->output_unit, i), *name = m->names->output[i];
    if (several)
        name = ct_unit_quantity(unit, ct_arena_context(m->arena));
    return printed(m->arena, *unit ? "%s%s[%s]" : "%s", name, *name ? " " : "", unit);
}

static bool same_unit(const maker *m, uint32_t i, uint32_t k)
{
    return strcmp(unit_of(m->names->output_unit, i), unit_of(m->names->output_unit, k)) == 0;
}

/* The outputs with the unit of output i, unless one before it has shown them. */
static void add_panel(maker *m, uint32_t i, const char *title, const double *t, const double *all,
                      uint32_t rows)
{
    uint32_t p = m->lti->p, count = 0;
    for (uint32_t k = 0; k < p; k++) {
        if (same_unit(m, i, k) && k < i)
            return;
        count += same_unit(m, i, k);
    }
    ct_figure *f = add_figure(m, title, "time [s]", label_of(m, i, count > 1));
    for (uint32_t k = i; k < p; k++) {
        if (!same_unit(m, i, k))
            continue;
        double *y = CT_NEW_ARRAY(m->arena, double, rows);
        for (size_t at = 0; at < rows; at++)
            y[at] = all[at * p + k];
        *add_curve(m, f) = (ct_plot_curve){m->names->output[k], t, y, rows};
    }
}

/* A panel for each unit. */
static void add_times(maker *m, uint32_t j, bool step)
{
    uint32_t rows;
    const double *t = ct_lti_times(m->arena, m->lti, m->to, TIMES, &rows);
    double *all = CT_NEW_ARRAY(m->arena, double, rows *(size_t)m->lti->p);
    const char *title = title_of_response(m, step ? "a step" : "an impulse", j);
    (step ? ct_lti_step : ct_lti_impulse)(m->arena, m->lti, j, t, rows, all);
    for (uint32_t i = 0; i < m->lti->p; i++)
        add_panel(m, i, i ? NULL : title, t, all, rows);
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
    m->to = m->def.stop > 0 ? m->def.stop : ct_lti_horizon(m->arena, m->lti);
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

void ct_lti_put_svg(const ct_lti *lti, const ct_lti_names *names, ct_lti_plot plot,
                    const ct_lti_plot_def *def, ct_text *out)
{
    ct_arena *arena = ct_arena_new(ct_arena_context(out->arena));
    uint32_t count;
    const ct_figure *figure = ct_lti_figures(arena, lti, names, plot, def, &count);
    ct_figures_put_svg(figure, count, out);
    ct_arena_free(arena);
}
