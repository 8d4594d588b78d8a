#include "metrics/autosummeng.h"

#include <stdlib.h>

#include "ngrams/ngram_graphs.h"

/* Summaries are compared in chunks: the tables have the pairs of the references and of one chunk, so that they fit the
   cache however many summaries there are. FW_SMALL_TABLES lets tests cover more than one chunk. */
#ifdef FW_SMALL_TABLES
enum { CHUNK_PAIRS = 64 };
#else
enum { CHUNK_PAIRS = 1 << 15 };
#endif

typedef struct {
    Kernel kernel;
    AutosummengOptions options;
    size_t orders; /* graphs of a text */
    TextGroup group;
    NgramGraphs graphs;
    Buffer references;  /* Graph: `orders` of each reference */
    Buffer merged;      /* Graph: `orders` of all references, then of all but the first, and so on */
    Buffer own;         /* Graph: `orders` of a summary */
    Buffer similarities; /* double: to each reference, to the merged graphs */
    size_t edges_used;  /* by the graphs of references */
    size_t chunk_start, chunk_end; /* summaries */
} Autosummeng;

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static size_t merged_count(const TextGroup *group) { return 1 + (group->leave_one_out ? group->reference_count : 0); }

static bool reserve_group(Autosummeng *own)
{
    size_t references = own->group.reference_count, merged = merged_count(&own->group), orders = own->orders;
    return buffer_reserve(&own->references, references * orders, sizeof(Graph))
        && buffer_reserve(&own->merged, merged * orders, sizeof(Graph)) && buffer_reserve(&own->own, orders, sizeof(Graph))
        && buffer_reserve(&own->similarities, references + merged, sizeof(double));
}

/* Empties the tables for the references and for as many summaries from `first` on as a chunk has. */
static bool reset_tables(Autosummeng *own, size_t first)
{
    size_t units = 0, length, end = first;
    uint64_t pairs = 0, most;
    for (size_t index = 0; index < own->group.reference_count; index++) {
        size_t text = own->group.summary_count + index;
        pairs += ngram_graphs_pairs(&own->graphs, text);
        ngram_graphs_units(&own->graphs, text, &length);
        units += length;
    }
    most = 4 * pairs > CHUNK_PAIRS ? 4 * pairs : CHUNK_PAIRS;
    for (; end < own->group.summary_count; end++) {
        uint64_t more = ngram_graphs_pairs(&own->graphs, end);
        if (end > first && pairs + more > most)
            break;
        pairs += more;
        ngram_graphs_units(&own->graphs, end, &length);
        units += length;
    }
    own->chunk_start = first;
    own->chunk_end = end;
    return ngram_graphs_reset(&own->graphs, pairs, units);
}

static bool add_references(Autosummeng *own)
{
    Graph *references = own->references.data;
    own->graphs.used = 0;
    for (size_t index = 0; index < own->group.reference_count; index++)
        if (!ngram_graphs_add(
                &own->graphs, own->group.summary_count + index, references + index * own->orders, &own->kernel.interrupt))
            return false;
    return true;
}

/* Merges the references of all variants of the group. */
static bool merge_references(Autosummeng *own)
{
    const Graph *references = own->references.data;
    for (size_t variant = 0; variant < merged_count(&own->group); variant++)
        for (size_t order = 0; order < own->orders; order++) {
            Graph *merged = (Graph *)own->merged.data + variant * own->orders + order;
            if (!ngram_graphs_merge(
                    &own->graphs, references + order, own->group.reference_count, own->orders,
                    variant == 0 ? SIZE_MAX : variant - 1, merged, &own->kernel.interrupt))
                return false;
        }
    return true;
}

static Outcome autosummeng_open(Kernel *kernel, const TextGroup *group)
{
    Autosummeng *own = (Autosummeng *)kernel;
    own->group = *group;
    if (!ngram_graphs_split(&own->graphs, group, &kernel->interrupt) || !reserve_group(own) || !reset_tables(own, 0)
        || !add_references(own))
        return OUT_OF_MEMORY;
    own->graphs.used++; /* listing the pairs of the last reference again writes one edge more than it has */
    if (!merge_references(own))
        return OUT_OF_MEMORY;
    own->edges_used = own->graphs.used;
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Empties the tables for a summary that is not in the current chunk. Adding the references again gives their pairs the
   same ids, and the edges of their graphs the same positions. */
static bool open_chunk(Autosummeng *own, size_t summary)
{
    if (summary >= own->chunk_start && summary < own->chunk_end)
        return true;
    bool done = reset_tables(own, summary) && add_references(own);
    own->graphs.used = own->edges_used;
    return done;
}

/* Adds the similarities of a summary to `count` texts, `weight` times. */
static void compare(Autosummeng *own, const Graph *summary, double weight, const Graph *others, size_t count, double *similarities)
{
    for (size_t index = 0; index < count; index++) {
        const Graph *other = &others[index * own->orders];
        similarities[index] += weight * ngram_graphs_similarity(&own->graphs, summary->size, other);
        own->kernel.interrupt.work += 2 * other->count;
        if (is_interrupted(&own->kernel.interrupt))
            return;
    }
}

/* Writes the similarities of a summary to each reference and to the merged graphs: means over the orders. */
static void compare_orders(Autosummeng *own)
{
    size_t references = own->group.reference_count, merged = merged_count(&own->group);
    double *similarities = own->similarities.data, weight = 0, weights = 0;
    const Graph *graphs = own->own.data, *single = own->references.data, *together = own->merged.data;
    for (size_t index = 0; index < references + merged; index++)
        similarities[index] = 0;
    for (size_t order = 0; order < own->orders; order++) {
        weight += (double)(own->options.min_n + order);
        weights += weight;
        ngram_graphs_load(&own->graphs, &graphs[order]);
        compare(own, &graphs[order], weight, single + order, references, similarities);
        compare(own, &graphs[order], weight, together + order, merged, similarities + references);
        ngram_graphs_unload(&own->graphs, &graphs[order]);
    }
    for (size_t index = 0; index < references + merged; index++)
        similarities[index] /= weights;
}

/* Writes AutoSummENG and MeMoG without one reference. */
static void write_vector(const Autosummeng *own, size_t left_out, double merged, double *vector)
{
    const double *single = own->similarities.data;
    size_t count = own->group.reference_count, last = count - 1 == left_out ? count - 2 : count - 1;
    size_t first = left_out == 0 ? 1 : 0, used = left_out < count ? count - 1 : count;
    double total = own->options.published ? merged : single[first];
    for (size_t index = first + 1; index < count; index++)
        total += index == left_out ? 0 : single[index];
    vector[0] = total / (double)used;
    vector[1] = own->options.published ? single[last] : merged;
}

static Outcome autosummeng_measure(Kernel *kernel, size_t summary, double *vectors)
{
    Autosummeng *own = (Autosummeng *)kernel;
    bool added = open_chunk(own, summary) && ngram_graphs_add(&own->graphs, summary, own->own.data, &kernel->interrupt);
    own->graphs.used = own->edges_used;
    if (!added)
        return OUT_OF_MEMORY;
    compare_orders(own);
    const double *merged = (const double *)own->similarities.data + own->group.reference_count;
    for (size_t variant = 0; variant < merged_count(&own->group); variant++)
        write_vector(own, variant == 0 ? SIZE_MAX : variant - 1, merged[variant], vectors + variant * kernel->width);
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

static void autosummeng_score(const Kernel *kernel, const double *vector, double *scores)
{
    (void)kernel;
    scores[0] = vector[0];
    scores[1] = vector[1];
    scores[2] = (5.2905 * vector[0] + 3.0053 * vector[1] + 0.5866) / 10;
}

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void autosummeng_free(Kernel *kernel)
{
    Autosummeng *own = (Autosummeng *)kernel;
    Buffer *buffers[] = {&own->references, &own->merged, &own->own, &own->similarities};
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    ngram_graphs_free(&own->graphs);
    free(own);
}

Kernel *autosummeng_new(const AutosummengOptions *options)
{
    Autosummeng *own = calloc(1, sizeof *own);
    if (own == NULL)
        return NULL;
    own->options = *options;
    own->orders = options->max_n - options->min_n + 1;
    own->graphs.rules = (GraphRules){options->min_n, options->max_n, options->window};
    own->kernel = (Kernel){
        .width = 2,
        .field_count = 3,
        .score_width = 3,
        .fields = {{"AutoSummENG", 0, false}, {"MeMoG", 0, false}, {"NPowER", 0, false}},
        .adds_scores = true,
        .open = autosummeng_open,
        .measure = autosummeng_measure,
        .score = autosummeng_score,
        .free = autosummeng_free,
    };
    return &own->kernel;
}
