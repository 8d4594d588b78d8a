/* The longest common subsequence (LCS) of two texts. `kernels/python/quality.py` defines it. */

#ifndef FW_LCS_LCS_H
#define FW_LCS_LCS_H

#include <stdbool.h>

#include "base/interrupt.h"
#include "lcs/long_lcs.h"
#include "lcs/masks.h"
#include "lcs/symbols.h"

/* Reusable memory. Initialize with {0}. */
typedef struct {
    Masks masks;
    SymbolIds symbol_ids;
    LongLcs long_lcs;
} Lcs;

void lcs_free(Lcs *lcs);

/* Writes the length of the LCS. If `kinds` is not 0, all symbols are ids below it. Returns false if out of memory or
   interrupted. */
bool lcs_length(Lcs *lcs, Symbols first, Symbols second, size_t kinds, Interrupt *interrupt, size_t *length);

#endif
