#define FUNCTIONS lane_functions_base
#define TARGET
#ifdef FW_VECTORS
#define VECTOR_BYTES 16
#endif
#include "pairs/lane_functions_body.h"

const LaneFunctions *lane_functions(void)
{
#ifdef FW_AVX2
    if (has_avx2())
        return &lane_functions_avx2;
#endif
    return &lane_functions_base;
}
