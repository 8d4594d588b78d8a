#include "lcs/symbols.h"

#include <string.h>

/* ---- what is common --------------------------------------------------------------------------------------------- */

static size_t common_start(const unsigned char *first, const unsigned char *second, size_t size)
{
    size_t place = 0;
    uint64_t here, there;
    for (; size - place >= 8; place += 8) {
        memcpy(&here, first + place, 8);
        memcpy(&there, second + place, 8);
        if (here != there)
            break;
    }
    while (place < size && first[place] == second[place])
        place++;
    return place;
}

static size_t common_end(const unsigned char *first_end, const unsigned char *second_end, size_t size)
{
    size_t place = 0;
    uint64_t here, there;
    for (; size - place >= 8; place += 8) {
        memcpy(&here, first_end - place - 8, 8);
        memcpy(&there, second_end - place - 8, 8);
        if (here != there)
            break;
    }
    while (place < size && first_end[-1 - (ptrdiff_t)place] == second_end[-1 - (ptrdiff_t)place])
        place++;
    return place;
}

static size_t shorter(const Symbols *first, const Symbols *second)
{
    return first->length < second->length ? first->length : second->length;
}

static size_t same_at_start(const Symbols *first, const Symbols *second)
{
    size_t most = shorter(first, second), place = 0;
    if (first->width == second->width)
        return common_start(first->data, second->data, most * first->width) / first->width;
    while (place < most && symbol_at(first, place) == symbol_at(second, place))
        place++;
    return place;
}

static size_t same_at_end(const Symbols *first, const Symbols *second)
{
    size_t most = shorter(first, second), place = 0;
    if (first->width == second->width)
        return common_end(
                   first->data + first->length * first->width, second->data + second->length * second->width,
                   most * first->width)
            / first->width;
    while (place < most
           && symbol_at(first, first->length - 1 - place) == symbol_at(second, second->length - 1 - place))
        place++;
    return place;
}

void cut_common(Symbols *first, Symbols *second)
{
    size_t same = same_at_start(first, second);
    first->data += same * first->width;
    second->data += same * second->width;
    first->length -= same;
    second->length -= same;
    same = same_at_end(first, second);
    first->length -= same;
    second->length -= same;
}

/* ---- an alphabet ------------------------------------------------------------------------------------------------ */

typedef struct {
    uint32_t symbol;
    uint32_t generation;
    uint32_t number;
} Slot;

void alphabet_free(Alphabet *alphabet)
{
    buffer_free(&alphabet->slots);
    buffer_free(&alphabet->numbers);
}

/* Forgets all symbols and makes room for `count` others. */
static bool alphabet_reset(Alphabet *alphabet, size_t count)
{
    size_t needed = 64;
    while (needed / 2 < count)
        needed *= 2;
    alphabet->used = 0;
    if (needed <= alphabet->slot_count && ++alphabet->generation != 0)
        return true;
    if (needed < alphabet->slot_count)
        needed = alphabet->slot_count;
    if (!buffer_reserve(&alphabet->slots, needed, sizeof(Slot)))
        return false;
    memset(alphabet->slots.data, 0, needed * sizeof(Slot));
    alphabet->slot_count = needed;
    alphabet->generation = 1;
    return true;
}

/* Returns the slot of a symbol, or the empty one where it would be. */
static inline Slot *slot_of(const Alphabet *alphabet, uint32_t symbol)
{
    Slot *slots = alphabet->slots.data;
    size_t last = alphabet->slot_count - 1;
    size_t place = (size_t)((symbol * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & last;
    while (slots[place].generation == alphabet->generation && slots[place].symbol != symbol)
        place = (place + 1) & last;
    return &slots[place];
}

static uint32_t number_of_symbol(Alphabet *alphabet, uint32_t symbol)
{
    Slot *slot = slot_of(alphabet, symbol);
    if (slot->generation != alphabet->generation)
        *slot = (Slot){symbol, alphabet->generation, ++alphabet->used};
    return slot->number;
}

static uint32_t known_number(const Alphabet *alphabet, uint32_t symbol)
{
    const Slot *slot = slot_of(alphabet, symbol);
    return slot->generation == alphabet->generation ? slot->number : 0;
}

bool alphabet_translate(Alphabet *alphabet, Symbols *first, Symbols *second)
{
    if (!alphabet_reset(alphabet, first->length)
        || !buffer_reserve(&alphabet->numbers, first->length + second->length, sizeof(uint32_t)))
        return false;
    uint32_t *numbers = alphabet->numbers.data;
    for (size_t place = 0; place < first->length; place++)
        numbers[place] = number_of_symbol(alphabet, symbol_at(first, place));
    for (size_t place = 0; place < second->length; place++)
        numbers[first->length + place] = known_number(alphabet, symbol_at(second, place));
    *first = (Symbols){(const unsigned char *)numbers, first->length, sizeof *numbers};
    *second = (Symbols){(const unsigned char *)(numbers + first->length), second->length, sizeof *numbers};
    return true;
}
