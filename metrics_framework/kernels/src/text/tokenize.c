#include "text/tokenize.h"

#include <string.h>

#include "base/bits.h"
#include "text/byte_classes.h"

/* ---- changes in place -------------------------------------------------------------------------------------------- */

/* Removes punctuation; returns the new length. */
static size_t without_punctuation(unsigned char *text, size_t length)
{
    size_t kept = 0;
    for (size_t position = 0; position < length; position++)
        if (text[position] == 0 || strchr(".,?:;!\"()", text[position]) == NULL)
            text[kept++] = text[position];
    return kept;
}

size_t whitespace_at(const unsigned char *text, size_t length)
{
    unsigned char first = text[0], second = length > 1 ? text[1] : 0, third = length > 2 ? text[2] : 0;
    if (first < 0x80)
        return is_ascii_whitespace(first);
    if (first == 0xc2) /* U+0085, U+00A0 */
        return second == 0x85 || second == 0xa0 ? 2 : 0;
    if (first == 0xe1) /* U+1680 */
        return second == 0x9a && third == 0x80 ? 3 : 0;
    if (first == 0xe3) /* U+3000 */
        return second == 0x80 && third == 0x80 ? 3 : 0;
    if (first != 0xe2)
        return 0;
    if (second == 0x81) /* U+205F */
        return third == 0x9f ? 3 : 0;
    /* U+2000 to U+200A, U+2028, U+2029, U+202F */
    return second == 0x80 && ((third >= 0x80 && third <= 0x8a) || third == 0xa8 || third == 0xa9 || third == 0xaf) ? 3 : 0;
}

/* Replaces whitespace outside ASCII by spaces; returns the new length. */
static size_t with_ascii_spaces(unsigned char *text, size_t length)
{
    size_t kept = 0, position = 0;
    while (position < length) {
        size_t space = text[position] < 0x80 ? 0 : whitespace_at(text + position, length - position);
        text[kept++] = space > 0 ? ' ' : text[position];
        position += space > 0 ? space : 1;
    }
    return kept;
}

static size_t strip_end(const unsigned char *text, size_t length)
{
    while (length > 0 && is_ascii_whitespace(text[length - 1]))
        length--;
    return length;
}

/* Replaces `old` by `by`, which is not longer, from left to right; returns the new length. */
static size_t replace(unsigned char *text, size_t length, const char *old, const char *by)
{
    size_t old_length = strlen(old), by_length = strlen(by), kept = 0, position = 0;
    while (position < length) {
        const unsigned char *found = memchr(text + position, old[0], length - position);
        size_t next = found == NULL ? length : (size_t)(found - text);
        memmove(text + kept, text + position, next - position);
        kept += next - position;
        position = next;
        if (position == length)
            break;
        if (length - position >= old_length && memcmp(text + position, old, old_length) == 0) {
            memcpy(text + kept, by, by_length);
            kept += by_length;
            position += old_length;
        } else {
            text[kept++] = text[position++];
        }
    }
    return kept;
}

/* Does the replacements of 13a that precede tokenization. */
static size_t prepared_for_13a(unsigned char *text, size_t length)
{
    if (memchr(text, '<', length) != NULL)
        length = replace(text, length, "<skipped>", "");
    if (memchr(text, '\n', length) != NULL) {
        length = replace(text, length, "-\n", "");
        length = replace(text, length, "\n", " ");
    }
    if (memchr(text, '&', length) != NULL) {
        length = replace(text, length, "&quot;", "\"");
        length = replace(text, length, "&amp;", "&");
        length = replace(text, length, "&lt;", "<");
        length = replace(text, length, "&gt;", ">");
    }
    return length;
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

/* The number of bytes counted at a time: the count fits in a byte, so that the compiler vectorizes the loop. */
enum { CHUNK = 255 };

static size_t wide_spaces_of(const unsigned char *text, size_t length)
{
    size_t all = 0;
    for (size_t start = 0; start < length; start += CHUNK) {
        size_t end = length - start < CHUNK ? length : start + CHUNK;
        unsigned char count = 0;
        for (size_t position = start; position < end; position++)
            count += may_be_space(text[position]);
        all += count;
    }
    return all;
}

size_t max_words(const unsigned char *text, size_t length, Tokenization tokenization)
{
    size_t count = wide_spaces_of(text, length);
    for (size_t start = 0; start < length; start += MASK_BYTES) {
        uint64_t found = tokenization == TOKENIZER_13A ? non_alphanumeric_mask(text + start) : whitespace_mask(text + start);
        count += (size_t)count_bits(found & low_bits((int64_t)(length - start)));
    }
    return tokenization == TOKENIZER_13A ? 1 + 2 * count : 1 + count;
}

/* Adds the end of the text to a mask and removes what is beyond it. */
static inline uint64_t with_end(uint64_t found, size_t left)
{
    return left < MASK_BYTES ? (found & low_bits((int64_t)left)) | UINT64_C(1) << left : found;
}

static size_t split_at_whitespace(WordIds *ids, const unsigned char *text, size_t length, uint32_t *words)
{
    size_t count = 0, start = 0;
    for (size_t base = 0; base <= length; base += MASK_BYTES) {
        uint64_t ends = with_end(whitespace_mask(text + base), length - base);
        for (; ends != 0; ends &= ends - 1) {
            size_t position = base + (size_t)lowest_bit(ends);
            if (position > start)
                words[count++] = word_id(ids, text + start, position - start);
            start = position + 1;
        }
    }
    return count;
}

static size_t split_at_spaces(WordIds *ids, const unsigned char *text, size_t length, uint32_t *words)
{
    size_t count = 0, start = 0;
    for (;;) {
        const unsigned char *found = memchr(text + start, ' ', length - start);
        size_t end = found == NULL ? length : (size_t)(found - text);
        words[count++] = word_id(ids, text + start, end - start);
        if (found == NULL)
            return count;
        start = end + 1;
    }
}

/* Byte classes. */
enum { LETTER, DIGIT, HYPHEN, SPACE, SYMBOL, PERIOD };

static const unsigned char CLASSES[256] = {
    ['\t'] = SPACE,  ['\n'] = SPACE,  ['\v'] = SPACE, ['\f'] = SPACE, ['\r'] = SPACE, [0x1c] = SPACE, [0x1d] = SPACE,
    [0x1e] = SPACE,  [0x1f] = SPACE,  [' '] = SPACE,  ['!'] = SYMBOL, ['"'] = SYMBOL, ['#'] = SYMBOL, ['$'] = SYMBOL,
    ['%'] = SYMBOL,  ['&'] = SYMBOL,  ['('] = SYMBOL, [')'] = SYMBOL, ['*'] = SYMBOL, ['+'] = SYMBOL, [','] = PERIOD,
    ['-'] = HYPHEN,  ['.'] = PERIOD,    ['/'] = SYMBOL, ['0'] = DIGIT,  ['1'] = DIGIT,  ['2'] = DIGIT,  ['3'] = DIGIT,
    ['4'] = DIGIT,   ['5'] = DIGIT,   ['6'] = DIGIT,  ['7'] = DIGIT,  ['8'] = DIGIT,  ['9'] = DIGIT,  [':'] = SYMBOL,
    [';'] = SYMBOL,  ['<'] = SYMBOL,  ['='] = SYMBOL, ['>'] = SYMBOL, ['?'] = SYMBOL, ['@'] = SYMBOL, ['['] = SYMBOL,
    ['\\'] = SYMBOL, [']'] = SYMBOL,  ['^'] = SYMBOL, ['_'] = SYMBOL, ['`'] = SYMBOL, ['{'] = SYMBOL, ['|'] = SYMBOL,
    ['}'] = SYMBOL,  ['~'] = SYMBOL,
};

/* Returns how many periods and commas at a position are separate words: 0, 1, or 2 if the rule needs a pair. The text
   is treated as if it were between spaces. */
static size_t separate_periods(const unsigned char *text, size_t length, size_t position)
{
    int before = position == 0 ? SPACE : CLASSES[text[position - 1]];
    int after = position + 1 == length ? SPACE : CLASSES[text[position + 1]];
    if (before != DIGIT && before != PERIOD)
        return 1;
    if (after == PERIOD)
        return 2;
    return after != DIGIT;
}

/* Returns the number of bytes at a position that are separate words. */
static inline size_t separate_bytes_at(const unsigned char *text, size_t length, size_t position)
{
    switch (CLASSES[text[position]]) {
    case SYMBOL:
        return 1;
    case HYPHEN:
        return position > 0 && CLASSES[text[position - 1]] == DIGIT;
    case PERIOD:
        return separate_periods(text, length, position);
    default: /* control characters are letters here */
        return 0;
    }
}

static size_t tokenize_13a(WordIds *ids, const unsigned char *text, size_t length, uint32_t *words)
{
    size_t count = 0, start = 0;
    for (size_t base = 0; base <= length; base += MASK_BYTES) {
        uint64_t ends = with_end(non_alphanumeric_mask(text + base), length - base);
        for (; ends != 0; ends &= ends - 1) {
            size_t position = base + (size_t)lowest_bit(ends), apart = 0;
            if (position < start) /* the second of two separated periods */
                continue;
            if (position < length && text[position] != ' ' && CLASSES[text[position]] != SPACE) {
                apart = separate_bytes_at(text, length, position);
                if (apart == 0)
                    continue;
            }
            if (position > start)
                words[count++] = word_id(ids, text + start, position - start);
            for (size_t mark = position; mark < position + apart; mark++)
                words[count++] = word_id(ids, text + mark, 1);
            start = position + (apart > 0 ? apart : 1);
        }
    }
    return count;
}

size_t tokenize(TokenizeRules rules, WordIds *ids, unsigned char *text, size_t length, uint32_t *words)
{
    ByteScan scan = scan_bytes(text, length, rules.lowercase);
    if (rules.no_punct)
        length = without_punctuation(text, length);
    if (rules.tokenization == SINGLE_SPACES)
        return split_at_spaces(ids, text, length, words);
    if (!scan.only_ascii)
        length = with_ascii_spaces(text, length);
    if (rules.strip_end)
        length = strip_end(text, length);
    if (rules.tokenization == WHITESPACE)
        return split_at_whitespace(ids, text, length, words);
    if (scan.may_have_replacements)
        length = prepared_for_13a(text, length);
    size_t count = tokenize_13a(ids, text, length, words);
    if (count == 0 && rules.single_spaces)
        words[count++] = word_id(ids, text, 0);
    return count;
}
