/* How often n-grams occur in references, for blocks of references. */

#ifndef FW_NGRAMS_REFERENCE_COUNTS_H
#define FW_NGRAMS_REFERENCE_COUNTS_H

#include "ngrams/ngram_ids.h"
#include "ngrams/units.h"

/* The number of references in a block: an n-gram of a summary is looked up once for all of them. */
enum { LANES = 8 };

/* The counts of up to LANES references. Initialize with {0}. */
typedef struct {
    NgramIds ngram_ids;
    Buffer lane_counts; /* by n-gram id: its count in each reference */
} ReferenceCounts;

/* Reusable memory. Initialize with {0}. */
typedef struct {
    Buffer ngrams; /* uint32_t: the id of the n-gram at each position of a text */
    Buffer seen;   /* uint32_t, by n-gram id: its occurrences so far in a summary; all 0 between calls */
} Workspace;

void reference_counts_free(ReferenceCounts *block);

void workspace_free(Workspace *workspace);

/* Counts the n-grams of references up to `orders` of each kind; word ids are below `word_end`. Returns false if out of
   memory or interrupted. */
bool reference_counts_open(
    ReferenceCounts *block, Workspace *workspace, const Units *references, size_t count, const size_t *orders, uint32_t word_end,
    Interrupt *interrupt);

/* Reserves memory for texts of up to `longest` units. Returns false if out of memory. */
bool workspace_reserve(Workspace *workspace, size_t longest);

/* Writes the number of n-grams that a summary shares with each reference: LANES numbers per order, characters first. */
void reference_counts_shared(
    const ReferenceCounts *block, const Workspace *workspace, const Units *summary, const size_t *orders, double *shared,
    Interrupt *interrupt);

#endif
