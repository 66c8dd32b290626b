/* poles.c - where what a condition compares passes through infinity, or jumps by itself.
 *
 *     tan(a)              cos(a) = 0
 *     a^-1, a^b, log(a)   a = 0; of a product each factor, of abs(b) and roots b
 *     atan2(y, x)         y = 0
 *
 * There a condition may change without a zero, and the next zero may lie as near as it likes: seen
 * from the ends of a step both together leave no trace. Each of these functions has a plain zero
 * there, which splits them.
 */
#include "equations/driven.h"

#include <math.h>

#include "expr/range.h"

enum { MOST_NODES = 100 }; /* determinants and the like are longer, and have no zeros */

typedef struct finding {
    const ct_driven *d;
    ct_pool *pool;
    ct_arena *scratch;
    ct_map *known; /* poles that are listed */
    ct_expr_list *pole;
} finding;

/* Whatever its symbols are. */
static bool never_vanishes(const finding *f, ct_expr e)
{
    bool jumps;
    ct_range_plan *plan = ct_range_plan_new(f->scratch, f->pool, e);
    ct_bounds *any = CT_NEW_ARRAY(f->scratch, ct_bounds, plan->symbol_count + 1);
    if (plan->count > MOST_NODES)
        return true;
    for (uint32_t i = 0; i < plan->symbol_count; i++)
        any[i] = (ct_bounds){-INFINITY, INFINITY};
    ct_bounds range = ct_range_of(plan, any, &jumps);
    return range.low > 0 || range.high < 0;
}

static bool moves(const finding *f, ct_expr e)
{
    ct_name_list symbols = ct_symbols_of(f->pool, f->scratch, &e, 1);
    for (uint32_t i = 0; i < symbols.count; i++)
        if (ct_symbol_reads(f->d, ct_expr_symbol(f->pool, symbols.at[i])))
            return true;
    return false;
}

static void add(finding *f, ct_expr e)
{
    if (ct_map_get(f->known, e))
        return;
    ct_map_put(f->known, e, 1);
    if (moves(f, e) && !never_vanishes(f, e))
        CT_PUSH(f->d->arena, *f->pole, e);
}

/* What vanishes with it, and changes its sign there. */
static ct_expr core_of(const finding *f, ct_expr e)
{
    while (ct_expr_kind_of(f->pool, e) == CT_EXPR_CALL)
        switch ((int)ct_expr_op(f->pool, e)) {
        case CT_OP_ABS:
        case CT_OP_SQRT:
        case CT_OP_SINH:
        case CT_OP_ASINH:
        case CT_OP_TANH:
        case CT_OP_ATAN:
        case CT_OP_ERF:
            e = ct_expr_operand(f->pool, e, 0);
            break;
        default:
            return e;
        }
    return e;
}

static void add_zeros(finding *f, ct_expr e)
{
    e = core_of(f, e);
    if (ct_expr_kind_of(f->pool, e) != CT_EXPR_PRODUCT) {
        add(f, e);
        return;
    }
    for (uint32_t i = 0; i < ct_expr_arity(f->pool, e); i++)
        add(f, core_of(f, ct_expr_operand(f->pool, e, i)));
}

static void look_at_call(finding *f, ct_expr e)
{
    ct_expr a = ct_expr_operand(f->pool, e, 0);
    switch ((int)ct_expr_op(f->pool, e)) {
    case CT_OP_TAN:
        add(f, ct_expr_call1(f->pool, CT_OP_COS, a));
        break;
    case CT_OP_OVER:
        add_zeros(f, ct_expr_operand(f->pool, e, 1));
        break;
    case CT_OP_ATAN2:
    case CT_OP_LOG:
    case CT_OP_POW:
        add_zeros(f, a);
        break;
    default:
        break;
    }
}

static void visit(void *user, ct_expr e)
{
    finding *f = user;
    ct_expr_kind kind = ct_expr_kind_of(f->pool, e);
    if (kind == CT_EXPR_CALL && ct_expr_arity(f->pool, e))
        look_at_call(f, e);
    for (uint32_t i = 0; kind == CT_EXPR_PRODUCT && i < ct_expr_arity(f->pool, e); i++)
        if (ct_expr_to_double(f->pool, ct_expr_coefficient(f->pool, e, i)) < 0)
            add_zeros(f, ct_expr_operand(f->pool, e, i));
}

void ct_find_poles(const ct_driven *d, ct_expr e, ct_map *known, ct_expr_list *pole)
{
    ct_arena *scratch = ct_arena_new(d->ctx);
    finding f = {.d = d, .pool = d->pool, .scratch = scratch, .known = known, .pole = pole};
    ct_expr_walk(d->pool, &e, 1, visit, &f);
    ct_arena_free(scratch);
}
