/* flexible_cut.c - a beam that is cut into segments: flexible bodies, each welded to the end of the
 * one before. What bends far as a whole bends little in each of them.
 */
#include <math.h>

#include "model/flexible.h"

const struct ct_beam_data *ct_segment_at(const struct ct_beam_data *first, double *s)
{
    const double rounding = 1e-9;
    if (first->segments == 1)
        return first;
    double at = *s * (double)first->segments, whole = floor(at + rounding);
    if (fabs(at - whole) <= rounding)
        at = whole;
    int64_t k = (int64_t)whole < first->segments ? (int64_t)whole : first->segments - 1;
    *s = at - (double)k;
    return first->part[k];
}

/* The frame of an end: a section, or the body's own frame. */
static uint32_t end_frame(builder *b, const struct ct_beam_data *beam, double s, ct_place place)
{
    if (s == 0 && beam->reference == CT_BEAM_CLAMPED)
        return b->mech->body.at[beam->index].frame;
    const char *body = ct_name_text(b->ctx, b->mech->body.at[beam->index].name);
    const char *name = ct_printf(b->ctx, s == 0 ? "%s.begin" : "%s.end", body);
    ct_frame f = {.name = ct_intern_text(b->ctx, name), .place = place};
    ct_section section = ct_section_at(b, beam, s);
    uint32_t carrier = ct_add_section(b, beam->index, &f, &section);
    return b->mech->body.at[carrier].frame;
}

static void weld(builder *b, const struct ct_beam_data *tail, const struct ct_beam_data *head,
                 ct_place place)
{
    struct mech *m = b->mech;
    ct_expr zero = ct_expr_int(b->pool, 0);
    ct_vec3 none = {{zero, zero, zero}}, along = {{ct_expr_int(b->pool, 1), zero, zero}};
    const char *name = ct_name_text(b->ctx, m->body.at[head->index].name);
    ct_joint j = {.name = ct_intern_text(b->ctx, ct_printf(b->ctx, "%s.weld", name)),
                  .kind = CT_JOINT_WELD,
                  .tail = end_frame(b, tail, 1, place),
                  .head = end_frame(b, head, 0, place),
                  .axis = along,
                  .pin = {none, none, none},
                  .place = place};
    CT_PUSH(b->arena, m->joint, j);
    CT_PUSH(b->scratch, m->joint_part, (part){.state = ENTRY_DONE});
    CT_PUSH(b->scratch, m->joint_nodes, (joint_nodes){0});
}

static struct ct_beam_data *add_segment(builder *b, const struct ct_beam_data *first,
                                        uint32_t segment, ct_place place)
{
    struct mech *m = b->mech;
    struct ct_beam_data *beam = CT_NEW(b->arena, struct ct_beam_data);
    ct_name own = ct_entry_symbol(b->model->symbols, first->owner, segment + 1);
    uint32_t index = ct_add_body(b, own, false, (part){.state = ENTRY_DONE});
    *beam = *first;
    beam->segment = segment;
    beam->index = index;
    beam->coordinate = CT_NEW_ARRAY(b->arena, ct_bend, first->count + 1);
    for (uint32_t i = 0; i < first->count; i++)
        beam->coordinate[i] = first->coordinate[i];
    ct_body body = m->body.at[index];
    body.flexible = true;
    body.place = place;
    m->frame.at[body.frame].place = place;
    ct_form_flexible(b, beam, &body);
    m->body.at[index] = body;
    CT_PUSH(b->scratch, m->beam, beam);
    return beam;
}

void ct_cut_beam(builder *b, struct ct_beam_data *first, ct_body *body)
{
    uint32_t count = (uint32_t)first->segments;
    ct_flex *flex = first->flex;
    first->part = CT_NEW_ARRAY(b->arena, struct ct_beam_data *, count + 1);
    first->part[0] = first;
    for (uint32_t i = 1; i < count; i++) {
        struct ct_beam_data *next = add_segment(b, first, i, body->place);
        flex->next = next->index;
        flex = next->flex;
        first->part[i] = next;
        weld(b, first->part[i - 1], next, body->place);
    }
}
