/* The edits of TER for groups of summaries that share references. `kernels/python/ter.py` defines them. */

#ifndef FW_TER_H
#define FW_TER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch.h"
#include "words.h"

typedef enum { TER_DONE, TER_NO_MEMORY, TER_STOPPED } TerOutcome;

/* Texts of a group, summaries first, then references, one reference at least. */
typedef struct {
    unsigned char *bytes; /* the texts one behind the other; with SPARE_BYTES behind them; they are changed */
    const size_t *ends;   /* where each text ends, seen from `bytes` */
    size_t summary_count;
    size_t reference_count;
} TerGroup;

typedef struct {
    int64_t edits;  /* to the nearest reference */
    int64_t length; /* words of all references together */
} TerCounts;

typedef struct TerScorer TerScorer;

/* Keeps memory from group to group. Returns NULL where there is not so much. `go_on` is asked now and then. */
TerScorer *ter_scorer_new(CuttingRules rules, GoOn go_on, void *context);

void ter_scorer_free(TerScorer *scorer);

/* Writes the counts of each summary. */
TerOutcome ter_score_group(TerScorer *scorer, const TerGroup *group, TerCounts *counts);

#endif
