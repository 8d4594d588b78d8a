#include "lcs/lcs.h"

#include <string.h>

#include "base/bits.h"

/* So many 64-bit words of the pattern are worked out together: while one waits for its sum, the others go on. */
enum { STRIPE_WORDS = 4 };

void subsequences_free(Subsequences *subsequences)
{
    masks_free(&subsequences->masks);
    alphabet_free(&subsequences->alphabet);
    buffer_free(&subsequences->carries);
}

/* ---- a stripe --------------------------------------------------------------------------------------------------- */

static inline uint64_t add(uint64_t first, uint64_t second, uint64_t *carry)
{
    uint64_t sum = first + second, total = sum + *carry;
    *carry = (uint64_t)(sum < first) | (uint64_t)(total < sum);
    return total;
}

/* Goes on by 1 to 64 symbols of the text. Bit k of `open` is 0 where the length of the best subsequence of the pattern as far as
   symbol k is greater than that of one as far as the symbol before: V of Hyyrö (2004), Crochemore and others (2001). Takes
   what is carried into the first word, and returns what is carried out of the last one, by symbol of the text. */
static inline uint64_t run(uint64_t *open, const uint64_t *masks, size_t kinds, size_t words, const Symbols *text, uint64_t in)
{
    uint64_t own[STRIPE_WORDS], out = 0;
    memcpy(own, open, words * sizeof *own);
    for (size_t place = 0; place < text->length; place++) {
        uint64_t carry = in >> place & 1;
        const uint64_t *mask = masks + symbol_at(text, place);
        for (size_t word = 0; word < words; word++) {
            uint64_t matched = own[word] & mask[word * kinds];
            own[word] = add(own[word], matched, &carry) | (own[word] & ~matched);
        }
        out |= carry << place;
    }
    memcpy(open, own, words * sizeof *own);
    return out;
}

/* The same, with a number of words that the compiler knows. */
static uint64_t run_words(uint64_t *open, const uint64_t *masks, size_t kinds, size_t words, const Symbols *text, uint64_t in)
{
    switch (words) {
    case 1:
        return run(open, masks, kinds, 1, text, in);
    case 2:
        return run(open, masks, kinds, 2, text, in);
    case 3:
        return run(open, masks, kinds, 3, text, in);
    default:
        return run(open, masks, kinds, STRIPE_WORDS, text, in);
    }
}

/* Takes a stripe of the pattern through the text; adds to the length. Returns false where the watch is stopped. */
static bool run_stripe(Subsequences *subsequences, const Symbols *pattern, const Symbols *text, Watch *watch, size_t *length)
{
    uint64_t open[STRIPE_WORDS], *carries = subsequences->carries.data;
    size_t words = words_of_bits(pattern->length);
    memset(open, 0xff, sizeof open);
    for (size_t start = 0; start < text->length; start += WORD_BITS) {
        size_t left = text->length - start;
        Symbols some = part_of(text, start, left < WORD_BITS ? left : WORD_BITS);
        uint64_t *carry = &carries[start / WORD_BITS];
        *carry = run_words(open, subsequences->masks.words.data, subsequences->masks.kinds, words, &some, *carry);
        watch->work += WORD_BITS + 2 * WORD_BITS * words;
        if (is_stopped(watch))
            return false;
    }
    for (size_t word = 0; word < words; word++)
        *length += (size_t)count_bits(~open[word] & low_bits((int64_t)pattern->length - (int64_t)(WORD_BITS * word)));
    return true;
}

/* ---- a pair ----------------------------------------------------------------------------------------------------- */

/* Makes all symbols small numbers; writes a number above them. */
static bool number_symbols(Subsequences *subsequences, Symbols *pattern, Symbols *text, size_t *kinds)
{
    *kinds = 256;
    if (pattern->width == 1 && text->width == 1)
        return true;
    if (!alphabet_translate(&subsequences->alphabet, pattern, text))
        return false;
    *kinds = (size_t)subsequences->alphabet.used + 1;
    return true;
}

static bool prepare(Subsequences *subsequences, Symbols *pattern, Symbols *text)
{
    size_t kinds, words = words_of_bits(text->length);
    if (!number_symbols(subsequences, pattern, text, &kinds) || !masks_reserve(&subsequences->masks, STRIPE_WORDS, kinds)
        || !buffer_reserve(&subsequences->carries, words, sizeof(uint64_t)))
        return false;
    memset(subsequences->carries.data, 0, words * sizeof(uint64_t));
    return true;
}

/* `first` is the pattern, whose stripes go through the text one after the other. */
bool subsequence_length(Subsequences *subsequences, Symbols first, Symbols second, Watch *watch, size_t *length)
{
    const size_t rows = STRIPE_WORDS * WORD_BITS, whole = first.length;
    cut_common(&first, &second);
    *length = whole - first.length;
    if (first.length == 0 || second.length == 0)
        return true;
    if (!prepare(subsequences, &first, &second))
        return false;
    for (size_t start = 0; start < first.length; start += rows) {
        size_t left = first.length - start;
        Symbols stripe = part_of(&first, start, left < rows ? left : rows);
        masks_set(&subsequences->masks, &stripe);
        bool done = run_stripe(subsequences, &stripe, &second, watch, length);
        masks_clear(&subsequences->masks, &stripe);
        if (!done)
            return false;
    }
    return true;
}
