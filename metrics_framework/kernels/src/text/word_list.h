/* A list of words, or of words and their replacements. It does not change, so calls and threads share it. */

#ifndef FW_TEXT_WORD_LIST_H
#define FW_TEXT_WORD_LIST_H

#include "text/word_ids.h"

typedef struct {
    char *lines;
    WordIds words;
    WordSpan *replacements; /* by word id: their place in `lines`; of length 0 without one */
} WordList;

/* Reads lines that end with a line feed: a word, or a word, a space and its replacement. Returns NULL if out of memory. */
WordList *word_list_new(const char *lines, size_t size);

void word_list_free(WordList *list);

/* Returns the replacement of a word and its length, NULL if the word is not in the list. SPARE_BYTES after the word must
   be readable. */
const char *word_list_find(const WordList *list, const unsigned char *word, size_t length, size_t *found_length);

#endif
