#include "ngrams/ngram_ids.h"

#include <string.h>

/* The size of a table follows from the number of n-grams, known beforehand. Up to FEW_NGRAMS most may be new, and a
   full table is slow. More come from several texts, and many of them repeat: a small table that fits the cache is
   faster. Tables for more than MANY_NGRAMS grow on demand. FW_SMALL_TABLES lets tests cover growth. */
#ifdef FW_SMALL_TABLES
enum { FEW_NGRAMS = 2, MANY_NGRAMS = 4, MIN_SLOTS = 2 };
#else
enum { FEW_NGRAMS = 256, MANY_NGRAMS = 1 << 15, MIN_SLOTS = 64 };
#endif

/* The number of slots between two checks for an interrupt. */
enum { SLOTS_PER_CHECK = 1 << 16 };

void ngram_ids_free(NgramIds *ids)
{
    buffer_free(&ids->slots);
    buffer_free(&ids->short_slots);
}

/* Sets the number of slots in use, a power of two. */
static void set_slot_count(NgramIds *ids, size_t count)
{
    ids->slot_count = count;
    ids->shift = shift_to_slot(count);
}

/* Empties the slots of a table and reserves `needed` of them. */
static bool clear_slots(Buffer *slots, size_t needed, size_t size, size_t *capacity, uint32_t *generation, uint32_t last)
{
    if (needed <= *capacity && (*generation)++ != last)
        return true;
    if (needed < *capacity)
        needed = *capacity;
    bool done = buffer_clear(slots, needed, size);
    *capacity = done ? needed : 0;
    *generation = 1;
    return done;
}

bool ngram_ids_reset(NgramIds *ids, size_t count, uint32_t first, uint32_t unit_end)
{
    size_t needed = MIN_SLOTS;
    if (first > UINT32_MAX / 4) /* higher values are prefixes of unigrams and NO_NGRAM */
        return false;
    ids->is_short = MANY_NGRAMS > SHORT_ID_END / 4 && unit_end <= SHORT_ID_END && first <= SHORT_ID_END
        && count <= SHORT_ID_END - first;
    if (!ids->is_short && count > MANY_NGRAMS)
        count = MANY_NGRAMS;
    size_t spare = (ids->is_short ? 2 : 1) * (count > FEW_NGRAMS ? 1 : 2);
    while (needed / spare <= count)
        needed *= 2;
    ids->used = ids->first = first;
    ids->seed = hash_seed();
    set_slot_count(ids, needed);
    if (ids->is_short)
        return clear_slots(
            &ids->short_slots, needed, sizeof(uint64_t), &ids->short_capacity, &ids->short_generation, UINT16_MAX);
    return clear_slots(&ids->slots, needed, sizeof(NgramSlot), &ids->capacity, &ids->generation, UINT32_MAX);
}

/* Copies the n-grams of a table to a larger empty one. Returns false if interrupted. */
static bool rehash(NgramIds *ids, const NgramIds *old, Interrupt *interrupt)
{
    const NgramSlot *slots = old->slots.data;
    for (size_t start = 0; start < old->slot_count; start += SLOTS_PER_CHECK) {
        size_t end = old->slot_count - start < SLOTS_PER_CHECK ? old->slot_count : start + SLOTS_PER_CHECK;
        for (size_t position = start; position < end; position++) {
            NgramSlot slot = slots[position];
            if (slot.generation != old->generation)
                continue;
            slot.generation = ids->generation;
            *ngram_slot(ids->slots.data, ids->slot_count - 1, ids->seed, ids->shift, ids->generation, slot.key) = slot;
        }
        interrupt->work += 8 * (end - start);
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

bool ngram_ids_grow(NgramIds *ids, size_t count, Interrupt *interrupt)
{
    size_t needed = ids->slot_count, used = ids->used - ids->first;
    NgramIds old = *ids;
    if (count > UINT32_MAX / 2 - used)
        return false;
    while (needed - needed / 4 <= used + count) {
        if (needed > SIZE_MAX / 2)
            return false;
        needed *= 2;
    }
    ids->slots = (Buffer){0};
    if (!buffer_clear(&ids->slots, needed, sizeof(NgramSlot))) {
        *ids = old;
        return false;
    }
    ids->generation = 1;
    ids->capacity = needed;
    set_slot_count(ids, needed);
    bool done = rehash(ids, &old, interrupt);
    buffer_free(&old.slots);
    return done;
}
