/* The n-grams of a text of few different units: its windows of up to 8 units, packed into 64 bits and sorted, so that
   equal n-grams of every order stand together. */

#ifndef FW_NGRAMS_SORTED_NGRAMS_H
#define FW_NGRAMS_SORTED_NGRAMS_H

#include <stddef.h>
#include <stdint.h>

enum { LONGEST_WINDOW = 8, MOST_UNITS = 254 };

/* Behind the last window. */
static const uint64_t NO_WINDOW = UINT64_MAX;

/* Sorts the windows of a text, whose units are numbers from 1 to MOST_UNITS. A window that reaches beyond the end has
   zeros there. Writes `length` keys, and NO_WINDOW behind them; `spare` is room for as many. */
void windows_sort(const unsigned char *units, size_t length, size_t order, uint64_t *keys, uint64_t *spare);

/* Writes for each order how many n-grams two texts share: each counts as often as the text has it that has it less often.
   Windows are of `order` units. */
void windows_shared(
    const uint64_t *keys, size_t length, const uint64_t *others, size_t other_length, size_t order, uint32_t *shared);

#endif
