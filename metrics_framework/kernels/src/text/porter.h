/* What the variants of Porter's stemmer have in common. `text/nltk_porter.py` and `text/porter.py` define them. */

#ifndef FW_TEXT_PORTER_H
#define FW_TEXT_PORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A word in lower case, which changes in place and never becomes longer. */
typedef struct {
    unsigned char *letters;
    size_t length;
} Stem;

/* Replaces a suffix of at least two letters; the replacement is not longer. */
typedef struct {
    unsigned char length, replacement_length;
    const char *suffix, *replacement;
} SuffixRule;

#define SUFFIX_RULE(suffix, replacement) {sizeof(suffix) - 1, sizeof(replacement) - 1, suffix, replacement}

/* The rules of a step. */
typedef struct {
    const SuffixRule *rules;
    size_t count;
    size_t measure;        /* what must remain */
    uint32_t last_letters; /* of the suffixes: bit 0 for a, and so on */
} SuffixRules;

#define LETTER(letter) (UINT32_C(1) << ((letter) - 'a'))
#define SUFFIX_RULES(rules, measure, last_letters) {rules, sizeof(rules) / sizeof *(rules), measure, last_letters}

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

/* Returns two letters as a number. */
static inline uint16_t pair_of(const void *letters)
{
    uint16_t pair;
    memcpy(&pair, letters, sizeof pair);
    return pair;
}

/* Returns whether a word has a suffix of at least two letters. Most comparisons end with the last two. */
static inline bool ends_with(const Stem *stem, const char *suffix, size_t length)
{
    const unsigned char *end = stem->letters + stem->length;
    return stem->length >= length && pair_of(end - 2) == pair_of(suffix + length - 2)
        && memcmp(end - length, suffix, length - 2) == 0;
}

#define ENDS_WITH(stem, suffix) ends_with(stem, suffix, sizeof(suffix) - 1)

static inline bool may_have_suffix(const Stem *stem, const SuffixRules *rules)
{
    unsigned last = stem->letters[stem->length - 1] - (unsigned)'a';
    return last <= 'z' - 'a' && (rules->last_letters >> last & 1);
}

/* Returns the number of runs of vowels that a consonant follows in the first `length` letters. */
size_t stem_measure(const unsigned char *letters, size_t length);

bool stem_has_vowel(const unsigned char *letters, size_t length);

/* Returns whether the last of `length` letters, at least one, is a consonant. */
bool stem_ends_in_consonant(const unsigned char *letters, size_t length);

/* Applies the first rule whose suffix the word has, if the measure of the rest is large enough. */
void stem_replace(Stem *stem, const SuffixRules *rules);

/* Porter's steps 2 and 3, the first with BLI instead of ABLI. */
extern const SuffixRules STEP_2, STEP_3;

#endif
