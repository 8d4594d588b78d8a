#include "text/word_list.h"

#include <stdlib.h>

static size_t count_lines(const char *lines, size_t size)
{
    size_t count = 0;
    for (size_t position = 0; position < size; position++)
        count += lines[position] == '\n';
    return count;
}

/* Reads lines into a list whose memory is reserved. */
static void read_lines(WordList *list, size_t size)
{
    for (size_t start = 0; start < size;) {
        const char *line = list->lines + start, *end = memchr(line, '\n', size - start), *space;
        space = memchr(line, ' ', (size_t)(end - line));
        uint32_t before = list->words.used;
        size_t length = (size_t)((space == NULL ? end : space) - line), after = (size_t)(end - list->lines);
        uint32_t id = word_id(&list->words, (const unsigned char *)line, length);
        if (id == before) {
            size_t rest = space == NULL ? after : start + length + 1;
            list->replacements[id] = (WordSpan){(uint32_t)rest, (uint32_t)(after - rest)};
        }
        start = after + 1;
    }
}

WordList *word_list_new(const char *lines, size_t size)
{
    Interrupt never = {0};
    WordList *list = calloc(1, sizeof *list);
    while (size > 0 && lines[size - 1] != '\n') /* a line without its end is left out */
        size--;
    if (list == NULL)
        return NULL;
    size_t count = count_lines(lines, size);
    list->lines = size > INT32_MAX ? NULL : calloc(size + SPARE_BYTES, 1); /* positions are 32-bit numbers */
    list->replacements = calloc(count + 1, sizeof(WordSpan));
    if (list->lines == NULL || list->replacements == NULL || !word_ids_reset(&list->words, list->lines, count)
        || !word_ids_reserve(&list->words, count + 1, &never)) {
        word_list_free(list);
        return NULL;
    }
    memcpy(list->lines, lines, size);
    read_lines(list, size);
    return list;
}

void word_list_free(WordList *list)
{
    if (list == NULL)
        return;
    word_ids_free(&list->words);
    free(list->lines);
    free(list->replacements);
    free(list);
}

const char *word_list_find(const WordList *list, const unsigned char *word, size_t length, size_t *found_length)
{
    uint32_t id = known_word_id(&list->words, word, length);
    if (id == UINT32_MAX)
        return NULL;
    *found_length = list->replacements[id].length;
    return list->lines + list->replacements[id].start;
}
