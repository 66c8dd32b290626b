/* fall.c - bodies that gravity pulls and nothing holds: they have no rest.
 *
 * Forces between bodies are equal and opposite, so that those of a part that nothing ties to the
 * ground leave its mass centre to gravity. To let it fall would take long, and tell less. */
#include <math.h>

#include "graph/graph.h"
#include "base/sets.h"
#include "mechanics/mechanics.h"
#include "simulate/machine.h"

static void join(const ct_mechanism *mech, uint32_t *sets, uint32_t tail, uint32_t head)
{
    ct_sets_join(sets, mech->frame[tail].body, mech->frame[head].body);
}

/* Parts that joints, elements or forces tie together. */
static uint32_t *find_parts(const ct_mechanism *mech, ct_arena *arena)
{
    uint32_t *sets = ct_sets_new(arena, mech->body_count);
    for (uint32_t i = 0; i < mech->joint_count; i++) {
        const ct_joint *j = &mech->joint[i];
        bool loaded = false;
        for (int k = CT_SLIDE; k < CT_FREEDOMS; k++)
            loaded |= j->load[k] || j->bound[k] || j->drive[k] || j->rate[k];
        if (ct_joint_types[j->kind].ties || loaded)
            join(mech, sets, j->tail, j->head);
    }
    for (uint32_t i = 0; i < mech->line_count; i++)
        join(mech, sets, mech->line[i].tail, mech->line[i].head);
    for (uint32_t i = 0; i < mech->load_count; i++)
        if (!mech->load[i].torque)
            join(mech, sets, mech->load[i].tail, mech->load[i].head);
    return sets;
}

static double gravity_of(const ct_rig *rig, const ct_mechanism *mech)
{
    double most = 0;
    for (int k = 0; k < (mech->spatial ? 3 : 2); k++)
        most = hypot(most, mech->gravity.c[k] ? ct_rig_value(rig, mech->gravity.c[k]) : 0);
    return most;
}

static double mass_of(const ct_rig *rig, const ct_body *body)
{
    return body->mass ? ct_rig_value(rig, body->mass) : 0;
}

static void report_falling(const ct_rig *rig, const ct_mechanism *mech, uint32_t *part,
                           uint32_t body)
{
    enum { MOST = 8 };
    ct_context *ctx = rig->machine->ctx;
    ct_text text = ct_text_new(ctx->base);
    ct_report *r = ct_error(ctx, "E527", mech->body[body].place, "there is no steady state");
    uint32_t own = ct_sets_find(part, body), count = 0;
    for (uint32_t i = 1; i < mech->body_count; i++) {
        if (ct_sets_find(part, i) != own)
            continue;
        if (count++ < MOST) {
            ct_putf(&text, "%s%s", count > 1 ? ", " : "", ct_name_text(ctx, mech->body[i].name));
            ct_witness(r, ct_name_text(ctx, mech->body[i].name));
        }
    }
    if (count > MOST)
        ct_putf(&text, ", ... (%u in all)", count);
    ct_note(r, "nothing holds %s against gravity", ct_text_string(&text));
    ct_help(r, "tie %s to the ground, by a joint or a spring, or leave gravity out",
            count > 1 ? "one of them" : "it");
}

bool ct_report_falling(const ct_rig *rig)
{
    const ct_mechanism *mech = rig->machine->model->mechanism;
    if (!mech || !(gravity_of(rig, mech) > 0))
        return false;
    ct_arena *arena = ct_arena_new(rig->machine->ctx);
    uint32_t *part = find_parts(mech, arena), falls = 0;
    for (uint32_t i = 1; i < mech->body_count && !falls; i++)
        if (ct_sets_find(part, i) != ct_sets_find(part, 0) && mass_of(rig, &mech->body[i]) > 0)
            falls = i;
    if (falls)
        report_falling(rig, mech, part, falls);
    ct_arena_free(arena);
    return falls != 0;
}
