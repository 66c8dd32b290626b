/* initialise_bodies.c - where a mechanism begins, in any coordinates.
 *
 * src/mechanics finds places and speeds of bodies that meet joints and what is given of joints and
 * frames. Where networks, or start values of other kinds, tie the bodies further, the point is
 * sought that meets all and is nearest to the reference, in the metric of kinetic energy: first in
 * places, then in speeds. Masses and inertias of networks count in the metric of speeds.
 */
#include <math.h>
#include <string.h>

#include "mechanics/mechanics.h"
#include "simulate/initialise.h"
#include "solve/nearest.h"

static const double closed_loop = 1e-10; /* in lengths of the mechanism */

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
static uint32_t column_of(const ct_machine *m, ct_name name)
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
        uint32_t z[2] = {column_of(in->m, mech->coordinate[i].q),
                         column_of(in->m, mech->coordinate[i].u)};
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
        uint32_t q = column_of(in->m, mech->coordinate[i].q);
        uint32_t u = column_of(in->m, mech->coordinate[i].u);
        if (q != UINT32_MAX && isfinite(s->place[i]))
            in->z[q] = s->place[i];
        if (u != UINT32_MAX && isfinite(s->rate[i]))
            in->z[u] = s->rate[i];
    }
    for (uint32_t i = 0; i < in->m->n; i++)
        if (in->given[i])
            in->z[i] = in->value[in->given[i] - 1];
}

static bool place_bodies(initialising *in, uint32_t attempt, bool forgiving)
{
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    ct_mechanics_start *s = &in->bodies;
    *s = (ct_mechanics_start){.value = number,
                              .user = in,
                              .t = in->t,
                              .attempt = attempt,
                              .forgiving = forgiving,
                              .arena = in->arena};
    bool found = ct_mechanics_begin(mech, s);
    put_bodies(in);
    return found;
}

/* Values of expressions over z at the present point; false: one has none. */
static bool evaluate(initialising *in, ct_expr *e, uint32_t count, double *value)
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

/* Coordinates that elimination has taken out of z, with the values they were given. */
typedef struct taken_out {
    ct_expr_list e;
    CT_VEC(double) wanted;
} taken_out;

static bool differ(double a, double b)
{
    return !(fabs(a - b) <= unmoved * (1 + fabs(b)));
}

static bool note_coordinate(initialising *in, ct_name name, double wanted, taken_out *out)
{
    uint32_t z = column_of(in->m, name);
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
        if (!note_coordinate(in, mech->coordinate[i].q, s->place[i], &out) ||
            !note_coordinate(in, mech->coordinate[i].u, s->rate[i], &out))
            return false;
    double *value = CT_NEW_ARRAY(in->arena, double, out.e.count + 1);
    if (!out.e.count || !evaluate(in, out.e.at, out.e.count, value))
        return true;
    for (uint32_t i = 0; i < out.e.count; i++)
        if (differ(value[i], out.wanted.at[i]))
            return false;
    return true;
}

/* ---- rows of the nearest point */

/* What a row asks for while places are sought, then speeds; and, where values of speeds ask for
 * other places, both together. */
typedef enum asking { NOTHING, HARD, GUESS, SOFT } asking;

typedef struct near_row {
    uint8_t asks[3];
    double target, weight;
} near_row;

typedef struct nearing {
    initialising *in;
    int order;
    ct_bundle bundle;
    double *work, *work_slope, *value, *slope;
    uint32_t *start, *col, *entry; /* of the Jacobian, by rows */
    double *turn;                  /* by column: what counts as a long step */
    CT_VEC(ct_expr) expr;
    CT_VEC(near_row) row;
    uint32_t first_body; /* row */
} nearing;

static void push(nearing *n, ct_expr e, near_row row)
{
    CT_PUSH(n->in->arena, n->expr, e);
    CT_PUSH(n->in->arena, n->row, row);
}

static bool is_place(const ct_machine *m, uint32_t z)
{
    const ct_reduced *r = m->reduced;
    const ct_unknown_row *u = &r->system->unknown[z < m->n ? r->state[z] : r->algebraic[z - m->n]];
    return u->coordinate || u->kind == CT_UNKNOWN_POSITION;
}

static bool reads_places_only(const initialising *in, ct_expr e)
{
    ct_name_list symbols = ct_symbols_of(in->m->pool, in->arena, &e, 1);
    for (uint32_t i = 0; i < symbols.count; i++) {
        uint32_t z = column_of(in->m, symbols.at[i]);
        if (z != UINT32_MAX && !is_place(in->m, z))
            return false;
    }
    return true;
}

/* What holds of places is met first; speeds and all else follow. */
static near_row hard(const initialising *in, ct_expr e, double target)
{
    return (near_row){{reads_places_only(in, e) ? HARD : NOTHING, HARD, HARD}, target, 1};
}

static void push_starts(nearing *n)
{
    const initialising *in = n->in;
    for (uint32_t i = 0; i < in->m->m; i++)
        push(n, in->m->fg[in->m->n + i], hard(in, in->m->fg[in->m->n + i], 0));
    for (uint32_t i = 0; i < in->m->invariant_count; i++)
        push(n, in->m->invariant[i], hard(in, in->m->invariant[i], 0));
    for (uint32_t i = 0; i < in->set.count; i++) {
        uint32_t start = in->set.condition[i];
        push(n, in->start[start], hard(in, in->start[start], in->value[start]));
    }
    for (uint32_t i = 0; i < in->m->model->start_count; i++) {
        if (!in->m->model->start[i].guess)
            continue;
        bool place = reads_places_only(in, in->start[i]);
        double weight = 1 / (in->bodies.known[i] == CT_KNOWN_ANGLE ? 1 : in->bodies.size);
        push(n, in->start[i],
             (near_row){
                 {place ? GUESS : NOTHING, place ? NOTHING : GUESS, GUESS}, in->value[i], weight});
    }
}

/* Places and speeds of bodies over z; false: one has none. */
static bool push_bodies(nearing *n)
{
    initialising *in = n->in;
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    n->first_body = n->row.count;
    for (uint32_t i = 0; i < in->bodies.weighed_count; i++)
        for (int order = 0; order < 2; order++) {
            const ct_weighed *w = &in->bodies.weighed[i];
            ct_expr e = ct_mechanics_weighed_value(mech, w, order);
            e = e ? ct_reduced_express(in->reduced, e, (ct_place){0}) : 0;
            if (!e || !ct_drive_all(in->m->driven, &e, 1))
                return false;
            near_row row = {
                {order ? NOTHING : SOFT, order ? SOFT : HARD, SOFT}, w->of[order], w->weight};
            push(n, e, row);
        }
    return true;
}

/* Masses and inertias of networks: (J/(m l^2)) w^2 beside the bodies' share. */
static void push_storage(nearing *n)
{
    initialising *in = n->in;
    for (uint32_t i = 0; i < in->m->kinetic_count; i++) {
        const ct_kinetic *k = &in->m->kinetic[i];
        double share = fabs(ct_rig_value(in->rig, k->inertia)) / in->bodies.mass;
        double weight = isfinite(share) ? sqrt(share) / in->bodies.size : 1;
        push(n, k->speed, (near_row){{NOTHING, SOFT, SOFT}, 0, weight});
    }
}

/* The Jacobian by rows: columns ascending, and where the entries stand. */
static void sort_rows(nearing *n)
{
    ct_arena *arena = n->in->arena;
    const ct_jacobian *j = n->bundle.jacobian;
    uint32_t rows = n->row.count, cols = n->in->column_count, *next;
    n->start = CT_NEW_ARRAY(arena, uint32_t, rows + 2);
    n->col = CT_NEW_ARRAY(arena, uint32_t, j->count + 1);
    n->entry = CT_NEW_ARRAY(arena, uint32_t, j->count + 1);
    next = n->start + 1;
    for (uint32_t i = 0; i < j->count; i++)
        next[j->row[i] + 1]++;
    for (uint32_t i = 0; i < rows; i++)
        next[i + 1] += next[i];
    for (uint32_t c = 0; c < cols; c++)
        for (uint32_t i = j->start[c]; i < j->start[c + 1]; i++) {
            n->col[next[j->row[i]]] = c;
            n->entry[next[j->row[i]]++] = i;
        }
}

/* Angles count as they are, lengths as parts of the size; other unknowns are no places. */
static void measure_columns(nearing *n)
{
    const initialising *in = n->in;
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    double *unit = CT_NEW_ARRAY(in->arena, double, in->m->n + in->m->m + 1);
    n->turn = CT_NEW_ARRAY(in->arena, double, in->column_count + 1);
    for (uint32_t i = 0; i < mech->coordinate_count; i++) {
        uint32_t q = column_of(in->m, mech->coordinate[i].q);
        if (q != UINT32_MAX)
            unit[q] = mech->coordinate[i].angle ? 1 : 1 / in->bodies.size;
    }
    for (uint32_t k = 0; k < in->column_count; k++)
        n->turn[k] = unit[in->column[k]];
}

static bool make_rows(nearing *n)
{
    initialising *in = n->in;
    ct_name *by = CT_NEW_ARRAY(in->arena, ct_name, in->column_count + 1);
    push_starts(n);
    if (!push_bodies(n))
        return false;
    push_storage(n);
    for (uint32_t k = 0; k < in->column_count; k++)
        by[k] = in->m->z[in->column[k]];
    for (uint32_t i = 0; i < n->expr.count; i++)
        n->expr.at[i] = ct_start_with_numbers(in, n->expr.at[i]);
    if (!ct_machine_bundle(in->m, n->expr.at, n->expr.count, by, in->column_count, in->m->z_count,
                           &n->bundle))
        return false;
    n->work = ct_program_prepared(in->arena, n->bundle.value, in->rig->parameter);
    n->work_slope = ct_program_prepared(in->arena, n->bundle.slope, in->rig->parameter);
    n->value = CT_NEW_ARRAY(in->arena, double, n->row.count + 1);
    n->slope = CT_NEW_ARRAY(in->arena, double, n->bundle.jacobian->count + 1);
    sort_rows(n);
    measure_columns(n);
    return true;
}

/* ---- the search */

static void put_rows(void *user, ct_nearest *into)
{
    nearing *n = user;
    initialising *in = n->in;
    thin_row line = {0};
    ct_start_set_point(in);
    ct_program_run(n->bundle.value, in->variable, n->value, n->work);
    ct_program_run(n->bundle.slope, in->variable, n->slope, n->work_slope);
    for (uint32_t i = 0; i < n->row.count; i++) {
        const near_row *r = &n->row.at[i];
        double miss = n->value[i] - r->target;
        line.count = 0;
        for (uint32_t k = n->start[i]; k < n->start[i + 1]; k++)
            CT_PUSH(in->arena, line, ((thin){n->col[k], n->slope[n->entry[k]]}));
        if (r->asks[n->order] == HARD)
            ct_nearest_hard(into, line.at, line.count, miss);
        else if (r->asks[n->order] == GUESS)
            ct_nearest_guess(into, line.at, line.count, miss, r->weight);
        else if (r->asks[n->order] == SOFT)
            ct_nearest_soft(into, line.at, line.count, miss, r->weight);
    }
}

/* Rows are believed for short ways of places; other unknowns may jump. */
static double length_of(void *user, const double *step)
{
    const nearing *n = user;
    double most = 0;
    for (uint32_t k = 0; k < n->in->column_count; k++) {
        double own = n->turn[k] > 0 ? fabs(step[k]) * n->turn[k] : fmin(fabs(step[k]), 0.1);
        if (!isfinite(step[k]))
            return NAN;
        most = fmax(most, own);
    }
    return most;
}

static void move(void *user, const double *step)
{
    nearing *n = user;
    for (uint32_t k = 0; k < n->in->column_count; k++)
        n->in->z[n->in->column[k]] += step[k];
}

static bool search(nearing *n, int order)
{
    ct_nearest_def def = {.user = n,
                          .cols = n->in->column_count,
                          .rows = put_rows,
                          .length = length_of,
                          .move = move,
                          .closed = closed_loop};
    n->order = order;
    return ct_find_nearest(n->in->m->ctx, &def);
}

/* Places of bodies are kept where the first search left them. */
static void pin_places(nearing *n)
{
    ct_start_set_point(n->in);
    ct_program_run(n->bundle.value, n->in->variable, n->value, n->work);
    for (uint32_t i = 0; i < 2 * n->in->bodies.weighed_count; i += 2)
        n->row.at[n->first_body + i].target = n->value[n->first_body + i];
}

static void refresh_targets(nearing *n)
{
    const ct_mechanics_start *s = &n->in->bodies;
    for (uint32_t i = 0; i < 2 * s->weighed_count; i++)
        n->row.at[n->first_body + i].target = s->weighed[i / 2].of[i % 2];
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
    if (!count || !evaluate(in, speed, count, value))
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
    if (!count || !evaluate(in, e, count, value))
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
        uint32_t z = column_of(in->m, i % 2 ? c->u : c->q);
        bool zero = (i % 2 ? s->rate : s->place)[i / 2] == 0;
        if (z != UINT32_MAX && zero && fabs(in->z[z]) <= rounding)
            in->z[z] = 0;
    }
    return good;
}

/* From placed bodies; false: not from here. */
static bool settle(initialising *in, nearing *near, ct_run_stats *stats)
{
    bool solved = ct_start_algebraic(in, stats) == CT_SOLVED;
    if (!ct_start_empty_storage(in))
        return false;
    if (in->m->start_count > in->m->model->start_count && solved)
        solved = ct_start_algebraic(in, stats) == CT_SOLVED;
    if (solved && stayed(in) && !has_other_guesses(in) && all_is_well(in) && network_rests(in))
        return polish(in, stats);
    if (!near->row.count && (!in->m->reduced->maker || !make_rows(near)))
        return false;
    refresh_targets(near);
    put_bodies(in);
    /* Axes that are given have no slope where they are far off: then from a point that meets them.
     */
    if (!search(near, 0) && ct_start_exactly(in, stats) == CT_SOLVED)
        search(near, 0);
    pin_places(near);
    search(near, 1);
    return ct_start_exactly(in, stats) == CT_SOLVED;
}

bool ct_start_bodies(initialising *in)
{
    size_t bytes = (in->m->n + in->m->m) * sizeof(double);
    double *before = CT_NEW_ARRAY(in->arena, double, in->m->n + in->m->m + 1);
    nearing near = {.in = in};
    ct_run_stats stats = {.culprit = UINT32_MAX};
    memcpy(before, in->z, bytes);
    if ((in->set.count || in->m->invariant_count) && !ct_start_make_rows(in, in->set.count))
        return false;
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        memcpy(in->z, before, bytes);
        bool placed = place_bodies(in, i, false);
        if (!in->bodies.place)
            break;
        if (placed && settle(in, &near, &stats) && !ct_start_reversed(in))
            return true;
    }
    memcpy(in->z, before, bytes); /* messages begin where loops are closed */
    if (!place_bodies(in, 0, true))
        memcpy(in->z, before, bytes);
    return false;
}
