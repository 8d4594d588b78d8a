#include "ngrams/clipped_matches.h"

#include <string.h>

#include "base/bits.h"

/* Bits of positions in the first text. */
typedef struct {
    uint64_t words[MATCH_WORDS];
} Positions;

/* Finds where n-grams end with a word, given where those that are one word shorter end before it. */
static inline void extend(const Positions *shorter, const Positions *of_word, size_t words, Positions *ends)
{
    uint64_t carry = 0;
    for (size_t index = 0; index < words; index++) {
        uint64_t before = shorter->words[index];
        ends->words[index] = (before << 1 | carry) & of_word->words[index];
        carry = before >> (WORD_BITS - 1);
    }
}

/* Adds the first position that has not been matched, if there is one. */
static inline void match_first(Positions *matched, const Positions *ends, size_t words)
{
    uint64_t none_before = 1;
    for (size_t index = 0; index < words; index++) {
        uint64_t left = ends->words[index] & ~matched->words[index];
        matched->words[index] |= left & (~left + none_before);
        none_before &= left == 0;
    }
}

/* Each n-gram of the second text takes the first position that is left, so that the positions taken are as many as the
   smaller of its two counts. */
static inline void match(
    const Masks *positions, size_t words, const uint32_t *text, size_t length, size_t orders, Positions *matched)
{
    const uint64_t *masks = positions->words.data;
    Positions ends[MATCH_ORDERS] = {{{0}}}, of_word;
    for (size_t index = 0; index < length; index++) {
        for (size_t word = 0; word < words; word++)
            of_word.words[word] = masks[word * positions->kinds + text[index]];
        for (size_t order = orders - 1; order > 0; order--) {
            extend(&ends[order - 1], &of_word, words, &ends[order]);
            match_first(&matched[order], &ends[order], words);
        }
        ends[0] = of_word;
        match_first(&matched[0], &of_word, words);
    }
}

/* `match` with constants, so that the compiler unrolls its loops. */
static void match_unrolled(
    const Masks *positions, size_t words, const uint32_t *text, size_t length, size_t orders, Positions *matched)
{
    bool is_usual = orders == 2;
    if (words == 1 && is_usual)
        match(positions, 1, text, length, 2, matched);
    else if (words == 2 && is_usual)
        match(positions, 2, text, length, 2, matched);
    else if (is_usual)
        match(positions, MATCH_WORDS, text, length, 2, matched);
    else
        match(positions, words, text, length, orders, matched);
}

void count_clipped_matches(
    const Masks *positions, size_t words, const uint32_t *text, size_t length, size_t orders, uint32_t *counts)
{
    Positions matched[MATCH_ORDERS] = {{{0}}};
    match_unrolled(positions, words, text, length, orders, matched);
    for (size_t order = 0; order < orders; order++) {
        counts[order] = 0;
        for (size_t word = 0; word < words; word++)
            counts[order] += (uint32_t)count_bits(matched[order].words[word]);
    }
}
