/* field_cells.c - a field of order 1 as a chain of cells: stores and flows in turn.
 *
 * A held end has half a store, a free end half a flow. Coefficients are those at the place of the
 * store or flow, so that they may depend on x.
 */
#include "model/field.h"

typedef struct chain {
    field *f;
    bool held[2];
    int64_t half_steps;    /* in the length */
    uint32_t first, count; /* coordinates, from the begin to the end */
    ct_expr *flow;         /* behind each of them */
} chain;

/* Places are counted in half steps. */
static ct_expr place_of(const chain *c, int64_t half)
{
    return ct_expr_ratio(c->f->b->pool, half, c->half_steps);
}

static int64_t half_of(const chain *c, uint32_t i)
{
    return 2 * (int64_t)i + !c->held[0];
}

static void add_store(const chain *c, uint32_t i, uint32_t coord)
{
    ct_pool *p = c->f->b->pool;
    int64_t half = half_of(c, i);
    bool end = half == 0 || half == c->half_steps;
    field_law law = ct_field_law_at(c->f, place_of(c, half));
    ct_expr share = ct_expr_mul(p, ct_expr_ratio(p, end ? 1 : 2, c->half_steps), c->f->length);
    ct_field_store(c->f, coord, coord, ct_expr_mul(p, share, law.c), ct_expr_mul(p, share, law.g));
    ct_field_add_load(c->f, coord, ct_expr_mul(p, share, law.load));
    ct_field_begin(c->f, coord, ct_expr_int(p, 1));
}

static void add_flow(const chain *c, uint32_t from, uint32_t to, int64_t half)
{
    ct_pool *p = c->f->b->pool;
    field_law law = ct_field_law_at(c->f, place_of(c, half));
    ct_expr share = ct_expr_mul(p, ct_expr_ratio(p, 2, c->half_steps), c->f->length);
    field_terms drop = {0};
    CT_PUSH(c->f->b->scratch, drop, ((field_term){from, ct_expr_int(p, 1)}));
    CT_PUSH(c->f->b->scratch, drop, ((field_term){to, ct_expr_int(p, -1)}));
    c->flow[from] = ct_field_flow(c->f, &drop, ct_expr_mul(p, share, law.l),
                                  ct_expr_mul(p, share, law.r), law.tau, ct_expr_int(p, 1));
}

/* ---- free ends and taps
 *
 * A port lies between two stores, or beyond the last one: there half a flow leads to a free end. It
 * moves with straight lines between the stores; the rest is what flows in there alone, or together
 * with other ports of the same piece, moves between stores that stand still. */

typedef struct piece_place {
    int64_t low;  /* store before it; -1: it lies before the first */
    double ahead; /* of the store, in steps; before the first one: back from that */
} piece_place;

static piece_place find_piece(const chain *c, uint32_t port)
{
    const field_port *p = &c->f->port.at[port];
    double half = p->end < 2 ? (double)(p->end * c->half_steps)
                             : ct_field_tap_number(c->f, port) * (double)c->half_steps;
    double at = (half - (double)half_of(c, 0)) / 2;
    if (at < 0)
        return (piece_place){-1, -at};
    int64_t low = at < (double)c->count - 1 ? (int64_t)at : (int64_t)c->count - 1;
    return (piece_place){low, at - (double)low};
}

/* Two ports of one piece, in steps. */
static double shared_rest(const chain *c, piece_place a, piece_place b)
{
    if (a.low != b.low)
        return 0;
    double least = a.ahead < b.ahead ? a.ahead : b.ahead;
    double most = a.ahead < b.ahead ? b.ahead : a.ahead;
    bool beyond = a.low < 0 || a.low + 1 == (int64_t)c->count;
    return beyond ? least : least * (1 - most);
}

static void add_free_port(const chain *c, uint32_t port)
{
    field *f = c->f;
    ct_pool *p = f->b->pool;
    piece_place here = find_piece(c, port);
    bool before = here.low < 0, beyond = here.low + 1 == (int64_t)c->count;
    int64_t half = before ? 0 : beyond ? c->half_steps : half_of(c, (uint32_t)here.low) + 1;
    field_law law = ct_field_law_at(f, place_of(c, half));
    ct_expr step = ct_expr_mul(p, ct_expr_ratio(p, 2, c->half_steps), f->length);
    field_terms at = {0}, rest = {0};
    uint32_t low = before ? 0 : (uint32_t)here.low;
    bool between = !before && !beyond && here.ahead > 0;
    ct_expr share = between ? ct_expr_real(p, 1 - here.ahead) : ct_expr_int(p, 1);
    CT_PUSH(f->b->scratch, at, ((field_term){c->first + low, share}));
    if (between)
        CT_PUSH(f->b->scratch, at, ((field_term){c->first + low + 1, ct_expr_real(p, here.ahead)}));
    for (uint32_t i = 0; i < f->port.count; i++) {
        double shared = f->port.at[i].held ? 0 : shared_rest(c, here, find_piece(c, i));
        bool end = shared == 0.5; /* half a step stays a ratio */
        ct_expr factor = end ? ct_expr_ratio(p, 1, 2) : ct_expr_real(p, shared);
        if (shared > 0)
            CT_PUSH(f->b->scratch, rest, ((field_term){i, ct_expr_mul(p, factor, step)}));
    }
    ct_field_residual(f, port, &at, &rest, law.l, law.r, law.tau);
}

/* ---- along the field: straight lines between what is known */

static ct_expr store_at(const chain *c, int64_t i, int order)
{
    const field_coord *at = &c->f->coord.at[i];
    return order < 0 ? at->pos : at->vel;
}

/* At a free end: of its port. */
static ct_expr end_at(const chain *c, field_sight sight, uint32_t end)
{
    for (uint32_t i = 0; i < c->f->port.count; i++) {
        if (c->f->port.at[i].end != end)
            continue;
        if (sight != SEE_SECOND)
            return ct_field_across(c->f, i, sight == SEE_POSITION ? -1 : 0);
        ct_expr into = ct_field_through(c->f, i);
        return end ? ct_expr_neg(c->f->b->pool, into) : into;
    }
    return 0;
}

/* Places of both are odd or even half steps, from `first` on; what lies beyond is at the ends. */
static ct_expr value_along(const void *model, field_sight sight, double s)
{
    const chain *c = model;
    ct_pool *p = c->f->b->pool;
    bool flow = sight == SEE_SECOND;
    int64_t first = half_of(c, 0) + flow, count = (int64_t)c->count - flow;
    double half = s * (double)c->half_steps, at = (half - (double)first) / 2;
    int64_t low = at < 0 ? -1 : (int64_t)at < count ? (int64_t)at : count - 1;
    double from = low < 0 ? 0 : (double)(first + 2 * low);
    double to = low + 1 < count ? (double)(first + 2 * (low + 1)) : (double)c->half_steps;
    double part = to > from ? (half - from) / (to - from) : 0;
    int order = sight == SEE_POSITION ? -1 : 0;
    ct_expr a = low < 0 ? end_at(c, sight, 0) : flow ? c->flow[low] : store_at(c, low, order);
    ct_expr b = low + 1 == count ? end_at(c, sight, 1)
                : flow           ? c->flow[low + 1]
                                 : store_at(c, low + 1, order);
    return ct_expr_add(p, ct_expr_mul(p, ct_expr_real(p, 1 - part), a),
                       ct_expr_mul(p, ct_expr_real(p, part), b));
}

static void see(const chain *c)
{
    ct_field_see(c->f, SEE_FIRST, c, value_along);
    ct_field_see(c->f, SEE_SECOND, c, value_along);
    if (c->f->positions)
        ct_field_see(c->f, SEE_POSITION, c, value_along);
}

void ct_field_line_cells(field *f, uint32_t cells)
{
    chain c = {.f = f};
    for (uint32_t end = 0; end < 2; end++)
        c.held[end] = ct_field_held(f, end, 0) != NO_PORT;
    c.half_steps = 2 * (int64_t)cells + (c.held[0] != c.held[1]);
    uint32_t both = c.held[0] && c.held[1], own = cells - both;
    c.count = own + c.held[0] + c.held[1];
    if (c.held[0])
        ct_field_port_coord(f, ct_field_held(f, 0, 0));
    if (own)
        ct_field_own_coords(f, own, f->positions ? "q" : "eta");
    if (c.held[1])
        ct_field_port_coord(f, ct_field_held(f, 1, 0));
    c.flow = CT_NEW_ARRAY(f->b->scratch, ct_expr, c.count);
    ct_field_own_flows(f, c.count - 1);
    for (uint32_t i = 0; i < c.count; i++)
        add_store(&c, i, i);
    for (uint32_t i = 0; i + 1 < c.count; i++)
        add_flow(&c, i, i + 1, half_of(&c, i) + 1);
    for (uint32_t i = 0; i < f->port.count; i++) {
        if (!f->port.at[i].held)
            add_free_port(&c, i);
    }
    see(&c);
}

/* ---- damping by ratio: what each mode loses is no loss of single cells */

void ct_check_ratios(builder *b)
{
    const ct_model *m = ct_current(b);
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_element *e = m->element[m->component[i].element];
        if (e->broken || !e->ratio || ct_model_value(m, ct_component_instance(m, i, e->ratio)) == 0)
            continue;
        const char *name = ct_name_text(b->ctx, m->component[i].name);
        ct_place place = ct_param_place(b, i, ct_intern_text(b->ctx, "zeta"));
        ct_report *r = ct_error(b->ctx, "E442", place, "`%s` by cells has no damping ratio", name);
        ct_note(r, "a ratio belongs to modes, and cells have none");
        ct_help(r, "write method = modal, or a time of the material: damping = 1 us");
        ct_witness(r, name);
    }
}
