/* Word and character error rate (WER, CER). `kernels/python/edits.py` defines which edits are counted. */

#ifndef FW_METRICS_ERROR_RATES_H
#define FW_METRICS_ERROR_RATES_H

#include "metrics/kernel.h"

typedef struct {
    bool characters; /* compares characters instead of words */
    bool lowercase;
} ErrorRatesOptions;

/* Returns NULL if out of memory. */
Kernel *error_rates_new(const ErrorRatesOptions *options);

#endif
