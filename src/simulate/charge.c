/* charge.c - what equations leave open at rest: charged from zero.
 *
 * The charge of nodes between capacitors, the flux of loops of inductors, the momentum of masses
 * that only springs hold: at rest F(z) = (f, g) = 0 does not tell them, J = dF/dz is singular. But
 *
 *     w^T J = 0    makes    d/dt (w^T x) = w^T F = 0,
 *
 * conserved from the start on, when storage was empty or had the values that are given. Where F
 * holds u' of drivers, their rise from zero adds what F gets with u for u'. Newton's method with
 * these rows in the place of those that are missing finds the one rest that can be reached; no
 * choice of states changes it. Where w moves (charge that is not proportional), the way there is
 * integrated.
 */
#include "simulate/charge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/linear.h"
#include "solve/rank.h"

static const double moves = 1e-9;           /* of its terms: less is no move */
static const double least_pivot = 1e-10;    /* of the largest: less is none */
static const double cancelled = 1e-12;      /* of its terms: they cancel */
static const double arrived = 1e-14;        /* of the values: a step to rounding */
static const double nearly_arrived = 1e-12; /* the same, where rounding lets no step succeed */
static const double smallest = 1e-9;        /* of values: below, all are as good as zero */
static const double settled = 1e-10; /* of the values: what still changes in all the time spent */

static const double surely_regular = 1e-10; /* ratio of pivots that no singular matrix has */
static const double conserved = 1e-9;       /* of the terms of a sum: it vanishes */

typedef struct charging {
    ct_rig *rig;
    const ct_machine *m;
    const ct_problem *p;
    ct_arena *arena;
    double t;
    bool rests;         /* z is a rest */
    const double *from; /* the start: given values hold there */
    double *z;
    uint32_t size, open;
    double *f, *slope, *step, *work;
    double *w, *v, *goal; /* open rows each, of `size`: of left and right; what is conserved */
    uint32_t *given, given_count; /* starts that hold at rest */
} charging;

/* ---- the matrix */

static void evaluate(charging *c, const double *z, double *f)
{
    c->p->evaluate(c->p->user, c->t, z, f);
}

static bool is_regular(charging *c)
{
    ct_pattern pattern = ct_pattern_part(c->arena, c->size, c->p->start, c->p->row, 0, c->size, 0);
    ct_linear *linear = ct_linear_new(c->arena, &pattern);
    ct_pattern_gather(&pattern, c->size, c->p->start, c->slope, linear->value);
    bool regular = ct_linear_factor(linear) == CT_SOLVED && linear->pivot_ratio > surely_regular;
    ct_linear_free(linear);
    return regular;
}

static const ct_rank *find_rank(charging *c)
{
    c->p->jacobian(c->p->user, c->t, c->z, c->slope);
    for (uint32_t i = 0; i < c->p->start[c->size]; i++)
        if (!isfinite(c->slope[i]))
            return NULL;
    if (is_regular(c))
        return NULL;
    const ct_rank *rank = ct_rank_new(c->arena, c->size, c->p->start, c->p->row, c->slope);
    c->open = rank->open;
    if (!c->open)
        return NULL;
    c->w = CT_NEW_ARRAY(c->arena, double, (size_t)c->open * c->size);
    c->v = CT_NEW_ARRAY(c->arena, double, (size_t)c->open * c->size);
    for (uint32_t k = 0; k < c->open; k++) {
        ct_rank_left(rank, k, c->w + (size_t)k * c->size);
        ct_rank_right(rank, k, c->v + (size_t)k * c->size);
    }
    return rank;
}

/* ---- rows in the place of those that are missing */

static double times(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static double *row_of(const charging *c, double *matrix, uint32_t k)
{
    return matrix + (size_t)k * c->size;
}

/* How large the terms of each row are. */
static double *row_sizes(charging *c)
{
    double *size = CT_NEW_ARRAY(c->arena, double, c->size + 1);
    for (uint32_t j = 0; j < c->size; j++)
        for (uint32_t i = c->p->start[j]; i < c->p->start[j + 1]; i++)
            size[c->p->row[i]] += fabs(c->slope[i]) * (fabs(c->z[j]) + fabs(c->from[j]));
    return size;
}

/* Is w^T F zero wherever z is, so that w^T x is conserved on any way? Tried between the start and
 * the rest, and around. */
static bool is_conserved(const charging *c, const double *w, const double *f, const double *size)
{
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < c->size; i++) {
        sum += w[i] != 0 ? w[i] * f[i] : 0;
        most += w[i] != 0 ? fabs(w[i]) * fmax(fabs(f[i]), size[i]) : 0;
    }
    return fabs(sum) <= conserved * most;
}

static bool is_linear(charging *c)
{
    static const double part[] = {0, 0.37, 1.61};
    double *f = c->work, *z = c->step, *size = row_sizes(c);
    for (int trial = 0; trial < 3; trial++) {
        for (uint32_t i = 0; i < c->size; i++)
            z[i] = c->from[i] + part[trial] * (c->z[i] - c->from[i]) +
                   0.01 * trial * (1 + fabs(c->z[i])) * sin(1 + 3.0 * i);
        evaluate(c, z, f);
        for (uint32_t k = 0; k < c->open; k++)
            if (!is_conserved(c, row_of(c, c->w, k), f, size))
                return false;
    }
    return true;
}

/* What drivers that rise from zero put into storage that was empty: w^T (charge - rest). */
static bool add_inputs(charging *c)
{
    const ct_machine *m = c->m;
    const ct_program *program =
        m->charge ? ct_machine_program(m, m->charge, c->size, m->z_count) : NULL;
    if (!program)
        return !m->charge;
    double *work = ct_program_prepared(c->arena, program, c->rig->parameter);
    double *variable = CT_NEW_ARRAY(c->arena, double, m->z_count + 1);
    double *with = CT_NEW_ARRAY(c->arena, double, c->size + 1);
    memcpy(variable, c->z, c->size * sizeof *variable);
    variable[c->size] = c->t;
    ct_program_run(program, variable, with, work);
    evaluate(c, c->z, c->f);
    for (uint32_t i = 0; i < c->size; i++)
        with[i] -= c->f[i];
    for (uint32_t k = 0; k < c->open; k++)
        c->goal[k] += times(row_of(c, c->w, k), with, c->size);
    return true;
}

/* Values that the model gives. They hold at rest when that is the start. */
static bool list_given(charging *c)
{
    const ct_model *model = c->m->model;
    bool any = false;
    c->given = CT_NEW_ARRAY(c->arena, uint32_t, model->start_count + 1);
    for (uint32_t i = 0; i < model->start_count; i++) {
        if (model->start[i].guess)
            continue;
        any = true;
        if (model->initial_equilibrium)
            c->given[c->given_count++] = i;
    }
    return any;
}

/* Where values are given the start has them, and its drivers have risen already. */
static bool set_goals(charging *c)
{
    bool given = list_given(c);
    for (uint32_t k = 0; k < c->open; k++)
        c->goal[k] = given ? times(row_of(c, c->w, k), c->from, c->m->n) : 0;
    return given || add_inputs(c);
}

static void combine(double *a, const double *b, double by, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        a[i] += by * b[i];
}

static void swap_rows(charging *c, double *matrix, uint32_t a, uint32_t b)
{
    double *x = row_of(c, matrix, a), *y = row_of(c, matrix, b);
    for (uint32_t i = 0; i < c->size && a != b; i++) {
        double keep = x[i];
        x[i] = y[i];
        y[i] = keep;
    }
}

/* The direction that moves a variable most comes to the front, the others leave it alone; false:
 * none moves it. row: its gradient. */
static bool split_directions(charging *c, const double *row, uint32_t front)
{
    uint32_t best = front;
    double most = 0, size = 0;
    for (uint32_t k = front; k < c->open; k++) {
        double move = fabs(times(row, row_of(c, c->v, k), c->size));
        for (uint32_t i = 0; i < c->size; i++)
            size = fmax(size, fabs(row[i] * row_of(c, c->v, k)[i]));
        best = move > most ? k : best;
        most = fmax(most, move);
    }
    if (!(most > moves * size))
        return false;
    swap_rows(c, c->v, front, best);
    const double *v = row_of(c, c->v, front);
    double move = times(row, v, c->size);
    for (uint32_t k = front + 1; k < c->open; k++)
        combine(row_of(c, c->v, k), v, -times(row, row_of(c, c->v, k), c->size) / move, c->size);
    return true;
}

/* The sum that holds most of it comes to the front, the others without it. */
static void split_sums(charging *c, const double *row, uint32_t front)
{
    uint32_t best = front;
    for (uint32_t k = front + 1; k < c->open; k++)
        if (fabs(times(row_of(c, c->w, k), row, c->m->n)) >
            fabs(times(row_of(c, c->w, best), row, c->m->n)))
            best = k;
    double keep = c->goal[front], held = times(row_of(c, c->w, best), row, c->m->n);
    swap_rows(c, c->w, front, best);
    c->goal[front] = c->goal[best];
    c->goal[best] = keep;
    for (uint32_t k = front + 1; k < c->open && held != 0; k++) {
        double by = -times(row_of(c, c->w, k), row, c->m->n) / held;
        combine(row_of(c, c->w, k), row_of(c, c->w, front), by, c->size);
        c->goal[k] += by * c->goal[front];
    }
}

/* The gradient of what a start is about; its differences are exact where it is linear. */
static void gradient(charging *c, uint32_t start, double *row)
{
    const ct_machine *m = c->m;
    ct_expr e = m->start[start];
    ct_name_list symbols = ct_symbols_of(m->pool, c->arena, &e, 1);
    memcpy(c->step, c->z, c->size * sizeof *c->step);
    double here = ct_rig_value_at(c->rig, c->t, c->step, e);
    memset(row, 0, c->size * sizeof *row);
    for (uint32_t i = 0; i < symbols.count; i++) {
        uint32_t z = ct_map_get(&m->z_index, symbols.at[i]);
        if (!z || z > c->size)
            continue;
        double by = 1 + fabs(c->z[z - 1]);
        c->step[z - 1] += by;
        row[z - 1] = (ct_rig_value_at(c->rig, c->t, c->step, e) - here) / by;
        c->step[z - 1] = c->z[z - 1];
    }
}

/* A value that is given takes the place of one sum that is conserved: the one it is part of. How
 * many. */
static uint32_t put_given(charging *c)
{
    uint32_t front = 0;
    double *row = CT_NEW_ARRAY(c->arena, double, c->size + 1);
    for (uint32_t k = 0; k < c->open; k++) /* sums of what is stored; g was for the test */
        memset(row_of(c, c->w, k) + c->m->n, 0, c->m->m * sizeof *row);
    for (uint32_t i = 0; i < c->given_count && front < c->open; i++) {
        gradient(c, c->given[i], row);
        if (!split_directions(c, row, front))
            continue; /* nothing that is open moves it */
        split_sums(c, row, front);
        memcpy(row_of(c, c->w, front), row, c->size * sizeof *row);
        c->goal[front++] = times(row, c->from, c->size);
    }
    return front;
}

/* ---- Newton's method with these rows */

typedef struct small_system { /* n by n, by rows; column `of[j]` is the j-th pivot */
    uint32_t n, *of;
    double *matrix, *b;
} small_system;

static double *cell(const small_system *s, uint32_t row, uint32_t j)
{
    return &s->matrix[(size_t)row * s->n + s->of[j]];
}

/* Brings the largest entry that is left to place (k, k). */
static double bring_pivot(const small_system *s, uint32_t k)
{
    uint32_t row = k, column = k;
    for (uint32_t i = k; i < s->n; i++)
        for (uint32_t j = k; j < s->n; j++)
            if (fabs(*cell(s, i, j)) > fabs(*cell(s, row, column))) {
                row = i;
                column = j;
            }
    uint32_t keep = s->of[k];
    s->of[k] = s->of[column];
    s->of[column] = keep;
    for (uint32_t j = 0; j <= s->n && row != k; j++) {
        double *a = j < s->n ? cell(s, row, j) : &s->b[row],
               *b = j < s->n ? cell(s, k, j) : &s->b[k];
        double x = *a;
        *a = *b;
        *b = x;
    }
    return *cell(s, k, k);
}

static void clear_below(const small_system *s, uint32_t k)
{
    for (uint32_t i = k + 1; i < s->n; i++) {
        double by = *cell(s, i, k) / *cell(s, k, k);
        for (uint32_t j = k; j < s->n; j++)
            *cell(s, i, j) -= by * *cell(s, k, j);
        s->b[i] -= by * s->b[k];
    }
}

/* The part of the open directions, a: (w^T v) a = missing; what no row decides stays. */
static void solve_open(const charging *c, double *matrix, double *b, double *a)
{
    small_system s = {c->open, CT_NEW_ARRAY(c->arena, uint32_t, c->open + 1), matrix, b};
    uint32_t rank = 0;
    double most = 0;
    for (uint32_t j = 0; j < s.n; j++)
        s.of[j] = j;
    for (; rank < s.n; rank++) {
        double pivot = fabs(bring_pivot(&s, rank));
        most = fmax(most, pivot);
        if (!(pivot > least_pivot * most))
            break;
        clear_below(&s, rank);
    }
    memset(a, 0, s.n * sizeof *a);
    for (uint32_t i = rank; i-- > 0;) {
        double sum = b[i];
        for (uint32_t j = i + 1; j < rank; j++)
            sum -= *cell(&s, i, j) * a[s.of[j]];
        a[s.of[i]] = sum / *cell(&s, i, i);
    }
}

/* Rows and columns of w^T v to comparable sizes: units differ. */
static void open_matrix(const charging *c, double *matrix, double *b, double *by)
{
    uint32_t n = c->open;
    for (uint32_t j = 0; j < n; j++) {
        const double *v = c->v + (size_t)j * c->size;
        double most = 0;
        for (uint32_t i = 0; i < c->size; i++)
            most = fmax(most, fabs(v[i]));
        by[j] = most > 0 ? 1 / most : 1;
    }
    for (uint32_t k = 0; k < n; k++) {
        const double *w = c->w + (size_t)k * c->size;
        double most = 0;
        for (uint32_t j = 0; j < n; j++) {
            matrix[k * n + j] = times(w, c->v + (size_t)j * c->size, c->size) * by[j];
            double terms = 0;
            for (uint32_t i = 0; i < c->size; i++)
                terms = fmax(terms, fabs(w[i] * c->v[(size_t)j * c->size + i] * by[j]));
            if (fabs(matrix[k * n + j]) < cancelled * terms)
                matrix[k * n + j] = 0;
            most = fmax(most, terms);
        }
        for (uint32_t j = 0; j < n && most > 0; j++)
            matrix[k * n + j] /= most;
        b[k] /= most > 0 ? most : 1;
    }
}

/* One step; the change relative to the size of z. */
/* Newton's step from z; returns its size. */
static double newton_step(charging *c, const ct_rank *rank)
{
    uint32_t n = c->open;
    double *b = CT_NEW_ARRAY(c->arena, double, n + 1), *a = CT_NEW_ARRAY(c->arena, double, n + 1);
    double *matrix = CT_NEW_ARRAY(c->arena, double, (size_t)n *n + 1), change = 0;
    double *by = CT_NEW_ARRAY(c->arena, double, n + 1);
    evaluate(c, c->z, c->f);
    for (uint32_t i = 0; i < c->size; i++)
        c->f[i] = -c->f[i];
    ct_rank_solve(rank, c->f, c->step);
    for (uint32_t k = 0; k < n; k++) {
        const double *w = row_of(c, c->w, k);
        b[k] = c->goal[k] - times(w, c->z, c->size) - times(w, c->step, c->size);
    }
    open_matrix(c, matrix, b, by);
    solve_open(c, matrix, b, a);
    for (uint32_t k = 0; k < n; k++)
        combine(c->step, row_of(c, c->v, k), a[k] * by[k], c->size);
    for (uint32_t i = 0; i < c->size; i++)
        change = isfinite(c->step[i]) ? fmax(change, fabs(c->step[i])) : INFINITY;
    return change;
}

/* The step from a new z; infinite: it has none. */
static double step_there(charging *c)
{
    c->p->jacobian(c->p->user, c->t, c->z, c->slope);
    for (uint32_t i = 0; i < c->p->start[c->size]; i++)
        if (!isfinite(c->slope[i]))
            return INFINITY;
    const ct_rank *rank = ct_rank_new(c->arena, c->size, c->p->start, c->p->row, c->slope);
    if (rank->open != c->open)
        return INFINITY;
    for (uint32_t k = 0; k < c->open; k++)
        ct_rank_right(rank, k, row_of(c, c->v, k));
    return newton_step(c, rank);
}

/* Goes the step or a part of it, so that the next one is shorter: the root law of an orifice would
 * lead from one side to the other and back for ever. Returns the size of the next; infinite: no
 * part does. */
static double go(charging *c, double size, double *z, double *step)
{
    enum { HALVES = 12 };
    memcpy(z, c->z, c->size * sizeof *z);
    memcpy(step, c->step, c->size * sizeof *step);
    double part = 1;
    for (int k = 0; k < HALVES; k++, part /= 2) {
        for (uint32_t i = 0; i < c->size; i++)
            c->z[i] = z[i] + part * step[i];
        double next = step_there(c);
        if (next <= (1 - part / 4) * size)
            return next;
    }
    return INFINITY;
}

static bool iterate(charging *c, const ct_rank *rank)
{
    enum { MOST = 60 };
    double *z = CT_NEW_ARRAY(c->arena, double, c->size + 1);
    double *step = CT_NEW_ARRAY(c->arena, double, c->size + 1);
    double size = newton_step(c, rank), most = DBL_MIN;
    for (int i = 0; i < MOST && isfinite(size); i++) {
        for (uint32_t k = 0; k < c->size; k++)
            most = fmax(most, fabs(c->z[k] + c->step[k]));
        bool done = size < arrived * most, near = size < nearly_arrived * most;
        size = done ? 0 : go(c, size, z, step);
        if (near && !isfinite(size)) /* rounding */
            memcpy(c->z, z, c->size * sizeof *z);
        if (done || (near && !isfinite(size)))
            return true;
    }
    return false;
}

/* ---- charge that is not proportional: the way is integrated */

typedef struct still {
    const ct_problem *p;
    double t;
} still;

static void still_values(void *user, double t, const double *z, double *f)
{
    const still *s = user;
    (void)t;
    s->p->evaluate(s->p->user, s->t, z, f);
}

static void still_slope(void *user, double t, const double *z, double *value)
{
    const still *s = user;
    (void)t;
    s->p->jacobian(s->p->user, s->t, z, value);
}

/* How long until the fastest change has gone as far as values are large. */
static double first_span(charging *c, const double *z)
{
    double span = INFINITY, most = smallest;
    evaluate(c, z, c->f);
    for (uint32_t i = 0; i < c->m->n; i++)
        most = fmax(most, fabs(z[i]));
    for (uint32_t i = 0; i < c->m->n; i++)
        if (c->f[i] != 0)
            span = fmin(span, most / fabs(c->f[i]));
    return isfinite(span) ? span : 1;
}

static bool settle_slowly(charging *c)
{
    enum { MOST = 60 };
    still s = {c->p, c->t};
    ct_problem p = {.user = &s,
                    .n = c->p->n,
                    .m = c->p->m,
                    .evaluate = still_values,
                    .jacobian = still_slope,
                    .start = c->p->start,
                    .row = c->p->row};
    double span = first_span(c, c->from), *z = CT_NEW_ARRAY(c->arena, double, c->size + 1);
    ct_run_stats stats;
    memcpy(z, c->from, c->size * sizeof *z);
    for (int i = 0; i < MOST; i++, span *= 4) {
        ct_run_def def = ct_default_run_def();
        def.stop = span, def.points = 1, def.rtol = 1e-11, def.atol = 1e-13;
        def.method = CT_METHOD_ROSENBROCK;
        def.most_steps = 20000; /* what swings does not come to rest */
        if (ct_integrate(c->m->ctx, &p, &def, z, &stats) != CT_SOLVED)
            return false;
        double rest = 0, most = smallest;
        evaluate(c, z, c->f);
        for (uint32_t k = 0; k < c->m->n; k++) {
            rest = fmax(rest, fabs(c->f[k]) * span);
            most = fmax(most, fabs(z[k]));
        }
        if (rest > settled * most)
            continue;
        memcpy(c->z, z, c->size * sizeof *z);
        return true;
    }
    return false;
}

/* ---- all of it */

static ct_charged find(charging *c)
{
    const ct_rank *rank = find_rank(c);
    if (!rank)
        return CT_CHARGE_OPEN;
    c->goal = CT_NEW_ARRAY(c->arena, double, c->open + 1);
    if (!is_linear(c)) {
        if (!c->rests)
            return CT_CHARGE_OPEN;
        bool good = settle_slowly(c);
        ct_warn_open(c->rig, c->t, c->z, c->v, c->open);
        return good ? CT_CHARGED : CT_CHARGE_OPEN;
    }
    if (!set_goals(c))
        return CT_CHARGE_OPEN;
    uint32_t front = put_given(c);
    if (!iterate(c, rank) && (front || c->m->charge || !settle_slowly(c)))
        return CT_CHARGE_OPEN;
    if (!ct_rows_vanish(c->p, 0, c->t, c->z, c->arena))
        return CT_NO_REST;
    for (uint32_t k = 0; k < front; k++)
        split_directions(c, row_of(c, c->w, k), k);
    ct_warn_open(c->rig, c->t, c->z, row_of(c, c->v, front), c->open - front);
    return CT_CHARGED;
}

ct_charged ct_charge(ct_rig *rig, double t, bool rests, const double *from, double *z)
{
    const ct_machine *m = rig->machine;
    const ct_problem *p = ct_rig_rest(rig);
    charging c = {.rig = rig, .m = m, .p = p, .t = t, .from = from, .rests = rests};
    c.size = m->n + m->m;
    if (!m->n || !p || m->reduced->system->mechanics)
        return CT_CHARGE_OPEN;
    ct_need_pattern(p);
    c.arena = ct_arena_new(m->ctx);
    c.f = CT_NEW_ARRAY(c.arena, double, c.size + 1);
    c.step = CT_NEW_ARRAY(c.arena, double, c.size + 1);
    c.work = CT_NEW_ARRAY(c.arena, double, c.size + 1);
    c.slope = CT_NEW_ARRAY(c.arena, double, p->start[c.size] + 1);
    c.z = CT_NEW_ARRAY(c.arena, double, c.size + 1);
    memcpy(c.z, z, c.size * sizeof *z);
    ct_charged found = find(&c);
    if (found == CT_CHARGED)
        memcpy(z, c.z, c.size * sizeof *z);
    ct_arena_free(c.arena);
    return found;
}
