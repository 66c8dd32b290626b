/* pool.h - inside the expression folder: nodes, the unique table, and what the files share. */
#ifndef CT_EXPR_POOL_H
#define CT_EXPR_POOL_H

#include "base/vec.h"
#include "expr/expr.h"
#include "expr/number.h"

/* Operands stand in pool->word from `first`:
 *
 *     SUM      c0, x1, c1, x2, c2, ...   count terms; all of them nodes, c numbers
 *     PRODUCT  c, x1, p1, x2, p2, ...
 *     CALL     x1, x2, ...
 *     SYMBOL   first is the name itself
 *     NUMBER   first is the index in pool->number
 *
 * `lead` are the first two names met inside; they keep the order of terms readable. */
typedef struct ct_expr_node {
    uint8_t kind, op;
    bool held; /* a sum or product that stays whole inside of others */
    uint32_t count, first;
    ct_name lead[2];
    uint64_t fingerprint;
} ct_expr_node;

/* A term (coefficient * x) or a factor (x ^ coefficient) while it is being collected. */
typedef struct ct_collected {
    ct_expr x, c;
} ct_collected;

struct ct_memo_way {
    uint32_t head, bound;
};

/* What one walk needs, kept for the next one. A node is known to the walk when its mark is the
 * walk's stamp. */
typedef struct ct_walk {
    struct ct_walk *next;
    uint32_t stamp, room;
    uint32_t *mark;
    union ct_memo {
        ct_expr e;
        double real;
        struct ct_memo_way way;
    } * memo;
    CT_VEC(ct_expr) stack;
    CT_VEC(ct_expr) order;  /* of the nodes found: operands before users */
    CT_VEC(double) operand; /* scratch of ct_expr_value() */
} ct_walk;

enum { CT_SMALL_RANGE = 16 };

enum { CT_INVERSES = 256 };

struct ct_pool {
    ct_context *ctx;
    ct_arena *arena;
    CT_VEC(ct_expr_node) node; /* node[0] is unused */
    CT_VEC(uint32_t) word;
    CT_VEC(ct_number) number;
    CT_VEC(ct_expr) symbol; /* by name */
    CT_VEC(uint64_t) key;   /* by name: the first characters, in the order of names */
    ct_expr small[2 * CT_SMALL_RANGE + 1]; /* integers, once they are met */
    uint64_t *slot;                        /* open addressing: tag << 32 | node */
    uint32_t slot_count;
    CT_VEC(ct_collected) pair; /* a stack: nested constructors use what is above */
    CT_VEC(ct_collected) sorted;
    ct_walk *idle;
    struct {
        uint64_t of, is;
    } inverse[CT_INVERSES]; /* those found lately, by their last bits */
};

/* These nodes are in every pool. */
enum { CT_ZERO = 1, CT_ONE, CT_MINUS_ONE, CT_HALF, CT_TWO };

static inline const ct_expr_node *ct_node_at(const ct_pool *pool, ct_expr e)
{
    return &pool->node.at[e];
}
static inline const ct_number *ct_number_at(const ct_pool *pool, ct_expr e)
{
    return &pool->number.at[pool->node.at[e].first];
}
static inline bool ct_is(const ct_pool *pool, ct_expr e, ct_expr_kind kind)
{
    return pool->node.at[e].kind == kind;
}
static inline bool ct_is_call(const ct_pool *pool, ct_expr e, ct_op op)
{
    return pool->node.at[e].kind == CT_EXPR_CALL && pool->node.at[e].op == op;
}

/* ---- pool.c: making nodes. Words are in the layout above; the result may be an older node. They
 * may stand where those of the next node will, ct_word_room(): then nothing is copied. */
uint32_t *ct_word_room(ct_pool *pool, uint32_t count);
ct_expr ct_intern_number(ct_pool *pool, const ct_number *number);
ct_expr ct_intern_node(ct_pool *pool, ct_expr_kind kind, ct_op op, const uint32_t *word,
                       uint32_t word_count, uint64_t fingerprint);

/* ---- fingerprint.c */
uint64_t ct_fingerprint_number(const ct_number *number);
uint64_t ct_fingerprint_name(const ct_context *ctx, ct_name name);
uint64_t ct_fingerprint_node(ct_pool *pool, ct_expr_kind kind, ct_op op, const uint32_t *word,
                             uint32_t word_count);

/* ---- build.c: numbers as nodes */
ct_expr ct_num_add(ct_pool *pool, ct_expr a, ct_expr b);
ct_expr ct_num_mul(ct_pool *pool, ct_expr a, ct_expr b);
ct_expr ct_num_neg(ct_pool *pool, ct_expr a);
int ct_num_sign(const ct_pool *pool, ct_expr a);
void ct_sort_pairs(ct_pool *pool, uint32_t from); /* the pairs above `from`, by x */
ct_expr ct_make_call(ct_pool *pool, ct_op op, const ct_expr *operands, uint32_t count);

/* ---- ops.c */
enum {
    CT_ODD = 1,    /* f(-x) = -f(x) */
    CT_EVEN = 2,   /* f(-x) = f(x) */
    CT_SWAP = 4,   /* f(x, y) = f(y, x) */
    CT_CHAIN = 8,  /* f(x, y, z) = f(f(x, y), z) */
    CT_TRUTH = 16, /* gives 0 or 1 only */
};

/* How tightly an operator binds, as in the model language; what is not in ops.def stands here too.
 */
enum {
    CT_BIND_FUNCTION,
    CT_BIND_IF,
    CT_BIND_OR,
    CT_BIND_AND,
    CT_BIND_NOT,
    CT_BIND_COMPARE,
    CT_BIND_SUM,
    CT_BIND_PRODUCT,
    CT_BIND_POWER,
    CT_BIND_ATOM,
};

typedef ct_expr (*ct_fold_fn)(ct_pool *pool, const ct_expr *x, uint32_t count);

typedef struct ct_op_row {
    int arity;
    const char *word, *latex;
    int strength; /* how tightly it binds in text; 0: written as a function */
    int traits;
    ct_fold_fn fold;          /* exact values and cheap rules; NULL: none */
    const char *differential; /* NULL: not differentiable */
    ct_op_rule rule;
    const char *matlab, *python; /* spellings */
} ct_op_row;

const ct_op_row *ct_op_at(ct_op op);

/* ---- fold.c, named in ops.def */
ct_expr ct_fold_zero(ct_pool *pool, const ct_expr *x, uint32_t count); /* f(0) = 0 */
ct_expr ct_fold_one(ct_pool *pool, const ct_expr *x, uint32_t count);  /* f(0) = 1 */
ct_expr ct_fold_sinh(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_asinh(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_root(ct_pool *pool, const ct_expr *x, uint32_t count); /* f(1) = 0 */
ct_expr ct_fold_log(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_atan2(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_sqrt(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_pow(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_abs(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_sign(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_step(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_floor(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_mod(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_min(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_max(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_clamp(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_pulse(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_less(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_less_equal(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_greater(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_greater_equal(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_equal(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_unequal(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_and(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_or(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_not(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_if(ct_pool *pool, const ct_expr *x, uint32_t count);
ct_expr ct_fold_still(ct_pool *pool, const ct_expr *x, uint32_t count); /* f(number) = 0 */
ct_expr ct_fold_same(ct_pool *pool, const ct_expr *x, uint32_t count);  /* f(number) = number */

/* ---- value.c, table.c, reader.c */
double ct_table_value(const double *v, uint32_t count, int derivative);
/* Reads the differential of an operator applied to x: a, b, c are operands, a', b', c' their
 * differentials, y the call itself, and * in a list stands for all operands. */
ct_expr ct_read_differential(ct_pool *pool, const char *text, ct_expr y, const ct_expr *dx);

/* ---- walk.c */
ct_walk *ct_walk_begin(ct_pool *pool, const ct_expr *roots, uint32_t count);
void ct_walk_end(ct_pool *pool, ct_walk *walk);
static inline bool ct_walk_met(const ct_walk *walk, ct_expr e)
{
    return e < walk->room && walk->mark[e] == walk->stamp;
}

#endif
