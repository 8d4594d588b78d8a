#include "ngrams/sorted_ngrams.h"

#include <stdbool.h>
#include <string.h>

#include "base/bits.h"

/* ---- sorting ---------------------------------------------------------------------------------------------------- */

static unsigned greatest_of(const unsigned char *units, size_t length)
{
    unsigned char greatest = 0;
    for (size_t place = 0; place < length; place++)
        greatest = units[place] > greatest ? units[place] : greatest;
    return greatest;
}

/* Counts, for each unit, the windows that have a smaller one at a place: there those with it begin when they are sorted by it. The
   units of the windows at a place are those of the text from there on, and zeros. */
static void count_smaller(const unsigned char *units, size_t length, size_t place, unsigned greatest, uint32_t *smaller)
{
    uint32_t start = (uint32_t)(place < length ? place : length);
    memset(smaller, 0, (greatest + 1) * sizeof *smaller);
    for (; place < length; place++)
        smaller[units[place]]++;
    for (unsigned unit = 1; unit <= greatest; unit++) {
        uint32_t count = smaller[unit];
        smaller[unit] = start;
        start += count;
    }
}

/* Goes to the place before: there is one unit more, of those of the text, and one zero less. */
static inline void count_one_more(unsigned unit, uint32_t *smaller)
{
    for (unsigned index = 1; index <= unit; index++)
        smaller[index]--;
}

/* Writes windows, the first unit in the highest byte, sorted by their last unit. */
static void write_windows(const unsigned char *units, size_t length, size_t order, uint32_t *starts, uint64_t *out)
{
    unsigned shift = (unsigned)(64 - 8 * order);
    uint64_t kept = ~UINT64_C(0) << shift, window = 0;
    for (size_t place = length; place-- > 0;) {
        window = (window >> 8 | (uint64_t)units[place] << 56) & kept;
        out[starts[window >> shift & 0xff]++] = window;
    }
}

/* Moves windows so that they are sorted by their unit at a place, and by what they were sorted before among equals. */
static void sort_by(const uint64_t *keys, size_t length, size_t place, uint32_t *starts, uint64_t *out)
{
    unsigned shift = (unsigned)(56 - 8 * place);
    for (size_t index = 0; index < length; index++) {
        uint64_t key = keys[index];
        out[starts[key >> shift & 0xff]++] = key;
    }
}

void windows_sort(const unsigned char *units, size_t length, size_t order, uint64_t *keys, uint64_t *spare)
{
    uint64_t *from = order % 2 == 0 ? spare : keys, *to = order % 2 == 0 ? keys : spare;
    uint32_t smaller[MOST_UNITS + 1], starts[MOST_UNITS + 1];
    unsigned greatest = greatest_of(units, length);
    count_smaller(units, length, order - 1, greatest, smaller);
    memcpy(starts, smaller, (greatest + 1) * sizeof *starts);
    write_windows(units, length, order, starts, from);
    for (size_t place = order - 1; place-- > 0;) {
        if (place < length)
            count_one_more(units[place], smaller);
        memcpy(starts, smaller, (greatest + 1) * sizeof *starts);
        sort_by(from, length, place, starts, to);
        uint64_t *other = from;
        from = to;
        to = other;
    }
    keys[length] = NO_WINDOW;
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

/* Returns how many units from the start on two windows have in common; without a branch, as equal ones are not foreseen. */
static inline size_t common_units(uint64_t a, uint64_t b)
{
    return (size_t)(WORD_BITS - 1 - highest_bit((a ^ b) | 1)) / 8 + (a == b);
}

/* Returns how many units a window has: zeros stand at its end. */
static inline size_t units_of(uint64_t key) { return LONGEST_WINDOW - (size_t)lowest_bit(key) / 8; }

/* A lane is an order. One at a time where the compiler has no vectors; FW_ONE_LANE is for the fuzzer, to have it so. */
#if defined(__GNUC__) && !defined(FW_ONE_LANE)
enum { ORDERS_AT_ONCE = LONGEST_WINDOW };
typedef int16_t ShortLanes __attribute__((vector_size(ORDERS_AT_ONCE * sizeof(int16_t))));
typedef int32_t LongLanes __attribute__((vector_size(ORDERS_AT_ONCE * sizeof(int32_t))));
#define LESS(a, b) ((a) < (b)) /* all bits, or none, as a vector has it */
#else
enum { ORDERS_AT_ONCE = 1 };
typedef int16_t ShortLanes;
typedef int32_t LongLanes;
#define LESS(a, b) -((a) < (b))
#endif

/* Walks through both in order. `own` and `other` count, for each order, the n-gram that the present window begins with.
   Where the next window begins with another, what both have of the old one is shared. WITHIN are the masks of the orders up to
   each. */
#define SHARED(name, Count, Lanes)                                                                                     \
    static void name(const uint64_t *all, const uint64_t *all_others, uint32_t *shared)                                \
    {                                                                                                                  \
        static const Count WITHIN[LONGEST_WINDOW + 1][LONGEST_WINDOW] = {                                              \
            {0},                      {-1},                         {-1, -1},                                          \
            {-1, -1, -1},             {-1, -1, -1, -1},             {-1, -1, -1, -1, -1},                              \
            {-1, -1, -1, -1, -1, -1}, {-1, -1, -1, -1, -1, -1, -1}, {-1, -1, -1, -1, -1, -1, -1, -1},                  \
        };                                                                                                             \
        for (size_t first = 0; first < LONGEST_WINDOW; first += ORDERS_AT_ONCE) {                                      \
            const uint64_t *keys = all, *others = all_others;                                                          \
            Lanes own = {0}, other = {0}, found = {0}, of_own, of_other, goes_on, there;                               \
            Count counts[ORDERS_AT_ONCE];                                                                              \
            uint64_t before = 0, key = 0;                                                                              \
            while (key != NO_WINDOW) {                                                                                 \
                bool is_own = *keys <= *others, is_other = *others <= *keys;                                           \
                key = is_own ? *keys : *others;                                                                        \
                keys += is_own;                                                                                        \
                others += is_other;                                                                                    \
                memcpy(&of_own, &WITHIN[LONGEST_WINDOW * is_own][first], sizeof of_own);                               \
                memcpy(&of_other, &WITHIN[LONGEST_WINDOW * is_other][first], sizeof of_other);                         \
                memcpy(&goes_on, &WITHIN[common_units(key, before)][first], sizeof goes_on);                           \
                memcpy(&there, &WITHIN[units_of(key)][first], sizeof there);                                           \
                before = key;                                                                                          \
                Lanes is_less = LESS(own, other), less = (own & is_less) | (other & ~is_less);                           \
                found += less & ~goes_on;                                                                              \
                own = (own & goes_on) - (of_own & there); /* a mask is -1 */                                           \
                other = (other & goes_on) - (of_other & there);                                                        \
            }                                                                                                          \
            memcpy(counts, &found, sizeof counts);                                                                     \
            for (size_t lane = 0; lane < ORDERS_AT_ONCE; lane++)                                                       \
                shared[first + lane] = (uint32_t)counts[lane];                                                         \
        }                                                                                                              \
    }

SHARED(shared_of_short, int16_t, ShortLanes)
SHARED(shared_of_long, int32_t, LongLanes)

void windows_shared(
    const uint64_t *keys, size_t length, const uint64_t *others, size_t other_length, size_t order, uint32_t *shared)
{
    uint32_t found[LONGEST_WINDOW];
    bool is_short = length <= INT16_MAX && other_length <= INT16_MAX;
    (is_short ? shared_of_short : shared_of_long)(keys, others, found);
    memcpy(shared, found, order * sizeof *shared);
}
