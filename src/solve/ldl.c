/* ldl.c - order and pattern of L for symmetric matrices. */
#include "solve/ldl.h"

#include <amd.h>
#include <limits.h>
#include <string.h>

#include "solve/ldl_block.h"

/* Column k of the permuted upper triangle: the diagonal entry stands last. */
static bool permute(ct_arena *arena, ct_ldl *l, const int *start, const int *row)
{
    uint32_t n = l->n;
    int *place = CT_NEW_ARRAY(arena, int, n + 1); /* old -> new */
    for (uint32_t k = 0; k < n; k++)
        place[l->order[k]] = (int)k;
    size_t kept = 0;
    for (uint32_t j = 0; j < n; j++)
        for (int p = start[j]; p < start[j + 1]; p++)
            kept += place[row[p]] <= place[j];
    l->up_start = CT_NEW_ARRAY(arena, int, n + 1);
    l->up_row = CT_NEW_ARRAY(arena, int, kept + 1);
    l->up_from = CT_NEW_ARRAY(arena, uint32_t, kept + 1);
    int at = 0;
    bool whole = true;
    for (uint32_t k = 0; k < n; k++) {
        int j = l->order[k], diagonal = -1;
        for (int p = start[j]; p < start[j + 1]; p++) {
            int i = place[row[p]];
            if (i == (int)k)
                diagonal = p;
            if (i >= (int)k)
                continue;
            l->up_row[at] = i;
            l->up_from[at++] = (uint32_t)p;
        }
        whole &= diagonal >= 0;
        if (diagonal >= 0) {
            l->up_row[at] = (int)k;
            l->up_from[at++] = (uint32_t)diagonal;
        }
        l->up_start[k + 1] = at;
    }
    ct_arena_release(arena, place, (n + 1) * sizeof *place);
    return whole;
}

/* Elimination tree, by the rows of L with shortened paths. */
static void find_tree(ct_arena *arena, ct_ldl *l)
{
    int *ancestor = CT_NEW_ARRAY(arena, int, l->n + 1);
    l->parent = CT_NEW_ARRAY(arena, int, l->n + 1);
    for (int k = 0; k < (int)l->n; k++) {
        l->parent[k] = ancestor[k] = -1;
        for (int p = l->up_start[k]; p < l->up_start[k + 1]; p++)
            for (int i = l->up_row[p], next; i != -1 && i < k; i = next) {
                next = ancestor[i];
                ancestor[i] = k;
                if (next == -1)
                    l->parent[i] = k;
            }
    }
    ct_arena_release(arena, ancestor, (l->n + 1) * sizeof *ancestor);
}

/* Children before parents, each subtree in one stretch. */
static void find_postorder(ct_arena *arena, const ct_ldl *l, int *post)
{
    int n = (int)l->n, count = 0;
    int *child = CT_NEW_ARRAY(arena, int, (size_t)n + 1); /* first child plus 1 */
    int *sibling = CT_NEW_ARRAY(arena, int, (size_t)n + 1);
    int *stack = CT_NEW_ARRAY(arena, int, (size_t)n + 1);
    for (int k = n - 1; k >= 0; k--)
        if (l->parent[k] >= 0) {
            sibling[k] = child[l->parent[k]];
            child[l->parent[k]] = k + 1;
        }
    for (int root = 0; root < n; root++) {
        int top = 0;
        if (l->parent[root] >= 0)
            continue;
        stack[top++] = root;
        while (top) {
            int k = stack[top - 1], first = child[k] - 1;
            if (first >= 0) {
                child[k] = sibling[first];
                stack[top++] = first;
            } else {
                post[count++] = k;
                top--;
            }
        }
    }
    ct_arena_release(arena, child, ((size_t)n + 1) * sizeof *child);
    ct_arena_release(arena, sibling, ((size_t)n + 1) * sizeof *sibling);
    ct_arena_release(arena, stack, ((size_t)n + 1) * sizeof *stack);
}

static void release_upper(ct_arena *arena, ct_ldl *l)
{
    size_t kept = (size_t)l->up_start[l->n] + 1;
    ct_arena_release(arena, l->up_row, kept * sizeof *l->up_row);
    ct_arena_release(arena, l->up_from, kept * sizeof *l->up_from);
    ct_arena_release(arena, l->up_start, (l->n + 1) * sizeof *l->up_start);
    ct_arena_release(arena, l->parent, (l->n + 1) * sizeof *l->parent);
}

/* Rows of L are walks up the tree: how many entries each column gets. */
static void count_columns(ct_arena *arena, ct_ldl *l)
{
    uint32_t n = l->n;
    int *mark = CT_NEW_ARRAY(arena, int, n + 1);
    size_t *count = CT_NEW_ARRAY(arena, size_t, n + 1);
    for (int k = 0; k < (int)n; k++) {
        mark[k] = k;
        for (int p = l->up_start[k]; p < l->up_start[k + 1]; p++)
            for (int i = l->up_row[p]; mark[i] != k; i = l->parent[i]) {
                mark[i] = k;
                count[i]++;
            }
    }
    l->start = count;
    for (uint32_t k = 0; k < n; k++) {
        size_t c = count[k];
        count[k] = l->count;
        l->count += c;
        l->flops += (double)c * (double)(c + 2);
    }
    count[n] = l->count;
    ct_arena_release(arena, mark, (n + 1) * sizeof *mark);
}

static void fill_pattern(ct_arena *arena, ct_ldl *l)
{
    int *mark = CT_NEW_ARRAY(arena, int, l->n + 1);
    size_t *next = CT_NEW_ARRAY(arena, size_t, l->n + 1);
    memcpy(next, l->start, l->n * sizeof *next);
    l->row = CT_NEW_ARRAY(arena, int, l->count + 1);
    for (int k = 0; k < (int)l->n; k++) {
        mark[k] = k;
        for (int p = l->up_start[k]; p < l->up_start[k + 1]; p++)
            for (int i = l->up_row[p]; mark[i] != k; i = l->parent[i]) {
                mark[i] = k;
                l->row[next[i]++] = k;
            }
    }
    ct_arena_release(arena, mark, (l->n + 1) * sizeof *mark);
    ct_arena_release(arena, next, (l->n + 1) * sizeof *next);
}

/* Every entry has its mirror image. */
static bool is_symmetric(ct_arena *arena, uint32_t n, const int *start, const int *row)
{
    int *next = CT_NEW_ARRAY(arena, int, n + 1);
    bool good = true;
    memcpy(next, start, n * sizeof *next);
    for (int j = 0; j < (int)n && good;
         j++) /* rows of a column ascend: mirror images come in turn */
        for (int p = start[j]; p < start[j + 1] && good; p++) {
            int i = row[p];
            good = next[i] < start[i + 1] && row[next[i]] == j;
            next[i]++;
        }
    ct_arena_release(arena, next, (n + 1) * sizeof *next);
    return good;
}

ct_ldl *ct_ldl_new(ct_arena *arena, uint32_t n, const int *start, const int *row)
{
    ct_ldl *l = CT_NEW(arena, ct_ldl);
    l->n = n;
    if (n > INT_MAX / 2 || !is_symmetric(arena, n, start, row))
        return NULL;
    l->order = CT_NEW_ARRAY(arena, int, n + 1);
    if (amd_order((int)n, start, row, l->order, NULL, NULL) < AMD_OK)
        return NULL;
    if (!permute(arena, l, start, row))
        return NULL;
    find_tree(arena, l);
    int *post = CT_NEW_ARRAY(arena, int, n + 1);
    find_postorder(arena, l, post);
    for (uint32_t k = 0; k < n; k++)
        post[k] = l->order[post[k]];
    ct_arena_release(arena, l->order, (n + 1) * sizeof *l->order);
    l->order = post;
    release_upper(arena, l);
    permute(arena, l, start, row);
    find_tree(arena, l);
    count_columns(arena, l);
    l->blocks = ct_ldl_blocks_new(arena, l);
    if (!l->blocks)
        fill_pattern(arena, l);
    return l;
}

size_t ct_ldl_bytes(const ct_ldl *l, bool is_complex)
{
    size_t one = is_complex ? sizeof(ct_complex) : sizeof(double);
    return ((l->blocks ? ct_ldl_blocks_entries(l->blocks) : l->count) + l->n) * one;
}

/* Fronts are worked on one after the other: one room serves all factors. */
static void open_fronts(ct_arena *arena, ct_ldl *l, bool is_complex)
{
    size_t size = (l->blocks->stack + 1) * (is_complex ? 2 : 1);
    if (size <= l->room_size)
        return;
    ct_arena_release(arena, l->room, l->room_size * sizeof *l->room);
    l->room = CT_NEW_ARRAY(arena, double, size);
    l->room_size = size;
}

static void open_room(ct_arena *arena, ct_ldl *l)
{
    if (l->work)
        return;
    l->work = CT_NEW_ARRAY(arena, double, 2 * (size_t)l->n + 2);
    l->next = CT_NEW_ARRAY(arena, int, l->n + 1);
    l->mark = CT_NEW_ARRAY(arena, int, l->n + 1);
    l->stack = CT_NEW_ARRAY(arena, int, l->n + 1);
    if (l->blocks)
        l->most = CT_NEW_ARRAY(arena, double, l->blocks->widest + 1);
}

ct_ldl_factor *ct_ldl_factor_new(ct_arena *arena, ct_ldl *l, bool is_complex)
{
    ct_ldl_factor *f = CT_NEW(arena, ct_ldl_factor);
    size_t entries = l->blocks ? ct_ldl_blocks_entries(l->blocks) : l->count;
    if (is_complex) {
        f->lz = CT_NEW_ARRAY(arena, ct_complex, entries + 1);
        f->dz = CT_NEW_ARRAY(arena, ct_complex, l->n + 1);
    } else {
        f->l = CT_NEW_ARRAY(arena, double, entries + 1);
        f->d = CT_NEW_ARRAY(arena, double, l->n + 1);
    }
    open_room(arena, l);
    if (l->blocks)
        open_fronts(arena, l, is_complex);
    return f;
}
