/* The statistics and the formula of BLEU. `kernels/python/ngrams.py` and `metrics/ngram_precision.py` define them. */

#ifndef FW_BLEU_H
#define FW_BLEU_H

#include "cutting.h"
#include "kernel.h"

typedef enum { SMOOTH_NONE, SMOOTH_FLOOR, SMOOTH_ADD_K, SMOOTH_EXP } Smoothing;

typedef struct {
    bool lowercase;
    Cut tokenization;
    size_t max_order;
    Smoothing smoothing;
    double smooth_value;
    bool effective_order;
    bool compensated; /* sums of logarithms are compensated, as Python's own are from 3.12 on */
    bool of_sentence; /* the score is called sent-bleu, and is only a number */
} BleuOptions;

/* Returns NULL if out of memory. */
Kernel *bleu_new(const BleuOptions *options);

#endif
