#include "chrf.h"

#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "letters.h"
#include "units.h"
#include "windows.h"

static const double EPSILON = 1e-16;

/* A text's windows of characters. */
typedef struct {
    uint64_t *keys;
    size_t length;
} Windows;

typedef struct {
    Kernel kernel;
    ChrfOptions options;
    size_t orders; /* of characters and of words */
    TextGroup group;
    UnitTexts texts;

    /* Characters are compared by windows where there are few different ones and n-grams are short. */
    bool has_windows;
    Letters letters;
    Buffer units;   /* unsigned char: a text as letters */
    Buffer keys;    /* uint64_t: the windows of all texts, and room to sort them */
    Buffer windows; /* Windows, by text */

    /* All else is counted in blocks of references. */
    size_t block_orders[KINDS];
    Buffer blocks; /* Block */
    size_t block_room;
    Workspace workspace;

    Buffer shared;  /* double: for each order, LANES references at a time, the n-grams that a summary shares with each */
    Buffer vectors; /* double: the statistics of a summary against each reference */
    Buffer scores;  /* double: the score of each of them */
} Chrf;

static Block *block_at(const Chrf *chrf, size_t index) { return (Block *)chrf->blocks.data + index; }

static const Units *text_at(const Chrf *chrf, size_t index) { return units_at(&chrf->texts, index); }

/* ---- windows ---------------------------------------------------------------------------------------------------- */

/* Makes room for the windows of all texts. */
static bool reserve_windows(Chrf *chrf, size_t count)
{
    size_t total = 0, longest = 0;
    for (size_t index = 0; index < count; index++) {
        size_t length = text_at(chrf, index)->lengths[CHARACTERS];
        total += length + 1;
        longest = length > longest ? length : longest;
    }
    return buffer_reserve(&chrf->windows, count, sizeof(Windows))
        && buffer_reserve(&chrf->keys, total + longest, sizeof(uint64_t)) && buffer_reserve(&chrf->units, longest + 1, 1);
}

/* Sorts the windows of all texts; `has_windows` tells whether there are few enough letters for it. */
static bool open_windows(Chrf *chrf, size_t count)
{
    size_t order = chrf->options.char_order;
    chrf->has_windows = order > 0 && order <= LONGEST_WINDOW;
    if (!chrf->has_windows)
        return true;
    if (!reserve_windows(chrf, count))
        return false;
    letters_reset(&chrf->letters);
    uint64_t *keys = chrf->keys.data;
    for (size_t index = 0; index < count; index++) {
        const Units *text = text_at(chrf, index);
        size_t length = text->lengths[CHARACTERS];
        if (!letters_write(&chrf->letters, text->units[CHARACTERS], length, chrf->units.data)) {
            chrf->has_windows = false;
            return true;
        }
        windows_sort(chrf->units.data, length, order, keys, keys + length + 1);
        ((Windows *)chrf->windows.data)[index] = (Windows){keys, length};
        keys += length + 1;
        chrf->kernel.watch.work += 2 * order * length;
        if (is_stopped(&chrf->kernel.watch))
            return false;
    }
    return true;
}

/* Writes how many n-grams of characters a summary shares with each reference. */
static void compare_windows(Chrf *chrf, size_t summary)
{
    const Windows *windows = chrf->windows.data, *own = &windows[summary];
    double *shared = chrf->shared.data;
    size_t order = chrf->options.char_order;
    for (size_t index = 0; index < chrf->group.reference_count; index++) {
        const Windows *other = &windows[chrf->group.summary_count + index];
        uint32_t found[LONGEST_WINDOW];
        windows_shared(own->keys, own->length, other->keys, other->length, order, found);
        for (size_t place = 0; place < order; place++)
            shared[(index / LANES * chrf->orders + place) * LANES + index % LANES] = found[place];
        chrf->kernel.watch.work += 4 * (own->length + other->length);
        if (is_stopped(&chrf->kernel.watch))
            return;
    }
}

/* ---- a group ---------------------------------------------------------------------------------------------------- */

/* Makes room for all that a group needs. */
static bool reserve_group(Chrf *chrf, size_t block_count)
{
    size_t longest = 0, references = block_count * LANES;
    for (size_t index = 0; index < chrf->group.summary_count; index++)
        for (int kind = 0; kind < KINDS; kind++) {
            size_t length = text_at(chrf, index)->lengths[kind];
            longest = length > longest ? length : longest;
        }
    if (!buffer_reserve(&chrf->blocks, block_count, sizeof(Block)) || !workspace_reserve(&chrf->workspace, longest)
        || !buffer_reserve(&chrf->shared, references * chrf->orders, sizeof(double))
        || !buffer_reserve(&chrf->vectors, references * chrf->kernel.width, sizeof(double))
        || !buffer_reserve(&chrf->scores, references, sizeof(double)))
        return false;
    for (; chrf->block_room < block_count; chrf->block_room++)
        *block_at(chrf, chrf->block_room) = (Block){0};
    return true;
}

/* Counts the references in blocks, but for what windows compare. */
static bool open_blocks(Chrf *chrf, size_t block_count)
{
    chrf->block_orders[CHARACTERS] = chrf->has_windows ? 0 : chrf->options.char_order;
    chrf->block_orders[WORDS] = chrf->options.word_order;
    if (chrf->block_orders[CHARACTERS] + chrf->block_orders[WORDS] == 0)
        return true;
    for (size_t index = 0; index < block_count; index++) {
        size_t first = index * LANES, left = chrf->group.reference_count - first;
        const Units *references = text_at(chrf, chrf->group.summary_count + first);
        if (!block_open(
                block_at(chrf, index), &chrf->workspace, references, left < LANES ? left : LANES, chrf->block_orders,
                chrf->texts.words.used, &chrf->kernel.watch))
            return false;
    }
    return true;
}

static Outcome chrf_open(Kernel *kernel, const TextGroup *group)
{
    Chrf *chrf = (Chrf *)kernel;
    size_t block_count = (group->reference_count + LANES - 1) / LANES;
    UnitRules rules = {chrf->options.lowercase, chrf->options.whitespace, chrf->options.word_order > 0};
    chrf->group = *group;
    if (!unit_texts_cut(&chrf->texts, group, rules, &kernel->watch)
        || !open_windows(chrf, group->summary_count + group->reference_count) || !reserve_group(chrf, block_count)
        || !open_blocks(chrf, block_count))
        return NO_MEMORY;
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

/* ---- a summary -------------------------------------------------------------------------------------------------- */

/* Writes what a summary shares with each reference. */
static void compare(Chrf *chrf, size_t summary)
{
    size_t first = chrf->has_windows ? chrf->options.char_order : 0;
    if (chrf->has_windows)
        compare_windows(chrf, summary);
    if (first == chrf->orders)
        return;
    for (size_t index = 0; index * LANES < chrf->group.reference_count; index++) {
        double *shared = (double *)chrf->shared.data + (index * chrf->orders + first) * LANES;
        block_shared(
            block_at(chrf, index), &chrf->workspace, text_at(chrf, summary), chrf->block_orders, shared,
            &chrf->kernel.watch);
    }
}

/* Writes the statistics of a summary against one reference. */
static void write_vector(const Chrf *chrf, const Units *summary, size_t index, double *vector)
{
    const Units *reference = text_at(chrf, chrf->group.summary_count + index);
    const double *shared = (double *)chrf->shared.data + index / LANES * LANES * chrf->orders + index % LANES;
    size_t orders[KINDS] = {chrf->options.char_order, chrf->options.word_order};
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t order = 1; order <= orders[kind]; order++, vector += 3, shared += LANES) {
            size_t of_reference = gram_count(reference->lengths[kind], order);
            vector[0] = of_reference > 0 ? (double)gram_count(summary->lengths[kind], order) : 0;
            vector[1] = (double)of_reference;
            vector[2] = *shared;
        }
    }
}

/* Returns the reference with the best score, the first of equals. */
static size_t best_reference(const Chrf *chrf, size_t left_out)
{
    const double *scores = chrf->scores.data;
    size_t best = left_out == 0 ? 1 : 0;
    for (size_t index = best + 1; index < chrf->group.reference_count; index++)
        if (index != left_out && scores[index] > scores[best])
            best = index;
    return best;
}

static Outcome chrf_measure(Kernel *kernel, size_t summary, double *vectors)
{
    Chrf *chrf = (Chrf *)kernel;
    size_t references = chrf->group.reference_count, variants = chrf->group.leave_one_out ? references : 0;
    double *own = chrf->vectors.data, *scores = chrf->scores.data;
    compare(chrf, summary);
    for (size_t index = 0; index < references; index++) {
        write_vector(chrf, text_at(chrf, summary), index, own + index * kernel->width);
        if (references > 1)
            kernel->score(kernel, own + index * kernel->width, &scores[index]);
    }
    size_t best = best_reference(chrf, SIZE_MAX), second = variants > 0 ? best_reference(chrf, best) : best;
    for (size_t variant = 0; variant <= variants; variant++) {
        const double *chosen = own + (variant == best + 1 ? second : best) * kernel->width;
        memcpy(vectors + variant * kernel->width, chosen, kernel->width * sizeof(double));
    }
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

/* ---- from statistics to scores ---------------------------------------------------------------------------------- */

/* Averages an F-score for each order; without n-grams precision or recall is a tiny number. */
static double mean_of_f(const double *vector, size_t orders, double squared)
{
    double score = 0;
    for (size_t order = 0; order < orders; order++, vector += 3) {
        double precision = vector[0] > 0 ? vector[2] / vector[0] : EPSILON;
        double recall = vector[1] > 0 ? vector[2] / vector[1] : EPSILON;
        double divisor = squared * precision + recall;
        score += divisor > 0 ? (1 + squared) * precision * recall / divisor : EPSILON;
    }
    return 100 * score / (double)orders;
}

/* Averages precision and recall over the orders, then takes one F-score. */
static double f_of_means(const double *vector, size_t orders, double squared)
{
    double precision = 0, recall = 0, count = 0;
    for (size_t order = 0; order < orders; order++, vector += 3) {
        if (vector[0] == 0 || vector[1] == 0)
            continue;
        precision += vector[2] / vector[0];
        recall += vector[2] / vector[1];
        count++;
    }
    if (precision + recall == 0)
        return 0;
    precision /= count;
    recall /= count;
    double score = (1 + squared) * precision * recall;
    score /= squared * precision + recall;
    return 100 * score;
}

static void chrf_score(const Kernel *kernel, const double *vector, double *scores)
{
    const Chrf *chrf = (const Chrf *)kernel;
    double squared = chrf->options.squared_beta;
    scores[0] = (chrf->options.eps_smoothing ? mean_of_f : f_of_means)(vector, chrf->orders, squared);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

static void chrf_free(Kernel *kernel)
{
    Chrf *chrf = (Chrf *)kernel;
    for (size_t index = 0; index < chrf->block_room; index++)
        block_free(block_at(chrf, index));
    Buffer *buffers[] = {
        &chrf->units, &chrf->keys, &chrf->windows, &chrf->blocks, &chrf->shared, &chrf->vectors, &chrf->scores,
    };
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    unit_texts_free(&chrf->texts);
    letters_free(&chrf->letters);
    workspace_free(&chrf->workspace);
    free(chrf);
}

Kernel *chrf_new(const ChrfOptions *options)
{
    Chrf *chrf = calloc(1, sizeof *chrf);
    if (chrf == NULL)
        return NULL;
    chrf->options = *options;
    chrf->orders = options->char_order + options->word_order;
    chrf->kernel = (Kernel){
        .width = 3 * chrf->orders,
        .whole_count = 3 * chrf->orders,
        .field_count = 1,
        .score_width = 1,
        .lowercase = options->lowercase,
        .fields = {{"chrf", 0, false}},
        .open = chrf_open,
        .measure = chrf_measure,
        .score = chrf_score,
        .free = chrf_free,
    };
    return &chrf->kernel;
}
