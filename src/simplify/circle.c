/* circle.c - sines and cosines: which of sin(x)^2 and cos(x)^2 is written, and the addition theorem
 * backwards:
 *
 *     cos(x)*cos(y) + sin(x)*sin(y) = cos(x - y)        sin(x)*cos(y) + cos(x)*sin(y) = sin(x + y)
 *     cos(x)*cos(y) - sin(x)*sin(y) = cos(x + y)        sin(x)*cos(y) - cos(x)*sin(y) = sin(x - y)
 *
 * Two terms are looked for that differ in these factors only. */
#include <string.h>

#include "expr/pool.h"
#include "simplify/form.h"

enum { MOST_TERMS = 200, MOST_ANGLES = 12 };

typedef struct pairs {
    ct_writer *w;
    const fmpz_mpoly_struct *p;
    bool *used;   /* per term */
    ulong *power; /* of all terms, one after the other */
    slong width;
    const ct_relation *circle[MOST_ANGLES];
    int circles;
} pairs;

static ulong *powers_of(const pairs *q, slong term)
{
    return q->power + term * q->width;
}

static slong find_term(const pairs *q, const ulong *power, slong after)
{
    for (slong i = after; i < q->p->length; i++)
        if (!q->used[i] && memcmp(powers_of(q, i), power, (size_t)q->width * sizeof *power) == 0)
            return i;
    return -1;
}

static ct_expr angle_of(const pairs *q, const ct_relation *r)
{
    return ct_expr_operand(q->w->pool, q->w->gen[r->variable], 0);
}

static bool is_sine(const pairs *q, const ct_relation *r)
{
    return ct_is_call(q->w->pool, q->w->gen[r->variable], CT_OP_SIN);
}

/* Term i holds f(x)*cos(y), f cosine or sine; the other one has both turned into each other. */
static ct_expr paired(pairs *q, slong i, const ct_relation *x, const ct_relation *y, bool sine)
{
    ct_pool *pool = q->w->pool;
    slong f = sine ? x->variable : x->other, turned = sine ? x->other : x->variable;
    ulong *power = q->w->ring->other, *own = powers_of(q, i);
    if (!own[f] || !own[y->other])
        return 0;
    memcpy(power, own, (size_t)q->width * sizeof *power);
    power[f]--, power[y->other]--, power[turned]++, power[y->variable]++;
    slong k = find_term(q, power, 0);
    if (k < 0 || k == i || fmpz_cmpabs(q->p->coeffs + i, q->p->coeffs + k) != 0)
        return 0;
    bool alike = fmpz_equal(q->p->coeffs + i, q->p->coeffs + k);
    q->used[i] = q->used[k] = true;
    q->w->task->paired = true;
    ct_expr a = angle_of(q, x), b = angle_of(q, y);
    ct_expr angle = alike == sine ? ct_expr_add(pool, a, b) : ct_expr_sub(pool, a, b);
    own[f]--, own[y->other]--;
    ct_expr rest = ct_write_monomial(q->w, q->p->coeffs + i, own, NULL);
    return ct_expr_mul(pool, rest, ct_expr_call1(pool, sine ? CT_OP_SIN : CT_OP_COS, angle));
}

static ct_expr pair_of(pairs *q, slong i)
{
    for (int a = 0; a < q->circles; a++)
        for (int b = 0; b < q->circles; b++) {
            if (a == b)
                continue;
            ct_expr e = a < b ? paired(q, i, q->circle[a], q->circle[b], false) : 0;
            if (!e)
                e = paired(q, i, q->circle[a], q->circle[b], true);
            if (e)
                return e;
        }
    return 0;
}

static void prepare(pairs *q)
{
    ct_ring *ring = q->w->ring;
    ct_arena *arena = q->w->task->arena;
    slong terms = q->p->length;
    bool few = terms <= MOST_TERMS;
    for (uint32_t i = 0; few && i < ring->relation.count && q->circles < MOST_ANGLES; i++) {
        const ct_relation *r = &ring->relation.at[i];
        if (r->other >= 0 && is_sine(q, r))
            q->circle[q->circles++] = r;
    }
    if (terms < 2 || q->circles < 2)
        q->circles = 0;
    q->width = ring->variables;
    q->used = CT_NEW_ARRAY(arena, bool, (size_t)terms + 1);
    q->power = CT_NEW_ARRAY(arena, ulong, (size_t)(terms * q->width) + 1);
    for (slong i = 0; i < terms; i++)
        fmpz_mpoly_get_term_exp_ui(powers_of(q, i), q->p, i, ring->ctx);
}

ct_expr ct_write_circle(ct_writer *w, const fmpz_mpoly_t p)
{
    pairs q = {.w = w, .p = p};
    uint32_t first = w->term.count;
    prepare(&q);
    for (slong i = 0; q.circles && i < p->length; i++) {
        ct_expr e = q.used[i] ? 0 : pair_of(&q, i);
        if (e)
            CT_PUSH(w->task->arena, w->term, e);
    }
    for (slong i = 0; i < p->length; i++)
        if (!q.used[i])
            CT_PUSH(w->task->arena, w->term,
                    ct_write_monomial(w, p->coeffs + i, powers_of(&q, i), NULL));
    ct_expr e = ct_expr_sum(w->pool, w->term.at + first, w->term.count - first);
    w->term.count = first;
    return e;
}

/* ---- cos(x)^2 = 1 - sin(x)^2, where that is shorter */

static size_t length_of(ct_task *t, ct_fraction *f)
{
    return ct_side_of_poly(t, f->num).length + ct_side_of_poly(t, f->den).length;
}

static bool turn(ct_task *t, ct_fraction *f, const ct_relation *r)
{
    ct_ring *ring = &t->ring;
    ct_relation back = {.variable = r->other, .other = r->variable, .power = 2};
    back.value = ct_ring_poly(ring);
    fmpz_mpoly_gen(back.value, r->variable, ring->ctx);
    fmpz_mpoly_mul(back.value, back.value, back.value, ring->ctx);
    fmpz_mpoly_neg(back.value, back.value, ring->ctx);
    fmpz_mpoly_add_ui(back.value, back.value, 1, ring->ctx);
    if (!ct_ring_apply(ring, f->num, &back) || !ct_ring_apply(ring, f->den, &back) ||
        fmpz_mpoly_is_zero(f->den, ring->ctx)) {
        ring->over = false;
        return false;
    }
    ct_fraction_settle(ring, f);
    return true;
}

void ct_turn_circles(ct_task *t, ct_fraction *f)
{
    ct_ring *ring = &t->ring;
    for (uint32_t i = 0; i < ring->relation.count; i++) {
        const ct_relation *r = &ring->relation.at[i];
        if (r->other < 0 || (fmpz_mpoly_degree_si(f->num, r->other, ring->ctx) < 2 &&
                             fmpz_mpoly_degree_si(f->den, r->other, ring->ctx) < 2))
            continue;
        ct_fraction *turned = ct_ring_fraction(ring);
        ct_fraction_copy(ring, turned, f);
        if (turn(t, turned, r) && length_of(t, turned) < length_of(t, f))
            ct_fraction_copy(ring, f, turned);
    }
}
