/* test_pencil.c - sparse factorizations of s E + A, and linear systems in time by Radau IIA. */
#include "unit/test_solve.h"

#include "solve/pencil.h"
#include "solve/radau.h"

static uint64_t seed = 1;

static double number(void) /* between -1 and 1 */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496. - 1;
}

/* ---- matrices by columns */

typedef struct sparse {
    int n, *start, *row;
    double *e, *a;
} sparse;

static void free_sparse(sparse *m)
{
    free(m->start);
    free(m->row);
    free(m->e);
    free(m->a);
}

/* From dense ones, both n by n; entries that are zero in both are left out, but for the diagonal.
 */
static sparse from_dense(int n, const double *e, const double *a)
{
    sparse m = {.n = n, .start = calloc((size_t)n + 1, sizeof(int))};
    m.row = calloc((size_t)(n * n), sizeof *m.row);
    m.e = calloc((size_t)(n * n), sizeof *m.e);
    m.a = calloc((size_t)(n * n), sizeof *m.a);
    int count = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            if (i != j && e[i * n + j] == 0 && a[i * n + j] == 0)
                continue;
            m.row[count] = i;
            m.e[count] = e[i * n + j];
            m.a[count++] = a[i * n + j];
        }
        m.start[j + 1] = count;
    }
    return m;
}

/* A grid of wide by high nodes: conductances in A, capacitances on the diagonal of E; every fifth
 * node carries an unknown of the other sign, as inductors do. */
static sparse grid(int wide, int high, bool mixed)
{
    int n = wide * high, count = 0;
    sparse m = {.n = n, .start = calloc((size_t)n + 1, sizeof(int))};
    m.row = calloc(5 * (size_t)n, sizeof *m.row);
    m.e = calloc(5 * (size_t)n, sizeof *m.e);
    m.a = calloc(5 * (size_t)n, sizeof *m.a);
    for (int j = 0; j < n; j++) {
        int x = j % wide, y = j / wide;
        const int near[] = {y > 0 ? j - wide : -1, x > 0 ? j - 1 : -1, j, x < wide - 1 ? j + 1 : -1,
                            y < high - 1 ? j + wide : -1};
        for (int k = 0; k < 5; k++) {
            if (near[k] < 0)
                continue;
            double sign = mixed && j % 5 == 0 ? -1 : 1;
            m.row[count] = near[k];
            m.e[count] = near[k] == j ? sign * (1 + 0.1 * (j % 7)) : 0;
            m.a[count++] = near[k] == j ? sign * 4.2 : -1;
        }
        m.start[j + 1] = count;
    }
    return m;
}

/* ---- factorizations */

typedef struct factor_case {
    const sparse *m;
    ct_context *ctx;
    bool plain, is_complex, want_ldl, want_blocks;
    ct_complex s;
    double worst;
} factor_case;

/* Largest entry of (s E + A) y - b. */
static double residual(const factor_case *c, const ct_complex *y, const ct_complex *b)
{
    const sparse *m = c->m;
    ct_complex *r = calloc((size_t)m->n, sizeof *r);
    double worst = 0;
    for (int j = 0; j < m->n; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++) {
            double re = c->s.re * m->e[k] + m->a[k], im = c->s.im * m->e[k];
            r[m->row[k]].re += re * y[j].re - im * y[j].im;
            r[m->row[k]].im += re * y[j].im + im * y[j].re;
        }
    for (int i = 0; i < m->n; i++)
        worst = fmax(worst, fabs(r[i].re - b[i].re) + fabs(r[i].im - b[i].im));
    free(r);
    return worst;
}

static void factor_and_solve(void *user)
{
    factor_case *c = user;
    const sparse *m = c->m;
    uint32_t n = (uint32_t)m->n;
    ct_arena *arena = ct_arena_new(c->ctx);
    ct_pencil *p =
        (c->plain ? ct_pencil_plain : ct_pencil_new)(arena, n, m->start, m->row, m->e, m->a);
    assert_int_equal(p->ldl != NULL, c->want_ldl);
    assert_int_equal(p->ldl && p->ldl->blocks, c->want_blocks);
    ct_factor *f = ct_factor_new(p, c->is_complex);
    ct_complex *b = CT_NEW_ARRAY(arena, ct_complex, n), *y = CT_NEW_ARRAY(arena, ct_complex, n);
    for (int round = 0; round < 2; round++, c->s.re *= 3) { /* numbers anew, memory as it is */
        assert_int_equal(ct_factor_make(f, c->s), CT_SOLVED);
        for (uint32_t i = 0; i < n; i++) {
            b[i] = (ct_complex){number(), c->is_complex ? number() : 0};
            if (c->is_complex)
                y[i] = b[i];
            else
                ((double *)y)[i] = b[i].re;
        }
        ct_factor_solve(f, (double *)y);
        for (uint32_t i = n; !c->is_complex && i-- > 0;)
            y[i] = (ct_complex){((double *)y)[i], 0};
        c->worst = fmax(c->worst, residual(c, y, b));
    }
    ct_factor_free(f);
    ct_pencil_free(p);
    ct_arena_free(arena);
}

static void check_factors(const sparse *m, bool plain, bool ldl, bool blocks)
{
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        factor_case c = {.m = m,
                         .ctx = ct_context_new(NULL),
                         .plain = plain,
                         .is_complex = is_complex,
                         .want_ldl = ldl,
                         .want_blocks = blocks,
                         .s = {0.7, is_complex ? 1.9 : 0}};
        assert_int_equal(ct_protect(c.ctx, factor_and_solve, &c), CT_OK);
        assert_true(c.worst < 1e-11);
        ct_context_free(c.ctx);
    }
}

static void test_columns(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        sparse m = grid(400, 1, mixed);
        check_factors(&m, false, true, false);
        check_factors(&m, true, false, false);
        free_sparse(&m);
    }
}

static void test_fronts(void **state)
{
    (void)state;
    static const int size[][2] = {{50, 50}, {61, 47}, {90, 33}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            sparse m = grid(size[i][0], size[i][1], mixed);
            check_factors(&m, false, true, true);
            free_sparse(&m);
        }
}

/* Random patterns without symmetry: KLU. */
static void test_random(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        int n = 2 + (int)(20 * (1 + number()));
        double *e = calloc((size_t)(n * n), sizeof *e), *a = calloc((size_t)(n * n), sizeof *a);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                a[i * n + j] = i == j ? 2 : number() > 0.6 ? number() : 0;
                e[i * n + j] = number() > 0.8 ? number() : 0;
            }
        sparse m = from_dense(n, e, a);
        check_factors(&m, true, false, false);
        free_sparse(&m);
        free(e);
        free(a);
    }
}

static void factor_singular(void *user)
{
    factor_case *c = user;
    const sparse *m = c->m;
    ct_arena *arena = ct_arena_new(c->ctx);
    for (int plain = 0; plain < 2; plain++) {
        ct_pencil *p = (plain ? ct_pencil_plain : ct_pencil_new)(arena, (uint32_t)m->n, m->start,
                                                                 m->row, m->e, m->a);
        ct_factor *f = ct_factor_new(p, false);
        assert_int_equal(ct_factor_make(f, (ct_complex){0, 0}), CT_SINGULAR);
        assert_int_equal(ct_factor_make(f, (ct_complex){1, 0}), CT_SOLVED);
        assert_int_equal(ct_factor_make(f, (ct_complex){NAN, 0}), CT_NOT_FINITE);
        ct_factor_free(f);
        ct_pencil_free(p);
    }
}

/* A ring of conductances without a datum. */
static void test_singular(void **state)
{
    (void)state;
    enum { N = 12 };
    double e[N * N] = {0}, a[N * N] = {0};
    for (int i = 0; i < N; i++) {
        int next = (i + 1) % N;
        e[i * N + i] = 1;
        a[i * N + i] += 1;
        a[next * N + next] += 1;
        a[i * N + next] -= 1;
        a[next * N + i] -= 1;
    }
    sparse m = from_dense(N, e, a);
    factor_case c = {.m = &m, .ctx = ct_context_new(NULL)};
    assert_int_equal(ct_protect(c.ctx, factor_singular, &c), CT_OK);
    ct_context_free(c.ctx);
    free_sparse(&m);
}

/* ---- in time
 *
 *     z0' = -k (z0 - u1)            fast decay towards u1
 *     z1' = w z2, z2' = -w z1       a circle
 *     z3 = z0 + 2 u1                algebraic
 */

enum { K = 5000, W = 30 };

typedef struct motion {
    ct_context *ctx;
    double worst[4], worst_rate;
    int rows, restarts;
    double jump; /* from 1 to this; 0: a cosine instead */
} motion;

static void motion_inputs(void *user, double t, double *u)
{
    motion *m = user;
    u[0] = 1;
    u[1] = m->jump != 0 ? (t >= 0.5 ? m->jump : 1) : cos(t);
}

static double motion_break(void *user, double t)
{
    motion *m = user;
    return m->jump != 0 && t < 0.5 ? 0.5 : INFINITY;
}

static bool motion_restart(void *user, const double *before, const double *after, double *z)
{
    motion *m = user;
    m->restarts++;
    assert_true(before[1] == 1 && after[1] == m->jump);
    z[3] = z[0] + 2 * after[1];
    return true;
}

/* From z0(0) = 0. */
static double relaxed(const motion *m, double t)
{
    double k = K, to = m->jump;
    if (to == 0)
        return (k * k * cos(t) + k * sin(t) - k * k * exp(-k * t)) / (k * k + 1);
    double first = 1 - exp(-k * t);
    return t < 0.5 ? first : to + (1 - exp(-k * 0.5) - to) * exp(-k * (t - 0.5));
}

static bool motion_row(void *user, double t, bool fresh, const double *z, const double *dz,
                       const double *u, const double *du)
{
    motion *m = user;
    double x = relaxed(m, t);
    const double exact[] = {x, cos(W * t), -sin(W * t), x + 2 * u[1]};
    (void)du;
    for (int i = 0; i < 4; i++)
        m->worst[i] = fmax(m->worst[i], fabs(z[i] - exact[i]));
    if (!fresh)
        m->worst_rate = fmax(m->worst_rate, fabs(dz[1] + W * sin(W * t)) / W);
    m->rows++;
    return true;
}

static void run_motion(void *user, double tol, uint32_t points)
{
    motion *m = user;
    const double e[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    const double a[16] = {K, 0, 0, 0, 0, 0, -W, 0, 0, W, 0, 0, -1, 0, 0, 1};
    const int u_start[] = {0, 0, 2}, u_row[] = {0, 3};
    const double u_e[] = {0, 0}, u_a[] = {-K, -2};
    const uint32_t watch[] = {0, 1, 2, 3};
    double z[] = {0, 1, 0, 2};
    sparse s = from_dense(4, e, a);
    ct_arena *arena = ct_arena_new(m->ctx);
    ct_run_stats stats;
    ct_run_def def = ct_default_run_def();
    ct_linear_dae dae = {.pencil = ct_pencil_new(arena, 4, s.start, s.row, s.e, s.a),
                         .u_count = 2,
                         .u_start = u_start,
                         .u_row = u_row,
                         .u_e = u_e,
                         .u_a = u_a,
                         .user = m,
                         .inputs = motion_inputs,
                         .next_break = motion_break,
                         .restart = motion_restart,
                         .watch = watch,
                         .watch_count = 4,
                         .row = motion_row};
    def.rtol = tol;
    def.atol = 1e-3 * tol;
    def.points = points;
    assert_int_equal(ct_radau(m->ctx, &dae, &def, z, &stats), CT_SOLVED);
    ct_pencil_free(dae.pencil);
    ct_arena_free(arena);
    free_sparse(&s);
}

static void check_motion(double jump, double tol, uint32_t points)
{
    motion m = {.ctx = ct_context_new(NULL), .jump = jump};
    run_motion(&m, tol, points);
    assert_int_equal(m.rows, points + 1);
    assert_int_equal(m.restarts, jump != 0 && jump != 1); /* 1: nothing to begin anew */
    for (int i = 0; i < 4; i++)
        assert_true(m.worst[i] < 40 * tol);
    /* the first step behind a break goes by its stages alone, and nobody is shown its rates here */
    assert_true(m.worst_rate < 400 * tol || jump == 1);
    ct_context_free(m.ctx);
}

static void test_motion(void **state)
{
    const double jump[] = {0, 1, 2, -1};
    (void)state;
    for (double tol = 1e-3; tol > 1e-11; tol /= 10)
        for (size_t i = 0; i < sizeof jump / sizeof *jump; i++) {
            check_motion(jump[i], tol, 100);
            check_motion(jump[i], tol, 4);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns), cmocka_unit_test(test_fronts),
        cmocka_unit_test(test_random),  cmocka_unit_test(test_singular),
        cmocka_unit_test(test_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
