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

#include "simulate/machine.h"
#include "solve/project.h"

static const double agreement = 1e-6; /* of redundant initial values */
/* Changes of w are counted this much less than those of x: only x is to change little, and
 * what would be a state, were it not bound by a constraint. Where loops are closed the same holds
 * for speeds: they are not to be met by moving the parts. */
static const double ease = 1e4;
static const double ease_of_rest = 100; /* there: positions that nobody gave or guessed */

/* Rows to be met: `fixed` of g and invariants, then the first `active` conditions. */
typedef struct rowset {
    uint32_t *condition; /* starts that must be met by others */
    uint32_t count, fixed, active;
    ct_bundle bundle;
    double *work, *work_slope, *row;
} rowset;

typedef struct initialising {
    ct_rig *rig;
    const ct_machine *m;
    ct_arena *arena;
    double t, *z;
    const ct_expr *start; /* what is to have values */
    double *value;        /* wanted, of each start */
    uint32_t *given;      /* per state: start that gives it, plus 1 */
    uint8_t *begun;       /* per state: 2 it was given or guessed, 1 what reads it was */
    uint32_t *guess; /* starts that are guesses of other variables; of states, too, where loops are
                        closed */
    uint32_t guess_count;
    uint32_t *column, column_count; /* unknowns: states not given, then w */
    double *variable;
    rowset set;
    rowset places; /* where loops are closed: positions alone */
} initialising;

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

static double look_up(void *user, ct_name symbol)
{
    const place_and_time *at = user;
    const ct_model *model = at->rig->machine->model;
    uint32_t q = ct_map_get(model->quantity_by_name, symbol);
    if (symbol == at->rig->machine->time)
        return at->t;
    return q ? at->rig->value[q - 1] : NAN;
}

static void report_no_value(const initialising *in, uint32_t start)
{
    const ct_start *s = &in->m->model->start[start];
    ct_report *r = ct_error(in->m->ctx, "E523", s->place, "this initial value is no number");
    ct_help(r, "an initial value may use parameters, but no variables of the model");
}

static bool read_starts(initialising *in)
{
    const ct_machine *m = in->m;
    place_and_time at = {in->rig, in->t};
    for (uint32_t i = 0; i < m->model->start_count; i++) {
        in->value[i] = ct_expr_value(m->pool, m->start_value[i], look_up, &at);
        if (!isfinite(in->value[i])) {
            report_no_value(in, i);
            return false;
        }
        uint32_t z = state_named(m, m->start[i]);
        bool guess = m->model->start[i].guess;
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

static void report_algebraic(const initialising *in, ct_solve_status status, uint32_t culprit)
{
    const ct_machine *m = in->m;
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

/* Numbers between -1 and 1 that are the same in every run. */
static double dice(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

/* From the guess; then from points around it, near and far: functions such as abs(x)^0.5 have no
 * slope at zero. */
static ct_solve_status solve_algebraic(initialising *in, ct_run_stats *stats)
{
    static const double reach[] = {0, 1e-3, 1, 1e-6, 1e3, 1e6};
    const ct_machine *m = in->m;
    double *first = CT_NEW_ARRAY(in->arena, double, m->m + 1), most = 1;
    uint32_t state = 12345;
    ct_solve_status status = CT_SOLVED;
    if (!m->m)
        return CT_SOLVED;
    memcpy(first, in->z + m->n, m->m * sizeof *first);
    for (uint32_t i = 0; i < m->n; i++)
        most = fmax(most, fabs(in->z[i]));
    for (size_t k = 0; k < 3 * sizeof reach / sizeof *reach; k++) {
        for (uint32_t i = 0; i < m->m; i++)
            in->z[m->n + i] = first[i] + reach[k / 3] * (k / 3 < 3 ? most : 1) * dice(&state);
        status = ct_solve_algebraic(m->ctx, &in->rig->free, in->t, in->z, k == 0, stats);
        if (status == CT_SOLVED || status == CT_NO_MEMORY_LEFT)
            return status;
    }
    return status;
}

/* ---- conditions */

static void open_columns(initialising *in)
{
    const ct_machine *m = in->m;
    in->column = CT_NEW_ARRAY(in->arena, uint32_t, m->n + m->m + 1);
    for (uint32_t i = 0; i < m->n + m->m; i++)
        if (i >= m->n || !in->given[i])
            in->column[in->column_count++] = i;
}

static double weight(const initialising *in, uint32_t z)
{
    const ct_reduced *r = in->m->reduced;
    if (z >= in->m->n)
        return r->system->unknown[r->algebraic[z - in->m->n]].rate ? 1 : ease;
    if (in->m->invariant_count && in->m->speed_state[z])
        return ease;
    return in->m->invariant_count && !in->begun[z] ? ease_of_rest : 1;
}

static void spread(const initialising *in, const double *y)
{
    for (uint32_t k = 0; k < in->column_count; k++)
        in->variable[in->column[k]] = y[k] * weight(in, in->column[k]);
}

static void evaluate_rows(void *user, const double *y, double *r)
{
    initialising *in = user;
    spread(in, y);
    ct_program_run(in->set.bundle.value, in->variable, r, in->set.work);
    for (uint32_t k = 0; k < in->set.active; k++)
        r[in->set.fixed + k] -= in->value[in->set.condition[k]];
}

static void slope_rows(void *user, const double *y, double *value)
{
    initialising *in = user;
    const ct_jacobian *j = in->set.bundle.jacobian;
    spread(in, y);
    ct_program_run(in->set.bundle.slope, in->variable, value, in->set.work_slope);
    for (uint32_t k = 0; k < in->column_count; k++)
        for (uint32_t i = j->start[k]; i < j->start[k + 1]; i++)
            value[i] *= weight(in, in->column[k]);
}

static double *prepared(initialising *in, const ct_program *program)
{
    double *work = CT_NEW_ARRAY(in->arena, double, ct_program_work(program) + 1);
    ct_program_prepare(program, in->rig->parameter, work);
    return work;
}

/* Which rows besides conditions. */
typedef enum fixed_rows { NO_ROWS, PLACES, ALL_ROWS } fixed_rows;

static uint32_t put_fixed(const initialising *in, fixed_rows which, ct_expr *row)
{
    const ct_machine *m = in->m;
    uint32_t count = 0;
    for (uint32_t i = 0; which == ALL_ROWS && i < m->m; i++)
        row[count++] = m->fg[m->n + i];
    for (uint32_t i = 0; i < m->invariant_count; i++)
        if (which == ALL_ROWS || (which == PLACES && !m->speed_invariant[i]))
            row[count++] = m->invariant[i];
    return count;
}

/* Programs of these rows and the first conditions. */
static bool make_some_rows(initialising *in, fixed_rows which, uint32_t active)
{
    const ct_machine *m = in->m;
    rowset *s = &in->set;
    ct_expr *row = CT_NEW_ARRAY(in->arena, ct_expr, m->m + m->invariant_count + active + 1);
    ct_name *by = CT_NEW_ARRAY(in->arena, ct_name, in->column_count + 1);
    s->active = active;
    s->fixed = put_fixed(in, which, row);
    for (uint32_t k = 0; k < active; k++)
        row[s->fixed + k] = in->start[s->condition[k]];
    for (uint32_t k = 0; k < in->column_count; k++)
        by[k] = m->z[in->column[k]];
    if (!ct_machine_bundle(m, row, s->fixed + active, by, in->column_count, m->z_count, &s->bundle))
        return false;
    s->work = prepared(in, s->bundle.value);
    s->work_slope = prepared(in, s->bundle.slope);
    s->row = CT_NEW_ARRAY(in->arena, double, s->fixed + active + 1);
    return true;
}

static bool make_rows(initialising *in, uint32_t active)
{
    return make_some_rows(in, ALL_ROWS, active);
}

static void set_point(initialising *in)
{
    uint32_t size = in->m->n + in->m->m;
    memcpy(in->variable, in->z, size * sizeof *in->z);
    in->variable[size] = in->t;
}

/* z with the first conditions met as well as they can be; in->set.row is what is left. */
static ct_solve_status least_change(initialising *in)
{
    const ct_machine *m = in->m;
    const ct_jacobian *j = in->set.bundle.jacobian;
    double *y = CT_NEW_ARRAY(in->arena, double, in->column_count + 1), norm = 0;
    ct_residual residual = {.user = in,
                            .rows = in->set.fixed + in->set.active,
                            .cols = in->column_count,
                            .evaluate = evaluate_rows,
                            .start = j->start,
                            .row = j->row,
                            .jacobian = slope_rows};
    ct_solve_status status = CT_SOLVED;
    set_point(in);
    for (uint32_t k = 0; k < in->column_count; k++)
        y[k] = in->z[in->column[k]] / weight(in, in->column[k]);
    if (in->column_count)
        status = ct_least_change(m->ctx, &residual, 1e-13, y, &norm);
    evaluate_rows(in, y, in->set.row);
    memcpy(in->z, in->variable, (m->n + m->m) * sizeof *in->z);
    return status;
}

/* Storage that nobody gives a value begins empty, as far as it can. */
static bool empty_storage(initialising *in)
{
    const ct_machine *m = in->m;
    uint32_t count = in->set.count, own = m->model->start_count;
    uint32_t *condition = in->set.condition;
    if (m->start_count == own)
        return true;
    in->set.condition = CT_NEW_ARRAY(in->arena, uint32_t, m->start_count - own);
    for (uint32_t i = own; i < m->start_count; i++)
        in->set.condition[i - own] = i;
    bool good = make_rows(in, m->start_count - own);
    if (good)
        least_change(in);
    in->set.condition = condition;
    in->set.count = count;
    return good;
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
    bool good = make_some_rows(in, PLACES, s->count);
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
    least_change(in);
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
    bool good = make_some_rows(in, NO_ROWS, count + in->guess_count);
    if (good && least_change(in) == CT_NOT_FINITE)
        memcpy(in->z, before, bytes);
    /* then with the loops, as near to the guesses as they close */
    if (good && m->invariant_count && in->guess_count) {
        memcpy(before, in->z, bytes);
        good = make_some_rows(in, PLACES, count + in->guess_count);
        if (good && least_change(in) == CT_NOT_FINITE)
            memcpy(in->z, before, bytes);
    }
    in->set.condition = usual.set.condition;
    in->column = usual.column;
    in->column_count = usual.column_count;
    return good;
}

/* Are the loops closed? Else the worst invariant. */
static bool loops_closed(const initialising *in, uint32_t *worst)
{
    double most = 0;
    for (uint32_t i = 0; i < in->m->invariant_count; i++)
        if (!(fabs(in->set.row[in->m->m + i]) <= most)) {
            most = fabs(in->set.row[in->m->m + i]);
            *worst = i;
        }
    return most <= agreement;
}

/* Are the loops closed and all active conditions met at z? */
static bool all_met(const initialising *in)
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
        if (!(fabs(miss) <= agreement * scale + 1e-12 * largest))
            return false;
    }
    return true;
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
        ct_name joint = m->reduced->system->invariant[i].joint;
        if (!ties || (i && joint == m->reduced->system->invariant[i - 1].joint))
            continue;
        const char *text = ct_name_text(m->ctx, joint);
        ct_note(r, "the loop that joint %s closes ties it to the others", text);
        ct_witness(r, text);
    }
}

static void report_conflict(initialising *in, uint32_t k, double fits)
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
        double value = fabs(in->z[z - 1]) < 1e-6 ? 0 : in->z[z - 1];
        ct_putf(&text, "%s%s = %.4g", text.length ? ", " : "", name, value);
    }
    if (text.length)
        ct_note(r, "nearest it is with %s", ct_text_string(&text));
}

/* What is left of all invariants of the same joint and level. */
static double gap_of(const initialising *in, uint32_t worst)
{
    const ct_invariant *v = in->m->reduced->system->invariant;
    double sum = 0;
    for (uint32_t i = 0; i < in->m->invariant_count; i++)
        if (v[i].joint == v[worst].joint && v[i].speed == v[worst].speed)
            sum += in->set.row[in->m->m + i] * in->set.row[in->m->m + i];
    return sqrt(sum);
}

static ct_solve_status report_open_loop(initialising *in, uint32_t worst)
{
    const ct_invariant *v = &in->m->reduced->system->invariant[worst];
    const char *joint = ct_name_text(in->m->ctx, v->joint);
    ct_report *r =
        ct_error(in->m->ctx, "E609", v->place, "the loop of joint %s cannot be closed", joint);
    ct_witness(r, joint);
    ct_note(r,
            v->speed ? "its parts keep a relative speed of %.6g" : "a gap of %.6g is left at best",
            gap_of(in, worst));
    name_links(in, worst, r);
    ct_note_untested(in->m, r);
    ct_help(r, "check the lengths of the links in this loop, or begin nearer to the solution with "
               "`guess`");
    return CT_SINGULAR;
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
        least_change(in);
        if (loops_left(in) < least) {
            least = loops_left(in);
            memcpy(best, in->z, bytes);
        }
    }
    memcpy(in->z, best, bytes);
    least_change(in);
}

/* One after the other, to find the first that does not fit. */
static ct_solve_status find_conflict(initialising *in)
{
    uint32_t worst = 0;
    if (!make_rows(in, 0))
        return CT_SINGULAR;
    close_best(in);
    if (!loops_closed(in, &worst))
        return report_open_loop(in, worst);
    for (uint32_t k = 0; k < in->set.count; k++) {
        if (!make_rows(in, k + 1))
            return CT_SINGULAR;
        set_point(in);
        ct_program_run(in->set.bundle.value, in->variable, in->set.row, in->set.work);
        double fits = in->set.row[in->set.fixed + k];
        least_change(in);
        if (all_met(in))
            continue;
        report_conflict(in, k, fits);
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
    ct_projector *projector = ct_projector_new(in->arena, &in->rig->free);
    ct_solve_status status = projector ? ct_project(projector, in->t, in->z) : CT_SOLVED;
    ct_projector_free(projector);
    return status;
}

static ct_solve_status meet_conditions(initialising *in)
{
    enum { ATTEMPTS = 24 };
    size_t bytes = (in->m->n + in->m->m) * sizeof(double);
    double *before = CT_NEW_ARRAY(in->arena, double, in->m->n + in->m->m + 1);
    uint32_t state = 1;
    memcpy(before, in->z, bytes);
    if (!make_rows(in, in->set.count))
        return CT_SINGULAR;
    for (int i = 0; i < (in->m->invariant_count ? ATTEMPTS : 1); i++) {
        memcpy(in->z, before, bytes);
        shake(in, i, &state);
        find_places(in);
        ct_solve_status status = least_change(in);
        if (status == CT_NO_MEMORY_LEFT)
            return status;
        if (all_met(in))
            return close_loops(in);
    }
    memcpy(in->z, before, bytes);
    return find_conflict(in);
}

/* ---- equilibrium */

static void check_rest(initialising *in, ct_solve_status *status)
{
    const ct_machine *m = in->m;
    for (uint32_t i = 0; i < m->n && *status == CT_SOLVED; i++) {
        uint32_t start = in->given[i];
        double wanted = start ? in->value[start - 1] : in->z[i];
        if (fabs(wanted - in->z[i]) <= agreement * fmax(fabs(wanted), fmax(fabs(in->z[i]), 1e-3)))
            continue;
        in->set.condition[0] = start - 1;
        report_conflict(in, 0, in->z[i]);
        *status = CT_SINGULAR;
    }
}

static initialising *begin(ct_rig *rig, double t, double *z)
{
    const ct_machine *m = rig->machine;
    ct_arena *arena = ct_arena_new(m->ctx);
    initialising *in = CT_NEW(arena, initialising);
    *in = (initialising){.rig = rig, .m = m, .arena = arena, .t = t, .z = z, .start = m->start};
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
    open_columns(in);
    if (!prepare_places(in) || !heed_guesses(in))
        return CT_SINGULAR;
    ct_solve_status status = solve_algebraic(in, &stats);
    if (!empty_storage(in))
        return CT_SINGULAR;
    if ((in->set.count || in->m->invariant_count) && status != CT_NO_MEMORY_LEFT) {
        status = meet_conditions(in);
        if (status == CT_SOLVED)
            status = solve_algebraic(in, &stats);
        else
            return status; /* reported */
    }
    if (in->m->start_count > in->m->model->start_count && status == CT_SOLVED)
        status = solve_algebraic(in, &stats);
    if (status != CT_SOLVED && forgiving && status != CT_NO_MEMORY_LEFT) {
        memcpy(in->z, guess, bytes);
        return CT_SOLVED;
    }
    if (status != CT_SOLVED)
        report_algebraic(in, status, stats.culprit);
    return status;
}

ct_solve_status ct_initialise(ct_rig *rig, double t, bool forgiving, double *z)
{
    initialising *in = begin(rig, t, z);
    memset(z, 0, (rig->machine->n + rig->machine->m) * sizeof *z);
    ct_solve_status status = read_starts(in) ? CT_SOLVED : CT_SINGULAR;
    const char *method;
    bool at_rest = rig->machine->model->initial_equilibrium;
    if (status == CT_SOLVED)
        status = find_point(in, at_rest || forgiving);
    if (status == CT_SOLVED && at_rest)
        status = ct_settle_rig(rig, t, z, &method);
    if (status == CT_SOLVED && at_rest)
        check_rest(in, &status);
    ct_arena_free(in->arena);
    if (status == CT_NO_MEMORY_LEFT)
        ct_throw(rig->machine->ctx, CT_ERR_MEMORY);
    return status;
}

/* ---- a wanted point */

static void report_unmet(const initialising *in, uint32_t k)
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

/* Parameters that no equation of the machine holds are put in as numbers. */
static ct_expr with_numbers(const initialising *in, ct_expr e)
{
    const ct_machine *m = in->m;
    ct_name_list symbols = ct_symbols_of(m->pool, in->arena, &e, 1), name = {0};
    ct_expr_list number = {0};
    for (uint32_t i = 0; i < symbols.count; i++) {
        uint32_t q = ct_map_get(m->model->quantity_by_name, symbols.at[i]);
        if (!q || ct_map_get(&m->parameter_index, symbols.at[i]))
            continue;
        CT_PUSH(in->arena, name, symbols.at[i]);
        CT_PUSH(in->arena, number, ct_expr_real(m->pool, in->rig->value[q - 1]));
    }
    return name.count ? ct_expr_substitute(m->pool, e, name.at, number.at, name.count) : e;
}

static ct_solve_status meet(initialising *in)
{
    if (!make_rows(in, in->set.count))
        return CT_SINGULAR;
    ct_solve_status status = least_change(in);
    if (status == CT_NO_MEMORY_LEFT)
        return status;
    if (all_met(in))
        return close_loops(in);
    uint32_t worst = 0;
    for (uint32_t k = 1; k < in->set.active; k++)
        if (fabs(in->set.row[in->set.fixed + k]) > fabs(in->set.row[in->set.fixed + worst]))
            worst = k;
    report_unmet(in, worst);
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
        start[i] = with_numbers(in, variable[i]);
        in->value[i] = value[i];
        in->set.condition[i] = i;
    }
    open_columns(in);
    ct_solve_status status = meet(in);
    ct_arena_free(in->arena);
    if (status == CT_NO_MEMORY_LEFT)
        ct_throw(rig->machine->ctx, CT_ERR_MEMORY);
    return status;
}
