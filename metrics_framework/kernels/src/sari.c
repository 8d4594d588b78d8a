#include "sari.h"

#include <stdlib.h>
#include <string.h>

#include "sari_formulas.h"
#include "texts.h"

enum { SUMS = ORDERS * NUMBERS_OF_ORDER, SHARES = 4 };

/* The other texts of a group. */
enum { SOURCE, CASED_SOURCE };

/* Types of n-grams, for each order. */
typedef struct {
    uint32_t of_order[ORDERS];
} Counts;

/* How an n-gram stands in the references. */
typedef struct {
    uint32_t containing; /* references that have it */
    uint32_t owner;      /* the last of them, from 1 on */
} Holders;

/* N-grams have numbers: words those of the group's words, longer ones those behind them, order by order for each text. The
   source comes first and then the references, so that the types of the source are pieces of all lists. Lists have a place
   for every n-gram. Loops over the n-grams of a text have no branches, as these would not be foreseen. */
typedef struct {
    Kernel kernel;
    SariOptions options;
    CuttingRules rules; /* of summaries and references */
    CuttingRules other_rules[MOST_OTHERS];
    TextGroup group;
    Texts texts;
    Grams grams;
    size_t longest;
    Buffer ends;                    /* uint32_t: the n-gram that begins at each place of a text */
    uint32_t starts[ORDERS];        /* where the types of the source of an order begin */
    uint32_t types[ORDERS];         /* how many they are */
    uint32_t words, words_of_source; /* how many words there are, and how many are in the source */
    uint32_t grams_of_source;       /* up to where longer n-grams are in the source */
    Buffer source;                  /* uint32_t: S */
    Buffer summary;                 /* uint32_t: P; all 0 but while a summary is measured */
    Buffer references;              /* uint32_t: R */
    Buffer without;                 /* uint32_t: R without a reference */
    Buffer holders;                 /* Holders */
    Buffer containing;              /* uint32_t: as in `holders`, for SARI_T2T */
    Buffer containing_without;      /* uint32_t */
    Counts able, new, added, right;
    uint64_t most_tokens;

    /* Where references are left out. */
    Buffer lists;      /* uint32_t: the n-grams of each reference that are in the source */
    Buffer list_ends;  /* size_t: where those of a reference end */
    Buffer blocks;     /* uint32_t: for each reference and order the first number that was new with it; and the end */
    Buffer new_types;  /* Counts: for each reference the types outside of the source that only it has */
    Buffer lost_types; /* Counts: of the types that a summary adds rightly, those that only this reference has */
} Sari;

static inline bool is_in_source(const Sari *sari, uint32_t gram)
{
    return (gram < sari->words_of_source) | ((gram >= sari->words) & (gram < sari->grams_of_source));
}

/* Makes room for the n-grams of a text. Returns false where there is not so much memory, or the watch is stopped. */
static bool reserve_grams(Sari *sari, const Text *text)
{
    return grams_reserve(&sari->grams, (ORDERS - 1) * text->length, &sari->kernel.watch);
}

/* Tells the watch that so many n-grams are counted; returns whether it is stopped. */
static bool is_stopped_after(Sari *sari, size_t count)
{
    sari->kernel.watch.work += 8 * count;
    return is_stopped(&sari->kernel.watch);
}

/* Writes the numbers of a text's n-grams of an order over those of the order before; returns how many they are. */
static size_t next_order(Sari *sari, const Text *text, size_t order)
{
    uint32_t *ends = sari->ends.data;
    size_t count = gram_count(text->length, order);
    if (order == 1)
        memcpy(ends, text->words, count * sizeof *ends);
    else
        number_grams(&sari->grams, ends, text->words + order - 1, count);
    return count;
}

/* ---- the group -------------------------------------------------------------------------------------------------- */

static const Text *source_of(const Sari *sari)
{
    return text_at(&sari->texts, sari->group.summary_count + sari->group.reference_count);
}

/* Counts the n-grams of the source, which are the first to have numbers. */
static void count_source(Sari *sari)
{
    const Text *text = source_of(sari);
    const uint32_t *ends = sari->ends.data;
    uint32_t *source = sari->source.data;
    for (size_t order = 1; order <= ORDERS; order++) {
        uint32_t start = order == 1 ? 0 : sari->grams.used, end = start;
        size_t count = next_order(sari, text, order);
        for (size_t place = 0; place < count; place++) {
            source[ends[place]]++;
            end = ends[place] >= end ? ends[place] + 1 : end;
        }
        sari->starts[order - 1] = start;
        sari->types[order - 1] = end - start;
        if (is_stopped_after(sari, count))
            return;
    }
    sari->words_of_source = sari->types[0];
    sari->grams_of_source = sari->grams.used;
}

/* Counts the n-grams of a reference; lists those in the source from `*list` on, where they are wanted. */
static void count_reference(Sari *sari, uint32_t reference, size_t *list)
{
    const Text *text = text_at(&sari->texts, sari->group.summary_count + reference);
    const uint32_t *ends = sari->ends.data;
    uint32_t *all = sari->references.data, *listed = sari->lists.data;
    Holders *holders = sari->holders.data;
    for (size_t order = 0; order < ORDERS; order++) {
        if (sari->group.leave_one_out)
            ((uint32_t *)sari->blocks.data)[reference * ORDERS + order] = sari->grams.used;
        uint32_t before = sari->grams.used;
        size_t count = next_order(sari, text, order + 1), end = *list;
        sari->new.of_order[order] += sari->grams.used - before; /* words are counted later */
        sari->able.of_order[order] += count > 0;
        for (size_t place = 0; place < count; place++) {
            uint32_t gram = ends[place];
            Holders *of_gram = &holders[gram];
            all[gram]++;
            *of_gram = (Holders){of_gram->containing + (of_gram->owner != reference + 1), reference + 1};
        }
        for (size_t place = 0; sari->group.leave_one_out && place < count; place++) {
            listed[end] = ends[place];
            end += is_in_source(sari, ends[place]);
        }
        *list = end;
        if (is_stopped_after(sari, count))
            return;
    }
}

/* Counts the types of references that are not in the source. */
static void count_new(Sari *sari)
{
    const Holders *holders = sari->holders.data;
    const uint32_t *blocks = sari->blocks.data;
    Counts *only = sari->new_types.data;
    for (uint32_t word = sari->words_of_source; word < sari->words; word++) {
        sari->new.of_order[0] += holders[word].containing > 0;
        if (sari->group.leave_one_out && holders[word].containing == 1)
            only[holders[word].owner - 1].of_order[0]++;
    }
    if (!sari->group.leave_one_out)
        return;
    size_t count = sari->group.reference_count * ORDERS;
    for (size_t block = 0; block < count; block++) {
        uint32_t end = block + 1 == count ? sari->grams.used : blocks[block + 1];
        for (uint32_t gram = blocks[block]; gram < end; gram++)
            if (holders[gram].containing == 1)
                only[holders[gram].owner - 1].of_order[block % ORDERS]++;
    }
}

/* Makes room for lists of all n-grams that may come. */
static bool reserve_lists(Sari *sari)
{
    size_t total = 0, references = sari->group.reference_count, of_references = 0;
    sari->longest = 0;
    for (size_t index = 0; index < sari->texts.count; index++) {
        size_t length = text_at(&sari->texts, index)->length;
        total += length;
        of_references += index >= sari->group.summary_count ? length : 0;
        sari->longest = length > sari->longest ? length : sari->longest;
    }
    size_t grams = sari->texts.words.used + (ORDERS - 1) * total + 1; /* one more, so that there are lists even of none */
    sari->words = sari->texts.words.used;
    if (sari->group.leave_one_out
        && (!buffer_reserve(&sari->lists, ORDERS * of_references + 1, sizeof(uint32_t))
            || !buffer_reserve(&sari->list_ends, references, sizeof(size_t))
            || !buffer_reserve(&sari->blocks, references * ORDERS, sizeof(uint32_t))
            || !buffer_clear(&sari->new_types, references, sizeof(Counts))
            || !buffer_reserve(&sari->without, grams, sizeof(uint32_t))
            || !buffer_reserve(&sari->containing_without, grams, sizeof(uint32_t))))
        return false;
    return buffer_reserve(&sari->ends, sari->longest + 1, sizeof(uint32_t))
        && grams_reset(&sari->grams, (ORDERS - 1) * total, sari->words, sari->words)
        && buffer_clear(&sari->source, grams, sizeof(uint32_t)) && buffer_clear(&sari->summary, grams, sizeof(uint32_t))
        && buffer_clear(&sari->references, grams, sizeof(uint32_t)) && buffer_clear(&sari->holders, grams, sizeof(Holders))
        && buffer_reserve(&sari->containing, grams, sizeof(uint32_t))
        && buffer_reserve(&sari->lost_types, references, sizeof(Counts));
}

static Outcome sari_open(Kernel *kernel, const TextGroup *group)
{
    Sari *sari = (Sari *)kernel;
    size_t list = 0;
    sari->group = *group;
    sari->able = sari->new = (Counts){{0}};
    if (!texts_cut(&sari->texts, group, sari->rules, kernel->other_count, sari->other_rules, &kernel->watch)
        || !reserve_lists(sari))
        return NO_MEMORY;
    if (!reserve_grams(sari, source_of(sari)))
        return NO_MEMORY;
    count_source(sari);
    sari->most_tokens = (uint64_t)group->reference_count * source_of(sari)->length;
    for (size_t index = 0; index < group->reference_count; index++) {
        if (!reserve_grams(sari, text_at(&sari->texts, group->summary_count + index)))
            return NO_MEMORY;
        count_reference(sari, (uint32_t)index, &list);
        if (group->leave_one_out)
            ((size_t *)sari->list_ends.data)[index] = list;
        sari->most_tokens += text_at(&sari->texts, group->summary_count + index)->length;
        if (is_stopped(&kernel->watch))
            return STOPPED;
    }
    count_new(sari);
    for (uint32_t gram = 0; sari->options.formula == SARI_T2T && gram < sari->grams.used; gram++)
        ((uint32_t *)sari->containing.data)[gram] = ((const Holders *)sari->holders.data)[gram].containing;
    return DONE;
}

/* ---- a summary -------------------------------------------------------------------------------------------------- */

/* Tells whether words stand in the cased source in the same order, with or without gaps. */
static bool is_left_over(Sari *sari, const uint32_t *words, size_t count)
{
    const Text *cased = text_at(&sari->texts, sari->texts.count - 1);
    sari->kernel.watch.work += cased->length;
    if (is_stopped(&sari->kernel.watch))
        return false;
    size_t found = 0;
    for (size_t place = 0; place < cased->length && found < count; place++)
        found += cased->words[place] == words[found];
    return found == count;
}

/* Takes note of an n-gram that a summary adds and references have. */
static void count_right(Sari *sari, const Holders *holders, size_t order, const uint32_t *words)
{
    if (sari->options.formula == SARI_MODIFIED && is_left_over(sari, words, order + 1))
        return;
    sari->right.of_order[order]++;
    if (holders->containing == 1)
        ((Counts *)sari->lost_types.data)[holders->owner - 1].of_order[order]++;
}

static void count_summary(Sari *sari, const Text *text)
{
    const uint32_t *ends = sari->ends.data;
    const Holders *holders = sari->holders.data;
    uint32_t *own = sari->summary.data;
    sari->added = sari->right = (Counts){{0}};
    memset(sari->lost_types.data, 0, sari->group.reference_count * sizeof(Counts));
    for (size_t order = 0; order < ORDERS; order++) {
        size_t count = next_order(sari, text, order + 1);
        uint32_t added = 0;
        for (size_t place = 0; place < count; place++) {
            uint32_t gram = ends[place];
            bool is_added = (own[gram]++ == 0) & !is_in_source(sari, gram);
            added += is_added;
            if (is_added & (holders[gram].containing > 0))
                count_right(sari, &holders[gram], order, text->words + place);
        }
        sari->added.of_order[order] = added;
        if (is_stopped_after(sari, count))
            return;
    }
}

/* Makes all counts of the summary 0 again. */
static void forget_summary(Sari *sari, const Text *text)
{
    const uint32_t *ends = sari->ends.data;
    uint32_t *own = sari->summary.data;
    for (size_t order = 1; order <= ORDERS; order++) {
        size_t count = next_order(sari, text, order);
        for (size_t place = 0; place < count; place++)
            own[ends[place]] = 0;
    }
}

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

/* What is left where a reference is left out; nothing where `none` is. */
typedef struct {
    const uint32_t *references, *containing;
    uint32_t number;
    Counts able, right, new;
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
    for (size_t place = first; place < end; place++)
        references[list[place]]--;
    if (sari->options.formula == SARI_T2T)
        for (size_t place = first; place < end; place++)
            containing[list[place]] = variant.containing[list[place]] - 1;
    size_t length = text_at(&sari->texts, sari->group.summary_count + reference)->length;
    for (size_t order = 0; order < ORDERS; order++) {
        variant.able.of_order[order] -= length > order;
        variant.right.of_order[order] -= ((const Counts *)sari->lost_types.data)[reference].of_order[order];
        variant.new.of_order[order] -= ((const Counts *)sari->new_types.data)[reference].of_order[order];
    }
    variant.references = references;
    variant.containing = containing;
    variant.number--;
    return variant;
}

static Context context_of(const Sari *sari, const Variant *variant, size_t order)
{
    size_t start = sari->starts[order];
    return (Context){
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
        .most_tokens = sari->most_tokens < UINT32_MAX ? (uint32_t)sari->most_tokens : UINT32_MAX,
    };
}

/* Writes the mean of the orders' ADD, KEEP and DELETE, and a one that counts the summary. */
static void write_shares(const Sari *sari, const Variant *variant, double *vector)
{
    memset(vector, 0, SHARES * sizeof *vector);
    for (size_t order = 0; order < ORDERS; order++) {
        double parts[SHARES - 1];
        Context context = context_of(sari, variant, order);
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
        Context context = context_of(sari, &variant, order);
        sari_sums_of_order(&sari->options, &context, vector + order * NUMBERS_OF_ORDER);
    }
}

static Outcome sari_measure(Kernel *kernel, size_t summary, double *vectors)
{
    Sari *sari = (Sari *)kernel;
    const Text *text = text_at(&sari->texts, summary);
    size_t variants = sari->group.leave_one_out ? sari->group.reference_count : 0;
    if (!reserve_grams(sari, text))
        return NO_MEMORY;
    count_summary(sari, text);
    write_vector(sari, everything(sari), vectors);
    for (size_t reference = 0; reference < variants && !is_stopped(&kernel->watch); reference++) {
        write_vector(sari, without(sari, reference), vectors += kernel->width);
        kernel->watch.work += ORDERS * source_of(sari)->length;
    }
    if (summary + 1 < sari->group.summary_count)
        forget_summary(sari, text);
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

static void sari_score(const Kernel *kernel, const double *vector, double *scores)
{
    sari_score_of_vector(&((const Sari *)kernel)->options, vector, scores);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

static void sari_free(Kernel *kernel)
{
    Sari *sari = (Sari *)kernel;
    Buffer *buffers[] = {
        &sari->ends,       &sari->source,             &sari->summary, &sari->references, &sari->without,   &sari->holders,
        &sari->containing, &sari->containing_without, &sari->lists,   &sari->list_ends,  &sari->blocks,    &sari->new_types,
        &sari->lost_types,
    };
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    texts_free(&sari->texts);
    grams_free(&sari->grams);
    free(sari);
}

Kernel *sari_new(const SariOptions *options)
{
    static const ScoreField FIELDS[] = {
        {"sari", 0, false}, {"sari_keep", 0, false}, {"sari_del", 0, false}, {"sari_add", 0, false},
    };
    Sari *sari = calloc(1, sizeof *sari);
    if (sari == NULL)
        return NULL;
    bool has_sums = options->formula <= SARI_JOSHUA;
    sari->options = *options;
    CuttingRules rules = {.lowercase = options->lowercase, .cut = options->tokenization, .at_each_blank = options->single_spaces};
    sari->rules = sari->other_rules[SOURCE] = sari->other_rules[CASED_SOURCE] = rules;
    sari->other_rules[SOURCE].cut = options->source_tokenization;
    sari->other_rules[CASED_SOURCE].lowercase = false;
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
