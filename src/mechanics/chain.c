/* chain.c - branches in space with several freedoms: slides, then turns, each a tie of its own,
 * with groups without mass and bodies between them. A ball takes all turns at once.
 *
 * So the walk, the elimination and the reactions know ties of one kind only.
 */
#include "mechanics/inside.h"

/* ---- directions across an axis */

/* The coordinate axis that is farthest from a vector. */
static uint32_t farthest(mechanics *m, vec n)
{
    uint32_t best = 0;
    double least = 2;
    for (uint32_t i = 0; i < 3; i++) {
        double own = ct_mx_is_zero(m, n.x[i]) ? 0 : ct_mech_number(m, n.x[i]);
        own = own < 0 ? -own : own;
        if (own < least) {
            least = own;
            best = i;
        }
    }
    return best;
}

static vec cross(mechanics *m, vec a, vec b)
{
    vec sum = ct_mx_zero(m);
    for (uint32_t i = 0; i < 3; i++)
        if (!ct_mx_is_zero(m, a.x[i]))
            sum = ct_mx_vadd(m, sum, ct_mx_scale(m, a.x[i], ct_mx_turned(m, i, b)));
    return sum;
}

void ct_mx_across(mechanics *m, vec n, vec out[2])
{
    for (uint32_t k = 0; k < 3; k++)
        if (n.x[k] == m->one) {
            out[0] = ct_mx_unit(m, (k + 1) % 3, m->one);
            out[1] = ct_mx_unit(m, (k + 2) % 3, m->one);
            return;
        }
    vec side = cross(m, ct_mx_unit(m, farthest(m, n), m->one), n);
    ct_expr length = ct_expr_call1(m->pool, CT_OP_SQRT, ct_mx_dot(m, side, side));
    for (int i = 0; i < 3; i++)
        side.x[i] = ct_mx_div(m, side.x[i], length);
    out[0] = side;
    out[1] = cross(m, n, side);
}

/* ---- links */

enum { MOST_LINKS = 6 };

typedef struct link {
    vec axis;
    uint32_t freedom; /* of the joint */
    bool ball;
} link;

typedef struct links {
    link at[MOST_LINKS];
    uint32_t count;
} links;

static void add_link(links *l, vec axis, uint32_t freedom, bool ball)
{
    l->at[l->count++] = (link){axis, freedom, ball};
}

static links links_of(mechanics *m, uint32_t joint)
{
    const ct_joint *j = &m->mech->joint[joint];
    const ct_freedoms *f = &m->tree->graph->bodies->joint[joint];
    links l = {.count = 0};
    vec axis = ct_mech_direction(m, &j->axis), across[2];
    if (f->slides == 2)
        ct_mx_across(m, axis, across);
    for (uint32_t i = 0; i < f->slides; i++) {
        vec way = f->slides == 3 ? ct_mx_unit(m, i, m->one) : f->slides == 2 ? across[i] : axis;
        add_link(&l, way, CT_SLIDE + i, false);
    }
    bool ball = f->turns == 3 && !j->angles;
    for (uint32_t i = 0; f->spins && i < (ball ? 1 : f->turns); i++)
        add_link(&l, ball ? ct_mx_zero(m) : ct_mech_direction(m, &j->pin[i]), CT_TURN + i, ball);
    return l;
}

/* ---- ties */

static uint32_t add_group(mechanics *m, uint32_t lead)
{
    m->group[m->group_count] = (rigid){.lead = lead, .first = CT_NOTHING};
    return m->group_count++;
}

/* A tie at which nothing is free yet, between groups that have the joint's axes. */
static tie plain_tie(mechanics *m, uint32_t tail, uint32_t head)
{
    attitude none = {m->zero, NULL};
    return (tie){.tail = tail,
                 .head = head,
                 .tail_frame = CT_NOTHING,
                 .head_frame = CT_NOTHING,
                 .tail_turn = none,
                 .head_turn = none,
                 .from = ct_mx_zero(m),
                 .to = ct_mx_zero(m),
                 .free = {.spatial = true, .spins = true},
                 .axis = {ct_mx_unit(m, 0, m->one), ct_mx_zero(m), ct_mx_zero(m)},
                 .pin = ct_mx_unit(m, 2, m->one),
                 .offset = m->zero,
                 .length = m->zero};
}

static void free_link(mechanics *m, tie *t, const link *l)
{
    bool turn = l->freedom < CT_SLIDE;
    t->free.turns = l->ball ? 3 : turn;
    t->free.slides = !turn;
    t->ball = l->ball;
    t->turn_at = turn ? l->freedom : CT_TURN;
    t->slide_at = turn ? CT_SLIDE : l->freedom;
    if (!turn)
        t->along = l->axis, t->axis[0] = ct_mx_rotated(m, l->axis, t->tail_turn);
    else if (!l->ball)
        t->pin = l->axis;
}

static void drive_link(mechanics *m, tie *t, const link *l)
{
    if (l->ball)
        return;
    given g = ct_mech_given(m, t->object, l->freedom);
    if (l->freedom < CT_SLIDE) {
        t->angle = g;
        t->free.turn_given = g.is;
        t->free.turn_follows = g.couple != NULL;
    } else {
        t->slide = g;
        t->free.slide_given = g.is;
        t->free.slide_follows = g.couple != NULL;
    }
}

/* A quarter turn about the second axis where the chart is one: sine c, cosine 1 - c. */
static attitude chart_turn(mechanics *m, const ct_joint *j)
{
    vec *axes = CT_NEW_ARRAY(m->arena, vec, 3);
    ct_expr sine = ct_expr_symbol(m->pool, j->chart->which), cosine = ct_mx_sub(m, m->one, sine);
    uint8_t axis = 0;
    while (j->pin[1].c[axis] != m->one)
        axis++;
    for (uint32_t i = 0; i < 3; i++)
        axes[i] = ct_mx_about(m, ct_mx_unit(m, i, m->one), axis, cosine, sine);
    return (attitude){m->zero, axes};
}

void ct_mech_chain_joint(mechanics *m, uint32_t joint)
{
    const ct_joint *j = &m->mech->joint[joint];
    const site *tail = &m->site[j->tail], *head = &m->site[j->head];
    links l = links_of(m, joint);
    uint32_t from = tail->group, ties = l.count ? l.count : 1;
    m->tie_of_joint[joint] = m->tie.count;
    m->tie_count[joint] = ties;
    for (uint32_t i = 0; i < ties; i++) {
        bool first = i == 0, last = i + 1 == ties;
        uint32_t to = last ? head->group : add_group(m, m->mech->frame[j->head].body);
        tie t = plain_tie(m, from, to);
        t.object = joint;
        t.elastic = j->elastic;
        if (first)
            t.tail_frame = j->tail, t.tail_turn = tail->turn, t.from = tail->at;
        if (last)
            t.head_frame = j->head, t.head_turn = head->turn, t.to = head->at;
        t.free.spins = !m->group[to].point && !m->group[from].point;
        t.free.even = last && m->tree->graph->bodies->joint[joint].even;
        if (i < l.count)
            free_link(m, &t, &l.at[i]);
        if (j->chart && i < l.count && l.at[i].freedom == CT_TURN) {
            t.chart = chart_turn(m, j);
            t.tail_turn = ct_mx_joined(m, t.tail_turn, t.chart);
        }
        if (i < l.count)
            drive_link(m, &t, &l.at[i]);
        CT_PUSH(m->arena, m->tie, t);
        from = to;
    }
}

/* Place and orientation of a body against the ground, or one of them; a particle has a place. */
void ct_mech_chain_body(mechanics *m, uint32_t group, bool place, bool turn)
{
    uint32_t lead = m->group[group].lead, from = 0;
    uint32_t ties = (place ? 3U : 0U) + (turn && !m->group[group].point);
    for (uint32_t i = 0; i < ties; i++) {
        bool last = i + 1 == ties, ball = !place || i == 3;
        uint32_t to = last ? group : add_group(m, lead);
        tie t = plain_tie(m, from, to);
        link l = {ct_mx_unit(m, i % 3, m->one), ball ? CT_TURN : CT_SLIDE + i, ball};
        t.is_body = true;
        t.object = lead;
        if (last)
            t.to = m->member[lead].com;
        t.free.spins = !m->group[to].point;
        free_link(m, &t, &l);
        CT_PUSH(m->arena, m->tie, t);
        from = to;
    }
    m->body_tie[group] = m->tie.count - 1;
}
