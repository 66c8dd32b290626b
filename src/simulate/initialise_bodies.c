/* initialise_bodies.c - where a mechanism begins, in any coordinates.
 *
 * src/mechanics finds places and speeds of bodies that meet joints and what is given of joints and
 * frames. Where networks, or start values of other kinds, tie the bodies further, the point is
 * sought that meets all and is nearest to the reference, in the metric of kinetic energy: first in
 * places, then in speeds. Masses and inertias of networks count in the metric of speeds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/initialise_near.h"

enum { ATTEMPTS = 6 };
static const double unmoved = 1e-9;

/* ---- coordinates */

static double number(const void *user, ct_name symbol)
{
    const initialising *in = user;
    const ct_machine *m = in->m;
    ct_expr driven = ct_map_get(m->driven->driver, symbol);
    uint32_t q = ct_map_get(m->model->quantity_by_name, symbol);
    if (symbol == m->time)
        return in->t;
    if (driven)
        return ct_expr_value(m->pool, driven, number, user);
    return q ? in->rig->value[q - 1] : NAN;
}

/* The index of a coordinate, or of its speed, in z; UINT32_MAX: it is none. */
uint32_t ct_start_column(const ct_machine *m, ct_name name)
{
    uint32_t z = name ? ct_map_get(&m->z_index, name) : 0;
    return z && z <= m->n + m->m ? z - 1 : UINT32_MAX;
}

/* By unknown: a coordinate, or its speed. */
bool *ct_start_motion(const initialising *in)
{
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    bool *motion = CT_NEW_ARRAY(in->arena, bool, in->m->n + in->m->m + 1);
    for (uint32_t i = 0; mech && i < mech->coordinate_count; i++) {
        uint32_t z[2] = {ct_start_column(in->m, mech->coordinate[i].q),
                         ct_start_column(in->m, mech->coordinate[i].u)};
        for (int k = 0; k < 2; k++)
            if (z[k] != UINT32_MAX)
                motion[z[k]] = true;
    }
    return motion;
}

/* Coordinates as they were found; what is given of states holds exactly. */
static void put_bodies(initialising *in)
{
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    const ct_mechanics_start *s = &in->bodies;
    for (uint32_t i = 0; s->place && i < mech->coordinate_count; i++) {
        uint32_t q = ct_start_column(in->m, mech->coordinate[i].q);
        uint32_t u = ct_start_column(in->m, mech->coordinate[i].u);
        if (q != UINT32_MAX && isfinite(s->place[i]))
            in->z[q] = s->place[i];
        if (u != UINT32_MAX && isfinite(s->rate[i]))
            in->z[u] = s->rate[i];
    }
    for (uint32_t i = 0; i < in->m->n; i++)
        if (in->given[i])
            in->z[i] = in->value[in->given[i] - 1];
}

static bool place_bodies(initialising *in, uint32_t attempt, bool forgiving, bool backward)
{
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    ct_mechanics_start *s = &in->bodies;
    *s = (ct_mechanics_start){.value = number,
                              .user = in,
                              .t = in->t,
                              .attempt = attempt,
                              .forgiving = forgiving,
                              .backward = backward,
                              .arena = in->arena};
    bool found = ct_mechanics_begin(mech, s);
    put_bodies(in);
    return found;
}

/* Values of expressions over z at the present point; false: one has none. */
bool ct_start_evaluate(initialising *in, ct_expr *e, uint32_t count, double *value)
{
    for (uint32_t i = 0; i < count; i++)
        e[i] = ct_start_with_numbers(in, e[i]);
    const ct_program *p = ct_machine_program(in->m, e, count, in->m->z_count);
    if (!p)
        return false;
    ct_start_set_point(in);
    ct_program_run(p, in->variable, value, ct_program_prepared(in->arena, p, in->rig->parameter));
    return true;
}

static bool differ(double a, double b)
{
    return !(fabs(a - b) <= unmoved * (1 + fabs(b)));
}

bool ct_start_note(initialising *in, ct_name name, double wanted, taken_out *out)
{
    uint32_t z = ct_start_column(in->m, name);
    if (!name || z != UINT32_MAX)
        return !name || !differ(in->z[z], wanted);
    ct_expr e = in->m->reduced->maker ? ct_expr_symbol(in->m->pool, name) : 0;
    e = e ? ct_reduced_express(in->reduced, e, (ct_place){0}) : 0;
    if (e && ct_drive_all(in->m->driven, &e, 1)) {
        CT_PUSH(in->arena, out->e, e);
        CT_PUSH(in->arena, out->wanted, wanted);
    }
    return true;
}

/* Are coordinates and speeds still as they were placed? */
static bool stayed(initialising *in)
{
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    const ct_mechanics_start *s = &in->bodies;
    taken_out out = {0};
    for (uint32_t i = 0; i < mech->coordinate_count; i++)
        if (!ct_start_note(in, mech->coordinate[i].q, s->place[i], &out) ||
            !ct_start_note(in, mech->coordinate[i].u, s->rate[i], &out))
            return false;
    double *value = CT_NEW_ARRAY(in->arena, double, out.e.count + 1);
    if (!out.e.count || !ct_start_evaluate(in, out.e.at, out.e.count, value))
        return true;
    for (uint32_t i = 0; i < out.e.count; i++)
        if (differ(value[i], out.wanted.at[i]))
            return false;
    return true;
}

/* ---- attempts */

/* Guesses that src/mechanics did not heed? */
static bool has_other_guesses(const initialising *in)
{
    for (uint32_t i = 0; i < in->guess_count; i++)
        if (!in->bodies.known[in->guess[i]])
            return true;
    return false;
}

static bool all_is_well(initialising *in)
{
    if (!in->set.count && !in->m->invariant_count)
        return true;
    ct_start_set_point(in);
    ct_start_measure(in);
    return ct_start_all_met(in);
}

/* Then nothing is nearer to the reference. */
static bool network_rests(initialising *in)
{
    uint32_t count = in->m->kinetic_count;
    ct_expr *speed = CT_NEW_ARRAY(in->arena, ct_expr, count + 1);
    double *value = CT_NEW_ARRAY(in->arena, double, count + 1), most = 0;
    for (uint32_t i = 0; i < count; i++)
        speed[i] = in->m->kinetic[i].speed;
    if (!count || !ct_start_evaluate(in, speed, count, value))
        return true;
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, fabs(value[i]));
    return most <= unmoved * unmoved;
}

/* The first joint that is closed the wrong way round; 0: none. */
ct_name ct_start_reversed(initialising *in)
{
    static const double least = 0.1;
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    ct_sense *sense;
    uint32_t count =
        mech && in->m->reduced->maker ? ct_mechanics_senses(mech, in->arena, &sense) : 0;
    double *value = CT_NEW_ARRAY(in->arena, double, count + 1);
    ct_expr *e = CT_NEW_ARRAY(in->arena, ct_expr, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        e[i] = ct_reduced_express(in->reduced, sense[i].value, (ct_place){0});
        if (!e[i] || !ct_drive_all(in->m->driven, &e[i], 1))
            return 0;
    }
    if (!count || !ct_start_evaluate(in, e, count, value))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (value[i] < least)
            return mech->mechanism->joint[sense[i].joint].name;
    return 0;
}

/* Loops are closed to the last digit; what is placed at zero stays there. */
static bool polish(initialising *in, ct_run_stats *stats)
{
    static const double rounding = 1e-13;
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    const ct_mechanics_start *s = &in->bodies;
    if (!mech->mechanism->spatial || !in->m->invariant_count)
        return true;
    bool good = ct_start_exactly(in, stats) == CT_SOLVED;
    for (uint32_t i = 0; i < 2 * mech->coordinate_count; i++) {
        const ct_coordinate *c = &mech->coordinate[i / 2];
        uint32_t z = ct_start_column(in->m, i % 2 ? c->u : c->q);
        bool zero = (i % 2 ? s->rate : s->place)[i / 2] == 0;
        if (z != UINT32_MAX && zero && fabs(in->z[z]) <= rounding)
            in->z[z] = 0;
    }
    return good;
}

/* What came of an attempt: POOR meets all, but was not found as the nearest. */
typedef enum outcome { NONE, POOR, NEAREST, PLACED } outcome;

/* Places, then speeds; or both. */
static outcome seek(nearing *n, ct_run_stats *stats)
{
    initialising *in = n->in;
    size_t bytes = (in->m->n + in->m->m) * sizeof(double);
    double *places = CT_NEW_ARRAY(in->arena, double, in->m->n + in->m->m + 1);
    in->bodies.tied = 0;
    bool found = ct_near_search(n, PLACES_FIRST, stats);
    memcpy(places, in->z, bytes);
    n->both = !ct_near_speeds(n);
    if (n->both) {
        memcpy(in->z, places, bytes); /* speeds have gone anywhere */
        found = ct_near_both(n, stats);
    }
    if (ct_start_exactly(in, stats) != CT_SOLVED)
        return NONE;
    return found ? NEAREST : POOR;
}

/* From placed bodies. */
static outcome settle(initialising *in, nearing *near, ct_run_stats *stats)
{
    bool solved = ct_start_algebraic(in, stats) == CT_SOLVED;
    if (!ct_start_empty_storage(in))
        return NONE;
    if (in->m->start_count > in->m->model->start_count && solved)
        solved = ct_start_algebraic(in, stats) == CT_SOLVED;
    if (solved && stayed(in) && !has_other_guesses(in) && all_is_well(in) && network_rests(in))
        return polish(in, stats) ? PLACED : NONE;
    if (!near->row.count && (!in->m->reduced->maker || !ct_near_make_rows(near)))
        return NONE;
    ct_near_refresh(near);
    put_bodies(in);
    outcome got = seek(near, stats);
    return got && ct_start_reversed(in) ? NONE : got;
}

/* ---- all of it */

typedef struct trial {
    outcome got;
    near_change change;
    uint32_t tied;
    bool several; /* bodies could have been placed elsewhere before all was met */
    double *z, *value;
} trial;

static trial attempt(nearing *near, uint32_t number, bool backward, const double *from)
{
    initialising *in = near->in;
    uint32_t count = in->m->n + in->m->m;
    ct_run_stats stats = {.culprit = UINT32_MAX};
    trial t = {.z = CT_NEW_ARRAY(in->arena, double, count + 1)};
    memcpy(in->z, from, count * sizeof *from);
    bool placed = place_bodies(in, number, false, backward);
    if (placed && number == 0)
        ct_near_find_speed(in);
    t.several = in->bodies.tied > 0;
    t.got = placed ? settle(in, near, &stats) : NONE;
    if (t.got == PLACED && ct_start_reversed(in))
        t.got = NONE;
    if (t.got == NEAREST || t.got == POOR) {
        t.change = ct_near_change(near);
        t.value = CT_NEW_ARRAY(in->arena, double, near->row.count + 1);
        memcpy(t.value, near->value, near->row.count * sizeof *t.value);
    }
    t.tied = in->bodies.tied;
    memcpy(t.z, in->z, count * sizeof *t.z);
    return t;
}

/* The better of two. */
static trial better(const nearing *near, trial a, trial b)
{
    if (a.got != b.got || !a.value || !b.value)
        return b.got > a.got ? b : a;
    if (ct_near_is_less(a.change, b.change) || ct_near_is_less(b.change, a.change))
        return ct_near_is_less(b.change, a.change) ? b : a;
    int first = ct_near_first(near, a.value, b.value);
    trial best = first < 0 ? b : a;
    if (first && !best.tied)
        best.tied = (uint32_t)abs(first);
    return best;
}

/* From the reference; where that leads nowhere, the best of what is found from around it. Where
 * bodies could be placed on two sides, networks may be nearer to the other one. */
bool ct_start_bodies(initialising *in)
{
    size_t bytes = (in->m->n + in->m->m) * sizeof(double);
    double *before = CT_NEW_ARRAY(in->arena, double, in->m->n + in->m->m + 1);
    nearing near = {.in = in, .time = 1};
    trial best = {.got = NONE};
    memcpy(before, in->z, bytes);
    if ((in->set.count || in->m->invariant_count) && !ct_start_make_rows(in, in->set.count))
        return false;
    for (uint32_t i = 0; i < ATTEMPTS && best.got < PLACED && !(best.got == NEAREST && i == 1);
         i++) {
        trial own = attempt(&near, i, false, before);
        if (!in->bodies.place)
            break;
        best = better(&near, best, own);
        if (own.several && own.got && own.got != PLACED)
            best = better(&near, best, attempt(&near, i, true, before));
    }
    memcpy(in->z, best.got ? best.z : before, bytes);
    if (best.got && best.tied)
        ct_start_report_tied(in, best.tied);
    if (!best.got && !place_bodies(in, 0, true, false)) /* messages begin where loops are closed */
        memcpy(in->z, before, bytes);
    return best.got != NONE;
}
