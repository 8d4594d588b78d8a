/* What the quality features count of a summary and its source, the only reference of its group.
   `kernels/python/quality.py` defines it. */

#ifndef FW_QUALITY_H
#define FW_QUALITY_H

#include "cutting.h"
#include "kernel.h"

/* Returns NULL where there is not so much memory. By `rules` texts are lower-cased and cut: by 13a, where the text that counts
   is its words with a blank between them, or at white space, where it is the text as it stands. */
Kernel *quality_new(CuttingRules rules);

#endif
