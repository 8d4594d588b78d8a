/* Compares the matrix of all pairs of a group with the scores of each pair alone, also when memory runs out. */

#ifndef FW_FUZZ_PAIRS_H
#define FW_FUZZ_PAIRS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "metrics/kernel.h"
#include "text/word_ids.h"

enum { MOST_PAIR_TEXTS = 16, MOST_SCORE_WIDTH = 64 };

/* Copies texts to memory of exactly the size promised, because kernels change them. */
static inline unsigned char *copy_of(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size + SPARE_BYTES);
    memcpy(copy, bytes, size);
    return copy;
}

static inline Outcome compare_all(Kernel *kernel, const TextGroup *made, size_t index, double *matrix)
{
    TextGroup group = *made;
    group.leave_one_out = false;
    group.bytes = copy_of(made->bytes, made->ends[made->summary_count + made->reference_count - 1]);
    Outcome outcome = kernel->compare(kernel, &group, index, matrix);
    free(group.bytes);
    return outcome;
}

/* Returns a number of the score of one summary with one reference. */
static inline double score_alone(Kernel *kernel, const TextGroup *made, size_t summary, size_t reference, size_t index)
{
    double vector[3 * MOST_SCORE_WIDTH], scores[MOST_SCORE_WIDTH];
    size_t texts[] = {summary, made->summary_count + reference}, ends[2], size = 0;
    unsigned char *both = malloc(made->ends[made->summary_count + made->reference_count - 1] * 2 + SPARE_BYTES);
    for (int turn = 0; turn < 2; turn++) {
        size_t start = texts[turn] == 0 ? 0 : made->ends[texts[turn] - 1], length = made->ends[texts[turn]] - start;
        memcpy(both + size, made->bytes + start, length);
        ends[turn] = size += length;
    }
    unsigned char *bytes = copy_of(both, size);
    TextGroup group = {bytes, ends, 1, 1, false};
    if (kernel->open(kernel, &group) != DONE || kernel->measure(kernel, 0, vector) != DONE)
        exit(1);
    kernel->score(kernel, vector, scores);
    free(bytes);
    free(both);
    return scores[index];
}

static inline bool stop_pairs(void *context)
{
    (void)context;
    return false;
}

/* Compares with allocations that fail, or with an interrupt. Afterwards, the kernel must be usable. */
static inline void starve_pairs(Kernel *kernel, const TextGroup *made, bool interrupts)
{
    double matrix[MOST_PAIR_TEXTS * MOST_PAIR_TEXTS];
    ShouldContinue before = kernel->interrupt.should_continue;
    if (interrupts) {
        kernel->interrupt.should_continue = stop_pairs;
        kernel->interrupt.work = WORK_BETWEEN_CHECKS - chance(2000);
    } else {
        allocations_left = (long)chance(40);
    }
    compare_all(kernel, made, 0, matrix);
    allocations_left = -1;
    kernel->interrupt.should_continue = before;
    kernel->interrupt.interrupted = false;
}

static inline void check_pairs(Kernel *kernel, const TextGroup *made, long number)
{
    double matrix[MOST_PAIR_TEXTS * MOST_PAIR_TEXTS];
    size_t index = chance((uint32_t)kernel->score_width);
    if (chance(16) == 0)
        starve_pairs(kernel, made, chance(2));
    if (compare_all(kernel, made, index, matrix) != DONE)
        exit(1);
    for (size_t row = 0; row < made->summary_count; row++)
        for (size_t column = 0; column < made->reference_count; column++) {
            double found = matrix[row * made->reference_count + column];
            double expected = score_alone(kernel, made, row, column, index);
            if (found != expected && (found == found || expected == expected)) {
                fprintf(stderr, "group %ld: pair %zu, %zu: number %zu is %.17g, expected %.17g\n", number, row, column, index, found, expected);
                exit(1);
            }
        }
}

#endif
