/* The points that each point is compared with, as ranges of points in a row. They are the same in every resample, and the
   weight of a range is a difference of two running sums.

   Codes are split by their highest bit, each half by the next bit, and so on. In a block of points that agree in all
   higher bits, each point with bit 1 is compared with the points of its prefix with bit 0: their codes are less. In the
   order of the prefixes, these are the first ones of all points with bit 0. A pair of different codes is in one block.
   Pairs of equal codes remain at the end. */

#ifndef FW_PAIRS_LANE_PLAN_H
#define FW_PAIRS_LANE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* FW_SMALL_TABLES lets tests cover running sums of several steps. */
#ifdef FW_SMALL_TABLES
enum { MAX_STEP_POINTS = 4 };
#else
enum { MAX_STEP_POINTS = 256 }; /* their running sums are in the fastest cache */
#endif

/* A point, and the running sums before and after the points that it is compared with. */
typedef struct {
    int32_t key;
    uint16_t from;
    uint16_t to;
} ComparedPoint;

/* Makes running sums of at most MAX_STEP_POINTS points: 0, then with the first point, and so on. Then compares points. */
typedef struct {
    int32_t added;
    int32_t compared;
    int32_t longest;   /* the largest number of points of the step that a point is compared with */
    bool is_continued; /* whether points are also compared with all points of the steps before, from one that is not */
} Step;

/* Initialize with {0}. */
typedef struct {
    Buffer steps, added, compared; /* of Step; of the keys of the points of all steps; of ComparedPoint */
    size_t step_count, added_count, compared_count;
} LanePlan;

/* The pairs of a point and a point of its prefix, by code. */
typedef enum { LESS_PAIRS, EQUAL_PAIRS, ALL_PAIRS, PAIR_PLANS } PairPlan;

/* Makes PAIR_PLANS plans; a key is the index of the weights of a point. Returns false if out of memory. */
bool lane_plans_make(LanePlan *plans, const int32_t *codes, const int32_t *limits, const int32_t *keys, size_t count);

void lane_plans_free(LanePlan *plans);

#endif
