#include "ngrams/char_matches.h"

#define COUNT_MATCHES count_matches_base
#define TARGET
#define VECTOR_LANES BASE_LANES
#include "ngrams/char_matches_body.h"

enum { MAX_WORDS_OF_MANY = 3, MAX_BASE_WORDS = 2, MAX_BASE_WORDS_OF_MANY = 1 }; /* as measured */

size_t char_matches_max_length(size_t text_count)
{
    if (has_avx2())
        return WORD_BITS * (text_count > 1 ? MAX_WORDS_OF_MANY : MAX_MATCH_WORDS);
    return WORD_BITS * (text_count > 1 ? MAX_BASE_WORDS_OF_MANY : MAX_BASE_WORDS);
}

bool char_matches_open(CharMatches *matches, size_t max_unit, const unsigned char *units, size_t length)
{
    size_t words = length <= WORD_BITS ? 1 : words_of_bits(length);
    if (!buffer_clear(&matches->positions, (max_unit + 1) * words, sizeof(uint64_t)))
        return false;
    uint64_t *positions = matches->positions.data;
    for (size_t word = 0; word < words; word++) {
        size_t start = WORD_BITS * word, count = length - start < WORD_BITS ? length - start : WORD_BITS;
        for (size_t bit = 0; bit < count; bit++)
            positions[words * units[start + bit] + word] |= UINT64_C(1) << bit;
    }
    matches->words = words;
    return true;
}

void char_matches_count(
    const CharMatches *matches, const unsigned char *units, size_t length, uint32_t shared[MAX_MATCH_ORDER])
{
    CountMatches count = count_matches_base;
#ifdef FW_AVX2
    if (has_avx2())
        count = count_matches_avx2;
#endif
    count(matches->positions.data, matches->words, units, length, shared);
}
