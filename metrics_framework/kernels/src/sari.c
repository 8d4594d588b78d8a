#include "sari.h"

#include <stdlib.h>
#include <string.h>

#include "sari_formulas.h"
#include "texts.h"

enum { SUMS = ORDERS * NUMBERS_OF_ORDER, SHARES = 4 };

/* Types of n-grams that are not in the source: numbers for each order. */
typedef struct {
    uint32_t of_order[ORDERS];
} Counts;

/* What is known of an n-gram that is not in the source. */
typedef struct {
    uint32_t containing; /* references that have it */
    uint32_t owner;      /* the last of them, from 1 on */
    uint32_t summary;    /* the last summary that was seen to have it, from 1 on */
} Outside;

/* The n-grams of the source have the first numbers: words come first in the group's numbers of words, longer ones in those
   of n-grams. So their types stand in lists, order by order, and each order is a piece of them. */
typedef struct {
    Kernel kernel;
    SariOptions options;
    TextGroup group;
    Texts texts;
    Grams grams;
    Buffer ends;         /* uint32_t: the n-gram that begins at each place of a text */
    size_t starts[ORDERS + 1]; /* where the types of an order begin in the lists, and where the last ones end */
    uint32_t words;      /* different words of the group: n-grams of other orders have numbers from here on */
    Buffer source;       /* uint32_t, by type of the source: S */
    Buffer summary;      /* the same: P */
    Buffer references;   /* the same: R */
    Buffer without;      /* the same: R without a reference */
    Buffer containing;   /* the same: the references that have it */
    Buffer containing_without;
    Buffer counts;     /* uint32_t: for each reference, one at a time if none is left out, a list like R, of it alone */
    Buffer outside;    /* Outside, by number of an n-gram */
    Buffer new_types;  /* Counts: for each reference the types outside of the source that only it has */
    Buffer lost_types; /* Counts: of the types that a summary adds rightly, those that only this reference has */
    Counts able, new, added, right;
    uint64_t most_tokens;
} Sari;

static const uint32_t NO_TYPE = UINT32_MAX;

/* Returns the place of an n-gram in the lists, NO_TYPE if it is not in the source. */
static inline uint32_t type_of(const Sari *sari, uint32_t gram)
{
    uint32_t words = (uint32_t)sari->starts[1];
    if (gram < sari->words)
        return gram < words ? gram : NO_TYPE;
    uint32_t type = gram - sari->words + words;
    return type < sari->starts[ORDERS] ? type : NO_TYPE;
}

/* Writes the numbers of a text's n-grams of an order over those of the order before; returns how many they are. */
static size_t next_order(Sari *sari, const Text *text, size_t order)
{
    uint32_t *ends = sari->ends.data;
    size_t count = gram_count(text->length, order);
    if (order == 1)
        memcpy(ends, text->words, count * sizeof *ends);
    else
        for (size_t place = 0; place < count; place++)
            ends[place] = gram_number(&sari->grams, ends[place], text->words[place + order - 1]);
    return count;
}

/* ---- the group -------------------------------------------------------------------------------------------------- */

static const Text *source_of(const Sari *sari)
{
    return text_at(&sari->texts, sari->group.summary_count + sari->group.reference_count);
}

/* Counts the n-grams of the source, which are the first to have numbers. */
static bool count_source(Sari *sari)
{
    const Text *text = source_of(sari);
    const uint32_t *ends = sari->ends.data;
    if (!buffer_reserve(&sari->source, ORDERS * text->length, sizeof(uint32_t)))
        return false;
    uint32_t *source = sari->source.data;
    sari->starts[0] = sari->starts[1] = sari->starts[ORDERS] = 0;
    for (size_t order = 1; order <= ORDERS; order++) {
        size_t count = next_order(sari, text, order), types = sari->starts[order - 1];
        for (size_t place = 0; place < count; place++) {
            size_t type = order == 1 ? ends[place] : ends[place] - sari->words + sari->starts[1];
            if (type == types)
                source[types++] = 0;
            source[type]++;
        }
        sari->starts[order] = types;
    }
    return true;
}

static void count_outside(Sari *sari, Outside *outside, uint32_t reference, size_t order)
{
    Counts *only = sari->new_types.data;
    if (outside->owner == reference + 1)
        return;
    if (outside->containing == 0)
        sari->new.of_order[order]++;
    if (outside->containing == 1)
        only[outside->owner - 1].of_order[order]--;
    only[reference].of_order[order] += outside->containing == 0;
    outside->owner = reference + 1;
    outside->containing++;
}

static void count_reference(Sari *sari, uint32_t reference)
{
    const Text *text = text_at(&sari->texts, sari->group.summary_count + reference);
    const uint32_t *ends = sari->ends.data;
    size_t types = sari->starts[ORDERS];
    uint32_t *own = sari->counts.data, *all = sari->references.data, *containing = sari->containing.data;
    if (sari->group.leave_one_out)
        own += reference * types;
    else if (types > 0)
        memset(own, 0, types * sizeof *own);
    for (size_t order = 0; order < ORDERS; order++) {
        size_t count = next_order(sari, text, order + 1);
        sari->able.of_order[order] += count > 0;
        for (size_t place = 0; place < count; place++) {
            uint32_t type = type_of(sari, ends[place]);
            if (type == NO_TYPE) {
                count_outside(sari, (Outside *)sari->outside.data + ends[place], reference, order);
            } else {
                all[type]++;
                containing[type] += own[type]++ == 0;
            }
        }
    }
    sari->kernel.watch.work += 16 * text->length;
}

/* Makes room for `count` items and clears them. */
static bool reserve_clear(Buffer *buffer, size_t count, size_t size)
{
    if (!buffer_reserve(buffer, count, size))
        return false;
    if (count > 0)
        memset(buffer->data, 0, count * size);
    return true;
}

/* Makes room for what is counted of n-grams that may come. */
static bool reserve_grams(Sari *sari)
{
    size_t total = 0, longest = 0;
    for (size_t index = 0; index < sari->texts.count; index++) {
        size_t length = text_at(&sari->texts, index)->length;
        total += length;
        longest = length > longest ? length : longest;
    }
    sari->words = sari->texts.words.used;
    return buffer_reserve(&sari->ends, longest + 1, sizeof(uint32_t))
        && grams_reset(&sari->grams, (ORDERS - 1) * total, sari->words)
        && reserve_clear(&sari->outside, sari->words + (ORDERS - 1) * total, sizeof(Outside));
}

/* Makes room for lists of the types of the source, which are counted. */
static bool reserve_lists(Sari *sari)
{
    size_t types = sari->starts[ORDERS], references = sari->group.reference_count;
    if (types > 0 && references > SIZE_MAX / sizeof(uint32_t) / types)
        return false;
    return reserve_clear(&sari->summary, types, sizeof(uint32_t)) && reserve_clear(&sari->references, types, sizeof(uint32_t))
        && reserve_clear(&sari->containing, types, sizeof(uint32_t))
        && buffer_reserve(&sari->without, types, sizeof(uint32_t))
        && buffer_reserve(&sari->containing_without, types, sizeof(uint32_t))
        && reserve_clear(&sari->counts, (sari->group.leave_one_out ? references : 1) * types, sizeof(uint32_t))
        && reserve_clear(&sari->new_types, references, sizeof(Counts))
        && buffer_reserve(&sari->lost_types, references, sizeof(Counts));
}

static Outcome sari_open(Kernel *kernel, const TextGroup *group)
{
    Sari *sari = (Sari *)kernel;
    CuttingRules of_sources[] = {sari->options.source_rules, sari->options.cased_rules};
    size_t other_count = sari->options.formula == SARI_MODIFIED ? 2 : 1;
    sari->group = *group;
    sari->able = sari->new = (Counts){{0}};
    if (!texts_cut(&sari->texts, group, sari->options.rules, other_count, of_sources, &kernel->watch)
        || !reserve_grams(sari) || !count_source(sari) || !reserve_lists(sari))
        return NO_MEMORY;
    sari->most_tokens = (uint64_t)group->reference_count * source_of(sari)->length;
    for (size_t index = 0; index < group->reference_count; index++) {
        count_reference(sari, (uint32_t)index);
        sari->most_tokens += text_at(&sari->texts, group->summary_count + index)->length;
        if (is_stopped(&kernel->watch))
            return STOPPED;
    }
    return DONE;
}

/* ---- a summary -------------------------------------------------------------------------------------------------- */

/* Tells whether words stand in the cased source in the same order, with or without gaps. */
static bool is_left_over(const Sari *sari, const uint32_t *words, size_t count)
{
    const Text *cased = text_at(&sari->texts, sari->texts.count - 1);
    size_t found = 0;
    for (size_t place = 0; place < cased->length && found < count; place++)
        found += cased->words[place] == words[found];
    return found == count;
}

/* Takes note of an n-gram that a summary adds to the source. */
static void count_added(Sari *sari, Outside *outside, size_t order, const uint32_t *words)
{
    sari->added.of_order[order]++;
    if (outside->containing == 0
        || (sari->options.formula == SARI_MODIFIED && is_left_over(sari, words, order + 1)))
        return;
    sari->right.of_order[order]++;
    if (outside->containing == 1)
        ((Counts *)sari->lost_types.data)[outside->owner - 1].of_order[order]++;
}

static void count_summary(Sari *sari, size_t summary)
{
    const Text *text = text_at(&sari->texts, summary);
    const uint32_t *ends = sari->ends.data;
    uint32_t *own = sari->summary.data;
    sari->added = sari->right = (Counts){{0}};
    if (sari->starts[ORDERS] > 0)
        memset(own, 0, sari->starts[ORDERS] * sizeof *own);
    memset(sari->lost_types.data, 0, sari->group.reference_count * sizeof(Counts));
    for (size_t order = 0; order < ORDERS; order++) {
        size_t count = next_order(sari, text, order + 1);
        for (size_t place = 0; place < count; place++) {
            uint32_t type = type_of(sari, ends[place]);
            if (type != NO_TYPE) {
                own[type]++;
                continue;
            }
            Outside *outside = (Outside *)sari->outside.data + ends[place];
            if (outside->summary != summary + 1)
                count_added(sari, outside, order, text->words + place);
            outside->summary = (uint32_t)summary + 1;
        }
    }
    sari->kernel.watch.work += 16 * text->length;
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
    size_t types = sari->starts[ORDERS];
    const uint32_t *own = (const uint32_t *)sari->counts.data + reference * types;
    uint32_t *references = sari->without.data, *containing = sari->containing_without.data;
    for (size_t type = 0; type < types; type++)
        references[type] = variant.references[type] - own[type];
    if (sari->options.formula == SARI_T2T)
        for (size_t type = 0; type < types; type++)
            containing[type] = variant.containing[type] - (own[type] > 0);
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
        .types = sari->starts[order + 1] - start,
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
    size_t variants = sari->group.leave_one_out ? sari->group.reference_count : 0;
    count_summary(sari, summary);
    write_vector(sari, everything(sari), vectors);
    for (size_t reference = 0; reference < variants; reference++) {
        write_vector(sari, without(sari, reference), vectors += kernel->width);
        kernel->watch.work += 2 * sari->starts[ORDERS];
        if (is_stopped(&kernel->watch))
            return STOPPED;
    }
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
        &sari->ends,       &sari->source,  &sari->summary, &sari->references, &sari->without, &sari->containing,
        &sari->containing_without, &sari->counts, &sari->outside, &sari->new_types, &sari->lost_types,
    };
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    texts_free(&sari->texts);
    grams_free(&sari->grams);
    free(sari);
}

Kernel *sari_new(SariOptions options)
{
    static const ScoreField FIELDS[] = {
        {"sari", 0, false}, {"sari_keep", 0, false}, {"sari_del", 0, false}, {"sari_add", 0, false},
    };
    Sari *sari = calloc(1, sizeof *sari);
    if (sari == NULL)
        return NULL;
    bool has_sums = options.formula <= SARI_JOSHUA;
    sari->options = options;
    sari->kernel = (Kernel){
        .width = has_sums ? SUMS : SHARES,
        .whole_count = has_sums ? SUMS : 0,
        .field_count = options.formula == SARI_JOSHUA || options.formula == SARI_SET ? 0 : 4,
        .score_width = 4,
        .open = sari_open,
        .measure = sari_measure,
        .score = sari_score,
        .free = sari_free,
    };
    memcpy(sari->kernel.fields, FIELDS, sizeof FIELDS);
    return &sari->kernel;
}
