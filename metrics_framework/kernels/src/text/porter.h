/* What the variants of Porter's stemmer have in common. `text/nltk_porter.py` and `text/porter.py` define them. */

#ifndef FW_TEXT_PORTER_H
#define FW_TEXT_PORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A word in lower case, which changes in place and never becomes longer. */
typedef struct {
    unsigned char *letters;
    size_t length;
} Stem;

/* Replaces a suffix; the replacement is not longer. */
typedef struct {
    unsigned char length, replacement_length;
    const char *suffix, *replacement;
} SuffixRule;

#define SUFFIX_RULE(suffix, replacement) {sizeof(suffix) - 1, sizeof(replacement) - 1, suffix, replacement}

/* Returns whether a letter is a vowel, given whether the letter before it is a consonant (false at the start). */
static inline bool is_vowel(unsigned char letter, bool after_consonant)
{
    switch (letter) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
        return true;
    default:
        return letter == 'y' && after_consonant;
    }
}

static inline bool ends_with(const Stem *stem, const char *suffix, size_t length)
{
    return stem->length >= length && stem->letters[stem->length - 1] == (unsigned char)suffix[length - 1]
        && memcmp(stem->letters + stem->length - length, suffix, length) == 0;
}

#define ENDS_WITH(stem, suffix) ends_with(stem, suffix, sizeof(suffix) - 1)

/* Returns the number of runs of vowels that a consonant follows in the first `length` letters. */
size_t stem_measure(const unsigned char *letters, size_t length);

bool stem_has_vowel(const unsigned char *letters, size_t length);

/* Returns whether the last of `length` letters, at least one, is a consonant. */
bool stem_ends_in_consonant(const unsigned char *letters, size_t length);

/* Applies the first rule whose suffix the word has, if the measure of the rest is at least `measure`. */
void stem_replace(Stem *stem, const SuffixRule *rules, size_t count, size_t measure);

/* Porter's rules of steps 2 and 3, the first with ABLI as BLI. */
enum { STEP_2_RULES = 20, STEP_3_RULES = 7 };
extern const SuffixRule STEP_2[STEP_2_RULES], STEP_3[STEP_3_RULES];

#endif
