#include "ter/reference.h"

#include <string.h>

/* The limit for rows of bits, in 64-bit words (4 MiB): enough for 2,000 different words at 16,000 positions. */
static const size_t MAX_DENSE_WORDS = (size_t)1 << 19;

void reference_free(Reference *reference)
{
    buffer_free(&reference->rows);
    buffer_free(&reference->bits);
    buffer_free(&reference->starts);
    buffer_free(&reference->positions);
}

void reference_mark(const Reference *reference, uint64_t *marks)
{
    const uint32_t *words = reference->words, *rows = reference->rows.data;
    for (int32_t position = 0; position < reference->length; position++)
        if (reference->is_short)
            marks[words[position]] |= UINT64_C(1) << position;
        else
            marks[words[position]] = rows[position];
}

void reference_unmark(const Reference *reference, uint64_t *marks)
{
    for (int32_t position = 0; position < reference->length; position++)
        marks[reference->words[position]] = 0;
}

/* Assigns a row to each different word; returns the number of rows. */
static uint32_t number_rows(Reference *reference, uint64_t *marks)
{
    uint32_t *rows = reference->rows.data, used = 1;
    for (int32_t position = 0; position < reference->length; position++) {
        uint32_t word = reference->words[position];
        if (marks[word] == 0)
            marks[word] = used++;
        rows[position] = (uint32_t)marks[word];
    }
    reference_unmark(reference, marks);
    return used;
}

static bool make_bits(Reference *reference)
{
    size_t words = reference->row_count * reference->stride;
    if (!buffer_reserve(&reference->bits, words, sizeof(uint64_t)))
        return false;
    uint64_t *bits = reference->bits.data;
    memset(bits, 0, words * sizeof(uint64_t));
    for (int32_t position = 0; position < reference->length; position++)
        set_bit(bits + ((uint32_t *)reference->rows.data)[position] * reference->stride, (size_t)position);
    return true;
}

static bool make_lists(Reference *reference)
{
    if (!buffer_clear(&reference->starts, (size_t)reference->row_count + 1, sizeof(uint32_t))
        || !buffer_reserve(&reference->positions, (size_t)reference->length, sizeof(int32_t)))
        return false;
    uint32_t *starts = reference->starts.data, *rows = reference->rows.data;
    int32_t *positions = reference->positions.data;
    for (int32_t position = 0; position < reference->length; position++)
        starts[rows[position]]++;
    for (uint32_t row = 1; row <= reference->row_count; row++)
        starts[row] += starts[row - 1];
    for (int32_t position = reference->length; position-- > 0;) /* backwards, so that the lists are ascending */
        positions[--starts[rows[position]]] = position;
    return true;
}

bool reference_prepare(Reference *reference, const uint32_t *words, int32_t length, uint64_t *marks)
{
    reference->words = words;
    reference->length = length;
    reference->is_short = length <= WORD_BITS;
    reference->is_dense = true;
    if (reference->is_short) /* marks are enough */
        return true;
    if (!buffer_reserve(&reference->rows, (size_t)length, sizeof(uint32_t)))
        return false;
    reference->row_count = number_rows(reference, marks);
    reference->stride = words_of_bits((size_t)length) + SPARE_WORDS;
    reference->is_dense = reference->row_count <= MAX_DENSE_WORDS / reference->stride;
    return reference->is_dense ? make_bits(reference) : make_lists(reference);
}

uint64_t listed_positions(const Reference *reference, uint32_t row, int32_t position)
{
    const int32_t *positions = reference->positions.data;
    const uint32_t *starts = reference->starts.data;
    uint32_t low = starts[row], end = starts[row + 1], high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (positions[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t found = 0;
    for (; low < end && positions[low] - position < WORD_BITS; low++)
        found |= UINT64_C(1) << (positions[low] - position);
    return found;
}
