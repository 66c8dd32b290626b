/* arena.c - memory in blocks, given back all at once. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/context.h"

enum { ALIGNMENT = 16, FIRST_CHUNK = 1 << 12, LARGEST_CHUNK = 1 << 20, OWN_BLOCK = 1 << 16 };
enum { CLASSES = 32 }; /* of small blocks that were given back: 16, 32, .. 512 bytes */

/* Small requests are cut from chunks; a request of OWN_BLOCK bytes or more gets a block of its
 * own, which grows in place where the allocator can do so. */
typedef struct block {
    struct block *next, *before;
    size_t size; /* of the payload */
    size_t padding;
} block;

typedef struct spare {
    struct spare *next;
} spare;

struct ct_arena {
    ct_context *ctx;
    block *blocks;
    spare *spares[CLASSES];
    char *free_at;
    size_t free_size, next_chunk, bytes;
    ct_arena_guest *guests;
    ct_arena *next, **link; /* the context's list of arenas */
};

ct_arena *ct_arena_new(ct_context *ctx)
{
    ct_arena *arena = ct_context_realloc(ctx, NULL, 0, sizeof *arena);
    memset(arena, 0, sizeof *arena);
    arena->ctx = ctx;
    arena->next_chunk = FIRST_CHUNK;
    arena->link = &ctx->arenas;
    arena->next = ctx->arenas;
    if (arena->next)
        arena->next->link = &arena->next;
    ctx->arenas = arena;
    return arena;
}

void ct_arena_free(ct_arena *arena)
{
    if (!arena)
        return;
    *arena->link = arena->next;
    if (arena->next)
        arena->next->link = arena->link;
    for (ct_arena_guest *g = arena->guests; g; g = g->next)
        if (g->leave)
            g->leave(g->user);
    for (block *b = arena->blocks, *next; b; b = next) {
        next = b->next;
        ct_context_release(arena->ctx, b, sizeof *b + b->size);
    }
    ct_context_release(arena->ctx, arena, sizeof *arena);
}

ct_context *ct_arena_context(const ct_arena *arena)
{
    return arena->ctx;
}

size_t ct_arena_bytes(const ct_arena *arena)
{
    return arena->bytes;
}

static void link_block(ct_arena *arena, block *b)
{
    b->before = NULL;
    b->next = arena->blocks;
    if (b->next)
        b->next->before = b;
    arena->blocks = b;
}

static void unlink_block(ct_arena *arena, block *b)
{
    if (b->next)
        b->next->before = b->before;
    *(b->before ? &b->before->next : &arena->blocks) = b->next;
}

static block *new_block(ct_arena *arena, size_t size)
{
    block *b = ct_context_realloc(arena->ctx, NULL, 0, sizeof *b + size);
    b->size = size;
    link_block(arena, b);
    arena->bytes += sizeof *b + size;
    return b;
}

static size_t round_up(ct_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        ct_throw(arena->ctx, CT_ERR_MEMORY);
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static spare **class_of(ct_arena *arena, size_t size)
{
    return size <= CLASSES * ALIGNMENT ? &arena->spares[size / ALIGNMENT - 1] : NULL;
}

/* `size` is rounded. What it gives is not zeroed: a table that grows writes all it reads. */
static void *take(ct_arena *arena, size_t size)
{
    if (size >= OWN_BLOCK)
        return new_block(arena, size) + 1;
    spare **class = class_of(arena, size);
    if (class && *class) {
        spare *s = *class;
        *class = s->next;
        return s;
    }
    if (size > arena->free_size) {
        size_t chunk = arena->next_chunk < size ? size : arena->next_chunk;
        arena->free_at = (char *)(new_block(arena, chunk) + 1);
        arena->free_size = chunk;
        if (arena->next_chunk < LARGEST_CHUNK)
            arena->next_chunk *= 2;
    }
    void *at = arena->free_at;
    arena->free_at += size;
    arena->free_size -= size;
    return at;
}

void *ct_arena_alloc(ct_arena *arena, size_t size)
{
    size = round_up(arena, size ? size : 1);
    return memset(take(arena, size), 0, size);
}

static void *grow_own_block(ct_arena *arena, void *payload, size_t new_size)
{
    block *b = (block *)payload - 1;
    size_t old_size = b->size;
    unlink_block(arena, b);
    block *moved =
        ct_context_try_realloc(arena->ctx, b, sizeof *b + old_size, sizeof *b + new_size);
    if (!moved) {
        link_block(arena, b);
        ct_throw(arena->ctx, CT_ERR_MEMORY);
    }
    moved->size = new_size;
    link_block(arena, moved);
    arena->bytes += new_size - old_size;
    return moved + 1;
}

void *ct_arena_grow(ct_arena *arena, void *payload, size_t old_size, size_t new_size)
{
    if (round_up(arena, old_size) >= OWN_BLOCK)
        return grow_own_block(arena, payload, round_up(arena, new_size));
    void *at = take(arena, round_up(arena, new_size ? new_size : 1));
    if (old_size)
        memcpy(at, payload, old_size);
    return at;
}

void ct_arena_release(ct_arena *arena, void *payload, size_t size)
{
    size = round_up(arena, size ? size : 1);
    spare **class = class_of(arena, size);
    if (payload && size >= OWN_BLOCK) {
        block *b = (block *)payload - 1;
        unlink_block(arena, b);
        arena->bytes -= sizeof *b + b->size;
        ct_context_release(arena->ctx, b, sizeof *b + b->size);
    } else if (payload && class) {
        spare *s = payload;
        s->next = *class;
        *class = s;
    }
}

ct_arena_guest *ct_arena_add_guest(ct_arena *arena)
{
    ct_arena_guest *guest = CT_NEW(arena, ct_arena_guest);
    guest->next = arena->guests;
    arena->guests = guest;
    return guest;
}

char *ct_arena_copy(ct_arena *arena, const char *text, size_t length)
{
    char *copy = ct_arena_grow(arena, NULL, 0, length + 1); /* not zeroed first */
    if (length)
        memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}
