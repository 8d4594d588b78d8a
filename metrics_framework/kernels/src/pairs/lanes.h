/* Sums over pairs of weighted points for LANES resamples at once: small whole numbers, a lane of a vector for each resample. */

#ifndef FW_PAIRS_LANES_H
#define FW_PAIRS_LANES_H

#include "pairs/weighted_points.h"

enum {
    LANES = 32,
    MIN_LANE_RESAMPLES = 12,   /* fewer are faster one by one */
    MAX_LANE_POINTS = 1 << 18, /* limits the memory of a plan */
    MAX_POINT_WEIGHT = 255,
};

/* The largest sum of weights: with it, sums of products of ranks are exact in a double. FW_SMALL_TABLES lets tests cover
   larger ones. */
#ifdef FW_SMALL_TABLES
enum { MAX_LANE_WEIGHT = 1 << 8 };
#else
enum { MAX_LANE_WEIGHT = 1 << 17 };
#endif

/* Returns whether `sum_in_lanes` accepts the points, which must be valid; no point has a larger weight than `largest`. */
bool fits_lanes(const WeightedPoints *points, int64_t largest);

/* Writes SUM_COUNT numbers for each resample. */
SumsResult sum_in_lanes(const WeightedPoints *points, uint32_t largest, int64_t *sums);

#endif
