/* The comparison of two texts, as far as shortest edits can need it: a band around the diagonal (Ukkonen 1985). */

#ifndef FW_LCS_EDIT_BAND_H
#define FW_LCS_EDIT_BAND_H

#include "base/buffer.h"
#include "base/interrupt.h"
#include "lcs/masks.h"
#include "lcs/symbols.h"

/* Reusable memory. Initialize with {0}. */
typedef struct {
    Buffer symbols; /* uint32_t: those of the second text, between symbols that occur nowhere */
    Buffer columns; /* uint64_t: for each step the columns of all lanes */
} EditBandMemory;

void edit_band_free(EditBandMemory *memory);

/* Two texts whose symbols are less than `kinds`. */
typedef struct {
    Symbols first, second;
    size_t kinds;
} EditPair;

typedef struct {
    size_t lanes;      /* 0 for none */
    ptrdiff_t ahead;   /* a word of 64 symbols is compared from as many rows before its first symbol */
    size_t most_edits; /* the band is wide enough for as many */
} EditBand;

/* Returns the narrowest band that is wide enough for a number of edits; one without lanes if it would need too many lanes, or
   if stripes are as fast. */
EditBand edit_band_for(const EditPair *pair, size_t edits);

/* Compares the texts. Writes the number of edits, or a larger number if it is above `most_edits`. Returns false if out of
   memory or interrupted. */
bool edit_band_run(
    EditBandMemory *memory, Masks *masks, const EditPair *pair, const EditBand *band, Interrupt *interrupt, size_t *distance);

/* Returns what the last run has kept of a word of the first text for a symbol of the second. */
const uint64_t *edit_band_column(const EditBandMemory *memory, const EditBand *band, size_t word, size_t row);

#endif
