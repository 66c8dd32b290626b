/* choose.c - modes of all items together: one complementarity problem.
 *
 * The network is linearised where each item is replaced by a resistance and a source p (the way
 * CT_WAY_FREE). One backward Euler step of length h makes all quantities of items linear in p; the
 * ways are those for which each item has the signs it should have after that step. For h -> 0 this
 * covers impulses, values and derivatives of any order. Block principal pivoting: all wrong items
 * are flipped at once, and one at a time when that does not help. What is found is derived,
 * entered and looked at.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "modes/inside.h"
#include "simulate/jump.h"

enum { MOST_TRIED = 27, PATIENCE = 4, FEW = 12, STARTS = 24 }; /* few items: more starts */
static const double regular = 1e-6; /* resistance of what is closed, times h/tau */
static const double rounding = 1e-13;
static const double longest_part = 1e-3; /* of the run: what things take at the most */
static const double redundant = 1e-14;   /* of the other quantity: none at all */
static const double dependent = 1e-8;    /* of a line: what is left without others */

typedef struct ct_lcp {
    uint32_t size, count; /* z; items that are to be chosen */
    uint32_t *item, *p;   /* which; z of their sources */
    ct_bundle bundle;     /* what is watched, by z */
    double *work, *work_slope, *slope, *value;
    double *jacobian, *fg;
    ct_dense step, chosen; /* matrix of the step; of the sources */
    double *way_p;         /* dz by each p, then by the step alone */
    double *line;          /* of each item and quantity: constant, then by p */
    double *source;
    uint8_t *forced; /* the way of an item that is redundant; CT_WAY_OPEN: it is not */
    double tau;
} ct_lcp;

uint32_t ct_mode_source(const ct_regime *wave, uint32_t item)
{
    const ct_mode_item *i = &wave->all->item[item];
    const ct_machine *m = wave->machine;
    const char *name = ct_printf(
        m->ctx, "%s.free %u", ct_name_text(m->ctx, m->model->component[i->component].name), i->law);
    return ct_map_get(&m->z_index, ct_intern_text(m->ctx, name)) - 1;
}

static ct_dense new_dense(ct_arena *arena, uint32_t n)
{
    return (ct_dense){n, CT_NEW_ARRAY(arena, double, (size_t)n *n + n + 1),
                      CT_NEW_ARRAY(arena, uint32_t, n + 1)};
}

/* False: a source is no state. */
static bool list_items(const ct_regime *wave, ct_lcp *l)
{
    bool good = true;
    const ct_modes *all = wave->all;
    l->item = CT_NEW_ARRAY(all->arena, uint32_t, all->count + 1);
    l->p = CT_NEW_ARRAY(all->arena, uint32_t, all->count + 1);
    for (uint32_t i = 0; i < all->count; i++)
        if (wave->way[i] == CT_WAY_FREE) {
            l->item[l->count] = i;
            l->p[l->count] = ct_mode_source(wave, i);
            good &= l->p[l->count++] < wave->machine->n;
        }
    return good;
}

/* NULL after reporting. */
static ct_lcp *open_lcp(ct_regime *wave)
{
    ct_arena *arena = wave->all->arena;
    const ct_machine *m = wave->machine;
    uint32_t watches = CT_WATCHES * wave->all->count;
    ct_lcp *l = CT_NEW(arena, ct_lcp);
    l->size = m->n + m->m;
    if (!list_items(wave, l) ||
        !ct_machine_bundle(m, m->watch, watches, m->z, l->size, m->z_count, &l->bundle))
        return NULL;
    l->work = ct_rig_prepared(wave->rig, l->bundle.value);
    l->work_slope = ct_rig_prepared(wave->rig, l->bundle.slope);
    l->value = CT_NEW_ARRAY(arena, double, watches + 1);
    l->slope = CT_NEW_ARRAY(arena, double, l->bundle.jacobian->count + 1);
    ct_need_pattern(&wave->rig->held);
    l->jacobian = CT_NEW_ARRAY(arena, double, wave->rig->held.start[l->size] + 1);
    l->fg = CT_NEW_ARRAY(arena, double, l->size + 1);
    l->step = new_dense(arena, l->size);
    l->chosen = new_dense(arena, l->count);
    l->way_p = CT_NEW_ARRAY(arena, double, (size_t)(l->count + 1) * l->size + 1);
    l->line = CT_NEW_ARRAY(arena, double, (size_t)(l->count + 1) * watches + 1);
    l->source = CT_NEW_ARRAY(arena, double, l->count + 1);
    l->forced = CT_NEW_ARRAY(arena, uint8_t, l->count + 1);
    return l;
}

/* ---- the linear problem */

/* Jacobian where the wave model is, and a time that things take there. */
static void linearise(ct_regime *wave, ct_lcp *l, double t)
{
    const ct_problem *p = &wave->rig->held;
    double most = 0;
    p->jacobian(p->user, t, wave->z, l->jacobian);
    for (uint32_t c = 0; c < l->size; c++)
        for (uint32_t i = p->start[c]; i < p->start[c + 1]; i++)
            if (p->row[i] < p->n && c < p->n && isfinite(l->jacobian[i]))
                most = fmax(most, fabs(l->jacobian[i]));
    l->tau = fmin(most > 0 ? 1 / most : INFINITY, longest_part * wave->all->span);
}

/* dz by p, and without, after a step of h. */
static bool solve_step(ct_regime *wave, ct_lcp *l, double t, double h)
{
    const ct_problem *p = &wave->rig->held;
    uint32_t size = l->size;
    memset(l->step.a, 0, (size_t)size * size * sizeof *l->step.a);
    for (uint32_t c = 0; c < size; c++) {
        for (uint32_t i = p->start[c]; i < p->start[c + 1]; i++)
            l->step.a[p->row[i] * size + c] = -(p->row[i] < p->n ? h : 1) * l->jacobian[i];
        if (c < p->n)
            l->step.a[c * size + c] += 1;
    }
    if (!ct_dense_factor(&l->step))
        return false;
    p->evaluate(p->user, t + h, wave->z, l->fg);
    memset(l->way_p, 0, (size_t)(l->count + 1) * size * sizeof *l->way_p);
    double *alone = l->way_p + (size_t)l->count * size;
    for (uint32_t i = 0; i < size; i++)
        alone[i] = i < p->n ? h * l->fg[i] : l->fg[i];
    for (uint32_t k = 0; k < l->count; k++) {
        l->way_p[(size_t)k * size + l->p[k]] = 1;
        ct_dense_solve(&l->step, l->way_p + (size_t)k * size);
    }
    ct_dense_solve(&l->step, alone);
    return true;
}

/* Every quantity of the items as a line over p. */
static void make_lines(ct_regime *wave, ct_lcp *l, double t, double h)
{
    ct_rig *rig = wave->rig;
    const ct_jacobian *j = l->bundle.jacobian;
    uint32_t watches = CT_WATCHES * wave->all->count, width = l->count + 1;
    memcpy(rig->variable, wave->z, l->size * sizeof *wave->z);
    rig->variable[l->size] = t + h;
    ct_program_run(l->bundle.value, rig->variable, l->value, l->work);
    ct_program_run(l->bundle.slope, rig->variable, l->slope, l->work_slope);
    for (uint32_t i = 0; i < watches; i++) {
        memset(l->line + (size_t)i * width, 0, width * sizeof *l->line);
        l->line[(size_t)i * width + l->count] = l->value[i];
    }
    for (uint32_t c = 0; c < l->size; c++)
        for (uint32_t e = j->start[c]; e < j->start[c + 1]; e++)
            for (uint32_t k = 0; k < width; k++)
                l->line[(size_t)j->row[e] * width + k] +=
                    l->slope[e] * l->way_p[(size_t)k * l->size + c];
}

static double *line_at(ct_lcp *l, uint32_t k, int quantity)
{
    return l->line + (size_t)(CT_WATCHES * l->item[k] + (uint32_t)quantity) * (l->count + 1);
}

static const double *line_of(const ct_lcp *l, uint32_t k, int quantity)
{
    return l->line + (size_t)(CT_WATCHES * l->item[k] + (uint32_t)quantity) * (l->count + 1);
}

static double size_of(const ct_lcp *l, const double *line)
{
    double sum = 0;
    for (uint32_t c = 0; c <= l->count; c++)
        sum += fabs(line[c]);
    return sum;
}

/* A quantity that is zero whatever the sources are (a diode across a closed switch) decides: the
 * other one is zero, too, so that the matrix stays regular. */
static void force_ways(const ct_modes *all, ct_lcp *l)
{
    for (uint32_t k = 0; k < l->count; k++) {
        double a = size_of(l, line_of(l, k, CT_WATCH_A)), b = size_of(l, line_of(l, k, CT_WATCH_B));
        bool pair = all->item[l->item[k]].kind == CT_LAW_PAIR;
        l->forced[k] = b <= redundant * a  ? CT_WAY_FIRST
                       : a > redundant * b ? CT_WAY_OPEN
                       : pair              ? CT_WAY_SECOND
                                           : CT_WAY_FIRST;
        if (!pair && size_of(l, line_of(l, k, CT_WATCH_LIMIT)) == 0 &&
            size_of(l, line_of(l, k, CT_WATCH_HOLD)) == 0)
            l->forced[k] = CT_WAY_SECOND; /* nothing presses: b = 0 whatever a is */
    }
}

/* ---- pivoting */

/* row = x + by y */
static void put_line(double *row, double *right, const ct_lcp *l, const double *x, double by,
                     const double *y)
{
    for (uint32_t c = 0; c < l->count; c++)
        row[c] = x[c] + by * y[c];
    *right = -(x[l->count] + by * y[l->count]);
}

static void put_row(const ct_modes *all, ct_lcp *l, uint32_t k, uint8_t way, double eps)
{
    const double *a = line_of(l, k, CT_WATCH_A), *b = line_of(l, k, CT_WATCH_B);
    double *row = l->chosen.a + (size_t)k * l->count;
    bool slip = all->item[l->item[k]].kind == CT_LAW_SLIP;
    if (slip && way == CT_WAY_FIRST && l->forced[k] == CT_WAY_FIRST)
        put_line(row, &l->source[k], l, b, size_of(l, b) > size_of(l, a) ? 0 : 1, a);
    else if (way == CT_WAY_FIRST)
        put_line(row, &l->source[k], l, a, slip ? -eps : eps, b);
    else if (slip)
        put_line(row, &l->source[k], l, b, way == CT_WAY_SECOND ? -1 : 1,
                 line_of(l, k, CT_WATCH_LIMIT));
    else
        put_line(row, &l->source[k], l, b, eps, a);
}

/* Value at the sources; *size: of its parts. */
static double at_sources(const ct_lcp *l, const double *line, double *size)
{
    double sum = line[l->count];
    *size += fabs(sum);
    for (uint32_t c = 0; c < l->count; c++) {
        sum += line[c] * l->source[c];
        *size += fabs(line[c] * l->source[c]);
    }
    return sum;
}

/* The way it should go, seen from the one it goes. Redundant ones stay. */
static uint8_t next_way(const ct_modes *all, const ct_lcp *l, uint32_t k, uint8_t way)
{
    double size = 0, a_size = 0;
    if (l->forced[k] != CT_WAY_OPEN)
        return way;
    double a = at_sources(l, line_of(l, k, CT_WATCH_A), &a_size);
    double b = at_sources(l, line_of(l, k, CT_WATCH_B), &size);
    if (all->item[l->item[k]].kind == CT_LAW_PAIR) {
        if (way == CT_WAY_FIRST)
            return b < -rounding * size ? CT_WAY_SECOND : CT_WAY_FIRST;
        return a < -rounding * a_size ? CT_WAY_FIRST : CT_WAY_SECOND;
    }
    double hold = at_sources(l, line_of(l, k, CT_WATCH_HOLD), &size);
    if (way == CT_WAY_FIRST)
        return b > hold + rounding * size    ? CT_WAY_SECOND
               : b < -hold - rounding * size ? CT_WAY_THIRD
                                             : CT_WAY_FIRST;
    double slips = way == CT_WAY_SECOND ? a : -a;
    return slips < -rounding * a_size ? CT_WAY_FIRST : way;
}

/* Rounds until no item is wrong; false: they do not end, or the matrix is singular. */
static bool pivot(const ct_modes *all, ct_lcp *l, uint8_t *way, double eps)
{
    uint32_t least = UINT32_MAX, patience = PATIENCE, rounds = 40 + 10 * l->count;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t wrong = 0, last = 0;
        for (uint32_t k = 0; k < l->count; k++)
            put_row(all, l, k, way[l->item[k]], eps);
        if (!ct_dense_factor(&l->chosen))
            return false;
        ct_dense_solve(&l->chosen, l->source);
        for (uint32_t k = 0; k < l->count; k++)
            if (next_way(all, l, k, way[l->item[k]]) != way[l->item[k]]) {
                wrong++;
                last = k;
            }
        if (!wrong)
            return true;
        patience = wrong < least ? PATIENCE : patience ? patience - 1 : 0;
        least = wrong < least ? wrong : least;
        for (uint32_t k = patience ? 0 : last; k <= last; k++)
            way[l->item[k]] = next_way(all, l, k, way[l->item[k]]);
    }
    return false;
}

/* Another set of ways to begin with: all closed and stuck, all open, then by lot. */
static void begin_anew(const ct_modes *all, const ct_lcp *l, uint32_t start, uint8_t *way)
{
    uint64_t dice = start;
    for (uint32_t k = 0; k < l->count; k++) {
        bool pair = all->item[l->item[k]].kind == CT_LAW_PAIR;
        dice = ct_hash_mix(dice, k);
        uint32_t side = start < 2 ? start : (uint32_t)(dice >> 32) % (pair ? 2 : 3);
        way[l->item[k]] = l->forced[k] != CT_WAY_OPEN ? l->forced[k]
                          : side == 0                 ? CT_WAY_FIRST
                          : side == 1                 ? CT_WAY_SECOND
                                                      : CT_WAY_THIRD;
    }
}

/* Friction makes the problem one that is not monotone: pivoting from some ways may go round in a
 * circle where it ends from others. */
static bool pivot_from_others(const ct_modes *all, ct_lcp *l, uint8_t *way, double eps)
{
    uint32_t starts = l->count <= FEW ? STARTS : 2;
    bool good = false;
    for (uint32_t i = 0; i < starts && !good; i++) {
        begin_anew(all, l, i, way);
        good = pivot(all, l, way, eps);
    }
    return good;
}

/* ---- trying */

typedef struct choosing {
    ct_modes *all;
    ct_regime *wave;
    ct_lcp *l;
    const uint8_t *present;
    uint8_t *way, *found;
    uint8_t *broken; /* ways that have no equations, if broke */
    double before, t;
    ct_regime *tried[MOST_TRIED];
    uint32_t tried_count;
    ct_regime *last;  /* entered last, and not right, */
    uint32_t culprit; /* by this root of an item, */
    uint32_t worst;   /* for messages */
    bool desperate;   /* from the present ways none was found */
    bool broke;
} choosing;

/* Derived, entered, looked at. Where an impulse passes it may be wrong after it: then it held for
 * the impulse alone, and the next one is sought from there. */
static bool is_right(choosing *c)
{
    ct_regime *mode = ct_mode_find(c->all, c->way, false);
    c->culprit = UINT32_MAX;
    for (uint32_t i = 0; i < c->tried_count; i++)
        if (c->tried[i] == mode)
            return false;
    if (!mode && !c->broke) {
        c->broke = true;
        memcpy(c->broken, c->way, c->all->count);
    }
    if (!mode || !ct_modes_remember(c->all))
        return false;
    if (c->tried_count < MOST_TRIED)
        c->tried[c->tried_count++] = mode;
    c->last = mode;
    if (ct_mode_enter(mode, c->before, c->t) != CT_SOLVED)
        return false;
    c->culprit = ct_mode_wrong(mode, c->t);
    c->worst = c->culprit != UINT32_MAX ? c->culprit : c->worst;
    return c->culprit == UINT32_MAX || mode->moved;
}

/* Deriving a mode may have made the wave model anew. */
static bool open_problem(choosing *c)
{
    if (c->wave->lcp && c->l == c->wave->lcp)
        return true;
    if (!c->wave->lcp)
        c->wave->lcp = open_lcp(c->wave);
    c->l = c->wave->lcp;
    if (c->l)
        linearise(c->wave, c->l, c->t);
    return c->l != NULL;
}

static void flip(choosing *c, uint32_t root)
{
    c->way[root / 2] = ct_flipped(c->way[root / 2], root);
}

/* Ways for which all signs are right after a step; shift: added to what pairs have then. */
static bool find_ways(choosing *c, double h, double eps, const double *shift)
{
    if (!open_problem(c))
        return false;
    memcpy(c->way, c->present, c->all->count);
    if (!solve_step(c->wave, c->l, c->t, h))
        return false;
    make_lines(c->wave, c->l, c->t, h);
    for (uint32_t k = 0; k < c->l->count && shift; k++)
        line_at(c->l, k, CT_WATCH_A)[c->l->count] += shift[c->l->item[k]];
    force_ways(c->all, c->l);
    for (uint32_t k = 0; k < c->l->count; k++)
        if (c->l->forced[k] != CT_WAY_OPEN)
            c->way[c->l->item[k]] = c->l->forced[k];
    return pivot(c->all, c->l, c->way, eps) ||
           (c->desperate && pivot_from_others(c->all, c->l, c->way, eps));
}

/* ---- what others hold already */

static double times(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Is the first quantity of an item zero where those that are kept are? Else it is kept, too: rows
 * of `chosen` are an orthogonal base of their lines. */
static bool is_held(ct_lcp *l, uint32_t k, uint32_t *kept)
{
    uint32_t n = l->count;
    double *own = l->chosen.a + (size_t)*kept * n, size;
    memcpy(own, line_of(l, k, CT_WATCH_A), n * sizeof *own);
    size = sqrt(times(own, own, n));
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < *kept; i++) {
            const double *base = l->chosen.a + (size_t)i * n;
            double part = times(own, base, n);
            for (uint32_t c = 0; c < n; c++)
                own[c] -= part * base[c];
        }
    double left = sqrt(times(own, own, n));
    if (left <= dependent * size)
        return true;
    for (uint32_t c = 0; c < n; c++)
        own[c] /= left;
    ++*kept;
    return false;
}

/* A block on two feet slides or sticks with both: what holds one of them holds the other. One
 * carries it all then; when that is more than it can, it slips at its limit, and the other one
 * carries the rest. Stops come first. False: none is held by others. */
static bool loosen(choosing *c)
{
    ct_lcp *l = c->l;
    uint32_t kept = 0;
    bool any = false;
    for (int slips = 0; slips < 2; slips++)
        for (uint32_t k = 0; k < l->count; k++) {
            uint32_t item = l->item[k];
            bool slip = c->all->item[item].kind == CT_LAW_SLIP;
            if (slip != (slips == 1) || c->way[item] != CT_WAY_FIRST || !is_held(l, k, &kept))
                continue;
            c->way[item] = slip ? CT_WAY_LOOSE : CT_WAY_SECOND;
            any = true;
        }
    return any;
}

/* After a flip others may have to hold. */
static void hold_anew(choosing *c)
{
    bool any = false;
    for (uint32_t i = 0; i < c->all->count; i++)
        if (c->all->item[i].kind == CT_LAW_SLIP && c->way[i] == CT_WAY_LOOSE) {
            c->way[i] = CT_WAY_FIRST;
            any = true;
        }
    if (any)
        loosen(c);
}

/* What is redundant shares with others by a rule that the problem does not know (ties.c): where it
 * says that nothing changes, the item that ended the mode goes its other way; and so does, one
 * after the other, what is wrong in the mode that was found. */
static bool is_right_at_last(choosing *c)
{
    const ct_modes *all = c->all;
    bool same = all->left != UINT32_MAX && memcmp(c->way, all->from->way, all->count) == 0;
    if (same)
        flip(c, all->left);
    for (uint32_t i = 0; i <= all->count; i++) {
        if (is_right(c))
            return true;
        if (c->culprit == UINT32_MAX)
            break;
        flip(c, c->culprit);
        hold_anew(c);
    }
    if (same)
        memcpy(c->way, all->from->way, all->count);
    return same && is_right(c);
}

static bool try_step(choosing *c, double h, double eps)
{
    if (!find_ways(c, h, eps, NULL))
        return false;
    if (c->all->model->mechanism) { /* equations of loops may be good for all places but this one */
        loosen(c);
        return is_right_at_last(c);
    }
    memcpy(c->found, c->way, c->all->count);
    if (is_right_at_last(c))
        return true;
    memcpy(c->way, c->found, c->all->count);
    return loosen(c) && is_right_at_last(c);
}

static bool try_steps(choosing *c)
{
    static const double part[] = {1e-3, 1e-5, 1e-7, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-9};
    static const double slower[] = {1, 0.03, 30};
    double most = 0.1 * (ct_rig_next_break(c->wave->rig, c->t) - c->t);
    for (size_t s = 0; s < sizeof slower / sizeof *slower; s++)
        for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
            double h = fmin(slower[s] * part[i] * c->l->tau, most);
            if (try_step(c, h, 0) || try_step(c, h, regular * part[i]))
                return true;
        }
    return false;
}

static bool try_others(choosing *c)
{
    c->desperate = true;
    return try_steps(c);
}

/* ---- what is told */

static void report(const choosing *c)
{
    const ct_regime *tried = c->wave ? c->wave : c->last;
    uint32_t any = c->l && c->l->count ? c->l->item[0] : 0;
    if (tried && ct_report_jump(tried->rig))
        return;
    if (!c->broke || !ct_modes_report_broken(c->all, c->broken, UINT32_MAX, c->t))
        ct_modes_report_wrong(c->all, c->present, c->worst, any, c->t);
}

/* ---- the choice */

static bool open_choice(choosing *c)
{
    c->wave = ct_mode_need(c->all, c->way, c->t);
    return c->wave && ct_modes_remember(c->all) &&
           ct_mode_enter(c->wave, c->before, c->t) == CT_SOLVED && open_problem(c);
}

ct_regime *ct_mode_choose(ct_modes *all, const uint8_t *present, double before, double t,
                          bool *passes)
{
    choosing c = {.all = all,
                  .present = present,
                  .before = before,
                  .t = t,
                  .culprit = UINT32_MAX,
                  .worst = UINT32_MAX};
    bool any;
    *passes = false;
    ct_regime *known = ct_linear_next(all, present, before, t);
    if (known)
        return known;
    c.way = all->chosen;
    c.found = all->chosen + all->count;
    c.broken = all->chosen + 2 * all->count;
    any = ct_mode_free(all, present, c.way);
    size_t errors = ct_errors_raised(all->ctx);
    bool good = any ? open_choice(&c) && (try_steps(&c) || try_others(&c)) : is_right(&c);
    if (!good && ct_errors_raised(all->ctx) == errors)
        report(&c);
    *passes = c.culprit != UINT32_MAX;
    if (good && !*passes)
        ct_linear_follow(all, c.last);
    return good ? c.last : NULL;
}

/* ---- impacts */

bool ct_mode_free(const ct_modes *all, const uint8_t *present, uint8_t *way)
{
    bool any = false;
    for (uint32_t i = 0; i < all->count; i++) {
        bool choice = all->item[i].kind != CT_LAW_IF && ct_item_stands(all->shadows, i, present) &&
                      !(all->item[i].gap && !all->touch[i]);
        way[i] = choice ? CT_WAY_FREE : present[i];
        any |= choice;
    }
    return any;
}

bool ct_mode_impact(ct_modes *all, const uint8_t *present, double before, double t,
                    const double *shift, uint8_t *way)
{
    static const double part[] = {1e-5, 1e-7, 1e-3, 1e-9};
    choosing c = {.all = all, .present = present, .way = way, .before = before, .t = t};
    ct_mode_free(all, present, way);
    const size_t tries = 2 * sizeof part / sizeof *part;
    bool good = open_choice(&c), found = false;
    for (size_t i = 0; i < 2 * tries && good && !found; i++) {
        double h = part[i % tries / 2];
        c.desperate = i >= tries;
        found = find_ways(&c, h * c.l->tau, i % 2 ? regular * h : 0, shift);
    }
    if (found)
        loosen(&c);
    return found;
}
