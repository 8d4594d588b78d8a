/* Kinds of bytes, found in 64 bytes at once. */

#ifndef FW_TEXT_BYTE_CLASSES_H
#define FW_TEXT_BYTE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__) && !defined(FW_ANY_MACHINE)
#include <emmintrin.h>
#endif

/* What there is in a text. */
typedef struct {
    bool only_ascii;
    bool replaced; /* `<`, `&` or the end of a line: the beginnings of all that 13a replaces */
} Kinds;

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

/* Tells what there is in a text, and makes A to Z lower case where that is wanted. 15 bytes behind it must be readable and
   writable; they stay as they are. */
static inline Kinds look_through(unsigned char *text, size_t length, bool lowercase)
{
    static const unsigned char INSIDE[32] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    __m128i all = _mm_setzero_si128(), replaced = _mm_setzero_si128();
    for (size_t place = 0; place < length; place += 16) {
        size_t left = length - place < 16 ? length - place : 16;
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + place));
        __m128i own = _mm_and_si128(bytes, _mm_loadu_si128((const __m128i *)(INSIDE + 16 - left)));
        __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(own, _mm_set1_epi8('<')), _mm_cmpeq_epi8(own, _mm_set1_epi8('&')));
        all = _mm_or_si128(all, own);
        replaced = _mm_or_si128(replaced, _mm_or_si128(marks, _mm_cmpeq_epi8(own, _mm_set1_epi8('\n'))));
        if (lowercase) {
            __m128i changes = _mm_and_si128(between(own, 'A', 'Z' - 'A'), _mm_set1_epi8(0x20));
            _mm_storeu_si128((__m128i *)(text + place), _mm_or_si128(bytes, changes));
        }
    }
    return (Kinds){_mm_movemask_epi8(all) == 0, _mm_movemask_epi8(replaced) != 0};
}

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

static inline Kinds look_through(unsigned char *text, size_t length, bool lowercase)
{
    unsigned char all = 0, replaced = 0;
    for (size_t place = 0; place < length; place++) {
        unsigned char byte = text[place];
        all |= byte;
        replaced |= (byte == '<') | (byte == '&') | (byte == '\n');
        text[place] = lowercase && (unsigned char)(byte - 'A') < 26 ? byte | 0x20 : byte;
    }
    return (Kinds){all < 0x80, replaced != 0};
}

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
