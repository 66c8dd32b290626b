/* field_links.c - a beam as a chain of links: masses at nodes, springs that bend between links.
 *
 * Nodes lie a step h apart, the first one at an end whose deflection is held, else half a step
 * behind it. The link between two nodes turns by theta/h: with shear an unknown of its own, without
 * it the difference of both deflections. Between links the beam bends, so that with the sections at
 * nodes x_i and links x_k
 *
 *     2 V = sum of E I(x_i)/h^3 (theta_k - theta_(k-1))^2 + sum of kappa G A(x_k)/h (w_(i+1) - w_i
 * - theta_k)^2
 *
 * An end whose slope is held is one more link that the first or last one bends against, half a step
 * away where the node is at the end. What is left between a free end and its node is a residual.
 */
#include <math.h>

#include "model/field.h"

enum { BEGIN, END };

typedef struct chain {
    field *f;
    int64_t half_steps; /* in the length */
    uint32_t nodes;
    uint32_t first_turn;      /* coordinate of the first link, with shear */
    bool held[2], shears;     /* deflections at the ends */
    bool turn_held[2];        /* slopes: by a port or for good */
    uint32_t turn_coord[2];   /* of a held port; NO_PORT: it stays zero */
    uint32_t free_port[2][2]; /* of deflection and slope; NO_PORT: none */
    ct_expr step;             /* h */
} chain;

static ct_expr ratio(const chain *c, int64_t num, int64_t den)
{
    return ct_expr_ratio(c->f->b->pool, num, den);
}

static int64_t half_of(const chain *c, uint32_t node)
{
    return 2 * (int64_t)node + !c->held[BEGIN];
}

static field_law law_at(const chain *c, int64_t half)
{
    return ct_field_law_at(c->f, ratio(c, half, c->half_steps));
}

static void push(const chain *c, field_terms *terms, uint32_t coord, ct_expr factor)
{
    CT_PUSH(c->f->b->scratch, *terms, ((field_term){coord, factor}));
}

/* theta of a link, times a factor. */
static void push_turn(const chain *c, field_terms *terms, uint32_t link, ct_expr factor)
{
    ct_pool *p = c->f->b->pool;
    if (c->shears) {
        push(c, terms, c->first_turn + link, factor);
        return;
    }
    push(c, terms, link + 1, factor);
    push(c, terms, link, ct_expr_neg(p, factor));
}

/* h times the slope of an end that is held; a coordinate is the slope times the length. */
static void push_end_turn(const chain *c, field_terms *terms, uint32_t end, ct_expr factor)
{
    if (c->turn_coord[end] != NO_PORT)
        push(c, terms, c->turn_coord[end],
             ct_expr_mul(c->f->b->pool, factor, ratio(c, 2, c->half_steps)));
}

/* ---- stores */

/* Of the square of a sum. */
static void store_square(const chain *c, const field_terms *terms, ct_expr factor)
{
    ct_pool *p = c->f->b->pool;
    ct_expr zero = ct_expr_int(p, 0);
    for (uint32_t i = 0; i < terms->count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const ct_expr part[] = {factor, terms->at[i].factor, terms->at[k].factor};
            ct_field_store(c->f, terms->at[i].coord, terms->at[k].coord,
                           ct_expr_product(p, part, 3), zero);
        }
}

static void add_node(const chain *c, uint32_t node)
{
    ct_pool *p = c->f->b->pool;
    int64_t half = half_of(c, node);
    bool end = half == 0 || half == c->half_steps;
    field_law law = law_at(c, half);
    ct_expr share = ct_expr_mul(p, ratio(c, end ? 1 : 2, 2), c->step);
    ct_field_store(c->f, node, node, ct_expr_mul(p, share, law.c), ct_expr_mul(p, share, law.g));
    ct_field_add_load(c->f, node, ct_expr_mul(p, share, law.load));
}

/* A slope that is held at an end that is free turns the piece of half a step that no link has. */
static void add_end_turn(const chain *c, uint32_t end)
{
    ct_pool *p = c->f->b->pool;
    uint32_t turn = c->turn_coord[end];
    field_law law = law_at(c, end ? c->half_steps : 0);
    ct_expr scale = ratio(c, 4, c->half_steps * c->half_steps), zero = ct_expr_int(p, 0);
    ct_expr half = ct_expr_mul(p, scale, ct_expr_div(p, ratio(c, 1, 2), c->step));
    ct_field_store(c->f, turn, turn, ct_expr_mul(p, half, law.rotary), zero);
    if (law.tension)
        ct_field_pull(c->f, turn, turn, ct_expr_mul(p, half, law.tension));
}

/* A link also stands for the half step beyond it where an end is free to turn. */
static ct_expr share_of_link(const chain *c, uint32_t link)
{
    int64_t halves = 2;
    halves += link == 0 && !c->held[BEGIN] && !c->turn_held[BEGIN];
    halves += link + 2 == c->nodes && !c->held[END] && !c->turn_held[END];
    return ratio(c, halves, 2);
}

static void add_link(const chain *c, uint32_t link)
{
    ct_pool *p = c->f->b->pool;
    ct_expr share = share_of_link(c, link);
    field_law law = law_at(c, half_of(c, link) + 1);
    field_terms turn = {0}, drop = {0};
    push_turn(c, &turn, link, ratio(c, 1, 1));
    if (!ct_expr_is_zero(p, law.rotary)) /* rho I h (theta/h)^2 */
        store_square(c, &turn, ct_expr_div(p, ct_expr_mul(p, share, law.rotary), c->step));
    if (c->shears) {
        push(c, &drop, link + 1, ratio(c, 1, 1));
        push(c, &drop, link, ratio(c, -1, 1));
        push(c, &drop, c->first_turn + link, ratio(c, -1, 1));
        ct_field_flow(c->f, &drop, ct_expr_mul(p, c->step, law.shear), ct_expr_int(p, 0), law.tau,
                      ct_expr_int(p, 0));
    }
    if (!law.tension)
        return;
    ct_expr pull = ct_expr_div(p, ct_expr_mul(p, share, law.tension), c->step);
    ct_field_pull(c->f, link, link, pull);
    ct_field_pull(c->f, link + 1, link + 1, pull);
    ct_field_pull(c->f, link + 1, link, ct_expr_neg(p, pull));
}

/* ---- bending */

/* h^3/(E I) times a number. */
static void add_bend(const chain *c, const field_terms *drop, int64_t half, ct_expr share)
{
    ct_pool *p = c->f->b->pool;
    field_law law = law_at(c, half);
    const ct_expr part[] = {share, law.l, ct_expr_pow(p, c->step, ct_expr_int(p, 3))};
    ct_field_flow(c->f, drop, ct_expr_product(p, part, 3), ct_expr_int(p, 0), law.tau,
                  ct_expr_int(p, 0));
}

static void add_bends(const chain *c)
{
    for (uint32_t link = 1; link + 1 < c->nodes; link++) {
        field_terms drop = {0};
        push_turn(c, &drop, link, ratio(c, 1, 1));
        push_turn(c, &drop, link - 1, ratio(c, -1, 1));
        add_bend(c, &drop, half_of(c, link), ratio(c, 1, 1));
    }
    for (uint32_t end = BEGIN; end <= END; end++) {
        field_terms drop = {0};
        uint32_t node = end ? c->nodes - 1 : 0;
        if (!c->turn_held[end])
            continue;
        push_turn(c, &drop, end ? c->nodes - 2 : 0, ratio(c, 1, 1));
        push_end_turn(c, &drop, end, ratio(c, -1, 1));
        add_bend(c, &drop, half_of(c, node), ratio(c, c->held[end] ? 1 : 2, 2));
    }
}

/* ---- free ends: the piece between the port and the link beside it */

/* Times h^3/(E I): what a force (0) or a moment over the length (1) at the end moves there. */
static ct_expr piece(const chain *c, uint32_t end, uint32_t to, uint32_t from)
{
    ct_pool *p = c->f->b->pool;
    int64_t s = c->half_steps; /* length/h is s/2 */
    field_law law = law_at(c, end ? s : 0);
    if (c->held[end]) /* half a step bends: only the slope moves */
        return ratio(c, s * s, 8);
    if (to + from == 2)
        return ratio(c, s * s, 4);
    if (to + from == 1)
        return ratio(c, end ? s : -s, 4);
    ct_expr bend = c->turn_held[end] ? ratio(c, 1, 24) : ratio(c, 1, 3);
    const ct_expr cube[] = {law.l, c->step, c->step};
    ct_expr shear = ct_expr_div(p, law.shear, ct_expr_product(p, cube, 3));
    return ct_expr_add(p, bend, ct_expr_mul(p, ratio(c, 1, 2), shear));
}

static void add_free_port(const chain *c, uint32_t end, uint32_t row)
{
    ct_pool *p = c->f->b->pool;
    field_terms at = {0}, rest = {0};
    uint32_t port = c->free_port[end][row], link = end ? c->nodes - 2 : 0;
    field_law law = law_at(c, end ? c->half_steps : 0);
    ct_expr back = ratio(c, end ? 1 : -1, 2); /* half a step along the slope there */
    if (row == 1) {
        push_turn(c, &at, link, ratio(c, c->half_steps, 2));
    } else {
        push(c, &at, end ? c->nodes - 1 : 0, ratio(c, 1, 1));
        if (c->turn_held[end])
            push_end_turn(c, &at, end, back);
        else
            push_turn(c, &at, link, back);
    }
    for (uint32_t from = 0; from < 2; from++)
        if (c->free_port[end][from] != NO_PORT)
            CT_PUSH(c->f->b->scratch, rest,
                    ((field_term){c->free_port[end][from], piece(c, end, row, from)}));
    ct_expr cube = ct_expr_pow(p, c->step, ct_expr_int(p, 3));
    ct_field_residual(c->f, port, &at, &rest, ct_expr_mul(p, law.l, cube), ct_expr_int(p, 0),
                      law.tau);
}

/* ---- taps: they move with the links; what bends beside them is a small piece of a step */

static void add_tap(const chain *c, uint32_t port)
{
    field *f = c->f;
    double at = (ct_field_tap_number(f, port) * (double)c->half_steps - (double)half_of(c, 0)) / 2;
    uint32_t end = at < 0 ? BEGIN : END;
    bool beyond = at < 0 || at > c->nodes - 1;
    uint32_t low = at < 0 ? 0 : at < c->nodes - 1 ? (uint32_t)at : c->nodes - 1;
    double ahead = at - low;
    field_terms move = {0}, rest = {0};
    field_law law = law_at(c, half_of(c, low) + (low + 1 < c->nodes));
    ct_pool *p = f->b->pool;
    push(c, &move, low, ct_expr_real(p, beyond ? 1 : 1 - ahead));
    if (beyond && c->turn_held[end])
        push_end_turn(c, &move, end, ct_expr_real(p, ahead));
    else if (beyond)
        push_turn(c, &move, end ? c->nodes - 2 : 0, ct_expr_real(p, ahead));
    else if (ahead > 0)
        push(c, &move, low + 1, ct_expr_real(p, ahead));
    double cube = pow(ahead * (1 - ahead), 2) / 3; /* held at both nodes it bends by that */
    if (!beyond && ahead > 0) {
        ct_expr shear = ct_expr_mul(p, law.shear, ct_expr_real(p, ahead * (1 - ahead)));
        const ct_expr bend[] = {law.l, c->step, c->step, ct_expr_real(p, cube)};
        ct_expr soft = ct_expr_add(p, ct_expr_product(p, bend, 4), shear);
        CT_PUSH(f->b->scratch, rest, ((field_term){port, ct_expr_mul(p, soft, c->step)}));
    }
    ct_field_residual(f, port, &move, &rest, ct_expr_int(p, 1), ct_expr_int(p, 0), law.tau);
}

/* ---- along the beam: straight links */

static ct_expr of_coord(const chain *c, uint32_t i, int order)
{
    return order < 0 ? c->f->coord.at[i].pos : c->f->coord.at[i].vel;
}

static ct_expr value_along(const void *model, field_sight sight, double s)
{
    const chain *c = model;
    ct_pool *p = c->f->b->pool;
    int order = sight == SEE_POSITION ? -1 : 0;
    double at = (s * (double)c->half_steps - (double)half_of(c, 0)) / 2;
    uint32_t link = at < 0 ? 0 : at < c->nodes - 2 ? (uint32_t)at : c->nodes - 2;
    ct_expr from = of_coord(c, link, order), to = of_coord(c, link + 1, order);
    if (sight == SEE_SECOND && c->shears)
        return ct_expr_div(p, of_coord(c, c->first_turn + link, 0), c->step);
    if (sight == SEE_SECOND)
        return ct_expr_div(p, ct_expr_sub(p, to, from), c->step);
    ct_expr part = ct_expr_real(p, at - link), rest = ct_expr_real(p, 1 - (at - link));
    return ct_expr_add(p, ct_expr_mul(p, rest, from), ct_expr_mul(p, part, to));
}

/* ---- all of it */

static void find_ends(chain *c, const bool *fixed)
{
    for (uint32_t end = BEGIN; end <= END; end++) {
        c->held[end] = ct_field_held(c->f, end, 0) != NO_PORT;
        c->turn_held[end] = fixed[2 * end + 1] || ct_field_held(c->f, end, 1) != NO_PORT;
        c->turn_coord[end] = c->free_port[end][0] = c->free_port[end][1] = NO_PORT;
    }
    for (uint32_t i = 0; i < c->f->port.count; i++) {
        const field_port *p = &c->f->port.at[i];
        if (!p->held && p->end < 2)
            c->free_port[p->end][p->row] = i;
    }
}

/* Nodes from the begin to the end, then slopes of ends, then links. */
static void add_coords(chain *c, uint32_t cells)
{
    field *f = c->f;
    uint32_t own = cells - (c->held[BEGIN] && c->held[END]);
    c->nodes = own + c->held[BEGIN] + c->held[END];
    if (c->held[BEGIN])
        ct_field_port_coord(f, ct_field_held(f, BEGIN, 0));
    if (own)
        ct_field_own_coords(f, own, "q");
    if (c->held[END])
        ct_field_port_coord(f, ct_field_held(f, END, 0));
    for (uint32_t end = BEGIN; end <= END; end++) {
        uint32_t port = ct_field_held(f, end, 1);
        if (port == NO_PORT)
            continue;
        c->turn_coord[end] = f->coord.count;
        ct_field_port_coord(f, port);
    }
    c->first_turn = f->coord.count;
    if (c->shears)
        ct_field_own_coords(f, c->nodes - 1, "turn");
}

void ct_field_beam_cells(field *f, uint32_t cells, const bool *fixed)
{
    chain c = {.f = f, .shears = !ct_expr_is_zero(f->b->pool, f->law.shear)};
    find_ends(&c, fixed);
    c.half_steps = 2 * (int64_t)cells + (c.held[BEGIN] != c.held[END]);
    c.step = ct_expr_mul(f->b->pool, ratio(&c, 2, c.half_steps), f->length);
    add_coords(&c, cells);
    for (uint32_t i = 0; i < c.nodes; i++)
        add_node(&c, i);
    for (uint32_t i = 0; i + 1 < c.nodes; i++)
        add_link(&c, i);
    add_bends(&c);
    for (uint32_t end = BEGIN; end <= END; end++)
        if (c.turn_coord[end] != NO_PORT && !c.held[end])
            add_end_turn(&c, end);
    for (uint32_t end = BEGIN; end <= END; end++)
        for (uint32_t row = 0; row < 2; row++)
            if (c.free_port[end][row] != NO_PORT)
                add_free_port(&c, end, row);
    for (uint32_t i = 0; i < f->port.count; i++)
        if (f->port.at[i].end == 2)
            add_tap(&c, i);
    ct_field_see(f, SEE_FIRST, &c, value_along);
    ct_field_see(f, SEE_SECOND, &c, value_along);
    ct_field_see(f, SEE_POSITION, &c, value_along);
}
