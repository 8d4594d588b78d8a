#include "windows.h"

#include <stdbool.h>
#include <string.h>

#include "bits.h"

/* ---- sorting ---------------------------------------------------------------------------------------------------- */

/* Writes windows in the order of the text, the first unit in the highest byte; returns the greatest unit. */
static unsigned write_windows(const unsigned char *units, size_t length, size_t order, uint64_t *keys)
{
    uint64_t kept = ~UINT64_C(0) << (64 - 8 * order), window = 0;
    unsigned greatest = 0;
    for (size_t place = length; place-- > 0;) {
        window = (window >> 8 | (uint64_t)units[place] << 56) & kept;
        keys[place] = window;
        greatest = units[place] > greatest ? units[place] : greatest;
    }
    return greatest;
}

/* Moves windows so that they are sorted by their unit at a place, and by what they were sorted before among equals. The
   units at a place are those of the text from there on, and zeros. */
static void sort_by(
    const uint64_t *keys, size_t length, size_t place, const size_t *frequencies, unsigned greatest, uint64_t *out)
{
    size_t starts[MOST_UNITS + 1];
    unsigned shift = (unsigned)(56 - 8 * place);
    size_t start = place < length ? place : length;
    starts[0] = 0;
    for (unsigned unit = 1; unit <= greatest; unit++) {
        starts[unit] = start;
        start += frequencies[unit];
    }
    for (size_t index = 0; index < length; index++) {
        uint64_t key = keys[index];
        out[starts[key >> shift & 0xff]++] = key;
    }
}

void windows_sort(const unsigned char *units, size_t length, size_t order, uint64_t *keys, uint64_t *spare)
{
    size_t frequencies[MOST_UNITS + 1] = {0};
    uint64_t *from = order % 2 == 0 ? keys : spare, *to = order % 2 == 0 ? spare : keys;
    unsigned greatest = write_windows(units, length, order, from);
    for (size_t place = order; place < length; place++)
        frequencies[units[place]]++;
    for (size_t place = order; place-- > 0;) {
        if (place < length)
            frequencies[units[place]]++;
        sort_by(from, length, place, frequencies, greatest, to);
        uint64_t *other = from;
        from = to;
        to = other;
    }
    keys[length] = NO_WINDOW;
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

/* Returns how many units from the start on two windows have in common. */
static inline size_t common_units(uint64_t a, uint64_t b)
{
    return a == b ? LONGEST_WINDOW : (size_t)(WORD_BITS - 1 - highest_bit(a ^ b)) / 8;
}

/* Returns how many units a window has: zeros stand at its end. */
static inline size_t units_of(uint64_t key) { return LONGEST_WINDOW - (size_t)lowest_bit(key) / 8; }

/* Walks through both in order. `own` and `other` count, for each order, the n-gram that the present window begins with.
   Where the next window begins with another, what both have of the old one is shared. A lane is an order. */
#define SHARED(name, Count)                                                                                            \
    static void name(const uint64_t *keys, const uint64_t *others, uint32_t *shared)                                   \
    {                                                                                                                  \
        static const Count FROM[LONGEST_WINDOW + 1][LONGEST_WINDOW] = {                                                \
            {-1, -1, -1, -1, -1, -1, -1, -1}, {0, -1, -1, -1, -1, -1, -1, -1}, {0, 0, -1, -1, -1, -1, -1, -1},         \
            {0, 0, 0, -1, -1, -1, -1, -1},    {0, 0, 0, 0, -1, -1, -1, -1},    {0, 0, 0, 0, 0, -1, -1, -1},            \
            {0, 0, 0, 0, 0, 0, -1, -1},       {0, 0, 0, 0, 0, 0, 0, -1},       {0, 0, 0, 0, 0, 0, 0, 0},               \
        };                                                                                                             \
        Count own[LONGEST_WINDOW] = {0}, other[LONGEST_WINDOW] = {0}, found[LONGEST_WINDOW] = {0};                     \
        uint64_t before = 0, key = 0;                                                                                  \
        while (key != NO_WINDOW) {                                                                                     \
            uint64_t of_own = *keys, of_other = *others;                                                               \
            bool is_own = of_own <= of_other, is_other = of_other <= of_own;                                           \
            key = is_own ? of_own : of_other;                                                                          \
            keys += is_own;                                                                                            \
            others += is_other;                                                                                        \
            const Count *ended = FROM[common_units(key, before)], *beyond = FROM[units_of(key)];                       \
            Count more = (Count)is_own, more_other = (Count)is_other;                                                  \
            before = key;                                                                                              \
            for (size_t lane = 0; lane < LONGEST_WINDOW; lane++) {                                                     \
                Count less = own[lane] < other[lane] ? own[lane] : other[lane];                                        \
                found[lane] = (Count)(found[lane] + (less & ended[lane]));                                             \
                own[lane] = (Count)((own[lane] & ~ended[lane]) + (~beyond[lane] & more));                              \
                other[lane] = (Count)((other[lane] & ~ended[lane]) + (~beyond[lane] & more_other));                    \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t lane = 0; lane < LONGEST_WINDOW; lane++)                                                           \
            shared[lane] = (uint32_t)found[lane];                                                                      \
    }

SHARED(shared_of_short, int16_t)
SHARED(shared_of_long, int32_t)

void windows_shared(
    const uint64_t *keys, size_t length, const uint64_t *others, size_t other_length, size_t order, uint32_t *shared)
{
    uint32_t found[LONGEST_WINDOW];
    bool is_short = length <= INT16_MAX && other_length <= INT16_MAX;
    (is_short ? shared_of_short : shared_of_long)(keys, others, found);
    memcpy(shared, found, order * sizeof *shared);
}
