/* conditions.c - where expressions jump or kink.
 *
 *     linear in t, parameters else     the times are known: breaks
 *     other jumps                      root functions; the value is held in between
 *     kinks that time decides          root functions, not held
 *     breakpoints of a table of lines  root functions, not held
 *     poles of conditions              root functions, not held
 *     other kinks that variables       root functions that count where a step has not seen the
 * kink; decide                           more than MOST_SOFT are left to the error control
 */
#include "equations/driven.h"

enum { JUMP_IS_WILD = 4 }; /* beside CT_READS_... */
/* A longer table is nearly smooth, and its root functions would cost more than smaller steps. */
enum { MOST_WATCHED_POINTS = 256, MOST_SOFT = 256 };

typedef struct finding {
    const ct_driven *d;
    ct_pool *pool;
    ct_arena *arena;
    ct_events *found;
    ct_expr_list order;
    ct_map trait; /* node -> CT_READS_... + 8 */
    ct_map fresh; /* node -> what it became */
    ct_map soft;  /* operands of soft kinks */
    ct_map pole;  /* of conditions, as functions that vanish there */
} finding;

static int traits_of(const finding *f, ct_expr e)
{
    return (int)ct_map_get(&f->trait, e) & 7;
}

static void add_trait(finding *f, ct_expr e, int trait)
{
    ct_map_put(&f->trait, e, (uint32_t)(traits_of(f, e) | trait) + 8);
}

static bool is_jump(ct_pool *pool, ct_expr e)
{
    if (ct_expr_kind_of(pool, e) != CT_EXPR_CALL)
        return false;
    ct_op op = ct_expr_op(pool, e);
    return op == CT_OP_STEP || op == CT_OP_SIGN || (op >= CT_OP_LESS && op <= CT_OP_UNEQUAL);
}

int ct_symbol_reads(const ct_driven *d, ct_expr e)
{
    ct_name name = ct_expr_name(d->pool, e);
    if (name == d->time)
        return CT_READS_TIME;
    uint32_t q = ct_map_get(d->model->quantity_by_name, name);
    bool lag = q && d->model->quantity[q - 1].lag;
    bool force = ct_reads_pushes(d, e);
    return lag || force || ct_driven_unknown(d, name) ? CT_READS_VARIABLES : 0;
}

static void visit(void *user, ct_expr e)
{
    finding *f = user;
    CT_PUSH(f->arena, f->order, e);
    int traits = ct_expr_kind_of(f->pool, e) == CT_EXPR_SYMBOL ? ct_symbol_reads(f->d, e) : 0;
    for (uint32_t i = 0; i < ct_expr_arity(f->pool, e); i++) {
        ct_expr x = ct_expr_operand(f->pool, e, i);
        traits |= traits_of(f, x) & (CT_READS_TIME | CT_READS_VARIABLES);
    }
    add_trait(f, e, traits);
}

static bool is_mod(const ct_pool *pool, ct_expr e)
{
    return ct_expr_kind_of(pool, e) == CT_EXPR_CALL && ct_expr_op(pool, e) == CT_OP_MOD;
}

/* A table of lines over mod(x, b) that begins at 0 with the value that it has from some point below
 * b on does not show where the remainder jumps back. */
static bool hides_wrap(const ct_pool *p, ct_expr table, ct_expr mod)
{
    int64_t n, cubic;
    if (ct_expr_kind_of(p, table) != CT_EXPR_CALL || ct_expr_op(p, table) != CT_OP_TABLE ||
        !ct_expr_to_int(p, ct_expr_operand(p, table, 1), &n) || n < 2 ||
        !ct_expr_to_int(p, ct_expr_operand(p, table, 2 + 2 * (uint32_t)n), &cubic) || cubic)
        return false;
    uint32_t x = 2, y = 2 + (uint32_t)n, last = (uint32_t)n - 1;
    ct_expr end = ct_expr_operand(p, table, x + last - 1), b = ct_expr_operand(p, mod, 1);
    return ct_expr_is_zero(p, ct_expr_operand(p, table, x)) && ct_expr_is_number(p, end) &&
           ct_expr_is_number(p, b) && ct_expr_to_double(p, end) <= ct_expr_to_double(p, b) &&
           ct_expr_operand(p, table, y) == ct_expr_operand(p, table, y + last) &&
           ct_expr_operand(p, table, y + last - 1) == ct_expr_operand(p, table, y + last);
}

/* A jump is wild if one of its users does not hide it. */
static void find_wild(finding *f, const ct_expr *root, uint32_t count)
{
    for (uint32_t k = 0; k < f->order.count; k++) {
        ct_expr e = f->order.at[k];
        for (uint32_t i = 0; i < ct_expr_arity(f->pool, e); i++) {
            ct_expr x = ct_expr_operand(f->pool, e, i);
            bool turns = is_mod(f->pool, x);
            if ((!turns && !is_jump(f->pool, x)) || (traits_of(f, x) & JUMP_IS_WILD))
                continue;
            if (turns ? !hides_wrap(f->pool, e, x) : !ct_jump_is_tamed(f->d, e, x))
                add_trait(f, x, JUMP_IS_WILD);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        add_trait(f, root[i], JUMP_IS_WILD);
}

/* ---- times that are known */

static bool is_constant(finding *f, ct_expr e)
{
    ct_expr at = e;
    ct_name_list symbols = ct_symbols_of(f->pool, f->arena, &at, 1);
    for (uint32_t i = 0; i < symbols.count; i++)
        if (symbols.at[i] == f->d->time || ct_driven_unknown(f->d, symbols.at[i]))
            return false;
    return true;
}

enum { PERIODIC = 1, KINK = 2 };

/* e = slope*t + offset with slope and offset of parameters only. */
static bool add_linear(finding *f, ct_expr e, int how)
{
    ct_event b = {.kind = how & PERIODIC ? CT_EVENT_TURNS : CT_EVENT_BREAK, .smooth = how & KINK};
    if (!e || !ct_expr_linear(f->pool, e, &f->d->time, 1, &b.condition, &b.offset) ||
        !is_constant(f, b.condition) || !is_constant(f, b.offset))
        return false;
    CT_PUSH(f->arena, f->found->moment, b);
    return true;
}

/* When a = b; of a remainder a = mod(x, y): once in every period. */
static bool add_moment(finding *f, ct_expr a, ct_expr b, int how)
{
    ct_pool *p = f->pool;
    if (!is_mod(p, a) || !is_constant(f, b))
        return add_linear(f, ct_expr_sub(p, a, b), how);
    ct_expr shifted = ct_expr_sub(p, ct_expr_operand(p, a, 0), b);
    return add_linear(f, ct_expr_div(p, shifted, ct_expr_operand(p, a, 1)), how | PERIODIC);
}

/* Two points at one place make a jump; so may two that are not numbers. */
static bool lies_apart(const ct_pool *p, ct_expr table, uint32_t i, uint32_t n)
{
    ct_expr here = ct_expr_operand(p, table, 2 + i);
    for (uint32_t k = i ? i - 1 : 1; k <= i + 1 && k < n; k += 2) {
        ct_expr other = ct_expr_operand(p, table, 2 + k);
        if (!ct_expr_is_number(p, here) || !ct_expr_is_number(p, other) ||
            ct_expr_to_double(p, here) == ct_expr_to_double(p, other))
            return false;
    }
    return true;
}

static bool add_table(finding *f, ct_expr e)
{
    int64_t points;
    ct_expr x = ct_expr_operand(f->pool, e, 0);
    bool good = ct_expr_to_int(f->pool, ct_expr_operand(f->pool, e, 1), &points);
    bool value = ct_expr_op(f->pool, e) == CT_OP_TABLE;
    for (int64_t i = 0; good && i < points; i++) {
        bool kink = value && lies_apart(f->pool, e, (uint32_t)i, (uint32_t)points);
        ct_expr at = ct_expr_operand(f->pool, e, 2 + (uint32_t)i);
        good = add_moment(f, x, at, kink ? KINK : 0);
    }
    return good;
}

static bool add_pulse(finding *f, ct_expr a, ct_expr period, ct_expr width)
{
    ct_pool *p = f->pool;
    return add_linear(f, ct_expr_div(p, a, period), PERIODIC) &&
           add_linear(f, ct_expr_div(p, ct_expr_sub(p, a, width), period), PERIODIC);
}

static bool is_kink(ct_op op);

/* Each is added even if another of the call fails: more breaks do no harm. */
static bool add_breaks(finding *f, ct_expr e)
{
    ct_pool *p = f->pool;
    uint32_t arity = ct_expr_arity(p, e);
    ct_op op = ct_expr_op(p, e);
    ct_expr a = ct_expr_operand(p, e, 0), b = arity > 1 ? ct_expr_operand(p, e, 1) : 0;
    bool tame = !(traits_of(f, e) & JUMP_IS_WILD);
    switch ((int)op) {
    case CT_OP_FLOOR:
        return add_linear(f, a, PERIODIC);
    case CT_OP_MOD:
        return add_linear(f, ct_expr_div(p, a, b), PERIODIC | (tame ? KINK : 0));
    case CT_OP_PULSE:
        return add_pulse(f, a, b, ct_expr_operand(p, e, 2));
    case CT_OP_CLAMP:
        return add_moment(f, a, b, KINK) && add_moment(f, a, ct_expr_operand(p, e, 2), KINK);
    case CT_OP_TABLE:
    case CT_OP_TABLE_SLOPE:
    case CT_OP_TABLE_CURVE:
        return add_table(f, e);
    default:
        return add_moment(f, a, b ? b : ct_expr_int(p, 0), is_kink(op) || tame ? KINK : 0);
    }
}

/* ---- root functions */

/* Symbols that cancel in the whole need not do so in a part of it: their own values stand for them;
 * 0: not known. */
static ct_expr without_ghosts(finding *f, ct_expr e)
{
    const ct_driven *d = f->d;
    ct_name_list symbols = ct_symbols_of(f->pool, f->arena, &e, 1), from = {0};
    ct_expr_list to = {0};
    bool known = true;
    for (uint32_t i = 0; i < symbols.count; i++) {
        ct_name name = symbols.at[i];
        bool input = ct_model_moves(d->model, name), unknown = ct_driven_unknown(d, name);
        if (ct_map_get(&d->z_index, name) || (!input && !unknown))
            continue;
        CT_PUSH(f->arena, from, name);
        CT_PUSH(f->arena, to, ct_map_get(input ? d->driver : &d->ghost_value, name));
        known &= to.at[to.count - 1] != 0;
    }
    if (!from.count)
        return e;
    return known ? ct_expr_substitute(f->pool, e, from.at, to.at, from.count) : 0;
}

static ct_expr add_condition(finding *f, ct_op op, ct_expr operand, bool held)
{
    ct_expr plain = without_ghosts(f, operand);
    operand = plain ? plain : operand;
    ct_name symbol = ct_intern_format(f->d->ctx, "held %u", f->found->root.count + 1);
    ct_event event = {.kind = held ? CT_EVENT_SIDE : CT_EVENT_KINK,
                      .op = op,
                      .condition = operand,
                      .held = symbol};
    CT_PUSH(f->arena, f->found->root, event);
    return ct_expr_symbol(f->pool, symbol);
}

static ct_expr hold_remainder(finding *f, ct_expr a, ct_expr b)
{
    ct_expr turns = add_condition(f, CT_OP_FLOOR, ct_expr_div(f->pool, a, b), true);
    return ct_expr_sub(f->pool, a, ct_expr_mul(f->pool, b, turns));
}

static ct_expr hold(finding *f, ct_op op, const ct_expr *x, uint32_t count)
{
    if (op == CT_OP_FLOOR)
        return add_condition(f, op, x[0], true);
    if (op == CT_OP_MOD)
        return hold_remainder(f, x[0], x[1]);
    if (op != CT_OP_PULSE)
        return add_condition(f, op, count > 1 ? ct_expr_sub(f->pool, x[0], x[1]) : x[0], true);
    ct_expr phase = hold_remainder(f, x[0], x[1]);
    return add_condition(f, CT_OP_LESS, ct_expr_sub(f->pool, phase, x[2]), true);
}

/* Lines have kinks at their points; cubics jump there in their second derivative. */
static void watch_table(finding *f, const ct_expr *x, bool cubics)
{
    int64_t points, cubic, ends = cubics ? 0 : 1; /* beyond its ends it goes on straight */
    if (!ct_expr_to_int(f->pool, x[1], &points) || points > MOST_WATCHED_POINTS ||
        !ct_expr_to_int(f->pool, x[2 + 2 * points], &cubic) || (cubic != 0) != cubics)
        return;
    for (int64_t i = ends; i < points - ends; i++)
        add_condition(f, CT_OP_ABS, ct_expr_sub(f->pool, x[0], x[2 + i]), false);
}

static void watch_kink(finding *f, ct_op op, const ct_expr *x, uint32_t count)
{
    if (op == CT_OP_TABLE || op == CT_OP_TABLE_CURVE)
        watch_table(f, x, op == CT_OP_TABLE_CURVE);
    if (op == CT_OP_CLAMP)
        add_condition(f, CT_OP_ABS, ct_expr_sub(f->pool, x[0], x[2]), false);
    if (op != CT_OP_TABLE && op != CT_OP_TABLE_SLOPE && op != CT_OP_TABLE_CURVE)
        add_condition(f, CT_OP_ABS, count > 1 ? ct_expr_sub(f->pool, x[0], x[1]) : x[0], false);
}

static void watch_softly(finding *f, ct_expr a, ct_expr b)
{
    ct_expr operand = without_ghosts(f, b ? ct_expr_sub(f->pool, a, b) : a);
    if (!operand || f->soft.count >= MOST_SOFT || ct_map_get(&f->soft, operand))
        return;
    ct_map_put(&f->soft, operand, 1);
    add_condition(f, CT_OP_ABS, operand, false);
    f->found->root.at[f->found->root.count - 1].soft = true;
}

/* A kink, or a jump that does not show. */
static void watch_soft_kink(finding *f, ct_op op, const ct_expr *x, uint32_t count)
{
    if (op == CT_OP_TABLE_SLOPE)
        return;
    watch_softly(f, x[0], count > 1 ? x[1] : 0);
    if (op == CT_OP_CLAMP)
        watch_softly(f, x[0], x[2]);
}

static bool is_kink(ct_op op)
{
    return op == CT_OP_ABS || op == CT_OP_MIN || op == CT_OP_MAX || op == CT_OP_CLAMP ||
           op == CT_OP_TABLE || op == CT_OP_TABLE_SLOPE || op == CT_OP_TABLE_CURVE;
}

static bool takes_turns(ct_op op)
{
    return op == CT_OP_FLOOR || op == CT_OP_MOD || op == CT_OP_PULSE;
}

/* What a call becomes; x are its operands as they have become. */
static ct_expr treat(finding *f, ct_expr e, const ct_expr *x)
{
    ct_op op = ct_expr_op(f->pool, e);
    int traits = traits_of(f, e);
    bool turns = takes_turns(op);
    bool by_time = !(traits & CT_READS_VARIABLES), jump = turns || is_jump(f->pool, e);
    ct_expr same = ct_expr_rebuild(f->pool, e, x);
    if ((!jump && !is_kink(op)) || !(traits & (CT_READS_TIME | CT_READS_VARIABLES)))
        return same;
    if (by_time && add_breaks(f, e))
        return same;
    uint32_t first = f->found->root.count;
    if (turns || (jump && (traits & JUMP_IS_WILD)))
        same = hold(f, op, x, ct_expr_arity(f->pool, e));
    else if (by_time || op == CT_OP_TABLE || op == CT_OP_TABLE_CURVE)
        watch_kink(f, op, x, ct_expr_arity(f->pool, e));
    else
        watch_soft_kink(f, op, x, ct_expr_arity(f->pool, e));
    for (uint32_t i = first; i < f->found->root.count; i++)
        f->found->root.at[i].timed = by_time;
    if (f->found->root.count == first + 1 && !turns)
        f->found->root.at[first].whole = e;
    return same;
}

static ct_expr rewrite(finding *f, ct_expr e, bool treats)
{
    uint32_t arity = ct_expr_arity(f->pool, e);
    bool changed = false;
    if (arity == 0)
        return e;
    ct_expr few[8], *x = arity <= 8 ? few : CT_NEW_ARRAY(f->arena, ct_expr, arity);
    for (uint32_t i = 0; i < arity; i++) {
        ct_expr old = ct_expr_operand(f->pool, e, i);
        x[i] = ct_map_get(&f->fresh, old);
        changed |= x[i] != old;
    }
    if (treats && ct_expr_kind_of(f->pool, e) == CT_EXPR_CALL)
        return treat(f, e, x);
    return changed ? ct_expr_rebuild(f->pool, e, x) : e;
}

static bool reads_variables(finding *f, ct_expr e)
{
    ct_name_list symbols = ct_symbols_of(f->pool, f->arena, &e, 1);
    for (uint32_t i = 0; i < symbols.count; i++)
        if (ct_symbol_reads(f->d, ct_expr_symbol(f->pool, symbols.at[i])) & CT_READS_VARIABLES)
            return true;
    return false;
}

/* A condition may change at its poles, and may change back at once. */
static void watch_poles(finding *f)
{
    ct_expr_list pole = {0};
    for (uint32_t i = 0; i < f->found->root.count; i++)
        if (f->found->root.at[i].kind == CT_EVENT_SIDE)
            ct_find_poles(f->d, f->found->root.at[i].condition, &f->pole, &pole);
    for (uint32_t i = 0; i < pole.count; i++) {
        add_condition(f, CT_OP_ABS, pole.at[i], false);
        f->found->root.at[f->found->root.count - 1].timed = !reads_variables(f, pole.at[i]);
    }
}

/* Steps end where functions of time have peaks and flanks. */
static void watch_peaks(finding *f, const ct_expr_list *zero)
{
    for (uint32_t i = 0; i < zero->count; i++) {
        if (add_linear(f, zero->at[i], KINK))
            continue;
        add_condition(f, CT_OP_ABS, zero->at[i], false);
        f->found->root.at[f->found->root.count - 1].timed = true;
    }
}

static bool may_jump(const finding *f, ct_expr e)
{
    return ct_expr_kind_of(f->pool, e) == CT_EXPR_CALL &&
           (takes_turns(ct_expr_op(f->pool, e)) || is_jump(f->pool, e));
}

void ct_find_events(const ct_driven *d, ct_expr *e, uint32_t count, uint32_t own, ct_events *found)
{
    ct_arena *scratch = ct_arena_new(d->ctx);
    finding f = {.d = d, .pool = d->pool, .arena = d->arena, .found = found};
    ct_map_init(&f.trait, scratch);
    ct_map_init(&f.fresh, scratch);
    ct_map_init(&f.soft, scratch);
    ct_map_init(&f.pole, scratch);
    ct_expr_list zero = {0};
    ct_expr_walk(d->pool, e, count, visit, &f);
    ct_find_swings(d, e, own, &f.trait, found, &zero);
    find_wild(&f, e, count);
    ct_map_init(&found->held, d->arena);
    for (uint32_t i = 0; i < f.order.count; i++) {
        ct_expr old = f.order.at[i], now = rewrite(&f, old, true);
        ct_map_put(&f.fresh, old, now ? now : old);
        if (now && now != old && may_jump(&f, old))
            ct_map_put(&found->held, old, now);
    }
    for (uint32_t i = 0; i < count; i++)
        e[i] = ct_map_get(&f.fresh, e[i]);
    watch_peaks(&f, &zero);
    watch_poles(&f);
    ct_arena_free(scratch);
}

void ct_hold_jumps(const ct_driven *d, ct_expr *e, uint32_t count)
{
    if (!d->events.held.count)
        return;
    ct_arena *scratch = ct_arena_new(d->ctx);
    finding f = {.d = d, .pool = d->pool, .arena = scratch};
    ct_map_init(&f.trait, scratch);
    ct_map_init(&f.fresh, scratch);
    ct_expr_walk(d->pool, e, count, visit, &f);
    for (uint32_t i = 0; i < f.order.count; i++) {
        ct_expr old = f.order.at[i], now = ct_map_get(&d->events.held, old);
        now = now ? now : rewrite(&f, old, false);
        ct_map_put(&f.fresh, old, now ? now : old);
    }
    for (uint32_t i = 0; i < count; i++)
        e[i] = ct_map_get(&f.fresh, e[i]);
    ct_arena_free(scratch);
}

static bool jumps_itself(const finding *f, ct_expr e)
{
    int traits = traits_of(f, e);
    if (!may_jump(f, e) || !(traits & CT_READS_VARIABLES))
        return false;
    return takes_turns(ct_expr_op(f->pool, e)) || (traits & JUMP_IS_WILD);
}

void ct_find_jumps(const ct_driven *d, const ct_expr *e, uint32_t count, bool *jumps)
{
    ct_arena *scratch = ct_arena_new(d->ctx);
    finding f = {.d = d, .pool = d->pool, .arena = scratch};
    ct_map_init(&f.trait, scratch);
    ct_map_init(&f.fresh, scratch); /* here: nodes that jump */
    ct_expr_walk(d->pool, e, count, visit, &f);
    find_wild(&f, e, count);
    for (uint32_t k = 0; k < f.order.count; k++) {
        ct_expr x = f.order.at[k];
        bool found = jumps_itself(&f, x);
        for (uint32_t i = 0; i < ct_expr_arity(f.pool, x) && !found; i++)
            found = ct_map_get(&f.fresh, ct_expr_operand(f.pool, x, i)) != 0;
        found = found && !ct_wave_closes(d, x);
        if (found)
            ct_map_put(&f.fresh, x, 1);
    }
    for (uint32_t i = 0; i < count; i++)
        jumps[i] = ct_map_get(&f.fresh, e[i]) != 0;
    ct_arena_free(scratch);
}
