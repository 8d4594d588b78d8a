/* The formulas of SARI: for the counts of one order, and for sums. */

#ifndef FW_METRICS_SARI_FORMULAS_H
#define FW_METRICS_SARI_FORMULAS_H

#include "metrics/sari.h"

enum { ORDERS = 4, NUMBERS_OF_ORDER = 9 };

/* The counts of one order. Arrays have an entry for each type of the source. */
typedef struct {
    size_t types;
    const uint32_t *source, *summary, *references; /* S, P, R */
    const uint32_t *containing;                    /* the number of references that have the type */
    uint32_t number;                               /* r */
    uint32_t able;                                 /* the number of references long enough for n-grams of this order */
    uint32_t added, right, new;                    /* |A|, how many of them are correct, |N| */
    uint32_t max_tokens;                           /* an upper bound of r times any count, and of the sums of these products */
} OrderCounts;

/* Writes the nine sums of an order. */
void sari_sums_of_order(const SariOptions *options, const OrderCounts *counts, double *sums);

/* Writes ADD, KEEP and DELETE of an order. */
void sari_parts_of_order(const SariOptions *options, const OrderCounts *counts, double *parts);

/* Writes SARI, KEEP, DELETE and ADD. */
void sari_score_of_vector(const SariOptions *options, const double *vector, double *scores);

#endif
