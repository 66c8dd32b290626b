/* test_program.c - the tape against ct_expr_value.
 *
 * The tape gives the same bits, except where lower.c takes another way on purpose: factors and
 * terms without variables are put together first, all denominators make one division, whole powers
 * from 4 on are squared up, and x^(n + 1/2) is x^n*sqrt(x). There the difference must stay within
 * the rounding errors of the expression, which are followed from node to node. */
#include <float.h>

#include "compile/program.h"
#include "expr/pool.h"

#include "test_expr.h"

enum { VARIABLES = 6, PARAMETERS = 4 };

static ct_name variable[VARIABLES], parameter[PARAMETERS];
static double variable_value[VARIABLES], parameter_value[PARAMETERS];
static ct_arena *arena;

static void name_symbols(void)
{
    static const char *const names[] = {"u", "v", "w", "x", "y", "z"};
    static const char *const parameters[] = {"k", "p", "q", "r"};
    arena = ct_arena_new(ctx);
    for (int i = 0; i < VARIABLES; i++)
        variable[i] = name_of(names[i]);
    for (int i = 0; i < PARAMETERS; i++)
        parameter[i] = name_of(parameters[i]);
}

static int open_program(void **state)
{
    open_pool(state);
    name_symbols();
    return 0;
}

#define PROGRAM_TEST(name) cmocka_unit_test_setup_teardown(name, open_program, close_pool)

static const ct_program *compile(const ct_expr *output, uint32_t count, ct_expr *stranger)
{
    ct_program_def def = {.pool = pool,
                          .parameter = parameter,
                          .parameter_count = PARAMETERS,
                          .variable = variable,
                          .variable_count = VARIABLES,
                          .output = output,
                          .output_count = count};
    return ct_program_new(arena, &def, stranger);
}

static const ct_program *compiled(const ct_expr *output, uint32_t count)
{
    ct_expr stranger;
    const ct_program *program = compile(output, count, &stranger);
    if (!program)
        fail_msg("stranger %s", stranger ? text_of(stranger) : "none");
    return program;
}

static const char *dump_of(const ct_program *program)
{
    ct_text text = ct_text_new(arena);
    ct_program_dump(program, &text);
    return ct_text_string(&text);
}

static double lookup(const void *user, ct_name symbol)
{
    (void)user;
    for (int i = 0; i < VARIABLES; i++)
        if (variable[i] == symbol)
            return variable_value[i];
    for (int i = 0; i < PARAMETERS; i++)
        if (parameter[i] == symbol)
            return parameter_value[i];
    return NAN;
}

/* ---- random expressions */

static uint64_t seed;
static bool simple; /* factors without exponents */

static uint32_t random_below(uint32_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % limit;
}

static double random_value(void)
{
    static const double special[] = {0, 1, -1, 0.5, 2, -2};
    if (random_below(6) == 0)
        return special[random_below(6)];
    return (double)random_below(1000000) / 250000 - 0.5; /* seldom out of the range of log */
}

static void random_point(void)
{
    for (int i = 0; i < VARIABLES; i++)
        variable_value[i] = random_value();
    for (int i = 0; i < PARAMETERS; i++)
        parameter_value[i] = random_value();
}

static ct_expr random_expression(int depth, bool parameters);

static ct_expr random_leaf(bool parameters)
{
    uint32_t kind = random_below(8);
    int64_t numerator = (int64_t)random_below(19) - 9;
    if (kind == 0)
        return ct_expr_ratio(pool, numerator, 1 + random_below(4));
    if (kind == 1)
        return ct_expr_real(pool, random_value());
    if (parameters && kind < 5)
        return ct_expr_symbol(pool, parameter[random_below(PARAMETERS)]);
    return ct_expr_symbol(pool, variable[random_below(VARIABLES)]);
}

static ct_expr random_power(int depth, bool parameters)
{
    static const int exponent[][2] = {{1, 1},  {1, 1}, {1, 1},  {-1, 1}, {2, 1}, {3, 1},  {-2, 1},
                                      {1, 2},  {3, 2}, {-1, 2}, {1, 3},  {4, 1}, {-5, 3}, {7, 1},
                                      {40, 1}, {1, 1}, {1, 1},  {-3, 1}, {5, 2}};
    const int *p = exponent[random_below(simple ? 3 : sizeof exponent / sizeof *exponent)];
    return ct_expr_pow(pool, random_expression(depth, parameters), ct_expr_ratio(pool, p[0], p[1]));
}

/* table(x, 3, 0, 1/2, 1, y1, y2, y3, method) */
static ct_expr random_table(ct_op op, int depth, bool parameters)
{
    ct_expr x[9] = {random_expression(depth, parameters), ct_expr_int(pool, 3), CT_ZERO, CT_HALF,
                    CT_ONE};
    for (int i = 5; i < 8; i++)
        x[i] = random_expression(depth < 1 ? depth : 1, parameters);
    x[8] = ct_expr_int(pool, random_below(2));
    return ct_expr_call(pool, op, x, 9);
}

static ct_expr random_call(int depth, bool parameters)
{
    ct_op op = (ct_op)random_below(CT_OP_COUNT);
    ct_expr x[3] = {0};
    if (op == CT_OP_DER || op == CT_OP_INTEGRAL || op == CT_OP_PRE)
        return random_leaf(parameters);
    if (ct_op_arity(op) < 0)
        return random_table(op, depth, parameters);
    for (int i = 0; i < ct_op_arity(op); i++)
        x[i] = random_expression(depth, parameters);
    return ct_expr_call(pool, op, x, (uint32_t)ct_op_arity(op));
}

static ct_expr random_expression(int depth, bool parameters)
{
    uint32_t kind = depth > 3 ? 1 + random_below(6) : depth > 0 ? random_below(10) : 0;
    uint32_t count = 2 + random_below(3);
    ct_expr part[4];
    if (kind == 0)
        return random_leaf(parameters);
    if (kind > 6)
        return random_call(depth - 1, parameters);
    for (uint32_t i = 0; i < count; i++)
        part[i] = kind > 3 ? random_power(depth - 1, parameters)
                           : random_expression(depth - 1, parameters);
    return kind > 3 ? ct_expr_product(pool, part, count) : ct_expr_sum(pool, part, count);
}

/* ---- rounding errors, followed from node to node */

typedef struct estimate {
    double value, error; /* error INFINITY: unknown */
} estimate;

typedef struct follower {
    estimate *node;
    bool plain; /* the tape must give the same bits */
} follower;

static estimate sum_estimate(const follower *f, ct_expr e)
{
    estimate s = {ct_expr_to_double(pool, ct_expr_constant(pool, e)), 0};
    double size = fabs(s.value);
    uint32_t arity = ct_expr_arity(pool, e);
    for (uint32_t i = 0; i < arity; i++) {
        estimate x = f->node[ct_expr_operand(pool, e, i)];
        double c = ct_expr_to_double(pool, ct_expr_coefficient(pool, e, i));
        s.value += c * x.value;
        s.error += fabs(c) * x.error;
        size += fabs(c * x.value);
    }
    s.error += (arity + 2) * DBL_EPSILON * size;
    return s;
}

/* Far from 1 the order of the factors decides on overflow, at 0 the sign of zero on that of
 * infinity: no estimate. */
static estimate product_estimate(const follower *f, ct_expr e)
{
    estimate s = {ct_expr_to_double(pool, ct_expr_constant(pool, e)), 0};
    bool tame = true;
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++) {
        estimate x = f->node[ct_expr_operand(pool, e, i)];
        double p = ct_expr_to_double(pool, ct_expr_coefficient(pool, e, i));
        double power = p == 1 ? x.value : pow(x.value, p);
        s.value *= power;
        double relative = x.error == 0 ? 0 : fabs(p) * x.error / fabs(x.value);
        s.error += relative + (fabs(p) + 3) * DBL_EPSILON;
        tame = tame && (isnan(power) || power == 0 || (fabs(power) < 1e60 && fabs(power) > 1e-60));
        tame = tame && (relative < 0.01 || isnan(power));
        tame = tame && (x.value != 0 || p == floor(p)); /* pow(-0, 1/2) is 0, sqrt(-0) is -0 */
    }
    s.error = tame ? 1.1 * s.error * fabs(s.value) : INFINITY;
    return s;
}

/* How far the result goes when operand i moves by its error. A large error tells nothing: between
 * the two sides a function may do anything. */
static double shift(ct_op op, double *v, uint32_t arity, uint32_t i, double error)
{
    double value = ct_op_value(op, v, arity), kept = v[i], most = 0;
    for (int side = -4; side <= 4; side += 8) {
        v[i] = kept + side * error;
        double moved = ct_op_value(op, v, arity);
        if (moved == value || (isnan(moved) && isnan(value)))
            continue;
        most = isnan(moved - value) || error > 1e-3 ? INFINITY : fmax(most, fabs(moved - value));
    }
    v[i] = kept;
    return most;
}

static estimate call_estimate(const follower *f, ct_expr e)
{
    double v[9];
    uint32_t arity = ct_expr_arity(pool, e);
    ct_op op = ct_expr_op(pool, e);
    for (uint32_t i = 0; i < arity; i++)
        v[i] = f->node[ct_expr_operand(pool, e, i)].value;
    estimate s = {ct_op_value(op, v, arity), 0};
    for (uint32_t i = 0; i < arity; i++) {
        double error = f->node[ct_expr_operand(pool, e, i)].error;
        s.error += error != 0 ? 3 * shift(op, v, arity, i, error) : 0;
    }
    double size = op == CT_OP_MOD ? fabs(v[0]) : fabs(s.value);
    s.error += isnan(s.value) ? 0 : 4 * DBL_EPSILON * size;
    return s;
}

static bool is_plain_product(ct_expr e)
{
    uint32_t arity = ct_expr_arity(pool, e);
    if (ct_expr_kind_of(pool, ct_expr_operand(pool, e, 0)) == CT_EXPR_SUM && arity == 1)
        return false; /* -(a - b) is b - a, with another sign of zero */
    for (uint32_t i = 0; i < arity; i++) {
        double p = ct_expr_to_double(pool, ct_expr_coefficient(pool, e, i));
        bool low = p == 0.5 || p == 1 || p == 2 || p == 3 || (p == -1 && i == arity - 1);
        if (!low || ct_expr_is_number(pool, ct_expr_operand(pool, e, i)))
            return false;
    }
    return true;
}

/* Numbers inside calls make a part without variables, which may be moved. */
static bool is_plain(ct_expr e)
{
    if (ct_expr_kind_of(pool, e) == CT_EXPR_PRODUCT)
        return is_plain_product(e);
    if (ct_expr_kind_of(pool, e) != CT_EXPR_CALL)
        return true;
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++)
        if (!ct_expr_is_number(pool, ct_expr_operand(pool, e, i)))
            return true;
    return false;
}

static void follow(void *user, ct_expr e)
{
    follower *f = user;
    f->plain = f->plain && is_plain(e);
    switch (ct_expr_kind_of(pool, e)) {
    case CT_EXPR_NUMBER:
        f->node[e] = (estimate){ct_expr_to_double(pool, e), 0};
        break;
    case CT_EXPR_SYMBOL:
        f->node[e] = (estimate){lookup(NULL, ct_expr_name(pool, e)), 0};
        break;
    case CT_EXPR_SUM:
        f->node[e] = sum_estimate(f, e);
        break;
    case CT_EXPR_PRODUCT:
        f->node[e] = product_estimate(f, e);
        break;
    case CT_EXPR_CALL:
        f->node[e] = call_estimate(f, e);
        break;
    }
}

typedef struct tally {
    uint32_t plain, finite, same, near, skipped;
} tally;

/* INFINITY - INFINITY is no error when both are infinite. */
static void compare(ct_expr e, double got, bool parameters, tally *t)
{
    follower f = {CT_NEW_ARRAY(ct_pool_arena(pool), estimate, ct_pool_count(pool) + 1), true};
    ct_expr_walk(pool, &e, 1, follow, &f);
    double want = ct_expr_value(pool, e, lookup, NULL), error = f.node[e].error;
    bool same = got == want || (isnan(got) && isnan(want));
    bool plain = f.plain && !parameters;
    t->plain += plain;
    t->same += same;
    t->finite += isfinite(want) != 0;
    if (same)
        return;
    if (plain)
        fail_msg("%s: got %.17g, want the same bits as %.17g", text_of(e), got, want);
    if (isinf(error) || isnan(error) || isinf(f.node[e].value)) {
        t->skipped++;
        return;
    }
    if (!(fabs(got - want) <= 2 * error + 1e-290))
        fail_msg("%s: got %.17g, want %.17g within %.3g", text_of(e), got, want, error);
    t->near++;
}

/* Many outputs in one program, two sets of parameters, two points each, one work space. */
static void check_round(bool parameters, tally *t)
{
    enum { OUTPUTS = 20 };
    ct_expr output[OUTPUTS];
    double result[OUTPUTS];
    for (int i = 0; i < OUTPUTS;)
        i += (output[i] = random_expression(4, parameters)) != 0;
    const ct_program *program = compiled(output, OUTPUTS);
    double *work = CT_NEW_ARRAY(arena, double, ct_program_work(program));
    for (int set = 0; set < 2; set++) {
        random_point();
        ct_program_prepare(program, parameter_value, work);
        for (int point = 0; point < 2; point++) {
            for (int i = 0; i < VARIABLES; i++)
                variable_value[i] = random_value();
            ct_program_run(program, variable_value, result, work);
            for (int i = 0; i < OUTPUTS; i++)
                compare(output[i], result[i], parameters, t);
        }
    }
}

static void check_random(bool parameters, tally *t)
{
    for (unsigned round = 0; round < 250; round++) {
        seed = 0x9e3779b97f4a7c15u * (round + 1);
        simple = round % 2;
        check_round(parameters, t);
        if (round % 10 == 0) { /* estimates take memory in the size of the pool */
            ct_arena_free(arena);
            arena = ct_arena_new(ctx);
            renew_pool();
        }
    }
    print_message("%s: %u values the same (%u had to be), %u near, %u not comparable; %u finite\n",
                  parameters ? "with parameters" : "without", t->same, t->plain, t->near,
                  t->skipped, t->finite);
    assert_true(t->finite > 5000 && t->near < t->same && t->skipped * 20 < t->same);
}

static void random_values_without_parameters(void **state)
{
    (void)state;
    tally t = {0};
    check_random(false, &t);
    assert_true(t.plain > 2000);
}

static void random_values_with_parameters(void **state)
{
    (void)state;
    tally t = {0};
    check_random(true, &t);
}

/* ---- what is done when, and how much of it */
static const struct split_case {
    const char *text;
    uint32_t at_call, prepared;
} splits[] = {
    {"x", 0, 0},
    {"k", 0, 0},
    {"3", 0, 0},
    {"k*p", 0, 1},
    {"k*x*p", 1, 1},
    {"k + x + p", 1, 1},
    {"k*x/p + p*y/k", 3, 2},
    {"sin(k) + sin(x)", 2, 1},
    {"2*x + 3*y", 3, 0},
    {"x - 2*y", 2, 0},
    {"-x", 1, 0},
    {"y - x", 1, 0},
    {"z - x - y", 2, 0},
    {"k*y - x", 2, 0},
    {"x/(y*z)", 2, 0},
    {"x/y/z*w", 3, 0},
    {"x^2*y^2*z^-2", 5, 0},
    {"x^8", 3, 0},
    {"x^7", 4, 0},
    {"sqrt(x)", 1, 0},
    {"x^2.5", 3, 0},
    {"1/sqrt(x)", 2, 0},
    {"x^(1/3)", 1, 0},
    {"x^k", 1, 0},
    {"x^40", 1, 0},
    {"sqrt(2)*x", 1, 1},
    {"pi*x", 1, 1},
    {"if k < 0 then x else y", 1, 1},
    {"sin(x) + cos(x)", 3, 0},
    {"sin(x*y) + cos(x*y)", 4, 0},
    {"table(x, 2, 0, k, k*p, p^2, 0)", 1, 2},
};

static void operations_are_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        const struct split_case *c = &splits[i];
        ct_expr e = read(c->text);
        const ct_program *program = compiled(&e, 1);
        uint32_t at_call = ct_program_operations(program);
        uint32_t prepared = ct_program_constants(program);
        if (at_call != c->at_call || prepared != c->prepared)
            fail_msg("%s: got %u + %u operations, want %u + %u:\n%s", c->text, at_call, prepared,
                     c->at_call, c->prepared, dump_of(program));
    }
}

/* ---- values at one point: u v w x y z = -1 0 0.5 2 3 4, k p q r = 2 3 5 7 */
static const struct value_case {
    const char *text;
    double value;
} values[] = {
    {"if u > 0 then sqrt(u) else 7", 7},
    {"if v == 0 then 1 else x/v", 1},
    {"if u then log(u) else 2", NAN},
    {"if v then log(u) else 2", 2},
    {"(if u < 0 then log(v) else 0)", -INFINITY},
    {"max(u, v) + min(x, y)", 2},
    {"clamp(z, u, x)", 2},
    {"mod(-y, x)", 1},
    {"pulse(z + 0.25, 1, w)", 1},
    {"x < y and not (y < x)", 1},
    {"x^-2*y/z", 0.1875},
    {"k*x/p*q/r*y/z", 15.0 / 21},
    {"table(w, 3, 0, 1, x, y, z, k, 0)", 3.5},
    {"table_slope(w, 3, 0, 1, x, y, z, k, 0)", 1},
    {"table(k, 2, 0, 4, p, q, 0)", 4},
    {"sin(sin(x)) - sin(sin(2))", 0},
    {"cos(sin(x)) + sin(sin(x)) - cos(sin(2)) - sin(sin(2))", 0},
    {"sign(u)*step(v)*abs(u)", -1},
    {"atan2(v, u) - pi", 0},
};

static void values_at_a_point(void **state)
{
    (void)state;
    static const double point[] = {-1, 0, 0.5, 2, 3, 4}, constants[] = {2, 3, 5, 7};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ct_expr e = read(values[i].text);
        const ct_program *program = compiled(&e, 1);
        double *work = CT_NEW_ARRAY(arena, double, ct_program_work(program)), got;
        ct_program_prepare(program, constants, work);
        ct_program_run(program, point, &got, work);
        double want = values[i].value;
        if (got != want && !(isnan(got) && isnan(want)) && !(fabs(got - want) < 1e-14))
            fail_msg("%s: got %.17g, want %.17g", values[i].text, got, want);
    }
}

/* ---- what cannot be compiled */
static const struct stranger_case {
    const char *text, *stranger;
} strangers[] = {
    {"x + nobody", "nobody"},
    {"sin(x*Someone.v)", "Someone.v"},
    {"x*der(x)", "der(x)"},
    {"1 + 2*pre(x)", "pre(x)"},
    {"integral(k*x)", "integral(k*x)"},
    {"der(nobody)", "nobody"},
    {"if x > 0 then der(y) else 0", "der(y)"},
};

static void strangers_are_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        ct_expr output[2] = {read("x"), read(strangers[i].text)}, stranger = 0;
        assert_null(compile(output, 2, &stranger));
        assert_string_equal(text_of(stranger), strangers[i].stranger);
    }
    ct_expr none[1] = {0}, stranger = 7;
    assert_null(compile(none, 1, &stranger));
    assert_int_equal(stranger, 0);
    assert_non_null(compile(NULL, 0, &stranger));
}

/* ---- the tape as text */

static const char small_tape[] = "constant s0 = 3\n"
                                 "constant s1 = 2\n"
                                 "constant s2 = 0\n"
                                 "constant s3 = 1\n"
                                 "parameters s4..s7\n"
                                 "prepare\n"
                                 "  add 1\n"
                                 "    s8 = s4 s3\n"
                                 "  mul 1\n"
                                 "    s9 = s4 s5\n"
                                 "  s11=s1\n"
                                 "  s12=s2\n"
                                 "  s13=s3\n"
                                 "  s14=s4\n"
                                 "  s16=s2\n"
                                 "variables s17..s22\n"
                                 "run\n"
                                 "  table 1\n"
                                 "    s23 = s10..s16 s10=s20 s15=s17\n"
                                 "  mul 1\n"
                                 "    s24 = s19 s0\n"
                                 "  submul 1\n"
                                 "    s25 = s20 s9 s24\n"
                                 "  sincos 1\n"
                                 "    s26, s27 = s21\n"
                                 "  mul 1\n"
                                 "    s28 = s27 s27\n"
                                 "  div 1\n"
                                 "    s29 = s26 s22\n"
                                 "  sub 1\n"
                                 "    s30 = s29 s25\n"
                                 "outputs s30 s28 s23 s8\n";

static void a_small_tape(void **state)
{
    (void)state;
    ct_expr output[] = {read("k*x*p + sin(y)/z - 3*w"), read("cos(y)^2"),
                        read("table(x, 2, 0, 1, k, u, 0)"), read("k + 1")};
    assert_string_equal(dump_of(compiled(output, 4)), small_tape);
}

/* The same expressions, made in another order among others, give the same tape. */
static void tapes_do_not_depend_on_history(void **state)
{
    (void)state;
    static const char *const text[] = {"sin(x)*k + y^2/(x + p)", "cos(x) - x*y*z*k*p",
                                       "(x + p)*(y - z)^3 + sin(x)"};
    const char *first = NULL;
    for (int round = 0; round < 3; round++) {
        ct_expr output[3];
        renew_pool();
        for (int i = 0; i < 40 * round; i++)
            read(text[(i * 7 + round) % 3]), ct_expr_int(pool, 1000 - i);
        for (int i = 0; i < 3; i++)
            output[(i + round) % 3] = read(text[(i + round) % 3]);
        const char *dump = dump_of(compiled(output, 3));
        first = first ? first : dump;
        assert_string_equal(first, dump);
    }
}

/* ---- size: deep, long and large */

static double run_once(const ct_program *program)
{
    double *work = CT_NEW_ARRAY(arena, double, ct_program_work(program)), result;
    ct_program_prepare(program, parameter_value, work);
    ct_program_run(program, variable_value, &result, work);
    return result;
}

static void deep_and_long_expressions(void **state)
{
    (void)state;
    enum { SIZE = 50000 };
    ct_expr x = read("x"), y = read("y"), deep = x, *term = CT_NEW_ARRAY(arena, ct_expr, SIZE);
    seed = 5;
    random_point();
    for (int i = 0; i < SIZE; i++) {
        deep = ct_expr_add(pool, y, ct_expr_call1(pool, CT_OP_SIN, deep));
        term[i] = ct_expr_call1(pool, CT_OP_COS, ct_expr_mul(pool, x, ct_expr_int(pool, i)));
    }
    ct_expr wide = ct_expr_sum(pool, term, SIZE);
    assert_true(run_once(compiled(&deep, 1)) == ct_expr_value(pool, deep, lookup, NULL));
    const ct_program *program = compiled(&wide, 1);
    assert_true(run_once(program) == ct_expr_value(pool, wide, lookup, NULL));
    assert_true(ct_program_runs(program) < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROGRAM_TEST(values_at_a_point),
        PROGRAM_TEST(operations_are_split),
        PROGRAM_TEST(strangers_are_reported),
        PROGRAM_TEST(a_small_tape),
        PROGRAM_TEST(tapes_do_not_depend_on_history),
        PROGRAM_TEST(random_values_without_parameters),
        PROGRAM_TEST(random_values_with_parameters),
        PROGRAM_TEST(deep_and_long_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
