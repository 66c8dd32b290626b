/* arrange.c - other names and another order for the states of a state space. */
#include <stdlib.h>

#include "base/hash.h"
#include "study/statespace.h"

static int compare_entries(const void *a, const void *b)
{
    const ct_entry *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->col > y->col) - (x->col < y->col);
}

static void sort(ct_entries *e)
{
    if (e->count)
        qsort(e->entry, e->count, sizeof *e->entry, compare_entries);
}

static void move_rows(ct_entries *e, const uint32_t *place)
{
    for (uint32_t i = 0; i < e->count; i++)
        e->entry[i].row = place[e->entry[i].row];
    sort(e);
}

static void move_cols(ct_entries *e, const uint32_t *place)
{
    for (uint32_t i = 0; i < e->count; i++)
        e->entry[i].col = place[e->entry[i].col];
    sort(e);
}

/* Where each state goes: those that are named first, in the order of the names; then the others,
 * and last what is algebraic. */
static uint32_t *find_places(const ct_statespace *ss, const ct_state_names *names, ct_name *state)
{
    ct_context *ctx = ct_arena_context(ss->arena);
    uint32_t *place = CT_NEW_ARRAY(ss->arena, uint32_t, ss->n + 1), next = 0;
    bool *placed = CT_NEW_ARRAY(ss->arena, bool, ss->n + 1);
    ct_map at;
    ct_map_init(&at, ss->arena);
    for (uint32_t i = 0; i < ss->differential; i++)
        ct_map_put(&at, ss->state[i], i + 1);
    for (uint32_t k = 0; k < names->count; k++) {
        uint32_t i = ct_map_get(&at, ct_intern_text(ctx, names->variable[k]));
        if (!i || placed[i - 1])
            continue;
        placed[i - 1] = true;
        state[next] = ct_intern_text(ctx, names->name[k]);
        place[i - 1] = next++;
    }
    for (uint32_t i = 0; i < ss->n; i++)
        if (!placed[i]) {
            state[next] = ss->state[i];
            place[i] = next++;
        }
    return place;
}

/* The operating point with the same names. */
static const ct_point *rename_point(const ct_statespace *ss, const ct_state_names *names)
{
    const ct_point *old = ss->point;
    ct_point *point = CT_NEW(ss->arena, ct_point);
    const char **state = CT_NEW_ARRAY(ss->arena, const char *, old->state_count + 1);
    ct_context *ctx = ct_arena_context(ss->arena);
    ct_map at;
    ct_map_init(&at, ss->arena);
    for (uint32_t i = 0; i < old->state_count; i++) {
        state[i] = old->state[i];
        ct_map_put(&at, ct_intern_text(ctx, state[i]), i + 1);
    }
    for (uint32_t k = 0; k < names->count; k++) {
        uint32_t i = ct_map_get(&at, ct_intern_text(ctx, names->variable[k]));
        if (i)
            state[i - 1] = names->name[k];
    }
    *point = *old;
    point->state = state;
    return point;
}

void ct_statespace_arrange(ct_statespace *ss, const ct_state_names *names)
{
    ct_name *state = CT_NEW_ARRAY(ss->arena, ct_name, ss->n + 1);
    const uint32_t *place = find_places(ss, names, state);
    move_rows(&ss->A, place);
    move_cols(&ss->A, place);
    move_cols(&ss->C, place);
    for (uint32_t k = 0; k < ss->orders; k++)
        move_rows(&ss->B[k], place);
    move_rows(&ss->a, place);
    ss->state = state;
    if (ss->point)
        ss->point = rename_point(ss, names);
}
