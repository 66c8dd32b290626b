/* swings.c - functions that steps could pass over: sines, and of functions of time peaks and flanks
 * that are narrow beside a run.
 *
 *     sin(a), cos(a)                        what a gains in a second; a may be of states, too
 *     exp(a), log(a), a^-1, a^(1/2), a^20   a peak or dip lies where da/dt = 0
 *     tanh(a), atan(a), erf(a), cosh(a)     a flank or dip lies where a = 0
 *     (.. + exp(a))^-1                      a flank lies where a = 0
 *
 * Of a product or sum each part counts by itself, so that nothing need be known of its shape.
 */
#include "equations/driven.h"

enum {
    MOST_PLAIN_POWER = 6,
    MOST_LEAVES = 8,
    MOST_NODES = 32
}; /* peaks of higher powers are narrow */

typedef struct finding {
    const ct_driven *d;
    ct_pool *pool;
    const ct_map *trait; /* node -> CT_READS_... and more */
    ct_map known;        /* phases and zeros that are listed */
    ct_arena *scratch;
    ct_events *found;
    ct_expr_list *zero;
} finding;

static int traits_of(const finding *f, ct_expr e)
{
    return (int)ct_map_get(f->trait, e) & (CT_READS_TIME | CT_READS_VARIABLES);
}

static bool is_call(const ct_pool *p, ct_expr e, ct_op op)
{
    return ct_expr_kind_of(p, e) == CT_EXPR_CALL && ct_expr_op(p, e) == op;
}

static bool is_timed(const finding *f, ct_expr e)
{
    return traits_of(f, e) == CT_READS_TIME;
}

static bool is_known(finding *f, ct_expr e)
{
    bool known = ct_map_get(&f->known, e) != 0;
    ct_map_put(&f->known, e, 1);
    return known;
}

static void add_zero(finding *f, ct_expr e)
{
    if (e && !ct_expr_is_number(f->pool, e) && !is_known(f, e))
        CT_PUSH(f->d->arena, *f->zero, e);
}

static ct_expr rate(finding *f, ct_expr e)
{
    return ct_expr_diff(f->pool, e, f->d->time);
}

/* Leaves of a sum of products of them; more than MOST_LEAVES: too many, or it is something else. */
static uint32_t leaves_of(const finding *f, ct_expr e, int depth)
{
    uint32_t arity = ct_expr_arity(f->pool, e), count = 0;
    ct_expr_kind kind = ct_expr_kind_of(f->pool, e);
    if (kind == CT_EXPR_SYMBOL || ct_expr_is_number(f->pool, e))
        return 1;
    if (!depth || arity > MOST_LEAVES || (kind != CT_EXPR_SUM && kind != CT_EXPR_PRODUCT))
        return MOST_LEAVES + 1;
    for (uint32_t i = 0; i < arity; i++)
        count += leaves_of(f, ct_expr_operand(f->pool, e, i), depth - 1);
    return count;
}

static bool reads_no_more_than_parameters(const finding *f, ct_expr e)
{
    ct_name_list symbols = ct_symbols_of(f->pool, f->scratch, &e, 1);
    for (uint32_t i = 0; i < symbols.count; i++)
        if (ct_symbol_reads(f->d, ct_expr_symbol(f->pool, symbols.at[i])))
            return false;
    return true;
}

/* States of a phase with their factors; 0: it is no such sum. */
static uint32_t find_turns(const finding *f, ct_expr phase, ct_turn *turn)
{
    uint32_t count = 0;
    ct_name_list symbols = ct_symbols_of(f->pool, f->scratch, &phase, 1);
    for (uint32_t i = 0; i < symbols.count; i++) {
        ct_name name = symbols.at[i];
        uint32_t x = ct_map_get(&f->d->z_index, name);
        if (!(traits_of(f, ct_expr_symbol(f->pool, name)) & CT_READS_VARIABLES))
            continue;
        ct_expr factor = x && x <= f->d->n ? ct_expr_diff(f->pool, phase, name) : 0;
        if (!factor || !reads_no_more_than_parameters(f, factor))
            return 0;
        turn[count++] = (ct_turn){x - 1, factor, true};
    }
    return count;
}

static void count_node(void *user, ct_expr e)
{
    (void)e;
    ++*(uint32_t *)user;
}

/* Long ones, as sums of all angles of a chain, would cost more than they tell. */
static bool is_short(const finding *f, ct_expr e)
{
    uint32_t nodes = 0;
    ct_expr_walk(f->pool, &e, 1, count_node, &nodes);
    return nodes <= MOST_NODES;
}

static void look_at_phase(finding *f, ct_expr a)
{
    ct_turn turn[MOST_LEAVES];
    ct_expr factor = 0;
    if (is_known(f, a))
        return;
    if (is_timed(f, a)) {
        if ((factor = rate(f, a)))
            CT_PUSH(f->d->arena, f->found->swing, factor);
        return;
    }
    uint32_t count = leaves_of(f, a, 2) <= MOST_LEAVES ? find_turns(f, a, turn) : 0;
    if (!count && is_short(f, a) && (traits_of(f, a) & CT_READS_VARIABLES))
        CT_PUSH(f->d->arena, f->found->bent, a);
    for (uint32_t i = 0; i < count; i++) {
        turn[i].more = i + 1 < count;
        CT_PUSH(f->d->arena, f->found->turn, turn[i]);
    }
}

static void look_at_call(finding *f, ct_expr e)
{
    ct_expr a = ct_expr_operand(f->pool, e, 0);
    switch ((int)ct_expr_op(f->pool, e)) {
    case CT_OP_EXP:
    case CT_OP_LOG:
        add_zero(f, rate(f, a));
        break;
    case CT_OP_TANH:
    case CT_OP_ATAN:
    case CT_OP_ERF:
    case CT_OP_ERFC:
    case CT_OP_COSH:
        add_zero(f, a);
        break;
    default:
        break;
    }
}

/* A sum with one exponential tells no more by its own rate, which underflows. */
static void look_at_base(finding *f, ct_expr a)
{
    ct_expr part = 0;
    uint32_t parts = 0;
    for (uint32_t i = 0; i < ct_expr_arity(f->pool, a); i++)
        if (is_timed(f, ct_expr_operand(f->pool, a, i))) {
            part = ct_expr_operand(f->pool, a, i);
            parts++;
        }
    bool sum = ct_expr_kind_of(f->pool, a) == CT_EXPR_SUM;
    if (sum && parts == 1 && is_call(f->pool, part, CT_OP_EXP))
        add_zero(f, ct_expr_operand(f->pool, part, 0));
    else if (!is_call(f->pool, a, CT_OP_COSH) && !is_call(f->pool, a, CT_OP_EXP))
        add_zero(f, rate(f, a));
}

static void look_at_product(finding *f, ct_expr e)
{
    for (uint32_t i = 0; i < ct_expr_arity(f->pool, e); i++) {
        ct_expr a = ct_expr_operand(f->pool, e, i);
        ct_expr power = ct_expr_coefficient(f->pool, e, i);
        int64_t whole;
        bool plain =
            ct_expr_to_int(f->pool, power, &whole) && whole >= 0 && whole <= MOST_PLAIN_POWER;
        if (!plain && is_timed(f, a))
            look_at_base(f, a);
    }
}

static void visit(void *user, ct_expr e)
{
    finding *f = user;
    ct_expr_kind kind = ct_expr_kind_of(f->pool, e);
    if (is_call(f->pool, e, CT_OP_SIN) || is_call(f->pool, e, CT_OP_COS))
        look_at_phase(f, ct_expr_operand(f->pool, e, 0));
    else if (kind == CT_EXPR_CALL && is_timed(f, e))
        look_at_call(f, e);
    else if (kind == CT_EXPR_PRODUCT && (traits_of(f, e) & CT_READS_TIME))
        look_at_product(f, e);
}

void ct_find_swings(const ct_driven *d, const ct_expr *e, uint32_t count, const ct_map *trait,
                    ct_events *found, ct_expr_list *zero)
{
    ct_arena *scratch = ct_arena_new(d->ctx);
    finding f = {
        .d = d, .pool = d->pool, .trait = trait, .scratch = scratch, .found = found, .zero = zero};
    ct_map_init(&f.known, scratch);
    ct_expr_walk(d->pool, e, count, visit, &f);
    ct_arena_free(scratch);
}
