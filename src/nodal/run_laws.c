/* run_laws.c - a run of a nonlinear network: start, integration of what is stored. */
#include <math.h>
#include <string.h>

#include "nodal/running.h"
#include "solve/esdirk.h"

typedef struct law_run {
    running *r;
    double *x; /* states */
    double *u, *u_after;
} law_run;

/* ---- what the integration calls */

static void inputs(void *user, double t)
{
    ct_laws_inputs(((law_run *)user)->r->laws, t);
}

static void move(void *user, const double *z)
{
    ct_laws_places(((law_run *)user)->r->laws, z);
}

static uint32_t evaluate(void *user, double alpha, const double *base, bool fresh, bool matrix,
                         double *residual)
{
    return ct_laws_evaluate(((law_run *)user)->r->laws, alpha, base, fresh, matrix, residual);
}

static void respond(void *user, double alpha, const double *base, const double *rate,
                    double *residual)
{
    ct_laws_respond(((law_run *)user)->r->laws, alpha, base, rate, residual);
}

static bool holds(void *user)
{
    return ct_laws_hold(((law_run *)user)->r->laws);
}

static bool is_close(void *user)
{
    return ct_laws_close(((law_run *)user)->r->laws);
}

static void charges(void *user, double *q)
{
    ct_laws_charges(((law_run *)user)->r->laws, q);
}

static void refer(void *user)
{
    ct_laws_refer(((law_run *)user)->r->laws);
}

static bool rest(void *user, const ct_drift *m, double *residual)
{
    return ct_laws_part_rest(((law_run *)user)->r->laws, m, residual);
}

static bool wake(void *user, double alpha, const ct_drift *m, double *residual)
{
    return ct_laws_part_wake(((law_run *)user)->r->laws, alpha, m, residual);
}

static bool wake_all(void *user)
{
    return ct_laws_part_wake_all(((law_run *)user)->r->laws);
}

static double next_break(void *user, double t)
{
    return ct_waves_next_break(((law_run *)user)->r->n->waves, t);
}

static bool row(void *user, double t, double at, const double *z)
{
    return ct_running_row(((law_run *)user)->r, t, at, z);
}

static void shown(void *user, double at, const double *z, double *value)
{
    running *r = ((law_run *)user)->r;
    ct_net_u(r->n, at, r->laws->u);
    ct_outputs_at(&r->o, at, z, r->laws->u, r->rate, r->column);
    for (uint32_t i = 0; i < r->measured_count; i++)
        value[i] = r->column[r->measured[i]];
}

/* By potentials of nodes that drivers hold. */
static void lift(void *user, double *most)
{
    const laws *w = ((law_run *)user)->r->laws;
    for (uint32_t i = 0; i < w->place.count; i++)
        most[w->place.at[i].kind] = fmax(most[w->place.at[i].kind], fabs(w->x[w->size + i]));
}

static bool interrupted(void *user)
{
    return ct_running_interrupted(((law_run *)user)->r);
}

static void progress(void *user, double t)
{
    running *r = ((law_run *)user)->r;
    if (r->def->progress)
        r->def->progress(r->def->user, t, r->sheet.run.start, r->sheet.run.stop);
}

static void stepped(void *user, double t)
{
    running *r = ((law_run *)user)->r;
    if (r->def->stepped)
        r->def->stepped(r->def->step_user, t);
}

/* What accumulators and delays hold: across and through variables. */
static double held(const net *n, uint32_t edge, const double *z, const double *u)
{
    const ct_graph_edge *e = &n->graph->edge[edge];
    if (e->class == CT_DELAY)
        return n->through[edge] ? z[n->through[edge] - 1] : 0;
    return ct_net_potential(n, e->tail, z, u) - ct_net_potential(n, e->head, z, u);
}

static bool keeps(void *user, double t, const double *z, double after, const double *z_after)
{
    const double rel = 1e-4, least = 1e-6;
    law_run *l = user;
    const net *n = l->r->n;
    ct_net_u(n, t, l->u);
    ct_net_u(n, after, l->u_after);
    for (uint32_t e = 0; e < n->graph->scalar_edge_count; e++) {
        ct_tree_class class = n->graph->edge[e].class;
        if (class != CT_ACCUMULATOR && class != CT_DELAY)
            continue;
        double a = held(n, e, z, l->u), b = held(n, e, z_after, l->u_after);
        if (fabs(a - b) > rel * (fabs(a) + fabs(b)) + least)
            return false;
    }
    return true;
}

/* ---- start */

/* Storage that is given, or empty. */
static bool read_starts(law_run *l, double t, double *q)
{
    running *r = l->r;
    if (r->n->dependent || !ct_net_starts(r->n, t, l->x))
        return false;
    ct_laws_stored(r->laws, l->x, q);
    return true;
}

static bool begin(law_run *l, double t, double *q)
{
    running *r = l->r;
    double at = ct_running_right_side(r, t);
    if (!r->n->model->initial_equilibrium)
        return read_starts(l, t, q);
    law_rest how = {0};
    if (r->n->model->start_count || !ct_laws_rest(r->laws, at, r->z, &how))
        return false;
    r->s->start_method = how.method;
    r->s->start_iterations = how.iterations;
    ct_laws_places(r->laws, r->z);
    ct_laws_charges(r->laws, q);
    return true;
}

/* ---- integration */

/* Unknowns that charges follow. */
static const bool *find_stored(law_run *l)
{
    running *r = l->r;
    const laws *w = r->laws;
    bool *stored = CT_NEW_ARRAY(r->own, bool, w->size + 1);
    for (uint32_t i = 0; i < w->held_count; i++)
        stored[w->held[i].column] = true;
    for (uint32_t i = 0; i < w->group.count; i++) {
        const law_group *g = &w->group.at[i];
        for (uint32_t k = 0; k < g->l->rate_count; k++)
            for (uint32_t c = 0; c < g->count; c++) {
                size_t at = g->l->rated[k] * (size_t)g->room + c;
                if (g->plus[at] < w->size)
                    stored[g->plus[at]] = true;
                if (g->minus[at] < w->size)
                    stored[g->minus[at]] = true;
            }
    }
    return stored;
}

/* Potentials of a domain are of one kind; those that rows read stand by themselves. */
static const uint32_t *find_kinds(law_run *l)
{
    const running *r = l->r;
    const net *n = r->n;
    uint32_t *kind = CT_NEW_ARRAY(r->own, uint32_t, r->laws->size + 1);
    for (uint32_t i = 0; i < n->graph->scalar_node_count; i++)
        if (n->column[i] >= 0)
            kind[n->column[i]] = n->graph->node[i].domain + 1;
    for (uint32_t w = 0; w < r->watch_count; w++)
        kind[r->watch[w]] = 0;
    return kind;
}

static ct_solve_status integrate(law_run *l, double *q)
{
    const double tolerances = 3; /* that inputs may move before laws are evaluated anew */
    const uint32_t fewest = 40;  /* unknowns of which parts may rest */
    const double loosest = 6e-4; /* above it estimates are no good: junctions hardly matter */
    running *r = l->r;
    laws *w = r->laws;
    bool parts = w->size >= fewest && w->charge_count == w->size;
    ct_run_def run = r->sheet.run;
    run.rtol = fmin(run.rtol, loosest);
    w->slack = tolerances * run.rtol;
    w->least_slack = tolerances * run.atol;
    run.progress = progress;
    run.stepped = stepped;
    run.row_user = l;
    ct_stored_system s = {.user = l,
                          .n = w->size,
                          .charge_count = w->charge_count,
                          .linear = w->linear,
                          .inputs = inputs,
                          .move = move,
                          .evaluate = evaluate,
                          .respond = respond,
                          .holds = holds,
                          .is_close = is_close,
                          .charges = charges,
                          .refer = refer,
                          .part = &w->part.of,
                          .rest = parts ? rest : NULL,
                          .wake = wake,
                          .wake_all = wake_all,
                          .next_break = r->n->waves ? next_break : NULL,
                          .keeps = keeps,
                          .stored = find_stored(l),
                          .kind = find_kinds(l),
                          .kind_count = r->n->graph->domain_count + 1,
                          .lift = lift,
                          .watch = r->watch,
                          .watch_count = r->watch_count,
                          .row = row,
                          .shown_count = r->measured_count,
                          .shown = shown,
                          .interrupted = interrupted};
    return ct_esdirk(r->model->ctx, &s, &run, r->n->model->initial_equilibrium, r->z, q,
                     &r->s->stats);
}

/* ---- without storage: each row by itself */

static bool solve_rows(running *r)
{
    law_rest how = {0};
    ct_simulation *s = r->s;
    double *own = CT_NEW_ARRAY(r->own, double, r->watch_count + 1);
    s->status = CT_SOLVED;
    s->stats.method = "nodal analysis";
    for (uint32_t i = 0; i < ct_row_count(&r->sheet.run) && s->status == CT_SOLVED; i++) {
        double t = ct_row_time(&r->sheet.run, i), at = ct_running_right_side(r, t);
        if (t > r->sheet.run.stop)
            break;
        if (!(i ? ct_laws_follow : ct_laws_rest)(r->laws, at, r->z, &how))
            return false;
        s->start_method = s->start_method ? s->start_method : how.method;
        s->start_iterations = i ? s->start_iterations : how.iterations;
        s->stats.newton_iters += how.iterations;
        for (uint32_t k = 0; k < r->watch_count; k++)
            own[k] = r->z[r->watch[k]];
        if (!ct_running_row(r, t, at, own))
            s->status = CT_STOPPED;
        s->stats.last_time = t;
    }
    return true;
}

bool ct_laws_run(running *r)
{
    law_run l = {.r = r, .x = r->x};
    double start = r->sheet.run.start;
    r->laws = r->n->laws;
    if (r->rated_count || (ct_laws_store(r->laws) && r->sheet.run.stop <= start))
        return false;
    if (!ct_laws_store(r->laws))
        return solve_rows(r);
    double *q = CT_NEW_ARRAY(r->own, double, r->laws->charge_count + 1);
    l.u = CT_NEW_ARRAY(r->own, double, r->n->wave.count + 2);
    l.u_after = CT_NEW_ARRAY(r->own, double, r->n->wave.count + 2);
    if (!begin(&l, start, q))
        return false;
    r->s->status = integrate(&l, q);
    return true;
}
