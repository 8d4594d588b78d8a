/* Sets of n-grams of up to four words whose ids are small: an n-gram is one number, and needs no id. */

#ifndef FW_NGRAMS_NGRAM_SET_H
#define FW_NGRAMS_NGRAM_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/hash.h"

/* An n-gram as a number, from the highest bits on: its order less 1 in 2 bits, 14 bits for the generation, and 12 bits for
   each of four words, the last word lowest; the bits of missing words are 0. FW_SMALL_TABLES lets tests cover a return to
   the first generation. */
enum { UNIT_BITS = 12, PACKED_UNITS = 1 << UNIT_BITS, GENERATION_SHIFT = 48 };
#ifdef FW_SMALL_TABLES
enum { GENERATION_BITS = 2 };
#else
enum { GENERATION_BITS = 14 };
#endif

/* Initialize with {0}. Slots of another generation are empty. */
typedef struct {
    Buffer slots; /* uint64_t */
    size_t capacity, slot_count;
    unsigned shift;
    uint64_t generation;
    HashSeed seed;
} NgramSet;

/* Packs the last words of `words`, which has 12 bits for each; orders are counted from 0 on. */
static inline uint64_t packed_ngram(uint64_t words, size_t order)
{
    return (words & (UINT64_MAX >> (64 - UNIT_BITS * (order + 1)))) | (uint64_t)order << 62;
}

static inline size_t order_of_packed(uint64_t ngram) { return (size_t)(ngram >> 62); }

void ngram_set_free(NgramSet *set);

/* Removes all n-grams and reserves slots for `count`. Returns false if out of memory. */
bool ngram_set_reset(NgramSet *set, size_t count);

/* Finds the slot of an n-gram, or the empty slot where it belongs; returns whether it is empty. */
static inline bool ngram_set_find(const NgramSet *set, uint64_t key, size_t *position)
{
    const uint64_t *slots = set->slots.data, generations = (UINT64_C(1) << GENERATION_BITS) - 1;
    size_t last = set->slot_count - 1;
    for (*position = (size_t)(hash_of(set->seed, key) >> set->shift);; *position = (*position + 1) & last) {
        uint64_t differs = slots[*position] ^ key;
        if (differs == 0)
            return false;
        if ((differs >> GENERATION_SHIFT & generations) != 0)
            return true;
    }
}

/* Adds an n-gram; returns whether it is new. */
static inline bool ngram_set_add(NgramSet *set, uint64_t ngram)
{
    size_t position;
    uint64_t key = ngram | set->generation << GENERATION_SHIFT;
    bool is_new = ngram_set_find(set, key, &position);
    ((uint64_t *)set->slots.data)[position] = key;
    return is_new;
}

static inline bool ngram_set_has(const NgramSet *set, uint64_t ngram)
{
    size_t position;
    return !ngram_set_find(set, ngram | set->generation << GENERATION_SHIFT, &position);
}

#endif
