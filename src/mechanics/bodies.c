/* bodies.c - bodies that are welded together move as one: groups, and where their bodies and frames
 * are in them.
 *
 * A weld holds the point and the axes of its two frames together. A particle has no axes: it joins
 * one group; further welds of it hold its point only, as a revolute joint does.
 */
#include "mechanics/inside.h"

typedef struct grouping {
    mechanics *m;
    uint32_t *set;      /* union-find over bodies */
    uint32_t *lead;     /* by set */
    bool *solid;        /* by set: has a body with axes */
    bool *used;         /* by joint: this weld makes the group */
    uint32_t *head_of;  /* lists of welds by body: first, then next by end */
    uint32_t *next_end; /* two ends a joint: 2*joint at the tail, 2*joint + 1 at the head */
} grouping;

static uint32_t find(uint32_t *set, uint32_t i)
{
    while (set[i] != i) {
        set[i] = set[set[i]];
        i = set[i];
    }
    return i;
}

static uint32_t body_of(const mechanics *m, uint32_t frame)
{
    return m->mech->frame[frame].body;
}

static void join(grouping *g, uint32_t joint)
{
    const ct_joint *j = &g->m->mech->joint[joint];
    uint32_t a = find(g->set, body_of(g->m, j->tail)), b = find(g->set, body_of(g->m, j->head));
    if (a == b)
        return;
    g->used[joint] = true;
    bool solid = g->solid[a] || g->solid[b];
    g->set[a > b ? a : b] = a > b ? b : a;
    g->solid[a > b ? b : a] = solid;
}

/* Welds between bodies first; a particle then joins what it is welded to first. */
static void join_all(grouping *g)
{
    const ct_mechanism *mech = g->m->mech;
    for (int particles = 0; particles < 2; particles++)
        for (uint32_t i = 0; i < mech->joint_count; i++) {
            const ct_joint *j = &mech->joint[i];
            uint32_t a = body_of(g->m, j->tail), b = body_of(g->m, j->head);
            bool loose = mech->body[a].particle || mech->body[b].particle;
            if (j->kind != CT_JOINT_WELD || loose != (particles == 1))
                continue;
            bool both = g->solid[find(g->set, a)] && g->solid[find(g->set, b)];
            if (!loose || !both)
                join(g, i);
        }
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
        if (!g->used[i])
            continue;
        push_end(g, body_of(g->m, mech->joint[i].tail), 2 * i);
        push_end(g, body_of(g->m, mech->joint[i].head), 2 * i + 1);
    }
}

/* The ground leads its group; else a body that the user wants as a branch, else the first body with
 * axes, else the first. */
static void choose_leads(grouping *g)
{
    const ct_mechanism *mech = g->m->mech;
    for (uint32_t i = 0; i < mech->body_count; i++)
        g->lead[i] = CT_NOTHING;
    g->lead[find(g->set, CT_GROUND_BODY)] = CT_GROUND_BODY;
    for (uint32_t i = 0; i < mech->wish_count; i++) {
        const ct_branch_wish *w = &mech->wish[i];
        if (w->kind != CT_BRANCH_BODY || mech->body[w->object].particle)
            continue;
        uint32_t *lead = &g->lead[find(g->set, w->object)];
        *lead = *lead == CT_NOTHING ? w->object : *lead;
    }
    for (int any = 0; any < 2; any++)
        for (uint32_t i = 0; i < mech->body_count; i++) {
            uint32_t *lead = &g->lead[find(g->set, i)];
            if (*lead == CT_NOTHING && (any || !mech->body[i].particle))
                *lead = i;
        }
}

static vec2 planar(ct_vec3 v)
{
    return (vec2){{v.c[0], v.c[1]}};
}

/* A local vector of a body in the axes of its group. */
static vec2 in_group(mechanics *m, uint32_t body, vec2 local)
{
    return ct_mx_rotated(m, local, m->member[body].turn);
}

static vec2 place_in_group(mechanics *m, uint32_t body, vec2 local)
{
    return ct_mx_vadd(m, m->member[body].origin, in_group(m, body, local));
}

/* `known` is placed; the other body of the weld follows. */
static void place_body(mechanics *m, uint32_t known_frame, uint32_t frame)
{
    const ct_frame *f = &m->mech->frame[known_frame], *h = &m->mech->frame[frame];
    member *b = &m->member[h->body];
    const member *a = &m->member[f->body];
    b->turn = m->zero;
    if (!m->mech->body[h->body].particle)
        b->turn = ct_mx_sub(m, ct_mx_add(m, a->turn, f->turn), h->turn);
    vec2 meeting = place_in_group(m, f->body, planar(f->at));
    b->origin = ct_mx_vsub(m, meeting, in_group(m, h->body, planar(h->at)));
}

static void fill_group(grouping *g, uint32_t lead, uint32_t *queue, uint32_t *count)
{
    mechanics *m = g->m;
    uint32_t index = m->group_count++, last = lead;
    m->group[index] = (rigid){.lead = lead, .first = lead, .point = !g->solid[find(g->set, lead)]};
    m->member[lead] = (member){.group = index, .origin = ct_mx_zero(m), .turn = m->zero};
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
        m->site[i] =
            (site){m->member[f->body].group, f->body, place_in_group(m, f->body, planar(f->at)),
                   ct_mx_add(m, m->member[f->body].turn, f->turn)};
    }
}

void ct_mech_group_bodies(mechanics *m)
{
    const ct_mechanism *mech = m->mech;
    uint32_t bodies = mech->body_count;
    grouping g = {.m = m};
    g.set = CT_NEW_ARRAY(m->arena, uint32_t, bodies);
    g.lead = CT_NEW_ARRAY(m->arena, uint32_t, bodies);
    g.head_of = CT_NEW_ARRAY(m->arena, uint32_t, bodies);
    g.solid = CT_NEW_ARRAY(m->arena, bool, bodies);
    g.used = CT_NEW_ARRAY(m->arena, bool, mech->joint_count + 1);
    g.next_end = CT_NEW_ARRAY(m->arena, uint32_t, 2 * mech->joint_count + 1);
    m->member = CT_NEW_ARRAY(m->arena, member, bodies);
    m->group = CT_NEW_ARRAY(m->arena, rigid, bodies);
    m->weld_towards = CT_NEW_ARRAY(m->arena, uint32_t, bodies);
    m->weld_order = CT_NEW_ARRAY(m->arena, uint32_t, bodies);
    m->site = CT_NEW_ARRAY(m->arena, site, mech->frame_count + 1);
    m->weld_used = g.used;
    for (uint32_t i = 0; i < bodies; i++) {
        g.set[i] = i;
        g.solid[i] = !mech->body[i].particle;
    }
    join_all(&g);
    list_welds(&g);
    choose_leads(&g);
    uint32_t count = 0;
    for (uint32_t i = 0; i < bodies; i++)
        if (g.lead[find(g.set, i)] == i)
            fill_group(&g, i, m->weld_order, &count);
    for (uint32_t i = 0; i < bodies; i++)
        m->member[i].com = place_in_group(m, i, planar(mech->body[i].com));
    place_frames(m);
}

mass_of ct_mech_mass(mechanics *m, uint32_t group, vec2 about)
{
    mass_of sum = {m->zero, m->zero, ct_mx_zero(m)};
    for (uint32_t b = m->group[group].first, more = 1; more; b = m->member[b].next) {
        const ct_body *body = &m->mech->body[b];
        vec2 way = ct_mx_vsub(m, m->member[b].com, about);
        ct_expr shifted = ct_mx_mul(m, body->mass, ct_mx_dot(m, way, way));
        ct_expr own = body->particle ? m->zero : body->inertia[2];
        sum.mass = ct_mx_add(m, sum.mass, body->mass);
        sum.moment = ct_mx_vadd(m, sum.moment, ct_mx_scale(m, body->mass, way));
        sum.inertia = ct_mx_add(m, sum.inertia, ct_mx_add(m, own, shifted));
        more = m->member[b].next;
    }
    return sum;
}
