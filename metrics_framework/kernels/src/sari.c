#include "sari.h"

#include <stdlib.h>
#include <string.h>

#include "sari_formulas.h"
#include "texts.h"

enum { SUMS = ORDERS * NUMBERS_OF_ORDER, SHARES = 4 };

typedef struct {
    List of_order[ORDERS];
} Listed;

typedef struct {
    Kernel kernel;
    SariOptions options;
    TextGroup group;
    Texts texts;
    Grams grams;
    Buffer numbers;  /* uint32_t: the n-grams of all texts, then the types of source and of a summary */
    Buffer listed;   /* Listed, by text */
    Buffer tallies;  /* Tally, by number of an n-gram */
    Buffer first_at; /* uint32_t, by number of an n-gram: where it stands first in the summary at hand */
    Listed source_types, summary_types;
    uint32_t number, able[ORDERS], new[ORDERS];
} Sari;

/* ---- one summary ------------------------------------------------------------------------------------------------ */

/* Tells whether words stand in a text in the same order, with or without gaps. */
static bool is_left_over(const uint32_t *words, size_t count, const Text *text)
{
    size_t found = 0;
    for (size_t place = 0; place < text->length && found < count; place++)
        found += text->words[place] == words[found];
    return found == count;
}

/* Counts right additions whose words stand in the cased source in the same order. */
static uint32_t left_over(Sari *sari, const Context *context, size_t order, const Text *summary)
{
    const uint32_t *first_at = sari->first_at.data;
    const Text *cased = text_at(&sari->texts, sari->texts.count - 1);
    uint32_t count = 0;
    for (size_t index = 0; index < context->summary_types.count; index++) {
        uint32_t gram = context->summary_types.grams[index];
        const Tally *tally = &context->tallies[gram];
        if (tally->source > 0 || tally->references == 0)
            continue;
        count += is_left_over(summary->words + first_at[gram], order, cased);
        sari->kernel.watch.work += cased->length;
        if (is_stopped(&sari->kernel.watch))
            break;
    }
    return count;
}

static Context context_of(Sari *sari, size_t order, const Text *summary)
{
    Context context = {
        .tallies = sari->tallies.data,
        .source_types = sari->source_types.of_order[order - 1],
        .summary_types = sari->summary_types.of_order[order - 1],
        .number = sari->number,
        .able = sari->able[order - 1],
        .new = sari->new[order - 1],
    };
    if (sari->options.formula == SARI_MODIFIED)
        context.left_over = left_over(sari, &context, order, summary);
    return context;
}

/* Writes the mean of the orders' ADD, KEEP and DELETE, and a one that counts the summary. */
static void write_shares(Sari *sari, const Text *summary, double *vector)
{
    memset(vector, 0, SHARES * sizeof *vector);
    for (size_t order = 1; order <= ORDERS; order++) {
        double parts[SHARES - 1];
        Context context = context_of(sari, order, summary);
        sari_parts_of_order(&sari->options, &context, parts);
        for (size_t part = 0; part < SHARES - 1; part++)
            vector[part] += parts[part];
    }
    for (size_t part = 0; part < SHARES - 1; part++)
        vector[part] /= ORDERS;
    vector[SHARES - 1] = 1;
}

static void write_vector(Sari *sari, const Text *summary, double *vector)
{
    if (sari->options.formula > SARI_JOSHUA) {
        write_shares(sari, summary, vector);
        return;
    }
    for (size_t order = 1; order <= ORDERS; order++) {
        Context context = context_of(sari, order, summary);
        sari_sums_of_order(&sari->options, &context, vector + (order - 1) * NUMBERS_OF_ORDER);
    }
}

/* ---- a group ---------------------------------------------------------------------------------------------------- */

static Listed *listed_at(Sari *sari, size_t text) { return (Listed *)sari->listed.data + text; }

/* Writes the numbers of a text's n-grams; returns where the next may be written. */
static uint32_t *list_grams(Sari *sari, size_t index, uint32_t *out)
{
    const Text *text = text_at(&sari->texts, index);
    const uint32_t *before = text->words;
    for (size_t order = 1; order <= ORDERS; order++) {
        List *list = &listed_at(sari, index)->of_order[order - 1];
        *list = (List){out, gram_count(text->length, order)};
        for (size_t place = 0; place < list->count; place++)
            out[place] = order == 1 ? before[place] : gram_number(&sari->grams, before[place], text->words[place + order - 1]);
        before = out;
        out += list->count;
        sari->kernel.watch.work += 8 * list->count;
    }
    return out;
}

/* Adds a reference to what is counted of all, or takes it away. */
static void count_reference(Sari *sari, size_t reference, bool add)
{
    Tally *tallies = sari->tallies.data;
    uint32_t mark = (uint32_t)(2 * reference + (add ? 1 : 2)); /* of this call: what comes before and after has another */
    const Listed *listed = listed_at(sari, sari->group.summary_count + reference);
    sari->number += add ? 1u : -1u;
    for (size_t order = 0; order < ORDERS; order++) {
        const List *list = &listed->of_order[order];
        sari->kernel.watch.work += 2 * list->count;
        sari->able[order] += list->count > 0 ? (add ? 1u : -1u) : 0;
        for (size_t place = 0; place < list->count; place++) {
            Tally *tally = &tallies[list->grams[place]];
            bool is_first = tally->last != mark;
            tally->last = mark;
            if (add) {
                sari->new[order] += tally->source == 0 && tally->references == 0;
                tally->references++;
                tally->containing += is_first;
            } else {
                tally->references--;
                tally->containing -= is_first;
                sari->new[order] -= tally->source == 0 && tally->references == 0;
            }
        }
    }
}

/* Counts the n-grams of the source, or of a summary, and lists the types of them; returns where the next may be listed. */
static uint32_t *count_types(Sari *sari, size_t text, bool is_source, Listed *types, uint32_t *out)
{
    Tally *tallies = sari->tallies.data;
    uint32_t *first_at = sari->first_at.data;
    for (size_t order = 0; order < ORDERS; order++) {
        const List *list = &listed_at(sari, text)->of_order[order];
        uint32_t *start = out;
        for (size_t place = 0; place < list->count; place++) {
            uint32_t gram = list->grams[place];
            uint32_t *count = is_source ? &tallies[gram].source : &tallies[gram].summary;
            if ((*count)++ > 0)
                continue;
            *out++ = gram;
            if (!is_source)
                first_at[gram] = (uint32_t)place;
        }
        types->of_order[order] = (List){start, (size_t)(out - start)};
    }
    return out;
}

/* Makes room for the n-grams of the texts, which are cut. */
static bool reserve_grams(Sari *sari)
{
    size_t total = 0, longest = 0;
    for (size_t index = 0; index < sari->texts.count; index++) {
        size_t length = text_at(&sari->texts, index)->length;
        total += length;
        longest = length > longest ? length : longest;
    }
    return buffer_reserve(&sari->numbers, ORDERS * (total + 2 * longest), sizeof(uint32_t))
        && buffer_reserve(&sari->listed, sari->texts.count, sizeof(Listed))
        && grams_reset(&sari->grams, (ORDERS - 1) * total, sari->texts.words.used);
}

static Outcome sari_open(Kernel *kernel, const TextGroup *group)
{
    Sari *sari = (Sari *)kernel;
    bool is_modified = sari->options.formula == SARI_MODIFIED;
    size_t source = group->summary_count + group->reference_count;
    CuttingRules of_sources[] = {sari->options.source_rules, sari->options.cased_rules};
    if (!texts_cut(&sari->texts, group, sari->options.rules, is_modified ? 2 : 1, of_sources, &kernel->watch)
        || !reserve_grams(sari))
        return NO_MEMORY;
    sari->group = *group;
    uint32_t *out = list_grams(sari, source, sari->numbers.data); /* first, so that its numbers are near each other */
    for (size_t index = 0; index < source && !is_stopped(&kernel->watch); index++)
        out = list_grams(sari, source - 1 - index, out);
    if (is_stopped(&kernel->watch))
        return STOPPED;
    if (!buffer_reserve(&sari->tallies, sari->grams.used, sizeof(Tally))
        || !buffer_reserve(&sari->first_at, sari->grams.used, sizeof(uint32_t)))
        return NO_MEMORY;
    if (sari->grams.used > 0)
        memset(sari->tallies.data, 0, sari->grams.used * sizeof(Tally));
    out = count_types(sari, source, true, &sari->source_types, out);
    sari->summary_types.of_order[0].grams = out;
    sari->number = 0;
    memset(sari->able, 0, sizeof sari->able);
    memset(sari->new, 0, sizeof sari->new);
    for (size_t index = 0; index < group->reference_count && !is_stopped(&kernel->watch); index++)
        count_reference(sari, index, true);
    kernel->watch.work += sari->grams.used;
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

static void forget_summary(Sari *sari)
{
    Tally *tallies = sari->tallies.data;
    for (size_t order = 0; order < ORDERS; order++) {
        const List *types = &sari->summary_types.of_order[order];
        for (size_t index = 0; index < types->count; index++)
            tallies[types->grams[index]].summary = 0;
    }
}

static Outcome sari_measure(Kernel *kernel, size_t summary, bool leave_one_out, double *vectors)
{
    Sari *sari = (Sari *)kernel;
    const Text *text = text_at(&sari->texts, summary);
    count_types(sari, summary, false, &sari->summary_types, sari->summary_types.of_order[0].grams);
    write_vector(sari, text, vectors);
    size_t variants = leave_one_out ? sari->group.reference_count : 0;
    size_t source_length = text_at(&sari->texts, sari->group.summary_count + sari->group.reference_count)->length;
    for (size_t index = 0; index < variants && !is_stopped(&kernel->watch); index++) {
        count_reference(sari, index, false);
        write_vector(sari, text, vectors += kernel->width);
        count_reference(sari, index, true);
        kernel->watch.work += 8 * (text->length + source_length);
    }
    forget_summary(sari);
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
    texts_free(&sari->texts);
    grams_free(&sari->grams);
    buffer_free(&sari->numbers);
    buffer_free(&sari->listed);
    buffer_free(&sari->tallies);
    buffer_free(&sari->first_at);
    free(sari);
}

Kernel *sari_new(SariOptions options)
{
    static const ScoreField FIELDS[] = {{"sari", 0, false}, {"sari_keep", 0, false}, {"sari_del", 0, false}, {"sari_add", 0, false}};
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
