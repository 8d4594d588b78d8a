#include "ngrams/short_overlap.h"

#include <string.h>

#include "base/bits.h"

/* Bits of positions in the short text. */
typedef struct {
    uint64_t words[OVERLAP_WORDS];
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

/* Processes a word of the other text. Bit k of `open` is 0 if the longest common subsequence of its words so far and the
   first k + 1 words of the short text is longer than that of the first k: V of Hyyrö (2004), Crochemore et al. (2001). */
static inline void continue_subsequence(Positions *open, const Positions *of_word, size_t words)
{
    unsigned char carry = 0;
    for (size_t index = 0; index < words; index++) {
        uint64_t before = open->words[index], matched = before & of_word->words[index];
        open->words[index] = add_with_carry(before, matched, &carry) | (before ^ matched);
    }
}

static inline uint32_t count_positions(const Positions *positions, size_t words)
{
    uint32_t count = 0;
    for (size_t index = 0; index < words; index++)
        count += (uint32_t)count_bits(positions->words[index]);
    return count;
}

void short_text_free(ShortText *text)
{
    buffer_free(&text->positions);
}

bool short_text_reserve(ShortText *text, size_t length, size_t word_end)
{
    text->width = words_of_bits(length);
    size_t count = text->width * word_end;
    if (count <= text->count)
        return true;
    if (!buffer_reserve(&text->positions, count, sizeof(uint64_t)))
        return false;
    memset((uint64_t *)text->positions.data + text->count, 0, (count - text->count) * sizeof(uint64_t));
    text->count = count;
    return true;
}

void short_text_set(ShortText *text, const uint32_t *words, size_t length)
{
    uint64_t *positions = text->positions.data;
    text->words = words;
    text->length = length;
    for (size_t start = 0; start < length; start += WORD_BITS, positions++)
        for (size_t index = start; index < length && index < start + WORD_BITS; index++)
            positions[words[index] * text->width] |= UINT64_C(1) << (index - start);
}

void short_text_clear(ShortText *text)
{
    uint64_t *positions = text->positions.data;
    for (size_t start = 0; start < text->length; start += WORD_BITS, positions++)
        for (size_t index = start; index < text->length && index < start + WORD_BITS; index++)
            positions[text->words[index] * text->width] = 0;
}

static inline Positions positions_of(const ShortText *text, size_t width, uint32_t word)
{
    Positions found;
    memcpy(found.words, (const uint64_t *)text->positions.data + word * width, width * sizeof *found.words);
    return found;
}

/* Each n-gram of the other text takes the first position that is left, so that the positions taken are as many as the
   smaller of its two counts. */
static inline Overlap overlap(const ShortText *text, size_t width, const uint32_t *other, size_t length, OverlapKinds kinds)
{
    Positions matched[OVERLAP_ORDERS] = {{{0}}}, ends[OVERLAP_ORDERS] = {{{0}}}, open;
    Overlap found = {{0}, 0};
    memset(&open, 0xff, sizeof open);
    for (size_t index = 0; index < length; index++) {
        Positions of_word = positions_of(text, width, other[index]);
        for (size_t order = kinds.orders - 1; order > 0; order--) {
            extend(&ends[order - 1], &of_word, width, &ends[order]);
            match_first(&matched[order], &ends[order], width);
        }
        ends[0] = of_word;
        match_first(&matched[0], &of_word, width);
        if (kinds.subsequence)
            continue_subsequence(&open, &of_word, width);
    }
    for (size_t order = 0; order < kinds.orders; order++)
        found.ngrams[order] = count_positions(&matched[order], width);
    found.subsequence = (uint32_t)(width * WORD_BITS) - count_positions(&open, width);
    return found;
}

/* `overlap` with constants, so that the compiler unrolls its loops. */
Overlap short_overlap(const ShortText *text, const uint32_t *other, size_t length, OverlapKinds kinds)
{
    bool has_bigrams = kinds.orders == 2;
    switch (has_bigrams ? text->width : 0) {
    case 1:
        return overlap(text, 1, other, length, (OverlapKinds){2, kinds.subsequence});
    case 2:
        return overlap(text, 2, other, length, (OverlapKinds){2, kinds.subsequence});
#if !defined(FW_SMALL_TABLES)
    case 3:
        return overlap(text, 3, other, length, (OverlapKinds){2, kinds.subsequence});
    case 4:
        return overlap(text, 4, other, length, (OverlapKinds){2, kinds.subsequence});
#endif
    default:
        return overlap(text, text->width, other, length, kinds);
    }
}
