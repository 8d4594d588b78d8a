#include "pairs/weighted_points.h"

#include "pairs/lanes.h"
#include "pairs/one_resample.h"

static bool are_indices(const int32_t *values, size_t count, size_t end)
{
    for (size_t index = 0; index < count; index++)
        if (values[index] < 0 || (size_t)values[index] >= end)
            return false;
    return true;
}

static bool are_ascending(const int32_t *values, size_t count)
{
    for (size_t index = 1; index < count; index++)
        if (values[index] < values[index - 1])
            return false;
    return true;
}

/* Returns whether prefixes grow, and end before their point. */
static bool are_limits(const int32_t *limits, size_t count)
{
    for (size_t index = 0; index < count; index++)
        if (limits[index] < 0 || (size_t)limits[index] > index)
            return false;
    return are_ascending(limits, count);
}

static bool is_valid(const WeightedPoints *points)
{
    size_t count = points->points, sets = points->varying ? points->resamples : 1;
    for (size_t set = 0; set < sets; set++)
        if (!are_limits(points->limits + set * count, count) || !are_ascending(points->groups + set * count, count))
            return false;
    return are_indices(points->codes, sets * count, count) && are_indices(points->groups, sets * count, count) &&
           are_indices(points->row_of, sets * count, points->rows) &&
           are_indices(points->column_of, count, points->columns);
}

/* Returns a number that is negative if one of the weights is, and else at least as large as all of them. */
static int32_t bound_of(const int32_t *weights, size_t count)
{
    int32_t bits = 0;
    for (size_t index = 0; index < count; index++)
        bits |= weights[index];
    return bits;
}

SumsResult sum_weighted_points(const WeightedPoints *points, int64_t *sums)
{
    int64_t row_bound = bound_of(points->row_weights, points->resamples * points->rows);
    int64_t column_bound = bound_of(points->column_weights, points->resamples * points->columns);
    if (!is_valid(points) || row_bound < 0 || column_bound < 0)
        return SUMS_INVALID;
    if (fits_lanes(points, row_bound * column_bound))
        return sum_in_lanes(points, (uint32_t)(row_bound * column_bound), sums);
    return sum_one_by_one(points, 0, points->resamples, sums);
}
