#include "ngrams/reference_counts.h"

#include <string.h>

/* The prefixes of unigrams. */
static const uint32_t NO_PREFIX[KINDS] = {UINT32_MAX - 1, UINT32_MAX - 2};

typedef struct {
    uint32_t of_lane[LANES];
} LaneCounts;

void reference_counts_free(ReferenceCounts *block)
{
    ngram_ids_free(&block->ngram_ids);
    buffer_free(&block->lane_counts);
}

void workspace_free(Workspace *workspace)
{
    buffer_free(&workspace->ngrams);
    buffer_free(&workspace->seen);
}

bool workspace_reserve(Workspace *workspace, size_t longest)
{
    return buffer_reserve(&workspace->ngrams, longest + 1, sizeof(uint32_t));
}

/* ---- references -------------------------------------------------------------------------------------------------- */

static size_t max_ngrams(const Units *units, const size_t *orders)
{
    size_t max = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        size_t length = units->lengths[kind];
        max += length * (orders[kind] < length ? orders[kind] : length);
    }
    return max;
}

/* Reserves counts for all n-grams; new ones are 0. */
static bool reserve_counts(ReferenceCounts *block, size_t before)
{
    if (!buffer_reserve(&block->lane_counts, block->ngram_ids.used, sizeof(LaneCounts)))
        return false;
    if (block->ngram_ids.used > before)
        memset((LaneCounts *)block->lane_counts.data + before, 0, (block->ngram_ids.used - before) * sizeof(LaneCounts));
    return true;
}

/* Writes the prefixes of unigrams. */
static void start_ngrams(uint32_t *ngrams, size_t count, int kind, size_t order)
{
    for (size_t position = 0; order == 1 && position < count; position++)
        ngrams[position] = NO_PREFIX[kind];
}

static bool count_reference(
    ReferenceCounts *block, uint32_t *ngrams, const Units *units, size_t lane, const size_t *orders, Interrupt *interrupt)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t order = 1; order <= orders[kind]; order++) {
            size_t count = ngram_count(units->lengths[kind], order), before = block->ngram_ids.used;
            const uint32_t *unit = units->units[kind] + order - 1;
            start_ngrams(ngrams, count, kind, order);
            if (!ngram_ids_reserve(&block->ngram_ids, count, interrupt))
                return false;
            assign_ngram_ids(&block->ngram_ids, ngrams, unit, count);
            if (!reserve_counts(block, before))
                return false;
            LaneCounts *lane_counts = block->lane_counts.data;
            for (size_t position = 0; position < count; position++)
                lane_counts[ngrams[position]].of_lane[lane]++;
            interrupt->work += 8 * count;
            if (is_interrupted(interrupt))
                return false;
        }
    }
    return true;
}

bool reference_counts_open(
    ReferenceCounts *block, Workspace *workspace, const Units *references, size_t count, const size_t *orders, uint32_t word_end,
    Interrupt *interrupt)
{
    size_t max = 0, longest = 0;
    for (size_t index = 0; index < count; index++) {
        max += max_ngrams(&references[index], orders);
        for (int kind = 0; kind < KINDS; kind++)
            longest = references[index].lengths[kind] > longest ? references[index].lengths[kind] : longest;
    }
    uint32_t unit_end = orders[CHARACTERS] > 0 ? UINT32_MAX : word_end;
    if (!ngram_ids_reset(&block->ngram_ids, max, 0, unit_end) || !workspace_reserve(workspace, longest))
        return false;
    for (size_t index = 0; index < count; index++)
        if (!count_reference(block, workspace->ngrams.data, &references[index], index, orders, interrupt))
            return false;
    if (!buffer_reserve(&workspace->seen, block->ngram_ids.used, sizeof(uint32_t)))
        return false;
    if (block->ngram_ids.used > 0)
        memset(workspace->seen.data, 0, block->ngram_ids.used * sizeof(uint32_t));
    return true;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Counts the n-grams of one order that a summary shares with each reference. */
static void count_shared(const LaneCounts *lane_counts, uint32_t *seen, const uint32_t *ngrams, size_t count, uint32_t *shared)
{
    for (size_t position = 0; position < count; position++) {
        if (ngrams[position] == NO_NGRAM)
            continue;
        const uint32_t *of_lane = lane_counts[ngrams[position]].of_lane;
        uint32_t now = ++seen[ngrams[position]];
        for (size_t lane = 0; lane < LANES; lane++)
            shared[lane] += of_lane[lane] >= now;
    }
    for (size_t position = 0; position < count; position++)
        if (ngrams[position] != NO_NGRAM)
            seen[ngrams[position]] = 0;
}

void reference_counts_shared(
    const ReferenceCounts *block, const Workspace *workspace, const Units *summary, const size_t *orders, double *shared,
    Interrupt *interrupt)
{
    uint32_t *ngrams = workspace->ngrams.data;
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t order = 1; order <= orders[kind]; order++, shared += LANES) {
            size_t count = ngram_count(summary->lengths[kind], order);
            const uint32_t *unit = summary->units[kind] + order - 1;
            uint32_t found[LANES] = {0};
            start_ngrams(ngrams, count, kind, order);
            find_ngram_ids(&block->ngram_ids, ngrams, unit, count);
            count_shared(block->lane_counts.data, workspace->seen.data, ngrams, count, found);
            for (size_t lane = 0; lane < LANES; lane++)
                shared[lane] = found[lane];
            interrupt->work += 8 * count;
            if (is_interrupted(interrupt))
                return;
        }
    }
}
