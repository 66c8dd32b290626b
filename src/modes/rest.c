/* rest.c - equilibrium of models with modes.
 *
 * What has gaps to fall through is let go first, and stopped whenever its speeds no longer rise
 * (kinetic damping, as in simulate/rest.c): so bodies come to lie on what they fall on, or stick
 * where friction holds them. Nothing is thrown back. Then rest is solved for in the mode there; at
 * rest a pair that is closed has a gap of zero, which determines where it is.
 */
#include <math.h>
#include <string.h>

#include "modes/inside.h"
#include "simulate/point.h"

enum { MOST_FALLS = 300, MOST_EVENTS = 3000, ROWS = 200 };
static const double flat = 1e-7;     /* of the first fall: nothing pulls any more */
static const double longest = 1e6;   /* seconds of one fall */
static const double rounded = 1e-12; /* of the largest pull: none */

typedef struct falling {
    ct_modes *all;
    double t; /* inputs stay as they are at t; a fall has a time of its own */
    ct_arena *arena;
    double *z, *rate;    /* at the last row */
    double power, slope; /* sum of speed times acceleration; largest acceleration */
    uint32_t rows, events;
    bool turned;
} falling;

/* ---- speeds */

static bool is_kinetic(const ct_machine *m, uint32_t state)
{
    const ct_unknown_row *u = &m->reduced->system->unknown[m->reduced->state[state]];
    const ct_graph *g = m->reduced->system->graph;
    if (u->speed || u->kind != CT_UNKNOWN_ACROSS)
        return u->speed;
    return g->domain[g->node[g->edge[u->owner].tail].domain].across_head_minus_tail;
}

static void measure(falling *f, const double *z, const double *rate)
{
    const ct_machine *m = f->all->now->machine;
    f->power = f->slope = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (is_kinetic(m, i)) {
            f->power += z[i] * rate[i];
            f->slope = fmax(f->slope, fabs(rate[i]));
        }
}

/* ---- the mode's equations, with time as it is */

static ct_rig *rig_of(const falling *f)
{
    return f->all->now->rig;
}

static void evaluate(void *user, double t, const double *z, double *fg)
{
    const falling *f = user;
    (void)t;
    rig_of(f)->held.evaluate(rig_of(f), f->t, z, fg);
}

static void slope(void *user, double t, const double *z, double *value)
{
    const falling *f = user;
    (void)t;
    rig_of(f)->held.jacobian(rig_of(f), f->t, z, value);
}

static void roots(void *user, double t, const double *z, double *value)
{
    const falling *f = user;
    (void)t;
    rig_of(f)->held.roots(rig_of(f), f->t, z, value);
}

static void hold(void *user, double t, const double *z)
{
    const falling *f = user;
    (void)t;
    rig_of(f)->held.hold(rig_of(f), f->t, z);
}

static void invariants(void *user, double t, const double *z, double *value)
{
    const falling *f = user;
    (void)t;
    rig_of(f)->held.invariants(rig_of(f), f->t, z, value);
}

static void invariant_slope(void *user, double t, const double *z, double *value)
{
    const falling *f = user;
    (void)t;
    rig_of(f)->held.invariant_slope(rig_of(f), f->t, z, value);
}

static ct_problem still_problem(falling *f)
{
    const ct_problem *p = &rig_of(f)->held;
    ct_need_pattern(p);
    return (ct_problem){.user = f,
                        .n = p->n,
                        .m = p->m,
                        .evaluate = evaluate,
                        .start = p->start,
                        .row = p->row,
                        .jacobian = slope,
                        .root_count = p->root_count,
                        .roots = roots,
                        .hold = hold,
                        .watched = p->watched,
                        .soft = p->soft,
                        .ends = p->ends,
                        .lasting = p->lasting,
                        .invariant_count = p->invariant_count,
                        .invariants = invariants,
                        .invariant_start = p->invariant_start,
                        .invariant_row = p->invariant_row,
                        .invariant_slope = invariant_slope,
                        .speed_invariant = p->speed_invariant,
                        .speed_state = p->speed_state,
                        .is_rate = p->is_rate};
}

/* ---- falling */

static bool look(void *user, double t, const double *z, const double *rate)
{
    falling *f = user;
    double before = f->power;
    (void)t;
    measure(f, z, rate);
    f->turned = f->rows++ > 0 && f->power <= 0 && before >= 0;
    const ct_machine *m = f->all->now->machine;
    memcpy(f->z, z, (m->n + m->m) * sizeof *z);
    return !f->turned;
}

/* The mode for what is there now; false: none is right. */
static bool choose_anew(falling *f, bool ended)
{
    ct_modes *all = f->all;
    if (!ct_modes_end(all, f->t, ended))
        return false;
    all->choice.crossed = ended ? all->choice.crossed : 0;
    ct_mode_conditions(all->now, f->t, all->way);
    return ct_modes_settle(all, f->t, f->t);
}

static bool stop_all(falling *f)
{
    const ct_machine *m = f->all->now->machine;
    for (uint32_t i = 0; i < m->n; i++)
        if (is_kinetic(m, i))
            f->all->now->z[i] = 0;
    return choose_anew(f, false);
}

/* A gap has closed: an impact is where speeds no longer rise. */
static bool has_hit(const ct_modes *all)
{
    return all->choice.left != UINT32_MAX && all->item[all->choice.left / 2].gap &&
           all->from->way[all->choice.left / 2] == CT_WAY_SECOND;
}

/* Until the speeds no longer rise, through modes; the span of time fits itself to the next one. */
static bool fall(falling *f, double *span)
{
    ct_modes *all = f->all;
    ct_run_def def = ct_default_run_def();
    ct_run_stats stats;
    def.points = ROWS;
    def.rtol = 1e-6, def.atol = 1e-9;
    def.row = look, def.row_user = f;
    for (double left = *span; left > 0; left -= stats.last_time) {
        const ct_machine *m = all->now->machine;
        def.stop = left;
        f->rows = 0, f->power = 0, f->turned = false;
        f->z = CT_NEW_ARRAY(f->arena, double, m->n + m->m + 1);
        ct_problem p = still_problem(f);
        ct_solve_status status = ct_integrate(all->ctx, &p, &def, all->now->z, &stats);
        if (f->turned)
            memcpy(all->now->z, f->z, (m->n + m->m) * sizeof *f->z);
        if (status == CT_SOLVED || f->turned)
            break;
        if (status != CT_ENDED || f->events++ > MOST_EVENTS || !choose_anew(f, true))
            return false;
        if (has_hit(all))
            return true;
    }
    *span *= !f->turned ? 4 : f->rows < ROWS / 8 ? 0.25 : 1;
    return true;
}

/* Largest acceleration of what has just been stopped. */
static double pull(falling *f)
{
    const ct_machine *m = f->all->now->machine;
    double *rate = CT_NEW_ARRAY(f->arena, double, m->n + m->m + 1);
    evaluate(f, f->t, f->all->now->z, rate);
    measure(f, f->all->now->z, rate);
    return f->slope;
}

/* The largest pull on the way. */
static double let_go(falling *f)
{
    double span = 1, first = 0;
    bool good = stop_all(f);
    for (int i = 0; good && i < MOST_FALLS && span < longest; i++) {
        double now = pull(f);
        first = fmax(first, now);
        if (!(now > flat * first))
            break;
        good = fall(f, &span) && stop_all(f);
    }
    return first;
}

/* Reports on the way are none of the end; where it does not lead anywhere rest is sought from the
 * start. */
static bool let_fall(ct_modes *all, double t)
{
    falling f = {.all = all, .t = t, .arena = ct_arena_new(all->ctx)};
    double *series = all->choice.series;
    uint32_t reports = ct_reports_so_far(all->ctx);
    size_t errors = ct_errors_raised(all->ctx);
    all->choice.series = NULL;
    all->pull = let_go(&f);
    all->choice.series = series;
    bool lost = ct_errors_raised(all->ctx) != errors;
    ct_forget_reports_since(all->ctx, reports);
    ct_arena_free(f.arena);
    return !lost;
}

/* ---- rest */

static bool has_gaps(const ct_modes *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->item[i].gap)
            return true;
    return false;
}

/* Closed pairs with a gap: shut while rest is sought, and back. */
static void turn_ways(const ct_modes *all, uint8_t from, uint8_t to)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->item[i].gap && all->way[i] == from && ct_item_stands(all->item, i, all->way))
            all->way[i] = to;
}

static uint8_t other_way(const ct_modes *all, uint32_t root)
{
    uint8_t way = all->way[root / 2];
    if (!all->item[root / 2].gap)
        return ct_flipped(way, root);
    return way == CT_WAY_SHUT ? CT_WAY_SECOND : CT_WAY_SHUT;
}

/* The mode of all->way, at what the records hold; NULL after reporting. */
static ct_regime *mode_at_rest(ct_modes *all, double t)
{
    ct_regime *mode = ct_mode_need(all, all->way, t);
    if (!mode || !ct_modes_remember(all))
        return NULL;
    ct_mode_take(mode);
    return mode;
}

/* In the mode of a run, where closed pairs are only held. */
static const ct_point *show_rest(ct_modes *all, ct_regime *mode, double t, ct_arena *arena)
{
    const char *method = mode->rig->start_method;
    if (!ct_modes_go_from(mode, t))
        return NULL;
    all->now = mode;
    turn_ways(all, CT_WAY_SHUT, CT_WAY_FIRST);
    all->still = false;
    ct_regime *now = mode_at_rest(all, t);
    if (!now || ct_mode_enter(now, t, t) != CT_SOLVED)
        return NULL;
    all->now = now;
    return ct_modes_shown(all, method, t, arena);
}

/* Does nothing move, but for rounding? Where contacts hold all that a body could do no equation is
 * left to be solved. */
static bool is_still(ct_regime *mode, double t, ct_arena *arena)
{
    const ct_machine *m = mode->machine;
    const ct_problem *p = &mode->rig->free;
    double *rate = CT_NEW_ARRAY(arena, double, m->n + m->m + 1);
    p->evaluate(p->user, t, mode->z, rate);
    bool still = m->n > 0 && !m->m;
    for (uint32_t i = 0; i < m->n && still; i++)
        still = fabs(rate[i]) <= (is_kinetic(m, i) ? rounded * mode->all->pull : 0);
    return still;
}

static ct_solve_status settle(ct_regime *mode, double t, ct_arena *arena)
{
    const ct_machine *m = mode->machine;
    ct_run_stats stats = {0};
    mode->rig->start_method = CT_METHOD_NEWTON;
    if (is_still(mode, t, arena))
        return CT_SOLVED;
    if (m->n)
        return ct_settle_rig(mode->rig, t, mode->z);
    return m->m ? ct_solve_algebraic(m->ctx, &mode->rig->free, t, mode->z, true, &stats)
                : CT_SOLVED;
}

/* Other items may be right at rest than at the start. */
static const ct_point *find_rest(ct_modes *all, double t, ct_arena *arena)
{
    for (uint32_t round = 0; round <= 2 * all->count; round++) {
        if (!ct_modes_go_from(all->now, t))
            return NULL;
        ct_regime *mode = mode_at_rest(all, t);
        if (!mode || settle(mode, t, arena) != CT_SOLVED)
            return NULL;
        bool changed = ct_mode_conditions(mode, t, all->way);
        uint32_t wrong = ct_mode_wrong(mode, t);
        if (wrong == UINT32_MAX && !changed)
            return show_rest(all, mode, t, arena);
        if (wrong != UINT32_MAX)
            all->way[wrong / 2] = other_way(all, wrong);
        all->now = mode;
    }
    ct_modes_report_loop(all, t);
    return NULL;
}

const ct_point *ct_modes_rest(ct_modes *all, double t, ct_arena *arena)
{
    all->pull = 0;
    if (!ct_modes_start(all, t, t, NULL, 0))
        return NULL;
    if (has_gaps(all) && !let_fall(all, t) && !ct_modes_start(all, t, t, NULL, 0))
        return NULL;
    memcpy(all->way, all->now->way, all->count);
    turn_ways(all, CT_WAY_FIRST, CT_WAY_SHUT);
    all->still = true;
    const ct_point *point = find_rest(all, t, arena);
    all->still = false;
    ct_modes_tell_wishes(all);
    return point;
}
