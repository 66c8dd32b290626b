/* rest.c - static equilibrium of mechanisms.
 *
 * Newton's iteration may end at any equilibrium, also an unstable one far away. So the bodies are
 * let go first, and stopped whenever their speeds no longer rise (kinetic damping): they come near
 * to the equilibrium that friction would bring them to. From there f = 0, g = 0 and the invariants
 * are solved at once, with what gears leave between coordinates (relations.c): more equations than
 * unknowns, but they agree. */
#include <math.h>
#include <string.h>

#include "mechanics/mechanics.h"
#include "simulate/relations.h"

static const double closed = 1e-10; /* of the largest value: rows are met */
static const double flat = 1e-5;    /* of the first fall: nothing pulls any more */
static const double longest = 1e6;  /* seconds of one fall */

typedef struct resting {
    ct_rig *rig;
    double t;
    ct_relations relations;
    uint32_t size, loops;
    uint32_t *start, *row;
    double *slope, *loop_slope;
} resting;

static void evaluate(void *user, const double *z, double *r)
{
    resting *s = user;
    const ct_problem *p = &s->rig->free;
    p->evaluate(p->user, s->t, z, r);
    p->invariants(p->user, s->t, z, r + s->size);
    ct_relations_left(&s->relations, s->size, z, r + s->size + s->loops);
}

/* Column by column: the entries of (f, g), those of the invariants, those of the relations. */
static void jacobian(void *user, const double *z, double *value)
{
    resting *s = user;
    const ct_problem *p = &s->rig->free;
    p->jacobian(p->user, s->t, z, s->slope);
    p->invariant_slope(p->user, s->t, z, s->loop_slope);
    for (uint32_t k = 0; k < s->size; k++) {
        uint32_t count = p->start[k + 1] - p->start[k];
        memcpy(value, s->slope + p->start[k], count * sizeof *value);
        value += count;
        if (k >= p->n)
            continue;
        count = p->invariant_start[k + 1] - p->invariant_start[k];
        memcpy(value, s->loop_slope + p->invariant_start[k], count * sizeof *value);
        value += count;
        for (uint32_t i = s->relations.start[k]; i < s->relations.start[k + 1]; i++)
            *value++ = s->relations.factor[i];
    }
}

static void join_patterns(resting *s, ct_arena *arena)
{
    const ct_problem *p = &s->rig->free;
    ct_need_pattern(p);
    const ct_relations *tied = &s->relations;
    uint32_t most = p->start[s->size] + p->invariant_start[p->n] + tied->start[s->size], at = 0;
    s->start = CT_NEW_ARRAY(arena, uint32_t, s->size + 1);
    s->row = CT_NEW_ARRAY(arena, uint32_t, most + 1);
    s->slope = CT_NEW_ARRAY(arena, double, p->start[s->size] + 1);
    s->loop_slope = CT_NEW_ARRAY(arena, double, p->invariant_start[p->n] + 1);
    for (uint32_t k = 0; k < s->size; k++) {
        for (uint32_t i = p->start[k]; i < p->start[k + 1]; i++)
            s->row[at++] = p->row[i];
        if (k < p->n)
            for (uint32_t i = p->invariant_start[k]; i < p->invariant_start[k + 1]; i++)
                s->row[at++] = s->size + p->invariant_row[i];
        for (uint32_t i = tied->start[k]; i < tied->start[k + 1]; i++)
            s->row[at++] = s->size + s->loops + tied->row[i];
        s->start[k + 1] = at;
    }
}

static ct_solve_status solve_at_once(ct_rig *rig, double t, const double *begun, double *z,
                                     ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    resting s = {.rig = rig, .t = t, .size = m->n + m->m, .loops = m->invariant_count};
    s.relations = ct_relations_new(rig, t, begun, z, arena);
    join_patterns(&s, arena);
    uint32_t count = s.size + s.loops + s.relations.count;
    ct_residual rows = {&s, count, s.size, evaluate, s.start, s.row, jacobian};
    double norm = 0, most = 1;
    for (uint32_t i = 0; i < s.size; i++)
        most = fmax(most, fabs(z[i]));
    return ct_least_change(m->ctx, &rows, closed * most, z, &norm);
}

/* ---- letting go */

enum { MOST_FALLS = 120, ROWS = 200 };

typedef struct falling {
    ct_rig *rig;
    uint32_t *speed, count; /* states that are speeds of the mechanism */
    double *z;              /* at the last row */
    double power, slope;    /* sum of speed times acceleration; largest acceleration */
    uint32_t rows;
    bool turned;
} falling;

static void list_speeds(falling *f, ct_arena *arena)
{
    const ct_machine *m = f->rig->machine;
    const ct_mechanics *mechanics = m->reduced->system->mechanics;
    f->speed = CT_NEW_ARRAY(arena, uint32_t, mechanics->coordinate_count + 1);
    for (uint32_t i = 0; i < mechanics->coordinate_count; i++) {
        uint32_t z =
            mechanics->coordinate[i].u ? ct_map_get(&m->z_index, mechanics->coordinate[i].u) : 0;
        if (z && z <= m->n)
            f->speed[f->count++] = z - 1;
    }
}

static bool look(void *user, double t, const double *z, const double *rate)
{
    falling *f = user;
    double before = f->power;
    (void)t;
    f->power = f->slope = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        double a = rate[f->speed[i]];
        f->power += z[f->speed[i]] * a;
        f->slope = fmax(f->slope, fabs(a));
    }
    memcpy(f->z, z, (f->rig->machine->n + f->rig->machine->m) * sizeof *z);
    f->turned = f->rows++ > 0 && f->power <= 0 && before >= 0;
    return !f->turned;
}

/* One fall until the speeds no longer rise; the span of time fits itself to the next one. */
static bool fall(falling *f, double t, double *span, double *z)
{
    const ct_machine *m = f->rig->machine;
    ct_run_def def = ct_default_run_def();
    ct_run_stats stats;
    def.start = t, def.stop = t + *span, def.points = ROWS;
    def.rtol = 1e-5, def.atol = 1e-8;
    def.row = look, def.row_user = f;
    f->rows = 0;
    f->power = 0;
    memcpy(f->z, z, (m->n + m->m) * sizeof *z);
    ct_solve_status status = ct_integrate(m->ctx, &f->rig->held, &def, z, &stats);
    if (status != CT_SOLVED && status != CT_STOPPED)
        return false;
    memcpy(z, f->z, (m->n + m->m) * sizeof *z);
    *span *= !f->turned ? 4 : f->rows < ROWS / 8 ? 0.25 : 1;
    for (uint32_t i = 0; i < f->count; i++)
        z[f->speed[i]] = 0;
    return true;
}

static void let_go(ct_rig *rig, double t, double *z, ct_arena *arena)
{
    const ct_machine *m = rig->machine;
    falling f = {.rig = rig};
    double span = 1, first = 0;
    list_speeds(&f, arena);
    f.z = CT_NEW_ARRAY(arena, double, m->n + m->m + 1);
    for (uint32_t i = 0; i < f.count; i++)
        z[f.speed[i]] = 0;
    for (int i = 0; f.count && i < MOST_FALLS; i++) {
        if (!fall(&f, t, &span, z))
            return;
        first = fmax(first, f.slope);
        if (f.slope <= flat * first || span > longest)
            return;
    }
}

/* Long slender beams fall in many small steps, and are far from rest after all of them: on from
 * there with damped steps (steady.c), where no loop wants more equations than unknowns. */
static ct_solve_status go_on(ct_rig *rig, double t, const double *fallen, double *y)
{
    const ct_machine *m = rig->machine;
    const ct_problem *rest = ct_rig_rest(rig);
    ct_run_stats stats = {.culprit = UINT32_MAX};
    memcpy(y, fallen, (m->n + m->m) * sizeof *y);
    return rest ? ct_steady(m->ctx, rest, t, y, &stats) : CT_SINGULAR;
}

ct_solve_status ct_find_rest(ct_rig *rig, double t, double *z)
{
    const ct_machine *m = rig->machine;
    ct_arena *arena = ct_arena_new(m->ctx);
    double *y = CT_NEW_ARRAY(arena, double, 2 * (size_t)(m->n + m->m) + 1);
    double *fallen = y + m->n + m->m;
    memcpy(y, z, (m->n + m->m) * sizeof *y);
    let_go(rig, t, y, arena);
    memcpy(fallen, y, (m->n + m->m) * sizeof *y);
    ct_solve_status status = solve_at_once(rig, t, z, y, arena);
    if (status != CT_SOLVED && status != CT_NO_MEMORY_LEFT && !m->invariant_count)
        status = go_on(rig, t, fallen, y);
    if (status == CT_SOLVED)
        memcpy(z, y, (m->n + m->m) * sizeof *z);
    ct_arena_free(arena);
    return status;
}
