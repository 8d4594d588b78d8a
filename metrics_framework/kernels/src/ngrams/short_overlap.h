/* What a short text shares with another one: n-grams, each counted at most as often as it occurs in both, and the longest
   common subsequence. All are found by positions in the short text, without numbering n-grams. */

#ifndef FW_NGRAMS_SHORT_OVERLAP_H
#define FW_NGRAMS_SHORT_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* The longest short text, in words of 64 positions, and the highest order of n-grams. FW_SMALL_TABLES lets tests cover
   long texts. */
#ifdef FW_SMALL_TABLES
enum { OVERLAP_WORDS = 2 };
#else
enum { OVERLAP_WORDS = 4 };
#endif
enum { OVERLAP_ORDERS = 4 };

typedef struct {
    uint32_t ngrams[OVERLAP_ORDERS]; /* by order; 0 for orders that are not counted */
    uint32_t subsequence;            /* the length of the longest common subsequence, if it is wanted */
} Overlap;

/* What is counted. */
typedef struct {
    size_t orders; /* of n-grams: from 1 to this, at most OVERLAP_ORDERS */
    bool subsequence;
} OverlapKinds;

/* A short text. Initialize with {0}. */
typedef struct {
    Buffer positions; /* uint64_t: where each word is in the text, `width` numbers for each; 0 without a text */
    size_t count, width;
    const uint32_t *words;
    size_t length;
} ShortText;

void short_text_free(ShortText *text);

/* Prepares for texts of up to `length` words, at most OVERLAP_WORDS times 64, which are below `word_end`, without a text.
   Returns false if out of memory. */
bool short_text_reserve(ShortText *text, size_t length, size_t word_end);

void short_text_set(ShortText *text, const uint32_t *words, size_t length);

/* Forgets the text that was set. */
void short_text_clear(ShortText *text);

/* Compares the text that was set with another one of words below `word_end`. */
Overlap short_overlap(const ShortText *text, const uint32_t *other, size_t length, OverlapKinds kinds);

#endif
