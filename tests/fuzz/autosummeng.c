/* Compares the native kernel of n-gram graphs with a direct transcription of its definition on random texts, also when
   memory runs out.

   autosummeng SEED GROUPS: prints the number of pairs that were compared. Built by `run` with sanitizers, without
   Python. */

#include "metrics/autosummeng.h"
#include "case.h"

enum { MOST_EDGES = 1 << 16, MOST_ORDERS = 4 };

typedef struct {
    int first, second; /* the lower number first */
    double weight;
} Edge;

typedef struct {
    Edge edges[MOST_EDGES];
    int count, size;
} Edges;

static Codes units[MOST_TEXTS];
static Edges of_text[MOST_TEXTS], together;

/* Each different n-gram has a number: the index of its first occurrence in this list. */
static const uint32_t *known[MOST_TEXTS * MOST_TEXT_BYTES];
static int ngram_total;

static int number_of_ngram(const uint32_t *ngram, int n)
{
    int index = 0;
    while (index < ngram_total && memcmp(known[index], ngram, (size_t)n * sizeof *ngram) != 0)
        index++;
    known[index] = ngram;
    ngram_total += index == ngram_total;
    return index;
}

/* Ends each line with a line feed and splits code points beyond 16 bits. */
static void split_units(const Codes *text, Codes *made)
{
    made->length = 0;
    for (int position = 0; position < text->length; position++) {
        uint32_t code = text->codes[position];
        if (code == '\n' && position > 0 && text->codes[position - 1] == '\r')
            continue;
        if (code >= 0x10000)
            made->codes[made->length++] = 0xd800 + ((code - 0x10000) >> 10);
        made->codes[made->length++] = code == '\r' ? '\n' : code < 0x10000 ? code : 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    if (made->length > 0 && made->codes[made->length - 1] != '\n')
        made->codes[made->length++] = '\n';
}

/* Returns an edge, or the end of the list. */
static Edge *find(Edges *edges, int first, int second)
{
    Edge *edge = edges->edges;
    for (int index = 0; index < edges->count; index++, edge++)
        if (edge->first == first && edge->second == second)
            return edge;
    if (edges->count == MOST_EDGES)
        exit(2); /* the arrays are too small */
    return edge;
}

static void add(Edges *edges, Edge *edge, Edge added)
{
    *edge = added;
    edges->count++;
    edges->size += added.first == added.second ? 1 : 2;
}

static void make_graph(const Codes *text, int n, int window, Edges *edges)
{
    static int numbers[MOST_CODES];
    int nodes = text->length - n + 1;
    edges->count = edges->size = 0;
    for (int node = 0; node < nodes; node++)
        numbers[node] = number_of_ngram(text->codes + node, n);
    for (int distance = 1; distance <= window; distance++)
        for (int node = distance; node < nodes; node++) {
            int one = numbers[node - distance], other = numbers[node], first = one < other ? one : other;
            Edge *edge = find(edges, first, one + other - first);
            if (edge == edges->edges + edges->count)
                add(edges, edge, (Edge){first, one + other - first, 0});
            edge->weight++;
        }
}

static void merge(const Case *made, size_t left_out)
{
    int turn = 0;
    together.count = together.size = 0;
    for (size_t index = 0; index < made->references; index++) {
        const Edges *graph = &of_text[made->summaries + index];
        turn += index != left_out;
        for (int position = 0; index != left_out && position < graph->count; position++) {
            Edge new = graph->edges[position], *edge = find(&together, new.first, new.second);
            if (edge == together.edges + together.count)
                add(&together, edge, new);
            else
                edge->weight += (new.weight - edge->weight) / turn;
        }
    }
}

static double similarity(Edges *summary, const Edges *other)
{
    double total = 0;
    int larger = summary->size > other->size ? summary->size : other->size;
    for (int position = 0; position < other->count; position++) {
        Edge theirs = other->edges[position], *own = find(summary, theirs.first, theirs.second);
        if (own == summary->edges + summary->count)
            continue;
        double lower = own->weight < theirs.weight ? own->weight : theirs.weight;
        double higher = own->weight < theirs.weight ? theirs.weight : own->weight;
        total += (theirs.first == theirs.second ? 1 : 2) * (lower / higher);
    }
    return larger > 0 ? total / larger : 0;
}

typedef struct {
    double single[MOST_TEXTS][MOST_TEXTS], merged[MOST_TEXTS][MOST_TEXTS + 1]; /* by summary */
} Expected;

/* Adds the similarities of one order, `weight` times. */
static void expect_order(const Case *made, int n, int window, double weight, Expected *expected)
{
    size_t variants = made->references > 1 ? made->references : 0;
    ngram_total = 0;
    for (size_t index = 0; index < made->count; index++)
        make_graph(&units[index], n, window, &of_text[index]);
    for (size_t variant = 0; variant <= variants; variant++) {
        merge(made, variant == 0 ? SIZE_MAX : variant - 1);
        for (size_t summary = 0; summary < made->summaries; summary++)
            expected->merged[summary][variant] += weight * similarity(&of_text[summary], &together);
    }
    for (size_t summary = 0; summary < made->summaries; summary++)
        for (size_t index = 0; index < made->references; index++)
            expected->single[summary][index] += weight * similarity(&of_text[summary], &of_text[made->summaries + index]);
}

static void expect_all(const Case *made, const AutosummengOptions *options, Expected *expected)
{
    static Codes text;
    double weight = 0, weights = 0;
    memset(expected, 0, sizeof *expected);
    for (size_t index = 0; index < made->count; index++) {
        decode(made->bytes[index], made->lengths[index], false, &text);
        split_units(&text, &units[index]);
    }
    for (size_t n = options->min_n; n <= options->max_n; n++) {
        weight += (double)n;
        weights += weight;
        expect_order(made, (int)n, (int)options->window, weight, expected);
    }
    for (size_t summary = 0; summary < made->summaries; summary++)
        for (size_t index = 0; index <= made->references; index++) {
            expected->merged[summary][index] /= weights;
            if (index < made->references)
                expected->single[summary][index] /= weights;
        }
}

static void expect_vector(const Case *made, bool published, const double *single, const double *merged, size_t variant, double *vector)
{
    double total = 0, last = 0;
    int used = 0;
    for (size_t index = 0; index < made->references; index++) {
        if (index + 1 == variant)
            continue;
        total += published && used == 0 ? merged[variant] : single[index];
        last = single[index];
        used++;
    }
    vector[0] = total / used;
    vector[1] = published ? last : merged[variant];
}

static long check(Kernel *kernel, const Case *made, const AutosummengOptions *options, const Vectors *vectors, long number)
{
    static Expected expected;
    size_t variants = made->references > 1 ? made->references : 0;
    expect_all(made, options, &expected);
    for (size_t summary = 0; summary < made->summaries; summary++)
        for (size_t variant = 0; variant <= variants; variant++) {
            double vector[2];
            expect_vector(made, options->published, expected.single[summary], expected.merged[summary], variant, vector);
            check_vector("similarities", number, vectors->of[summary][variant], vector, kernel->width);
        }
    return (long)(made->summaries * made->references);
}

/* Replaces some ASCII characters by carriage returns. */
static void write_carriage_returns(Case *made)
{
    for (size_t index = 0; index < made->count; index++)
        for (size_t position = 0; position < made->lengths[index]; position++)
            if (made->bytes[index][position] < 0x80 && chance(30) == 0)
                made->bytes[index][position] = '\r';
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    Kernel *kernel = NULL;
    AutosummengOptions options = {0};
    for (long number = 0; number < groups; number++) {
        static Case made;
        static Vectors vectors;
        if (number % 8 == 0) {
            if (kernel != NULL)
                kernel->free(kernel);
            size_t min_n = 1 + chance(4);
            options = (AutosummengOptions){min_n, min_n + chance(MOST_ORDERS), 1 + chance(5), chance(2)};
            kernel = autosummeng_new(&options);
        }
        make_case(&made, 0);
        write_carriage_returns(&made);
        if (measure_all(kernel, &made, &vectors) != DONE)
            return 1;
        pairs += check(kernel, &made, &options, &vectors, number);
        pairs += check_left_out(kernel, &made, &vectors, number);
        if (number % 16 == 0)
            starve(autosummeng_new(&options), &made, number);
    }
    kernel->free(kernel);
    printf("%ld groups, %ld pairs: equal to the definition\n", groups, pairs);
    return 0;
}
