/* How often n-grams of any units stand in references, a block of references at a time. */

#ifndef FW_NGRAMS_REFERENCE_COUNTS_H
#define FW_NGRAMS_REFERENCE_COUNTS_H

#include "ngrams/ngram_ids.h"
#include "ngrams/units.h"

/* References are counted so many at a time, so that a summary's n-gram is looked up once for all of them. */
enum { LANES = 8 };

/* Up to LANES references. Starts as {0}. */
typedef struct {
    Grams grams;
    Buffer rows; /* how often an n-gram stands in each reference, by its number */
} Block;

/* Memory to work in. Starts as {0}. */
typedef struct {
    Buffer ends;  /* uint32_t: the n-gram that begins at each place of a text */
    Buffer times; /* uint32_t, by number of an n-gram: how often it has come in a summary; all 0 */
} Workspace;

void block_free(Block *block);

void workspace_free(Workspace *workspace);

/* Counts the n-grams of references, up to `orders` of each kind; numbers of words are below `word_end`. Returns false where there is not so much memory. */
bool block_open(
    Block *block, Workspace *workspace, const Units *references, size_t count, const size_t *orders, uint32_t word_end,
    Watch *watch);

/* Makes room for summaries of so many units at most. */
bool workspace_reserve(Workspace *workspace, size_t longest);

/* Writes how many n-grams a summary shares with each reference: LANES numbers for each order, those of characters first. */
void block_shared(
    const Block *block, const Workspace *workspace, const Units *summary, const size_t *orders, double *shared, Watch *watch);

#endif
