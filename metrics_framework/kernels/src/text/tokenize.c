#include "text/tokenize.h"

#include <string.h>

#include "base/bits.h"
#include "text/byte_classes.h"

/* ---- changes in place ------------------------------------------------------------------------------------------- */

/* Removes marks; returns the new length. */
static size_t without_punctuation(unsigned char *text, size_t length)
{
    size_t kept = 0;
    for (size_t place = 0; place < length; place++)
        if (text[place] == 0 || strchr(".,?:;!\"()", text[place]) == NULL)
            text[kept++] = text[place];
    return kept;
}

size_t white_space_at(const unsigned char *text, size_t length)
{
    unsigned char first = text[0], second = length > 1 ? text[1] : 0, third = length > 2 ? text[2] : 0;
    if (first < 0x80)
        return is_space(first);
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

/* Makes a blank of all white space that is not ASCII; returns the new length. */
static size_t with_blanks(unsigned char *text, size_t length)
{
    size_t kept = 0, place = 0;
    while (place < length) {
        size_t space = text[place] < 0x80 ? 0 : white_space_at(text + place, length - place);
        text[kept++] = space > 0 ? ' ' : text[place];
        place += space > 0 ? space : 1;
    }
    return kept;
}

static size_t stripped(const unsigned char *text, size_t length)
{
    while (length > 0 && is_space(text[length - 1]))
        length--;
    return length;
}

/* Puts `by`, which is not longer, for each `old`, from left to right; returns the new length. */
static size_t replace(unsigned char *text, size_t length, const char *old, const char *by)
{
    size_t old_length = strlen(old), by_length = strlen(by), kept = 0, place = 0;
    while (place < length) {
        const unsigned char *found = memchr(text + place, old[0], length - place);
        size_t next = found == NULL ? length : (size_t)(found - text);
        memmove(text + kept, text + place, next - place);
        kept += next - place;
        place = next;
        if (place == length)
            break;
        if (length - place >= old_length && memcmp(text + place, old, old_length) == 0) {
            memcpy(text + kept, by, by_length);
            kept += by_length;
            place += old_length;
        } else {
            text[kept++] = text[place++];
        }
    }
    return kept;
}

/* Does what 13a does to a text before it looks at single characters. */
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

/* ---- cuts ------------------------------------------------------------------------------------------------------- */

/* Tells whether white space that is not ASCII may begin with a byte, as `white_space_at` knows it. */
static inline bool may_be_space(unsigned char byte) { return (byte == 0xc2) | ((unsigned char)(byte - 0xe1) < 3); }

/* Bytes that are counted in one go: a byte holds their number, and a compiler looks at many at once. */
enum { CHUNK = 255 };

static size_t wide_spaces_of(const unsigned char *text, size_t length)
{
    size_t all = 0;
    for (size_t start = 0; start < length; start += CHUNK) {
        size_t end = length - start < CHUNK ? length : start + CHUNK;
        unsigned char count = 0;
        for (size_t place = start; place < end; place++)
            count += may_be_space(text[place]);
        all += count;
    }
    return all;
}

size_t most_words(const unsigned char *text, size_t length, Cut cut)
{
    size_t count = wide_spaces_of(text, length);
    for (size_t start = 0; start < length; start += MASK_BYTES) {
        uint64_t found = cut == BY_13A ? others_in(text + start) : spaces_in(text + start);
        count += (size_t)count_bits(found & low_bits((int64_t)(length - start)));
    }
    return cut == BY_13A ? 1 + 2 * count : 1 + count;
}

/* Returns where the bytes of a mask of a text end, whose end counts as one of them. */
static inline uint64_t with_end(uint64_t found, size_t left)
{
    return left < MASK_BYTES ? (found & low_bits((int64_t)left)) | UINT64_C(1) << left : found;
}

static size_t cut_at_white_space(Numbers *numbers, const unsigned char *text, size_t length, uint32_t *words)
{
    size_t count = 0, start = 0;
    for (size_t base = 0; base <= length; base += MASK_BYTES) {
        uint64_t ends = with_end(spaces_in(text + base), length - base);
        for (; ends != 0; ends &= ends - 1) {
            size_t place = base + (size_t)lowest_bit(ends);
            if (place > start)
                words[count++] = number_of(numbers, text + start, place - start);
            start = place + 1;
        }
    }
    return count;
}

static size_t cut_at_each_blank(Numbers *numbers, const unsigned char *text, size_t length, uint32_t *words)
{
    size_t count = 0, start = 0;
    for (;;) {
        const unsigned char *found = memchr(text + start, ' ', length - start);
        size_t end = found == NULL ? length : (size_t)(found - text);
        words[count++] = number_of(numbers, text + start, end - start);
        if (found == NULL)
            return count;
        start = end + 1;
    }
}

/* Kinds of bytes. */
enum { LETTER, DIGIT, HYPHEN, SPACE, SYMBOL, MARK };

static const unsigned char KINDS[256] = {
    ['\t'] = SPACE,  ['\n'] = SPACE,  ['\v'] = SPACE, ['\f'] = SPACE, ['\r'] = SPACE, [0x1c] = SPACE, [0x1d] = SPACE,
    [0x1e] = SPACE,  [0x1f] = SPACE,  [' '] = SPACE,  ['!'] = SYMBOL, ['"'] = SYMBOL, ['#'] = SYMBOL, ['$'] = SYMBOL,
    ['%'] = SYMBOL,  ['&'] = SYMBOL,  ['('] = SYMBOL, [')'] = SYMBOL, ['*'] = SYMBOL, ['+'] = SYMBOL, [','] = MARK,
    ['-'] = HYPHEN,  ['.'] = MARK,    ['/'] = SYMBOL, ['0'] = DIGIT,  ['1'] = DIGIT,  ['2'] = DIGIT,  ['3'] = DIGIT,
    ['4'] = DIGIT,   ['5'] = DIGIT,   ['6'] = DIGIT,  ['7'] = DIGIT,  ['8'] = DIGIT,  ['9'] = DIGIT,  [':'] = SYMBOL,
    [';'] = SYMBOL,  ['<'] = SYMBOL,  ['='] = SYMBOL, ['>'] = SYMBOL, ['?'] = SYMBOL, ['@'] = SYMBOL, ['['] = SYMBOL,
    ['\\'] = SYMBOL, [']'] = SYMBOL,  ['^'] = SYMBOL, ['_'] = SYMBOL, ['`'] = SYMBOL, ['{'] = SYMBOL, ['|'] = SYMBOL,
    ['}'] = SYMBOL,  ['~'] = SYMBOL,
};

/* Tells how many of the marks at a place are set apart: 0, 1 or, where only their being two does it, 2. Before and behind
   a text stands a blank. */
static size_t marks_apart(const unsigned char *text, size_t length, size_t place)
{
    int before = place == 0 ? SPACE : KINDS[text[place - 1]];
    int behind = place + 1 == length ? SPACE : KINDS[text[place + 1]];
    if (before != DIGIT && before != MARK)
        return 1;
    if (behind == MARK)
        return 2;
    return behind != DIGIT;
}

/* Tells how many bytes at a place are set apart: what no letter or digit is, and nothing of white space. */
static inline size_t apart_at(const unsigned char *text, size_t length, size_t place)
{
    switch (KINDS[text[place]]) {
    case SYMBOL:
        return 1;
    case HYPHEN:
        return place > 0 && KINDS[text[place - 1]] == DIGIT;
    case MARK:
        return marks_apart(text, length, place);
    default: /* a control character is a letter here */
        return 0;
    }
}

static size_t cut_by_13a(Numbers *numbers, const unsigned char *text, size_t length, uint32_t *words)
{
    size_t count = 0, start = 0;
    for (size_t base = 0; base <= length; base += MASK_BYTES) {
        uint64_t ends = with_end(others_in(text + base), length - base);
        for (; ends != 0; ends &= ends - 1) {
            size_t place = base + (size_t)lowest_bit(ends), apart = 0;
            if (place < start) /* a mark that was set apart with the one before it */
                continue;
            if (place < length && text[place] != ' ' && KINDS[text[place]] != SPACE) {
                apart = apart_at(text, length, place);
                if (apart == 0)
                    continue;
            }
            if (place > start)
                words[count++] = number_of(numbers, text + start, place - start);
            for (size_t mark = place; mark < place + apart; mark++)
                words[count++] = number_of(numbers, text + mark, 1);
            start = place + (apart > 0 ? apart : 1);
        }
    }
    return count;
}

size_t cut_words(CuttingRules rules, Numbers *numbers, unsigned char *text, size_t length, uint32_t *words)
{
    Kinds kinds = look_through(text, length, rules.lowercase);
    if (rules.no_punct)
        length = without_punctuation(text, length);
    if (rules.cut == AT_EACH_BLANK)
        return cut_at_each_blank(numbers, text, length, words);
    if (!kinds.only_ascii)
        length = with_blanks(text, length);
    if (rules.stripped)
        length = stripped(text, length);
    if (rules.cut == AT_WHITE_SPACE)
        return cut_at_white_space(numbers, text, length, words);
    if (kinds.replaced)
        length = prepared_for_13a(text, length);
    size_t count = cut_by_13a(numbers, text, length, words);
    if (count == 0 && rules.at_each_blank)
        words[count++] = number_of(numbers, text, 0);
    return count;
}
