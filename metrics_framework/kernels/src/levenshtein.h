/* The plain edit distance, with unit costs, of many pairs. `kernels/python/edit_distances.py` defines it. */

#ifndef FW_LEVENSHTEIN_H
#define FW_LEVENSHTEIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols.h"
#include "watch.h"

typedef enum { LEVENSHTEIN_DONE, LEVENSHTEIN_NO_MEMORY, LEVENSHTEIN_STOPPED } LevenshteinOutcome;

typedef struct {
    Symbols summary, reference;
    size_t kinds; /* 0: symbols are characters; else numbers below this, of 4 bytes each */
} LevenshteinPair;

typedef struct Levenshtein Levenshtein;

/* Keeps memory from call to call. Returns NULL where there is not so much. `go_on` is asked now and then. */
Levenshtein *levenshtein_new(GoOn go_on, void *context);

void levenshtein_free(Levenshtein *levenshtein);

/* Writes the distance of each pair. */
LevenshteinOutcome levenshtein_distances(
    Levenshtein *levenshtein, const LevenshteinPair *pairs, size_t count, int64_t *distances);

#endif
