/* jump_report.c - what is told of jumps: impulses, and why one has no size. */
#include <float.h>
#include <math.h>

#include "simulate/jump.h"

static const double instant = 64 * DBL_EPSILON; /* of times: the same one */
static const double worth_telling = 1e-9;       /* of its parts: a sum that is no rounding */

ct_impulses *ct_impulses_new(ct_arena *arena)
{
    ct_impulses *all = CT_NEW(arena, ct_impulses);
    *all = (ct_impulses){.arena = arena};
    ct_map_init(&all->index, arena);
    return all;
}

void ct_forget_impulses(ct_impulses *all)
{
    all->list.count = 0;
    ct_map_init(&all->index, all->arena);
}

static ct_impulse *impulse_of(ct_impulses *all, const ct_machine *m, const ct_shock *s)
{
    uint32_t known = ct_map_get(&all->index, s->variable);
    if (known)
        return &all->list.at[known - 1];
    const ct_graph_edge *e = &m->reduced->system->graph->edge[s->stored.edge];
    const ct_element *element = m->model->element[m->model->component[e->owner].element];
    const ct_domain_row *domain = ct_domain_row_at(element->edge[s->stored.index].domain);
    ct_impulse own = {.variable = s->variable,
                      .stored = s->stored.variable,
                      .owner = ct_name_text(m->ctx, m->model->component[e->owner].name),
                      .unit = domain->variable[s->row].unit,
                      .place = e->place};
    CT_PUSH(all->arena, all->list, own);
    ct_map_put(&all->index, s->variable, all->list.count);
    return &all->list.at[all->list.count - 1];
}

static double last_sum(const ct_impulse *i)
{
    return fabs(i->now) > worth_telling * i->part ? i->now : 0;
}

void ct_note_impulses(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    const ct_jumping *k = rig->jumping;
    double t = k->happened;
    for (uint32_t i = 0; i < m->jumps->shock.count; i++) {
        if (k->impulse[i] == 0)
            continue;
        ct_impulse *own = impulse_of(k->told, m, &m->jumps->shock.at[i]);
        if (fabs(t - own->at) > instant * fmax(fabs(t), rig->span)) {
            if (fabs(last_sum(own)) > fabs(own->largest)) {
                own->largest = last_sum(own);
                own->when = own->at;
            }
            own->now = own->part = 0;
        }
        own->now += k->impulse[i];
        own->part = fmax(own->part, fabs(k->impulse[i]));
        own->at = t;
    }
}

void ct_tell_impulses(ct_context *ctx, const ct_impulses *all)
{
    for (uint32_t i = 0; i < all->list.count; i++) {
        const ct_impulse *own = &all->list.at[i];
        bool last = fabs(last_sum(own)) > fabs(own->largest);
        double size = last ? last_sum(own) : own->largest;
        if (size == 0)
            continue;
        ct_report *r = ct_warning(ctx, "W532", own->place,
                                  "%s jumps at t = %.9g s: %s takes an impulse of %.6g %s s",
                                  ct_name_text(ctx, own->stored), last ? own->at : own->when,
                                  ct_name_text(ctx, own->variable), size, own->unit);
        ct_note(r, "nothing in its loop or cutset limits what flows; charge, flux and momentum are "
                   "conserved, rows show values after the jump, and no row shows the impulse");
        ct_help(r, "let the source change in a finite time, or put a resistance in between");
        ct_witness(r, own->owner);
    }
}

static void report_torn(const ct_jumping *k)
{
    const ct_machine *m = k->rig->machine;
    const char *name = ct_name_text(m->ctx, k->torn->joint);
    ct_report *r = ct_error(m->ctx, "E540", k->torn->at,
                            "the position that drives %s jumps at t = %.9g s", name, k->failed_at);
    ct_note(r, "bodies would have to move that far in no time, which no finite impulse does");
    ct_help(r, "let it change in a finite time; the speed of a driver (`w`, `v`) may jump");
    ct_witness(r, name);
}

static void report_burst(const ct_jumping *k)
{
    const ct_machine *m = k->rig->machine;
    const ct_jump_owner *by = &m->jumps->owner[k->burst_by];
    const ct_graph_edge *e = &m->reduced->system->graph->edge[k->burst->edge];
    const char *name = ct_name_text(m->ctx, m->model->component[e->owner].name);
    ct_report *r =
        ct_error(m->ctx, "E567", by->place,
                 "the position that %s prescribes jumps at t = %.9g s and takes %s along", by->name,
                 k->failed_at, name);
    ct_note(r, "%s would be infinite there, and no finite impulse does that",
            ct_name_text(m->ctx, k->burst->variable));
    ct_help(r,
            "let the position change in a finite time, or put a spring or a damper between %s "
            "and %s",
            by->name, name);
    ct_witness(r, by->name);
    ct_witness(r, name);
}

static void name_bent(const ct_jumping *k, ct_report *r)
{
    const ct_machine *m = k->rig->machine;
    ct_name last = 0;
    for (uint32_t i = 0; i < m->jumps->struck.count; i++) {
        const ct_struck *s = &m->jumps->struck.at[i];
        ct_name name = m->model->component[s->component].name;
        if (name == last || (s->slack != UINT32_MAX ? k->missing[s->slack] == 0 : k->w[s->w] == 0))
            continue;
        ct_note(r, "it passes through %s, whose law is not linear", ct_name_text(m->ctx, name));
        ct_witness(r, ct_name_text(m->ctx, name));
        last = name;
    }
}

bool ct_report_jump(const ct_rig *rig)
{
    const ct_jumping *k = rig->jumping;
    const ct_machine *m = rig->machine;
    if (k && k->torn)
        report_torn(k);
    else if (k && k->burst)
        report_burst(k);
    if (!k || k->torn || k->burst || !k->curved)
        return k && (k->torn || k->burst);
    uint32_t worst = 0;
    for (uint32_t i = 1; i < m->jumps->count; i++)
        worst = fabs(k->missing[i]) > fabs(k->missing[worst]) ? i : worst;
    const char *name = m->jumps->owner[worst].name;
    ct_report *r = ct_error(m->ctx, "E539", m->jumps->owner[worst].place,
                            "the jump of %s at t = %.9g s sends an impulse through something that "
                            "is not linear",
                            *name ? name : "what is stored", k->failed_at);
    if (*name)
        ct_witness(r, name);
    ct_note(r, "an impulse has no size there: its square, or its exponential, is not defined");
    name_bent(k, r);
    ct_help(r, "let the source change in a finite time");
    return true;
}
