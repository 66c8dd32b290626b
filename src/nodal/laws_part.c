/* laws_part.c - which part of a large network takes part in steps.
 *
 * Unknowns rest that will not move by a small share of their tolerances until the end of the run
 * unless neighbours move. For rows of a matrix J that dominate, |J_ii| w_i - sum |J_ij| w_j = d_i >
 * 0, a residual r moves no unknown by more than max |r_i| / d_i tolerances w [J. M. Varah, Linear
 * Algebra and its Applications 11 (1975) 3-5]: with J = E / T + dR/dz that is the implicit Euler
 * step to the end of the run, T from now. Rows that do not dominate, such as those of amplifiers,
 * never rest by themselves.
 *
 * Rows beside those that are solved for are counted: what flows there is stored as a defect of
 * their charge, and they wake up when it would move them.
 */
#include <math.h>
#include <string.h>

#include "nodal/law.h"

static const double share = 0.01;      /* of tolerances, that what rests may be off by */
static const double lent = 0.1;        /* of a neighbour's, to rows that store nothing */
static const double worth = 0.7;       /* of all: where more take part, all do */
static const uint32_t every = 4;       /* steps: then parts may come to rest */
static const uint32_t least_rings = 5; /* of neighbours that wake up with what must move */
static const uint32_t gap = 8;         /* unknowns: shorter ones between ranges take part */

/* ---- ranges */

/* Of what has at least this level, and no more than the most. */
#define RANGES(w, list, flags, least, most)                                                        \
    do {                                                                                           \
        (list).count = 0;                                                                          \
        for (uint32_t i = 0; i < (w)->size; i++) {                                                 \
            if ((flags)[i] < (least) || (flags)[i] > (most))                                       \
                continue;                                                                          \
            if ((list).count && (list).at[(list).count - 1].end == i)                              \
                (list).at[(list).count - 1].end++;                                                 \
            else                                                                                   \
                CT_PUSH((w)->n->arena, list, (ct_index_range){i, i + 1});                          \
        }                                                                                          \
    } while (0)

/* ---- what it is made of */

/* Rows of the matrix: places of their entries, and of these their columns. */
static void find_rows(laws *w, laws_part *p)
{
    ct_arena *arena = w->n->arena;
    p->row_start = CT_NEW_ARRAY(arena, uint32_t, w->size + 2);
    p->row_entry = CT_NEW_ARRAY(arena, uint32_t, w->count + 1);
    p->e = CT_NEW_ARRAY(arena, double, w->count + 1);
    for (uint32_t k = 0; k < w->count; k++)
        p->row_start[w->row[k] + 2]++;
    for (uint32_t i = 0; i < w->size; i++)
        p->row_start[i + 1] += p->row_start[i];
    for (uint32_t j = 0; j < w->size; j++)
        for (int k = w->start[j]; k < w->start[j + 1]; k++)
            p->row_entry[p->row_start[w->row[k] + 1]++] = (uint32_t)k;
    for (uint32_t k = 0; k < w->held_count; k++)
        p->e[w->held[k].place] = w->held[k].e;
}

static void touch_rows(const laws *w, const law_group *g, uint32_t *at, uint32_t *list)
{
    const uint32_t *const of[] = {g->row_plus, g->row_minus};
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t k = 0; k < g->l->row_count; k++)
            for (uint32_t i = 0; i < g->count; i++) {
                uint32_t row = of[side][k * (size_t)g->room + i];
                if (row == w->size)
                    continue;
                if (list)
                    list[at[row]] = g->first_block + i / CT_LANES;
                at[row]++;
            }
}

static void find_touches(laws *w, laws_part *p)
{
    ct_arena *arena = w->n->arena;
    p->touch_start = CT_NEW_ARRAY(arena, uint32_t, w->size + 2);
    for (uint32_t i = 0; i < w->group.count; i++)
        touch_rows(w, &w->group.at[i], p->touch_start + 1, NULL);
    for (uint32_t i = 0; i < w->size; i++)
        p->touch_start[i + 1] += p->touch_start[i];
    p->touch = CT_NEW_ARRAY(arena, uint32_t, p->touch_start[w->size] + 1);
    for (uint32_t i = 0; i < w->group.count; i++)
        touch_rows(w, &w->group.at[i], p->touch_start, p->touch);
    memmove(p->touch_start + 1, p->touch_start, w->size * sizeof *p->touch_start);
    p->touch_start[0] = 0;
}

/* Does a function of time move what stands at this place? */
static bool is_timed(const laws *w, const bool *timed, uint32_t place)
{
    if (place < w->size)
        return false;
    const law_place *at = &w->place.at[place - w->size];
    bool found = timed[at->wave];
    for (uint32_t k = at->offset; k && !found; k = w->n->offsets.at[k - 1].next)
        found = timed[w->n->offsets.at[k - 1].wave];
    return found;
}

static void drive_rows(const laws *w, laws_part *p, const bool *timed, const law_group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < g->l->input_count && !found; j++)
            found = is_timed(w, timed, g->plus[j * (size_t)g->room + i]) ||
                    is_timed(w, timed, g->minus[j * (size_t)g->room + i]);
        for (uint32_t k = 0; k < g->l->row_count && found; k++) {
            p->driven[g->row_plus[k * (size_t)g->room + i]] = true;
            p->driven[g->row_minus[k * (size_t)g->room + i]] = true;
        }
    }
}

static void find_driven(laws *w, laws_part *p)
{
    const net *n = w->n;
    const columns *u = &n->u;
    bool *timed = CT_NEW_ARRAY(n->arena, bool, n->wave.count + 2); /* of each u */
    for (uint32_t j = 0; j < n->wave.count; j++)
        timed[j + 1] = ct_expr_has(n->pool, n->wave.at[j], n->time);
    p->driven = CT_NEW_ARRAY(n->arena, bool, w->size + 1);
    for (uint32_t j = 0; j < u->count; j++)
        for (int k = u->start[j]; timed[j] && k < u->start[j + 1]; k++)
            p->driven[u->row[k]] = true;
    for (uint32_t i = 0; i < w->group.count; i++)
        drive_rows(w, p, timed, &w->group.at[i]);
}

static void look(laws *w)
{
    laws_part *p = &w->part;
    if (p->row_start)
        return;
    find_rows(w, p);
    find_touches(w, p);
    find_driven(w, p);
    p->was = CT_NEW_ARRAY(w->n->arena, uint8_t, w->size + 1);
    p->seen = CT_NEW_ARRAY(w->n->arena, uint8_t, w->size + 1);
    p->busy = CT_NEW_ARRAY(w->n->arena, bool, p->block_count + 1);
}

/* ---- from levels to lists */

static void list_blocks(laws *w, const bool *busy)
{
    uint32_t *at = w->part.block;
    for (uint32_t i = 0; i < w->group.count; i++) {
        law_group *g = &w->group.at[i];
        const uint32_t *first = at;
        for (uint32_t k = g->first_block; k < g->first_block + g->room / CT_LANES; k++)
            if (!busy || busy[k])
                *at++ = k;
        g->busy = first;
        g->busy_count = (uint32_t)(at - first);
    }
}

static void take_lists(laws_part *p)
{
    p->of.solved = (ct_index_ranges){p->solved_list.at, p->solved_list.count};
    p->of.charges = (ct_index_ranges){p->charge_list.at, p->charge_list.count};
    p->of.border = (ct_index_ranges){p->border_list.at, p->border_list.count};
    p->near = (ct_index_ranges){p->near_list.at, p->near_list.count};
    p->of.level = p->level;
    p->of.changed = p->changed.at;
    p->of.changed_count = p->changed.count;
}

/* Unknowns that share a row or a column with i have at least this level. */
static void lift_neighbours(const laws *w, uint32_t i, uint8_t to, uint8_t *level)
{
    const laws_part *p = &w->part;
    for (int k = w->start[i]; k < w->start[i + 1]; k++)
        level[w->row[k]] = level[w->row[k]] < to ? to : level[w->row[k]];
    for (uint32_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        uint8_t *at = &level[w->column[p->row_entry[k]]];
        *at = *at < to ? to : *at;
    }
}

/* How many are solved for then. */
static uint32_t fill_gaps(const laws *w, uint8_t *level)
{
    uint32_t end = 0, count = 0; /* of the last range */
    for (uint32_t i = 0; i < w->size; i++) {
        if (level[i] != CT_SOLVED_FOR)
            continue;
        bool near = end && i - end <= gap;
        if (near)
            memset(level + end, CT_SOLVED_FOR, i - end);
        count += near ? i + 1 - end : 1;
        end = i + 1;
    }
    return count;
}

static void list_busy(laws *w)
{
    laws_part *p = &w->part;
    memset(p->busy, 0, p->block_count * sizeof *p->busy);
    CT_EACH (i, p->of.charges)
        for (uint32_t k = p->touch_start[i]; k < p->touch_start[i + 1]; k++)
            p->busy[p->touch[k]] = true;
    list_blocks(w, p->busy);
}

/* Levels of what is solved for are set, others zero; p->was: those before. Has anything changed? */
static bool rebuild(laws *w)
{
    laws_part *p = &w->part;
    uint32_t solved = fill_gaps(w, p->level);
    if (solved > worth * w->size)
        memset(p->level, CT_SOLVED_FOR, w->size);
    RANGES(w, p->solved_list, p->level, CT_SOLVED_FOR, CT_SOLVED_FOR);
    take_lists(p);
    CT_EACH (i, p->of.solved)
        lift_neighbours(w, i, CT_COUNTED, p->level);
    p->changed.count = 0;
    for (uint32_t i = 0; i < w->size; i++)
        if (p->level[i] != p->was[i])
            CT_PUSH(w->n->arena, p->changed, i);
    if (!p->changed.count)
        return false;
    RANGES(w, p->charge_list, p->level, CT_COUNTED, CT_SOLVED_FOR);
    RANGES(w, p->border_list, p->level, CT_COUNTED, CT_COUNTED);
    take_lists(p);
    memset(p->seen, 0, w->size);
    CT_EACH (i, p->of.charges)
        lift_neighbours(w, i, 1, p->seen);
    RANGES(w, p->near_list, p->seen, 1, 1);
    take_lists(p);
    ct_laws_forget(w);
    list_busy(w);
    p->all = p->solved_list.count == 1 && p->of.solved.at[0].end == w->size &&
             p->of.solved.at[0].begin == 0;
    p->unfit = !ct_linear_focus(w->linear, p->all ? NULL : p->level, CT_SOLVED_FOR);
    if (p->unfit)
        ct_laws_part_wake_all(w);
    return true;
}

void ct_laws_part_new(laws *w)
{
    laws_part *p = &w->part;
    ct_arena *arena = w->n->arena;
    for (uint32_t i = 0; i < w->group.count; i++)
        p->block_count += w->group.at[i].room / CT_LANES;
    p->block = CT_NEW_ARRAY(arena, uint32_t, p->block_count + 1);
    p->level = CT_NEW_ARRAY(arena, uint8_t, w->size + 1);
    memset(p->level, CT_SOLVED_FOR, w->size);
    CT_PUSH(arena, p->solved_list, (ct_index_range){0, w->size});
    CT_PUSH(arena, p->near_list, (ct_index_range){0, w->size});
    CT_PUSH(arena, p->charge_list, (ct_index_range){0, w->charge_count});
    list_blocks(w, NULL);
    take_lists(p);
    p->all = true;
}

bool ct_laws_part_wake_all(laws *w)
{
    laws_part *p = &w->part;
    if (p->all)
        return false;
    p->all = true;
    ct_laws_forget(w);
    p->changed.count = p->border_list.count = 0;
    for (uint32_t i = 0; i < w->size; i++)
        if (p->level[i] != CT_SOLVED_FOR)
            CT_PUSH(w->n->arena, p->changed, i);
    memset(p->level, CT_SOLVED_FOR, w->size);
    p->solved_list.count = p->near_list.count = p->charge_list.count = 0;
    CT_PUSH(w->n->arena, p->solved_list, (ct_index_range){0, w->size});
    CT_PUSH(w->n->arena, p->near_list, (ct_index_range){0, w->size});
    CT_PUSH(w->n->arena, p->charge_list, (ct_index_range){0, w->charge_count});
    list_blocks(w, NULL);
    take_lists(p);
    ct_linear_focus(w->linear, NULL, 0);
    return true;
}

/* ---- who rests */

static double weight(const ct_drift *m, uint32_t i)
{
    return m->atol + m->rtol * fmax(m->most[i], fabs(m->z[i]));
}

/* By how much a row of alpha E + dR/dz dominates, in residuals; what its diagonal is. */
static double dominance(const laws *w, const ct_drift *m, double alpha, uint32_t i, double *own)
{
    const laws_part *p = &w->part;
    double sum = 0;
    *own = 0;
    for (uint32_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        uint32_t at = p->row_entry[k], j = w->column[at];
        double size = weight(m, j) * fabs(w->linear->value[at] + (alpha - w->alpha) * p->e[at]);
        if (j == i)
            *own = size;
        else
            sum += size;
    }
    return *own - sum;
}

/* What a row may be off by until the end of the run: where it hardly dominates by itself, a part of
 * what its neighbours may. */
static double allowed(const laws *w, const ct_drift *m, uint32_t i)
{
    const laws_part *p = &w->part;
    const double hardly = 1e-12;
    double alpha = 1 / m->left, own, least = INFINITY, by = dominance(w, m, alpha, i, &own);
    if (by > hardly * own)
        return (1 - 4 * lent) * by;
    for (uint32_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        uint32_t j = w->column[p->row_entry[k]];
        double other = j == i ? 0 : dominance(w, m, alpha, j, &own);
        if (other > hardly * own)
            least = fmin(least, lent * other);
    }
    return isfinite(least) ? least : 0;
}

static bool is_quiet(const laws *w, const ct_drift *m, uint32_t i, const double *residual)
{
    if (w->part.driven[i] || fabs(m->z[i] - m->before[i]) > share * weight(m, i))
        return false;
    double defect = fabs(residual[i]) + fabs(m->defect[i]) / m->left;
    return defect <= share * allowed(w, m, i);
}

bool ct_laws_part_rest(laws *w, const ct_drift *m, double *residual)
{
    laws_part *p = &w->part;
    if (p->unfit || ++p->age % every || !(m->left > 0) || isnan(w->alpha))
        return false;
    look(w);
    ct_laws_evaluate(w, 0, NULL, true, false, residual);
    memset(p->seen, 0, w->size);
    bool any = false;
    CT_EACH (i, p->of.charges)
        any |= p->seen[i] = !is_quiet(w, m, i, residual);
    if (!any)
        return false;
    memcpy(p->was, p->level, w->size);
    memset(p->level, 0, w->size);
    CT_EACH (i, p->of.charges)
        if (p->seen[i]) {
            p->level[i] = CT_SOLVED_FOR;
            lift_neighbours(w, i, CT_SOLVED_FOR, p->level);
        }
    return rebuild(w);
}

/* ---- who wakes up */

/* R in a row that is counted, at the end of the last step of Newton's method. */
static void advance(const laws *w, uint32_t i, double *residual)
{
    const laws_part *p = &w->part;
    for (uint32_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        uint32_t at = p->row_entry[k], j = w->column[at];
        if (p->level[j] == CT_SOLVED_FOR)
            residual[i] -= w->linear->value[at] * residual[j];
    }
}

static bool must_move(const laws *w, const ct_drift *m, double alpha, uint32_t i,
                      const double *residual)
{
    const double least = 1e-6; /* of the diagonal, where a row does not dominate */
    double own, by = dominance(w, m, alpha, i, &own);
    return !(fabs(residual[i]) <= share * fmax(by, least * own));
}

static void wake_one(laws *w, uint32_t i)
{
    laws_part *p = &w->part;
    if (p->level[i] == CT_SOLVED_FOR)
        return;
    p->level[i] = CT_SOLVED_FOR;
    CT_PUSH(w->n->arena, p->awake, i);
}

static void wake_neighbours(laws *w, uint32_t i)
{
    const laws_part *p = &w->part;
    for (int k = w->start[i]; k < w->start[i + 1]; k++)
        wake_one(w, (uint32_t)w->row[k]);
    for (uint32_t k = p->row_start[i]; k < p->row_start[i + 1]; k++)
        wake_one(w, w->column[p->row_entry[k]]);
}

/* Those that are awake, and some rings of neighbours: what moves them goes on. */
static void wake_around(laws *w)
{
    laws_part *p = &w->part;
    bool again = p->woken == p->age; /* in the same step: it goes far */
    uint32_t calm = p->rings / 2 > least_rings ? p->rings / 2 : least_rings;
    p->rings = again ? 2 * p->rings : calm;
    p->woken = p->age;
    for (uint32_t k = 0; k < p->awake.count; k++)
        p->level[p->awake.at[k]] = CT_SOLVED_FOR;
    for (uint32_t ring = 0, from = 0; ring < p->rings && from < p->awake.count; ring++)
        for (uint32_t end = p->awake.count; from < end; from++)
            wake_neighbours(w, p->awake.at[from]);
}

bool ct_laws_part_wake(laws *w, double alpha, const ct_drift *m, double *residual)
{
    laws_part *p = &w->part;
    p->awake.count = 0;
    CT_EACH (i, p->of.border) {
        advance(w, i, residual);
        if (must_move(w, m, alpha, i, residual))
            CT_PUSH(w->n->arena, p->awake, i);
    }
    if (!p->awake.count)
        return false;
    memcpy(p->was, p->level, w->size);
    CT_EACH (i, p->of.border)
        p->level[i] = CT_AT_REST;
    wake_around(w);
    return rebuild(w);
}
