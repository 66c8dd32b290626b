/* test_plot.h - figures for the tests of plots, and memory that runs out. */
#ifndef TEST_PLOT_H
#define TEST_PLOT_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "export/plot.h"
#include "test_shortage.h"

/* ---- figures ------------------------------------------------------------------------------- */

typedef double (*law)(double t);

static double *values(ct_arena *arena, uint64_t count, double from, double to, law f)
{
    double *v = CT_NEW_ARRAY(arena, double, count);
    for (uint64_t i = 0; i < count; i++) {
        double t = count > 1 ? from + (to - from) * (double)i / (double)(count - 1) : from;
        v[i] = f(t);
    }
    return v;
}

static double same(double t)
{
    return t;
}

static void add(ct_figure *figure, ct_arena *arena, const char *label, uint64_t count, double from,
                double to, law f)
{
    ct_plot_curve *all = CT_NEW_ARRAY(arena, ct_plot_curve, figure->curve_count + 1);
    if (figure->curve_count)
        memcpy(all, figure->curve, figure->curve_count * sizeof *all);
    all[figure->curve_count++] = (ct_plot_curve){label, values(arena, count, from, to, same),
                                                 values(arena, count, from, to, f), count};
    figure->curve = all;
}

static double charge(double t)
{
    return 5 * (1 - exp(-t / 2e-3));
}

static double discharge(double t)
{
    return 5e-3 * exp(-t / 2e-3);
}

static void fill_rc(ct_figure *f, ct_arena *arena)
{
    f[0] = (ct_figure){.title = "RC circuit, 5 V step", .x_label = "time [s]"};
    f[0].y_label = "voltage [V]";
    add(f, arena, "C1.v", 400, 0, 0.0113, charge);
    add(f, arena, "V1.v", 400, 0, 0.0113, same);
    double *source = CT_NEW_ARRAY(arena, double, 400);
    for (int i = 0; i < 400; i++)
        source[i] = i < 3 ? 0 : 5;
    ((ct_plot_curve *)f[0].curve)[1].y = source;
    f[1] = (ct_figure){.x_label = "time [s]", .y_label = "R1.i [A]"};
    add(f + 1, arena, "R1.i", 400, 0, 0.0113, discharge);
}

static double damped(double t)
{
    return exp(-0.15 * t) * cos(2 * t);
}

static double damped_speed(double t)
{
    return -exp(-0.15 * t) * (0.15 * cos(2 * t) + 2 * sin(2 * t));
}

static void fill_many(ct_figure *f, ct_arena *arena)
{
    static const char *const name[] = {"J1.beta", "J2.beta", "J3.beta", "J4.beta", "J5.beta",
                                       "J6.beta", "J7.beta", "J8.beta", "J9.beta", "J10.beta"};
    *f = (ct_figure){.title = "Ten joints", .x_label = "time [s]", .y_label = "angle [rad]"};
    for (int k = 0; k < 10; k++) {
        add(f, arena, name[k], 600, 0, 20, damped);
        double *y = (double *)f->curve[k].y;
        for (int i = 0; i < 600; i++)
            y[i] = exp(-0.05 * i / 30.0) * sin(0.6 * i / 30.0 * (1 + 0.13 * k) + k);
    }
}

static void fill_phase(ct_figure *f, ct_arena *arena)
{
    *f = (ct_figure){.title = "Phase plane of a damped oscillator", .x_label = "position [m]"};
    f->y_label = "speed [m/s]";
    add(f, arena, "mass 1", 3000, 0, 40, damped_speed);
    ((ct_plot_curve *)f->curve)[0].x = values(arena, 3000, 0, 40, damped);
}

static double tiny_ripple(double t)
{
    return 5 + 3e-7 * sin(t);
}

static double huge(double t)
{
    return 3.2e9 * sin(t) * exp(-t / 4);
}

static double microscopic(double t)
{
    return 4e-13 * sin(3 * t);
}

static void fill_ranges(ct_figure *f, ct_arena *arena)
{
    f[0] = (ct_figure){.title = "A ripple on 5 V", .x_label = "time [s]", .y_label = "v [V]"};
    add(f, arena, "v", 300, 0, 2e-6, tiny_ripple);
    double *y = (double *)f[0].curve[0].y;
    for (int i = 0; i < 300; i++)
        y[i] = tiny_ripple(i * 0.1);
    f[1] = (ct_figure){.title = "Huge", .x_label = "time [s]", .y_label = "power [W]"};
    add(f + 1, arena, "P", 300, 0, 12, huge);
    f[2] = (ct_figure){.title = "Tiny, no prefix", .x_label = "time [s]"};
    f[2].y_label = "inertia [kg.m^2]";
    add(f + 2, arena, "J", 300, 0, 86400, microscopic);
    f[3] = (ct_figure){.title = "Constant", .x_label = "time [s]", .y_label = "R [ohm]"};
    add(f + 3, arena, "R", 300, 0, 1, same);
    for (int i = 0; i < 300; i++)
        ((double *)f[3].curve[0].y)[i] = 4700;
}

static double gaps(double t)
{
    return fmod(t, 3) < 0.6 ? NAN : fmod(t, 7) < 0.2 ? INFINITY : sin(t) + 0.3 * sin(5 * t);
}

static void fill_gaps(ct_figure *f, ct_arena *arena)
{
    *f = (ct_figure){.title = "Gaps and <escapes> & \"quotes\"", .x_label = "t", .y_label = "y"};
    add(f, arena, "a<b & c", 500, 0, 20, gaps);
    add(f, arena, "dots", 20, 0, 20, cos);
    double *y = (double *)f->curve[1].y;
    for (int i = 1; i < 20; i += 2)
        y[i] = NAN;
}

static double noise_with_peak(double t)
{
    double n = fmod(fabs(sin(t * 12345.678) * 43758.5453), 1);
    return t == 5 ? 9 : sin(t) + 0.2 * n;
}

static void fill_million(ct_figure *f, ct_arena *arena)
{
    *f = (ct_figure){.title = "A million points and one peak", .x_label = "time [s]"};
    f->y_label = "speed [rad/s]";
    add(f, arena, "w", 1000001, 0, 10, noise_with_peak);
}

static void fill_lorenz(ct_figure *f, ct_arena *arena)
{
    enum { COUNT = 1000000 };
    double *px = CT_NEW_ARRAY(arena, double, COUNT), *pz = CT_NEW_ARRAY(arena, double, COUNT);
    double x = 1, y = 1, z = 1, h = 0.002;
    for (int i = 0; i < COUNT; i++) {
        double dx = 10 * (y - x), dy = x * (28 - z) - y, dz = x * y - 8 * z / 3;
        x += h * dx;
        y += h * dy;
        z += h * dz;
        px[i] = x;
        pz[i] = z;
    }
    ct_plot_curve *c = CT_NEW(arena, ct_plot_curve);
    *c = (ct_plot_curve){"orbit", px, pz, COUNT};
    *f = (ct_figure){.title = "Lorenz, a million points", .x_label = "x", .y_label = "z"};
    f->curve = c;
    f->curve_count = 1;
}

static void fill_long(ct_figure *f, ct_arena *arena)
{
    *f = (ct_figure){
        .title = "A title that is much longer than the plot is wide, as happens when somebody puts "
                 "the whole description of the model there, with all its parameters",
        .x_label = "time [s]",
        .y_label = "a label of the vertical axis that is far too long for its height [N.m]"};
    add(f, arena, "robot.arm.left.shoulder.joint.with.a.very.long.path.torque[1]", 100, -1e6, 1e6,
        sin);
    add(f, arena, "\xcf\x86 \xe2\x82\x82 \xe6\xbc\xa2\xe5\xad\x97", 100, -1e6, 1e6, cos);
}

static void fill_one(ct_figure *f, ct_arena *arena)
{
    f[0] = (ct_figure){.title = "One row", .x_label = "time [s]", .y_label = "v [V]"};
    add(f, arena, "v", 1, 0, 0, charge);
    f[1] = (ct_figure){.title = "No row", .x_label = "time [s]", .y_label = "v [V]"};
    add(f + 1, arena, "v", 0, 0, 0, charge);
    f[2] = (ct_figure){.title = "No number", .x_label = "time [s]", .y_label = "v [V]"};
    add(f + 2, arena, "v", 10, NAN, NAN, same);
}

static void fill_bare(ct_figure *f, ct_arena *arena)
{
    add(f, arena, NULL, 50, -DBL_MAX, DBL_MAX, same);
    add(f + 1, arena, "extreme", 50, -1e300, 1e300, same);
    add(f + 2, arena, "denormal", 50, 0, 1e-310, same);
    add(f + 3, arena, "x", 50, 1e5, 1e5 + 1e-8, same);
}

enum { MOST_FIGURES = 4 };

typedef struct sample {
    const char *name;
    void (*fill)(ct_figure *figure, ct_arena *arena);
    uint32_t count;
} sample;

static const sample samples[] = {
    {"rc", fill_rc, 2},         {"many", fill_many, 1},    {"phase", fill_phase, 1},
    {"ranges", fill_ranges, 4}, {"gaps", fill_gaps, 1},    {"million", fill_million, 1},
    {"lorenz", fill_lorenz, 1}, {"long", fill_long, 1},    {"one", fill_one, 3},
    {"bare", fill_bare, 4},     {"nothing", fill_bare, 0},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

#endif
