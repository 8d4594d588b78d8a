/* The moves of a block of words that a pass of TER examines. */

#ifndef FW_TER_SHIFTS_H
#define FW_TER_SHIFTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ter/banded_distance.h"

enum { LONGEST_BLOCK = 10, LONGEST_WAY = 50, MOST_MOVES = 1000 };

/* Words of the summary that can be moved: as many as the list says in which the block is. */
typedef struct {
    int32_t start;   /* the first of them */
    int32_t next;    /* the next block of the list, -1 behind the last */
    int32_t offset;  /* what place of the reference bit 0 is of */
    uint64_t places; /* where the reference has them, from which word on, and they may go */
} Block;

/* What a pass examines. Starts as {0}. */
typedef struct {
    Block blocks[MOST_MOVES]; /* each has a move at least */
    int32_t count;
    int32_t examined; /* moves, over all passes of a pair */
    int32_t first[LONGEST_BLOCK + 1], last[LONGEST_BLOCK + 1]; /* lists by length, by start within */
    Buffer changes; /* int32_t, by column: how often the target has changed up to there */
    Buffer reach;   /* bits: one of the 10 words from here on is not matched */
} Moves;

/* The words `start` to `middle` - 1 and `middle` to `end` - 1 change places: one of the two is a block that moves. */
typedef struct {
    int32_t start, middle, end;
    int32_t gain; /* what the distance becomes less by */
} Move;

void moves_free(Moves *moves);

/* Makes room for a pair. Returns false where there is not so much memory. */
bool moves_reserve(Moves *moves, int32_t columns);

/* Collects the blocks of an aligned pair; returns false where too many moves have been examined. */
bool moves_find(Moves *moves, Pair *pair);

/* Returns the move that gains most, with a gain of 0 if none gains anything. No order of the words has a distance
   below `least`. */
Move moves_best(const Moves *moves, Pair *pair, int32_t least);

#endif
