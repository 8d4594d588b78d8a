/* Graphs of character n-grams. `kernels/python/ngram_graphs.py` defines them. */

#ifndef FW_NGRAMS_NGRAM_GRAPHS_H
#define FW_NGRAMS_NGRAM_GRAPHS_H

#include "ngrams/ngram_ids.h"
#include "text/text_group.h"

typedef struct {
    size_t min_n, max_n; /* the orders of the n-grams; a text has one graph for each */
    size_t window;       /* the greatest distance between n-grams with an edge */
} GraphRules;

/* A graph. Its edges are in the order in which its text adds them; each edge is one for both directions. */
typedef struct {
    size_t start, count; /* of its edges in `NgramGraphs` */
    size_t size;         /* directed edges */
} Graph;

typedef struct {
    double weight; /* in the graph that is loaded; 0 if no graph is, or if it has no such edge */
    double copies; /* 1 for an edge from an n-gram to itself, 2 for all others */
} EdgeState;

/* The graphs of the texts of a group. Initialize with {0}. */
typedef struct {
    GraphRules rules;
    Buffer units; /* uint32_t: the UTF-16 code units of all texts */
    Buffer ends;  /* size_t: the end of each text in `units` */
    uint32_t unit_end;
    NgramIds nodes;
    NgramIds pairs;
    Buffer ngrams;          /* uint32_t: the n-grams of a text */
    Buffer firsts, seconds; /* uint32_t: the pairs of a text */
    Buffer states;          /* EdgeState, by id of a pair */
    size_t state_count;
    Buffer edges;   /* uint32_t: the pairs of all graphs */
    Buffer weights; /* double: their weights */
    size_t used;    /* edges */
} NgramGraphs;

void ngram_graphs_free(NgramGraphs *graphs);

/* Splits the texts of a group into code units. Returns false if out of memory or interrupted. */
bool ngram_graphs_split(NgramGraphs *graphs, const TextGroup *group, Interrupt *interrupt);

/* Returns how many pairs of n-grams a text has, including repeated ones. */
uint64_t ngram_graphs_pairs(const NgramGraphs *graphs, size_t text);

/* Forgets all pairs, and reserves slots for `pairs` of `units` code units. Graphs stay valid if the same texts are added
   in the same order, because they get the same ids. Returns false if out of memory. */
bool ngram_graphs_reset(NgramGraphs *graphs, uint64_t pairs, size_t units);

/* Returns the code units of a text. */
const uint32_t *ngram_graphs_units(const NgramGraphs *graphs, size_t text, size_t *length);

/* Adds the graphs of a text, one for each order. Returns false if out of memory or interrupted. */
bool ngram_graphs_add(NgramGraphs *graphs, size_t text, Graph *of_orders, Interrupt *interrupt);

/* Adds the graph that `count` graphs, `stride` apart, are merged into, all but the one at `left_out`. Returns false if
   out of memory or interrupted. */
bool ngram_graphs_merge(
    NgramGraphs *graphs, const Graph *first, size_t count, size_t stride, size_t left_out, Graph *merged, Interrupt *interrupt);

/* Loads a graph, to compare others with it; it must be unloaded before anything is added. */
void ngram_graphs_load(NgramGraphs *graphs, const Graph *graph);
void ngram_graphs_unload(NgramGraphs *graphs, const Graph *graph);

/* Returns the similarity of a graph to the one that is loaded, which has `size` directed edges. */
double ngram_graphs_similarity(const NgramGraphs *graphs, size_t size, const Graph *other);

#endif
