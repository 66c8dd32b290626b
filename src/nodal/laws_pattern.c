/* laws_pattern.c - the pattern of the matrix of a nonlinear network, and where laws stand in it. */
#include <stdlib.h>
#include <string.h>

#include "nodal/law.h"

/* The column that a place follows; size: none. */
static uint32_t column_of(const laws *w, uint32_t place)
{
    if (place < w->size)
        return place;
    int32_t column = w->place.at[place - w->size].column;
    return column < 0 ? w->size : (uint32_t)column;
}

/* ---- linear entries, then the diagonal, then four of each derivative */

typedef struct wanted {
    uint64_t *key; /* row, then its source */
    uint32_t *start;
    uint32_t *slot; /* of entries of laws in order: their places */
    int *row;       /* of places, and their values in E and A */
    double *e, *a;
} wanted;

typedef void (*entry_fn)(laws *w, wanted *to, uint32_t row, uint32_t column, uint32_t source);

static void count_entry(laws *w, wanted *to, uint32_t row, uint32_t column, uint32_t source)
{
    (void)source;
    if (row < w->size && column < w->size)
        to->start[column + 1]++;
}

static void put_entry(laws *w, wanted *to, uint32_t row, uint32_t column, uint32_t source)
{
    if (row < w->size && column < w->size)
        to->key[to->start[column]++] = (uint64_t)row << 32 | source;
}

static uint32_t each_law_entry(laws *w, wanted *to, law_group *g, entry_fn put, uint32_t source)
{
    for (uint32_t e = 0; e < g->l->entry_count; e++)
        for (uint32_t q = 0; q < 4; q++)
            for (uint32_t i = 0; i < g->room; i++) {
                const law_entry *at = &g->l->entry[e];
                uint32_t row = (q < 2 ? g->row_plus : g->row_minus)[at->row * g->room + i];
                uint32_t place = (q % 2 ? g->minus : g->plus)[at->input * g->room + i];
                put(w, to, row, column_of(w, place), source++);
            }
    return source;
}

static uint32_t each_entry(laws *w, wanted *to, entry_fn put)
{
    const columns *z = &w->n->z;
    uint32_t source = 0;
    for (uint32_t j = 0; j < z->count; j++)
        for (int k = z->start[j]; k < z->start[j + 1]; k++)
            put(w, to, (uint32_t)z->row[k], j, source++);
    for (uint32_t j = 0; j < w->size; j++)
        put(w, to, j, j, source++);
    for (uint32_t i = 0; i < w->group.count; i++)
        source = each_law_entry(w, to, &w->group.at[i], put, source);
    return source;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Most columns are short, and nearly in order. */
static void sort_keys(uint64_t *key, uint32_t count)
{
    const uint32_t few = 32;
    if (count > few) {
        qsort(key, count, sizeof *key, by_key);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint64_t own = key[i];
        uint32_t k = i;
        for (; k > 0 && key[k - 1] > own; k--)
            key[k] = key[k - 1];
        key[k] = own;
    }
}

/* Equal places become one; entries of laws learn where they are. */
static void merge(laws *w, wanted *to)
{
    const columns *z = &w->n->z;
    uint32_t from = 0, last = UINT32_MAX, linear = (uint32_t)z->start[z->count];
    for (uint32_t j = 0; j < w->size; j++) {
        uint32_t end = to->start[j];
        sort_keys(to->key + from, end - from);
        last = UINT32_MAX;
        for (uint32_t k = from; k < end; k++) {
            uint32_t row = (uint32_t)(to->key[k] >> 32), source = (uint32_t)to->key[k];
            if (row != last) {
                to->row[w->count] = (int)(last = row);
                to->e[w->count] = to->a[w->count] = 0;
                w->count++;
            }
            if (source < linear) {
                to->e[w->count - 1] += z->e[source];
                to->a[w->count - 1] += z->a[source];
            } else if (source >= linear + w->size) {
                to->slot[source - linear - w->size] = w->count - 1;
            }
        }
        from = end;
        w->start[j + 1] = (int)w->count;
    }
}

/* Few entries store anything. */
static void keep_held(laws *w, const double *e)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < w->count; k++)
        count += e[k] != 0;
    w->held = CT_NEW_ARRAY(w->n->arena, law_held, count + 1);
    w->held_start = CT_NEW_ARRAY(w->n->arena, uint32_t, w->size + 1);
    for (uint32_t j = 0; j < w->size; j++) {
        for (int k = w->start[j]; k < w->start[j + 1]; k++)
            if (e[k] != 0)
                w->held[w->held_count++] = (law_held){(uint32_t)w->row[k], j, (uint32_t)k, e[k]};
        w->held_start[j + 1] = w->held_count;
    }
}

/* ---- lists of sums: what goes nowhere is left out */

typedef uint32_t (*target_fn)(const laws *w, const law_group *g, uint32_t source, uint32_t i,
                              bool minus, uint32_t which);

/* Of entry `source`: two places are added to, two subtracted from. */
static uint32_t value_target(const laws *w, const law_group *g, uint32_t source, uint32_t i,
                             bool minus, uint32_t which)
{
    (void)w;
    uint32_t q = minus ? 1 + which : 3 * which;
    return g->slot[(source * 4 + q) * (size_t)g->room + i];
}

static uint32_t row_target(const laws *w, const law_group *g, uint32_t source, uint32_t i,
                           bool minus, uint32_t which)
{
    uint32_t row = (minus ? g->row_minus : g->row_plus)[source * (size_t)g->room + i];
    return which || row == w->size ? UINT32_MAX : row;
}

/* Where a derivative stands: among the results unless that by a rate is added to it. */
typedef uint32_t (*place_fn)(const law *l, uint32_t source);

static uint32_t value_place(const law *l, uint32_t source)
{
    return l->rate_count ? source : l->entry[source].by;
}

static uint32_t row_place(const law *l, uint32_t source)
{
    (void)l;
    return source;
}

/* items NULL: they are counted. */
static uint32_t list_items(const laws *w, const law_group *g, uint32_t sources, target_fn target,
                           place_fn place, law_list *list)
{
    uint32_t count = 0;
    for (uint32_t block = 0; block < g->room / CT_LANES; block++)
        for (uint32_t minus = 0; minus < 2; minus++) {
            list->start[2 * block + minus] = count;
            for (uint32_t k = 0; k < sources * CT_LANES * 2; k++) {
                uint32_t from = k / 2, i = block * CT_LANES + from % CT_LANES;
                uint32_t to = target(w, g, from / CT_LANES, i, minus, k % 2);
                if (to == UINT32_MAX)
                    continue;
                if (list->item)
                    list->item[count] =
                        (law_item){to, place(g->l, from / CT_LANES) * CT_LANES + from % CT_LANES};
                count++;
            }
        }
    list->start[g->room / CT_LANES * 2] = count;
    return count;
}

static law_list make_list(laws *w, const law_group *g, uint32_t sources, target_fn target,
                          place_fn place)
{
    law_list list = {CT_NEW_ARRAY(w->n->arena, uint32_t, g->room / CT_LANES * 2 + 1), NULL};
    uint32_t count = list_items(w, g, sources, target, place, &list);
    list.item = CT_NEW_ARRAY(w->n->arena, law_item, count + 1);
    list_items(w, g, sources, target, place, &list);
    return list;
}

static void make_lists(laws *w)
{
    for (uint32_t i = 0; i < w->group.count; i++) {
        law_group *g = &w->group.at[i];
        g->value = make_list(w, g, g->l->entry_count, value_target, value_place);
        g->row = make_list(w, g, g->l->row_count, row_target, row_place);
        g->slot = NULL;
    }
}

/* Entries of laws follow each other in all groups as they are counted. */
static void open_slots(laws *w, wanted *to, uint32_t sources)
{
    uint32_t count = sources - (uint32_t)w->n->z.start[w->n->z.count] - w->size;
    uint32_t *slot = CT_NEW_ARRAY(w->n->scratch, uint32_t, count + 1);
    memset(slot, 0xff, count * sizeof *slot);
    to->slot = slot;
    for (uint32_t i = 0; i < w->group.count; i++) {
        law_group *g = &w->group.at[i];
        g->slot = slot;
        slot += (size_t)g->room * g->l->entry_count * 4;
    }
}

/* Half of the entries met others: what stays takes no more room than it needs. */
static void keep_places(laws *w, const wanted *to)
{
    ct_arena *arena = w->n->arena;
    w->row = CT_NEW_ARRAY(arena, int, w->count + 1);
    w->a = CT_NEW_ARRAY(arena, double, w->count + 1);
    w->column = CT_NEW_ARRAY(arena, uint32_t, w->count + 1);
    for (uint32_t j = 0; j < w->size; j++)
        for (int k = w->start[j]; k < w->start[j + 1]; k++)
            w->column[k] = j;
    memcpy(w->row, to->row, w->count * sizeof *w->row);
    memcpy(w->a, to->a, w->count * sizeof *w->a);
}

void ct_laws_pattern(laws *w)
{
    net *n = w->n;
    wanted to = {.start = CT_NEW_ARRAY(n->scratch, uint32_t, w->size + 2)};
    uint32_t sources = each_entry(w, &to, count_entry);
    for (uint32_t j = 0; j < w->size; j++)
        to.start[j + 1] += to.start[j];
    uint32_t all = to.start[w->size];
    to.key = CT_NEW_ARRAY(n->scratch, uint64_t, all + 1);
    open_slots(w, &to, sources);
    each_entry(w, &to, put_entry);
    w->start = CT_NEW_ARRAY(n->arena, int, w->size + 2);
    to.row = CT_NEW_ARRAY(n->scratch, int, all + 1);
    to.e = CT_NEW_ARRAY(n->scratch, double, all + 1);
    to.a = CT_NEW_ARRAY(n->scratch, double, all + 1);
    merge(w, &to);
    keep_places(w, &to);
    keep_held(w, to.e);
    make_lists(w);
    ct_pattern p = {.n = w->size, .count = w->count, .start = w->start, .row = w->row};
    w->linear = ct_linear_new_sparse(n->arena, &p);
}
