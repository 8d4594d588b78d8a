/* The edit distance of TER between a summary and a reference: unit costs, computed in a band around the diagonal, with
   an alignment of the words. `kernels/python/banded_distance.py` defines it and explains rows, steps and the band. */

#ifndef FW_TER_BANDED_DISTANCE_H
#define FW_TER_BANDED_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/interrupt.h"
#include "ter/reference.h"

/* How the distance is computed. All methods give the values of the band. */
typedef enum {
    PLAIN,  /* a row is one 64-bit word and the band changes nothing: short segments that are not too different */
    WINDOW, /* the part of a row inside the band is one 64-bit word, which slides along the reference */
    CELLS,  /* cell by cell: the reference is over 50 times as long as the summary, and the band is wider */
} Method;

/* A row of the matrix. Bit k belongs to column `base` + 1 + k and compares its value D with the previous column. */
typedef struct {
    uint64_t rise;     /* D is one more */
    uint64_t fall;     /* D is one less */
    uint64_t matched;  /* the words of row and column are equal */
    uint64_t sideways; /* the step to the cell is not diagonal */
    uint64_t up;       /* if not diagonal: the step comes from above */
    int32_t value;     /* D of column `base` */
} Row;

/* The band in a row, the same for all orders of the words. Bits are those of `Row`. */
typedef struct {
    uint64_t kept;     /* columns inside the band */
    uint64_t diagonal; /* columns that have a diagonal step */
    int32_t base;
    int32_t shift; /* `base` minus that of the row above */
} BandRow;

/* The band in a row, for CELLS. */
typedef struct {
    int32_t first, end; /* columns */
    size_t steps;       /* index of the first step of the row */
} CellRow;

/* A row within a shift, see `distance_after_shift`: after the words `middle` to `end` - 1, which come first. */
typedef struct {
    int32_t start, middle, end; /* -1 as `start`: none */
    uint64_t rise, fall;
    int32_t value;
} LastShift;

/* A summary, with the shifts applied so far, and a reference. Initialize with {0}. */
typedef struct {
    const Reference *reference;
    int32_t rows;    /* words of the summary */
    int32_t columns; /* words of the reference */
    Method method;
    int32_t distance;
    Interrupt interrupt;
    LastShift last_shift; /* of the words in their current order */

    Buffer words;   /* uint32_t: for each word of the summary its row in `Reference`; if that is short, its id */
    Buffer matches; /* uint64_t: for each word of the summary its positions in a short reference, as bits */
    Buffer states;  /* Row */
    Buffer band;    /* BandRow */
    Buffer cells;   /* int32_t: two rows of cells */
    Buffer steps;   /* unsigned char: the steps of all cells in the band */
    Buffer edges;   /* CellRow */
    Buffer wide;    /* uint64_t: a row without the band */

    /* The alignment, after `pair_align`. */
    Buffer targets;          /* int32_t, by column: the words of the summary before the point where the path enters the column */
    Buffer reached;          /* int32_t, by row: the last column of the path in the row */
    Buffer summary_errors;   /* bits: the word is not matched */
    Buffer reference_errors; /* bits */
} Pair;

void pair_free(Pair *pair);

/* Computes the distance of a summary of `rows` words and a reference, which has marked its words; neither is empty. Returns
   false if out of memory. */
bool pair_compare(Pair *pair, const Reference *reference, const uint32_t *words, int32_t rows, const uint64_t *marks);

/* Returns a lower bound of the distance for any order of the words; the reference must be short. */
int32_t pair_least_distance(const Pair *pair);

/* Returns the distance after a shift, if it is less than `pair->distance` by more than `gain`; otherwise any number that is
   not. A shift swaps the words `start` to `middle` - 1 with the words `middle` to `end` - 1. */
int32_t distance_after_shift(Pair *pair, int32_t start, int32_t middle, int32_t end, int32_t gain);

/* Applies a shift. */
void pair_shift(Pair *pair, int32_t start, int32_t middle, int32_t end);

/* Computes the alignment. */
void pair_align(Pair *pair);

/* Returns the distance without the band; 0, a lower bound, if the segments are too long to compute it. */
int32_t unbanded_distance(Pair *pair);

/* Returns as bits which words of the reference from `position` on are equal to word `word` of the summary. `position`
   is at most 9 after the last word, and below 64 if the reference is short. */
static inline uint64_t pair_positions(const Pair *pair, int32_t word, int32_t position)
{
    if (pair->columns <= WORD_BITS)
        return ((const uint64_t *)pair->matches.data)[word] >> position;
    return positions_from(pair->reference, ((const uint32_t *)pair->words.data)[word], position);
}

#endif
