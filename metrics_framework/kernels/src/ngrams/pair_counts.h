/* Several counts for each pair of a row and a column, in 8 bytes as long as they fit. */

#ifndef FW_NGRAMS_PAIR_COUNTS_H
#define FW_NGRAMS_PAIR_COUNTS_H

#include "ngrams/shared_ngrams.h"

/* Where a count is. */
typedef struct {
    size_t word;
    unsigned shift;
    uint64_t mask;
} CountField;

/* Initialize with {0}. */
typedef struct {
    size_t rows, columns;
    size_t count; /* of the counts of a pair */
    unsigned used; /* bits of the last 8 bytes */
    Buffer fields; /* CountField */
    uint64_t *first; /* the first 8 bytes of all pairs */
    Buffer more;     /* uint64_t: the next ones */
} PairCounts;

void pair_counts_free(PairCounts *counts);

/* Starts with no counts. `matrix` has 8 bytes for each pair, row by row. */
void pair_counts_open(PairCounts *counts, size_t rows, size_t columns, void *matrix);

/* Adds the numbers of shared n-grams of the orders 1 to `orders`. Returns false if out of memory or interrupted. */
bool pair_counts_add(PairCounts *counts, SharedNgrams *shared, size_t orders, Interrupt *interrupt);

/* Returns a count of a pair, `row * columns + column`. */
static inline double pair_count(const PairCounts *counts, size_t pair, size_t index)
{
    const CountField *field = (const CountField *)counts->fields.data + index;
    const uint64_t *more = counts->more.data;
    uint64_t word = field->word == 0 ? counts->first[pair] : more[(field->word - 1) * counts->rows * counts->columns + pair];
    return (double)(word >> field->shift & field->mask);
}

#endif
