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

/* The last bit of a mask. */
enum { LAST = WORD_BITS - 1 };

/* Returns the masks from a position on; what follows the text counts as whitespace. */
static inline PunctuationMasks masks_at(const unsigned char *text, size_t length, size_t position)
{
    PunctuationMasks found = punctuation_masks(text + position);
    uint64_t inside = low_bits((int64_t)length - (int64_t)position);
    return (PunctuationMasks){
        found.digits & inside, found.spaces | ~inside, found.hyphens & inside, found.periods & inside, found.symbols & inside};
}

/* Returns whether a period or comma that follows others and precedes a digit belongs to the word of the digit. The rule
   for periods after digits or periods takes pairs from left to right, so it depends on how many there are. */
static bool is_left_over(const unsigned char *text, size_t position)
{
    size_t start = position;
    while (start > 0 && (text[start - 1] == '.' || text[start - 1] == ','))
        start--;
    bool follows_digit = start > 0 && (unsigned char)(text[start - 1] - '0') <= 9;
    return ((position - start) % 2 == 0) == follows_digit;
}

/* Returns a mask of the bytes from `base` on that are separate words. */
static inline uint64_t separate_mask(
    const unsigned char *text, size_t base, const PunctuationMasks *before, const PunctuationMasks *own,
    const PunctuationMasks *next)
{
    uint64_t after_digit = own->digits << 1 | before->digits >> LAST, after_period = own->periods << 1 | before->periods >> LAST;
    uint64_t in_front_of_digit = own->periods & (own->digits >> 1 | next->digits << LAST);
    uint64_t inside = in_front_of_digit & after_digit; /* numbers */
    for (uint64_t left = in_front_of_digit & after_period; left != 0; left &= left - 1)
        if (is_left_over(text, base + (size_t)lowest_bit(left)))
            inside |= left & (0 - left);
    return own->symbols | (own->hyphens & after_digit) | (own->periods & ~inside);
}

/* Finds the first and last bytes of words in masks of 64 bytes. A word that does not end in them is open in the next. */
static size_t tokenize_13a(WordIds *ids, const unsigned char *text, size_t length, uint32_t *words)
{
    PunctuationMasks before = {0}, own = masks_at(text, length, 0), next;
    uint64_t inside_before = 0, separate_before = 0;
    size_t count = 0, start = 0;
    for (size_t base = 0; base <= length; base += MASK_BYTES) {
        next = base + MASK_BYTES <= length ? masks_at(text, length, base + MASK_BYTES) : (PunctuationMasks){0};
        uint64_t separate = separate_mask(text, base, &before, &own, &next), inside = ~(own.spaces | separate);
        uint64_t after_inside = inside << 1 | inside_before, after_separate = separate << 1 | separate_before;
        uint64_t starts = (inside & ~after_inside) | separate, ends = (~inside & after_inside) | after_separate;
        for (bool is_open = (inside_before | separate_before) != 0; ends != 0; ends &= ends - 1, is_open = false) {
            if (!is_open) {
                start = base + (size_t)lowest_bit(starts);
                starts &= starts - 1;
            }
            words[count++] = word_id(ids, text + start, base + (size_t)lowest_bit(ends) - start);
        }
        if (starts != 0)
            start = base + (size_t)lowest_bit(starts);
        inside_before = inside >> LAST;
        separate_before = separate >> LAST;
        before = own;
        own = next;
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
