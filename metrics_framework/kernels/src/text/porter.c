#include "text/porter.h"

const SuffixRule STEP_2[STEP_2_RULES] = {
    SUFFIX_RULE("ational", "ate"), SUFFIX_RULE("tional", "tion"), SUFFIX_RULE("enci", "ence"),  SUFFIX_RULE("anci", "ance"),
    SUFFIX_RULE("izer", "ize"),    SUFFIX_RULE("bli", "ble"),     SUFFIX_RULE("alli", "al"),    SUFFIX_RULE("entli", "ent"),
    SUFFIX_RULE("eli", "e"),       SUFFIX_RULE("ousli", "ous"),   SUFFIX_RULE("ization", "ize"), SUFFIX_RULE("ation", "ate"),
    SUFFIX_RULE("ator", "ate"),    SUFFIX_RULE("alism", "al"),    SUFFIX_RULE("iveness", "ive"), SUFFIX_RULE("fulness", "ful"),
    SUFFIX_RULE("ousness", "ous"), SUFFIX_RULE("aliti", "al"),    SUFFIX_RULE("iviti", "ive"),  SUFFIX_RULE("biliti", "ble"),
};

const SuffixRule STEP_3[STEP_3_RULES] = {
    SUFFIX_RULE("icate", "ic"), SUFFIX_RULE("ative", ""), SUFFIX_RULE("alize", "al"), SUFFIX_RULE("iciti", "ic"),
    SUFFIX_RULE("ical", "ic"),  SUFFIX_RULE("ful", ""),   SUFFIX_RULE("ness", ""),
};

size_t stem_measure(const unsigned char *letters, size_t length)
{
    size_t measure = 0;
    bool after_vowel = false, after_consonant = false;
    for (size_t position = 0; position < length; position++) {
        bool vowel = is_vowel(letters[position], after_consonant);
        measure += after_vowel && !vowel;
        after_vowel = vowel;
        after_consonant = !vowel;
    }
    return measure;
}

bool stem_has_vowel(const unsigned char *letters, size_t length)
{
    for (size_t position = 0; position < length; position++)
        if (is_vowel(letters[position], position > 0)) /* all letters before it are consonants */
            return true;
    return false;
}

bool stem_ends_in_consonant(const unsigned char *letters, size_t length)
{
    size_t ys = 0; /* each y is of the other kind than the letter before it */
    while (ys + 1 < length && letters[length - 1 - ys] == 'y')
        ys++;
    return is_vowel(letters[length - 1 - ys], false) == (ys % 2 == 1);
}

void stem_replace(Stem *stem, const SuffixRule *rules, size_t count, size_t measure)
{
    for (const SuffixRule *rule = rules; rule < rules + count; rule++) {
        if (!ends_with(stem, rule->suffix, rule->length))
            continue;
        size_t rest = stem->length - rule->length;
        if (measure == 0 || stem_measure(stem->letters, rest) >= measure) {
            memcpy(stem->letters + rest, rule->replacement, rule->replacement_length);
            stem->length = rest + rule->replacement_length;
        }
        return;
    }
}
