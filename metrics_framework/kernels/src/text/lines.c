#include "text/lines.h"

#include "text/nltk_porter.h"
#include "text/runs.h"

void lines_free(Lines *lines)
{
    stem_cache_return(lines->stems);
    key_ids_free(&lines->word_ids);
    word_ids_free(&lines->long_words);
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
        && key_ids_reset(&lines->word_ids, 64 + size / 5);
}

static bool prepare_stems(Lines *lines)
{
    if (lines->stems == NULL)
        lines->stems = stem_cache_take();
    return lines->stems != NULL && stem_cache_prepare(lines->stems);
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

/* Writes the key of a word of more than STORED_BYTES bytes. Returns false if out of memory or interrupted. */
static bool read_long_word(
    Lines *lines, const TextGroup *group, unsigned char *word, size_t length, bool use_stemmer, Interrupt *interrupt,
    WordKey *key)
{
    for (size_t index = 0; index < length; index++)
        word[index] |= 0x20; /* digits have this bit */
    length = use_stemmer ? nltk_stem(word, length) : length;
    if (length <= STORED_BYTES) {
        *key = key_of(word, length);
        return true;
    }
    if (!lines->has_long_words && !word_ids_reset(&lines->long_words, group->bytes, 0))
        return false;
    lines->has_long_words = true;
    if (!word_ids_have_space(&lines->long_words, 1) && !word_ids_reserve(&lines->long_words, 1, interrupt))
        return false;
    *key = (WordKey){word_id(&lines->long_words, word, length), LONG_WORD};
    return true;
}

/* Replaces words by their stems, also short ones, which are their own stems: that they are short is unpredictable. */
static void stem_words(StemCache *cache, WordKey *words, size_t count)
{
    for (size_t index = 0; index < count; index++)
        if (words[index].tail != LONG_WORD)
            words[index] = *stem_of(cache, &words[index]);
}

/* Appends the ids of the `count` words between pairs of a start and an end. Returns false if out of memory or
   interrupted. */
static bool append_words(
    Lines *lines, const TextGroup *group, unsigned char *bytes, const uint32_t *edges, size_t count, bool use_stemmer,
    Interrupt *interrupt)
{
    WordKey keys[KEY_BATCH];
    bool has_long_words = false;
    for (size_t index = 0; index < count; index++) {
        size_t length = edges[2 * index + 1] - edges[2 * index];
        bool is_long = length > STORED_BYTES;
        keys[index] = is_long ? (WordKey){0, LONG_WORD} : key_of(bytes + edges[2 * index], length);
        has_long_words |= is_long;
    }
    if (use_stemmer)
        stem_words(lines->stems, keys, count);
    for (size_t index = 0; has_long_words && index < count; index++) { /* now: their stems must not be stemmed again */
        size_t length = edges[2 * index + 1] - edges[2 * index];
        if (length > STORED_BYTES
            && !read_long_word(lines, group, bytes + edges[2 * index], length, use_stemmer, interrupt, &keys[index]))
            return false;
    }
    key_ids_of(&lines->word_ids, keys, count, (uint32_t *)lines->ids.data + lines->word_count);
    lines->word_count += count;
    return true;
}

/* Appends the words of a line. Returns false if out of memory or interrupted. */
static bool tokenize_line(
    Lines *lines, const TextGroup *group, unsigned char *bytes, size_t size, bool use_stemmer, Interrupt *interrupt)
{
    uint32_t edges[RUN_BLOCK + 2];
    size_t open = 0; /* 1 if a run that has not ended is before a block */
    for (size_t start = 0; start < size; start += RUN_BLOCK) {
        size_t count = open + find_runs(bytes, size, start, open, edges + open);
        if (size - start <= RUN_BLOCK && count % 2 != 0)
            edges[count++] = (uint32_t)size;
        if (!key_ids_reserve(&lines->word_ids, count / 2, interrupt))
            return false;
        for (size_t done = 0; done < count / 2; done += KEY_BATCH) {
            size_t left = count / 2 - done, batch = left < KEY_BATCH ? left : KEY_BATCH;
            if (!append_words(lines, group, bytes, edges + 2 * done, batch, use_stemmer, interrupt))
                return false;
        }
        open = count % 2;
        edges[0] = open ? edges[count - 1] : 0;
    }
    return true;
}

static bool tokenize_text(
    Lines *lines, const TextGroup *group, LinedText *text, unsigned char *bytes, size_t size, bool use_stemmer,
    Interrupt *interrupt)
{
    for (size_t start = 0; start < size;) {
        const unsigned char *feed = memchr(bytes + start, '\n', size - start);
        size_t length = feed == NULL ? size - start : (size_t)(feed - bytes) - start, before = lines->word_count;
        if (!tokenize_line(lines, group, bytes + start, length, use_stemmer, interrupt) || !end_line(lines, text, before))
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

/* Replaces letters outside ASCII whose lower case has letters of words. There are only two: the Kelvin sign, and a capital
   I with a dot, which becomes an i and a dot. */
static void replace_letters(unsigned char *bytes, size_t size)
{
    if (only_ascii(bytes, size))
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
    if (!reserve(lines, group) || (use_stemmer && !prepare_stems(lines)))
        return false;
    lines->word_count = 0;
    lines->has_long_words = false;
    for (size_t index = 0; index < count; index++) {
        size_t size = group->ends[index] - start;
        unsigned char *bytes = group->bytes + start;
        LinedText *text = (LinedText *)lines->texts.data + index;
        *text = (LinedText){{lines->word_count, 0}, {line_count, 0}};
        replace_letters(bytes, size);
        if (!tokenize_text(lines, group, text, bytes, size, use_stemmer, interrupt))
            return false;
        line_count += text->lines.length;
        start += size;
        interrupt->work += 4 * size;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}
