/* hash.h - hash functions and a small map from 64-bit keys to 32-bit values. */
#ifndef CT_BASE_HASH_H
#define CT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

static inline uint64_t ct_hash_mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

static inline uint64_t ct_hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const unsigned char *at = bytes;
    uint64_t h = seed ^ (length * 0x9e3779b97f4a7c15u);
    for (; length >= 8; at += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        h = ct_hash_mix(h, word);
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < length; i++)
        tail |= (uint64_t)at[i] << (8 * i);
    return ct_hash_mix(h, tail);
}

typedef struct ct_map {
    ct_arena *arena;
    uint64_t *key;
    uint32_t *value; /* 0: empty slot */
    uint32_t count, slots;
} ct_map;

void ct_map_init(ct_map *map, ct_arena *arena);
void ct_map_drop(ct_map *map); /* empty again; large blocks go back to the arena */
uint32_t ct_map_get(const ct_map *map, uint64_t key);       /* 0: not there */
void ct_map_put(ct_map *map, uint64_t key, uint32_t value); /* value must not be 0 */
/* The same for names, which are dense: an array. */
typedef struct ct_index {
    ct_arena *arena;
    uint32_t *value; /* by key; 0: not there */
    uint32_t room;
} ct_index;

static inline uint32_t ct_index_get(const ct_index *index, uint32_t key)
{
    return key < index->room ? index->value[key] : 0;
}
void ct_index_put(ct_index *index, uint32_t key, uint32_t value);

static inline uint64_t ct_pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

#endif
