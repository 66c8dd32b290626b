/* lower.c - expressions broken into instructions of one operation each.
 *
 *   sum      c0 + c1*x1 + ...    from the left: mul by |c|, then add or sub; first the terms that
 *                                hold no variable, so that prepare has their sum
 *   product  c * x1^p1 * ...     likewise the factors without variables; all factors with negative
 *                                exponents make one denominator: one division
 *   x^p      p whole             repeated squaring up to LARGEST_POWER
 *            p half-odd          the square root times a whole power
 *            otherwise           pow
 *
 * Equal instructions are made once. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "compile/tape.h"
#include "expr/pool.h"

/* Squaring doubles the relative error each time: beyond this pow is the better bargain. */
enum { LARGEST_POWER = 32 };

typedef struct lowering {
    ct_code *code;
    ct_arena *arena;
    ct_pool *pool;
    const ct_walk *walk;            /* its memo is the instruction of each expression */
    ct_map symbol, constant, ghost; /* ghost -> expression */
    uint32_t *slot;                 /* of the table of instructions, open addressing; 0: empty */
    uint32_t slot_count, used;
} lowering;

/* ---- making instructions */

static uint32_t push(ct_code *code, uint32_t op, bool varies, uint32_t a, uint32_t b, uint32_t c)
{
    CT_PUSH(code->arena, code->ins, (ct_ins){(uint16_t)op, varies, {a, b, c}});
    return code->ins.count - 1;
}

static bool varies(const lowering *l, uint32_t i)
{
    return l->code->ins.at[i].varies;
}

static uint64_t hash_of(const ct_ins *ins)
{
    return ct_hash_mix(ct_pair(ins->x[0], ins->x[1]), ct_pair(ins->x[2], ins->op));
}

static uint32_t *find_slot(const lowering *l, const ct_ins *wanted)
{
    uint32_t mask = l->slot_count - 1, i = (uint32_t)hash_of(wanted) & mask;
    for (; l->slot[i]; i = (i + 1) & mask) {
        const ct_ins *ins = &l->code->ins.at[l->slot[i]];
        if (ins->op == wanted->op && memcmp(ins->x, wanted->x, sizeof ins->x) == 0)
            break;
    }
    return &l->slot[i];
}

static void enlarge(lowering *l)
{
    uint32_t old_count = l->slot_count, *old = l->slot;
    l->slot_count = old_count ? 2 * old_count : 64;
    l->slot = CT_NEW_ARRAY(l->arena, uint32_t, l->slot_count);
    for (uint32_t i = 0; i < old_count; i++)
        if (old[i])
            *find_slot(l, &l->code->ins.at[old[i]]) = old[i];
}

/* Operands that are not there are 0. The sum and the product of two do not depend on their order.
 */
static uint32_t emit(lowering *l, uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
    if ((op == CT_TAPE_ADD || op == CT_TAPE_MUL) && a > b) {
        uint32_t swapped = a;
        a = b;
        b = swapped;
    }
    if (2 * (l->used + 1) > l->slot_count)
        enlarge(l);
    ct_ins ins = {(uint16_t)op, varies(l, a) || varies(l, b) || varies(l, c), {a, b, c}};
    uint32_t *slot = find_slot(l, &ins);
    if (!*slot) {
        *slot = push(l->code, op, ins.varies, a, b, c);
        l->used++;
    }
    return *slot;
}

static uint32_t constant(lowering *l, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t found = ct_map_get(&l->constant, bits);
    if (found)
        return found;
    CT_PUSH(l->arena, l->code->constant, value);
    uint32_t made = push(l->code, CT_TAPE_CONSTANT, false, l->code->constant.count - 1, 0, 0);
    ct_map_put(&l->constant, bits, made);
    return made;
}

static uint32_t multiply(lowering *l, uint32_t a, uint32_t b)
{
    return a && b ? emit(l, CT_TAPE_MUL, a, b, 0) : a ? a : b;
}

static uint32_t divide(lowering *l, uint32_t a, uint32_t b)
{
    return b ? emit(l, CT_TAPE_DIV, a ? a : constant(l, 1), b, 0) : a;
}

/* -(a - b) is b - a; a - b is dropped later if nobody else needs it. */
static uint32_t negate(lowering *l, uint32_t x)
{
    const ct_ins *ins = &l->code->ins.at[x];
    if (ins->op == CT_TAPE_SUB)
        return emit(l, CT_TAPE_SUB, ins->x[1], ins->x[0], 0);
    return emit(l, CT_TAPE_NEG, x, 0, 0);
}

/* ---- sums */

static uint32_t operand(const lowering *l, ct_expr e, uint32_t i)
{
    return l->walk->memo[ct_expr_operand(l->pool, e, i)].e;
}

static double coefficient(const lowering *l, ct_expr e, uint32_t i)
{
    ct_expr c = ct_expr_coefficient(l->pool, e, i);
    return c == CT_ONE ? 1 : c == CT_MINUS_ONE ? -1 : ct_expr_to_double(l->pool, c);
}

/* sum + c*x; sum 0: none yet. */
static uint32_t add_term(lowering *l, uint32_t sum, uint32_t x, double c)
{
    double size = sum ? fabs(c) : c;
    if (fabs(c) != 1)
        x = emit(l, CT_TAPE_MUL, x, constant(l, size), 0);
    if (!sum)
        return c == -1 ? negate(l, x) : x;
    return emit(l, c < 0 ? CT_TAPE_SUB : CT_TAPE_ADD, sum, x, 0);
}

/* The next term from i on that varies, or does not; the arity: none. */
static uint32_t next_term(const lowering *l, ct_expr e, uint32_t i, bool varying)
{
    uint32_t arity = ct_expr_arity(l->pool, e);
    while (i < arity && varies(l, operand(l, e, i)) != varying)
        i++;
    return i;
}

/* -x + y is begun with y, which is the same and saves the negation. */
static uint32_t add_terms(lowering *l, ct_expr e, uint32_t sum, bool varying)
{
    uint32_t arity = ct_expr_arity(l->pool, e), i = next_term(l, e, 0, varying);
    uint32_t second = next_term(l, e, i + 1, varying);
    if (!sum && second < arity && coefficient(l, e, i) < 0 && coefficient(l, e, second) > 0) {
        sum = add_term(l, 0, operand(l, e, second), coefficient(l, e, second));
        sum = add_term(l, sum, operand(l, e, i), coefficient(l, e, i));
        i = next_term(l, e, second + 1, varying);
    }
    for (; i < arity; i = next_term(l, e, i + 1, varying))
        sum = add_term(l, sum, operand(l, e, i), coefficient(l, e, i));
    return sum;
}

static uint32_t lower_sum(lowering *l, ct_expr e)
{
    ct_expr c0 = ct_expr_constant(l->pool, e);
    uint32_t sum = c0 == CT_ZERO ? 0 : constant(l, ct_expr_to_double(l->pool, c0));
    sum = add_terms(l, e, sum, false);
    return add_terms(l, e, sum, true);
}

/* ---- products */

static uint32_t whole_power(lowering *l, uint32_t x, uint32_t p)
{
    uint32_t power = 0;
    for (; p; p >>= 1) {
        if (p & 1)
            power = multiply(l, power, x);
        if (p > 1)
            x = multiply(l, x, x);
    }
    return power;
}

/* x^|p|; *below: it belongs to the denominator. */
static uint32_t lower_power(lowering *l, uint32_t x, double p, bool *below)
{
    double size = fabs(p);
    *below = p < 0;
    if (size <= LARGEST_POWER && 2 * size == floor(2 * size)) {
        uint32_t whole = (uint32_t)size;
        uint32_t root = size > whole ? emit(l, CT_OP_SQRT, x, 0, 0) : 0;
        return multiply(l, whole_power(l, x, whole), root);
    }
    *below = false;
    return emit(l, CT_OP_POW, x, constant(l, p), 0);
}

/* product times the factors that vary, or those that do not. */
static uint32_t multiply_factors(lowering *l, ct_expr e, uint32_t product, bool varying)
{
    uint32_t arity = ct_expr_arity(l->pool, e), denominator = 0;
    for (uint32_t i = 0; i < arity; i++) {
        uint32_t x = operand(l, e, i);
        bool below;
        if (varies(l, x) != varying)
            continue;
        uint32_t power = lower_power(l, x, coefficient(l, e, i), &below);
        if (below)
            denominator = multiply(l, denominator, power);
        else
            product = multiply(l, product, power);
    }
    return divide(l, product, denominator);
}

/* A sign is applied to the factors without variables if there are any, else at the end. */
static uint32_t lower_product(lowering *l, ct_expr e)
{
    ct_expr c = ct_expr_constant(l->pool, e);
    bool negative = c == CT_MINUS_ONE;
    uint32_t product = c == CT_ONE || negative ? 0 : constant(l, ct_expr_to_double(l->pool, c));
    product = multiply_factors(l, e, product, false);
    if (negative && product) {
        product = negate(l, product);
        negative = false;
    }
    product = multiply_factors(l, e, product, true);
    return negative ? negate(l, product) : product;
}

/* ---- calls and leaves */

static uint32_t lower_many(lowering *l, ct_expr e)
{
    ct_code *code = l->code;
    uint32_t count = ct_expr_arity(l->pool, e), first = code->list.count;
    bool varying = false;
    for (uint32_t i = 0; i < count; i++) {
        CT_PUSH(l->arena, code->list, operand(l, e, i));
        varying |= varies(l, operand(l, e, i));
    }
    return push(code, ct_expr_op(l->pool, e), varying, first, count, code->area_count++);
}

static uint32_t lower_call(lowering *l, ct_expr e)
{
    ct_op op = ct_expr_op(l->pool, e);
    uint32_t x[3] = {0};
    if (op == CT_OP_DER || op == CT_OP_INTEGRAL || op == CT_OP_PRE)
        return 0;
    if (op == CT_OP_WRITTEN)
        return operand(l, e, 0);
    if (ct_op_arity(op) < 0)
        return lower_many(l, e);
    for (uint32_t i = 0; i < ct_expr_arity(l->pool, e); i++)
        x[i] = operand(l, e, i);
    return emit(l, op == CT_OP_OVER ? (uint32_t)CT_TAPE_DIV : op, x[0], x[1], x[2]);
}

/* A symbol of a ghost is the instruction of its value, which was lowered before. */
static uint32_t lower_symbol(lowering *l, ct_name name)
{
    uint32_t ghost = ct_map_get(&l->ghost, name);
    return ghost ? l->walk->memo[ghost].e : ct_map_get(&l->symbol, name);
}

/* 0: it has no value here. */
static uint32_t lower_node(lowering *l, ct_expr e)
{
    switch (ct_expr_kind_of(l->pool, e)) {
    case CT_EXPR_NUMBER:
        return constant(l, ct_expr_to_double(l->pool, e));
    case CT_EXPR_SYMBOL:
        return lower_symbol(l, ct_expr_name(l->pool, e));
    case CT_EXPR_SUM:
        return lower_sum(l, e);
    case CT_EXPR_PRODUCT:
        return lower_product(l, e);
    case CT_EXPR_CALL:
        return lower_call(l, e);
    }
    return 0;
}

static void push_leaves(lowering *l, uint32_t op, const ct_name *name, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ct_map_put(&l->symbol, name[i], push(l->code, op, op == CT_TAPE_VARIABLE, i, 0, 0));
}

static ct_code *new_code(lowering *l, const ct_program_def *def)
{
    ct_code *code = l->code = CT_NEW(l->arena, ct_code);
    code->arena = l->arena;
    code->parameter_count = def->parameter_count;
    code->variable_count = def->variable_count;
    code->output_count = def->output_count;
    push(code, CT_TAPE_NOTHING, false, 0, 0, 0);
    push_leaves(l, CT_TAPE_PARAMETER, def->parameter, def->parameter_count);
    push_leaves(l, CT_TAPE_VARIABLE, def->variable, def->variable_count);
    return code;
}

/* Values of ghosts first, then the outputs. */
static ct_walk *walk_all(lowering *l, const ct_program_def *def)
{
    uint32_t count = def->ghost_count + def->output_count;
    if (!def->ghost_count)
        return ct_walk_begin(def->pool, def->output, def->output_count);
    ct_expr *root = CT_NEW_ARRAY(l->arena, ct_expr, count);
    memcpy(root, def->ghost_value, def->ghost_count * sizeof *root);
    memcpy(root + def->ghost_count, def->output, def->output_count * sizeof *root);
    for (uint32_t i = 0; i < def->ghost_count; i++)
        ct_map_put(&l->ghost, def->ghost[i], def->ghost_value[i]);
    return ct_walk_begin(def->pool, root, count);
}

/* False: stopped at *stranger. */
static bool lower_all(lowering *l, ct_walk *walk, ct_expr *stranger)
{
    for (uint32_t i = 0; i < walk->order.count; i++) {
        ct_expr e = walk->order.at[i];
        walk->memo[e].e = lower_node(l, e);
        if (!walk->memo[e].e) {
            *stranger = e;
            return false;
        }
    }
    return true;
}

static bool set_outputs(lowering *l, const ct_program_def *def)
{
    l->code->output = CT_NEW_ARRAY(l->arena, uint32_t, def->output_count);
    for (uint32_t i = 0; i < def->output_count; i++) {
        if (!def->output[i])
            return false;
        l->code->output[i] = l->walk->memo[def->output[i]].e;
    }
    return true;
}

ct_code *ct_lower_tape(ct_arena *arena, const ct_program_def *def, ct_expr *stranger)
{
    assert(def->pool && (def->output || !def->output_count));
    assert(!def->ghost_count || (def->ghost && def->ghost_value));
    lowering l = {.arena = arena, .pool = def->pool};
    ct_map_init(&l.symbol, arena);
    ct_map_init(&l.constant, arena);
    ct_map_init(&l.ghost, arena);
    ct_code *code = new_code(&l, def);
    ct_walk *walk = walk_all(&l, def);
    l.walk = walk;
    *stranger = 0;
    bool good = lower_all(&l, walk, stranger) && set_outputs(&l, def);
    ct_walk_end(def->pool, walk);
    return good ? code : NULL;
}
