#include "text/texts.h"

void texts_free(Texts *texts)
{
    numbers_free(&texts->words);
    buffer_free(&texts->numbers);
    buffer_free(&texts->texts);
}

/* Numbers of words, and places in texts, are numbers of 32 bits; what goes beyond is refused as too much for the memory. */
static bool reserve(Texts *texts, const unsigned char *bytes, size_t size, size_t count, size_t most, size_t kinds)
{
    return size <= INT32_MAX && most <= INT32_MAX / 8 && buffer_reserve(&texts->texts, count, sizeof(Text))
        && buffer_reserve(&texts->numbers, most + SPARE_BYTES, sizeof(uint32_t)) && numbers_reset(&texts->words, bytes, kinds);
}

/* Returns a number that the words of the texts are not more than. */
static size_t most_words_of(
    const TextGroup *group, CuttingRules rules, size_t plain_count, size_t other_count, const CuttingRules *other_rules)
{
    size_t start = group->ends[plain_count - 1], most = plain_count + most_words(group->bytes, start, rules.cut);
    for (size_t index = 0; index < other_count; index++) {
        size_t end = group->ends[plain_count + index];
        most += most_words(group->bytes + start, end - start, other_rules[index].cut);
        start = end;
    }
    return most;
}

/* Of texts of so few bytes the words are not counted beforehand: each has a byte at least, or stands for a whole text. */
enum { FEW_BYTES = 1 << 15 };

/* Makes room for the words of a text; mostly there is some for as many as there are bytes. */
static bool reserve_words(Numbers *words, CuttingRules rules, const unsigned char *text, size_t length, Watch *watch)
{
    return numbers_have_room(words, length + 1) || numbers_reserve(words, 1 + most_words(text, length, rules.cut), watch);
}

bool texts_cut(
    Texts *texts, const TextGroup *group, CuttingRules rules, size_t other_count, const CuttingRules *other_rules,
    Watch *watch)
{
    size_t plain_count = group->summary_count + group->reference_count, count = plain_count + other_count;
    size_t used = 0, size = group->ends[count - 1];
    bool are_few = size <= FEW_BYTES;
    size_t most = are_few ? size + count : most_words_of(group, rules, plain_count, other_count, other_rules);
    if (!reserve(texts, group->bytes, size, count, most, are_few ? 128 + size / 8 : most))
        return false;
    texts->count = count;
    for (size_t turn = 0; turn < count; turn++) {
        size_t index = turn < other_count ? plain_count + turn : turn - other_count;
        CuttingRules own = index < plain_count ? rules : other_rules[index - plain_count];
        uint32_t *words = (uint32_t *)texts->numbers.data + used;
        size_t start = index == 0 ? 0 : group->ends[index - 1], length = group->ends[index] - start;
        if (!reserve_words(&texts->words, own, group->bytes + start, length, watch))
            return false;
        size_t cut = cut_words(own, &texts->words, group->bytes + start, length, words);
        ((Text *)texts->texts.data)[index] = (Text){words, cut};
        used += cut;
        watch->work += 4 * length;
        if (is_stopped(watch))
            return false;
    }
    return true;
}
