#include "pairs/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "pairs/lane_functions.h"
#include "pairs/one_resample.h"

enum { CACHE_LINE = LANES * sizeof(uint16_t), KEYS_AT_ONCE = 64 };

/* What the weights of points are looked up by. Resamples of columns have few different weights, and so have resamples of
   rows; otherwise each point has its own. */
typedef enum { BY_COLUMN, BY_ROW, BY_POINT } Lookup;

typedef struct {
    const WeightedPoints *points;
    const LaneFunctions *functions;
    Lookup lookup;
    int32_t *numbers;     /* the memory of the numbers of points */
    const int32_t *order; /* the points in the order of their codes */
    const int32_t *keys;  /* the index of the weights of each point */
    int32_t *counts;      /* the number of points of each key */
    size_t key_count;
    SortedKeys by_code, by_group;
    LanePlan plans[PAIR_PLANS];
    void *lines; /* the memory of weights, running sums and ranks: LANES numbers after each other */
    uint16_t *row_weights, *column_weights, *point_weights;
    LaneWeights weights; /* by key: one of these */
    uint16_t *running;
    uint32_t *ranks; /* of codes */
} Lanes;

static int32_t largest_of(const int32_t *values, size_t count)
{
    int32_t largest = 0;
    for (size_t index = 0; index < count; index++)
        largest = values[index] > largest ? values[index] : largest;
    return largest;
}

static bool are_ones(const int32_t *values, size_t count)
{
    int32_t differences = 0;
    for (size_t index = 0; index < count; index++)
        differences |= values[index] ^ 1;
    return differences == 0;
}

bool fits_lanes(const WeightedPoints *points, int64_t largest)
{
    return !points->varying && points->points > 0 && points->points <= MAX_LANE_POINTS &&
           points->resamples >= MIN_LANE_RESAMPLES && largest <= MAX_POINT_WEIGHT;
}

/* ---- what is the same in all resamples --------------------------------------------------------------------------- */

/* Sorts the keys of points by their values; `memory` has space for two numbers a point. */
static SortedKeys sort_keys(const int32_t *keys, const int32_t *values, size_t count, int32_t *memory)
{
    int32_t *sorted = memory, *ends = memory + count, start = 0;
    size_t value_count = (size_t)largest_of(values, count) + 1;
    for (size_t index = 0; index < count; index++)
        ends[values[index]]++;
    for (size_t value = 0; value < value_count; value++) {
        start += ends[value];
        ends[value] = start - ends[value];
    }
    for (size_t index = 0; index < count; index++)
        sorted[ends[values[index]]++] = keys[index];
    return (SortedKeys){sorted, count, ends, value_count};
}

static Lookup find_lookup(const WeightedPoints *points)
{
    if (are_ones(points->row_weights, points->resamples * points->rows))
        return BY_COLUMN;
    return are_ones(points->column_weights, points->resamples * points->columns) ? BY_ROW : BY_POINT;
}

/* Numbers the weights, and sorts the points. Weights of single points are in the order of codes, since most steps have points of
   similar codes. Returns false if out of memory. */
static bool number_points(Lanes *lanes)
{
    const WeightedPoints *points = lanes->points;
    size_t count = points->points;
    lanes->key_count = lanes->lookup == BY_COLUMN ? points->columns : lanes->lookup == BY_ROW ? points->rows : count;
    int32_t *numbers = lanes->numbers = calloc(7 * count + lanes->key_count, sizeof(int32_t));
    if (numbers == NULL)
        return false;
    for (size_t index = 0; index < count; index++)
        numbers[index] = (int32_t)index;
    lanes->order = sort_keys(numbers, points->codes, count, numbers + count).keys;
    for (size_t index = 0; index < count; index++)
        numbers[lanes->order[index]] = (int32_t)index;
    lanes->keys = lanes->lookup == BY_COLUMN ? points->column_of : lanes->lookup == BY_ROW ? points->row_of : numbers;
    lanes->by_code = sort_keys(lanes->keys, points->codes, count, numbers + 3 * count);
    lanes->by_group = sort_keys(lanes->keys, points->groups, count, numbers + 5 * count);
    lanes->counts = numbers + 7 * count;
    for (size_t index = 0; index < count; index++)
        lanes->counts[lanes->keys[index]]++;
    return true;
}

/* Returns false if out of memory. */
static bool make_tables(Lanes *lanes)
{
    const WeightedPoints *points = lanes->points;
    size_t of_points = lanes->lookup == BY_POINT ? points->points : 0;
    size_t of_codes = points->wanted & WANT_RANKS ? lanes->by_code.values : 0;
    size_t lines = points->rows + points->columns + of_points + RUNNING_SUMS + 2 * of_codes;
    lanes->lines = calloc(lines + 1, CACHE_LINE);
    if (lanes->lines == NULL)
        return false;
    size_t unaligned = (CACHE_LINE - (uintptr_t)lanes->lines % CACHE_LINE) % CACHE_LINE;
    lanes->row_weights = (uint16_t *)lanes->lines + unaligned / sizeof(uint16_t);
    lanes->column_weights = lanes->row_weights + points->rows * LANES;
    lanes->point_weights = lanes->column_weights + points->columns * LANES;
    lanes->running = lanes->point_weights + of_points * LANES;
    lanes->ranks = (uint32_t *)(lanes->running + RUNNING_SUMS * LANES);
    uint16_t *const weights[] = {
        [BY_COLUMN] = lanes->column_weights, [BY_ROW] = lanes->row_weights, [BY_POINT] = lanes->point_weights};
    lanes->weights.of = weights[lanes->lookup];
    return true;
}

/* Returns false if out of memory. */
static bool prepare(Lanes *lanes)
{
    const WeightedPoints *points = lanes->points;
    lanes->lookup = find_lookup(points);
    return number_points(lanes) && make_tables(lanes) &&
           (!(points->wanted & WANT_PAIRS) ||
            lane_plans_make(lanes->plans, points->codes, points->limits, lanes->keys, points->points));
}

/* ---- LANES resamples --------------------------------------------------------------------------------------------- */

/* Writes the weights of some resamples as lanes; other lanes are 0. */
static void fill(uint16_t *lanes, const int32_t *weights, size_t keys, size_t resamples)
{
    memset(lanes, 0, keys * LANES * sizeof *lanes);
    for (size_t first = 0; first < keys; first += KEYS_AT_ONCE) {
        size_t end = keys - first < KEYS_AT_ONCE ? keys : first + KEYS_AT_ONCE;
        for (size_t lane = 0; lane < resamples; lane++)
            for (size_t key = first; key < end; key++)
                lanes[key * LANES + lane] = (uint16_t)weights[lane * keys + key];
    }
}

static void fill_weights(Lanes *lanes, size_t first, size_t count)
{
    const WeightedPoints *points = lanes->points;
    fill(lanes->row_weights, points->row_weights + first * points->rows, points->rows, count);
    fill(lanes->column_weights, points->column_weights + first * points->columns, points->columns, count);
    if (lanes->lookup != BY_POINT)
        return;
    for (size_t key = 0; key < points->points; key++) {
        const uint16_t *row = lanes->row_weights + (size_t)points->row_of[lanes->order[key]] * LANES;
        const uint16_t *column = lanes->column_weights + (size_t)points->column_of[lanes->order[key]] * LANES;
        for (int lane = 0; lane < LANES; lane++)
            lanes->point_weights[key * LANES + (size_t)lane] = (uint16_t)(row[lane] * column[lane]);
    }
}

/* Adds up the weights of all points. Returns whether they are small enough for lanes. */
static bool weigh(const Lanes *lanes, uint32_t *totals)
{
    uint32_t largest = 0;
    memset(totals, 0, LANES * sizeof *totals);
    for (size_t key = 0; key < lanes->key_count; key++)
        for (size_t lane = 0; lane < LANES; lane++)
            totals[lane] += (uint32_t)lanes->counts[key] * lanes->weights.of[key * LANES + lane];
    for (int lane = 0; lane < LANES; lane++)
        largest = totals[lane] > largest ? totals[lane] : largest;
    return largest <= MAX_LANE_WEIGHT;
}

static void sum_pairs(const Lanes *lanes, size_t count, int64_t *sums)
{
    double found[PAIR_PLANS][LANES] = {{0}};
    for (int pairs = 0; pairs < PAIR_PLANS; pairs++)
        lanes->functions->compare(&lanes->plans[pairs], &lanes->weights, lanes->running, found[pairs]);
    for (size_t lane = 0; lane < count; lane++) {
        int64_t *of = sums + lane * SUM_COUNT;
        of[LESS] = (int64_t)found[LESS_PAIRS][lane];
        of[EQUAL] = (int64_t)found[EQUAL_PAIRS][lane];
        of[GREATER] = (int64_t)found[ALL_PAIRS][lane] - of[LESS] - of[EQUAL];
    }
}

/* With n = Σ weight, the squares of centred, doubled ranks add up to (n³ − Σ weight³) / 3 over the weights of values. Ranks
   that are multiplied are not centred; their mean is n. */
static void sum_ranks(
    const Lanes *lanes, const ValueSums *of_codes, const ValueSums *of_groups, size_t count, int64_t *sums)
{
    double products[LANES] = {0};
    lanes->functions->rank(&lanes->by_code, &lanes->weights, lanes->ranks);
    lanes->functions->multiply(&lanes->by_group, lanes->points->codes, &lanes->weights, lanes->ranks, products);
    for (size_t lane = 0; lane < count; lane++) {
        int64_t *of = sums + lane * SUM_COUNT, cube = of[POINTS] * of[POINTS] * of[POINTS];
        of[RANK_PRODUCTS] = (int64_t)products[lane] - cube;
        of[RANK_CODES] = (cube - (int64_t)of_codes->cubes[lane]) / 3;
        of[RANK_GROUPS] = (cube - (int64_t)of_groups->cubes[lane]) / 3;
    }
}

static void sum_lanes(const Lanes *lanes, const uint32_t *totals, size_t count, int64_t *sums)
{
    unsigned wanted = lanes->points->wanted;
    ValueSums of_codes, of_groups;
    memset(sums, 0, count * SUM_COUNT * sizeof *sums);
    lanes->functions->sum_values(&lanes->by_code, &lanes->weights, &of_codes);
    if (wanted & (WANT_DISTINCT | WANT_RANKS))
        lanes->functions->sum_values(&lanes->by_group, &lanes->weights, &of_groups);
    for (size_t lane = 0; lane < count; lane++) {
        int64_t *of = sums + lane * SUM_COUNT;
        of[POINTS] = totals[lane];
        of[SQUARES_CODES] = wanted & WANT_PAIRS ? (int64_t)of_codes.squares[lane] : 0;
        of[DISTINCT_CODES] = wanted & WANT_DISTINCT ? (int64_t)of_codes.distinct[lane] : 0;
        of[DISTINCT_GROUPS] = wanted & WANT_DISTINCT ? (int64_t)of_groups.distinct[lane] : 0;
    }
    if (wanted & WANT_PAIRS)
        sum_pairs(lanes, count, sums);
    if (wanted & WANT_RANKS)
        sum_ranks(lanes, &of_codes, &of_groups, count, sums);
}

SumsResult sum_in_lanes(const WeightedPoints *points, uint32_t largest, int64_t *sums)
{
    Lanes lanes = {.points = points, .functions = lane_functions(), .weights = {NULL, largest > 0 ? largest : 1}};
    SumsResult result = prepare(&lanes) ? SUMS_DONE : SUMS_OUT_OF_MEMORY;
    for (size_t first = 0; first < points->resamples && result == SUMS_DONE; first += LANES) {
        size_t count = points->resamples - first < LANES ? points->resamples - first : LANES;
        int64_t *found = sums + first * SUM_COUNT;
        uint32_t totals[LANES];
        fill_weights(&lanes, first, count);
        if (weigh(&lanes, totals))
            sum_lanes(&lanes, totals, count, found);
        else
            result = sum_one_by_one(points, first, count, found);
    }
    lane_plans_free(lanes.plans);
    free(lanes.lines);
    free(lanes.numbers);
    return result;
}
