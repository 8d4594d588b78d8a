/* The statistics and the formula of BLEU. `kernels/python/ngrams.py` and `metrics/ngram_precision.py` define them. */

#ifndef FW_METRICS_BLEU_H
#define FW_METRICS_BLEU_H

#include "metrics/kernel.h"
#include "text/tokenize.h"

typedef enum { SMOOTH_NONE, SMOOTH_FLOOR, SMOOTH_ADD_K, SMOOTH_EXP } Smoothing;

typedef struct {
    bool lowercase;
    Tokenization tokenization;
    size_t max_order;
    Smoothing smoothing;
    double smooth_value;
    bool effective_order;
    bool of_sentence; /* the score is named sent-bleu and has no other fields */
} BleuOptions;

/* Returns NULL if out of memory. */
Kernel *bleu_new(const BleuOptions *options);

#endif
