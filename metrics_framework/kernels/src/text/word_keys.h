/* Words of ASCII letters and digits as keys of 16 bytes, and ids of keys. */

#ifndef FW_TEXT_WORD_KEYS_H
#define FW_TEXT_WORD_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "text/word_ids.h"

#if defined(__SSE2__) && !defined(FW_ANY_MACHINE)
#include <emmintrin.h>
#endif

/* The bytes of a word of at most STORED_BYTES bytes in lower case, and 0 after them; of a longer word its id and
   LONG_WORD. No byte of a word is 0 or above 127, so the keys of different words differ. */
typedef struct {
    uint64_t head, tail;
} WordKey;

static const uint64_t LONG_WORD = UINT64_MAX;

/* Returns the key of a word of at most STORED_BYTES letters and digits, in either case. STORED_BYTES must be readable. */
static inline WordKey key_of(const unsigned char *bytes, size_t length)
{
    WordKey key;
#if defined(__SSE2__) && !defined(FW_ANY_MACHINE)
    static const unsigned char INSIDE[2 * STORED_BYTES] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    __m128i all = _mm_loadu_si128((const __m128i *)bytes);
    __m128i lower = _mm_or_si128(all, _mm_set1_epi8(0x20)); /* digits have this bit */
    __m128i inside = _mm_loadu_si128((const __m128i *)(INSIDE + STORED_BYTES - length));
    _mm_storeu_si128((__m128i *)&key, _mm_and_si128(lower, inside));
#else
    const uint64_t lower = UINT64_C(0x2020202020202020);
    stored_bytes(bytes, length, &key.head, &key.tail);
    key.head |= lower & BYTE_MASKS[8 + length];
    key.tail |= lower & BYTE_MASKS[length];
#endif
    return key;
}

/* Returns the length of a word of at most STORED_BYTES bytes. */
static inline size_t length_of_key(const WordKey *key)
{
    uint64_t last = key->tail != 0 ? key->tail : key->head;
    return (key->tail != 0 ? 8 : 0) + (last != 0 ? (size_t)highest_bit(last) / 8 + 1 : 0);
}

static inline bool same_key(const WordKey *first, const WordKey *second)
{
#if defined(__SSE2__) && !defined(FW_ANY_MACHINE)
    __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)first), _mm_loadu_si128((const __m128i *)second));
    return _mm_movemask_epi8(equal) == 0xffff;
#else
    return ((first->head ^ second->head) | (first->tail ^ second->tail)) == 0;
#endif
}

/* Ids of keys, in order of first occurrence. Initialize with {0}. */
typedef struct {
    Buffer slots;      /* uint32_t: the number of a key, which is its id plus 1; 0 if empty */
    Buffer keys;       /* WordKey: by number, so the first one is unused */
    size_t slot_count; /* a power of two */
    unsigned shift;    /* from a hash to a slot */
    HashSeed seed;
    uint32_t used;
} KeyIds;

void key_ids_free(KeyIds *ids);

/* Removes all keys and reserves slots for `count` new ones, at most MANY_WORDS. Returns false if out of memory. */
bool key_ids_reset(KeyIds *ids, size_t count);

/* Reserves slots for `count` more keys. Returns false if out of memory or interrupted. */
bool key_ids_reserve(KeyIds *ids, size_t count, Interrupt *interrupt);

/* The most keys that are looked up together. */
enum { KEY_BATCH = 64 };

/* Writes the ids of up to KEY_BATCH keys. Slots must be free. */
void key_ids_of(KeyIds *ids, const WordKey *keys, size_t count, uint32_t *out);

#endif
