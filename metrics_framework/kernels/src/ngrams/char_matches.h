/* How many character n-grams a short text shares with others: found by the positions of its characters, without sorting. */

#ifndef FW_NGRAMS_CHAR_MATCHES_H
#define FW_NGRAMS_CHAR_MATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/vectors.h"
#include "ngrams/sorted_ngrams.h"

enum { MAX_MATCH_ORDER = MAX_PACKED_ORDER, MAX_MATCH_WORDS = 6 };

/* Counts, for each order from 1 on, how many n-grams a text shares with one whose `positions` are known, as multisets:
   `words` 64-bit words for each unit, at most MAX_MATCH_WORDS, with a bit for each position. */
typedef void (*CountMatches)(
    const uint64_t *positions, size_t words, const unsigned char *units, size_t length, uint32_t shared[MAX_MATCH_ORDER]);

void count_matches_base(
    const uint64_t *positions, size_t words, const unsigned char *units, size_t length, uint32_t shared[MAX_MATCH_ORDER]);
#ifdef FW_AVX2
void count_matches_avx2(
    const uint64_t *positions, size_t words, const unsigned char *units, size_t length, uint32_t shared[MAX_MATCH_ORDER]);
#endif

/* Initialize with {0}. */
typedef struct {
    Buffer positions; /* uint64_t: the positions of each unit */
    size_t words;     /* for each unit */
} CharMatches;

/* Returns the length up to which texts are compared faster in this way than by sorting, on this CPU: one text with others,
   or several, for each of which the others would be sorted only once. */
size_t char_matches_max_length(size_t text_count);

/* Finds the positions of a text of at most `char_matches_max_length(1)` units, for others with units up to `max_unit`.
   Returns false if out of memory. */
bool char_matches_open(CharMatches *matches, size_t max_unit, const unsigned char *units, size_t length);

void char_matches_count(
    const CharMatches *matches, const unsigned char *units, size_t length, uint32_t shared[MAX_MATCH_ORDER]);

#endif
