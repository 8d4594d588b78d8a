/* The words of a reference, ready to be compared with summaries. */

#ifndef FW_TER_REFERENCE_H
#define FW_TER_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/buffer.h"

/* Each different word of a reference has a *row*, from 1 on; row 0 is of the words that it does not have. A row says
   where the word stands: as bits, or, for a long reference of many words, as a list of places. Starts as {0}. */
typedef struct {
    const uint32_t *words;
    int32_t length;
    uint32_t row_count; /* with row 0 */
    bool is_dense;      /* rows are bits */
    size_t stride;      /* 64-bit words of a row of bits */
    Buffer rows;        /* uint32_t: the row of each word */
    Buffer counts;      /* int32_t: how often the word of a row stands here */
    Buffer bits;        /* uint64_t: the rows one behind the other, where they are dense */
    Buffer starts;      /* uint32_t: where the places of a row begin, and after them all where they end */
    Buffer places;      /* int32_t: ascending for each row */
} Reference;

void reference_free(Reference *reference);

/* Prepares a reference. `row_of_word` has an entry for each number of a word; it is all 0 before and after. Returns
   false where there is not so much memory. */
bool reference_prepare(Reference *reference, const uint32_t *words, int32_t length, uint32_t *row_of_word);

/* Writes the rows of a summary's words; returns what the edit distance of no order of them goes below: the words that
   the longer side has over. `used` is room for `row_count` numbers. */
int32_t reference_look_up(
    const Reference *reference, const uint32_t *words, int32_t length, uint32_t *row_of_word, uint32_t *rows,
    int32_t *used);

uint64_t listed_places(const Reference *reference, uint32_t row, int32_t place);

static inline const uint64_t *bits_of_row(const Reference *reference, uint32_t row)
{
    return (const uint64_t *)reference->bits.data + row * reference->stride;
}

/* Returns as bits at which of the 64 places from `place` on the word of a row stands. */
static inline uint64_t places_from(const Reference *reference, uint32_t row, int32_t place)
{
    if (reference->is_dense)
        return bits_at(bits_of_row(reference, row), (size_t)place);
    return listed_places(reference, row, place);
}

#endif
