/* ROUGE as the package rouge-score computes it. `kernels/python/google_rouge.py` and `metrics/google_rouge.py` define it. */

#ifndef FW_METRICS_GOOGLE_ROUGE_H
#define FW_METRICS_GOOGLE_ROUGE_H

#include "metrics/kernel.h"

typedef struct {
    int kinds; /* a bit for each of rouge1 to rouge9, rougeL and rougeLsum, from the lowest */
    bool use_stemmer;
} GoogleRougeOptions;

/* Returns NULL if out of memory. */
Kernel *google_rouge_new(const GoogleRougeOptions *options);

#endif
