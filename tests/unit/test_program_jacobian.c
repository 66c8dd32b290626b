/* test_program_jacobian.c - the sparse Jacobian against ct_expr_diff and central differences, and
 * the speed of compiling and running large systems. */

#include "compile/program.h"

#include "test_expr.h"
#include "unit/effort.h"

enum { MOST = 8 };

static ct_arena *arena;

static int open_arena(void **state)
{
    open_pool(state);
    arena = ct_arena_new(ctx);
    return 0;
}

#define JACOBIAN_TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_pool)

static ct_name numbered_name(const char *stem, uint32_t i)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%s%u", stem, i);
    return ct_intern(ctx, text, (size_t)length);
}

static ct_expr numbered(const char *stem, uint32_t i)
{
    return ct_expr_symbol(pool, numbered_name(stem, i));
}

static const ct_jacobian *jacobian_of(const ct_expr *f, uint32_t rows, const ct_name *x,
                                      uint32_t cols)
{
    ct_expr culprit;
    const ct_jacobian *j = ct_jacobian_new(arena, pool, f, rows, x, cols, &culprit);
    if (!j)
        fail_msg("no derivative of %s", text_of(culprit));
    return j;
}

/* ---- small systems: the pattern, row by row, and every entry as ct_expr_diff has it */
static const struct pattern_case {
    const char *f[5], *x[5];
    const char *pattern; /* '*' an entry, '.' none; rows apart by a space */
} patterns[] = {
    {{"x*y", "y + z"}, {"x", "y", "z"}, "**. .**"},
    {{"x^2*y^-1*sqrt(z)", "7", "k*p"}, {"x", "y", "z"}, "*** ... ..."},
    {{"(x + y)^2 - x^2 - 2*x*y"}, {"x", "y"}, ".*"},
    {{"x*(y + z) - x*y - x*z"}, {"x", "y", "z"}, "..."},
    {{"sin(x)^2 + cos(x)^2 + y"}, {"x", "y"}, ".*"},
    {{"sin(x)^2 + cos(x)^2*y"}, {"x", "y"}, "**"},
    {{"floor(x) + sign(y)*z"}, {"x", "y", "z"}, "..*"},
    {{"if x < y then z else w^2"}, {"x", "y", "z", "w"}, "..**"},
    {{"max(x, y)*z", "min(x^2, x^3)"}, {"x", "y", "z"}, "*** *.."},
    {{"clamp(sin(x), y, z)"}, {"x", "y", "z"}, "***"},
    {{"if x > 0 then sqrt(x)*max(x, y) else if y > 0 then log(y) else x*y"}, {"x", "y"}, "**"},
    {{"x*der(x) + der(y)"}, {"x", "y"}, "*."},
    {{"pre(x)*y + integral(x)"}, {"x", "y"}, ".*"},
    {{"table(x*y, 2, 0, 1, k, p, 1)"}, {"x", "y"}, "**"},
    {{"x^y", "atan2(x, y)", "mod(x, y)"}, {"x", "y"}, "** ** **"},
    {{"sqrt(x*y)*exp(x/y)", "abs(x - y)*tanh(x)"}, {"x", "y"}, "** **"},
    {{"pulse(x, 1, y)*z", "x >= y"}, {"x", "y", "z"}, "..* ..."},
    {{"x"}, {"y"}, "."},
    {{"x"}, {"x"}, "*"},
};

static void check_entry(const ct_expr *f, uint32_t i, ct_name x, ct_expr entry)
{
    ct_expr want = ct_expr_diff(pool, f[i], x);
    ct_expr difference = ct_expr_sub(pool, entry, want);
    if (!ct_expr_is_zero(pool, difference))
        fail_msg("%s by %s: got %s, want %s", text_of(f[i]), ct_name_text(ctx, x), text_of(entry),
                 text_of(want));
}

static void check_pattern(const struct pattern_case *c)
{
    ct_expr f[5];
    ct_name x[5];
    uint32_t rows = 0, cols = 0;
    char got[40];
    for (; rows < 5 && c->f[rows]; rows++)
        f[rows] = read(c->f[rows]);
    for (; cols < 5 && c->x[cols]; cols++)
        x[cols] = name_of(c->x[cols]);
    const ct_jacobian *j = jacobian_of(f, rows, x, cols);
    memset(got, '.', sizeof got);
    for (uint32_t k = 1; k < rows; k++)
        got[k * (cols + 1) - 1] = ' ';
    got[rows * (cols + 1) - 1] = '\0';
    for (uint32_t col = 0; col < cols; col++)
        for (uint32_t k = j->start[col]; k < j->start[col + 1]; k++) {
            got[j->row[k] * (cols + 1) + col] = '*';
            check_entry(f, j->row[k], x[col], j->entry[k]);
        }
    if (strcmp(got, c->pattern) != 0)
        fail_msg("%s: got [%s], want [%s]", c->f[0], got, c->pattern);
    assert_int_equal(j->start[cols], j->count);
}

static void patterns_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        check_pattern(&patterns[i]);
}

/* ---- what has no derivative */
static const struct culprit_case {
    const char *f, *culprit; /* NULL: it has a derivative */
} culprits[] = {
    {"x + y*der(x*y)", "der(x*y)"},
    {"der(x + z)*z", "der(x + z)"},
    {"table(z, 2, 0, x, 1, 2, 0)", "table(z, 2, 0, x, 1, 2, 0)"},
    {"sin(table_curve(x, 2, 0, 1, 1, 2, 1))", NULL},
    {"if der(x*y) > 0 then x else y", NULL},
    {"floor(der(x^2))*y", NULL},
    {"max(z, der(z^2))", NULL},
};

static void culprits_are_reported(void **state)
{
    (void)state;
    ct_name x[2] = {name_of("x"), name_of("y")};
    for (size_t i = 0; i < sizeof culprits / sizeof *culprits; i++) {
        ct_expr f[2] = {read("x*y"), read(culprits[i].f)}, culprit = 0;
        const ct_jacobian *j = ct_jacobian_new(arena, pool, f, 2, x, 2, &culprit);
        assert_int_equal(j != NULL, culprits[i].culprit == NULL);
        if (!j)
            assert_string_equal(text_of(culprit), culprits[i].culprit);
    }
}

/* A branch not taken does not spoil the one that is, whatever its derivative. */
static void choices_do_not_leak(void **state)
{
    (void)state;
    static const char *const text[] = {"y*(if x > 0 then sqrt(x) else 2*x)",
                                       "3*sin(max(log(x + 1/2), x*y)) + y", "clamp(1/x, x, 2)^2*y"};
    ct_name x[2] = {name_of("x"), name_of("y")};
    const double point[2] = {0, 3};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        ct_expr f = read(text[i]), stranger;
        const ct_jacobian *j = jacobian_of(&f, 1, x, 2);
        ct_program_def def = {.pool = pool,
                              .variable = x,
                              .variable_count = 2,
                              .output = j->entry,
                              .output_count = j->count};
        const ct_program *program = ct_program_new(arena, &def, &stranger);
        double *work = CT_NEW_ARRAY(arena, double, ct_program_work(program)), value[2];
        ct_program_prepare(program, NULL, work);
        ct_program_run(program, point, value, work);
        assert_int_equal(j->count, 2);
        if (!isfinite(value[0]) || !isfinite(value[1]))
            fail_msg("%s: got %g, %g", text[i], value[0], value[1]);
    }
}

/* ---- random systems: entries as ct_expr_diff has them, values by central differences */

static uint64_t seed;

static uint32_t random_below(uint32_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % limit;
}

/* A system of shared nodes: each new one is made of older ones. */
static ct_expr random_node(const ct_expr *node, uint32_t count)
{
    static const ct_op unary[] = {CT_OP_SIN,  CT_OP_COS,  CT_OP_TANH, CT_OP_ATAN,
                                  CT_OP_SINH, CT_OP_COSH, CT_OP_ABS,  CT_OP_TAN};
    ct_expr a = node[random_below(count)], b = node[random_below(count)];
    int64_t numerator = (int64_t)random_below(9) - 4; /* calls in a fixed order */
    ct_expr c = ct_expr_ratio(pool, numerator, 1 + random_below(3));
    ct_expr square = ct_expr_add(pool, ct_expr_mul(pool, b, b), ct_expr_int(pool, 1));
    ct_expr choice[3] = {ct_expr_call2(pool, CT_OP_LESS, a, b), a, c};
    switch (random_below(9)) {
    case 0:
        return ct_expr_div(pool, a, square);
    case 1:
        return ct_expr_mul(pool, a, ct_expr_call1(pool, CT_OP_SQRT, square));
    case 2:
        return ct_expr_call(pool, CT_OP_IF, choice, 3);
    case 3:
        return ct_expr_call2(pool, random_below(2) ? CT_OP_MIN : CT_OP_MAX, a, b);
    case 4:
    case 5:
        return ct_expr_call1(pool, unary[random_below(8)], a);
    case 6:
        return ct_expr_mul(pool, a, b);
    default:
        return ct_expr_add(pool, a, ct_expr_mul(pool, b, c));
    }
}

typedef struct evaluator {
    const ct_program *program;
    double *work, *value;
} evaluator;

static evaluator evaluator_of(const ct_expr *e, uint32_t count, const ct_name *x, uint32_t cols)
{
    ct_program_def def = {
        .pool = pool, .variable = x, .variable_count = cols, .output = e, .output_count = count};
    ct_expr stranger;
    evaluator v = {.program = ct_program_new(arena, &def, &stranger)};
    assert_non_null(v.program);
    v.work = CT_NEW_ARRAY(arena, double, ct_program_work(v.program));
    v.value = CT_NEW_ARRAY(arena, double, count);
    ct_program_prepare(v.program, NULL, v.work);
    return v;
}

/* Column by column of (f(x + h) - f(x - h))/2h. */
static void central_differences(const evaluator *f, double *point, uint32_t rows, uint32_t cols,
                                double h, double *slope)
{
    for (uint32_t col = 0; col < cols; col++) {
        double kept = point[col];
        point[col] = kept + h;
        ct_program_run(f->program, point, f->value, f->work);
        for (uint32_t i = 0; i < rows; i++)
            slope[col * rows + i] = f->value[i];
        point[col] = kept - h;
        ct_program_run(f->program, point, f->value, f->work);
        for (uint32_t i = 0; i < rows; i++)
            slope[col * rows + i] = (slope[col * rows + i] - f->value[i]) / (2 * h);
        point[col] = kept;
    }
}

/* Where two steps give different differences there is a kink or a pole nearby, and a large value
 * swallows its differences: not compared. */
static uint32_t check_values(const ct_expr *f, const ct_name *x, const ct_jacobian *j)
{
    double point[MOST], coarse[MOST * MOST], fine[MOST * MOST], dense[MOST * MOST] = {0};
    evaluator fv = evaluator_of(f, MOST, x, MOST), jv = evaluator_of(j->entry, j->count, x, MOST);
    uint32_t compared = 0;
    for (int i = 0; i < MOST; i++)
        point[i] = 0.2 + (double)random_below(1000) / 900;
    central_differences(&fv, point, MOST, MOST, 2e-5, coarse);
    central_differences(&fv, point, MOST, MOST, 1e-5, fine);
    ct_program_run(jv.program, point, jv.value, jv.work);
    ct_program_run(fv.program, point, fv.value, fv.work);
    for (uint32_t col = 0; col < MOST; col++)
        for (uint32_t k = j->start[col]; k < j->start[col + 1]; k++)
            dense[col * MOST + j->row[k]] = jv.value[k];
    for (int i = 0; i < MOST * MOST; i++) {
        double size = 1 + fabs(fine[i]);
        if (!(fabs(coarse[i] - fine[i]) < 1e-7 * size) || size > 1e4 ||
            !(fabs(fv.value[i % MOST]) < 1e4))
            continue;
        compared++;
        if (!(fabs(dense[i] - fine[i]) < 1e-5 * size))
            fail_msg("row %d, column %d: got %.12g, by differences %.12g", i % MOST, i / MOST,
                     dense[i], fine[i]);
    }
    return compared;
}

static double at_point(const void *user, ct_name symbol)
{
    (void)user;
    return 0.3 + (double)(symbol % 17) / 20;
}

/* Entry and ct_expr_diff may be different nodes, choices inside being arranged differently. */
static void check_against_diff(const ct_expr *f, const ct_name *x, const ct_jacobian *j)
{
    for (uint32_t col = 0; col < MOST; col++)
        for (uint32_t i = 0, k = j->start[col]; i < MOST; i++) {
            bool there = k < j->start[col + 1] && j->row[k] == i;
            ct_expr want = ct_expr_diff(pool, f[i], x[col]);
            double value = there ? ct_expr_value(pool, j->entry[k], at_point, NULL) : 0;
            double wanted = ct_expr_value(pool, want, at_point, NULL);
            if (!(fabs(value - wanted) <= 1e-9 * (1 + fabs(wanted))) && isfinite(wanted) &&
                fabs(wanted) < 1e6)
                fail_msg("%s by %s: got %.12g, want %.12g", text_of(f[i]),
                         ct_name_text(ctx, x[col]), value, wanted);
            k += there;
            if (there)
                assert_false(ct_expr_is_zero(pool, j->entry[k - 1]));
        }
}

/* The pattern holds all entries, and columns of a group have no row in common. */
static void check_groups(const ct_expr *f, const ct_name *x, const ct_jacobian *j)
{
    const ct_jacobian *p = ct_pattern_new(arena, pool, f, MOST, x, MOST);
    const ct_grouping *g = ct_group_columns(arena, p);
    uint32_t seen = 0, filled = 0;
    for (uint32_t col = 0; col < MOST; col++) {
        for (uint32_t k = j->start[col], a = p->start[col]; k < j->start[col + 1]; k++) {
            while (a < p->start[col + 1] && p->row[a] < j->row[k])
                a++;
            assert_true(a < p->start[col + 1] && p->row[a] == j->row[k]);
        }
        for (uint32_t a = p->start[col]; a < p->start[col + 1]; a++)
            assert_true(ct_expr_has(pool, f[p->row[a]], x[col]));
        filled += p->start[col] < p->start[col + 1];
    }
    for (uint32_t i = 0; i < g->count; i++) {
        bool taken[MOST] = {false};
        for (uint32_t a = g->start[i]; a < g->start[i + 1]; a++, seen++)
            for (uint32_t k = p->start[g->column[a]]; k < p->start[g->column[a] + 1]; k++) {
                assert_false(taken[p->row[k]]);
                taken[p->row[k]] = true;
            }
    }
    assert_int_equal(seen, filled);
}

/* Second derivatives as ct_expr_diff has them, twice; where both choose, the other may choose
 * otherwise. */
static uint32_t check_hessian(ct_expr f, const ct_name *x)
{
    ct_expr culprit = 0;
    const ct_jacobian *h = ct_hessian_new(arena, pool, f, x, MOST, &culprit);
    uint32_t compared = 0;
    if (!h)
        return 0;
    for (uint32_t col = 0; col < MOST; col++)
        for (uint32_t i = col, k = h->start[col]; i < MOST; i++) {
            bool there = k < h->start[col + 1] && h->row[k] == i;
            ct_expr want = ct_expr_diff(pool, ct_expr_diff(pool, f, x[i]), x[col]);
            double value = there ? ct_expr_value(pool, h->entry[k], at_point, NULL) : 0;
            double wanted = want ? ct_expr_value(pool, want, at_point, NULL) : NAN;
            k += there;
            if (!isfinite(wanted) || fabs(wanted) > 1e6)
                continue;
            compared++;
            if (!(fabs(value - wanted) <= 1e-8 * (1 + fabs(wanted))))
                fail_msg("%s by %u, %u: got %.12g, want %.12g", text_of(f), i, col, value, wanted);
        }
    return compared;
}

/* A ladder's energy: three diagonals, of which two are kept; nothing grows with the square. */
static void hessian_of_a_ladder(void **state)
{
    (void)state;
    enum { SIZE = 20000 };
    ct_name *x = CT_NEW_ARRAY(arena, ct_name, SIZE);
    ct_expr *part = CT_NEW_ARRAY(arena, ct_expr, SIZE), culprit;
    for (uint32_t i = 0; i < SIZE; i++) {
        x[i] = numbered_name("x", i);
        ct_expr d = ct_expr_sub(pool, numbered("x", i), numbered("x", (i + 1) % SIZE));
        part[i] = ct_expr_call1(pool, CT_OP_COS, d);
    }
    const ct_jacobian *h =
        ct_hessian_new(arena, pool, ct_expr_sum(pool, part, SIZE), x, SIZE, &culprit);
    assert_non_null(h);
    assert_int_equal(h->count, 2 * SIZE);
    assert_int_equal(h->row[h->start[5]], 5);
    assert_int_equal(h->row[h->start[5] + 1], 6);
    check_entry(&(ct_expr){ct_expr_call1(pool, CT_OP_SIN,
                                         ct_expr_sub(pool, numbered("x", 5), numbered("x", 6)))},
                0, x[5], h->entry[h->start[5] + 1]);
}

/* It stops as soon as it has become too large. */
static void jacobians_within_a_budget(void **state)
{
    (void)state;
    ct_name x[2] = {name_of("x"), name_of("y")};
    ct_expr f = read("sin(x*y)*exp(x/y) + tanh(x)*y^3"), culprit = 0;
    assert_null(ct_jacobian_within(arena, pool, &f, 1, x, 2, 3, &culprit));
    assert_int_equal(culprit, 0);
    assert_non_null(ct_jacobian_within(arena, pool, &f, 1, x, 2, 1000, &culprit));
}

static void random_systems(void **state)
{
    (void)state;
    enum { NODES = 60, ROUNDS = 300 };
    uint32_t compared = 0, entries = 0, curved = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        ct_expr node[NODES];
        ct_name x[MOST];
        seed = 0x9e3779b97f4a7c15u * (round + 1);
        for (uint32_t i = 0; i < MOST; i++)
            node[i] = ct_expr_symbol(pool, x[i] = numbered_name("x", i));
        for (uint32_t i = MOST; i < NODES;)
            i += (node[i] = random_node(node + (i > 20 ? i - 20 : 0), i > 20 ? 20 : i)) != 0;
        const ct_expr *f = node + NODES - MOST;
        const ct_jacobian *j = jacobian_of(f, MOST, x, MOST);
        check_against_diff(f, x, j);
        check_groups(f, x, j);
        if (round % 4 == 0)
            curved += check_hessian(f[0], x);
        compared += check_values(f, x, j);
        entries += j->count;
        renew_pool();
        ct_arena_free(arena);
        arena = ct_arena_new(ctx);
    }
    print_message("%u entries; %u of %u compared with differences\n", entries, compared,
                  ROUNDS * MOST * MOST);
    assert_true(compared > ROUNDS * MOST * MOST / 2);
    print_message("%u second derivatives compared\n", curved);
    assert_true(curved > ROUNDS);
}

/* ---- size */

static void report(const char *what, const evaluator *v, const double *point, double compile)
{
    uint32_t operations = ct_program_operations(v->program);
    double best = 1e9;
    for (int i = 0; i < 10; i++) {
        double start = effort_clock();
        ct_program_run(v->program, point, v->value, v->work);
        double spent = effort_clock() - start;
        best = spent < best ? spent : best;
    }
    print_message("%s: %u operations, compiled in %.0f ms, %.2f ns per operation\n", what,
                  operations, 1e3 * compile, 1e9 * best / operations);
}

/* f = (a - v)/R - (v - b)/R - v^3 for each node of a ladder; three entries per column. */
static void a_long_ladder(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    ct_expr *f = CT_NEW_ARRAY(arena, ct_expr, SIZE);
    ct_name *x = CT_NEW_ARRAY(arena, ct_name, SIZE + 2);
    double *point = CT_NEW_ARRAY(arena, double, SIZE + 2), start = effort_clock();
    for (uint32_t i = 0; i < SIZE + 2; i++) {
        x[i] = numbered_name("v", i);
        point[i] = (double)(i % 7) / 7;
    }
    for (uint32_t i = 0; i < SIZE; i++) {
        ct_expr v[3] = {numbered("v", i), numbered("v", i + 1), numbered("v", i + 2)};
        ct_expr sum = ct_expr_add(pool, v[0], v[2]);
        sum = ct_expr_sub(pool, sum, ct_expr_mul(pool, v[1], ct_expr_int(pool, 2)));
        ct_expr cube = ct_expr_pow(pool, v[1], ct_expr_int(pool, 3));
        f[i] = ct_expr_sub(pool, ct_expr_div(pool, sum, ct_expr_ratio(pool, 3, 2)), cube);
    }
    print_message("built in %.0f ms\n", 1e3 * (effort_clock() - start));
    start = effort_clock();
    evaluator fv = evaluator_of(f, SIZE, x, SIZE + 2);
    report("ladder", &fv, point, effort_clock() - start);
    start = effort_clock();
    const ct_jacobian *j = jacobian_of(f, SIZE, x, SIZE + 2);
    print_message("jacobian of %u entries in %.0f ms\n", j->count, 1e3 * (effort_clock() - start));
    assert_int_equal(j->count, 3 * SIZE);
    start = effort_clock();
    evaluator jv = evaluator_of(j->entry, j->count, x, SIZE + 2);
    report("its jacobian", &jv, point, effort_clock() - start);
}

/* The work must not grow with the product of rows or columns and nodes. */
static void check_growth(const char *what, const ct_expr *f, uint32_t rows, const ct_name *x,
                         uint32_t cols, uint32_t entries)
{
    uint32_t before = ct_pool_count(pool);
    double start = effort_clock();
    const ct_jacobian *j = jacobian_of(f, rows, x, cols);
    uint32_t made = ct_pool_count(pool) - before;
    print_message("%s: %u entries, %u nodes before, %u more, %.0f ms\n", what, j->count, before,
                  made, 1e3 * (effort_clock() - start));
    assert_int_equal(j->count, entries);
    assert_true(made < 12 * before);
}

static void one_row_of_many_symbols(void **state)
{
    (void)state;
    enum { SIZE = 20000 };
    ct_name *x = CT_NEW_ARRAY(arena, ct_name, SIZE);
    ct_expr e = ct_expr_int(pool, 1);
    for (uint32_t i = 0; i < SIZE; i++) {
        x[i] = numbered_name("x", i);
        e = ct_expr_add(pool, ct_expr_call1(pool, CT_OP_SIN, e), numbered("x", i));
    }
    check_growth("deep row", &e, 1, x, SIZE, SIZE);
}

static void many_rows_share_a_large_part(void **state)
{
    (void)state;
    enum { ROWS = 3000, DEPTH = 3000 };
    ct_name x[3] = {name_of("x"), name_of("y"), name_of("z")};
    ct_expr shared = read("x*y"), *f = CT_NEW_ARRAY(arena, ct_expr, ROWS);
    for (uint32_t i = 0; i < DEPTH; i++)
        shared = ct_expr_add(pool, ct_expr_call1(pool, CT_OP_SIN, shared), read(i % 2 ? "x" : "y"));
    for (uint32_t i = 0; i < ROWS; i++)
        f[i] = ct_expr_add(pool, ct_expr_mul(pool, numbered("a", i), shared), read("z"));
    check_growth("shared part", f, ROWS, x, 3, 3 * ROWS);
}

static void a_choice_in_every_row(void **state)
{
    (void)state;
    enum { ROWS = 5000 };
    ct_name *x = CT_NEW_ARRAY(arena, ct_name, ROWS);
    ct_expr *f = CT_NEW_ARRAY(arena, ct_expr, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        ct_expr a = numbered("x", i), b = numbered("x", (i + 1) % ROWS);
        x[i] = numbered_name("x", i);
        f[i] = ct_expr_call2(pool, CT_OP_MAX, ct_expr_mul(pool, a, a), b);
    }
    check_growth("choices", f, ROWS, x, ROWS, 2 * ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JACOBIAN_TEST(patterns_are_exact),
        JACOBIAN_TEST(culprits_are_reported),
        JACOBIAN_TEST(choices_do_not_leak),
        JACOBIAN_TEST(random_systems),
        JACOBIAN_TEST(hessian_of_a_ladder),
        JACOBIAN_TEST(jacobians_within_a_budget),
        JACOBIAN_TEST(a_long_ladder),
        JACOBIAN_TEST(one_row_of_many_symbols),
        JACOBIAN_TEST(many_rows_share_a_large_part),
        JACOBIAN_TEST(a_choice_in_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
