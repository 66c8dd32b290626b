/* simplify.c - the short form of an expression: arguments of functions first, then what is between
 * them, and the choice between the short form and the old one. */
#include "simplify/simplify.h"

#include <string.h>

#include "base/clock.h"
#include "base/words.h"
#include "expr/pool.h"
#include "simplify/task.h"

const ct_word ct_simplify_words[] = {
    {"none", "", "as they come about"},
    {"fast", "", "common factors"},
    {"full", "", "the shortest form that is found within a budget"},
    {0},
};

bool ct_simplify_find(const char *word, ct_simplify *simplify)
{
    uint32_t row;
    bool found = ct_word_find(ct_simplify_words, word, &row);
    *simplify = found ? (ct_simplify)row : *simplify;
    return found;
}

ct_simplify_budget ct_default_simplify_budget(void)
{
    return (ct_simplify_budget){.terms = 2000, .work = 20000000, .seconds = 10};
}

enum { MOST_ROUNDS = 4, LONGEST_MIXED = 100, SHORTEST_CORE = 500 };

ct_simplifier *ct_simplifier_new(ct_arena *arena, ct_pool *from, ct_pool *to,
                                 ct_simplify_budget budget)
{
    ct_simplifier *s = CT_NEW(arena, ct_simplifier);
    s->arena = arena, s->from = from, s->to = to;
    s->budget = budget;
    s->work = budget.work;
    s->share = budget.work / 2;
    s->end = ct_cpu_clock() + budget.seconds; /* a busy machine does not shorten it */
    ct_map_init(&s->done, arena);
    ct_map_init(&s->carried, arena);
    return s;
}

ct_expr ct_simplify_carry(ct_simplifier *s, ct_expr e)
{
    return e ? ct_carry(s->from, e, s->to, &s->carried) : 0;
}

static void remember(ct_simplifier *s, ct_expr e, ct_expr shown, bool complete)
{
    CT_PUSH(s->arena, s->result, (ct_short_form){shown, complete});
    ct_map_put(&s->done, e, s->result.count);
}

/* ---- one task */

/* A pool where nothing was built yet, with the generators in it. */
static ct_pool *fresh_pool(ct_task *t, ct_expr **gen)
{
    ct_pool *pool = ct_pool_new(t->s->to->ctx);
    ct_map known;
    ct_map_init(&known, t->arena);
    *gen = CT_NEW_ARRAY(t->arena, ct_expr, t->atom.count + 1);
    for (uint32_t i = 0; i < t->atom.count; i++)
        (*gen)[i] = ct_carry(t->s->to, t->atom.at[i].shown, pool, &known);
    return pool;
}

/* e as it is, but with the generators in their short form. */
static ct_expr old_form(ct_task *t, ct_expr e, ct_pool *pool, const ct_expr *gen)
{
    ct_map known;
    ct_map_init(&known, t->arena);
    for (uint32_t i = 0; i < t->atom.count; i++)
        ct_map_put(&known, t->atom.at[i].e, gen[i]);
    return ct_carry(t->s->from, e, pool, &known);
}

/* A form of an expression, in a pool where no other form of it has ever been. */
typedef struct candidate {
    ct_pool *pool;
    ct_expr e;
    size_t cost;
} candidate;

static void offer(ct_task *t, candidate *best, candidate c)
{
    if (!c.e)
        return;
    c.cost = ct_simplify_cost(c.pool, c.e, t->arena);
    if (!best->e || c.cost < best->cost)
        *best = c;
}

static bool may_collect(const ct_task *t, const ct_fraction *f)
{
    slong most = f->num->length > f->den->length ? f->num->length : f->den->length;
    return most >= 4 || (most > 1 && t->ring.relation.count > 1);
}

/* The sum of two angles is a new generator: with it, the rest may become shorter still. */
static candidate again(ct_task *t, candidate c)
{
    ct_simplify_budget budget = t->s->budget;
    budget.work = t->ring.work;
    ct_pool *pool = ct_pool_new(t->s->to->ctx);
    ct_simplifier *s = ct_simplifier_new(t->arena, c.pool, pool, budget);
    s->round = t->s->round + 1;
    s->end = t->s->end;
    ct_expr e = ct_simplify_full(s, c.e, NULL);
    t->ring.work = s->work;
    return (candidate){.pool = pool, .e = e};
}

/* A sum of fractions, or a fraction inside of one, is shown as it was while it is short. A long one
 * may look shorter than the ratio it stands for, but only because its parts are shared. */
static bool may_stay(ct_task *t, const candidate *old)
{
    return !t->complete || ct_is_ratio(old->pool, old->e, t->arena) ||
           ct_shown_length(old->pool, old->e, t->arena) <= LONGEST_MIXED;
}

/* Of equal cost the first one is taken. */
static ct_expr choose(ct_task *t, ct_expr e, ct_fraction *f)
{
    ct_expr *gen;
    candidate best = {0}, made[3] = {0};
    ct_turn_circles(t, f);
    made[0].pool = fresh_pool(t, &gen);
    made[0].e = ct_write_fraction(t, f, made[0].pool, gen);
    if (may_collect(t, f)) {
        made[1].pool = fresh_pool(t, &gen);
        made[1].e = ct_write_fraction_collected(t, f, made[1].pool, gen);
    }
    made[2].pool = fresh_pool(t, &gen);
    made[2].e = old_form(t, e, made[2].pool, gen);
    if (!t->complete)
        offer(t, &best, made[2]); /* long ones share their parts best in the form they had */
    for (int i = 0; i < 2 + may_stay(t, &made[2]); i++)
        offer(t, &best, made[i]);
    ct_pool *more = NULL;
    if (t->paired && best.pool == made[1].pool && t->s->round < MOST_ROUNDS) {
        best = again(t, best);
        more = best.pool;
    }
    ct_map known;
    ct_map_init(&known, t->arena);
    ct_expr shown = best.e ? ct_carry(best.pool, best.e, t->s->to, &known) : 0;
    for (int i = 0; i < 3; i++)
        ct_pool_free(made[i].pool);
    ct_pool_free(more);
    return shown;
}

/* Symbols alone, times 1 or -1 where they are added: no form is shorter. */
static bool is_plain(ct_pool *pool, ct_expr e, bool signs)
{
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++) {
        ct_expr c = signs ? ct_expr_coefficient(pool, e, i) : CT_ONE;
        if (ct_expr_kind_of(pool, ct_expr_operand(pool, e, i)) != CT_EXPR_SYMBOL ||
            (c != CT_ONE && c != CT_MINUS_ONE))
            return false;
    }
    return true;
}

static bool is_simple(ct_pool *pool, ct_expr e)
{
    ct_expr_kind kind = ct_expr_kind_of(pool, e);
    if (kind == CT_EXPR_PRODUCT)
        return is_plain(pool, e, false);
    if (kind == CT_EXPR_SUM)
        return ct_expr_is_zero(pool, ct_expr_constant(pool, e)) && is_plain(pool, e, true);
    return kind == CT_EXPR_NUMBER || kind == CT_EXPR_SYMBOL;
}

typedef struct job {
    ct_simplifier *s;
    ct_expr e;
    ct_task task;
} job;

static void run_task(void *user)
{
    job *j = user;
    ct_simplifier *s = j->s;
    ct_task *t = &j->task;
    ct_fraction *f = ct_normal_form(t, j->e);
    ct_expr shown = f ? choose(t, j->e, f) : 0;
    if (!shown) {
        shown = ct_simplify_carry(s, j->e);
        t->complete = false;
    }
    remember(s, j->e, shown, t->complete);
}

/* ---- long sums that many expressions hold */

/* Entries of a matrix are often the same long sum, times symbols that are not in it: then nothing
 * cancels, and the sum is simplified once. 0: e is something else. */
static ct_expr core_of(ct_simplifier *s, ct_expr e)
{
    ct_expr core = 0;
    if (ct_expr_kind_of(s->from, e) != CT_EXPR_PRODUCT)
        return 0;
    for (uint32_t i = 0; i < ct_expr_arity(s->from, e); i++) {
        ct_expr x = ct_expr_operand(s->from, e, i);
        if (ct_expr_kind_of(s->from, x) == CT_EXPR_SYMBOL)
            continue;
        if (core || ct_expr_kind_of(s->from, x) != CT_EXPR_SUM ||
            ct_expr_coefficient(s->from, e, i) != CT_ONE)
            return 0;
        core = x;
    }
    return core;
}

typedef struct symbol_list {
    ct_simplifier *s;
    ct_map at; /* symbols of the core */
} symbol_list;

static void note_symbol(void *user, ct_expr e)
{
    symbol_list *l = user;
    if (ct_expr_kind_of(l->s->from, e) == CT_EXPR_SYMBOL)
        ct_map_put(&l->at, e, 1);
}

static bool is_apart(ct_simplifier *s, ct_expr e, ct_expr core, ct_arena *arena)
{
    symbol_list l = {.s = s};
    ct_map_init(&l.at, arena);
    ct_expr_walk(s->from, &core, 1, note_symbol, &l);
    for (uint32_t i = 0; i < ct_expr_arity(s->from, e); i++)
        if (ct_map_get(&l.at, ct_expr_operand(s->from, e, i)))
            return false;
    return true;
}

static void simplify_alone(ct_simplifier *s, ct_expr e);

static bool simplify_core(ct_simplifier *s, ct_expr e)
{
    ct_expr core = core_of(s, e);
    ct_arena *arena = core ? ct_arena_new(s->from->ctx) : NULL;
    bool apart = core && ct_shown_length(s->from, core, arena) > SHORTEST_CORE &&
                 is_apart(s, e, core, arena);
    if (arena)
        ct_arena_free(arena);
    if (!apart)
        return false;
    simplify_alone(s, core);
    ct_short_form form = s->result.at[ct_map_get(&s->done, core) - 1];
    ct_expr rest = ct_simplify_carry(s, ct_expr_div(s->from, e, core));
    remember(s, e, ct_expr_mul(s->to, rest, form.shown), form.complete);
    return true;
}

static void simplify_between(ct_simplifier *s, ct_expr e)
{
    if (!ct_map_get(&s->done, e) && !simplify_core(s, e))
        simplify_alone(s, e);
}

/* The memory of FLINT is given back on every way out. */
static void simplify_alone(ct_simplifier *s, ct_expr e)
{
    if (ct_map_get(&s->done, e))
        return;
    bool late = s->work == 0 || ct_cpu_clock() > s->end;
    if (late || is_simple(s->from, e)) {
        remember(s, e, ct_simplify_carry(s, e), !late || is_simple(s->from, e));
        return;
    }
    ct_context *ctx = s->from->ctx;
    uint64_t allowed = s->work < s->share ? s->work : s->share;
    job j = {.s = s, .e = e, .task = {.s = s, .arena = ct_arena_new(ctx), .complete = true}};
    j.task.ring =
        (ct_ring){.arena = j.task.arena, .terms = (slong)s->budget.terms, .work = allowed};
    ct_status status = ct_protect(ctx, run_task, &j);
    s->work -= allowed - j.task.ring.work;
    if (!j.task.complete)
        s->share /= 4;
    ct_ring_close(&j.task.ring);
    ct_arena_free(j.task.arena);
    if (status != CT_OK)
        ct_throw(ctx, status);
}

/* ---- all of an expression */

/* Operands of calls and what stands under roots. */
static void simplify_operands(void *user, ct_expr e)
{
    ct_simplifier *s = user;
    ct_expr_kind kind = ct_expr_kind_of(s->from, e);
    if (kind != CT_EXPR_CALL && kind != CT_EXPR_PRODUCT)
        return;
    for (uint32_t i = 0; i < ct_expr_arity(s->from, e); i++)
        if (kind == CT_EXPR_CALL ||
            !ct_number_is_integer(ct_number_at(s->from, ct_expr_coefficient(s->from, e, i))))
            simplify_between(s, ct_expr_operand(s->from, e, i));
}

ct_expr ct_simplify_full(ct_simplifier *s, ct_expr e, bool *complete)
{
    if (!e)
        return 0;
    uint32_t before = s->result.count, at = ct_map_get(&s->done, e);
    bool whole = true;
    if (!at) {
        ct_expr_walk(s->from, &e, 1, simplify_operands, s);
        simplify_between(s, e);
        at = ct_map_get(&s->done, e);
        for (uint32_t i = before; i < s->result.count; i++)
            whole &= s->result.at[i].complete;
        s->result.at[at - 1].complete = whole;
    }
    if (complete)
        *complete = s->result.at[at - 1].complete;
    return s->result.at[at - 1].shown;
}
