/* lines.c - the ways of all items together: one linear complementarity problem.
 *
 * In the wave each item that may go either way is a resistance with a source p. One backward Euler
 * step of length h makes all quantities of items linear in p; the ways are those for which each
 * item has the signs it should have after that step. For h -> 0 this covers impulses, values and
 * derivatives of any order. Block principal pivoting: all wrong items are flipped at once, and one
 * at a time when that does not help.
 */
#include <math.h>
#include <string.h>

#include "choice/choice.h"

/* ---- the linear problem */

/* Slopes where the wave is, and a time that things take there. */
static void ct_linearise(ct_chooser *c)
{
    const double longest = 1e-3; /* of the run */
    ct_choice_wave *l = c->l;
    double most = 0;
    c->ask->slopes(c->user, c->wave, l->slope);
    for (uint32_t k = 0; k < l->states; k++)
        for (uint32_t i = l->start[k]; i < l->start[k + 1]; i++)
            if (l->row[i] < l->states && isfinite(l->slope[i]))
                most = fmax(most, fabs(l->slope[i]));
    l->tau = fmin(most > 0 ? 1 / most : HUGE_VAL, longest * c->span);
}

CT_CHOICE bool ct_open_wave(ct_chooser *c)
{
    ct_choice_wave *now = c->ask->wave(c->user, c->wave);
    if (now && now == c->l)
        return true;
    c->l = now;
    if (!now)
        return false;
    now->count = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->ask->way_of(c->user, c->wave)[i] == CT_WAY_FREE)
            now->item[now->count++] = i;
    ct_linearise(c);
    return true;
}

/* dz by p, and without, after a step of h. */
static bool ct_solve_step(ct_chooser *c, double h)
{
    ct_choice_wave *l = c->l;
    uint32_t size = l->size;
    ct_dense step = {size, l->step, l->pivot};
    double *alone = l->by + (size_t)l->count * size;
    memset(l->step, 0, (size_t)size * size * sizeof *l->step);
    for (uint32_t k = 0; k < size; k++) {
        for (uint32_t i = l->start[k]; i < l->start[k + 1]; i++)
            l->step[l->row[i] * size + k] = -(l->row[i] < l->states ? h : 1) * l->slope[i];
        if (k < l->states)
            l->step[k * size + k] += 1;
    }
    if (!ct_dense_factor(&step))
        return false;
    memset(l->by, 0, (size_t)l->count * size * sizeof *l->by);
    c->ask->rates(c->user, c->wave, c->t + h, alone);
    for (uint32_t i = 0; i < l->states; i++)
        alone[i] *= h;
    for (uint32_t k = 0; k < l->count; k++) {
        l->by[(size_t)k * size + l->source[l->item[k]]] = 1;
        ct_dense_solve(&step, l->by + (size_t)k * size);
    }
    ct_dense_solve(&step, alone);
    return true;
}

/* Every quantity of the items as a line over p. */
static void ct_make_lines(ct_chooser *c, double h)
{
    ct_choice_wave *l = c->l;
    uint32_t watches = CT_WATCHES * c->count, width = l->count + 1;
    c->ask->lines(c->user, c->wave, c->t + h, l->value, l->watch_slope);
    memset(l->line, 0, (size_t)watches * width * sizeof *l->line);
    for (uint32_t i = 0; i < watches; i++)
        l->line[(size_t)i * width + l->count] = l->value[i];
    for (uint32_t z = 0; z < l->size; z++)
        for (uint32_t e = l->watch_start[z]; e < l->watch_start[z + 1]; e++)
            for (uint32_t k = 0; k < width; k++)
                l->line[(size_t)l->watch_row[e] * width + k] +=
                    l->watch_slope[e] * l->by[(size_t)k * l->size + z];
}

static double *ct_line_of(const ct_choice_wave *l, uint32_t k, int quantity)
{
    return l->line + (size_t)(CT_WATCHES * l->item[k] + (uint32_t)quantity) * (l->count + 1);
}

static double ct_line_size(const ct_choice_wave *l, const double *line)
{
    double sum = 0;
    for (uint32_t i = 0; i <= l->count; i++)
        sum += fabs(line[i]);
    return sum;
}

static ct_law_kind ct_kind_of(const ct_chooser *c, uint32_t k)
{
    return c->item[c->l->item[k]].kind;
}

/* A quantity that is zero whatever the sources are (a diode across a closed switch) decides: the
 * other one is zero, too, so that the matrix stays regular. */
static void ct_force_ways(ct_chooser *c)
{
    const double redundant = 1e-14; /* of the other quantity: none at all */
    ct_choice_wave *l = c->l;
    for (uint32_t k = 0; k < l->count; k++) {
        double a = ct_line_size(l, ct_line_of(l, k, CT_WATCH_A)),
               b = ct_line_size(l, ct_line_of(l, k, CT_WATCH_B));
        bool pair = ct_kind_of(c, k) == CT_LAW_PAIR;
        l->forced[k] = b <= redundant * a  ? CT_WAY_FIRST
                       : a > redundant * b ? CT_WAY_OPEN
                       : pair              ? CT_WAY_SECOND
                                           : CT_WAY_FIRST;
        if (!pair && ct_line_size(l, ct_line_of(l, k, CT_WATCH_LIMIT)) == 0 &&
            ct_line_size(l, ct_line_of(l, k, CT_WATCH_HOLD)) == 0)
            l->forced[k] = CT_WAY_SECOND; /* nothing presses: b = 0 whatever a is */
        if (l->forced[k] != CT_WAY_OPEN)
            c->way[l->item[k]] = l->forced[k];
    }
}

/* ---- pivoting */

/* Row of an item: x + by y = 0. */
static void ct_put_line(ct_choice_wave *l, uint32_t k, const double *x, double by, const double *y)
{
    double *row = l->chosen + (size_t)k * l->count;
    for (uint32_t i = 0; i < l->count; i++)
        row[i] = x[i] + by * y[i];
    l->given[k] = -(x[l->count] + by * y[l->count]);
}

static void ct_put_row(const ct_chooser *c, uint32_t k, double eps)
{
    ct_choice_wave *l = c->l;
    const double *a = ct_line_of(l, k, CT_WATCH_A), *b = ct_line_of(l, k, CT_WATCH_B);
    uint8_t way = c->way[l->item[k]];
    bool slip = ct_kind_of(c, k) == CT_LAW_SLIP;
    if (slip && way == CT_WAY_FIRST && l->forced[k] == CT_WAY_FIRST)
        ct_put_line(l, k, b, ct_line_size(l, b) > ct_line_size(l, a) ? 0 : 1, a);
    else if (way == CT_WAY_FIRST)
        ct_put_line(l, k, a, slip ? -eps : eps, b);
    else if (slip)
        ct_put_line(l, k, b, way == CT_WAY_SECOND ? -1 : 1, ct_line_of(l, k, CT_WATCH_LIMIT));
    else
        ct_put_line(l, k, b, eps, a);
}

/* Value at the sources; *size: of its parts. */
static double ct_at_sources(const ct_choice_wave *l, const double *line, double *size)
{
    double sum = line[l->count];
    *size += fabs(sum);
    for (uint32_t i = 0; i < l->count; i++) {
        sum += line[i] * l->given[i];
        *size += fabs(line[i] * l->given[i]);
    }
    return sum;
}

/* What is zero of a quantity where all is at rest but for what rounding has left: as for a root. */
static double ct_least_of(const ct_chooser *c, uint32_t k, int quantity)
{
    const double noise = 1e-11; /* of the largest value so far */
    uint32_t item = c->l->item[k];
    return c->item[item].gap ? 0 : noise * c->scale[CT_WATCHES * item + (uint32_t)quantity];
}

/* The way it should go, seen from the one it goes. Redundant ones stay. */
static uint8_t ct_next_way(const ct_chooser *c, uint32_t k)
{
    const double rounding = 1e-13;
    const ct_choice_wave *l = c->l;
    uint8_t way = c->way[l->item[k]];
    double size = 0, a_size = 0;
    if (l->forced[k] != CT_WAY_OPEN)
        return way;
    double a = ct_at_sources(l, ct_line_of(l, k, CT_WATCH_A), &a_size);
    double b = ct_at_sources(l, ct_line_of(l, k, CT_WATCH_B), &size);
    if (ct_kind_of(c, k) == CT_LAW_PAIR) {
        if (way == CT_WAY_FIRST)
            return b < -rounding * size - ct_least_of(c, k, CT_WATCH_B) ? CT_WAY_SECOND : way;
        return a < -rounding * a_size - ct_least_of(c, k, CT_WATCH_A) ? CT_WAY_FIRST : way;
    }
    double hold = ct_at_sources(l, ct_line_of(l, k, CT_WATCH_HOLD), &size);
    if (way == CT_WAY_FIRST)
        return b > hold + rounding * size    ? CT_WAY_SECOND
               : b < -hold - rounding * size ? CT_WAY_THIRD
                                             : CT_WAY_FIRST;
    double slips = way == CT_WAY_SECOND ? a : -a;
    return slips < -rounding * a_size ? CT_WAY_FIRST : way;
}

/* Rounds until no item is wrong; false: they do not end, or the matrix is singular. */
static bool ct_pivot(ct_chooser *c, double eps)
{
    enum { PATIENCE = 4 };
    ct_choice_wave *l = c->l;
    ct_dense chosen = {l->count, l->chosen, l->order};
    uint32_t least = UINT32_MAX, patience = PATIENCE, rounds = 40 + 10 * l->count;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t wrong = 0, last = 0;
        for (uint32_t k = 0; k < l->count; k++)
            ct_put_row(c, k, eps);
        if (!ct_dense_factor(&chosen))
            return false;
        ct_dense_solve(&chosen, l->given);
        for (uint32_t k = 0; k < l->count; k++)
            if (ct_next_way(c, k) != c->way[l->item[k]]) {
                wrong++;
                last = k;
            }
        if (!wrong)
            return true;
        patience = wrong < least ? PATIENCE : patience ? patience - 1 : 0;
        least = wrong < least ? wrong : least;
        for (uint32_t k = patience ? 0 : last; k <= last; k++)
            c->way[l->item[k]] = ct_next_way(c, k);
    }
    return false;
}

/* Another set of ways to begin with: all closed and stuck, all open, then by lot. */
static void ct_begin_anew(ct_chooser *c, uint32_t start)
{
    const ct_choice_wave *l = c->l;
    uint64_t dice = start;
    for (uint32_t k = 0; k < l->count; k++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        uint32_t sides = ct_kind_of(c, k) == CT_LAW_PAIR ? 2 : 3;
        uint32_t side = start < 2 ? start : (uint32_t)(dice >> 33) % sides;
        c->way[l->item[k]] = l->forced[k] != CT_WAY_OPEN ? l->forced[k]
                             : side == 0                 ? CT_WAY_FIRST
                             : side == 1                 ? CT_WAY_SECOND
                                                         : CT_WAY_THIRD;
    }
}

/* Friction makes the problem one that is not monotone: pivoting from some ways may go round in a
 * circle where it ends from others. */
static bool ct_pivot_from_others(ct_chooser *c, double eps)
{
    enum { FEW = 12, STARTS = 24 }; /* few items: more starts */
    uint32_t starts = c->l->count <= FEW ? STARTS : 2;
    bool good = false;
    for (uint32_t i = 0; i < starts && !good; i++) {
        ct_begin_anew(c, i);
        good = ct_pivot(c, eps);
    }
    return good;
}

CT_CHOICE bool ct_find_ways(ct_chooser *c, double h, double eps, const double *shift)
{
    if (!ct_open_wave(c))
        return false;
    memcpy(c->way, c->present, c->count);
    if (!ct_solve_step(c, h))
        return false;
    ct_make_lines(c, h);
    for (uint32_t k = 0; k < c->l->count && shift; k++)
        ct_line_of(c->l, k, CT_WATCH_A)[c->l->count] += shift[c->l->item[k]];
    ct_force_ways(c);
    return ct_pivot(c, eps) || (c->desperate && ct_pivot_from_others(c, eps));
}

/* ---- what others hold already */

static double ct_product(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Is the first quantity of an item zero where those that are kept are? Else it is kept, too: rows
 * of `chosen` are an orthogonal base of their lines. */
static bool ct_is_held(ct_choice_wave *l, uint32_t k, uint32_t *kept)
{
    const double dependent = 1e-8; /* of a line: what is left without others */
    uint32_t n = l->count;
    double *own = l->chosen + (size_t)*kept * n;
    memcpy(own, ct_line_of(l, k, CT_WATCH_A), n * sizeof *own);
    double size = sqrt(ct_product(own, own, n));
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < *kept; i++) {
            const double *base = l->chosen + (size_t)i * n;
            double part = ct_product(own, base, n);
            for (uint32_t z = 0; z < n; z++)
                own[z] -= part * base[z];
        }
    double left = sqrt(ct_product(own, own, n));
    if (left <= dependent * size)
        return true;
    for (uint32_t z = 0; z < n; z++)
        own[z] /= left;
    ++*kept;
    return false;
}

/* A block on two feet slides or sticks with both: what holds one of them holds the other. One
 * carries it all then; when that is more than it can, it slips at its limit, and the other one
 * carries the rest. Stops come first. */
CT_CHOICE bool ct_loosen(ct_chooser *c)
{
    ct_choice_wave *l = c->l;
    uint32_t kept = 0;
    bool any = false;
    for (int slips = 0; slips < 2; slips++)
        for (uint32_t k = 0; k < l->count; k++) {
            uint8_t *way = &c->way[l->item[k]];
            bool slip = ct_kind_of(c, k) == CT_LAW_SLIP;
            if (slip != (slips == 1) || *way != CT_WAY_FIRST || !ct_is_held(l, k, &kept))
                continue;
            *way = slip ? CT_WAY_LOOSE : CT_WAY_SECOND;
            any = true;
        }
    return any;
}
