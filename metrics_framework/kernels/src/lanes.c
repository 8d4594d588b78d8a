#include "lanes.h"

#include <string.h>

#if defined(__GNUC__) && !defined(FW_ONE_LANE)

typedef uint64_t Lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));
#define INLINE static inline __attribute__((always_inline))

/* Gives each lane what the lane before it has; the first gets what the last has. */
#if defined(__clang__)
#define FROM_LANE_BEFORE(lanes) __builtin_shufflevector(lanes, lanes, 3, 0, 1, 2)
#else
#define FROM_LANE_BEFORE(lanes) __builtin_shuffle(lanes, (Lanes){3, 0, 1, 2})
#endif

#else

typedef uint64_t Lanes;
#define INLINE static inline
#define FROM_LANE_BEFORE(lanes) (lanes)

#endif

/* Myers (1999) in the form of Hyyrö (2003), as in `kernels/python/edit_distance.py`, with rows and columns exchanged. All
   vectors are local: how a function is given one, or returns it, depends on the machine. */
INLINE void run(Team *team, const uint64_t (*matches)[LANES], size_t steps)
{
    Lanes rise, fall, linked, above_rise, above_fall, in_rise, in_fall, match, out_rise = {0}, out_fall = {0};
    memcpy(&rise, team->rise, sizeof rise);
    memcpy(&fall, team->fall, sizeof fall);
    memcpy(&linked, team->linked, sizeof linked);
    memcpy(&above_rise, team->above_rise, sizeof above_rise);
    memcpy(&above_fall, team->above_fall, sizeof above_fall);
    memcpy(&in_rise, team->in_rise, sizeof in_rise);
    memcpy(&in_fall, team->in_fall, sizeof in_fall);
    for (size_t step = 0; step < steps; step++) {
        memcpy(&match, matches[step], sizeof match);
        Lanes from_rise = above_rise | (in_rise & 1), from_fall = above_fall | (in_fall & 1);
        in_rise >>= 1;
        in_fall >>= 1;
        match |= from_fall;
        Lanes level = (((match & rise) + rise) ^ rise) | match | fall; /* D(i, j) = D(i - 1, j - 1) */
        Lanes more = fall | ~(level | rise), less = level & rise;      /* than in the column before */
        Lanes more_below = more >> 63, less_below = less >> 63;
        out_rise = out_rise >> 1 | more_below << 63;
        out_fall = out_fall >> 1 | less_below << 63;
        above_rise = FROM_LANE_BEFORE(more_below) & linked;
        above_fall = FROM_LANE_BEFORE(less_below) & linked;
        more = more << 1 | from_rise;
        rise = less << 1 | from_fall | ~(level | more);
        fall = more & level;
    }
    out_rise >>= WORD_BITS - steps;
    out_fall >>= WORD_BITS - steps;
    memcpy(team->rise, &rise, sizeof rise);
    memcpy(team->fall, &fall, sizeof fall);
    memcpy(team->above_rise, &above_rise, sizeof above_rise);
    memcpy(team->above_fall, &above_fall, sizeof above_fall);
    memcpy(team->out_rise, &out_rise, sizeof out_rise);
    memcpy(team->out_fall, &out_fall, sizeof out_fall);
}

static void run_anywhere(Team *team, const uint64_t (*matches)[LANES], size_t steps) { run(team, matches, steps); }

#if defined(__GNUC__) && defined(__x86_64__) && !defined(FW_ONE_LANE) && !defined(FW_ANY_MACHINE)

__attribute__((target("avx2"))) static void run_avx2(Team *team, const uint64_t (*matches)[LANES], size_t steps)
{
    run(team, matches, steps);
}

TeamRun team_run(void) { return __builtin_cpu_supports("avx2") ? run_avx2 : run_anywhere; }

#else

TeamRun team_run(void) { return run_anywhere; }

#endif
