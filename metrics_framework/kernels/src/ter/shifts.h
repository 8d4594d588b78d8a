/* The shifts that a pass of TER evaluates. */

#ifndef FW_TER_SHIFTS_H
#define FW_TER_SHIFTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ter/banded_distance.h"

enum { MAX_SHIFT_SIZE = 10, MAX_SHIFT_DISTANCE = 50, MAX_SHIFT_CANDIDATES = 1000 };

/* A block of words of the summary that can be shifted; its length is that of the list it is in. */
typedef struct {
    int32_t start;      /* its first word */
    int32_t next;       /* the next block of the list, -1 at the end */
    int32_t offset;     /* the position of the reference that bit 0 is for */
    uint64_t positions; /* bits: the positions of the block in the reference that allow a shift */
} Block;

/* The candidates of a pass. Initialize with {0}. */
typedef struct {
    Block blocks[MAX_SHIFT_CANDIDATES]; /* each has at least one shift */
    int32_t count;
    int32_t examined;                                            /* shifts, in all passes of a pair */
    int32_t first[MAX_SHIFT_SIZE + 1], last[MAX_SHIFT_SIZE + 1]; /* lists by length, ascending by start */
    Buffer changes;                                              /* int32_t, by column: the number of different targets up to it */
    Buffer reach;                                                /* bits: one of the 10 words from here on is not matched */
} Shifts;

/* A shift swaps the words `start` to `middle` - 1 with the words `middle` to `end` - 1. */
typedef struct {
    int32_t start, middle, end;
    int32_t gain; /* the decrease of the distance */
} Shift;

void shifts_free(Shifts *shifts);

/* Reserves memory for a reference of `columns` words. Returns false if out of memory. */
bool shifts_reserve(Shifts *shifts, int32_t columns);

/* Collects the blocks of an aligned pair. Returns false if there are more than MAX_SHIFT_CANDIDATES shifts, or if
   interrupted. */
bool shifts_find(Shifts *shifts, Pair *pair);

/* Returns the shift with the greatest gain; one whose `end` is 0 if no shift reduces the distance, or if none can lower the
   number of edits. `least` is a lower bound of the distance. */
Shift shifts_best(const Shifts *shifts, Pair *pair, int32_t least);

#endif
