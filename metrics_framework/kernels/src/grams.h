/* N-grams as numbers: the same n-gram has the same number, whatever text it is of. */

#ifndef FW_GRAMS_H
#define FW_GRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

static const uint32_t NO_GRAM = UINT32_MAX;

/* Numbers pairs of an n-gram and the unit (word, character) that follows it, in the order in which they first come, from
   `first` on. Starts as {0}. */
typedef struct {
    Buffer slots;
    size_t room;         /* slots that there are */
    size_t slot_count;   /* slots in use, a power of two */
    unsigned shift;      /* makes a place of a hash */
    uint32_t generation; /* a slot of another generation is empty */
    uint32_t used;       /* numbers given, those below `first` with them */
} Grams;

void grams_free(Grams *grams);

/* Forgets all and makes room for `count` n-grams, whose numbers begin at `first`. Returns false where there is not so
   much memory. */
bool grams_reset(Grams *grams, size_t count, uint32_t first);

typedef struct {
    uint32_t start, unit;
    uint32_t number;
    uint32_t generation;
} GramSlot;

static inline GramSlot *gram_slot(const Grams *grams, uint32_t start, uint32_t unit)
{
    GramSlot *slots = grams->slots.data;
    size_t place = (size_t)(((uint64_t)start << 32 | unit) * UINT64_C(0x9e3779b97f4a7c15) >> grams->shift);
    size_t last = grams->slot_count - 1;
    while ((slots[place].generation == grams->generation) & ((slots[place].start != start) | (slots[place].unit != unit)))
        place = (place + 1) & last;
    return &slots[place];
}

/* Returns the number of the n-gram that is `start` with `unit` behind it. There must be room for it. */
static inline uint32_t gram_number(Grams *grams, uint32_t start, uint32_t unit)
{
    GramSlot *slot = gram_slot(grams, start, unit);
    bool is_new = slot->generation != grams->generation; /* one is as likely as the other, so that there is no branch */
    uint32_t number = is_new ? grams->used : slot->number;
    grams->used += is_new;
    *slot = (GramSlot){start, unit, number, grams->generation};
    return number;
}

/* Does the same, but gives NO_GRAM for an n-gram that has no number. */
static inline uint32_t known_gram(const Grams *grams, uint32_t start, uint32_t unit)
{
    const GramSlot *slot = gram_slot(grams, start, unit);
    return slot->generation == grams->generation ? slot->number : NO_GRAM;
}

/* Returns how many n-grams of an order a text of so many units has. */
static inline size_t gram_count(size_t length, size_t order) { return length >= order ? length - order + 1 : 0; }

#endif
