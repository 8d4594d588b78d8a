#include "lcs/edit_lanes.h"

#define RUN run_edit_lanes_base
#define TARGET
#define VECTOR_LANES BASE_LANES
#include "lcs/edit_lanes_body.h"

RunEditLanes edit_lanes_runner(void)
{
#ifdef FW_AVX2
    if (has_avx2())
        return run_edit_lanes_avx2;
#endif
    return run_edit_lanes_base;
}
