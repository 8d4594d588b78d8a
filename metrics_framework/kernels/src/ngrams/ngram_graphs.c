#include "ngrams/ngram_graphs.h"

#include <string.h>

/* FW_SMALL_TABLES lets tests cover more than one step. */
#ifdef FW_SMALL_TABLES
enum { PAIRS_PER_CHECK = 8 };
#else
enum { PAIRS_PER_CHECK = 1 << 18 };
#endif

void ngram_graphs_free(NgramGraphs *graphs)
{
    Buffer *buffers[] = {
        &graphs->units, &graphs->ends, &graphs->ngrams, &graphs->firsts, &graphs->seconds, &graphs->states, &graphs->edges,
        &graphs->weights,
    };
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    ngram_ids_free(&graphs->nodes);
    ngram_ids_free(&graphs->pairs);
}

/* ---- code units -------------------------------------------------------------------------------------------------- */

/* Decodes UTF-8 to UTF-16. The end of every line becomes a line feed, which the last line gets too. Returns the number
   of code units, at most one more than bytes. */
static size_t decode(const unsigned char *bytes, size_t size, uint32_t *units)
{
    size_t count = 0;
    for (size_t position = 0; position < size;) {
        uint32_t first = bytes[position++];
        if (first == '\r') {
            position += position < size && bytes[position] == '\n';
            first = '\n';
        }
        size_t more = (size_t)(first >= 0xc0) + (first >= 0xe0) + (first >= 0xf0);
        uint32_t code = more == 0 ? first : first & (0x3fu >> more);
        for (; more > 0; more--)
            code = code << 6 | (bytes[position++] & 0x3fu);
        if (code > 0xffff) {
            units[count++] = 0xd7c0 + (code >> 10);
            code = 0xdc00 | (code & 0x3ff);
        }
        units[count++] = code;
    }
    if (count > 0 && units[count - 1] != '\n')
        units[count++] = '\n';
    return count;
}

bool ngram_graphs_split(NgramGraphs *graphs, const TextGroup *group, Interrupt *interrupt)
{
    size_t count = group->summary_count + group->reference_count, size = group->ends[count - 1], used = 0, start = 0;
    if (size > INT32_MAX / 4 || !buffer_reserve(&graphs->units, size + count, sizeof(uint32_t))
        || !buffer_reserve(&graphs->ends, count, sizeof(size_t)))
        return false;
    uint32_t *units = graphs->units.data, highest = 0;
    for (size_t text = 0; text < count; text++) {
        used += decode(group->bytes + start, group->ends[text] - start, units + used);
        ((size_t *)graphs->ends.data)[text] = used;
        interrupt->work += 2 * (group->ends[text] - start);
        if (is_interrupted(interrupt))
            return false;
        start = group->ends[text];
    }
    for (size_t position = 0; position < used; position++)
        highest |= units[position];
    graphs->unit_end = highest + 1;
    return true;
}

const uint32_t *ngram_graphs_units(const NgramGraphs *graphs, size_t text, size_t *length)
{
    const size_t *ends = graphs->ends.data;
    size_t start = text == 0 ? 0 : ends[text - 1];
    *length = ends[text] - start;
    return (const uint32_t *)graphs->units.data + start;
}

/* ---- graphs of texts --------------------------------------------------------------------------------------------- */

/* Returns the number of pairs of `count` n-grams. */
static uint64_t pair_count(size_t count, size_t window)
{
    uint64_t distances = count == 0 ? 0 : count - 1 < window ? count - 1 : window;
    return distances * count - distances * (distances + 1) / 2;
}

uint64_t ngram_graphs_pairs(const NgramGraphs *graphs, size_t text)
{
    size_t length;
    uint64_t pairs = 0;
    ngram_graphs_units(graphs, text, &length);
    for (size_t n = graphs->rules.min_n; n <= graphs->rules.max_n; n++)
        pairs += pair_count(ngram_count(length, n), graphs->rules.window);
    return pairs;
}

bool ngram_graphs_reset(NgramGraphs *graphs, uint64_t pairs, size_t units)
{
    uint64_t nodes = (uint64_t)units * (graphs->rules.max_n - 1), node_end = nodes + graphs->unit_end;
    graphs->state_count = 0;
    if (pairs > SIZE_MAX / 4 || nodes > SIZE_MAX / 4)
        return false;
    return ngram_ids_reset(&graphs->nodes, (size_t)nodes, graphs->unit_end, graphs->unit_end)
        && ngram_ids_reset(&graphs->pairs, (size_t)pairs, 0, node_end < UINT32_MAX ? (uint32_t)node_end : UINT32_MAX);
}

/* Lists the pairs of n-grams by distance, the lower id first. */
static void list_pairs(const uint32_t *ngrams, size_t count, size_t window, uint32_t *firsts, uint32_t *seconds)
{
    for (size_t distance = 1; distance <= window && distance < count; distance++)
        for (size_t position = distance; position < count; position++) {
            uint32_t one = ngrams[position - distance], other = ngrams[position];
            *firsts++ = one < other ? one : other;
            *seconds++ = one < other ? other : one;
        }
}

/* Reserves a state for every pair; those of new pairs are empty. */
static bool reserve_states(NgramGraphs *graphs)
{
    size_t count = graphs->pairs.used;
    if (!buffer_reserve(&graphs->states, count, sizeof(EdgeState)))
        return false;
    EdgeState *states = graphs->states.data;
    for (; graphs->state_count < count; graphs->state_count++)
        states[graphs->state_count] = (EdgeState){0, 0};
    return true;
}

static bool reserve_edges(NgramGraphs *graphs, size_t count)
{
    return count <= SIZE_MAX / 16 && buffer_reserve(&graphs->edges, graphs->used + count, sizeof(uint32_t))
        && buffer_reserve(&graphs->weights, graphs->used + count, sizeof(double));
}

/* Appends the graph whose edges are listed and whose weights are in the states, which become empty. */
static Graph take_graph(NgramGraphs *graphs, size_t count)
{
    Graph graph = {graphs->used, count, 0};
    EdgeState *states = graphs->states.data;
    const uint32_t *edges = (const uint32_t *)graphs->edges.data + graph.start;
    double *weights = (double *)graphs->weights.data + graph.start;
    for (size_t index = 0; index < count; index++) {
        EdgeState *state = &states[edges[index]];
        weights[index] = state->weight;
        state->weight = 0;
        graph.size += (size_t)state->copies;
    }
    graphs->used += count;
    return graph;
}

/* Adds the graph of a text whose pairs have got their ids. */
static Graph count_pairs(NgramGraphs *graphs, const uint32_t *pairs, const uint32_t *ngrams, size_t count)
{
    uint32_t *edges = (uint32_t *)graphs->edges.data + graphs->used;
    EdgeState *states = graphs->states.data;
    size_t different = 0;
    for (size_t distance = 1; distance <= graphs->rules.window && distance < count; distance++)
        for (size_t position = distance; position < count; position++) {
            EdgeState *state = &states[*pairs];
            edges[different] = *pairs++;
            different += state->weight == 0; /* without a branch, which would be mispredicted */
            state->weight += 1;
            state->copies = ngrams[position - distance] == ngrams[position] ? 1 : 2;
        }
    return take_graph(graphs, different);
}

/* Replaces the first n-gram of each pair by the id of the pair, some at a time: the table grows only for pairs that
   differ, and Ctrl-C is answered. */
static bool assign_pairs(NgramGraphs *graphs, uint32_t *firsts, const uint32_t *seconds, size_t count, Interrupt *interrupt)
{
    for (size_t start = 0; start < count; start += PAIRS_PER_CHECK) {
        size_t some = count - start < PAIRS_PER_CHECK ? count - start : PAIRS_PER_CHECK;
        if (!ngram_ids_reserve(&graphs->pairs, some, interrupt))
            return false;
        assign_ngram_ids(&graphs->pairs, firsts + start, seconds + start, some);
        interrupt->work += 8 * some;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

static bool add_graph(NgramGraphs *graphs, const uint32_t *ngrams, size_t count, Graph *graph, Interrupt *interrupt)
{
    uint64_t all = pair_count(count, graphs->rules.window);
    if (all > UINT32_MAX / 4)
        return false;
    size_t pairs = (size_t)all;
    if (!buffer_reserve(&graphs->firsts, pairs + 1, sizeof(uint32_t)) || !buffer_reserve(&graphs->seconds, pairs + 1, sizeof(uint32_t))
        || !reserve_edges(graphs, pairs + 1))
        return false;
    uint32_t *firsts = graphs->firsts.data, *seconds = graphs->seconds.data;
    list_pairs(ngrams, count, graphs->rules.window, firsts, seconds);
    if (!assign_pairs(graphs, firsts, seconds, pairs, interrupt) || !reserve_states(graphs))
        return false;
    *graph = count_pairs(graphs, firsts, ngrams, count);
    interrupt->work += 2 * pairs;
    return !is_interrupted(interrupt);
}

bool ngram_graphs_add(NgramGraphs *graphs, size_t text, Graph *of_orders, Interrupt *interrupt)
{
    size_t length;
    const uint32_t *units = ngram_graphs_units(graphs, text, &length);
    if (!buffer_reserve(&graphs->ngrams, length + 1, sizeof(uint32_t)))
        return false;
    uint32_t *ngrams = graphs->ngrams.data;
    if (length > 0)
        memcpy(ngrams, units, length * sizeof *units);
    for (size_t n = 1; n <= graphs->rules.max_n; n++) {
        size_t count = ngram_count(length, n);
        if (n > 1 && !ngram_ids_reserve(&graphs->nodes, count, interrupt))
            return false;
        if (n > 1)
            assign_ngram_ids(&graphs->nodes, ngrams, units + n - 1, count);
        interrupt->work += 2 * count;
        if (n >= graphs->rules.min_n && !add_graph(graphs, ngrams, count, of_orders++, interrupt))
            return false;
    }
    return true;
}

/* ---- merging and comparing --------------------------------------------------------------------------------------- */

/* Merges a graph, the `turn`-th, into the states; lists its new edges from `different` on, and returns their number. */
static size_t merge_graph(const NgramGraphs *graphs, const Graph *graph, double turn, uint32_t *different)
{
    EdgeState *states = graphs->states.data;
    const uint32_t *edges = (const uint32_t *)graphs->edges.data + graph->start;
    const double *weights = (const double *)graphs->weights.data + graph->start;
    size_t count = 0;
    for (size_t index = 0; index < graph->count; index++) {
        EdgeState *state = &states[edges[index]];
        bool is_new = state->weight == 0;
        different[count] = edges[index];
        count += is_new;
        state->weight = is_new ? weights[index] : state->weight + (weights[index] - state->weight) / turn;
    }
    return count;
}

bool ngram_graphs_merge(
    NgramGraphs *graphs, const Graph *first, size_t count, size_t stride, size_t left_out, Graph *merged, Interrupt *interrupt)
{
    size_t different = 0, all = 1; /* one more, because an edge is listed before it is known to be new */
    double turn = 1;
    for (size_t index = 0; index < count; index++)
        all += index == left_out ? 0 : first[index * stride].count;
    if (all > (size_t)graphs->pairs.used + 1)
        all = (size_t)graphs->pairs.used + 1;
    if (!reserve_edges(graphs, all))
        return false;
    for (size_t index = 0; index < count; index++) {
        if (index == left_out)
            continue;
        uint32_t *edges = (uint32_t *)graphs->edges.data + graphs->used + different;
        different += merge_graph(graphs, &first[index * stride], turn++, edges);
        interrupt->work += 4 * first[index * stride].count;
    }
    *merged = take_graph(graphs, different);
    return !is_interrupted(interrupt);
}

void ngram_graphs_load(NgramGraphs *graphs, const Graph *graph)
{
    EdgeState *states = graphs->states.data;
    const uint32_t *edges = (const uint32_t *)graphs->edges.data + graph->start;
    const double *weights = (const double *)graphs->weights.data + graph->start;
    for (size_t index = 0; index < graph->count; index++)
        states[edges[index]].weight = weights[index];
}

void ngram_graphs_unload(NgramGraphs *graphs, const Graph *graph)
{
    EdgeState *states = graphs->states.data;
    const uint32_t *edges = (const uint32_t *)graphs->edges.data + graph->start;
    for (size_t index = 0; index < graph->count; index++)
        states[edges[index]].weight = 0;
}

double ngram_graphs_similarity(const NgramGraphs *graphs, size_t size, const Graph *other)
{
    const EdgeState *states = graphs->states.data;
    const uint32_t *edges = (const uint32_t *)graphs->edges.data + other->start;
    const double *weights = (const double *)graphs->weights.data + other->start;
    double total = 0;
    for (size_t index = 0; index < other->count; index++) { /* an edge that is not shared adds 0 */
        EdgeState state = states[edges[index]];
        double weight = weights[index];
        double lower = weight < state.weight ? weight : state.weight, higher = weight < state.weight ? state.weight : weight;
        total += state.copies * (lower / higher);
    }
    size_t larger = size > other->size ? size : other->size;
    return larger > 0 ? total / (double)larger : 0;
}
