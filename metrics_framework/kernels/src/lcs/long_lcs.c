#include "lcs/long_lcs.h"

#include <string.h>

#include "base/bits.h"

/* The most 64-bit words of the pattern that are computed together, which fit into the smallest cache with the mask of a
   symbol, and the words that a loop is unrolled for. FW_SMALL_TABLES lets tests cover several stripes. */
#ifdef FW_SMALL_TABLES
enum { MOST_WORDS = 3, WORDS_AT_ONCE = 1 };
#else
enum { MOST_WORDS = 1024, WORDS_AT_ONCE = 4 };
#endif

/* A symbol that occurs more often than once in this number of words of the pattern is frequent. */
enum { WORDS_PER_OCCURRENCE = 2 };

/* Where a symbol occurs in a stripe of the pattern. */
typedef struct {
    uint32_t count; /* of its occurrences */
    uint32_t start; /* in `positions`, or of its mask in `masks`, counted in masks */
} SymbolRow;

/* A stripe. Bit k of `open` is 0 if the LCS of the text and the first k + 1 symbols of the pattern is longer than that of
   the first k: V of Hyyrö (2004), Crochemore et al. (2001). */
typedef struct {
    uint64_t open[MOST_WORDS + 1]; /* the bit after the last word is the carry out of it */
    size_t words;
    size_t least_frequent; /* how often a frequent symbol occurs at least */
    const SymbolRow *rows;
    const uint32_t *positions;
    const uint64_t *masks;
} Stripe;

void long_lcs_free(LongLcs *memory)
{
    buffer_free(&memory->rows);
    buffer_free(&memory->positions);
    buffer_free(&memory->masks);
    buffer_free(&memory->carries);
}

/* ---- symbols of the text ----------------------------------------------------------------------------------------- */

/* Processes a frequent symbol, from the first word to the last. */
static void add_mask(Stripe *stripe, const uint64_t *mask, unsigned char carry)
{
    uint64_t *open = stripe->open;
    for (size_t start = 0; start < stripe->words; start += WORDS_AT_ONCE, open += WORDS_AT_ONCE, mask += WORDS_AT_ONCE) {
        uint64_t matched[WORDS_AT_ONCE], sums[WORDS_AT_ONCE];
        for (size_t word = 0; word < WORDS_AT_ONCE; word++)
            matched[word] = open[word] & mask[word];
        for (size_t word = 0; word < WORDS_AT_ONCE; word++)
            sums[word] = add_with_carry(open[word], matched[word], &carry);
        for (size_t word = 0; word < WORDS_AT_ONCE; word++)
            open[word] = sums[word] | (open[word] ^ matched[word]);
    }
    *open = carry;
}

/* Adds the carry into a word: the lowest bit that is 0 becomes 1, if need be in a later word. */
static inline void add_carry(uint64_t *open, uint64_t carry)
{
    uint64_t sum = *open + carry;
    *open |= sum;
    while (sum < carry) {
        sum = *++open + 1;
        *open |= sum;
    }
}

/* Processes a rare symbol, from the last position to the first: a carry is added to words that are done. */
static void add_positions(Stripe *stripe, const uint32_t *positions, size_t count, unsigned char carry)
{
    uint64_t *open = stripe->open;
    open[stripe->words] = 0;
    for (size_t index = 0; index < count; index++) {
        uint64_t *word = &open[positions[index] / WORD_BITS], before = *word;
        uint64_t matched = before & UINT64_C(1) << positions[index] % WORD_BITS, sum = before + matched;
        *word = sum | (before & ~matched);
        add_carry(word + 1, sum < before);
    }
    add_carry(open, carry);
}

/* Runs a stripe over the whole text. Returns false if interrupted. */
static bool run(Stripe *stripe, const Symbols *text, unsigned char *carries, Interrupt *interrupt)
{
    for (size_t position = 0; position < text->length; position++) {
        SymbolRow row = stripe->rows[symbol_at(text, position)];
        if (row.count >= stripe->least_frequent)
            add_mask(stripe, stripe->masks + row.start * stripe->words, carries[position]);
        else
            add_positions(stripe, stripe->positions + row.start, row.count, carries[position]);
        carries[position] = (unsigned char)stripe->open[stripe->words];
        interrupt->work += 1 + stripe->words / 8;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

/* ---- stripes of the pattern -------------------------------------------------------------------------------------- */

/* Counts the symbols of a stripe; returns how many are frequent. */
static size_t count_symbols(SymbolRow *rows, const Symbols *pattern, size_t least_frequent)
{
    size_t frequent = 0;
    for (size_t position = 0; position < pattern->length; position++)
        frequent += ++rows[symbol_at(pattern, position)].count == least_frequent;
    return frequent;
}

/* Writes where each symbol of a stripe occurs. A row without a start has not been met; the first ones are 1. */
static void write_rows(SymbolRow *rows, const Symbols *pattern, const Stripe *stripe, uint32_t *positions, uint64_t *masks)
{
    uint32_t end = 1, mask_count = 0;
    for (size_t position = 0; position < pattern->length; position++) {
        SymbolRow *row = &rows[symbol_at(pattern, position)];
        bool is_new = row->start == 0;
        if (row->count >= stripe->least_frequent) {
            if (is_new)
                row->start = ++mask_count;
            set_bit(masks + row->start * stripe->words, position);
        } else {
            if (is_new)
                row->start = end += row->count;
            positions[--row->start] = (uint32_t)position;
        }
    }
}

/* Prepares a stripe. Returns false if out of memory. */
static bool set_stripe(LongLcs *memory, const Symbols *pattern, Stripe *stripe)
{
    size_t words = (words_of_bits(pattern->length) + WORDS_AT_ONCE - 1) / WORDS_AT_ONCE * WORDS_AT_ONCE;
    SymbolRow *rows = memory->rows.data;
    stripe->words = words;
    stripe->least_frequent = words / WORDS_PER_OCCURRENCE + 1;
    size_t frequent = count_symbols(rows, pattern, stripe->least_frequent);
    if (!buffer_clear(&memory->masks, (frequent + 1) * words, sizeof(uint64_t)))
        return false;
    write_rows(rows, pattern, stripe, memory->positions.data, memory->masks.data);
    stripe->rows = rows;
    stripe->positions = memory->positions.data;
    stripe->masks = memory->masks.data;
    memset(stripe->open, 0xff, words * sizeof *stripe->open);
    return true;
}

static bool reserve(LongLcs *memory, size_t text_length, size_t kinds)
{
    if (kinds > memory->kinds) {
        memory->kinds = 0;
        if (!buffer_clear(&memory->rows, kinds, sizeof(SymbolRow)))
            return false;
        memory->kinds = kinds;
    }
    return buffer_reserve(&memory->positions, MOST_WORDS * WORD_BITS + 1, sizeof(uint32_t))
        && buffer_clear(&memory->carries, text_length, 1);
}

bool long_lcs_length(
    LongLcs *memory, const Symbols *pattern, const Symbols *text, size_t kinds, Interrupt *interrupt, size_t *length)
{
    const size_t most = MOST_WORDS * WORD_BITS;
    *length = 0;
    if (!reserve(memory, text->length, kinds))
        return false;
    for (size_t start = 0; start < pattern->length; start += most) {
        size_t left = pattern->length - start;
        Symbols part = part_of(pattern, start, left < most ? left : most);
        Stripe stripe;
        SymbolRow *rows = memory->rows.data;
        bool done = set_stripe(memory, &part, &stripe) && run(&stripe, text, memory->carries.data, interrupt);
        for (size_t position = 0; position < part.length; position++)
            rows[symbol_at(&part, position)] = (SymbolRow){0, 0};
        if (!done)
            return false;
        *length += count_clear_bits(stripe.open, part.length);
    }
    return true;
}
