/* Classifies 64 bytes at once. */

#ifndef FW_TEXT_BYTE_CLASSES_H
#define FW_TEXT_BYTE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(FW_ANY_MACHINE)
#include <emmintrin.h>
#endif

/* What a text contains. */
typedef struct {
    bool only_ascii;
    bool may_have_replacements; /* `<`, `&` or a line feed: 13a may replace something */
} ByteScan;

/* Returns whether all bytes are ASCII characters. */
static inline bool only_ascii(const unsigned char *text, size_t length)
{
    uint64_t word, all = 0;
    size_t position = 0;
    for (; position + sizeof word <= length; position += sizeof word) {
        memcpy(&word, text + position, sizeof word);
        all |= word;
    }
    for (; position < length; position++)
        all |= text[position];
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

/* The number of bytes that a mask covers, and that are read. */
enum { MASK_BYTES = 64 };

/* Masks of the characters that 13a tells apart: digits, whitespace, hyphens, periods and commas, and symbols, which are
   the other ASCII punctuation but apostrophes. */
typedef struct {
    uint64_t digits, spaces, hyphens, periods, symbols;
} PunctuationMasks;

#if defined(__SSE2__) && !defined(FW_ANY_MACHINE)

/* Returns which bytes are from `least` to `least` + `greatest`. */
static inline __m128i between(__m128i bytes, char least, char greatest)
{
    __m128i away = _mm_sub_epi8(bytes, _mm_set1_epi8(least));
    return _mm_cmpeq_epi8(_mm_min_epu8(away, _mm_set1_epi8(greatest)), away);
}

static inline uint64_t mask_of(__m128i which, int part) { return (uint64_t)(uint32_t)_mm_movemask_epi8(which) << 16 * part; }

/* Finds what a text contains and, if requested, lower-cases A to Z. The 15 bytes after the text must be readable and
   writable; they do not change. */
static inline ByteScan scan_bytes(unsigned char *text, size_t length, bool lowercase)
{
    static const unsigned char INSIDE[32] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    __m128i all = _mm_setzero_si128(), may_have_replacements = _mm_setzero_si128();
    for (size_t position = 0; position < length; position += 16) {
        size_t left = length - position < 16 ? length - position : 16;
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + position));
        __m128i own = _mm_and_si128(bytes, _mm_loadu_si128((const __m128i *)(INSIDE + 16 - left)));
        __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(own, _mm_set1_epi8('<')), _mm_cmpeq_epi8(own, _mm_set1_epi8('&')));
        all = _mm_or_si128(all, own);
        may_have_replacements = _mm_or_si128(may_have_replacements, _mm_or_si128(marks, _mm_cmpeq_epi8(own, _mm_set1_epi8('\n'))));
        if (lowercase) {
            __m128i changes = _mm_and_si128(between(own, 'A', 'Z' - 'A'), _mm_set1_epi8(0x20));
            _mm_storeu_si128((__m128i *)(text + position), _mm_or_si128(bytes, changes));
        }
    }
    return (ByteScan){_mm_movemask_epi8(all) == 0, _mm_movemask_epi8(may_have_replacements) != 0};
}

/* Returns a mask of the ASCII characters other than letters and digits. */
static inline uint64_t non_alphanumeric_mask(const unsigned char *text)
{
    uint64_t results = 0;
    for (int part = 0; part < 4; part++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + 16 * part));
        __m128i char_ids = between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z' - 'a');
        __m128i digits = between(bytes, '0', 9);
        results |= mask_of(_mm_or_si128(_mm_or_si128(char_ids, digits), bytes), part); /* the mask is made of the highest bits */
    }
    return ~results;
}

/* Returns a mask of ASCII letters and digits. */
static inline uint64_t alphanumeric_mask(const unsigned char *text)
{
    uint64_t found = 0;
    for (int part = 0; part < 4; part++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + 16 * part));
        __m128i letters = between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z' - 'a');
        found |= mask_of(_mm_or_si128(letters, between(bytes, '0', 9)), part);
    }
    return found;
}

static inline __m128i are_spaces(__m128i bytes)
{
    return _mm_or_si128(between(bytes, '\t', '\r' - '\t'), between(bytes, 0x1c, ' ' - 0x1c));
}

/* Returns a mask of ASCII whitespace. */
static inline uint64_t whitespace_mask(const unsigned char *text)
{
    uint64_t found = 0;
    for (int part = 0; part < 4; part++)
        found |= mask_of(are_spaces(_mm_loadu_si128((const __m128i *)(text + 16 * part))), part);
    return found;
}

static inline PunctuationMasks punctuation_masks(const unsigned char *text)
{
    PunctuationMasks found = {0};
    for (int part = 0; part < 4; part++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + 16 * part));
        __m128i letters = between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z' - 'a');
        __m128i digits = between(bytes, '0', 9), hyphens = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('-'));
        __m128i marks = between(bytes, ',', '.' - ','); /* also hyphens */
        __m128i others = _mm_or_si128(_mm_or_si128(letters, digits), _mm_or_si128(marks, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\''))));
        found.digits |= mask_of(digits, part);
        found.spaces |= mask_of(are_spaces(bytes), part);
        found.hyphens |= mask_of(hyphens, part);
        found.periods |= mask_of(_mm_andnot_si128(hyphens, marks), part);
        found.symbols |= mask_of(_mm_andnot_si128(others, between(bytes, '!', '~' - '!')), part);
    }
    return found;
}

#else

static inline ByteScan scan_bytes(unsigned char *text, size_t length, bool lowercase)
{
    unsigned char all = 0, may_have_replacements = 0;
    for (size_t position = 0; position < length; position++) {
        unsigned char byte = text[position];
        all |= byte;
        may_have_replacements |= (byte == '<') | (byte == '&') | (byte == '\n');
        text[position] = lowercase && (unsigned char)(byte - 'A') < 26 ? byte | 0x20 : byte;
    }
    return (ByteScan){all < 0x80, may_have_replacements != 0};
}

static inline uint64_t non_alphanumeric_mask(const unsigned char *text)
{
    uint64_t found = 0;
    for (int position = 0; position < MASK_BYTES; position++) {
        unsigned char byte = text[position], letter = (byte | 0x20) - 'a', digit = byte - '0';
        found |= (uint64_t)((letter > 'z' - 'a') & (digit > 9) & (byte < 0x80)) << position;
    }
    return found;
}

static inline uint64_t alphanumeric_mask(const unsigned char *text)
{
    uint64_t found = 0;
    for (int position = 0; position < MASK_BYTES; position++) {
        unsigned char byte = text[position], letter = (byte | 0x20) - 'a', digit = byte - '0';
        found |= (uint64_t)((letter <= 'z' - 'a') | (digit <= 9)) << position;
    }
    return found;
}

static inline uint64_t whitespace_mask(const unsigned char *text)
{
    uint64_t found = 0;
    for (int position = 0; position < MASK_BYTES; position++) {
        unsigned char control = text[position] - '\t', separator = text[position] - 0x1c;
        found |= (uint64_t)((control <= '\r' - '\t') | (separator <= ' ' - 0x1c)) << position;
    }
    return found;
}

static inline PunctuationMasks punctuation_masks(const unsigned char *text)
{
    PunctuationMasks found = {.spaces = whitespace_mask(text)};
    uint64_t others = alphanumeric_mask(text);
    for (int position = 0; position < MASK_BYTES; position++) {
        unsigned char byte = text[position];
        found.digits |= (uint64_t)((unsigned char)(byte - '0') <= 9) << position;
        found.hyphens |= (uint64_t)(byte == '-') << position;
        found.periods |= (uint64_t)((byte == '.') | (byte == ',')) << position;
        others |= (uint64_t)((byte < '!') | (byte > '~') | (byte == '\'')) << position;
    }
    found.symbols = ~(others | found.hyphens | found.periods);
    return found;
}

#endif

#endif
