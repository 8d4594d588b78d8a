/* Functions on the weights of points in LANES resamples. */

#ifndef FW_PAIRS_LANE_FUNCTIONS_H
#define FW_PAIRS_LANE_FUNCTIONS_H

#include "base/vectors.h"
#include "pairs/lane_plan.h"
#include "pairs/lanes.h"

/* The weights of a key: LANES numbers at index LANES · key; they should start at a cache line. */
typedef struct {
    const uint16_t *of;
    uint32_t largest; /* at least 1 */
} LaneWeights;

/* Points in ascending order of a value. */
typedef struct {
    const int32_t *keys;
    size_t count;
    const int32_t *ends; /* the end of the points of each value */
    size_t values;
} SortedKeys;

/* Sums over values of their weights. */
typedef struct {
    double distinct[LANES]; /* the number of values of positive weight */
    double squares[LANES];
    double cubes[LANES];
} ValueSums;

enum { RUNNING_SUMS = MAX_STEP_POINTS + 1 };

typedef struct {
    /* Adds up the pairs of a plan. `running` has space for LANES · RUNNING_SUMS numbers. */
    void (*compare)(const LanePlan *plan, const LaneWeights *weights, uint16_t *running, double *sums);
    void (*sum_values)(const SortedKeys *points, const LaneWeights *weights, ValueSums *sums);
    /* Writes the rank of each value, as LANES numbers: twice the weight of smaller values, plus its own weight. */
    void (*rank)(const SortedKeys *points, const LaneWeights *weights, uint32_t *ranks);
    /* Adds up the products of a rank and of the rank of the value of each point. */
    void (*multiply)(
        const SortedKeys *points, const int32_t *codes, const LaneWeights *weights, const uint32_t *ranks, double *sums);
} LaneFunctions;

#ifdef FW_AVX2
extern const LaneFunctions lane_functions_avx2;
#endif

/* Returns the fastest functions for this CPU. */
const LaneFunctions *lane_functions(void);

#endif
