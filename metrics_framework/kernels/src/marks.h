/* Kinds of bytes, found in 64 bytes at once. */

#ifndef FW_MARKS_H
#define FW_MARKS_H

#include <stdint.h>

#if defined(__SSE2__) && !defined(FW_ANY_MACHINE)
#include <emmintrin.h>
#endif

/* How many bytes one mask tells of; so many are read, whatever they are. */
enum { MASK_BYTES = 64 };

#if defined(__SSE2__) && !defined(FW_ANY_MACHINE)

/* Tells which bytes are at most `greatest` away from `least`. */
static inline __m128i between(__m128i bytes, char least, char greatest)
{
    __m128i away = _mm_sub_epi8(bytes, _mm_set1_epi8(least));
    return _mm_cmpeq_epi8(_mm_min_epu8(away, _mm_set1_epi8(greatest)), away);
}

static inline uint64_t mask_of(__m128i which, int part) { return (uint64_t)(uint32_t)_mm_movemask_epi8(which) << 16 * part; }

/* Returns a mask of what is ASCII and no letter or digit. */
static inline uint64_t others_in(const unsigned char *text)
{
    uint64_t known = 0;
    for (int part = 0; part < 4; part++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + 16 * part));
        __m128i letters = between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z' - 'a');
        __m128i digits = between(bytes, '0', 9);
        known |= mask_of(_mm_or_si128(_mm_or_si128(letters, digits), bytes), part); /* the highest bit alone is looked at */
    }
    return ~known;
}

/* Returns a mask of the white space of ASCII. */
static inline uint64_t spaces_in(const unsigned char *text)
{
    uint64_t found = 0;
    for (int part = 0; part < 4; part++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + 16 * part));
        found |= mask_of(_mm_or_si128(between(bytes, '\t', '\r' - '\t'), between(bytes, 0x1c, ' ' - 0x1c)), part);
    }
    return found;
}

#else

static inline uint64_t others_in(const unsigned char *text)
{
    uint64_t found = 0;
    for (int place = 0; place < MASK_BYTES; place++) {
        unsigned char byte = text[place], letter = (byte | 0x20) - 'a', digit = byte - '0';
        found |= (uint64_t)((letter > 'z' - 'a') & (digit > 9) & (byte < 0x80)) << place;
    }
    return found;
}

static inline uint64_t spaces_in(const unsigned char *text)
{
    uint64_t found = 0;
    for (int place = 0; place < MASK_BYTES; place++) {
        unsigned char control = text[place] - '\t', separator = text[place] - 0x1c;
        found |= (uint64_t)((control <= '\r' - '\t') | (separator <= ' ' - 0x1c)) << place;
    }
    return found;
}

#endif

#endif
