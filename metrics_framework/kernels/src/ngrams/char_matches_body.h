/* Defines COUNT_MATCHES for vectors of VECTOR_LANES 64-bit numbers; for single numbers if it is 1. TARGET is the attribute
   of each function.

   A lane for each order has the positions where an n-gram ends that ends at the current unit of the other text. They follow
   from those of the order before at the unit before: shifted by one, and where the text has the current unit. So odd orders
   follow from even ones in the same lane, and even ones from odd ones in the lane before. Each n-gram of the other text
   takes the first position that is left, so that those of an n-gram are as many as the smaller of its two counts. */

#include <string.h>

#include "base/bits.h"
#include "ngrams/char_matches.h"

#if VECTOR_LANES > 1
typedef uint64_t Orders __attribute__((vector_size(8 * VECTOR_LANES)));
#define IS_ZERO(orders) ((Orders)((orders) == (Orders){0})) /* all bits set or none */
#else
typedef uint64_t Orders;
#define IS_ZERO(orders) mask_if((orders) == 0)
#endif

enum { VECTORS = MAX_MATCH_ORDER / 2 / VECTOR_LANES };

/* Returns a number in all lanes. */
TARGET static inline Orders in_all(uint64_t number)
{
#if VECTOR_LANES == 4
    return (Orders){number, number, number, number};
#elif VECTOR_LANES == 2
    return (Orders){number, number};
#else
    return number;
#endif
}

/* Moves each lane to the next; the first gets the last one of `before`. */
TARGET static inline Orders moved(Orders before, Orders orders)
{
#if VECTOR_LANES == 4
    return (Orders){before[3], orders[0], orders[1], orders[2]};
#elif VECTOR_LANES == 2
    return (Orders){before[1], orders[0]};
#else
    (void)orders;
    return before;
#endif
}

typedef struct {
    Orders ends[MAX_MATCH_WORDS][VECTORS], taken[MAX_MATCH_WORDS][VECTORS];
} Parity;

/* Takes the first of the positions in a word that are left, where none was in the words before. */
TARGET static inline void take_first(Parity *parity, size_t word, size_t vector, Orders *is_open)
{
    Orders left = parity->ends[word][vector] & ~parity->taken[word][vector];
    parity->taken[word][vector] |= left & (in_all(0) - left) & *is_open;
    *is_open &= IS_ZERO(left);
}

TARGET static inline void run_unit(Parity *odd, Parity *even, const uint64_t *positions, size_t words)
{
    Orders odd_open[VECTORS], even_open[VECTORS], odd_carry[VECTORS], even_carry[VECTORS];
    for (size_t vector = 0; vector < VECTORS; vector++) {
        odd_open[vector] = even_open[vector] = in_all(~UINT64_C(0));
        odd_carry[vector] = even_carry[vector] = in_all(0);
    }
    for (size_t word = 0; word < words; word++) {
        Orders here = in_all(positions[word]), before = in_all(~UINT64_C(0));
        for (size_t vector = 0; vector < VECTORS; vector++) {
            Orders of_odd = odd->ends[word][vector], of_even = even->ends[word][vector];
            Orders next = of_even << 1 | odd_carry[vector];
            even->ends[word][vector] = (of_odd << 1 | even_carry[vector]) & here;
            odd->ends[word][vector] = moved(before, next) & here;
            even_carry[vector] = of_odd >> (WORD_BITS - 1);
            odd_carry[vector] = of_even >> (WORD_BITS - 1);
            before = next;
            take_first(odd, word, vector, &odd_open[vector]);
            take_first(even, word, vector, &even_open[vector]);
        }
    }
}

TARGET static inline void run_units(
    const uint64_t *positions, size_t words, const unsigned char *units, size_t length, uint32_t *shared)
{
    Parity odd, even;
    for (size_t word = 0; word < words; word++)
        for (size_t vector = 0; vector < VECTORS; vector++)
            odd.ends[word][vector] = odd.taken[word][vector] = even.ends[word][vector] = even.taken[word][vector] = in_all(0);
    for (size_t index = 0; index < length; index++)
        run_unit(&odd, &even, positions + words * units[index], words);
    memset(shared, 0, MAX_MATCH_ORDER * sizeof *shared);
    for (size_t word = 0; word < words; word++) {
        uint64_t of_odd[MAX_MATCH_ORDER / 2], of_even[MAX_MATCH_ORDER / 2];
        memcpy(of_odd, odd.taken[word], sizeof of_odd);
        memcpy(of_even, even.taken[word], sizeof of_even);
        for (size_t lane = 0; lane < MAX_MATCH_ORDER / 2; lane++) {
            shared[2 * lane] += (uint32_t)count_bits(of_odd[lane]);
            shared[2 * lane + 1] += (uint32_t)count_bits(of_even[lane]);
        }
    }
}

/* With a constant number of words, so that the compiler keeps those of few in registers. */
TARGET void COUNT_MATCHES(
    const uint64_t *positions, size_t words, const unsigned char *units, size_t length, uint32_t shared[MAX_MATCH_ORDER])
{
    if (words <= 1)
        run_units(positions, 1, units, length, shared);
    else if (words == 2)
        run_units(positions, 2, units, length, shared);
    else if (words == 3)
        run_units(positions, 3, units, length, shared);
    else
        run_units(positions, words, units, length, shared);
}
