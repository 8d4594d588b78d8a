/* The interface of all kernels, as the Python layer uses it. */

#ifndef FW_METRICS_KERNEL_H
#define FW_METRICS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/interrupt.h"
#include "text/text_group.h"

typedef enum { DONE, OUT_OF_MEMORY, INTERRUPTED } Outcome;

/* A named number of a score, a named list of numbers, or a named dictionary of numbers. */
typedef struct {
    const char *name;
    size_t count;             /* of the list or dictionary; 0 for a number */
    bool is_whole;            /* a number that is returned as an int */
    const char *const *parts; /* the names of the `count` numbers of a dictionary, at most MAX_PARTS; NULL for a list */
} ScoreField;

enum { MAX_FIELDS = 16, MAX_PARTS = 4, MAX_OTHER_TEXTS = 2 };

/* A kernel for one set of options. Statistics are vectors of doubles; integers among them are below 2^53, hence exact. */
typedef struct Kernel {
    size_t width;       /* of a vector of statistics */
    size_t whole_count; /* the first `whole_count` statistics are integers */
    size_t field_count; /* 0 if only Python computes scores from the statistics */
    size_t score_width; /* the number of doubles of a score */
    bool adds_scores;   /* the score of a system is the mean: scores are added instead of statistics */
    ScoreField fields[MAX_FIELDS];
    Interrupt interrupt;

    /* Which texts Python lower-cases before `open` if they are not ASCII; kernels lower-case A to Z only. */
    bool lowercase;                         /* summaries and references */
    bool lowercase_others[MAX_OTHER_TEXTS]; /* the other texts of a group */
    size_t other_count;                     /* the number of texts of a group after its references, such as a source */
    bool joins_lines;                       /* the sentences of a list are joined with line feeds, not with spaces */

    /* Reads a group; its texts must stay valid until the next call. If `interrupt` is interrupted, any outcome of
       `open` and `measure` other than DONE means INTERRUPTED. */
    Outcome (*open)(struct Kernel *kernel, const TextGroup *group);

    /* Writes the statistics of a summary; if the group has `leave_one_out`, followed by those without the first
       reference, without the second, and so on. */
    Outcome (*measure)(struct Kernel *kernel, size_t summary, double *vectors);

    /* Writes number `index` of the scores of each summary of a group with each reference alone: a row for each summary, of
       `reference_count` numbers. Needs no `open`, and ends the current group. NULL if the kernel has nothing faster than
       `open` for each reference. */
    Outcome (*compare)(struct Kernel *kernel, const TextGroup *group, size_t index, double *matrix);

    /* Writes the score of a vector of statistics. */
    void (*score)(const struct Kernel *kernel, const double *vector, double *scores);

    /* Returns a text of the current group as it was compared, and its size in bytes. NULL if the kernel does not keep
       texts. */
    const char *(*text)(const struct Kernel *kernel, size_t index, size_t *size);

    void (*free)(struct Kernel *kernel);
} Kernel;

#endif
