/* The formulas of SARI, for one order of n-grams and for sums. */

#ifndef FW_METRICS_SARI_FORMULAS_H
#define FW_METRICS_SARI_FORMULAS_H

#include "metrics/sari.h"

enum { ORDERS = 4, NUMBERS_OF_ORDER = 9 };

/* What was counted for one order. The lists go over the types of the source, in the order of the source. */
typedef struct {
    size_t types;
    const uint32_t *source, *summary, *references; /* S, P, R */
    const uint32_t *containing;                    /* references that have it */
    uint32_t number;                               /* r */
    uint32_t able;                                 /* references long enough to have an n-gram of this order */
    uint32_t added, right, new;                    /* |A|, those of them that are right, |N| */
    uint32_t most_tokens;                          /* no number of an n-gram, times r, is more, nor a sum of these */
} Context;

/* Writes the nine sums of an order. */
void sari_sums_of_order(const SariOptions *options, const Context *context, double *sums);

/* Writes ADD, KEEP and DELETE of an order. */
void sari_parts_of_order(const SariOptions *options, const Context *context, double *parts);

/* Writes SARI, KEEP, DELETE and ADD. */
void sari_score_of_vector(const SariOptions *options, const double *vector, double *scores);

#endif
