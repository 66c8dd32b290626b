/* radau.c - steps of Radau IIA for linear systems; radau.h says which. */
#include "solve/radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_LANDINGS = 8 };               /* rows at which steps end */
enum { MOST_SIZES = 12 };                 /* step sizes whose factors are kept, */
static const size_t most_bytes = 8000000; /* if they take no more than that */
static const double safety = 0.9, least_factor = 0.05;
static const double first_step_care = 32; /* its rows are interpolated by one degree less */
/* Of the tolerance, for polynomials of u: their slopes at the ends of steps, and between, are less
 * accurate. */
static const double end_share = 0.3, row_share = 0.03;

/* Factors for one step size. */
typedef struct sized {
    double h;
    uint64_t used;
    ct_factor *factor[CT_RADAU_PAIRS];
} sized;

typedef struct radau {
    const ct_linear_dae *dae;
    const ct_run_def *def;
    ct_run_stats *stats;
    ct_arena *arena;
    uint32_t n;
    double rtol, atol;
    bool lands;                 /* rows are so few that steps end there */
    bool *differential;         /* per z */
    double t, end, first, last; /* stretch; u is evaluated between first and last */
    bool break_at_end;
    double *z, *next;          /* at t, at t + h */
    double *q;                 /* at t */
    double *r;                 /* q' at t */
    double *y[CT_RADAU_PAIRS]; /* transformed stages */
    double *error, *work;
    double *u[CT_RADAU_STAGES + 1]; /* at t and at the stages */
    double *watched[CT_RADAU_STAGES + 1];
    double *u_rate[CT_RADAU_STAGES + 1], *watched_rate[CT_RADAU_STAGES + 1];
    bool begun; /* the stretch: the beginning of the step is the end of another */
    double *row_z, *row_dz, *row_u, *row_du;
    double *before, *after; /* u at a break */
    double *most_u;         /* so far */
    sized size[MOST_SIZES];
    int size_count;
    uint64_t clock;
    bool fresh; /* z is that of a start or restart */
    uint32_t next_row;
} radau;

/* ---- products with sparse columns */

static void times_u(const radau *r, const double *m, double by, const double *u, double *y)
{
    const ct_linear_dae *d = r->dae;
    for (uint32_t j = 0; j < d->u_count; j++)
        for (int k = d->u_start[j]; u[j] != 0 && k < d->u_start[j + 1]; k++)
            y[d->u_row[k]] += by * m[k] * u[j];
}

/* The same into every second entry: real or imaginary parts. */
static void times_u_apart(const radau *r, const double *m, double by, const double *u, double *y)
{
    const ct_linear_dae *d = r->dae;
    for (uint32_t j = 0; j < d->u_count; j++)
        for (int k = d->u_start[j]; u[j] != 0 && k < d->u_start[j + 1]; k++)
            y[2 * d->u_row[k]] += by * m[k] * u[j];
}

static double inside(const radau *r, double t)
{
    return t < r->first ? r->first : t > r->last ? r->last : t;
}

static void read_u(const radau *r, double t, double *u)
{
    r->stats->rhs_evals++;
    r->dae->inputs(r->dae->user, inside(r, t), u);
}

/* q = E z + Ex u */
static void find_charge(radau *r, const double *z, const double *u)
{
    memset(r->q, 0, r->n * sizeof *r->q);
    ct_pencil_times(r->dae->pencil, r->dae->pencil->e, 1, z, r->q);
    times_u(r, r->dae->u_e, 1, u, r->q);
}

/* q' = -(A z + Ax u) */
static void find_flow(radau *r, const double *z, const double *u)
{
    memset(r->r, 0, r->n * sizeof *r->r);
    ct_pencil_times(r->dae->pencil, r->dae->pencil->a, -1, z, r->r);
    times_u(r, r->dae->u_a, -1, u, r->r);
}

/* ---- factors */

static ct_solve_status make_factors(radau *r, sized *s, double h)
{
    s->h = h;
    for (int k = 0; k < CT_RADAU_PAIRS; k++) {
        ct_complex at = {ct_radau_9.lambda[k].re / h, ct_radau_9.lambda[k].im / h};
        ct_solve_status status = ct_factor_make(s->factor[k], at);
        if (status != CT_SOLVED) {
            s->h = 0;
            return status;
        }
        r->stats->factorizations++;
    }
    return CT_SOLVED;
}

static ct_solve_status factors_for(radau *r, double h, sized **out)
{
    sized *oldest = &r->size[0];
    for (int i = 0; i < r->size_count; i++) {
        sized *s = &r->size[i];
        if (fabs(s->h - h) <= 1e-14 * h) {
            s->used = ++r->clock;
            *out = s;
            return CT_SOLVED;
        }
        if (s->used < oldest->used)
            oldest = s;
    }
    oldest->used = ++r->clock;
    *out = oldest;
    return make_factors(r, oldest, h);
}

/* ---- one step */

/* (lambda/h E + A) y = lambda/h (q - Ex v) - Ax v, with v the transformed u. */
static void solve_stage(radau *r, const sized *s, int k)
{
    const ct_radau_table *m = &ct_radau_9;
    const ct_linear_dae *d = r->dae;
    double re = m->lambda[k].re / s->h, im = m->lambda[k].im / s->h;
    double *y = r->y[k];
    double *vr = r->row_u, *vi = r->row_du;
    for (uint32_t j = 0; j < d->u_count; j++) {
        vr[j] = vi[j] = 0;
        for (int i = 0; i < CT_RADAU_STAGES; i++) {
            vr[j] += m->inverse[k][i].re * r->u[i + 1][j];
            vi[j] += m->inverse[k][i].im * r->u[i + 1][j];
        }
    }
    if (k == 0) {
        for (uint32_t i = 0; i < r->n; i++)
            y[i] = re * r->q[i];
        times_u(r, d->u_e, -re, vr, y);
        times_u(r, d->u_a, -1, vr, y);
    } else {
        for (uint32_t i = 0; i < r->n; i++) {
            y[2 * i] = re * r->q[i];
            y[2 * i + 1] = im * r->q[i];
        }
        times_u_apart(r, d->u_e, -re, vr, y);
        times_u_apart(r, d->u_e, im, vi, y);
        times_u_apart(r, d->u_a, -1, vr, y);
        times_u_apart(r, d->u_e, -re, vi, y + 1);
        times_u_apart(r, d->u_e, -im, vr, y + 1);
        times_u_apart(r, d->u_a, -1, vi, y + 1);
    }
    ct_factor_solve(s->factor[k], y);
}

/* sum over stages of weight[i] z_i, as factors of the transformed stages. */
static void combine(const radau *r, const double *weight, double *out)
{
    const ct_radau_table *m = &ct_radau_9;
    for (int k = 0; k < CT_RADAU_PAIRS; k++) {
        double re = 0, im = 0;
        const double *y = r->y[k];
        for (int i = 0; i < CT_RADAU_STAGES; i++) {
            re += weight[i] * m->t[i][k].re;
            im += weight[i] * m->t[i][k].im;
        }
        if (k == 0)
            for (uint32_t i = 0; i < r->n; i++)
                out[i] = re * y[i];
        else
            for (uint32_t i = 0; i < r->n; i++)
                out[i] += 2 * (re * y[2 * i] - im * y[2 * i + 1]);
    }
}

/* Watched entries at all stages. */
static void watch_stages(const radau *r)
{
    const ct_linear_dae *d = r->dae;
    for (uint32_t w = 0; w < d->watch_count; w++) {
        uint32_t at = d->watch[w];
        r->watched[0][w] = r->z[at];
        for (int i = 0; i < CT_RADAU_STAGES; i++) {
            double sum = ct_radau_9.t[i][0].re * r->y[0][at];
            for (int k = 1; k < CT_RADAU_PAIRS; k++)
                sum += 2 * (ct_radau_9.t[i][k].re * r->y[k][2 * at] -
                            ct_radau_9.t[i][k].im * r->y[k][2 * at + 1]);
            r->watched[i + 1][w] = sum;
        }
    }
}

static double weighted_norm(const radau *r, const double *error)
{
    double sum = 0;
    uint32_t active = 1;
    for (uint32_t i = 0; i < r->n; i++) {
        if (!r->differential[i])
            continue;
        double most = fmax(fabs(r->z[i]), fabs(r->next[i])), e = error[i];
        e /= r->atol + r->rtol * most;
        sum += e * e;
        active += most > r->atol; /* what rests counts for nothing, on either side */
    }
    return sqrt(sum / active);
}

/* (lambda0/h E + A) error = q' + lambda0/h sum of e_i (q_i - q). */
static double estimate(radau *r, const sized *s)
{
    const ct_radau_table *m = &ct_radau_9;
    double by = m->lambda[0].re / s->h, all = 0;
    combine(r, m->error, r->work);
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        all += m->error[i];
    for (uint32_t i = 0; i < r->n; i++)
        r->error[i] = r->r[i] - by * all * r->q[i];
    ct_pencil_times(r->dae->pencil, r->dae->pencil->e, by, r->work, r->error);
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        times_u(r, r->dae->u_e, by * m->error[i], r->u[i + 1], r->error);
    ct_factor_solve(s->factor[0], r->error);
    return weighted_norm(r, r->error);
}

/* The estimate once more, at z + error: rough starts make the first one far too large. */
static double estimate_again(radau *r, const sized *s)
{
    double *at = r->work;
    const ct_radau_table *m = &ct_radau_9;
    double by = m->lambda[0].re / s->h, all = 0;
    for (uint32_t i = 0; i < r->n; i++)
        at[i] = r->z[i] + r->error[i];
    memset(r->error, 0, r->n * sizeof *r->error);
    ct_pencil_times(r->dae->pencil, r->dae->pencil->a, -1, at, r->error);
    times_u(r, r->dae->u_a, -1, r->u[0], r->error);
    combine(r, m->error, at);
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        all += m->error[i];
    for (uint32_t i = 0; i < r->n; i++)
        r->error[i] -= by * all * r->q[i];
    ct_pencil_times(r->dae->pencil, r->dae->pencil->e, by, at, r->error);
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        times_u(r, r->dae->u_e, by * m->error[i], r->u[i + 1], r->error);
    ct_factor_solve(s->factor[0], r->error);
    return weighted_norm(r, r->error);
}

static double node(int i)
{
    return i ? ct_radau_9.c[i - 1] : 0;
}

/* Lagrange's polynomials over nodes first .. CT_RADAU_STAGES at x. */
static void lagrange(int first, double x, double *value)
{
    for (int i = 0; i <= CT_RADAU_STAGES; i++) {
        value[i] = i >= first;
        for (int j = first; i >= first && j <= CT_RADAU_STAGES; j++)
            value[i] *= j == i ? 1 : (x - node(j)) / (node(i) - node(j));
    }
}

/* How well the polynomials of rows follow u, in tolerances of its largest values. Parts that follow
 * u at once have no error at the ends of a step, however large it is. */
static double input_error(radau *r, double h)
{
    const double between[] = {0.43, r->begun ? 0.72 : 0.02}; /* far from the nodes */
    double value[CT_RADAU_STAGES + 1], most = 0;
    double share = fmax(r->def->rtol, 1e-13) * (r->lands ? end_share : row_share);
    for (int k = 0; k < 2; k++) {
        read_u(r, r->t + between[k] * h, r->row_u);
        lagrange(r->begun ? 0 : 1, between[k], value);
        for (uint32_t j = 0; j < r->dae->u_count; j++) {
            double sum = -r->row_u[j];
            for (int i = 0; i <= CT_RADAU_STAGES; i++)
                sum += value[i] * r->u[i][j];
            r->most_u[j] = fmax(r->most_u[j], fabs(r->row_u[j]));
            most = fmax(most, fabs(sum) / (share * r->most_u[j] + r->atol));
        }
    }
    return most;
}

static ct_solve_status try_step(radau *r, double h, bool rough, double *error)
{
    double last[CT_RADAU_STAGES] = {0};
    sized *s;
    ct_solve_status status = factors_for(r, h, &s);
    if (status != CT_SOLVED)
        return status;
    for (int i = 0; i < CT_RADAU_STAGES; i++)
        read_u(r, r->t + ct_radau_9.c[i] * h, r->u[i + 1]);
    for (int k = 0; k < CT_RADAU_PAIRS; k++)
        solve_stage(r, s, k);
    last[CT_RADAU_STAGES - 1] = 1;
    combine(r, last, r->next);
    *error = estimate(r, s);
    if (*error >= 1 && rough)
        *error = estimate_again(r, s);
    if (!r->lands && !r->begun)
        *error *= first_step_care;
    *error = fmax(*error, input_error(r, h));
    r->stats->newton_iters += (uint64_t)CT_RADAU_PAIRS;
    return isfinite(*error) ? CT_SOLVED : CT_NOT_FINITE;
}

/* ---- rows: the collocation polynomial over t and the stages */

static uint32_t row_count(const radau *r)
{
    return r->def->times ? r->def->time_count : r->def->points + 1;
}

static double row_time(const radau *r, uint32_t row)
{
    const ct_run_def *d = r->def;
    if (d->times)
        return d->times[row];
    return row == d->points ? d->stop : d->start + row * ((d->stop - d->start) / d->points);
}

/* Slopes at node k of those over all nodes. */
static void lagrange_slope(int k, double *slope)
{
    for (int i = 0; i <= CT_RADAU_STAGES; i++) {
        slope[i] = 0;
        for (int j = 0; j <= CT_RADAU_STAGES; j++) {
            double part = j == i ? 0 : 1 / (node(i) - node(j));
            for (int l = 0; l <= CT_RADAU_STAGES; l++)
                part *= l == i || l == j ? 1 : (node(k) - node(l)) / (node(i) - node(l));
            slope[i] += part;
        }
    }
}

static void blend(const double *const *from, int count, const double *by, double scale,
                  uint32_t entries, double *out)
{
    for (uint32_t j = 0; j < entries; j++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += by[i] * from[i][j];
        out[j] = scale * sum;
    }
}

/* Rates at all nodes; those at the beginning are those at the end of the last step. */
static void find_rates(radau *r, double h)
{
    const ct_linear_dae *d = r->dae;
    double slope[CT_RADAU_STAGES + 1];
    for (int i = 1; i <= CT_RADAU_STAGES; i++) {
        lagrange_slope(i, slope);
        blend((const double *const *)r->watched, CT_RADAU_STAGES + 1, slope, 1 / h, d->watch_count,
              r->watched_rate[i]);
        blend((const double *const *)r->u, CT_RADAU_STAGES + 1, slope, 1 / h, d->u_count,
              r->u_rate[i]);
    }
}

/* u by its polynomial, too: then all equations hold in the row, however stiff. Where a stretch
 * begins, fast parts may not have settled yet: its first rows follow from the stages alone. */
static bool write_row(radau *r, double t, double h)
{
    const ct_linear_dae *d = r->dae;
    double value[CT_RADAU_STAGES + 1], x = (t - r->t) / h;
    int count = CT_RADAU_STAGES + 1;
    int first = r->begun || t == r->t ? 0 : 1;
    lagrange(first, x, value);
    blend((const double *const *)r->watched, count, value, 1, d->watch_count, r->row_z);
    blend((const double *const *)r->u, count, value, 1, d->u_count, r->row_u);
    lagrange(r->begun ? 0 : 1, x, value);
    blend((const double *const *)r->watched_rate, count, value, 1, d->watch_count, r->row_dz);
    blend((const double *const *)r->u_rate, count, value, 1, d->u_count, r->row_du);
    r->next_row++;
    return d->row(d->user, t, r->fresh && t == r->t, r->row_z, r->row_dz, r->row_u, r->row_du);
}

/* Rows in the step; one at a break belongs to the stretch behind it. */
static ct_solve_status write_rows(radau *r, double h)
{
    double to = r->t + h;
    bool open_end = r->break_at_end && to >= r->end && r->end < r->def->stop;
    watch_stages(r);
    find_rates(r, h);
    while (r->next_row < row_count(r)) {
        double t = row_time(r, r->next_row);
        if (open_end ? t >= to : t > to)
            break;
        if (!write_row(r, t, h))
            return CT_STOPPED;
    }
    memcpy(r->watched_rate[0], r->watched_rate[CT_RADAU_STAGES],
           r->dae->watch_count * sizeof **r->watched_rate);
    memcpy(r->u_rate[0], r->u_rate[CT_RADAU_STAGES], r->dae->u_count * sizeof **r->u_rate);
    r->begun = true;
    return CT_SOLVED;
}

/* ---- stretches */

static double hair(double from, double to)
{
    return 8 * DBL_EPSILON * fmax(fabs(from), fabs(to));
}

/* Stretches too short to hold a step are passed over. */
static void set_bounds(radau *r)
{
    const ct_linear_dae *d = r->dae;
    for (;;) {
        double at = d->next_break ? d->next_break(d->user, r->t) : INFINITY;
        r->break_at_end = at <= r->def->stop;
        r->end = r->break_at_end ? at : r->def->stop;
        double width = hair(r->t, r->end);
        r->first = r->t + width;
        r->last = r->end - width;
        if (r->end - r->t > 16 * width || r->t >= r->def->stop)
            return;
        r->t = r->end;
    }
}

static bool jumps(const radau *r)
{
    for (uint32_t j = 0; j < r->dae->u_count; j++) {
        double a = r->before[j], b = r->after[j];
        if (!(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b))) && fabs(a - b) > 1e-3 * r->atol)
            return true;
    }
    return false;
}

/* u of the stretch that begins at t, and z as it is then. */
static bool begin_stretch(radau *r, bool restart)
{
    const ct_linear_dae *d = r->dae;
    read_u(r, r->last, r->before); /* of the stretch that ends */
    set_bounds(r);
    read_u(r, r->t, r->after);
    r->fresh = !restart;
    r->begun = false;
    if (restart) {
        r->stats->restarts++;
        if (d->restart_always || jumps(r)) {
            if (!d->restart(d->user, r->before, r->after, r->z))
                return false;
            r->fresh = true;
        }
    }
    memcpy(r->u[0], r->after, d->u_count * sizeof *r->after);
    find_charge(r, r->z, r->u[0]);
    find_flow(r, r->z, r->u[0]);
    return true;
}

/* The step that ends the stretch, or brings it near in equal steps; few rows are ends, too. */
static double fitted(const radau *r, double h)
{
    double left = r->end - r->t;
    for (uint32_t i = r->next_row; r->lands && i < row_count(r) && row_time(r, i) < r->end; i++)
        if (row_time(r, i) > r->t) {
            left = row_time(r, i) - r->t;
            break;
        }
    if (r->def->largest_step > 0)
        h = fmin(h, r->def->largest_step);
    if (h >= left * (1 - 1e-9))
        return left;
    return h > left / 2 ? left / 2 : h;
}

/* Sizes differ by powers of two, so that factors last. */
static double next_size(double h, double error)
{
    double grow = safety * pow(fmax(error, 1e-12), -1.0 / (CT_RADAU_STAGES + 1));
    if (error >= 1) {
        double down = 0.5;
        while (down > fmax(grow, least_factor))
            down /= 2;
        return h * down;
    }
    if (grow >= 8)
        return 8 * h;
    return grow >= 4 ? 4 * h : grow >= 2 ? 2 * h : h;
}

static void accept(radau *r, double h)
{
    double *swap = r->z;
    double row = r->next_row && r->lands ? row_time(r, r->next_row - 1) : r->t;
    r->t = h == r->end - r->t ? r->end : h == row - r->t ? row : r->t + h;
    r->z = r->next;
    r->next = swap;
    memcpy(r->u[0], r->u[CT_RADAU_STAGES], r->dae->u_count * sizeof **r->u);
    find_charge(r, r->z, r->u[0]);
    find_flow(r, r->z, r->u[0]);
    r->fresh = false;
    r->stats->steps++;
    r->stats->last_time = r->t;
}

/* From r->t to r->end. h: size to try first; becomes the last good one that was not cut short. */
static ct_solve_status do_stretch(radau *r, double *h)
{
    bool rough = true;
    double error;
    while (r->t < r->end) {
        double size = fitted(r, *h);
        ct_solve_status status = try_step(r, size, rough, &error);
        if (status != CT_SOLVED)
            return status;
        if (error >= 1) {
            *h = next_size(size, error);
            rough = true;
            if (!(*h > 16 * DBL_EPSILON * fmax(fabs(r->t), fabs(r->end))))
                return CT_STEP_TOO_SMALL;
            continue;
        }
        if (r->stats->steps >= r->def->most_steps)
            return CT_TOO_MANY_STEPS;
        status = write_rows(r, size);
        if (status != CT_SOLVED)
            return status;
        accept(r, size);
        rough = false;
        if (size >= *h)
            *h = next_size(size, error);
        if (r->def->progress)
            r->def->progress(r->def->row_user, r->t);
        if (r->def->stepped)
            r->def->stepped(r->def->row_user, r->t);
    }
    return CT_SOLVED;
}

/* ---- memory and start */

static void take_memory(radau *r)
{
    const ct_linear_dae *d = r->dae;
    double **whole[] = {&r->next, &r->q, &r->r, &r->error, &r->work, &r->z};
    double **inputs[] = {&r->row_u, &r->row_du, &r->before, &r->after, &r->most_u};
    double **watch[] = {&r->row_z, &r->row_dz};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        *whole[i] = CT_NEW_ARRAY(r->arena, double, r->n + 1);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        *inputs[i] = CT_NEW_ARRAY(r->arena, double, d->u_count + 1);
    for (size_t i = 0; i < sizeof watch / sizeof *watch; i++)
        *watch[i] = CT_NEW_ARRAY(r->arena, double, d->watch_count + 1);
    for (int i = 0; i <= CT_RADAU_STAGES; i++) {
        r->u[i] = CT_NEW_ARRAY(r->arena, double, d->u_count + 1);
        r->watched[i] = CT_NEW_ARRAY(r->arena, double, d->watch_count + 1);
        r->u_rate[i] = CT_NEW_ARRAY(r->arena, double, d->u_count + 1);
        r->watched_rate[i] = CT_NEW_ARRAY(r->arena, double, d->watch_count + 1);
    }
    for (int k = 0; k < CT_RADAU_PAIRS; k++)
        r->y[k] = CT_NEW_ARRAY(r->arena, double, ((size_t)r->n + 1) * (k ? 2 : 1));
    r->differential = CT_NEW_ARRAY(r->arena, bool, r->n + 1);
    for (uint32_t j = 0; j < r->n; j++)
        for (int k = d->pencil->start[j]; k < d->pencil->start[j + 1]; k++)
            r->differential[j] |= d->pencil->e[k] != 0;
}

static void take_factors(radau *r)
{
    size_t bytes = ct_factor_bytes(r->dae->pencil, false) +
                   (size_t)(CT_RADAU_PAIRS - 1) * ct_factor_bytes(r->dae->pencil, true);
    r->size_count = 1;
    while (r->size_count < MOST_SIZES && (size_t)(r->size_count + 1) * bytes <= most_bytes)
        r->size_count++;
    for (int i = 0; i < r->size_count; i++)
        for (int k = 0; k < CT_RADAU_PAIRS; k++)
            r->size[i].factor[k] = ct_factor_new(r->dae->pencil, k > 0);
}

/* Estimates have a lower order than the method, and so has what is interpolated. Where steps end at
 * all rows, tolerances are moved so that errors come out about as asked for there. */
static void set_tolerances(radau *r)
{
    const double s = CT_RADAU_STAGES, asked = fmax(r->def->rtol, 1e-13);
    r->lands = row_count(r) <= MOST_LANDINGS;
    r->rtol = r->lands ? 0.1 * pow(asked, (s + 1) / (2 * s)) : asked;
    r->atol = fmax(r->def->atol, 1e-30) * r->rtol / asked;
}

static void prepare(void *user)
{
    radau *r = user;
    r->stats->method = "Radau IIA of order 9";
    set_tolerances(r);
    take_memory(r);
    take_factors(r);
}

static ct_solve_status integrate(radau *r)
{
    double h = 0;
    ct_solve_status status = CT_SOLVED;
    for (bool again = false; status == CT_SOLVED && r->t < r->def->stop; again = true) {
        if (!begin_stretch(r, again))
            return CT_SINGULAR;
        if (h == 0 || h > r->end - r->t)
            h = r->end - r->t;
        if (again || r->t == r->def->start)
            h = fmin(h, (r->end - r->t) / 16);
        status = do_stretch(r, &h);
    }
    return status;
}

typedef struct radau_job {
    radau *r;
    ct_solve_status status;
} radau_job;

static void integrate_all(void *user)
{
    radau_job *j = user;
    j->status = integrate(j->r);
}

ct_solve_status ct_radau(ct_context *ctx, const ct_linear_dae *dae, const ct_run_def *def,
                         double *z, ct_run_stats *stats)
{
    radau r = {.dae = dae, .def = def, .stats = stats, .n = dae->pencil->n};
    radau_job job = {&r, CT_SOLVED};
    *stats = (ct_run_stats){.last_time = def->start, .culprit = UINT32_MAX};
    r.arena = ct_arena_new(ctx);
    r.t = r.last = r.first = def->start;
    ct_status failure = ct_protect(ctx, prepare, &r);
    if (failure == CT_OK) {
        memcpy(r.z, z, r.n * sizeof *z);
        failure = ct_protect(ctx, integrate_all, &job);
        memcpy(z, r.z, r.n * sizeof *z);
    }
    for (int i = 0; i < r.size_count; i++)
        for (int k = 0; k < CT_RADAU_PAIRS; k++)
            ct_factor_free(r.size[i].factor[k]);
    ct_arena_free(r.arena);
    if (failure != CT_OK)
        ct_throw(ctx, failure);
    return job.status;
}
