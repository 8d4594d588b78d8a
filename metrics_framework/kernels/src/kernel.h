/* What all kernels that score texts have in common, seen from the layer that knows Python. */

#ifndef FW_KERNEL_H
#define FW_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch.h"

typedef enum { DONE, NO_MEMORY, STOPPED } Outcome;

/* The texts of a group, one behind the other: its summaries, its references (one at least), and then what else the
   kernel asks for. SPARE_BYTES behind them are readable and writable. They are changed. */
typedef struct {
    unsigned char *bytes;
    const size_t *ends; /* where each text ends, seen from `bytes` */
    size_t summary_count;
    size_t reference_count;
    bool leave_one_out; /* statistics are wanted without each reference in turn too; there are two at least */
} TextGroup;

/* One of the named numbers of a score, or a list of numbers. */
typedef struct {
    const char *name;
    size_t count;  /* of the list; 0 for a number */
    bool is_whole; /* it is given as a whole number */
} ScoreField;

enum { MOST_FIELDS = 5, MOST_OTHERS = 2 };

/* Statistics are vectors of doubles; those that are whole numbers are below 2^53, so that they are exact. */
typedef struct Kernel {
    size_t width;       /* numbers of a vector of statistics */
    size_t whole_count; /* the first so many are whole numbers */
    size_t field_count; /* of a score; 0 where only Python makes scores of the statistics */
    size_t score_width; /* numbers of a score */
    ScoreField fields[MOST_FIELDS];
    Watch watch;

    /* Which texts are lower-cased by Python before `open` if they are not ASCII: kernels lower-case A to Z only. */
    bool lowercase;                     /* summaries and references */
    bool lowercase_others[MOST_OTHERS]; /* the other texts of a group */
    size_t other_count;                 /* texts of a group after its references, such as a source */

    /* Takes up a group; its texts must stay where they are until the next one. Where `watch` is stopped, what this and
       `measure` return else than DONE says no more. */
    Outcome (*open)(struct Kernel *kernel, const TextGroup *group);

    /* Writes the statistics of a summary; where the group has `leave_one_out`, behind them those without the first
       reference, without the second, and so on. */
    Outcome (*measure)(struct Kernel *kernel, size_t summary, double *vectors);

    /* Writes the score of a vector. */
    void (*score)(const struct Kernel *kernel, const double *vector, double *scores);

    /* Returns a text of the group in hand as it was compared, and its size. NULL where the kernel has none to show. */
    const char *(*text)(const struct Kernel *kernel, size_t index, size_t *size);

    void (*free)(struct Kernel *kernel);
} Kernel;

#endif
