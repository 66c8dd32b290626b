/* vec.h - growing arrays in an arena.
 *
 *     CT_VEC(int) list = {0};
 *     CT_PUSH(arena, list, 7);     list.at[0], list.count
 *
 * A vector is plain data: at, count, room. It needs no destructor.
 */
#ifndef CT_BASE_VEC_H
#define CT_BASE_VEC_H

#include <stdint.h>

#include "base/arena.h"

#define CT_VEC(type)                                                                               \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t count, room;                                                                      \
    }

/* Returns the block with room for one more element; used by CT_PUSH only. */
void *ct_vec_room(ct_arena *arena, void *at, uint32_t count, uint32_t *room, size_t size);

/* Makes room for at least `wanted` elements in all. */
void *ct_vec_reserve(ct_arena *arena, void *at, uint32_t wanted, uint32_t *room, size_t size);

#define CT_PUSH(arena, vec, ...)                                                                   \
    ((vec).count < (vec).room ? (void)0                                                            \
                              : (void)((vec).at = ct_vec_room((arena), (vec).at, (vec).count,      \
                                                              &(vec).room, sizeof *(vec).at)),     \
     (vec).at[(vec).count++] = (__VA_ARGS__))

#define CT_RESERVE(arena, vec, wanted)                                                             \
    ((vec).at = ct_vec_reserve((arena), (vec).at, (wanted), &(vec).room, sizeof *(vec).at))

/* Gives its memory back before the arena dies; the vector is empty then. */
#define CT_DROP(arena, vec)                                                                        \
    (ct_arena_release((arena), (vec).at, (vec).room * sizeof *(vec).at), (vec).at = NULL,          \
     (vec).count = (vec).room = 0)

#endif
