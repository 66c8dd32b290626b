/* test_fe.c - bodies from matrices of finite elements: the beam as matrices and as a beam, static
 * shapes, the reduction itself. Matrices come from tests/fe/make.py; random ones are in
 * tests/campaign/finite.py. */
#include "solve/craig.h"
#include "test_simulate.h"

static trial begin(const char *path, const double *times, uint32_t count)
{
    trial t = new_trial(path);
    t.def.tol = 1e-9;
    t.def.times = times;
    t.def.time_count = count;
    must_run(&t);
    return t;
}

static void compare(trial *t, const char *const pair[][2], uint32_t count, double time)
{
    for (uint32_t i = 0; i < count; i++)
        close_to(value_at(t, pair[i][0], time), value_at(t, pair[i][1], time), 3e-5, pair[i][0]);
}

static void test_pendulum(void **state)
{
    static const char *const pair[][2] = {
        {"f.tip.x", "b.tip.x"}, {"f.tip.y", "b.tip.y"}, {"f.tip.theta", "b.tip.theta"}};
    const double times[] = {0, 0.3, 1};
    (void)state;
    trial t = begin("models/flexible_pendulum/matrices.lg", times, 3);
    compare(&t, pair, 3, 0.3);
    compare(&t, pair, 3, 1);
    close_to(value_at(&t, "E", 1), value_at(&t, "E", 0), 1e-7, "energy");
    end_trial(&t);
}

static void test_space(void **state)
{
    static const char *const pair[][2] = {
        {"f.tip.x", "b.tip.x"}, {"f.tip.y", "b.tip.y"}, {"f.tip.z", "b.tip.z"}};
    const double times[] = {0, 0.3};
    (void)state;
    trial t = begin("tests/fe/beam_space.lg", times, 2);
    compare(&t, pair, 3, 0.3);
    close_to(value_at(&t, "E", 0.3), value_at(&t, "E", 0), 1e-6, "energy");
    end_trial(&t);
}

/* Places of the tip are those of the same text in the plane, in joint coordinates. */
static void test_flat_in_space(void **state)
{
    const double times[] = {0, 0.25, 0.5};
    static const double x[] = {2, 1.94758615228346, 1.25171240129478};
    static const double y[] = {0, -0.45487207386273, -1.55987769734233};
    (void)state;
    trial t = begin("tests/fe/flat_space.lg", times, 3);
    for (uint32_t i = 0; i < 3; i++) {
        close_to(value_at(&t, "f.tip.x", times[i]), x[i], 1e-8, "x");
        close_to(value_at(&t, "f.tip.y", times[i]), y[i], 1e-8, "y");
        close_to(value_at(&t, "E", times[i]), 0, 1e-8, "energy");
    }
    end_trial(&t);
}

/* P L^3/(3 E I), P L^2/(2 E I), F L/(E A), without a single mode. */
static void test_static(void **state)
{
    (void)state;
    trial t = new_trial("tests/fe/static.lg");
    t.equilibrium = true;
    run_trial(&t);
    assert_non_null(t.point);
    const double want[] = {2 + 1e-6, -8e-3, -6e-3, 3};
    for (uint32_t i = 0; i < 4; i++)
        close_to(t.point->y[i], want[i], 1e-10, "tip");
    end_trial(&t);
}

/* Shapes from a file span the same deflections, whatever motion of the whole is in them. In the
 * mean of the body the frame turns, by squares of the deflection. */
static void test_vectors(void **state)
{
    static const struct {
        double x, y, theta, push, within;
    } want[] = {
        {2 + 1e-6, -8e-3, -6e-3, 3, 1e-10}, {2, -8e-3, -6e-3, 3, 4e-5}, {2, -8e-3, -6e-3, 3, 4e-5}};
    (void)state;
    trial t = new_trial("tests/fe/vectors.lg");
    t.equilibrium = true;
    run_trial(&t);
    assert_non_null(t.point);
    for (uint32_t i = 0; i < 3; i++) {
        const double *y = t.point->y + 4 * i;
        close_to(y[0], want[i].x, want[i].within, "x");
        close_to(y[1], want[i].y, want[i].within * 8e-3, "y");
        close_to(y[2], want[i].theta, want[i].within * 6e-3, "theta");
        close_to(y[3], want[i].push, want[i].within, "push");
    }
    for (uint32_t i = 4; i < 8; i++) /* shapes from a file or our own */
        close_to(t.point->y[i], t.point->y[i + 4], 1e-10, "the same space");
    end_trial(&t);
}

/* ---- files */

typedef struct files {
    const char *nodes, *mass;
} files;

static char *read_one(void *user, const char *path, size_t *length)
{
    const files *f = user;
    const char *text = strstr(path, "nodes") ? f->nodes : f->mass;
    *length = strlen(text);
    return strdup(text);
}

static void release_one(void *user, char *content)
{
    (void)user;
    free(content);
}

#define NODES  "1 0 0\n# a remark\n2, 1; 0\n"
#define HEAD   "%%MatrixMarket matrix coordinate real general\n"
#define SQUARE "%%MatrixMarket matrix array integer symmetric\n4 4\n2\n0\n1\n0\n2\n0\n1\n2\n0\n2\n"

/* Two masses in the plane: mass and stiffness are the same file here, so that all of it is read and
 * the body itself is refused (E638); before that, what is wrong with a file is told. */
static const struct file_case {
    files f;
    const char *code, *message;
} file_cases[] = {
    {{NODES, SQUARE}, "E638", ""},
    {{"1 0\n", SQUARE}, "E635", "a node has a number, x, y"},
    {{"1.5 0 0\n", SQUARE}, "E635", "nodes have whole numbers from 1 on"},
    {{"1 0 0\n1 1 0\n", SQUARE}, "E635", "this node is there already"},
    {{"1 0 0 0 0\n", SQUARE}, "E635", "there are too many numbers"},
    {{"1 zero 0\n", SQUARE}, "E635", "this is no number"},
    {{"1 0 1e999\n", SQUARE}, "E635", "a number is not finite"},
    {{"# nothing\n", SQUARE}, "E635", "there are no nodes"},
    {{NODES, "4 4\n"}, "E635", "this is no Matrix Market file"},
    {{NODES, "%%MatrixMarket matrix array complex general\n"}, "E635", "real or integer"},
    {{NODES, "%%MatrixMarket matrix array real hermitian\n"}, "E635", "general or symmetric"},
    {{NODES, "%%MatrixMarket matrix array real general\n4\n"}, "E635", "two whole numbers"},
    {{NODES, HEAD "4 4\n"}, "E635", "three whole numbers"},
    {{NODES, HEAD "4 4 1.5\n"}, "E635", "three whole numbers"},
    {{NODES, HEAD}, "E635", "three whole numbers"},
    {{NODES, HEAD "4 4 1\n1 1\n"}, "E635", "an entry is row, column and value"},
    {{NODES, HEAD "4 4 1\n1 5 1\n"}, "E635", "an entry lies outside of the matrix"},
    {{NODES, HEAD "4 4 2\n1 1 1\n"}, "E635", "the file ends before its last entry"},
    {{NODES, "%%MatrixMarket matrix array real general\n4 4\n;\n"}, "E635", "an entry is a number"},
    {{NODES, HEAD "4 3 1\n1 1 1\n"}, "E636", "is no square"},
};

static void test_files(void **state)
{
    static const char text[] = "space = planar\n"
                               "f : fe_body  nodes = \"nodes\", mass = \"m\", stiffness = \"m\"\n"
                               "    { A = nodes(1, 2) }\nW : weld(ground, f.A)\n";
    (void)state;
    for (size_t i = 0; i < sizeof file_cases / sizeof *file_cases; i++) {
        files f = file_cases[i].f;
        ct_context_def def = ct_default_context_def();
        def.loader = (ct_loader){read_one, release_one, &f};
        ct_context *ctx = ct_context_new(&def);
        const ct_syntax *syntax;
        const ct_model *model;
        assert_int_equal(ct_read_text(ctx, "f.lg", text, strlen(text), &syntax), CT_OK);
        assert_int_equal(ct_build(ctx, syntax, NULL, &model), CT_ERR_MODEL);
        const ct_diag *d = ct_diag_at(ctx, 0);
        bool noted = strstr(d->message, file_cases[i].message) != NULL;
        for (size_t k = 0; k < d->note_count; k++)
            noted |= strstr(d->notes[k], file_cases[i].message) != NULL;
        if (strcmp(d->code, file_cases[i].code) != 0 || !noted)
            fail_msg("%s, `%s`: %s %s (%s)", file_cases[i].code, file_cases[i].message, d->code,
                     d->message, d->note_count ? d->notes[0] : "");
        ct_context_free(ctx);
    }
}

/* ---- numbers */

/* A chain of n masses 1 and springs 1: its ends, or the first mass, are held. */
static void make_chain(ct_arena *arena, uint32_t n, ct_symmetric *mass, ct_symmetric *stiffness)
{
    int *start = CT_NEW_ARRAY(arena, int, n + 1), *row = CT_NEW_ARRAY(arena, int, 3 * n),
        *own = CT_NEW_ARRAY(arena, int, n + 1), count = 0;
    double *value = CT_NEW_ARRAY(arena, double, 3 * n), *one = CT_NEW_ARRAY(arena, double, n);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i ? i - 1 : 0; k <= i + 1 && k < n; k++) {
            row[count] = (int)k;
            value[count++] = k != i ? -1 : i == 0 || i == n - 1 ? 1 : 2;
        }
        start[i + 1] = count;
        own[i + 1] = (int)i + 1;
        one[i] = 1;
    }
    *stiffness = (ct_symmetric){n, start, row, value};
    row = CT_NEW_ARRAY(arena, int, n);
    for (uint32_t i = 0; i < n; i++)
        row[i] = (int)i;
    *mass = (ct_symmetric){n, own, row, one};
}

/* Between held ends omega_k = 2 sin(k pi/(2 (n - 1))); static shapes are straight lines. */
static void test_chain(void **state)
{
    enum { N = 400, MODES = 6 };
    ct_context *ctx = ct_context_new(NULL);
    ct_arena *arena = ct_arena_new(ctx);
    ct_symmetric mass, stiffness;
    bool held[N] = {[0] = true, [N - 1] = true};
    double mass_of[MODES + 1];
    (void)state;
    make_chain(arena, N, &mass, &stiffness);
    ct_shape_set end = {N, 1, CT_NEW_ARRAY(arena, double, N)};
    ct_shape_set out = {N, 0, CT_NEW_ARRAY(arena, double, N *(MODES + 1))};
    end.at[N - 1] = 1;
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, held, &end, MODES, &out),
                     CT_CRAIG_DONE);
    assert_int_equal(out.count, MODES + 1);
    for (uint32_t i = 0; i < N; i++)
        close_to(out.at[i], (double)i / (N - 1), 1e-10, "line");
    out.at += N, out.count--;
    ct_shapes_part(arena, &mass, &stiffness, &out, mass_of);
    for (uint32_t k = 1; k <= MODES; k++) {
        double want = 2 * sin(k * acos(-1.0) / (2 * (N - 1)));
        close_to(sqrt(1 / mass_of[k - 1]) / want, 1, 1e-10, "frequency");
    }
    ct_context_free(ctx);
}

/* What no body has is refused. */
static void test_status(void **state)
{
    enum { N = 6 };
    ct_context *ctx = ct_context_new(NULL);
    ct_arena *arena = ct_arena_new(ctx);
    ct_symmetric mass, stiffness;
    bool none[N] = {false}, first[N] = {true};
    ct_shape_set end = {N, 0, NULL}, out = {N, 0, CT_NEW_ARRAY(arena, double, N *N)};
    (void)state;
    make_chain(arena, N, &mass, &stiffness);
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, none, &end, 1, &out),
                     CT_CRAIG_LOOSE);
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, first, &end, 1, &out),
                     CT_CRAIG_DONE);
    double *value = CT_NEW_ARRAY(arena, double, 3 * N);
    memcpy(value, mass.value, N * sizeof *value);
    value[3] = -1;
    mass.value = value;
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, first, &end, 1, &out),
                     CT_CRAIG_WEIGHT);
    make_chain(arena, N, &mass, &stiffness);
    memcpy(value, stiffness.value, (size_t)stiffness.start[N] * sizeof *value);
    value[stiffness.start[3] + 1] = -3;
    stiffness.value = value;
    assert_int_equal(ct_craig_shapes(arena, &mass, &stiffness, first, &end, 1, &out),
                     CT_CRAIG_UNSTABLE);
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),      cmocka_unit_test(test_space),
        cmocka_unit_test(test_flat_in_space), cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_files),         cmocka_unit_test(test_static),
        cmocka_unit_test(test_chain),         cmocka_unit_test(test_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
