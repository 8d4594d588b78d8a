#include "lcs/masks.h"

#include <string.h>

#include "base/bits.h"

void masks_free(Masks *masks) { buffer_free(&masks->words); }

bool masks_reserve(Masks *masks, size_t words, size_t kinds)
{
    size_t count = words * kinds;
    masks->kinds = kinds;
    if (count <= masks->count)
        return true;
    if (!buffer_reserve(&masks->words, count, sizeof(uint64_t)))
        return false;
    memset((uint64_t *)masks->words.data + masks->count, 0, (count - masks->count) * sizeof(uint64_t));
    masks->count = count;
    return true;
}

static size_t end_of_word(const Symbols *pattern, size_t start)
{
    return pattern->length - start < WORD_BITS ? pattern->length : start + WORD_BITS;
}

void masks_set(Masks *masks, const Symbols *pattern)
{
    uint64_t *words = masks->words.data;
    for (size_t start = 0; start < pattern->length; start += WORD_BITS, words += masks->kinds) {
        size_t end = end_of_word(pattern, start);
        for (size_t index = start; index < end; index++)
            words[symbol_at(pattern, index)] |= UINT64_C(1) << (index - start);
    }
}

void masks_clear(Masks *masks, const Symbols *pattern)
{
    uint64_t *words = masks->words.data;
    for (size_t start = 0; start < pattern->length; start += WORD_BITS, words += masks->kinds) {
        size_t end = end_of_word(pattern, start);
        for (size_t index = start; index < end; index++)
            words[symbol_at(pattern, index)] = 0;
    }
}
