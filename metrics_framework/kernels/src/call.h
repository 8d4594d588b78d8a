/* A call of a kernel: from lists of Python to results of Python. */

#ifndef FW_CALL_H
#define FW_CALL_H

#include "gather.h"

/* What is wanted of each summary; more than one come as a tuple, in this order. */
enum {
    SCORES = 1,     /* a dictionary */
    STATISTICS = 2, /* a list of numbers */
    JACKKNIFED = 4, /* a dictionary of the means of the scores without each reference in turn, None for one reference */
    SUM = 8,        /* beside all results: the sum of all statistics */
    JSON = 16,      /* alone or with JACKKNIFED: the members of a JSON object, those of the means under names with a suffix; for
                       all summaries in one list */
    TEXTS = 32,     /* not with JSON: beside the results of a group, its summaries and references as they were compared */
};

/* What a call has in hand. */
typedef struct {
    Kernel *kernel;
    Source source;
    int wanted;
    PyTypeObject *dictionary;
    const char *suffix; /* of the names of means, in JSON */
    PyObject *nothing;  /* the empty tuple */
    PyObject *names[MOST_FIELDS];
    Batch batch;
    Buffer results; /* double: for each summary its statistics, its score and the mean of its scores */
    Buffer vectors; /* double: the statistics of one summary, and those without each reference in turn */
    Buffer sum;     /* double */
    Buffer text;    /* JSON of all summaries, or all texts as they were compared */
    size_t text_size;
    Buffer text_ends; /* size_t: where the JSON of a summary, or a text, ends */
    size_t text_count;
    PyThreadState *thread; /* while the GIL is given up */
} Call;

/* Writes the JSON of a summary's scores and, unless it is NULL, of their mean. Called without the GIL. Returns false where
   there is not so much memory. */
bool call_write_json(Call *call, const double *scores, const double *mean);

/* Appends the JSON of all summaries to a list. Returns false with an exception. */
bool call_append_json(const Call *call, PyObject *results);

/* Keeps the texts of the group in hand. Called without the GIL. Returns false where there is not so much memory. */
bool call_keep_texts(Call *call, const TextGroup *group);

/* Makes a tuple of the results of a group, a new reference that is taken over, and of its texts, the first of which is number
   `first`. */
PyObject *call_with_texts(const Call *call, PyObject *results, const Group *group, size_t first);

/* Scores all groups; returns None where something in the lists is for Python to see to, or the kernel does not give what is
   wanted. The kernel, NULL where there was no memory for it, is freed. */
PyObject *call_run(Call *call);

#endif
