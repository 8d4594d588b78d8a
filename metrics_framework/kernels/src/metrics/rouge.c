#include "metrics/rouge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lcs/union_lcs.h"
#include "lcs/weighted_lcs.h"
#include "ngrams/reference_counts.h"
#include "ngrams/skip_bigrams.h"
#include "text/rouge_texts.h"

enum { MAX_ORDER = 9, PARTS = 3 };
enum { HITS, REFERENCE_SIZE, SUMMARY_SIZE }; /* the statistics of a measure */

static const char *const NAMES[MAX_ORDER] = {
    "rouge-1", "rouge-2", "rouge-3", "rouge-4", "rouge-5", "rouge-6", "rouge-7", "rouge-8", "rouge-9",
};
static const char *const PART_NAMES[PARTS] = {"recall", "precision", "f1"};

/* The statistics of a measure for a reference, and the recall by which the best reference is chosen. */
typedef struct {
    double statistics[PARTS], recall;
} Match;

/* The counts of up to LANES references. */
typedef struct {
    ReferenceCounts ngrams;
    SkipBigrams skip_bigrams;
} Block;

typedef struct {
    Kernel kernel;
    RougeOptions options;
    TextGroup group;
    RougeTexts texts;
    Buffer blocks; /* Block */
    size_t block_count;
    Workspace workspace;
    PairMemory pair_memory;
    UnionLcs union_lcs;
    WeightedLcs weighted_lcs;
    Buffer left;        /* uint32_t, by word: how often it may still count; all 0 between uses */
    Buffer counts;      /* uint32_t, by word: the same for another text */
    size_t left_count;  /* of both */
    Buffer marks;       /* unsigned char: the marked words of a reference; all 0 between uses */
    Buffer weights;     /* double: of runs, by length */
    size_t weight_count;
    Buffer matches; /* Match: for each measure one for each reference */
} Rouge;

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static const LinedText *reference_at(const Rouge *rouge, size_t index)
{
    return rouge_text(&rouge->texts, rouge->group.summary_count + index);
}

static WordSequence words_of(const Rouge *rouge, const LinedText *text)
{
    return (WordSequence){rouge_words(&rouge->texts, text->words.start), text->words.length};
}

static Units units_of(const Rouge *rouge, const LinedText *text)
{
    WordSequence words = words_of(rouge, text);
    return (Units){.units = {NULL, words.words}, .lengths = {0, words.length}};
}

static bool reserve_blocks(Rouge *rouge, size_t count)
{
    if (!buffer_reserve(&rouge->blocks, count, sizeof(Block)))
        return false;
    for (; rouge->block_count < count; rouge->block_count++)
        ((Block *)rouge->blocks.data)[rouge->block_count] = (Block){0};
    return true;
}

static bool open_block(Rouge *rouge, size_t index)
{
    Block *block = (Block *)rouge->blocks.data + index;
    Units units[LANES];
    WordSequence words[LANES];
    size_t count = 0, orders[KINDS] = {0, rouge->options.max_ngram};
    uint32_t word_end = (uint32_t)rouge_texts_word_end(&rouge->texts);
    Interrupt *interrupt = &rouge->kernel.interrupt;
    for (; count < LANES && index * LANES + count < rouge->group.reference_count; count++) {
        const LinedText *text = reference_at(rouge, index * LANES + count);
        units[count] = units_of(rouge, text);
        words[count] = words_of(rouge, text);
    }
    return reference_counts_open(&block->ngrams, &rouge->workspace, units, count, orders, word_end, interrupt)
        && (rouge->options.skip_reach == 0
            || skip_bigrams_open(
                &block->skip_bigrams, &rouge->pair_memory, words, count, rouge->options.skip_reach, word_end, interrupt));
}

/* Reserves the weights of runs of up to `length` words. */
static bool reserve_weights(Rouge *rouge, size_t length)
{
    if (!buffer_reserve(&rouge->weights, length + 1, sizeof(double)))
        return false;
    for (; rouge->weight_count <= length; rouge->weight_count++)
        ((double *)rouge->weights.data)[rouge->weight_count] = pow((double)rouge->weight_count, rouge->options.wlcs_weight);
    return true;
}

static bool reserve_counts(Rouge *rouge)
{
    size_t count = rouge_texts_word_end(&rouge->texts), before = rouge->left_count;
    if (!buffer_reserve(&rouge->left, count, sizeof(uint32_t)) || !buffer_reserve(&rouge->counts, count, sizeof(uint32_t)))
        return false;
    if (count > before) {
        memset((uint32_t *)rouge->left.data + before, 0, (count - before) * sizeof(uint32_t));
        memset((uint32_t *)rouge->counts.data + before, 0, (count - before) * sizeof(uint32_t));
        rouge->left_count = count;
    }
    return true;
}

/* Reserves memory for pairs of texts. */
static bool reserve_pairs(Rouge *rouge)
{
    size_t longest = 0, total = 0;
    for (size_t index = 0; index < rouge->group.summary_count + rouge->group.reference_count; index++) {
        const LinedText *text = rouge_text(&rouge->texts, index);
        longest = text->words.length > longest ? text->words.length : longest;
        for (size_t line = 0; line < text->lines.length; line++) {
            size_t length = rouge_line(&rouge->texts, text, line)->length;
            total = length > total ? length : total;
        }
    }
    return workspace_reserve(&rouge->workspace, longest) && reserve_counts(rouge)
        && buffer_clear(&rouge->marks, total + 1, 1) && (rouge->options.wlcs_weight == 0 || reserve_weights(rouge, total))
        && buffer_reserve(
            &rouge->matches, rouge->kernel.field_count * rouge->group.reference_count, sizeof(Match));
}

static Outcome rouge_open(Kernel *kernel, const TextGroup *group)
{
    Rouge *rouge = (Rouge *)kernel;
    size_t blocks = group->reference_count / LANES + (group->reference_count % LANES != 0);
    rouge->group = *group;
    if (!rouge_texts_read(&rouge->texts, group, &kernel->interrupt) || !reserve_blocks(rouge, blocks) || !reserve_pairs(rouge))
        return OUT_OF_MEMORY;
    for (size_t index = 0; index < blocks; index++)
        if (!open_block(rouge, index))
            return OUT_OF_MEMORY;
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- n-grams and skip-bigrams ------------------------------------------------------------------------------------- */

static double ratio(double numerator, double denominator) { return denominator > 0 ? numerator / denominator : 0; }

static Match new_match(double hits, double reference_size, double summary_size)
{
    return (Match){{hits, reference_size, summary_size}, ratio(hits, reference_size)};
}

static Match *matches_of(const Rouge *rouge, size_t measure)
{
    return (Match *)rouge->matches.data + measure * rouge->group.reference_count;
}

/* Matches the n-grams of a summary. */
static void match_ngrams(Rouge *rouge, const LinedText *summary)
{
    double shared[MAX_ORDER * LANES];
    size_t orders[KINDS] = {0, rouge->options.max_ngram};
    Units units = units_of(rouge, summary);
    for (size_t index = 0; index < rouge->group.reference_count; index++) {
        size_t lane = index % LANES;
        if (lane == 0)
            reference_counts_shared(
                &((const Block *)rouge->blocks.data)[index / LANES].ngrams, &rouge->workspace, &units, orders, shared,
                &rouge->kernel.interrupt);
        for (size_t order = 1; order <= rouge->options.max_ngram; order++)
            matches_of(rouge, order - 1)[index] = new_match(
                shared[(order - 1) * LANES + lane], (double)ngram_count(reference_at(rouge, index)->words.length, order),
                (double)ngram_count(summary->words.length, order));
    }
}

/* Counts the words that two texts share, without the last of each, as ROUGE-SU does. */
static size_t shared_unigrams(Rouge *rouge, WordSequence summary, WordSequence reference)
{
    uint32_t *left = rouge->left.data;
    size_t shared = 0, count = reference.length > 0 ? reference.length - 1 : 0;
    for (size_t position = 0; position < count; position++)
        left[reference.words[position]]++;
    for (size_t position = 0; position + 1 < summary.length; position++) {
        bool is_shared = left[summary.words[position]] > 0;
        left[summary.words[position]] -= is_shared;
        shared += is_shared;
    }
    for (size_t position = 0; position < count; position++)
        left[reference.words[position]] = 0;
    rouge->kernel.interrupt.work += 4 * (summary.length + reference.length);
    return shared;
}

/* Returns the number of pairs of a text and, for ROUGE-SU, of words but the last. */
static double skip_size(const Rouge *rouge, WordSequence text, bool with_unigrams)
{
    size_t words = text.length > 0 ? text.length - 1 : 0;
    return (double)(count_skip_bigrams(text.length, rouge->options.skip_reach) + (with_unigrams ? words : 0));
}

/* Matches the skip-bigrams of a summary. Returns false if out of memory or interrupted. */
static bool match_skip_bigrams(Rouge *rouge, const LinedText *summary, size_t measure)
{
    double shared[LANES];
    WordSequence words = words_of(rouge, summary);
    for (size_t index = 0; index < rouge->group.reference_count; index++) {
        const Block *block = (const Block *)rouge->blocks.data + index / LANES;
        WordSequence reference = words_of(rouge, reference_at(rouge, index));
        if (index % LANES == 0
            && !skip_bigrams_shared(
                &block->skip_bigrams, &rouge->pair_memory, words, rouge->options.skip_reach, shared, &rouge->kernel.interrupt))
            return false;
        double pairs = shared[index % LANES], unigrams = (double)shared_unigrams(rouge, words, reference);
        matches_of(rouge, measure)[index] =
            new_match(pairs, skip_size(rouge, reference, false), skip_size(rouge, words, false));
        matches_of(rouge, measure + 1)[index] =
            new_match(pairs + unigrams, skip_size(rouge, reference, true), skip_size(rouge, words, true));
    }
    return true;
}

/* ---- longest common subsequences ---------------------------------------------------------------------------------- */

/* Sets how often each word counts at most: as often as it occurs in both texts. */
static void set_left(Rouge *rouge, WordSequence summary, WordSequence reference)
{
    uint32_t *left = rouge->left.data, *counts = rouge->counts.data;
    for (size_t position = 0; position < summary.length; position++)
        counts[summary.words[position]]++;
    for (size_t position = 0; position < reference.length; position++) {
        bool is_shared = counts[reference.words[position]] > 0;
        counts[reference.words[position]] -= is_shared;
        left[reference.words[position]] += is_shared;
    }
    for (size_t position = 0; position < summary.length; position++)
        counts[summary.words[position]] = 0;
    rouge->kernel.interrupt.work += 4 * (summary.length + reference.length);
}

static void clear_left(Rouge *rouge, WordSequence reference)
{
    for (size_t position = 0; position < reference.length; position++)
        ((uint32_t *)rouge->left.data)[reference.words[position]] = 0;
}

/* Marks the words of a line of a reference that are in an LCS with a line of the summary. */
static bool mark_line(Rouge *rouge, const LinedText *summary, const Span *line, bool weighted)
{
    const uint32_t *words = rouge_words(&rouge->texts, line->start);
    Interrupt *interrupt = &rouge->kernel.interrupt;
    for (size_t index = 0; index < summary->lines.length; index++) {
        const Span *other = rouge_line(&rouge->texts, summary, index);
        const uint32_t *other_words = rouge_words(&rouge->texts, other->start);
        unsigned char *marks = rouge->marks.data;
        bool done;
        if (weighted) {
            done = weighted_lcs_mark(
                &rouge->weighted_lcs, words, line->length, other_words, other->length, rouge->weights.data, marks, interrupt);
        } else {
            done = union_lcs_set(&rouge->union_lcs, other_words, other->length, rouge_texts_word_end(&rouge->texts));
            interrupt->work += 2 * other->length;
            if (done) {
                done = union_lcs_mark(&rouge->union_lcs, words, line->length, marks, interrupt);
                union_lcs_clear(&rouge->union_lcs);
            }
        }
        if (!done)
            return false;
    }
    return true;
}

/* Returns the weight of the marked words that count, and removes the marks: their number without weights. A run ends at
   a word that counts and that no marked word follows. */
static double count_line(Rouge *rouge, const Span *line, const double *weights, double total)
{
    const uint32_t *words = rouge_words(&rouge->texts, line->start);
    unsigned char *marks = rouge->marks.data; /* has 0 after the line */
    uint32_t *left = rouge->left.data;
    size_t run = 0;
    for (size_t position = 0; position < line->length; position++) {
        bool counts = marks[position] && left[words[position]] > 0;
        marks[position] = 0;
        if (!counts)
            continue;
        left[words[position]]--;
        run++;
        if (weights == NULL || !marks[position + 1]) {
            total += weights == NULL ? 1 : weights[run];
            run = 0;
        }
    }
    return total;
}

/* Writes the hits of ROUGE-L or ROUGE-W for a reference, and the size of the reference without the outer weight.
   Returns false if out of memory or interrupted. */
static bool match_lines(Rouge *rouge, const LinedText *summary, const LinedText *reference, bool weighted, double *hits, double *size)
{
    const double *weights = weighted ? rouge->weights.data : NULL;
    bool done = true;
    set_left(rouge, words_of(rouge, summary), words_of(rouge, reference));
    *hits = *size = 0;
    for (size_t index = 0; done && index < reference->lines.length; index++) {
        const Span *line = rouge_line(&rouge->texts, reference, index);
        done = mark_line(rouge, summary, line, weighted);
        *hits = count_line(rouge, line, weights, *hits);
        *size += weighted ? weights[line->length] : (double)line->length;
    }
    clear_left(rouge, words_of(rouge, reference));
    return done && !is_interrupted(&rouge->kernel.interrupt);
}

static bool match_lcs(Rouge *rouge, const LinedText *summary, size_t measure)
{
    for (size_t index = 0; index < rouge->group.reference_count; index++) {
        double hits, size;
        if (!match_lines(rouge, summary, reference_at(rouge, index), false, &hits, &size))
            return false;
        matches_of(rouge, measure)[index] = new_match(hits, size, (double)summary->words.length);
    }
    return true;
}

static bool match_weighted_lcs(Rouge *rouge, const LinedText *summary, size_t measure)
{
    double weight = rouge->options.wlcs_weight, summary_size = pow((double)summary->words.length, weight);
    for (size_t index = 0; index < rouge->group.reference_count; index++) {
        double hits, size;
        if (!match_lines(rouge, summary, reference_at(rouge, index), true, &hits, &size))
            return false;
        matches_of(rouge, measure)[index] = (Match){{hits, pow(size, weight), summary_size}, ratio(hits, size)};
    }
    return true;
}

/* ---- all references ------------------------------------------------------------------------------------------------ */

/* Returns the reference with the highest recall, the first of several; there must be one that is not left out. */
static size_t best_match(const Match *matches, size_t count, size_t left_out)
{
    size_t best = left_out == 0 ? 1 : 0;
    for (size_t index = best + 1; index < count; index++)
        if (index != left_out && matches[index].recall > matches[best].recall)
            best = index;
    return best;
}

/* Writes the statistics of the best reference; those of leave-one-out differ only without that reference. */
static void write_best(const Rouge *rouge, const Match *matches, size_t variants, double *vectors)
{
    size_t count = rouge->group.reference_count, best = best_match(matches, count, SIZE_MAX);
    size_t second = variants > 0 ? best_match(matches, count, best) : best;
    for (size_t variant = 0; variant <= variants; variant++)
        memcpy(
            vectors + variant * rouge->kernel.width, matches[variant == best + 1 ? second : best].statistics,
            PARTS * sizeof(double));
}

/* Returns a sum over references, from the first on: the weights of ROUGE-W are rounded, so the order matters. */
static double sum_without(const Match *matches, size_t count, size_t part, size_t left_out)
{
    double sum = 0;
    for (size_t index = 0; index < count; index++)
        sum += index == left_out ? 0 : matches[index].statistics[part];
    return sum;
}

static void write_sums(Rouge *rouge, const Match *matches, size_t variants, bool is_whole, double *vectors)
{
    size_t count = rouge->group.reference_count, width = rouge->kernel.width;
    for (size_t part = 0; part < PARTS; part++) {
        double sum = vectors[part] = sum_without(matches, count, part, SIZE_MAX);
        for (size_t index = 0; index < variants && !is_interrupted(&rouge->kernel.interrupt); index++) {
            vectors[(index + 1) * width + part] =
                is_whole ? sum - matches[index].statistics[part] : sum_without(matches, count, part, index);
            rouge->kernel.interrupt.work += is_whole ? 1 : count;
        }
    }
}

/* Returns the measure of ROUGE-W, or a number above all measures. */
static size_t weighted_measure(const Rouge *rouge)
{
    return rouge->options.wlcs_weight > 0 ? rouge->options.max_ngram + rouge->options.compute_rouge_l : SIZE_MAX;
}

static bool match_all(Rouge *rouge, const LinedText *text)
{
    size_t measure = rouge->options.max_ngram;
    match_ngrams(rouge, text);
    if (rouge->options.compute_rouge_l && !match_lcs(rouge, text, measure++))
        return false;
    if (rouge->options.wlcs_weight > 0 && !match_weighted_lcs(rouge, text, measure++))
        return false;
    return rouge->options.skip_reach == 0 || match_skip_bigrams(rouge, text, measure);
}

static Outcome rouge_measure(Kernel *kernel, size_t summary, double *vectors)
{
    Rouge *rouge = (Rouge *)kernel;
    size_t references = rouge->group.reference_count, variants = rouge->group.leave_one_out ? references : 0;
    if (!match_all(rouge, rouge_text(&rouge->texts, summary)))
        return OUT_OF_MEMORY;
    for (size_t measure = 0; measure < kernel->field_count; measure++) {
        bool is_whole = measure != weighted_measure(rouge);
        if (rouge->options.best_reference)
            write_best(rouge, matches_of(rouge, measure), variants, vectors + measure * PARTS);
        else
            write_sums(rouge, matches_of(rouge, measure), variants, is_whole, vectors + measure * PARTS);
        kernel->interrupt.work += 8 * references;
        if (is_interrupted(&kernel->interrupt))
            return INTERRUPTED;
    }
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- statistics to scores ------------------------------------------------------------------------------------------ */

/* Returns 100,000 times a share from 0 to 1, rounded as its exact value is to five decimal places; half to even. */
static double rounded_share(double share)
{
    double scaled = share * 1e5, whole = floor(scaled), part = scaled - whole, error = fma(share, 1e5, -scaled);
    if (part == 0.5 && error == 0)
        return whole + fmod(whole, 2);
    return whole + (part > 0.5 || (part == 0.5 && error > 0));
}

static void rouge_score(const Kernel *kernel, const double *vector, double *scores)
{
    const Rouge *rouge = (const Rouge *)kernel;
    double alpha = rouge->options.alpha;
    for (size_t measure = 0; measure < kernel->field_count; measure++, vector += PARTS, scores += PARTS) {
        double recall = ratio(vector[HITS], vector[REFERENCE_SIZE]), precision = ratio(vector[HITS], vector[SUMMARY_SIZE]);
        if (measure == weighted_measure(rouge)) {
            recall = pow(recall, 1 / rouge->options.wlcs_weight);
            precision = pow(precision, 1 / rouge->options.wlcs_weight);
        }
        double whole_recall = rounded_share(recall), whole_precision = rounded_share(precision);
        recall = whole_recall / 1e5;
        precision = whole_precision / 1e5;
        scores[0] = whole_recall / 1000;
        scores[1] = whole_precision / 1000;
        scores[2] = rounded_share(ratio(precision * recall, (1 - alpha) * precision + alpha * recall)) / 1000;
    }
}

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void rouge_free(Kernel *kernel)
{
    Rouge *rouge = (Rouge *)kernel;
    for (size_t index = 0; index < rouge->block_count; index++) {
        reference_counts_free(&((Block *)rouge->blocks.data)[index].ngrams);
        skip_bigrams_free(&((Block *)rouge->blocks.data)[index].skip_bigrams);
    }
    rouge_texts_free(&rouge->texts);
    workspace_free(&rouge->workspace);
    pair_memory_free(&rouge->pair_memory);
    union_lcs_free(&rouge->union_lcs);
    weighted_lcs_free(&rouge->weighted_lcs);
    Buffer *buffers[] = {&rouge->blocks, &rouge->left, &rouge->counts, &rouge->marks, &rouge->weights, &rouge->matches};
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    free(rouge);
}

static void add_field(Kernel *kernel, const char *name)
{
    kernel->fields[kernel->field_count++] = (ScoreField){.name = name, .count = PARTS, .parts = PART_NAMES};
    kernel->width += PARTS;
    kernel->score_width += PARTS;
}

Kernel *rouge_new(const RougeOptions *options)
{
    Rouge *rouge = calloc(1, sizeof *rouge);
    if (rouge == NULL)
        return NULL;
    rouge->options = *options;
    rouge->texts.rules = (RougeRules){
        .use_stemmer = options->use_porter_stemmer,
        .remove_stopwords = options->remove_stopwords,
        .max_words = options->max_words,
        .max_bytes = options->max_bytes,
        .exceptions = options->exceptions,
        .stop_words = options->stop_words,
    };
    rouge->kernel = (Kernel){
        .adds_scores = true, .joins_lines = true, .open = rouge_open, .measure = rouge_measure, .score = rouge_score, .free = rouge_free,
    };
    for (size_t order = 0; order < options->max_ngram && order < MAX_ORDER; order++)
        add_field(&rouge->kernel, NAMES[order]);
    if (options->compute_rouge_l)
        add_field(&rouge->kernel, "rouge-l");
    if (options->wlcs_weight > 0)
        add_field(&rouge->kernel, options->wlcs_name);
    if (options->skip_reach > 0) {
        add_field(&rouge->kernel, options->skip_name);
        add_field(&rouge->kernel, options->skip_unigram_name);
    }
    return &rouge->kernel;
}
