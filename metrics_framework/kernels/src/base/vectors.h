/* The vectors that kernels may use. FW_ANY_MACHINE and FW_ONE_LANE let tests cover shorter vectors, and none. */

#ifndef FW_BASE_VECTORS_H
#define FW_BASE_VECTORS_H

#include <stdbool.h>

/* FW_VECTORS is defined if the compiler has vector types. BASE_LANES is the number of 64-bit lanes on any CPU. */
#if defined(__GNUC__) && !defined(FW_ONE_LANE)
#define FW_VECTORS
#define BASE_LANES 2
#else
#define BASE_LANES 1
#endif

/* Defined if functions may be compiled for AVX2, which the CPU need not have. */
#if defined(FW_VECTORS) && defined(__x86_64__) && !defined(FW_ANY_MACHINE)
#define FW_AVX2
#endif

/* Returns whether functions that were compiled for AVX2 run on this CPU. */
static inline bool has_avx2(void)
{
#ifdef FW_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

#endif
