/* The tokenizer of mteval-v13a, transcribed: replacements and passes over a text, one after the other. */

#ifndef FW_FUZZ_TOKENIZER_13A_H
#define FW_FUZZ_TOKENIZER_13A_H

#include "case.h"

static inline bool is_at(const Codes *text, int position, const char *old)
{
    for (int index = 0; old[index] != 0; index++)
        if (position + index >= text->length || text->codes[position + index] != (unsigned char)old[index])
            return false;
    return true;
}

static inline void replace_all(Codes *text, const char *old, const char *by)
{
    static Codes made;
    made.length = 0;
    for (int position = 0; position < text->length;) {
        bool found = is_at(text, position, old);
        for (int index = 0; found && by[index] != 0; index++)
            made.codes[made.length++] = (unsigned char)by[index];
        if (!found)
            made.codes[made.length++] = text->codes[position];
        position += found ? (int)strlen(old) : 1;
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

/* The four passes: each reads one or two characters and continues after what it matched. A 1 stands for a character of
   the match, a space for itself. */
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
    for (int position = 0; position < text->length;) {
        bool fits = position + rule->size <= text->length;
        if (!fits || !matches(pass, text->codes[position], rule->size > 1 ? text->codes[position + 1] : 0)) {
            made.codes[made.length++] = text->codes[position++];
            continue;
        }
        for (const char *sign = rule->by; *sign != 0; sign++)
            made.codes[made.length++] = *sign == '1' ? text->codes[position++] : ' ';
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

/* Applies tokenization rules. Before 13a, trailing whitespace is removed if `strip_end` is set; without words, a text
   may have one empty word. */
static inline void tokenize_plainly(const unsigned char *bytes, size_t length, TokenizeRules rules, Sequence *words)
{
    static Codes text;
    decode(bytes, length, rules.lowercase, &text);
    while (rules.strip_end && text.length > 0 && is_whitespace(text.codes[text.length - 1]))
        text.length--;
    if (rules.tokenization == TOKENIZER_13A)
        tokenize_13a(&text);
    split(&text, rules.tokenization == SINGLE_SPACES, words);
    if (rules.tokenization == TOKENIZER_13A && rules.single_spaces && words->length == 0)
        words->units[words->length++] = number_of_word(text.codes, 0);
}

static inline bool same_ngram(const Sequence *a, int at, const Sequence *b, int position, int order)
{
    return memcmp(a->units + at, b->units + position, (size_t)order * sizeof *a->units) == 0;
}

/* Counts an n-gram among the first n-grams of a text. */
static inline int times_in(const Sequence *ngram, int at, const Sequence *text, int positions, int order)
{
    int times = 0;
    for (int position = 0; position < positions; position++)
        times += same_ngram(ngram, at, text, position, order);
    return times;
}

static inline int ngrams_in(const Sequence *text, int order) { return text->length >= order ? text->length - order + 1 : 0; }

#endif
