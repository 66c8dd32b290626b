/* blocks.h - blocks of the program that have run, in a build that tells them; else there are none.
 */
#ifndef FUZZ_BLOCKS_H
#define FUZZ_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(COTREE_BLOCKS)

enum { BLOCK_BITS = 20 };

static uint8_t block_seen[1 << BLOCK_BITS];
static uint32_t block_count, block_before; /* seen, and when last asked */

void __sanitizer_cov_trace_pc(void);

/* A block is told by where it begins. */
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void)
{
    uintptr_t here = (uintptr_t)__builtin_return_address(0);
    uint32_t at = (uint32_t)(here * 0x9e3779b97f4a7c15u >> (64 - BLOCK_BITS));
    block_count += !block_seen[at];
    block_seen[at] = 1;
}

static inline bool new_blocks(void)
{
    bool more = block_count > block_before;
    block_before = block_count;
    return more;
}

#else

static inline bool new_blocks(void)
{
    return false;
}

#endif

#endif
