#include "pairs/one_resample.h"

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

/* Adds up what follows from the weights of codes and groups. */
static void sum_values(const WeightedPoints *points, const Resample *resample, Scratch *scratch, int64_t *sums)
{
    size_t count = points->points;
    int64_t squares_codes, squares_groups, distinct_codes, distinct_groups, ranks_codes, ranks_groups, products = 0;
    rank(scratch->code_weights, count, sums[POINTS], &squares_codes, &distinct_codes, &ranks_codes);
    rank(scratch->group_weights, count, sums[POINTS], &squares_groups, &distinct_groups, &ranks_groups);
    if (points->wanted & WANT_PAIRS)
        sums[SQUARES_CODES] = squares_codes;
    if (points->wanted & WANT_DISTINCT) {
        sums[DISTINCT_CODES] = distinct_codes;
        sums[DISTINCT_GROUPS] = distinct_groups;
    }
    if (!(points->wanted & WANT_RANKS))
        return;
    for (size_t index = 0; index < count; index++)
        products += (int64_t)scratch->weights[index] * scratch->code_weights[resample->codes[index]] *
                    scratch->group_weights[resample->groups[index]];
    sums[RANK_PRODUCTS] = products;
    sums[RANK_CODES] = ranks_codes;
    sums[RANK_GROUPS] = ranks_groups;
}

SumsResult sum_one_by_one(const WeightedPoints *points, size_t first, size_t count, int64_t *sums)
{
    size_t size = points->points;
    int32_t *memory = calloc(5 * size + 1, sizeof(int32_t));
    if (memory == NULL)
        return SUMS_OUT_OF_MEMORY;
    Scratch scratch = {memory, memory + size, memory + 2 * size, memory + 3 * size, memory + 4 * size + 1};
    SumsResult result = SUMS_DONE;
    for (size_t index = first; index < first + count && result == SUMS_DONE; index++) {
        size_t start = points->varying ? index * size : 0;
        Resample resample = {
            points->codes + start,
            points->groups + start,
            points->limits + start,
            points->row_of + start,
            points->row_weights + index * points->rows,
            points->column_weights + index * points->columns,
        };
        int64_t *found = sums + (index - first) * SUM_COUNT;
        memset(found, 0, SUM_COUNT * sizeof *found);
        found[POINTS] = weigh(points, &resample, &scratch);
        if (found[POINTS] < 0)
            result = SUMS_TOO_LARGE;
        else if (points->wanted & WANT_PAIRS)
            compare_with_prefixes(size, &resample, &scratch, found);
        if (result == SUMS_DONE)
            sum_values(points, &resample, &scratch, found);
    }
    free(memory);
    return result;
}
