#include "lcs/weighted_lcs.h"

#include <string.h>

#include "base/bits.h"

void weighted_lcs_free(WeightedLcs *memory)
{
    buffer_free(&memory->values);
    buffer_free(&memory->runs);
    buffer_free(&memory->ups);
}

/* Replaces the values and runs of a row by those of the next one. */
static void write_row(
    double *values, uint32_t *runs, uint64_t *ups, uint32_t word, const uint32_t *other, size_t length, const double *weights)
{
    double diagonal = 0, left = 0;
    uint32_t run_before = 0;
    for (size_t column = 0; column < length; column++) {
        double above = values[column];
        uint32_t run = run_before;
        bool matches = word == other[column];
        ups[column / WORD_BITS] |= (uint64_t)(above >= left) << column % WORD_BITS;
        if (matches)
            left = diagonal + weights[run + 1] - weights[run];
        else
            left = above >= left ? above : left;
        run_before = runs[column];
        runs[column] = matches ? run + 1 : 0;
        values[column] = left;
        diagonal = above;
    }
}

static bool write_rows(
    WeightedLcs *memory, const uint32_t *line, size_t length, const uint32_t *other, size_t other_length,
    const double *weights, Interrupt *interrupt)
{
    size_t words = words_of_bits(other_length);
    if (!buffer_clear(&memory->values, other_length, sizeof(double)) || !buffer_clear(&memory->runs, other_length, sizeof(uint32_t))
        || !buffer_clear(&memory->ups, length * words, sizeof(uint64_t)))
        return false;
    for (size_t row = 0; row < length; row++) {
        uint64_t *ups = (uint64_t *)memory->ups.data + row * words;
        write_row(memory->values.data, memory->runs.data, ups, line[row], other, other_length, weights);
        interrupt->work += 4 * other_length;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

bool weighted_lcs_mark(
    WeightedLcs *memory, const uint32_t *line, size_t length, const uint32_t *other, size_t other_length,
    const double *weights, unsigned char *marks, Interrupt *interrupt)
{
    if (length == 0 || other_length == 0)
        return true;
    if (!write_rows(memory, line, length, other, other_length, weights, interrupt))
        return false;
    size_t words = words_of_bits(other_length);
    while (length > 0 && other_length > 0) {
        const uint64_t *ups = (const uint64_t *)memory->ups.data + (length - 1) * words;
        bool matches = line[length - 1] == other[other_length - 1];
        bool goes_up = ups[(other_length - 1) / WORD_BITS] >> (other_length - 1) % WORD_BITS & 1;
        if (matches)
            marks[length - 1] = 1;
        length -= matches || goes_up;
        other_length -= matches || !goes_up;
    }
    return true;
}
