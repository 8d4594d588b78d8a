/* The words of a reference, indexed for comparison with summaries. */

#ifndef FW_TER_REFERENCE_H
#define FW_TER_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/buffer.h"

/* A reference *marks* its words in an array by word id, which is all 0 otherwise. The mark of a word of a short reference has
   the positions of the word as bits. In a longer one, each different word has a *row*, from 1 on, which is its mark; row 0
   is for words that do not occur in it. A row has the positions of the word: as bits or, for a long reference with many
   words, as a list. Initialize with {0}. */
typedef struct {
    const uint32_t *words;
    int32_t length;
    bool is_short;      /* at most WORD_BITS words: it needs nothing of what follows */
    uint32_t row_count; /* including row 0 */
    bool is_dense;      /* rows are bits */
    size_t stride;      /* words per row of bits */
    Buffer rows;        /* uint32_t: the row of each word */
    Buffer bits;        /* uint64_t: all rows, if dense */
    Buffer starts;      /* uint32_t, by row: where its positions start in `positions`; and the end of the last row */
    Buffer positions;   /* int32_t: ascending within each row */
} Reference;

void reference_free(Reference *reference);

/* Indexes a reference. `marks` has an entry for each word id, all 0 before and after. Returns false if out of memory. */
bool reference_prepare(Reference *reference, const uint32_t *words, int32_t length, uint64_t *marks);

/* Marks the words of a reference; `marks` must be all 0. */
void reference_mark(const Reference *reference, uint64_t *marks);

/* Sets the marks of the words of a reference to 0. */
void reference_unmark(const Reference *reference, uint64_t *marks);

/* Returns numbers of the words, equal for equal words: together with those that `pair_compare` writes for a summary,
   they show how words of both match. */
static inline const uint32_t *reference_keys(const Reference *reference)
{
    return reference->is_short ? reference->words : (const uint32_t *)reference->rows.data;
}

uint64_t listed_positions(const Reference *reference, uint32_t row, int32_t position);

static inline const uint64_t *bits_of_row(const Reference *reference, uint32_t row)
{
    return (const uint64_t *)reference->bits.data + row * reference->stride;
}

/* Returns as bits which of the 64 positions from `position` on have the word of a row. */
static inline uint64_t positions_from(const Reference *reference, uint32_t row, int32_t position)
{
    if (reference->is_dense)
        return bits_at(bits_of_row(reference, row), (size_t)position);
    return listed_positions(reference, row, position);
}

#endif
