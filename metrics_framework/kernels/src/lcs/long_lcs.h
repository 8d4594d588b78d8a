/* The longest common subsequence (LCS) of two long texts. */

#ifndef FW_LCS_LONG_LCS_H
#define FW_LCS_LONG_LCS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/interrupt.h"
#include "lcs/symbols.h"

/* Reusable memory. Initialize with {0}. */
typedef struct {
    Buffer rows;      /* SymbolRow: by symbol; 0 between stripes */
    size_t kinds;     /* the number of rows */
    Buffer positions; /* uint32_t: of the rare symbols of a stripe, for each symbol from the last to the first */
    Buffer masks;     /* uint64_t: where each frequent symbol of a stripe occurs */
    Buffer carries;   /* unsigned char: for each symbol of the text, the carry from one stripe to the next */
} LongLcs;

void long_lcs_free(LongLcs *memory);

/* Writes the length of the LCS of two texts whose symbols are below `kinds`. Returns false if out of memory or
   interrupted. */
bool long_lcs_length(
    LongLcs *memory, const Symbols *pattern, const Symbols *text, size_t kinds, Interrupt *interrupt, size_t *length);

#endif
