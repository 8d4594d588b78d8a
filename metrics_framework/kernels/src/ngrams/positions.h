/* The positions of words in a short text, as bits of one number: the n-grams of other texts are found in it without
   numbering any. */

#ifndef FW_NGRAMS_POSITIONS_H
#define FW_NGRAMS_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most words of a short text, and the highest order of n-grams. FW_SMALL_TABLES lets tests cover long texts. */
#ifdef FW_SMALL_TABLES
enum { MAX_POSITIONS = 8 };
#else
enum { MAX_POSITIONS = 64 };
#endif
enum { POSITION_ORDERS = 4 };

/* For each order, positions in the short text. */
typedef struct {
    uint64_t of_order[POSITION_ORDERS];
} Positions;

/* Adds the positions of the words of a short text to an array that has a number for each word id, 0 at first. */
static inline void positions_add(uint64_t *positions, const uint32_t *words, size_t length)
{
    for (size_t position = 0; position < length; position++)
        positions[words[position]] |= UINT64_C(1) << position;
}

/* Resets the positions of the words of a text to 0. */
static inline void positions_remove(uint64_t *positions, const uint32_t *words, size_t length)
{
    for (size_t position = 0; position < length; position++)
        positions[words[position]] = 0;
}

/* Given where in the short text the n-grams end that end before a word of another text, finds where those end that end
   with this word. */
static inline void positions_next(Positions *ends, uint64_t of_word)
{
    for (int order = POSITION_ORDERS - 1; order > 0; order--)
        ends->of_order[order] = ends->of_order[order - 1] << 1 & of_word;
    ends->of_order[0] = of_word;
}

#endif
