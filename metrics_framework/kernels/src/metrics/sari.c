#include "metrics/sari.h"

#include <stdlib.h>
#include <string.h>

#include "metrics/sari_formulas.h"
#include "metrics/sari_short.h"
#include "ngrams/ngram_ids.h"
#include "text/subsequence.h"
#include "text/texts.h"

enum { SUMS = ORDERS * NUMBERS_OF_ORDER, SHARES = 4 };

/* The other texts of a group. */
enum { SOURCE, CASED_SOURCE };

/* N-gram types, by order. */
typedef struct {
    uint32_t of_order[ORDERS];
} TypeCounts;

/* In which references an n-gram occurs. */
typedef struct {
    uint32_t containing; /* the number of references */
    uint32_t last;       /* the last of them, counted from 1 */
} InReferences;

/* Ids of n-grams are consecutive: first all words of the group, then longer n-grams in order of occurrence, order by
   order for each text. The source is counted first, so that its types of an order are a contiguous range of every
   array, then the references. All arrays have an entry for each n-gram. Loops over the n-grams of a text have no
   branches, because they would be mispredicted. */
typedef struct {
    Kernel kernel;
    SariOptions options;
    TokenizeRules rules; /* of summaries and references */
    TokenizeRules other_rules[MAX_OTHER_TEXTS];
    TextGroup group;
    Texts texts;
    NgramIds ngram_ids;
    size_t longest, length, length_of_references; /* of all texts; of references and other texts */
    Buffer ngrams;                   /* uint32_t: the id of the n-gram at each position of a text */
    uint32_t starts[ORDERS];         /* the first type of the source, by order */
    uint32_t types[ORDERS];          /* the number of types of the source, by order */
    uint32_t words, words_of_source; /* the number of words of the group, and of the source */
    uint32_t ngrams_of_source;       /* longer n-grams below this id are in the source */
    Buffer source;                   /* uint32_t: S */
    Buffer summary;                  /* uint32_t: P; all 0 except while a summary is measured */
    Buffer references;               /* uint32_t: R */
    Buffer without;                  /* uint32_t: R without one reference */
    Buffer in_references;            /* InReferences */
    Buffer containing;               /* uint32_t: `containing` of `in_references`, for SARI_T2T */
    Buffer containing_without;       /* uint32_t */
    bool has_plain_spaces;           /* for SARI_MODIFIED; true for other formulas */
    Buffer spans;                    /* WordSpan: the position of each word, unless `has_plain_spaces` */
    TypeCounts able, new, added, right;
    uint64_t max_tokens;
    bool is_short; /* the counts are those of `short_counts`; the arrays above are unused */
    SariShort short_counts;

    /* For leave-one-out. */
    Buffer lists;      /* uint32_t: the n-grams of each reference that are in the source */
    Buffer list_ends;  /* size_t: where the list of each reference ends */
    Buffer first_new;  /* uint32_t, by reference and order: the first id that was new */
    Buffer new_types;  /* TypeCounts, by reference: the types outside the source that only this reference has */
    Buffer lost_types; /* TypeCounts, by reference: the correctly added types that only this reference has */
} Sari;

static inline bool is_in_source(const Sari *sari, uint32_t ngram)
{
    return (ngram < sari->words_of_source) | ((ngram >= sari->words) & (ngram < sari->ngrams_of_source));
}

/* Reserves ids for the n-grams of a text. Returns false if out of memory or interrupted. */
static bool reserve_ngrams(Sari *sari, const Text *text)
{
    return ngram_ids_reserve(&sari->ngram_ids, (ORDERS - 1) * text->length, &sari->kernel.interrupt);
}

/* Records that `count` n-grams were counted; returns whether the call is interrupted. */
static bool is_interrupted_after(Sari *sari, size_t count)
{
    sari->kernel.interrupt.work += 8 * count;
    return is_interrupted(&sari->kernel.interrupt);
}

/* Replaces the n-grams of the previous order by those of this order; returns their number. */
static size_t next_order(Sari *sari, const Text *text, size_t order)
{
    uint32_t *ngrams = sari->ngrams.data;
    size_t count = ngram_count(text->length, order);
    if (order == 1)
        memcpy(ngrams, text->words, count * sizeof *ngrams);
    else
        assign_ngram_ids(&sari->ngram_ids, ngrams, text->words + order - 1, count);
    return count;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static const Text *source_of(const Sari *sari)
{
    return text_at(&sari->texts, sari->group.summary_count + sari->group.reference_count);
}

/* Counts the n-grams of the source, which get the lowest ids. */
static void count_source(Sari *sari)
{
    const Text *text = source_of(sari);
    const uint32_t *ngrams = sari->ngrams.data;
    uint32_t *source = sari->source.data;
    for (size_t order = 1; order <= ORDERS; order++) {
        uint32_t start = order == 1 ? 0 : sari->ngram_ids.used, end = start;
        size_t count = next_order(sari, text, order);
        for (size_t position = 0; position < count; position++) {
            source[ngrams[position]]++;
            end = ngrams[position] >= end ? ngrams[position] + 1 : end;
        }
        sari->starts[order - 1] = start;
        sari->types[order - 1] = end - start;
        if (is_interrupted_after(sari, count))
            return;
    }
    sari->words_of_source = sari->types[0];
    sari->ngrams_of_source = sari->ngram_ids.used;
}

/* Counts the n-grams of a reference; with leave-one-out, lists those in the source from `*list` on. */
static void count_reference(Sari *sari, uint32_t reference, size_t *list)
{
    const Text *text = text_at(&sari->texts, sari->group.summary_count + reference);
    const uint32_t *ngrams = sari->ngrams.data;
    uint32_t *all = sari->references.data, *listed = sari->lists.data;
    InReferences *in_references = sari->in_references.data;
    for (size_t order = 0; order < ORDERS; order++) {
        if (sari->group.leave_one_out)
            ((uint32_t *)sari->first_new.data)[reference * ORDERS + order] = sari->ngram_ids.used;
        uint32_t before = sari->ngram_ids.used;
        size_t count = next_order(sari, text, order + 1), end = *list;
        sari->new.of_order[order] += sari->ngram_ids.used - before; /* types of order 1 are counted in `count_new` */
        sari->able.of_order[order] += count > 0;
        for (size_t position = 0; position < count; position++) {
            uint32_t ngram = ngrams[position];
            InReferences *of_ngram = &in_references[ngram];
            all[ngram]++;
            *of_ngram = (InReferences){of_ngram->containing + (of_ngram->last != reference + 1), reference + 1};
        }
        for (size_t position = 0; sari->group.leave_one_out && position < count; position++) {
            listed[end] = ngrams[position];
            end += is_in_source(sari, ngrams[position]);
        }
        *list = end;
        if (is_interrupted_after(sari, count))
            return;
    }
}

/* Counts the types that references have and the source has not. */
static void count_new(Sari *sari)
{
    const InReferences *in_references = sari->in_references.data;
    const uint32_t *first_new = sari->first_new.data;
    TypeCounts *only = sari->new_types.data;
    for (uint32_t word = sari->words_of_source; word < sari->words; word++) {
        sari->new.of_order[0] += in_references[word].containing > 0;
        if (sari->group.leave_one_out && in_references[word].containing == 1)
            only[in_references[word].last - 1].of_order[0]++;
    }
    if (!sari->group.leave_one_out)
        return;
    size_t count = sari->group.reference_count * ORDERS;
    for (size_t block = 0; block < count; block++) {
        uint32_t end = block + 1 == count ? sari->ngram_ids.used : first_new[block + 1];
        for (uint32_t ngram = first_new[block]; ngram < end; ngram++)
            if (in_references[ngram].containing == 1)
                only[in_references[ngram].last - 1].of_order[block % ORDERS]++;
    }
}

/* Sums the lengths of the texts of a group. */
static void measure_texts(Sari *sari)
{
    sari->longest = sari->length = sari->length_of_references = 0;
    for (size_t index = 0; index < sari->texts.count; index++) {
        size_t length = text_at(&sari->texts, index)->length;
        sari->length += length;
        sari->length_of_references += index >= sari->group.summary_count ? length : 0;
        sari->longest = length > sari->longest ? length : sari->longest;
    }
}

/* Reserves arrays for all n-grams of the group. */
static bool reserve_lists(Sari *sari)
{
    size_t total = sari->length, references = sari->group.reference_count, of_references = sari->length_of_references;
    size_t ngrams = sari->texts.words.used + (ORDERS - 1) * total + 1; /* one more, so that the arrays exist for empty texts */
    sari->words = sari->texts.words.used;
    if (sari->group.leave_one_out
        && (!buffer_reserve(&sari->lists, ORDERS * of_references + 1, sizeof(uint32_t))
            || !buffer_reserve(&sari->list_ends, references, sizeof(size_t))
            || !buffer_reserve(&sari->first_new, references * ORDERS, sizeof(uint32_t))
            || !buffer_clear(&sari->new_types, references, sizeof(TypeCounts))
            || !buffer_reserve(&sari->without, ngrams, sizeof(uint32_t))
            || !buffer_reserve(&sari->containing_without, ngrams, sizeof(uint32_t))))
        return false;
    return buffer_reserve(&sari->ngrams, sari->longest + 1, sizeof(uint32_t))
        && ngram_ids_reset(&sari->ngram_ids, (ORDERS - 1) * total, sari->words, sari->words)
        && buffer_clear(&sari->source, ngrams, sizeof(uint32_t)) && buffer_clear(&sari->summary, ngrams, sizeof(uint32_t))
        && buffer_clear(&sari->references, ngrams, sizeof(uint32_t))
        && buffer_clear(&sari->in_references, ngrams, sizeof(InReferences))
        && buffer_reserve(&sari->containing, ngrams, sizeof(uint32_t))
        && buffer_reserve(&sari->spans, sari->words, sizeof(WordSpan))
        && buffer_reserve(&sari->lost_types, references, sizeof(TypeCounts));
}

/* Returns whether all texts are split at single spaces as at whitespace. */
static bool all_have_plain_spaces(const Sari *sari)
{
    bool are_plain = sari->rules.tokenization != TOKENIZER_13A;
    size_t start = 0, count = sari->group.summary_count + sari->group.reference_count + sari->kernel.other_count;
    for (size_t index = 0; index < count && are_plain; index++) {
        size_t end = sari->group.ends[index];
        are_plain = has_plain_spaces(sari->group.bytes + start, end - start);
        start = end;
    }
    return are_plain;
}

/* Returns whether a group is counted as one with a short source: without what only some formulas need. */
static bool can_be_short(const Sari *sari)
{
    SariFormula formula = sari->options.formula;
    bool needs_more = formula == SARI_T2T || formula == SARI_MODIFIED || formula == SARI_SET;
    return !needs_more && !sari->group.leave_one_out
        && sari_short_fits(
            sari->texts.words.used, source_of(sari)->length, sari->length_of_references, sari->longest);
}

static Outcome open_short(Sari *sari)
{
    const Text *references = text_at(&sari->texts, sari->group.summary_count);
    sari->kernel.interrupt.work += 8 * ORDERS * sari->length_of_references;
    bool done = sari_short_open(
        &sari->short_counts, sari->texts.words.used, source_of(sari), references, sari->group.reference_count,
        sari->longest);
    return !done ? OUT_OF_MEMORY : is_interrupted(&sari->kernel.interrupt) ? INTERRUPTED : DONE;
}

static Outcome sari_open(Kernel *kernel, const TextGroup *group)
{
    Sari *sari = (Sari *)kernel;
    size_t list = 0;
    sari->group = *group;
    sari->able = sari->new = (TypeCounts){{0}};
    sari->has_plain_spaces = sari->options.formula != SARI_MODIFIED || all_have_plain_spaces(sari);
    if (!texts_tokenize(&sari->texts, group, sari->rules, kernel->other_count, sari->other_rules, &kernel->interrupt))
        return OUT_OF_MEMORY;
    measure_texts(sari);
    sari->max_tokens = (uint64_t)group->reference_count * source_of(sari)->length;
    for (size_t index = 0; index < group->reference_count; index++)
        sari->max_tokens += text_at(&sari->texts, group->summary_count + index)->length;
    sari->is_short = can_be_short(sari);
    if (sari->is_short)
        return open_short(sari);
    if (!reserve_lists(sari))
        return OUT_OF_MEMORY;
    if (!reserve_ngrams(sari, source_of(sari)))
        return OUT_OF_MEMORY;
    if (!sari->has_plain_spaces)
        word_ids_spans(&sari->texts.words, sari->spans.data);
    count_source(sari);
    for (size_t index = 0; index < group->reference_count; index++) {
        if (!reserve_ngrams(sari, text_at(&sari->texts, group->summary_count + index)))
            return OUT_OF_MEMORY;
        count_reference(sari, (uint32_t)index, &list);
        if (group->leave_one_out)
            ((size_t *)sari->list_ends.data)[index] = list;
        if (is_interrupted(&kernel->interrupt))
            return INTERRUPTED;
    }
    count_new(sari);
    for (uint32_t ngram = 0; sari->options.formula == SARI_T2T && ngram < sari->ngram_ids.used; ngram++)
        ((uint32_t *)sari->containing.data)[ngram] = ((const InReferences *)sari->in_references.data)[ngram].containing;
    return DONE;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Returns whether words, split at whitespace, are a subsequence of the cased source: deleting words may then have
   produced the n-gram. */
static bool is_in_cased_source(Sari *sari, const uint32_t *words, size_t count)
{
    const Text *cased = text_at(&sari->texts, sari->texts.count - 1);
    sari->kernel.interrupt.work += cased->length;
    if (is_interrupted(&sari->kernel.interrupt))
        return false;
    const WordSpan *spans = sari->has_plain_spaces ? NULL : sari->spans.data;
    return is_subsequence(&sari->texts.words, spans, words, count, cased);
}

/* Counts an n-gram that a summary adds and references have. */
static void count_right(Sari *sari, const InReferences *in_references, size_t order, const uint32_t *words)
{
    if (sari->options.formula == SARI_MODIFIED && is_in_cased_source(sari, words, order + 1))
        return;
    sari->right.of_order[order]++;
    if (in_references->containing == 1)
        ((TypeCounts *)sari->lost_types.data)[in_references->last - 1].of_order[order]++;
}

static void count_summary(Sari *sari, const Text *text)
{
    const uint32_t *ngrams = sari->ngrams.data;
    const InReferences *in_references = sari->in_references.data;
    uint32_t *own = sari->summary.data;
    sari->added = sari->right = (TypeCounts){{0}};
    memset(sari->lost_types.data, 0, sari->group.reference_count * sizeof(TypeCounts));
    for (size_t order = 0; order < ORDERS; order++) {
        size_t count = next_order(sari, text, order + 1);
        uint32_t added = 0;
        for (size_t position = 0; position < count; position++) {
            uint32_t ngram = ngrams[position];
            bool is_added = (own[ngram]++ == 0) & !is_in_source(sari, ngram);
            added += is_added;
            if (is_added & (in_references[ngram].containing > 0))
                count_right(sari, &in_references[ngram], order, text->words + position);
        }
        sari->added.of_order[order] = added;
        if (is_interrupted_after(sari, count))
            return;
    }
}

/* Resets the counts of a summary to 0. */
static void forget_summary(Sari *sari, const Text *text)
{
    const uint32_t *ngrams = sari->ngrams.data;
    uint32_t *own = sari->summary.data;
    for (size_t order = 1; order <= ORDERS; order++) {
        size_t count = next_order(sari, text, order);
        for (size_t position = 0; position < count; position++)
            own[ngrams[position]] = 0;
    }
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

/* The counts of the references, of all or of all but one. */
typedef struct {
    const uint32_t *references, *containing;
    uint32_t number;
    TypeCounts able, right, new;
} Variant;

static Variant everything(const Sari *sari)
{
    uint32_t number = (uint32_t)sari->group.reference_count;
    return (Variant){sari->references.data, sari->containing.data, number, sari->able, sari->right, sari->new};
}

static Variant without(Sari *sari, size_t reference)
{
    Variant variant = everything(sari);
    const size_t *list_ends = sari->list_ends.data;
    const uint32_t *list = sari->lists.data;
    size_t first = reference == 0 ? 0 : list_ends[reference - 1], end = list_ends[reference];
    uint32_t *references = sari->without.data, *containing = sari->containing_without.data;
    for (size_t order = 0; order < ORDERS; order++) {
        uint32_t start = sari->starts[order], types = sari->types[order];
        memcpy(references + start, variant.references + start, types * sizeof *references);
        if (sari->options.formula == SARI_T2T)
            memcpy(containing + start, variant.containing + start, types * sizeof *containing);
    }
    for (size_t position = first; position < end; position++)
        references[list[position]]--;
    if (sari->options.formula == SARI_T2T)
        for (size_t position = first; position < end; position++)
            containing[list[position]] = variant.containing[list[position]] - 1;
    size_t length = text_at(&sari->texts, sari->group.summary_count + reference)->length;
    for (size_t order = 0; order < ORDERS; order++) {
        variant.able.of_order[order] -= length > order;
        variant.right.of_order[order] -= ((const TypeCounts *)sari->lost_types.data)[reference].of_order[order];
        variant.new.of_order[order] -= ((const TypeCounts *)sari->new_types.data)[reference].of_order[order];
    }
    variant.references = references;
    variant.containing = containing;
    variant.number--;
    return variant;
}

static OrderCounts order_counts(const Sari *sari, const Variant *variant, size_t order)
{
    size_t start = sari->starts[order];
    OrderCounts counts = {
        .types = sari->types[order],
        .source = (const uint32_t *)sari->source.data + start,
        .summary = (const uint32_t *)sari->summary.data + start,
        .references = variant->references + start,
        .containing = variant->containing + start,
        .number = variant->number,
        .able = variant->able.of_order[order],
        .added = sari->added.of_order[order],
        .right = variant->right.of_order[order],
        .new = variant->new.of_order[order],
        .max_tokens = sari->max_tokens < UINT32_MAX ? (uint32_t)sari->max_tokens : UINT32_MAX,
    };
    if (sari->is_short)
        sari_short_write(&sari->short_counts, order, &counts);
    return counts;
}

/* Writes the means of ADD, KEEP and DELETE over the orders, and a 1 that counts the summary. */
static void write_shares(const Sari *sari, const Variant *variant, double *vector)
{
    memset(vector, 0, SHARES * sizeof *vector);
    for (size_t order = 0; order < ORDERS; order++) {
        double parts[SHARES - 1];
        OrderCounts context = order_counts(sari, variant, order);
        sari_parts_of_order(&sari->options, &context, parts);
        for (size_t part = 0; part < SHARES - 1; part++)
            vector[part] += parts[part];
    }
    for (size_t part = 0; part < SHARES - 1; part++)
        vector[part] /= ORDERS;
    vector[SHARES - 1] = 1;
}

static void write_vector(const Sari *sari, Variant variant, double *vector)
{
    if (sari->options.formula > SARI_JOSHUA) {
        write_shares(sari, &variant, vector);
        return;
    }
    for (size_t order = 0; order < ORDERS; order++) {
        OrderCounts context = order_counts(sari, &variant, order);
        sari_sums_of_order(&sari->options, &context, vector + order * NUMBERS_OF_ORDER);
    }
}

static Outcome measure_short(Sari *sari, const Text *text, double *vector)
{
    sari->kernel.interrupt.work += 8 * ORDERS * text->length;
    if (!sari_short_count(&sari->short_counts, text))
        return OUT_OF_MEMORY;
    write_vector(sari, everything(sari), vector);
    return is_interrupted(&sari->kernel.interrupt) ? INTERRUPTED : DONE;
}

static Outcome sari_measure(Kernel *kernel, size_t summary, double *vectors)
{
    Sari *sari = (Sari *)kernel;
    const Text *text = text_at(&sari->texts, summary);
    size_t variants = sari->group.leave_one_out ? sari->group.reference_count : 0;
    if (sari->is_short)
        return measure_short(sari, text, vectors);
    if (!reserve_ngrams(sari, text))
        return OUT_OF_MEMORY;
    count_summary(sari, text);
    write_vector(sari, everything(sari), vectors);
    for (size_t reference = 0; reference < variants && !is_interrupted(&kernel->interrupt); reference++) {
        write_vector(sari, without(sari, reference), vectors += kernel->width);
        kernel->interrupt.work += ORDERS * source_of(sari)->length;
    }
    if (summary + 1 < sari->group.summary_count)
        forget_summary(sari, text);
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

static void sari_score(const Kernel *kernel, const double *vector, double *scores)
{
    sari_score_of_vector(&((const Sari *)kernel)->options, vector, scores);
}

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void sari_free(Kernel *kernel)
{
    Sari *sari = (Sari *)kernel;
    Buffer *buffers[] = {
        &sari->ngrams,       &sari->source,             &sari->summary, &sari->references, &sari->without,   &sari->in_references,
        &sari->containing, &sari->containing_without, &sari->lists,   &sari->list_ends,  &sari->first_new,    &sari->new_types,
        &sari->lost_types, &sari->spans,
    };
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    texts_free(&sari->texts);
    sari_short_free(&sari->short_counts);
    ngram_ids_free(&sari->ngram_ids);
    free(sari);
}

Kernel *sari_new(const SariOptions *options)
{
    static const ScoreField FIELDS[] = {
        {.name = "sari"}, {.name = "sari_keep"}, {.name = "sari_del"}, {.name = "sari_add"},
    };
    Sari *sari = calloc(1, sizeof *sari);
    if (sari == NULL)
        return NULL;
    bool has_sums = options->formula <= SARI_JOSHUA;
    sari->options = *options;
    TokenizeRules rules = {
        .lowercase = options->lowercase, .tokenization = options->tokenization, .single_spaces = options->single_spaces,
    };
    sari->rules = sari->other_rules[SOURCE] = sari->other_rules[CASED_SOURCE] = rules;
    sari->other_rules[SOURCE].tokenization = options->source_tokenization;
    sari->other_rules[CASED_SOURCE] = (TokenizeRules){
        .tokenization = options->tokenization == TOKENIZER_13A ? TOKENIZER_13A : WHITESPACE,
    };
    sari->kernel = (Kernel){
        .width = has_sums ? SUMS : SHARES,
        .whole_count = has_sums ? SUMS : 0,
        .field_count = options->formula == SARI_JOSHUA || options->formula == SARI_SET ? 0 : 4,
        .score_width = 4,
        .lowercase = options->lowercase,
        .lowercase_others = {[SOURCE] = options->lowercase},
        .other_count = options->formula == SARI_MODIFIED ? 2 : 1,
        .open = sari_open,
        .measure = sari_measure,
        .score = sari_score,
        .free = sari_free,
    };
    memcpy(sari->kernel.fields, FIELDS, sizeof FIELDS);
    return &sari->kernel;
}
