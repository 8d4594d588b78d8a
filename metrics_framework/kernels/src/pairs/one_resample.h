/* Sums over pairs of weighted points, one resample after the other: for all weights that are not too large. */

#ifndef FW_PAIRS_ONE_RESAMPLE_H
#define FW_PAIRS_ONE_RESAMPLE_H

#include "pairs/weighted_points.h"

/* Sums `count` resamples from `first` on; writes SUM_COUNT numbers for each. The points must be valid. */
SumsResult sum_one_by_one(const WeightedPoints *points, size_t first, size_t count, int64_t *sums);

#endif
