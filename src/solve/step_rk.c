/* step_rk.c - explicit Runge-Kutta 5(4) of Dormand and Prince with dense output of order 4.
 *
 * For systems that are not stiff. Stiffness (stiffness.c) shows in a pair of points at the same
 * time t + h: the argument of stage 6 and the new point.
 */
#include "solve/step_rk.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/nvector.h"
#include "solve/project.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

static const double stability_limit = 2.7; /* of h lambda; 3.3 is the true one */
static const double middle_share = 0.25;   /* of the defect in the middle: the error there */
static const double safety = 0.9, least_factor = 0.2, most_factor = 10;
static const double error_power = 0.2 - 0.04 * 0.75, memory_power = 0.04; /* PI control */
static const double least_memory = 1e-4;

static const double c[STAGES] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
static const double e[STAGES] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                 -17253. / 339200, 22. / 525, -1. / 40};
static const double d[STAGES] = {-12715105075. / 11282082432,  0,
                                 87487479700. / 32700410799,   -10690763975. / 1880347072,
                                 701980252875. / 199316789632, -1453857185. / 822651844,
                                 69997945. / 29380423};

static void set_weights(ct_stepper *s, rk *r, const double *z)
{
    double rtol = s->run->rtol;
    const double *atol = s->run->atol;
    for (uint32_t i = 0; i < s->run->n; i++)
        r->weight[i] = 1 / (rtol * fabs(z[i]) + atol[i]);
}

/* target = z + h (a[0] k0 + ... + a[count-1] k(count-1)); written out so that each is one loop. */
static void stage_point(const rk *r, uint32_t n, uint32_t count, const double *w, double h,
                        double *restrict target)
{
    const double *restrict z = r->z, *restrict k0 = r->k[0], *restrict k1 = r->k[1];
    const double *restrict k2 = r->k[2], *restrict k3 = r->k[3], *restrict k4 = r->k[4];
    const double *restrict k5 = r->k[5];
    switch (count) {
    case 1:
        for (uint32_t i = 0; i < n; i++)
            target[i] = z[i] + h * (w[0] * k0[i]);
        break;
    case 2:
        for (uint32_t i = 0; i < n; i++)
            target[i] = z[i] + h * (w[0] * k0[i] + w[1] * k1[i]);
        break;
    case 3:
        for (uint32_t i = 0; i < n; i++)
            target[i] = z[i] + h * (w[0] * k0[i] + w[1] * k1[i] + w[2] * k2[i]);
        break;
    case 4:
        for (uint32_t i = 0; i < n; i++)
            target[i] = z[i] + h * (w[0] * k0[i] + w[1] * k1[i] + w[2] * k2[i] + w[3] * k3[i]);
        break;
    case 5:
        for (uint32_t i = 0; i < n; i++)
            target[i] = z[i] + h * (w[0] * k0[i] + w[1] * k1[i] + w[2] * k2[i] + w[3] * k3[i] +
                                    w[4] * k4[i]);
        break;
    default: /* the new point; its weight of k1 is zero */
        for (uint32_t i = 0; i < n; i++)
            target[i] = z[i] + h * (w[0] * k0[i] + w[2] * k2[i] + w[3] * k3[i] + w[4] * k4[i] +
                                    w[5] * k5[i]);
    }
}

/* Dependent unknowns follow from the others in each stage; near a singular position all follow. */
static bool mend_stage(ct_stepper *s, const rk *r, double t, double *point)
{
    bool holds = ct_projector_holds(s->run->projector);
    if (r->margin > CT_RK_MENDED_MARGIN && !holds)
        return true;
    return ct_project(s->run->projector, ct_run_inside(s->run, t), point) == CT_SOLVED || !holds;
}

/* From the point to r->next at t + h; the slope there if wanted. */
static bool stages(ct_stepper *s, rk *r, double h, bool slope)
{
    uint32_t n = s->run->n;
    for (uint32_t k = 1; k < STAGES; k++) {
        double *target = k == STAGES - 1 ? r->next : r->stage;
        stage_point(r, n, k, a[k], h, target);
        if (k < STAGES - 1 && !mend_stage(s, r, s->t + c[k] * h, target))
            return false;
        if ((slope || k < STAGES - 1) && !ct_run_evaluate(s->run, s->t + c[k] * h, target, r->k[k]))
            return false;
    }
    return true;
}

static bool is_stiff_step(const ct_stepper *s, const rk *r, double h)
{
    ct_slope_pair ends = {{r->z, r->next}, {r->k[0], r->k[6]}};
    return ct_step_is_stiff(s->run->n, r->weight, &ends, h * r->fastest, stability_limit);
}

/* Of the point z with the error r->loose, which is `most` tolerances. Where stiff parts hold the
 * step their errors do not tell what rates miss. */
static double shown_error(rk *r, double t, const double *z, double most)
{
    double shown = ct_gauge_error(&r->gauge, t, z, r->loose);
    return r->held_back ? shown : fmin(shown, ct_gauge_most * most);
}

/* The largest difference between orders 5 and 4 in tolerances: of x, and of what is shown. */
static double error_size(ct_stepper *s, rk *r, double h)
{
    uint32_t n = s->run->n;
    double rtol = s->run->rtol, most = 0, *difference = r->loose;
    const double *atol = s->run->atol;
    const ct_slope_pair near = {{r->stage, r->next}, {r->k[5], r->k[6]}};
    r->fastest = ct_fastest_rate(n, r->weight, &near); /* in the weights of its begin */
    for (uint32_t i = 0; i < n; i++) {
        difference[i] = h * (e[0] * r->k[0][i] + e[2] * r->k[2][i] + e[3] * r->k[3][i] +
                             e[4] * r->k[4][i] + e[5] * r->k[5][i] + e[6] * r->k[6][i]);
        r->weight[i] = 1 / (rtol * fmax(fabs(r->z[i]), fabs(r->next[i])) + atol[i]);
        double part = fabs(difference[i]) * r->weight[i];
        if (!(part <= most)) {
            most = part;
            r->culprit = i;
        }
        if (isnan(part))
            return INFINITY;
    }
    r->held_back = is_stiff_step(s, r, h);
    return most > 1 ? most : fmax(most, shown_error(r, s->t + h, r->next, most));
}

static void prepare_dense(const ct_stepper *s, const rk *r, double h, const rk_curve *curve)
{
    for (uint32_t i = 0; i < s->run->n; i++) {
        double rise = r->next[i] - r->z[i], bend = h * r->k[0][i] - rise;
        curve->dense[0][i] = rise;
        curve->dense[1][i] = bend;
        curve->dense[2][i] = rise - h * r->k[6][i] - bend;
        curve->dense[3][i] = h * (d[0] * r->k[0][i] + d[2] * r->k[2][i] + d[3] * r->k[3][i] +
                                  d[4] * r->k[4][i] + d[5] * r->k[5][i] + d[6] * r->k[6][i]);
    }
}

static void interpolate(const ct_stepper *s, const rk *r, const rk_curve *curve, double t,
                        double *z)
{
    double theta = curve->to > s->before ? (t - s->before) / (curve->to - s->before) : 1,
           rest = 1 - theta;
    for (uint32_t i = 0; i < s->run->n; i++)
        z[i] = r->before[i] +
               theta * (curve->dense[0][i] +
                        rest * (curve->dense[1][i] +
                                theta * (curve->dense[2][i] + rest * curve->dense[3][i])));
}

/* What the slope of the polynomial in the middle of the step misses tells its error there. */
static enum trust judge(ct_stepper *s, rk *r, const rk_curve *curve)
{
    double h = curve->to - s->before, t = s->before + 0.5 * h, most = 0;
    interpolate(s, r, curve, t, r->stage);
    if (!ct_run_evaluate(s->run, t, r->stage, r->loose))
        return POOR;
    for (uint32_t i = 0; i < s->run->n; i++) {
        double slope = curve->dense[0][i] + 0.25 * curve->dense[2][i];
        r->loose[i] = middle_share * (slope - h * r->loose[i]);
        most = fmax(most, fabs(r->loose[i]) * r->weight[i]);
    }
    return shown_error(r, t, r->stage, most) <= 1 ? GOOD : POOR;
}

static double kink(ct_stepper *s, double t)
{
    rk *r = s->self;
    double most = 0, h = s->t - s->before;
    if (r->leapt || !ct_run_bend(s, t, r->stage, r->next, r->loose))
        return 0;
    for (uint32_t i = 0; i < s->run->n; i++)
        most = fmax(most, fabs(h * r->loose[i]) * r->weight[i]);
    return most;
}

/* Again from the beginning of the last step, whose slope is kept in k[6], to r->next; its curve if
 * there is room for one. */
static bool again(ct_stepper *s, rk *r, double t, const rk_curve *curve)
{
    double *end = r->z, *slope = r->k[0], *first = r->k[6], last = s->t, h = t - s->before;
    r->z = r->before, r->k[0] = first, r->k[6] = r->part_slope, s->t = s->before;
    bool good = stages(s, r, h, curve != NULL);
    if (good && curve)
        prepare_dense(s, r, h, curve);
    r->k[6] = first, r->k[0] = slope, r->z = end, s->t = last;
    return good;
}

static bool land(ct_stepper *s, double t, double *z)
{
    rk *r = s->self;
    if (s->run->projector || !(t > s->before))
        return false;
    bool good = again(s, r, t, NULL);
    memcpy(z, good ? r->next : z, s->run->n * sizeof *z);
    return good;
}

static bool part(ct_stepper *s, double end, double t, double *z)
{
    rk *r = s->self;
    rk_curve *curve = &r->part;
    if (s->run->projector || r->leapt || !(t > s->before))
        return false;
    if (curve->inside == UNKNOWN || curve->to != end) {
        curve->to = end;
        curve->inside = !again(s, r, end, curve) ? POOR
                        : r->gauge.count         ? judge(s, r, curve)
                                                 : GOOD;
    }
    if (curve->inside == GOOD)
        interpolate(s, r, curve, t, z);
    return curve->inside == GOOD;
}

static void rough(ct_stepper *s, double t, double *z)
{
    const rk *r = s->self;
    if (r->leapt)
        ct_rk_follow(r, s->run->n, t, z);
    else
        interpolate(s, r, &r->whole, t, z);
}

static void at(ct_stepper *s, double t, double *z)
{
    rk *r = s->self;
    bool doubtful = r->gauge.count && !r->leapt && !s->run->projector && s->t > s->before;
    if (r->whole.inside == UNKNOWN)
        r->whole.inside = doubtful ? judge(s, r, &r->whole) : GOOD;
    if (r->whole.inside == GOOD || !land(s, t, z))
        rough(s, t, z);
}

static void accept(ct_stepper *s, rk *r, double t, double h)
{
    double *old_point = r->before, *old_slope = r->k[0];
    ct_stiffness_watch(&r->stiffness, s, r->held_back && !r->near, h);
    prepare_dense(s, r, h, &r->whole);
    r->before = r->z;
    r->z = r->next;
    r->next = old_point;
    r->k[0] = r->k[6]; /* the last stage is the first one of the next step */
    r->k[6] = old_slope;
    s->before = s->t;
    s->t = r->whole.to = t;
    s->z = r->z;
    r->whole.inside = r->part.inside = UNKNOWN;
    ct_gauge_note(&r->gauge);
}

static double next_factor(const rk *r, double error)
{
    const double least = 1e-10;
    double factor = safety * pow(fmax(error, least), -error_power) * pow(r->memory, memory_power);
    return fmin(most_factor, fmax(least_factor, factor));
}

static ct_solve_status stuck(ct_stepper *s, rk *r, double stop)
{
    if (ct_rk_leap(s, r, stop, false))
        return CT_SOLVED;
    return s->run->bad == UINT32_MAX ? CT_STEP_TOO_SMALL : CT_NOT_FINITE;
}

/* With invariants a run need not creep up to a singular position to the last digit. */
static double least_step(const ct_stepper *s, const rk *r)
{
    const double of_time = 1e-14, of_gap = 1e-7;
    return fmax(of_time * fabs(s->t),
                r->margin < CT_RK_CAREFUL_MARGIN ? of_gap * r->largest_gap : 0);
}

/* Is the last slope too far from the point to be the first of the next step? */
static bool has_moved(const ct_stepper *s, const rk *r)
{
    return s->run->projector && (r->move > CT_RK_SMALL_MOVE || r->margin < CT_RK_MENDED_MARGIN);
}

static ct_solve_status step(ct_stepper *s, double stop)
{
    rk *r = s->self;
    ct_run_look_at_phases(s->run, r->k[0]);
    double limit = ct_run_longest(s->run);
    if (r->leapt)
        r->past_count = 0;
    r->leapt = false;
    if (r->margin < CT_RK_CAREFUL_MARGIN && r->approach > 0 &&
        ct_rk_leap(s, r, stop, r->margin > 2 * CT_RK_LEAP_MARGIN || !r->near))
        return CT_SOLVED;
    for (bool again = false;; again = true) {
        double left = stop - s->t, h = s->h;
        if (limit > 0 && h > limit)
            h = limit;
        if (r->margin < CT_RK_CAREFUL_MARGIN && r->approach > 0)
            h = fmin(h, 0.4 * ct_rk_time_left(r));
        bool last = h * 1.000001 >= left;
        if (last)
            h = left;
        else if (2 * h > left)
            h = left / 2; /* no tiny last step */
        if (!(s->t + h > s->t) || h < least_step(s, r))
            return stuck(s, r, stop);
        double t = last ? stop : s->t + h;
        double error = stages(s, r, h, true) ? error_size(s, r, h) : INFINITY;
        if (r->near) /* slopes are not known better there */
            error *= fmin(1, s->run->rtol / CT_RK_SINGULAR_TOLERANCE);
        if (error <= 1 && s->run->projector)
            error = ct_rk_bring_back(s, r, t, error);
        if (error <= 1) {
            double factor = next_factor(r, error);
            s->h = h < s->h && factor * h < s->h ? s->h : h * (again ? fmin(1, factor) : factor);
            r->memory = fmax(error, least_memory);
            accept(s, r, t, h);
            if (has_moved(s, r) && !ct_run_evaluate(s->run, s->t, r->z, r->k[0]))
                return stuck(s, r, stop);
            if (s->run->projector)
                ct_rk_remember(s, r, h);
            return CT_SOLVED;
        }
        s->h = isfinite(error) ? h * fmax(least_factor, safety * pow(error, -0.2)) : h * 0.1;
    }
}

/* A first step from the sizes of f and of its change (Hairer, Norsett and Wanner I, II.4). */
static double first_step(ct_stepper *s, rk *r, double stop)
{
    const double nothing = 1e-5, straight = 1e-15, tiny = 1e-6, careful = 1e-3;
    uint32_t n = s->run->n;
    double size = ct_weighted_rms(n, r->z, r->weight),
           slope = ct_weighted_rms(n, r->k[0], r->weight);
    bool unknown = size < nothing || slope < nothing;
    double h = unknown ? tiny * (stop - s->t) : 0.01 * size / slope;
    h = fmin(h, stop - s->t);
    for (uint32_t i = 0; i < n; i++)
        r->stage[i] = r->z[i] + h * r->k[0][i];
    if (!ct_run_evaluate(s->run, s->t + h, r->stage, r->k[1]))
        return careful * h;
    for (uint32_t i = 0; i < n; i++)
        r->k[1][i] = (r->k[1][i] - r->k[0][i]) / h;
    double bend = fmax(ct_weighted_rms(n, r->k[1], r->weight), slope);
    double second =
        bend <= straight ? fmax(tiny * (stop - s->t), careful * h) : pow(0.01 / bend, 0.2);
    double least = 100 * least_step(s, r); /* where all states are near zero */
    return fmin(fmax(fmin(100 * h, second), least), stop - s->t);
}

static ct_solve_status start(ct_stepper *s, double t, const double *z, double stop)
{
    rk *r = s->self;
    r->whole.to = t;
    r->memory = least_memory;
    r->stiffness = (ct_stiffness){0};
    r->past_count = 0;
    r->near = r->leapt = false;
    r->margin = 1;
    r->largest_gap = 0;
    if (!ct_run_begin(s, t, z, r->z, r->k[0]))
        return CT_NOT_FINITE;
    set_weights(s, r, r->z);
    s->h = first_step(s, r, stop);
    return CT_SOLVED;
}

static uint32_t culprit(ct_stepper *s)
{
    return ((rk *)s->self)->culprit;
}

/* All vectors are one block, which is given back when another method takes over. */
static void release(ct_stepper *s)
{
    rk *r = s->self;
    ct_arena_release(s->run->arena, r->block, VECTORS * (size_t)s->run->n * sizeof(double));
    r->block = NULL;
}

ct_stepper *ct_stepper_rk(ct_integration *run)
{
    ct_stepper *s = CT_NEW(run->arena, ct_stepper);
    rk *r = CT_NEW(run->arena, rk);
    double **need[] = {&r->z,      &r->next,  &r->stage,     &r->weight,
                       &r->before, &r->loose, &r->part_slope};
    r->block = CT_NEW_ARRAY(run->arena, double, VECTORS *(size_t)run->n);
    double *vector = ct_lay_out(need, sizeof need / sizeof *need, r->block, run->n);
    for (size_t i = 0; i < PAST; i++, vector += 2 * run->n)
        r->past[i] = vector, r->past_slope[i] = vector + run->n;
    for (size_t i = 0; i < STAGES; i++, vector += run->n)
        r->k[i] = vector;
    for (size_t i = 0; i < DENSE; i++, vector += 2 * run->n)
        r->whole.dense[i] = vector, r->part.dense[i] = vector + run->n;
    r->gauge = ct_gauge_of(run);
    r->culprit = UINT32_MAX;
    *s = (ct_stepper){.name = "Dormand-Prince 5(4)",
                      .run = run,
                      .share = 0.2,
                      .self = r,
                      .start = start,
                      .step = step,
                      .at = at,
                      .rough = rough,
                      .land = land,
                      .part = part,
                      .kink = kink,
                      .culprit = culprit,
                      .free = release,
                      .z = r->z};
    return s;
}
