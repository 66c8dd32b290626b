/* past_rest.c - operating points of what has delays; see past.h. */
#include <math.h>
#include <string.h>

#include "model/held.h"
#include "simulate/past.h"
#include "simulate/rig.h"
#include "solve/rank.h"

static const double takes_part = 1e-9; /* of the largest entry of a direction */

typedef struct ct_past_still {
    ct_rig *rig;
    ct_bundle bundle;
    double *work, *work_slope;
    uint32_t size, count; /* of z; of d */
    uint32_t *place;      /* of each d among the variables */
    ct_problem problem;
} resting;

/* Delays in the order of the acts. */
static const ct_act *lag_of(const ct_machine *m, uint32_t d)
{
    const ct_act *act = m->driven->act;
    while (!act->of->lag || d-- > 0)
        act++;
    return act;
}

static uint32_t place_of(const ct_machine *m, uint32_t d)
{
    return m->n + m->m + lag_of(m, d)->set[0].discrete; /* behind z and t */
}

static uint32_t count_lags(const ct_machine *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->driven->act_count; i++)
        count += m->driven->act[i].of->lag;
    return count;
}

const char *ct_past_owner(const ct_rig *rig, uint32_t d, ct_place *place)
{
    const ct_happening *of = lag_of(rig->machine, d)->of;
    *place = of->place;
    return ct_name_text(rig->machine->ctx, of->owner);
}

void ct_past_guess(const ct_rig *rig, double *d)
{
    for (uint32_t i = 0, count = count_lags(rig->machine); i < count; i++)
        d[i] = rig->variable[place_of(rig->machine, i)];
}

void ct_past_settle(ct_rig *rig, const double *d)
{
    const ct_machine *m = rig->machine;
    for (uint32_t i = 0, count = count_lags(m); i < count; i++)
        ct_past_rests(rig, place_of(m, i) - (m->n + m->m + 1), d[i]);
}

/* ---- the equations */

static void set_point(const resting *s, double t, const double *y)
{
    double *variable = s->rig->variable;
    if (s->size)
        memcpy(variable, y, s->size * sizeof *y);
    variable[s->size] = t;
    for (uint32_t i = 0; i < s->count; i++)
        variable[s->place[i]] = y[s->size + i];
}

static void evaluate(void *user, double t, const double *y, double *fg)
{
    const resting *s = user;
    set_point(s, t, y);
    ct_program_run(s->bundle.value, s->rig->variable, fg, s->work);
    ct_rig_spoil(s->rig, fg);
}

static void slope(void *user, double t, const double *y, double *value)
{
    const resting *s = user;
    set_point(s, t, y);
    ct_program_run(s->bundle.slope, s->rig->variable, value, s->work_slope);
}

static const ct_expr *list_rows(const resting *s)
{
    const ct_machine *m = s->rig->machine;
    ct_expr *row = CT_NEW_ARRAY(s->rig->arena, ct_expr, s->size + s->count);
    if (s->size)
        memcpy(row, m->rest ? m->rest : m->fg, s->size * sizeof *row);
    for (uint32_t i = 0; i < m->n; i++)
        if (ct_use_of(m->model, m->z[i]) == CT_OWN_AGE)
            row[i] = ct_expr_neg(m->pool, ct_expr_symbol(m->pool, m->z[i]));
    for (uint32_t i = 0; i < s->count; i++)
        row[s->size + i] = ct_expr_sub(m->pool, lag_of(m, i)->set[0].rest,
                                       ct_expr_symbol(m->pool, m->z[s->place[i]]));
    return row;
}

static bool make_bundle(resting *s)
{
    const ct_machine *m = s->rig->machine;
    uint32_t all = s->size + s->count;
    ct_name *by = CT_NEW_ARRAY(s->rig->arena, ct_name, all);
    if (s->size)
        memcpy(by, m->z, s->size * sizeof *by);
    for (uint32_t i = 0; i < s->count; i++)
        by[s->size + i] = m->z[s->place[i]];
    if (!ct_machine_bundle(m, list_rows(s), all, by, all, m->z_count, &s->bundle))
        return false;
    s->work = ct_rig_prepared(s->rig, s->bundle.value);
    s->work_slope = ct_rig_prepared(s->rig, s->bundle.slope);
    return true;
}

static const ct_problem *refuse(const ct_rig *rig, const char *beside, const char *help)
{
    ct_place place;
    const char *owner = ct_past_owner(rig, 0, &place);
    ct_report *r =
        ct_error(rig->machine->ctx, "E584", place,
                 "no operating point is searched with the delay `%s` beside %s", owner, beside);
    ct_help(r, "%s", help);
    ct_witness(r, owner);
    return NULL;
}

const ct_problem *ct_past_rest(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    if (m->model->watch)
        return refuse(rig, "ideal switching", "let parts be smooth (`v0`, `Ron` and `Roff`)");
    if (m->reduced->system->mechanics)
        return refuse(rig, "bodies", "take the end of a long run");
    if (rig->resting)
        return &rig->resting->problem;
    resting *s = CT_NEW(rig->arena, resting);
    *s = (resting){.rig = rig, .size = m->n + m->m, .count = count_lags(m)};
    s->place = CT_NEW_ARRAY(rig->arena, uint32_t, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        s->place[i] = place_of(m, i);
    if (!make_bundle(s))
        return NULL;
    bool *is_rate = CT_NEW_ARRAY(rig->arena, bool, s->size + s->count);
    if (rig->free.is_rate)
        memcpy(is_rate, rig->free.is_rate, s->size * sizeof *is_rate);
    s->problem = (ct_problem){.user = s,
                              .n = m->n,
                              .m = m->m + s->count,
                              .evaluate = evaluate,
                              .jacobian = slope,
                              .start = s->bundle.jacobian->start,
                              .row = s->bundle.jacobian->row,
                              .is_rate = is_rate};
    rig->resting = s;
    return &s->problem;
}

/* ---- what rest leaves open */

static void report_open(const ct_rig *rig, uint32_t size, const double *free_way, uint32_t count)
{
    const ct_machine *m = rig->machine;
    uint32_t most = 0, lag = size;
    for (uint32_t i = 0; i < size + count; i++) {
        most = fabs(free_way[i]) > fabs(free_way[most]) ? i : most;
        if (i > size && fabs(free_way[i]) > fabs(free_way[lag]))
            lag = i;
    }
    bool of_delay = fabs(free_way[lag]) > takes_part * fabs(free_way[most]);
    const char *name = most < size ? ct_machine_variable(m, most) : NULL;
    ct_place place;
    const char *owner = ct_past_owner(rig, of_delay ? lag - size : 0, &place);
    ct_report *r;
    if (of_delay || !name)
        r = ct_error(m->ctx, "E584", place, "rest does not determine what the delay `%s` holds",
                     owner);
    else
        r = ct_error(m->ctx, "E584", place, "rest does not determine `%s` with the delay `%s`",
                     name, owner);
    if (of_delay && name)
        ct_note(r, "it goes with %s, which may have any value at rest", name);
    ct_help(r, "add a path or a loss that determines it, or take the end of a long run");
    ct_witness(r, owner);
}

bool ct_past_is_settled(ct_rig *rig, const ct_problem *rest, double t, const double *y)
{
    uint32_t all = rest->n + rest->m, size = rig->machine->n + rig->machine->m;
    ct_arena *arena = ct_arena_new(rig->machine->ctx);
    double *value = CT_NEW_ARRAY(arena, double, rest->start[all] + 1);
    double *way = CT_NEW_ARRAY(arena, double, all);
    rest->jacobian(rest->user, t, y, value);
    const ct_rank *rank = ct_rank_new(arena, all, rest->start, rest->row, value);
    bool settled = rank->open == 0;
    if (!settled) {
        ct_rank_right(rank, 0, way);
        report_open(rig, size, way, all - size);
    }
    ct_arena_free(arena);
    return settled;
}
