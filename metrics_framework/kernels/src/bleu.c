#include "bleu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "texts.h"

static const double LOG_OF_ZERO = -9999999999;

/* How often an n-gram stands in the reference that has it most often, and in the others at most; and in a text that is
   being counted. */
typedef struct {
    uint32_t most, second;
    uint32_t owner; /* the reference that has it most often */
    uint32_t count;
} Tally;

typedef struct {
    Kernel kernel;
    BleuOptions options;
    CuttingRules rules;
    TextGroup group;
    Texts texts;
    Grams grams;
    Buffer tallies; /* Tally, by number of an n-gram */
    Buffer ends;    /* uint32_t: the n-gram that begins at each place of a text */
    Buffer counted; /* uint32_t: the n-grams of a text */
    Buffer lost;    /* double: the matches of an order that are lost without a reference */
} Bleu;

/* ---- references ------------------------------------------------------------------------------------------------- */

static const Text *reference_at(const Bleu *bleu, size_t index)
{
    return text_at(&bleu->texts, bleu->group.summary_count + index);
}

/* Takes over what was counted in a reference, if anything; without a branch, as it is not foreseen. */
static inline void settle(Tally *tally, uint32_t reference)
{
    uint32_t count = tally->count, most = tally->most, less = count < most ? count : most;
    tally->owner = count > most ? reference : tally->owner;
    tally->most = count > most ? count : most;
    tally->second = less > tally->second ? less : tally->second;
    tally->count = 0;
}

/* Makes room for the n-grams there may be from now on; new tallies are 0. */
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
    size_t total = 0, before = bleu->grams.used;
    uint32_t *grams = bleu->ends.data, *counted = bleu->counted.data;
    for (size_t order = 1; order <= bleu->options.max_order; order++) {
        size_t count = gram_count(text->length, order);
        if (order == 1)
            memcpy(grams, text->words, count * sizeof *grams);
        else if (!grams_reserve(&bleu->grams, count, &bleu->kernel.watch))
            return false;
        else
            number_grams(&bleu->grams, grams, text->words + order - 1, count);
        memcpy(counted + total, grams, count * sizeof *grams);
        total += count;
        bleu->kernel.watch.work += 8 * count;
        if (is_stopped(&bleu->kernel.watch))
            return false;
    }
    if (!reserve_tallies(bleu, before, bleu->grams.used))
        return false;
    Tally *tallies = bleu->tallies.data;
    if (index == 0) {
        for (size_t place = 0; place < total; place++)
            tallies[counted[place]].most++;
        return true;
    }
    for (size_t place = 0; place < total; place++)
        tallies[counted[place]].count++;
    for (size_t place = 0; place < total; place++)
        settle(&tallies[counted[place]], (uint32_t)index);
    return true;
}

/* Makes room for all that is counted of texts that are cut. */
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
    return buffer_reserve(&bleu->ends, longest + 1, sizeof(uint32_t))
        && buffer_reserve(&bleu->counted, longest * orders + 1, sizeof(uint32_t))
        && buffer_reserve(&bleu->lost, bleu->group.reference_count, sizeof(double))
        && grams_reset(&bleu->grams, total * (orders > 0 ? orders - 1 : 0), bleu->texts.words.used, bleu->texts.words.used)
        && reserve_tallies(bleu, 0, bleu->texts.words.used);
}

static Outcome bleu_open(Kernel *kernel, const TextGroup *group)
{
    Bleu *bleu = (Bleu *)kernel;
    bleu->group = *group;
    if (!texts_cut(&bleu->texts, group, bleu->rules, 0, NULL, &kernel->watch) || !reserve_counts(bleu))
        return NO_MEMORY;
    for (size_t index = 0; index < group->reference_count; index++)
        if (!count_reference(bleu, index))
            return NO_MEMORY;
    if (!reserve_tallies(bleu, bleu->grams.used, (size_t)bleu->grams.used + 1)) /* the last is that of NO_GRAM */
        return NO_MEMORY;
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

/* ---- a summary -------------------------------------------------------------------------------------------------- */

/* Returns the reference nearest in length, the shorter of two, the first of equals. */
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

/* Counts the matches of an order and, where it is wanted, for each reference those that there are not without it. What the
   references do not have, which is not foreseen, has a tally of 0. */
static double matches_of_order(Bleu *bleu, size_t count, double *lost)
{
    uint32_t *grams = bleu->ends.data, none = bleu->grams.used, matches = 0;
    Tally *tallies = bleu->tallies.data;
    for (size_t place = 0; place < count; place++) {
        Tally *tally = &tallies[grams[place] < none ? grams[place] : none];
        matches += ++tally->count <= tally->most;
    }
    for (size_t place = 0; place < count; place++) {
        Tally *tally = &tallies[grams[place] < none ? grams[place] : none];
        if (bleu->group.leave_one_out && tally->count <= tally->most)
            lost[tally->owner] += tally->count > tally->second;
        tally->count -= bleu->group.leave_one_out ? 1 : tally->count;
    }
    return matches;
}

static Outcome bleu_measure(Kernel *kernel, size_t summary, double *vectors)
{
    Bleu *bleu = (Bleu *)kernel;
    const Text *text = text_at(&bleu->texts, summary);
    size_t max_order = bleu->options.max_order, variants = bleu->group.leave_one_out ? bleu->group.reference_count : 0;
    uint32_t *grams = bleu->ends.data;
    double *lost = bleu->lost.data;
    size_t nearest = nearest_reference(bleu, text->length, SIZE_MAX);
    size_t second = variants > 0 ? nearest_reference(bleu, text->length, nearest) : nearest;
    for (size_t variant = 0; variant <= variants; variant++) {
        vectors[variant * kernel->width] = (double)text->length;
        vectors[variant * kernel->width + 1] = (double)reference_at(bleu, variant == nearest + 1 ? second : nearest)->length;
    }
    kernel->watch.work += bleu->group.reference_count;
    for (size_t order = 1; order <= max_order; order++) {
        size_t count = gram_count(text->length, order);
        if (order == 1)
            memcpy(grams, text->words, count * sizeof *grams);
        else
            find_grams(&bleu->grams, grams, text->words + order - 1, count);
        memset(lost, 0, bleu->group.reference_count * sizeof *lost);
        double matches = matches_of_order(bleu, count, lost);
        for (size_t variant = 0; variant <= variants; variant++) {
            double *vector = vectors + variant * kernel->width + 1 + order;
            vector[0] = variant == 0 ? matches : matches - lost[variant - 1];
            vector[max_order] = (double)count;
        }
        kernel->watch.work += 8 * count;
        if (is_stopped(&kernel->watch))
            return STOPPED;
    }
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

/* ---- from statistics to scores ---------------------------------------------------------------------------------- */

static double brevity_penalty(double length, double reference_length)
{
    if (length >= reference_length)
        return 1;
    return length > 0 ? exp(1 - reference_length / length) : 0;
}

/* Writes smoothed precisions; returns of how many orders there are n-grams. */
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

/* Returns the geometric mean; it is 0 if a number is, and none is infinite. */
static double geometric_mean(const double *numbers, size_t count, bool compensated)
{
    double sum = 0, rest = 0;
    for (size_t index = 0; index < count; index++) {
        double logarithm = numbers[index] == 0 ? LOG_OF_ZERO : log(numbers[index]), next = sum + logarithm;
        if (index > 0)
            rest += fabs(sum) >= fabs(logarithm) ? (sum - next) + logarithm : (logarithm - next) + sum;
        sum = next;
    }
    return exp((compensated && isfinite(rest) ? sum + rest : sum) / (double)count);
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
    return penalty * geometric_mean(precisions, options->effective_order ? orders : options->max_order, options->compensated);
}

static void bleu_score(const Kernel *kernel, const double *vector, double *scores)
{
    const BleuOptions *options = &((const Bleu *)kernel)->options;
    double penalty = brevity_penalty(vector[0], vector[1]);
    scores[0] = bleu_of(options, vector, penalty, scores + 1);
    double *behind = scores + 1 + options->max_order;
    behind[0] = penalty;
    behind[1] = vector[0];
    behind[2] = vector[1];
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

static void bleu_free(Kernel *kernel)
{
    Bleu *bleu = (Bleu *)kernel;
    texts_free(&bleu->texts);
    grams_free(&bleu->grams);
    buffer_free(&bleu->tallies);
    buffer_free(&bleu->ends);
    buffer_free(&bleu->counted);
    buffer_free(&bleu->lost);
    free(bleu);
}

Kernel *bleu_new(const BleuOptions *options)
{
    Bleu *bleu = calloc(1, sizeof *bleu);
    if (bleu == NULL)
        return NULL;
    bleu->options = *options;
    bleu->rules = (CuttingRules){.lowercase = options->lowercase, .stripped = true, .cut = options->tokenization};
    bleu->kernel = (Kernel){
        .width = 2 + 2 * options->max_order,
        .whole_count = 2 + 2 * options->max_order,
        .field_count = options->of_sentence ? 1 : 5,
        .score_width = 4 + options->max_order,
        .lowercase = options->lowercase,
        .fields = {
            {options->of_sentence ? "sent-bleu" : "bleu", 0, false},
            {"bleu_precisions", options->max_order, false},
            {"bleu_bp", 0, false},
            {"bleu_sys_len", 0, true},
            {"bleu_ref_len", 0, true},
        },
        .open = bleu_open,
        .measure = bleu_measure,
        .score = bleu_score,
        .free = bleu_free,
    };
    return &bleu->kernel;
}
