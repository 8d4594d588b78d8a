#include "lcs/edit_lanes.h"

#define RUN run_edit_lanes_base
#define TARGET
#ifdef FW_VECTORS
#define VECTOR_LANES 2
#else
#define VECTOR_LANES 1
#endif
#include "lcs/edit_lanes_body.h"

RunEditLanes edit_lanes_runner(void)
{
#ifdef FW_AVX2
    if (has_avx2())
        return run_edit_lanes_avx2;
#endif
    return run_edit_lanes_base;
}
