/* The statistics and the formula of TER. `kernels/python/ter.py` and `metrics/ter.py` define them. */

#ifndef FW_TER_H
#define FW_TER_H

#include "cutting.h"
#include "kernel.h"

/* Returns NULL where there is not so much memory. */
Kernel *ter_new(CuttingRules rules);

#endif
