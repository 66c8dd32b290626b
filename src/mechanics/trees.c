/* trees.c - the two trees of the graph as walks over rigid groups, from the ground on
 * [McPhee-2, section 4.4]. */
#include "mechanics/inside.h"

/* One link of a chain closes the loop where the joint is no branch of both trees: the first where
 * only its turns are (slides have the axes of the tail), else the last. */
static void read_link(tie *t, bool in_t, bool in_r)
{
    bool closes = (in_r && !in_t ? t->tail_frame : t->head_frame) != CT_NOTHING;
    t->in_t = in_t || !closes;
    t->in_r = in_r || !closes;
}

/* Of a rigid group any body may have the branch. */
static void read_branches(mechanics *m)
{
    const ct_bodies *b = m->tree->graph->bodies;
    const bool *branch = m->tree->is_branch;
    for (uint32_t i = 0; i < m->mech->joint_count; i++) {
        uint32_t turn = b->joint_edge[CT_ROTATIONAL][i];
        if (m->tie_of_joint[i] == CT_NOTHING)
            continue;
        for (uint32_t k = 0; k < m->tie_count[i]; k++)
            read_link(&m->tie.at[m->tie_of_joint[i] + k],
                      branch[b->joint_edge[CT_TRANSLATIONAL][i]],
                      turn != CT_NOTHING && branch[turn]);
    }
    for (uint32_t i = 1; i < m->mech->body_count; i++) {
        uint32_t turn = b->body_edge[CT_ROTATIONAL][i];
        if (!m->member[i].group || b->body_edge[CT_TRANSLATIONAL][i] == CT_NOTHING)
            continue;
        tie *t = &m->tie.at[m->body_tie[m->member[i].group]];
        t->in_t |= branch[b->body_edge[CT_TRANSLATIONAL][i]];
        t->in_r |= turn != CT_NOTHING && branch[turn];
    }
    for (uint32_t i = 0; i < m->tie.count; i++) { /* chains of bodies */
        tie *t = &m->tie.at[i];
        if (t->is_body && m->group[t->head].first == CT_NOTHING)
            t->in_t = t->in_r = true;
    }
}

/* ---- walks */

typedef struct links {
    uint32_t *first; /* by group: start in `end`, one more than groups */
    uint32_t *end;   /* ties */
} links;

static links link_groups(const mechanics *m, ct_arena *arena, bool translational)
{
    links l = {CT_NEW_ARRAY(arena, uint32_t, m->group_count + 2), NULL};
    uint32_t *at = l.first + 1;
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t i = 0; i < m->tie.count; i++) {
            const tie *t = &m->tie.at[i];
            if (!(translational ? t->in_t : t->in_r))
                continue;
            if (fill) {
                l.end[at[t->tail]++] = i;
                l.end[at[t->head]++] = i;
            } else {
                at[t->tail + 1]++;
                at[t->head + 1]++;
            }
        }
        if (fill)
            break;
        for (uint32_t i = 0; i < m->group_count; i++)
            at[i + 1] += at[i];
        l.end = CT_NEW_ARRAY(arena, uint32_t, at[m->group_count] + 1);
    }
    return l;
}

/* Breadth first from the ground. */
static steps walk(mechanics *m, bool translational)
{
    ct_arena *scratch = ct_arena_new(m->ctx);
    links l = link_groups(m, scratch, translational);
    bool *seen = CT_NEW_ARRAY(scratch, bool, m->group_count);
    steps s = {CT_NEW_ARRAY(m->arena, step, m->group_count), 0};
    seen[0] = true;
    for (uint32_t i = 0; i <= s.count; i++) {
        uint32_t g = i ? s.at[i - 1].child : 0;
        for (uint32_t k = l.first[g]; k < l.first[g + 1]; k++) {
            const tie *t = &m->tie.at[l.end[k]];
            uint32_t other = t->tail == g ? t->head : t->tail;
            if (seen[other])
                continue;
            seen[other] = true;
            s.at[s.count++] = (step){l.end[k], g, other, t->head == other};
        }
    }
    ct_arena_free(scratch);
    return s;
}

void ct_mech_read_trees(mechanics *m)
{
    read_branches(m);
    m->t = walk(m, true);
    m->r = walk(m, false);
}

/* ---- loops */

static const char *tie_name(const mechanics *m, const tie *t)
{
    return ct_name_text(m->ctx, t->is_body ? m->mech->body[t->object].name
                                           : m->mech->joint[t->object].name);
}

const char *ct_mech_loop(mechanics *m, const steps *tree, uint32_t chord, ct_report *r,
                         bool *inside)
{
    ct_arena *scratch = ct_arena_new(m->ctx);
    uint32_t *up = CT_NEW_ARRAY(scratch, uint32_t, m->group_count);
    uint32_t *depth = CT_NEW_ARRAY(scratch, uint32_t, m->group_count);
    ct_text names = ct_text_new(m->arena);
    for (uint32_t i = 0; i < tree->count; i++) {
        up[tree->at[i].child] = i;
        depth[tree->at[i].child] = depth[tree->at[i].parent] + 1;
    }
    uint32_t a = m->tie.at[chord].tail, b = m->tie.at[chord].head, last = CT_NOTHING;
    while (a != b) {
        uint32_t *deeper = depth[a] >= depth[b] ? &a : &b;
        const step *s = &tree->at[up[*deeper]];
        *deeper = s->parent;
        if (s->tie == CT_NOTHING || m->tie.at[s->tie].is_body || s->tie == chord ||
            m->tie.at[s->tie].object == last) /* of one chain */
            continue;
        last = m->tie.at[s->tie].object;
        ct_putf(&names, "%s, ", tie_name(m, &m->tie.at[s->tie]));
        ct_witness(r, tie_name(m, &m->tie.at[s->tie]));
        if (inside)
            inside[m->tie.at[s->tie].object] = true;
    }
    if (inside)
        inside[m->tie.at[chord].object] = true;
    ct_put(&names, tie_name(m, &m->tie.at[chord]));
    ct_arena_free(scratch);
    return ct_text_string(&names);
}

const char *ct_mechanics_loop(const ct_mechanics *worked_out, uint32_t joint, ct_report *r)
{
    mechanics *m = worked_out->inside;
    uint32_t chord = m->tie_of_joint[joint];
    return chord == CT_NOTHING ? ct_name_text(m->ctx, m->mech->joint[joint].name)
                               : ct_mech_loop(m, &m->t, chord, r, NULL);
}
