#include "metrics/google_rouge.h"

#include <stdlib.h>
#include <string.h>

#include "lcs/lcs.h"
#include "lcs/union_lcs.h"
#include "ngrams/ngram_ids.h"
#include "ngrams/short_overlap.h"
#include "text/lines.h"

enum { MAX_ORDER = 9, ROUGE_L = MAX_ORDER, ROUGE_LSUM, KINDS };
enum { PRECISION, RECALL, FMEASURE, PARTS };

static const char *const NAMES[KINDS] = {
    "rouge1", "rouge2", "rouge3", "rouge4", "rouge5", "rouge6", "rouge7", "rouge8", "rouge9", "rougeL", "rougeLsum",
};
static const char *const PART_NAMES[PARTS] = {"precision", "recall", "fmeasure"};

typedef struct {
    Kernel kernel;
    GoogleRougeOptions options;
    size_t max_order; /* of the requested n-grams, at least 1 */
    TextGroup group;
    Lines lines;
    bool is_short; /* whether all summaries are so short that n-grams are not numbered */
    ShortText short_summary;
    Buffer overlaps; /* Overlap: of a short summary and each reference */
    NgramIds ngram_ids;
    Buffer ngrams; /* uint32_t: for each order from 2 on and each word of all texts, the n-gram that starts there */
    Buffer counts; /* uint32_t: by word or n-gram, all 0 between uses */
    Buffer marks;  /* unsigned char: the words of a reference that are in the union, all 0 between uses */
    Buffer scores; /* double: PARTS numbers for each reference */
    Lcs lcs;
    UnionLcs union_lcs;
} GoogleRouge;

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static uint32_t *ngrams_of(const GoogleRouge *rouge, size_t order, size_t start)
{
    return order == 1 ? (uint32_t *)rouge->lines.ids.data + start
                      : (uint32_t *)rouge->ngrams.data + (order - 2) * rouge->lines.word_count + start;
}

/* Assigns ids to all n-grams, order by order: each is an n-gram of the order before and the word that follows. */
static bool number_ngrams(GoogleRouge *rouge)
{
    size_t total = rouge->lines.word_count, kinds = rouge->lines.word_ids.used, orders = rouge->max_order;
    if (total > UINT32_MAX / 4 / orders || !buffer_reserve(&rouge->ngrams, (orders - 1) * total + 1, sizeof(uint32_t))
        || !ngram_ids_reset(&rouge->ngram_ids, (orders - 1) * total, (uint32_t)kinds, (uint32_t)kinds))
        return false;
    for (size_t index = 0; index < rouge->group.summary_count + rouge->group.reference_count; index++) {
        Span words = lined_text(&rouge->lines, index)->words;
        for (size_t order = 2; order <= orders; order++) {
            size_t count = ngram_count(words.length, order);
            uint32_t *ngrams = ngrams_of(rouge, order, words.start);
            if (!ngram_ids_reserve(&rouge->ngram_ids, count, &rouge->kernel.interrupt))
                return false;
            memcpy(ngrams, ngrams_of(rouge, order - 1, words.start), count * sizeof *ngrams);
            assign_ngram_ids(&rouge->ngram_ids, ngrams, words_at(&rouge->lines, words.start) + order - 1, count);
            rouge->kernel.interrupt.work += 8 * count;
            if (is_interrupted(&rouge->kernel.interrupt))
                return false;
        }
    }
    return true;
}

/* Prepares for counting shared n-grams: by positions if all summaries are short, else by number. */
static bool prepare_ngrams(GoogleRouge *rouge)
{
    size_t longest = 1, kinds = rouge->lines.word_ids.used;
    for (size_t index = 0; index < rouge->group.summary_count; index++) {
        size_t length = lined_text(&rouge->lines, index)->words.length;
        longest = length > longest ? length : longest;
    }
    rouge->is_short = rouge->max_order <= OVERLAP_ORDERS && longest <= OVERLAP_WORDS * WORD_BITS;
    if (!rouge->is_short)
        return number_ngrams(rouge) && buffer_clear(&rouge->counts, (size_t)rouge->ngram_ids.used + 1, sizeof(uint32_t));
    return short_text_reserve(&rouge->short_summary, longest, kinds + 1)
        && buffer_reserve(&rouge->overlaps, rouge->group.reference_count, sizeof(Overlap))
        && buffer_clear(&rouge->counts, kinds + 1, sizeof(uint32_t));
}

static Outcome google_rouge_open(Kernel *kernel, const TextGroup *group)
{
    GoogleRouge *rouge = (GoogleRouge *)kernel;
    rouge->group = *group;
    if (!lines_tokenize(&rouge->lines, group, rouge->options.use_stemmer, &kernel->interrupt) || !prepare_ngrams(rouge)
        || !buffer_clear(&rouge->marks, rouge->lines.word_count + 1, 1)
        || !buffer_reserve(&rouge->scores, group->reference_count, PARTS * sizeof(double)))
        return OUT_OF_MEMORY;
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- pairs of a summary and a reference --------------------------------------------------------------------------- */

static Symbols symbols_of(const GoogleRouge *rouge, Span words)
{
    return (Symbols){(const unsigned char *)words_at(&rouge->lines, words.start), words.length, sizeof(uint32_t)};
}

static const LinedText *reference_at(const GoogleRouge *rouge, size_t index)
{
    return lined_text(&rouge->lines, rouge->group.summary_count + index);
}

static const Overlap *overlap_at(const GoogleRouge *rouge, size_t index)
{
    return (const Overlap *)rouge->overlaps.data + index;
}

/* Finds what a short summary shares with each reference. */
static void find_overlaps(GoogleRouge *rouge, Span summary)
{
    OverlapKinds kinds = {rouge->max_order, rouge->options.kinds >> ROUGE_L != 0};
    short_text_set(&rouge->short_summary, words_at(&rouge->lines, summary.start), summary.length);
    for (size_t index = 0; index < rouge->group.reference_count; index++) {
        Span reference = reference_at(rouge, index)->words;
        ((Overlap *)rouge->overlaps.data)[index] =
            short_overlap(&rouge->short_summary, words_at(&rouge->lines, reference.start), reference.length, kinds);
        rouge->kernel.interrupt.work += rouge->max_order * OVERLAP_WORDS * reference.length;
    }
    short_text_clear(&rouge->short_summary);
}

static size_t shared_numbered_ngrams(GoogleRouge *rouge, Span summary, Span reference, size_t order)
{
    const uint32_t *ours = ngrams_of(rouge, order, summary.start), *theirs = ngrams_of(rouge, order, reference.start);
    size_t count = ngram_count(summary.length, order), reference_count = ngram_count(reference.length, order), shared = 0;
    uint32_t *counts = rouge->counts.data;
    for (size_t position = 0; position < reference_count; position++)
        counts[theirs[position]]++;
    for (size_t position = 0; position < count; position++) {
        bool is_shared = counts[ours[position]] > 0;
        counts[ours[position]] -= is_shared;
        shared += is_shared;
    }
    for (size_t position = 0; position < reference_count; position++)
        counts[theirs[position]] = 0;
    rouge->kernel.interrupt.work += 4 * (count + reference_count);
    return shared;
}

/* Marks the last occurrence in each line of the reference of the words that are a line of the summary: texts with a word
   in each line would take a time that grows with the product of their lengths. */
static void mark_single_words(GoogleRouge *rouge, const LinedText *summary, const LinedText *reference)
{
    const Lines *lines = &rouge->lines;
    uint32_t *known = rouge->counts.data; /* 1, or 2 and the index of the last line in which the word was marked */
    for (size_t index = 0; index < summary->lines.length; index++)
        if (line_at(lines, summary, index)->length == 1)
            known[*words_at(lines, line_at(lines, summary, index)->start)] = 1;
    for (size_t index = 0; index < reference->lines.length; index++) {
        const Span *line = line_at(lines, reference, index);
        for (size_t end = line->start + line->length; end > line->start; end--) {
            uint32_t *last = &known[*words_at(lines, end - 1)];
            if (*last > 0 && *last != 2 + (uint32_t)index) {
                ((unsigned char *)rouge->marks.data)[end - 1] = 1;
                *last = 2 + (uint32_t)index;
            }
        }
    }
    for (size_t index = 0; index < summary->words.length; index++)
        known[words_at(lines, summary->words.start)[index]] = 0;
    rouge->kernel.interrupt.work += 4 * (summary->words.length + reference->words.length);
}

/* Marks the words of the reference that are in an LCS of their line with a line of the summary. */
static bool mark_union(GoogleRouge *rouge, const LinedText *summary, const LinedText *reference)
{
    const Lines *lines = &rouge->lines;
    bool done = true;
    for (size_t index = 0; done && index < summary->lines.length; index++) {
        const Span *line = line_at(lines, summary, index);
        if (line->length == 1)
            continue;
        if (!union_lcs_set(&rouge->union_lcs, words_at(lines, line->start), line->length, lines->word_ids.used))
            return false;
        for (size_t other = 0; done && other < reference->lines.length; other++) {
            const Span *marked = line_at(lines, reference, other);
            unsigned char *marks = (unsigned char *)rouge->marks.data + marked->start;
            done = union_lcs_mark(
                &rouge->union_lcs, words_at(lines, marked->start), marked->length, marks, &rouge->kernel.interrupt);
        }
        union_lcs_clear(&rouge->union_lcs);
    }
    return done;
}

/* Counts the marked words, each at most as often as it occurs in the summary, and removes the marks. */
static size_t marked_words(GoogleRouge *rouge, Span summary, Span reference)
{
    const uint32_t *words = words_at(&rouge->lines, summary.start), *marked = words_at(&rouge->lines, reference.start);
    unsigned char *marks = (unsigned char *)rouge->marks.data + reference.start;
    uint32_t *counts = rouge->counts.data;
    size_t shared = 0;
    for (size_t position = 0; position < summary.length; position++)
        counts[words[position]]++;
    for (size_t position = 0; position < reference.length; position++) {
        bool is_shared = marks[position] && counts[marked[position]] > 0;
        counts[marked[position]] -= is_shared;
        shared += is_shared;
        marks[position] = 0;
    }
    for (size_t position = 0; position < summary.length; position++)
        counts[words[position]] = 0;
    return shared;
}

/* Writes the number of words of rougeLsum that a summary and a reference share. With one line each, it is that of
   rougeL. Returns false if out of memory or interrupted. */
static bool shared_words(GoogleRouge *rouge, const LinedText *summary, size_t index, bool by_line, size_t *shared)
{
    const LinedText *reference = reference_at(rouge, index);
    bool is_whole = !by_line || (summary->lines.length <= 1 && reference->lines.length <= 1);
    if (is_whole && rouge->is_short) {
        *shared = overlap_at(rouge, index)->subsequence;
        return true;
    }
    if (is_whole)
        return lcs_length(
            &rouge->lcs, symbols_of(rouge, summary->words), symbols_of(rouge, reference->words), rouge->lines.word_ids.used,
            &rouge->kernel.interrupt, shared);
    mark_single_words(rouge, summary, reference);
    bool done = mark_union(rouge, summary, reference);
    *shared = marked_words(rouge, summary->words, reference->words);
    return done;
}

static void write_score(size_t shared, size_t count, size_t reference_count, double *score)
{
    double precision = (double)shared / (double)(count > 0 ? count : 1);
    double recall = (double)shared / (double)(reference_count > 0 ? reference_count : 1);
    score[PRECISION] = precision;
    score[RECALL] = recall;
    score[FMEASURE] = shared > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

static size_t shared_ngrams(GoogleRouge *rouge, const LinedText *summary, size_t reference, size_t order)
{
    if (rouge->is_short)
        return overlap_at(rouge, reference)->ngrams[order - 1];
    return shared_numbered_ngrams(rouge, summary->words, reference_at(rouge, reference)->words, order);
}

/* Writes the score of a kind against each reference. */
static bool score_pairs(GoogleRouge *rouge, const LinedText *summary, size_t kind)
{
    size_t order = kind < MAX_ORDER ? kind + 1 : 1;
    for (size_t index = 0; index < rouge->group.reference_count; index++) {
        size_t shared;
        if (kind < MAX_ORDER)
            shared = shared_ngrams(rouge, summary, index, order);
        else if (!shared_words(rouge, summary, index, kind == ROUGE_LSUM, &shared))
            return false;
        write_score(
            shared, ngram_count(summary->words.length, order), ngram_count(reference_at(rouge, index)->words.length, order),
            (double *)rouge->scores.data + PARTS * index);
        if (is_interrupted(&rouge->kernel.interrupt))
            return false;
    }
    return true;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Returns the reference with the highest F-measure, the first on ties. */
static size_t best_reference(const GoogleRouge *rouge, size_t left_out)
{
    const double *scores = rouge->scores.data;
    size_t best = left_out == 0 ? 1 : 0;
    for (size_t index = best + 1; index < rouge->group.reference_count; index++)
        if (index != left_out && scores[PARTS * index + FMEASURE] > scores[PARTS * best + FMEASURE])
            best = index;
    return best;
}

static Outcome google_rouge_measure(Kernel *kernel, size_t summary, double *vectors)
{
    GoogleRouge *rouge = (GoogleRouge *)kernel;
    const LinedText *text = lined_text(&rouge->lines, summary);
    size_t variants = rouge->group.leave_one_out ? rouge->group.reference_count : 0;
    const double *scores = rouge->scores.data;
    double *out = vectors;
    if (rouge->is_short)
        find_overlaps(rouge, text->words);
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (!(rouge->options.kinds >> kind & 1))
            continue;
        if (!score_pairs(rouge, text, kind))
            return OUT_OF_MEMORY;
        size_t best = best_reference(rouge, SIZE_MAX), second = variants > 0 ? best_reference(rouge, best) : best;
        for (size_t variant = 0; variant <= variants; variant++)
            memcpy(
                out + variant * kernel->width, scores + PARTS * (variant == best + 1 ? second : best), PARTS * sizeof *scores);
        kernel->interrupt.work += 4 * variants;
        out += PARTS;
    }
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

static void google_rouge_score(const Kernel *kernel, const double *vector, double *scores)
{
    memcpy(scores, vector, kernel->width * sizeof *scores);
}

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void google_rouge_free(Kernel *kernel)
{
    GoogleRouge *rouge = (GoogleRouge *)kernel;
    lines_free(&rouge->lines);
    short_text_free(&rouge->short_summary);
    buffer_free(&rouge->overlaps);
    ngram_ids_free(&rouge->ngram_ids);
    buffer_free(&rouge->ngrams);
    buffer_free(&rouge->counts);
    buffer_free(&rouge->marks);
    buffer_free(&rouge->scores);
    lcs_free(&rouge->lcs);
    union_lcs_free(&rouge->union_lcs);
    free(rouge);
}

Kernel *google_rouge_new(const GoogleRougeOptions *options)
{
    GoogleRouge *rouge = calloc(1, sizeof *rouge);
    if (rouge == NULL)
        return NULL;
    rouge->options = *options;
    rouge->max_order = 1;
    rouge->kernel = (Kernel){
        .adds_scores = true,
        .joins_lines = true,
        .open = google_rouge_open,
        .measure = google_rouge_measure,
        .score = google_rouge_score,
        .free = google_rouge_free,
    };
    Kernel *kernel = &rouge->kernel;
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (!(options->kinds >> kind & 1))
            continue;
        kernel->fields[kernel->field_count++] = (ScoreField){.name = NAMES[kind], .count = PARTS, .parts = PART_NAMES};
        if (kind < MAX_ORDER)
            rouge->max_order = kind + 1;
    }
    kernel->width = kernel->score_width = PARTS * kernel->field_count;
    return kernel;
}
