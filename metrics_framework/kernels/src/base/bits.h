/* Bit operations on 64-bit words and on arrays of words, and bytes as words. */

#ifndef FW_BASE_BITS_H
#define FW_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#endif

enum { WORD_BITS = 64 };

/* The number of words after the last one that `bits_at` may read: it may be asked for bits up to 64 beyond the end. */
enum { SPARE_WORDS = 3 };

static inline size_t words_of_bits(size_t bits) { return bits / WORD_BITS + (bits % WORD_BITS != 0); }

/* Counts the bits that are set. Without -march, the compiler's builtin would call a library function. */
static inline int32_t count_bits(uint64_t word)
{
    word -= (word >> 1) & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int32_t)((word * UINT64_C(0x0101010101010101)) >> 56);
}

/* Returns the position of the lowest bit that is set; the word must not be 0. */
static inline int32_t lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    return count_bits((word & (0 - word)) - 1);
#endif
}

/* Returns the position of the highest bit that is set; the word must not be 0. */
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

/* Returns a word with the lowest `count` bits set: none if `count` is below 1, all from 64 on. */
static inline uint64_t low_bits(int64_t count)
{
    if (count <= 0)
        return 0;
    return count >= WORD_BITS ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* Returns the 64 bits of an array that start at `position`; the array has `SPARE_WORDS` more words. */
static inline uint64_t bits_at(const uint64_t *words, size_t position)
{
    const uint64_t *word = words + position / WORD_BITS;
    unsigned shift = (unsigned)(position % WORD_BITS);
    return word[0] >> shift | word[1] << 1 << (WORD_BITS - 1 - shift); /* in two steps, because a shift by 64 is undefined */
}

static inline void set_bit(uint64_t *words, size_t position)
{
    words[position / WORD_BITS] |= UINT64_C(1) << position % WORD_BITS;
}

/* Clears `count` bits from `position` on. */
static inline void clear_bits(uint64_t *words, size_t position, int32_t count)
{
    while (count > 0) {
        int32_t shift = (int32_t)(position % WORD_BITS), cleared = WORD_BITS - shift < count ? WORD_BITS - shift : count;
        words[position / WORD_BITS] &= ~(low_bits(cleared) << shift);
        position += (size_t)cleared;
        count -= cleared;
    }
}

/* Returns the sum of two words and of the carry, which is 0 or 1, and sets the carry to that out of the sum. Compilers do
   not find the instruction for it themselves. */
static inline uint64_t add_with_carry(uint64_t first, uint64_t second, unsigned char *carry)
{
#if defined(__GNUC__) && defined(__x86_64__) && !defined(FW_ANY_MACHINE)
    unsigned long long sum;
    *carry = _addcarry_u64(*carry, first, second, &sum);
    return sum;
#else
    uint64_t sum = first + second, total = sum + *carry;
    *carry = (unsigned char)((sum < first) | (total < sum));
    return total;
#endif
}

/* Returns how many of the first `length` bits are 0. */
static inline size_t count_clear_bits(const uint64_t *words, size_t length)
{
    size_t count = 0;
    for (size_t word = 0; word < words_of_bits(length); word++)
        count += (size_t)count_bits(~words[word] & low_bits((int64_t)length - (int64_t)(WORD_BITS * word)));
    return count;
}

/* Returns 8 bytes. */
static inline uint64_t eight_bytes(const unsigned char *bytes)
{
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, bytes, 8);
#else
    for (size_t position = 0; position < 8; position++)
        word |= (uint64_t)bytes[position] << 8 * position;
#endif
    return word;
}

/* Writes what `eight_bytes` reads. */
static inline void put_eight_bytes(unsigned char *bytes, uint64_t word)
{
    for (size_t position = 0; position < 8; position++)
        bytes[position] = (unsigned char)(word >> 8 * position);
}

/* Returns all bits set, or none. */
static inline uint64_t mask_if(bool condition) { return 0 - (uint64_t)condition; }

/* Returns the number of bits by which a 64-bit hash is shifted to get an index into `slot_count` slots, a power of two. */
static inline unsigned shift_to_slot(size_t slot_count)
{
    unsigned shift = 64;
    for (; slot_count > 1; slot_count /= 2)
        shift--;
    return shift;
}

#endif
