/* Ids of n-grams: equal n-grams have equal ids, whatever text they occur in. */

#ifndef FW_NGRAMS_NGRAM_IDS_H
#define FW_NGRAMS_NGRAM_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/interrupt.h"

static const uint32_t NO_NGRAM = UINT32_MAX;

/* Assigns ids to pairs of an n-gram and the unit (word or character) that follows it, in order of first occurrence from
   `first` on. So an n-gram of any order costs one look-up. Initialize with {0}.

   If all ids and units are below SHORT_ID_END, as almost always, a slot is a 64-bit number: 16 bits each for, from the
   highest, the generation, the prefix, the last unit and the id. Otherwise a slot is an NgramSlot. Slots of another
   generation are empty. */
typedef struct {
    Buffer slots;    /* NgramSlot */
    size_t capacity; /* allocated slots */
    uint32_t generation;
    Buffer short_slots; /* uint64_t */
    size_t short_capacity;
    uint32_t short_generation;
    bool is_short;
    size_t slot_count; /* slots in use, a power of two */
    unsigned shift;    /* from a hash to a slot */
    HashSeed seed;
    uint32_t first;
    uint32_t used; /* the next id */
} NgramIds;

/* From here on are, in 16 bits, the prefixes of unigrams and NO_NGRAM. */
enum { SHORT_ID_END = 0xfff0 };

typedef struct {
    uint64_t key; /* the prefix and the last unit */
    uint32_t id;
    uint32_t generation;
} NgramSlot;

void ngram_ids_free(NgramIds *ids);

/* Removes all n-grams; the next id is `first`, and units are below `unit_end`. Reserves slots for `count` n-grams, at
   most MANY_NGRAMS. Returns false if out of memory. */
bool ngram_ids_reset(NgramIds *ids, size_t count, uint32_t first, uint32_t unit_end);

/* Called by `ngram_ids_reserve` if there are too few slots. */
bool ngram_ids_grow(NgramIds *ids, size_t count, Interrupt *interrupt);

/* Reserves slots for `count` more n-grams, so that a quarter stays empty: the last slots of a full table take as long to
   find as all before. Returns false if out of memory or interrupted. */
static inline bool ngram_ids_reserve(NgramIds *ids, size_t count, Interrupt *interrupt)
{
    size_t most = ids->slot_count - ids->slot_count / 4;
    return ids->used - ids->first + count < most || ngram_ids_grow(ids, count, interrupt);
}

/* ---- short slots ------------------------------------------------------------------------------------------------- */

/* Returns a slot with an id of 0. Prefixes are truncated to 16 bits. */
static inline uint64_t short_key(uint32_t generation, uint32_t start, uint32_t unit)
{
    return (uint64_t)generation << 48 | (uint64_t)(start & 0xffff) << 32 | (uint64_t)unit << 16;
}

/* Finds the slot of an n-gram, or the empty slot where it belongs. Returns the difference between slot and key: 0 if
   the slot is that of the n-gram, above 32 bits if it is empty. Whether an n-gram is new is unpredictable; `mask_if`
   keeps the compiler from branching on it. */
static inline uint64_t find_short(
    const uint64_t *slots, size_t last, HashSeed seed, unsigned shift, uint64_t key, size_t *position)
{
    uint64_t differs;
    for (*position = (size_t)(hash_of(seed, key << 16) >> shift);; *position = (*position + 1) & last) {
        differs = (slots[*position] ^ key) >> 16;
        if (differs - 1 >= UINT32_MAX) /* 1 to UINT32_MAX: same generation, another n-gram */
            return differs;
    }
}

static inline void assign_short(NgramIds *ids, uint32_t *ngrams, const uint32_t *units, size_t count)
{
    uint64_t *slots = ids->short_slots.data; /* locals, because the compiler must assume that a store changes `ids` */
    size_t last = ids->slot_count - 1, at;
    unsigned shift = ids->shift;
    HashSeed seed = ids->seed;
    uint32_t generation = ids->short_generation, used = ids->used;
    for (size_t position = 0; position < count; position++) {
        uint64_t key = short_key(generation, ngrams[position], units[position]);
        bool is_new = find_short(slots, last, seed, shift, key, &at) != 0;
        uint32_t known = (uint32_t)(slots[at] & 0xffff), id = known ^ ((known ^ used) & (uint32_t)mask_if(is_new));
        used += is_new;
        slots[at] = key | id;
        ngrams[position] = id;
    }
    ids->used = used;
}

static inline void find_all_short(const NgramIds *ids, uint32_t *ngrams, const uint32_t *units, size_t count)
{
    const uint64_t *slots = ids->short_slots.data;
    size_t last = ids->slot_count - 1, at;
    unsigned shift = ids->shift;
    HashSeed seed = ids->seed;
    uint32_t generation = ids->short_generation;
    for (size_t position = 0; position < count; position++) {
        uint64_t key = short_key(generation, ngrams[position], units[position]);
        bool is_unknown = find_short(slots, last, seed, shift, key, &at) != 0;
        ngrams[position] = (uint32_t)(slots[at] & 0xffff) | (uint32_t)mask_if(is_unknown);
    }
}

/* ---- wide slots -------------------------------------------------------------------------------------------------- */

static inline uint64_t ngram_key(uint32_t start, uint32_t unit) { return (uint64_t)start << 32 | unit; }

/* Returns the slot of an n-gram, or the empty slot where it belongs. */
static inline NgramSlot *ngram_slot(
    NgramSlot *slots, size_t last, HashSeed seed, unsigned shift, uint32_t generation, uint64_t key)
{
    size_t position = (size_t)(hash_of(seed, key) >> shift);
    while (((slots[position].key ^ key) & mask_if(slots[position].generation == generation)) != 0)
        position = (position + 1) & last;
    return &slots[position];
}

static inline void assign_wide(NgramIds *ids, uint32_t *ngrams, const uint32_t *units, size_t count)
{
    NgramSlot *slots = ids->slots.data;
    size_t last = ids->slot_count - 1;
    unsigned shift = ids->shift;
    HashSeed seed = ids->seed;
    uint32_t generation = ids->generation, used = ids->used;
    for (size_t position = 0; position < count; position++) {
        uint64_t key = ngram_key(ngrams[position], units[position]);
        NgramSlot *slot = ngram_slot(slots, last, seed, shift, generation, key);
        bool is_new = slot->generation != generation;
        uint32_t id = slot->id ^ ((slot->id ^ used) & (uint32_t)mask_if(is_new));
        used += is_new;
        *slot = (NgramSlot){key, id, generation};
        ngrams[position] = id;
    }
    ids->used = used;
}

static inline void find_all_wide(const NgramIds *ids, uint32_t *ngrams, const uint32_t *units, size_t count)
{
    NgramSlot *slots = ids->slots.data;
    size_t last = ids->slot_count - 1;
    unsigned shift = ids->shift;
    HashSeed seed = ids->seed;
    uint32_t generation = ids->generation;
    for (size_t position = 0; position < count; position++) {
        uint64_t key = ngram_key(ngrams[position], units[position]);
        const NgramSlot *slot = ngram_slot(slots, last, seed, shift, generation, key);
        ngrams[position] = slot->id | (uint32_t)mask_if(slot->generation != generation);
    }
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

/* Replaces each prefix `ngrams[i]` by the id of the n-gram that `units[i]` completes. `ngram_ids_reserve` must have
   reserved slots. */
static inline void assign_ngram_ids(NgramIds *ids, uint32_t *ngrams, const uint32_t *units, size_t count)
{
    if (ids->is_short)
        assign_short(ids, ngrams, units, count);
    else
        assign_wide(ids, ngrams, units, count);
}

/* Does the same without adding n-grams: unknown n-grams, and those with an unknown prefix, become NO_NGRAM. */
static inline void find_ngram_ids(const NgramIds *ids, uint32_t *ngrams, const uint32_t *units, size_t count)
{
    if (ids->is_short)
        find_all_short(ids, ngrams, units, count);
    else
        find_all_wide(ids, ngrams, units, count);
}

/* Returns the number of n-grams of an order in a text of `length` units. */
static inline size_t ngram_count(size_t length, size_t order) { return length >= order ? length - order + 1 : 0; }

#endif
