/* transfer.c - the algorithm of Faddeev and LeVerrier on expressions:
 *
 *     M[1] = 1, M[k+1] = A M[k] + c[n-k],   c[n-k] = -trace(A M[k]) / k
 *     det(s - A) = s^n + c[n-1] s^(n-1) + ..,   adj(s - A) = M[1] s^(n-1) + .. + M[n]
 *
 * It divides by whole numbers only, so that nothing can vanish by chance. */
#include "study/transfer.h"

#include "base/vec.h"
#include "study/poly.h"

enum { MOST_STATES = 12 };

typedef struct job {
    const ct_statespace *ss;
    ct_arena *arena;
    ct_pool *pool;
    ct_expr *M, *AM; /* n x n; 0: zero */
    ct_poly den;
    ct_poly *num; /* p x m */
    uint32_t n, m, p;
} job;

static void add_to(job *j, ct_expr *sum, ct_expr part)
{
    *sum = *sum ? ct_expr_add(j->pool, *sum, part) : part;
    if (ct_expr_is_zero(j->pool, *sum))
        *sum = 0;
}

/* AM = A * M, with the sparse form of A. */
static void multiply(job *j)
{
    uint32_t n = j->n;
    for (uint32_t i = 0; i < n * n; i++)
        j->AM[i] = 0;
    for (uint32_t k = 0; k < j->ss->A.count; k++) {
        const ct_entry *a = &j->ss->A.entry[k];
        for (uint32_t c = 0; c < n; c++)
            if (j->M[a->col * n + c])
                add_to(j, &j->AM[a->row * n + c],
                       ct_expr_mul(j->pool, a->value, j->M[a->col * n + c]));
    }
}

/* num += s^power C M (B + s E + ..) */
static void add_numerators(job *j, uint32_t power)
{
    const ct_statespace *ss = j->ss;
    for (uint32_t c = 0; c < ss->C.count; c++) {
        const ct_entry *out = &ss->C.entry[c];
        for (uint32_t k = 0; k < ss->orders; k++) {
            for (uint32_t b = 0; b < ss->B[k].count; b++) {
                const ct_entry *in = &ss->B[k].entry[b];
                ct_expr middle = j->M[out->col * j->n + in->row];
                if (!middle)
                    continue;
                ct_expr factor[] = {out->value, middle, in->value};
                add_to(j, &j->num[out->row * j->m + in->col].at[power + k],
                       ct_expr_product(j->pool, factor, 3));
            }
        }
    }
}

static void add_direct(job *j)
{
    const ct_statespace *ss = j->ss;
    for (uint32_t k = 0; k < ss->orders; k++)
        for (uint32_t i = 0; i < ss->D[k].count; i++) {
            const ct_entry *d = &ss->D[k].entry[i];
            ct_poly_add(j->pool, &j->num[d->row * j->m + d->col], &j->den, d->value, k);
        }
}

static void run(job *j)
{
    uint32_t n = j->n;
    ct_expr one = ct_expr_int(j->pool, 1);
    j->den = ct_poly_zero(j->arena, n + 1);
    j->den.at[n] = one;
    for (uint32_t i = 0; i < n; i++)
        j->M[i * n + i] = one;
    for (uint32_t k = 1; k <= n; k++) {
        ct_expr trace = 0;
        add_numerators(j, n - k);
        multiply(j);
        for (uint32_t i = 0; i < n; i++)
            if (j->AM[i * n + i])
                add_to(j, &trace, j->AM[i * n + i]);
        ct_expr c = trace ? ct_expr_mul(j->pool, ct_expr_ratio(j->pool, -1, k), trace) : 0;
        j->den.at[n - k] = c;
        ct_expr *kept = j->M;
        j->M = j->AM;
        j->AM = kept;
        for (uint32_t i = 0; c && i < n; i++)
            add_to(j, &j->M[i * n + i], c);
    }
    add_direct(j);
}

/* ---- coefficients for people */

static ct_poly copy(ct_arena *arena, const ct_poly *a)
{
    ct_poly out = ct_poly_zero(arena, a->count);
    for (uint32_t i = 0; i < a->count; i++)
        out.at[i] = a->at[i];
    return out;
}

typedef struct factor {
    ct_expr base;
    int64_t power;
} factor;

typedef CT_VEC(factor) factor_list;

static void note_divisor(ct_arena *arena, ct_pool *pool, ct_expr base, ct_expr power,
                         factor_list *list)
{
    int64_t value;
    if (!ct_expr_to_int(pool, power, &value) || value >= 0)
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->at[i].base != base)
            continue;
        list->at[i].power = -value > list->at[i].power ? -value : list->at[i].power;
        return;
    }
    CT_PUSH(arena, *list, (factor){base, -value});
}

/* What e, or a term of it, is divided by. */
static void note_divisors(ct_arena *arena, ct_pool *pool, ct_expr e, factor_list *list)
{
    ct_expr_kind kind = ct_expr_kind_of(pool, e);
    uint32_t count = kind == CT_EXPR_SUM || kind == CT_EXPR_PRODUCT ? ct_expr_arity(pool, e) : 0;
    for (uint32_t i = 0; i < count; i++) {
        ct_expr operand = ct_expr_operand(pool, e, i);
        if (kind == CT_EXPR_PRODUCT) {
            note_divisor(arena, pool, operand, ct_expr_coefficient(pool, e, i), list);
            if (ct_expr_kind_of(pool, operand) != CT_EXPR_SUM)
                continue;
            for (uint32_t k = 0; k < ct_expr_arity(pool, operand); k++) {
                ct_expr term = ct_expr_operand(pool, operand, k);
                if (ct_expr_kind_of(pool, term) == CT_EXPR_PRODUCT)
                    note_divisors(arena, pool, term, list);
            }
        } else if (ct_expr_kind_of(pool, operand) == CT_EXPR_PRODUCT) {
            note_divisors(arena, pool, operand, list);
        }
    }
}

/* False: some coefficient is too large; the rest is of no use then. */
static bool simplify_poly(ct_simplifier *s, ct_poly *a)
{
    bool complete = true;
    for (uint32_t i = 0; complete && i < a->count; i++)
        if (a->at[i])
            a->at[i] = ct_simplify_full(s, a->at[i], &complete);
    return complete;
}

static void scale(ct_pool *pool, ct_poly *a, ct_expr by)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (a->at[i])
            a->at[i] = ct_expr_mul(pool, a->at[i], by);
}

/* Both sides times what their coefficients are divided by: in `pool`, where they were simplified.
 */
static void clear_divisors(ct_arena *arena, ct_pool *pool, ct_poly_ratio *f)
{
    factor_list list = {0};
    ct_poly *side[] = {&f->num, &f->den};
    ct_expr by = ct_expr_int(pool, 1);
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < side[k]->count; i++)
            if (side[k]->at[i])
                note_divisors(arena, pool, side[k]->at[i], &list);
    for (uint32_t i = 0; i < list.count; i++)
        by = ct_expr_mul(pool, by,
                         ct_expr_pow(pool, list.at[i].base, ct_expr_int(pool, list.at[i].power)));
    scale(pool, &f->num, by);
    scale(pool, &f->den, by);
}

/* ---- factors of all coefficients */

/* How often a factor stands in e: whole powers only. */
static int64_t power_in(ct_pool *pool, ct_expr e, ct_expr base)
{
    int64_t power = 0;
    if (e == base)
        return 1;
    if (ct_expr_kind_of(pool, e) != CT_EXPR_PRODUCT)
        return 0;
    for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++)
        if (ct_expr_operand(pool, e, i) == base &&
            ct_expr_to_int(pool, ct_expr_coefficient(pool, e, i), &power))
            return power;
    return 0;
}

static int64_t least_power(ct_pool *pool, const ct_poly_ratio *f, ct_expr base)
{
    const ct_poly *side[] = {&f->num, &f->den};
    int64_t least = INT64_MAX;
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < side[k]->count; i++) {
            int64_t power = side[k]->at[i] ? power_in(pool, side[k]->at[i], base) : INT64_MAX;
            least = power < least ? power : least;
        }
    }
    return least == INT64_MAX ? 0 : least;
}

/* Both sides divided by what all coefficients are multiplied by. */
static void drop_factors(ct_pool *pool, ct_poly_ratio *f)
{
    ct_expr lead = f->den.at[f->den.count - 1], by = ct_expr_int(pool, 1);
    bool product = ct_expr_kind_of(pool, lead) == CT_EXPR_PRODUCT;
    uint32_t count = product ? ct_expr_arity(pool, lead) : 1;
    for (uint32_t i = 0; i < count; i++) {
        ct_expr base = product ? ct_expr_operand(pool, lead, i) : lead;
        int64_t power = ct_expr_is_number(pool, base) ? 0 : least_power(pool, f, base);
        if (power > 0)
            by = ct_expr_mul(pool, by, ct_expr_pow(pool, base, ct_expr_int(pool, -power)));
    }
    scale(pool, &f->num, by);
    scale(pool, &f->den, by);
}

typedef struct polish {
    ct_arena *arena;
    ct_pool *first;
    ct_simplifier *one, *two; /* from the old pool to `first`, from there to the new one */
} polish;

static bool simplify_fraction(polish *p, ct_poly_ratio *f)
{
    if (!simplify_poly(p->one, &f->num) || !simplify_poly(p->one, &f->den))
        return false;
    clear_divisors(p->arena, p->first, f);
    return simplify_poly(p->two, &f->num) && simplify_poly(p->two, &f->den);
}

static void carry_poly(ct_simplifier *s, ct_poly *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        a->at[i] = ct_simplify_carry(s, a->at[i]);
}

/* A fraction of which one coefficient is too large stays as it is: it is shorter so. */
static void simplify_fractions(ct_arena *arena, ct_transfers *t, ct_simplify_budget budget)
{
    ct_context *ctx = ct_arena_context(arena);
    ct_pool *first = ct_pool_new(ctx), *last = ct_pool_new(ctx);
    polish p = {arena, first, ct_simplifier_new(arena, t->pool, first, budget),
                ct_simplifier_new(arena, first, last, budget)};
    ct_simplifier *old = ct_simplifier_new(arena, t->pool, last, budget);
    for (uint32_t i = 0; i < t->m * t->p; i++) {
        ct_poly_ratio *f = &t->at[i], made = {copy(arena, &f->num), copy(arena, &f->den)};
        if (simplify_fraction(&p, &made)) {
            *f = made;
            drop_factors(last, f);
        } else {
            carry_poly(old, &f->num);
            carry_poly(old, &f->den);
            t->cut_short = true;
        }
    }
    t->pool = last;
}

/* Coefficients have many terms by nature: two to three times as many with each state. */
static ct_simplify_budget transfer_budget(void)
{
    return (ct_simplify_budget){.terms = 2000, .work = 20000000, .seconds = 10};
}

static bool report_large(const ct_statespace *ss)
{
    ct_context *ctx = ct_arena_context(ss->arena);
    if (ss->n == ss->differential && ss->n <= MOST_STATES)
        return false;
    ct_report *r =
        ct_error(ctx, "E535", (ct_place){0}, "no symbolic transfer functions of %u %s", ss->n,
                 ss->n > ss->differential ? "states in descriptor form" : "states");
    ct_note(r, "they are made for systems of up to %d states in the usual form", MOST_STATES);
    ct_help(r, "add --numeric");
    return true;
}

const ct_transfers *ct_transfers_new(const ct_statespace *ss, bool full)
{
    ct_arena *arena = ss->arena;
    job j = {.ss = ss, .arena = arena, .pool = ss->pool, .n = ss->n, .m = ss->m, .p = ss->p};
    if (report_large(ss))
        return NULL;
    j.M = CT_NEW_ARRAY(arena, ct_expr, j.n * j.n + 1);
    j.AM = CT_NEW_ARRAY(arena, ct_expr, j.n * j.n + 1);
    j.num = CT_NEW_ARRAY(arena, ct_poly, j.m * j.p + 1);
    for (uint32_t i = 0; i < j.m * j.p; i++)
        j.num[i] = ct_poly_zero(arena, j.n + ss->orders);
    run(&j);
    ct_transfers *t = CT_NEW(arena, ct_transfers);
    *t = (ct_transfers){.pool = ss->pool, .m = j.m, .p = j.p};
    t->at = CT_NEW_ARRAY(arena, ct_poly_ratio, j.m * j.p + 1);
    for (uint32_t i = 0; i < j.m * j.p; i++) {
        ct_poly_ratio f = {j.num[i], copy(arena, &j.den)};
        ct_poly_trim(j.pool, &f.num);
        ct_poly_cancel(arena, j.pool, &f.num, &f.den);
        if (!f.num.count)
            f.den = (ct_poly){CT_NEW_ARRAY(arena, ct_expr, 1), 1};
        if (!f.num.count)
            f.den.at[0] = ct_expr_int(j.pool, 1);
        t->at[i] = f;
    }
    if (full)
        simplify_fractions(arena, t, transfer_budget());
    return t;
}
