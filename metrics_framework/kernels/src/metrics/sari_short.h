/* The counts of SARI for a short source: its n-grams are found in other texts by their positions, and only n-grams that
   are not in the source are looked up in a table. */

#ifndef FW_METRICS_SARI_SHORT_H
#define FW_METRICS_SARI_SHORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/sari_formulas.h"
#include "ngrams/ngram_set.h"
#include "ngrams/positions.h"
#include "text/texts.h"

/* For each order, the counts of the types of the source, at the position where a type first ends in it; the counts at other
   positions are 0. The last position is beyond the source; the count there means nothing. */
typedef struct {
    uint32_t of_order[ORDERS][MAX_POSITIONS];
} PositionCounts;

/* Initialize with {0}. */
typedef struct {
    Buffer positions; /* uint64_t: the positions of each word in the source */
    PositionCounts source, summary, references; /* S, P, R */
    NgramSet new_ngrams, added_ngrams; /* of the references, and of a summary, without those of the source */
    Buffer missing; /* Missing: where a text has n-grams that are not in the source */
    Buffer ngrams;  /* uint64_t: these n-grams */
    uint32_t new[ORDERS], added[ORDERS], right[ORDERS];
    size_t source_length;
} SariShort;

void sari_short_free(SariShort *counts);

/* Returns whether there are few enough words: different ones, in the source, and in the references. */
bool sari_short_fits(size_t words, size_t source_length, size_t length_of_references, size_t longest);

/* Counts the source and references of a group whose words are below `word_end`; see `sari_short_fits`. Returns false if
   out of memory. */
bool sari_short_open(
    SariShort *counts, size_t word_end, const Text *source, const Text *references, size_t reference_count, size_t longest);

/* Counts a summary. Returns false if out of memory. */
bool sari_short_count(SariShort *counts, const Text *summary);

/* Writes the counts of an order. */
void sari_short_write(const SariShort *counts, size_t order, OrderCounts *written);

#endif
