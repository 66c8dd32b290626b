/* energy_kink.c - looks for jumps of expressions by trial: points on both sides of where an
 * operator changes over, brought together by halving. */
#include "model/energy.h"

#include <math.h>

#include "base/hash.h"
#include "base/vec.h"

static const double hair = 1e-12; /* to either side of a kink, whose very point belongs to one */
static const double jump = 1e-7;  /* of the values around: what is no jump */

enum { TRIALS = 64, HALVINGS = 200, POINTS = 6 };

/* Where an operator changes over: one of its operands, or the difference of two, passes zero (or a
 * whole number). */
typedef struct turn {
    ct_op op;
    ct_expr at;
    bool whole; /* passes a whole number */
} turn;

typedef struct search {
    ct_pool *pool;
    ct_arena *arena;
    const ct_name *variable;
    uint32_t variables;
    CT_VEC(turn) turn;
    uint64_t dice;
    double s; /* place between the two ends of a trial */
    uint64_t ends[2];
} search;

static void add_turn(search *k, ct_op op, ct_expr at, bool whole)
{
    turn t = {op, at, whole};
    for (uint32_t i = 0; i < k->variables; i++)
        if (ct_expr_has(k->pool, at, k->variable[i])) {
            CT_PUSH(k->arena, k->turn, t);
            return;
        }
}

static void visit(void *user, ct_expr e)
{
    search *k = user;
    ct_pool *pool = k->pool;
    if (ct_expr_kind_of(pool, e) != CT_EXPR_CALL || ct_expr_arity(pool, e) == 0)
        return;
    ct_op op = ct_expr_op(pool, e);
    ct_expr v[3] = {0};
    for (uint32_t i = 0; i < 3 && i < ct_expr_arity(pool, e); i++)
        v[i] = ct_expr_operand(pool, e, i);
    switch ((int)op) {
    case CT_OP_ABS:
    case CT_OP_SIGN:
    case CT_OP_STEP:
        add_turn(k, op, v[0], false);
        break;
    case CT_OP_MIN:
    case CT_OP_MAX:
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_GREATER:
    case CT_OP_GREATER_EQUAL:
        add_turn(k, op, ct_expr_sub(pool, v[0], v[1]), false);
        break;
    case CT_OP_CLAMP:
        add_turn(k, op, ct_expr_sub(pool, v[0], v[1]), false);
        add_turn(k, op, ct_expr_sub(pool, v[0], v[2]), false);
        break;
    case CT_OP_FLOOR:
        add_turn(k, op, v[0], true);
        break;
    case CT_OP_MOD:
    case CT_OP_PULSE:
        add_turn(k, op, ct_expr_div(pool, v[0], v[1]), true);
        break;
    case CT_OP_TABLE:
    case CT_OP_TABLE_SLOPE: {
        int64_t points = 0;
        ct_expr_to_int(pool, v[1], &points);
        for (uint32_t i = 0; i < (uint32_t)points && 2 + i < ct_expr_arity(pool, e); i++)
            add_turn(k, CT_OP_TABLE, ct_expr_sub(pool, v[0], ct_expr_operand(pool, e, 2 + i)),
                     false);
        break;
    }
    default:
        break;
    }
}

static double uniform(uint64_t a, uint64_t b)
{
    return (double)(ct_hash_mix(a, b) >> 11) * 0x1p-53;
}

/* Variables move along a line between two random points of many sizes; params stay. */
static double lookup(const void *user, ct_name symbol)
{
    const search *k = user;
    for (uint32_t i = 0; i < k->variables; i++) {
        if (k->variable[i] != symbol)
            continue;
        double end[2];
        for (int j = 0; j < 2; j++)
            end[j] = (uniform(k->ends[j], symbol) - 0.5) *
                     exp(8 * uniform(k->ends[j], ~(uint64_t)symbol) - 4);
        return end[0] + k->s * (end[1] - end[0]);
    }
    return 0.5 + 1.5 * uniform(1, symbol);
}

static double value(search *k, ct_expr e, double s)
{
    k->s = s;
    return ct_expr_value(k->pool, e, lookup, k);
}

static double side(search *k, const turn *t, double s)
{
    double v = value(k, t->at, s);
    return t->whole ? floor(v) : v > 0;
}

/* The two neighbours of a change; false: none on this line. */
static bool close_in(search *k, const turn *t, double *low, double *high)
{
    double a = 0, c = 1, first = side(k, t, a), last = side(k, t, c);
    if (!(first != last))
        return false;
    for (int i = 0; i < HALVINGS && (a + c) / 2 > a && (a + c) / 2 < c; i++) {
        double middle = (a + c) / 2;
        if (side(k, t, middle) == first)
            a = middle;
        else
            c = middle;
    }
    *low = a - hair, *high = c + hair;
    return true;
}

static bool jumps(search *k, const ct_expr *e, uint32_t count, double low, double high)
{
    for (uint32_t i = 0; i < count; i++) {
        double a = value(k, e[i], low), c = value(k, e[i], high);
        double scale = fabs(value(k, e[i], 0)) + fabs(value(k, e[i], 1)) + fabs(a) + fabs(c);
        if (isfinite(scale) && fabs(a - c) > jump * scale)
            return true;
    }
    return false;
}

static bool turn_jumps(search *k, const turn *t, const ct_expr *e, uint32_t count)
{
    int found = 0;
    for (int trial = 0; trial < TRIALS && found < POINTS; trial++) {
        double low, high;
        k->ends[0] = ++k->dice, k->ends[1] = ++k->dice;
        if (!close_in(k, t, &low, &high))
            continue;
        found++;
        if (jumps(k, e, count, low, high))
            return true;
    }
    return false;
}

const char *ct_find_kink(ct_pool *pool, const ct_expr *e, uint32_t count, const ct_name *variable,
                         uint32_t variable_count, ct_arena *arena)
{
    search k = {.pool = pool, .arena = arena, .variable = variable, .variables = variable_count};
    if (!count)
        return NULL;
    ct_expr_walk(pool, e, count, visit, &k);
    for (uint32_t i = 0; i < k.turn.count; i++)
        if (turn_jumps(&k, &k.turn.at[i], e, count))
            return ct_op_word(k.turn.at[i].op);
    return NULL;
}
