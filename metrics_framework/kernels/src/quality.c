#include "quality.h"

#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "subsequence.h"
#include "texts.h"

enum { NUMBERS = 7 };

/* A text as it counts. */
typedef struct {
    size_t start, size;  /* of its bytes, in `Quality.bytes` */
    size_t codes, count; /* of its code points, in `Quality.codes`; there are as many as bytes where it is ASCII */
} Plain;

typedef struct {
    Kernel kernel;
    CuttingRules rules;
    TextGroup group;
    Texts texts;
    Subsequences subsequences;
    Buffer bytes; /* those of all texts as they count */
    Buffer codes; /* uint32_t: the code points of those that are not ASCII */
    Buffer plain; /* Plain */
    Buffer words; /* WordPlace, by number of a word */
    Buffer times; /* uint32_t, by number of a word: how often the source has it that the summary does not */
} Quality;

/* ---- texts as they count ---------------------------------------------------------------------------------------- */

static bool is_ascii(const unsigned char *bytes, size_t size)
{
    unsigned char any = 0;
    for (size_t place = 0; place < size; place++)
        any |= bytes[place];
    return any < 0x80;
}

/* Reads all code points of a text; returns how many. */
static size_t decode(const unsigned char *bytes, size_t size, uint32_t *codes)
{
    size_t count = 0;
    for (size_t place = 0; place < size;) {
        uint32_t first = bytes[place++];
        size_t more = (size_t)(first >= 0xc0) + (first >= 0xe0) + (first >= 0xf0);
        uint32_t code = more == 0 ? first : first & (0x3fu >> more);
        for (; more > 0; more--)
            code = code << 6 | (bytes[place++] & 0x3fu);
        codes[count++] = code;
    }
    return count;
}

/* Writes the words of a text with a blank between them; returns how many bytes they are. */
static size_t join_words(const Quality *quality, const Text *text, unsigned char *out)
{
    const WordPlace *words = quality->words.data;
    size_t size = 0;
    for (size_t index = 0; index < text->length; index++) {
        WordPlace word = words[text->words[index]];
        if (index > 0)
            out[size++] = ' ';
        memcpy(out + size, quality->group.bytes + word.start, word.length);
        size += word.length;
    }
    return size;
}

/* Appends a text that counts, whose bytes stand behind those before; they begin at `start`, its code points at `codes`. */
static Plain plain_text(const Quality *quality, size_t start, size_t size, size_t codes)
{
    const unsigned char *bytes = (const unsigned char *)quality->bytes.data + start;
    size_t count = is_ascii(bytes, size) ? size : decode(bytes, size, (uint32_t *)quality->codes.data + codes);
    return (Plain){start, size, codes, count};
}

/* Makes room for texts as they count: where words are joined, blanks come to the bytes. */
static bool reserve_texts(Quality *quality, size_t count)
{
    const TextGroup *group = &quality->group;
    size_t size = group->ends[count - 1];
    if (size > INT32_MAX / 4)
        return false;
    return buffer_reserve(&quality->plain, count, sizeof(Plain)) && buffer_reserve(&quality->bytes, 2 * size + 1, 1)
        && buffer_reserve(&quality->codes, is_ascii(group->bytes, size) ? 1 : 2 * size + 1, sizeof(uint32_t));
}

/* Keeps the texts as they stand, before they are cut. */
static void keep_texts(Quality *quality, size_t count)
{
    const TextGroup *group = &quality->group;
    size_t start = 0;
    look_through(group->bytes, group->ends[count - 1], quality->rules.lowercase);
    memcpy(quality->bytes.data, group->bytes, group->ends[count - 1]);
    for (size_t index = 0; index < count; index++) {
        ((Plain *)quality->plain.data)[index] = plain_text(quality, start, group->ends[index] - start, start);
        start = group->ends[index];
    }
}

/* Makes texts of the words that they were cut into. */
static bool join_texts(Quality *quality, size_t count)
{
    size_t start = 0, codes = 0;
    if (!buffer_reserve(&quality->words, quality->texts.words.used + 1, sizeof(WordPlace)))
        return false;
    numbers_places(&quality->texts.words, quality->words.data);
    for (size_t index = 0; index < count; index++) {
        size_t size = join_words(quality, text_at(&quality->texts, index), (unsigned char *)quality->bytes.data + start);
        Plain *plain = (Plain *)quality->plain.data + index;
        *plain = plain_text(quality, start, size, codes);
        codes += plain->count == size ? 0 : plain->count;
        start += size;
    }
    return true;
}

static Outcome quality_open(Kernel *kernel, const TextGroup *group)
{
    Quality *quality = (Quality *)kernel;
    size_t count = group->summary_count + group->reference_count;
    bool joined = quality->rules.cut == BY_13A;
    quality->group = *group;
    if (!reserve_texts(quality, count))
        return NO_MEMORY;
    if (!joined)
        keep_texts(quality, count);
    if (!texts_cut(&quality->texts, group, quality->rules, 0, NULL, &kernel->watch) || (joined && !join_texts(quality, count)))
        return NO_MEMORY;
    size_t kinds = quality->texts.words.used;
    if (!buffer_reserve(&quality->times, kinds + 1, sizeof(uint32_t)))
        return NO_MEMORY;
    memset(quality->times.data, 0, kinds * sizeof(uint32_t));
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

/* ---- a summary -------------------------------------------------------------------------------------------------- */

static const Plain *plain_at(const Quality *quality, size_t index) { return (const Plain *)quality->plain.data + index; }

static Symbols characters_of(const Quality *quality, const Plain *plain)
{
    if (plain->count == plain->size)
        return (Symbols){(const unsigned char *)quality->bytes.data + plain->start, plain->size, 1};
    return (Symbols){(const unsigned char *)((const uint32_t *)quality->codes.data + plain->codes), plain->count, sizeof(uint32_t)};
}

/* Counts the words that two texts share, each as often as the one has it that has it less often. */
static size_t shared_words(const Quality *quality, const Text *summary, const Text *source)
{
    uint32_t *times = quality->times.data;
    size_t shared = 0;
    for (size_t place = 0; place < source->length; place++)
        times[source->words[place]]++;
    for (size_t place = 0; place < summary->length; place++)
        if (times[summary->words[place]] > 0) {
            times[summary->words[place]]--;
            shared++;
        }
    for (size_t place = 0; place < source->length; place++)
        times[source->words[place]] = 0;
    return shared;
}

static Outcome quality_measure(Kernel *kernel, size_t summary, double *vector)
{
    Quality *quality = (Quality *)kernel;
    size_t source = quality->group.summary_count, common;
    const Plain *own = plain_at(quality, summary), *other = plain_at(quality, source);
    const Text *words = text_at(&quality->texts, summary), *source_words = text_at(&quality->texts, source);
    Symbols first = characters_of(quality, own), second = characters_of(quality, other);
    if (!subsequence_length(&quality->subsequences, first, second, &kernel->watch, &common))
        return NO_MEMORY;
    size_t shared = shared_words(quality, words, source_words), distance = own->count + other->count - 2 * common;
    size_t numbers[NUMBERS] = {own->count, other->count, distance, distance == 0, words->length, source_words->length, shared};
    for (size_t place = 0; place < NUMBERS; place++)
        vector[place] = (double)numbers[place];
    kernel->watch.work += own->size + other->size + 8 * (words->length + source_words->length);
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

static const char *quality_text(const Kernel *kernel, size_t index, size_t *size)
{
    const Quality *quality = (const Quality *)kernel;
    const Plain *plain = plain_at(quality, index);
    *size = plain->size;
    return (const char *)quality->bytes.data + plain->start;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

static void quality_free(Kernel *kernel)
{
    Quality *quality = (Quality *)kernel;
    texts_free(&quality->texts);
    subsequences_free(&quality->subsequences);
    buffer_free(&quality->bytes);
    buffer_free(&quality->codes);
    buffer_free(&quality->plain);
    buffer_free(&quality->words);
    buffer_free(&quality->times);
    free(quality);
}

Kernel *quality_new(const QualityOptions *options)
{
    Quality *quality = calloc(1, sizeof *quality);
    if (quality == NULL)
        return NULL;
    quality->rules = (CuttingRules){.lowercase = options->lowercase, .cut = options->tokenization};
    quality->kernel = (Kernel){
        .width = NUMBERS,
        .whole_count = NUMBERS,
        .lowercase = options->lowercase,
        .open = quality_open,
        .measure = quality_measure,
        .text = quality_text,
        .free = quality_free,
    };
    return &quality->kernel;
}
