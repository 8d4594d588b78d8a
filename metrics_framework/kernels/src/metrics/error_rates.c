#include "metrics/error_rates.h"

#include <stdlib.h>
#include <string.h>

#include "lcs/edits.h"
#include "text/byte_classes.h"
#include "text/code_points.h"
#include "text/texts.h"

/* Substitutions, deletions, insertions and the length of the reference. */
enum { NUMBERS = 4 };

typedef struct {
    Kernel kernel;
    TokenizeRules rules;
    bool characters, leave_one_out;
    size_t summaries, references;
    Texts texts;       /* of words */
    Buffer codes;      /* uint32_t: code points of texts that are not ASCII */
    Buffer symbols;    /* Symbols: of each text */
    Buffer distances;  /* size_t: of a summary from each reference */
    EditMemory memory;
} ErrorRates;

static Symbols *symbols_at(const ErrorRates *rates, size_t index) { return (Symbols *)rates->symbols.data + index; }

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Bytes that UTF-8 does not use, for the first byte of each kind of whitespace but the space. */
static unsigned char hidden(unsigned char byte)
{
    static const unsigned char KINDS[] = {'\t', '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x1f, 0xc2, 0xe1, 0xe2, 0xe3};
    const unsigned char *kind = memchr(KINDS, byte, sizeof KINDS);
    size_t index = (size_t)(kind - KINDS);
    return (unsigned char)(index < 2 ? 0xc0 + index : 0xf5 + index - 2);
}

static size_t any_whitespace_at(const unsigned char *text, size_t length)
{
    if (length == 0 || !(is_ascii_whitespace(*text) || may_be_space(*text)))
        return 0;
    return whitespace_at(text, length);
}

/* Returns the number of bytes of the whitespace at the start of a text. */
static size_t whitespace_run(const unsigned char *text, size_t length)
{
    size_t position = 0, size;
    while ((size = any_whitespace_at(text + position, length - position)) > 0)
        position += size;
    return position;
}

/* Words are separated by spaces, or by two or more characters of whitespace. Hides a single other one, which is part of
   a word unless it is at an end of the text, so that texts can be split at whitespace. */
static void hide_single_whitespace(unsigned char *text, size_t length)
{
    for (size_t position = whitespace_run(text, length); position < length; position++) {
        size_t size = any_whitespace_at(text + position, length - position);
        if (size == 0)
            continue;
        size_t run = whitespace_run(text + position, length - position);
        if (run == size && text[position] != ' ' && position + run < length)
            text[position] = hidden(text[position]);
        position += run - 1;
    }
}

static bool may_have_other_whitespace(const unsigned char *bytes, size_t length)
{
    unsigned found = 0;
    for (size_t position = 0; position < length; position++)
        found |= (unsigned)(bytes[position] < ' ') | may_be_space(bytes[position]);
    return found != 0;
}

static bool read_words(ErrorRates *rates, const TextGroup *group, size_t count)
{
    if (may_have_other_whitespace(group->bytes, group->ends[count - 1]))
        for (size_t index = 0, start = 0; index < count; start = group->ends[index++])
            hide_single_whitespace(group->bytes + start, group->ends[index] - start);
    if (!texts_tokenize(&rates->texts, group, rates->rules, 0, NULL, &rates->kernel.interrupt))
        return false;
    for (size_t index = 0; index < count; index++) {
        const Text *text = text_at(&rates->texts, index);
        *symbols_at(rates, index) = (Symbols){(const unsigned char *)text->words, text->length, sizeof *text->words};
    }
    return true;
}

/* ---- characters -------------------------------------------------------------------------------------------------- */

/* Returns the number of bytes of a text before the whitespace at its end. */
static size_t without_end(const unsigned char *text, size_t length)
{
    size_t end = length;
    while (end > 0) {
        size_t last = end - 1;
        while (last > 0 && (text[last] & 0xc0) == 0x80)
            last--;
        if (any_whitespace_at(text + last, end - last) != end - last)
            return end;
        end = last;
    }
    return 0;
}

static bool read_characters(ErrorRates *rates, const TextGroup *group, size_t count)
{
    size_t size = group->ends[count - 1], used = 0;
    bool all_ascii = scan_bytes(group->bytes, size, rates->rules.lowercase).only_ascii;
    if (!buffer_reserve(&rates->codes, all_ascii ? 1 : size + 1, sizeof(uint32_t)))
        return false;
    uint32_t *codes = rates->codes.data;
    for (size_t index = 0, start = 0; index < count; start = group->ends[index++]) {
        const unsigned char *text = group->bytes + start;
        size_t length = without_end(text, group->ends[index] - start), blank = whitespace_run(text, length);
        Symbols *symbols = symbols_at(rates, index);
        *symbols = (Symbols){text + blank, length - blank, 1};
        if (!all_ascii && !is_ascii(symbols->data, symbols->length)) {
            size_t found = decode(symbols->data, symbols->length, codes + used);
            *symbols = (Symbols){(const unsigned char *)(codes + used), found, sizeof *codes};
            used += found;
        }
    }
    return true;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

static Outcome error_rates_open(Kernel *kernel, const TextGroup *group)
{
    ErrorRates *rates = (ErrorRates *)kernel;
    size_t count = group->summary_count + group->reference_count;
    rates->summaries = group->summary_count;
    rates->references = group->reference_count;
    rates->leave_one_out = group->leave_one_out;
    if (!buffer_reserve(&rates->symbols, count, sizeof(Symbols))
        || !buffer_reserve(&rates->distances, group->reference_count, sizeof(size_t))
        || !(rates->characters ? read_characters : read_words)(rates, group, count))
        return OUT_OF_MEMORY;
    kernel->interrupt.work += group->ends[count - 1];
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* Prepares a summary and a reference. */
static bool read_pair(ErrorRates *rates, size_t summary, size_t reference, EditPair *pair)
{
    size_t kinds = rates->characters ? 0 : (size_t)rates->texts.words.used;
    Symbols first = *symbols_at(rates, rates->summaries + reference), second = *symbols_at(rates, summary);
    return edits_read(&rates->memory, first, second, kinds, pair);
}

static size_t length_of(const ErrorRates *rates, size_t reference)
{
    return symbols_at(rates, rates->summaries + reference)->length;
}

/* Measures the distance from each reference. */
static bool measure_distances(ErrorRates *rates, size_t summary)
{
    size_t *distances = rates->distances.data;
    for (size_t reference = 0; reference < rates->references; reference++) {
        EditPair pair;
        if (!read_pair(rates, summary, reference, &pair)
            || !edits_distance(&rates->memory, &pair, &rates->kernel.interrupt, &distances[reference]))
            return false;
    }
    return true;
}

/* Returns the first of the references with the least distance, other than `excluded`. */
static size_t closest_reference(const ErrorRates *rates, size_t excluded)
{
    const size_t *distances = rates->distances.data;
    size_t closest = excluded == 0;
    for (size_t reference = closest + 1; reference < rates->references; reference++)
        if (reference != excluded && distances[reference] < distances[closest])
            closest = reference;
    return closest;
}

static bool write_edits(ErrorRates *rates, size_t summary, size_t reference, double *vector)
{
    EditPair pair;
    Edits edits;
    if (!read_pair(rates, summary, reference, &pair) || !edits_count(&rates->memory, &pair, &rates->kernel.interrupt, &edits))
        return false;
    double numbers[NUMBERS] = {
        (double)edits.substitutions, (double)edits.deletions, (double)edits.insertions, (double)length_of(rates, reference),
    };
    memcpy(vector, numbers, sizeof numbers);
    return true;
}

/* Without a reference, another one counts only if that was the closest. */
static bool write_without(ErrorRates *rates, size_t summary, size_t closest, double *vectors)
{
    for (size_t reference = 0; reference < rates->references; reference++)
        if (reference != closest)
            memcpy(vectors + NUMBERS * (reference + 1), vectors, NUMBERS * sizeof *vectors);
    return write_edits(rates, summary, closest_reference(rates, closest), vectors + NUMBERS * (closest + 1));
}

static Outcome error_rates_measure(Kernel *kernel, size_t summary, double *vectors)
{
    ErrorRates *rates = (ErrorRates *)kernel;
    size_t closest = 0;
    if (rates->references > 1) {
        if (!measure_distances(rates, summary))
            return OUT_OF_MEMORY;
        closest = closest_reference(rates, SIZE_MAX);
    }
    if (!write_edits(rates, summary, closest, vectors)
        || (rates->leave_one_out && !write_without(rates, summary, closest, vectors)))
        return OUT_OF_MEMORY;
    kernel->interrupt.work += symbols_at(rates, summary)->length;
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

static void error_rates_score(const Kernel *kernel, const double *vector, double *scores)
{
    (void)kernel;
    double length = vector[3] < 1 ? 1 : vector[3];
    scores[0] = 100 * ((vector[0] + vector[1] + vector[2]) / length);
    memcpy(scores + 1, vector, NUMBERS * sizeof *scores);
}

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void error_rates_free(Kernel *kernel)
{
    ErrorRates *rates = (ErrorRates *)kernel;
    texts_free(&rates->texts);
    edits_free(&rates->memory);
    buffer_free(&rates->codes);
    buffer_free(&rates->symbols);
    buffer_free(&rates->distances);
    free(rates);
}

Kernel *error_rates_new(const ErrorRatesOptions *options)
{
    static const char *const NAMES[][NUMBERS + 1] = {
        {"wer", "wer_substitutions", "wer_deletions", "wer_insertions", "wer_ref_length"},
        {"cer", "cer_substitutions", "cer_deletions", "cer_insertions", "cer_ref_length"},
    };
    ErrorRates *rates = calloc(1, sizeof *rates);
    if (rates == NULL)
        return NULL;
    rates->characters = options->characters;
    rates->rules = (TokenizeRules){.lowercase = options->lowercase, .tokenization = WHITESPACE};
    rates->kernel = (Kernel){
        .width = NUMBERS,
        .whole_count = NUMBERS,
        .field_count = NUMBERS + 1,
        .score_width = NUMBERS + 1,
        .lowercase = options->lowercase,
        .open = error_rates_open,
        .measure = error_rates_measure,
        .score = error_rates_score,
        .free = error_rates_free,
    };
    for (size_t field = 0; field <= NUMBERS; field++)
        rates->kernel.fields[field] = (ScoreField){.name = NAMES[options->characters][field], .is_whole = field > 0};
    return &rates->kernel;
}
