/* initialise_report.c - why there are no consistent initial values. */
#include <math.h>

#include "simulate/initialise.h"

static const double shown_zero = 1e-6; /* in what is printed with four digits */

void ct_start_report_no_value(const initialising *in, uint32_t start)
{
    const ct_start *s = &in->m->model->start[start];
    ct_report *r = ct_error(in->m->ctx, "E523", s->place, "this initial value is no number");
    ct_help(r, "an initial value may use parameters, but no variables of the model");
}

void ct_start_report_algebraic(const initialising *in, ct_solve_status status, uint32_t culprit)
{
    const ct_machine *m = in->m;
    if (status == CT_NO_MEMORY_LEFT) /* no fault of the model */
        ct_throw(m->ctx, CT_ERR_MEMORY);
    if (ct_report_range_at(in->rig, in->t, in->z, CT_AFTER))
        return;
    ct_place place;
    const char *owner = ct_machine_owner(m, culprit, &place);
    ct_report *r = ct_error(m->ctx, "E524", place, "no consistent initial values were found");
    if (culprit != UINT32_MAX)
        ct_note(r, "%s; the worst is %s%s%s", ct_solve_status_text(status),
                ct_machine_variable(m, culprit), *owner ? " of " : "", owner);
    else
        ct_note(r, "%s", ct_solve_status_text(status));
    if (culprit != UINT32_MAX)
        ct_help(r, "begin nearer to the solution: guess %s = ...", ct_machine_variable(m, culprit));
    if (*owner)
        ct_witness(r, owner);
}

static const char *start_name(initialising *in, uint32_t start)
{
    ct_text text = ct_text_new(in->m->ctx->base);
    ct_expr_put(in->m->pool, &text, in->m->model->start[start].variable);
    return ct_text_string(&text);
}

static void name_others(initialising *in, ct_expr e, ct_report *r)
{
    const ct_machine *m = in->m;
    ct_name_list symbols = ct_symbols_of(m->pool, in->arena, &e, 1);
    ct_text text = ct_text_new(m->ctx->base);
    for (uint32_t i = 0; i < symbols.count; i++) {
        uint32_t z = ct_map_get(&m->z_index, symbols.at[i]);
        if (!z || z > m->n || !in->given[z - 1])
            continue;
        const char *name = start_name(in, in->given[z - 1] - 1);
        ct_putf(&text, "%s%s = %.9g", text.length ? ", " : "", name, in->z[z - 1]);
        ct_witness(r, name);
    }
    if (text.length)
        ct_note(r, "given are also %s", ct_text_string(&text));
}

/* The others are prescribed by a network. */
static bool is_loop(const ct_machine *m, uint32_t invariant)
{
    return invariant < m->reduced->system->invariant_count;
}

/* Joints whose loops tie the variable. */
static void name_loops(initialising *in, ct_expr e, ct_report *r)
{
    const ct_machine *m = in->m;
    ct_name_list symbols = ct_symbols_of(m->pool, in->arena, &e, 1);
    for (uint32_t i = 0; i < m->invariant_count; i++) {
        bool ties = false;
        for (uint32_t k = 0; k < symbols.count && !ties; k++)
            ties = ct_map_get(&m->z_index, symbols.at[k]) &&
                   ct_expr_has(m->pool, m->invariant[i], symbols.at[k]);
        ct_name joint = m->reduced->invariant[i].joint;
        if (!ties || (i && joint == m->reduced->invariant[i - 1].joint))
            continue;
        const char *text = ct_name_text(m->ctx, joint);
        ct_note(r,
                is_loop(m, i) ? "the loop that joint %s closes ties it to the others"
                              : "what %s prescribes ties it to the others",
                text);
        ct_witness(r, text);
    }
}

void ct_start_report_conflict(initialising *in, uint32_t k, double fits)
{
    uint32_t start = in->set.condition[k];
    const ct_start *s = &in->m->model->start[start];
    const char *name = start_name(in, start);
    ct_report *r =
        ct_error(in->m->ctx, "E523", s->place, "%s cannot start at %.9g", name, in->value[start]);
    ct_witness(r, name);
    name_others(in, in->m->start[start], r);
    name_loops(in, in->m->start[start], r);
    if (isfinite(fits))
        ct_help(r, "the value that fits is %.9g; or leave one of the others out", fits);
    else
        ct_help(r, "leave it out, or give it as a `guess`");
}

/* Bodies and joints whose coordinates stand in the invariant. */
static void name_links(initialising *in, uint32_t invariant, ct_report *r)
{
    const ct_machine *m = in->m;
    ct_expr e = m->invariant[invariant];
    ct_name_list symbols = ct_symbols_of(m->pool, in->arena, &e, 1);
    ct_text text = ct_text_new(m->ctx->base);
    for (uint32_t i = 0; i < symbols.count; i++) {
        uint32_t z = ct_map_get(&m->z_index, symbols.at[i]);
        if (!z || z > m->n || m->speed_state[z - 1])
            continue;
        const char *name = ct_name_text(m->ctx, symbols.at[i]);
        double value = fabs(in->z[z - 1]) < shown_zero ? 0 : in->z[z - 1];
        ct_putf(&text, "%s%s = %.4g", text.length ? ", " : "", name, value);
    }
    if (text.length)
        ct_note(r, "nearest it is with %s", ct_text_string(&text));
}

/* What is left of all invariants of the same joint and level. */
static double gap_of(const initialising *in, uint32_t worst)
{
    const ct_invariant *v = in->m->reduced->invariant;
    double sum = 0;
    for (uint32_t i = 0; i < in->m->invariant_count; i++)
        if (v[i].joint == v[worst].joint && v[i].speed == v[worst].speed)
            sum += in->set.row[in->m->m + i] * in->set.row[in->m->m + i];
    return sqrt(sum);
}

ct_solve_status ct_start_report_open_loop(initialising *in, uint32_t worst)
{
    const ct_invariant *v = &in->m->reduced->invariant[worst];
    const char *joint = ct_name_text(in->m->ctx, v->joint);
    bool loop = is_loop(in->m, worst);
    ct_report *r = ct_error(in->m->ctx, "E609", v->place,
                            loop ? "the loop of joint %s cannot be closed"
                                 : "the motion that %s prescribes cannot be met",
                            joint);
    ct_witness(r, joint);
    ct_note(r,
            v->speed ? "its parts keep a relative speed of %.6g" : "a gap of %.6g is left at best",
            gap_of(in, worst));
    name_links(in, worst, r);
    ct_note_untested(in->m, r);
    if (loop)
        ct_help(r, "check the lengths of the links in this loop, or begin nearer to the solution "
                   "with `guess`");
    else
        ct_help(r, "does another source or a loop prescribe the same motion? remove one");
    return CT_SINGULAR;
}

ct_solve_status ct_start_report_reversed(const initialising *in, ct_name joint)
{
    const ct_mechanism *mech = in->m->reduced->system->mechanics->mechanism;
    const char *text = ct_name_text(in->m->ctx, joint);
    uint32_t i = 0;
    while (mech->joint[i].name != joint)
        i++;
    ct_report *r = ct_error(in->m->ctx, "E609", mech->joint[i].place,
                            "joint %s fits the wrong way round only", text);
    ct_witness(r, text);
    ct_note(r,
            "loops and values that are given close with its axes reversed, not with those it has");
    ct_help(r, "check the lengths of the links, leave a value out, or begin nearer to the solution "
               "with `guess`");
    return CT_SINGULAR;
}

void ct_start_report_unmet(const initialising *in, uint32_t k)
{
    ct_text text = ct_text_new(in->m->ctx->base);
    ct_report *r =
        ct_error(in->m->ctx, "E524", (ct_place){0}, "the values asked for cannot be met together");
    ct_expr_put(in->m->pool, &text, in->start[k]);
    if (text.length < 80)
        ct_note(r, "%s comes out %.9g instead of %.9g", ct_text_string(&text),
                in->set.row[in->set.fixed + k] + in->value[k], in->value[k]);
    ct_help(r, "give as many values as there are degrees of freedom");
}

/* The body of a row that is weighed of places. */
static const ct_body *tied_body(const initialising *in, uint32_t tied, uint32_t *axis)
{
    const ct_mechanism *mech = in->m->reduced->system->mechanics->mechanism;
    uint32_t all = mech->spatial ? 12 : 3, count = 0, i = 0;
    while (i < in->bodies.weighed_count)
        if (in->bodies.weighed[i].axis >= all || ++count < tied)
            i++;
        else
            break;
    *axis = in->bodies.weighed[i].axis;
    return &mech->body[in->bodies.weighed[i].body];
}

void ct_start_report_tied(const initialising *in, uint32_t tied)
{
    const ct_mechanism *mech = in->m->reduced->system->mechanics->mechanism;
    static const char *const lengths[] = {"x", "y", "z"};
    uint32_t axis, turns = mech->spatial ? 3 : 2;
    if (in->rig->told_tie)
        return;
    in->rig->told_tie = true;
    const ct_body *body = tied_body(in, tied, &axis);
    const char *name = ct_name_text(in->m->ctx, body->name);
    ct_report *r =
        ct_warning(in->m->ctx, "W606", body->place,
                   "%s could as well begin elsewhere: another pose is equally near", name);
    ct_witness(r, name);
    ct_note(r, "of these, the one is taken where %s is larger",
            axis < turns    ? ct_printf(in->m->ctx, "%s of its mass centre", lengths[axis])
            : mech->spatial ? "the first component of its axes that differs"
                            : "its angle");
    ct_help(r, "a guess of a joint or a frame chooses: `guess J1.beta = 30 deg`");
}
