/* The n-grams of a text with few different units: at each position the next up to 8 units, packed into 64 bits. Sorted,
   equal n-grams of every order are adjacent. */

#ifndef FW_NGRAMS_SORTED_NGRAMS_H
#define FW_NGRAMS_SORTED_NGRAMS_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_PACKED_ORDER = 8, MAX_UNIT = 254 };

/* After the last n-gram. */
static const uint64_t END_OF_NGRAMS = UINT64_MAX;

/* Packs and sorts the n-grams of a text, whose units are 1 to MAX_UNIT; n-grams at the end are padded with zeros.
   Writes `length` keys and END_OF_NGRAMS. `spare` has space for as many. */
void sort_ngrams(const unsigned char *units, size_t length, size_t order, uint64_t *keys, uint64_t *spare);

/* Writes for each order up to `order`, for which the n-grams were packed, how many n-grams two texts share, as
   multisets. */
void count_shared_ngrams(
    const uint64_t *keys, size_t length, const uint64_t *others, size_t other_length, size_t order, uint32_t *shared);

#endif
