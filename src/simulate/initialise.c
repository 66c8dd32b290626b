/* initialise.c - consistent values at the start of a run.
 *
 * A state that is given starts at its value, any other at zero. What is given of other variables is
 * met by the least change of the states that are not given. More values than freedoms are accepted
 * when they agree. Where loops are closed (invariants), states that are not given only begin at
 * zero, and those that are given count as conditions.
 *
 * A guess moves the point where the search begins and binds nothing: that of an unknown at once,
 * that of any other variable by the least change of the unknowns (the states among them only where
 * loops are closed: elsewhere nothing but their own values decides where they begin).
 */
#include <math.h>
#include <string.h>

#include "mechanics/mechanics.h"
#include "simulate/initialise.h"
#include "simulate/jump.h"
#include "solve/project.h"

static const double agreement = 1e-6; /* of redundant initial values */
static const double rounding = 1e-12; /* of the largest value */
static const double least_size =
    1e-3; /* values below it agree when their difference is small beside it */

/* ---- what is given */

static uint32_t state_named(const ct_machine *m, ct_expr e)
{
    if (ct_expr_kind_of(m->pool, e) != CT_EXPR_SYMBOL)
        return UINT32_MAX;
    uint32_t index = ct_map_get(&m->z_index, ct_expr_name(m->pool, e));
    return index && index <= m->n + m->m ? index - 1 : UINT32_MAX;
}

typedef struct place_and_time {
    const ct_rig *rig;
    double t;
} place_and_time;

static double look_up(const void *user, ct_name symbol)
{
    const place_and_time *at = user;
    ct_quantities q = {at->rig->machine->model, at->rig->value};
    return symbol == at->rig->machine->time ? at->t : ct_look_up(&q, symbol);
}

static bool read_starts(initialising *in)
{
    const ct_machine *m = in->m;
    place_and_time at = {in->rig, in->t};
    for (uint32_t i = 0; i < m->model->start_count; i++) {
        in->value[i] = ct_expr_value(m->pool, m->start_value[i], look_up, &at);
        if (!isfinite(in->value[i])) {
            ct_start_report_no_value(in, i);
            return false;
        }
        uint32_t z = state_named(m, m->start[i]);
        bool guess = m->model->start[i].guess;
        if (guess && in->follows)
            continue;
        if (z < m->n)
            in->begun[z] = 2;
        if (guess && z != UINT32_MAX && !(z < m->n && in->given[z]))
            in->z[z] = in->value[i];
        if (guess && (z == UINT32_MAX || (z < m->n && m->invariant_count)))
            in->guess[in->guess_count++] = i;
        if (guess)
            continue;
        if (z < m->n && !in->given[z] && m->invariant_count) {
            in->z[z] = in->value[i];
            in->set.condition[in->set.count++] = i;
        } else if (z < m->n && !in->given[z]) {
            in->given[z] = i + 1;
            in->z[z] = in->value[i];
        } else {
            in->set.condition[in->set.count++] = i;
        }
    }
    return true;
}

/* ---- the algebraic unknowns */

/* Numbers between -1 and 1 that are the same in every run. */
static double dice(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

/* From the guess; then from points around it, near and far: functions such as abs(x)^0.5 have no
 * slope at zero. */
ct_solve_status ct_start_algebraic(initialising *in, ct_run_stats *stats)
{
    static const double reach[] = {0, 1e-3, 1, 1e-6, 1e3, 1e6};
    const ct_machine *m = in->m;
    double *first = CT_NEW_ARRAY(in->arena, double, m->m + 1), most = 1;
    uint32_t state = 12345;
    ct_solve_status status = CT_SOLVED;
    if (!m->m || in->sought)
        return CT_SOLVED;
    memcpy(first, in->z + m->n, m->m * sizeof *first);
    for (uint32_t i = 0; i < m->n; i++)
        most = fmax(most, fabs(in->z[i]));
    for (size_t k = 0; k < 3 * sizeof reach / sizeof *reach; k++) {
        for (uint32_t i = 0; i < m->m; i++)
            in->z[m->n + i] = first[i] + reach[k / 3] * (k / 3 < 3 ? most : 1) * dice(&state);
        status = ct_solve_algebraic(m->ctx, &in->rig->free, in->t, in->z, k == 0, stats);
        if (status == CT_SOLVED && !ct_rows_vanish(&in->rig->free, m->n, in->t, in->z, in->arena))
            status = CT_NO_CONVERGENCE;
        if (status == CT_SOLVED)
            ct_count_start(in->rig, stats);
        if (status == CT_SOLVED || status == CT_NO_MEMORY_LEFT)
            return status;
    }
    return status;
}

/* ---- conditions */

/* What is given, and all other storage empty: where storage is independent both hold at once, and
 * no choice of states matters. */
static bool meet_with_empty_storage(initialising *in)
{
    const ct_machine *m = in->m;
    uint32_t count = in->set.count, own = m->model->start_count, *condition = in->set.condition;
    size_t bytes = (m->n + m->m) * sizeof(double);
    if (m->start_count == own || m->invariant_count || !count)
        return false;
    double *before = CT_NEW_ARRAY(in->arena, double, m->n + m->m + 1);
    memcpy(before, in->z, bytes);
    in->set.condition = CT_NEW_ARRAY(in->arena, uint32_t, count + m->start_count - own);
    memcpy(in->set.condition, condition, count * sizeof *condition);
    for (uint32_t i = own; i < m->start_count; i++)
        in->set.condition[count + i - own] = i;
    bool met = ct_start_make_rows(in, count + m->start_count - own) &&
               ct_start_least_change(in) != CT_NO_MEMORY_LEFT && ct_start_all_met(in);
    if (!met)
        memcpy(in->z, before, bytes);
    in->set.condition = condition;
    in->set.count = count;
    return met;
}

/* Does a start read positions alone? Marks the states that it reads. */
static bool reads_places(initialising *in, uint32_t start)
{
    const ct_machine *m = in->m;
    ct_name_list symbols = ct_symbols_of(m->pool, in->arena, &m->start[start], 1);
    bool places = true;
    for (uint32_t k = 0; k < symbols.count; k++) {
        uint32_t z = ct_map_get(&m->z_index, symbols.at[k]);
        places &= !z || z > m->n + m->m || (z <= m->n && !m->speed_state[z - 1]);
        if (z && z <= m->n && !in->begun[z - 1])
            in->begun[z - 1] = 1;
    }
    return places;
}

/* Leaves out lengths that sources make: what ties them to others is a jump. */
static bool drop_driven(initialising *in, uint32_t *start, uint32_t *count)
{
    const ct_machine *m = in->m;
    uint32_t kept = 0, all = *count;
    ct_expr *e = CT_NEW_ARRAY(in->arena, ct_expr, all + 1);
    double *value = CT_NEW_ARRAY(in->arena, double, all + 1);
    for (uint32_t i = 0; i < all; i++)
        e[i] = in->start[start[i]];
    const ct_program *p = ct_machine_program(m, e, all, m->z_count);
    if (!p)
        return false;
    double *work = ct_program_prepared(in->arena, p, in->rig->parameter);
    ct_start_set_point(in);
    memset(in->variable, 0, (m->n + m->m) * sizeof *in->variable);
    ct_program_run(p, in->variable, value, work);
    for (uint32_t i = 0; i < all; i++)
        if (value[i] == 0)
            start[kept++] = start[i];
    *count = kept;
    return true;
}

/* Springs have no elongation before the start, as far as what is given of positions lets them. */
static bool lay_springs(initialising *in)
{
    const ct_machine *m = in->m;
    const rowset usual = in->set;
    uint32_t own = m->model->start_count, empty = m->start_count - own;
    if (!empty || m->invariant_count || !in->rig->jumping)
        return true;
    in->set.condition = CT_NEW_ARRAY(in->arena, uint32_t, usual.count + empty);
    in->set.count = 0;
    for (uint32_t i = 0; i < usual.count + empty; i++) {
        uint32_t start = i < usual.count ? usual.condition[i] : own + i - usual.count;
        if (!ct_start_is_shared(m, start) && reads_places(in, start))
            in->set.condition[in->set.count++] = start;
    }
    bool good = drop_driven(in, in->set.condition, &in->set.count);
    good = good && (!in->set.count || ct_start_make_some_rows(in, NO_ROWS, in->set.count));
    if (good && in->set.count)
        ct_start_least_change(in);
    in->set = usual;
    return good;
}

/* Rows of closed loops and of what is given, for positions alone. */
static bool prepare_places(initialising *in)
{
    rowset kept = in->set, *s = &in->set;
    uint32_t count = s->count;
    if (!in->m->invariant_count)
        return true;
    for (uint32_t i = 0; i < in->guess_count; i++)
        reads_places(in, in->guess[i]);
    *s = (rowset){.condition = CT_NEW_ARRAY(in->arena, uint32_t, count + 1)};
    for (uint32_t k = 0; k < count; k++)
        if (reads_places(in, kept.condition[k]))
            s->condition[s->count++] = kept.condition[k];
    bool good = ct_start_make_some_rows(in, PLACES, s->count);
    in->places = *s;
    *s = kept;
    return good;
}

/* Closes the loops by positions alone: speeds follow from these. */
static void find_places(initialising *in)
{
    rowset kept = in->set;
    if (!in->m->invariant_count)
        return;
    in->set = in->places;
    ct_start_least_change(in);
    in->set = kept;
}

/* The search begins where the guesses and what is given are met best: least squares of them alone.
 * Guesses that have no value there change nothing. */
static bool heed_guesses(initialising *in)
{
    const ct_machine *m = in->m;
    const initialising usual = *in;
    uint32_t count = in->set.count;
    size_t bytes = (m->n + m->m) * sizeof(double);
    double *before = CT_NEW_ARRAY(in->arena, double, m->n + m->m + 1);
    if (!in->guess_count && !(m->invariant_count && count))
        return true;
    memcpy(before, in->z, bytes);
    in->set.condition = CT_NEW_ARRAY(in->arena, uint32_t, count + in->guess_count);
    memcpy(in->set.condition, usual.set.condition, count * sizeof *in->set.condition);
    memcpy(in->set.condition + count, in->guess, in->guess_count * sizeof *in->guess);
    for (; !m->invariant_count && in->column_count && *in->column < m->n; in->column_count--)
        in->column++;
    bool good = ct_start_make_some_rows(in, NO_ROWS, count + in->guess_count);
    if (good && ct_start_least_change(in) == CT_NOT_FINITE)
        memcpy(in->z, before, bytes);
    /* then with the loops, as near to the guesses as they close */
    if (good && m->invariant_count && in->guess_count) {
        memcpy(before, in->z, bytes);
        good = ct_start_make_some_rows(in, PLACES, count + in->guess_count);
        if (good && ct_start_least_change(in) == CT_NOT_FINITE)
            memcpy(in->z, before, bytes);
    }
    in->set.condition = usual.set.condition;
    in->column = usual.column;
    in->column_count = usual.column_count;
    return good;
}

/* Are the loops closed? Else the worst invariant. Speeds are small beside the largest one. */
static bool loops_closed(const initialising *in, uint32_t *worst)
{
    double most = 0, speed = in->speed;
    for (uint32_t i = 0; i < in->m->invariant_count; i++) {
        double miss = fabs(in->set.row[in->m->m + i]) / (in->m->speed_invariant[i] ? speed : 1);
        if (!(miss <= most)) {
            most = miss;
            *worst = i;
        }
    }
    return most <= agreement;
}

/* Are the loops closed and all active conditions met at z? */
bool ct_start_all_met(const initialising *in)
{
    double largest = 1;
    uint32_t worst;
    for (uint32_t i = 0; i < in->m->n + in->m->m; i++)
        largest = fmax(largest, fabs(in->z[i]));
    if (!loops_closed(in, &worst))
        return false;
    for (uint32_t k = 0; k < in->set.active; k++) {
        double wanted = in->value[in->set.condition[k]], miss = in->set.row[in->set.fixed + k];
        double scale = fmax(fabs(wanted), fabs(wanted + miss));
        if (!(fabs(miss) <= agreement * scale + rounding * largest))
            return false;
    }
    return true;
}

/* Largest part of a loop that is open. */
static double loops_left(const initialising *in)
{
    double most = 0;
    for (uint32_t i = 0; i < in->m->invariant_count; i++)
        most = fmax(most, fabs(in->set.row[in->m->m + i]));
    return most;
}

/* The loops alone, from here and from points around: closed, or as near to it as it gets. */
static void close_best(initialising *in)
{
    enum { ATTEMPTS = 16 };
    size_t bytes = (in->m->n + in->m->m) * sizeof(double);
    double *before = CT_NEW_ARRAY(in->arena, double, in->m->n + in->m->m + 1);
    double *best = CT_NEW_ARRAY(in->arena, double, in->m->n + in->m->m + 1), least = INFINITY;
    uint32_t state = 7;
    memcpy(before, in->z, bytes);
    memcpy(best, in->z, bytes);
    for (int i = 0; i < ATTEMPTS && least > agreement; i++) {
        memcpy(in->z, before, bytes);
        for (uint32_t k = 0; i > 0 && k < in->m->n; k++)
            in->z[k] += in->m->speed_state[k] ? 0 : dice(&state);
        ct_start_least_change(in);
        if (loops_left(in) < least) {
            least = loops_left(in);
            memcpy(best, in->z, bytes);
        }
    }
    memcpy(in->z, best, bytes);
    ct_start_least_change(in);
}

/* One after the other, to find the first that does not fit. */
static ct_solve_status find_conflict(initialising *in)
{
    uint32_t worst = 0;
    if (ct_rig_is_interrupted(in->rig) || !ct_start_make_rows(in, 0))
        return CT_SINGULAR;
    close_best(in);
    if (!loops_closed(in, &worst))
        return ct_start_report_open_loop(in, worst);
    for (uint32_t k = 0; k < in->set.count; k++) {
        if (!ct_start_make_rows(in, k + 1))
            return CT_SINGULAR;
        ct_start_set_point(in);
        ct_program_run(in->set.bundle.value, in->variable, in->set.row, in->set.work);
        double fits = in->set.row[in->set.fixed + k];
        ct_start_least_change(in);
        if (ct_start_all_met(in))
            continue;
        ct_start_report_conflict(in, k, fits);
        return CT_SINGULAR;
    }
    return CT_SOLVED;
}

/* Another start for what nobody gave: loops may close only from some sides. */
static void shake(initialising *in, int attempt, uint32_t *state)
{
    double reach = attempt % 12 < 6 ? 0.5 : 3;
    for (uint32_t i = 0; attempt && i < in->m->n; i++)
        if (in->begun[i] < (attempt < 12 ? 1 : 2))
            in->z[i] += reach * dice(state);
}

/* The invariants to the last digit; values that were given may change by what was let pass. */
static ct_solve_status close_loops(initialising *in)
{
    ct_projector *projector = ct_projector_new(in->arena, &in->rig->free, false);
    ct_solve_status status = projector ? ct_project(projector, in->t, in->z) : CT_SOLVED;
    ct_projector_free(projector);
    return status;
}

ct_solve_status ct_start_exactly(initialising *in, ct_run_stats *stats)
{
    bool bound = in->set.count || in->m->invariant_count;
    if (bound && ct_start_least_change(in) == CT_NO_MEMORY_LEFT)
        return CT_NO_MEMORY_LEFT;
    if (bound && !ct_start_all_met(in))
        return CT_SINGULAR;
    ct_solve_status status = close_loops(in);
    return status == CT_SOLVED ? ct_start_algebraic(in, stats) : status;
}

static ct_solve_status meet_conditions(initialising *in)
{
    enum { ATTEMPTS = 24 };
    size_t bytes = (in->m->n + in->m->m) * sizeof(double);
    double *before = CT_NEW_ARRAY(in->arena, double, in->m->n + in->m->m + 1);
    uint32_t state = 1;
    ct_name reversed = 0;
    memcpy(before, in->z, bytes);
    if (!ct_start_make_rows(in, in->set.count))
        return CT_SINGULAR;
    for (int i = 0; i < (in->m->invariant_count ? ATTEMPTS : 1); i++) {
        memcpy(in->z, before, bytes);
        shake(in, i, &state);
        find_places(in);
        ct_solve_status status = ct_start_least_change(in);
        if (status == CT_NO_MEMORY_LEFT)
            return status;
        if (!ct_start_all_met(in))
            continue;
        reversed = ct_start_reversed(in);
        if (!reversed)
            return close_loops(in);
    }
    memcpy(in->z, before, bytes);
    return reversed ? ct_start_report_reversed(in, reversed) : find_conflict(in);
}

/* ---- equilibrium */

static void check_rest(initialising *in, ct_solve_status *status)
{
    const ct_machine *m = in->m;
    for (uint32_t i = 0; i < m->n && *status == CT_SOLVED; i++) {
        uint32_t start = in->given[i];
        double wanted = start ? in->value[start - 1] : in->z[i];
        if (fabs(wanted - in->z[i]) <=
            agreement * fmax(fabs(wanted), fmax(fabs(in->z[i]), least_size)))
            continue;
        in->set.condition[0] = start - 1;
        ct_start_report_conflict(in, 0, in->z[i]);
        *status = CT_SINGULAR;
    }
}

/* Inputs begin to move; states that follow their rates do, too. */
static ct_solve_status leave_rest(initialising *in)
{
    ct_solve_status status = ct_jump_from_rest(in->rig, in->t, in->z);
    if (status != CT_SOLVED && status != CT_NO_MEMORY_LEFT && !ct_report_jump(in->rig))
        ct_start_report_algebraic(in, status, UINT32_MAX);
    return status;
}

static initialising *begin(ct_rig *rig, double t, double *z)
{
    const ct_machine *m = rig->machine;
    ct_arena *arena = ct_arena_new(m->ctx);
    initialising *in = CT_NEW(arena, initialising);
    *in = (initialising){.rig = rig, .m = m, .arena = arena, .t = t, .z = z, .start = m->start};
    in->fastest = in->speed = 1;
    in->reduced = ct_reduced_view(m->reduced, arena);
    in->value = CT_NEW_ARRAY(arena, double, m->start_count + 1);
    in->given = CT_NEW_ARRAY(arena, uint32_t, m->n + 1);
    in->begun = CT_NEW_ARRAY(arena, uint8_t, m->n + 1);
    in->set.condition = CT_NEW_ARRAY(arena, uint32_t, m->start_count + 1);
    in->guess = CT_NEW_ARRAY(arena, uint32_t, m->start_count + 1);
    in->variable = CT_NEW_ARRAY(arena, double, m->z_count + 1);
    return in;
}

/* forgiving: where algebraic unknowns are not found, they keep their guesses. */
static ct_solve_status find_point(initialising *in, bool forgiving)
{
    ct_run_stats stats = {.culprit = UINT32_MAX};
    size_t bytes = (in->m->n + in->m->m) * sizeof(double);
    double *guess = CT_NEW_ARRAY(in->arena, double, in->m->n + in->m->m + 1);
    memcpy(guess, in->z, bytes);
    in->sought =
        forgiving && in->m->n && !in->m->reduced->system->mechanics && ct_rig_lift(in->rig) != NULL;
    ct_start_open_columns(in);
    if (in->m->reduced->system->mechanics && ct_start_bodies(in)) {
        in->rig->solved = true;
        return CT_SOLVED;
    }
    memcpy(guess, in->z, bytes);
    if (!prepare_places(in) || !heed_guesses(in) || !lay_springs(in))
        return CT_SINGULAR;
    bool jumped = !forgiving && ct_start_by_jump(in);
    ct_solve_status status = ct_start_algebraic(in, &stats);
    if (!jumped && !ct_start_empty_storage(in))
        return CT_SINGULAR;
    if ((in->set.count || in->m->invariant_count) && status != CT_NO_MEMORY_LEFT) {
        status = !jumped && meet_with_empty_storage(in) ? CT_SOLVED : meet_conditions(in);
        if (status == CT_SOLVED)
            status = ct_start_algebraic(in, &stats);
        else
            return status; /* reported */
    }
    if (in->m->start_count > in->m->model->start_count && status == CT_SOLVED)
        status = ct_start_algebraic(in, &stats);
    in->rig->solved = status == CT_SOLVED;
    if (status != CT_SOLVED && forgiving && status != CT_NO_MEMORY_LEFT) {
        memcpy(in->z, guess, bytes);
        return CT_SOLVED;
    }
    if (status != CT_SOLVED && !ct_rig_is_interrupted(in->rig))
        ct_start_report_algebraic(in, status, stats.culprit);
    return status;
}

/* From z on. */
static ct_solve_status search(ct_rig *rig, double t, bool forgiving, bool follows, double *z)
{
    initialising *in = begin(rig, t, z);
    in->follows = follows;
    ct_solve_status status = read_starts(in) ? CT_SOLVED : CT_SINGULAR;
    bool at_rest = rig->machine->model->initial_equilibrium;
    if (status == CT_SOLVED)
        status = find_point(in, at_rest || forgiving);
    if (status == CT_SOLVED && at_rest)
        status = ct_settle_rig(rig, t, z);
    if (status == CT_SOLVED && at_rest)
        check_rest(in, &status);
    if (status == CT_SOLVED && at_rest && !forgiving)
        status = leave_rest(in);
    ct_arena_free(in->arena);
    if (status == CT_NO_MEMORY_LEFT)
        ct_throw(rig->machine->ctx, CT_ERR_MEMORY);
    return status;
}

/* A rest from z on, or z = 0; nothing is reported. */
static bool search_quietly(ct_rig *rig, double t, bool follows, double *z)
{
    ct_context *ctx = rig->machine->ctx;
    uint32_t reports = ct_reports_so_far(ctx);
    ct_solve_status status = search(rig, t, true, follows, z);
    if (status == CT_SOLVED && !rig->machine->model->initial_equilibrium)
        status = ct_settle_rig(rig, t, z);
    if (status != CT_SOLVED)
        memset(z, 0, (rig->machine->n + rig->machine->m) * sizeof *z);
    ct_forget_reports_since(ctx, reports);
    return status == CT_SOLVED;
}

ct_solve_status ct_initialise(ct_rig *rig, double t, bool forgiving, double *z)
{
    const ct_machine *m = rig->machine;
    size_t bytes = (m->n + m->m) * sizeof *z;
    double before;
    rig->start_method = CT_METHOD_NEWTON;
    rig->start_iterations = 0;
    memset(z, 0, bytes);
    if (rig->near && forgiving) {
        memcpy(z, rig->near, bytes);
        if (search_quietly(rig, t, true, z))
            return CT_SOLVED;
    }
    if ((forgiving || m->model->initial_equilibrium) && !m->reduced->system->mechanics &&
        ct_model_is_guessed(m->model, t, &before))
        search_quietly(rig, before, false, z);
    return search(rig, t, forgiving, false, z);
}

/* ---- a wanted point */

static ct_solve_status meet(initialising *in)
{
    if (!ct_start_make_rows(in, in->set.count))
        return CT_SINGULAR;
    ct_solve_status status = ct_start_least_change(in);
    if (status == CT_NO_MEMORY_LEFT)
        return status;
    if (ct_start_all_met(in))
        return close_loops(in);
    uint32_t worst = 0;
    for (uint32_t k = 1; k < in->set.active; k++)
        if (fabs(in->set.row[in->set.fixed + k]) > fabs(in->set.row[in->set.fixed + worst]))
            worst = k;
    ct_start_report_unmet(in, worst);
    return CT_SINGULAR;
}

ct_solve_status ct_meet(ct_rig *rig, double t, const ct_expr *variable, const double *value,
                        uint32_t count, double *z)
{
    initialising *in = begin(rig, t, z);
    ct_expr *start = CT_NEW_ARRAY(in->arena, ct_expr, count + 1);
    in->value = CT_NEW_ARRAY(in->arena, double, count + 1);
    in->set.condition = CT_NEW_ARRAY(in->arena, uint32_t, count + 1);
    in->start = start;
    in->set.count = count;
    for (uint32_t i = 0; i < count; i++) {
        start[i] = ct_start_with_numbers(in, variable[i]);
        in->value[i] = value[i];
        in->set.condition[i] = i;
    }
    ct_start_open_columns(in);
    ct_solve_status status = meet(in);
    ct_arena_free(in->arena);
    if (status == CT_NO_MEMORY_LEFT)
        ct_throw(rig->machine->ctx, CT_ERR_MEMORY);
    return status;
}
