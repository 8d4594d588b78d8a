#include "text/word_list.h"

#include <string.h>

/* Compares a word with the first word of a line, which a space or a line feed ends; both are less than any letter. */
static int compare(const unsigned char *word, size_t length, const char *line)
{
    for (size_t position = 0; position < length; position++) {
        int difference = word[position] - (unsigned char)line[position];
        if (difference != 0)
            return difference;
    }
    return line[length] == ' ' || line[length] == '\n' ? 0 : -1;
}

static size_t start_of_line(const char *lines, size_t position)
{
    while (position > 0 && lines[position - 1] != '\n')
        position--;
    return position;
}

const char *word_list_find(const WordList *list, const unsigned char *word, size_t length, size_t *found_length)
{
    size_t low = 0, high = list->size; /* starts of lines, or the end */
    while (low < high) {
        size_t line = start_of_line(list->lines, low + (high - low) / 2);
        const char *end = memchr(list->lines + line, '\n', list->size - line);
        int order = compare(word, length, list->lines + line);
        if (order == 0) {
            const char *rest = list->lines + line + length;
            rest += *rest == ' ';
            *found_length = (size_t)(end - rest);
            return rest;
        }
        if (order < 0)
            high = line;
        else
            low = (size_t)(end - list->lines) + 1;
    }
    return NULL;
}
