#include "pairs/lane_functions.h"

#ifdef FW_AVX2
#define FUNCTIONS lane_functions_avx2
#define TARGET __attribute__((target("avx2")))
#define VECTOR_BYTES 32
#include "pairs/lane_functions_body.h"
#endif
