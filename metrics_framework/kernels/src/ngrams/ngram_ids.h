/* N-grams as numbers: the same n-gram has the same number, whatever text it is of. */

#ifndef FW_NGRAMS_NGRAM_IDS_H
#define FW_NGRAMS_NGRAM_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/interrupt.h"

static const uint32_t NO_GRAM = UINT32_MAX;

/* Numbers pairs of an n-gram and the unit (word, character) that follows it, in the order in which they first come, from
   `first` on. Starts as {0}.

   Where all numbers and units are below MOST_FEW, as they nearly always are, a slot is one number of 64 bits: from the highest on
   16 bits for the generation, the n-gram's beginning, its last unit and its own number. Else it is a GramSlot. A slot of
   another generation is empty. */
typedef struct {
    Buffer slots; /* GramSlot */
    size_t room;  /* slots that there are */
    uint32_t generation;
    Buffer few_slots; /* uint64_t */
    size_t few_room;
    uint32_t few_generation;
    bool are_few;
    size_t slot_count; /* slots in use, a power of two */
    unsigned shift;    /* makes a place of a hash */
    uint32_t first;
    uint32_t used; /* numbers given, those below `first` with them */
} Grams;

/* Above are what n-grams of one unit begin with, in 16 bits, and NO_GRAM. */
enum { MOST_FEW = 0xfff0 };

typedef struct {
    uint64_t key; /* the beginning of the n-gram and its last unit */
    uint32_t number;
    uint32_t generation;
} GramSlot;

void grams_free(Grams *grams);

/* Forgets all; numbers begin at `first`, and units are below `unit_end`. Makes room for `count` n-grams, where they are not too
   many: most of many are the same. Returns false where there is not so much memory. */
bool grams_reset(Grams *grams, size_t count, uint32_t first, uint32_t unit_end);

/* Makes more room; see `grams_reserve`. */
bool grams_grow(Grams *grams, size_t count, Watch *watch);

/* Makes room for `count` more n-grams. Returns false where there is not so much memory, or the watch is stopped. */
static inline bool grams_reserve(Grams *grams, size_t count, Watch *watch)
{
    return grams->used - grams->first + count < grams->slot_count || grams_grow(grams, count, watch);
}

static inline uint64_t gram_hash(uint64_t key) { return key * UINT64_C(0x9e3779b97f4a7c15); }

/* ---- few n-grams ------------------------------------------------------------------------------------------------ */

/* Returns a slot without its number. What a number of more than 16 bits would be is cut off. */
static inline uint64_t few_key(uint32_t generation, uint32_t start, uint32_t unit)
{
    return (uint64_t)generation << 48 | (uint64_t)(start & 0xffff) << 32 | (uint64_t)unit << 16;
}

/* Finds the slot of an n-gram, or the empty one that it would have; returns how it differs from the n-gram's: 0 where it is its
   own, else more than 32 bits. Whether an n-gram is new is as good as random: `mask_if` keeps a compiler from making a branch
   of it. */
static inline uint64_t find_few(const uint64_t *slots, size_t last, unsigned shift, uint64_t key, size_t *place)
{
    uint64_t differs;
    for (*place = (size_t)(gram_hash(key << 16) >> shift);; *place = (*place + 1) & last) {
        differs = (slots[*place] ^ key) >> 16;
        if (differs - 1 >= UINT32_MAX) /* another n-gram of this generation has its slot where it is 1 to UINT32_MAX */
            return differs;
    }
}

static inline void number_few(Grams *grams, uint32_t *numbers, const uint32_t *units, size_t count)
{
    uint64_t *slots = grams->few_slots.data; /* all in registers: what is written could be any of it, for the compiler */
    size_t last = grams->slot_count - 1, at;
    unsigned shift = grams->shift;
    uint32_t generation = grams->few_generation, used = grams->used;
    for (size_t place = 0; place < count; place++) {
        uint64_t key = few_key(generation, numbers[place], units[place]);
        bool is_new = find_few(slots, last, shift, key, &at) != 0;
        uint32_t known = (uint32_t)(slots[at] & 0xffff), number = known ^ ((known ^ used) & (uint32_t)mask_if(is_new));
        used += is_new;
        slots[at] = key | number;
        numbers[place] = number;
    }
    grams->used = used;
}

static inline void find_some_few(const Grams *grams, uint32_t *numbers, const uint32_t *units, size_t count)
{
    const uint64_t *slots = grams->few_slots.data;
    size_t last = grams->slot_count - 1, at;
    unsigned shift = grams->shift;
    uint32_t generation = grams->few_generation;
    for (size_t place = 0; place < count; place++) {
        uint64_t key = few_key(generation, numbers[place], units[place]);
        bool is_unknown = find_few(slots, last, shift, key, &at) != 0;
        numbers[place] = (uint32_t)(slots[at] & 0xffff) | (uint32_t)mask_if(is_unknown);
    }
}

/* ---- many n-grams ----------------------------------------------------------------------------------------------- */

static inline uint64_t gram_key(uint32_t start, uint32_t unit) { return (uint64_t)start << 32 | unit; }

/* Returns the slot of an n-gram, or the empty one that it would have. */
static inline GramSlot *gram_slot(GramSlot *slots, size_t last, unsigned shift, uint32_t generation, uint64_t key)
{
    size_t place = (size_t)(gram_hash(key) >> shift);
    while (((slots[place].key ^ key) & mask_if(slots[place].generation == generation)) != 0)
        place = (place + 1) & last;
    return &slots[place];
}

static inline void number_many(Grams *grams, uint32_t *numbers, const uint32_t *units, size_t count)
{
    GramSlot *slots = grams->slots.data;
    size_t last = grams->slot_count - 1;
    unsigned shift = grams->shift;
    uint32_t generation = grams->generation, used = grams->used;
    for (size_t place = 0; place < count; place++) {
        uint64_t key = gram_key(numbers[place], units[place]);
        GramSlot *slot = gram_slot(slots, last, shift, generation, key);
        bool is_new = slot->generation != generation;
        uint32_t number = slot->number ^ ((slot->number ^ used) & (uint32_t)mask_if(is_new));
        used += is_new;
        *slot = (GramSlot){key, number, generation};
        numbers[place] = number;
    }
    grams->used = used;
}

static inline void find_some_of_many(const Grams *grams, uint32_t *numbers, const uint32_t *units, size_t count)
{
    GramSlot *slots = grams->slots.data;
    size_t last = grams->slot_count - 1;
    unsigned shift = grams->shift;
    uint32_t generation = grams->generation;
    for (size_t place = 0; place < count; place++) {
        const GramSlot *slot = gram_slot(slots, last, shift, generation, gram_key(numbers[place], units[place]));
        numbers[place] = slot->number | (uint32_t)mask_if(slot->generation != generation);
    }
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

/* Writes the numbers of n-grams, `numbers[place]` with `units[place]` behind it, over those of their beginnings. There must
   be room for them, made by `grams_reserve`. */
static inline void number_grams(Grams *grams, uint32_t *numbers, const uint32_t *units, size_t count)
{
    if (grams->are_few)
        number_few(grams, numbers, units, count);
    else
        number_many(grams, numbers, units, count);
}

/* Does the same for n-grams that may have no number, or none of whose beginnings has: they are NO_GRAM. */
static inline void find_grams(const Grams *grams, uint32_t *numbers, const uint32_t *units, size_t count)
{
    if (grams->are_few)
        find_some_few(grams, numbers, units, count);
    else
        find_some_of_many(grams, numbers, units, count);
}

/* Returns how many n-grams of an order a text of so many units has. */
static inline size_t gram_count(size_t length, size_t order) { return length >= order ? length - order + 1 : 0; }

#endif
