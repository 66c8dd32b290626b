/* recipe.c - LU of small matrices as a recipe: which entries to divide and to subtract, in order.
 *
 *     P R A Q = L U,   R = diag(1 / largest entry of each row)
 *
 * Pivots are chosen once, for little fill among those that are large enough (Markowitz). The next
 * matrix of the same pattern follows the recipe: only entries that are not zero, no search. A guard
 * watches the factors of L; when they grow, the recipe is made anew for the matrix at hand.
 */
#include "solve/linear.h"

#include <math.h>
#include <string.h>

static const double pivot_part = 0.1;  /* of the largest entry of its column: may be a pivot */
static const double most_factor = 100; /* of L, before pivots are chosen anew */

typedef struct step {
    uint32_t row, col, pivot;    /* pivot: slot */
    uint32_t below, right, list; /* how many; list: slots below, their rows, slots to the right,
                                    their columns, then the slots changed, row by row */
} step;

struct ct_recipe {
    bool made;
    uint32_t slots, used; /* of list */
    step *step;
    uint32_t *list, *place; /* place: slot of each entry of the pattern */
    double *value, *inverse, *scale, *work;
    /* while it is made: by rows */
    double *matrix;
    uint32_t *slot; /* plus 1; 0: always zero */
    bool *row_done, *col_done;
    uint32_t *in_row, *in_column; /* entries that are left */
};

ct_recipe *ct_recipe_new(ct_arena *arena, uint32_t n, uint32_t count)
{
    size_t all = (size_t)n * n, changed = all * (n + 1) / 3;
    ct_recipe *r = CT_NEW(arena, ct_recipe);
    r->step = CT_NEW_ARRAY(arena, step, n);
    size_t words = changed + 2 * all;
    r->list = ct_arena_grow(arena, NULL, 0, words * sizeof *r->list); /* little of it is used */
    r->place = CT_NEW_ARRAY(arena, uint32_t, count);
    r->value = CT_NEW_ARRAY(arena, double, all);
    r->inverse = CT_NEW_ARRAY(arena, double, n);
    r->scale = CT_NEW_ARRAY(arena, double, n);
    r->work = CT_NEW_ARRAY(arena, double, n);
    r->matrix = CT_NEW_ARRAY(arena, double, all);
    r->slot = CT_NEW_ARRAY(arena, uint32_t, all);
    r->row_done = CT_NEW_ARRAY(arena, bool, n);
    r->col_done = CT_NEW_ARRAY(arena, bool, n);
    r->in_row = CT_NEW_ARRAY(arena, uint32_t, n);
    r->in_column = CT_NEW_ARRAY(arena, uint32_t, n);
    return r;
}

/* ---- making it */

static void begin(const ct_linear *l, ct_recipe *r)
{
    uint32_t n = l->n;
    r->slots = r->used = 0;
    memset(r->matrix, 0, (size_t)n * n * sizeof *r->matrix);
    memset(r->slot, 0, (size_t)n * n * sizeof *r->slot);
    memset(r->row_done, 0, n * sizeof *r->row_done);
    memset(r->col_done, 0, n * sizeof *r->col_done);
    memset(r->in_row, 0, n * sizeof *r->in_row);
    memset(r->in_column, 0, n * sizeof *r->in_column);
    for (uint32_t j = 0; j < n; j++)
        for (int k = l->start[j]; k < l->start[j + 1]; k++) {
            uint32_t at = (uint32_t)l->row[k] * n + j;
            r->matrix[at] = l->value[k] * r->scale[l->row[k]];
            r->place[k] = r->slots;
            r->slot[at] = ++r->slots;
            r->in_row[l->row[k]]++;
            r->in_column[j]++;
        }
}

static double largest_of_column(const ct_recipe *r, uint32_t n, uint32_t j)
{
    double largest = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!r->row_done[i])
            largest = fmax(largest, fabs(r->matrix[i * n + j]));
    return largest;
}

/* The best pivot of a column, where that beats what is known. */
static void choose_of_column(const ct_recipe *r, uint32_t n, uint32_t j, double *best_cost,
                             double *best_size, step *s)
{
    double largest = largest_of_column(r, n, j);
    for (uint32_t i = 0; i < n; i++) {
        double size = fabs(r->matrix[i * n + j]);
        if (r->row_done[i] || !(size > 0) || size < pivot_part * largest)
            continue;
        double cost = (r->in_row[i] - 1.) * (r->in_column[j] - 1.);
        if (cost > *best_cost || (cost == *best_cost && size <= *best_size))
            continue;
        *best_cost = cost;
        *best_size = size;
        s->row = i;
        s->col = j;
    }
}

/* The pivot of least fill, of equal ones the largest; false: nothing is left but zeros. Columns
 * that cannot beat the best so far are passed over. */
static bool choose(const ct_recipe *r, uint32_t n, step *s)
{
    double best_cost = INFINITY, best_size = 0;
    uint32_t least = n;
    for (uint32_t i = 0; i < n; i++)
        least = !r->row_done[i] && r->in_row[i] && r->in_row[i] < least ? r->in_row[i] : least;
    for (uint32_t j = 0; j < n; j++)
        if (!r->col_done[j] && r->in_column[j] &&
            (least - 1.) * (r->in_column[j] - 1.) <= best_cost)
            choose_of_column(r, n, j, &best_cost, &best_size, s);
    return best_size > 0;
}

static void put(ct_recipe *r, uint32_t word)
{
    r->list[r->used++] = word;
}

static uint32_t *list_below(ct_recipe *r, uint32_t n, step *s)
{
    uint32_t *row = r->list + r->used;
    for (uint32_t i = 0; i < n; i++)
        s->below += !r->row_done[i] && r->slot[i * n + s->col];
    for (uint32_t i = 0; i < n; i++)
        if (!r->row_done[i] && r->slot[i * n + s->col])
            put(r, r->slot[i * n + s->col] - 1);
    for (uint32_t i = 0; i < n; i++)
        if (!r->row_done[i] && r->slot[i * n + s->col])
            put(r, i);
    return row + s->below;
}

static uint32_t *list_right(ct_recipe *r, uint32_t n, step *s)
{
    uint32_t *col = r->list + r->used;
    for (uint32_t j = 0; j < n; j++)
        s->right += !r->col_done[j] && r->slot[s->row * n + j];
    for (uint32_t j = 0; j < n; j++)
        if (!r->col_done[j] && r->slot[s->row * n + j])
            put(r, r->slot[s->row * n + j] - 1);
    for (uint32_t j = 0; j < n; j++)
        if (!r->col_done[j] && r->slot[s->row * n + j])
            put(r, j);
    return col + s->right;
}

/* One step of elimination, with numbers, so that later pivots can be chosen. */
static void eliminate(ct_recipe *r, uint32_t n, step *s)
{
    s->below = s->right = 0;
    s->list = r->used;
    s->pivot = r->slot[s->row * n + s->col] - 1;
    r->row_done[s->row] = r->col_done[s->col] = true;
    const uint32_t *row = list_below(r, n, s), *col = list_right(r, n, s);
    for (uint32_t a = 0; a < s->below; a++)
        r->in_row[row[a]]--;
    for (uint32_t b = 0; b < s->right; b++)
        r->in_column[col[b]]--;
    for (uint32_t a = 0; a < s->below; a++) {
        double *target = r->matrix + row[a] * n, *source = r->matrix + s->row * n;
        double factor = target[s->col] / source[s->col];
        for (uint32_t b = 0; b < s->right; b++) {
            uint32_t *slot = &r->slot[row[a] * n + col[b]];
            target[col[b]] -= factor * source[col[b]];
            if (!*slot) {
                *slot = ++r->slots;
                r->in_row[row[a]]++;
                r->in_column[col[b]]++;
            }
            put(r, *slot - 1);
        }
    }
}

static uint32_t first_open(const bool *done)
{
    uint32_t i = 0;
    while (done[i])
        i++;
    return i;
}

static bool make(ct_linear *l)
{
    ct_recipe *r = l->recipe;
    begin(l, r);
    r->made = false;
    for (uint32_t k = 0; k < l->n; k++) {
        if (!choose(r, l->n, &r->step[k])) {
            l->singular_at = first_open(r->col_done);
            return false;
        }
        eliminate(r, l->n, &r->step[k]);
    }
    r->made = true;
    return true;
}

/* ---- following it */

static bool find_scales(const ct_linear *l, double *scale)
{
    double check = 0; /* becomes no number when an entry is not finite */
    memset(scale, 0, l->n * sizeof *scale);
    for (uint32_t k = 0; k < l->count; k++) {
        double size = fabs(l->value[k]);
        check += size * 0;
        scale[l->row[k]] = size > scale[l->row[k]] ? size : scale[l->row[k]];
    }
    for (uint32_t i = 0; i < l->n; i++)
        scale[i] = scale[i] > 0 ? 1 / scale[i] : 1;
    return check == 0;
}

static void load(const ct_linear *l, ct_recipe *r)
{
    memset(r->value, 0, r->slots * sizeof *r->value);
    for (uint32_t k = 0; k < l->count; k++)
        r->value[r->place[k]] = l->value[k] * r->scale[l->row[k]];
}

/* The largest factor of L in this step. */
static double follow_step(const step *s, const uint32_t *list, double inverse, double *v)
{
    const uint32_t *low = list, *high = low + 2 * s->below, *changed = high + 2 * s->right;
    double largest = 0;
    for (uint32_t a = 0; a < s->below; a++, changed += s->right) {
        double factor = v[low[a]] * inverse, size = fabs(factor);
        v[low[a]] = factor;
        largest = size > largest ? size : largest;
        for (uint32_t b = 0; b < s->right; b++)
            v[changed[b]] -= factor * v[high[b]];
    }
    return largest;
}

static bool follow(ct_linear *l)
{
    ct_recipe *r = l->recipe;
    double least = INFINITY, most = 0;
    load(l, r);
    for (uint32_t k = 0; k < l->n; k++) {
        const step *s = &r->step[k];
        double size = fabs(r->value[s->pivot]);
        if (!(size > 0) || !isfinite(size))
            return false;
        if (size < least) {
            least = size;
            l->singular_at = s->col;
        }
        most = size > most ? size : most;
        r->inverse[k] = 1 / r->value[s->pivot];
        if (!(follow_step(s, r->list + s->list, r->inverse[k], r->value) <= most_factor))
            return false;
    }
    l->pivot_ratio = l->n ? least / most : 1;
    return true;
}

ct_solve_status ct_recipe_factor(ct_linear *linear)
{
    if (!find_scales(linear, linear->recipe->scale))
        return CT_NOT_FINITE;
    if (linear->recipe->made && follow(linear))
        return CT_SOLVED;
    if (!make(linear))
        return CT_SINGULAR;
    return follow(linear) ? CT_SOLVED : CT_NOT_FINITE;
}

void ct_recipe_solve(ct_linear *linear, double *b)
{
    ct_recipe *r = linear->recipe;
    for (uint32_t i = 0; i < linear->n; i++)
        b[i] *= r->scale[i];
    for (uint32_t k = 0; k < linear->n; k++) {
        const step *s = &r->step[k];
        const uint32_t *slot = r->list + s->list, *row = slot + s->below;
        double y = b[s->row];
        for (uint32_t a = 0; a < s->below; a++)
            b[row[a]] -= r->value[slot[a]] * y;
    }
    for (uint32_t k = linear->n; k-- > 0;) {
        const step *s = &r->step[k];
        const uint32_t *slot = r->list + s->list + 2 * s->below, *col = slot + s->right;
        double sum = b[s->row];
        for (uint32_t a = 0; a < s->right; a++)
            sum -= r->value[slot[a]] * r->work[col[a]];
        r->work[s->col] = sum * r->inverse[k];
    }
    if (linear->n)
        memcpy(b, r->work, linear->n * sizeof *b);
}
