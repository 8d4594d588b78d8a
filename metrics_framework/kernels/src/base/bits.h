/* Bits of 64-bit words, and rows of such words. */

#ifndef FW_BASE_BITS_H
#define FW_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORD_BITS = 64 };

/* Words behind the last one that `bits_at` may read, when it is asked for bits up to 64 behind the end. */
enum { SPARE_WORDS = 3 };

static inline size_t words_of_bits(size_t bits) { return bits / WORD_BITS + (bits % WORD_BITS != 0); }

/* Counts the bits that are set. Written out: without -march a compiler's own calls a function. */
static inline int32_t count_bits(uint64_t word)
{
    word -= (word >> 1) & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int32_t)((word * UINT64_C(0x0101010101010101)) >> 56);
}

/* Returns the place of the lowest bit that is set; there must be one. */
static inline int32_t lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    return count_bits((word & (0 - word)) - 1);
#endif
}

/* Returns the place of the highest bit that is set; there must be one. */
static inline int32_t highest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return 63 - __builtin_clzll(word);
#else
    for (int shift = 1; shift < WORD_BITS; shift *= 2)
        word |= word >> shift;
    return count_bits(word) - 1;
#endif
}

/* Returns a word whose lowest `count` bits are set: none below 1, all from 64 on. */
static inline uint64_t low_bits(int64_t count)
{
    if (count <= 0)
        return 0;
    return count >= WORD_BITS ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* Returns 64 bits of a row of words, from bit `place` on; the row goes on for `SPARE_WORDS` words. */
static inline uint64_t bits_at(const uint64_t *words, size_t place)
{
    const uint64_t *word = words + place / WORD_BITS;
    unsigned shift = (unsigned)(place % WORD_BITS);
    return word[0] >> shift | word[1] << 1 << (WORD_BITS - 1 - shift); /* in two steps: a shift by 64 is undefined */
}

static inline void set_bit(uint64_t *words, size_t place)
{
    words[place / WORD_BITS] |= UINT64_C(1) << place % WORD_BITS;
}

static inline void clear_bit(uint64_t *words, size_t place)
{
    words[place / WORD_BITS] &= ~(UINT64_C(1) << place % WORD_BITS);
}

/* Returns all bits or none. */
static inline uint64_t mask_if(bool condition) { return 0 - (uint64_t)condition; }

/* Returns how far to shift a hash of 64 bits so that it is a place in a table of so many slots, a power of two. */
static inline unsigned shift_to_place(size_t slot_count)
{
    unsigned shift = 64;
    for (; slot_count > 1; slot_count /= 2)
        shift--;
    return shift;
}

#endif
