/* The statistics of the quality features: a summary is compared with its source, the only reference of its group.
   `kernels/python/quality.py` defines them. */

#ifndef FW_METRICS_QUALITY_H
#define FW_METRICS_QUALITY_H

#include "metrics/kernel.h"
#include "text/tokenize.h"

/* With `TOKENIZER_13A` the words of a text, joined with single spaces, are compared; with `WHITESPACE` the text itself. */
typedef struct {
    bool lowercase;
    Tokenization tokenization;
} QualityOptions;

/* Returns NULL if out of memory. */
Kernel *quality_new(const QualityOptions *options);

#endif
