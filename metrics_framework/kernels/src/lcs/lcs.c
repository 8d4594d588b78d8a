#include "lcs/lcs.h"

#include <string.h>

#include "base/bits.h"

/* The most 64-bit words of a short pattern, and its most symbols. FW_SMALL_TABLES lets tests cover long ones. */
enum { MOST_WORDS = 4 };
#ifdef FW_SMALL_TABLES
enum { MOST_SYMBOLS = 10 };
#else
enum { MOST_SYMBOLS = MOST_WORDS * WORD_BITS };
#endif

/* The number of symbols of the text between two checks for an interrupt. */
enum { SYMBOLS_AT_ONCE = 1 << 14 };

void lcs_free(Lcs *lcs)
{
    masks_free(&lcs->masks);
    symbol_ids_free(&lcs->symbol_ids);
    long_lcs_free(&lcs->long_lcs);
}

/* Processes symbols of the text. Bit k of `open` is 0 if the LCS of the text and the first k + 1 symbols of the pattern is
   longer than that of the first k: V of Hyyrö (2004), Crochemore et al. (2001). */
static inline void run(uint64_t *open, const Masks *masks, size_t words, const Symbols *text)
{
    uint64_t own[MOST_WORDS];
    memcpy(own, open, words * sizeof *own);
    for (size_t position = 0; position < text->length; position++) {
        const uint64_t *mask = (const uint64_t *)masks->words.data + symbol_at(text, position);
        unsigned char carry = 0;
        for (size_t word = 0; word < words; word++) {
            uint64_t matched = own[word] & mask[word * masks->kinds];
            own[word] = add_with_carry(own[word], matched, &carry) | (own[word] ^ matched);
        }
    }
    memcpy(open, own, words * sizeof *own);
}

/* `run` with a constant number of words, so that the compiler unrolls its loops. */
static void run_words(uint64_t *open, const Masks *masks, size_t words, const Symbols *text)
{
    if (words == 1)
        run(open, masks, 1, text);
    else if (words == 2)
        run(open, masks, 2, text);
    else if (words == 3)
        run(open, masks, 3, text);
    else
        run(open, masks, MOST_WORDS, text);
}

/* Returns false if out of memory or interrupted. */
static bool short_lcs_length(
    Lcs *lcs, const Symbols *pattern, const Symbols *text, size_t kinds, Interrupt *interrupt, size_t *length)
{
    uint64_t open[MOST_WORDS];
    size_t words = words_of_bits(pattern->length);
    if (!masks_reserve(&lcs->masks, words, kinds))
        return false;
    memset(open, 0xff, sizeof open);
    masks_set(&lcs->masks, pattern);
    for (size_t start = 0; start < text->length && !interrupt->interrupted; start += SYMBOLS_AT_ONCE) {
        size_t left = text->length - start;
        Symbols part = part_of(text, start, left < SYMBOLS_AT_ONCE ? left : SYMBOLS_AT_ONCE);
        run_words(open, &lcs->masks, words, &part);
        interrupt->work += (1 + words) * part.length;
        is_interrupted(interrupt);
    }
    masks_clear(&lcs->masks, pattern);
    *length = count_clear_bits(open, pattern->length);
    return !interrupt->interrupted;
}

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

/* The shorter text is the pattern. */
bool lcs_length(Lcs *lcs, Symbols first, Symbols second, size_t kinds, Interrupt *interrupt, size_t *length)
{
    size_t whole = first.length, least = 0;
    strip_common(&first, &second);
    bool swapped = first.length > second.length;
    Symbols pattern = swapped ? second : first, text = swapped ? first : second;
    *length = whole - first.length;
    if (pattern.length == 0)
        return true;
    if (!number_symbols(lcs, &pattern, &text, &kinds))
        return false;
    bool is_short = pattern.length <= MOST_SYMBOLS;
    bool done = is_short ? short_lcs_length(lcs, &pattern, &text, kinds, interrupt, &least)
                         : long_lcs_length(&lcs->long_lcs, &pattern, &text, kinds, interrupt, &least);
    *length += least;
    return done;
}
