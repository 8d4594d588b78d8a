/* Compares up to MAX_LANES words of 64 symbols of a text with another text at the same time (Hyyrö 2003). */

#ifndef FW_LCS_EDIT_LANES_H
#define FW_LCS_EDIT_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vectors.h"

enum {
    MAX_LANES = 32,
    LANES_AT_ONCE = 4, /* the number of lanes is a multiple of it */
    LAG = 2,           /* how many steps a word is after the word before it, whose carries it needs */
};

/* In step t, the lane of word w compares its word with symbol t − LAG · w of the second text. */
typedef struct {
    size_t lanes;
    uint64_t more[MAX_LANES], less[MAX_LANES]; /* as in a column of `edits.c` */
    /* Of the last LAG steps, what the next lane gets: in the highest bits, that a row costs no more, and that it costs less. */
    uint64_t no_more_out[LAG][MAX_LANES], less_out[LAG][MAX_LANES];
    uint64_t inner[MAX_LANES];                 /* all bits; none for the first word, where each row costs one more */
    const uint32_t *symbols[MAX_LANES];        /* for each lane, where the masks of the symbol of step 0 start */
    const uint64_t *masks;                     /* for each symbol one for each lane */
    uint64_t *kept;                            /* of each step, `more` of all lanes, then `less` */
} EditLanes;

/* Runs the steps from `start` to `end`, both even. */
typedef void (*RunEditLanes)(EditLanes *lanes, size_t start, size_t end);

void run_edit_lanes_base(EditLanes *lanes, size_t start, size_t end);
#ifdef FW_AVX2
void run_edit_lanes_avx2(EditLanes *lanes, size_t start, size_t end);
#endif

/* Returns the fastest function for this CPU. */
RunEditLanes edit_lanes_runner(void);

#endif
