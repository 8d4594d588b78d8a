/* Several columns of the programme of edit distances at once, 64 rows of it in each lane of a vector. */

#ifndef FW_LANES_H
#define FW_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "bits.h"

/* One lane where the compiler has no vectors; all else is the same. FW_ONE_LANE and FW_ANY_MACHINE are for the fuzzer:
   they leave out vectors, and instructions that not every machine has. */
#if defined(__GNUC__) && !defined(FW_ONE_LANE)
enum { LANES = 4 };
#else
enum { LANES = 1 };
#endif

/* Bit k of a lane is of its row k, seen against the row above: D(i, j) - D(i - 1, j). What comes into a lane from above
   and goes out below are the differences D(i, j) - D(i, j - 1) of a row, by step, bit 0 first. A linked lane goes on
   where the lane before it ends; it is one step behind, and what comes in from there is not asked. */
typedef struct {
    uint64_t rise[LANES], fall[LANES];
    uint64_t linked[LANES];           /* all bits, or none */
    uint64_t above_rise[LANES], above_fall[LANES]; /* what the step before has sent to a linked lane */
    uint64_t in_rise[LANES], in_fall[LANES];
    uint64_t out_rise[LANES], out_fall[LANES];
} Team;

typedef void (*TeamRun)(Team *team, const uint64_t (*matches)[LANES], size_t steps);

/* Returns the function for this machine that goes on by 1 to 64 steps, in each of which the symbol of a lane's column is
   found in the rows that `matches` says. */
TeamRun team_run(void);

#endif
