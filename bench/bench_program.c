/* bench_program.c - compile time and nanoseconds per operation, of the tape and of machine code.
 *
 *   mixed   random DAG of sums, products, quotients and circle functions, as an elimination gives
 *   ladder  RC ladder with a cubic leak: few symbols per equation, many equations
 *   chain   a continued fraction: every operation waits for the one before it, the worst case
 *
 *     bench_program [LARGEST SIZE] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compile/program.h"

enum { SYMBOLS = 64, WINDOW = 96, REPEATS = 7 };

typedef struct model {
    ct_context *ctx;
    ct_pool *pool;
    ct_arena *arena;
    ct_name *parameter, *variable;
    ct_expr *output;
    uint32_t parameters, variables, outputs;
} model;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static ct_name *make_names(const model *m, const char *stem, uint32_t count)
{
    ct_name *list = CT_NEW_ARRAY(m->arena, ct_name, count);
    for (uint32_t i = 0; i < count; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "%s%u", stem, i);
        list[i] = ct_intern(m->ctx, text, (size_t)length);
    }
    return list;
}

static ct_expr variable(const model *m, uint32_t i)
{
    return ct_expr_symbol(m->pool, m->variable[i]);
}

static ct_expr parameter(const model *m, uint32_t i)
{
    return ct_expr_symbol(m->pool, m->parameter[i]);
}

static void open_model(model *m, uint32_t parameters, uint32_t variables, uint32_t outputs)
{
    *m = (model){.ctx = ct_context_new(NULL),
                 .parameters = parameters,
                 .variables = variables,
                 .outputs = outputs};
    m->pool = ct_pool_new(m->ctx);
    m->arena = ct_arena_new(m->ctx);
    m->parameter = make_names(m, "p", parameters);
    m->variable = make_names(m, "x", variables);
    m->output = CT_NEW_ARRAY(m->arena, ct_expr, outputs);
}

/* ---- models */

/* Products of two, then sums of two, from recent ones. */
static ct_expr mixed_node(model *m, ct_expr a, ct_expr b, uint64_t r)
{
    if (r % 64 == 0)
        return ct_expr_div(m->pool, a, variable(m, (uint32_t)(r >> 8) % SYMBOLS));
    if (r % 128 == 1)
        return ct_expr_call1(m->pool, r & 256 ? CT_OP_SIN : CT_OP_COS, a);
    if (ct_expr_kind_of(m->pool, a) == CT_EXPR_PRODUCT)
        return r & 512 ? ct_expr_add(m->pool, a, b) : ct_expr_sub(m->pool, a, b);
    return ct_expr_mul(m->pool, a, b);
}

static void make_mixed(model *m, uint32_t size)
{
    open_model(m, 0, SYMBOLS, WINDOW);
    ct_expr *recent = m->output;
    uint64_t state = 88172645463325252u;
    for (uint32_t i = 0; i < WINDOW; i++)
        recent[i] = variable(m, i % SYMBOLS);
    for (uint32_t made = 0, at = 0; made < size; at = (at + 1) % WINDOW) {
        ct_expr b = recent[next_random(&state) % WINDOW];
        ct_expr e = mixed_node(m, recent[at], b, next_random(&state));
        bool small = e && !ct_expr_is_number(m->pool, e) && ct_expr_arity(m->pool, e) <= 4;
        recent[at] = small ? e : variable(m, (uint32_t)(next_random(&state) % SYMBOLS));
        made += small;
    }
}

/* C v' = (v1 - v)/R - (v - v2)/R - G v^3 */
static void make_ladder(model *m, uint32_t size)
{
    open_model(m, 3 * size, size + 2, size);
    for (uint32_t i = 0; i < size; i++) {
        ct_expr v = variable(m, i + 1), c = parameter(m, 3 * i), r = parameter(m, 3 * i + 1);
        ct_expr left = ct_expr_div(m->pool, ct_expr_sub(m->pool, variable(m, i), v), r);
        ct_expr right = ct_expr_div(m->pool, ct_expr_sub(m->pool, v, variable(m, i + 2)), r);
        ct_expr leak = ct_expr_pow(m->pool, v, ct_expr_int(m->pool, 3));
        leak = ct_expr_mul(m->pool, parameter(m, 3 * i + 2), leak);
        ct_expr sum = ct_expr_sub(m->pool, ct_expr_sub(m->pool, left, right), leak);
        m->output[i] = ct_expr_div(m->pool, sum, c);
    }
}

static void make_chain(model *m, uint32_t size)
{
    open_model(m, 0, SYMBOLS, 1);
    ct_expr e = variable(m, 0);
    for (uint32_t i = 1; i < size; i++)
        e = ct_expr_add(m->pool, variable(m, i % SYMBOLS),
                        ct_expr_div(m->pool, variable(m, (i + 7) % SYMBOLS), e));
    m->output[0] = e;
}

/* ---- measuring */

static double *make_values(const model *m, uint32_t count)
{
    double *value = CT_NEW_ARRAY(m->arena, double, count);
    for (uint32_t i = 0; i < count; i++)
        value[i] = 0.5 + (double)(i % 37) / 50;
    return value;
}

static double time_run(const model *m, const ct_program *program, uint32_t outputs)
{
    double *work = CT_NEW_ARRAY(m->arena, double, ct_program_work(program));
    double *output = CT_NEW_ARRAY(m->arena, double, outputs), best = 1e9;
    const double *value = make_values(m, m->variables);
    long calls = 1 + 4000000 / (1 + (long)ct_program_operations(program));
    ct_program_prepare(program, make_values(m, m->parameters), work);
    for (int i = 0; i < REPEATS; i++) {
        double start = seconds();
        for (long k = 0; k < calls; k++)
            ct_program_run(program, value, output, work);
        double spent = (seconds() - start) / (double)calls;
        best = spent < best ? spent : best;
    }
    return best;
}

typedef struct timing {
    double compile, call; /* seconds */
    uint32_t operations, runs;
} timing;

static timing time_one(const model *m, const ct_expr *output, uint32_t outputs, bool native)
{
    ct_program_def def = {.pool = m->pool,
                          .parameter = m->parameter,
                          .parameter_count = m->parameters,
                          .variable = m->variable,
                          .variable_count = m->variables,
                          .output = output,
                          .output_count = outputs,
                          .seldom = !native};
    ct_expr stranger;
    const ct_program *program = NULL;
    timing t = {.compile = 1e9};
    for (int i = 0; i < 3; i++) {
        double start = seconds();
        program = ct_program_new(m->arena, &def, &stranger);
        double spent = seconds() - start;
        if (!program)
            exit(1);
        t.compile = spent < t.compile ? spent : t.compile;
    }
    t.operations = ct_program_operations(program);
    t.runs = ct_program_runs(program);
    t.call = time_run(m, program, outputs);
    return t;
}

static void measure(const model *m, const char *name, const ct_expr *output, uint32_t outputs)
{
    timing tape = time_one(m, output, outputs, false), native = time_one(m, output, outputs, true);
    double operations = tape.operations;
    printf("%-16s %8u operations %6u per run  compile %5.0f, %5.0f ns/op  call %10.3f, %10.3f us  "
           "%5.2f, %5.2f ns/op\n",
           name, tape.operations, tape.operations / (1 + tape.runs),
           1e9 * tape.compile / operations, 1e9 * native.compile / operations, 1e6 * tape.call,
           1e6 * native.call, 1e9 * tape.call / operations, 1e9 * native.call / operations);
}

static void measure_jacobian(const model *m, const char *name)
{
    ct_expr culprit;
    uint32_t before = ct_pool_count(m->pool);
    double start = seconds();
    const ct_jacobian *j = ct_jacobian_new(m->arena, m->pool, m->output, m->outputs, m->variable,
                                           m->variables, &culprit);
    if (!j)
        exit(1);
    printf("%-16s %8u entries    jacobian %8.3f ms, %u nodes more\n", name, j->count,
           1e3 * (seconds() - start), ct_pool_count(m->pool) - before);
    measure(m, name, j->entry, j->count);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *jacobian;
        void (*make)(model *m, uint32_t size);
        uint32_t largest;
    } kinds[] = {
        {"mixed", NULL, make_mixed, 1000000},
        {"ladder", "ladder jacobian", make_ladder, 100000},
        {"chain", "chain jacobian", make_chain, 100000},
    };
    printf("first the tape, then machine code\n");
    uint32_t largest = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : UINT32_MAX;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t size = 100; size <= kinds[k].largest && size <= largest; size *= 10) {
            model m;
            kinds[k].make(&m, size);
            measure(&m, kinds[k].name, m.output, m.outputs);
            if (kinds[k].jacobian)
                measure_jacobian(&m, kinds[k].jacobian);
            ct_context_free(m.ctx);
        }
    return 0;
}
