#include "text/lines.h"

#include "text/nltk_porter.h"

enum { SHORTEST_STEMMED = 4 };

void lines_init(Lines *lines)
{
    for (const char *byte = "abcdefghijklmnopqrstuvwxyz0123456789"; *byte != 0; byte++)
        lines->word_bytes[(unsigned char)*byte] = (unsigned char)*byte;
    for (int letter = 0; letter < 26; letter++)
        lines->word_bytes['A' + letter] = lines->word_bytes['a' + letter];
}

void lines_free(Lines *lines)
{
    word_ids_free(&lines->word_ids);
    buffer_free(&lines->ids);
    buffer_free(&lines->texts);
    buffer_free(&lines->lines);
}

/* Words are separated by at least one byte, and are so short that ids and positions are 32-bit numbers; longer texts
   count as out of memory. */
static size_t max_words_of(size_t bytes) { return bytes / 2 + 1; }

static bool reserve(Lines *lines, const TextGroup *group)
{
    size_t count = group->summary_count + group->reference_count, size = group->ends[count - 1];
    return size <= INT32_MAX && buffer_reserve(&lines->texts, count, sizeof(LinedText))
        && buffer_reserve(&lines->ids, max_words_of(size) + count + SPARE_BYTES, sizeof(uint32_t))
        && word_ids_reset(&lines->word_ids, group->bytes, 128 + size / 8);
}

/* Ends a line; lines without words are ignored. Returns false if out of memory. */
static bool end_line(Lines *lines, LinedText *text, size_t start)
{
    if (start == lines->word_count)
        return true;
    size_t index = text->lines.start + text->lines.length++;
    if (!buffer_reserve(&lines->lines, index + 1, sizeof(Span)))
        return false;
    ((Span *)lines->lines.data)[index] = (Span){start, lines->word_count - start};
    return true;
}

static bool tokenize_text(Lines *lines, LinedText *text, unsigned char *bytes, size_t size, bool use_stemmer)
{
    uint32_t *ids = lines->ids.data;
    size_t line_start = lines->word_count;
    for (size_t position = 0; position < size;) {
        size_t start = position;
        unsigned char byte;
        while (position < size && (byte = lines->word_bytes[bytes[position]]) != 0)
            bytes[position++] = byte;
        size_t length = position - start;
        if (length > 0) {
            if (use_stemmer && length >= SHORTEST_STEMMED)
                length = cached_stem(&lines->stems, nltk_stem, bytes + start, length);
            ids[lines->word_count++] = word_id(&lines->word_ids, bytes + start, length);
        } else if (bytes[position++] == '\n') {
            if (!end_line(lines, text, line_start))
                return false;
            line_start = lines->word_count;
        }
    }
    text->words.length = lines->word_count - text->words.start;
    return end_line(lines, text, line_start);
}

bool lines_tokenize(Lines *lines, const TextGroup *group, bool use_stemmer, Interrupt *interrupt)
{
    size_t count = group->summary_count + group->reference_count, start = 0, line_count = 0;
    if (!reserve(lines, group))
        return false;
    lines->word_count = 0;
    for (size_t index = 0; index < count; index++) {
        size_t size = group->ends[index] - start, most = max_words_of(size);
        LinedText *text = (LinedText *)lines->texts.data + index;
        *text = (LinedText){{lines->word_count, 0}, {line_count, 0}};
        if ((!word_ids_have_space(&lines->word_ids, most) && !word_ids_reserve(&lines->word_ids, most, interrupt))
            || !tokenize_text(lines, text, group->bytes + start, size, use_stemmer))
            return false;
        line_count += text->lines.length;
        start += size;
        interrupt->work += 4 * size;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}
