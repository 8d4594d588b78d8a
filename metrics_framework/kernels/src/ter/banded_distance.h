/* The edit distance of TER between a summary and a reference: a banded programme of unit costs, with the alignment of
   words that it finds. `kernels/python/banded_distance.py` defines it and explains rows, steps and the band. */

#ifndef FW_TER_BANDED_DISTANCE_H
#define FW_TER_BANDED_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/interrupt.h"
#include "ter/reference.h"

/* How the programme is worked out. All give what the cells of the band give. */
typedef enum {
    PLAIN,  /* a row is one 64-bit word and the band changes nothing: short segments that are not too far apart */
    WINDOW, /* the band's part of a row is one 64-bit word, which slides along the reference */
    CELLS,  /* cell by cell: a reference over 50 times as long as the summary, where the band is wider */
} Method;

/* A row of the programme. Bit k is of column `base` + 1 + k; its value D is seen against the column before. */
typedef struct {
    uint64_t rise;     /* D is greater by one */
    uint64_t fall;     /* D is less by one */
    uint64_t matched;  /* the word of the row is that of the column */
    uint64_t sideways; /* the step to the cell is not diagonal */
    uint64_t up;       /* of such steps: it comes from above */
    int32_t value;     /* D of column `base` */
} Row;

/* What the band has of a row; the same for all orders of the words. Bits are those of `Row`. */
typedef struct {
    uint64_t kept;     /* columns of the band */
    uint64_t diagonal; /* columns to which there is a diagonal step */
    int32_t base;
    int32_t shift; /* `base`, less that of the row above */
} BandRow;

/* What the band has of a row, for the programme that goes cell by cell. */
typedef struct {
    int32_t first, end; /* columns */
    size_t steps;       /* where the steps of the row begin */
} CellRow;

/* A summary and a reference, as far as moves have brought them. Starts as {0}. */
typedef struct {
    const Reference *reference;
    int32_t rows;    /* the number of words of the summary */
    int32_t columns; /* the number of words of the reference */
    Method method;
    int32_t distance;
    Watch watch;

    Buffer words;   /* uint32_t: the reference's row of each word of the summary, in the order they have now */
    Buffer matches; /* uint64_t: what stands in that row, where the reference has at most 64 words */
    Buffer states;  /* Row */
    Buffer band;    /* BandRow */
    Buffer cells;   /* int32_t: two rows of cells */
    Buffer steps;   /* unsigned char: the steps of the cells of the band */
    Buffer edges;   /* CellRow */
    Buffer wide;    /* uint64_t: two rows without the band */

    /* The alignment, once `align` was called. */
    Buffer targets; /* int32_t, by column: how many words of the summary the path has behind it when it comes there */
    Buffer reached; /* int32_t, by row: the last column of the path in it */
    Buffer summary_errors;   /* bits: the word is not matched */
    Buffer reference_errors; /* bits */
} Pair;

void pair_free(Pair *pair);

/* Compares a summary with a reference; `pair->words` is filled. Neither is empty. Returns false where there is not so
   much memory. */
bool pair_compare(Pair *pair, const Reference *reference, int32_t rows);

/* Returns the distance after words `start` to `middle` - 1 and `middle` to `end` - 1 have changed places, where that is
   less than `pair->distance`; else a number that is not. */
int32_t distance_of_exchange(Pair *pair, int32_t start, int32_t middle, int32_t end);

/* Makes that exchange. */
void pair_exchange(Pair *pair, int32_t start, int32_t middle, int32_t end);

/* Finds the alignment. */
void pair_align(Pair *pair);

/* Returns the distance without the band, or 0, which it is not below, where the segments are huge. */
int32_t unbanded_distance(Pair *pair);

/* Returns as bits which words of the reference from `place` on are word `word` of the summary; `place` is at most 9
   behind the last word, and below 64 where the reference has at most 64 words. */
static inline uint64_t pair_places(const Pair *pair, int32_t word, int32_t place)
{
    if (pair->columns <= WORD_BITS)
        return ((const uint64_t *)pair->matches.data)[word] >> place;
    return places_from(pair->reference, ((const uint32_t *)pair->words.data)[word], place);
}

#endif
