#include "masks.h"

#include <string.h>

void masks_free(Masks *masks) { buffer_free(&masks->words); }

bool masks_reserve(Masks *masks, size_t lanes, size_t kinds)
{
    size_t count = lanes * kinds;
    masks->kinds = kinds;
    if (count <= masks->count)
        return true;
    if (!buffer_reserve(&masks->words, count, sizeof(uint64_t)))
        return false;
    memset((uint64_t *)masks->words.data + masks->count, 0, (count - masks->count) * sizeof(uint64_t));
    masks->count = count;
    return true;
}

static inline uint32_t number_at(const Symbols *symbols, size_t place)
{
    return symbols->width == 1 ? symbols->data[place] : ((const uint32_t *)symbols->data)[place];
}

void masks_set(Masks *masks, const Symbols *pattern, size_t row)
{
    uint64_t *words = (uint64_t *)masks->words.data + row / WORD_BITS * masks->kinds;
    unsigned bit = (unsigned)(row % WORD_BITS);
    for (size_t place = 0; place < pattern->length; bit = 0, words += masks->kinds) {
        size_t left = pattern->length - place, room = WORD_BITS - bit;
        size_t end = place + (left < room ? left : room);
        for (uint64_t mask = UINT64_C(1) << bit; place < end; place++, mask <<= 1)
            words[number_at(pattern, place)] |= mask;
    }
}

void masks_clear(Masks *masks, const Symbols *pattern, size_t row)
{
    uint64_t *words = (uint64_t *)masks->words.data + row / WORD_BITS * masks->kinds;
    size_t room = WORD_BITS - row % WORD_BITS;
    for (size_t place = 0; place < pattern->length; room = WORD_BITS, words += masks->kinds) {
        size_t left = pattern->length - place;
        size_t end = place + (left < room ? left : room);
        for (; place < end; place++)
            words[number_at(pattern, place)] = 0;
    }
}

void masks_look_up(const Masks *masks, size_t from, const Symbols *text, uint64_t (*matches)[LANES], size_t to)
{
    const uint64_t *words = (const uint64_t *)masks->words.data + from * masks->kinds;
    if (text->width == 1) {
        for (size_t place = 0; place < text->length; place++)
            matches[place][to] = words[text->data[place]];
    } else {
        for (size_t place = 0; place < text->length; place++)
            matches[place][to] = words[((const uint32_t *)text->data)[place]];
    }
}
