/* eliminate.c - which unknown is eliminated next, and by which row.
 *
 * The unknown that stands in the fewest rows goes first; of its rows the one with the safest factor
 * (number, then parameters), then the shortest. Preferring numbers over all else would fill the
 * matrix [FORMULATION: 1.2e3 against 3.8e4 nodes on a cascade of 100 RC sections].
 */
#include <math.h>

#include "reduce/engine.h"

enum { BUCKETS = 64, SMALL_SYSTEM = 400, MANY_COUPLED = 24, CHEAP = 6, MOST_GROWTH = 1000 };

/* ---- queue of columns by count */

typedef struct queue {
    CT_VEC(uint32_t) bucket[BUCKETS];
    uint32_t lowest;
} queue;

static uint32_t bucket_of(const column *c)
{
    uint32_t count = c->count + c->nonlinear;
    return count < BUCKETS ? count : BUCKETS - 1;
}

static void enqueue(engine *g, queue *q, uint32_t unknown)
{
    uint32_t b = bucket_of(&g->col[unknown]);
    CT_PUSH(g->scratch, q->bucket[b], unknown);
    if (b < q->lowest)
        q->lowest = b;
}

/* The column with the fewest rows; entries whose count has changed are put where they belong. */
static uint32_t dequeue(engine *g, queue *q)
{
    while (q->lowest < BUCKETS) {
        if (!q->bucket[q->lowest].count) {
            q->lowest++;
            continue;
        }
        uint32_t u = q->bucket[q->lowest].at[--q->bucket[q->lowest].count];
        if (g->col[u].fate != FATE_OPEN)
            continue;
        if (bucket_of(&g->col[u]) == q->lowest)
            return u;
        enqueue(g, q, u);
    }
    return 0;
}

/* ---- choice of the row */

typedef struct choice {
    uint32_t row;
    int risk;
    bool weak;
    uint32_t length;
} choice;

static bool better(const choice *a, const choice *b)
{
    if (a->risk != b->risk)
        return a->risk < b->risk;
    return a->weak != b->weak ? b->weak : a->length < b->length;
}

/* ---- exponentials inside of exponentials
 *
 * A potential between two diodes, put into one of them by the law of the other, would give
 * exp(... R exp(...)): beyond all numbers next to the solution. Such an unknown stays one. */

static bool holds_plain(const engine *g, const row *r)
{
    for (uint32_t i = 0; i < r->nonlinear.count; i++)
        if (g->col[r->nonlinear.at[i]].kind == COLUMN_PLAIN)
            return true;
    return false;
}

static bool would_nest(engine *g, uint32_t unknown, const row *r)
{
    const column *c = &g->col[unknown];
    if (!c->nonlinear || !r->nonlinear.count || !holds_plain(g, r))
        return false;
    for (uint32_t i = 0; i < c->rows.count; i++) {
        const row *other = &g->row.at[c->rows.at[i]];
        if (other->live && ct_row_holds(other, unknown))
            return true;
    }
    return false;
}

/* Others of its kind in the row have factors of parameters that are larger, so many times. */
static bool is_outweighed(engine *g, uint32_t unknown, const row *r, double times)
{
    const ct_unknown_row *u = g->s->unknown;
    if (ct_factor_risk(g, r->term[ct_find_term(r, unknown)].factor) > 1)
        return false;
    double own = ct_factor_value(g, r->term[ct_find_term(r, unknown)].factor);
    for (uint32_t i = 0; i < r->term_count; i++)
        if (u[r->term[i].unknown].kind == u[unknown].kind && r->term[i].unknown != unknown &&
            ct_factor_risk(g, r->term[i].factor) <= 1 &&
            fabs(ct_factor_value(g, r->term[i].factor)) > times * fabs(own))
            return true;
    return false;
}

/* A potential by the balance of a node to which it is tied but weakly: errors of the strong
 * potentials would grow in it, beyond all that a nonlinear law can bear. */
static bool would_grow(engine *g, uint32_t unknown, const row *r)
{
    return is_outweighed(g, unknown, r, MOST_GROWTH);
}

/* A rate by a row where others weigh more than twice as much: along a chain of inertias errors
 * would grow with each of them. */
static bool is_weak(engine *g, uint32_t unknown, const row *r)
{
    return g->col[unknown].kind == COLUMN_RATE && r->rates > 1 && is_outweighed(g, unknown, r, 2);
}

static choice best_row(engine *g, uint32_t unknown, bool with_rates, int most_risk)
{
    choice best = {.row = NONE, .risk = 3};
    const column *c = &g->col[unknown];
    for (uint32_t i = 0; i < c->rows.count; i++) {
        const row *r = &g->row.at[c->rows.at[i]];
        uint32_t at = r->live ? ct_find_term(r, unknown) : NONE;
        if (at == NONE || r->hidden || ct_row_holds(r, unknown) || (!with_rates && r->rates) ||
            would_nest(g, unknown, r))
            continue;
        choice this = {c->rows.at[i], ct_factor_risk(g, r->term[at].factor), is_weak(g, unknown, r),
                       r->term_count + 4 * r->nonlinear.count};
        if (this.risk == 2 && r->rates > 1)
            continue; /* one of several: it may vanish where the block is regular */
        bool wins = this.risk <= most_risk && (best.row == NONE || better(&this, &best)),
             vanishes =
                 this.risk == 1 && !g->last_resort && ct_factor_vanishes(g, r->term[at].factor);
        if ((!wins && !vanishes) || would_grow(g, unknown, r)) /* the long test last */
            continue;
        if (vanishes)
            g->shunned = true;
        else
            best = this;
    }
    return best;
}

static bool affordable(const engine *g, uint32_t unknown, const choice *c)
{
    uint64_t others = g->col[unknown].count + g->col[unknown].nonlinear - 1;
    uint64_t fill = others * (c->length ? c->length - 1 : 0);
    return (!g->large || fill <= CHEAP) && g->work < g->budget;
}

/* Drops rows from the list of a column that hold it no more, so that lists stay short. */
static void tidy(engine *g, uint32_t unknown)
{
    column *c = &g->col[unknown];
    uint32_t kept = 0;
    if (c->rows.count <= 2 * (c->count + c->nonlinear) + 4)
        return;
    for (uint32_t i = 0; i < c->rows.count; i++) {
        const row *r = &g->row.at[c->rows.at[i]];
        bool again = false;
        for (uint32_t k = 0; k < kept && kept < 32 && !again; k++)
            again = c->rows.at[k] == c->rows.at[i];
        if (r->live && !again && (ct_find_term(r, unknown) != NONE || ct_row_holds(r, unknown)))
            c->rows.at[kept++] = c->rows.at[i];
    }
    c->rows.count = kept;
}

static uint32_t count_open(const engine *g, column_kind kind)
{
    uint32_t count = 0;
    for (uint32_t u = 1; u < g->s->unknown_count; u++)
        count += g->col[u].kind == kind && g->col[u].fate == FATE_OPEN;
    return count;
}

/* Many rows that hold several rates, such as a chain of inertias: their inverse would be full. */
static bool couples_many(const engine *g)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->row.count; i++)
        count += g->row.at[i].live && g->row.at[i].rates > 1;
    return count > MANY_COUPLED;
}

static void requeue_neighbours(engine *g, queue *q, const row *r, column_kind kind)
{
    for (uint32_t i = 0; i < r->term_count; i++) {
        uint32_t u = r->term[i].unknown;
        if (g->col[u].kind == kind && g->col[u].fate == FATE_OPEN)
            enqueue(g, q, u);
    }
}

static void eliminate_kind(engine *g, column_kind kind, bool with_rates, int most_risk)
{
    queue q = {.lowest = 0};
    g->large = count_open(g, kind) > SMALL_SYSTEM || (kind == COLUMN_RATE && couples_many(g));
    for (uint32_t u = g->s->unknown_count; u-- > 1;)
        if (g->col[u].kind == kind && g->col[u].fate == FATE_OPEN)
            enqueue(g, &q, u);
    for (uint32_t u; (u = dequeue(g, &q));) {
        tidy(g, u);
        choice c = best_row(g, u, with_rates, most_risk);
        if (c.row == NONE || !affordable(g, u, &c))
            continue;
        ct_eliminate(g, u, c.row);
        requeue_neighbours(g, &q, &g->row.at[c.row], kind);
    }
    for (uint32_t b = 0; b < BUCKETS; b++)
        CT_DROP(g->scratch, q.bucket[b]);
}

void ct_eliminate_plain(engine *g, bool with_rates)
{
    eliminate_kind(g, COLUMN_PLAIN, with_rates, 1);
}

/* A rate that stands alone in its row may be divided by what depends on states, such as a
 * capacitance C(v): were it zero, the model itself would be singular there. */
void ct_eliminate_rates(engine *g)
{
    eliminate_kind(g, COLUMN_RATE, true, 1);
    eliminate_kind(g, COLUMN_RATE, true, 2);
}
