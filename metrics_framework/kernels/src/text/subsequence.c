#include "text/subsequence.h"

#include <string.h>

/* A word, without its first part when that has been read. */
typedef struct {
    const unsigned char *bytes;
    size_t length;
} Rest;

static size_t leading_whitespace(Rest rest) { return rest.length > 0 ? whitespace_at(rest.bytes, rest.length) : 0; }

static Rest without_start(Rest rest, size_t length) { return (Rest){rest.bytes + length, rest.length - length}; }

/* Reads the next part of a word between whitespace. Returns its length, 0 at the end. */
static size_t next_part(Rest *rest, const unsigned char **part)
{
    for (size_t space; (space = leading_whitespace(*rest)) > 0;)
        *rest = without_start(*rest, space);
    *part = rest->bytes;
    while (rest->length > 0 && leading_whitespace(*rest) == 0)
        *rest = without_start(*rest, 1);
    return (size_t)(rest->bytes - *part);
}

/* Returns the position after the next word of a text that equals some bytes, SIZE_MAX if there is none. */
static size_t after_next(
    const WordIds *ids, const WordSpan *spans, const Text *text, size_t position, const unsigned char *bytes, size_t length)
{
    for (; position < text->length; position++) {
        WordSpan span = spans[text->words[position]];
        if (span.length == length && memcmp(ids->base + span.start, bytes, length) == 0)
            return position + 1;
    }
    return SIZE_MAX;
}

bool has_plain_spaces(const unsigned char *text, size_t length)
{
    if (length == 0 || text[0] == ' ' || text[length - 1] == ' ')
        return false;
    unsigned char found = 0; /* a byte, and no branch, so that the compiler vectorizes the loop */
    for (size_t position = 0; position < length; position++) {
        unsigned char byte = text[position], next = text[position + 1];
        unsigned char is_space = byte == ' ', is_next_space = next == ' ';
        unsigned char is_other = is_ascii_whitespace(byte) | may_be_space(byte);
        found |= (unsigned char)((is_space & is_next_space) | (is_other & (is_space ^ 1)));
    }
    return found == 0;
}

static bool is_plain_subsequence(const uint32_t *words, size_t count, const Text *text)
{
    size_t found = 0;
    for (size_t position = 0; position < text->length && found < count; position++)
        found += text->words[position] == words[found];
    return found == count;
}

bool is_subsequence(const WordIds *ids, const WordSpan *spans, const uint32_t *words, size_t count, const Text *text)
{
    if (spans == NULL)
        return is_plain_subsequence(words, count, text);
    size_t position = 0;
    for (size_t word = 0; word < count; word++) {
        WordSpan span = spans[words[word]];
        Rest rest = {ids->base + span.start, span.length};
        const unsigned char *part;
        for (size_t length; (length = next_part(&rest, &part)) > 0;) {
            position = after_next(ids, spans, text, position, part, length);
            if (position == SIZE_MAX)
                return false;
        }
    }
    return true;
}
