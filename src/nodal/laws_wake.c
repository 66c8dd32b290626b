/* laws_wake.c - which blocks must look at what has moved: in a large network most places stay. */
#include <math.h>
#include <string.h>

#include "nodal/law.h"

/* -O2 of gcc leaves loops of unknown length scalar. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

/* ---- which blocks read a place: counted, then listed */

static void each_reader(laws *w, const law_group *g, uint32_t *at, uint32_t *list)
{
    const uint32_t *const of[] = {g->plus, g->minus};
    uint32_t fields = g->l->rate_count ? 0 : g->l->input_count; /* such never settle */
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t j = 0; j < fields; j++)
            for (uint32_t i = 0; i < g->room; i++) {
                uint32_t place = of[side][j * (size_t)g->room + i];
                if (place == w->size) /* zero */
                    continue;
                if (list)
                    list[at[place]] = g->first_block + i / CT_LANES;
                at[place]++;
            }
}

static void find_readers(laws *w)
{
    ct_arena *arena = w->n->arena;
    uint32_t places = w->size + w->place.count;
    uint32_t *start = CT_NEW_ARRAY(arena, uint32_t, places + 2), *list = NULL;
    for (uint32_t i = 0; i < w->group.count; i++)
        each_reader(w, &w->group.at[i], start + 1, NULL);
    for (uint32_t i = 0; i < places; i++)
        start[i + 1] += start[i];
    list = CT_NEW_ARRAY(arena, uint32_t, start[places] + 1);
    for (uint32_t i = 0; i < w->group.count; i++)
        each_reader(w, &w->group.at[i], start, list);
    memmove(start + 1, start, places * sizeof *start);
    start[0] = 0;
    w->near_start = start;
    w->near = list;
}

/* ---- sleeping and waking */

void ct_laws_sleep(laws *w)
{
    uint32_t places = w->size + w->place.count;
    if (!w->near_start) {
        find_readers(w);
        w->left = CT_NEW_ARRAY(w->n->arena, double, places + 1);
    }
    memcpy(w->left, w->x, places * sizeof *w->x);
}

void ct_laws_wake_place(laws *w, uint32_t place)
{
    if (!w->settled_count)
        return;
    w->left[place] = NAN; /* once is enough */
    for (uint32_t k = w->near_start[place]; k < w->near_start[place + 1]; k++)
        w->state[w->near[k]] |= BLOCK_AWAKE;
}

static void wake_range(laws *w, ct_index_range range)
{
    enum { AT_ONCE = 8 };
    uint32_t i = range.begin;
    double far = CT_LAWS_DOZE * w->least_slack;
    const double *x = w->x, *left = w->left;
    for (; i + AT_ONCE <= range.end; i += AT_ONCE) {
        int any = 0;
        for (uint32_t k = i; k < i + AT_ONCE; k++)
            any |= fabs(x[k] - left[k]) > far;
        for (uint32_t k = i; any && k < i + AT_ONCE; k++)
            if (fabs(x[k] - left[k]) > far)
                ct_laws_wake_place(w, k);
    }
    for (; i < range.end; i++)
        if (fabs(x[i] - left[i]) > far)
            ct_laws_wake_place(w, i);
}

void ct_laws_wake(laws *w)
{
    if (!w->settled_count)
        return;
    for (uint32_t k = 0; k < w->part.of.solved.count; k++)
        wake_range(w, w->part.of.solved.at[k]);
    wake_range(w, (ct_index_range){w->size, w->size + w->place.count});
}
