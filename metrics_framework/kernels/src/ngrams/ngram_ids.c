#include "ngrams/ngram_ids.h"

#include <string.h>

/* Of so many n-grams most may be new, and a full table is slow; of more, which are of several texts, many are the same, and
   a table that fits the cache is fast; one of short slots has more of them. For more than MANY there is room when they come; FW_SMALL_TABLES lets tests see that. */
#ifdef FW_SMALL_TABLES
enum { FEW = 2, MANY = 4, SLOTS = 2 };
#else
enum { FEW = 256, MANY = 1 << 15, SLOTS = 64 };
#endif

/* Slots that are looked at before a watch is asked. */
enum { SLOTS_AT_ONCE = 1 << 16 };

void grams_free(Grams *grams)
{
    buffer_free(&grams->slots);
    buffer_free(&grams->few_slots);
}

/* Takes so many slots, a power of two, in use. */
static void use_slots(Grams *grams, size_t count)
{
    grams->slot_count = count;
    grams->shift = shift_to_place(count);
}

/* Makes so many slots empty. */
static bool empty_slots(Buffer *slots, size_t needed, size_t size, size_t *room, uint32_t *generation, uint32_t last)
{
    if (needed <= *room && (*generation)++ != last)
        return true;
    if (needed < *room)
        needed = *room;
    bool done = buffer_clear(slots, needed, size);
    *room = done ? needed : 0;
    *generation = 1;
    return done;
}

bool grams_reset(Grams *grams, size_t count, uint32_t first, uint32_t unit_end)
{
    size_t needed = SLOTS;
    if (first > UINT32_MAX / 4) /* what is above are no numbers of n-grams */
        return false;
    grams->are_few = MANY > MOST_FEW / 4 && unit_end <= MOST_FEW && first <= MOST_FEW && count <= MOST_FEW - first;
    if (!grams->are_few && count > MANY)
        count = MANY;
    size_t spare = (grams->are_few ? 2 : 1) * (count > FEW ? 1 : 2);
    while (needed / spare <= count)
        needed *= 2;
    grams->used = grams->first = first;
    use_slots(grams, needed);
    if (grams->are_few)
        return empty_slots(
            &grams->few_slots, needed, sizeof(uint64_t), &grams->few_room, &grams->few_generation, UINT16_MAX);
    return empty_slots(&grams->slots, needed, sizeof(GramSlot), &grams->room, &grams->generation, UINT32_MAX);
}

/* Takes over the n-grams of a table, into an empty one of another size. Returns false where the watch is stopped. */
static bool take_over(Grams *grams, const Grams *old, Watch *watch)
{
    const GramSlot *slots = old->slots.data;
    for (size_t start = 0; start < old->slot_count; start += SLOTS_AT_ONCE) {
        size_t end = old->slot_count - start < SLOTS_AT_ONCE ? old->slot_count : start + SLOTS_AT_ONCE;
        for (size_t place = start; place < end; place++) {
            GramSlot slot = slots[place];
            if (slot.generation != old->generation)
                continue;
            slot.generation = grams->generation;
            *gram_slot(grams->slots.data, grams->slot_count - 1, grams->shift, grams->generation, slot.key) = slot;
        }
        watch->work += 8 * (end - start);
        if (is_stopped(watch))
            return false;
    }
    return true;
}

bool grams_grow(Grams *grams, size_t count, Watch *watch)
{
    size_t needed = grams->slot_count, used = grams->used - grams->first;
    Grams old = *grams;
    if (count > UINT32_MAX / 2 - used)
        return false;
    while (needed - needed / 4 <= used + count) {
        if (needed > SIZE_MAX / 2)
            return false;
        needed *= 2;
    }
    grams->slots = (Buffer){0};
    if (!buffer_clear(&grams->slots, needed, sizeof(GramSlot))) {
        *grams = old;
        return false;
    }
    grams->generation = 1;
    grams->room = needed;
    use_slots(grams, needed);
    bool done = take_over(grams, &old, watch);
    buffer_free(&old.slots);
    return done;
}
