#include "words.h"

#include <string.h>

typedef struct {
    uint64_t head; /* the first 8 bytes: most words have no more */
    uint32_t start, length;
    uint32_t generation;
    uint32_t number;
} Slot;

void numbers_free(Numbers *numbers) { buffer_free(&numbers->slots); }

bool numbers_reset(Numbers *numbers, const void *base, size_t count)
{
    size_t needed = 64;
    while (needed / 2 < count) {
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
    if (!buffer_reserve(&numbers->slots, needed, sizeof(Slot)))
        return false;
    memset(numbers->slots.data, 0, needed * sizeof(Slot));
    numbers->room = needed;
    numbers->generation = 1;
    return true;
}

static uint64_t first_bytes(const unsigned char *bytes, size_t length)
{
    unsigned char head[8] = {0};
    uint64_t word;
    memcpy(&word, bytes, 8);
    if (length >= 8)
        return word;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    (void)head;
    return word & ((UINT64_C(1) << 8 * length) - 1);
#else
    memcpy(head, bytes, length);
    memcpy(&word, head, 8);
    return word;
#endif
}

static uint64_t mixed(uint64_t word)
{
    word *= UINT64_C(0x9e3779b97f4a7c15);
    return word ^ word >> 32;
}

static uint64_t hash_of(const unsigned char *bytes, size_t length, uint64_t head)
{
    uint64_t hash = mixed(head ^ length);
    for (size_t place = 8; place < length; place += 8)
        hash = mixed(hash ^ first_bytes(bytes + place, length - place));
    return hash;
}

static bool is_of(const Numbers *numbers, const Slot *slot, const unsigned char *bytes, size_t length, uint64_t head)
{
    return slot->head == head && slot->length == length
        && (length <= 8 || memcmp(numbers->base + slot->start + 8, bytes + 8, length - 8) == 0);
}

uint32_t number_of(Numbers *numbers, const unsigned char *bytes, size_t length)
{
    Slot *slots = numbers->slots.data;
    uint64_t head = first_bytes(bytes, length);
    size_t last = numbers->slot_count - 1;
    size_t place = hash_of(bytes, length, head) & last;
    for (; slots[place].generation == numbers->generation; place = (place + 1) & last)
        if (is_of(numbers, &slots[place], bytes, length, head))
            return slots[place].number;
    uint32_t start = (uint32_t)(bytes - numbers->base);
    slots[place] = (Slot){head, start, (uint32_t)length, numbers->generation, numbers->used};
    return numbers->used++;
}

void numbers_places(const Numbers *numbers, WordPlace *places)
{
    const Slot *slots = numbers->slots.data;
    for (size_t place = 0; place < numbers->slot_count; place++)
        if (slots[place].generation == numbers->generation)
            places[slots[place].number] = (WordPlace){slots[place].start, slots[place].length};
}
