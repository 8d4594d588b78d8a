#include "text/word_ids.h"

#include <string.h>

#include "base/bits.h"

/* Slots that are looked at before a watch is asked. */
enum { SLOTS_AT_ONCE = 1 << 16 };

void numbers_free(Numbers *numbers) { buffer_free(&numbers->slots); }

/* Returns how many slots so many strings need, not fewer than there are; 0 where they are too many. */
static size_t slots_for(size_t count, size_t slot_count)
{
    while (slot_count - slot_count / 4 <= count) {
        if (slot_count > SIZE_MAX / 2)
            return 0;
        slot_count *= 2;
    }
    return slot_count;
}

bool numbers_reset(Numbers *numbers, const void *base, size_t count)
{
    size_t needed = slots_for(count < MANY_STRINGS ? count : MANY_STRINGS, MANY_STRINGS < 64 ? 4 : 64);
    numbers->base = base;
    numbers->used = 0;
    numbers->slot_count = needed;
    numbers->shift = shift_to_place(needed);
    if (needed <= numbers->room && ++numbers->generation != 0)
        return true;
    if (needed < numbers->room)
        needed = numbers->room;
    bool done = buffer_clear(&numbers->slots, needed, sizeof(WordSlot));
    numbers->room = done ? needed : 0;
    numbers->generation = 1;
    return done;
}

uint64_t hash_of_more(const unsigned char *bytes, size_t length, uint64_t hash)
{
    for (size_t place = WORD_BYTES; place < length; place += 8)
        hash = (hash ^ hash >> 32 ^ first_bytes(bytes + place, length - place)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

/* Takes over the strings of a table, into an empty one of another size. Returns false where the watch is stopped. */
static bool take_over(Numbers *numbers, const Numbers *old, Watch *watch)
{
    const WordSlot *slots = old->slots.data;
    WordSlot *own = numbers->slots.data;
    size_t last = numbers->slot_count - 1;
    for (size_t start = 0; start < old->slot_count; start += SLOTS_AT_ONCE) {
        size_t end = old->slot_count - start < SLOTS_AT_ONCE ? old->slot_count : start + SLOTS_AT_ONCE;
        for (size_t index = start; index < end; index++) {
            const WordSlot *slot = &slots[index];
            if (slot->generation != old->generation)
                continue;
            size_t place = word_place(slot->head, slot->tail, numbers->base + slot->start, slot->length, numbers->shift);
            while (own[place].generation == numbers->generation)
                place = (place + 1) & last;
            own[place] = *slot;
            own[place].generation = numbers->generation;
        }
        watch->work += 8 * (end - start);
        if (is_stopped(watch))
            return false;
    }
    return true;
}

bool numbers_reserve(Numbers *numbers, size_t count, Watch *watch)
{
    Numbers old = *numbers;
    size_t needed = slots_for(numbers->used + count, numbers->slot_count);
    if (needed == numbers->slot_count)
        return true;
    numbers->slots = (Buffer){0};
    if (needed == 0 || !buffer_clear(&numbers->slots, needed, sizeof(WordSlot))) {
        *numbers = old;
        return false;
    }
    numbers->generation = 1;
    numbers->room = needed;
    numbers->slot_count = needed;
    numbers->shift = shift_to_place(needed);
    bool done = take_over(numbers, &old, watch);
    buffer_free(&old.slots);
    return done;
}

void numbers_places(const Numbers *numbers, WordPlace *places)
{
    const WordSlot *slots = numbers->slots.data;
    for (size_t place = 0; place < numbers->slot_count; place++)
        if (slots[place].generation == numbers->generation)
            places[slots[place].number] = (WordPlace){slots[place].start, slots[place].length};
}
