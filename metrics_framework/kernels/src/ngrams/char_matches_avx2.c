#include "ngrams/char_matches.h"

#ifdef FW_AVX2
#define COUNT_MATCHES count_matches_avx2
#define TARGET __attribute__((target("avx2")))
#define VECTOR_LANES 4
#include "ngrams/char_matches_body.h"
#endif
