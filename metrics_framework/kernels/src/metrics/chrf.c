#include "metrics/chrf.h"

#include <stdlib.h>
#include <string.h>

#include "ngrams/char_ids.h"
#include "ngrams/char_matches.h"
#include "ngrams/pair_counts.h"
#include "ngrams/reference_counts.h"
#include "ngrams/sorted_ngrams.h"
#include "ngrams/units.h"

static const double EPSILON = 1e-16;

/* The characters of a text. */
typedef struct {
    const unsigned char *units;
    uint64_t *keys; /* its n-grams, sorted */
    size_t length;
} CharText;

typedef struct {
    Kernel kernel;
    ChrfOptions options;
    size_t orders; /* of characters and of words */
    TextGroup group;
    UnitTexts texts;

    /* If a group has few different characters and the order is low, character n-grams are compared by the positions of
       characters in a short summary, or else sorted. */
    bool is_packed, is_short;
    CharIds char_ids;
    size_t max_unit;
    CharMatches char_matches;
    Buffer char_texts; /* CharText */
    Buffer units;      /* unsigned char: the character ids of all texts */
    Buffer keys;       /* uint64_t: the packed n-grams of all texts, and space to sort them */

    /* All other n-grams are counted in blocks of LANES references. */
    size_t block_orders[KINDS];
    Buffer blocks; /* ReferenceCounts */
    size_t block_capacity;
    Workspace workspace;

    Buffer shared;  /* double: for each order, LANES references at a time, the n-grams shared with each reference */
    Buffer vectors; /* double: the statistics of a summary against each reference */
    Buffer scores;  /* double: the score against each reference */

    /* Of pairs. */
    Buffer unit_texts; /* UnitText: the texts of a group, of one kind of units */
    SharedNgrams shared_ngrams;
    PairCounts counts;
} Chrf;

static ReferenceCounts *block_at(const Chrf *chrf, size_t index) { return (ReferenceCounts *)chrf->blocks.data + index; }

static const Units *text_at(const Chrf *chrf, size_t index) { return units_at(&chrf->texts, index); }

/* ---- character n-grams ------------------------------------------------------------------------------------------- */

/* Returns whether n-grams up to an order of characters can be packed. */
static bool is_low(size_t order) { return order > 0 && order <= MAX_PACKED_ORDER; }

/* Reserves memory for the characters of all texts. */
static bool reserve_chars(Chrf *chrf, size_t count)
{
    size_t total = 0, longest = 0;
    for (size_t index = 0; index < count; index++) {
        size_t length = text_at(chrf, index)->lengths[CHARACTERS];
        total += length + 1;
        longest = length > longest ? length : longest;
    }
    return buffer_reserve(&chrf->char_texts, count, sizeof(CharText)) && buffer_reserve(&chrf->units, total, 1)
        && (chrf->is_short || buffer_reserve(&chrf->keys, total + longest, sizeof(uint64_t)));
}

/* Returns whether all summaries are short enough to be compared by the positions of characters. */
static bool are_summaries_short(const Chrf *chrf)
{
    size_t max = char_matches_max_length(chrf->group.summary_count);
    for (size_t index = 0; index < chrf->group.summary_count; index++)
        if (text_at(chrf, index)->lengths[CHARACTERS] > max)
            return false;
    return true;
}

/* Writes the ids of the characters of a text. Returns false if there are too many different ones. */
static bool number_text(Chrf *chrf, const Units *text, size_t length, unsigned char *units)
{
    return text->bytes != NULL ? char_ids_write_ascii(&chrf->char_ids, text->bytes, length, units)
                               : char_ids_write(&chrf->char_ids, text->units[CHARACTERS], length, units);
}

/* Numbers the characters of all texts, except of short ASCII texts, whose bytes are used as they are; `is_packed` becomes
   false if there are too many different characters. */
static void number_chars(Chrf *chrf, size_t count)
{
    unsigned char *units = chrf->units.data;
    char_ids_reset(&chrf->char_ids);
    for (size_t index = 0; chrf->is_packed && index < count; index++) {
        const Units *text = text_at(chrf, index);
        size_t length = text->lengths[CHARACTERS];
        bool is_numbered = text->bytes == NULL || !chrf->is_short;
        ((CharText *)chrf->char_texts.data)[index] = (CharText){is_numbered ? units : text->bytes, NULL, length};
        chrf->is_packed = !is_numbered || number_text(chrf, text, length, units);
        units += length;
    }
    bool are_bytes = chrf->is_short && text_at(chrf, 0)->bytes != NULL;
    chrf->max_unit = are_bytes ? ASCII - 1 : chrf->char_ids.count;
}

/* Sorts the character n-grams of all texts. Returns false if interrupted. */
static bool sort_chars(Chrf *chrf, size_t count)
{
    size_t order = chrf->options.char_order;
    uint64_t *keys = chrf->keys.data;
    for (size_t index = 0; index < count; index++) {
        CharText *text = (CharText *)chrf->char_texts.data + index;
        text->keys = keys;
        sort_ngrams(text->units, text->length, order, keys, keys + text->length + 1);
        keys += text->length + 1;
        chrf->kernel.interrupt.work += 2 * order * text->length;
        if (is_interrupted(&chrf->kernel.interrupt))
            return false;
    }
    return true;
}

/* Prepares to compare character n-grams. Returns false if out of memory or interrupted. */
static bool open_chars(Chrf *chrf, size_t count)
{
    chrf->is_packed = is_low(chrf->options.char_order);
    if (!chrf->is_packed)
        return true;
    chrf->is_short = are_summaries_short(chrf);
    if (!reserve_chars(chrf, count))
        return false;
    number_chars(chrf, count);
    return !chrf->is_packed || chrf->is_short || sort_chars(chrf, count);
}

/* Writes the number of character n-grams that a summary shares with each reference. Returns false if out of memory. */
static bool compare_chars(Chrf *chrf, size_t summary)
{
    const CharText *texts = chrf->char_texts.data, *own = &texts[summary];
    double *shared = chrf->shared.data;
    size_t order = chrf->options.char_order;
    if (chrf->is_short && !char_matches_open(&chrf->char_matches, chrf->max_unit, own->units, own->length))
        return false;
    for (size_t index = 0; index < chrf->group.reference_count; index++) {
        const CharText *other = &texts[chrf->group.summary_count + index];
        uint32_t found[MAX_PACKED_ORDER];
        if (chrf->is_short)
            char_matches_count(&chrf->char_matches, other->units, other->length, found);
        else
            count_shared_ngrams(own->keys, own->length, other->keys, other->length, order, found);
        for (size_t position = 0; position < order; position++)
            shared[(index / LANES * chrf->orders + position) * LANES + index % LANES] = found[position];
        chrf->kernel.interrupt.work += 4 * (own->length + other->length);
        if (is_interrupted(&chrf->kernel.interrupt))
            break;
    }
    return true;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Reserves memory for a group. */
static bool reserve_group(Chrf *chrf, size_t block_count)
{
    size_t longest = 0, references = block_count * LANES;
    for (size_t index = 0; index < chrf->group.summary_count; index++)
        for (int kind = 0; kind < KINDS; kind++) {
            size_t length = text_at(chrf, index)->lengths[kind];
            longest = length > longest ? length : longest;
        }
    if (!buffer_reserve(&chrf->blocks, block_count, sizeof(ReferenceCounts)) || !workspace_reserve(&chrf->workspace, longest)
        || !buffer_reserve(&chrf->shared, references * chrf->orders, sizeof(double))
        || !buffer_reserve(&chrf->vectors, references * chrf->kernel.width, sizeof(double))
        || !buffer_reserve(&chrf->scores, references, sizeof(double)))
        return false;
    for (; chrf->block_capacity < block_count; chrf->block_capacity++)
        *block_at(chrf, chrf->block_capacity) = (ReferenceCounts){0};
    return true;
}

/* Counts the n-grams of the references that are not packed. */
static bool open_blocks(Chrf *chrf, size_t block_count)
{
    chrf->block_orders[CHARACTERS] = chrf->is_packed ? 0 : chrf->options.char_order;
    chrf->block_orders[WORDS] = chrf->options.word_order;
    if (chrf->block_orders[CHARACTERS] + chrf->block_orders[WORDS] == 0)
        return true;
    for (size_t index = 0; index < block_count; index++) {
        size_t first = index * LANES, left = chrf->group.reference_count - first;
        const Units *references = text_at(chrf, chrf->group.summary_count + first);
        if (!reference_counts_open(
                block_at(chrf, index), &chrf->workspace, references, left < LANES ? left : LANES, chrf->block_orders,
                chrf->texts.words.used, &chrf->kernel.interrupt))
            return false;
    }
    return true;
}

static Outcome chrf_open(Kernel *kernel, const TextGroup *group)
{
    Chrf *chrf = (Chrf *)kernel;
    size_t block_count = (group->reference_count + LANES - 1) / LANES;
    const ChrfOptions *options = &chrf->options;
    UnitRules rules = {options->lowercase, options->whitespace, options->word_order > 0, is_low(options->char_order)};
    chrf->group = *group;
    if (!unit_texts_split(&chrf->texts, group, rules, &kernel->interrupt)
        || !open_chars(chrf, group->summary_count + group->reference_count) || !reserve_group(chrf, block_count)
        || !open_blocks(chrf, block_count))
        return OUT_OF_MEMORY;
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Writes the number of n-grams that a summary shares with each reference. Returns false if out of memory. */
static bool compare(Chrf *chrf, size_t summary)
{
    size_t first = chrf->is_packed ? chrf->options.char_order : 0;
    if (chrf->is_packed && !compare_chars(chrf, summary))
        return false;
    if (first == chrf->orders)
        return true;
    for (size_t index = 0; index * LANES < chrf->group.reference_count; index++) {
        double *shared = (double *)chrf->shared.data + (index * chrf->orders + first) * LANES;
        reference_counts_shared(
            block_at(chrf, index), &chrf->workspace, text_at(chrf, summary), chrf->block_orders, shared,
            &chrf->kernel.interrupt);
    }
    return true;
}

/* Writes the statistics of a summary against one reference. */
static void write_vector(const Chrf *chrf, const Units *summary, size_t index, double *vector)
{
    const Units *reference = text_at(chrf, chrf->group.summary_count + index);
    const double *shared = (double *)chrf->shared.data + index / LANES * LANES * chrf->orders + index % LANES;
    size_t orders[KINDS] = {chrf->options.char_order, chrf->options.word_order};
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t order = 1; order <= orders[kind]; order++, vector += 3, shared += LANES) {
            size_t of_reference = ngram_count(reference->lengths[kind], order);
            vector[0] = of_reference > 0 ? (double)ngram_count(summary->lengths[kind], order) : 0;
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
    if (!compare(chrf, summary))
        return OUT_OF_MEMORY;
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
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- statistics to scores ---------------------------------------------------------------------------------------- */

/* Averages the F-scores of the orders; precision and recall are tiny numbers where there are no n-grams. */
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

/* Averages precision and recall over the orders, then computes one F-score. */
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

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Counts the n-grams of one kind of units that each pair of texts shares. */
static bool count_pairs(Chrf *chrf, int kind, size_t orders)
{
    size_t rows = chrf->counts.rows, columns = chrf->counts.columns;
    UnitText *texts = chrf->unit_texts.data;
    for (size_t index = 0; index < rows + columns; index++)
        texts[index] = (UnitText){text_at(chrf, index)->units[kind], text_at(chrf, index)->lengths[kind]};
    return orders == 0
        || (shared_ngrams_open(&chrf->shared_ngrams, texts, rows, texts + rows, columns)
            && pair_counts_add(&chrf->counts, &chrf->shared_ngrams, orders, &chrf->kernel.interrupt));
}

static double score_of_pair(const Chrf *chrf, size_t row, size_t column)
{
    double *vector = chrf->vectors.data, score;
    const Units *summary = text_at(chrf, row), *reference = text_at(chrf, chrf->counts.rows + column);
    size_t orders[KINDS] = {chrf->options.char_order, chrf->options.word_order}, index = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t order = 1; order <= orders[kind]; order++, index++, vector += 3) {
            size_t of_reference = ngram_count(reference->lengths[kind], order);
            vector[0] = of_reference > 0 ? (double)ngram_count(summary->lengths[kind], order) : 0;
            vector[1] = (double)of_reference;
            vector[2] = pair_count(&chrf->counts, row * chrf->counts.columns + column, index);
        }
    chrf->kernel.score(&chrf->kernel, chrf->vectors.data, &score);
    return score;
}

static Outcome chrf_compare(Kernel *kernel, const TextGroup *group, size_t index, double *matrix)
{
    (void)index; /* there is only one */
    Chrf *chrf = (Chrf *)kernel;
    size_t rows = group->summary_count, columns = group->reference_count;
    UnitRules rules = {chrf->options.lowercase, chrf->options.whitespace, chrf->options.word_order > 0, false};
    pair_counts_open(&chrf->counts, rows, columns, matrix);
    if (!unit_texts_split(&chrf->texts, group, rules, &kernel->interrupt)
        || !buffer_reserve(&chrf->unit_texts, rows + columns, sizeof(UnitText))
        || !buffer_reserve(&chrf->vectors, kernel->width, sizeof(double))
        || !count_pairs(chrf, CHARACTERS, chrf->options.char_order) || !count_pairs(chrf, WORDS, chrf->options.word_order))
        return OUT_OF_MEMORY;
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++)
            matrix[row * columns + column] = score_of_pair(chrf, row, column);
        kernel->interrupt.work += 8 * chrf->orders * columns;
        if (is_interrupted(&kernel->interrupt))
            return INTERRUPTED;
    }
    return DONE;
}

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void chrf_free(Kernel *kernel)
{
    Chrf *chrf = (Chrf *)kernel;
    for (size_t index = 0; index < chrf->block_capacity; index++)
        reference_counts_free(block_at(chrf, index));
    Buffer *buffers[] = {
        &chrf->char_texts, &chrf->units, &chrf->keys, &chrf->char_matches.positions, &chrf->blocks, &chrf->shared,
        &chrf->vectors, &chrf->scores, &chrf->unit_texts,
    };
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    unit_texts_free(&chrf->texts);
    shared_ngrams_free(&chrf->shared_ngrams);
    pair_counts_free(&chrf->counts);
    char_ids_free(&chrf->char_ids);
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
        .fields = {{.name = "chrf"}},
        .open = chrf_open,
        .measure = chrf_measure,
        .compare = chrf_compare,
        .score = chrf_score,
        .free = chrf_free,
    };
    return &chrf->kernel;
}
