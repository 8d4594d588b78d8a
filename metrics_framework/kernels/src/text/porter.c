#include "text/porter.h"

static const SuffixRule RULES_OF_STEP_2[] = {
    SUFFIX_RULE("ational", "ate"), SUFFIX_RULE("tional", "tion"), SUFFIX_RULE("enci", "ence"),  SUFFIX_RULE("anci", "ance"),
    SUFFIX_RULE("izer", "ize"),    SUFFIX_RULE("bli", "ble"),     SUFFIX_RULE("alli", "al"),    SUFFIX_RULE("entli", "ent"),
    SUFFIX_RULE("eli", "e"),       SUFFIX_RULE("ousli", "ous"),   SUFFIX_RULE("ization", "ize"), SUFFIX_RULE("ation", "ate"),
    SUFFIX_RULE("ator", "ate"),    SUFFIX_RULE("alism", "al"),    SUFFIX_RULE("iveness", "ive"), SUFFIX_RULE("fulness", "ful"),
    SUFFIX_RULE("ousness", "ous"), SUFFIX_RULE("aliti", "al"),    SUFFIX_RULE("iviti", "ive"),  SUFFIX_RULE("biliti", "ble"),
};

static const SuffixRule RULES_OF_STEP_3[] = {
    SUFFIX_RULE("icate", "ic"), SUFFIX_RULE("ative", ""), SUFFIX_RULE("alize", "al"), SUFFIX_RULE("iciti", "ic"),
    SUFFIX_RULE("ical", "ic"),  SUFFIX_RULE("ful", ""),   SUFFIX_RULE("ness", ""),
};

const SuffixRules STEP_2 = SUFFIX_RULES(
    RULES_OF_STEP_2, 1, LETTER('i') | LETTER('l') | LETTER('m') | LETTER('n') | LETTER('r') | LETTER('s'));
const SuffixRules STEP_3 = SUFFIX_RULES(RULES_OF_STEP_3, 1, LETTER('e') | LETTER('i') | LETTER('l') | LETTER('s'));

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

void stem_replace(Stem *stem, const SuffixRules *rules)
{
    if (!may_have_suffix(stem, rules))
        return;
    for (const SuffixRule *rule = rules->rules; rule < rules->rules + rules->count; rule++) {
        if (!ends_with(stem, rule->suffix, rule->length))
            continue;
        size_t rest = stem->length - rule->length;
        if (rules->measure == 0 || stem_measure(stem->letters, rest) >= rules->measure) {
            memcpy(stem->letters + rest, rule->replacement, rule->replacement_length);
            stem->length = rest + rule->replacement_length;
        }
        return;
    }
}
