/* initialise_near.c - the point nearest to where bodies were placed: rows, and the search of
 * places, of speeds, or of both. */
#include "simulate/initialise_near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "solve/nearest.h"

static const double closed_loop = 1e-10; /* in lengths of the mechanism */

/* ---- rows */

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
        uint32_t z = ct_start_column(in->m, symbols.at[i]);
        if (z != UINT32_MAX && !is_place(in->m, z))
            return false;
    }
    return true;
}

/* The largest speed that is given, prescribed or of the reference; 1: larger, or all rest. */
void ct_near_find_speed(initialising *in)
{
    static const double at_rest = 1e-13;
    uint32_t n = in->m->n;
    double *before = CT_NEW_ARRAY(in->arena, double, n + 1), most = 0;
    if (!in->set.count && !in->m->invariant_count)
        return; /* nothing to be sought */
    memcpy(before, in->z, n * sizeof *before);
    for (uint32_t i = 0; i < n; i++)
        in->z[i] = in->m->speed_state[i] ? 0 : in->z[i];
    ct_start_set_point(in);
    ct_start_measure(in);
    memcpy(in->z, before, n * sizeof *before);
    for (uint32_t i = 0; i < in->m->invariant_count; i++)
        most = fmax(most, in->m->speed_invariant[i] ? fabs(in->set.row[in->m->m + i]) : 0);
    for (uint32_t i = 0; i < in->set.count; i++)
        if (!reads_places_only(in, in->start[in->set.condition[i]]))
            most = fmax(most, fabs(in->value[in->set.condition[i]]));
    for (uint32_t i = 0; i < in->bodies.weighed_count; i++)
        most = fmax(most, fabs(in->bodies.weighed[i].of[1]));
    in->fastest = most > at_rest ? most : 1;
    in->speed = fmin(1, in->fastest);
}

/* What holds of places is met first; speeds and all else follow. */
static near_row hard(const initialising *in, ct_expr e, double target)
{
    return (near_row){{reads_places_only(in, e) ? HARD : NOTHING, HARD, HARD}, target, 1, 0};
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
             (near_row){{place ? GUESS : NOTHING, place ? NOTHING : GUESS, GUESS},
                        in->value[i],
                        weight,
                        0});
    }
}

/* Of a row of places, as large as the mechanism is; 0: of a shape, or a coordinate. */
static double unit_of_place(const initialising *in, const ct_weighed *w)
{
    bool spatial = in->m->reduced->system->mechanics->mechanism->spatial;
    uint32_t lengths = spatial ? 3 : 2, all = spatial ? 12 : 3;
    return w->axis < lengths ? in->bodies.size : w->axis < all;
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
                {order ? NOTHING : SOFT, order ? SOFT_RATE : NOTHING, order ? SOFT_RATE : SOFT},
                w->of[order],
                w->weight,
                order ? 0 : unit_of_place(in, w)};
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
        push(n, k->speed, (near_row){{NOTHING, SOFT_RATE, SOFT_RATE}, 0, weight, 0});
    }
}

/* Quaternions of any length turn alike: searches would lose their way along it. */
static void push_quaternions(nearing *n)
{
    const ct_mechanics *mech = n->in->m->reduced->system->mechanics;
    ct_pool *pool = n->in->m->pool;
    for (uint32_t i = 0; i + 4 <= mech->coordinate_count; i++) {
        ct_expr square[4];
        bool whole = mech->coordinate[i].quaternion && mech->coordinate[i].axis == 0;
        for (uint32_t k = 0; k < 4 && whole; k++) {
            ct_name q = mech->coordinate[i + k].q;
            whole = ct_start_column(n->in->m, q) != UINT32_MAX;
            square[k] = ct_expr_pow(pool, ct_expr_symbol(pool, q), ct_expr_int(pool, 2));
        }
        if (whole)
            push(n, ct_expr_sum(pool, square, 4), (near_row){{HARD, HARD, HARD}, 1, 1, 0});
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

/* Angles count as they are, lengths as parts of the size, their rates by the time; what has another
 * kind is no place: its speeds are sought in units of the largest one. */
static void measure_columns(nearing *n)
{
    const initialising *in = n->in;
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    near_unit *unit = CT_NEW_ARRAY(in->arena, near_unit, in->m->n + in->m->m + 1);
    n->unit = CT_NEW_ARRAY(in->arena, near_unit, in->column_count + 1);
    for (uint32_t i = 0; i < mech->coordinate_count; i++) {
        const ct_coordinate *c = &mech->coordinate[i];
        uint32_t z[2] = {ct_start_column(in->m, c->q), ct_start_column(in->m, c->u)};
        for (int rate = 0; rate < 2; rate++)
            if (z[rate] != UINT32_MAX)
                unit[z[rate]] = (near_unit){c->angle || c->quaternion ? 1 : in->bodies.size,
                                            rate ? OF_SPEED : OF_PLACE};
    }
    for (uint32_t k = 0; k < in->column_count; k++) {
        uint32_t z = in->column[k];
        bool fast = z < in->m->n && in->m->speed_state[z];
        n->unit[k] = unit[z].of > 0 ? unit[z] : (near_unit){fast ? in->speed : 1, OF_OTHER};
    }
}

bool ct_near_make_rows(nearing *n)
{
    initialising *in = n->in;
    ct_name *by = CT_NEW_ARRAY(in->arena, ct_name, in->column_count + 1);
    push_starts(n);
    push_quaternions(n);
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

static void measure(nearing *n)
{
    ct_start_set_point(n->in);
    ct_program_run(n->bundle.value, n->in->variable, n->value, n->work);
}

static double unit_of(const nearing *n, uint32_t column)
{
    const near_unit *u = &n->unit[column];
    return u->kind == OF_SPEED ? u->of / n->time : u->of;
}

static void put_rows(void *user, ct_nearest *into)
{
    nearing *n = user;
    initialising *in = n->in;
    thin_row line = {0};
    measure(n);
    ct_program_run(n->bundle.slope, in->variable, n->slope, n->work_slope);
    for (uint32_t i = 0; i < n->row.count; i++) {
        const near_row *r = &n->row.at[i];
        double miss = n->value[i] - r->target;
        bool hard = r->asks[n->order] == HARD, rate = r->asks[PLACES_FIRST] == NOTHING;
        double scale = hard && rate ? in->fastest : 1, weight = r->weight * (rate ? n->time : 1);
        line.count = 0;
        for (uint32_t k = n->start[i]; k < n->start[i + 1]; k++)
            if (n->order != SPEEDS_THEN || !is_place(in->m, in->column[n->col[k]]))
                CT_PUSH(in->arena, line,
                        ((thin){n->col[k], n->slope[n->entry[k]] * unit_of(n, n->col[k]) / scale}));
        if (hard)
            ct_nearest_hard(into, line.at, line.count, miss / scale);
        else if (r->asks[n->order] == GUESS)
            ct_nearest_guess(into, line.at, line.count, miss, weight);
        else if (r->asks[n->order] != NOTHING)
            ct_nearest_soft(into, line.at, line.count, miss, weight, r->unit);
    }
}

/* Rows are believed for short ways of places; other unknowns may jump. */
static double length_of(void *user, const double *step)
{
    const nearing *n = user;
    double most = 0;
    for (uint32_t k = 0; k < n->in->column_count; k++) {
        double own = n->unit[k].kind == OF_PLACE ? fabs(step[k]) : fmin(fabs(step[k]), 0.1);
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
        n->in->z[n->in->column[k]] += step[k] * unit_of(n, k);
}

static bool search(nearing *n, int order)
{
    ct_nearest_def def = {.user = n,
                          .cols = n->in->column_count,
                          .rows = put_rows,
                          .length = length_of,
                          .move = move,
                          .point = {n->in->z},
                          .point_count = {n->in->m->n + n->in->m->m},
                          .closed = closed_loop,
                          .ties = order == PLACES_FIRST,
                          .tied = order == PLACES_FIRST ? &n->in->bodies.tied : NULL};
    n->order = order == ASIDE ? PLACES_FIRST : order;
    return ct_find_nearest(n->in->m->ctx, &def);
}

/* Axes that are given have no slope where they are far off: then from a point that meets all. */
bool ct_near_search(nearing *n, int order, ct_run_stats *stats)
{
    return search(n, order) || (ct_start_exactly(n->in, stats) == CT_SOLVED && search(n, order));
}

void ct_near_refresh(nearing *n)
{
    const ct_mechanics_start *s = &n->in->bodies;
    for (uint32_t i = 0; i < 2 * s->weighed_count; i++)
        n->row.at[n->first_body + i].target = s->weighed[i / 2].of[i % 2];
}

/* Where the search left coordinates; the reference moves there as its joints do. */
static void refer_speeds(nearing *n)
{
    initialising *in = n->in;
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    taken_out out = {0};
    CT_VEC(uint32_t) of = {0};
    for (uint32_t i = 0; i < mech->coordinate_count; i++) {
        uint32_t z = ct_start_column(in->m, mech->coordinate[i].q), count = out.e.count;
        if (z != UINT32_MAX)
            in->bodies.place[i] = in->z[z];
        else
            ct_start_note(in, mech->coordinate[i].q, 0, &out);
        if (out.e.count > count)
            CT_PUSH(in->arena, of, i);
    }
    double *value = CT_NEW_ARRAY(in->arena, double, out.e.count + 1);
    if (out.e.count && ct_start_evaluate(in, out.e.at, out.e.count, value))
        for (uint32_t i = 0; i < out.e.count; i++)
            in->bodies.place[of.at[i]] = value[i];
    ct_mechanics_refer_speeds(mech, &in->bodies);
    ct_near_refresh(n);
}

/* The sum of squares of rows that ask for this where both are sought. */
static double square_of(const nearing *n, asking what)
{
    double sum = 0;
    for (uint32_t i = 0; i < n->row.count; i++) {
        const near_row *r = &n->row.at[i];
        double own = r->asks[BOTH] == what ? r->weight * (n->value[i] - r->target) : 0;
        sum += own * own;
    }
    return sum;
}

/* From inertia about the common mass centre and energy, which no coordinates, units, parts without
 * mass or lengths of joints change. The change counts as the reference does, so that one that rests
 * has a time, too. */
static double time_here(nearing *n)
{
    const initialising *in = n->in;
    const ct_mechanics *mech = in->m->reduced->system->mechanics;
    double extent, moving = ct_mechanics_moving(mech, &in->bodies, &extent);
    measure(n);
    moving += square_of(n, SOFT_RATE);
    return moving > 0 ? sqrt(extent / moving) : fmin(1, in->bodies.size) / in->fastest;
}

/* Where a position is singular, rounding lets infinite speeds be as they are given. */
static bool are_finite(nearing *n)
{
    static const double most = 1e7; /* times the fastest that is given */
    double size = n->in->bodies.size, fastest = n->in->fastest * fmax(1, 1 / size);
    measure(n);
    return sqrt(square_of(n, SOFT_RATE)) <= most * fastest;
}

/* Speeds at places that stay. Only the scale depends on the time: it is that of the fastest part,
 * not of a reference that almost rests. */
static bool search_speeds(nearing *n)
{
    n->time = fmin(time_here(n), fmin(1, n->in->bodies.size) / n->in->fastest);
    return search(n, SPEEDS_THEN) && are_finite(n);
}

bool ct_near_speeds(nearing *n)
{
    refer_speeds(n);
    return search_speeds(n);
}

/* With P and V, squares of the changes of places and speeds, each search makes P + time^2 V less,
 * and so P/J + log(2 E + V), which is least where the time stays. Secants, as it comes there
 * slowly; from the same point, so that no time on the way matters. */
static bool search_both(nearing *n, ct_run_stats *stats)
{
    enum { ROUNDS = 60 };
    static const double same = 1e-11, steepest = 0.98;
    initialising *in = n->in;
    uint32_t count = in->m->n + in->m->m;
    double *from = CT_NEW_ARRAY(in->arena, double, count + 1), off = 1, before = 0;
    bool found = false;
    memcpy(from, in->z, count * sizeof *from);
    n->time = time_here(n);
    for (int i = 0; i < ROUNDS && fabs(off) > same; i++) {
        memcpy(in->z, from, count * sizeof *from);
        found = ct_near_search(n, BOTH, stats);
        double last = off, slope;
        off = log(time_here(n) / n->time);
        slope = i > 0 ? 1 + (off - last) / before : 0;
        before = off / (1 - (slope > 0 && slope < steepest ? slope : 0));
        n->time *= exp(before);
    }
    return found;
}

/* Of points that were found: the better has what is less, from the left. */
near_change ct_near_change(nearing *n)
{
    const ct_mechanics *mech = n->in->m->reduced->system->mechanics;
    near_change c = {.both = n->both};
    double extent, moving = ct_mechanics_moving(mech, &n->in->bodies, &extent);
    ct_near_refresh(n);
    measure(n);
    c.guesses = square_of(n, GUESS);
    c.way = square_of(n, SOFT);
    if (n->both)
        c.way = c.way / extent + log(moving + square_of(n, SOFT_RATE));
    return c;
}

bool ct_near_is_less(near_change a, near_change b)
{
    static const double same = 1e-6;
    if (a.both != b.both)
        return b.both;
    if (fabs(a.guesses - b.guesses) > same * same)
        return a.guesses < b.guesses;
    return a.way < b.way - same;
}

int ct_near_first(const nearing *n, const double *value, const double *other)
{
    static const double apart = 1e-6;
    int row = 0;
    for (uint32_t i = n->first_body; i < n->first_body + 2 * n->in->bodies.weighed_count; i += 2) {
        double more = n->row.at[i].weight * (value[i] - other[i]);
        row += n->row.at[i].unit > 0;
        if (n->in->bodies.weighed[(i - n->first_body) / 2].share > 0 && fabs(more) > apart)
            return more > 0 ? row : -row;
    }
    return 0;
}

/* Nearest places, were bodies wanted elsewhere; speeds as given there. Whatever the coordinates, it
 * is the same point. */
static bool step_aside(nearing *n, uint32_t pattern, double by, ct_run_stats *stats)
{
    const ct_mechanics_start *s = &n->in->bodies;
    for (uint32_t i = 0; i < s->weighed_count; i++) {
        near_row *r = &n->row.at[n->first_body + 2 * i];
        uint64_t hash = ct_hash_mix(ct_hash_mix(pattern, i), 0x6173696465);
        r->target += by * r->unit * ((double)(hash >> 11) / 4503599627370496.0 - 1);
    }
    bool found = search(n, ASIDE) || ct_start_exactly(n->in, stats) == CT_SOLVED;
    ct_near_refresh(n);
    return found && search_speeds(n);
}

/* The best on the way to one side: from where speeds are large a search may leave it. */
static bool step_to_side(nearing *n, uint32_t side, ct_run_stats *stats)
{
    static const double way[] = {0.1, 0.3, 0.6, 1.2};
    initialising *in = n->in;
    uint32_t count = in->m->n + in->m->m;
    double *from = CT_NEW_ARRAY(in->arena, double, count + 1), least = INFINITY;
    double *best = CT_NEW_ARRAY(in->arena, double, count + 1);
    memcpy(from, in->z, count * sizeof *from);
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        memcpy(in->z, from, count * sizeof *from);
        if (!step_aside(n, side / 2, side % 2 ? -way[i] : way[i], stats))
            continue;
        double own = ct_near_change(n).way;
        if (!(own < least))
            continue;
        least = own;
        memcpy(best, in->z, count * sizeof *best);
    }
    if (isfinite(least))
        memcpy(in->z, best, count * sizeof *best);
    return isfinite(least);
}

/* Places that let speeds be as they are given. Speeds count, too: often the nearest places would
 * ask for infinite ones. There rows have no slope, and rounding would choose: so from points
 * around, and the best of all. */
bool ct_near_both(nearing *n, ct_run_stats *stats)
{
    enum { SIDES = 8 };
    initialising *in = n->in;
    uint32_t count = in->m->n + in->m->m;
    double *middle = CT_NEW_ARRAY(in->arena, double, count + 1);
    double *best = CT_NEW_ARRAY(in->arena, double, count + 1);
    double *value = CT_NEW_ARRAY(in->arena, double, n->row.count + 1);
    near_change least = {0};
    bool any = false;
    memcpy(middle, in->z, count * sizeof *middle);
    ct_near_refresh(n);
    for (uint32_t i = 0; i <= SIDES && !(any && i == SIDES); i++) {
        memcpy(in->z, middle, count * sizeof *middle);
        if (i < SIDES && !step_to_side(n, i, stats))
            continue;
        if (!search_both(n, stats))
            continue;
        near_change own = ct_near_change(n);
        bool less = !any || ct_near_is_less(own, least);
        int first = less || ct_near_is_less(least, own) ? 0 : ct_near_first(n, n->value, value);
        if (less || first)
            in->bodies.tied = (uint32_t)abs(first);
        if (!less && first <= 0)
            continue;
        any = true;
        least = own;
        memcpy(best, in->z, count * sizeof *best);
        memcpy(value, n->value, n->row.count * sizeof *value);
    }
    memcpy(in->z, any ? best : middle, count * sizeof *best);
    return any;
}
