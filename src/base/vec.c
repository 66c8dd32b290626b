/* vec.c - makes room in growing arrays. */
#include "base/vec.h"

#include "base/context.h"

void *ct_vec_reserve(ct_arena *arena, void *at, uint32_t wanted, uint32_t *room, size_t size)
{
    if (wanted <= *room)
        return at;
    at = ct_arena_grow(arena, at, *room * size, wanted * size);
    *room = wanted;
    return at;
}

void *ct_vec_room(ct_arena *arena, void *at, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return at;
    if (count > UINT32_MAX / 2)
        ct_throw(ct_arena_context(arena), CT_ERR_LIMIT);
    return ct_vec_reserve(arena, at, count < 4 ? 8 : count * 2, room, size);
}
