/* ldl_block.c - which columns of L form blocks, and the rows of these. */
#include "solve/ldl_block.h"

#include <string.h>

/* Work by blocks pays when an entry of L is used that often. */
static const double least_use = 12;

static size_t below(const ct_ldl *l, int column)
{
    return l->start[column + 1] - l->start[column];
}

/* Zeros that a merged block may hold as a part of its entries, by its width. */
static double zeros_allowed(int width)
{
    return width <= 4 ? 1 : width <= 16 ? 0.5 : width <= 48 ? 0.1 : 0.05;
}

typedef struct merging {
    ct_ldl_block *block;
    double *zeros; /* of each */
    int count;
} merging;

/* Puts the last block into `b`, its parent right behind it, when few zeros come in. */
static bool merge_last(merging *m, const ct_ldl *l, ct_ldl_block *b, double *zeros)
{
    if (!m->count)
        return false;
    const ct_ldl_block *s = &m->block[m->count - 1];
    int parent = l->parent[b->first - 1]; /* of the last column of s */
    if (parent < b->first || parent >= b->first + b->width)
        return false;
    double width = s->width + b->width;
    double more =
        m->zeros[m->count - 1] + *zeros + (double)s->width * (b->width + b->rows - s->rows);
    double all = width * (width + 1) / 2 + width * b->rows;
    if (more > zeros_allowed(s->width + b->width) * all)
        return false;
    b->first = s->first;
    b->width += s->width;
    *zeros = more;
    m->count--;
    return true;
}

static void find_blocks(ct_arena *arena, const ct_ldl *l, merging *m)
{
    int n = (int)l->n;
    m->block = CT_NEW_ARRAY(arena, ct_ldl_block, (size_t)n + 1);
    m->zeros = CT_NEW_ARRAY(arena, double, (size_t)n + 1);
    for (int k = 0; k < n;) {
        ct_ldl_block b = {.first = k, .width = 1};
        double zeros = 0;
        for (k++; k < n && l->parent[k - 1] == k && below(l, k - 1) == below(l, k) + 1; k++)
            b.width++;
        b.rows = (int)below(l, k - 1);
        while (merge_last(m, l, &b, &zeros))
            ;
        m->zeros[m->count] = zeros;
        m->block[m->count++] = b;
    }
}

static int *block_of_columns(ct_arena *arena, const ct_ldl *l, const ct_ldl_blocks *b)
{
    int *of = CT_NEW_ARRAY(arena, int, l->n + 1);
    for (int s = 0; s < b->count; s++)
        for (int k = 0; k < b->block[s].width; k++)
            of[b->block[s].first + k] = s;
    return of;
}

/* Row k belongs to all blocks on the way up from its entries to its own block. */
static void list_rows(ct_arena *arena, const ct_ldl *l, ct_ldl_blocks *b, const int *of)
{
    size_t total = 0, *next = CT_NEW_ARRAY(arena, size_t, (size_t)b->count + 1);
    int *mark = CT_NEW_ARRAY(arena, int, (size_t)b->count + 1);
    for (int s = 0; s < b->count; s++) {
        ct_ldl_block *at = &b->block[s];
        int parent = l->parent[at->first + at->width - 1];
        at->parent = parent < 0 ? -1 : of[parent];
        at->row = next[s] = total;
        total += (size_t)at->rows;
    }
    b->row = CT_NEW_ARRAY(arena, int, total + 1);
    for (int k = 0; k < (int)l->n; k++) {
        mark[of[k]] = k + 1;
        for (int p = l->up_start[k]; p < l->up_start[k + 1]; p++)
            for (int s = of[l->up_row[p]]; mark[s] != k + 1; s = b->block[s].parent) {
                mark[s] = k + 1;
                b->row[next[s]++] = k;
            }
    }
    ct_arena_release(arena, next, ((size_t)b->count + 1) * sizeof *next);
    ct_arena_release(arena, mark, ((size_t)b->count + 1) * sizeof *mark);
}

/* The lower triangle of the permuted matrix by columns. */
static void transpose(ct_arena *arena, const ct_ldl *l, ct_ldl_blocks *b)
{
    uint32_t n = l->n;
    int count = l->up_start[n];
    b->low_start = CT_NEW_ARRAY(arena, int, n + 2);
    b->low_row = CT_NEW_ARRAY(arena, int, (size_t)count + 1);
    b->low_from = CT_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
    int *next = b->low_start + 1;
    for (int p = 0; p < count; p++)
        b->low_start[l->up_row[p] + 2]++;
    for (uint32_t k = 1; k < n; k++)
        next[k] += next[k - 1];
    for (uint32_t k = 0; k < n; k++)
        for (int p = l->up_start[k]; p < l->up_start[k + 1]; p++) {
            int at = next[l->up_row[p]]++;
            b->low_row[at] = (int)k;
            b->low_from[at] = l->up_from[p];
        }
}

/* Entries of L, and how high the stack of what blocks leave grows. */
static void measure(ct_arena *arena, ct_ldl_blocks *b)
{
    size_t height = 0, *left = CT_NEW_ARRAY(arena, size_t, (size_t)b->count + 1);
    for (int s = 0; s < b->count; s++) {
        ct_ldl_block *at = &b->block[s];
        size_t w = (size_t)at->width, r = (size_t)at->rows;
        at->entry = b->entries;
        b->widest = w > b->widest ? w : b->widest;
        b->entries += (w + r) * w;
        height += r * r;
        b->stack = height > b->stack ? height : b->stack;
        height -= left[s];
        if (at->parent >= 0)
            left[at->parent] += r * r;
    }
    ct_arena_release(arena, left, ((size_t)b->count + 1) * sizeof *left);
}

ct_ldl_blocks *ct_ldl_blocks_new(ct_arena *arena, const ct_ldl *l)
{
    merging m = {0};
    if (l->flops < least_use * (double)(l->count + l->n))
        return NULL;
    ct_ldl_blocks *b = CT_NEW(arena, ct_ldl_blocks);
    find_blocks(arena, l, &m);
    b->block = CT_NEW_ARRAY(arena, ct_ldl_block, (size_t)m.count + 1);
    b->count = m.count;
    memcpy(b->block, m.block, (size_t)m.count * sizeof *m.block);
    ct_arena_release(arena, m.block, ((size_t)l->n + 1) * sizeof *m.block);
    ct_arena_release(arena, m.zeros, ((size_t)l->n + 1) * sizeof *m.zeros);
    int *of = block_of_columns(arena, l, b);
    list_rows(arena, l, b, of);
    ct_arena_release(arena, of, (l->n + 1) * sizeof *of);
    transpose(arena, l, b);
    measure(arena, b);
    return b;
}

size_t ct_ldl_blocks_entries(const ct_ldl_blocks *blocks)
{
    return blocks->entries;
}
