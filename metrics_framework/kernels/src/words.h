/* Texts as numbers: the same word has the same number. */

#ifndef FW_WORDS_H
#define FW_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

/* Bytes that must be readable behind every text and every key. */
enum { SPARE_BYTES = 8 };

/* Numbers byte strings in the order in which they first come. It keeps no copies: the strings must stay where they are,
   in the 4 GiB from `base` on. Starts as {0}. */
typedef struct {
    const unsigned char *base;
    Buffer slots;
    size_t slot_count; /* a power of two */
    uint32_t generation; /* a slot of another generation is empty, so that forgetting costs nothing */
    uint32_t used;
} Numbers;

void numbers_free(Numbers *numbers);

/* Forgets all strings and makes room for `count` others, from `base` on. Returns false where there is not so much
   memory. */
bool numbers_reset(Numbers *numbers, const void *base, size_t count);

/* Returns the number of a string. There must be room for it; SPARE_BYTES behind it must be readable. */
uint32_t number_of(Numbers *numbers, const unsigned char *bytes, size_t length);

/* What is done to a text before it is cut at white space. */
typedef struct {
    bool lowercase; /* A to Z only; who has other letters in a text lower-cases it before */
    bool no_punct;  /* without . , ? : ; ! " ( ) */
} CuttingRules;

/* Returns a number that a text's words are not more than. */
size_t most_words(const unsigned char *text, size_t length);

/* Cuts a text, which it changes in place, and writes the numbers of its words; returns how many they are. The byte behind
   it must be there too; it is as before afterwards. */
size_t cut_words(CuttingRules rules, Numbers *numbers, unsigned char *text, size_t length, uint32_t *words);

#endif
