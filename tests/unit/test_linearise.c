/* test_linearise.c - matrices of all models by two ways: expressions differentiated, eliminated and
 * put into numbers; and numbers from the differentials of programs. */
#include <dirent.h>

#include "mechanics/mechanics.h"
#include "study/statespace.h"

#include "test_simulate.h"

/* One model. */
typedef struct pair {
    const char *path, *text, *name; /* path or text */
    ct_context *ctx;
    const ct_statespace *symbols, *numbers;
} pair;

static const ct_statespace *make(const ct_equations *equations, ct_rig *rig, const ct_point *point,
                                 int wanted)
{
    ct_statespace_def def = {.rig = rig, .point = point, .wanted = wanted};
    ct_statespace *ss = ct_statespace_new(equations, &def);
    bool good = ss && ct_statespace_settle(ss, rig, point) && ct_statespace_evaluate(ss, rig);
    return good ? ss : NULL;
}

static void make_both(void *user)
{
    pair *p = user;
    uint32_t source = p->path ? ct_load(p->ctx, p->path)
                              : ct_source_add(p->ctx, "text", p->text, strlen(p->text));
    const ct_model *model = source ? ct_model_build(ct_parse(p->ctx, source), NULL) : NULL;
    const ct_graph *graph = model ? ct_graph_build(model) : NULL;
    ct_tree_def tree_def = {.complete = true};
    if (!graph || !ct_graph_check(graph))
        return;
    ct_graph_wishes(graph, model, true, &tree_def);
    const ct_tree *tree = ct_tree_select(graph, &tree_def);
    const ct_equations *equations =
        tree ? ct_equations_new(tree, CT_FORM_NODAL, CT_FOR_READERS) : NULL;
    enum { MOST_STATES = 100 }; /* fields have thousands of entries that are alike */
    if (!equations || equations->reduced->state_count > MOST_STATES)
        return;
    const ct_mechanics *bodies = equations->reduced->system->mechanics;
    if (bodies && bodies->freedom == 0) /* all is driven: what is left is rounding */
        return;
    ct_machine *machine = equations ? ct_machine_new(equations) : NULL;
    ct_rig *rig = machine ? ct_rig_new(machine, NULL) : NULL;
    const ct_point *point = rig ? ct_evaluate(rig, 0.01, NULL, 0, ct_arena_new(p->ctx)) : NULL;
    if (!point)
        return;
    p->symbols = make(equations, rig, point, CT_SYMBOLS);
    p->numbers = make(equations, rig, point, CT_NUMBERS);
}

/* ---- comparison */

static double largest(const double *a, size_t count, size_t step)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, isfinite(a[i * step]) ? fabs(a[i * step]) : 0);
    return most;
}

/* Each entry to 1e-9 of itself, or to rounding of the largest in its row and column; where these
 * are zeros, of all. Where a derivative is infinite, others of its row are not numbers. */
static void compare_matrix(const pair *p, const char *name, const double *a, const double *b,
                           uint32_t rows, uint32_t cols)
{
    double *of_column = malloc((cols + 1) * sizeof *of_column);
    double of_all = largest(a, (size_t)rows * cols, 1);
    for (uint32_t k = 0; k < cols; k++)
        of_column[k] = largest(a + k, rows, cols);
    for (uint32_t i = 0; i < rows; i++) {
        double of_row = largest(a + (size_t)i * cols, cols, 1);
        for (uint32_t k = 0; k < cols; k++) {
            size_t at = (size_t)i * cols + k;
            double size = fmax(of_row, of_column[k]) > 0 ? fmax(of_row, of_column[k]) : of_all;
            if (!(fabs(a[at] - b[at]) <= 1e-9 * fabs(a[at]) + 1e-12 * size) && isfinite(a[at]))
                fail_msg("%s: %s[%u,%u] is %.17g by symbols, %.17g by numbers", p->name, name,
                         i + 1, k + 1, a[at], b[at]);
        }
    }
    free(of_column);
}

static void compare(const pair *p)
{
    const ct_statespace *s = p->symbols;
    const ct_numbers *a = ct_statespace_numbers(s), *b = ct_statespace_numbers(p->numbers);
    if (a->n != b->n || s->linear != p->numbers->linear || s->steady != p->numbers->steady)
        fail_msg("%s: %u states, linear %d, steady %d by symbols, %u, %d, %d by numbers", p->name,
                 a->n, s->linear, s->steady, b->n, p->numbers->linear, p->numbers->steady);
    compare_matrix(p, "A", a->A, b->A, a->n, a->n);
    compare_matrix(p, "C", a->C, b->C, s->p, a->n);
    for (uint32_t k = 0; k < s->orders; k++) {
        compare_matrix(p, k ? "E" : "B", a->B[k], b->B[k], a->n, s->m);
        compare_matrix(p, k ? "F" : "D", a->D[k], b->D[k], s->p, s->m);
    }
}

/* Without what rounding left of zeros, a few roundings of the largest in the row, or of all: rows
 * may have nothing else. */
static const double *without_noise(ct_arena *arena, const double *a, uint32_t rows, uint32_t cols)
{
    double *out = CT_NEW_ARRAY(arena, double, (size_t)rows *cols + 1);
    double of_all = largest(a, (size_t)rows * cols, 1);
    for (size_t i = 0; i < (size_t)rows * cols; i++) {
        double noise = fmax(1e-15 * largest(a + i / cols * cols, cols, 1), 1e-14 * of_all);
        out[i] = fabs(a[i]) <= noise ? 0 : a[i];
    }
    return out;
}

/* Rounding errors must not make modes that nothing reaches or shows seem to be reached or shown. */
static void compare_ranks(const pair *p)
{
    ct_lti a, b;
    ct_arena *arena = p->ctx->base;
    if (!ct_statespace_lti(p->symbols, &a) || !ct_statespace_lti(p->numbers, &b))
        return;
    for (int k = 0; k < 2; k++) {
        ct_lti *l = k ? &b : &a;
        l->A = without_noise(arena, l->A, l->n, l->n);
        l->C = without_noise(arena, l->C, l->p, l->n);
    }
    ct_lti_rank x = ct_lti_ranks(arena, &a), y = ct_lti_ranks(arena, &b);
    if (x.controllable != y.controllable || x.observable != y.observable || x.minimal != y.minimal)
        fail_msg("%s: %u states, %u, %u, %u by symbols, %u, %u, %u by numbers", p->name, x.states,
                 x.controllable, x.observable, x.minimal, y.controllable, y.observable, y.minimal);
}

static void compare_all(void *user)
{
    compare(user);
    compare_ranks(user);
}

/* What cannot be linearised cannot be either way. */
static uint32_t try_pair(const char *path, const char *text, const char *name)
{
    pair p = {.path = path, .text = text, .name = name, .ctx = ct_context_new(NULL)};
    assert_int_equal(ct_protect(p.ctx, make_both, &p), CT_OK);
    bool both = p.symbols && p.numbers;
    if (!p.symbols != !p.numbers)
        fail_msg("%s: only by %s", name, p.symbols ? "symbols" : "numbers");
    if (both)
        assert_int_equal(ct_protect(p.ctx, compare_all, &p), CT_OK);
    ct_context_free(p.ctx);
    return both;
}

static void test_examples(void **state)
{
    (void)state;
    uint32_t compared = 0;
    for (size_t i = 0; ct_example_at(i); i++)
        compared += try_pair(NULL, ct_example_at(i)->text, ct_example_at(i)->name);
    print_message("%u examples compared\n", compared);
    assert_true(compared >= 25);
}

static uint32_t try_folder(const char *name)
{
    DIR *folder = opendir(name);
    uint32_t compared = 0;
    assert_non_null(folder);
    for (struct dirent *d = readdir(folder); d; d = readdir(folder)) {
        char path[600];
        size_t length = strlen(d->d_name);
        if (length < 4 || strcmp(d->d_name + length - 3, ".lg") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", name, d->d_name);
        compared += try_pair(path, NULL, d->d_name);
    }
    closedir(folder);
    return compared;
}

static void test_elements(void **state)
{
    (void)state;
    uint32_t elements = try_folder(COTREE_ROOT "/tests/library/minimal"),
             drafts = try_folder(COTREE_ROOT "/tests/drafts");
    print_message("%u elements, %u drafts compared\n", elements, drafts);
    assert_true(elements >= 50 && drafts >= 10);
}

/* ---- small models with an answer by hand */

static const ct_numbers *numbers_of(pair *p, const char *text)
{
    *p = (pair){.text = text, .name = "by hand", .ctx = ct_context_new(NULL)};
    assert_int_equal(ct_protect(p->ctx, make_both, p), CT_OK);
    assert_true(p->symbols && p->numbers);
    compare(p);
    return ct_statespace_numbers(p->numbers);
}

/* A kink: the derivative of |v| is a jump, which does depend on v. */
static void test_kink(void **state)
{
    (void)state;
    pair p;
    const ct_numbers *n = numbers_of(&p, "element bump \"takes 2 |v|\"\n  port p, n : electrical\n"
                                         "  edge e(p, n)\n  e.i = 2*abs(e.v)\nend\n"
                                         "R1 : resistor(b, ground)  R = 1\nN1 : bump(b, ground)\n"
                                         "C1 : capacitor(b, ground)  C = 1, v(0) = -2\n");
    assert_true(fabs(n->A[0] - 1) < 1e-14 && !p.symbols->linear);
    ct_context_free(p.ctx);
}

/* Time moves the matrices: x' = -(2 + t) x + u, at t = 0.01. */
static void test_time(void **state)
{
    (void)state;
    pair p;
    const ct_numbers *n = numbers_of(&p, "input u : A = 5*t\nI1 : isource(ground, b)  i = u\n"
                                         "R2 : resistor(b, ground)  R = 1/(2 + t)\n"
                                         "C1 : capacitor(b, ground)  C = 1, v(0) = 1\n");
    assert_true(fabs(n->A[0] + 2.01) < 1e-14 && p.numbers->linear && !p.numbers->steady);
    assert_true(fabs(p.numbers->at_value[0] - 0.05) < 1e-15);
    ct_context_free(p.ctx);
}

/* Symbols are given up where they would become large. */
static void make_chain(void *user)
{
    trial *t = user;
    run_stages(t);
    const ct_equations *equations = t->equations;
    ct_rig *rig = ct_rig_new(ct_machine_new(equations), NULL);
    const ct_point *point = ct_evaluate(rig, 0, NULL, 0, ct_arena_new(t->ctx));
    const ct_statespace *ss = make(equations, rig, point, CT_EITHER);
    assert_true(ss && ss->by_numbers && ct_statespace_numbers(ss)->n == 80);
    assert_true(ct_pool_count(ss->pool) < 60000);
}

static void test_large(void **state)
{
    (void)state;
    trial t = new_trial(NULL);
    t.def.stop = 1e-3;
    t.text = "model chain\nspace = planar\nconst N = 40\ngravity = [0, -9.81]\n"
             "repeat i = 0..N-1 { b{i} : body  m = 1, I = 0.1  { A = [0, 0.5], B = [0, -0.5] } }\n"
             "h0 : revolute(ground, b0.A)\n"
             "repeat i = 1..N-1 { h{i} : revolute(b{i-1}.B, b{i}.A) }\ninitial h0.beta = 1\n";
    t.ctx = ct_context_new(NULL);
    assert_int_equal(ct_protect(t.ctx, make_chain, &t), CT_OK);
    end_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples), cmocka_unit_test(test_elements),
        cmocka_unit_test(test_kink),     cmocka_unit_test(test_time),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
