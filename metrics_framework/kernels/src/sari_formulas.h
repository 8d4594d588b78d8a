/* The formulas of SARI, for one order of n-grams and for sums. */

#ifndef FW_SARI_FORMULAS_H
#define FW_SARI_FORMULAS_H

#include "sari.h"

enum { ORDERS = 4, NUMBERS_OF_ORDER = 9 };

/* How often an n-gram stands in the texts of a group. */
typedef struct {
    uint32_t source, summary, references;
    uint32_t containing; /* references that have it */
    uint32_t last;       /* the last reference that was seen to have it, from 1 on */
} Tally;

/* A text's n-grams of an order, or its types of them. */
typedef struct {
    uint32_t *grams;
    size_t count;
} List;

/* What was counted for one order, and of what. */
typedef struct {
    const Tally *tallies;
    List source_types;
    List summary_types;
    uint32_t number; /* r */
    uint32_t able;   /* references long enough to have an n-gram of this order */
    uint32_t new;    /* |N| */
    uint32_t left_over; /* right additions that deleting words can have made */
} Context;

/* Writes the nine sums of an order. */
void sari_sums_of_order(const SariOptions *options, const Context *context, double *sums);

/* Writes ADD, KEEP and DELETE of an order. */
void sari_parts_of_order(const SariOptions *options, const Context *context, double *parts);

/* Writes SARI, KEEP, DELETE and ADD. */
void sari_score_of_vector(const SariOptions *options, const double *vector, double *scores);

#endif
