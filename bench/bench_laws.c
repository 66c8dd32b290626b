/* bench_laws.c - nanoseconds of one evaluation of a component's law with its derivatives, in lanes:
 * by the tape in vectors of two, in vectors of four (AVX2), and by machine code for four lanes.
 *
 *     bench_laws */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compile/lanes.h"

enum { MOST = 32, REPEATS = 15, CALLS = 20000 };

typedef struct bench {
    ct_context *ctx;
    ct_pool *pool;
    ct_arena *arena;
    ct_name variable[MOST], parameter[MOST];
    double at[MOST], value[MOST]; /* of variables, about; of parameters */
    uint32_t variables, parameters;
    ct_expr row[MOST];
    uint32_t rows;
} bench;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ct_expr symbol(bench *b, const char *text, double value, bool varies)
{
    uint32_t i = varies ? b->variables++ : b->parameters++;
    size_t length = 0;
    while (text[length])
        length++;
    ct_name name = ct_intern(b->ctx, text, length);
    (varies ? b->variable : b->parameter)[i] = name;
    (varies ? b->at : b->value)[i] = value;
    return ct_expr_symbol(b->pool, name);
}

#define V(name, value)  name = symbol(b, #name, value, true)
#define P(name, value)  name = symbol(b, #name, value, false)
#define NUMBER(x)       ct_expr_real(b->pool, x)
#define ADD(x, y)       ct_expr_add(b->pool, x, y)
#define SUB(x, y)       ct_expr_sub(b->pool, x, y)
#define MUL(x, y)       ct_expr_mul(b->pool, x, y)
#define DIV(x, y)       ct_expr_div(b->pool, x, y)
#define CALL1(op, x)    ct_expr_call1(b->pool, CT_OP_##op, x)
#define CALL2(op, x, y) ct_expr_call(b->pool, CT_OP_##op, (ct_expr[]){x, y}, 2)

/* exp(min(u, 80))*(1 + max(u - 80, 0)) */
static ct_expr limited(const bench *b, ct_expr u)
{
    ct_expr most = NUMBER(80);
    ct_expr line = ADD(NUMBER(1), CALL2(MAX, SUB(u, most), NUMBER(0)));
    return MUL(CALL1(EXP, CALL2(MIN, u, most)), line);
}

static ct_expr junction(const bench *b, ct_expr is, ct_expr v, ct_expr nvt)
{
    return MUL(is, SUB(limited(b, DIV(v, nvt)), NUMBER(1)));
}

static void diode(bench *b)
{
    ct_expr V(v, 0.6);
    ct_expr P(is, 1e-14), P(nvt, 0.026), P(gmin, 1e-12);
    b->row[b->rows++] = ADD(junction(b, is, v, nvt), MUL(gmin, v));
}

/* Gummel and Poon, as spice_npn of the library. */
static void transistor(bench *b)
{
    ct_expr V(be, 0.65), V(bc, -3);
    ct_expr P(is, 1e-16), P(nf, 0.0259), P(nr, 0.0259), P(vaf, 80), P(var, 20), P(ikf, 0.1),
        P(ikr, 0.01);
    ct_expr P(ise, 1e-15), P(isc, 1e-15), P(ne, 0.039), P(nc, 0.052), P(bf, 200), P(br, 2),
        P(gmin, 1e-12);
    ct_expr forward = junction(b, is, be, nf), reverse = junction(b, is, bc, nr);
    ct_expr width = CALL2(MAX, SUB(SUB(NUMBER(1), DIV(bc, vaf)), DIV(be, var)), NUMBER(1e-3));
    ct_expr high = ADD(DIV(forward, ikf), DIV(reverse, ikr));
    ct_expr root = CALL1(SQRT, CALL2(MAX, ADD(NUMBER(1), MUL(NUMBER(4), high)), NUMBER(1e-3)));
    ct_expr transport =
        DIV(MUL(MUL(NUMBER(2), SUB(forward, reverse)), width), ADD(NUMBER(1), root));
    ct_expr to_e = ADD(ADD(DIV(forward, bf), junction(b, ise, be, ne)), MUL(gmin, be));
    ct_expr to_c = ADD(ADD(DIV(reverse, br), junction(b, isc, bc, nc)), MUL(gmin, bc));
    b->row[b->rows++] = ADD(transport, to_e);
    b->row[b->rows++] = SUB(to_c, transport);
}

/* Level 1 with body effect, as spice_nmos of the library. */
static void mos(bench *b)
{
    ct_expr V(gs, 2), V(ds, 1), V(bs, -1);
    ct_expr P(vto, 0.7), P(kp, 1e-4), P(gamma, 0.4), P(phi, 0.6), P(lambda, 0.02), P(gmin, 1e-12);
    ct_expr zero = NUMBER(0), bulk = CALL2(MAX, bs, SUB(bs, ds));
    ct_expr deep = CALL1(SQRT, SUB(phi, CALL2(MIN, bulk, zero)));
    ct_expr line = DIV(CALL2(MAX, bulk, zero), MUL(NUMBER(2), CALL1(SQRT, phi)));
    ct_expr depletion = CALL2(MAX, SUB(deep, line), zero);
    ct_expr threshold = ADD(vto, MUL(gamma, SUB(depletion, CALL1(SQRT, phi))));
    ct_expr over_s = CALL2(MAX, SUB(gs, threshold), zero);
    ct_expr over_d = CALL2(MAX, SUB(SUB(gs, ds), threshold), zero);
    ct_expr squares = SUB(MUL(over_s, over_s), MUL(over_d, over_d));
    ct_expr early = ADD(NUMBER(1), MUL(lambda, CALL1(ABS, ds)));
    b->row[b->rows++] = ADD(MUL(MUL(DIV(kp, NUMBER(2)), squares), early), MUL(gmin, ds));
}

/* Depletion capacitance: a power whose exponent is a parameter. */
static void capacitor(bench *b)
{
    ct_expr V(v, -0.7), V(rate, 1e6);
    ct_expr P(cj, 5e-12), P(vj, 0.75), P(m, 0.33), P(fc, 0.5);
    ct_expr one = NUMBER(1), u = DIV(v, vj), beyond = CALL2(MAX, SUB(u, fc), NUMBER(0));
    ct_expr deep = CALL2(POW, SUB(one, CALL2(MIN, u, fc)), ct_expr_neg(b->pool, m));
    ct_expr steep = CALL2(POW, SUB(one, fc), SUB(NUMBER(-1), m));
    b->row[b->rows++] = MUL(MUL(cj, ADD(deep, MUL(MUL(m, beyond), steep))), rate);
}

/* ---- measuring */

static void spread(const double *about, uint32_t count, double by, double *to)
{
    for (uint32_t i = 0; i < CT_LANES * count; i++)
        to[i] = about[i / CT_LANES] * (1 + by * (i % CT_LANES));
}

static double nanoseconds(const bench *b, const ct_program *program)
{
    double x[CT_LANES * MOST], p[CT_LANES * MOST], best = 1e9;
    double *work = CT_NEW_ARRAY(b->arena, double, ct_lanes_work(program) + 1);
    double *out = CT_NEW_ARRAY(b->arena, double, CT_LANES *MOST *MOST);
    spread(b->at, b->variables, 1e-3, x);
    spread(b->value, b->parameters, 1e-3, p);
    ct_lanes_prepare(program, p, work);
    for (int i = 0; i < REPEATS; i++) {
        double start = seconds();
        for (int k = 0; k < CALLS; k++)
            ct_lanes_run(program, x, out, work);
        double spent = (seconds() - start) / CALLS / CT_LANES;
        best = spent < best ? spent : best;
    }
    return 1e9 * best;
}

/* F, and its derivatives by the variables. */
static const ct_program *compile(bench *b)
{
    ct_expr culprit, *out = CT_NEW_ARRAY(b->arena, ct_expr, MOST * MOST);
    const ct_jacobian *j =
        ct_jacobian_new(b->arena, b->pool, b->row, b->rows, b->variable, b->variables, &culprit);
    if (!j)
        exit(1);
    for (uint32_t i = 0; i < b->rows + j->count; i++)
        out[i] = i < b->rows ? b->row[i] : j->entry[i - b->rows];
    ct_program_def def = {.pool = b->pool,
                          .parameter = b->parameter,
                          .parameter_count = b->parameters,
                          .variable = b->variable,
                          .variable_count = b->variables,
                          .output = out,
                          .output_count = b->rows + j->count,
                          .lanes = true,
                          .seldom = true};
    return ct_program_new(b->arena, &def, &culprit);
}

static double time_law(void (*make)(bench *b), bool native, bool wide, uint32_t *operations)
{
    ct_context_def def = ct_default_context_def();
    def.native = native;
    def.wide = wide;
    bench b = {.ctx = ct_context_new(&def)};
    b.pool = ct_pool_new(b.ctx);
    b.arena = ct_arena_new(b.ctx);
    make(&b);
    const ct_program *program = compile(&b);
    double time = nanoseconds(&b, program);
    *operations = ct_program_operations(program);
    ct_arena_free(b.arena);
    ct_pool_free(b.pool);
    ct_context_free(b.ctx);
    return time;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*make)(bench *b);
    } laws[] = {{"diode", diode},
                {"BJT, Gummel and Poon", transistor},
                {"MOS, level 1", mos},
                {"junction capacitor", capacitor}};
    printf("ns of a law and its derivatives: tape by two, by four, machine code\n");
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        uint32_t operations = 0;
        double two = time_law(laws[i].make, false, false, &operations);
        double four = time_law(laws[i].make, false, true, &operations);
        double code = time_law(laws[i].make, true, true, &operations);
        printf("%-24s %4u operations %8.2f %8.2f %8.2f\n", laws[i].name, operations, two, four,
               code);
    }
    return 0;
}
