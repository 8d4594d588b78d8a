#include "metrics/bleu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ngrams/ngram_ids.h"
#include "ngrams/pair_counts.h"
#include "ngrams/short_matches.h"
#include "text/texts.h"

static const double LOG_OF_ZERO = -9999999999;

enum { FEW_SUMMARIES = 16, FEW_REFERENCES = 2 };

/* How often an n-gram occurs in the references: its maximum, and the maximum over the other references. */
typedef struct {
    uint32_t max, second;
    uint32_t last;  /* the reference with the maximum */
    uint32_t count; /* in the text being counted */
} Tally;

typedef struct {
    Kernel kernel;
    BleuOptions options;
    TokenizeRules rules;
    TextGroup group;
    Texts texts;
    NgramIds ngram_ids;
    Buffer tallies; /* Tally, by n-gram id */
    Buffer ngrams;  /* uint32_t: the id of the n-gram at each position of a text */
    Buffer counted; /* uint32_t: the n-grams of all orders of a text */
    Buffer lost;    /* double: for each reference the matches of an order that are lost without it */

    bool are_short; /* all summaries: no n-gram gets an id */
    ShortMatches short_matches;

    /* Of pairs. */
    Buffer unit_texts; /* UnitText: the texts of a group */
    SharedNgrams shared;
    PairCounts counts;
    Buffer pair; /* double: the statistics of a pair, and its scores */
} Bleu;

/* ---- references -------------------------------------------------------------------------------------------------- */

static const Text *reference_at(const Bleu *bleu, size_t index)
{
    return text_at(&bleu->texts, bleu->group.summary_count + index);
}

/* Merges the count of one reference into the maxima. Written without branches, which would be mispredicted. */
static inline void merge_count(Tally *tally, uint32_t reference)
{
    uint32_t count = tally->count, max = tally->max, less = count < max ? count : max;
    tally->last = count > max ? reference : tally->last;
    tally->max = count > max ? count : max;
    tally->second = less > tally->second ? less : tally->second;
    tally->count = 0;
}

/* Reserves the tallies of `count` n-grams; those from `before` on are set to 0. */
static bool reserve_tallies(Bleu *bleu, size_t before, size_t count)
{
    if (!buffer_reserve(&bleu->tallies, count, sizeof(Tally)))
        return false;
    if (count > before)
        memset((Tally *)bleu->tallies.data + before, 0, (count - before) * sizeof(Tally));
    return true;
}

static bool count_reference(Bleu *bleu, size_t index)
{
    const Text *text = reference_at(bleu, index);
    size_t total = 0, before = bleu->ngram_ids.used;
    uint32_t *ngrams = bleu->ngrams.data, *counted = bleu->counted.data;
    for (size_t order = 1; order <= bleu->options.max_order; order++) {
        size_t count = ngram_count(text->length, order);
        if (order == 1)
            memcpy(ngrams, text->words, count * sizeof *ngrams);
        else if (!ngram_ids_reserve(&bleu->ngram_ids, count, &bleu->kernel.interrupt))
            return false;
        else
            assign_ngram_ids(&bleu->ngram_ids, ngrams, text->words + order - 1, count);
        memcpy(counted + total, ngrams, count * sizeof *ngrams);
        total += count;
        bleu->kernel.interrupt.work += 8 * count;
        if (is_interrupted(&bleu->kernel.interrupt))
            return false;
    }
    if (!reserve_tallies(bleu, before, bleu->ngram_ids.used))
        return false;
    Tally *tallies = bleu->tallies.data;
    if (index == 0) {
        for (size_t position = 0; position < total; position++)
            tallies[counted[position]].max++;
        return true;
    }
    for (size_t position = 0; position < total; position++)
        tallies[counted[position]].count++;
    for (size_t position = 0; position < total; position++)
        merge_count(&tallies[counted[position]], (uint32_t)index);
    return true;
}

/* Reserves memory for the counts of the tokenized texts. */
static bool reserve_counts(Bleu *bleu)
{
    size_t longest = 0, total = 0, max_order = bleu->options.max_order;
    for (size_t index = 0; index < bleu->texts.count; index++) {
        const Text *text = text_at(&bleu->texts, index);
        longest = text->length > longest ? text->length : longest;
        total += index < bleu->group.summary_count ? 0 : text->length;
    }
    size_t orders = max_order < longest ? max_order : longest;
    if (orders > 0 && (total > UINT32_MAX / 2 / orders || longest > UINT32_MAX / 2 / orders))
        return false;
    return buffer_reserve(&bleu->ngrams, longest + 1, sizeof(uint32_t))
        && buffer_reserve(&bleu->counted, longest * orders + 1, sizeof(uint32_t))
        && buffer_reserve(&bleu->lost, bleu->group.reference_count, sizeof(double))
        && ngram_ids_reset(&bleu->ngram_ids, total * (orders > 0 ? orders - 1 : 0), bleu->texts.words.used, bleu->texts.words.used)
        && reserve_tallies(bleu, 0, bleu->texts.words.used);
}

/* Returns whether matches are found by positions. For many summaries of several references, ids are faster. */
static bool are_summaries_short(const Bleu *bleu)
{
    const TextGroup *group = &bleu->group;
    bool are_short = bleu->options.max_order <= POSITION_ORDERS
        && (group->summary_count <= FEW_SUMMARIES || group->reference_count <= FEW_REFERENCES);
    for (size_t summary = 0; are_short && summary < group->summary_count; summary++)
        are_short = text_at(&bleu->texts, summary)->length <= MAX_POSITIONS;
    return are_short;
}

static bool reserve_positions(Bleu *bleu)
{
    return buffer_reserve(&bleu->lost, bleu->group.reference_count, sizeof(double))
        && short_matches_reset(&bleu->short_matches, bleu->texts.words.used, bleu->group.reference_count);
}

static Outcome bleu_open(Kernel *kernel, const TextGroup *group)
{
    Bleu *bleu = (Bleu *)kernel;
    bleu->group = *group;
    if (!texts_tokenize(&bleu->texts, group, bleu->rules, 0, NULL, &kernel->interrupt))
        return OUT_OF_MEMORY;
    bleu->are_short = are_summaries_short(bleu);
    if (!(bleu->are_short ? reserve_positions : reserve_counts)(bleu))
        return OUT_OF_MEMORY;
    if (bleu->are_short)
        return DONE;
    for (size_t index = 0; index < group->reference_count; index++)
        if (!count_reference(bleu, index))
            return OUT_OF_MEMORY;
    if (!reserve_tallies(bleu, bleu->ngram_ids.used, (size_t)bleu->ngram_ids.used + 1)) /* the last tally is for NO_NGRAM */
        return OUT_OF_MEMORY;
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Returns the reference closest in length; of equally close ones the shortest, then the first. */
static size_t nearest_reference(const Bleu *bleu, size_t length, size_t left_out)
{
    size_t nearest = 0, found = 0, least = SIZE_MAX;
    for (size_t index = 0; index < bleu->group.reference_count; index++) {
        size_t other = reference_at(bleu, index)->length;
        size_t difference = other > length ? other - length : length - other;
        if (index != left_out && (difference < least || (difference == least && other < nearest))) {
            nearest = other;
            found = index;
            least = difference;
        }
    }
    return found;
}

/* Counts the matches of an order and, with leave-one-out, those that each reference alone accounts for. N-grams that no
   reference has share a tally of 0, so that there is no unpredictable branch. */
static double matches_of_order(Bleu *bleu, size_t count, double *lost)
{
    uint32_t *ngrams = bleu->ngrams.data, none = bleu->ngram_ids.used, matches = 0;
    Tally *tallies = bleu->tallies.data;
    for (size_t position = 0; position < count; position++) {
        Tally *tally = &tallies[ngrams[position] < none ? ngrams[position] : none];
        matches += ++tally->count <= tally->max;
    }
    for (size_t position = 0; position < count; position++) {
        Tally *tally = &tallies[ngrams[position] < none ? ngrams[position] : none];
        if (bleu->group.leave_one_out && tally->count <= tally->max)
            lost[tally->last] += tally->count > tally->second;
        tally->count -= bleu->group.leave_one_out ? 1 : tally->count;
    }
    return matches;
}

/* Counts the matches of an order and those that are lost without each reference. */
static double count_matches(Bleu *bleu, const Text *text, size_t order, size_t count, double *lost)
{
    uint32_t *ngrams = bleu->ngrams.data;
    if (bleu->are_short)
        return short_matches_of_order(
            &bleu->short_matches, order - 1, bleu->group.reference_count, bleu->group.leave_one_out ? lost : NULL);
    if (order == 1)
        memcpy(ngrams, text->words, count * sizeof *ngrams);
    else
        find_ngram_ids(&bleu->ngram_ids, ngrams, text->words + order - 1, count);
    memset(lost, 0, bleu->group.reference_count * sizeof *lost);
    bleu->kernel.interrupt.work += 8 * count;
    return matches_of_order(bleu, count, lost);
}

static Outcome bleu_measure(Kernel *kernel, size_t summary, double *vectors)
{
    Bleu *bleu = (Bleu *)kernel;
    const Text *text = text_at(&bleu->texts, summary);
    size_t max_order = bleu->options.max_order, variants = bleu->group.leave_one_out ? bleu->group.reference_count : 0;
    double *lost = bleu->lost.data;
    size_t nearest = nearest_reference(bleu, text->length, SIZE_MAX);
    size_t second = variants > 0 ? nearest_reference(bleu, text->length, nearest) : nearest;
    for (size_t variant = 0; variant <= variants; variant++) {
        vectors[variant * kernel->width] = (double)text->length;
        vectors[variant * kernel->width + 1] = (double)reference_at(bleu, variant == nearest + 1 ? second : nearest)->length;
    }
    kernel->interrupt.work += bleu->group.reference_count;
    if (bleu->are_short
        && !short_matches_find(
            &bleu->short_matches, text, reference_at(bleu, 0), bleu->group.reference_count, &kernel->interrupt))
        return INTERRUPTED;
    for (size_t order = 1; order <= max_order; order++) {
        size_t count = ngram_count(text->length, order);
        double matches = count_matches(bleu, text, order, count, lost);
        for (size_t variant = 0; variant <= variants; variant++) {
            double *vector = vectors + variant * kernel->width + 1 + order;
            vector[0] = variant == 0 ? matches : matches - lost[variant - 1];
            vector[max_order] = (double)count;
        }
        if (is_interrupted(&kernel->interrupt))
            return INTERRUPTED;
    }
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- statistics to scores ---------------------------------------------------------------------------------------- */

static double brevity_penalty(double length, double reference_length)
{
    if (length >= reference_length)
        return 1;
    return length > 0 ? exp(1 - reference_length / length) : 0;
}

/* Writes smoothed precisions; returns the number of orders that have n-grams. */
static size_t write_precisions(const BleuOptions *options, const double *matches, double *precisions)
{
    const double *totals = matches + options->max_order;
    double halves = 1;
    for (size_t order = 0; order < options->max_order; order++) {
        double matching = matches[order], total = totals[order];
        if (options->smoothing == SMOOTH_ADD_K && order > 0) {
            matching += options->smooth_value;
            total += options->smooth_value;
        }
        if (total == 0)
            return order;
        if (matching == 0 && options->smoothing == SMOOTH_EXP) {
            halves *= 2;
            precisions[order] = 100.0 / (halves * total);
        } else if (matching == 0 && options->smoothing == SMOOTH_FLOOR) {
            precisions[order] = 100.0 * options->smooth_value / total;
        } else {
            precisions[order] = 100.0 * matching / total;
        }
    }
    return options->max_order;
}

/* Returns the geometric mean: 0 if a number is 0. No number is infinite. */
static double geometric_mean(const double *numbers, size_t count)
{
    double sum = 0;
    for (size_t index = 0; index < count; index++)
        sum += numbers[index] == 0 ? LOG_OF_ZERO : log(numbers[index]);
    return exp(sum / (double)count);
}

static double bleu_of(const BleuOptions *options, const double *vector, double penalty, double *precisions)
{
    const double *matches = vector + 2;
    bool any = false;
    for (size_t order = 0; order < options->max_order; order++) {
        any |= matches[order] != 0;
        precisions[order] = 0;
    }
    if (!any)
        return 0;
    size_t orders = write_precisions(options, matches, precisions);
    return penalty * geometric_mean(precisions, options->effective_order ? orders : options->max_order);
}

static void bleu_score(const Kernel *kernel, const double *vector, double *scores)
{
    const BleuOptions *options = &((const Bleu *)kernel)->options;
    double penalty = brevity_penalty(vector[0], vector[1]);
    scores[0] = bleu_of(options, vector, penalty, scores + 1);
    double *after = scores + 1 + options->max_order;
    after[0] = penalty;
    after[1] = vector[0];
    after[2] = vector[1];
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static bool reserve_pairs(Bleu *bleu)
{
    if (!buffer_reserve(&bleu->unit_texts, bleu->texts.count, sizeof(UnitText))
        || !buffer_reserve(&bleu->pair, bleu->kernel.width + bleu->kernel.score_width, sizeof(double)))
        return false;
    for (size_t index = 0; index < bleu->texts.count; index++) {
        const Text *text = text_at(&bleu->texts, index);
        ((UnitText *)bleu->unit_texts.data)[index] = (UnitText){text->words, text->length};
    }
    return true;
}

static double score_of_pair(const Bleu *bleu, size_t row, size_t column, size_t index)
{
    size_t orders = bleu->options.max_order, pair = row * bleu->counts.columns + column;
    const UnitText *texts = bleu->unit_texts.data;
    double *vector = bleu->pair.data, *scores = vector + bleu->kernel.width;
    vector[0] = (double)texts[row].length;
    vector[1] = (double)texts[bleu->counts.rows + column].length;
    for (size_t order = 0; order < orders; order++) {
        vector[2 + order] = pair_count(&bleu->counts, pair, order);
        vector[2 + orders + order] = (double)ngram_count(texts[row].length, order + 1);
    }
    bleu->kernel.score(&bleu->kernel, vector, scores);
    return scores[index];
}

static Outcome bleu_compare(Kernel *kernel, const TextGroup *group, size_t index, double *matrix)
{
    Bleu *bleu = (Bleu *)kernel;
    size_t rows = group->summary_count, columns = group->reference_count;
    if (!texts_tokenize(&bleu->texts, group, bleu->rules, 0, NULL, &kernel->interrupt) || !reserve_pairs(bleu))
        return OUT_OF_MEMORY;
    const UnitText *texts = bleu->unit_texts.data;
    pair_counts_open(&bleu->counts, rows, columns, matrix);
    if (!shared_ngrams_open(&bleu->shared, texts, rows, texts + rows, columns)
        || !pair_counts_add(&bleu->counts, &bleu->shared, bleu->options.max_order, &kernel->interrupt))
        return OUT_OF_MEMORY;
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++)
            matrix[row * columns + column] = score_of_pair(bleu, row, column, index);
        kernel->interrupt.work += 16 * (1 + bleu->options.max_order) * columns;
        if (is_interrupted(&kernel->interrupt))
            return INTERRUPTED;
    }
    return DONE;
}

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void bleu_free(Kernel *kernel)
{
    Bleu *bleu = (Bleu *)kernel;
    texts_free(&bleu->texts);
    ngram_ids_free(&bleu->ngram_ids);
    buffer_free(&bleu->tallies);
    buffer_free(&bleu->ngrams);
    buffer_free(&bleu->counted);
    buffer_free(&bleu->lost);
    short_matches_free(&bleu->short_matches);
    buffer_free(&bleu->unit_texts);
    buffer_free(&bleu->pair);
    shared_ngrams_free(&bleu->shared);
    pair_counts_free(&bleu->counts);
    free(bleu);
}

Kernel *bleu_new(const BleuOptions *options)
{
    Bleu *bleu = calloc(1, sizeof *bleu);
    if (bleu == NULL)
        return NULL;
    bleu->options = *options;
    bleu->rules = (TokenizeRules){.lowercase = options->lowercase, .strip_end = true, .tokenization = options->tokenization};
    bleu->kernel = (Kernel){
        .width = 2 + 2 * options->max_order,
        .whole_count = 2 + 2 * options->max_order,
        .field_count = options->of_sentence ? 1 : 5,
        .score_width = 4 + options->max_order,
        .lowercase = options->lowercase,
        .fields = {
            {.name = options->of_sentence ? "sent-bleu" : "bleu"},
            {.name = "bleu_precisions", .count = options->max_order},
            {.name = "bleu_bp"},
            {.name = "bleu_sys_len", .is_whole = true},
            {.name = "bleu_ref_len", .is_whole = true},
        },
        .open = bleu_open,
        .measure = bleu_measure,
        .compare = bleu_compare,
        .score = bleu_score,
        .free = bleu_free,
    };
    return &bleu->kernel;
}
