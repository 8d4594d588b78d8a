/* Cuts texts into words and numbers them. */

#ifndef FW_TEXT_TOKENIZE_H
#define FW_TEXT_TOKENIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/word_ids.h"

/* Texts are UTF-8, with lone surrogates like any other code point. White space is what str.split() takes for it. */

typedef enum {
    AT_WHITE_SPACE,
    AT_EACH_BLANK, /* between two blanks stands an empty word; other white space is part of words */
    BY_13A,        /* the tokenizer of mteval-v13a, which `tokenize_13a` of Python defines; then at white space */
} Cut;

/* What is done to a text, in this order. */
typedef struct {
    bool lowercase; /* A to Z only; who has other letters in a text lower-cases it before */
    bool no_punct;  /* without . , ? : ; ! " ( ) */
    bool stripped;  /* without white space at the end; not where the cut is AT_EACH_BLANK */
    Cut cut;
    bool at_each_blank; /* where the cut is BY_13A: no words are one empty word */
} CuttingRules;

/* Returns a number that a text's words are not more than; SPARE_BYTES behind the text must be readable. */
size_t most_words(const unsigned char *text, size_t length, Cut cut);

/* Cuts a text, which it changes in place, and writes the numbers of its words; returns how many they are.
   SPARE_BYTES behind the text must be readable. */
size_t cut_words(CuttingRules rules, Numbers *numbers, unsigned char *text, size_t length, uint32_t *words);

/* Returns how many bytes of white space a text begins with, if it does so, of one character; `length` is not 0. */
size_t white_space_at(const unsigned char *text, size_t length);

/* Tells what white space there is in ASCII; U+001C to U+001F are separators. */
static inline bool is_space(unsigned char byte)
{
    return ((unsigned char)(byte - '\t') <= '\r' - '\t') | ((unsigned char)(byte - 0x1c) <= ' ' - 0x1c);
}

#endif
