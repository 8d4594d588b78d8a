#include "ngrams/sorted_ngrams.h"

#include <stdbool.h>
#include <string.h>

#include "base/bits.h"
#include "base/vectors.h"

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

static unsigned max_unit(const unsigned char *units, size_t length)
{
    unsigned char greatest = 0;
    for (size_t position = 0; position < length; position++)
        greatest = units[position] > greatest ? units[position] : greatest;
    return greatest;
}

/* Computes the starts for a counting sort by the unit at `position` of each n-gram: for each unit the number of n-grams
   with a smaller one. These units are those of the text from `position` on, and zeros. */
static void count_smaller(const unsigned char *units, size_t length, size_t position, unsigned greatest, uint32_t *smaller)
{
    uint32_t start = (uint32_t)(position < length ? position : length);
    memset(smaller, 0, (greatest + 1) * sizeof *smaller);
    for (; position < length; position++)
        smaller[units[position]]++;
    for (unsigned unit = 1; unit <= greatest; unit++) {
        uint32_t count = smaller[unit];
        smaller[unit] = start;
        start += count;
    }
}

/* Updates the starts for the position before: one more unit of the text, one zero less. */
static inline void count_one_more(unsigned unit, uint32_t *smaller)
{
    for (unsigned index = 1; index <= unit; index++)
        smaller[index]--;
}

/* Writes packed n-grams, the first unit in the highest byte, sorted by their last unit. */
static void pack_ngrams(const unsigned char *units, size_t length, size_t order, uint32_t *starts, uint64_t *out)
{
    unsigned shift = (unsigned)(64 - 8 * order);
    uint64_t kept = ~UINT64_C(0) << shift, packed = 0;
    for (size_t position = length; position-- > 0;) {
        packed = (packed >> 8 | (uint64_t)units[position] << 56) & kept;
        out[starts[packed >> shift & 0xff]++] = packed;
    }
}

/* Sorts n-grams by their unit at `position`; the sort is stable. */
static void sort_by(const uint64_t *keys, size_t length, size_t position, uint32_t *starts, uint64_t *out)
{
    unsigned shift = (unsigned)(56 - 8 * position);
    for (size_t index = 0; index < length; index++) {
        uint64_t key = keys[index];
        out[starts[key >> shift & 0xff]++] = key;
    }
}

void sort_ngrams(const unsigned char *units, size_t length, size_t order, uint64_t *keys, uint64_t *spare)
{
    uint64_t *from = order % 2 == 0 ? spare : keys, *to = order % 2 == 0 ? keys : spare;
    uint32_t smaller[MAX_UNIT + 1], starts[MAX_UNIT + 1];
    unsigned greatest = max_unit(units, length);
    count_smaller(units, length, order - 1, greatest, smaller);
    memcpy(starts, smaller, (greatest + 1) * sizeof *starts);
    pack_ngrams(units, length, order, starts, from);
    for (size_t position = order - 1; position-- > 0;) {
        if (position < length)
            count_one_more(units[position], smaller);
        memcpy(starts, smaller, (greatest + 1) * sizeof *starts);
        sort_by(from, length, position, starts, to);
        uint64_t *other = from;
        from = to;
        to = other;
    }
    keys[length] = END_OF_NGRAMS;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* Returns the number of leading units that two n-grams share. Written without a branch, which would be mispredicted. */
static inline size_t common_units(uint64_t a, uint64_t b)
{
    return (size_t)(WORD_BITS - 1 - highest_bit((a ^ b) | 1)) / 8 + (a == b);
}

/* Returns the number of units of an n-gram before the zeros that pad it. */
static inline size_t order_of(uint64_t key) { return MAX_PACKED_ORDER - (size_t)lowest_bit(key) / 8; }

/* A vector lane for each order; one order at a time if the compiler has no vectors, or for the fuzzer with FW_ONE_LANE. */
#ifdef FW_VECTORS
enum { ORDERS_AT_ONCE = MAX_PACKED_ORDER };
typedef int16_t ShortLanes __attribute__((vector_size(ORDERS_AT_ONCE * sizeof(int16_t))));
typedef int32_t LongLanes __attribute__((vector_size(ORDERS_AT_ONCE * sizeof(int32_t))));
#define LESS(a, b) ((a) < (b)) /* all bits set or none, as for vectors */
#else
enum { ORDERS_AT_ONCE = 1 };
typedef int16_t ShortLanes;
typedef int32_t LongLanes;
#define LESS(a, b) -((a) < (b))
#endif

/* Defines a merge of two sorted lists. `own` and `other` count, for each order, the current n-gram in both texts. When
   the next n-gram differs in its first k units, the minimum of both counts is added to the shared n-grams of the orders
   from k on. WITHIN[k] is the mask of the orders up to k. */
#define DEFINE_COUNT_SHARED(name, Count, Lanes)                                                                        \
    static void name(const uint64_t *all, const uint64_t *all_others, uint32_t *shared)                                \
    {                                                                                                                  \
        static const Count WITHIN[MAX_PACKED_ORDER + 1][MAX_PACKED_ORDER] = {                                          \
            {0},                      {-1},                         {-1, -1},                                          \
            {-1, -1, -1},             {-1, -1, -1, -1},             {-1, -1, -1, -1, -1},                              \
            {-1, -1, -1, -1, -1, -1}, {-1, -1, -1, -1, -1, -1, -1}, {-1, -1, -1, -1, -1, -1, -1, -1},                  \
        };                                                                                                             \
        for (size_t first = 0; first < MAX_PACKED_ORDER; first += ORDERS_AT_ONCE) {                                    \
            const uint64_t *keys = all, *others = all_others;                                                          \
            Lanes own = {0}, other = {0}, found = {0}, of_own, of_other, goes_on, there;                               \
            Count counts[ORDERS_AT_ONCE];                                                                              \
            uint64_t before = 0, key = 0;                                                                              \
            while (key != END_OF_NGRAMS) {                                                                             \
                bool is_own = *keys <= *others, is_other = *others <= *keys;                                           \
                key = is_own ? *keys : *others;                                                                        \
                keys += is_own;                                                                                        \
                others += is_other;                                                                                    \
                memcpy(&of_own, &WITHIN[MAX_PACKED_ORDER * is_own][first], sizeof of_own);                             \
                memcpy(&of_other, &WITHIN[MAX_PACKED_ORDER * is_other][first], sizeof of_other);                       \
                memcpy(&goes_on, &WITHIN[common_units(key, before)][first], sizeof goes_on);                           \
                memcpy(&there, &WITHIN[order_of(key)][first], sizeof there);                                           \
                before = key;                                                                                          \
                Lanes is_less = LESS(own, other), less = (own & is_less) | (other & ~is_less);                         \
                found += less & ~goes_on;                                                                              \
                own = (own & goes_on) - (of_own & there); /* a mask is -1 */                                           \
                other = (other & goes_on) - (of_other & there);                                                        \
            }                                                                                                          \
            memcpy(counts, &found, sizeof counts);                                                                     \
            for (size_t lane = 0; lane < ORDERS_AT_ONCE; lane++)                                                       \
                shared[first + lane] = (uint32_t)counts[lane];                                                         \
        }                                                                                                              \
    }

DEFINE_COUNT_SHARED(count_shared_short, int16_t, ShortLanes)
DEFINE_COUNT_SHARED(count_shared_long, int32_t, LongLanes)

void count_shared_ngrams(
    const uint64_t *keys, size_t length, const uint64_t *others, size_t other_length, size_t order, uint32_t *shared)
{
    uint32_t found[MAX_PACKED_ORDER];
    bool is_short = length <= INT16_MAX && other_length <= INT16_MAX;
    (is_short ? count_shared_short : count_shared_long)(keys, others, found);
    memcpy(shared, found, order * sizeof *shared);
}
