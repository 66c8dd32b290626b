/* test_vectors.c - elements on vector nodes: by entries, by matrices, with ratios that move. */
#include "test_simulate.h"

typedef struct vector_case {
    const char *text, *output;
    double time, value;
} vector_case;

/* Forms and random trees. */
static void check_all_ways(const vector_case *c)
{
    for (int form = CT_FORM_NODAL; form <= CT_FORM_TABLEAU; form++)
        for (uint32_t seed = 0; seed < 3; seed++) {
            trial t = new_trial(NULL);
            t.text = c->text;
            t.def.tol = 1e-10;
            t.def.times = &c->time;
            t.def.time_count = 1;
            t.form = (ct_form)form;
            t.seed = seed;
            must_run(&t);
            close_to(value_at(&t, c->output, c->time), c->value, 1e-7 * fmax(1, fabs(c->value)),
                     c->text);
            end_trial(&t);
        }
}

#define LINKS                                                                                      \
    "node th : rotational[2]\nnode r : translational[4]\n"                                         \
    "J : inertia(th) J = [0.02, 0.01], theta(0) = [0.4, -0.7], w(0) = [1.2, -0.8]\n"               \
    "M : mass(r) m = [2, 2, 1, 1]\n"                                                               \
    "T : transformer(ground, r | ground, th) n = [-0.5*sin(J.theta[1]), 0; "                       \
    "0.5*cos(J.theta[1]), 0; -1*sin(J.theta[1]), -0.4*sin(J.theta[2]); "                           \
    "1*cos(J.theta[1]), 0.4*cos(J.theta[2])]\n"                                                    \
    "W : force(ground, r) F = [0, -19.62, 0, -9.81]\n"                                             \
    "tau : torque(ground, th) T = [3, 1]\noutput J.alpha[1] as a1, J.alpha[2] as a2\n"

static void test_vector_elements(void **state)
{
    const vector_case cases[] = {
        /* two circuits side by side */
        {"node a : electrical[2]\nR : resistor(a, ground) R = [2, 4]\n"
         "C : capacitor(a, ground) C = 1, v(0) = [1, 3]\noutput C.v[2] as y\n",
         "y", 2, 3 * exp(-0.5)},
        /* resistances that couple: eigenvalues 3 and 1 of R */
        {"node a : electrical[2]\nR : resistor(a, ground) R = [2, 1; 1, 2]\n"
         "C : capacitor(a, ground) C = 1, v(0) = [1, 0]\noutput C.v[1] as y\n",
         "y", 1, (exp(-1.0 / 3) + exp(-1)) / 2},
        /* masses and springs as matrices: beats of two pendulums; l0 stays a number */
        {"node q : translational[2]\nM : mass(q) m = 2, v(0) = [1, 0]\n"
         "K : spring(ground, q) k = [10, -2; -2, 10], x(0) = [0, 0]\noutput q.v[1] as y\n",
         "y", 1.3, (cos(2 * 1.3) + cos(sqrt(6) * 1.3)) / 2},
        /* nonlinear laws of each entry, with a signal of its own */
        {"node q : translational[2]\nM : mass(q) m = [1, 2], v(0) = [3, 4]\n"
         "F : friction(ground, q) Fc = [1, 2], v0 = 1e-4\n"
         "output M.v[2] as y, if F.stuck[1] then 1 else 0 as s\n",
         "y", 1, 3},
        /* one entry drives two: F = n^T f */
        {"node q : translational[2]\nM : mass(q) m = [2, 5]\n"
         "T : transformer(ground, tip | ground, q) n = [0.5, -2]\n"
         "F : force(ground, tip) F = 10\noutput tip.v as y\n",
         "y", 1, 10 * (0.25 / 2 + 4.0 / 5)},
        /* a gyrator of two by two turns inductors into capacitors */
        {"node a, b : electrical[2]\nG : gyrator(a, ground | b, ground) r = [0, 2; 3, 0]\n"
         "L : capacitor(b, ground) C = [1, 1]\nI : isource(ground, a) i = [0, 0]\n"
         "R : resistor(a, ground) R = [1, 1]\nV : capacitor(a, ground) C = [1, 1], v(0) = [1, 0]\n"
         "output V.v[1] as y\n",
         "y", 0, 1},
        {LINKS, "a1", 0, -10.337626529348658},
        {LINKS, "a2", 0, 2.280809505144328},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_all_ways(&cases[k]);
}

static void test_vectors_that_do_not_fit(void **state)
{
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"node q : translational[2]\nM : mass(q) m = [1, 2, 3]\n", "E421"},
        {"node q : translational[2]\nM : mass(q) m = [1, 2; 3, 4; 5, 6]\n", "E421"},
        {"node q : translational[2]\nM : mass(q) m = [-1, 0; 0, 1]\n", "E224"},
        {"node q : translational[2]\nnode p : translational[3]\nK : spring(q, p) k = 1\n", "E240"},
        {"node q : translational[2]\nK : spring(q, p) k = 1\n", "E240"},
        {"node q : translational[0]\nM : mass(q) m = 1\n", "E240"},
        {"node q : translational[2]\nM : mass(q) m = 1\noutput q.v[3]\n", "E227"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ct_context *ctx = ct_context_new(NULL);
        const ct_syntax *s;
        const ct_model *m;
        assert_int_equal(ct_read_text(ctx, "t", cases[k].text, strlen(cases[k].text), &s), CT_OK);
        assert_int_not_equal(ct_build(ctx, s, NULL, &m), CT_OK);
        assert_string_equal(ct_diag_at(ctx, 0)->code, cases[k].code);
        assert_int_equal(ct_diag_count(ctx), 1);
        ct_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector_elements),
        cmocka_unit_test(test_vectors_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
