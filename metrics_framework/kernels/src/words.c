#include "words.h"

#include <string.h>

void numbers_free(Numbers *numbers) { buffer_free(&numbers->slots); }

bool numbers_reset(Numbers *numbers, const void *base, size_t count)
{
    size_t needed = 64;
    while (needed - needed / 4 <= count) {
        if (needed > SIZE_MAX / 2)
            return false;
        needed *= 2;
    }
    numbers->base = base;
    numbers->used = 0;
    numbers->slot_count = needed;
    if (needed <= numbers->room && ++numbers->generation != 0)
        return true;
    if (needed < numbers->room)
        needed = numbers->room;
    if (!buffer_reserve(&numbers->slots, needed, sizeof(WordSlot)))
        return false;
    memset(numbers->slots.data, 0, needed * sizeof(WordSlot));
    numbers->room = needed;
    numbers->generation = 1;
    return true;
}

uint64_t hash_of_more(const unsigned char *bytes, size_t length, uint64_t hash)
{
    for (size_t place = WORD_BYTES; place < length; place += 8)
        hash = mixed(hash ^ first_bytes(bytes + place, length - place));
    return hash;
}

void numbers_places(const Numbers *numbers, WordPlace *places)
{
    const WordSlot *slots = numbers->slots.data;
    for (size_t place = 0; place < numbers->slot_count; place++)
        if (slots[place].generation == numbers->generation)
            places[slots[place].number] = (WordPlace){slots[place].start, slots[place].length};
}
