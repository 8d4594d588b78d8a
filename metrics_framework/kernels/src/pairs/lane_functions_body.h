/* Defines FUNCTIONS for vectors of VECTOR_BYTES; without VECTOR_BYTES, for single numbers. TARGET is the
   attribute of each function.

   Vectors of 16-bit numbers are widened in halves: the numbers at even positions and those at odd ones. So 32-bit lanes are
   in another order than resamples; numbers leave this file in the order of resamples. */

#include <string.h>

#include "pairs/lane_functions.h"

#ifdef VECTOR_BYTES
typedef uint16_t Short __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t Long __attribute__((vector_size(VECTOR_BYTES)));
enum { HALVES = 2 };
#else
typedef uint16_t Short;
typedef uint32_t Long;
enum { HALVES = 1 };
#endif
enum { SHORTS = LANES * sizeof(uint16_t) / sizeof(Short), LONGS = HALVES * SHORTS };

enum {
    MIN_SHORT_PRODUCTS = 4, /* sums of fewer products are faster in 32 bits */
    MAX_SHORT_WEIGHT = 25,  /* of a value: four of its cubes fit into 16 bits */
    MAX_SUMMED_RANKS = 32,  /* · MAX_POINT_WEIGHT · 2 · MAX_LANE_WEIGHT < 2³¹ */
    POINTS_AHEAD = 24,      /* so much earlier is memory prefetched */
};

#ifdef __GNUC__
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) (void)(address)
#endif

typedef struct {
    Short of[SHORTS];
} ShortLanes;

typedef struct {
    Long of[LONGS];
} LongLanes;

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

TARGET static inline Short short_at(const uint16_t *lanes, int index)
{
    Short found;
    memcpy(&found, lanes + (size_t)index * LANES / SHORTS, sizeof found);
    return found;
}

TARGET static inline Long long_at(const uint32_t *lanes, int index)
{
    Long found;
    memcpy(&found, lanes + (size_t)index * LANES / LONGS, sizeof found);
    return found;
}

TARGET static inline Long half_of(Short numbers, int half)
{
#ifdef VECTOR_BYTES
    Long pairs;
    memcpy(&pairs, &numbers, sizeof pairs);
    return half == 0 ? pairs & 0xffff : pairs >> 16;
#else
    (void)half;
    return numbers;
#endif
}

/* Returns one of the LONGS vectors of LANES numbers of 16 bits. */
TARGET static inline Long widened(const uint16_t *lanes, int index)
{
    return half_of(short_at(lanes, index / HALVES), index % HALVES);
}

TARGET static inline void add_short(ShortLanes *sum, const uint16_t *lanes)
{
    for (int part = 0; part < SHORTS; part++)
        sum->of[part] += short_at(lanes, part);
}

TARGET static inline void add_long(LongLanes *sum, const uint16_t *lanes)
{
    for (int part = 0; part < LONGS; part++)
        sum->of[part] += widened(lanes, part);
}

TARGET static inline void add_long_lanes(const LongLanes *lanes, double *sums)
{
    int32_t numbers[LANES];
    memcpy(numbers, lanes, sizeof numbers);
    for (int lane = 0; lane < LANES; lane++)
        sums[lane] += numbers[lane];
}

TARGET static inline void add_short_lanes(const ShortLanes *lanes, double *sums)
{
    uint16_t numbers[LANES];
    LongLanes sum = {0};
    memcpy(numbers, lanes, sizeof numbers);
    add_long(&sum, numbers);
    add_long_lanes(&sum, sums);
}

/* Writes the resample of each 32-bit lane. */
TARGET static void find_order(uint32_t *order)
{
    uint16_t resamples[LANES];
    LongLanes found = {0};
    for (int lane = 0; lane < LANES; lane++)
        resamples[lane] = (uint16_t)lane;
    add_long(&found, resamples);
    memcpy(order, &found, LANES * sizeof *order);
}

/* Adds sums in the order of 32-bit lanes to sums in the order of resamples. */
TARGET static void add_in_order(const double *lanes, double *sums)
{
    uint32_t order[LANES];
    find_order(order);
    for (int lane = 0; lane < LANES; lane++)
        sums[order[lane]] += lanes[lane];
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

typedef struct {
    const int32_t *added; /* the keys of the points of a step */
    const ComparedPoint *compared;
    const uint16_t *weights;
    uint16_t *running;
    LongLanes before; /* the sum of the steps before that the step continues */
    double sums[LANES];
} Comparison;

TARGET static inline const uint16_t *weight_of(const Comparison *comparison, int32_t key)
{
    return comparison->weights + (size_t)key * LANES;
}

TARGET static void make_running_sums(const Comparison *comparison, int32_t count)
{
    ShortLanes sum = {0};
    uint16_t *next = comparison->running;
    memcpy(next, &sum, sizeof sum);
    for (int32_t index = 0; index < count; index++) {
        next += LANES;
        add_short(&sum, weight_of(comparison, comparison->added[index]));
        for (int part = 0; part < SHORTS; part++)
            memcpy(next + part * (LANES / SHORTS), &sum.of[part], sizeof(Short));
    }
}

/* Compares points whose products fit into 16 bits. */
TARGET static void compare_short(Comparison *comparison, int32_t first, int32_t end)
{
    ShortLanes sum = {0};
    for (int32_t index = first; index < end; index++) {
        const ComparedPoint *point = &comparison->compared[index];
        const uint16_t *weight = weight_of(comparison, point->key);
        const uint16_t *from = comparison->running + point->from * LANES, *to = comparison->running + point->to * LANES;
        for (int part = 0; part < SHORTS; part++)
            sum.of[part] += (Short)(short_at(weight, part) * (short_at(to, part) - short_at(from, part)));
    }
    add_short_lanes(&sum, comparison->sums);
}

/* The same for 32 bits. */
TARGET static void compare_long(Comparison *comparison, int32_t first, int32_t end)
{
    LongLanes sum = {0};
    for (int32_t index = first; index < end; index++) {
        const ComparedPoint *point = &comparison->compared[index];
        const uint16_t *weight = weight_of(comparison, point->key);
        const uint16_t *from = comparison->running + point->from * LANES, *to = comparison->running + point->to * LANES;
        for (int part = 0; part < LONGS; part++)
            sum.of[part] += widened(weight, part) * (widened(to, part) - widened(from, part));
    }
    add_long_lanes(&sum, comparison->sums);
}

/* Compares the points of a step with those of the steps before. Sums of the weights of `most` points fit into 16 bits. */
TARGET static void compare_with_before(Comparison *comparison, int32_t count, int32_t most)
{
    double sums[LANES] = {0};
    int32_t before[LANES];
    memcpy(before, &comparison->before, sizeof before);
    for (int32_t index = 0, end; index < count;) {
        ShortLanes sum = {0};
        for (end = count - index > most ? index + most : count; index < end; index++)
            add_short(&sum, weight_of(comparison, comparison->compared[index].key));
        add_short_lanes(&sum, sums);
    }
    for (int lane = 0; lane < LANES; lane++)
        comparison->sums[lane] += sums[lane] * before[lane];
}

TARGET static void run_step(Comparison *comparison, const Step *step, uint32_t largest)
{
    uint32_t product = (uint32_t)step->longest * largest * largest;
    bool is_short = product <= UINT16_MAX / MIN_SHORT_PRODUCTS;
    int32_t most = (int32_t)((is_short ? UINT16_MAX : INT32_MAX) / product);
    make_running_sums(comparison, step->added);
    for (int32_t first = 0; first < step->compared;) {
        int32_t end = step->compared - first > most ? first + most : step->compared;
        (is_short ? compare_short : compare_long)(comparison, first, end);
        first = end;
    }
    if (step->is_continued)
        compare_with_before(comparison, step->compared, (int32_t)(UINT16_MAX / largest));
    else
        comparison->before = (LongLanes){0};
    add_long(&comparison->before, comparison->running + step->added * LANES);
}

TARGET static void compare(const LanePlan *plan, const LaneWeights *weights, uint16_t *running, double *sums)
{
    Comparison comparison = {
        .added = plan->added.data, .compared = plan->compared.data, .weights = weights->of, .running = running};
    const Step *steps = plan->steps.data;
    for (size_t index = 0; index < plan->step_count; index++) {
        run_step(&comparison, &steps[index], weights->largest);
        comparison.added += steps[index].added;
        comparison.compared += steps[index].compared;
    }
    add_in_order(comparison.sums, sums);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Starts to load the weights of a point that is soon needed: neighbours in the order of values are often far apart. */
TARGET static inline void prefetch_weights(const SortedKeys *points, size_t point, const LaneWeights *weights)
{
    if (point + POINTS_AHEAD < points->count)
        PREFETCH(weights->of + (size_t)points->keys[point + POINTS_AHEAD] * LANES);
}

/* Adds the weights of the points from `first` to `end`. */
TARGET static inline LongLanes sum_weights(const SortedKeys *points, size_t first, size_t end, const LaneWeights *weights)
{
    LongLanes sum = {0};
    for (size_t point = first; point < end; point++)
        add_long(&sum, weights->of + (size_t)points->keys[point] * LANES);
    return sum;
}

/* Sums over values of small weight. */
typedef struct {
    ShortLanes distinct, squares, cubes;
    uint32_t space; /* by which a sum of cubes may still grow */
} ShortSums;

TARGET static void add_short_sums(ShortSums *small, ValueSums *sums)
{
    add_short_lanes(&small->distinct, sums->distinct);
    add_short_lanes(&small->squares, sums->squares);
    add_short_lanes(&small->cubes, sums->cubes);
    *small = (ShortSums){.space = UINT16_MAX};
}

/* Adds a value of the points from `first` to `end`, which weigh at most `most`. */
TARGET static inline void add_short_value(
    ShortSums *small, const SortedKeys *points, size_t first, size_t end, uint32_t most, const LaneWeights *weights,
    ValueSums *sums)
{
    ShortLanes weight = {0};
    uint32_t cube = most * most * most;
    if (cube > small->space)
        add_short_sums(small, sums);
    small->space -= cube;
    for (size_t point = first; point < end; point++)
        add_short(&weight, weights->of + (size_t)points->keys[point] * LANES);
    for (int part = 0; part < SHORTS; part++) {
        Short one = weight.of[part], square = (Short)(one * one);
        small->distinct.of[part] += (Short)((Short)(one > 0) & 1);
        small->squares.of[part] += square;
        small->cubes.of[part] += (Short)(square * one);
    }
}

TARGET static inline void add_value(const LongLanes *weight, LongLanes *distinct, ValueSums *sums)
{
    int32_t numbers[LANES];
    memcpy(numbers, weight, sizeof numbers);
    for (int part = 0; part < LONGS; part++)
        distinct->of[part] += (Long)(weight->of[part] > 0) & 1;
    for (int lane = 0; lane < LANES; lane++) {
        double one = numbers[lane], square = one * one;
        sums->squares[lane] += square;
        sums->cubes[lane] += square * one;
    }
}

TARGET static void sum_values(const SortedKeys *points, const LaneWeights *weights, ValueSums *sums)
{
    ValueSums found = {{0}, {0}, {0}};
    ShortSums small = {.space = UINT16_MAX};
    LongLanes distinct = {0};
    for (size_t value = 0, first = 0, end; value < points->values; value++, first = end) {
        end = (size_t)points->ends[value];
        prefetch_weights(points, first, weights);
        size_t most = (end - first) * weights->largest;
        if (most <= MAX_SHORT_WEIGHT) {
            add_short_value(&small, points, first, end, (uint32_t)most, weights, &found);
            continue;
        }
        LongLanes weight = sum_weights(points, first, end, weights);
        add_value(&weight, &distinct, &found);
    }
    add_short_sums(&small, &found);
    add_long_lanes(&distinct, found.distinct);
    memset(sums, 0, sizeof *sums);
    add_in_order(found.distinct, sums->distinct);
    add_in_order(found.squares, sums->squares);
    add_in_order(found.cubes, sums->cubes);
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

/* Returns the rank of a value; `twice_before` is twice the weight of smaller values. */
TARGET static inline LongLanes next_rank(LongLanes weight, LongLanes *twice_before)
{
    LongLanes rank;
    for (int part = 0; part < LONGS; part++) {
        rank.of[part] = twice_before->of[part] + weight.of[part];
        twice_before->of[part] = rank.of[part] + weight.of[part];
    }
    return rank;
}

TARGET static void rank(const SortedKeys *points, const LaneWeights *weights, uint32_t *ranks)
{
    LongLanes twice_before = {0};
    for (size_t value = 0, first = 0, end; value < points->values; value++, first = end) {
        end = (size_t)points->ends[value];
        LongLanes found = next_rank(sum_weights(points, first, end, weights), &twice_before);
        memcpy(ranks + value * LANES, &found, sizeof found);
    }
}

/* Adds the ranks of the codes of the points from `first` to `end`, each times its weight. */
TARGET static inline LongLanes sum_ranks(
    const SortedKeys *points, size_t first, size_t end, const int32_t *codes, const LaneWeights *weights,
    const uint32_t *ranks)
{
    LongLanes sum = {0};
    for (size_t point = first; point < end; point++) {
        const uint16_t *weight = weights->of + (size_t)points->keys[point] * LANES;
        const uint32_t *rank = ranks + (size_t)codes[point] * LANES;
        for (int part = 0; part < LONGS; part++)
            sum.of[part] += widened(weight, part) * long_at(rank, part);
    }
    return sum;
}

TARGET static inline void prefetch_ranks(const SortedKeys *points, size_t point, const int32_t *codes, const uint32_t *ranks)
{
    if (point + POINTS_AHEAD >= points->count)
        return;
    const uint32_t *found = ranks + (size_t)codes[point + POINTS_AHEAD] * LANES;
    PREFETCH(found);
    PREFETCH(found + LANES / 2); /* the other of two cache lines */
}

TARGET static void multiply(
    const SortedKeys *points, const int32_t *codes, const LaneWeights *weights, const uint32_t *ranks, double *sums)
{
    LongLanes twice_before = {0};
    int32_t of_codes[LANES], of_value[LANES]; /* both are below 2³¹ */
    double found[LANES] = {0};
    for (size_t value = 0, first = 0, end; value < points->values; value++) {
        end = (size_t)points->ends[value];
        LongLanes rank = next_rank(sum_weights(points, first, end, weights), &twice_before);
        memcpy(of_value, &rank, sizeof of_value);
        for (size_t next; first < end; first = next) {
            next = end - first < MAX_SUMMED_RANKS ? end : first + MAX_SUMMED_RANKS;
            prefetch_weights(points, first, weights);
            prefetch_ranks(points, first, codes, ranks);
            LongLanes sum = sum_ranks(points, first, next, codes, weights, ranks);
            memcpy(of_codes, &sum, sizeof of_codes);
            for (int lane = 0; lane < LANES; lane++)
                found[lane] += (double)of_codes[lane] * of_value[lane];
        }
    }
    add_in_order(found, sums);
}

const LaneFunctions FUNCTIONS = {compare, sum_values, rank, multiply};
