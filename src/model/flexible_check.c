/* flexible_check.c - shapes of beams that do not fit what holds the beam.
 *
 * The frame of a beam on its chord begins at its end but turns with no section; its mean is no
 * point of it at all. A joint that would hold such a frame would hold what is not there. And modes
 * of vibration have no curvature at their free ends: a moment there is taken up by none of them.
 */
#include "model/flexible.h"

typedef struct holder {
    builder *b;
    const struct ct_beam_data **beam; /* per body; NULL: it is none */
    ct_name name;
    ct_place place;
    uint32_t frame;
    bool moves, turns; /* it holds a point; it holds an angle, or passes a moment */
} holder;

static bool is_driven(const ct_joint *j, uint32_t turns)
{
    for (uint32_t i = 0; i < turns; i++)
        if (j->drive[i] || j->rate[i] || j->load[i])
            return true;
    return false;
}

/* All but joints of points and those that turn as they like pass moments. */
static bool holds_turn(const struct mech *m, const ct_joint *j)
{
    uint32_t turns = ct_joint_turns(j->kind, m->spatial);
    return ct_joint_types[j->kind].passes == CT_PASSES_BOTH &&
           (turns < (m->spatial ? 3U : 1U) || is_driven(j, turns));
}

static void check_own_frame(const holder *h)
{
    const ct_frame *f = &h->b->mech->frame.at[h->frame];
    const struct ct_beam_data *beam = h->beam[f->body];
    bool own = beam && h->b->mech->body.at[f->body].frame == h->frame;
    bool chord = own && beam->reference == CT_BEAM_CHORD && h->turns;
    if (!chord && !(own && beam->reference == CT_BEAM_MEAN && (h->turns || h->moves)))
        return;
    const char *name = ct_name_text(h->b->ctx, h->b->mech->body.at[f->body].name);
    ct_report *r = ct_error(h->b->ctx, "E649", h->place, "`%s` holds no section of `%s`",
                            ct_name_text(h->b->ctx, h->name), name);
    ct_note(r, chord ? "its own frame follows the line through its ends: no section turns with it"
                     : "its own frame follows its mean: no section is there");
    ct_help(r, "name the section: %s : flexible ... { A = 0 }, and take `%s.A`", name, name);
    ct_witness(r, name);
}

/* A weld to the ground, for instance. */
static void check_end(builder *b, const ct_joint *j, uint32_t frame, uint32_t other)
{
    const struct mech *m = b->mech;
    const ct_body *section = &m->body.at[m->frame.at[frame].body];
    if (!section->unbent || m->frame.at[other].body != CT_GROUND_BODY)
        return;
    const char *name = ct_name_text(b->ctx, section->name);
    ct_report *r = ct_warning(b->ctx, "W605", j->place,
                              "`%s` holds `%s`, where no shape of the beam is curved",
                              ct_name_text(b->ctx, j->name), name);
    ct_note(r, "modes with an end that turns freely take up no moment there: deflections converge "
               "slowly, and from below");
    ct_help(r, "write shapes = polynomial, or let the beam begin there with reference = clamped");
    ct_witness(r, name);
}

static void check_joint(holder *h, const ct_joint *j)
{
    if (j->elastic || j->kind == CT_JOINT_FREE)
        return;
    h->name = j->name, h->place = j->place, h->moves = true;
    h->turns = holds_turn(h->b->mech, j);
    h->frame = j->tail;
    check_own_frame(h);
    h->frame = j->head;
    check_own_frame(h);
    if (!h->turns)
        return;
    check_end(h->b, j, j->tail, j->head);
    check_end(h->b, j, j->head, j->tail);
}

static void check_load(holder *h, const ct_vector_load *load)
{
    h->name = load->name, h->place = load->place;
    h->moves = !load->torque, h->turns = load->torque;
    h->frame = load->tail;
    check_own_frame(h);
    h->frame = load->head;
    check_own_frame(h);
}

void ct_check_held_shapes(builder *b)
{
    const struct mech *m = b->mech;
    if (!m->beam.count)
        return;
    holder h = {.b = b};
    h.beam = CT_NEW_ARRAY(b->scratch, const struct ct_beam_data *, m->body.count);
    for (uint32_t i = 0; i < m->beam.count; i++)
        h.beam[m->beam.at[i]->index] = m->beam.at[i];
    for (uint32_t i = 0; i < m->joint.count; i++)
        check_joint(&h, &m->joint.at[i]);
    for (uint32_t i = 0; i < m->load.count; i++)
        check_load(&h, &m->load.at[i]);
}
