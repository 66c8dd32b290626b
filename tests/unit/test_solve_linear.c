/* test_solve_linear.c - vectors for SUNDIALS and linear systems, against the plainest loops. */
#include "unit/test_solve.h"

#include "solve/esdirk_kernel.h"
#include "solve/linear.h"
#include "solve/nvector.h"
#include "solve/nvector_kernel.h"
#include "solve/order.h"

enum { LENGTH = 1100 }; /* two blocks of the fused operations and a rest */

static uint64_t seed = 1;

static double number(void) /* between -1 and 1 */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496. - 1;
}

static void fill(N_Vector v)
{
    for (uint32_t i = 0; i < LENGTH; i++)
        ct_nvector_data(v)[i] = number();
}

typedef struct vectors_case {
    ct_context *ctx;
    ct_vectors family;
    N_Vector v[4];
    double copy[4][LENGTH];
} vectors_case;

static void prepare(void *user)
{
    vectors_case *c = user;
    ct_vectors_init(&c->family, ct_arena_new(c->ctx), LENGTH);
}

static void refill(vectors_case *c)
{
    for (int k = 0; k < 4; k++) {
        fill(c->v[k]);
        memcpy(c->copy[k], ct_nvector_data(c->v[k]), sizeof c->copy[k]);
    }
}

static void check_linear_sum(vectors_case *c, int x, int y, int z, double a, double b)
{
    refill(c);
    N_VLinearSum(a, c->v[x], b, c->v[y], c->v[z]);
    for (uint32_t i = 0; i < LENGTH; i++)
        CHECK_NEAR(ct_nvector_data(c->v[z])[i], a * c->copy[x][i] + b * c->copy[y][i], 1e-14);
}

static void check_fused(vectors_case *c)
{
    double a[3] = {1, -2.5, 0.5}, dots[3] = {0};
    N_Vector list[3] = {c->v[0], c->v[1], c->v[2]};
    refill(c);
    N_VLinearCombination(3, a, list, c->v[0]);
    for (uint32_t i = 0; i < LENGTH; i++)
        CHECK_NEAR(ct_nvector_data(c->v[0])[i],
                   c->copy[0][i] - 2.5 * c->copy[1][i] + 0.5 * c->copy[2][i], 1e-14);
    refill(c);
    N_VScaleAddMulti(3, a, c->v[3], list, list);
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < LENGTH; i++)
            CHECK_NEAR(ct_nvector_data(list[k])[i], a[k] * c->copy[3][i] + c->copy[k][i], 1e-14);
    refill(c);
    N_VDotProdMulti(3, c->v[3], list, dots);
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (uint32_t i = 0; i < LENGTH; i++)
            sum += c->copy[3][i] * c->copy[k][i];
        CHECK_NEAR(dots[k], sum, 1e-12);
        CHECK_NEAR(N_VDotProd(c->v[3], list[k]), sum, 1e-12);
    }
}

static void check_reductions(vectors_case *c)
{
    double sum = 0, weighted = 0, masked = 0, most = 0, least = 2;
    refill(c);
    for (uint32_t i = 0; i < LENGTH; i++) {
        double term = c->copy[0][i] * c->copy[1][i];
        sum += term * term;
        weighted = fmax(weighted, fabs(term));
        masked = c->copy[2][i] > 0 ? fmax(masked, fabs(term)) : masked;
        most = fmax(most, fabs(c->copy[0][i]));
        least = fmin(least, c->copy[0][i]);
    }
    CHECK_NEAR(N_VWrmsNorm(c->v[0], c->v[1]), weighted, 0);
    CHECK_NEAR(N_VWrmsNormMask(c->v[0], c->v[1], c->v[2]), masked, 0);
    CHECK_NEAR(N_VWL2Norm(c->v[0], c->v[1]), sqrt(sum), 1e-12);
    CHECK_NEAR(N_VMaxNorm(c->v[0]), most, 0);
    CHECK_NEAR(N_VMin(c->v[0]), least, 0);
}

static void test_kernel_in_place(void **state)
{
    double x[5] = {1, -2, 3, 4, -5}, y[5] = {1, 1, 1, 1, 1}, five[5] = {5, -10, 15, 20, -25};
    (void)state;
    ct_kernel_add(5, 2, x, 3, x);
    assert_memory_equal(x, five, sizeof x);
    ct_kernel_add(5, 2, x, 1, y);
    CHECK_NEAR(y[4], 1 - 50, 0);
}

/* Kinds 2, 1, 0, -1, -2 against values 1, 0, -1. */
static void check_constraints(vectors_case *c)
{
    N_VConst(0, c->v[0]);
    N_VConst(1, c->v[1]);
    for (int k = 0; k < 15; k++) {
        ct_nvector_data(c->v[0])[k] = 2 - k / 3;
        ct_nvector_data(c->v[1])[k] = 1 - k % 3;
    }
    assert_false(N_VConstrMask(c->v[0], c->v[1], c->v[2]));
    static const double want[15] = {0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0};
    for (int k = 0; k < 15; k++)
        CHECK_NEAR(ct_nvector_data(c->v[2])[k], want[k], 0);
    N_VConst(0, c->v[0]);
    assert_true(N_VConstrMask(c->v[0], c->v[1], c->v[2]));
}

static void test_vectors(void **state)
{
    (void)state;
    static vectors_case c;
    SUNContext sundials;
    c.ctx = ct_context_new(NULL);
    assert_int_equal(SUNContext_Create(NULL, &sundials), 0);
    assert_int_equal(ct_protect(c.ctx, prepare, &c), CT_OK);
    c.family.sundials = sundials;
    c.v[0] = ct_vectors_take(&c.family);
    for (int k = 1; k < 4; k++)
        c.v[k] = N_VClone(c.v[0]);
    static const int who[][3] = {{0, 1, 2}, {0, 1, 1}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    for (int k = 0; k < 5; k++)
        for (int one = 0; one < 3; one++)
            check_linear_sum(&c, who[k][0], who[k][1], who[k][2], one & 1 ? 1 : -2.5,
                             one & 2 ? 1 : 0.75);
    check_fused(&c);
    check_reductions(&c);
    check_constraints(&c);
    for (int k = 0; k < 4; k++)
        N_VDestroy(c.v[k]);
    SUNContext_Free(&sundials);
    ct_context_free(c.ctx);
}

/* ---- sums and steps of esdirk, over ranges ----------------------------------------------------
 */

enum { MANY = 40 };

static bool is_inside(uint32_t i)
{
    return (i >= 1 && i < 14) || (i >= 17 && i < 19) || i == 30;
}

static void check_sum(ct_index_ranges in, uint32_t count)
{
    double x[CT_ESDIRK_TERMS][MANY], by[CT_ESDIRK_TERMS], to[MANY];
    const double *of[CT_ESDIRK_TERMS];
    for (uint32_t k = 0; k < count; k++) {
        of[k] = x[k];
        by[k] = number();
        for (uint32_t i = 0; i < MANY; i++)
            x[k][i] = number();
    }
    for (uint32_t i = 0; i < MANY; i++)
        to[i] = i;
    ct_esdirk_sum(in, to, count, by, of);
    for (uint32_t i = 0; i < MANY; i++) {
        double want = is_inside(i) ? 0 : i;
        for (uint32_t k = 0; k < count && is_inside(i); k++)
            want += by[k] * x[k][i];
        CHECK_NEAR(to[i], want, 0);
    }
}

static void check_advance(ct_index_ranges in)
{
    double z[MANY], kept[MANY], step[MANY], most[MANY], want = 0, counted = 0;
    bool counts[MANY];
    ct_esdirk_scale scale = {1e-3, 1e-6, most, z};
    for (uint32_t i = 0; i < MANY; i++) {
        kept[i] = z[i] = number();
        step[i] = number();
        most[i] = fabs(number());
        counts[i] = number() > 0;
        double share = fabs(step[i]) / (1e-6 + 1e-3 * fmax(most[i], fabs(z[i])));
        want = is_inside(i) ? fmax(want, share) : want;
        counted = is_inside(i) && counts[i] ? fmax(counted, share) : counted;
    }
    CHECK_NEAR(ct_esdirk_size(in, step, &scale, counts), counted, 0);
    CHECK_NEAR(ct_esdirk_advance(in, z, step, &scale), want, 0);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK_NEAR(z[i], kept[i] - (is_inside(i) ? step[i] : 0), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        memcpy(z, kept, sizeof z);
        double own = step[i];
        step[i] = NAN;
        counts[i] = true;
        assert_true(isinf(ct_esdirk_size(in, step, &scale, counts)) == is_inside(i));
        assert_true(isinf(ct_esdirk_advance(in, z, step, &scale)) == is_inside(i));
        step[i] = own;
    }
}

static void test_esdirk_kernels(void **state)
{
    (void)state;
    ct_index_range range[] = {{1, 14}, {17, 19}, {30, 31}};
    for (int round = 0; round < 20; round++) {
        for (uint32_t count = 1; count <= CT_ESDIRK_TERMS; count++)
            check_sum((ct_index_ranges){range, 3}, count);
        check_advance((ct_index_ranges){range, 3});
    }
}

/* ---- linear systems -------------------------------------------------------------------------- */

typedef struct matrix_case {
    ct_context *ctx;
    uint32_t n, start[201], row[2000];
    ct_pattern pattern;
    ct_linear *linear;
} matrix_case;

/* The diagonal and a few others; one entry is given twice. */
static void make_pattern(matrix_case *m)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < m->n; j++) {
        m->start[j] = count;
        m->row[count++] = j;
        m->row[count++] = (j * 7 + 3) % m->n;
        m->row[count++] = (j * 5 + 1) % m->n;
        m->row[count++] = (j + 1) % m->n;
    }
    m->start[m->n] = count;
    m->row[1] = m->row[2];
}

static void make_linear(void *user)
{
    matrix_case *m = user;
    ct_arena *arena = ct_arena_new(m->ctx);
    m->pattern = ct_pattern_part(arena, m->n, m->start, m->row, 0, m->n, m->n);
    m->linear = ct_linear_new(arena, &m->pattern);
}

static void check_solution(matrix_case *m, double diagonal)
{
    double value[2000], want[200], b[200] = {0};
    for (uint32_t k = 0; k < m->start[m->n]; k++)
        value[k] = number() + (k % 4 == 0 ? diagonal : 0);
    for (uint32_t j = 0; j < m->n; j++) {
        want[j] = number();
        for (uint32_t k = m->start[j]; k < m->start[j + 1]; k++)
            b[m->row[k]] += value[k] * want[j];
    }
    ct_pattern_gather(&m->pattern, m->n, m->start, value, m->linear->value);
    assert_int_equal(ct_linear_factor(m->linear), CT_SOLVED);
    ct_linear_solve(m->linear, b);
    for (uint32_t j = 0; j < m->n; j++)
        CHECK_NEAR(b[j], want[j], 1e-8);
}

static void test_linear(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {5, 24, CT_SMALL_SYSTEM, CT_SMALL_SYSTEM + 1, 199};
    for (size_t i = 0; i < 5; i++) {
        static matrix_case m;
        m = (matrix_case){.ctx = ct_context_new(NULL), .n = sizes[i]};
        make_pattern(&m);
        assert_int_equal(ct_protect(m.ctx, make_linear, &m), CT_OK);
        for (int round = 0; round < 20; round++) /* old pivots become bad when the diagonal goes */
            check_solution(&m, round % 2 ? 1e-9 : 10);
        memset(m.linear->value, 0, m.pattern.count * sizeof(double));
        assert_int_equal(ct_linear_factor(m.linear), CT_SINGULAR);
        assert_true(m.linear->singular_at < m.n);
        m.linear->value[0] = NAN;
        assert_int_equal(ct_linear_factor(m.linear), CT_NOT_FINITE);
        check_solution(&m, 10);
        ct_linear_free(m.linear);
        ct_context_free(m.ctx);
    }
}

/* Column j and its right side by other values; the others are as they were. */
static void check_part(matrix_case *m, const double *value, uint32_t changed, double by)
{
    double want[200], b[200] = {0}, now[2000];
    memcpy(now, value, sizeof now);
    for (uint32_t j = 0; j < m->n; j++) {
        want[j] = number();
        for (uint32_t k = m->start[j]; k < m->start[j + 1]; k++) {
            now[k] *= j == changed ? by : 1;
            b[m->row[k]] += now[k] * want[j];
        }
    }
    ct_pattern_gather(&m->pattern, m->n, m->start, now, m->linear->value);
    assert_int_equal(ct_linear_factor(m->linear), CT_SOLVED);
    ct_linear_solve(m->linear, b);
    for (uint32_t j = 0; j < m->n; j++)
        CHECK_NEAR(b[j], want[j], 1e-10);
}

/* Factors that are computed again in part: what changed in the call before must go, too. */
static void test_linear_in_part(void **state)
{
    (void)state;
    static matrix_case m;
    static double value[2000];
    m = (matrix_case){.ctx = ct_context_new(NULL), .n = 150};
    make_pattern(&m);
    assert_int_equal(ct_protect(m.ctx, make_linear, &m), CT_OK);
    m.linear->trusted = 20;
    for (uint32_t k = 0; k < m.start[m.n]; k++)
        value[k] = number() + (k % 4 == 0 ? 8 : 0);
    for (uint32_t round = 0; round < 60; round++)
        check_part(&m, value, round * 37 % m.n, 1 + 0.5 * number());
    assert_non_null(m.linear->lu);
    double kept = m.linear->value[5];
    m.linear->value[5] = NAN;
    assert_int_equal(ct_linear_factor(m.linear), CT_NOT_FINITE);
    m.linear->value[5] = kept;
    check_part(&m, value, 0, 1);
    memset(m.linear->value, 0, m.pattern.count * sizeof(double));
    assert_int_equal(ct_linear_factor(m.linear), CT_SINGULAR);
    check_part(&m, value, 3, -2);
    ct_linear_free(m.linear);
    ct_context_free(m.ctx);
}

/* Machine code of a pattern, which is made after some factorizations, gives the bits of the loops;
 * what is not finite and what is singular is found, and pivots may change. */
static void make_sparse(void *user)
{
    matrix_case *m = user;
    ct_arena *arena = ct_arena_new(m->ctx);
    m->pattern = ct_pattern_part(arena, m->n, m->start, m->row, 0, m->n, m->n);
    m->linear = ct_linear_new_sparse(arena, &m->pattern);
    m->linear->trusted = 20;
}

static void solve_both(matrix_case m[2], uint32_t round, double diagonal)
{
    double b[2][200], value[2000];
    for (uint32_t k = 0; k < m->start[m->n]; k++)
        value[k] = number() + (k % 4 == 0 ? diagonal : 0);
    for (uint32_t i = 0; i < m->n; i++)
        b[0][i] = b[1][i] = number();
    if (round == 70)
        value[0] = NAN;
    if (round == 90)
        memset(value, 0, sizeof value);
    ct_solve_status found[2];
    for (int way = 0; way < 2; way++) {
        ct_linear *l = m[way].linear;
        l->fresh |= round % 37 == 0;
        ct_pattern_gather(&m[way].pattern, m->n, m->start, value, l->value);
        found[way] = ct_linear_factor(l);
        if (found[way] == CT_SOLVED)
            ct_linear_solve(l, b[way]);
    }
    assert_int_equal(found[0], found[1]);
    assert_int_equal(found[0], round == 70 ? CT_NOT_FINITE : round == 90 ? CT_SINGULAR : CT_SOLVED);
    assert_memory_equal(b[0], b[1], m->n * sizeof *b[0]);
}

static void test_linear_code(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 7, 40, 199};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        static matrix_case m[2];
        ct_context_def def = ct_default_context_def();
        for (int way = 0; way < 2; way++) {
            def.native = way > 0;
            m[way] = (matrix_case){.ctx = ct_context_new(&def), .n = sizes[i]};
            make_pattern(&m[way]);
            assert_int_equal(ct_protect(m[way].ctx, make_sparse, &m[way]), CT_OK);
        }
        for (uint32_t round = 0; round < 120; round++)
            solve_both(m, round, round % 50 < 45 ? 8 : 1e-3);
        for (int way = 0; way < 2; way++) {
            ct_linear_free(m[way].linear);
            ct_context_free(m[way].ctx);
        }
    }
}

/* Where drivers hold all potentials nothing is left to solve for. */
static void test_linear_without_unknowns(void **state)
{
    (void)state;
    static matrix_case m;
    m = (matrix_case){.ctx = ct_context_new(NULL)};
    assert_int_equal(ct_protect(m.ctx, make_sparse, &m), CT_OK);
    assert_int_equal(ct_linear_factor(m.linear), CT_SOLVED);
    ct_linear_solve(m.linear, NULL);
    ct_linear_free(m.linear);
    ct_context_free(m.ctx);
}

/* ---- a grid: parts of it, and its symmetry */

enum { SIDE = 40, NODES = SIDE * SIDE };

typedef struct grid_case {
    ct_context *ctx;
    uint32_t start[NODES + 1], row[5 * NODES];
    ct_pattern pattern;
    ct_linear *linear;
} grid_case;

static void make_grid(void *user)
{
    grid_case *g = user;
    ct_arena *arena = ct_arena_new(g->ctx);
    uint32_t count = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        const bool near[] = {i >= SIDE, i % SIDE > 0, true, i % SIDE + 1 < SIDE, i + SIDE < NODES};
        const uint32_t at[] = {i - SIDE, i - 1, i, i + 1, i + SIDE};
        for (int k = 0; k < 5; k++)
            if (near[k])
                g->row[count++] = at[k];
        g->start[i + 1] = count;
    }
    g->pattern = ct_pattern_part(arena, NODES, g->start, g->row, 0, NODES, NODES);
    g->linear = ct_linear_new(arena, &g->pattern);
    g->linear->trusted = 20;
}

/* Conductances between neighbours and to ground; skew: beside the diagonal, one way. */
static void set_grid(const grid_case *g, double ground, double skew)
{
    for (uint32_t j = 0; j < NODES; j++)
        for (uint32_t k = g->start[j]; k < g->start[j + 1]; k++) {
            uint32_t i = g->row[k], low = i < j ? i : j;
            g->linear->value[k] = i == j ? 8 + ground : -1 - 0.5 * (low % 3) - (i > j ? skew : 0);
        }
}

/* Unknowns of at least this level solve their rows; others are as they were. */
static void check_grid(const grid_case *g, const uint8_t *level, uint8_t least)
{
    static double b[NODES], given[NODES], left[NODES];
    for (uint32_t i = 0; i < NODES; i++)
        left[i] = b[i] = given[i] = number();
    assert_int_equal(ct_linear_factor(g->linear), CT_SOLVED);
    ct_linear_solve(g->linear, b);
    for (uint32_t j = 0; j < NODES; j++)
        for (uint32_t k = g->start[j]; level[j] >= least && k < g->start[j + 1]; k++)
            left[g->row[k]] -= g->linear->value[k] * b[j];
    for (uint32_t i = 0; i < NODES; i++)
        CHECK_NEAR(level[i] >= least ? left[i] : b[i] - given[i], 0, 1e-12);
}

/* Parts are solved without a look at what is outside; behind them the whole is what it was. */
static void test_linear_focus(void **state)
{
    (void)state;
    static grid_case g;
    static uint8_t level[NODES];
    g.ctx = ct_context_new(NULL);
    assert_int_equal(ct_protect(g.ctx, make_grid, &g), CT_OK);
    assert_false(ct_linear_focus(g.linear, level, 1));
    set_grid(&g, 0.5, 0.1);
    check_grid(&g, level, 0);
    for (uint32_t i = 0; i < NODES; i++)
        level[i] = i % SIDE < 9 && i / SIDE != 5 ? 2 : i % 3 == 0;
    assert_true(ct_linear_focus(g.linear, level, 2));
    assert_true(ct_linear_is_focused(g.linear));
    for (int round = 0; round < 3; round++) {
        set_grid(&g, 1 + round, 0.1);
        for (uint32_t j = 0; j < NODES; j++)
            for (uint32_t k = g.start[j]; k < g.start[j + 1]; k++)
                if (level[j] < 2)
                    g.linear->value[k] = NAN;
        check_grid(&g, level, 2);
    }
    assert_true(ct_linear_focus(g.linear, NULL, 0));
    set_grid(&g, 0.25, 0.1);
    check_grid(&g, level, 0);
    ct_linear_free(g.linear);
    ct_context_free(g.ctx);
}

/* Symmetric values go by L D L^T; those that are not definite or not symmetric do not. */
static void test_linear_symmetric(void **state)
{
    (void)state;
    static grid_case g;
    static const uint8_t all[NODES];
    for (int kind = 0; kind < 2; kind++) {
        g.ctx = ct_context_new(NULL);
        assert_int_equal(ct_protect(g.ctx, make_grid, &g), CT_OK);
        set_grid(&g, 1, 0);
        check_grid(&g, all, 0); /* pivots are chosen */
        assert_true(ct_linear_work(g.linear) > 6);
        for (int round = 0; round < 3; round++) {
            set_grid(&g, 0.1 * round, 0);
            check_grid(&g, all, 0);
        }
        set_grid(&g, kind ? 0 : -16, kind ? 0.25 : 0);
        check_grid(&g, all, 0);
        assert_false(g.linear->by_symmetric);
        ct_linear_free(g.linear);
        ct_context_free(g.ctx);
    }
}

/* ---- orders of elimination */

enum { ORDERED = 1000, MOST_ENTRIES = 8 * ORDERED };

typedef struct order_case {
    ct_context *ctx;
    int start[ORDERED + 1], row[MOST_ENTRIES], order[ORDERED];
    bool done;
} order_case;

static void make_order(void *user)
{
    order_case *c = user;
    c->done = ct_elimination_order(c->ctx, ORDERED, c->start, c->row, c->order);
}

/* kind 0: a ladder; 1: a ladder whose every node meets two hubs, too; 2: any three others. */
static void make_network(order_case *c, int kind)
{
    int count = 0;
    for (int j = 0; j < ORDERED; j++) {
        c->row[count++] = j;
        if (j + 1 < ORDERED && kind < 2)
            c->row[count++] = j + 1;
        for (int k = 0; k < 2 && kind == 1; k++)
            if (j != k)
                c->row[count++] = k;
        for (int k = 0; k < 3 && kind == 2; k++)
            c->row[count++] = (int)(fabs(number()) * (ORDERED - 1));
        c->start[j + 1] = count;
    }
}

/* Each unknown stands there once. */
static void check_order(const order_case *c)
{
    bool seen[ORDERED] = {false};
    for (int k = 0; k < ORDERED; k++) {
        assert_in_range(c->order[k], 0, ORDERED - 1);
        assert_false(seen[c->order[k]]);
        seen[c->order[k]] = true;
    }
}

/* How many steps of a ladder's elimination wait for each other. */
static int depth_of_ladder(const order_case *c)
{
    static int left[ORDERED], right[ORDERED], depth[ORDERED];
    int most = 0;
    for (int i = 0; i < ORDERED; i++)
        left[i] = i - 1, right[i] = i + 1, depth[i] = 0;
    for (int k = 0; k < ORDERED; k++) {
        int i = c->order[k], near[] = {left[i], right[i]};
        if (near[0] >= 0)
            right[near[0]] = near[1];
        if (near[1] < ORDERED)
            left[near[1]] = near[0];
        for (int s = 0; s < 2; s++)
            if (near[s] >= 0 && near[s] < ORDERED && depth[near[s]] <= depth[i])
                depth[near[s]] = depth[i] + 1;
        most = depth[i] > most ? depth[i] : most;
    }
    return most;
}

static void test_order(void **state)
{
    (void)state;
    order_case c = {.ctx = ct_context_new(NULL)};
    for (int kind = 0; kind < 3; kind++) {
        make_network(&c, kind);
        assert_int_equal(ct_protect(c.ctx, make_order, &c), CT_OK);
        assert_true(c.done);
        check_order(&c);
        if (kind == 0)
            assert_in_range(depth_of_ladder(&c), 1, 20);
    }
    ct_context_free(c.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_kernel_in_place),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_linear_in_part),
        cmocka_unit_test(test_linear_code),
        cmocka_unit_test(test_linear_without_unknowns),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_linear_focus),
        cmocka_unit_test(test_linear_symmetric),
        cmocka_unit_test(test_esdirk_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
