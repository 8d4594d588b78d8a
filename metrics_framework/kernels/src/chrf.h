/* The statistics and the formula of chrF. `kernels/python/ngrams.py` and `metrics/chrf.py` define them. */

#ifndef FW_CHRF_H
#define FW_CHRF_H

#include "kernel.h"

typedef struct {
    size_t char_order, word_order;
    double squared_beta;
    bool lowercase; /* A to Z only; who has other letters in a text lower-cases it before */
    bool whitespace;
    bool eps_smoothing;
} ChrfOptions;

/* Returns NULL if out of memory. */
Kernel *chrf_new(const ChrfOptions *options);

#endif
