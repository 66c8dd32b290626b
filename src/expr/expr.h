/* expr.h - expressions: immutable nodes of a shared, hash-consed DAG.
 *
 * A ct_expr is a number that names a node of its pool; equal expressions have equal numbers.
 * Numbers are exact rationals of any size; a double enters only where the user's number is not
 * exact. Sums and products are n-ary and sorted by a deterministic order (never by address or by
 * creation): building the same thing in another order gives the same node. Constructors apply cheap
 * canonical rules only (top of build.c), among them: b - a is the product -1 * (a - b); nothing is
 * expanded. An operand 0 (none) makes the result 0.
 *
 * Every node carries a fingerprint in GF(p), p near 2^61: its value at a pseudo-random point, with
 * sin and cos as points of the field's circle. Equal values share a node however they were built.
 * See fingerprint.c.
 *
 * All walks are iterative: depth is limited by memory, not by the stack.
 */
#ifndef CT_EXPR_EXPR_H
#define CT_EXPR_EXPR_H

#include "base/context.h"
#include "base/text.h"

typedef struct ct_pool ct_pool;

/* Kinds of nodes (ct_expr_kind, cotree.h). Terms of a sum are neither numbers nor sums, unless
 * these have 128 terms or more; factors of a product neither numbers nor products, unless the
 * exponent is a fraction, sqrt(x*y), 2^(1/3), or the factor has 32 factors or more. */

/* Operators: one row each in ops.def. */
typedef enum ct_op {
#define OP(name, arity, word, latex, value, ...) CT_OP_##name,
#include "expr/ops.def"
#undef OP
    CT_OP_COUNT
} ct_op;

/* What a function asks of the dimensions of its arguments, and gives. */
typedef enum ct_op_rule {
    CT_RULE_NONE,     /* is not called by its word */
    CT_RULE_ONE,      /* dimensionless arguments, dimensionless result */
    CT_RULE_SAME,     /* all alike, the result too */
    CT_RULE_RATIO,    /* all alike, result dimensionless */
    CT_RULE_ANY,      /* anything, result dimensionless */
    CT_RULE_ROOT,     /* square root of the argument's */
    CT_RULE_RATE,     /* per second */
    CT_RULE_INTEGRAL, /* times second */
} ct_op_rule;

/* How an operator is called in models: how many arguments it takes. */
typedef struct ct_function {
    const char *word;
    ct_op op;
    uint32_t least, most;
    ct_op_rule rule;
} ct_function;

enum { CT_MOST_CHAINED = 64 }; /* arguments of min, max */

ct_pool *ct_pool_new(ct_context *ctx);
/* The same nodes with the same numbers, in a context with the same names. */
ct_pool *ct_pool_copy(const ct_pool *from, ct_context *own);
void ct_pool_free(ct_pool *pool);
ct_arena *ct_pool_arena(ct_pool *pool);
uint32_t ct_pool_count(const ct_pool *pool); /* nodes; they are 1..count */

/* ---- leaves */
ct_expr ct_expr_int(ct_pool *pool, int64_t value);
ct_expr ct_expr_ratio(ct_pool *pool, int64_t num, int64_t den); /* den != 0 */
/* "1.5e-6", exact; 0: not a number, or exponent beyond 4000 */
ct_expr ct_expr_decimal(ct_pool *pool, const char *text, size_t length);
/* inexact; an integer below 2^53 becomes exact */
ct_expr ct_expr_real(ct_pool *pool, double value);
ct_expr ct_expr_symbol(ct_pool *pool, ct_name name);

/* ---- constructors */
ct_expr ct_expr_add(ct_pool *pool, ct_expr a, ct_expr b);
ct_expr ct_expr_sub(ct_pool *pool, ct_expr a, ct_expr b);
ct_expr ct_expr_mul(ct_pool *pool, ct_expr a, ct_expr b);
ct_expr ct_expr_div(ct_pool *pool, ct_expr a, ct_expr b); /* 0 when b is the number 0 */
ct_expr ct_expr_neg(ct_pool *pool, ct_expr a);
ct_expr ct_expr_pow(ct_pool *pool, ct_expr a, ct_expr b); /* 0 for 0 to a negative power */
ct_expr ct_expr_sum(ct_pool *pool, const ct_expr *terms, uint32_t count); /* near-linear */
ct_expr ct_expr_product(ct_pool *pool, const ct_expr *factors, uint32_t count);
ct_expr ct_expr_call(ct_pool *pool, ct_op op, const ct_expr *operands, uint32_t count);
ct_expr ct_expr_call1(ct_pool *pool, ct_op op, ct_expr a);
ct_expr ct_expr_call2(ct_pool *pool, ct_op op, ct_expr a, ct_expr b);

/* e itself, which from now on stays one operand inside of sums and products instead of being taken
 * apart. For results that many others use: the DAG then shares them as they were computed.
 * Rebuilding keeps it. */
ct_expr ct_expr_hold(ct_pool *pool, ct_expr e);

/* ---- inspection */
ct_expr_kind ct_expr_kind_of(const ct_pool *pool, ct_expr e);
ct_op ct_expr_op(const ct_pool *pool, ct_expr e);       /* of a CALL */
ct_name ct_expr_name(const ct_pool *pool, ct_expr e);   /* of a SYMBOL */
uint32_t ct_expr_arity(const ct_pool *pool, ct_expr e); /* terms, factors, operands; 0 for leaves */
ct_expr ct_expr_operand(const ct_pool *pool, ct_expr e, uint32_t i);
/* of term i of a SUM, as a number; exponent of factor i of a PRODUCT */
ct_expr ct_expr_coefficient(ct_pool *pool, ct_expr e, uint32_t i);
ct_expr ct_expr_constant(ct_pool *pool, ct_expr e); /* c0 of a SUM, c of a PRODUCT */
bool ct_expr_is_zero(const ct_pool *pool, ct_expr e);
bool ct_expr_is_one(const ct_pool *pool, ct_expr e);
bool ct_expr_is_number(const ct_pool *pool, ct_expr e);
bool ct_expr_is_exact(const ct_pool *pool, ct_expr e); /* a rational number */
/* false: not an integer that fits */
bool ct_expr_to_int(const ct_pool *pool, ct_expr e, int64_t *value);
double ct_expr_to_double(const ct_pool *pool, ct_expr e);       /* of a number; correctly rounded */
uint64_t ct_expr_fingerprint(const ct_pool *pool, ct_expr e);   /* 0 .. p-1 */
int ct_expr_compare(const ct_pool *pool, ct_expr a, ct_expr b); /* the deterministic order */

/* ---- operators */
const char *ct_op_word(ct_op op); /* in the model language: "sin", "<=" */
int ct_op_arity(ct_op op);        /* -1: any number */
double ct_op_value(ct_op op, const double *v, uint32_t count);
const char *ct_op_differential(ct_op op); /* in the model language; NULL: none */
/* Spellings in other languages: columns of ops.def. */
const char *ct_op_matlab(ct_op op);
const char *ct_op_python(ct_op op);
/* The function of this operator; false: it is not called by its word. */
bool ct_function_of(ct_op op, ct_function *function);
bool ct_function_find(const char *word, ct_function *function);
bool ct_op_find(const char *word, ct_op *op); /* functions by their word */

/* ---- calculus and rewriting; each call walks the shared DAG once */
ct_expr ct_expr_diff(ct_pool *pool, ct_expr e, ct_name symbol); /* partial; 0: not differentiable */
/* Of many expressions at once, sharing the walk. 0 in, 0 out. */
void ct_expr_diff_all(ct_pool *pool, const ct_expr *e, ct_expr *out, uint32_t count,
                      ct_name symbol);
/* Differentials of many expressions: that of symbol[i] is differential[i], of other symbols 0. The
 * size of all results is a few times that of the expressions. 0 in gives 0; returns a part that is
 * not differentiable, 0: there is none. */
ct_expr ct_expr_differentials(ct_pool *pool, const ct_expr *e, ct_expr *out, uint32_t count,
                              const ct_name *symbol, const ct_expr *differential, uint32_t symbols);
/* Simultaneous substitution; value[i] replaces symbol[i], values are not searched again. 0: it
 * leads to a division by zero. */
ct_expr ct_expr_substitute(ct_pool *pool, ct_expr e, const ct_name *symbol, const ct_expr *value,
                           uint32_t count);
/* The same for many expressions at once, sharing the walk. 0 in, 0 out. */
void ct_expr_substitute_all(ct_pool *pool, const ct_expr *in, ct_expr *out, uint32_t expr_count,
                            const ct_name *symbol, const ct_expr *value, uint32_t count);
/* For readers: sinh and cosh of twice and of half an asinh as roots, which they are. */
ct_expr ct_expr_as_roots(ct_pool *pool, ct_expr e);
/* The same expressions in another pool, whose own rules decide their form. */
/* e of one pool in another, with these operands. */
ct_expr ct_expr_rebuild_in(ct_pool *to, ct_pool *from, ct_expr e, const ct_expr *operand);
void ct_expr_copy_all(ct_pool *to, ct_pool *from, const ct_expr *in, ct_expr *out, uint32_t count);
/* The same node with other operands; coefficients and exponents stay. */
ct_expr ct_expr_rebuild(ct_pool *pool, ct_expr e, const ct_expr *operand);
/* sum of c[i]*x[i]; without nodes for the products where c is a number. */
ct_expr ct_expr_combine(ct_pool *pool, const ct_expr *c, const ct_expr *x, uint32_t count);
/* Gives back the memory of walks: for a pause. */
void ct_pool_rest(ct_pool *pool);
bool ct_expr_has(ct_pool *pool, ct_expr e, ct_name symbol);
/* Symbols in e, in the deterministic order of names; returns how many, *symbols lives in the pool's
 * arena. */
uint32_t ct_expr_symbols(ct_pool *pool, ct_expr e, const ct_name **symbols);
/* e = sum of coefficient[i]*symbol[i] + rest, with coefficients and rest free of these symbols;
 * false: not linear. */
bool ct_expr_linear(ct_pool *pool, ct_expr e, const ct_name *symbol, uint32_t count,
                    ct_expr *coefficient, ct_expr *rest);
/* Calls visit once for every distinct node below e, operands before users. */
void ct_expr_walk(ct_pool *pool, const ct_expr *roots, uint32_t count,
                  void (*visit)(void *user, ct_expr e), void *user);

/* Numeric value; lookup gives the value of a symbol (NaN: unknown makes the result NaN). */
double ct_expr_value(ct_pool *pool, ct_expr e, double (*lookup)(const void *user, ct_name symbol),
                     const void *user);
/* Of many at once, each shared part once; none of them is 0. */
void ct_expr_values(ct_pool *pool, const ct_expr *e, uint32_t count,
                    double (*lookup)(const void *user, ct_name symbol), const void *user,
                    double *out);

/* ---- printing, from the operator table */
/* Model language; exact expressions read back as the same node. */
void ct_expr_put(ct_pool *pool, ct_text *out, ct_expr e);
/* The same for readers: 1/2800000000000 is 3.57143e-13. LaTeX does so, too. */
void ct_expr_put_read(ct_pool *pool, ct_text *out, ct_expr e);
/* As much as fits into about `most` bytes; false: there is more. Shared parts are written each
 * time, so that a small expression can have a text without end. */
bool ct_expr_put_within(ct_pool *pool, ct_text *out, ct_expr e, size_t most);
/* For dumps: a text that grows too long ends early. */
void ct_expr_put_some(ct_pool *pool, ct_text *out, ct_expr e);
/* R_{2} \dot{v}_{4} ..., for math mode */
void ct_expr_put_latex(ct_pool *pool, ct_text *out, ct_expr e);
/* C4.v: v_{C4}, R2: R_{2}, theta1: \theta_{1} */
void ct_latex_symbol(ct_text *out, const char *name);

#endif
