#include "text/rouge_porter.h"

#include "text/porter.h"

static const SuffixRule RULES_OF_STEP_4[] = {
    SUFFIX_RULE("al", ""),  SUFFIX_RULE("ance", ""), SUFFIX_RULE("ence", ""),  SUFFIX_RULE("er", ""),
    SUFFIX_RULE("ic", ""),  SUFFIX_RULE("able", ""), SUFFIX_RULE("ible", ""),  SUFFIX_RULE("ant", ""),
    SUFFIX_RULE("ou", ""),  SUFFIX_RULE("ism", ""),  SUFFIX_RULE("ement", ""), SUFFIX_RULE("ate", ""),
    SUFFIX_RULE("iti", ""), SUFFIX_RULE("ous", ""),  SUFFIX_RULE("ive", ""),   SUFFIX_RULE("ize", ""),
};

static const SuffixRules STEP_4 = SUFFIX_RULES(
    RULES_OF_STEP_4, 2,
    LETTER('c') | LETTER('e') | LETTER('i') | LETTER('l') | LETTER('m') | LETTER('r') | LETTER('s') | LETTER('t') | LETTER('u'));

static unsigned char last_of(const Stem *stem) { return stem->letters[stem->length - 1]; }

static bool is_plain_vowel(unsigned char letter) { return is_vowel(letter, false); }

/* Returns whether a word is consonants, a vowel, and a consonant other than w, x and y. */
static bool is_short(const unsigned char *letters, size_t length)
{
    if (length < 3 || stem_has_vowel(letters, length - 2))
        return false;
    unsigned char last = letters[length - 1];
    return is_vowel(letters[length - 2], true) && !is_plain_vowel(last) && last != 'w' && last != 'x' && last != 'y';
}

/* Restores the end of a word that lost -ed or -ing: a silent e, or a single consonant. */
static void repair(Stem *stem)
{
    unsigned char last = last_of(stem);
    if (ENDS_WITH(stem, "at") || ENDS_WITH(stem, "bl") || ENDS_WITH(stem, "iz") || is_short(stem->letters, stem->length))
        stem->letters[stem->length++] = 'e';
    else if (stem->length > 1 && last == stem->letters[stem->length - 2])
        stem->length -= !is_vowel(last, true) && last != 'l' && last != 's' && last != 'z';
}

/* Step 1. */
static void remove_inflection(Stem *stem)
{
    if (ENDS_WITH(stem, "sses") || ENDS_WITH(stem, "ies"))
        stem->length -= 2;
    else if (last_of(stem) == 's' && !ENDS_WITH(stem, "ss"))
        stem->length--;
    if (ENDS_WITH(stem, "eed")) {
        stem->length -= stem_measure(stem->letters, stem->length - 3) > 0;
    } else if (ENDS_WITH(stem, "ed") || ENDS_WITH(stem, "ing")) {
        size_t rest = stem->length - (last_of(stem) == 'd' ? 2 : 3);
        if (stem_has_vowel(stem->letters, rest)) {
            stem->length = rest;
            repair(stem);
        }
    }
    if (last_of(stem) == 'y' && stem_has_vowel(stem->letters, stem->length - 1))
        stem->letters[stem->length - 1] = 'i';
}

static void shorten(Stem *stem, size_t suffix_length)
{
    size_t rest = stem->length - suffix_length;
    stem->length = stem_measure(stem->letters, rest) > 1 ? rest : stem->length;
}

/* Step 4: the suffixes are tried one after the other. */
static void remove_suffixes(Stem *stem)
{
    stem_replace(stem, &STEP_4);
    if (ENDS_WITH(stem, "ment"))
        shorten(stem, 4);
    if (ENDS_WITH(stem, "ent"))
        shorten(stem, 3);
    else if (ENDS_WITH(stem, "sion") || ENDS_WITH(stem, "tion"))
        shorten(stem, 3);
}

/* Step 5: removes a final e, and then one l of two. */
static void remove_last_letter(Stem *stem)
{
    if (last_of(stem) == 'e') {
        size_t rest = stem->length - 1, measure = stem_measure(stem->letters, rest);
        if (measure > 1 || (measure == 1 && !is_short(stem->letters, rest)))
            stem->length = rest;
    }
    if (ENDS_WITH(stem, "ll"))
        stem->length -= stem_measure(stem->letters, stem->length) > 1;
}

size_t rouge_stem(unsigned char *letters, size_t length)
{
    Stem stem = {letters, length};
    if (length < 3)
        return length;
    remove_inflection(&stem);
    if (ENDS_WITH(&stem, "logi"))
        stem.length -= stem_measure(stem.letters, stem.length - 4) > 0;
    else
        stem_replace(&stem, &STEP_2);
    stem_replace(&stem, &STEP_3);
    remove_suffixes(&stem);
    remove_last_letter(&stem);
    return stem.length;
}
