/* The n-grams that two texts share, each counted at most as often as it occurs in both: found by positions in the first
   text, without numbering n-grams. */

#ifndef FW_NGRAMS_CLIPPED_MATCHES_H
#define FW_NGRAMS_CLIPPED_MATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lcs/masks.h"

/* The longest first text, in words of 64 positions, and the highest order of n-grams. FW_SMALL_TABLES lets tests cover
   long texts. */
#ifdef FW_SMALL_TABLES
enum { MATCH_WORDS = 2 };
#else
enum { MATCH_WORDS = 4 };
#endif
enum { MATCH_ORDERS = 4 };

/* Writes the number of shared n-grams of each order from 1 to `orders`.

   positions: The masks of the first text, of `words` times 64 symbols.
   text: The second text; all its symbols are below `positions->kinds`. */
void count_clipped_matches(
    const Masks *positions, size_t words, const uint32_t *text, size_t length, size_t orders, uint32_t *counts);

#endif
