#include "pairs/weighted_points.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const int32_t *codes;
    const int32_t *groups;
    const int32_t *limits;
    const int32_t *row_of;
    const int32_t *row_weights;
    const int32_t *column_weights;
} Resample;

typedef struct {
    int32_t *weights;
    int32_t *code_weights;  /* then the ranks of codes */
    int32_t *group_weights; /* then the ranks of groups */
    int32_t *tree;          /* a Fenwick tree over codes, from index 1 */
    int32_t *inserted;      /* the weight of each code in the tree */
} Scratch;

static bool are_indices(const int32_t *values, size_t count, size_t end)
{
    for (size_t index = 0; index < count; index++)
        if (values[index] < 0 || (size_t)values[index] >= end)
            return false;
    return true;
}

static bool are_not_negative(const int32_t *values, size_t count)
{
    int32_t lowest = 0;
    for (size_t index = 0; index < count; index++)
        lowest = values[index] < lowest ? values[index] : lowest;
    return lowest == 0;
}

/* Returns whether prefixes grow, and end before their point. */
static bool are_limits(const int32_t *limits, size_t count)
{
    int32_t previous = 0;
    for (size_t index = 0; index < count; index++) {
        if (limits[index] < previous || (size_t)limits[index] > index)
            return false;
        previous = limits[index];
    }
    return true;
}

static bool is_valid(const WeightedPoints *points)
{
    size_t count = points->points, sets = points->varying ? points->resamples : 1;
    for (size_t set = 0; set < sets; set++)
        if (!are_limits(points->limits + set * count, count))
            return false;
    return are_indices(points->codes, sets * count, count) && are_indices(points->groups, sets * count, count) &&
           are_indices(points->row_of, sets * count, points->rows) &&
           are_indices(points->column_of, count, points->columns) &&
           are_not_negative(points->row_weights, points->resamples * points->rows) &&
           are_not_negative(points->column_weights, points->resamples * points->columns);
}

/* Returns the sum of all weights, or −1 if it is too large. */
static int64_t weigh(const WeightedPoints *points, const Resample *resample, Scratch *scratch)
{
    size_t count = points->points;
    int64_t total = 0;
    memset(scratch->code_weights, 0, count * sizeof(int32_t));
    memset(scratch->group_weights, 0, count * sizeof(int32_t));
    for (size_t index = 0; index < count; index++) {
        int64_t weight = (int64_t)resample->row_weights[resample->row_of[index]] *
                         resample->column_weights[points->column_of[index]];
        if (weight > LARGEST_WEIGHT - total)
            return -1;
        total += weight;
        scratch->weights[index] = (int32_t)weight;
        scratch->code_weights[resample->codes[index]] += (int32_t)weight;
        scratch->group_weights[resample->groups[index]] += (int32_t)weight;
    }
    return total;
}

static void compare_with_prefixes(size_t count, const Resample *resample, Scratch *scratch, int64_t *sums)
{
    memset(scratch->tree, 0, (count + 1) * sizeof(int32_t));
    memset(scratch->inserted, 0, count * sizeof(int32_t));
    size_t codes = 0; /* the tree reaches to the largest code only */
    for (size_t index = 0; index < count; index++)
        codes = (size_t)resample->codes[index] >= codes ? (size_t)resample->codes[index] + 1 : codes;
    int64_t total = 0, less = 0, equal = 0, greater = 0;
    size_t next = 0;
    for (size_t index = 0; index < count; index++) {
        int32_t weight = scratch->weights[index];
        if (weight == 0)
            continue;
        for (; next < (size_t)resample->limits[index]; next++) {
            int32_t added = scratch->weights[next], code = resample->codes[next];
            if (added == 0)
                continue;
            total += added;
            scratch->inserted[code] += added;
            for (size_t node = (size_t)code + 1; node <= codes; node += node & (~node + 1))
                scratch->tree[node] += added;
        }
        int32_t code = resample->codes[index];
        int64_t below = 0, same = scratch->inserted[code];
        for (size_t node = (size_t)code; node > 0; node &= node - 1)
            below += scratch->tree[node];
        less += weight * below;
        equal += weight * same;
        greater += weight * (total - below - same);
    }
    sums[LESS] = less;
    sums[EQUAL] = equal;
    sums[GREATER] = greater;
}

/* Replaces weights by ranks; adds up squared weights, distinct values and squared ranks. */
static void rank(int32_t *weights, size_t count, int64_t total, int64_t *squares, int64_t *distinct, int64_t *ranks)
{
    int64_t before = 0;
    *squares = *distinct = *ranks = 0;
    for (size_t index = 0; index < count; index++) {
        int64_t weight = weights[index], centred = 2 * before + weight - total;
        *squares += weight * weight;
        *distinct += weight > 0;
        *ranks += weight * centred * centred;
        weights[index] = (int32_t)centred;
        before += weight;
    }
}

static void sum_resample(const WeightedPoints *points, const Resample *resample, Scratch *scratch, int64_t *sums)
{
    size_t count = points->points;
    compare_with_prefixes(count, resample, scratch, sums);
    rank(scratch->code_weights, count, sums[POINTS], &sums[SQUARES_CODES], &sums[DISTINCT_CODES], &sums[RANK_CODES]);
    rank(scratch->group_weights, count, sums[POINTS], &sums[SQUARES_GROUPS], &sums[DISTINCT_GROUPS], &sums[RANK_GROUPS]);
    int64_t products = 0;
    for (size_t index = 0; index < count; index++)
        products += (int64_t)scratch->weights[index] * scratch->code_weights[resample->codes[index]] *
                    scratch->group_weights[resample->groups[index]];
    sums[RANK_PRODUCTS] = products;
}

SumsResult sum_weighted_points(const WeightedPoints *points, int64_t *sums)
{
    if (!is_valid(points))
        return SUMS_INVALID;
    size_t count = points->points;
    int32_t *memory = calloc(5 * count + 1, sizeof(int32_t));
    if (memory == NULL)
        return SUMS_OUT_OF_MEMORY;
    Scratch scratch = {memory, memory + count, memory + 2 * count, memory + 3 * count, memory + 4 * count + 1};
    SumsResult result = SUMS_DONE;
    for (size_t index = 0; index < points->resamples && result == SUMS_DONE; index++) {
        size_t start = points->varying ? index * count : 0;
        Resample resample = {
            points->codes + start,
            points->groups + start,
            points->limits + start,
            points->row_of + start,
            points->row_weights + index * points->rows,
            points->column_weights + index * points->columns,
        };
        int64_t *found = sums + index * SUM_COUNT;
        found[POINTS] = weigh(points, &resample, &scratch);
        if (found[POINTS] < 0)
            result = SUMS_TOO_LARGE;
        else
            sum_resample(points, &resample, &scratch, found);
    }
    free(memory);
    return result;
}
