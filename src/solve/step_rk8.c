/* step_rk8.c - explicit Runge-Kutta of order 8 with errors of orders 5 and 3, by Dormand and Prince
 * (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.5).
 *
 * For systems that are not stiff, smooth, and wanted accurately: vibration without damping, orbits.
 * A point within a step is another, shorter step from its beginning. Stiffness (stiffness.c) shows
 * in the argument of the last stage and the new point, both at t + h.
 */
#include <math.h>
#include <string.h>

#include "solve/gauge.h"
#include "solve/project.h"
#include "solve/stiffness.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { STAGES = 12, VECTORS = STAGES + 9 };

static const double safety = 0.9, least_factor = 0.2, most_factor = 6, error_power = 0.125;
/* Of h lambda; 6.1 is the true one, but rounding errors grow before. */
static const double stability_limit = 4;
static const double forget = 0.95;  /* of the fastest rate, a step */
static const double most_move = 10; /* of a projection, in tolerances */

typedef struct rk8 {
    double *block;              /* all vectors */
    double *k[STAGES];          /* slopes of the stages */
    double *z, *before, *slope; /* slope: at `before` */
    double *next, *stage, *weight, *error;
    double *last, *ahead; /* argument of the last stage; slope at `next`, or scratch */
    uint32_t culprit;
    ct_stiffness stiffness;
    double fastest; /* rate of the system, lately */
    ct_gauge gauge;
} rk8;

static const double c[STAGES] = {
    0.0,
    0.05260015195876773,
    0.0789002279381516,
    0.1183503419072274,
    0.2816496580927726,
    0.3333333333333333,
    0.25,
    0.3076923076923077,
    0.6512820512820513,
    0.6,
    0.8571428571428571,
    1.0,
};
/* Rows of weights that are not zero: of each stage, last of the new point. */
static const uint8_t first[STAGES + 2] = {0, 0, 1, 3, 5, 8, 11, 15, 20, 26, 33, 41, 50, 58};
static const struct {
    uint8_t k;
    double w;
} term[] = {
    {0, 0.05260015195876773},   {0, 0.0197250569845379},   {1, 0.0591751709536137},
    {0, 0.02958758547680685},   {2, 0.08876275643042054},  {0, 0.2413651341592667},
    {2, -0.8845494793282861},   {3, 0.924834003261792},    {0, 0.037037037037037035},
    {3, 0.17082860872947386},   {4, 0.12546768756682242},  {0, 0.037109375},
    {3, 0.17025221101954405},   {4, 0.06021653898045596},  {5, -0.017578125},
    {0, 0.03709200011850479},   {3, 0.17038392571223998},  {4, 0.10726203044637328},
    {5, -0.015319437748624402}, {6, 0.008273789163814023}, {0, 0.6241109587160757},
    {3, -3.3608926294469414},   {4, -0.868219346841726},   {5, 27.59209969944671},
    {6, 20.154067550477894},    {7, -43.48988418106996},   {0, 0.47766253643826434},
    {3, -2.4881146199716677},   {4, -0.590290826836843},   {5, 21.230051448181193},
    {6, 15.279233632882423},    {7, -33.28821096898486},   {8, -0.020331201708508627},
    {0, -0.9371424300859873},   {3, 5.186372428844064},    {4, 1.0914373489967295},
    {5, -8.149787010746927},    {6, -18.52006565999696},   {7, 22.739487099350505},
    {8, 2.4936055526796523},    {9, -3.0467644718982196},  {0, 2.273310147516538},
    {3, -10.53449546673725},    {4, -2.0008720582248625},  {5, -17.9589318631188},
    {6, 27.94888452941996},     {7, -2.8589982771350235},  {8, -8.87285693353063},
    {9, 12.360567175794303},    {10, 0.6433927460157636},  {0, 0.054293734116568765},
    {5, 4.450312892752409},     {6, 1.8915178993145003},   {7, -5.801203960010585},
    {8, 0.3111643669578199},    {9, -0.1521609496625161},  {10, 0.20136540080403034},
    {11, 0.04471061572777259},
};
static const double e5[STAGES] = {
    0.01312004499419488,
    0.0,
    0.0,
    0.0,
    0.0,
    -1.2251564463762044,
    -0.4957589496572502,
    1.6643771824549864,
    -0.35032884874997366,
    0.3341791187130175,
    0.08192320648511571,
    -0.022355307863886294,
};
static const double e3[STAGES] = {
    -0.18980075407240762,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    -0.4226823213237919,
    -0.1521609496625161,
    0.20136540080403034,
    0.02265179219836082,
};

/* target = z + h sum w k */
static void put_point(const rk8 *r, uint32_t n, const double *z, uint32_t row, double h,
                      double *restrict target)
{
    memcpy(target, z, n * sizeof *target);
    for (uint32_t j = first[row]; j < first[row + 1]; j++) {
        const double *restrict k = r->k[term[j].k];
        double w = h * term[j].w;
        for (uint32_t i = 0; i < n; i++)
            target[i] += w * k[i];
    }
}

/* From z at t, whose slope is k[0], to `to`; without invariants. */
static bool go(ct_stepper *s, const double *z, double t, double h, double *to)
{
    rk8 *r = s->self;
    for (uint32_t k = 1; k < STAGES; k++) {
        double *point = k < STAGES - 1 ? r->stage : r->last;
        put_point(r, s->run->n, z, k, h, point);
        if (!ct_run_evaluate(s->run, t + c[k] * h, point, r->k[k]))
            return false;
    }
    put_point(r, s->run->n, z, STAGES, h, to);
    return true;
}

static void combine(const rk8 *r, const double *w, double h, uint32_t n, double *restrict to)
{
    memset(to, 0, n * sizeof *to);
    for (uint32_t j = 0; j < STAGES; j++) {
        const double *restrict k = r->k[j];
        for (uint32_t i = 0; i < n && w[j] != 0; i++)
            to[i] += h * w[j] * k[i];
    }
}

static double largest(rk8 *r, uint32_t n, const double *x)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++) {
        double part = fabs(x[i]) * r->weight[i];
        if (!(part <= most)) {
            most = part;
            r->culprit = i;
        }
        if (isnan(part))
            return INFINITY;
    }
    return most;
}

/* h lambda of a step that ends at `next` with the slope `end`. */
static double speed_of(const ct_stepper *s, const rk8 *r, const double *next, const double *end,
                       double h)
{
    ct_slope_pair near = {{r->last, next}, {r->k[STAGES - 1], end}};
    return h * ct_fastest_rate(s->run->n, r->weight, &near);
}

/* Of what is shown, where stiff parts hold the step: their errors do not tell what rates miss, and
 * one of two estimates may be small by chance. 0: they do not. */
static double stiff_error(ct_stepper *s, rk8 *r, double h, const double *error)
{
    ct_slope_pair ends = {{r->z, r->next}, {r->k[0], r->ahead}};
    double shown = ct_gauge_error(&r->gauge, s->t + h, r->next, error);
    if (shown <= 1 || !ct_run_evaluate(s->run, s->t + h, r->next, r->ahead))
        return 0;
    double fast = speed_of(s, r, r->next, r->ahead, h);
    return ct_step_is_stiff(s->run->n, r->weight, &ends, fast, stability_limit) ? shown : 0;
}

/* In tolerances, of x and of what is shown. */
static double error_size(ct_stepper *s, rk8 *r, double h)
{
    uint32_t n = s->run->n;
    double *third = r->ahead, *fifth = r->error;
    for (uint32_t i = 0; i < n; i++)
        r->weight[i] = 1 / (s->run->rtol * fmax(fabs(r->z[i]), fabs(r->next[i])) + s->run->atol[i]);
    combine(r, e3, 0.1 * h, n, third);
    combine(r, e5, h, n, fifth);
    double low = largest(r, n, third), high = largest(r, n, fifth), both = hypot(high, low);
    double share = both > 0 ? high / both : 0, most = high * share;
    if (!(most <= 1) || !r->gauge.count)
        return isnan(most) ? INFINITY : most;
    double held = stiff_error(s, r, h, low > high ? third : fifth);
    if (held > 0)
        return held;
    for (uint32_t i = 0; i < n; i++)
        fifth[i] *= share;
    double shown = ct_gauge_error(&r->gauge, s->t + h, r->next, fifth);
    return fmax(most, fmin(shown, ct_gauge_most * most));
}

/* Back to the invariants; a large move tells that it was none of the solution. */
static double bring_back(ct_stepper *s, rk8 *r, double t, double error)
{
    uint32_t n = s->run->n;
    memcpy(r->stage, r->next, n * sizeof *r->stage);
    if (ct_project(s->run->projector, ct_run_inside(s->run, t), r->next) != CT_SOLVED)
        return INFINITY;
    for (uint32_t i = 0; i < n; i++)
        r->stage[i] -= r->next[i];
    uint32_t culprit = r->culprit;
    double move = largest(r, n, r->stage) / most_move;
    r->culprit = move > error ? r->culprit : culprit;
    return fmax(error, move);
}

static void accept(ct_stepper *s, rk8 *r, double t)
{
    double *old = r->before, *old_slope = r->slope;
    r->before = r->z;
    r->z = r->next;
    r->next = old;
    r->slope = r->k[0];
    r->k[0] = old_slope;
    s->before = s->t;
    s->t = t;
    s->z = r->z;
    ct_gauge_note(&r->gauge);
}

static double factor_of(double error)
{
    const double least = 1e-12;
    double factor = safety * pow(fmax(error, least), -error_power);
    return fmin(most_factor, fmax(least_factor, factor));
}

static ct_solve_status stuck(const ct_stepper *s)
{
    return s->run->bad == UINT32_MAX ? CT_STEP_TOO_SMALL : CT_NOT_FINITE;
}

/* h lambda of the step that was made. As positions and speeds are weighed, an oscillation shows
 * more than its own in some phases, and as much less a quarter of a turn on, in J d where d is the
 * difference of both points: what seems to be fast is looked at there, too. */
static double sure_speed(ct_stepper *s, rk8 *r, double h)
{
    uint32_t n = s->run->n;
    double fast = speed_of(s, r, r->z, r->k[0], h);
    if (!(fast > stability_limit))
        return fast;
    for (uint32_t i = 0; i < n; i++)
        r->stage[i] = r->z[i] + (r->k[0][i] - r->k[STAGES - 1][i]) * (h / fast);
    if (!ct_run_evaluate(s->run, s->t, r->stage, r->ahead))
        return fast;
    ct_slope_pair near = {{r->z, r->stage}, {r->k[0], r->ahead}};
    return sqrt(fast * h * ct_fastest_rate(n, r->weight, &near));
}

static bool look_ahead(ct_stepper *s, rk8 *r, double h)
{
    if (!ct_run_evaluate(s->run, s->t, r->z, r->k[0]))
        return false;
    ct_slope_pair ends = {{r->before, r->z}, {r->slope, r->k[0]}};
    double fast = sure_speed(s, r, h);
    bool stiff = ct_step_is_stiff(s->run->n, r->weight, &ends, fast, stability_limit);
    r->fastest = fmax(fast / h, forget * r->fastest);
    ct_stiffness_watch(&r->stiffness, s, stiff, h);
    return true;
}

/* Far beyond the border of stability estimates of errors mean nothing, and may be small. */
static double longest(const ct_stepper *s, const rk8 *r)
{
    double stable = r->stiffness.stiff_count ? stability_limit / r->fastest : 0;
    return ct_shorter_step(ct_run_longest(s->run), stable);
}

static ct_solve_status step(ct_stepper *s, double stop)
{
    const double of_time = 1e-14;
    rk8 *r = s->self;
    ct_run_look_at_phases(s->run, r->k[0]);
    double limit = longest(s, r);
    for (bool again = false;; again = true) {
        double left = stop - s->t, h = limit > 0 ? fmin(s->h, limit) : s->h;
        bool last = h * 1.000001 >= left;
        h = last ? left : 2 * h > left ? left / 2 : h; /* no tiny last step */
        double t = last ? stop : s->t + h;
        if (!(t > s->t) || h < of_time * fabs(s->t))
            return stuck(s);
        double error = go(s, r->z, s->t, h, r->next) ? error_size(s, r, h) : INFINITY;
        if (error <= 1 && s->run->projector)
            error = bring_back(s, r, t, error);
        if (error <= 1) {
            double factor = factor_of(error);
            s->h = h < s->h && factor * h < s->h ? s->h : h * (again ? fmin(1, factor) : factor);
            accept(s, r, t);
            return look_ahead(s, r, h) ? CT_SOLVED : stuck(s);
        }
        s->h = isfinite(error) ? h * fmin(safety, factor_of(error)) : h * 0.1;
    }
}

/* A step of its own from the beginning of the last one; k[0] is kept. */
static bool land(ct_stepper *s, double t, double *z)
{
    rk8 *r = s->self;
    double *now = r->k[0];
    if (!(t > s->before)) {
        memcpy(z, r->before, s->run->n * sizeof *z);
        return true;
    }
    r->k[0] = r->slope;
    bool good = go(s, r->before, s->before, t - s->before, r->next);
    r->k[0] = now;
    if (good && s->run->projector)
        good = ct_project(s->run->projector, ct_run_inside(s->run, t), r->next) == CT_SOLVED;
    if (good)
        memcpy(z, r->next, s->run->n * sizeof *z);
    return good;
}

/* The cubic through both ends, where a step cannot be made. */
static void at(ct_stepper *s, double t, double *z)
{
    const rk8 *r = s->self;
    double h = s->t - s->before, x = h > 0 ? (t - s->before) / h : 1, y = 1 - x;
    if (x < 1 && land(s, t, z))
        return;
    for (uint32_t i = 0; i < s->run->n; i++)
        z[i] = r->before[i] + (x * x * (1 + 2 * y) * (r->z[i] - r->before[i]) +
                               h * x * y * (y * r->slope[i] - x * r->k[0][i]));
}

static ct_solve_status start(ct_stepper *s, double t, const double *z, double stop)
{
    const double careful = 1e-3, tiny = 1e-10; /* errors correct it */
    rk8 *r = s->self;
    double rate = 0;
    memcpy(r->before, z, s->run->n * sizeof *z);
    r->stiffness = (ct_stiffness){0};
    r->fastest = 0;
    if (!ct_run_begin(s, t, z, r->z, r->k[0]))
        return CT_NOT_FINITE;
    memcpy(r->slope, r->k[0], s->run->n * sizeof *z);
    for (uint32_t i = 0; i < s->run->n; i++)
        rate = fmax(rate, fabs(r->k[0][i]) / (fabs(z[i]) * s->run->rtol + s->run->atol[i]));
    double h = rate > 0 ? pow(s->run->rtol, error_power) / (rate * s->run->rtol) : stop - t;
    s->h = fmin(fmax(careful * h, tiny * (stop - t)), stop - t);
    return CT_SOLVED;
}

static uint32_t culprit(ct_stepper *s)
{
    return ((rk8 *)s->self)->culprit;
}

static void release(ct_stepper *s)
{
    rk8 *r = s->self;
    ct_arena_release(s->run->arena, r->block, VECTORS * (size_t)s->run->n * sizeof(double));
    r->block = NULL;
}

ct_stepper *ct_stepper_rk8(ct_integration *run)
{
    ct_stepper *s = CT_NEW(run->arena, ct_stepper);
    rk8 *r = CT_NEW(run->arena, rk8);
    double **need[] = {&r->z,      &r->before, &r->slope, &r->next, &r->stage,
                       &r->weight, &r->error,  &r->last,  &r->ahead};
    r->block = CT_NEW_ARRAY(run->arena, double, VECTORS *(size_t)run->n);
    double *vector = ct_lay_out(need, sizeof need / sizeof *need, r->block, run->n);
    for (size_t i = 0; i < STAGES; i++, vector += run->n)
        r->k[i] = vector;
    r->gauge = ct_gauge_of(run);
    r->culprit = UINT32_MAX;
    *s = (ct_stepper){.name = "Dormand-Prince 8(5,3)",
                      .run = run,
                      .share = 0.2,
                      .self = r,
                      .start = start,
                      .step = step,
                      .at = at,
                      .land = land,
                      .culprit = culprit,
                      .free = release,
                      .z = r->z};
    return s;
}
