#include "ngrams/units.h"

#include <string.h>

#include "base/bits.h"
#include "text/byte_classes.h"
#include "text/tokenize.h"

/* The number of bytes of a word that are copied at once. */
enum { COPIED_BYTES = 16 };

void unit_texts_free(UnitTexts *texts)
{
    word_ids_free(&texts->words);
    buffer_free(&texts->units);
    buffer_free(&texts->texts);
}

/* Decodes a code point; returns its number of bytes. */
static size_t read_code_point(const unsigned char *text, uint32_t *code)
{
    if (text[0] < 0x80) {
        *code = text[0];
        return 1;
    }
    if (text[0] < 0xe0) {
        *code = (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu);
        return 2;
    }
    if (text[0] < 0xf0) {
        *code = (text[0] & 0xfu) << 12 | (text[1] & 0x3fu) << 6 | (text[2] & 0x3fu);
        return 3;
    }
    *code = (text[0] & 7u) << 18 | (text[1] & 0x3fu) << 12 | (text[2] & 0x3fu) << 6 | (text[3] & 0x3fu);
    return 4;
}

static size_t split_characters(const unsigned char *text, size_t length, bool only_ascii, bool whitespace, uint32_t *out)
{
    size_t count = 0;
    if (only_ascii) {
        for (size_t position = 0; position < length; position++) { /* without a branch, which would be mispredicted */
            out[count] = text[position];
            count += whitespace | !is_ascii_whitespace(text[position]);
        }
        return count;
    }
    for (size_t position = 0; position < length;) {
        size_t space = whitespace ? 0 : whitespace_at(text + position, length - position);
        position += space > 0 ? space : read_code_point(text + position, &out[count++]);
    }
    return count;
}

/* Writes the characters of an ASCII text as bytes; the SPARE_BYTES after `out` may change. */
static size_t split_bytes(const unsigned char *text, size_t length, bool whitespace, unsigned char *out)
{
    if (whitespace) {
        memcpy(out, text, length);
        return length;
    }
    unsigned char *start = out;
    for (size_t position = 0; position < length; position += MASK_BYTES) {
        uint64_t inside = ~whitespace_mask(text + position) & low_bits((int64_t)(length - position));
        for (const unsigned char *word = text + position; inside != 0;) {
            int before = lowest_bit(inside);
            inside >>= before;
            word += before;
            int count = inside == ~UINT64_C(0) ? WORD_BITS : lowest_bit(~inside);
            for (int copied = 0; copied < count; copied += COPIED_BYTES)
                memcpy(out + copied, word + copied, COPIED_BYTES);
            out += count;
            word += count;
            inside = count == WORD_BITS ? 0 : inside >> count;
        }
    }
    return (size_t)(out - start);
}

static bool is_punctuation(unsigned char byte)
{
    return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`')
        || (byte >= '{' && byte <= '~');
}

/* Splits a punctuation mark off the end of a word, or else off its start. */
static size_t split_punctuation(WordIds *words, const unsigned char *word, size_t length, uint32_t *out)
{
    size_t first = length;
    if (length > 1 && is_punctuation(word[length - 1]))
        first = length - 1;
    else if (length > 1 && is_punctuation(word[0]))
        first = 1;
    out[0] = word_id(words, word, first);
    if (first == length)
        return 1;
    out[1] = word_id(words, word + first, length - first);
    return 2;
}

static size_t split_words(WordIds *words, const unsigned char *text, size_t length, uint32_t *out)
{
    size_t count = 0, start = 0;
    for (size_t position = 0; position <= length;) {
        size_t space = position == length ? 1 : whitespace_at(text + position, length - position);
        if (space == 0) {
            position++;
            continue;
        }
        if (position > start)
            count += split_punctuation(words, text + start, position - start, out + count);
        position += space;
        start = position;
    }
    return count;
}

/* Positions are 32-bit numbers; longer texts count as out of memory. */
static bool reserve(UnitTexts *texts, const TextGroup *group, size_t count, size_t size, size_t max_words_and_marks)
{
    return size <= INT32_MAX / 4 && buffer_reserve(&texts->texts, count, sizeof(Units))
        && buffer_reserve(&texts->units, size + max_words_and_marks + SPARE_BYTES, sizeof(uint32_t))
        && word_ids_reset(&texts->words, group->bytes, max_words_and_marks);
}

bool unit_texts_split(UnitTexts *texts, const TextGroup *group, UnitRules rules, Interrupt *interrupt)
{
    size_t count = group->summary_count + group->reference_count, size = group->ends[count - 1], start = 0;
    size_t max = rules.words ? 2 * (count + max_words(group->bytes, size, WHITESPACE)) : 0; /* words and punctuation marks */
    if (!reserve(texts, group, count, size, max))
        return false;
    bool are_ascii = scan_bytes(group->bytes, size, rules.lowercase).only_ascii, as_bytes = rules.bytes && are_ascii;
    uint32_t *out = texts->units.data;
    for (size_t index = 0; index < count; index++) {
        const unsigned char *text = group->bytes + start;
        size_t length = group->ends[index] - start, characters;
        Units *units = (Units *)texts->texts.data + index;
        *units = (Units){{out, NULL}, {0, 0}, as_bytes ? (unsigned char *)out : NULL};
        if (as_bytes) {
            characters = split_bytes(text, length, rules.whitespace, (unsigned char *)out);
            out += (characters + sizeof *out - 1) / sizeof *out;
        } else {
            characters = split_characters(text, length, are_ascii || only_ascii(text, length), rules.whitespace, out);
            out += characters;
        }
        if (max > MANY_WORDS
            && !word_ids_reserve(&texts->words, 2 + 2 * max_words(text, length, WHITESPACE), interrupt))
            return false;
        units->units[WORDS] = out;
        units->lengths[CHARACTERS] = characters;
        units->lengths[WORDS] = rules.words ? split_words(&texts->words, text, length, out) : 0;
        out += units->lengths[WORDS];
        start = group->ends[index];
        interrupt->work += 4 * length;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}
