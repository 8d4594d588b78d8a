#include "ngrams/ngram_set.h"

void ngram_set_free(NgramSet *set) { buffer_free(&set->slots); }

bool ngram_set_reset(NgramSet *set, size_t count)
{
    size_t needed = 64;
    while (needed - needed / 4 <= count)
        needed *= 2;
    set->seed = hash_seed();
    set->slot_count = needed;
    set->shift = shift_to_slot(needed);
    if (needed <= set->capacity && ++set->generation >> GENERATION_BITS == 0)
        return true;
    if (needed < set->capacity)
        needed = set->capacity;
    bool done = buffer_clear(&set->slots, needed, sizeof(uint64_t));
    set->capacity = done ? needed : 0;
    set->generation = 1;
    return done;
}
