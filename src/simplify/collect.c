/* collect.c - a sum with common parts taken out: a*c + a*d + b*c + b*d + e as (a + b)*(c + d) + e.
 *
 * For each variable the terms that hold it are divided by what they have in common: the variable
 * and a sum are left. Variables with the same sum belong together. The group that shortens the text
 * most is taken out, as long as that is worth a bracket; then the rest is searched again. */
#include "simplify/form.h"

/* A group must save one character in WORTH of those it replaces; in a sum that nobody reads at one
 * glance, a few are enough. */
enum { DEEPEST = 6, FEWEST_TERMS = 4, MOST_TERMS = 2000, MOST_FACTORED = 12 };
enum { WORTH = 8, MANY_TERMS = 50, WORTH_OF_MANY = 40 };

typedef struct share {
    fmpz_mpoly_struct *before; /* monomial in front of the sum */
    fmpz_mpoly_struct *sum;
    fmpz_mpoly_struct *terms; /* before * sum */
    size_t length;            /* of these terms as text */
    bool used;
} share;

typedef struct group {
    fmpz_mpoly_struct *before, *sum, *terms; /* terms = before * sum */
    size_t saved, length;
} group;

/* Exponents of all terms, one after the other. */
static const ulong *unpack(ct_task *t, const fmpz_mpoly_t p)
{
    size_t width = (size_t)t->ring.variables;
    ulong *power = CT_NEW_ARRAY(t->arena, ulong, (size_t)p->length * width + 1);
    for (slong i = 0; i < p->length; i++)
        fmpz_mpoly_get_term_exp_ui(power + (size_t)i * width, p, i, t->ring.ctx);
    return power;
}

static const size_t *lengths_of(ct_task *t, const fmpz_mpoly_t p, const ulong *power)
{
    size_t *length = CT_NEW_ARRAY(t->arena, size_t, (size_t)p->length + 1);
    for (slong i = 0; i < p->length; i++)
        length[i] = ct_term_length(t, power + i * t->ring.variables, p->coeffs + i);
    return length;
}

/* The terms of p that hold a variable, as they are packed there. */
static void take_terms(ct_ring *ring, share *s, const fmpz_mpoly_t p, const ulong *power,
                       const size_t *length)
{
    fmpz_mpoly_struct *to = s->terms;
    fmpz_mpoly_set(to, p, ring->ctx);
    slong words = mpoly_words_per_exp(to->bits, ring->ctx->minfo), kept = 0;
    for (slong i = 0; i < p->length; i++) {
        if (!power[i * ring->variables])
            continue;
        fmpz_swap(to->coeffs + kept, to->coeffs + i);
        mpoly_monomial_set(to->exps + words * kept++, to->exps + words * i, words);
        s->length += length[i];
    }
    to->length = kept;
}

/* Unused: some terms hold the variable, but not one alone and not all. */
static share share_of(ct_task *t, const fmpz_mpoly_t p, const ulong *power, const size_t *length,
                      slong variable)
{
    ct_ring *ring = &t->ring;
    slong width = ring->variables, holding = 0;
    for (slong i = 0; i < p->length; i++)
        holding += power[i * width + variable] != 0;
    if (holding < 2 || holding == p->length)
        return (share){.used = true};
    share s = {ct_ring_poly(ring), ct_ring_poly(ring), ct_ring_poly(ring), 0, false};
    take_terms(ring, &s, p, power + variable, length);
    fmpz_mpoly_term_content(s.before, s.terms, ring->ctx);
    if (fmpz_sgn(s.terms->coeffs) < 0)
        fmpz_mpoly_neg(s.before, s.before, ring->ctx);
    s.used = !fmpz_mpoly_divides(s.sum, s.terms, s.before, ring->ctx);
    return s;
}

/* No term of the group may be met twice. */
static bool are_apart(ct_ring *ring, const fmpz_mpoly_t a, const fmpz_mpoly_t b)
{
    for (slong i = 0; i < b->length && a->length; i++) {
        fmpz_mpoly_get_term_exp_ui(ring->other, b, i, ring->ctx);
        fmpz_t c;
        fmpz_init(c);
        fmpz_mpoly_get_coeff_fmpz_ui(c, a, ring->other, ring->ctx);
        bool met = !fmpz_is_zero(c);
        fmpz_clear(c);
        if (met)
            return false;
    }
    return true;
}

static group group_of(ct_task *t, share *list, slong count, slong first)
{
    ct_ring *ring = &t->ring;
    group g = {.before = ct_ring_poly(ring), .sum = list[first].sum, .terms = ct_ring_poly(ring)};
    for (slong i = first; i < count; i++) {
        if (list[i].used || !fmpz_mpoly_equal(list[i].sum, g.sum, ring->ctx))
            continue;
        list[i].used = true;
        if (!are_apart(ring, g.terms, list[i].terms))
            continue;
        fmpz_mpoly_add(g.before, g.before, list[i].before, ring->ctx);
        fmpz_mpoly_add(g.terms, g.terms, list[i].terms, ring->ctx);
        g.length += list[i].length;
    }
    size_t sum = g.sum->length <= MOST_FACTORED ? ct_side_of_poly(t, g.sum).length
                                                : ct_poly_length(t, g.sum);
    size_t now = sum + ct_poly_length(t, g.before) + (g.before->length > 1 ? 2 : 0);
    g.saved = g.length > now ? g.length - now : 0;
    return g;
}

static void keep(ct_ring *ring, group *best, const group *g)
{
    fmpz_mpoly_set(best->before, g->before, ring->ctx);
    fmpz_mpoly_set(best->sum, g->sum, ring->ctx);
    fmpz_mpoly_set(best->terms, g->terms, ring->ctx);
    best->saved = g->saved;
    best->length = g->length;
}

static bool best_group(ct_task *t, const fmpz_mpoly_t p, group *best)
{
    ct_ring *ring = &t->ring;
    slong count = (slong)t->atom.count;
    uint64_t work = (uint64_t)(count * p->length);
    if (p->length < FEWEST_TERMS || p->length > MOST_TERMS || ring->work < work)
        return false;
    ring->work -= work;
    size_t worth = p->length > MANY_TERMS ? WORTH_OF_MANY : WORTH;
    *best = (group){ct_ring_poly(ring), ct_ring_poly(ring), ct_ring_poly(ring), 0, 0};
    uint32_t kept = ring->live.count;
    share *list = CT_NEW_ARRAY(t->arena, share, (size_t)count + 1);
    const ulong *power = unpack(t, p);
    const size_t *length = lengths_of(t, p, power);
    for (slong v = 0; v < count; v++)
        list[v] = share_of(t, p, power, length, v);
    for (slong v = 0; v < count; v++) {
        if (list[v].used)
            continue;
        group g = group_of(t, list, count, v);
        if (g.saved > best->saved && worth * g.saved >= g.length)
            keep(ring, best, &g);
    }
    ct_ring_drop(ring, kept);
    return best->saved > 0;
}

static ct_expr write_factors(ct_writer *w, fmpz_mpoly_struct *p, int depth);

/* p does not factor. */
static ct_expr write_sum(ct_writer *w, fmpz_mpoly_struct *p, int depth)
{
    group g;
    uint32_t first = w->term.count;
    ct_arena *arena = w->task->arena;
    fmpz_mpoly_struct *rest = ct_ring_poly(w->ring);
    fmpz_mpoly_set(rest, p, w->ring->ctx);
    while (depth < DEEPEST && best_group(w->task, rest, &g)) {
        ct_expr a = write_factors(w, g.before, depth + 1), b = write_factors(w, g.sum, depth + 1);
        CT_PUSH(arena, w->term, ct_expr_mul(w->pool, a, b));
        fmpz_mpoly_sub(rest, rest, g.terms, w->ring->ctx);
    }
    ct_expr last = ct_write_circle(w, rest); /* uses the list, too */
    CT_PUSH(arena, w->term, last);
    ct_expr e = ct_expr_sum(w->pool, w->term.at + first, w->term.count - first);
    w->term.count = first;
    return e;
}

static ct_expr write_factors(ct_writer *w, fmpz_mpoly_struct *p, int depth)
{
    ct_form_side s = ct_side_of_poly(w->task, p);
    uint32_t first = w->factor.count;
    ct_arena *arena = w->task->arena;
    CT_PUSH(arena, w->factor, s.content ? ct_write_integer(w, s.content) : ct_expr_int(w->pool, 1));
    for (slong i = 0; i < s.count; i++) {
        slong n = s.power ? fmpz_get_si(s.power + i) : 1;
        ct_expr x = write_sum(w, s.part + i, depth);
        CT_PUSH(arena, w->factor, ct_expr_pow(w->pool, x, ct_expr_int(w->pool, n)));
    }
    ct_expr e = ct_expr_product(w->pool, w->factor.at + first, w->factor.count - first);
    w->factor.count = first;
    return e;
}

ct_expr ct_write_collected(ct_writer *w, fmpz_mpoly_struct *p)
{
    return write_factors(w, p, 0);
}
