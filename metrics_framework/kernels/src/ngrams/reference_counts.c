#include "ngrams/reference_counts.h"

#include <string.h>

/* What an n-gram of one unit begins with. */
static const uint32_t NOTHING[KINDS] = {UINT32_MAX - 1, UINT32_MAX - 2};

typedef struct {
    uint32_t counts[LANES];
} Row;

void block_free(Block *block)
{
    grams_free(&block->grams);
    buffer_free(&block->rows);
}

void workspace_free(Workspace *workspace)
{
    buffer_free(&workspace->ends);
    buffer_free(&workspace->times);
}

bool workspace_reserve(Workspace *workspace, size_t longest)
{
    return buffer_reserve(&workspace->ends, longest + 1, sizeof(uint32_t));
}

/* ---- references ------------------------------------------------------------------------------------------------- */

static size_t most_grams(const Units *units, const size_t *orders)
{
    size_t most = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        size_t length = units->lengths[kind];
        most += length * (orders[kind] < length ? orders[kind] : length);
    }
    return most;
}

/* Makes room for rows and times; new ones are 0. */
static bool reserve_rows(Block *block, size_t before)
{
    if (!buffer_reserve(&block->rows, block->grams.used, sizeof(Row)))
        return false;
    if (block->grams.used > before)
        memset((Row *)block->rows.data + before, 0, (block->grams.used - before) * sizeof(Row));
    return true;
}

/* Writes what the n-grams of order 1 have in front of their unit. */
static void begin(uint32_t *ends, size_t count, int kind, size_t order)
{
    for (size_t place = 0; order == 1 && place < count; place++)
        ends[place] = NOTHING[kind];
}

static bool count_reference(
    Block *block, uint32_t *ends, const Units *units, size_t lane, const size_t *orders, Watch *watch)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t order = 1; order <= orders[kind]; order++) {
            size_t count = gram_count(units->lengths[kind], order), before = block->grams.used;
            const uint32_t *unit = units->units[kind] + order - 1;
            begin(ends, count, kind, order);
            if (!grams_reserve(&block->grams, count, watch))
                return false;
            number_grams(&block->grams, ends, unit, count);
            if (!reserve_rows(block, before))
                return false;
            Row *rows = block->rows.data;
            for (size_t place = 0; place < count; place++)
                rows[ends[place]].counts[lane]++;
            watch->work += 8 * count;
            if (is_stopped(watch))
                return false;
        }
    }
    return true;
}

bool block_open(
    Block *block, Workspace *workspace, const Units *references, size_t count, const size_t *orders, uint32_t word_end,
    Watch *watch)
{
    size_t most = 0, longest = 0;
    for (size_t index = 0; index < count; index++) {
        most += most_grams(&references[index], orders);
        for (int kind = 0; kind < KINDS; kind++)
            longest = references[index].lengths[kind] > longest ? references[index].lengths[kind] : longest;
    }
    if (!grams_reset(&block->grams, most, 0, orders[CHARACTERS] > 0 ? UINT32_MAX : word_end) || !workspace_reserve(workspace, longest))
        return false;
    for (size_t index = 0; index < count; index++)
        if (!count_reference(block, workspace->ends.data, &references[index], index, orders, watch))
            return false;
    if (!buffer_reserve(&workspace->times, block->grams.used, sizeof(uint32_t)))
        return false;
    if (block->grams.used > 0)
        memset(workspace->times.data, 0, block->grams.used * sizeof(uint32_t));
    return true;
}

/* ---- a summary -------------------------------------------------------------------------------------------------- */

/* Counts the n-grams of an order that a summary shares with each reference. */
static void count_shared(const Row *rows, uint32_t *times, const uint32_t *ends, size_t count, uint32_t *shared)
{
    for (size_t place = 0; place < count; place++) {
        if (ends[place] == NO_GRAM)
            continue;
        const uint32_t *counts = rows[ends[place]].counts;
        uint32_t now = ++times[ends[place]];
        for (size_t lane = 0; lane < LANES; lane++)
            shared[lane] += counts[lane] >= now;
    }
    for (size_t place = 0; place < count; place++)
        if (ends[place] != NO_GRAM)
            times[ends[place]] = 0;
}

void block_shared(
    const Block *block, const Workspace *workspace, const Units *summary, const size_t *orders, double *shared, Watch *watch)
{
    uint32_t *ends = workspace->ends.data;
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t order = 1; order <= orders[kind]; order++, shared += LANES) {
            size_t count = gram_count(summary->lengths[kind], order);
            const uint32_t *unit = summary->units[kind] + order - 1;
            uint32_t found[LANES] = {0};
            begin(ends, count, kind, order);
            find_grams(&block->grams, ends, unit, count);
            count_shared(block->rows.data, workspace->times.data, ends, count, found);
            for (size_t lane = 0; lane < LANES; lane++)
                shared[lane] = found[lane];
            watch->work += 8 * count;
            if (is_stopped(watch))
                return;
        }
    }
}
