/* The tokenizer of mteval-v13a by the letter: replacements and passes over a text, one after the other. */

#ifndef FW_FUZZ_TOKENIZER_13A_H
#define FW_FUZZ_TOKENIZER_13A_H

#include "case.h"

static inline bool is_at(const Codes *text, int place, const char *old)
{
    for (int index = 0; old[index] != 0; index++)
        if (place + index >= text->length || text->codes[place + index] != (unsigned char)old[index])
            return false;
    return true;
}

static inline void replace_all(Codes *text, const char *old, const char *by)
{
    static Codes made;
    made.length = 0;
    for (int place = 0; place < text->length;) {
        bool found = is_at(text, place, old);
        for (int index = 0; found && by[index] != 0; index++)
            made.codes[made.length++] = (unsigned char)by[index];
        if (!found)
            made.codes[made.length++] = text->codes[place];
        place += found ? (int)strlen(old) : 1;
    }
    *text = made;
}

static inline bool is_digit(uint32_t code) { return code >= '0' && code <= '9'; }

static inline bool is_mark(uint32_t code) { return code == '.' || code == ','; }

static inline bool is_symbol(uint32_t code)
{
    return (code >= '{' && code <= '~') || (code >= '[' && code <= '`') || (code >= ' ' && code <= '&')
        || (code >= '(' && code <= '+') || (code >= ':' && code <= '@') || code == '/';
}

/* The four passes: each looks at one or two characters and goes on behind what it matched. A 1 stands for a character of
   the match, a blank for itself. */
typedef struct {
    int size;
    const char *by;
} Pass;

static inline bool matches(int pass, uint32_t one, uint32_t two)
{
    switch (pass) {
    case 0:
        return is_symbol(one);
    case 1:
        return !is_digit(one) && is_mark(two);
    case 2:
        return is_mark(one) && !is_digit(two);
    default:
        return is_digit(one) && two == '-';
    }
}

static inline void run_pass(Codes *text, int pass)
{
    static const Pass PASSES[] = {{1, " 1 "}, {2, "1 1 "}, {2, " 1 1"}, {2, "1 1 "}};
    static Codes made;
    const Pass *rule = &PASSES[pass];
    made.length = 0;
    for (int place = 0; place < text->length;) {
        bool fits = place + rule->size <= text->length;
        if (!fits || !matches(pass, text->codes[place], rule->size > 1 ? text->codes[place + 1] : 0)) {
            made.codes[made.length++] = text->codes[place++];
            continue;
        }
        for (const char *sign = rule->by; *sign != 0; sign++)
            made.codes[made.length++] = *sign == '1' ? text->codes[place++] : ' ';
    }
    *text = made;
}

static inline void tokenize_13a(Codes *text)
{
    replace_all(text, "<skipped>", "");
    replace_all(text, "-\n", "");
    replace_all(text, "\n", " ");
    replace_all(text, "&quot;", "\"");
    replace_all(text, "&amp;", "&");
    replace_all(text, "&lt;", "<");
    replace_all(text, "&gt;", ">");
    memmove(text->codes + 1, text->codes, (size_t)text->length * sizeof *text->codes);
    text->codes[0] = text->codes[text->length + 1] = ' ';
    text->length += 2;
    for (int pass = 0; pass < 4; pass++)
        run_pass(text, pass);
}

/* Does all that rules say. Before 13a, white space at the end goes where it is to be stripped; words of 13a are those
   between white space, or one that is empty. */
static inline void words_by_the_letter(const unsigned char *bytes, size_t length, CuttingRules rules, Sequence *words)
{
    static Codes text;
    decode(bytes, length, rules.lowercase, &text);
    while (rules.stripped && text.length > 0 && is_white(text.codes[text.length - 1]))
        text.length--;
    if (rules.cut == BY_13A)
        tokenize_13a(&text);
    split(&text, rules.cut == AT_EACH_BLANK, words);
    if (rules.cut == BY_13A && rules.at_each_blank && words->length == 0)
        words->units[words->length++] = number_of_word(text.codes, 0);
}

static inline bool same_gram(const Sequence *a, int at, const Sequence *b, int place, int order)
{
    return memcmp(a->units + at, b->units + place, (size_t)order * sizeof *a->units) == 0;
}

/* Counts an n-gram in the first places of a text. */
static inline int times_in(const Sequence *gram, int at, const Sequence *text, int places, int order)
{
    int times = 0;
    for (int place = 0; place < places; place++)
        times += same_gram(gram, at, text, place, order);
    return times;
}

static inline int grams_in(const Sequence *text, int order) { return text->length >= order ? text->length - order + 1 : 0; }

#endif
