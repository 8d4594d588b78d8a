#include "lcs/edit_lanes.h"

#ifdef FW_AVX2
#define RUN run_edit_lanes_avx2
#define TARGET __attribute__((target("avx2")))
#define VECTOR_LANES 4
#include "lcs/edit_lanes_body.h"
#endif
