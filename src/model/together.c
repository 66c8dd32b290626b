/* together.c - lines between points that a joint keeps together: they have no direction. */
#include "model/mech.h"

/* Frames with one point have one number, from 1. */
static uint32_t point_of(builder *b, ct_map known[3], uint32_t frame)
{
    const ct_frame *f = &b->mech->frame.at[frame];
    uint32_t number = f->body;
    for (int i = 0; i < 3; i++) {
        uint64_t key = ct_pair(number, f->at.c[i]);
        if (!ct_map_get(&known[i], key))
            ct_map_put(&known[i], key, frame + 1);
        number = ct_map_get(&known[i], key);
    }
    return number;
}

static uint64_t both(const uint32_t *point, uint32_t tail, uint32_t head)
{
    uint32_t a = point[tail], c = point[head];
    return a < c ? ct_pair(a, c) : ct_pair(c, a);
}

/* An end that is wrong was reported, and leads nowhere. */
static bool has_frames(const struct mech *m, uint32_t tail, uint32_t head)
{
    return tail < m->frame.count && head < m->frame.count;
}

static void warn(builder *b, const ct_line *line, const ct_joint *joint)
{
    const char *name = ct_name_text(b->ctx, line->name), *by = ct_name_text(b->ctx, joint->name);
    ct_report *r =
        ct_warning(b->ctx, "W603", line->place,
                   "`%s` lies between two points that joint `%s` keeps together", name, by);
    ct_note(r, "its length stays zero and its force has no direction: it does nothing");
    if (ct_joint_turns(joint->kind, b->mech->spatial) == 1)
        ct_help(r, "for an element that acts on the angle hold the joint: torsion_spring(%s)", by);
    ct_witness(r, name);
    ct_witness(r, by);
}

void ct_check_lines(builder *b)
{
    const struct mech *m = b->mech;
    ct_map known[3], kept;
    for (int i = 0; i < 3; i++)
        ct_map_init(&known[i], b->scratch);
    ct_map_init(&kept, b->scratch);
    uint32_t *point = CT_NEW_ARRAY(b->scratch, uint32_t, m->frame.count + 1);
    for (uint32_t i = 0; i < m->frame.count && m->line.count; i++)
        point[i] = point_of(b, known, i);
    for (uint32_t i = 0; i < m->joint.count; i++) {
        const ct_joint *j = &m->joint.at[i];
        bool holds = ct_joint_holds_point(j->kind, m->spatial);
        if (holds && has_frames(m, j->tail, j->head))
            ct_map_put(&kept, both(point, j->tail, j->head), i + 1);
    }
    for (uint32_t i = 0; i < m->line.count; i++) {
        if (!has_frames(m, m->line.at[i].tail, m->line.at[i].head))
            continue;
        uint32_t joint = ct_map_get(&kept, both(point, m->line.at[i].tail, m->line.at[i].head));
        if (joint)
            warn(b, &m->line.at[i], &m->joint.at[joint - 1]);
    }
}
