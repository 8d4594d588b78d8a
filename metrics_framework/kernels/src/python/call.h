/* A call of a kernel: from Python lists of texts to Python lists of scores. */

#ifndef FW_PYTHON_CALL_H
#define FW_PYTHON_CALL_H

#include "python/group_texts.h"
#include "python/text_list.h"

/* What a kernel may be asked for; `kernels/dispatch.py` documents the flags. */
enum { SCORES = 1, STATISTICS = 2, JACKKNIFED = 4, SUM = 8, JSON = 16, TEXTS = 32, PAIRS = 64, VECTORS = 128 };

/* The state of a call. */
typedef struct {
    Kernel *kernel;
    TextLists lists;

    /* Options that all kernels have. */
    int request; /* flags */
    PyTypeObject *dictionary;
    const char *suffix; /* of the names of means, in JSON */
    const char *cell;   /* the flat name of the score of a pair; "" for the first number */

    PyObject *no_arguments; /* the empty tuple */
    bool has_attributes;    /* the dictionaries */
    PyObject *names[MAX_FIELDS];
    PyObject *part_names[MAX_FIELDS][MAX_PARTS]; /* of fields that are dictionaries */

    /* What to return, NULL if not requested: lists, and a bytearray of statistics. */
    PyObject *scores, *statistics, *jackknifed, *json, *texts, *matrices, *table;

    Batch batch;
    Buffer results;          /* double: for each summary its statistics, its scores and the means of its jackknifed scores */
    Buffer vectors;          /* double: the statistics of one summary, and those without each reference in turn */
    Buffer sum;              /* double */
    TextList json_members;   /* of the summaries of a batch */
    TextList compared_texts; /* of the groups of a batch */
    Buffer matrix_of_group;  /* double *: the contents of the matrix of each group of a batch */
    size_t cell_index;       /* of the score of a pair among the numbers of a score */
    Buffer pair_bytes;       /* the texts of a group with one reference */
    Buffer pair_ends;        /* size_t */
    PyThreadState *thread;   /* while the GIL is released */
} Call;

/* Adds the scores of a summary and, unless it is NULL, their mean to the JSON. Called without the GIL. Returns false if out of
   memory. */
bool call_write_json(Call *call, const double *scores, const double *mean);

/* Finds the score of pairs; returns false if no score has its name. */
bool call_find_cell(Call *call);

/* Appends a matrix for each group of the batch to `matrices`, each a bytearray of doubles. Returns false with an
   exception. */
bool call_append_matrices(Call *call);

/* Fills the matrices of the batch. Called without the GIL. */
Outcome call_compare_groups(Call *call);

/* Scores all groups and frees the kernel; a kernel that is NULL is a MemoryError. Returns a tuple of what was requested; None
   if something in the lists is not plain, or the kernel cannot return what was requested. */
PyObject *call_run(Call *call);

#endif
