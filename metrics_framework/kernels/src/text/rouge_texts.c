#include "text/rouge_texts.h"

#include <string.h>

#include "base/bits.h"
#include "text/byte_classes.h"
#include "text/rouge_porter.h"

enum { SHORTEST_STEMMED = 4 };

/* Values of `words` other than ids. */
static const uint32_t NOT_A_TOKEN = UINT32_MAX, STOP_WORD = UINT32_MAX - 1;

/* Strings are forgotten between two groups if there are more of them. */
enum { MAX_ARENA = 1 << 24, MAX_STRINGS = 1 << 20 };

/* Which part of a line is read. */
typedef enum { WHOLE_LINES, FIRST_WORDS, FIRST_BYTES, FIRST_BYTES_OF_LINES } Limit;

void rouge_texts_free(RougeTexts *texts)
{
    word_ids_free(&texts->strings);
    buffer_free(&texts->arena);
    buffer_free(&texts->words);
    buffer_free(&texts->ids);
    buffer_free(&texts->texts);
    buffer_free(&texts->lines);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* Reserves bytes after the last string. */
static bool reserve_arena(RougeTexts *texts, size_t more)
{
    if (more > INT32_MAX - texts->arena_used || !buffer_reserve(&texts->arena, texts->arena_used + more + SPARE_BYTES, 1))
        return false;
    texts->strings.base = texts->arena.data;
    return true;
}

static unsigned char *next_string(const RougeTexts *texts) { return (unsigned char *)texts->arena.data + texts->arena_used; }

/* Returns the id of the string after the last one; it stays there if it is new. */
static uint32_t string_id(RougeTexts *texts, size_t length)
{
    uint32_t before = texts->strings.used, id = word_id(&texts->strings, next_string(texts), length);
    if (id == before) {
        texts->arena_used += length;
        ((uint32_t *)texts->words.data)[id] = NOT_A_TOKEN;
    }
    return id;
}

/* Finds what a token is compared as; `rest` bytes of its line are left. Returns false if out of memory. */
static bool resolve(RougeTexts *texts, size_t start, size_t length, uint32_t id, size_t rest)
{
    const RougeRules *rules = &texts->rules;
    const unsigned char *token = (const unsigned char *)texts->arena.data + start;
    size_t other_length = 0;
    uint32_t word = id;
    if (rules->remove_stopwords && word_list_find(rules->stop_words, token, length, &other_length) != NULL) {
        word = STOP_WORD;
    } else if (rules->use_stemmer && length >= SHORTEST_STEMMED) {
        const char *base = word_list_find(rules->exceptions, token, length, &other_length);
        if (!reserve_arena(texts, (base == NULL ? length : other_length) + rest))
            return false;
        if (base != NULL) {
            memcpy(next_string(texts), base, other_length);
        } else {
            memcpy(next_string(texts), (unsigned char *)texts->arena.data + start, length);
            other_length = rouge_stem(next_string(texts), length);
        }
        word = string_id(texts, other_length);
    }
    ((uint32_t *)texts->words.data)[id] = word;
    return true;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static bool is_space(unsigned char byte) { return byte == ' ' || (unsigned char)(byte - '\t') <= '\r' - '\t'; }

/* Returns the length of the first `*left` words of a line, and subtracts their number. Whitespace before the first word
   is a word. */
static size_t length_of_words(const unsigned char *line, size_t length, size_t *left)
{
    size_t end = 0, position = 0;
    while (length > 0 && is_space(line[length - 1]))
        length--;
    if (length > 0 && *left > 0 && is_space(line[0]))
        --*left;
    while (position < length && *left > 0) {
        while (is_space(line[position]))
            position++;
        while (position < length && !is_space(line[position]))
            position++;
        end = position;
        --*left;
    }
    return end;
}

/* Returns how much of a line is read. */
static size_t limited_length(const unsigned char *line, size_t length, Limit limit, size_t *left)
{
    if (limit == WHOLE_LINES)
        return length;
    if (limit == FIRST_WORDS)
        return length_of_words(line, length, left);
    size_t kept = length < *left ? length : *left;
    if (limit == FIRST_BYTES)
        *left -= kept;
    else if (kept == *left) /* the last line */
        *left = 0;
    return kept;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Returns the word id of the token after the last string, or another value. Returns NOT_A_TOKEN if out of memory. */
static uint32_t word_of_token(RougeTexts *texts, size_t size, size_t rest)
{
    size_t start = texts->arena_used;
    uint32_t id = string_id(texts, size), word = ((const uint32_t *)texts->words.data)[id];
    if (word != NOT_A_TOKEN)
        return word;
    if (texts->arena_used == start) /* so far only a stem: keep the bytes of the token while its stem is written */
        texts->arena_used += size;
    return resolve(texts, start, size, id, rest) ? ((const uint32_t *)texts->words.data)[id] : NOT_A_TOKEN;
}

/* Copies a token after the last string; the bytes of short ones in one step. */
static void copy_token(const RougeTexts *texts, const unsigned char *token, size_t size)
{
    if (size <= STORED_BYTES)
        memcpy(next_string(texts), token, STORED_BYTES); /* SPARE_BYTES follow both */
    else
        memcpy(next_string(texts), token, size);
}

/* Returns the end of the token that starts at `start`. */
static size_t end_of_token(const unsigned char *line, size_t start, size_t length)
{
    for (;; start += MASK_BYTES) {
        uint64_t others = ~alphanumeric_mask(line + start);
        size_t left = length - start, run = others == 0 ? MASK_BYTES : (size_t)lowest_bit(others);
        if (run < MASK_BYTES || left <= MASK_BYTES)
            return start + (run < left ? run : left);
    }
}

/* Appends the word of a token. Returns false if out of memory. */
static bool append_token(RougeTexts *texts, const unsigned char *token, size_t size, size_t rest)
{
    copy_token(texts, token, size);
    uint32_t word = word_of_token(texts, size, rest);
    ((uint32_t *)texts->ids.data)[texts->id_count] = word;
    texts->id_count += word != STOP_WORD;
    return word != NOT_A_TOKEN;
}

/* Appends the words of a line in lower case. Returns false if out of memory. */
static bool read_words(RougeTexts *texts, const unsigned char *line, size_t length)
{
    if (!reserve_arena(texts, length))
        return false;
    for (size_t start = 0; start < length; start += MASK_BYTES) { /* the bytes from here on are in the mask */
        size_t left = length - start, done = 0;
        uint64_t mask = alphanumeric_mask(line + start) & low_bits((int64_t)(left < MASK_BYTES ? left : MASK_BYTES));
        while (mask != 0) {
            size_t skipped = (size_t)lowest_bit(mask), token = start + done + skipped, end;
            uint64_t others = ~(mask >> skipped);
            size_t run = others == 0 ? MASK_BYTES : (size_t)lowest_bit(others);
            bool is_inside = done + skipped + run < MASK_BYTES;
            end = is_inside ? token + run : end_of_token(line, token, length);
            if (!append_token(texts, line + token, end - token, length - end))
                return false;
            if (!is_inside) {
                start = end - MASK_BYTES;
                break;
            }
            done += skipped + run;
            mask = mask >> skipped >> run;
        }
    }
    return true;
}

/* Appends the words and lines of a text. Returns false if out of memory. */
static bool read_lines(RougeTexts *texts, const unsigned char *bytes, size_t size, Limit limit, LinedText *text)
{
    size_t left = limit == FIRST_WORDS ? texts->rules.max_words : texts->rules.max_bytes, start = 0;
    *text = (LinedText){{texts->id_count, 0}, {texts->line_count, 0}};
    while (start < size && (limit == WHOLE_LINES || left > 0)) {
        const unsigned char *feed = memchr(bytes + start, '\n', size - start);
        size_t length = feed == NULL ? size - start : (size_t)(feed - bytes) - start, before = texts->id_count;
        if (!read_words(texts, bytes + start, limited_length(bytes + start, length, limit, &left)))
            return false;
        if (texts->id_count > before) {
            if (!buffer_reserve(&texts->lines, texts->line_count + 1, sizeof(Span)))
                return false;
            ((Span *)texts->lines.data)[texts->line_count++] = (Span){before, texts->id_count - before};
        }
        start += length + 1;
    }
    text->words.length = texts->id_count - text->words.start;
    text->lines.length = texts->line_count - text->lines.start;
    return true;
}

/* Reads a text. With a limit of bytes, its lines are other words than its words. */
static bool read_text(RougeTexts *texts, const unsigned char *bytes, size_t size, LinedText *text)
{
    LinedText lines;
    if (texts->rules.max_bytes == 0)
        return read_lines(texts, bytes, size, texts->rules.max_words > 0 ? FIRST_WORDS : WHOLE_LINES, text);
    if (!read_lines(texts, bytes, size, FIRST_BYTES, text) || !read_lines(texts, bytes, size, FIRST_BYTES_OF_LINES, &lines))
        return false;
    text->lines = lines.lines;
    return true;
}

/* Reserves memory for the words of a text: each has at least one byte and one byte after it, and a stem. */
static bool reserve_text(RougeTexts *texts, size_t size, Interrupt *interrupt)
{
    size_t words = size / 2 + 1, readings = texts->rules.max_bytes > 0 ? 2 : 1;
    return buffer_reserve(&texts->ids, texts->id_count + readings * words + SPARE_BYTES, sizeof(uint32_t))
        && buffer_reserve(&texts->words, texts->strings.used + 2 * words, sizeof(uint32_t))
        && (word_ids_have_space(&texts->strings, 2 * words) || word_ids_reserve(&texts->strings, 2 * words, interrupt));
}

/* Empties the lists, and the strings too at the start and if there are too many. */
static bool start_group(RougeTexts *texts, size_t count)
{
    texts->id_count = texts->line_count = 0;
    if (texts->strings.slot_count > 0 && texts->arena_used < MAX_ARENA && texts->strings.used < MAX_STRINGS)
        return buffer_reserve(&texts->texts, count, sizeof(LinedText));
    texts->arena_used = 0;
    return buffer_reserve(&texts->texts, count, sizeof(LinedText)) && word_ids_reset(&texts->strings, texts->arena.data, 0);
}

bool rouge_texts_read(RougeTexts *texts, const TextGroup *group, Interrupt *interrupt)
{
    size_t count = group->summary_count + group->reference_count, start = 0;
    if (group->ends[count - 1] > INT32_MAX / 8 || !start_group(texts, count))
        return false;
    for (size_t index = 0; index < count; index++) {
        size_t size = group->ends[index] - start;
        scan_bytes(group->bytes + start, size, true);
        if (!reserve_text(texts, size, interrupt)
            || !read_text(texts, group->bytes + start, size, (LinedText *)texts->texts.data + index))
            return false;
        start += size;
        interrupt->work += 4 * size;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}
