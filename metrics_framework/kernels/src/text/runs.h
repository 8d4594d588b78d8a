/* The runs of ASCII letters and digits of a text, 64 bytes at a time. */

#ifndef FW_TEXT_RUNS_H
#define FW_TEXT_RUNS_H

#include "base/bits.h"
#include "text/byte_classes.h"

/* The MASK_BYTES after the text must be readable. */
typedef struct {
    const unsigned char *text;
    size_t length;
    size_t start;  /* of the bytes of the mask */
    uint64_t mask; /* which of them are letters and digits that have not been found yet */
} Runs;

static inline uint64_t run_mask(const Runs *runs, size_t start)
{
    return alphanumeric_mask(runs->text + start) & low_bits((int64_t)(runs->length - start));
}

static inline Runs runs_of(const unsigned char *text, size_t length)
{
    Runs runs = {text, length, 0, 0};
    runs.mask = run_mask(&runs, 0);
    return runs;
}

/* Finds the next run; returns false if there is none. */
static inline bool next_run(Runs *runs, size_t *start, size_t *end)
{
    while (runs->mask == 0) {
        if (runs->length - runs->start <= MASK_BYTES)
            return false;
        runs->start += MASK_BYTES;
        runs->mask = run_mask(runs, runs->start);
    }
    int32_t first = lowest_bit(runs->mask);
    *start = runs->start + (size_t)first;
    uint64_t others = ~(runs->mask >> first);
    int32_t after = others == 0 ? MASK_BYTES : first + lowest_bit(others);
    while (after >= MASK_BYTES && runs->length - runs->start > MASK_BYTES) { /* goes on in the next bytes */
        runs->start += MASK_BYTES;
        runs->mask = run_mask(runs, runs->start);
        after = runs->mask == ~UINT64_C(0) ? MASK_BYTES : lowest_bit(~runs->mask);
    }
    *end = runs->start + (size_t)after;
    runs->mask = after >= MASK_BYTES ? 0 : runs->mask & (~UINT64_C(0) << after);
    return true;
}

/* Counts the runs of a text. */
static inline size_t count_runs(const unsigned char *text, size_t length)
{
    Runs runs = {text, length, 0, 0};
    uint64_t before = 0;
    size_t count = 0;
    for (size_t start = 0; start < length; start += MASK_BYTES) {
        uint64_t mask = run_mask(&runs, start);
        count += (size_t)count_bits(mask & ~(mask << 1 | before));
        before = mask >> (WORD_BITS - 1);
    }
    return count;
}

#endif
