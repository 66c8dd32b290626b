/* arena.h - memory that lives as long as its stage.
 *
 * An arena hands out memory and gives it back all at once. Every arena belongs to a context and
 * dies with it at the latest. Running out of memory never returns here: it unwinds to the
 * enclosing ct_protect() (see context.h), so that no caller checks for NULL.
 */
#ifndef CT_BASE_ARENA_H
#define CT_BASE_ARENA_H

#include <stddef.h>

typedef struct ct_context ct_context;
typedef struct ct_arena ct_arena;

ct_arena *ct_arena_new(ct_context *ctx);
void ct_arena_free(ct_arena *arena); /* NULL is accepted */
ct_context *ct_arena_context(const ct_arena *arena);
size_t ct_arena_bytes(const ct_arena *arena); /* taken from the allocator so far */

/* Zeroed memory, aligned for any type. */
void *ct_arena_alloc(ct_arena *arena, size_t size);

/* Moves a block of old_size bytes to one of new_size bytes. The new part is NOT zeroed. */
void *ct_arena_grow(ct_arena *arena, void *block, size_t old_size, size_t new_size);

/* Gives a block back before its time: a large one to the allocator, a small one to later requests
 * of its size. NULL is accepted. */
void ct_arena_release(ct_arena *arena, void *block, size_t size);

/* What must be given back to others when the arena is freed: calls leave(user), newest first. Make
 * the place first, then take what it is to give back, then set its fields: nothing throws between.
 */
typedef struct ct_arena_guest {
    struct ct_arena_guest *next;
    void (*leave)(void *user); /* NULL: nothing to do */
    void *user;
} ct_arena_guest;

ct_arena_guest *ct_arena_add_guest(ct_arena *arena);

char *ct_arena_copy(ct_arena *arena, const char *text, size_t length); /* adds the final zero */

#define CT_NEW(arena, type)              ((type *)ct_arena_alloc((arena), sizeof(type)))
#define CT_NEW_ARRAY(arena, type, count) ((type *)ct_arena_alloc((arena), (count) * sizeof(type)))

#endif
