/* The bit masks of a pattern: where each symbol occurs in it. */

#ifndef FW_LCS_MASKS_H
#define FW_LCS_MASKS_H

#include "base/buffer.h"
#include "lcs/symbols.h"

/* Bit k of word `w * kinds + symbol` is set if symbol k of the w-th 64 symbols of the pattern is that symbol. All bits
   are 0 except between `masks_set` and `masks_clear`. Initialize with {0}. */
typedef struct {
    Buffer words; /* uint64_t */
    size_t count;
    size_t kinds; /* all symbols are less */
} Masks;

void masks_free(Masks *masks);

/* Reserves masks for patterns of up to `words` times 64 symbols. Returns false if out of memory. */
bool masks_reserve(Masks *masks, size_t words, size_t kinds);

void masks_set(Masks *masks, const Symbols *pattern);

/* Clears what `masks_set` has set for the same pattern. */
void masks_clear(Masks *masks, const Symbols *pattern);

#endif
