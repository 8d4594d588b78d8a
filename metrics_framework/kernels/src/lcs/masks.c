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

static inline uint64_t *word_of(Masks *masks, const Symbols *pattern, size_t index)
{
    return (uint64_t *)masks->words.data + index / WORD_BITS * masks->kinds + symbol_at(pattern, index);
}

void masks_set(Masks *masks, const Symbols *pattern)
{
    for (size_t index = 0; index < pattern->length; index++)
        *word_of(masks, pattern, index) |= UINT64_C(1) << index % WORD_BITS;
}

void masks_clear(Masks *masks, const Symbols *pattern)
{
    for (size_t index = 0; index < pattern->length; index++)
        *word_of(masks, pattern, index) = 0;
}
