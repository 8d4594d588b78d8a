#include "text/lines.h"

#include "text/nltk_porter.h"
#include "text/runs.h"

enum { SHORTEST_STEMMED = 4 };

void lines_free(Lines *lines)
{
    stem_cache_free(&lines->stems);
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
        && word_ids_reset(&lines->word_ids, group->bytes, 64 + size / 5);
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

/* Replaces words by their stems, which start at the same place. */
static void stem_words(Lines *lines, unsigned char *bytes, uint32_t *edges, size_t count)
{
    for (size_t index = 0; index < 2 * count; index += 2) {
        size_t length = edges[index + 1] - edges[index];
        if (length >= SHORTEST_STEMMED)
            edges[index + 1] = edges[index] + (uint32_t)cached_stem(&lines->stems, nltk_stem, bytes + edges[index], length);
    }
}

/* Appends the words of a line. Returns false if out of memory or interrupted. */
static bool tokenize_line(Lines *lines, unsigned char *bytes, size_t size, bool use_stemmer, Interrupt *interrupt)
{
    uint32_t edges[RUN_BLOCK + 2];
    size_t open = 0; /* 1 if a run that has not ended is before a block */
    for (size_t start = 0; start < size; start += RUN_BLOCK) {
        size_t count = open + find_runs(bytes, size, start, open, edges + open);
        if (size - start <= RUN_BLOCK && count % 2 != 0)
            edges[count++] = (uint32_t)size;
        if (!word_ids_have_space(&lines->word_ids, count / 2) && !word_ids_reserve(&lines->word_ids, count / 2, interrupt))
            return false;
        if (use_stemmer)
            stem_words(lines, bytes, edges, count / 2);
        word_ids_of(&lines->word_ids, bytes, edges, count / 2, (uint32_t *)lines->ids.data + lines->word_count);
        lines->word_count += count / 2;
        open = count % 2;
        edges[0] = open ? edges[count - 1] : 0;
    }
    return true;
}

static bool tokenize_text(
    Lines *lines, LinedText *text, unsigned char *bytes, size_t size, bool use_stemmer, Interrupt *interrupt)
{
    for (size_t start = 0; start < size;) {
        const unsigned char *feed = memchr(bytes + start, '\n', size - start);
        size_t length = feed == NULL ? size - start : (size_t)(feed - bytes) - start, before = lines->word_count;
        if (!tokenize_line(lines, bytes + start, length, use_stemmer, interrupt) || !end_line(lines, text, before))
            return false;
        start += length + 1;
    }
    text->words.length = lines->word_count - text->words.start;
    return true;
}

/* Replaces each Kelvin sign by a k, and the bytes that are left at the end by spaces. */
static void lower_kelvin_signs(unsigned char *bytes, size_t size)
{
    static const unsigned char KELVIN[] = {0xe2, 0x84, 0xaa};
    const unsigned char *end = bytes + size, *from = bytes, *next;
    unsigned char *to = NULL;
    while ((next = memchr(from, KELVIN[0], (size_t)(end - from))) != NULL) {
        bool is_kelvin = end - next >= 3 && memcmp(next, KELVIN, sizeof KELVIN) == 0;
        const unsigned char *after = next + (is_kelvin ? 3 : 1);
        if (to != NULL || is_kelvin) {
            to = to == NULL ? bytes + (from - bytes) : to; /* the same place, not constant */
            memmove(to, from, (size_t)(next - from));
            to += next - from;
            *to++ = is_kelvin ? 'k' : KELVIN[0];
        }
        from = after;
    }
    if (to == NULL)
        return;
    memmove(to, from, (size_t)(end - from));
    to += end - from;
    memset(to, ' ', (size_t)(end - to));
}

/* Lower-cases what words can have. Of the letters outside ASCII, only two become letters of words: the Kelvin sign, and a
   capital I with a dot, which becomes an i and a dot. */
static void lower_text(unsigned char *bytes, size_t size)
{
    if (scan_bytes(bytes, size, true).only_ascii)
        return;
    unsigned char *end = bytes + size, *dotted = bytes;
    while (end - dotted >= 2 && (dotted = memchr(dotted, 0xc4, (size_t)(end - dotted) - 1)) != NULL) {
        if (dotted[1] == 0xb0)
            *dotted = 'i';
        dotted++;
    }
    lower_kelvin_signs(bytes, size);
}

bool lines_tokenize(Lines *lines, const TextGroup *group, bool use_stemmer, Interrupt *interrupt)
{
    size_t count = group->summary_count + group->reference_count, start = 0, line_count = 0;
    if (!reserve(lines, group) || (use_stemmer && !stem_cache_prepare(&lines->stems)))
        return false;
    lines->word_count = 0;
    for (size_t index = 0; index < count; index++) {
        size_t size = group->ends[index] - start;
        unsigned char *bytes = group->bytes + start;
        LinedText *text = (LinedText *)lines->texts.data + index;
        *text = (LinedText){{lines->word_count, 0}, {line_count, 0}};
        lower_text(bytes, size);
        if (!tokenize_text(lines, text, bytes, size, use_stemmer, interrupt))
            return false;
        line_count += text->lines.length;
        start += size;
        interrupt->work += 4 * size;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}
