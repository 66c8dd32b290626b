/* clone.c - a pool once more, with the same numbers for the same nodes. */
#include <string.h>

#include "expr/pool.h"

/* The vectors of both pools will grow, each in its own arena; limbs of long numbers stay where they
 * are. Tables by name (symbol, key) are as long as their room. */
static void *copy_of(ct_arena *arena, const void *from, size_t used, size_t room, size_t size)
{
    void *copy = ct_arena_alloc(arena, room * size);
    if (used)
        memcpy(copy, from, used * size);
    return copy;
}

#define COPY(vec, used)                                                                            \
    ((vec).at = copy_of(p->arena, (vec).at, (used), (vec).room, sizeof *(vec).at))

ct_pool *ct_pool_copy(const ct_pool *from, ct_context *own)
{
    ct_arena *arena = ct_arena_new(own);
    ct_pool *p = CT_NEW(arena, ct_pool);
    *p = *from;
    p->ctx = own;
    p->arena = arena;
    COPY(p->node, p->node.count);
    COPY(p->word, p->word.count);
    COPY(p->number, p->number.count);
    COPY(p->symbol, p->symbol.room);
    COPY(p->key, p->key.room);
    p->slot = CT_NEW_ARRAY(arena, uint64_t, from->slot_count);
    memcpy(p->slot, from->slot, from->slot_count * sizeof *p->slot);
    memset(&p->pair, 0, sizeof p->pair);
    memset(&p->sorted, 0, sizeof p->sorted);
    p->idle = NULL;
    return p;
}
