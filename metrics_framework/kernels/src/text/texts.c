#include "text/texts.h"

void texts_free(Texts *texts)
{
    word_ids_free(&texts->words);
    buffer_free(&texts->ids);
    buffer_free(&texts->texts);
}

/* Word ids and positions are 32-bit numbers; longer texts count as out of memory. */
static bool reserve(Texts *texts, const unsigned char *bytes, size_t size, size_t count, size_t max, size_t kinds)
{
    return size <= INT32_MAX && max <= INT32_MAX / 8 && buffer_reserve(&texts->texts, count, sizeof(Text))
        && buffer_reserve(&texts->ids, max + SPARE_BYTES, sizeof(uint32_t)) && word_ids_reset(&texts->words, bytes, kinds);
}

/* Returns an upper bound of the number of words in a group. */
static size_t max_words_of_group(
    const TextGroup *group, TokenizeRules rules, size_t plain_count, size_t other_count, const TokenizeRules *other_rules)
{
    size_t start = group->ends[plain_count - 1], max = plain_count + max_words(group->bytes, start, rules.tokenization);
    for (size_t index = 0; index < other_count; index++) {
        size_t end = group->ends[plain_count + index];
        max += max_words(group->bytes + start, end - start, other_rules[index].tokenization);
        start = end;
    }
    return max;
}

/* Up to this size words are not counted in advance: each has at least one byte, or is the only word of a text. */
enum { FEW_BYTES = 1 << 15 };

/* Returns the most words of a text. */
static size_t most_words_of(size_t length, TokenizeRules rules)
{
    return rules.tokenization == WHITESPACE ? length / 2 + 1 : length + 1;
}

/* Reserves slots for the words of a text. Usually there are enough for the most that it can have. */
static bool reserve_words(WordIds *words, TokenizeRules rules, const unsigned char *text, size_t length, Interrupt *interrupt)
{
    return word_ids_have_space(words, most_words_of(length, rules))
        || word_ids_reserve(words, 1 + max_words(text, length, rules.tokenization), interrupt);
}

bool texts_tokenize(
    Texts *texts, const TextGroup *group, TokenizeRules rules, size_t other_count, const TokenizeRules *other_rules,
    Interrupt *interrupt)
{
    size_t plain_count = group->summary_count + group->reference_count, count = plain_count + other_count;
    size_t used = 0, size = group->ends[count - 1];
    bool is_short = size <= FEW_BYTES;
    size_t max = is_short ? size + count : max_words_of_group(group, rules, plain_count, other_count, other_rules);
    if (!reserve(texts, group->bytes, size, count, max, is_short ? 128 + size / 8 : max))
        return false;
    texts->count = count;
    for (size_t turn = 0; turn < count; turn++) {
        size_t index = turn < other_count ? plain_count + turn : turn - other_count;
        TokenizeRules own = index < plain_count ? rules : other_rules[index - plain_count];
        uint32_t *words = (uint32_t *)texts->ids.data + used;
        size_t start = index == 0 ? 0 : group->ends[index - 1], length = group->ends[index] - start;
        if (!reserve_words(&texts->words, own, group->bytes + start, length, interrupt))
            return false;
        size_t tokenization = tokenize(own, &texts->words, group->bytes + start, length, words);
        ((Text *)texts->texts.data)[index] = (Text){words, tokenization};
        used += tokenization;
        interrupt->work += 4 * length;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}
