/* linear.c - factors and solves A y = b with one pattern. */
#include "solve/linear.h"

#include <string.h>

#include "solve/lu.h"

typedef struct builder {
    ct_pattern *pattern;
    uint32_t *seen; /* entry of the current column that holds this row, plus 1 */
    uint32_t begin; /* of the current column */
} builder;

static uint32_t entry_of(builder *b, uint32_t row)
{
    ct_pattern *p = b->pattern;
    uint32_t known = b->seen[row];
    if (known > b->begin && p->row[known - 1] == (int)row)
        return known - 1;
    p->row[p->count++] = (int)row;
    b->seen[row] = p->count;
    return p->count - 1;
}

static void add_column(builder *b, uint32_t column, const uint32_t *start, const uint32_t *row,
                       uint32_t first)
{
    ct_pattern *p = b->pattern;
    b->begin = p->count;
    for (uint32_t k = start[first + column]; k < start[first + column + 1]; k++)
        if (row[k] >= first && row[k] - first < p->n)
            p->place[k] = entry_of(b, row[k] - first);
    if (column < p->diagonal_count)
        p->diagonal[column] = entry_of(b, column);
    p->start[column + 1] = (int)p->count;
}

ct_pattern ct_pattern_part(ct_arena *arena, uint32_t columns, const uint32_t *start,
                           const uint32_t *row, uint32_t first, uint32_t n, uint32_t diagonal_count)
{
    uint32_t given = columns ? start[columns] : 0;
    ct_pattern p = {.n = n, .diagonal_count = diagonal_count};
    p.start = CT_NEW_ARRAY(arena, int, n + 1);
    p.row = CT_NEW_ARRAY(arena, int, (size_t)given + diagonal_count);
    p.place = CT_NEW_ARRAY(arena, uint32_t, given);
    p.diagonal = CT_NEW_ARRAY(arena, uint32_t, diagonal_count);
    memset(p.place, 0xff, given * sizeof *p.place);
    builder b = {.pattern = &p, .seen = CT_NEW_ARRAY(arena, uint32_t, n)};
    for (uint32_t column = 0; column < n; column++)
        add_column(&b, column, start, row, first);
    return p;
}

void ct_pattern_gather(const ct_pattern *pattern, uint32_t columns, const uint32_t *start,
                       const double *given, double *target)
{
    memset(target, 0, pattern->count * sizeof *target);
    for (uint32_t k = 0; k < start[columns]; k++)
        if (pattern->place[k] != UINT32_MAX)
            target[pattern->place[k]] += given[k];
}

static ct_linear *open_linear(ct_arena *arena, const ct_pattern *pattern, uint32_t small)
{
    ct_linear *l = CT_NEW(arena, ct_linear);
    l->arena = arena;
    l->n = pattern->n;
    l->count = pattern->count;
    l->start = pattern->start;
    l->row = pattern->row;
    l->value = CT_NEW_ARRAY(arena, double, l->count + 1);
    l->singular_at = UINT32_MAX;
    if (l->n <= small)
        l->recipe = ct_recipe_new(arena, l->n, l->count);
    klu_defaults(&l->common);
    return l;
}

ct_linear *ct_linear_new(ct_arena *arena, const ct_pattern *pattern)
{
    return open_linear(arena, pattern, CT_SMALL_SYSTEM);
}

ct_linear *ct_linear_new_sparse(ct_arena *arena, const ct_pattern *pattern)
{
    ct_linear *l = open_linear(arena, pattern, 0); /* KLU wants an unknown at least */
    l->often = true;
    return l;
}

void ct_linear_free(ct_linear *linear)
{
    if (!linear)
        return;
    if (linear->numeric)
        klu_free_numeric(&linear->numeric, &linear->common);
    if (linear->symbolic)
        klu_free_symbolic(&linear->symbolic, &linear->common);
    ct_lu_free(linear->lu);
    linear->lu = NULL;
}

bool ct_linear_focus(ct_linear *linear, const uint8_t *level, uint8_t least)
{
    return linear->lu ? ct_lu_focus(linear->lu, level, least) : level == NULL;
}

double ct_linear_work(const ct_linear *linear)
{
    return linear->lu ? ct_lu_work(linear->lu) : 1;
}

bool ct_linear_is_focused(const ct_linear *linear)
{
    return linear->lu && ct_lu_is_focused(linear->lu);
}

ct_solve_status ct_linear_factor(ct_linear *linear)
{
    linear->singular_at = UINT32_MAX;
    linear->pivot_ratio = 0;
    linear->factor_count++;
    linear->status = linear->recipe ? ct_recipe_factor(linear) : ct_klu_factor(linear);
    return linear->status;
}

void ct_linear_solve(ct_linear *linear, double *b)
{
    linear->solve_count++;
    if (linear->recipe)
        ct_recipe_solve(linear, b);
    else
        ct_klu_solve(linear, b);
}
