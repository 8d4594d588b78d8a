/* A sorted list of words as one text: a word in each line, or a word, a space and another word. */

#ifndef FW_TEXT_WORD_LIST_H
#define FW_TEXT_WORD_LIST_H

#include <stddef.h>

/* Each line ends with a line feed; the lines are sorted by the bytes of their first words. */
typedef struct {
    const char *lines;
    size_t size;
} WordList;

/* Returns what follows a word in its line: the other word and its length, or an empty string. Returns NULL if the word
   is not in the list. */
const char *word_list_find(const WordList *list, const unsigned char *word, size_t length, size_t *found_length);

#endif
