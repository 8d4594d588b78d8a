#include "lcs/lcs.h"

#include <string.h>

#include "base/bits.h"

/* The number of 64-bit words of the pattern that are computed together: while one waits for its sum, the others
   proceed. */
enum { STRIPE_WORDS = 4 };

void lcs_free(Lcs *lcs)
{
    masks_free(&lcs->masks);
    symbol_ids_free(&lcs->symbol_ids);
    buffer_free(&lcs->carries);
    buffer_free(&lcs->occurs);
}

/* ---- stripes ----------------------------------------------------------------------------------------------------- */

static inline uint64_t add(uint64_t first, uint64_t second, uint64_t *carry)
{
    uint64_t sum = first + second, total = sum + *carry;
    *carry = (uint64_t)(sum < first) | (uint64_t)(total < sum);
    return total;
}

/* Returns which of 1 to 64 symbols of the text may change `open`: those that occur in the stripe, and those with a carry. */
static uint64_t active_symbols(const unsigned char *occurs, const Symbols *text, uint64_t in)
{
    uint64_t active = 0;
    for (size_t position = 0; position < text->length; position++)
        active |= (uint64_t)occurs[symbol_at(text, position)] << position;
    return active | in;
}

/* Processes a symbol of the text; `*carry` is the carry into the first word, and then the one out of the last. Bit k of
   `open` is 0 if the LCS of the text and the first k + 1 symbols of the pattern is longer than that of the first k: V of
   Hyyrö (2004), Crochemore et al. (2001). */
static inline void process(uint64_t *open, const uint64_t *mask, size_t kinds, size_t words, uint64_t *carry)
{
    for (size_t word = 0; word < words; word++) {
        uint64_t matched = open[word] & mask[word * kinds];
        open[word] = add(open[word], matched, carry) | (open[word] & ~matched);
    }
}

/* Processes 1 to 64 symbols of the text, those of `active`. Bit j of `in` is the carry into the first word for symbol j;
   returns the carries out of the last word. */
static inline uint64_t run(
    uint64_t *open, const uint64_t *masks, size_t kinds, size_t words, const Symbols *text, uint64_t active, uint64_t in)
{
    uint64_t own[STRIPE_WORDS], out = 0;
    bool is_sparse = active != low_bits((int64_t)text->length);
    memcpy(own, open, words * sizeof *own);
    for (size_t position = 0; !is_sparse && position < text->length; position++) {
        uint64_t carry = in >> position & 1;
        process(own, masks + symbol_at(text, position), kinds, words, &carry);
        out |= carry << position;
    }
    for (; is_sparse && active != 0; active &= active - 1) {
        size_t position = (size_t)lowest_bit(active);
        uint64_t carry = in >> position & 1;
        process(own, masks + symbol_at(text, position), kinds, words, &carry);
        out |= carry << position;
    }
    memcpy(open, own, words * sizeof *own);
    return out;
}

/* `run` with a constant number of words, so that the compiler unrolls its loops. */
static uint64_t run_words(
    uint64_t *open, const uint64_t *masks, size_t kinds, size_t words, const Symbols *text, uint64_t active, uint64_t in)
{
    switch (words) {
    case 1:
        return run(open, masks, kinds, 1, text, active, in);
    case 2:
        return run(open, masks, kinds, 2, text, active, in);
    case 3:
        return run(open, masks, kinds, 3, text, active, in);
    default:
        return run(open, masks, kinds, STRIPE_WORDS, text, active, in);
    }
}

/* Runs one stripe of the pattern over the whole text and adds to `*length`. Returns false if interrupted. */
static bool run_stripe(Lcs *lcs, const Symbols *pattern, const Symbols *text, Interrupt *interrupt, size_t *length)
{
    uint64_t open[STRIPE_WORDS], *carries = lcs->carries.data;
    size_t words = words_of_bits(pattern->length);
    memset(open, 0xff, sizeof open);
    for (size_t start = 0; start < text->length; start += WORD_BITS) {
        size_t left = text->length - start;
        Symbols some = part_of(text, start, left < WORD_BITS ? left : WORD_BITS);
        uint64_t *carry = &carries[start / WORD_BITS], active = low_bits((int64_t)some.length);
        if (lcs->is_long)
            active = active_symbols(lcs->occurs.data, &some, *carry);
        *carry = run_words(open, lcs->masks.words.data, lcs->masks.kinds, words, &some, active, *carry);
        interrupt->work += WORD_BITS + 2 * (size_t)count_bits(active) * words;
        if (is_interrupted(interrupt))
            return false;
    }
    for (size_t word = 0; word < words; word++)
        *length += (size_t)count_bits(~open[word] & low_bits((int64_t)pattern->length - (int64_t)(WORD_BITS * word)));
    return true;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Replaces symbols by small ids unless they are bytes or ids below `*kinds`; writes a number above all ids to `*kinds`. */
static bool number_symbols(Lcs *lcs, Symbols *pattern, Symbols *text, size_t *kinds)
{
    if (*kinds > 0)
        return true;
    *kinds = 256;
    if (pattern->width == 1 && text->width == 1)
        return true;
    if (!symbol_ids_translate(&lcs->symbol_ids, pattern, text))
        return false;
    *kinds = (size_t)lcs->symbol_ids.used + 1;
    return true;
}

static bool prepare(Lcs *lcs, Symbols *pattern, Symbols *text, size_t kinds)
{
    size_t words = words_of_bits(text->length);
    if (!number_symbols(lcs, pattern, text, &kinds) || !masks_reserve(&lcs->masks, STRIPE_WORDS, kinds)
        || !buffer_reserve(&lcs->carries, words, sizeof(uint64_t)))
        return false;
    lcs->is_long = pattern->length > STRIPE_WORDS * WORD_BITS;
    if (lcs->is_long && !buffer_clear(&lcs->occurs, kinds, 1))
        return false;
    memset(lcs->carries.data, 0, words * sizeof(uint64_t));
    return true;
}

/* Sets or clears the marks of the symbols of a stripe. */
static void mark_symbols(Lcs *lcs, const Symbols *stripe, unsigned char mark)
{
    unsigned char *occurs = lcs->occurs.data;
    for (size_t position = 0; lcs->is_long && position < stripe->length; position++)
        occurs[symbol_at(stripe, position)] = mark;
}

/* `first` is the pattern; its stripes run over the text one after another. */
bool lcs_length(Lcs *lcs, Symbols first, Symbols second, size_t kinds, Interrupt *interrupt, size_t *length)
{
    const size_t rows = STRIPE_WORDS * WORD_BITS, whole = first.length;
    strip_common(&first, &second);
    *length = whole - first.length;
    if (first.length == 0 || second.length == 0)
        return true;
    if (!prepare(lcs, &first, &second, kinds))
        return false;
    for (size_t start = 0; start < first.length; start += rows) {
        size_t left = first.length - start;
        Symbols stripe = part_of(&first, start, left < rows ? left : rows);
        masks_set(&lcs->masks, &stripe);
        mark_symbols(lcs, &stripe, 1);
        bool done = run_stripe(lcs, &stripe, &second, interrupt, length);
        masks_clear(&lcs->masks, &stripe);
        mark_symbols(lcs, &stripe, 0);
        if (!done)
            return false;
    }
    return true;
}
