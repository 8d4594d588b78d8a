/* Tokenizes texts into word ids. */

#ifndef FW_TEXT_TOKENIZE_H
#define FW_TEXT_TOKENIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/word_ids.h"

/* Texts are UTF-8; lone surrogates are encoded like other code points. Whitespace is that of str.split(). */

typedef enum {
    WHITESPACE,
    SINGLE_SPACES, /* the word between two spaces is empty; other whitespace is part of words */
    TOKENIZER_13A, /* mteval-v13a, defined by `tokenize_13a` in Python, then at whitespace */
} Tokenization;

/* What is done to a text, in this order. */
typedef struct {
    bool lowercase; /* A to Z only: the caller lower-cases texts that are not ASCII */
    bool no_punct;  /* without . , ? : ; ! " ( ) */
    bool strip_end; /* strip trailing whitespace; not with SINGLE_SPACES */
    Tokenization tokenization;
    bool single_spaces; /* with TOKENIZER_13A: a text without words has one empty word */
} TokenizeRules;

/* Returns an upper bound of the number of words. The SPARE_BYTES after the text must be readable. */
size_t max_words(const unsigned char *text, size_t length, Tokenization tokenization);

/* Tokenizes a text, which changes in place, and writes word ids; returns their number. The SPARE_BYTES after the text
   must be readable. */
size_t tokenize(TokenizeRules rules, WordIds *ids, unsigned char *text, size_t length, uint32_t *words);

/* Returns the number of bytes of the whitespace character at the start of a text, 0 if there is none; `length` is not
   0. */
size_t whitespace_at(const unsigned char *text, size_t length);

/* Returns whether whitespace outside ASCII may start with a byte; see `whitespace_at`. */
static inline bool may_be_space(unsigned char byte) { return (byte == 0xc2) | ((unsigned char)(byte - 0xe1) < 3); }

/* Returns whether a byte is ASCII whitespace; U+001C to U+001F are separators. */
static inline bool is_ascii_whitespace(unsigned char byte)
{
    return ((unsigned char)(byte - '\t') <= '\r' - '\t') | ((unsigned char)(byte - 0x1c) <= ' ' - 0x1c);
}

#endif
