/* Defines RUN for vectors of VECTOR_LANES 64-bit numbers; for single numbers if it is 1. TARGET is the attribute of each
   function. */

#include <string.h>

#include "base/bits.h"
#include "lcs/edit_lanes.h"

#if VECTOR_LANES > 1
typedef uint64_t Lanes __attribute__((vector_size(8 * VECTOR_LANES)));
#else
typedef uint64_t Lanes;
#endif

enum { MAX_VECTORS = MAX_LANES / VECTOR_LANES };

TARGET static inline Lanes lanes_at(const uint64_t *numbers, size_t vector)
{
    Lanes found;
    memcpy(&found, numbers + vector * VECTOR_LANES, sizeof found);
    return found;
}

TARGET static inline void store_lanes(uint64_t *numbers, size_t vector, Lanes lanes)
{
    memcpy(numbers + vector * VECTOR_LANES, &lanes, sizeof lanes);
}

/* Returns the highest bit of each lane in the lane after it; `before` are the lanes before `lanes`. */
TARGET static inline Lanes carried(Lanes before, Lanes lanes)
{
#if VECTOR_LANES == 4
    return (Lanes){before[3], lanes[0], lanes[1], lanes[2]} >> (WORD_BITS - 1);
#elif VECTOR_LANES == 2
    return (Lanes){before[1], lanes[0]} >> (WORD_BITS - 1);
#else
    (void)lanes;
    return before >> (WORD_BITS - 1);
#endif
}

/* Returns where each word of a vector has the symbol of this step. */
TARGET static inline Lanes masks_at(const EditLanes *lanes, size_t vector, size_t step)
{
    const uint32_t *const *symbols = lanes->symbols + vector * VECTOR_LANES;
    const uint64_t *masks = lanes->masks + vector * VECTOR_LANES;
#if VECTOR_LANES == 4
    return (Lanes){
        masks[symbols[0][step]], masks[symbols[1][step] + 1], masks[symbols[2][step] + 2], masks[symbols[3][step] + 3]};
#elif VECTOR_LANES == 2
    return (Lanes){masks[symbols[0][step]], masks[symbols[1][step] + 1]};
#else
    return masks[symbols[0][step]];
#endif
}

typedef struct {
    Lanes more[MAX_VECTORS], less[MAX_VECTORS], inner[MAX_VECTORS];
    Lanes no_more_out[LAG][MAX_VECTORS], less_out[LAG][MAX_VECTORS];
} State;

/* Runs a step of one vector; `before` and `less_before` is what the vector before it has handed on. The terms are ordered so
   that the longest chain from `more` to the next `more` has seven operations. */
TARGET static inline void run_vector(
    State *state, const EditLanes *lanes, size_t vector, size_t count, size_t step, size_t slot, Lanes before,
    Lanes less_before)
{
    uint64_t *kept = lanes->kept + 2 * count * step;
    Lanes more = state->more[vector], less = state->less[vector], inner = state->inner[vector];
    Lanes no_more_in = inner & carried(before, state->no_more_out[slot][vector]);
    Lanes less_in = inner & carried(less_before, state->less_out[slot][vector]);
    Lanes equal = masks_at(lanes, vector, step) | less_in, known = equal | less;
    Lanes sum = (equal & more) + more, diagonal = (sum ^ more) | known;
    Lanes not_right = (sum | (known | more)) & ~less, left = (more & ~sum) | (more & known);
    Lanes not_shifted = not_right << 1 | no_more_in;
    state->no_more_out[slot][vector] = not_right;
    state->less_out[slot][vector] = left;
    state->more[vector] = more = (left << 1 | less_in) | (not_shifted & ~diagonal);
    state->less[vector] = less = diagonal & ~not_shifted;
    store_lanes(kept, vector, more);
    store_lanes(kept + count, vector, less);
}

/* Runs a step from the last vector to the first, which gets what the last has handed on before. */
TARGET static inline void run_step(State *state, const EditLanes *lanes, size_t vectors, size_t step, size_t slot)
{
    const Lanes *before = state->no_more_out[slot], *less_before = state->less_out[slot];
    size_t count = vectors * VECTOR_LANES;
    Lanes last = before[vectors - 1], last_less = less_before[vectors - 1];
    for (size_t vector = vectors - 1; vector > 0; vector--)
        run_vector(state, lanes, vector, count, step, slot, before[vector - 1], less_before[vector - 1]);
    run_vector(state, lanes, 0, count, step, slot, last, last_less);
}

TARGET static inline void run_vectors(EditLanes *lanes, size_t vectors, size_t start, size_t end)
{
    State state;
    for (size_t vector = 0; vector < vectors; vector++) {
        state.more[vector] = lanes_at(lanes->more, vector);
        state.less[vector] = lanes_at(lanes->less, vector);
        state.inner[vector] = lanes_at(lanes->inner, vector);
        for (size_t slot = 0; slot < LAG; slot++) {
            state.no_more_out[slot][vector] = lanes_at(lanes->no_more_out[slot], vector);
            state.less_out[slot][vector] = lanes_at(lanes->less_out[slot], vector);
        }
    }
    for (size_t step = start; step < end; step += LAG)
        for (size_t slot = 0; slot < LAG; slot++)
            run_step(&state, lanes, vectors, step + slot, slot);
    for (size_t vector = 0; vector < vectors; vector++) {
        store_lanes(lanes->more, vector, state.more[vector]);
        store_lanes(lanes->less, vector, state.less[vector]);
        for (size_t slot = 0; slot < LAG; slot++) {
            store_lanes(lanes->no_more_out[slot], vector, state.no_more_out[slot][vector]);
            store_lanes(lanes->less_out[slot], vector, state.less_out[slot][vector]);
        }
    }
}

/* With a constant number of vectors, so that the compiler keeps few of them in registers. */
TARGET void RUN(EditLanes *lanes, size_t start, size_t end)
{
    size_t vectors = lanes->lanes / VECTOR_LANES;
    if (vectors == LANES_AT_ONCE / VECTOR_LANES)
        run_vectors(lanes, LANES_AT_ONCE / VECTOR_LANES, start, end);
    else if (vectors == 2 * LANES_AT_ONCE / VECTOR_LANES)
        run_vectors(lanes, 2 * LANES_AT_ONCE / VECTOR_LANES, start, end);
    else
        run_vectors(lanes, vectors, start, end);
}
