/* craig.c - static shapes and modes of a body whose boundary is held; shapes made orthogonal. */
#include "solve/craig.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/ldl.h"

static const double no_angle = 1e-17; /* of two columns: its sine changes nothing */
static const double settled = 1e-15;  /* change of what is sought in a round */

static double dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void add(double *y, double c, const double *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] += c * x[i];
}

void ct_symmetric_times(const ct_symmetric *a, const double *x, double *y)
{
    for (uint32_t j = 0; j < a->n; j++) { /* columns are rows */
        double sum = 0;
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            sum += a->value[k] * x[a->row[k]];
        y[j] = sum;
    }
}

/* ---- symmetric eigenvalues, by rotations */

enum { MOST_SWEEPS = 60 };

static void rotate(double *x, double *y, uint32_t n, uint32_t step, double c, double s)
{
    for (uint32_t i = 0; i < n; i++) {
        double keep = x[(size_t)i * step];
        x[(size_t)i * step] = c * keep - s * y[(size_t)i * step];
        y[(size_t)i * step] = s * keep + c * y[(size_t)i * step];
    }
}

/* a: diagonal afterwards; rows of v: eigenvectors. */
static void find_axes(double *a, double *v, uint32_t n)
{
    memset(v, 0, sizeof *v * n * n);
    for (uint32_t i = 0; i < n; i++)
        v[(size_t)i * n + i] = 1;
    bool turned = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && turned; sweep++) {
        turned = false;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++) {
                double off = a[(size_t)i * n + j], p = a[(size_t)i * n + i],
                       q = a[(size_t)j * n + j];
                if (!(fabs(off) > no_angle * sqrt(fabs(p * q))) || fabs(off) < DBL_MIN)
                    continue;
                double ratio = (q - p) / (2 * off);
                double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + hypot(1, ratio));
                double c = 1 / hypot(1, t), s = t * c;
                rotate(a + (size_t)i * n, a + (size_t)j * n, n, 1, c, s);
                rotate(a + i, a + j, n, n, c, s);
                rotate(v + (size_t)i * n, v + (size_t)j * n, n, 1, c, s);
                turned = true;
            }
    }
}

/* Order of the diagonal, largest first. */
static void sort_axes(const double *a, uint32_t n, uint32_t *order)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;
        while (k && a[(size_t)order[k - 1] * (n + 1)] < a[(size_t)i * (n + 1)])
            order[k] = order[k - 1], k--;
        order[k] = i;
    }
}

/* ---- shapes */

/* Twice, because once leaves rounding. */
static void take_off(const ct_shape_set *s, const ct_shape_set *k_times, uint32_t at, double *x)
{
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < at; i++)
            add(x, -dot(k_times->at + (size_t)i * s->n, x, s->n), s->at + (size_t)i * s->n, s->n);
}

/* Orthonormal by the stiffness; what has no length of its own is dropped. */
static void make_normal(ct_arena *arena, const ct_symmetric *stiffness, ct_shape_set *s)
{
    const double own = 1e-14; /* less is rounding of a motion without strain */
    uint32_t n = s->n, kept = 0;
    double most = 0;
    ct_shape_set times = {n, s->count, CT_NEW_ARRAY(arena, double, (size_t)n * s->count + 1)};
    for (uint32_t i = 0; i < s->count; i++) {
        double *x = s->at + (size_t)i * n, *y = times.at + (size_t)kept * n;
        ct_symmetric_times(stiffness, x, y);
        double before = dot(x, y, n), size = dot(x, x, n);
        most = fmax(most, size > 0 ? before / size : 0);
        take_off(s, &times, kept, x);
        ct_symmetric_times(stiffness, x, y);
        double after = dot(x, y, n);
        if (!(after > own * most * size) || !(after > own * before))
            continue;
        double scale = 1 / sqrt(after);
        for (uint32_t k = 0; k < n; k++) {
            s->at[(size_t)kept * n + k] = x[k] * scale;
            y[k] *= scale;
        }
        kept++;
    }
    ct_arena_release(arena, times.at, ((size_t)n * s->count + 1) * sizeof *times.at);
    s->count = kept;
}

void ct_shapes_part(ct_arena *arena, const ct_symmetric *mass, const ct_symmetric *stiffness,
                    ct_shape_set *s, double *mass_of)
{
    make_normal(arena, stiffness, s);
    uint32_t n = s->n, m = s->count;
    double *gram = CT_NEW_ARRAY(arena, double, (size_t)m *m + 1);
    double *axes = CT_NEW_ARRAY(arena, double, (size_t)m *m + 1);
    double *y = CT_NEW_ARRAY(arena, double, (size_t)n + 1);
    double *out = CT_NEW_ARRAY(arena, double, (size_t)n *m + 1);
    uint32_t *order = CT_NEW_ARRAY(arena, uint32_t, m + 1);
    for (uint32_t i = 0; i < m; i++) {
        ct_symmetric_times(mass, s->at + (size_t)i * n, y);
        for (uint32_t j = 0; j < m; j++)
            gram[(size_t)i * m + j] = dot(s->at + (size_t)j * n, y, n);
    }
    find_axes(gram, axes, m);
    sort_axes(gram, m, order);
    for (uint32_t i = 0; i < m; i++) {
        mass_of[i] = gram[(size_t)order[i] * (m + 1)];
        for (uint32_t j = 0; j < m; j++)
            add(out + (size_t)i * n, axes[(size_t)order[i] * m + j], s->at + (size_t)j * n, n);
    }
    memcpy(s->at, out, sizeof *out * n * m);
    ct_arena_release(arena, out, ((size_t)n * m + 1) * sizeof *out);
    ct_arena_release(arena, y, ((size_t)n + 1) * sizeof *y);
}

/* ---- the inside */

typedef struct inside {
    uint32_t n;
    uint32_t *place; /* inner number of a degree of freedom; UINT32_MAX: held */
    uint32_t *whole; /* and back */
    ct_symmetric mass, stiffness;
    const ct_ldl *ldl;
    ct_ldl_factor *factor;
} inside;

/* Both matrices on one pattern. */
static void part_matrices(ct_arena *arena, inside *in, const ct_symmetric *a, const ct_symmetric *b)
{
    size_t most = (size_t)(a->start[a->n] + b->start[b->n]);
    int *start = CT_NEW_ARRAY(arena, int, in->n + 1), *row = CT_NEW_ARRAY(arena, int, most + 1);
    double *value[2] = {CT_NEW_ARRAY(arena, double, most + 1),
                        CT_NEW_ARRAY(arena, double, most + 1)};
    int count = 0;
    for (uint32_t c = 0; c < in->n; c++) {
        int i = a->start[in->whole[c]], j = b->start[in->whole[c]];
        int i_end = a->start[in->whole[c] + 1], j_end = b->start[in->whole[c] + 1];
        while (i < i_end || j < j_end) {
            int p = i < i_end ? a->row[i] : INT32_MAX, q = j < j_end ? b->row[j] : INT32_MAX;
            int at = p < q ? p : q;
            double of_a = p == at ? a->value[i++] : 0, of_b = q == at ? b->value[j++] : 0;
            if (in->place[at] == UINT32_MAX)
                continue;
            row[count] = (int)in->place[at];
            value[0][count] = of_a, value[1][count] = of_b;
            count++;
        }
        start[c + 1] = count;
    }
    in->mass = (ct_symmetric){in->n, start, row, value[0]};
    in->stiffness = (ct_symmetric){in->n, start, row, value[1]};
}

static bool is_positive(const inside *in)
{
    for (uint32_t i = 0; i < in->n; i++)
        if (!(in->factor->d[i] > 0))
            return false;
    return true;
}

static double largest(const ct_symmetric *a)
{
    double most = 0;
    for (int i = 0; i < a->start[a->n]; i++)
        most = fmax(most, fabs(a->value[i]));
    return most;
}

/* Mass may vanish somewhere, and must not be negative: with a little stiffness it is positive. */
static ct_craig_status factor(ct_arena *arena, inside *in)
{
    const double little = 1e-9;
    ct_ldl *ldl = ct_ldl_new(arena, in->n, in->mass.start, in->mass.row);
    if (!ldl)
        return CT_CRAIG_LOOSE;
    in->ldl = ldl;
    in->factor = ct_ldl_factor_new(arena, ldl, false);
    double ratio = little * largest(&in->mass) / fmax(largest(&in->stiffness), DBL_MIN);
    bool done = ct_ldl_real(ldl, ratio, in->stiffness.value, in->mass.value, in->factor);
    bool heavy = done && is_positive(in);
    if (!ct_ldl_real(ldl, 0, in->mass.value, in->stiffness.value, in->factor))
        return CT_CRAIG_LOOSE;
    return !is_positive(in) ? CT_CRAIG_UNSTABLE : heavy ? CT_CRAIG_DONE : CT_CRAIG_WEIGHT;
}

static void open_inside(ct_arena *arena, inside *in, uint32_t n, const bool *held)
{
    in->place = CT_NEW_ARRAY(arena, uint32_t, n + 1);
    in->whole = CT_NEW_ARRAY(arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        in->place[i] = held[i] ? UINT32_MAX : in->n;
        if (!held[i])
            in->whole[in->n++] = i;
    }
}

/* -K_ii^-1 K_ib beside what is held */
static void follow(ct_arena *arena, const inside *in, const ct_symmetric *stiffness,
                   const ct_shape_set *motion, ct_shape_set *out)
{
    uint32_t n = stiffness->n;
    double *force = CT_NEW_ARRAY(arena, double, n + 1), *x = CT_NEW_ARRAY(arena, double, n + 1);
    for (uint32_t i = 0; i < motion->count; i++) {
        const double *at = motion->at + (size_t)i * n;
        double *to = out->at + (size_t)out->count++ * n;
        ct_symmetric_times(stiffness, at, force);
        for (uint32_t k = 0; k < in->n; k++)
            x[k] = -force[in->whole[k]];
        if (in->n)
            ct_ldl_solve_real(in->ldl, in->factor, x);
        memcpy(to, at, sizeof *to * n);
        for (uint32_t k = 0; k < in->n; k++)
            to[in->whole[k]] = x[k];
    }
}

static double scattered(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 33) / 4294967296.0 - 0.25;
}

enum { MOST_ROUNDS = 200 };

/* Iteration of a space: x = K^-1 M x, with the modes of the body in that space. */
static void vibrate(ct_arena *arena, const inside *in, uint32_t modes, ct_shape_set *out)
{
    uint32_t wanted = modes < in->n ? modes : in->n;
    uint32_t room = wanted + 8 < in->n ? wanted + 8 : in->n, n = out->n;
    ct_shape_set x = {in->n, room, CT_NEW_ARRAY(arena, double, (size_t)in->n *room + 1)};
    double *y = CT_NEW_ARRAY(arena, double, in->n + 1);
    double *mass = CT_NEW_ARRAY(arena, double, 2 * room + 1), *before = mass + room;
    uint64_t seed = 1;
    for (size_t i = 0; i < (size_t)in->n * room; i++)
        x.at[i] = scattered(&seed);
    double change = 1;
    for (int round = 0; round < MOST_ROUNDS && change > settled && wanted; round++) {
        for (uint32_t i = 0; i < x.count; i++) {
            double *at = x.at + (size_t)i * in->n;
            ct_symmetric_times(&in->mass, at, y);
            ct_ldl_solve_real(in->ldl, in->factor, y);
            memcpy(at, y, sizeof *y * in->n);
        }
        ct_shapes_part(arena, &in->mass, &in->stiffness, &x, mass);
        change = round < 3;
        for (uint32_t i = 0; i < wanted && i < x.count; i++)
            change = fmax(change, fabs(mass[i] - before[i]) / mass[i]);
        memcpy(before, mass, sizeof *mass * x.count);
    }
    for (uint32_t i = 0; i < wanted && i < x.count; i++) {
        double *to = out->at + (size_t)out->count++ * n;
        for (uint32_t k = 0; k < in->n; k++)
            to[in->whole[k]] = x.at[(size_t)i * in->n + k];
    }
}

ct_craig_status ct_craig_shapes(ct_arena *arena, const ct_symmetric *mass,
                                const ct_symmetric *stiffness, const bool *held,
                                const ct_shape_set *motion, uint32_t modes, ct_shape_set *out)
{
    inside in = {0};
    open_inside(arena, &in, mass->n, held);
    part_matrices(arena, &in, mass, stiffness);
    ct_craig_status status = in.n ? factor(arena, &in) : CT_CRAIG_DONE;
    if (status != CT_CRAIG_DONE)
        return status;
    follow(arena, &in, stiffness, motion, out);
    vibrate(arena, &in, modes, out);
    return CT_CRAIG_DONE;
}
