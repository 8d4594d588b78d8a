#include "base/hash.h"

static HashSeed seed_of_process = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f)};

HashSeed hash_seed(void) { return seed_of_process; }

void set_hash_seed(HashSeed seed) { seed_of_process = seed; }
