/* test_differences.c - derivatives that runs use: Jacobians by differences in lanes against
 * symbolic ones, and second derivatives against differences. */
#include "compile/program.h"
#include "simulate/machine.h"
#include "test_simulate.h"

/* ---- Jacobians of mechanisms */

typedef struct comparison {
    ct_context *ctx;
    const char *bars;
    bool shifted; /* differences were chosen */
    double worst; /* error, as part of the largest entry of its column */
} comparison;

static ct_rig *rig_of(ct_context *ctx, const char *path, const ct_override *set, uint32_t count)
{
    ct_build_def build = {.override = set, .override_count = count};
    const ct_model *model = ct_model_build(ct_parse(ctx, ct_load(ctx, path)), &build);
    const ct_graph *graph = ct_graph_build(model);
    ct_tree_def tree = {.complete = true};
    ct_graph_wishes(graph, model, true, &tree);
    const ct_equations *equations =
        ct_equations_new(ct_tree_select(graph, &tree), CT_FORM_NODAL, CT_FOR_READERS);
    return ct_rig_new(ct_machine_new(equations), NULL);
}

static double error_of(const ct_rig *rig, const double *z)
{
    const ct_machine *m = rig->machine;
    uint32_t size = m->n + m->m;
    ct_bundle exact = {0};
    ct_arena *arena = m->arena;
    ct_need_pattern(&rig->free); /* first: nodes that are there cost nothing */
    assert_true(ct_machine_bundle(m, m->fg, size, m->z, size, m->z_count, &exact));
    const ct_jacobian *j = exact.jacobian, *p = rig->slope_free.jacobian;
    double *want = CT_NEW_ARRAY(arena, double, j->count),
           *got = CT_NEW_ARRAY(arena, double, p->count);
    double *work = CT_NEW_ARRAY(arena, double, ct_program_work(exact.slope) + 1), worst = 0;
    rig->free.jacobian((void *)rig, 0, z, got);
    ct_program_prepare(exact.slope, rig->parameter, work);
    ct_program_run(exact.slope, rig->variable, want, work);
    for (uint32_t k = 0; k < size; k++) {
        double most = 1;
        for (uint32_t a = j->start[k]; a < j->start[k + 1]; a++)
            most = fmax(most, fabs(want[a]));
        for (uint32_t a = p->start[k], b = j->start[k]; a < p->start[k + 1]; a++) {
            bool there = b < j->start[k + 1] && j->row[b] == p->row[a];
            worst = fmax(worst, fabs(got[a] - (there ? want[b] : 0)) / most);
            b += there;
        }
    }
    return worst;
}

static void compare(void *user)
{
    comparison *job = user;
    ct_override set = {"N", job->bars};
    ct_rig *rig = rig_of(job->ctx, "models/n_fourbar/model.lg", &set, 1);
    ct_arena *arena = ct_arena_new(job->ctx);
    const ct_point *at = ct_evaluate(rig, 0, NULL, 0, arena);
    double *z = CT_NEW_ARRAY(arena, double, at->state_count + 1);
    for (uint32_t i = 0; i < at->state_count; i++)
        z[i] = at->x[i] + 0.01 * (double)(i % 5);
    double *fg = CT_NEW_ARRAY(arena, double, at->state_count + 1);
    rig->free.evaluate(rig, 0, z, fg); /* sets the point */
    job->worst = error_of(rig, z);
    job->shifted = !rig->slope_free.program;
    ct_rig_free(rig);
}

static void differences_in_lanes(void **state)
{
    (void)state;
    static const char *const bars[] = {"2", "12", "20"};
    for (int i = 0; i < 3; i++) {
        comparison job = {.ctx = ct_context_new(NULL), .bars = bars[i]};
        assert_int_equal(ct_protect(job.ctx, compare, &job), CT_OK);
        print_message("N = %s: %s, error %.1e\n", bars[i], job.shifted ? "shifted" : "exact",
                      job.worst);
        assert_int_equal(job.shifted, i > 0);
        assert_true(job.worst < (i > 0 ? 2e-6 : 1e-12));
        ct_context_free(job.ctx);
    }
}

/* ---- second derivatives */

static const char circuit[] = "model c\n"
                              "V1 : vsource(a, ground)   v = 2 V\n"
                              "R1 : resistor(a, b)       R = 100 ohm\n"
                              "C1 : capacitor(b, ground) C = 1 uF, v(0) = 0.3 V\n"
                              "D1 : diode(b, ground)\n"
                              "L1 : inductor(b, ground)  L = 1 mH, i(0) = 1 mA\n"
                              "output C1.v^2*L1.i as p, sin(C1.v/1 V)*exp(L1.i/10 mA) as q\n";

static double rate(ct_context *ctx, ct_simulator *s, const char *quantity, double v, double i)
{
    const ct_point *at;
    ct_state_value given[] = {{"C1.v", v, NULL}, {"L1.i", i, NULL}};
    assert_int_equal(ct_evaluate_at(ctx, s, 0, given, 2, &at), CT_OK);
    for (uint32_t k = 0; k < at->output_count; k++)
        if (strcmp(at->output[k], quantity) == 0)
            return at->y[k];
    return at->rate[strcmp(quantity, "der(C1.v)") != 0];
}

static void check_hessian(ct_context *ctx, ct_simulator *s, const char *quantity)
{
    const double v = 0.4, i = 0.002, h[2] = {1e-4, 1e-6};
    ct_state_value given[] = {{"C1.v", v, NULL}, {"L1.i", i, NULL}};
    const ct_hessian *got;
    double dense[2][2] = {{0}};
    assert_int_equal(ct_find_hessian(ctx, s, quantity, 0, given, 2, &got), CT_OK);
    assert_string_equal(got->variable[0], "C1.v");
    for (uint32_t k = 0; k < got->entry_count; k++) {
        assert_true(got->row[k] >= got->col[k] && got->row[k] < 2);
        dense[got->row[k]][got->col[k]] = got->value[k];
    }
    for (int a = 0; a < 2; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0, size = 0;
            for (int sign = 0; sign < 4; sign++) {
                double da = sign & 1 ? h[a] : -h[a], db = sign & 2 ? h[b] : -h[b];
                double f = rate(ctx, s, quantity, v + (a == 0 ? da : 0) + (b == 0 ? db : 0),
                                i + (a == 1 ? da : 0) + (b == 1 ? db : 0));
                sum += (sign == 0 || sign == 3 ? 1 : -1) * f;
                size = fmax(size, fabs(f));
            }
            double want = sum / (4 * h[a] * h[b]), blur = 4e-16 * size / (h[a] * h[b]);
            if (!(fabs(dense[a][b] - want) <= 1e-4 * fabs(want) + blur))
                fail_msg("%s, %d %d: got %.9g, differences say %.9g", quantity, a, b, dense[a][b],
                         want);
        }
}

static void second_derivatives(void **state)
{
    (void)state;
    const ct_syntax *syntax;
    const ct_model *model;
    const ct_graph *graph;
    const ct_tree *tree;
    const ct_hessian *none;
    ct_simulator *s;
    ct_context *ctx = ct_context_new(NULL);
    assert_int_equal(ct_read_text(ctx, "c", circuit, strlen(circuit), &syntax), CT_OK);
    assert_int_equal(ct_build(ctx, syntax, NULL, &model), CT_OK);
    assert_int_equal(ct_make_graph(ctx, model, &graph), CT_OK);
    assert_int_equal(ct_choose_tree(ctx, graph, NULL, &tree), CT_OK);
    assert_int_equal(ct_make_simulator(ctx, tree, NULL, &s), CT_OK);
    static const char *const quantity[] = {"p", "q", "der(C1.v)", "der(L1.i)"};
    for (int i = 0; i < 4; i++)
        check_hessian(ctx, s, quantity[i]);
    assert_int_equal(ct_find_hessian(ctx, s, "der(C1.w)", 0, NULL, 0, &none), CT_ERR_MODEL);
    assert_null(none);
    ct_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_in_lanes),
        cmocka_unit_test(second_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
