/* test_shortage.h - memory that runs out at the n-th request. */
#ifndef TEST_SHORTAGE_H
#define TEST_SHORTAGE_H

#include <stdlib.h>

/* The request number fail_at is refused. */
typedef struct shortage {
    long calls, fail_at; /* 0: never */
    long blocks;         /* held now */
} shortage;

static inline void *scarce_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    shortage *s = user;
    (void)old_size;
    if (new_size == 0) {
        s->blocks -= block != NULL;
        free(block);
        return NULL;
    }
    if (++s->calls == s->fail_at)
        return NULL;
    void *moved = realloc(block, new_size);
    s->blocks += block == NULL && moved != NULL;
    return moved;
}

/* Refuses all requests but the first ones, which *user counts down. */
static inline void *failing_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    long *left = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(block, new_size) : NULL;
}

#endif
