/* Looks for words in a text: in order, not necessarily adjacent. */

#ifndef FW_TEXT_SUBSEQUENCE_H
#define FW_TEXT_SUBSEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/texts.h"

/* Returns whether str.split() splits a text as splitting at each space does: it has no other whitespace, no empty words. A
   few texts without other whitespace count as if they had some. */
bool has_plain_spaces(const unsigned char *text, size_t length);

/* Returns whether words are a subsequence of a text after they are joined with spaces and split as str.split() does:
   empty words vanish, and words that contain whitespace are several words. The text must have been tokenized at
   whitespace.

   spans: The position of each word, by id, from `word_ids_spans`; NULL if all texts have plain spaces. */
bool is_subsequence(const WordIds *ids, const WordSpan *spans, const uint32_t *words, size_t count, const Text *text);

#endif
