#include "ngrams/pair_counts.h"

#include <string.h>

#include "base/bits.h"

void pair_counts_free(PairCounts *counts)
{
    buffer_free(&counts->fields);
    buffer_free(&counts->more);
}

void pair_counts_open(PairCounts *counts, size_t rows, size_t columns, void *matrix)
{
    counts->rows = rows;
    counts->columns = columns;
    counts->count = counts->used = 0;
    counts->first = matrix;
    if (rows * columns > 0)
        memset(matrix, 0, rows * columns * sizeof *counts->first);
}

/* Makes the next 8 bytes of all pairs. */
static bool add_words(PairCounts *counts, size_t words)
{
    size_t pairs = counts->rows * counts->columns;
    if (words > SIZE_MAX / (pairs + 1) || !buffer_reserve(&counts->more, words * pairs + 1, sizeof(uint64_t)))
        return false;
    memset((uint64_t *)counts->more.data + (words - 1) * pairs, 0, pairs * sizeof(uint64_t));
    return true;
}

/* Adds a count that is at most `most`. */
static bool add_field(PairCounts *counts, size_t most)
{
    if (!buffer_reserve(&counts->fields, counts->count + 1, sizeof(CountField)))
        return false;
    CountField *fields = counts->fields.data, *field = &fields[counts->count];
    unsigned bits = most == 0 ? 0 : 1 + (unsigned)highest_bit(most);
    *field = (CountField){counts->count == 0 ? 0 : field[-1].word, counts->used, (uint64_t)low_bits(bits)};
    if (counts->used + bits > WORD_BITS) {
        field->word++;
        field->shift = 0;
        if (!add_words(counts, field->word))
            return false;
    }
    counts->used = field->shift + bits;
    field->shift %= WORD_BITS; /* of a count of no bits after 64 others */
    counts->count++;
    return true;
}

static void add_row(PairCounts *counts, size_t row, const uint32_t *found)
{
    const CountField *field = (const CountField *)counts->fields.data + counts->count - 1;
    uint64_t *words = field->word == 0
        ? counts->first
        : (uint64_t *)counts->more.data + (field->word - 1) * counts->rows * counts->columns;
    words += row * counts->columns;
    for (size_t column = 0; column < counts->columns; column++)
        words[column] |= (uint64_t)found[column] << field->shift;
}

static size_t longest(const UnitText *texts, size_t count)
{
    size_t most = 0;
    for (size_t index = 0; index < count; index++)
        most = texts[index].length > most ? texts[index].length : most;
    return most;
}

bool pair_counts_add(PairCounts *counts, SharedNgrams *shared, size_t orders, Interrupt *interrupt)
{
    size_t of_rows = longest(shared->rows, shared->row_count), of_columns = longest(shared->columns, shared->column_count);
    for (size_t order = 1; order <= orders; order++) {
        size_t most = ngram_count(of_rows < of_columns ? of_rows : of_columns, order);
        if (!add_field(counts, most))
            return false;
        if (most == 0)
            continue;
        if (!shared_ngrams_next_order(shared, interrupt))
            return false;
        for (size_t row = 0; row < counts->rows; row++) {
            add_row(counts, row, shared_ngrams_of_row(shared, row, interrupt));
            if (is_interrupted(interrupt))
                return false;
        }
    }
    return true;
}
