/* N-grams as numbers: the same n-gram has the same number, whatever text it is of. */

#ifndef FW_GRAMS_H
#define FW_GRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "watch.h"

static const uint32_t NO_GRAM = UINT32_MAX;

/* Numbers pairs of an n-gram and the unit (word, character) that follows it, in the order in which they first come, from
   `first` on. Starts as {0}. */
typedef struct {
    Buffer slots;
    size_t room;         /* slots that there are */
    size_t slot_count;   /* slots in use, a power of two */
    unsigned shift;      /* makes a place of a hash */
    uint32_t generation; /* a slot of another generation is empty */
    uint32_t first;
    uint32_t used;       /* numbers given, those below `first` with them */
} Grams;

void grams_free(Grams *grams);

/* Forgets all; numbers begin at `first`. Makes room for `count` n-grams, where they are not too many: most of many are the
   same. Returns false where there is not so much memory. */
bool grams_reset(Grams *grams, size_t count, uint32_t first);

/* Makes more room; see `grams_reserve`. */
bool grams_grow(Grams *grams, size_t count, Watch *watch);

/* Makes room for `count` more n-grams. Returns false where there is not so much memory, or the watch is stopped. */
static inline bool grams_reserve(Grams *grams, size_t count, Watch *watch)
{
    return grams->used - grams->first + count < grams->slot_count || grams_grow(grams, count, watch);
}

typedef struct {
    uint64_t key; /* the beginning of the n-gram and its last unit */
    uint32_t number;
    uint32_t generation;
} GramSlot;

static inline uint64_t gram_key(uint32_t start, uint32_t unit) { return (uint64_t)start << 32 | unit; }

/* Returns all bits or none. */
static inline uint64_t mask_if(bool condition) { return 0 - (uint64_t)condition; }

/* Returns the slot of an n-gram, or the empty one that it would have. Whether an n-gram is new is as good as random: masks
   keep a compiler from making a branch of it. */
static inline GramSlot *gram_slot(GramSlot *slots, size_t last, unsigned shift, uint32_t generation, uint64_t key)
{
    size_t place = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> shift);
    while (((slots[place].key ^ key) & mask_if(slots[place].generation == generation)) != 0)
        place = (place + 1) & last;
    return &slots[place];
}

/* Writes the numbers of n-grams, `numbers[place]` with `units[place]` behind it, over those of their beginnings. There must
   be room for them, made by `grams_reserve`. */
static inline void number_grams(Grams *grams, uint32_t *numbers, const uint32_t *units, size_t count)
{
    GramSlot *slots = grams->slots.data; /* all in registers: what is written could be any of it, for the compiler */
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

/* Does the same for n-grams that may have no number, or none of whose beginnings has: they are NO_GRAM. */
static inline void find_grams(const Grams *grams, uint32_t *numbers, const uint32_t *units, size_t count)
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

/* Returns how many n-grams of an order a text of so many units has. */
static inline size_t gram_count(size_t length, size_t order) { return length >= order ? length - order + 1 : 0; }

#endif
