/* Shared by all fuzzers: random numbers, and allocations that fail. */

#ifndef FW_FUZZ_CHANCE_H
#define FW_FUZZ_CHANCE_H

#include <stdint.h>
#include <stdlib.h>

static uint64_t chance_state;

static inline uint32_t chance(uint32_t below)
{
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (uint32_t)((chance_state >> 32) % below);
}

static long allocations_left = -1; /* -1: allocations never fail */

static inline int memory_fails(void)
{
    if (allocations_left == 0)
        return 1;
    allocations_left -= allocations_left > 0;
    return 0;
}

void *__real_realloc(void *data, size_t size);
void *__wrap_realloc(void *data, size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_realloc(void *data, size_t size) { return memory_fails() ? NULL : __real_realloc(data, size); }

void *__wrap_calloc(size_t count, size_t size) { return memory_fails() ? NULL : __real_calloc(count, size); }

#endif
