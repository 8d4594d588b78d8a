#include "metrics/quality.h"

#include <stdlib.h>
#include <string.h>

#include "lcs/lcs.h"
#include "text/byte_classes.h"
#include "text/code_points.h"
#include "text/texts.h"

enum { NUMBERS = 7 };

/* A text as it is compared: tokenized and joined, or as given. */
typedef struct {
    size_t start, size;  /* of its bytes in `Quality.bytes` */
    size_t codes, count; /* of its code points in `Quality.codes`; an ASCII text has none there, and `count` equals `size` */
} ComparedText;

typedef struct {
    Kernel kernel;
    TokenizeRules rules;
    TextGroup group;
    Texts texts;
    Lcs lcs;
    Buffer bytes;     /* the compared texts */
    Buffer codes;     /* uint32_t: the code points of compared texts that are not ASCII */
    Buffer compared;  /* ComparedText */
    Buffer words;     /* WordSpan, by word id */
    Buffer unmatched; /* uint32_t, by word id: the occurrences in the source not yet matched; all 0 between calls */
} Quality;

/* ---- compared texts ---------------------------------------------------------------------------------------------- */

/* Joins the words of a text with spaces; returns the number of bytes. */
static size_t join_words(const Quality *quality, const Text *text, unsigned char *out)
{
    const WordSpan *words = quality->words.data;
    size_t size = 0;
    for (size_t index = 0; index < text->length; index++) {
        WordSpan word = words[text->words[index]];
        if (index > 0)
            out[size++] = ' ';
        memcpy(out + size, quality->group.bytes + word.start, word.length);
        size += word.length;
    }
    return size;
}

/* Decodes the compared text whose bytes start at `start`, to `codes` on, unless it is ASCII. */
static ComparedText compared_text(const Quality *quality, size_t start, size_t size, size_t codes)
{
    const unsigned char *bytes = (const unsigned char *)quality->bytes.data + start;
    size_t count = is_ascii(bytes, size) ? size : decode(bytes, size, (uint32_t *)quality->codes.data + codes);
    return (ComparedText){start, size, codes, count};
}

/* Reserves memory for the compared texts. Joining words adds at most one space per byte. */
static bool reserve_texts(Quality *quality, size_t count)
{
    const TextGroup *group = &quality->group;
    size_t size = group->ends[count - 1];
    if (size > INT32_MAX / 4)
        return false;
    return buffer_reserve(&quality->compared, count, sizeof(ComparedText)) && buffer_reserve(&quality->bytes, 2 * size + 1, 1)
        && buffer_reserve(&quality->codes, is_ascii(group->bytes, size) ? 1 : 2 * size + 1, sizeof(uint32_t));
}

/* Copies the texts before they are tokenized. */
static void keep_texts(Quality *quality, size_t count)
{
    const TextGroup *group = &quality->group;
    size_t start = 0;
    scan_bytes(group->bytes, group->ends[count - 1], quality->rules.lowercase);
    memcpy(quality->bytes.data, group->bytes, group->ends[count - 1]);
    for (size_t index = 0; index < count; index++) {
        ((ComparedText *)quality->compared.data)[index] = compared_text(quality, start, group->ends[index] - start, start);
        start = group->ends[index];
    }
}

/* Joins the tokenized words to texts. */
static bool join_texts(Quality *quality, size_t count)
{
    size_t start = 0, codes = 0;
    if (!buffer_reserve(&quality->words, quality->texts.words.used + 1, sizeof(WordSpan)))
        return false;
    word_ids_spans(&quality->texts.words, quality->words.data);
    for (size_t index = 0; index < count; index++) {
        size_t size = join_words(quality, text_at(&quality->texts, index), (unsigned char *)quality->bytes.data + start);
        ComparedText *compared = (ComparedText *)quality->compared.data + index;
        *compared = compared_text(quality, start, size, codes);
        codes += compared->count == size ? 0 : compared->count;
        start += size;
    }
    return true;
}

static Outcome quality_open(Kernel *kernel, const TextGroup *group)
{
    Quality *quality = (Quality *)kernel;
    size_t count = group->summary_count + group->reference_count;
    bool joined = quality->rules.tokenization == TOKENIZER_13A;
    quality->group = *group;
    if (!reserve_texts(quality, count))
        return OUT_OF_MEMORY;
    if (!joined)
        keep_texts(quality, count);
    if (!texts_tokenize(&quality->texts, group, quality->rules, 0, NULL, &kernel->interrupt)
        || (joined && !join_texts(quality, count)))
        return OUT_OF_MEMORY;
    size_t kinds = quality->texts.words.used;
    if (!buffer_reserve(&quality->unmatched, kinds + 1, sizeof(uint32_t)))
        return OUT_OF_MEMORY;
    memset(quality->unmatched.data, 0, kinds * sizeof(uint32_t));
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

static const ComparedText *compared_at(const Quality *quality, size_t index)
{
    return (const ComparedText *)quality->compared.data + index;
}

static Symbols characters_of(const Quality *quality, const ComparedText *compared)
{
    if (compared->count == compared->size)
        return (Symbols){(const unsigned char *)quality->bytes.data + compared->start, compared->size, 1};
    const uint32_t *codes = (const uint32_t *)quality->codes.data + compared->codes;
    return (Symbols){(const unsigned char *)codes, compared->count, sizeof *codes};
}

/* Counts the words that two texts share, as multisets. */
static size_t shared_words(const Quality *quality, const Text *summary, const Text *source)
{
    uint32_t *unmatched = quality->unmatched.data;
    size_t shared = 0;
    for (size_t position = 0; position < source->length; position++)
        unmatched[source->words[position]]++;
    for (size_t position = 0; position < summary->length; position++)
        if (unmatched[summary->words[position]] > 0) {
            unmatched[summary->words[position]]--;
            shared++;
        }
    for (size_t position = 0; position < source->length; position++)
        unmatched[source->words[position]] = 0;
    return shared;
}

static Outcome quality_measure(Kernel *kernel, size_t summary, double *vector)
{
    Quality *quality = (Quality *)kernel;
    size_t source = quality->group.summary_count, common;
    const ComparedText *own = compared_at(quality, summary), *other = compared_at(quality, source);
    const Text *words = text_at(&quality->texts, summary), *source_words = text_at(&quality->texts, source);
    Symbols first = characters_of(quality, own), second = characters_of(quality, other);
    if (!lcs_length(&quality->lcs, first, second, 0, &kernel->interrupt, &common))
        return OUT_OF_MEMORY;
    size_t shared = shared_words(quality, words, source_words), distance = own->count + other->count - 2 * common;
    size_t numbers[NUMBERS] = {own->count, other->count, distance, distance == 0, words->length, source_words->length, shared};
    for (size_t position = 0; position < NUMBERS; position++)
        vector[position] = (double)numbers[position];
    kernel->interrupt.work += own->size + other->size + 8 * (words->length + source_words->length);
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

static const char *quality_text(const Kernel *kernel, size_t index, size_t *size)
{
    const Quality *quality = (const Quality *)kernel;
    const ComparedText *compared = compared_at(quality, index);
    *size = compared->size;
    return (const char *)quality->bytes.data + compared->start;
}

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void quality_free(Kernel *kernel)
{
    Quality *quality = (Quality *)kernel;
    texts_free(&quality->texts);
    lcs_free(&quality->lcs);
    buffer_free(&quality->bytes);
    buffer_free(&quality->codes);
    buffer_free(&quality->compared);
    buffer_free(&quality->words);
    buffer_free(&quality->unmatched);
    free(quality);
}

Kernel *quality_new(const QualityOptions *options)
{
    Quality *quality = calloc(1, sizeof *quality);
    if (quality == NULL)
        return NULL;
    quality->rules = (TokenizeRules){.lowercase = options->lowercase, .tokenization = options->tokenization};
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
