/* The words of a line that are in a weighted longest common subsequence with another line, in which runs of consecutive
   words weigh more. `kernels/python/rouge.py` defines it. */

#ifndef FW_LCS_WEIGHTED_LCS_H
#define FW_LCS_WEIGHTED_LCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/interrupt.h"

/* Reusable memory. Initialize with {0}. */
typedef struct {
    Buffer values; /* double: the weights of a row */
    Buffer runs;   /* uint32_t: the lengths of the runs that end in a row */
    Buffer ups;    /* uint64_t: for each row a bit for each column: the word of the row is dropped rather than that of the column */
} WeightedLcs;

void weighted_lcs_free(WeightedLcs *memory);

/* Sets `marks` to 1 at the positions of a weighted LCS of the line and the other line. `weights` has the weights of runs
   by their length. Returns false if out of memory or interrupted. */
bool weighted_lcs_mark(
    WeightedLcs *memory, const uint32_t *line, size_t length, const uint32_t *other, size_t other_length,
    const double *weights, unsigned char *marks, Interrupt *interrupt);

#endif
