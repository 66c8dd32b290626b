/* dynamics_base.c - base parameters: which sums of masses, moments and inertias the motion tells.
 *
 * The energy of a mechanism is linear in them: ten of each body. Rows are its columns at random
 * places and speeds, less those of the first one. Columns that depend on those before them add to
 * their parameters [Gautier, Khalil 1990]; by which factors formulas tell where they can
 * (dynamics_regroup.c).
 */
#include <math.h>
#include <string.h>

#include "export/dynamics_regroup.h"

static const double meant = 1e-8; /* a weight so near to six digits is meant as these */

enum { OWN = 10, MOST_BODIES = 60 };

static const char *const word[OWN] = {"m",   "m*cx", "m*cy", "m*cz", "Ixx",
                                      "Iyy", "Izz",  "Ixy",  "Ixz",  "Iyz"};
static const double small = 1e-7;

typedef struct sampler {
    ct_dynamics *d;
    ct_map at; /* symbol -> index + 1 of value */
    double *value;
    uint64_t dice;
} sampler;

static double look(const void *user, ct_name name)
{
    const sampler *s = user;
    uint32_t found = ct_map_get(&s->at, name);
    ct_quantities all = {s->d->model, s->d->model->quantity_value};
    return found ? s->value[found - 1] : ct_look_up(&all, name);
}

/* Between -1 and 1, the same in every run. */
static double roll(sampler *s)
{
    s->dice = s->dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(s->dice >> 11) / 4503599627370496.0 - 1;
}

static ct_expr express(const ct_dynamics *d, ct_motion_kind kind, uint32_t frame, uint32_t axis)
{
    ct_motion motion = {0, kind, frame, axis};
    ct_expr e = ct_mechanics_express(d->mechanics, &motion);
    return e ? e : ct_expr_int(d->mechanics->pool, 0);
}

enum { FACTS = 18 }; /* of a body: r, v, w in ground axes, R */

static void list_facts(const ct_dynamics *d, ct_expr *e)
{
    const ct_mechanism *m = d->mechanics->mechanism;
    for (uint32_t b = 1; b < m->body_count; b++)
        for (uint32_t i = 0; i < FACTS; i++) {
            uint32_t f = m->body[b].frame;
            *e++ = i < 3   ? express(d, CT_MOTION_POSITION, f, i)
                   : i < 6 ? express(d, CT_MOTION_VELOCITY, f, i - 3)
                   : i < 9 ? express(d, CT_MOTION_SPIN, f, i - 6)
                           : express(d, CT_MOTION_AXES, f, i - 9);
        }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Energy of a body for one of each of its parameters, about its own frame and in its axes. */
static void energies(const double fact[FACTS], const double g[3], double h[OWN])
{
    const double *r = fact, *v = fact + 3, *w = fact + 6, *R = fact + 9;
    double own[3], vw[3], down[3];
    const double across[3] = {v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2],
                              v[0] * w[1] - v[1] * w[0]};
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {R[k], R[3 + k], R[6 + k]};
        own[k] = dot(axis, w);
        vw[k] = dot(axis, across);
        down[k] = dot(axis, g);
    }
    h[0] = dot(v, v) / 2 - dot(g, r);
    for (int k = 0; k < 3; k++) {
        h[1 + k] = vw[k] - down[k];
        h[4 + k] = own[k] * own[k] / 2;
    }
    h[7] = own[0] * own[1], h[8] = own[0] * own[2], h[9] = own[1] * own[2];
}

/* Columns one after the other, each of `rows` numbers. */
static double *sample(sampler *s, uint32_t rows, uint32_t bodies)
{
    ct_dynamics *d = s->d;
    const ct_mechanism *m = d->mechanics->mechanism;
    uint32_t count = bodies * FACTS;
    ct_expr *e = CT_NEW_ARRAY(d->arena, ct_expr, count + 1);
    double *fact = CT_NEW_ARRAY(d->arena, double, count + 1), g[3], first[MOST_BODIES * OWN];
    double *out = CT_NEW_ARRAY(d->arena, double, (size_t)rows *bodies *OWN + 1);
    list_facts(d, e);
    for (int i = 0; i < 3; i++)
        g[i] = ct_expr_value(d->mechanics->pool, m->gravity.c[i], look, s);
    for (uint32_t row = 0; row <= rows; row++) {
        for (uint32_t i = 0; i < 2 * d->n; i++)
            s->value[i] = 1.5 * roll(s);
        ct_expr_values(d->mechanics->pool, e, count, look, s, fact);
        for (uint32_t b = 0; b < bodies; b++) {
            double h[OWN];
            energies(fact + (size_t)b * FACTS, g, h);
            for (uint32_t k = 0; k < OWN; k++) {
                if (!row)
                    first[b * OWN + k] = h[k];
                else
                    out[(size_t)(b * OWN + k) * rows + row - 1] = h[k] - first[b * OWN + k];
            }
        }
    }
    return out;
}

/* ---- which columns are independent */

typedef struct basis {
    uint32_t rows, count;
    double *unit; /* orthonormal, as many */
    double *back; /* kept columns by these: upper triangle, count x count at most */
} basis;

static double column_dot(const double *a, const double *b, uint32_t rows)
{
    double sum = 0;
    for (uint32_t i = 0; i < rows; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes out of x what the basis spans, twice for rounding; c: how much of each. */
static void take_out(const basis *b, double *x, double *c)
{
    memset(c, 0, (b->count + 1) * sizeof *c);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < b->count; k++) {
            const double *unit = b->unit + (size_t)k * b->rows;
            double along = column_dot(unit, x, b->rows);
            c[k] += along;
            for (uint32_t i = 0; i < b->rows; i++)
                x[i] -= along * unit[i];
        }
}

/* c over orthonormal columns becomes weights over those kept. */
static void solve_back(const basis *b, uint32_t width, double *c)
{
    for (uint32_t k = b->count; k-- > 0;) {
        c[k] /= b->back[(size_t)k * width + k];
        for (uint32_t i = 0; i < k; i++)
            c[i] -= b->back[(size_t)i * width + k] * c[k];
    }
}

static const char *name_of(const ct_dynamics *d, uint32_t column)
{
    const ct_mechanism *m = d->mechanics->mechanism;
    const char *body = ct_name_text(d->ctx, m->body[1 + column / OWN].name);
    const char *own = word[column % OWN];
    return own[0] == 'm' && own[1] ? ct_printf(d->ctx, "%s.m*%s.%s", body, body, own + 2)
                                   : ct_printf(d->ctx, "%s.%s", body, own);
}

static void add_term(ct_text *text, double weight, const char *factor, const char *name)
{
    double near = nearbyint(weight * 1e6) / 1e6;
    weight = fabs(weight - near) < meant ? near : weight;
    if (fabs(weight) < small && !factor)
        return;
    bool minus = factor ? factor[0] == '-' : weight < 0;
    ct_put(text, minus ? " - " : " + ");
    if (factor)
        ct_putf(text, "%s*", factor + minus);
    else if (fabs(fabs(weight) - 1) > small)
        ct_putf(text, "%.8g*", fabs(weight));
    ct_put(text, name);
}

typedef struct sums {
    basis b;
    ct_column *of;  /* by column */
    uint32_t *kept; /* columns */
    double **by;    /* of a dependent column: weights, by kept one */
    bool numbers;   /* one of them is known in numbers only */
} sums;

/* Each column is new, depends on those before, or is nothing. */
static void sort_columns(ct_dynamics *d, double *h, uint32_t columns, sums *s)
{
    basis *b = &s->b;
    for (uint32_t k = 0; k < columns; k++) {
        double *x = h + (size_t)k * b->rows, size = sqrt(column_dot(x, x, b->rows));
        double *c = CT_NEW_ARRAY(d->arena, double, columns + 1);
        s->of[k] = CT_WITHOUT;
        if (size < small)
            continue;
        take_out(b, x, c);
        double left = sqrt(column_dot(x, x, b->rows));
        s->of[k] = left < small * size ? CT_DEPENDS : CT_KEPT;
        if (s->of[k] == CT_DEPENDS) {
            solve_back(b, columns, c);
            s->by[k] = c;
            continue;
        }
        for (uint32_t i = 0; i < b->count; i++)
            b->back[(size_t)i * columns + b->count] = c[i];
        b->back[(size_t)b->count * columns + b->count] = left;
        for (uint32_t i = 0; i < b->rows; i++)
            b->unit[(size_t)b->count * b->rows + i] = x[i] / left;
        s->kept[b->count++] = k;
    }
}

static double value_of(const void *user, ct_expr e)
{
    const sampler *s = user;
    return ct_expr_value(s->d->mechanics->pool, e, look, user);
}

static void add_dependent(ct_dynamics *d, const ct_regroup *x, sums *s, uint32_t column,
                          ct_text *sum)
{
    double *weight = CT_NEW_ARRAY(d->arena, double, x->columns + 1);
    for (uint32_t i = 0; i < s->b.count; i++)
        weight[s->kept[i]] = s->by[column][i];
    const char **factor = ct_regroup_factors(x, column, weight);
    s->numbers |= !factor;
    for (uint32_t i = 0; i < s->b.count; i++)
        add_term(&sum[i], s->by[column][i], factor ? factor[s->kept[i]] : NULL, name_of(d, column));
}

static void write_sums(ct_dynamics *d, const sampler *sampled, sums *s, uint32_t columns)
{
    ct_text *sum = CT_NEW_ARRAY(d->arena, ct_text, columns + 1), without = ct_text_new(d->arena);
    ct_regroup x = {.ctx = d->ctx,
                    .arena = d->arena,
                    .pool = d->mechanics->pool,
                    .mechanism = d->mechanics->mechanism,
                    .of = s->of,
                    .columns = columns,
                    .value = value_of,
                    .user = sampled};
    ct_regroup_open(&x);
    for (uint32_t i = 0; i < s->b.count; i++) {
        sum[i] = ct_text_new(d->arena);
        ct_put(&sum[i], name_of(d, s->kept[i]));
    }
    for (uint32_t k = 0; k < columns; k++)
        if (s->of[k] == CT_DEPENDS)
            add_dependent(d, &x, s, k, sum);
        else if (s->of[k] == CT_WITHOUT)
            ct_putf(&without, "%s%s", without.length ? ", " : "", name_of(d, k));
    for (uint32_t i = 0; i < s->b.count; i++)
        CT_PUSH(d->arena, d->base, ct_text_string(&sum[i]));
    d->without = without.length ? ct_text_string(&without) : NULL;
    if (s->numbers)
        CT_PUSH(d->arena, d->remark,
                "some factors of base parameters hold for the present values of params only");
}

static void find_sums(ct_dynamics *d, const sampler *sampled, double *h, uint32_t rows,
                      uint32_t columns)
{
    sums s = {.of = CT_NEW_ARRAY(d->arena, ct_column, columns + 1),
              .kept = CT_NEW_ARRAY(d->arena, uint32_t, columns + 1),
              .by = CT_NEW_ARRAY(d->arena, double *, columns + 1)};
    s.b = (basis){.rows = rows,
                  .unit = CT_NEW_ARRAY(d->arena, double, (size_t)rows *columns + 1),
                  .back = CT_NEW_ARRAY(d->arena, double, (size_t)columns *columns + 1)};
    sort_columns(d, h, columns, &s);
    write_sums(d, sampled, &s, columns);
}

static bool can(ct_dynamics *d)
{
    const ct_mechanics *m = d->mechanics;
    bool plain = m->mechanism->spatial && !m->constraint_count && d->n == m->coordinate_count;
    for (uint32_t i = 0; i < m->coordinate_count; i++)
        plain &= !m->coordinate[i].quaternion;
    for (uint32_t i = 1; i < m->mechanism->body_count; i++)
        plain &= !m->mechanism->body[i].particle;
    return plain && m->mechanism->body_count <= MOST_BODIES;
}

void ct_dynamics_find_base(ct_dynamics *d)
{
    uint32_t bodies = d->mechanics->mechanism->body_count - 1, columns = OWN * bodies;
    sampler s = {.d = d, .dice = 12345};
    if (!can(d)) {
        CT_PUSH(d->arena, d->remark,
                "base parameters are left out: they are found for open trees of bodies in space");
        return;
    }
    ct_map_init(&s.at, d->arena);
    s.value = CT_NEW_ARRAY(d->arena, double, 2 * (size_t)d->n + 1);
    for (uint32_t i = 0; i < d->n; i++) {
        ct_map_put(&s.at, d->q[i], i + 1);
        ct_map_put(&s.at, d->u[i], d->n + i + 1);
    }
    uint32_t rows = columns + 40;
    double *h = sample(&s, rows, bodies), sum = 0;
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        sum += h[i];
    if (isfinite(sum))
        find_sums(d, &s, h, rows, columns);
    else
        CT_PUSH(d->arena, d->remark, "base parameters are left out: parameters have no values");
}
