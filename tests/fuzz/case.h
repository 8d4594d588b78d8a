/* Shared by the fuzzers of n-gram kernels: random groups of texts, and tokenization transcribed from its definition. */

#ifndef FW_FUZZ_CASE_H
#define FW_FUZZ_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "pairs.h"
#include "text/tokenize.h"
#include "metrics/kernel.h"

enum { MOST_TEXTS = 16, MOST_TEXT_BYTES = 4096, MOST_CODES = 8 * MOST_TEXT_BYTES, MOST_WIDTH = 64 };

/* ---- random groups ----------------------------------------------------------------------------------------------- */

typedef struct {
    unsigned char bytes[MOST_TEXTS][MOST_TEXT_BYTES];
    size_t lengths[MOST_TEXTS];
    size_t summaries, references, count; /* of texts; other texts come after the references */
} Case;

static inline size_t put_bytes(unsigned char *out, const char *bytes)
{
    size_t length = strlen(bytes);
    memcpy(out, bytes, length);
    return length;
}

/* Writes one of `kinds` characters of three bytes. */
static inline size_t put_ideograph(unsigned char *out, uint32_t kinds)
{
    uint32_t code = 0x4e00 + chance(kinds);
    out[0] = (unsigned char)(0xe0 | code >> 12);
    out[1] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
    out[2] = (unsigned char)(0x80 | (code & 0x3f));
    return 3;
}

/* Writes a word, a punctuation mark, something that 13a replaces, or whitespace. */
static inline size_t put_piece(unsigned char *out)
{
    static const char *const PIECES[] = {
        "a", "b", "c", "A", "B", "ab", "abcdefgh", "abcdefghi", "abcdefgh-abcdefgh", "1", "23", "4.5", "6,7", ".", ",", "..",
        ".,", "-", "1-2", "-\n", "\n", "<skipped>", "<skip", "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&", ";", "!", "'",
        "(", ")", "[]", "\xc3\xa9", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80", "\xed\xa0\x80", "\xe2\x80\x8b", "\xc2\xa1", "\x7f",
    };
    static const char *const SPACES[] = {
        "\t", "\n", "\v", "\f", "\r", "\x1c", "\x1f", "  ", "\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\x80",
        "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
    };
    if (chance(3) == 0)
        return put_bytes(out, chance(2) ? " " : SPACES[chance(sizeof SPACES / sizeof *SPACES)]);
    uint32_t some = chance(2) ? 6 : sizeof PIECES / sizeof *PIECES;
    if (chance(60) == 0) {
        *out = 0;
        return 1;
    }
    return put_bytes(out, PIECES[chance(some)]);
}

static inline size_t random_text(unsigned char *out)
{
    uint32_t size = chance(1000), pieces = chance(size < 900 ? 12 : size < 995 ? 40 : 160), kinds = chance(8) ? 0 : 1 + chance(400);
    bool only_spaces = chance(50) == 0;
    size_t length = 0;
    for (uint32_t piece = 0; piece < pieces; piece++) {
        if (kinds > 0 && chance(2))
            for (uint32_t turn = chance(10); turn > 0; turn--)
                length += put_ideograph(out + length, kinds);
        else if (only_spaces)
            length += put_bytes(out + length, chance(2) ? "\xe3\x80\x80" : "\xc2\x85");
        else
            length += put_piece(out + length);
    }
    return length;
}

/* Copies a text with an insertion. */
static inline size_t rewritten_text(const unsigned char *text, size_t length, unsigned char *out)
{
    unsigned char added[MOST_TEXT_BYTES];
    size_t at = chance((uint32_t)length + 1), size = chance(3) ? put_piece(added) : random_text(added);
    while (at > 0 && at < length && (text[at] & 0xc0) == 0x80) /* not within a character */
        at--;
    if (length + size > MOST_TEXT_BYTES / 2)
        size = 0;
    memcpy(out, text, at);
    memcpy(out + at, added, size);
    memcpy(out + at + size, text + at, length - at);
    return length + size;
}

static inline void make_case(Case *made, size_t others)
{
    size_t most = chance(30) ? 5 : MOST_TEXTS - others;
    made->references = 1 + chance((uint32_t)most - 1);
    made->summaries = chance((uint32_t)(most - made->references) + 1);
    made->count = made->summaries + made->references + others;
    for (size_t index = 0; index < made->count; index++)
        made->lengths[index] = index == 0 || chance(4) == 0
            ? random_text(made->bytes[index])
            : rewritten_text(made->bytes[index - 1], made->lengths[index - 1], made->bytes[index]);
}

/* Copies a case with one reference left out. */
static inline void leave_out(const Case *from, size_t reference, Case *made)
{
    size_t left_out = from->summaries + reference;
    *made = *from;
    made->references--;
    made->count--;
    for (size_t index = left_out; index < made->count; index++) {
        memcpy(made->bytes[index], from->bytes[index + 1], from->lengths[index + 1]);
        made->lengths[index] = from->lengths[index + 1];
    }
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct {
    double of[MOST_TEXTS][MOST_TEXTS + 1][MOST_WIDTH]; /* by summary and variant: all references, without the first, … */
} Vectors;

/* Measures a copy of all texts that has exactly the size promised, so that a sanitizer finds reads beyond it. */
static inline Outcome measure_all(Kernel *kernel, const Case *made, Vectors *vectors)
{
    size_t size = 0, ends[MOST_TEXTS];
    static double found[(MOST_TEXTS + 1) * MOST_WIDTH];
    for (size_t index = 0; index < made->count; index++)
        ends[index] = size += made->lengths[index];
    unsigned char *bytes = malloc(size + SPARE_BYTES);
    for (size_t index = 0; index < made->count; index++)
        memcpy(bytes + ends[index] - made->lengths[index], made->bytes[index], made->lengths[index]);
    TextGroup group = {bytes, ends, made->summaries, made->references, made->references > 1};
    size_t variants = made->references > 1 ? made->references : 0;
    Outcome outcome = kernel->open(kernel, &group);
    for (size_t summary = 0; outcome == DONE && summary < made->summaries; summary++) {
        outcome = kernel->measure(kernel, summary, found);
        for (size_t variant = 0; outcome == DONE && variant <= variants; variant++)
            memcpy(vectors->of[summary][variant], found + variant * kernel->width, kernel->width * sizeof(double));
    }
    free(bytes);
    return outcome;
}

/* Checks the matrix of all pairs. Sometimes summaries and references are the same texts. */
static inline void check_matrix(Kernel *kernel, const Case *made, long number)
{
    size_t size = 0, ends[2 * MOST_TEXTS], texts = made->summaries + made->references;
    bool is_square = made->summaries > 0 && chance(3) == 0;
    unsigned char *bytes = malloc(2 * MOST_TEXTS * MOST_TEXT_BYTES);
    for (size_t index = 0; index < (is_square ? 2 * made->summaries : texts); index++) {
        size_t text = is_square ? index % made->summaries : index;
        memcpy(bytes + size, made->bytes[text], made->lengths[text]);
        ends[index] = size += made->lengths[text];
    }
    check_pairs(
        kernel, &(TextGroup){bytes, ends, made->summaries, is_square ? made->summaries : made->references, false}, number);
    free(bytes);
}

static inline void differs(const char *what, long number, size_t position, double found, double expected)
{
    fprintf(stderr, "group %ld: %s: number %zu is %.17g, expected %.17g\n", number, what, position, found, expected);
    exit(1);
}

static inline void check_vector(const char *what, long number, const double *found, const double *expected, size_t width)
{
    for (size_t position = 0; position < width; position++)
        if (found[position] != expected[position])
            differs(what, number, position, found[position], expected[position]);
}

/* Compares the leave-one-out statistics with those of a group that never had the reference; returns the number of
   pairs. */
static inline long check_left_out(Kernel *kernel, const Case *made, const Vectors *vectors, long number)
{
    static Case less;
    static Vectors expected;
    if (made->references == 1)
        return 0;
    size_t reference = chance((uint32_t)made->references);
    leave_out(made, reference, &less);
    if (measure_all(kernel, &less, &expected) != DONE)
        exit(1);
    for (size_t summary = 0; summary < made->summaries; summary++)
        check_vector("without a reference", number, vectors->of[summary][reference + 1], expected.of[summary][0], kernel->width);
    return (long)(made->summaries * less.references);
}

static inline bool refuse(void *context)
{
    (void)context;
    return false;
}

/* Measures with allocations that fail, and with an interrupt: the kernel must stay usable. */
static inline void starve(Kernel *kernel, const Case *made, long number)
{
    static Vectors expected, found;
    allocations_left = (long)chance(40);
    Outcome outcome = measure_all(kernel, made, &found);
    allocations_left = -1;
    if (outcome == INTERRUPTED || measure_all(kernel, made, &expected) != DONE || measure_all(kernel, made, &found) != DONE)
        exit(1);
    for (size_t summary = 0; summary < made->summaries; summary++)
        check_vector("after memory failed", number, found.of[summary][0], expected.of[summary][0], kernel->width);
    kernel->interrupt.should_continue = refuse;
    kernel->interrupt.work = WORK_BETWEEN_CHECKS - chance(2000);
    measure_all(kernel, made, &found);
    kernel->free(kernel);
}

/* ---- words, by the letter ---------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t codes[MOST_CODES];
    int length;
} Codes;

typedef struct {
    int units[MOST_CODES];
    int length;
} Sequence;

static inline bool is_whitespace(uint32_t code)
{
    return (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x20) || code == 0x85 || code == 0xa0 || code == 0x1680
        || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f
        || code == 0x3000;
}

static inline void decode(const unsigned char *bytes, size_t length, bool lowercase, Codes *codes)
{
    codes->length = 0;
    for (size_t position = 0; position < length;) {
        unsigned char first = bytes[position++];
        int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        uint32_t code = more == 0 ? first : first & (0x3f >> more);
        for (; more > 0; more--)
            code = code << 6 | (bytes[position++] & 0x3f);
        codes->codes[codes->length++] = lowercase && code >= 'A' && code <= 'Z' ? code + 32 : code;
    }
}

/* Each different word of a group has a number: its index in this list. */
static Codes known_words;
static int known_starts[MOST_CODES], known_count;

static inline void forget_words(void) { known_words.length = known_count = 0; }

static inline int number_of_word(const uint32_t *word, int length)
{
    known_starts[known_count] = known_words.length; /* the end of the last word */
    for (int index = 0; index < known_count; index++)
        if (known_starts[index + 1] - known_starts[index] == length
            && memcmp(known_words.codes + known_starts[index], word, (size_t)length * sizeof *word) == 0)
            return index;
    if (known_words.length + length > MOST_CODES || known_count + 2 > MOST_CODES)
        exit(2); /* the arrays are too small */
    memcpy(known_words.codes + known_words.length, word, (size_t)length * sizeof *word);
    known_words.length += length;
    return known_count++;
}

/* Splits at whitespace, or at every space. */
static inline void split(const Codes *text, bool single_spaces, Sequence *words)
{
    int start = 0;
    words->length = 0;
    for (int position = 0; position <= text->length; position++) {
        bool ends = position == text->length || (single_spaces ? text->codes[position] == ' ' : is_whitespace(text->codes[position]));
        if (!ends)
            continue;
        if (position > start || single_spaces)
            words->units[words->length++] = number_of_word(text->codes + start, position - start);
        start = position + 1;
    }
}

#endif
