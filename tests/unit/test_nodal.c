/* test_nodal.c - the numeric path against the symbolic one: random linear networks of all scalar
 * domains, their runs with smooth, kinked and jumping drives, and their operating points. */
#include "test_networks_study.h"

#include <cotree/cotree.h>

#include "nodal/nodal.h"

enum { ROWS = 21 }; /* more than those at which steps end */
static const double stop = 1.5;

static int failures;

static void complain(uint64_t seed, const char *what, const char *text)
{
    if (failures++ < 5)
        print_error("seed %llu: %s\n%s\n", (unsigned long long)seed, what, text);
}

/* ---- drives */

static void smooth_drive(FILE *out, int i)
{
    fprintf(out, " = %d.%d*sin(%d*t)", 1 + i % 2, i % 10, 1 + i % 4);
}

/* At a row, and between rows. */
static void jumping_drive(FILE *out, int i)
{
    fprintf(out, " = %d*step(t - %s) - 0.%d", 1 + i % 3, i % 2 ? "0.75" : "0.31", 1 + i % 7);
}

static void kinked_drive(FILE *out, int i)
{
    fprintf(out, " = min(t, %s)*%d + abs(t - 0.4)", i % 2 ? "0.75" : "0.62", 1 + i % 3);
}

static void constant_drive(FILE *out, int i)
{
    fprintf(out, " = %s%d.%d", i % 3 ? "" : "-", 1 + i % 2, i % 10);
}

/* ---- one network both ways */

typedef struct outcome {
    ct_context *ctx;
    bool numeric;
    ct_status status;
    const ct_result *result;
    const ct_point *point;
    char code[8]; /* first message */
} outcome;

static void take_code(outcome *o)
{
    if (ct_diag_count(o->ctx))
        snprintf(o->code, sizeof o->code, "%s", ct_diag_at(o->ctx, 0)->code);
}

static outcome solve_text(const char *text, const char *form, int rows, double tol)
{
    static double times[ROWS];
    outcome o = {.ctx = ct_context_new(NULL)};
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    ct_simulator *simulator;
    ct_simulation_def def = ct_default_simulation_def();
    for (int i = 0; i < rows; i++)
        times[i] = stop * i / (rows - 1);
    def.times = times;
    def.time_count = (uint32_t)rows;
    def.tol = tol;
    def.atol = 1e-3 * tol;
    o.status = ct_read_text(o.ctx, "network.lg", text, strlen(text), &syntax);
    if (o.status == CT_OK)
        o.status = ct_build(o.ctx, syntax, NULL, &model);
    if (o.status == CT_OK)
        o.status = ct_make_graph(o.ctx, model, &graph);
    if (o.status == CT_OK)
        o.status = ct_choose_tree(o.ctx, graph, NULL, &tree);
    if (o.status == CT_OK)
        o.status = ct_make_simulator(o.ctx, tree, form, &simulator);
    if (o.status == CT_OK && rows)
        o.status = ct_run(o.ctx, simulator, &def, &o.result);
    if (o.status == CT_OK && !rows)
        o.status = ct_find_equilibrium(o.ctx, simulator, 0.2, &o.point);
    o.numeric = o.result ? strcmp(o.result->effort.path, "numeric") == 0
                         : o.point && strcmp(o.point->method, "nodal analysis") == 0;
    take_code(&o);
    return o;
}

static bool same_names(const char *const *a, const char *const *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

/* Largest difference, each column by its size and by that of all. */
static double difference(const ct_rows *a, const ct_rows *b)
{
    double all = 1e-3, worst = 0;
    if (a->count != b->count || a->cols != b->cols || !same_names(a->name, b->name, a->cols))
        return INFINITY;
    for (uint64_t i = 0; i < a->count * a->cols; i++)
        all = i % a->cols ? fmax(all, fabs(a->value[i])) : all;
    for (uint32_t c = 0; c < a->cols; c++) {
        double size = 0, most = 0;
        for (uint64_t i = 0; i < a->count; i++) {
            double x = a->value[i * a->cols + c], y = b->value[i * a->cols + c];
            size = fmax(size, fabs(x));
            most = fmax(most, isnan(x - y) ? INFINITY : fabs(x - y));
        }
        worst = fmax(worst, most / (size + 1e-2 * all));
    }
    return worst;
}

static double point_difference(const ct_point *a, const ct_point *b)
{
    double worst = 0, all = 1;
    if (a->state_count != b->state_count || a->output_count != b->output_count ||
        !same_names(a->state, b->state, a->state_count))
        return INFINITY;
    for (uint32_t i = 0; i < a->output_count; i++)
        all = fmax(all, fabs(a->y[i]));
    for (uint32_t i = 0; i < a->state_count; i++)
        worst = fmax(worst, fabs(a->x[i] - b->x[i]) / (all + fabs(a->x[i])));
    for (uint32_t i = 0; i < a->output_count; i++)
        worst = fmax(worst, fabs(a->y[i] - b->y[i]) / all);
    return worst;
}

typedef struct tally {
    int networks, numeric, refused;
    double worst;
} tally;

static double largest(const ct_rows *r)
{
    double most = 0;
    for (uint64_t i = 0; i < r->count * r->cols; i++)
        most = fmax(most, fabs(r->value[i]));
    return most;
}

/* rows 0: the operating point. */
static void compare(const char *text, int rows, uint64_t seed, tally *count)
{
    char message[200];
    outcome a = solve_text(text, "nodal", rows, 1e-10);
    outcome b = solve_text(text, "numeric", rows, 1e-10);
    double d = 0;
    count->networks++;
    count->numeric += b.numeric;
    count->refused += a.status != CT_OK;
    if (a.status != b.status || strcmp(a.code, b.code) != 0) {
        snprintf(message, sizeof message, "%s %s, in numbers %s %s", ct_status_text(a.status),
                 a.code, ct_status_text(b.status), b.code);
        complain(seed, message, text);
    } else if (a.status == CT_OK) {
        d = rows ? difference(&a.result->outputs, &b.result->outputs)
                 : point_difference(a.point, b.point);
        bool grows = rows && largest(&a.result->outputs) > 1e5;
        if (!grows)
            count->worst = fmax(count->worst, d);
        if (!(d < 1e-7) && !grows) {
            snprintf(message, sizeof message, "differs by %.3g", d);
            complain(seed, message, text);
        }
    }
    ct_context_free(a.ctx);
    ct_context_free(b.ctx);
}

/* Random initial values for the states of the usual formulation. */
static char *initial_text(const network *n, const study *s)
{
    char *text = NULL, symbol[64], path[64];
    size_t length;
    FILE *out = open_memstream(&text, &length);
    output_row row[MOST_ROWS];
    int count = list_rows(n, row);
    for (uint32_t k = 0; s->reduced && k < s->reduced->state_count; k++)
        for (int i = 0; i < count; i++) {
            row_symbol(n, &row[i], false, symbol, sizeof symbol);
            if (strcmp(symbol, unknown_name(s, s->reduced->state[k])) != 0)
                continue;
            row_symbol(n, &row[i], true, path, sizeof path);
            fprintf(out, "initial %s = %.3f\n", path, symmetric(1));
        }
    fclose(out);
    return text;
}

static void compare_networks(int total, uint64_t first, put_drive_fn *drive, bool initials,
                             int rows, const char *what, int least_share)
{
    network n;
    tally count = {0};
    failures = 0;
    for (int i = 0; i < total; i++) {
        uint64_t seed = first + (uint64_t)i;
        sane_network(&n, seed, "n", (style)(seed % 3));
        char *text = write_network(&n, drive, NULL);
        if (initials) {
            study s = study_text(text, CT_FORM_NODAL, NULL);
            char *extra = initial_text(&n, &s);
            free(text);
            text = write_network(&n, drive, extra);
            free(extra);
            close_study(&s);
        }
        compare(text, rows, seed, &count);
        free(text);
    }
    print_message("%s: %d networks, %d in numbers, %d refused; worst %.2g, %d failures\n", what,
                  count.networks, count.numeric, count.refused, count.worst, failures);
    assert_int_equal(failures, 0);
    if (count.networks >= 100)
        assert_true(count.numeric * 100 >= least_share * count.networks);
}

static void test_smooth(void **state)
{
    (void)state;
    compare_networks(cases_of(250), 50000, smooth_drive, true, ROWS, "smooth", 10);
}

static void test_jumps(void **state)
{
    (void)state;
    compare_networks(cases_of(250), 51000, jumping_drive, false, ROWS, "jumps", 10);
}

static void test_kinks(void **state)
{
    (void)state;
    compare_networks(cases_of(150), 52000, kinked_drive, true, 5, "kinks", 5);
}

static void test_points(void **state)
{
    (void)state;
    compare_networks(cases_of(300), 53000, constant_drive, false, 0, "points", 5);
}

/* ---- large ones, without being asked */

static const char ladder[] = "model ladder\n"
                             "param R0 = 1 kohm\n"
                             "V1 : vsource(n0, ground)  v = min(t, 1)\n"
                             "repeat i = 1..200 {\n"
                             "  R{i} : resistor(n{i-1}, n{i})  R = R0\n"
                             "  C{i} : capacitor(n{i}, ground)  C = 1 uF\n"
                             "}\n"
                             "output n10.v, R3.i, C5.i, V1.i\n";

static char *with(const char *more)
{
    size_t room = strlen(ladder) + strlen(more) + 1;
    char *text = calloc(room, 1);
    snprintf(text, room, "%s%s", ladder, more);
    return text;
}

/* The path that is taken, and the same result or the same message by the symbolic one. */
static void check_large(const char *more, bool numeric, const char *code)
{
    char *text = with(more);
    outcome a = solve_text(text, NULL, ROWS, 1e-9), b = solve_text(text, "nodal", ROWS, 1e-9);
    assert_string_equal(a.code, code);
    assert_string_equal(b.code, code);
    assert_int_equal(a.status, b.status);
    assert_false(b.numeric);
    assert_int_equal(a.numeric, numeric);
    if (a.status == CT_OK)
        assert_true(difference(&a.result->outputs, &b.result->outputs) < 1e-6);
    ct_context_free(a.ctx);
    ct_context_free(b.ctx);
    free(text);
}

static void test_large(void **state)
{
    (void)state;
    check_large("", true, "");
    check_large("initial C3.v = 0.5\ninitial C9.v = -0.1\n", true, "");
    check_large("L1 : inductor(n200, n201)  L = 1 mH\nR201 : resistor(n201, ground)  R = 50 ohm\n",
                true, "");
    check_large("V2 : vsource(s, ground)  v = 5 V\nC201 : capacitor(s, ground)  C = 1 uF\n"
                "R201 : resistor(s, n200)  R = 50 ohm\noutput C201.i, C201.v, V2.i\n",
                true, ""); /* across a constant supply */
    check_large("T1 : transformer(n200, ground | n201, ground)  n = 2\n"
                "R201 : resistor(n201, ground)  R = 50 ohm\n",
                true, "");
}

/* Nonlinear ones of many components: elements are derived once each. */
static void test_lawful(void **state)
{
    (void)state;
    check_large(
        "repeat i = 1..40 {\n  D{i} : diode(n{i}, ground)\n}\n"
        "repeat i = 201..400 {\n  R{i} : resistor(n{i-1}, n{i})  R = R0\n"
        "  D{i} : spice_diode(n{i}, ground)\n"
        "  J{i} : junction_capacitor(n{i}, ground)  CJ = 1 uF\n}\noutput n250.v, D9.i, J210.i\n",
        true, "");
    check_large(
        "repeat i = 1..200 {\n  D{i} : diode(n{i}, ground)\n  S{i} : spice_diode(n{i}, ground)\n"
        "  T{i} : resistor(n{i}, ground)  R = R0\n}\n"
        "Z1 : vsource(j, ground)  v = if t < 0.5 then 0 else 1\n"
        "C201 : capacitor(j, n200)  C = 1 uF\n", /* storage that jumps */
        false, "W532");
}

/* ---- operating points of long rows: what a stage does depends on the one before */

typedef struct row_case {
    const char *text; /* of %d stages */
    double even, odd; /* the last two */
} row_case;

static const row_case long_rows[] = {
    {"V1 : vsource(n0, ground)  v = 0 V\nV2 : vsource(s, ground)  v = 3.3 V\n"
     "repeat i = 1..%d {\n  P{i} : pmos(n{i}, n{i-1}, s)  K = 1e-3, Vth = 0.7, lambda = 0.02\n"
     "  M{i} : nmos(n{i}, n{i-1}, ground)  K = 1e-3, Vth = 0.7, lambda = 0.02\n"
     "  R{i} : resistor(n{i}, ground)  R = 1e12\n}\n",
     0, 3.3},
    {"V1 : vsource(n0, ground)  v = 1 V\nV2 : vsource(s, ground)  v = 12 V\n"
     "repeat i = 1..%d {\n  Q{i} : bjt_npn(n{i}, b{i}, e{i})\n"
     "  A{i} : resistor(n{i-1}, b{i})  R = 10 kohm\n  R{i} : resistor(s, n{i})  R = 4.7 kohm\n"
     "  E{i} : resistor(e{i}, ground)  R = 2 kohm\n}\n",
     NAN, NAN}, /* the same in rows of 150 and of 600 */
};

static double last_stage(const ct_point *p, int stage)
{
    char name[16];
    snprintf(name, sizeof name, "n%d.v", stage);
    for (uint32_t i = 0; i < p->output_count; i++)
        if (strcmp(p->output[i], name) == 0)
            return p->y[i];
    return NAN;
}

static void test_long_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        double last[2] = {0};
        for (int k = 0; k < 2; k++) {
            char text[1024], head[64];
            int n = k ? 600 : 150;
            snprintf(text, sizeof text, long_rows[i].text, n);
            snprintf(head, sizeof head, "output n%d.v, n%d.v\n", n, n - 1);
            strncat(text, head, sizeof text - strlen(text) - 1);
            outcome o = solve_text(text, "numeric", 0, 1e-6);
            assert_int_equal(o.status, CT_OK);
            assert_string_equal(o.point->method, "stage by stage");
            assert_true(o.point->iterations < 100);
            last[k] = last_stage(o.point, n);
            if (!isnan(long_rows[i].even)) {
                assert_true(fabs(last[k] - long_rows[i].even) < 1e-6);
                assert_true(fabs(last_stage(o.point, n - 1) - long_rows[i].odd) < 1e-6);
            }
            ct_context_free(o.ctx);
        }
        assert_true(fabs(last[0] - last[1]) < 1e-6);
    }
}

/* What is far from ground is not undetermined: a ladder of which most diodes do not conduct. */
static void test_long_ladder(void **state)
{
    (void)state;
    outcome o = solve_text("V1 : vsource(n0, ground)  v = 5 V\nrepeat i = 1..40000 {\n"
                           "  R{i} : resistor(n{i-1}, m{i})  R = 100 ohm\n"
                           "  S{i} : resistor(m{i}, n{i})  R = 1 ohm\n"
                           "  D{i} : diode(n{i}, ground)\n}\noutput n40000.v, n1.v\n",
                           "numeric", 0, 1e-6);
    assert_int_equal(o.status, CT_OK);
    assert_string_equal(o.point->method, "Newton with limiting");
    assert_true(o.point->iterations < 50);
    assert_true(last_stage(o.point, 1) > 0.5 && last_stage(o.point, 1) < 5);
    ct_context_free(o.ctx);
}

/* A network in which neither Newton's method nor conductances to ground lead anywhere. */
static void test_sources_are_turned_up(void **state)
{
    (void)state;
    static const char text[] =
        "V1 : vsource(v0, ground)  v = 110 V\nRV : resistor(v0, n0)  R = 352 ohm\n"
        "R1 : resistor(n0, n1)  R = 82.4 ohm\nR2 : resistor(n0, n2)  R = 44.3 ohm\n"
        "R3 : resistor(n1, n3)  R = 37.1 kohm\nD0 : spice_zener(ground, n0)  BV = 11 V\n"
        "G1 : vccs(n1, n3 | ground, n2)  gm = 0.189 mS\nD2 : spice_zener(n1, n0)  BV = 11 V\n"
        "Q3 : spice_pnp(n2, n0, n3)\nQ4 : spice_pnp(n0, n3, ground)\n"
        "G5 : vccs(ground, n2 | n2, n3)  gm = 75.7 mS\nQ6 : spice_npn(ground, n2, n1)  VAF = 86.9 "
        "V, BF = 200\n"
        "Q7 : spice_pnp(n2, n3, n0)\nD8 : spice_zener(n3, n1)  BV = 11 V\n"
        "G9 : vccs(n0, n2 | n2, ground)  gm = 92.2 uS\noutput n1.v, n3.v\n";
    outcome own = solve_text(text, "numeric", 0, 1e-6), other = solve_text(text, "nodal", 0, 1e-6);
    assert_int_equal(own.status, CT_OK);
    assert_string_equal(own.point->method, CT_METHOD_SOURCES);
    assert_int_equal(other.status, CT_OK);
    assert_true(point_difference(own.point, other.point) < 1e-6);
    ct_context_free(own.ctx);
    ct_context_free(other.ctx);
}

/* At a tolerance that says nothing junctions still do what they do. */
static void test_loose(void **state)
{
    (void)state;
    static const char text[] =
        "V1 : vsource(n0, ground)  v = 5*sin(8*t)\nrepeat i = 1..60 {\n"
        "  R{i} : resistor(n{i-1}, n{i})  R = 100 ohm\n  D{i} : diode(n{i}, ground)\n"
        "  C{i} : capacitor(n{i}, ground)  C = 1 uF\n}\ninitial equilibrium\noutput n5.v\n";
    outcome a = solve_text(text, "numeric", ROWS, 0.1), b = solve_text(text, "nodal", ROWS, 1e-8);
    assert_true(a.numeric && b.status == CT_OK);
    assert_true(difference(&a.result->outputs, &b.result->outputs) < 1e-2);
    ct_context_free(a.ctx);
    ct_context_free(b.ctx);
}

/* Parts at rest: what drifts slowly goes on, and what wakes up is not late. */
static void test_rest(void **state)
{
    (void)state;
    static const char text[] =
        "V1 : vsource(n0, ground)  v = if t < 0.3 then 0 else 3*sin(9*(t - 0.3))\nrepeat i = 1..80 "
        "{\n"
        "  R{i} : resistor(n{i-1}, n{i})  R = 1 kohm\n  D{i} : diode(n{i}, ground)\n"
        "  C{i} : capacitor(n{i}, ground)  C = 10 uF\n}\n"
        "I1 : isource(ground, n60)  i = 1 nA\noutput n1.v, n6.v, n59.v, n60.v\n";
    outcome a = solve_text(text, "numeric", ROWS, 1e-5), b = solve_text(text, "nodal", ROWS, 1e-9);
    assert_true(a.numeric && b.status == CT_OK);
    assert_true(difference(&a.result->outputs, &b.result->outputs) < 1e-4);
    ct_context_free(a.ctx);
    ct_context_free(b.ctx);
}

/* A charge pump: what begins to conduct between two stages of a step is not late. */
static void test_pump(void **state)
{
    (void)state;
    static const char text[] =
        "V0 : vsource(s, ground)  v = 10 V\nV1 : vsource(c1, ground)  v = 5 - 5*sin(30*t)\n"
        "V2 : vsource(c2, ground)  v = 5 + 5*sin(30*t)\n"
        "R3 : resistor(s, r)  R = 0.1 ohm\nD0 : diode(r, a)  Is = 9 pA\nC0 : capacitor(a, c1)  C = "
        "4 mF\n"
        "D1 : diode(a, b)  Is = 9 pA\nC1 : capacitor(b, c2)  C = 4 mF\n"
        "D2 : diode(b, o)  Is = 9 pA\nR2 : resistor(o, out)  R = 1 ohm\n"
        "C2 : capacitor(out, ground)  C = 14 mF\nR1 : resistor(out, ground)  R = 200 ohm\n"
        "R0 : resistor(a, ground)  R = 1 Mohm\noutput out.v\n";
    outcome b = solve_text(text, "nodal", ROWS, 1e-9);
    for (double tol = 1e-3; tol > 1e-6; tol /= 10) {
        outcome a = solve_text(text, "numeric", ROWS, tol);
        assert_true(a.numeric && b.status == CT_OK);
        double off = difference(&a.result->outputs, &b.result->outputs) / tol;
        print_message("charge pump at %g: off by %.2g tolerances\n", tol, off);
        assert_true(off < 20);
        ct_context_free(a.ctx);
    }
    ct_context_free(b.ctx);
}

/* Sketches of small nonlinear networks are made in numbers, what is to be accurate or linear is
 * not. */
static void test_quick(void **state)
{
    (void)state;
    static const char head[] = "V1 : vsource(n0, ground)  v = 5*sin(8*t)\nrepeat i = 1..10 {\n"
                               "  R{i} : resistor(n{i-1}, n{i})  R = 100 ohm\n"
                               "  C{i} : capacitor(n{i}, ground)  C = 1 mF\n";
    static const char *const law[] = {"  D{i} : diode(n{i}, ground)\n", ""};
    for (uint32_t i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s%s}\ninitial equilibrium\noutput n5.v\n", head, law[i]);
        outcome a = solve_text(text, "quick", ROWS, 1e-4),
                b = solve_text(text, "quick", ROWS, 1e-6);
        assert_true(a.status == CT_OK && b.status == CT_OK);
        assert_true(a.numeric == (i == 0) && !b.numeric);
        assert_true(difference(&a.result->outputs, &b.result->outputs) < 1e-2);
        ct_context_free(a.ctx);
        ct_context_free(b.ctx);
    }
}

/* What is not plain goes the usual way, and is refused there as usual. */
static void test_other_path(void **state)
{
    (void)state;
    check_large("C201 : capacitor(n0, ground)  C = 1 uF\n", false, ""); /* dependent storage */
    check_large("initial n7.v = 0.5\n", false, "");                     /* of no state by itself */
    check_large("param X\nR201 : resistor(n200, ground)  R = X\n", false, "E521");
    check_large("initial C3.v = 0.5\ninitial n3.v = 0.7\n", false, "E523");
}

/* ---- flows of what follows a slow source at once
 *
 * With u = sin(w t) the storage current is w C cos(w t) to w R C, and the same
 * for the voltage of an inductor beside a large resistor. Few rows are ends of steps, many are
 * within. */

enum { FLOWS = 2, OMEGA = 4 };

static const char *const slaved[FLOWS] = {
    "V1 : vsource(a, ground)  v = 10*sin(%d*t)\nR1 : resistor(a, b)  R = %g\n"
    "C1 : capacitor(b, ground)  C = 1e-6, v(0) = %.17g\noutput R1.i, C1.i\n",
    "I1 : isource(ground, a)  i = 10*sin(%d*t)\nR1 : resistor(a, ground)  R = 1/%g\n"
    "L1 : inductor(a, ground)  L = 1e-6, i(0) = %.17g\noutput R1.v, L1.v\n",
};

/* The largest error of the flow against w times the storage, in tolerances. */
static double flow_error(int which, double r, int rows, double tol)
{
    char text[400];
    double lag = OMEGA * r * 1e-6, size = 10 / (1 + lag * lag), most = 0;
    snprintf(text, sizeof text, slaved[which], OMEGA, r, -lag * size);
    outcome o = solve_text(text, "numeric", rows, tol);
    assert_true(o.status == CT_OK && o.numeric);
    const ct_rows *y = &o.result->outputs;
    for (uint64_t i = 0; i < y->count; i++) {
        double at = OMEGA * y->value[i * y->cols];
        double right = OMEGA * 1e-6 * size * (cos(at) + lag * sin(at));
        for (uint32_t c = 1; c < y->cols; c++)
            most = fmax(most, fabs(y->value[i * y->cols + c] - right) / (OMEGA * 1e-5 * tol));
    }
    ct_context_free(o.ctx);
    return most;
}

static void test_flows(void **state)
{
    static const double resistance[] = {100, 1, 0.1};
    static const int rows[] = {2, 3, 8, ROWS};
    (void)state;
    for (int which = 0; which < FLOWS; which++)
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < 4; i++) {
                assert_true(flow_error(which, resistance[k], rows[i], 1e-6) < 10);
                assert_true(flow_error(which, resistance[k], rows[i], 3e-8) < 10);
            }
}

/* 1 nohm beside 14 ohm: rounding of the sum at a node would move charge. */
static void test_rounded_away(void **state)
{
    static const char text[] =
        "V1 : vsource(n0, ground)  v = 100 + 60*sin(20*t)\nR1 : resistor(n0, n1)  R = 60\n"
        "C1 : capacitor(n1, ground)  C = 5e-4\nR2 : resistor(n1, n2)  R = 14\n"
        "C2 : capacitor(n2, ground)  C = 1e-4\nR3 : resistor(n2, n3)  R = 1e-9\n"
        "C3 : capacitor(n3, ground)  C = 0.8\noutput C1.v, R2.i, C3.v\n";
    (void)state;
    outcome a = solve_text(text, "numeric", ROWS, 1e-8), b = solve_text(text, "nodal", ROWS, 1e-9);
    assert_true(a.status == CT_OK && b.status == CT_OK && !a.numeric);
    assert_true(difference(&a.result->outputs, &b.result->outputs) < 1e-7);
    ct_context_free(a.ctx);
    ct_context_free(b.ctx);
}

/* ---- fields: one component with many unknowns, whose ends may be read as positions */

static void check_field(const char *text, const char *form, bool numeric)
{
    outcome a = solve_text(text, form, ROWS, 1e-9), b = solve_text(text, "nodal", ROWS, 1e-9);
    if (a.status != CT_OK || b.status != CT_OK || a.numeric != numeric)
        fail_msg("%s, %s: %s", a.code, a.numeric ? "numeric" : "symbolic", text);
    assert_true(difference(&a.result->outputs, &b.result->outputs) < 1e-6);
    ct_context_free(a.ctx);
    ct_context_free(b.ctx);
}

static const char line_of_cells[] =
    "V1 : vsource(e, ground)  v = sin(t)\nR1 : resistor(e, a)  R = 1\n"
    "L1 : line(a, b)  length = 1, r = 0.2, l = 1, c = 1, method = cells, cells = 150\n"
    "R2 : resistor(b, ground)  R = 3\noutput R2.v, R1.i\n";
static const char two_bars[] =
    "B : bar(a, b)  E = 2, rho = 3, A = 1, length = 1, modes = 5, damping = 0.01\n"
    "m1 : mass(b)  m = 1, v(0) = 2\nm2 : mass(a)  m = 2, x(0) = 0.1\n"
    "C : bar(ground, b)  E = 2, rho = 3, A = 1, length = 1, method = cells, cells = 4\n"
    "S : spring(ground, b)  k = 3\nF : force(ground, a)  F = sin(t)\n"
    "output m1.x, b.x, B.eb.x, m2.v, B.ea.F, B.q[1]\n";
static const char beam_with_slopes[] =
    "B : beam(a, b | ra, rb)  slopes = ports, E = 2, rho = 3, A = 1, Iz = 0.1, length = 1, modes = "
    "3\n"
    "m1 : mass(b)  m = 1, v(0) = 2\nm2 : mass(a)  m = 2\nJ1 : inertia(ra)  J = 1\n"
    "J2 : inertia(rb)  J = 1\nT : torque(ground, ra)  T = sin(t)\noutput m1.x, J2.theta, J1.w\n";
static const char bar_without_mass[] =
    "B : bar(a, b)  E = 2, rho = 3, A = 1, length = 1, modes = 3\nm1 : mass(b)  m = 1\n"
    "V : velocity_source(ground, a)  v = sin(t)\noutput m1.x\n";

static void test_fields(void **state)
{
    (void)state;
    check_field(line_of_cells, NULL, true); /* without being asked */
    check_field(two_bars, NULL, false);     /* small */
    check_field(two_bars, "numeric", true);
    check_field(beam_with_slopes, "numeric", true);
    check_field(bar_without_mass, "numeric", false); /* position of a driven node */
}

/* ---- rows in the first steps behind breaks
 *
 * Layers there may be missed by the embedded method, and few rows lie where the polynomial of a
 * step is tested by itself. One run by rows of all places against derived equations. */

static const char behind_breaks[] =
    "V1 : vsource(n1, ground)  v = if t < 0.3 then 0 else if t < 0.8 then 0.645 else -0.645\n"
    "T0 : resistor(n2, n1)  R = 250\nG0 : resistor(n2, ground)  R = 95200\n"
    "T1 : resistor(n3, n2)  R = 533\nG1 : resistor(n3, ground)  R = 11400\n"
    "T2 : resistor(n4, n3)  R = 6300\nG2 : resistor(n4, ground)  R = 2490\n"
    "X0 : resistor(n2, n3)  R = 271.003\nX3 : resistor(n2, n3)  R = 5780.35\n"
    "X4 : resistor(ground, n4)  R = 362\nX5 : resistor(n2, ground)  R = 1294\n"
    "I1 : isource(ground, n3)  i = 0.353e-3\n"
    "X1 : junction_capacitor(n1, n3)  CJ = 1.22e-4, VJ = 0.893161\n"
    "X2 : junction_capacitor(ground, n2)  CJ = 9.6e-4, VJ = 0.546056\n"
    "Q0 : spice_npn(n3, n4, n2)\noutput n2.v, n3.v, n4.v, X1.i, X2.i, V1.i\n";

static void test_behind_breaks(void **state)
{
    double worst = 0;
    (void)state;
    for (int rows = 8; rows <= ROWS; rows++) {
        outcome a = solve_text(behind_breaks, "nodal", rows, 1e-9);
        outcome b = solve_text(behind_breaks, "numeric", rows, 1e-6);
        assert_true(a.status == CT_OK && b.status == CT_OK && b.numeric);
        worst = fmax(worst, difference(&a.result->outputs, &b.result->outputs));
        ct_context_free(a.ctx);
        ct_context_free(b.ctx);
    }
    print_message("behind breaks: off by %.2g\n", worst);
    assert_true(worst < 1e-5);
}

/* ---- whether a network can be solved, asked without a run: large ones answer as small ones do */

static const struct judged_case {
    const char *part, *code; /* code: of the error, NULL: none */
} judged[] = {
    {"C{i} : capacitor(n{i}, ground)  C = 1 uF\n}\n", NULL},
    {"D{i} : diode(n{i}, ground)\nC{i} : capacitor(n{i}, ground)  C = 1 uF\n}\n", NULL},
    {"D{i} : diode(n{i}, ground)\nC{i} : capacitor(n{i}, m{i})  C = 1 F\n"
     "E{i} : resistor(m{i}, ground)  R = 1e12\n}\n",
     NULL},
    {"C{i} : capacitor(n{i}, ground)  C = 1 uF\n}\nT : transformer(n0, ground | b, ground)  n = 2\n"
     "V2 : vsource(b, ground)  v = 1 V\n",
     "E510"},
    {"D{i} : diode(n{i}, ground)\n}\nT : transformer(n0, ground | b, ground)  n = 2\n"
     "V2 : vsource(b, ground)  v = 1 V\n",
     "E510"},
};

static void judge(const struct judged_case *c, int sections)
{
    char text[512];
    ct_context *ctx = ct_context_new(NULL);
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    snprintf(text, sizeof text,
             "V1 : vsource(n0, ground)  v = 5 V\nrepeat i = 1..%d {\n"
             "R{i} : resistor(n{i-1}, n{i})  R = 100 ohm\n%s",
             sections, c->part);
    assert_int_equal(ct_read_text(ctx, "judged.lg", text, strlen(text), &syntax), CT_OK);
    assert_int_equal(ct_build(ctx, syntax, NULL, &model), CT_OK);
    assert_int_equal(ct_make_graph(ctx, model, &graph), CT_OK);
    assert_int_equal(ct_choose_tree(ctx, graph, NULL, &tree), CT_OK);
    size_t before = ct_pool_count(model->pool), count = ct_diag_count(ctx);
    assert_int_equal(ct_judge(ctx, tree), c->code ? CT_ERR_MODEL : CT_OK);
    if (c->code)
        assert_string_equal(ct_diag_at(ctx, ct_diag_count(ctx) - 1)->code, c->code);
    else
        assert_int_equal(ct_diag_count(ctx), count);
    if (!c->code && model->component_count >= CT_NODAL_LEAST) /* nothing is derived */
        assert_true(ct_pool_count(model->pool) - before < model->component_count);
    ct_context_free(ctx);
}

static void test_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++)
        judge(&judged[i], 5), judge(&judged[i], 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth),        cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_kinks),         cmocka_unit_test(test_points),
        cmocka_unit_test(test_large),         cmocka_unit_test(test_lawful),
        cmocka_unit_test(test_other_path),    cmocka_unit_test(test_flows),
        cmocka_unit_test(test_rounded_away),  cmocka_unit_test(test_fields),
        cmocka_unit_test(test_behind_breaks), cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_loose),         cmocka_unit_test(test_quick),
        cmocka_unit_test(test_rest),          cmocka_unit_test(test_pump),
        cmocka_unit_test(test_long_ladder),   cmocka_unit_test(test_sources_are_turned_up),
        cmocka_unit_test(test_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
