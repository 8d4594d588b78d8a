/* Matches of a short summary with references: found by positions in the summary, without numbering n-grams. */

#ifndef FW_NGRAMS_SHORT_MATCHES_H
#define FW_NGRAMS_SHORT_MATCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/interrupt.h"
#include "ngrams/positions.h"
#include "text/texts.h"

/* Initialize with {0}. */
typedef struct {
    Buffer positions;    /* uint64_t: the positions of each word in the summary; 0 between summaries */
    Buffer of_reference; /* Positions: of the n-grams that each reference matches */
    Positions of_any;    /* of those that a reference matches */
    Positions of_many;   /* of those that two or more references match */
} ShortMatches;

void short_matches_free(ShortMatches *matches);

/* Prepares for words below `word_end`. Returns false if out of memory. */
bool short_matches_reset(ShortMatches *matches, size_t word_end, size_t reference_count);

/* Finds the matches of a summary of at most MAX_POSITIONS words. Returns false if interrupted. */
bool short_matches_find(
    ShortMatches *matches, const Text *summary, const Text *references, size_t reference_count, Interrupt *interrupt);

/* Returns the number of matches of an order from 0 on. Writes, for each reference, how many it alone accounts for, unless
   `lost` is NULL. */
double short_matches_of_order(const ShortMatches *matches, size_t order, size_t reference_count, double *lost);

#endif
