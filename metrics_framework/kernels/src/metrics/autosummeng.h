/* AutoSummENG, MeMoG and NPowER. `kernels/python/ngram_graphs.py` and `metrics/autosummeng.py` define them. */

#ifndef FW_METRICS_AUTOSUMMENG_H
#define FW_METRICS_AUTOSUMMENG_H

#include "metrics/kernel.h"

typedef struct {
    size_t min_n, max_n, window; /* 1 <= min_n <= max_n */
    bool published;              /* with the faults of the published program */
} AutosummengOptions;

/* Returns NULL if out of memory. */
Kernel *autosummeng_new(const AutosummengOptions *options);

#endif
