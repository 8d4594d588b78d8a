/* Compares the sums over pairs of weighted points with a direct transcription of their definition on random points, some
   of them invalid, also when memory runs out.

   points SEED GROUPS: prints the number of resamples that were compared. Built by `run` with sanitizers, without Python. */

#include "chance.h"
#include "pairs/weighted_points.h"

#include <stdio.h>
#include <string.h>

enum { MOST_POINTS = 40, MOST_RESAMPLES = 70, MOST_SIDES = 5 };

typedef struct {
    int32_t codes[MOST_RESAMPLES * MOST_POINTS], groups[MOST_RESAMPLES * MOST_POINTS];
    int32_t limits[MOST_RESAMPLES * MOST_POINTS], row_of[MOST_RESAMPLES * MOST_POINTS];
    int32_t column_of[MOST_POINTS], rows[MOST_RESAMPLES * MOST_SIDES], columns[MOST_RESAMPLES * MOST_SIDES];
    WeightedPoints points;
    bool valid;
} Case;

/* A number below a bound; rarely one that is not below the end. */
static int32_t index_below(Case *made, size_t bound, size_t end)
{
    if (chance(4000) == 0) {
        made->valid = false;
        return chance(2) ? -1 - (int32_t)chance(9) : (int32_t)(end + chance(9));
    }
    return (int32_t)chance((uint32_t)bound);
}

static void make_set(Case *made, size_t start, size_t values)
{
    size_t count = made->points.points;
    int32_t group = 0, limit = 0;
    for (size_t index = 0; index < count; index++) {
        made->codes[start + index] = index_below(made, values, count);
        group += group + 1 < (int32_t)count && chance(3) == 0;
        made->groups[start + index] = group;
        limit += limit < (int32_t)index ? (int32_t)chance((uint32_t)(index - (size_t)limit) + 1) : 0;
        made->limits[start + index] = limit;
        if (chance(4000) == 0) {
            made->limits[start + index] = (int32_t)index + 1;
            made->valid = false;
        }
        if (index > 0 && made->groups[start + index - 1] > 0 && chance(4000) == 0) {
            made->groups[start + index] = made->groups[start + index - 1] - 1;
            made->valid = false;
        }
        made->row_of[start + index] = index_below(made, made->points.rows, made->points.rows);
    }
}

/* Makes weights; in a third of the cases all are 1. */
static void make_weights(int32_t *weights, size_t count, int32_t heaviest)
{
    bool ones = chance(3) == 0;
    for (size_t index = 0; index < count; index++)
        weights[index] = ones ? 1 : (int32_t)chance((uint32_t)heaviest);
}

static void make_case(Case *made)
{
    static const int32_t HEAVIEST[] = {2, 4, 8, 16};
    made->valid = true;
    made->points = (WeightedPoints){
        .points = chance(MOST_POINTS + 1), .resamples = 1 + chance(chance(4) ? 4 : MOST_RESAMPLES), .wanted = chance(WANT_ALL + 1),
        .rows = 1 + chance(MOST_SIDES), .columns = 1 + chance(MOST_SIDES), .varying = chance(3) == 0, .codes = made->codes, .groups = made->groups,
        .limits = made->limits, .row_of = made->row_of, .column_of = made->column_of, .row_weights = made->rows,
        .column_weights = made->columns,
    };
    size_t count = made->points.points, values = count == 0 ? 1 : 1 + chance((uint32_t)count);
    for (size_t set = 0; set < (made->points.varying ? made->points.resamples : 1); set++)
        make_set(made, set * count, values);
    for (size_t index = 0; index < count; index++)
        made->column_of[index] = index_below(made, made->points.columns, made->points.columns);
    int32_t heaviest = chance(50) == 0 ? 1 << 10 : HEAVIEST[chance(4)];
    make_weights(made->rows, made->points.resamples * made->points.rows, heaviest);
    make_weights(made->columns, made->points.resamples * made->points.columns, heaviest);
}

/* Twice the centred mid-rank of a value: the weight of smaller values minus that of greater ones. */
static int64_t rank_of(const int32_t *values, const int64_t *weights, size_t count, int32_t value)
{
    int64_t rank = 0;
    for (size_t index = 0; index < count; index++)
        rank += weights[index] * ((values[index] < value) - (values[index] > value));
    return rank;
}

static void add_values(
    const int32_t *values, const int64_t *weights, size_t count, int64_t *squares, int64_t *distinct, int64_t *ranks)
{
    for (int32_t value = 0; value < (int32_t)count; value++) {
        int64_t weight = 0, rank = rank_of(values, weights, count, value);
        for (size_t index = 0; index < count; index++)
            weight += values[index] == value ? weights[index] : 0;
        *squares += weight * weight;
        *distinct += weight > 0;
        *ranks += weight * rank * rank;
    }
}

static void clear_unwanted(unsigned wanted, int64_t *sums)
{
    static const unsigned WANTED[SUM_COUNT] = {
        [LESS] = WANT_PAIRS, [EQUAL] = WANT_PAIRS, [GREATER] = WANT_PAIRS, [SQUARES_CODES] = WANT_PAIRS,
        [DISTINCT_CODES] = WANT_DISTINCT, [DISTINCT_GROUPS] = WANT_DISTINCT,
        [RANK_PRODUCTS] = WANT_RANKS, [RANK_CODES] = WANT_RANKS, [RANK_GROUPS] = WANT_RANKS,
    };
    for (int sum = 0; sum < SUM_COUNT; sum++)
        if ((WANTED[sum] & wanted) != WANTED[sum])
            sums[sum] = 0;
}

/* Returns false if the weights are too large. */
static bool sum_plainly(const Case *made, size_t resample, int64_t *sums)
{
    const WeightedPoints *points = &made->points;
    size_t count = points->points, start = points->varying ? resample * count : 0;
    const int32_t *codes = made->codes + start, *groups = made->groups + start;
    int64_t weights[MOST_POINTS];
    memset(sums, 0, SUM_COUNT * sizeof(int64_t));
    for (size_t index = 0; index < count; index++) {
        weights[index] = (int64_t)made->rows[resample * points->rows + (size_t)made->row_of[start + index]] *
                         made->columns[resample * points->columns + (size_t)made->column_of[index]];
        sums[POINTS] += weights[index];
    }
    if (sums[POINTS] > LARGEST_WEIGHT)
        return false;
    int64_t squares_groups = 0;
    for (size_t index = 0; index < count; index++) {
        for (int32_t other = 0; other < made->limits[start + index]; other++) {
            int64_t product = weights[index] * weights[other];
            sums[codes[other] < codes[index] ? LESS : codes[other] == codes[index] ? EQUAL : GREATER] += product;
        }
        sums[RANK_PRODUCTS] += weights[index] * rank_of(codes, weights, count, codes[index]) *
                               rank_of(groups, weights, count, groups[index]);
    }
    add_values(codes, weights, count, &sums[SQUARES_CODES], &sums[DISTINCT_CODES], &sums[RANK_CODES]);
    add_values(groups, weights, count, &squares_groups, &sums[DISTINCT_GROUPS], &sums[RANK_GROUPS]);
    clear_unwanted(points->wanted, sums);
    return true;
}

static void fail(const char *what, long number)
{
    printf("case %ld: %s\n", number, what);
    exit(1);
}

static long check(const Case *made, long number)
{
    static int64_t found[MOST_RESAMPLES * SUM_COUNT];
    SumsResult result = sum_weighted_points(&made->points, found);
    if (!made->valid) {
        if (result != SUMS_INVALID)
            fail("invalid points were accepted", number);
        return 0;
    }
    for (size_t resample = 0; resample < made->points.resamples; resample++) {
        int64_t expected[SUM_COUNT];
        if (!sum_plainly(made, resample, expected)) {
            if (result != SUMS_TOO_LARGE)
                fail("large weights were accepted", number);
            return (long)resample;
        }
        if (memcmp(expected, found + resample * SUM_COUNT, sizeof expected) != 0)
            fail("the sums differ from their definition", number);
    }
    if (result != SUMS_DONE)
        fail("valid points were refused", number);
    return (long)made->points.resamples;
}

/* Runs with allocations that fail: the first one, or one of the others. */
static void starve(const Case *made, long number)
{
    static int64_t sums[MOST_RESAMPLES * SUM_COUNT];
    allocations_left = 0;
    SumsResult result = sum_weighted_points(&made->points, sums);
    allocations_left = -1;
    if (result != (made->valid ? SUMS_OUT_OF_MEMORY : SUMS_INVALID))
        fail("a failed allocation was not reported", number);
    SumsResult expected = sum_weighted_points(&made->points, sums);
    allocations_left = 1 + (long)chance(9);
    result = sum_weighted_points(&made->points, sums);
    allocations_left = -1;
    if (result != expected && result != SUMS_OUT_OF_MEMORY)
        fail("the result differs after a failed allocation", number);
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, resamples = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    for (long number = 0; number < groups; number++) {
        static Case made;
        make_case(&made);
        resamples += check(&made, number);
        starve(&made, number);
    }
    printf("%ld groups, %ld resamples: equal to the definition\n", groups, resamples);
    return 0;
}
