/* Sums over pairs of weighted points, for many vectors of weights. */

#ifndef FW_PAIRS_WEIGHTED_POINTS_H
#define FW_PAIRS_WEIGHTED_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of one resample, in this order. Ranks are centred and doubled, so that they are integers. */
typedef enum {
    POINTS,          /* the sum of all weights */
    LESS,            /* pairs of a point and a point of its prefix that has a smaller code */
    EQUAL,           /* … that has the same code */
    GREATER,         /* … that has a greater code */
    SQUARES_CODES,   /* the sum of the squared weights of codes */
    DISTINCT_CODES,  /* the number of codes of positive weight */
    DISTINCT_GROUPS, /* the same of groups */
    RANK_PRODUCTS,   /* the sum of the products of both ranks */
    RANK_CODES,      /* the sum of the squared ranks by code */
    RANK_GROUPS,     /* the same by group */
    SUM_COUNT
} Sum;

/* The sums that are wanted, beside POINTS; others are 0. */
typedef enum {
    WANT_PAIRS = 1,    /* LESS, EQUAL, GREATER and SQUARES_CODES */
    WANT_DISTINCT = 2, /* DISTINCT_CODES and DISTINCT_GROUPS */
    WANT_RANKS = 4,    /* RANK_PRODUCTS, RANK_CODES and RANK_GROUPS */
    WANT_ALL = WANT_PAIRS | WANT_DISTINCT | WANT_RANKS
} Wanted;

/* With this sum of weights, every number fits into 63 bits. */
static const int64_t LARGEST_WEIGHT = INT64_C(1) << 20;

/* Points in ascending order of their groups. The weight of a point is that of its row times that of its column. */
typedef struct {
    size_t points;
    size_t resamples;
    size_t rows;
    size_t columns;
    unsigned wanted; /* the sum of values of Wanted */
    bool varying; /* whether codes, groups, limits and row_of have one row for each resample */
    const int32_t *codes; /* of each point, from 0 to points − 1 */
    const int32_t *groups; /* the same, ascending */
    const int32_t *limits; /* the length of the prefix of each point, ascending, at most the index of the point */
    const int32_t *row_of;
    const int32_t *column_of;
    const int32_t *row_weights; /* (resamples, rows) */
    const int32_t *column_weights; /* (resamples, columns) */
} WeightedPoints;

typedef enum { SUMS_DONE, SUMS_INVALID, SUMS_TOO_LARGE, SUMS_OUT_OF_MEMORY } SumsResult;

/* Writes SUM_COUNT numbers for each resample. */
SumsResult sum_weighted_points(const WeightedPoints *points, int64_t *sums);

#endif
