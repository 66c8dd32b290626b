/* hash.c - hash functions, and the map with open addressing. */
#include "base/hash.h"

#include <string.h>

void ct_map_init(ct_map *map, ct_arena *arena)
{
    *map = (ct_map){.arena = arena};
}

static uint32_t slot_of(const ct_map *map, uint64_t key)
{
    uint32_t mask = map->slots - 1, i = (uint32_t)ct_hash_mix(key, 0) & mask;
    while (map->value[i] && map->key[i] != key)
        i = (i + 1) & mask;
    return i;
}

uint32_t ct_map_get(const ct_map *map, uint64_t key)
{
    return map->slots ? map->value[slot_of(map, key)] : 0;
}

void ct_map_drop(ct_map *map)
{
    ct_arena_release(map->arena, map->key, map->slots * sizeof *map->key);
    ct_arena_release(map->arena, map->value, map->slots * sizeof *map->value);
    *map = (ct_map){.arena = map->arena};
}

static void enlarge(ct_map *map)
{
    ct_map old = *map;
    map->slots = old.slots ? old.slots * 2 : 16;
    map->key = CT_NEW_ARRAY(map->arena, uint64_t, map->slots);
    map->value = CT_NEW_ARRAY(map->arena, uint32_t, map->slots);
    for (uint32_t i = 0; i < old.slots; i++) {
        if (!old.value[i])
            continue;
        uint32_t slot = slot_of(map, old.key[i]);
        map->key[slot] = old.key[i];
        map->value[slot] = old.value[i];
    }
    ct_map_drop(&old);
}

void ct_map_put(ct_map *map, uint64_t key, uint32_t value)
{
    if (2 * (map->count + 1) > map->slots)
        enlarge(map);
    uint32_t slot = slot_of(map, key);
    map->count += !map->value[slot];
    map->key[slot] = key;
    map->value[slot] = value;
}

void ct_index_put(ct_index *index, uint32_t key, uint32_t value)
{
    if (key >= index->room) {
        uint32_t old = index->room, room = key < 32 ? 64 : key + key / 4 + 1;
        size_t size = sizeof *index->value;
        index->value = ct_arena_grow(index->arena, index->value, old * size, room * size);
        memset(index->value + old, 0, (room - old) * size);
        index->room = room;
    }
    index->value[key] = value;
}
