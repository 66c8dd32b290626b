/* beam_ritz.c - a beam by Rayleigh and Ritz; see beam_ritz.h. */
#include "model/beam_ritz.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/eigen.h"

static const double no_stiffness = 1e-9; /* of that of the beam without a force */
static const double at_a_node = 1e-6;    /* of the norm: the end does not move */

enum { W0, THETA0, FIRST }; /* unknowns: the first of kappa stands at FIRST */

/* ---- the basis at one place */

typedef struct basis_row {
    double *w, *theta, *kappa, *gamma;
} basis_row;

static basis_row new_row(ct_arena *arena, uint32_t n)
{
    double *all = CT_NEW_ARRAY(arena, double, 4 * (size_t)n);
    return (basis_row){all, all + n, all + 2 * (size_t)n, all + 3 * (size_t)n};
}

/* Legendre polynomials at x; p[-1] is there, too: -1 makes the rules below hold for all. */
static void legendre(double x, uint32_t count, double *p)
{
    p[-1] = -1, p[0] = 1, p[1] = x;
    for (uint32_t k = 1; k + 1 < count; k++)
        p[k + 1] = ((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1);
}

enum { MOST_POLYNOMIALS = 512 };

/* Of a polynomial with norm 1 over 0..1: its integral from 0 on, and the integral of that. */
static double integral_of(const double *p, uint32_t i)
{
    return (p[i + 1] - p[(int)i - 1]) / (2 * sqrt(2 * i + 1));
}

static double second_integral(const double *p, uint32_t i, double s)
{
    if (i == 0)
        return s * s / 2;
    double up = (p[i + 2] - p[i]) / (2 * i + 3), down = (p[i] - p[(int)i - 2]) / (2 * i - 1);
    if (i == 1)
        down = p[1] - p[-1];
    return (up - down) / (4 * sqrt(2 * i + 1));
}

static void fill_row(const ct_ritz *z, double s, const basis_row *row)
{
    double room[MOST_POLYNOMIALS + 4], *p = room + 1;
    uint32_t most = z->bend > z->shear ? z->bend : z->shear;
    legendre(2 * s - 1, most + 3, p);
    memset(row->w, 0, 4 * (size_t)z->n * sizeof *row->w);
    row->w[W0] = 1;
    row->w[THETA0] = z->bend ? s : 0, row->theta[THETA0] = z->bend ? 1 : 0;
    for (uint32_t i = 0; i < z->bend; i++) {
        row->kappa[FIRST + i] = p[i] * sqrt(2 * i + 1);
        row->theta[FIRST + i] = integral_of(p, i);
        row->w[FIRST + i] = second_integral(p, i, s);
    }
    for (uint32_t i = 0; i < z->shear; i++) {
        row->gamma[FIRST + z->bend + i] = p[i] * sqrt(2 * i + 1);
        row->w[FIRST + z->bend + i] = integral_of(p, i);
    }
}

static double dot(uint32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

double ct_ritz_at(const ct_ritz *z, const double *shape, int what, double s)
{
    double room[4 * (2 * MOST_POLYNOMIALS + FIRST)];
    uint32_t n = z->n;
    basis_row row = {room, room + n, room + 2 * (size_t)n, room + 3 * (size_t)n};
    fill_row(z, s, &row);
    if (what == 0)
        return dot(n, row.w, shape);
    return dot(n, row.theta, shape) + (what == CT_BEAM_SLOPE ? dot(n, row.gamma, shape) : 0);
}

/* ---- matrices */

typedef struct ritz_work {
    ct_arena *arena;
    const ct_ritz_def *def;
    ct_ritz z;
    double *mass, *stiff; /* n by n, symmetric */
    bool pressed;         /* somewhere */
} ritz_work;

static void add_square(double *a, uint32_t n, const double *x, double factor)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; x[i] != 0 && k < n; k++)
            a[(size_t)i * n + k] += factor * x[i] * x[k];
}

static bool add_place(ritz_work *r, double s, double weight, const basis_row *row)
{
    const ct_ritz_def *d = r->def;
    double L = d->length;
    ct_ritz_section at = d->at(d->user, s);
    uint32_t n = r->z.n;
    if (!(at.mass > 0) || (d->bends && !(at.bend > 0)) || (d->shears && !(at.shear > 0)) ||
        !(at.inertia >= 0) || isinf(at.mass) || isinf(at.bend) || isinf(at.shear) ||
        !isfinite(at.tension))
        return false;
    r->pressed |= at.tension < 0;
    fill_row(&r->z, s, row);
    add_square(r->mass, n, row->w, weight * at.mass * L);
    add_square(r->mass, n, row->theta, weight * at.inertia / L);
    add_square(r->stiff, n, row->kappa, weight * at.bend / (L * L * L));
    add_square(r->stiff, n, row->gamma, weight * at.shear / L);
    for (uint32_t i = 0; i < n; i++)
        row->theta[i] += row->gamma[i]; /* the slope */
    add_square(r->stiff, n, row->theta, weight * at.tension / L);
    return true;
}

/* Point i of n of Gauss in 0..1 and its weight: one rule for the whole length, because high
 * polynomials change fast near the ends. */
static double gauss_point(uint32_t i, uint32_t n, double *weight)
{
    double x = cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int round = 0; round < 20; round++) {
        double last = 1, value = x;
        for (uint32_t k = 1; k < n; k++) {
            double next = ((2 * k + 1) * x * value - k * last) / (k + 1);
            last = value, value = next;
        }
        slope = n * (x * value - last) / (x * x - 1);
        x -= value / slope;
        if (fabs(value / slope) < 4 * DBL_EPSILON)
            break;
    }
    *weight = 1 / ((1 - x * x) * slope * slope);
    return (1 + x) / 2;
}

static bool fill_matrices(ritz_work *r)
{
    uint32_t most = r->z.bend > r->z.shear ? r->z.bend : r->z.shear, points = 2 * most + 16;
    basis_row row = new_row(r->arena, r->z.n);
    for (uint32_t i = 0; i < points; i++) {
        double weight, s = gauss_point(i, points, &weight);
        if (!add_place(r, s, weight, &row))
            return false;
    }
    return true;
}

/* ---- what is held: rows that must vanish, each solved for one of the first unknowns */

typedef struct held_rows {
    uint32_t count, pivot[BEAM_ENDS];
    double *row[BEAM_ENDS]; /* 1 at its pivot, 0 at those of the others */
} held_rows;

static void end_row(const ritz_work *r, uint32_t end, double *out)
{
    basis_row row = new_row(r->arena, r->z.n);
    fill_row(&r->z, end / 2, &row);
    memcpy(out, end % 2 ? row.theta : row.w, r->z.n * sizeof *out);
}

static void clear(double *row, const double *by, uint32_t pivot, uint32_t n)
{
    double factor = row[pivot];
    for (uint32_t i = 0; i < n && factor != 0; i++)
        row[i] -= factor * by[i];
    row[pivot] = 0;
}

static uint32_t largest_of(const double *row, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        best = fabs(row[i]) > fabs(row[best]) ? i : best;
    return best;
}

static held_rows hold(const ritz_work *r)
{
    held_rows h = {0};
    uint32_t n = r->z.n;
    for (uint32_t end = 0; end < BEAM_ENDS; end++) {
        if (!r->def->held[end] || (end % 2 && !r->z.bend))
            continue;
        double *row = CT_NEW_ARRAY(r->arena, double, n);
        end_row(r, end, row);
        for (uint32_t i = 0; i < h.count; i++)
            clear(row, h.row[i], h.pivot[i], n);
        uint32_t pivot = largest_of(row, n < 6 ? n : 6);
        double scale = row[pivot];
        for (uint32_t i = 0; i < n; i++)
            row[i] /= scale;
        for (uint32_t i = 0; i < h.count; i++)
            clear(h.row[i], row, pivot, n);
        h.row[h.count] = row, h.pivot[h.count++] = pivot;
    }
    return h;
}

static bool is_pivot(const held_rows *h, uint32_t i)
{
    for (uint32_t k = 0; k < h->count; k++)
        if (h->pivot[k] == i)
            return true;
    return false;
}

/* Columns that keep all held coordinates at zero, as many as are left. */
static double *free_columns(const ritz_work *r, const held_rows *h, uint32_t *count)
{
    uint32_t n = r->z.n, c = 0;
    double *t = CT_NEW_ARRAY(r->arena, double, (size_t)n *n);
    for (uint32_t i = 0; i < n; i++) {
        if (is_pivot(h, i) || (i == THETA0 && !r->z.bend))
            continue;
        double *column = &t[(size_t)c++ * n];
        column[i] = 1;
        for (uint32_t k = 0; k < h->count; k++)
            column[h->pivot[k]] = -h->row[k][i];
    }
    *count = c;
    return t;
}

/* ---- modes */

static void times(uint32_t n, const double *a, const double *x, double *y)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = dot(n, &a[(size_t)i * n], x);
}

/* T^T A T */
static double *project(const ritz_work *r, const double *a, const double *t, uint32_t count)
{
    uint32_t n = r->z.n;
    double *out = CT_NEW_ARRAY(r->arena, double, (size_t)count *count + 1),
           *y = CT_NEW_ARRAY(r->arena, double, n);
    for (uint32_t c = 0; c < count; c++) {
        times(n, a, &t[(size_t)c * n], y);
        for (uint32_t k = 0; k < count; k++)
            out[(size_t)c * count + k] = dot(n, &t[(size_t)k * n], y);
    }
    return out;
}

static double form(const ritz_work *r, const double *a, const double *x, const double *y)
{
    double *t = CT_NEW_ARRAY(r->arena, double, r->z.n);
    times(r->z.n, a, y, t);
    return dot(r->z.n, x, t);
}

static uint32_t count_rigid(const ritz_work *r)
{
    const bool *held = r->def->held;
    int deflections = held[0] + held[2], turns = held[1] + held[3];
    if (!r->z.bend)
        return deflections == 0;
    if (deflections + turns == 0)
        return 2;
    return deflections == 0 || (deflections == 1 && turns == 0);
}

/* Sign: up at the end, else with rising slope there; mass 1. */
static void normalise(const ritz_work *r, double *v)
{
    double norm = sqrt(form(r, r->mass, v, v)), end = ct_ritz_at(&r->z, v, 0, 1);
    if (fabs(end) < at_a_node * norm / sqrt(r->mass[0]))
        end = ct_ritz_at(&r->z, v, CT_BEAM_SLOPE, 1);
    for (uint32_t i = 0; i < r->z.n; i++)
        v[i] /= end < 0 ? -norm : norm;
}

/* About (E I)/(rho A L^4). */
static double slow_square(const ritz_work *r)
{
    const ct_ritz_def *d = r->def;
    ct_ritz_section middle = d->at(d->user, 0.5);
    return (d->bends ? middle.bend / pow(d->length, 3) : middle.shear / d->length) / r->mass[0];
}

/* M v = mu (K + shift M) v: the largest mu are the lowest modes. */
static bool find_modes(const ritz_work *r, ct_beam *out)
{
    uint32_t n = r->z.n, count;
    held_rows h = hold(r);
    double *t = free_columns(r, &h, &count);
    double *m = project(r, r->mass, t, count), *k = project(r, r->stiff, t, count);
    double low = slow_square(r);
    for (size_t i = 0; i < (size_t)count * count; i++)
        k[i] += low * m[i];
    double *mu = CT_NEW_ARRAY(r->arena, double, count + 1);
    if (!ct_eigen_pairs(r->arena, count, m, k, mu))
        return out->buckles = r->pressed;
    ct_beam_mode *mode = CT_NEW_ARRAY(r->arena, ct_beam_mode, count + 1);
    for (uint32_t i = 0; i < count && mu[i] > 0; i++, out->all++) {
        double *v = CT_NEW_ARRAY(r->arena, double, n);
        for (uint32_t c = 0; c < count; c++)
            for (uint32_t j = 0; j < n; j++)
                v[j] += m[(size_t)i * count + c] * t[(size_t)c * n + j];
        normalise(r, v);
        double square = i < out->rigid ? 0 : 1 / mu[i] - low;
        out->buckles |= i >= out->rigid && !(square > low * no_stiffness);
        mode[i] = (ct_beam_mode){.b = sqrt(sqrt(fmax(square, 0))), .ritz = out->ritz, .vector = v};
    }
    out->mode = mode;
    return true;
}

/* ---- static shapes */

/* A shape that is 1 at one held coordinate and 0 at the others, made of the first unknowns. */
static void follow_end(const ritz_work *r, uint32_t end, double *v)
{
    held_rows h = hold(r);
    uint32_t n = r->z.n;
    double *row = CT_NEW_ARRAY(r->arena, double, n);
    double a[BEAM_ENDS][BEAM_ENDS + 1];
    uint32_t c = 0;
    for (uint32_t e = 0; e < BEAM_ENDS; e++) { /* values of pivots that give the end values */
        if (!r->def->held[e] || (e % 2 && !r->z.bend))
            continue;
        end_row(r, e, row);
        for (uint32_t i = 0; i < h.count; i++)
            a[c][i] = row[h.pivot[i]];
        a[c++][h.count] = e == end;
    }
    for (uint32_t k = 0; k < c; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < c; i++)
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        for (uint32_t j = 0; j <= c; j++) {
            double x = a[k][j];
            a[k][j] = a[best][j], a[best][j] = x;
        }
        for (uint32_t i = 0; i < c; i++)
            for (uint32_t j = c + 1; i != k && j-- > k;)
                a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    for (uint32_t k = 0; k < c; k++)
        v[h.pivot[k]] = a[k][c] / a[k][k];
}

/* Without load: no mode has a share of its strain energy, and none of what moves as a whole. */
static double *static_shape(const ritz_work *r, const ct_beam *beam, uint32_t end)
{
    uint32_t n = r->z.n;
    double *v = CT_NEW_ARRAY(r->arena, double, n), *y = CT_NEW_ARRAY(r->arena, double, 2 * n);
    follow_end(r, end, v);
    times(n, r->stiff, v, y);
    times(n, r->mass, v, y + n);
    for (uint32_t k = beam->all; k-- > 0;) {
        const ct_beam_mode *m = &beam->mode[k];
        double share =
            k < beam->rigid ? dot(n, m->vector, y + n) : dot(n, m->vector, y) / pow(m->b, 4);
        for (uint32_t i = 0; i < n; i++)
            v[i] -= share * m->vector[i];
    }
    return v;
}

static void find_statics(const ritz_work *r, ct_beam *out)
{
    for (uint32_t e = 0; e < BEAM_ENDS; e++) {
        if (!r->def->held[e] || (e % 2 && !r->z.bend))
            continue;
        out->static_vector[e] = static_shape(r, out, e);
        double *y = CT_NEW_ARRAY(r->arena, double, r->z.n);
        times(r->z.n, r->mass, out->static_vector[e], y);
        double *share = CT_NEW_ARRAY(r->arena, double, out->all + 1);
        for (uint32_t k = 0; k < out->all; k++)
            share[k] = dot(r->z.n, out->mode[k].vector, y);
        out->share[e] = share;
    }
    for (uint32_t i = 0; i < BEAM_ENDS; i++)
        for (uint32_t k = 0; k < BEAM_ENDS; k++) {
            const double *a = out->static_vector[i], *b = out->static_vector[k];
            if (!a || !b)
                continue;
            out->mass[i][k] = form(r, r->mass, a, b);
            out->stiffness[i][k] = form(r, r->stiff, a, b);
        }
}

/* Between free coordinates: all modes together know it. */
static void find_compliances(ct_beam *out)
{
    for (uint32_t i = 0; i < BEAM_ENDS; i++)
        for (uint32_t k = 0; k < BEAM_ENDS; k++)
            for (uint32_t j = out->rigid; j < out->all; j++)
                out->compliance[i][k] += ct_beam_mode_at(&out->mode[j], (int)(i % 2), i / 2) *
                                         ct_beam_mode_at(&out->mode[j], (int)(k % 2), k / 2) /
                                         pow(out->mode[j].b, 4);
}

bool ct_ritz_solve(ct_arena *arena, const ct_ritz_def *def, ct_beam *out)
{
    uint32_t degree = 2 * def->modes + 24;
    ritz_work r = {.arena = arena, .def = def};
    degree = degree < MOST_POLYNOMIALS ? degree : MOST_POLYNOMIALS;
    r.z = (ct_ritz){def->bends ? degree : 0, def->shears ? degree : 0, 0};
    r.z.n = FIRST + r.z.bend + r.z.shear;
    r.mass = CT_NEW_ARRAY(arena, double, (size_t)r.z.n *r.z.n);
    r.stiff = CT_NEW_ARRAY(arena, double, (size_t)r.z.n *r.z.n);
    ct_ritz *kept = CT_NEW(arena, ct_ritz);
    *kept = r.z;
    *out = (ct_beam){.ritz = kept, .rigid = count_rigid(&r)};
    memcpy(out->held, def->held, sizeof out->held);
    if (!fill_matrices(&r) || !find_modes(&r, out))
        return false;
    if (out->buckles)
        return true;
    out->count = def->modes + out->rigid < out->all ? def->modes + out->rigid : out->all;
    find_statics(&r, out);
    find_compliances(out);
    return true;
}

ct_beam ct_ritz_all(const ct_beam *beam)
{
    ct_beam all = *beam;
    all.count = all.all;
    return all;
}
