/* Hashes for tables of words, n-grams and characters. */

#ifndef FW_BASE_HASH_H
#define FW_BASE_HASH_H

#include <stdint.h>

/* Two random numbers, the second odd. Hashes depend on them, so that no text can be written whose words or n-grams all
   collide; the ids that the tables assign do not depend on them. */
typedef struct {
    uint64_t first, second;
} HashSeed;

/* Returns the seed of this process. */
HashSeed hash_seed(void);

/* Sets the seed; to be called before any table is used. */
void set_hash_seed(HashSeed seed);

static const uint64_t GOLDEN_RATIO = UINT64_C(0x9e3779b97f4a7c15);

/* The highest bits of all hashes are the best. */

/* Returns the hash of a number. The golden ratio spreads numbers at equal distances evenly, such as the ids of words
   that are new one after the other; with a random factor, many would collide for one seed in a hundred. */
static inline uint64_t hash_of(HashSeed seed, uint64_t number) { return (number ^ seed.first) * GOLDEN_RATIO; }

/* Returns the hash of two numbers, of which the second is often 0. The rotation keeps numbers that differ only in their
   highest bits from having only a few hashes. */
static inline uint64_t hash_of_two(HashSeed seed, uint64_t first, uint64_t second)
{
    uint64_t product = second * seed.second;
    return hash_of(seed, first ^ (product << 17 | product >> 47));
}

/* Returns the upper half of a product XOR its lower half. */
static inline uint64_t folded_product(uint64_t first, uint64_t second)
{
#if defined(__SIZEOF_INT128__) && !defined(FW_ANY_MACHINE)
    __extension__ unsigned __int128 product = (unsigned __int128)first * second;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
#else
    uint64_t low = (first & UINT32_MAX) * (second & UINT32_MAX), high = (first >> 32) * (second >> 32);
    uint64_t middle = (first >> 32) * (second & UINT32_MAX) + (low >> 32);
    uint64_t other = (first & UINT32_MAX) * (second >> 32) + (middle & UINT32_MAX);
    return (high + (middle >> 32) + (other >> 32)) ^ (other << 32 | (low & UINT32_MAX));
#endif
}

/* Continues a hash with two more numbers: slower, but many steps in a row collide no more often than one. */
static inline uint64_t hash_continued(HashSeed seed, uint64_t hash, uint64_t first, uint64_t second)
{
    return folded_product(hash ^ first ^ seed.first, second ^ seed.second) * GOLDEN_RATIO;
}

#endif
