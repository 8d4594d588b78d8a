#include "ngrams/skip_bigrams.h"

#include <string.h>

typedef struct {
    uint32_t of_lane[LANES];
} LaneCounts;

void skip_bigrams_free(SkipBigrams *block)
{
    ngram_ids_free(&block->pair_ids);
    buffer_free(&block->lane_counts);
}

void pair_memory_free(PairMemory *memory)
{
    buffer_free(&memory->pairs);
    buffer_free(&memory->seen);
    buffer_free(&memory->found);
}

/* Returns the largest distance of two words. */
static size_t max_distance(size_t length, size_t reach)
{
    size_t last = length > 0 ? length - 1 : 0;
    return reach < last ? reach : last;
}

size_t count_skip_bigrams(size_t length, size_t reach)
{
    size_t most = max_distance(length, reach);
    return most * length - most * (most + 1) / 2;
}

/* ---- references -------------------------------------------------------------------------------------------------- */

/* Reserves counts for all pairs; new ones are 0. */
static bool reserve_counts(SkipBigrams *block, size_t before)
{
    if (!buffer_reserve(&block->lane_counts, (size_t)block->pair_ids.used + 1, sizeof(LaneCounts)))
        return false;
    if (block->pair_ids.used > before)
        memset((LaneCounts *)block->lane_counts.data + before, 0, (block->pair_ids.used - before) * sizeof(LaneCounts));
    return true;
}

static bool count_reference(
    SkipBigrams *block, uint32_t *pairs, WordSequence text, size_t lane, size_t reach, Interrupt *interrupt)
{
    for (size_t distance = 1; distance <= max_distance(text.length, reach); distance++) {
        size_t count = text.length - distance, before = block->pair_ids.used;
        memcpy(pairs, text.words, count * sizeof *pairs);
        if (!ngram_ids_reserve(&block->pair_ids, count, interrupt))
            return false;
        assign_ngram_ids(&block->pair_ids, pairs, text.words + distance, count);
        if (!reserve_counts(block, before))
            return false;
        LaneCounts *lane_counts = block->lane_counts.data;
        for (size_t position = 0; position < count; position++)
            lane_counts[pairs[position]].of_lane[lane]++;
        interrupt->work += 8 * count;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

/* Pairs have 32-bit ids; more of them count as out of memory. */
bool skip_bigrams_open(
    SkipBigrams *block, PairMemory *memory, const WordSequence *references, size_t count, size_t reach, uint32_t word_end,
    Interrupt *interrupt)
{
    size_t max = 0, longest = 0;
    for (size_t index = 0; index < count; index++) {
        max += count_skip_bigrams(references[index].length, reach);
        longest = references[index].length > longest ? references[index].length : longest;
    }
    if (max > UINT32_MAX / 4 || !ngram_ids_reset(&block->pair_ids, max, 0, word_end) || !reserve_counts(block, 0)
        || !buffer_reserve(&memory->pairs, longest + 1, sizeof(uint32_t)))
        return false;
    for (size_t index = 0; index < count; index++)
        if (!count_reference(block, memory->pairs.data, references[index], index, reach, interrupt))
            return false;
    if (!buffer_reserve(&memory->seen, (size_t)block->pair_ids.used + 1, sizeof(uint32_t))
        || !buffer_reserve(&memory->found, (size_t)block->pair_ids.used + 1, sizeof(uint32_t)))
        return false;
    memset(memory->seen.data, 0, ((size_t)block->pair_ids.used + 1) * sizeof(uint32_t));
    return true;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Counts the pairs of one distance that a summary shares with each reference, and collects those seen first. */
static size_t count_shared(
    const LaneCounts *lane_counts, const PairMemory *memory, const uint32_t *pairs, size_t count, uint32_t *shared,
    size_t found_count)
{
    uint32_t *seen = memory->seen.data, *found = memory->found.data;
    for (size_t position = 0; position < count; position++) {
        if (pairs[position] == NO_NGRAM)
            continue;
        const uint32_t *of_lane = lane_counts[pairs[position]].of_lane;
        uint32_t now = seen[pairs[position]] + (seen[pairs[position]] < UINT32_MAX); /* counts in references are lower */
        seen[pairs[position]] = now;
        found[found_count] = pairs[position];
        found_count += now == 1;
        for (size_t lane = 0; lane < LANES; lane++)
            shared[lane] += of_lane[lane] >= now;
    }
    return found_count;
}

bool skip_bigrams_shared(
    const SkipBigrams *block, PairMemory *memory, WordSequence summary, size_t reach, double *shared, Interrupt *interrupt)
{
    uint32_t totals[LANES] = {0};
    size_t found = 0;
    bool done = buffer_reserve(&memory->pairs, summary.length + 1, sizeof(uint32_t));
    uint32_t *pairs = memory->pairs.data;
    for (size_t distance = 1; done && distance <= max_distance(summary.length, reach); distance++) {
        size_t count = summary.length - distance;
        memcpy(pairs, summary.words, count * sizeof *pairs);
        find_ngram_ids(&block->pair_ids, pairs, summary.words + distance, count);
        found = count_shared(block->lane_counts.data, memory, pairs, count, totals, found);
        interrupt->work += 8 * count;
        done = !is_interrupted(interrupt);
    }
    for (size_t index = 0; index < found; index++)
        ((uint32_t *)memory->seen.data)[((const uint32_t *)memory->found.data)[index]] = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        shared[lane] = totals[lane];
    return done;
}
