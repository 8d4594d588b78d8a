#include "text/nltk_porter.h"

#include "text/porter.h"

static const SuffixRule IRREGULAR_WORDS[] = {
    SUFFIX_RULE("skies", "sky"),         SUFFIX_RULE("dying", "die"),      SUFFIX_RULE("lying", "lie"),
    SUFFIX_RULE("tying", "tie"),         SUFFIX_RULE("innings", "inning"), SUFFIX_RULE("outings", "outing"),
    SUFFIX_RULE("cannings", "canning"),  SUFFIX_RULE("news", "news"),      SUFFIX_RULE("inning", "inning"),
    SUFFIX_RULE("outing", "outing"),     SUFFIX_RULE("canning", "canning"), SUFFIX_RULE("howe", "howe"),
    SUFFIX_RULE("proceed", "proceed"),   SUFFIX_RULE("exceed", "exceed"),  SUFFIX_RULE("succeed", "succeed"),
};

static const SuffixRules IRREGULAR =
    SUFFIX_RULES(IRREGULAR_WORDS, 0, LETTER('d') | LETTER('e') | LETTER('g') | LETTER('s'));

static const SuffixRule FULLI_RULE[] = {SUFFIX_RULE("fulli", "ful")};
static const SuffixRules FULLI = SUFFIX_RULES(FULLI_RULE, 1, LETTER('i'));

static const SuffixRule RULES_OF_STEP_4[] = {
    SUFFIX_RULE("al", ""),    SUFFIX_RULE("ance", ""), SUFFIX_RULE("ence", ""),  SUFFIX_RULE("er", ""),
    SUFFIX_RULE("ic", ""),    SUFFIX_RULE("able", ""), SUFFIX_RULE("ible", ""),  SUFFIX_RULE("ant", ""),
    SUFFIX_RULE("ement", ""), SUFFIX_RULE("ment", ""), SUFFIX_RULE("ent", ""),   SUFFIX_RULE("ou", ""),
    SUFFIX_RULE("ism", ""),   SUFFIX_RULE("ate", ""),  SUFFIX_RULE("iti", ""),   SUFFIX_RULE("ous", ""),
    SUFFIX_RULE("ive", ""),   SUFFIX_RULE("ize", ""),
};

static const SuffixRules STEP_4 = SUFFIX_RULES(
    RULES_OF_STEP_4, 2,
    LETTER('c') | LETTER('e') | LETTER('i') | LETTER('l') | LETTER('m') | LETTER('r') | LETTER('s') | LETTER('t') | LETTER('u'));

/* Returns whether the word is irregular. */
static bool replace_irregular(Stem *stem)
{
    if (!may_have_suffix(stem, &IRREGULAR))
        return false;
    for (size_t index = 0; index < IRREGULAR.count; index++) {
        const SuffixRule *rule = &IRREGULAR.rules[index];
        if (stem->length == rule->length && ends_with(stem, rule->suffix, rule->length)) {
            memcpy(stem->letters, rule->replacement, rule->replacement_length);
            stem->length = rule->replacement_length;
            return true;
        }
    }
    return false;
}

static unsigned char last_of(const Stem *stem) { return stem->letters[stem->length - 1]; }

/* Returns whether a word ends in consonant, vowel and a consonant other than w, x and y, or is vowel, consonant. */
static bool ends_in_short_syllable(const Stem *stem)
{
    const unsigned char *letters = stem->letters;
    size_t length = stem->length;
    if (length < 2 || !stem_ends_in_consonant(letters, length) || stem_ends_in_consonant(letters, length - 1))
        return false;
    if (length == 2)
        return true;
    return stem_ends_in_consonant(letters, length - 2) && last_of(stem) != 'w' && last_of(stem) != 'x' && last_of(stem) != 'y';
}

/* Restores the end of a word that lost -ed or -ing: a silent e, or a single consonant. */
static void repair(Stem *stem)
{
    unsigned char last = last_of(stem);
    if (ENDS_WITH(stem, "at") || ENDS_WITH(stem, "bl") || ENDS_WITH(stem, "iz"))
        stem->letters[stem->length++] = 'e';
    else if (stem->length > 1 && last == stem->letters[stem->length - 2] && stem_ends_in_consonant(stem->letters, stem->length))
        stem->length -= last != 'l' && last != 's' && last != 'z';
    else if (stem_measure(stem->letters, stem->length) == 1 && ends_in_short_syllable(stem))
        stem->letters[stem->length++] = 'e';
}

/* Step 1b. */
static void remove_participle(Stem *stem)
{
    if (ENDS_WITH(stem, "ied")) {
        stem->length -= stem->length == 4 ? 1 : 2;
    } else if (ENDS_WITH(stem, "eed")) {
        stem->length -= stem_measure(stem->letters, stem->length - 3) > 0;
    } else if (ENDS_WITH(stem, "ed") || ENDS_WITH(stem, "ing")) {
        size_t rest = stem->length - (last_of(stem) == 'd' ? 2 : 3);
        if (stem_has_vowel(stem->letters, rest)) {
            stem->length = rest;
            repair(stem);
        }
    }
}

/* Step 1. */
static void remove_inflection(Stem *stem)
{
    if (stem->length == 4 && ENDS_WITH(stem, "ies"))
        stem->length--;
    else if (ENDS_WITH(stem, "sses") || ENDS_WITH(stem, "ies"))
        stem->length -= 2;
    else if (last_of(stem) == 's' && !ENDS_WITH(stem, "ss"))
        stem->length--;
    remove_participle(stem);
    if (last_of(stem) == 'y' && stem->length > 2 && stem_ends_in_consonant(stem->letters, stem->length - 1))
        stem->letters[stem->length - 1] = 'i';
}

/* Step 2: first -alli becomes -al, and -logi becomes -log after any vowel and the l. */
static void replace_adverb(Stem *stem)
{
    while (ENDS_WITH(stem, "alli") && stem_measure(stem->letters, stem->length - 4) > 0)
        stem->length -= 2;
    if (ENDS_WITH(stem, "logi"))
        stem->length -= stem_measure(stem->letters, stem->length - 3) > 0;
    else if (ENDS_WITH(stem, "fulli"))
        stem_replace(stem, &FULLI);
    else
        stem_replace(stem, &STEP_2);
}

/* Step 4: -ion is removed only after s and t, which remain. */
static void remove_suffix(Stem *stem)
{
    if (!ENDS_WITH(stem, "ion")) {
        stem_replace(stem, &STEP_4);
    } else if (ENDS_WITH(stem, "sion") || ENDS_WITH(stem, "tion")) {
        size_t rest = stem->length - 3;
        stem->length = stem_measure(stem->letters, rest) > 1 ? rest : stem->length;
    }
}

/* Step 5: removes a final e, and then one l of two. */
static void remove_last_letter(Stem *stem)
{
    if (last_of(stem) == 'e') {
        Stem rest = {stem->letters, stem->length - 1};
        size_t measure = stem_measure(rest.letters, rest.length);
        if (measure > 1 || (measure == 1 && !ends_in_short_syllable(&rest)))
            stem->length = rest.length;
    }
    if (ENDS_WITH(stem, "ll"))
        stem->length -= stem_measure(stem->letters, stem->length - 1) > 1;
}

size_t nltk_stem(unsigned char *letters, size_t length)
{
    Stem stem = {letters, length};
    if (length <= 2 || replace_irregular(&stem))
        return stem.length;
    remove_inflection(&stem);
    replace_adverb(&stem);
    stem_replace(&stem, &STEP_3);
    remove_suffix(&stem);
    remove_last_letter(&stem);
    return stem.length;
}
