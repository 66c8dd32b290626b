/* bodies.c - bodies that are welded together move as one: groups, and where their bodies and frames
 * are in them.
 *
 * Which welds make groups is the graph's matter; here is the geometry.
 */
#include "mechanics/inside.h"

typedef struct grouping {
    mechanics *m;
    const ct_bodies *b;
    uint32_t *head_of;  /* lists of welds by body: first, then next by end */
    uint32_t *next_end; /* two ends a joint: 2*joint at the tail, 2*joint + 1 at the head */
} grouping;

static uint32_t body_of(const mechanics *m, uint32_t frame)
{
    return m->mech->frame[frame].body;
}

static void push_end(grouping *g, uint32_t body, uint32_t end)
{
    g->next_end[end] = g->head_of[body];
    g->head_of[body] = end;
}

static void list_welds(grouping *g)
{
    const ct_mechanism *mech = g->m->mech;
    for (uint32_t i = 0; i < mech->body_count; i++)
        g->head_of[i] = CT_NOTHING;
    for (uint32_t i = mech->joint_count; i-- > 0;) {
        if (!g->b->fixed[i])
            continue;
        push_end(g, body_of(g->m, mech->joint[i].tail), 2 * i);
        push_end(g, body_of(g->m, mech->joint[i].head), 2 * i + 1);
    }
}

/* A local vector of a body in the axes of its group. */
static vec in_group(mechanics *m, uint32_t body, vec local)
{
    return ct_mx_rotated(m, local, m->member[body].turn);
}

static vec place_in_group(mechanics *m, uint32_t body, vec local)
{
    return ct_mx_vadd(m, m->member[body].origin, in_group(m, body, local));
}

static attitude axes_of(mechanics *m, const ct_frame *f)
{
    attitude a = {f->turn, NULL};
    if (!f->axes)
        return a;
    vec *axes = CT_NEW_ARRAY(m->arena, vec, 3);
    for (int i = 0; i < 3; i++)
        axes[i] = ct_mx_place(&f->axes[i]);
    a.axes = axes;
    return a;
}

/* `known` is placed; the other body of the weld follows. */
static void place_body(mechanics *m, uint32_t known_frame, uint32_t frame)
{
    const ct_frame *f = &m->mech->frame[known_frame], *h = &m->mech->frame[frame];
    member *b = &m->member[h->body];
    const member *a = &m->member[f->body];
    b->turn = (attitude){m->zero, NULL};
    if (ct_mech_kind(m, h->body)->turns)
        b->turn = ct_mx_joined(m, ct_mx_joined(m, a->turn, axes_of(m, f)),
                               ct_mx_inverse(m, axes_of(m, h)));
    vec meeting = place_in_group(m, f->body, ct_mx_place(&f->at));
    b->origin = ct_mx_vsub(m, meeting, in_group(m, h->body, ct_mx_place(&h->at)));
}

static void fill_group(grouping *g, uint32_t lead, uint32_t *queue, uint32_t *count)
{
    mechanics *m = g->m;
    uint32_t index = m->group_count++, last = lead;
    m->group[index] = (rigid){.lead = lead, .first = lead, .point = g->b->point[lead]};
    m->member[lead] = (member){.group = index, .origin = ct_mx_zero(m), .turn = {m->zero, NULL}};
    m->weld_towards[lead] = CT_NOTHING;
    uint32_t from = *count;
    queue[(*count)++] = lead;
    for (; from < *count; from++)
        for (uint32_t e = g->head_of[queue[from]]; e != CT_NOTHING; e = g->next_end[e]) {
            const ct_joint *j = &m->mech->joint[e / 2];
            uint32_t other = e % 2 ? j->tail : j->head, body = body_of(m, other);
            if (m->weld_towards[queue[from]] == e / 2)
                continue;
            m->member[body].group = index;
            m->weld_towards[body] = e / 2;
            place_body(m, e % 2 ? j->head : j->tail, other);
            m->member[last].next = body;
            last = body;
            queue[(*count)++] = body;
        }
}

static void place_frames(mechanics *m)
{
    for (uint32_t i = 0; i < m->mech->frame_count; i++) {
        const ct_frame *f = &m->mech->frame[i];
        m->site[i] = (site){m->member[f->body].group, f->body,
                            place_in_group(m, f->body, ct_mx_place(&f->at)),
                            ct_mx_joined(m, m->member[f->body].turn, axes_of(m, f))};
    }
}

void ct_mech_group_bodies(mechanics *m)
{
    const ct_mechanism *mech = m->mech;
    uint32_t bodies = mech->body_count;
    grouping g = {.m = m, .b = m->tree->graph->bodies};
    g.head_of = CT_NEW_ARRAY(m->arena, uint32_t, bodies);
    g.next_end = CT_NEW_ARRAY(m->arena, uint32_t, 2 * mech->joint_count + 1);
    m->member = CT_NEW_ARRAY(m->arena, member, bodies);
    /* chains add groups between joints and bodies */
    m->group = CT_NEW_ARRAY(
        m->arena, rigid, bodies + (mech->spatial ? 6 * (size_t)(bodies + mech->joint_count) : 0));
    m->weld_towards = CT_NEW_ARRAY(m->arena, uint32_t, bodies);
    m->weld_order = CT_NEW_ARRAY(m->arena, uint32_t, bodies);
    m->site = CT_NEW_ARRAY(m->arena, site, mech->frame_count + 1);
    list_welds(&g);
    uint32_t count = 0;
    for (uint32_t i = 0; i < bodies; i++)
        if (m->tree->lead[i] == i)
            fill_group(&g, i, m->weld_order, &count);
    for (uint32_t i = 0; i < bodies; i++) {
        m->member[i].com = place_in_group(m, i, ct_mx_place(&mech->body[i].com));
        m->group[m->member[i].group].bends |= mech->body[i].flex != NULL;
        m->bends |= mech->body[i].flex != NULL;
    }
    place_frames(m);
}

mass_of ct_mech_mass(mechanics *m, uint32_t group, vec about)
{
    mass_of sum = {.mass = m->zero, .moment = ct_mx_zero(m)};
    for (int i = 0; i < 6; i++)
        sum.inertia[i] = m->zero;
    uint32_t b = m->group[group].first;
    for (bool more = b != CT_NOTHING; more; b = m->member[b].next) {
        ct_mech_kind(m, b)->inertia(m, b, about, &sum);
        more = m->member[b].next;
    }
    return sum;
}
