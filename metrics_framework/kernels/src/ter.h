/* The statistics and the formula of TER. `kernels/python/ter.py` and `metrics/ter.py` define them. */

#ifndef FW_TER_H
#define FW_TER_H

#include "cutting.h"
#include "kernel.h"

typedef struct {
    bool case_sensitive;
    bool no_punct;
} TerOptions;

/* Returns NULL if out of memory. */
Kernel *ter_new(const TerOptions *options);

#endif
