/* jump.c - jumps in a run: from what was stored just before to what is just after (jump_make.c). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "simulate/jump.h"
#include "simulate/variant.h"
#include "solve/newton.h"

enum { MOST_STEPS = 1 << 12, MOST_BREAKS = 100000 };
static const double way_accuracy = 1e-13; /* of the way, where it is curved */
static const double negligible = 1e-13;   /* of what is stored: rounding */
static const double place_noise = 1e-11;  /* of coordinates and speeds: places that do not jump */
static const double worth_telling = 1e-9; /* of the same: an impulse */
static const double small_step = 1e-6;    /* of the run: speeds by differences */
static const double far_away = 1e4;       /* where impulses are tried to be proportional, */
static const double proportional = 1e-6;  /* and how far they are */

ct_jumping *ct_jumping_new(ct_rig *rig)
{
    const ct_machine *m = rig->machine;
    const ct_jumps *j = m->jumps;
    if (!j)
        return NULL;
    ct_jumping *k = CT_NEW(rig->arena, ct_jumping);
    *k = (ct_jumping){.rig = rig,
                      .size = m->n + j->shock.count,
                      .work_look = ct_rig_prepared(rig, j->look),
                      .work_miss = ct_rig_prepared(rig, j->miss),
                      .work_go = ct_rig_prepared(rig, j->go),
                      .work_second = ct_rig_prepared(rig, j->second),
                      .work_stay = ct_rig_prepared(rig, j->stay),
                      .work_holds = ct_rig_prepared(rig, j->holds)};
    k->told = ct_impulses_new(rig->arena);
    k->variable = CT_NEW_ARRAY(rig->arena, double, j->all_count + 1);
    double **need[] = {&k->kept, &k->missing, &k->impulse, &k->from, &k->now,   &k->begin,
                       &k->sum,  &k->rate,    &k->coarse,  &k->go,   &k->slope, &k->w};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        *need[i] = CT_NEW_ARRAY(rig->arena, double, k->size + m->m + 2 * j->count + 1);
    return k;
}

/* Point, sides of conditions, what was before. */
static void set_variables(ct_jumping *k, double t, const double *z)
{
    const ct_machine *m = k->rig->machine;
    uint32_t size = m->n + m->m;
    memcpy(k->variable, z, size * sizeof *z);
    memcpy(k->variable + size, k->rig->variable + size, (m->z_count - size) * sizeof *z);
    memcpy(k->variable + m->z_count, k->kept, m->jumps->kept.count * sizeof *z);
    k->variable[size] = t;
}

static void set_slacks(ct_jumping *k, double part)
{
    const ct_machine *m = k->rig->machine;
    double *slack = k->variable + m->z_count + m->jumps->kept.count;
    for (uint32_t i = 0; i < m->jumps->count; i++) {
        slack[i] = (1 - part) * k->missing[i];
        slack[m->jumps->count + i] = -k->missing[i];
    }
}

/* How fast sources of positions move, on the sides that are kept. */
static double rush_of(ct_jumping *k, double t, const double *z, int way)
{
    const ct_jumps *j = k->rig->machine->jumps;
    double *here = k->begin, *there = k->rate, most = 0;
    double step = way * (k->rig->span > 0 ? small_step * k->rig->span : small_step);
    if (!j->burst.count)
        return 0;
    set_variables(k, t, z);
    ct_program_run(j->look, k->variable, here, k->work_look);
    set_variables(k, t + step, z);
    ct_program_run(j->look, k->variable, there, k->work_look);
    for (uint32_t i = 0, kept = 0; i < j->count; kept += j->has_kept[i++])
        if (j->placing[i])
            most = fmax(most, fabs((there[kept] - here[kept]) / step));
    return most;
}

void ct_jump_remember(void *user, double t, const double *z)
{
    ct_rig *rig = user;
    rig->jumping->rushed = rush_of(rig->jumping, t, z, -1);
    rig->jumping->before = t;
    set_variables(rig->jumping, t, z);
    ct_program_run(rig->machine->jumps->look, rig->jumping->variable, rig->jumping->kept,
                   rig->jumping->work_look);
}

ct_solve_status ct_jump_from_rest(ct_rig *rig, double t, double *z)
{
    const ct_machine *m = rig->machine;
    const ct_expr *still = rig->jumping ? m->jumps->rest_before : NULL;
    if (!still)
        return CT_SOLVED;
    const ct_program *look = ct_machine_program(m, still, m->jumps->kept.count, m->known);
    if (!look)
        return CT_SINGULAR;
    ct_jump_remember(rig, t, z);
    ct_program_run(look, rig->jumping->variable, rig->jumping->kept, ct_rig_prepared(rig, look));
    return ct_jump_at_start(rig, t, z);
}

double *ct_jump_kept(ct_rig *rig)
{
    return rig->jumping->kept;
}

/* ---- algebraic unknowns on the way */

typedef struct halfway {
    ct_jumping *k;
    ct_problem problem;
    ct_newton *newton;
    ct_arena *arena;
} halfway;

static void evaluate_level(void *user, double t, const double *z, double *fg)
{
    halfway *h = user;
    const ct_machine *m = h->k->rig->machine;
    memset(fg, 0, m->n * sizeof *fg);
    memcpy(h->k->variable, z, (m->n + m->m) * sizeof *z);
    h->k->variable[m->n + m->m] = t;
    ct_program_run(m->jumps->stay, h->k->variable, fg + m->n, h->k->work_stay);
}

static void slope_level(void *user, double t, const double *z, double *value)
{
    halfway *h = user;
    ct_plain_problem(h->k->rig)->jacobian(h->k->rig, t, z, value);
}

static halfway *open_halfway(ct_jumping *k)
{
    const ct_machine *m = k->rig->machine;
    if (!m->m)
        return NULL;
    ct_arena *arena = ct_arena_new(m->ctx);
    halfway *h = CT_NEW(arena, halfway);
    ct_need_pattern(ct_plain_problem(k->rig));
    h->arena = arena;
    h->k = k;
    h->problem = *ct_plain_problem(k->rig);
    h->problem.user = h;
    h->problem.evaluate = evaluate_level;
    h->problem.jacobian = slope_level;
    h->problem.linearise = NULL;
    h->newton = ct_newton_new(arena, &h->problem, m->n, m->m);
    return h;
}

static void close_halfway(halfway *h)
{
    if (!h)
        return;
    ct_newton_free(h->newton);
    ct_arena_free(h->arena);
}

/* slope = J (0, w'), at z. */
static void times_pushed(halfway *h, double t, const double *z, double *slope)
{
    const ct_machine *m = h->k->rig->machine;
    const ct_problem *p = &h->problem;
    p->jacobian(h, t, z, h->newton->jacobian);
    memset(slope, 0, (m->n + m->m) * sizeof *slope);
    for (uint32_t c = m->n; c < m->n + m->m; c++)
        for (uint32_t i = p->start[c]; i < p->start[c + 1]; i++)
            slope[p->row[i]] += h->newton->jacobian[i] * h->k->w[c - m->n];
}

/* Does a condition of the equations change its side where w goes far? Which one an impulse is on is
 * not decided then. */
static bool changes_side(const ct_rig *rig, double t, const double *far)
{
    const ct_machine *m = rig->machine;
    ct_arena *scratch = ct_arena_new(m->ctx);
    uint32_t count = m->events.root.count;
    double *held = rig->variable + m->known, *own = CT_NEW_ARRAY(scratch, double, count + 1);
    bool changed = false;
    memcpy(own, held, count * sizeof *own);
    rig->held.hold(rig->held.user, t, far);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; own[i] != held[i] && k < m->n + m->m && !changed; k++)
            changed = ct_expr_has(m->pool, m->kept[k], m->events.root.at[i].held);
    memcpy(held, own, count * sizeof *own);
    ct_arena_free(scratch);
    return changed;
}

/* Rows that bend where w goes far along w' would take an impulse through what is not linear. */
static void test_bend(halfway *h, double t, const double *z)
{
    ct_jumping *k = h->k;
    const ct_machine *m = k->rig->machine;
    double *far = k->coarse, most = 0;
    memcpy(far, z, (m->n + m->m) * sizeof *far);
    for (uint32_t i = 0; i < m->m; i++)
        far[m->n + i] += far_away * k->w[i];
    double *beyond = CT_NEW_ARRAY(h->arena, double, m->n + m->m + 1);
    times_pushed(h, t, far, beyond);
    for (uint32_t i = 0; i < m->n + m->m; i++)
        most = fmax(most, fabs(k->slope[i]));
    for (uint32_t i = 0; i < m->n + m->m; i++)
        if (!(fabs(beyond[i] - k->slope[i]) <= proportional * most))
            k->curved = true;
    if (k->rig->held.hold && changes_side(k->rig, t, far))
        k->curved = true;
}

/* w' of the impulse from dg/dw w' = -dg/ds, and what it does to rates. */
static ct_solve_status push_algebraic(halfway *h, double t, const double *z, double *rate)
{
    ct_jumping *k = h->k;
    const ct_machine *m = k->rig->machine;
    double most = 0;
    ct_newton_jacobian(h->newton, t, z);
    ct_solve_status status = ct_linear_factor(h->newton->linear);
    for (uint32_t i = 0; i < m->m; i++) {
        k->w[i] = -k->go[m->n + i];
        most = fmax(most, fabs(k->w[i]));
    }
    if (status != CT_SOLVED || most == 0)
        return status;
    ct_linear_solve(h->newton->linear, k->w);
    times_pushed(h, t, z, k->slope);
    test_bend(h, t, z);
    for (uint32_t i = 0; i < m->n; i++)
        rate[i] += k->slope[i];
    return CT_SOLVED;
}

/* ---- the way */

/* dx/ds and impulses at a part of the way; now: x, and w as a guess. */
static ct_solve_status rate_at(ct_jumping *k, halfway *h, double t, double part)
{
    const ct_machine *m = k->rig->machine;
    ct_solve_status status = CT_SOLVED;
    set_variables(k, t, k->now);
    set_slacks(k, part);
    if (h)
        status = ct_newton_solve(h->newton, t, k->now);
    if (status != CT_SOLVED)
        return status;
    memcpy(k->variable, k->now, (m->n + m->m) * sizeof *k->now);
    ct_program_run(m->jumps->go, k->variable, k->go, k->work_go);
    memcpy(k->rate, k->go, m->n * sizeof *k->rate);
    memcpy(k->rate + m->n, k->go + m->n + m->m, m->jumps->shock.count * sizeof *k->rate);
    if (h)
        status = push_algebraic(h, t, k->now, k->rate);
    for (uint32_t i = 0; i < k->size; i++)
        if (!isfinite(k->rate[i]))
            return CT_NOT_FINITE;
    return status;
}

/* One step of the classical Runge-Kutta method. */
static ct_solve_status one_step(ct_jumping *k, halfway *h, double t, double part, double by)
{
    static const double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const ct_machine *m = k->rig->machine;
    memcpy(k->begin, k->sum, k->size * sizeof *k->begin);
    for (int stage = 0; stage < 4; stage++) {
        for (uint32_t i = 0; i < m->n; i++)
            k->now[i] = k->begin[i] + (stage ? by * reach[stage] * k->rate[i] : 0);
        ct_solve_status status = rate_at(k, h, t, part + reach[stage] * by);
        if (status != CT_SOLVED)
            return status;
        for (uint32_t i = 0; i < k->size; i++)
            k->sum[i] += by * weight[stage] * k->rate[i];
    }
    return CT_SOLVED;
}

/* x and impulses at the end of the way, into sum. */
static ct_solve_status walk(ct_jumping *k, halfway *h, double t, const double *z, uint32_t steps)
{
    const ct_machine *m = k->rig->machine;
    ct_solve_status status = CT_SOLVED;
    memcpy(k->now, z, (m->n + m->m) * sizeof *z);
    memcpy(k->sum, z, m->n * sizeof *z);
    memset(k->sum + m->n, 0, m->jumps->shock.count * sizeof *k->sum);
    for (uint32_t i = 0; i < steps && status == CT_SOLVED; i++)
        status = one_step(k, h, t, (double)i / steps, 1.0 / steps);
    return status;
}

/* Finer and finer; a straight way takes no more than the first. */
static ct_solve_status walk_well(ct_jumping *k, halfway *h, double t, const double *z)
{
    double *last = k->from;
    for (uint32_t steps = 1; steps <= MOST_STEPS; steps *= 2) {
        ct_solve_status status = walk(k, h, t, z, steps);
        bool same = steps > 1;
        for (uint32_t i = 0; i < k->size && same; i++) {
            double size = fabs(k->sum[i]) + (i < k->rig->machine->n ? fabs(z[i]) : 0);
            same = fabs(k->sum[i] - last[i]) <= 15 * way_accuracy * size;
        }
        if (status != CT_SOLVED || same)
            return status;
        memcpy(last, k->sum, k->size * sizeof *last);
    }
    return CT_SOLVED;
}

/* ---- rates of rates: a position that jumps, x' = ... + E slack''
 *
 * Then x itself takes an impulse, E slack', and what depends on x linearly jumps by A E. */

/* b = A x: rows that w follows in are worked out, g_w w' = -g_x x. Into k->w, and no rows of g. */
static ct_solve_status follow(ct_jumping *k, halfway *h, double t, const double *z, const double *x,
                              double *b)
{
    const ct_problem *p = ct_plain_problem(k->rig);
    double *value = CT_NEW_ARRAY(k->rig->arena, double, p->start[p->n + p->m] + 1);
    p->jacobian(p->user, t, z, value);
    memset(b, 0, (p->n + p->m) * sizeof *b);
    for (uint32_t c = 0; c < p->n; c++)
        for (uint32_t i = p->start[c]; i < p->start[c + 1]; i++)
            b[p->row[i]] += value[i] * x[c];
    if (!h)
        return CT_SOLVED;
    for (uint32_t i = 0; i < p->m; i++)
        k->w[i] = -b[p->n + i];
    ct_newton_jacobian(h->newton, t, z);
    ct_solve_status status = ct_linear_factor(h->newton->linear);
    if (status != CT_SOLVED)
        return status;
    ct_linear_solve(h->newton->linear, k->w);
    times_pushed(h, t, z, k->slope);
    for (uint32_t i = 0; i < p->n; i++)
        b[i] += k->slope[i];
    return CT_SOLVED;
}

static double largest_of(const double *x, uint32_t count)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* Adds A E (-missing) to sum. */
static ct_solve_status add_second(ct_jumping *k, halfway *h, double t, const double *z)
{
    const ct_rig *rig = k->rig;
    const ct_machine *m = rig->machine;
    double *impulse = k->go, *here = k->rate, *there = k->coarse, *far = k->begin;
    set_variables(k, t, z);
    set_slacks(k, 1);
    ct_program_run(m->jumps->second, k->variable, impulse, k->work_second);
    bool mechanical = m->reduced->system->mechanics != NULL;
    if (largest_of(impulse, m->n) <= (mechanical ? place_noise * largest_of(z, m->n) : 0))
        return CT_SOLVED; /* places are closed to rounding: that is no jump */
    k->curved |= mechanical;
    ct_need_pattern(ct_plain_problem(rig));
    ct_solve_status status = follow(k, h, t, z, impulse, here);
    for (uint32_t i = 0; i < m->n + m->m; i++)
        far[i] = z[i] + far_away * (i < m->n ? impulse[i] : k->w[i - m->n]);
    if (status == CT_SOLVED)
        status = follow(k, h, t, far, impulse, there);
    double most = largest_of(here, m->n);
    for (uint32_t i = 0; i < m->n; i++) {
        k->curved |= !(fabs(here[i] - there[i]) <= proportional * most);
        k->sum[i] += here[i];
    }
    return status;
}

/* ---- a jump */

/* Constraints hold what those before them miss: a chain is as deep as they are nested. */
static void measure(ct_jumping *k, double t, const double *z)
{
    const ct_jumps *j = k->rig->machine->jumps;
    double *last = k->coarse;
    bool changed = true;
    set_variables(k, t, z);
    memset(k->missing, 0, j->count * sizeof *k->missing);
    for (uint32_t round = 0; changed && round <= j->count; round++) {
        memcpy(last, k->missing, j->count * sizeof *last);
        set_slacks(k, 0);
        ct_program_run(j->miss, k->variable, k->missing, k->work_miss);
        changed = memcmp(last, k->missing, j->count * sizeof *last) != 0;
    }
}

/* What a constraint misses is no better than what cancels inside of it: a voltage of 1 nV that is
 * the difference of two of 3 V moves by more when these move by their rounding. */
static void drop_rounding(ct_jumping *k, double t, const double *z)
{
    static const double turn[] = {0.6180339887498949, 0.4142135623730951};
    const ct_machine *m = k->rig->machine;
    uint32_t count = m->jumps->count;
    double *found = k->from, *noise = k->begin, *beside = k->now;
    memcpy(found, k->missing, count * sizeof *found);
    memset(noise, 0, count * sizeof *noise);
    for (uint32_t try = 0; try < 2; try++) {
        for (uint32_t i = 0; i < m->n + m->m; i++) /* no two alike */
            beside[i] = z[i] * (1 + negligible * (2 * fmod((i + 1) * turn[try], 1) - 1));
        measure(k, t, beside);
        for (uint32_t i = 0; i < count; i++)
            noise[i] = fmax(noise[i], fabs(k->missing[i] - found[i]));
    }
    for (uint32_t i = 0; i < count; i++)
        k->missing[i] = fabs(found[i]) <= noise[i] ? 0 : found[i];
}

/* What constraints miss; how much of what cancels in them. */
static double find_missing(ct_jumping *k, double t, const double *z)
{
    const ct_machine *m = k->rig->machine;
    const ct_jumps *j = m->jumps;
    double *drivers = k->coarse, *size = k->slope, most = 0;
    bool any = false;
    measure(k, t, z);
    memset(k->variable, 0, (m->n + m->m) * sizeof *k->variable);
    memset(k->variable + m->z_count, 0, j->kept.count * sizeof *k->variable);
    ct_program_run(j->miss, k->variable, drivers, k->work_miss);
    for (uint32_t i = 0, kept = 0; i < j->count; i++) {
        if (!isfinite(drivers[i])) /* a quaternion of length zero */
            drivers[i] = 0;
        size[i] = fabs(drivers[i]) + fabs(k->missing[i] - drivers[i]);
        if (j->has_kept[i])
            size[i] += fabs(k->kept[kept++]);
        if (fabs(k->missing[i]) <= negligible * size[i])
            k->missing[i] = 0;
        any |= k->missing[i] != 0; /* not finite counts */
    }
    if (any)
        drop_rounding(k, t, z);
    for (uint32_t i = 0; i < j->count; i++)
        if (k->missing[i] != 0)
            most = fmax(most, size[i] > 0 ? fabs(k->missing[i]) / size[i] : 1);
    return most;
}

/* A position that jumps moves bodies through space in no time. */
static bool tears(ct_jumping *k, double t, const double *z)
{
    const ct_jumps *j = k->rig->machine->jumps;
    double *now = k->coarse;
    if (!j->placed.count)
        return false;
    set_variables(k, t, z);
    ct_program_run(j->look, k->variable, now, k->work_look);
    double fastest = 0;
    for (uint32_t i = 0; i < j->kept.count; i++)
        fastest = fmax(fastest, fmax(fabs(now[i]), fabs(k->kept[i])));
    for (uint32_t i = 0; i < j->placed.count; i++) {
        double was = k->kept[j->kept.count + i], is = now[j->kept.count + i];
        double moves = 4 * fastest * (t - k->before); /* both sides are a hair apart */
        if (!(fabs(is - was) <= moves + worth_telling * (fabs(is) + fabs(was))))
            k->torn = j->placed.at[i];
    }
    return k->torn != NULL;
}

/* Of what positions miss: enough to be a jump, and no hair of a motion. */
static bool is_far(const ct_jumping *k, uint32_t slack, uint32_t kept, double moves)
{
    double missing = fabs(k->missing[slack]), was = fabs(k->kept[kept]);
    return k->rig->machine->jumps->placing[slack] && missing > moves + worth_telling * was;
}

/* A source puts a mass elsewhere in no time: its speed would be an impulse, its energy infinite. */
static bool bursts(ct_jumping *k, double t, const double *z)
{
    const ct_jumps *j = k->rig->machine->jumps;
    double *by = k->coarse, hair = t - k->before;
    if (!j->burst.count)
        return false;
    double moves = 4 * fmax(k->rushed, rush_of(k, t, z, 1)) * hair;
    for (uint32_t i = 0, kept = 0; i < j->count && !k->burst; kept += j->has_kept[i++]) {
        if (!is_far(k, i, kept, moves))
            continue;
        set_variables(k, t, z);
        set_slacks(k, 0);
        for (uint32_t other = 0; other < j->count; other++)
            if (other != i)
                k->variable[k->rig->machine->z_count + j->kept.count + j->count + other] = 0;
        ct_program_run(j->holds, k->variable, by, k->work_holds);
        for (uint32_t b = 0; b < j->burst.count; b++)
            if (!(fabs(by[b]) <= worth_telling * fabs(k->missing[i])) && !k->burst)
                k->burst = &j->burst.at[b];
        k->burst_by = i;
    }
    return k->burst != NULL;
}

/* How far what is missed moves between two times that are a hair apart. */
static void add_motion(ct_jumping *k, double from, double to, const double *z, double *most)
{
    uint32_t count = k->rig->machine->jumps->count;
    measure(k, from, z);
    memcpy(k->begin, k->missing, count * sizeof *k->begin);
    measure(k, to, z);
    for (uint32_t i = 0; i < count; i++)
        most[i] = fmax(most[i], fabs(k->missing[i] - k->begin[i]));
}

/* Both sides of an instant are a hair apart: is it what sources move in that time, and no jump?
 * At a corner they may move on one side only, each on its own. */
static bool is_motion(ct_jumping *k, double t, const double *z)
{
    uint32_t count = k->rig->machine->jumps->count;
    double *first = k->from, *most = k->now, hair = t - k->before;
    bool motion = true;
    memcpy(first, k->missing, count * sizeof *first);
    memset(most, 0, count * sizeof *most);
    add_motion(k, t, t + hair, z, most);
    add_motion(k, k->before - hair, k->before, z, most);
    for (uint32_t i = 0; i < count && motion; i++)
        motion = most[i] >= fabs(first[i]) / 4;
    memcpy(k->missing, first, count * sizeof *first);
    return motion;
}

static ct_solve_status jump(ct_rig *rig, double t, double *z, bool start, bool *moved)
{
    ct_jumping *k = rig->jumping;
    const ct_machine *m = rig->machine;
    size_t bytes = m->jumps->shock.count * sizeof *k->impulse;
    *moved = false;
    memset(k->impulse, 0, bytes);
    k->burst = NULL;
    if (rig->held.hold)
        rig->held.hold(rig, t, z);
    if (ct_rig_next_jump(rig, k->before) > t)
        t = k->before; /* time alone changes nothing: a difference would be rounding */
    k->failed_at = t;
    if (tears(k, t, z))
        return CT_SINGULAR;
    double most = find_missing(k, t, z);
    if (most == 0 || (!start && is_motion(k, t, z)))
        return CT_SOLVED;
    if (!start && bursts(k, t, z))
        return CT_SINGULAR;
    halfway *h = open_halfway(k);
    ct_solve_status status = walk_well(k, h, t, z);
    if (status == CT_SOLVED && m->jumps->second)
        status = add_second(k, h, t, z);
    close_halfway(h);
    for (uint32_t i = 0; i < m->jumps->count; i++)
        k->curved |= m->jumps->bent[i] && k->missing[i] != 0;
    if (status != CT_SOLVED || k->curved)
        return status != CT_SOLVED ? status : CT_SINGULAR;
    if (most > worth_telling)
        memcpy(k->impulse, k->sum + m->n, bytes);
    k->happened = t;
    memcpy(z, k->sum, m->n * sizeof *z);
    memcpy(z + m->n, k->now + m->n, m->m * sizeof *z);
    ct_jump_remember(rig, t, z);
    *moved = true;
    return CT_SOLVED;
}

ct_solve_status ct_jump_try(ct_rig *rig, double t, double *z, bool *moved)
{
    return jump(rig, t, z, false, moved);
}

ct_solve_status ct_jump(void *rig, double t, double *z, bool *moved)
{
    ct_solve_status status = jump(rig, t, z, false, moved);
    if (*moved)
        ct_note_impulses(rig);
    return status;
}

ct_solve_status ct_jump_at_start(ct_rig *rig, double t, double *z)
{
    bool moved;
    return jump(rig, t, z, true, &moved);
}

/* A model without states has no steps: its breaks are looked at one by one. last: where a jump
 * fails, rows are good up to there. */
ct_solve_status ct_jump_through(ct_rig *rig, double from, double to, double *last)
{
    double none[1] = {0}, t = from;
    ct_solve_status status = CT_SOLVED;
    bool moved;
    if (!rig->jumping || rig->machine->n + rig->machine->m)
        return CT_SOLVED;
    for (int i = 0; i < MOST_BREAKS && status == CT_SOLVED; i++) {
        if (!((t = ct_rig_next_break(rig, t)) <= to))
            break;
        double hair = 8 * DBL_EPSILON * fmax(fabs(t), rig->span);
        ct_jump_remember(rig, t - hair, none);
        status = ct_jump(rig, t + hair, none, &moved);
        *last = status == CT_SOLVED ? *last : t - hair;
    }
    return status;
}
