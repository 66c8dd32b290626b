/* simplified.c - the entries as a person would write them.
 *
 * Each entry is simplified by itself. Then those that hide a divisor which others show are brought
 * over it: -1/(L7 + L3*L5/(L3 + L5)) beside L3/(L3*L5 + L3*L7 + L5*L7) becomes -(L3 + L5)/(..). */
#include "base/hash.h"
#include "base/vec.h"
#include "study/statespace.h"

enum { MOST_DIVISORS = 8 };

typedef CT_VEC(ct_entry *) entry_list;

typedef struct divisor {
    ct_expr e;
    uint32_t uses;
} divisor;

typedef struct polish {
    ct_statespace *ss;
    ct_arena *arena;
    ct_pool *pool; /* of the entries simplified one by one */
    entry_list entry;
    divisor common[MOST_DIVISORS];
    uint32_t common_count;
} polish;

static void list_entries(polish *p, ct_entries *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        CT_PUSH(p->arena, p->entry, &e->entry[i]);
}

static void list_all(polish *p)
{
    ct_statespace *ss = p->ss;
    list_entries(p, &ss->A);
    list_entries(p, &ss->C);
    for (uint32_t k = 0; k < ss->orders; k++) {
        list_entries(p, &ss->B[k]);
        list_entries(p, &ss->D[k]);
    }
    list_entries(p, &ss->a);
    list_entries(p, &ss->c);
}

/* ---- divisors */

static bool is_divisor(ct_pool *pool, ct_expr product, uint32_t i)
{
    return ct_expr_kind_of(pool, ct_expr_operand(pool, product, i)) == CT_EXPR_SUM &&
           ct_expr_to_double(pool, ct_expr_coefficient(pool, product, i)) < 0;
}

/* The sum that the whole entry is divided by; 0: none. */
static ct_expr divisor_of(ct_pool *pool, ct_expr e)
{
    if (ct_expr_kind_of(pool, e) != CT_EXPR_PRODUCT)
        return 0;
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++)
        if (is_divisor(pool, e, i))
            return ct_expr_operand(pool, e, i);
    return 0;
}

typedef struct search {
    ct_pool *pool;
    uint32_t found;
} search;

static void count_divisors(void *user, ct_expr e)
{
    search *s = user;
    if (ct_expr_kind_of(s->pool, e) != CT_EXPR_PRODUCT)
        return;
    for (uint32_t i = 0; i < ct_expr_arity(s->pool, e); i++)
        s->found += is_divisor(s->pool, e, i);
}

static uint32_t divisors_in(ct_pool *pool, ct_expr e)
{
    search s = {.pool = pool};
    ct_expr_walk(pool, &e, 1, count_divisors, &s);
    return s.found;
}

static void find_common(polish *p)
{
    for (uint32_t i = 0; i < p->entry.count; i++) {
        ct_expr e = p->entry.at[i]->value, d = divisor_of(p->pool, e);
        if (!d || divisors_in(p->pool, d))
            continue;
        uint32_t k = 0;
        while (k < p->common_count && p->common[k].e != d)
            k++;
        if (k == MOST_DIVISORS)
            continue;
        p->common_count += k == p->common_count;
        p->common[k].e = d;
        p->common[k].uses++;
    }
}

/* ---- entries brought over a common divisor */

typedef struct over {
    uint32_t entry;
    ct_expr numerator, divisor; /* in the pool of trials, in the pool of the entries */
} over;

typedef CT_VEC(over) over_list;

/* e * by without any division; 0: there is none. */
static ct_expr try_over(polish *p, ct_simplifier *s, ct_pool *trial, ct_expr e, ct_expr by)
{
    bool complete = true;
    ct_expr n = ct_simplify_full(s, ct_expr_mul(p->pool, e, by), &complete);
    return complete && !divisors_in(trial, n) ? n : 0;
}

static over_list find_over(polish *p, ct_simplifier *s, ct_pool *trial)
{
    over_list list = {0};
    for (uint32_t i = 0; i < p->entry.count; i++) {
        ct_expr e = p->entry.at[i]->value, d = divisor_of(p->pool, e);
        bool nested = divisors_in(p->pool, e) > (d != 0) || (d && divisors_in(p->pool, d));
        for (uint32_t k = 0; nested && k < p->common_count; k++) {
            ct_expr n = try_over(p, s, trial, e, p->common[k].e);
            if (!n)
                continue;
            CT_PUSH(p->arena, list, (over){i, n, p->common[k].e});
            break;
        }
    }
    return list;
}

/* Into a third pool, in which the new forms come first: the oldest form of a value wins. */
static void rebuild(polish *p, ct_pool *trial, const over_list *list, ct_simplify_budget budget)
{
    ct_pool *to = ct_pool_new(ct_arena_context(p->arena));
    ct_simplifier *own = ct_simplifier_new(p->arena, p->pool, to, budget);
    ct_simplifier *other = ct_simplifier_new(p->arena, trial, to, budget);
    ct_expr *done = CT_NEW_ARRAY(p->arena, ct_expr, p->entry.count + 1);
    for (uint32_t i = 0; i < list->count; i++)
        done[list->at[i].entry] = ct_expr_div(to, ct_simplify_carry(other, list->at[i].numerator),
                                              ct_simplify_carry(own, list->at[i].divisor));
    for (uint32_t i = 0; i < p->entry.count; i++)
        p->entry.at[i]->value = done[i] ? done[i] : ct_simplify_carry(own, p->entry.at[i]->value);
    p->ss->pool = to;
}

static void share_divisors(polish *p, ct_simplify_budget budget)
{
    find_common(p);
    if (!p->common_count)
        return;
    ct_pool *trial = ct_pool_new(ct_arena_context(p->arena));
    ct_simplifier *s = ct_simplifier_new(p->arena, p->pool, trial, budget);
    over_list list = find_over(p, s, trial);
    if (list.count)
        rebuild(p, trial, &list, budget);
}

void ct_statespace_simplify(ct_statespace *ss, ct_simplify_budget budget)
{
    polish p = {.ss = ss, .arena = ss->arena, .pool = ct_pool_new(ct_arena_context(ss->arena))};
    ct_simplifier *s = ct_simplifier_new(ss->arena, ss->pool, p.pool, budget);
    list_all(&p);
    for (uint32_t i = 0; i < p.entry.count; i++) {
        bool complete = true;
        ct_expr e = ct_expr_as_roots(ss->pool, p.entry.at[i]->value);
        p.entry.at[i]->value = ct_simplify_full(s, e, &complete);
        ss->cut_short |= !complete;
    }
    ss->pool = p.pool;
    ss->simplified = CT_SIMPLIFY_FULL;
    if (!ss->cut_short)
        share_divisors(&p, budget);
}
