/* What the quality features count of a summary and its source, the only reference of its group.
   `kernels/python/quality.py` defines it. */

#ifndef FW_QUALITY_H
#define FW_QUALITY_H

#include "cutting.h"
#include "kernel.h"

/* With `BY_13A` the words of a text, joined with single spaces, are compared; with `AT_WHITE_SPACE` the text itself. */
typedef struct {
    bool lowercase;
    Cut tokenization;
} QualityOptions;

/* Returns NULL if out of memory. */
Kernel *quality_new(const QualityOptions *options);

#endif
