/* The least number of substitutions, deletions and insertions that turn one text into another.
   `kernels/python/edits.py` defines which edits are counted. */

#ifndef FW_LCS_EDITS_H
#define FW_LCS_EDITS_H

#include "base/buffer.h"
#include "base/interrupt.h"
#include "lcs/edit_band.h"
#include "lcs/masks.h"
#include "lcs/symbols.h"

/* Reusable memory. Initialize with {0}. */
typedef struct {
    Masks masks;
    SymbolIds symbol_ids;
    EditBandMemory band;
    Buffer carries;  /* unsigned char: for each symbol of the second text, what a stripe hands on to the next */
    Buffer rows;     /* uint64_t: the columns of a comparison in stripes */
    Buffer costs;    /* size_t: of the starts of a text against half of the other, then of its ends */
    Buffer reversed; /* uint32_t: both texts, from end to start */
} EditMemory;

typedef struct {
    size_t substitutions, deletions, insertions;
} Edits;

void edits_free(EditMemory *memory);

/* Prepares two texts; the memory holds one pair at a time. If `kinds` is not 0, their symbols are ids below
   it. Returns false if out of memory. */
bool edits_read(EditMemory *memory, Symbols first, Symbols second, size_t kinds, EditPair *pair);

/* Writes the number of edits. Returns false if out of memory or interrupted. */
bool edits_distance(EditMemory *memory, const EditPair *pair, Interrupt *interrupt, size_t *distance);

/* Counts the edits that turn the first text into the second. Returns false if out of memory or interrupted. */
bool edits_count(EditMemory *memory, const EditPair *pair, Interrupt *interrupt, Edits *edits);

#endif
