/* Pairs of words in order, with a limited number of words between them. `kernels/python/rouge.py` defines them. */

#ifndef FW_NGRAMS_SKIP_BIGRAMS_H
#define FW_NGRAMS_SKIP_BIGRAMS_H

#include "ngrams/ngram_ids.h"
#include "ngrams/reference_counts.h"

typedef struct {
    const uint32_t *words;
    size_t length;
} WordSequence;

/* The counts of the pairs of up to LANES references. Initialize with {0}. */
typedef struct {
    WordSequence references[LANES];
    size_t count; /* of references */
    bool is_near; /* whether pairs are numbered; else there may be too many */
    NgramIds pair_ids;
    Buffer lane_counts; /* uint32_t[LANES] by pair */
} SkipBigrams;

/* Reusable memory. Initialize with {0}. */
typedef struct {
    Buffer pairs; /* uint32_t: the pairs of one distance */
    Buffer seen;  /* uint32_t by pair: its occurrences so far in a summary; all 0 between calls */
    Buffer found; /* uint32_t: the pairs that were seen */
    Buffer spans; /* WordSpans: by word; all 0 between calls */
    Buffer left;  /* uint64_t: by word, how often the pair of a word and it may still be shared; all 0 between uses */
    size_t word_end; /* of both */
} PairMemory;

void skip_bigrams_free(SkipBigrams *block);

void pair_memory_free(PairMemory *memory);

/* Returns the number of pairs in a text of `length` words, at most `reach` positions apart. */
size_t count_skip_bigrams(size_t length, size_t reach);

/* Counts the pairs of references, whose words must stay where they are; word ids are below `word_end`. Returns false if out of memory or interrupted. */
bool skip_bigrams_open(
    SkipBigrams *block, PairMemory *memory, const WordSequence *references, size_t count, size_t reach, uint32_t word_end,
    Interrupt *interrupt);

/* Writes the number of pairs that a summary shares with each reference: LANES numbers. Returns false if out of memory or
   interrupted. */
bool skip_bigrams_shared(
    const SkipBigrams *block, PairMemory *memory, WordSequence summary, size_t reach, double *shared, Interrupt *interrupt);

#endif
