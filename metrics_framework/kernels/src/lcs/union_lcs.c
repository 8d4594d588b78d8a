#include "lcs/union_lcs.h"

#include <string.h>

#include "base/bits.h"

void union_lcs_free(UnionLcs *memory)
{
    buffer_free(&memory->first);
    buffer_free(&memory->next);
    buffer_free(&memory->rows);
}

bool union_lcs_set(UnionLcs *memory, const uint32_t *other, size_t length, size_t kinds)
{
    if (!buffer_reserve(&memory->first, kinds, sizeof(uint32_t)) || !buffer_reserve(&memory->next, length, sizeof(uint32_t)))
        return false;
    uint32_t *first = memory->first.data, *next = memory->next.data;
    if (kinds > memory->first_count) {
        memset(first + memory->first_count, 0, (kinds - memory->first_count) * sizeof *first);
        memory->first_count = kinds;
    }
    for (size_t position = length; position-- > 0;) {
        next[position] = first[other[position]];
        first[other[position]] = (uint32_t)position + 1;
    }
    memory->other = other;
    memory->other_length = length;
    return true;
}

void union_lcs_clear(UnionLcs *memory)
{
    for (size_t position = 0; position < memory->other_length; position++)
        ((uint32_t *)memory->first.data)[memory->other[position]] = 0;
}

/* Computes a row from the one before: Hyyrö (2004). */
static void write_row(const UnionLcs *memory, uint32_t word, const uint64_t *before, uint64_t *row, size_t words)
{
    const uint32_t *next = memory->next.data;
    uint32_t found = ((const uint32_t *)memory->first.data)[word];
    if (found == 0) {
        memcpy(row, before, words * sizeof *row);
        return;
    }
    memset(row, 0, words * sizeof *row);
    for (; found != 0; found = next[found - 1])
        row[(found - 1) / WORD_BITS] |= UINT64_C(1) << (found - 1) % WORD_BITS;
    uint64_t carry = 0;
    for (size_t index = 0; index < words; index++) {
        uint64_t matched = before[index] & row[index], sum = before[index] + matched, total = sum + carry;
        carry = (uint64_t)(sum < matched) | (uint64_t)(total < sum);
        row[index] = total | (before[index] & ~matched);
    }
}

static bool write_rows(UnionLcs *memory, const uint32_t *line, size_t length, Interrupt *interrupt)
{
    size_t words = words_of_bits(memory->other_length);
    if (!buffer_reserve(&memory->rows, (length + 1) * words, sizeof(uint64_t)))
        return false;
    uint64_t *row = memory->rows.data;
    memset(row, 0xff, words * sizeof *row);
    for (size_t position = 0; position < length; position++, row += words) {
        write_row(memory, line[position], row, row + words, words);
        interrupt->work += 8 + 4 * words;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

static inline size_t longer_at(const uint64_t *row, size_t column)
{
    return ~row[column / WORD_BITS] >> column % WORD_BITS & 1;
}

/* Returns the length of the LCS of a prefix of the line, given its row, and the first `columns` words of the other. */
static size_t length_at(const uint64_t *row, size_t columns)
{
    size_t length = 0;
    for (size_t index = 0; index < columns / WORD_BITS; index++)
        length += (size_t)count_bits(~row[index]);
    if (columns % WORD_BITS > 0)
        length += (size_t)count_bits(~row[columns / WORD_BITS] & low_bits((int64_t)(columns % WORD_BITS)));
    return length;
}

/* Goes back from the ends of both lines, in the line unless the LCS would become shorter, and only then in the other
   line. `here` is the length of the LCS of both prefixes, `before` that without the last word of the line's prefix. */
bool union_lcs_mark(UnionLcs *memory, const uint32_t *line, size_t length, unsigned char *marks, Interrupt *interrupt)
{
    if (!write_rows(memory, line, length, interrupt))
        return false;
    size_t words = words_of_bits(memory->other_length), columns = memory->other_length, position = length;
    const uint64_t *row = (const uint64_t *)memory->rows.data + length * words;
    size_t here = length_at(row, columns), before = length > 0 ? length_at(row - words, columns) : 0;
    while (here > 0) { /* so there are words in both prefixes */
        bool matches = line[position - 1] == memory->other[columns - 1];
        if (!matches && here - longer_at(row, columns - 1) > before) {
            here -= longer_at(row, columns - 1);
            before -= longer_at(row - words, columns - 1);
            columns--;
            continue;
        }
        if (matches) {
            marks[position - 1] = 1;
            before -= longer_at(row - words, columns - 1);
            columns--;
        }
        position--;
        row -= words;
        here = before;
        before = position > 0 ? length_at(row - words, columns) : 0;
        interrupt->work += 8 + words;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}
