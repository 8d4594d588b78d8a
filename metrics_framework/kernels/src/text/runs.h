/* The runs of ASCII letters and digits of a text. */

#ifndef FW_TEXT_RUNS_H
#define FW_TEXT_RUNS_H

#include "base/bits.h"
#include "text/byte_classes.h"

/* The number of bytes whose runs are found together. FW_SMALL_TABLES lets tests cover runs across blocks. */
#ifdef FW_SMALL_TABLES
enum { RUN_BLOCK = MASK_BYTES };
#else
enum { RUN_BLOCK = 1024 };
#endif

/* Writes where runs start and end, alternately, from `start` on, for RUN_BLOCK bytes or up to the end of the text. If
   `is_inside`, a run has started before. Returns the number of positions, at most RUN_BLOCK. The MASK_BYTES after the
   text must be readable. */
static inline size_t find_runs(const unsigned char *text, size_t length, size_t start, bool is_inside, uint32_t *edges)
{
    uint64_t before = is_inside;
    size_t count = 0, end = length - start < RUN_BLOCK ? length : start + RUN_BLOCK;
    for (; start < end; start += MASK_BYTES) {
        uint64_t mask = alphanumeric_mask(text + start) & low_bits((int64_t)(length - start));
        for (uint64_t changes = mask ^ (mask << 1 | before); changes != 0; changes &= changes - 1)
            edges[count++] = (uint32_t)(start + (size_t)lowest_bit(changes));
        before = mask >> (WORD_BITS - 1);
    }
    return count;
}

#endif
