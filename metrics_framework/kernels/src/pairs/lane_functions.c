#define FUNCTIONS lane_functions_base
#define TARGET
#if defined(__GNUC__) && !defined(FW_ONE_LANE)
#define VECTOR_BYTES 16
#endif
#include "pairs/lane_functions_body.h"

const LaneFunctions *lane_functions(void)
{
#ifdef FW_AVX2
    if (__builtin_cpu_supports("avx2"))
        return &lane_functions_avx2;
#endif
    return &lane_functions_base;
}
