#include "lcs/symbols.h"

#include <string.h>

#include "base/bits.h"

/* ---- common prefixes and suffixes -------------------------------------------------------------------------------- */

static size_t common_start(const unsigned char *first, const unsigned char *second, size_t size)
{
    size_t position = 0;
    for (; size - position >= 8; position += 8) {
        uint64_t different = eight_bytes(first + position) ^ eight_bytes(second + position);
        if (different != 0)
            return position + (size_t)lowest_bit(different) / 8;
    }
    while (position < size && first[position] == second[position])
        position++;
    return position;
}

static size_t common_end(const unsigned char *first_end, const unsigned char *second_end, size_t size)
{
    size_t left = size;
    for (; left >= 8; left -= 8) {
        uint64_t different = eight_bytes(first_end - (size - left) - 8) ^ eight_bytes(second_end - (size - left) - 8);
        if (different != 0)
            return size - left + (size_t)(WORD_BITS - 1 - highest_bit(different)) / 8;
    }
    while (left > 0 && first_end[-1 - (ptrdiff_t)(size - left)] == second_end[-1 - (ptrdiff_t)(size - left)])
        left--;
    return size - left;
}

static size_t shorter(const Symbols *first, const Symbols *second)
{
    return first->length < second->length ? first->length : second->length;
}

static size_t same_at_start(const Symbols *first, const Symbols *second)
{
    size_t max = shorter(first, second), position = 0;
    if (first->width == second->width)
        return common_start(first->data, second->data, max * first->width) / first->width;
    while (position < max && symbol_at(first, position) == symbol_at(second, position))
        position++;
    return position;
}

static size_t same_at_end(const Symbols *first, const Symbols *second)
{
    size_t max = shorter(first, second), position = 0;
    if (first->width == second->width)
        return common_end(
                   first->data + first->length * first->width, second->data + second->length * second->width,
                   max * first->width)
            / first->width;
    while (position < max
           && symbol_at(first, first->length - 1 - position) == symbol_at(second, second->length - 1 - position))
        position++;
    return position;
}

void strip_common(Symbols *first, Symbols *second)
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

/* ---- ids --------------------------------------------------------------------------------------------------------- */

/* Symbols below have their ids in an array: alphabets and punctuation, up to the ideographs. Others are hashed. */
enum { COMMON_SYMBOLS = 0x2e80 };

typedef struct {
    uint32_t symbol;
    uint32_t generation;
    uint32_t id;
} Slot;

void symbol_ids_free(SymbolIds *symbol_ids)
{
    buffer_free(&symbol_ids->slots);
    buffer_free(&symbol_ids->common);
    buffer_free(&symbol_ids->ids);
}

/* Removes all symbols and reserves slots for `count` new ones. */
static bool symbol_ids_reset(SymbolIds *symbol_ids, size_t count)
{
    size_t needed = 64;
    while (needed / 2 < count)
        needed *= 2;
    symbol_ids->used = 0;
    symbol_ids->seed = hash_seed();
    if (needed <= symbol_ids->slot_count && ++symbol_ids->generation != 0)
        return true;
    if (needed < symbol_ids->slot_count)
        needed = symbol_ids->slot_count;
    if (!buffer_reserve(&symbol_ids->slots, needed, sizeof(Slot)))
        return false;
    memset(symbol_ids->slots.data, 0, needed * sizeof(Slot));
    symbol_ids->slot_count = needed;
    symbol_ids->shift = shift_to_slot(needed);
    symbol_ids->generation = 1;
    return true;
}

/* Returns the slot of a symbol, or the empty slot where it belongs. */
static inline Slot *slot_of(const SymbolIds *symbol_ids, uint32_t symbol)
{
    Slot *slots = symbol_ids->slots.data;
    size_t last = symbol_ids->slot_count - 1;
    size_t position = (size_t)(hash_of(symbol_ids->seed, symbol) >> symbol_ids->shift);
    while (slots[position].generation == symbol_ids->generation && slots[position].symbol != symbol)
        position = (position + 1) & last;
    return &slots[position];
}

static uint32_t number_of_symbol(SymbolIds *symbol_ids, uint32_t symbol)
{
    uint32_t *common = symbol_ids->common.data;
    if (symbol < COMMON_SYMBOLS)
        return common[symbol] == 0 ? (common[symbol] = ++symbol_ids->used) : common[symbol];
    Slot *slot = slot_of(symbol_ids, symbol);
    if (slot->generation != symbol_ids->generation)
        *slot = (Slot){symbol, symbol_ids->generation, ++symbol_ids->used};
    return slot->id;
}

static uint32_t known_number(const SymbolIds *symbol_ids, uint32_t symbol)
{
    if (symbol < COMMON_SYMBOLS)
        return ((const uint32_t *)symbol_ids->common.data)[symbol];
    const Slot *slot = slot_of(symbol_ids, symbol);
    return slot->generation == symbol_ids->generation ? slot->id : 0;
}

static bool reserve_common(SymbolIds *symbol_ids)
{
    return symbol_ids->common.data != NULL || buffer_clear(&symbol_ids->common, COMMON_SYMBOLS, sizeof(uint32_t));
}

static void clear_common(SymbolIds *symbol_ids, const Symbols *symbols)
{
    uint32_t *common = symbol_ids->common.data;
    for (size_t position = 0; position < symbols->length; position++) {
        uint32_t symbol = symbol_at(symbols, position);
        if (symbol < COMMON_SYMBOLS)
            common[symbol] = 0;
    }
}

bool symbol_ids_translate(SymbolIds *symbol_ids, Symbols *first, Symbols *second)
{
    if (!symbol_ids_reset(symbol_ids, first->length) || !reserve_common(symbol_ids)
        || !buffer_reserve(&symbol_ids->ids, first->length + second->length, sizeof(uint32_t)))
        return false;
    uint32_t *ids = symbol_ids->ids.data;
    for (size_t position = 0; position < first->length; position++)
        ids[position] = number_of_symbol(symbol_ids, symbol_at(first, position));
    for (size_t position = 0; position < second->length; position++)
        ids[first->length + position] = known_number(symbol_ids, symbol_at(second, position));
    clear_common(symbol_ids, first);
    *first = (Symbols){(const unsigned char *)ids, first->length, sizeof *ids};
    *second = (Symbols){(const unsigned char *)(ids + first->length), second->length, sizeof *ids};
    return true;
}
