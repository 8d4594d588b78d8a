/* The edit distance of a long pair, a stripe of some rows after the other. */

#ifndef FW_STRIPES_H
#define FW_STRIPES_H

#include "lanes.h"
#include "masks.h"
#include "memory.h"
#include "symbols.h"
#include "watch.h"

enum { STRIPE_ROWS = LANES * WORD_BITS };

/* Starts as {0}, but for `run` and what `watch` asks. */
typedef struct {
    TeamRun run;
    Watch watch;
    Masks masks;
    Buffer rises, falls; /* uint64_t: the differences of neighbouring cells of a row; bit j - 1 is of column j */
    uint64_t matches[WORD_BITS][LANES];
} Stripes;

typedef enum { STRIPES_DONE, STRIPES_NO_MEMORY, STRIPES_STOPPED } StripesOutcome;

void stripes_free(Stripes *stripes);

/* Finds the distance of a pattern and a text, neither of them empty; symbols are of 1 or 4 bytes and below `kinds`. */
StripesOutcome stripes_distance(
    Stripes *stripes, const Symbols *pattern, const Symbols *text, size_t kinds, int64_t *distance);

#endif
