/* sets.h - disjoint sets of numbers 0 .. n-1 (union-find), for circuits and parts.
 *
 * A set is known by its smallest member, so that results do not depend on the order of joining;
 * path halving keeps the cost per call logarithmic at worst and constant in practice.
 */
#ifndef CT_BASE_SETS_H
#define CT_BASE_SETS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

static inline uint32_t *ct_sets_new(ct_arena *arena, uint32_t count)
{
    uint32_t *sets = CT_NEW_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        sets[i] = i;
    return sets;
}

static inline uint32_t *ct_sets_copy(ct_arena *arena, const uint32_t *sets, uint32_t count)
{
    uint32_t *copy = CT_NEW_ARRAY(arena, uint32_t, count);
    if (count)
        memcpy(copy, sets, count * sizeof *copy);
    return copy;
}

static inline uint32_t ct_sets_find(uint32_t *sets, uint32_t i)
{
    while (sets[i] != i) {
        sets[i] = sets[sets[i]];
        i = sets[i];
    }
    return i;
}

/* False: a and b were in one set already. */
static inline bool ct_sets_join(uint32_t *sets, uint32_t a, uint32_t b)
{
    a = ct_sets_find(sets, a);
    b = ct_sets_find(sets, b);
    if (a < b)
        sets[b] = a;
    else
        sets[a] = b;
    return a != b;
}

#endif
