/* The longest common subsequence of two rows of symbols. `kernels/python/quality.py` defines it. */

#ifndef FW_LCS_LCS_H
#define FW_LCS_LCS_H

#include "base/buffer.h"
#include "base/interrupt.h"
#include "lcs/masks.h"
#include "lcs/symbols.h"

/* Memory to work in. Starts as {0}. */
typedef struct {
    Masks masks;
    Alphabet alphabet;
    Buffer carries; /* uint64_t: what a stripe of the pattern carries to the next; bit j is of symbol j of the text */
} Subsequences;

void subsequences_free(Subsequences *subsequences);

/* Writes the length of the longest common subsequence. Returns false where there is not so much memory, or the watch is
   stopped. */
bool subsequence_length(Subsequences *subsequences, Symbols first, Symbols second, Watch *watch, size_t *length);

#endif
