/* The longest common subsequence (LCS) of two texts. `kernels/python/quality.py` defines it. */

#ifndef FW_LCS_LCS_H
#define FW_LCS_LCS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/interrupt.h"
#include "lcs/masks.h"
#include "lcs/symbols.h"

/* Reusable memory. Initialize with {0}. */
typedef struct {
    Masks masks;
    SymbolIds symbol_ids;
    bool is_long;   /* the pattern has more than one stripe */
    Buffer occurs;  /* unsigned char: by symbol, whether it occurs in the stripe of a long pattern */
    Buffer carries; /* uint64_t: the carries from one stripe of the pattern to the next; bit j is of symbol j of the text */
} Lcs;

void lcs_free(Lcs *lcs);

/* Writes the length of the LCS. If `kinds` is not 0, all symbols are ids below it. Returns false if out of memory or
   interrupted. */
bool lcs_length(Lcs *lcs, Symbols first, Symbols second, size_t kinds, Interrupt *interrupt, size_t *length);

#endif
