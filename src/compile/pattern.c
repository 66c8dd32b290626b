/* pattern.c - which rows depend on which columns, and columns that can be shifted together. */
#include "compile/program.h"
#include "expr/pool.h"

typedef struct place {
    uint32_t row, col;
} place;

typedef CT_VEC(place) place_list;

enum { SWEEP = 64 }; /* columns that are followed at once, a bit each */

/* Bits of the columns first .. first + 63 that each node depends on. */
static void mark_sweep(ct_pool *pool, const ct_walk *walk, uint64_t *mark, const uint32_t *column,
                       uint32_t first)
{
    for (uint32_t k = 0; k < walk->order.count; k++) {
        ct_expr e = walk->order.at[k];
        uint64_t bits = 0;
        if (column[k] > first && column[k] - 1 - first < SWEEP)
            bits = (uint64_t)1 << (column[k] - 1 - first);
        if (ct_expr_kind_of(pool, e) > CT_EXPR_SYMBOL)
            for (uint32_t i = 0; i < ct_expr_arity(pool, e); i++)
                bits |= mark[walk->memo[ct_expr_operand(pool, e, i)].e];
        mark[k] = bits;
    }
}

static void list_sweep(const ct_walk *walk, const uint64_t *mark, const ct_expr *f, uint32_t rows,
                       uint32_t first, ct_arena *arena, place_list *all)
{
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t bits = f[i] ? mark[walk->memo[f[i]].e] : 0;
        for (uint32_t b = 0; bits; b++, bits >>= 1)
            if (bits & 1)
                CT_PUSH(arena, *all, (place){i, first + b});
    }
}

/* Counting sort by columns; rows rise already. */
static const ct_jacobian *compress(ct_arena *arena, const place_list *all, uint32_t rows,
                                   uint32_t cols)
{
    ct_jacobian *j = CT_NEW(arena, ct_jacobian);
    uint32_t *start = CT_NEW_ARRAY(arena, uint32_t, cols + 2);
    uint32_t *row = CT_NEW_ARRAY(arena, uint32_t, all->count);
    for (uint32_t i = 0; i < all->count; i++)
        start[all->at[i].col + 2]++;
    for (uint32_t k = 1; k <= cols; k++)
        start[k + 1] += start[k];
    for (uint32_t i = 0; i < all->count; i++)
        row[start[all->at[i].col + 1]++] = all->at[i].row;
    *j = (ct_jacobian){.rows = rows, .cols = cols, .count = all->count, .start = start, .row = row};
    return j;
}

/* Index + 1 of the column that each node of the walk is; its memo becomes its place. */
static const uint32_t *find_columns(ct_pool *pool, ct_walk *walk, const ct_name *x, uint32_t cols,
                                    ct_arena *arena)
{
    uint32_t *column = CT_NEW_ARRAY(arena, uint32_t, walk->order.count);
    for (uint32_t k = 0; k < walk->order.count; k++)
        walk->memo[walk->order.at[k]].e = k;
    for (uint32_t i = 0; i < cols; i++) {
        ct_expr e = ct_expr_symbol(pool, x[i]);
        if (ct_walk_met(walk, e))
            column[walk->memo[e].e] = i + 1;
    }
    return column;
}

const ct_jacobian *ct_pattern_new(ct_arena *arena, ct_pool *pool, const ct_expr *f, uint32_t rows,
                                  const ct_name *x, uint32_t cols)
{
    ct_arena *scratch = ct_arena_new(ct_arena_context(arena));
    ct_walk *walk = ct_walk_begin(pool, f, rows);
    const uint32_t *column = find_columns(pool, walk, x, cols, scratch);
    uint64_t *mark = CT_NEW_ARRAY(scratch, uint64_t, walk->order.count);
    place_list all = {0};
    for (uint32_t first = 0; first < cols; first += SWEEP) {
        mark_sweep(pool, walk, mark, column, first);
        list_sweep(walk, mark, f, rows, first, scratch, &all);
    }
    ct_walk_end(pool, walk);
    const ct_jacobian *pattern = compress(arena, &all, rows, cols);
    ct_arena_free(scratch);
    return pattern;
}

/* ---- groups */

/* Takes the column into the group when none of its rows is taken yet. */
static bool join_group(const ct_jacobian *j, uint32_t col, uint32_t group, uint32_t *taken)
{
    for (uint32_t a = j->start[col]; a < j->start[col + 1]; a++)
        if (taken[j->row[a]] == group)
            return false;
    for (uint32_t a = j->start[col]; a < j->start[col + 1]; a++)
        taken[j->row[a]] = group;
    return true;
}

const ct_grouping *ct_group_columns(ct_arena *arena, const ct_jacobian *j)
{
    ct_grouping *g = CT_NEW(arena, ct_grouping);
    uint32_t *start = CT_NEW_ARRAY(arena, uint32_t, j->cols + 1);
    uint32_t *column = CT_NEW_ARRAY(arena, uint32_t, j->cols);
    uint32_t *taken = CT_NEW_ARRAY(arena, uint32_t, j->rows);
    uint32_t *left = CT_NEW_ARRAY(arena, uint32_t, j->cols), left_count = 0, placed = 0;
    for (uint32_t k = 0; k < j->cols; k++)
        if (j->start[k] < j->start[k + 1])
            left[left_count++] = k;
    *g = (ct_grouping){.start = start, .column = column};
    while (left_count) {
        uint32_t kept = 0;
        g->count++;
        for (uint32_t i = 0; i < left_count; i++)
            if (join_group(j, left[i], g->count, taken))
                column[placed++] = left[i];
            else
                left[kept++] = left[i];
        left_count = kept;
        start[g->count] = placed;
    }
    return g;
}
