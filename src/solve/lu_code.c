/* lu_code.c - see lu_code.h. Sums are formed entry by entry, each in the order in which lu.c, which
 * goes by columns, adds to it. */
#include "solve/lu_code.h"

#include "base/vec.h"

/* Sums of products: beyond, code does not fit the caches. */
enum { MOST = 6000 };

/* Terms of the rows that are summed at present, each list in order; numbers are plus 1. */
typedef struct term {
    uint32_t a, b, next;
} term;

typedef struct writer {
    const ct_lu_code *of;
    ct_straight *s;
    ct_arena *scratch;
    uint32_t l, u, pivot, inverse, x; /* where they begin */
    uint32_t *first, *last, *entry;   /* per row; entry: of A */
    CT_VEC(term) term;
} writer;

static ct_straight_place number(uint32_t first, uint32_t i)
{
    return (ct_straight_place){CT_STRAIGHT_WORK, first + i};
}

static ct_straight_place given(uint32_t i)
{
    return (ct_straight_place){CT_STRAIGHT_VARIABLE, i};
}

static ct_straight_place result(uint32_t i)
{
    return (ct_straight_place){CT_STRAIGHT_OUTPUT, i};
}

static void add_term(writer *w, uint32_t row, uint32_t a, uint32_t b)
{
    CT_PUSH(w->scratch, w->term, (term){a, b, 0});
    *(w->first[row] ? &w->term.at[w->last[row] - 1].next : &w->first[row]) = w->term.count;
    w->last[row] = w->term.count;
}

static void subtract_terms(writer *w, uint32_t row)
{
    for (uint32_t i = w->first[row]; i; i = w->term.at[i - 1].next)
        ct_straight_subtract(w->s, number(w->term.at[i - 1].a, 0), number(w->term.at[i - 1].b, 0));
    w->first[row] = 0;
}

static void sum_entry(writer *w, uint32_t row)
{
    if (w->entry[row])
        ct_straight_start(w->s, given(w->entry[row] - 1));
    else
        ct_straight_start_zero(w->s);
    w->entry[row] = 0;
    subtract_terms(w, row);
}

static void write_column(writer *w, uint32_t k)
{
    const ct_lu_code *c = w->of;
    w->term.count = 0;
    for (int i = c->a_start[k]; i < c->a_start[k + 1]; i++)
        w->entry[c->a_to[i]] = (uint32_t)c->a_from[i] + 1;
    for (int i = c->u_start[k]; i < c->u_start[k + 1]; i++)
        for (int m = c->l_start[c->u_row[i]]; m < c->l_start[c->u_row[i] + 1]; m++)
            add_term(w, (uint32_t)c->l_row[m], w->l + (uint32_t)m, w->u + (uint32_t)i);
    for (int i = c->u_start[k]; i < c->u_start[k + 1]; i++) {
        sum_entry(w, (uint32_t)c->u_row[i]);
        ct_straight_store(w->s, number(w->u, (uint32_t)i));
    }
    sum_entry(w, k);
    ct_straight_store(w->s, number(w->pivot, k));
    ct_straight_check(w->s);
    ct_straight_start_inverse(w->s, number(w->pivot, k));
    ct_straight_store(w->s, number(w->inverse, k));
    ct_straight_check(w->s);
    for (int m = c->l_start[k]; m < c->l_start[k + 1]; m++) {
        sum_entry(w, (uint32_t)c->l_row[m]);
        ct_straight_times(w->s, number(w->inverse, k));
        ct_straight_store(w->s, number(w->l, (uint32_t)m));
        ct_straight_check(w->s);
    }
}

static void write_factors(writer *w)
{
    for (uint32_t k = 0; k < w->of->n; k++)
        write_column(w, k);
    ct_straight_store_check(w->s, result(0));
}

/* L by rows, then U from below. */
static void write_solution(writer *w)
{
    const ct_lu_code *c = w->of;
    w->term.count = 0;
    for (uint32_t k = 0; k < c->n; k++)
        for (int m = c->l_start[k]; m < c->l_start[k + 1]; m++)
            add_term(w, (uint32_t)c->l_row[m], w->l + (uint32_t)m, w->x + k);
    for (uint32_t k = 0; k < c->n; k++) {
        ct_straight_start(w->s, given((uint32_t)c->row_of[k]));
        subtract_terms(w, k);
        ct_straight_store(w->s, number(w->x, k));
    }
    w->term.count = 0;
    for (uint32_t k = c->n; k-- > 0;)
        for (int i = c->u_start[k]; i < c->u_start[k + 1]; i++)
            add_term(w, (uint32_t)c->u_row[i], w->u + (uint32_t)i, w->x + k);
    for (uint32_t k = c->n; k-- > 0;) {
        ct_straight_start(w->s, number(w->x, k));
        subtract_terms(w, k);
        ct_straight_times(w->s, number(w->inverse, k));
        ct_straight_store(w->s, number(w->x, k));
        ct_straight_store(w->s, result((uint32_t)c->column_of[k]));
    }
}

static bool is_small(const ct_lu_code *c)
{
    uint64_t sums = (uint64_t)c->l_start[c->n] + (uint64_t)c->u_start[c->n];
    for (int i = 0; i < c->u_start[c->n] && sums <= MOST; i++)
        sums += (uint64_t)(c->l_start[c->u_row[i] + 1] - c->l_start[c->u_row[i]]);
    return sums + c->n <= MOST;
}

static ct_straight_fn write_code(writer *w, ct_arena *arena, void (*write)(writer *w))
{
    w->s = ct_straight_new(ct_arena_context(arena));
    if (!w->s)
        return NULL;
    write(w);
    return ct_straight_done(w->s, arena);
}

void ct_lu_write(ct_arena *arena, const ct_lu_code *of, ct_straight_fn *follow,
                 ct_straight_fn *solution)
{
    writer w = {.of = of};
    if (!is_small(of))
        return;
    w.scratch = ct_arena_new(ct_arena_context(arena));
    w.u = (uint32_t)of->l_start[of->n];
    w.pivot = w.u + (uint32_t)of->u_start[of->n];
    w.inverse = w.pivot + of->n;
    w.x = w.inverse + of->n;
    w.first = CT_NEW_ARRAY(w.scratch, uint32_t, of->n + 1);
    w.last = CT_NEW_ARRAY(w.scratch, uint32_t, of->n + 1);
    w.entry = CT_NEW_ARRAY(w.scratch, uint32_t, of->n + 1);
    *follow = write_code(&w, arena, write_factors);
    *solution = *follow ? write_code(&w, arena, write_solution) : NULL;
    *follow = *solution ? *follow : NULL;
    ct_arena_free(w.scratch);
}
