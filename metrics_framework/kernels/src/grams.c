#include "grams.h"

#include <string.h>

/* Of so many n-grams most may be new, and a full table is slow; of more, which are of several texts, many are the same, and
   a table that fits the cache is fast. */
enum { FEW = 256 };

void grams_free(Grams *grams) { buffer_free(&grams->slots); }

bool grams_reset(Grams *grams, size_t count, uint32_t first)
{
    size_t needed = 64;
    if (count > UINT32_MAX / 2 || first > UINT32_MAX / 4) /* what is above are no numbers of n-grams */
        return false;
    while ((count > FEW ? needed : needed / 2) <= count) {
        if (needed > SIZE_MAX / 2)
            return false;
        needed *= 2;
    }
    grams->used = first;
    grams->slot_count = needed;
    grams->shift = 64;
    for (size_t size = needed; size > 1; size /= 2)
        grams->shift--;
    if (needed <= grams->room && ++grams->generation != 0)
        return true;
    if (needed < grams->room)
        needed = grams->room;
    if (!buffer_reserve(&grams->slots, needed, sizeof(GramSlot)))
        return false;
    memset(grams->slots.data, 0, needed * sizeof(GramSlot));
    grams->room = needed;
    grams->generation = 1;
    return true;
}
