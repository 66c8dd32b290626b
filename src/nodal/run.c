/* run.c - a run of a network: start, rows, integration by Radau IIA. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "nodal/running.h"
#include "solve/radau.h"

/* ---- what rows read: columns of z become places among the watched ones */

static void watch_form(running *r, uint32_t *place, form *f)
{
    for (uint32_t i = 0; i < f->term.count; i++) {
        form_term *t = &f->term.at[i];
        if (t->kind != FORM_Z)
            continue;
        if (!place[t->index]) {
            r->watch[r->watch_count++] = t->index;
            place[t->index] = r->watch_count;
        }
        t->index = place[t->index] - 1;
    }
}

/* Rates of storage are those of its across variable. */
static void rate_states(running *r, uint32_t *place)
{
    net *n = r->n;
    uint32_t *known = CT_NEW_ARRAY(r->own, uint32_t, n->state.count + 1);
    r->rated = CT_NEW_ARRAY(r->own, uint32_t, n->state.count + 1);
    for (uint32_t i = 0; i + 1 < r->o.symbol.count; i++)
        for (uint32_t k = 0; k < r->o.form[i].term.count; k++) {
            form_term *t = &r->o.form[i].term.at[k];
            if (t->kind != FORM_RATE)
                continue;
            if (!known[t->index]) {
                r->rated[r->rated_count++] = t->index;
                known[t->index] = r->rated_count;
            }
            t->index = known[t->index] - 1;
        }
    r->rate = CT_NEW_ARRAY(r->own, double, r->rated_count + 1);
    r->rate_form = CT_NEW_ARRAY(r->own, form, r->rated_count + 1);
    for (uint32_t i = 0; i < r->rated_count; i++) {
        const net_state *s = &n->state.at[r->rated[i]];
        ct_net_across_form(n, n->first_edge[s->component] + s->edge, 1, &r->rate_form[i]);
        watch_form(r, place, &r->rate_form[i]);
    }
}

/* In what columns errors show otherwise than in z itself. */
static void measure(running *r)
{
    const outputs *o = &r->o;
    r->measured = CT_NEW_ARRAY(r->own, uint32_t, o->column_count + 1);
    r->column = CT_NEW_ARRAY(r->own, double, o->column_count + 1);
    for (uint32_t i = 0; i < o->column_count; i++)
        if (!o->plain[i])
            r->measured[r->measured_count++] = i;
}

static void watch(running *r)
{
    uint32_t *place = CT_NEW_ARRAY(r->own, uint32_t, r->n->n + 1);
    r->watch = CT_NEW_ARRAY(r->own, uint32_t, r->n->n + 1);
    for (uint32_t i = 0; i + 1 < r->o.symbol.count; i++)
        watch_form(r, place, &r->o.form[i]);
    rate_states(r, place);
    measure(r);
}

/* ---- what the integration calls */

bool ct_running_interrupted(const running *r)
{
    return r->def->interrupted && *r->def->interrupted;
}

static void inputs(void *user, double t, double *u)
{
    running *r = user;
    ct_net_u(r->n, t, u);
    if (ct_running_interrupted(r))
        u[0] = NAN; /* it gives up then */
}

static double next_break(void *user, double t)
{
    return ct_waves_next_break(((running *)user)->n->waves, t);
}

static bool restart(void *user, const double *before, const double *after, double *z)
{
    running *r = user;
    ct_net_states(r->n, z, before, r->x);
    return ct_net_consistent(r->n, r->x, after, z, r->rates);
}

static void show(void *user, double t, const double *z, const double *dz, const double *u,
                 const double *du, double *value)
{
    running *r = user;
    for (uint32_t i = 0; i < r->rated_count; i++)
        r->rate[i] = ct_form_value(&r->rate_form[i], dz, du, NULL);
    ct_outputs_at(&r->o, t, z, u, r->rate, r->column);
    for (uint32_t i = 0; i < r->measured_count; i++)
        value[i] = r->column[r->measured[i]];
}

static bool take_row(void *user, double t, bool fresh, const double *z, const double *dz,
                     const double *u, const double *du)
{
    running *r = user;
    for (uint32_t i = 0; i < r->rated_count; i++)
        r->rate[i] = fresh ? r->rates[r->rated[i]] : ct_form_value(&r->rate_form[i], dz, du, NULL);
    ct_outputs_at(&r->o, t, z, u, r->rate, r->sheet.column);
    ct_sheet_put(&r->sheet, t);
    return !ct_running_interrupted(r);
}

bool ct_running_row(running *r, double t, double at, const double *z)
{
    double *u = r->laws->u;
    ct_net_u(r->n, at, u);
    ct_outputs_at(&r->o, t, z, u, r->rate, r->sheet.column);
    ct_sheet_put(&r->sheet, t);
    return !ct_running_interrupted(r);
}

static void tell_progress(void *user, double t)
{
    running *r = user;
    if (r->def->progress)
        r->def->progress(r->def->user, t, r->sheet.run.start, r->sheet.run.stop);
}

static void tell_step(void *user, double t)
{
    running *r = user;
    if (r->def->stepped)
        r->def->stepped(r->def->step_user, t);
}

/* ---- settings and start */

static double value_of(const void *user, ct_expr e)
{
    const running *r = user;
    return ct_value_with(r->model, r->value, e);
}

static const char *state_name(const void *user, uint32_t state)
{
    return ct_net_state_name(((const running *)user)->n, state);
}

static bool settle(running *r)
{
    r->sheet = (ct_run_sheet){.ctx = r->model->ctx,
                              .model = r->model,
                              .def = r->def,
                              .s = r->s,
                              .arena = r->arena,
                              .output_count = r->o.output_count,
                              .column_count = r->o.column_count,
                              .has_states = r->n->state.count > 0,
                              .value = value_of,
                              .name = state_name,
                              .user = r};
    if (!ct_sheet_settle(&r->sheet))
        return false;
    ct_run_def *run = &r->sheet.run;
    if (r->n->waves)
        ct_waves_follow(r->n->waves, run);
    return true;
}

/* A time at which something jumps is moved a hair to the right. */
double ct_running_right_side(const running *r, double t)
{
    const ct_run_def *d = &r->sheet.run;
    double hair = 8 * DBL_EPSILON * fmax(fabs(d->start), fabs(d->stop));
    bool jump = r->n->waves && ct_waves_next_jump(r->n->waves, t - hair) <= t + hair;
    return jump ? t + hair : t;
}

/* Consistent z at the start. */
static bool begin(running *r, double t)
{
    net *n = r->n;
    double *u = CT_NEW_ARRAY(r->own, double, n->u.count + 1), after = ct_running_right_side(r, t);
    ct_net_u(n, after, u);
    if (n->model->initial_equilibrium) {
        if (n->model->start_count || !ct_net_steady(n, after, r->z))
            return false;
        ct_net_states(n, r->z, u, r->x);
    } else if (!ct_net_starts(n, t, r->x)) {
        return false;
    }
    return ct_net_consistent(n, r->x, u, r->z, r->rates);
}

static const double passed_over = 3; /* of a sine, by the mean of steps */

/* ---- networks without storage: each row by itself */

static ct_solve_status solve_rows(running *r)
{
    const ct_run_def *d = &r->sheet.run;
    net *n = r->n;
    uint32_t count = ct_row_count(d);
    double *u = CT_NEW_ARRAY(r->own, double, n->u.count + 1);
    double *own = CT_NEW_ARRAY(r->own, double, r->watch_count + 1);
    for (double t = d->start; n->waves && (t = next_break(r, t)) < d->stop;)
        tell_step(r, t);
    for (uint32_t i = 0; i < count; i++) {
        double t = ct_row_time(d, i), at = ct_running_right_side(r, t);
        if (t > d->stop)
            break;
        if ((i == 0 || n->waves) && !ct_net_steady(n, at, r->z))
            return CT_SINGULAR;
        ct_net_u(n, at, u);
        for (uint32_t k = 0; k < r->watch_count; k++)
            own[k] = r->z[r->watch[k]];
        if (!take_row(r, t, true, own, own, u, u))
            return CT_STOPPED;
        r->s->stats.last_time = t;
    }
    r->s->stats.method = "nodal analysis";
    return CT_SOLVED;
}

static ct_solve_status integrate(running *r)
{
    net *n = r->n;
    ct_run_def run = r->sheet.run;
    run.progress = tell_progress;
    run.stepped = tell_step;
    run.row_user = r;
    ct_linear_dae dae = {.pencil = n->pencil,
                         .u_count = n->u.count,
                         .u_start = n->u.start,
                         .u_row = n->u.row,
                         .u_e = n->u.e,
                         .u_a = n->u.a,
                         .user = r,
                         .inputs = inputs,
                         .next_break = n->waves ? next_break : NULL,
                         .restart = restart,
                         .restart_always = r->rated_count > 0,
                         .watch = r->watch,
                         .watch_count = r->watch_count,
                         .row = take_row,
                         .shown_count = r->measured_count,
                         .shown = show};
    return ct_radau(n->model->ctx, &dae, &run, r->z, &r->s->stats);
}

/* One row at the start is all that is wanted. */
static ct_solve_status show_start(running *r)
{
    net *n = r->n;
    double *u = CT_NEW_ARRAY(r->own, double, n->u.count + 1);
    double *own = CT_NEW_ARRAY(r->own, double, r->watch_count + 1);
    ct_net_u(n, ct_running_right_side(r, r->sheet.run.start), u);
    for (uint32_t k = 0; k < r->watch_count; k++)
        own[k] = r->z[r->watch[k]];
    take_row(r, r->sheet.run.start, true, own, own, u, u);
    r->s->stats.method = "nodal analysis";
    return CT_SOLVED;
}

static void run(running *r)
{
    const ct_run_def *d = &r->sheet.run;
    net *n = r->n;
    watch(r);
    r->z = CT_NEW_ARRAY(r->own, double, n->n + 1);
    r->x = CT_NEW_ARRAY(r->own, double, n->state.count + 1);
    r->rates = CT_NEW_ARRAY(r->own, double, n->state.count + 1);
    ct_sheet_open(&r->sheet);
    ct_simulation *s = r->s;
    r->why_not = "no start was found";
    if (n->law_count ? !ct_laws_run(r) : n->state.count && !begin(r, d->start))
        return;
    s->status = n->law_count         ? s->status
                : !n->state.count    ? solve_rows(r)
                : d->stop > d->start ? integrate(r)
                                     : show_start(r);
    if (ct_running_interrupted(r))
        s->status = CT_STOPPED;
    if (n->state.count &&
        d->lost_swing * (d->stop - d->start) > (double)s->stats.steps * passed_over)
        s->stats.lost_swing = d->lost_swing;
    bool done = s->status == CT_SOLVED || s->status == CT_STOPPED;
    r->why_not = done                      ? NULL
                 : s->status == CT_CHANGED ? "storage jumps"
                 : s->status == CT_NO_CONVERGENCE && !n->law_count
                     ? "its matrix rounds away what is small"
                     : "a matrix is singular, or steps became too small";
    if (done)
        ct_sheet_remark(&r->sheet);
}

static void run_all(void *user)
{
    running *r = user;
    double begun = ct_wall_clock();
    r->n = ct_net_new(r->tree, r->value, r->lawful, r->own, &r->why_not);
    if (!r->n)
        return;
    r->why_not = "the model is small and linear";
    if (r->lawful == CT_LAWFUL_SOME && !r->n->law_count)
        return;
    r->why_not = "an output reads what has no form";
    if (!ct_net_outputs(r->n, &r->o))
        return;
    r->s->compile_seconds = ct_wall_clock() - begun;
    r->why_not = "a method was asked for";
    if (!settle(r)) {
        r->why_not = NULL; /* but reported */
        r->s = NULL;
    } else if (r->sheet.run.method == CT_METHOD_AUTO) {
        run(r);
    }
}

const ct_simulation *ct_nodal_run(const ct_tree *tree, const double *value,
                                  const ct_simulation_def *def, ct_lawful lawful, ct_arena *arena,
                                  const char **why_not)
{
    const ct_model *model = tree->graph->model;
    ct_simulation *s = CT_NEW(arena, ct_simulation);
    running r = {.model = model,
                 .tree = tree,
                 .value = value,
                 .def = def,
                 .arena = arena,
                 .own = ct_arena_new(model->ctx),
                 .s = s,
                 .lawful = lawful,
                 .why_not = "a motion is asked for"};
    s->numeric = true;
    s->wall_seconds = -ct_wall_clock();
    s->cpu_seconds = -ct_cpu_clock();
    ct_status status = def->kinematic ? CT_OK : ct_protect(model->ctx, run_all, &r);
    ct_net_release(r.n);
    ct_arena_free(r.own);
    if (status != CT_OK)
        ct_throw(model->ctx, status);
    s->wall_seconds += ct_wall_clock();
    s->cpu_seconds += ct_cpu_clock();
    s->nodes = ct_pool_count(model->pool);
    *why_not = r.why_not;
    return r.why_not ? NULL : r.s;
}
