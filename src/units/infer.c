/* infer.c - solves equations between dimensions, one by one as they come. */
#include "units/infer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/vec.h"

static const double rounded_power = 1e-9; /* exponents are fractions of small numbers */

/* Every equation a = b is one linear equation in exponents: a b^-1 = 1. Unknowns solved before are
 * put in; if any is left, it is solved for one of them, the pivot x = known u^p v^q ... So the
 * solved unknowns always are products of free ones, and an equation that has no unknown left
 * is either true or the first contradiction.
 *
 * A definition may come to name unknowns that were solved later. It is brought up to date when it
 * is used (settle), which also shortens the way for the next use, as in union-find. */

typedef struct ct_dim_factor factor;

typedef struct definition {
    ct_dim known;
    factor *factors; /* sorted by unknown */
    uint32_t count, room;
    uint32_t latest; /* the last of the equations that went into it */
} definition;

typedef struct unknown {
    ct_name name;
    ct_place place;
    const factor *self; /* to the power 1 */
    definition *def;    /* NULL: free */
} unknown;

/* An equation that solved an unknown, with the terms as they were written. */
typedef struct equation {
    ct_place place;
    uint32_t a_count, b_count;
    const factor *a, *b;
} equation;

struct ct_infer {
    ct_arena *arena;
    CT_VEC(unknown) unknowns;   /* at[0] is unused */
    CT_VEC(equation) equations; /* at[0] is unused */
    CT_VEC(factor) sum;         /* scratch: the product being formed */
    CT_VEC(ct_unknown) stack;   /* scratch of settle */
    factor *pool, *pool_end;    /* free room for the factors of terms */
    uint64_t stored;            /* factors written into definitions so far */
};

/* A product with everything solved put in; its factors are in infer->sum. */
typedef struct product {
    ct_dim known;
    uint32_t latest;
} product;

ct_infer *ct_infer_new(ct_arena *arena)
{
    ct_infer *infer = CT_NEW(arena, ct_infer);
    infer->arena = arena;
    CT_PUSH(arena, infer->unknowns, (unknown){0});
    CT_PUSH(arena, infer->equations, (equation){0});
    return infer;
}

/* ---- terms -------------------------------------------------------------------------------- */

static factor *take_factors(ct_infer *infer, uint32_t count)
{
    if ((size_t)(infer->pool_end - infer->pool) < count) {
        size_t room = 2 * (size_t)count + 256;
        infer->pool = CT_NEW_ARRAY(infer->arena, factor, room);
        infer->pool_end = infer->pool + room;
    }
    factor *taken = infer->pool;
    infer->pool += count;
    return taken;
}

ct_unknown ct_infer_unknown(ct_infer *infer, ct_name name, ct_place place)
{
    ct_unknown number = infer->unknowns.count;
    factor *self = CT_NEW(infer->arena, factor); /* not in the pool: see append_factors */
    *self = (factor){number, 1};
    CT_PUSH(infer->arena, infer->unknowns, (unknown){name, place, self, NULL});
    return number;
}

ct_dim_term ct_term_known(ct_dim dim)
{
    return (ct_dim_term){dim, 0, NULL};
}

ct_dim_term ct_term_unknown(ct_infer *infer, ct_unknown number)
{
    assert(number && number < infer->unknowns.count);
    return (ct_dim_term){ct_dim_none(), 1, infer->unknowns.at[number].self};
}

static bool is_zero(double power)
{
    return fabs(power) <= rounded_power;
}

/* Keeps rounding from adding up over long derivations. */
static double snap(double power)
{
    return is_zero(power - round(power)) ? round(power) : power;
}

/* Appends b^power behind the factors of a, in place if a was the last term to be made: a long
 * product x1 x2 x3 ... then costs no more than its length. */
static factor *append_factors(ct_infer *infer, ct_dim_term a, ct_dim_term b, double power)
{
    bool last =
        a.factor + a.count == infer->pool && (size_t)(infer->pool_end - infer->pool) >= b.count;
    factor *to = take_factors(infer, last ? b.count : a.count + b.count);
    if (last)
        to -= a.count;
    else
        memcpy(to, a.factor, a.count * sizeof *to);
    for (uint32_t j = 0; j < b.count; j++)
        to[a.count + j] = (factor){b.factor[j].unknown, b.factor[j].power * power};
    return to;
}

static uint32_t merge_factors(ct_dim_term a, ct_dim_term b, double power, factor *to)
{
    uint32_t i = 0, j = 0, count = 0;
    while (i < a.count || j < b.count) {
        bool from_a = j == b.count || (i < a.count && a.factor[i].unknown <= b.factor[j].unknown);
        bool from_b = i == a.count || (j < b.count && b.factor[j].unknown <= a.factor[i].unknown);
        factor f = from_a ? a.factor[i++] : (factor){b.factor[j].unknown, 0};
        if (from_b)
            f.power += b.factor[j++].power * power;
        if (!is_zero(f.power))
            to[count++] = f;
    }
    return count;
}

ct_dim_term ct_term_product(ct_infer *infer, ct_dim_term a, ct_dim_term b, double power)
{
    ct_dim known = ct_dim_product(a.known, b.known, power);
    if (!b.count || is_zero(power))
        return (ct_dim_term){known, a.count, a.factor};
    if (!a.count && power == 1)
        return (ct_dim_term){known, b.count, b.factor};
    if (a.count && a.factor[a.count - 1].unknown < b.factor[0].unknown)
        return (ct_dim_term){known, a.count + b.count, append_factors(infer, a, b, power)};
    factor *to = take_factors(infer, a.count + b.count);
    uint32_t count = merge_factors(a, b, power, to);
    infer->pool = to + count;
    return (ct_dim_term){known, count, to};
}

/* ---- putting in what is solved ------------------------------------------------------------- */

static definition *definition_of(const ct_infer *infer, ct_unknown number)
{
    return infer->unknowns.at[number].def;
}

static bool is_settled(const ct_infer *infer, const definition *def)
{
    for (uint32_t i = 0; i < def->count; i++)
        if (definition_of(infer, def->factors[i].unknown))
            return false;
    return true;
}

/* sum *= factors^power, with definitions (already settled) in place of solved unknowns. */
static void multiply_in(ct_infer *infer, product *sum, const factor *list, uint32_t count,
                        double power)
{
    for (uint32_t i = 0; i < count; i++) {
        factor f = {list[i].unknown, list[i].power * power};
        const definition *def = definition_of(infer, f.unknown);
        if (!def) {
            CT_PUSH(infer->arena, infer->sum, f);
            continue;
        }
        for (uint32_t j = 0; j < def->count; j++)
            CT_PUSH(infer->arena, infer->sum,
                    (factor){def->factors[j].unknown, def->factors[j].power * f.power});
        sum->known = ct_dim_product(sum->known, def->known, f.power);
        if (def->latest > sum->latest)
            sum->latest = def->latest;
    }
}

static int by_unknown(const void *left, const void *right)
{
    ct_unknown a = ((const factor *)left)->unknown, b = ((const factor *)right)->unknown;
    return (a > b) - (a < b);
}

/* Sorts infer->sum, joins equal unknowns and drops those that cancelled. */
static void tidy_sum(ct_infer *infer)
{
    factor *list = infer->sum.at;
    uint32_t count = 0, all = infer->sum.count;
    if (all > 1)
        qsort(list, all, sizeof *list, by_unknown);
    for (uint32_t i = 0; i < all;) {
        factor f = list[i++];
        while (i < all && list[i].unknown == f.unknown)
            f.power += list[i++].power;
        f.power = snap(f.power);
        if (!is_zero(f.power))
            list[count++] = f;
    }
    infer->sum.count = count;
}

enum { MOST_STORED = 5000000 };

/* Long chains of params and numbers without units: each definition would be as long as the chain.
 */
static void stop_at_chain(ct_infer *infer)
{
    ct_context *ctx = ct_arena_context(infer->arena);
    ct_report *r = ct_error(ctx, "E902", infer->unknowns.at[infer->sum.at->unknown].place,
                            "the dimensions of long chains without units cannot be found");
    ct_help(r, "give the params on the way their units");
    ct_throw(ctx, CT_ERR_LIMIT);
}

static void store_sum(ct_infer *infer, definition *def, product sum)
{
    uint32_t count = infer->sum.count;
    if ((infer->stored += count) > MOST_STORED)
        stop_at_chain(infer);
    if (count > def->room) {
        def->factors = CT_NEW_ARRAY(infer->arena, factor, count);
        def->room = count;
    }
    if (count)
        memcpy(def->factors, infer->sum.at, count * sizeof *def->factors);
    for (int i = 0; i < CT_BASE_UNITS; i++)
        sum.known.e[i] = snap(sum.known.e[i]);
    def->known = sum.known;
    def->count = count;
    def->latest = sum.latest;
}

/* Puts the unknowns on the stack that def uses and whose own definitions are out of date. */
static bool push_unsettled(ct_infer *infer, const definition *def)
{
    uint32_t before = infer->stack.count;
    for (uint32_t i = 0; i < def->count; i++) {
        const definition *used = definition_of(infer, def->factors[i].unknown);
        if (used && !is_settled(infer, used))
            CT_PUSH(infer->arena, infer->stack, def->factors[i].unknown);
    }
    return infer->stack.count > before;
}

/* Brings the definition of a solved unknown up to date. It ends because a definition names only
 * unknowns that were free when it was made, so that there are no circles. */
static void settle(ct_infer *infer, ct_unknown number)
{
    infer->stack.count = 0;
    CT_PUSH(infer->arena, infer->stack, number);
    while (infer->stack.count) {
        definition *def = definition_of(infer, infer->stack.at[infer->stack.count - 1]);
        if (push_unsettled(infer, def))
            continue;
        infer->stack.count--;
        if (is_settled(infer, def))
            continue;
        product sum = {def->known, def->latest};
        infer->sum.count = 0;
        multiply_in(infer, &sum, def->factors, def->count, 1);
        tidy_sum(infer);
        store_sum(infer, def, sum);
    }
}

static void settle_all(ct_infer *infer, ct_dim_term term)
{
    for (uint32_t i = 0; i < term.count; i++) {
        const definition *def = definition_of(infer, term.factor[i].unknown);
        if (def && !is_settled(infer, def))
            settle(infer, term.factor[i].unknown);
    }
}

/* a b^-1 in free unknowns. */
static product quotient(ct_infer *infer, ct_dim_term a, ct_dim_term b)
{
    settle_all(infer, a);
    settle_all(infer, b);
    product sum = {ct_dim_product(a.known, b.known, -1), 0};
    infer->sum.count = 0;
    multiply_in(infer, &sum, a.factor, a.count, 1);
    multiply_in(infer, &sum, b.factor, b.count, -1);
    tidy_sum(infer);
    return sum;
}

bool ct_infer_resolve(ct_infer *infer, ct_dim_term term, ct_dim *dim)
{
    if (!term.count) {
        *dim = term.known;
        return true;
    }
    *dim = quotient(infer, term, ct_term_known(ct_dim_none())).known;
    return infer->sum.count == 0;
}

ct_dim_term ct_infer_free(ct_infer *infer, ct_dim_term term)
{
    ct_dim_term out = ct_term_known(quotient(infer, term, ct_term_known(ct_dim_none())).known);
    factor *list = take_factors(infer, infer->sum.count);
    for (uint32_t i = 0; i < infer->sum.count; i++)
        list[i] = infer->sum.at[i];
    out.count = infer->sum.count, out.factor = list;
    return out;
}

/* ---- equations ---------------------------------------------------------------------------- */

static bool stands_alone(ct_dim_term side, ct_unknown number)
{
    return side.count == 1 && side.factor->unknown == number;
}

/* Which unknown to solve for matters when some stay free, i.e. have no dimension in the end.
 * Parameters come before bare numbers: in F = 2*F1 it is F1 that is a force, and 2 a number. Then
 * comes what is a side of its own: in p = q*r it is p that follows from the others. Then power 1,
 * because roots make odd exponents. */
static int pivot_rank(const ct_infer *infer, ct_dim_term a, ct_dim_term b, factor f)
{
    bool named = infer->unknowns.at[f.unknown].name != 0;
    bool alone = stands_alone(a, f.unknown) || stands_alone(b, f.unknown);
    return 4 * named + 2 * alone + is_zero(fabs(f.power) - 1);
}

static uint32_t choose_pivot(const ct_infer *infer, ct_dim_term a, ct_dim_term b)
{
    uint32_t best = 0;
    int best_rank = -1;
    for (uint32_t i = 0; i < infer->sum.count; i++) {
        int rank = pivot_rank(infer, a, b, infer->sum.at[i]);
        if (rank >= best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

/* From known x^p rest = 1 (in infer->sum): x = (known rest)^(-1/p). */
static void solve(ct_infer *infer, product sum, uint32_t pivot)
{
    factor x = infer->sum.at[pivot];
    definition *def = CT_NEW(infer->arena, definition);
    infer->sum.count--;
    memmove(infer->sum.at + pivot, infer->sum.at + pivot + 1,
            (infer->sum.count - pivot) * sizeof *infer->sum.at);
    for (uint32_t i = 0; i < infer->sum.count; i++)
        infer->sum.at[i].power = snap(infer->sum.at[i].power / -x.power);
    sum.known = ct_dim_product(ct_dim_none(), sum.known, -1 / x.power);
    store_sum(infer, def, sum);
    infer->unknowns.at[x.unknown].def = def;
}

/* The unknown with a name that was settled last; 0: none. */
static ct_unknown settled_last(const ct_infer *infer, const factor *list, uint32_t count)
{
    ct_unknown found = 0;
    uint32_t latest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const unknown *u = &infer->unknowns.at[list[i].unknown];
        if (u->name && u->def && u->def->latest > latest) {
            found = list[i].unknown;
            latest = u->def->latest;
        }
    }
    return found;
}

static bool has_unknown(const factor *list, uint32_t count, ct_unknown number)
{
    factor key = {number, 0};
    return count && bsearch(&key, list, count, sizeof *list, by_unknown) != NULL;
}

/* A parameter may have got its dimension through another: p2 = p1, then p1 = 3 kg. Whoever looks up
 * the earlier place must find the name there, so that the culprit is then p1. */
static ct_unknown name_at(const ct_infer *infer, const equation *e, ct_unknown number)
{
    if (has_unknown(e->a, e->a_count, number) || has_unknown(e->b, e->b_count, number))
        return number;
    ct_unknown written = settled_last(infer, e->a, e->a_count);
    if (!written)
        written = settled_last(infer, e->b, e->b_count);
    return written ? written : number;
}

static void describe(ct_infer *infer, ct_dim_term a, ct_dim_term b, ct_dim_conflict *conflict)
{
    *conflict = (ct_dim_conflict){0};
    ct_infer_resolve(infer, a, &conflict->a);
    ct_infer_resolve(infer, b, &conflict->b);
    ct_unknown culprit = settled_last(infer, a.factor, a.count);
    if (!culprit)
        culprit = settled_last(infer, b.factor, b.count);
    if (!culprit)
        return;
    const equation *earlier = &infer->equations.at[definition_of(infer, culprit)->latest];
    conflict->culprit = name_at(infer, earlier, culprit);
    conflict->earlier = earlier->place;
}

bool ct_infer_equal(ct_infer *infer, ct_dim_term a, ct_dim_term b, ct_place place,
                    ct_dim_conflict *conflict)
{
    if (!a.count && !b.count && ct_dim_equal(a.known, b.known))
        return true;
    product sum = quotient(infer, a, b);
    if (!infer->sum.count) {
        bool equal = ct_dim_is_one(sum.known);
        if (!equal)
            describe(infer, a, b, conflict);
        return equal;
    }
    sum.latest = infer->equations.count;
    CT_PUSH(infer->arena, infer->equations,
            (equation){place, a.count, b.count, a.factor, b.factor});
    solve(infer, sum, choose_pivot(infer, a, b));
    return true;
}

uint32_t ct_infer_count(const ct_infer *infer)
{
    return infer->unknowns.count - 1;
}

ct_name ct_infer_name(const ct_infer *infer, ct_unknown number)
{
    return infer->unknowns.at[number].name;
}

ct_place ct_infer_place(const ct_infer *infer, ct_unknown number)
{
    return infer->unknowns.at[number].place;
}
