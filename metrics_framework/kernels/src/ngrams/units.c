#include "ngrams/units.h"

#include "text/byte_classes.h"
#include "text/tokenize.h"

void unit_texts_free(UnitTexts *texts)
{
    numbers_free(&texts->words);
    buffer_free(&texts->units);
    buffer_free(&texts->texts);
}

/* Reads one code point; returns how many bytes it has. */
static size_t read_code_point(const unsigned char *text, uint32_t *code)
{
    if (text[0] < 0x80) {
        *code = text[0];
        return 1;
    }
    if (text[0] < 0xe0) {
        *code = (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu);
        return 2;
    }
    if (text[0] < 0xf0) {
        *code = (text[0] & 0xfu) << 12 | (text[1] & 0x3fu) << 6 | (text[2] & 0x3fu);
        return 3;
    }
    *code = (text[0] & 7u) << 18 | (text[1] & 0x3fu) << 12 | (text[2] & 0x3fu) << 6 | (text[3] & 0x3fu);
    return 4;
}

static size_t cut_characters(const unsigned char *text, size_t length, bool only_ascii, bool whitespace, uint32_t *out)
{
    size_t count = 0;
    if (only_ascii) {
        for (size_t place = 0; place < length; place++) { /* without a branch: where words end is not foreseen */
            out[count] = text[place];
            count += whitespace | !is_space(text[place]);
        }
        return count;
    }
    for (size_t place = 0; place < length;) {
        size_t space = whitespace ? 0 : white_space_at(text + place, length - place);
        place += space > 0 ? space : read_code_point(text + place, &out[count++]);
    }
    return count;
}

static bool is_punctuation(unsigned char byte)
{
    return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`')
        || (byte >= '{' && byte <= '~');
}

/* Cuts one mark off the end of a word, or else off its start. */
static size_t cut_word(Numbers *words, const unsigned char *word, size_t length, uint32_t *out)
{
    size_t first = length;
    if (length > 1 && is_punctuation(word[length - 1]))
        first = length - 1;
    else if (length > 1 && is_punctuation(word[0]))
        first = 1;
    out[0] = number_of(words, word, first);
    if (first == length)
        return 1;
    out[1] = number_of(words, word + first, length - first);
    return 2;
}

static size_t cut_into_words(Numbers *words, const unsigned char *text, size_t length, uint32_t *out)
{
    size_t count = 0, start = 0;
    for (size_t place = 0; place <= length;) {
        size_t space = place == length ? 1 : white_space_at(text + place, length - place);
        if (space == 0) {
            place++;
            continue;
        }
        if (place > start)
            count += cut_word(words, text + start, place - start, out + count);
        place += space;
        start = place;
    }
    return count;
}

/* Makes characters and words of all texts. Places are numbers of 32 bits; what goes beyond is refused as too much for the
   memory. */
bool unit_texts_cut(UnitTexts *texts, const TextGroup *group, UnitRules rules, Watch *watch)
{
    size_t count = group->summary_count + group->reference_count, size = group->ends[count - 1], start = 0;
    size_t most = rules.words ? 2 * (count + most_words(group->bytes, size, AT_WHITE_SPACE)) : 0; /* words and marks */
    if (size > INT32_MAX / 4 || !buffer_reserve(&texts->texts, count, sizeof(Units))
        || !buffer_reserve(&texts->units, size + most + 1, sizeof(uint32_t))
        || !numbers_reset(&texts->words, group->bytes, most))
        return false;
    uint32_t *out = texts->units.data;
    for (size_t index = 0; index < count; index++) {
        unsigned char *text = group->bytes + start;
        size_t length = group->ends[index] - start;
        Units *units = (Units *)texts->texts.data + index;
        Kinds kinds = look_through(text, length, rules.lowercase);
        size_t characters = cut_characters(text, length, kinds.only_ascii, rules.whitespace, out);
        if (most > MANY_STRINGS
            && !numbers_reserve(&texts->words, 2 + 2 * most_words(text, length, AT_WHITE_SPACE), watch))
            return false;
        size_t words = rules.words ? cut_into_words(&texts->words, text, length, out + characters) : 0;
        *units = (Units){{out, out + characters}, {characters, words}};
        out += characters + words;
        start = group->ends[index];
        watch->work += 4 * length;
        if (is_stopped(watch))
            return false;
    }
    return true;
}
