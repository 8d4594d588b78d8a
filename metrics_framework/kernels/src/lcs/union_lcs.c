#include "lcs/union_lcs.h"

#include <string.h>

#include "base/bits.h"

/* The memory of the rows of two lines, the length of a line whose frequent words have masks, and how often such a word occurs
   at least. FW_SMALL_TABLES lets tests cover lines whose rows do not fit, and masks. */
#ifdef FW_SMALL_TABLES
enum { MOST_BYTES = 32, LONG_LINE = 3, FREQUENT = 2 };
#else
enum { MOST_BYTES = 1 << 26, LONG_LINE = 4 * WORD_BITS, FREQUENT = 8 };
#endif

void union_lcs_free(UnionLcs *memory)
{
    buffer_free(&memory->first);
    buffer_free(&memory->mask);
    buffer_free(&memory->next);
    buffer_free(&memory->masks);
    buffer_free(&memory->rows);
    buffer_free(&memory->kept);
}

static bool reserve_kinds(UnionLcs *memory, size_t kind_count)
{
    if (!buffer_reserve(&memory->first, kind_count, sizeof(uint32_t)) || !buffer_reserve(&memory->mask, kind_count, sizeof(uint32_t)))
        return false;
    if (kind_count > memory->kind_count) {
        size_t before = memory->kind_count, size = (kind_count - before) * sizeof(uint32_t);
        memset((uint32_t *)memory->first.data + before, 0, size);
        memset((uint32_t *)memory->mask.data + before, 0, size);
        memory->kind_count = kind_count;
    }
    return true;
}

/* Writes the masks of the words that occur at least as often as the other line has 64-bit words, so that their bits are not
   set in each row. Returns false if out of memory. */
static bool write_masks(UnionLcs *memory)
{
    const uint32_t *other = memory->other;
    size_t length = memory->other_length, words = words_of_bits(length), least = words > FREQUENT ? words : FREQUENT;
    uint32_t *mask = memory->mask.data; /* first how often a word occurs */
    for (size_t position = 0; position < length; position++)
        memory->mask_count += ++mask[other[position]] == least;
    bool done = buffer_clear(&memory->masks, memory->mask_count * words + 1, sizeof(uint64_t));
    uint64_t *masks = memory->masks.data;
    const uint32_t *first = memory->first.data;
    uint32_t number = 0;
    for (size_t position = 0; position < length; position++) /* the first position of a word comes before the others */
        if (first[other[position]] == position + 1)
            mask[other[position]] = mask[other[position]] >= least ? ++number : 0;
    for (size_t position = 0; done && position < length; position++)
        if (mask[other[position]] > 0)
            set_bit(masks + (mask[other[position]] - 1) * words, position);
    return done;
}

bool union_lcs_set(UnionLcs *memory, const uint32_t *other, size_t length, size_t kind_count)
{
    if (!reserve_kinds(memory, kind_count) || !buffer_reserve(&memory->next, length, sizeof(uint32_t)))
        return false;
    uint32_t *first = memory->first.data, *next = memory->next.data;
    for (size_t position = length; position-- > 0;) {
        next[position] = first[other[position]];
        first[other[position]] = (uint32_t)position + 1;
    }
    memory->other = other;
    memory->other_length = length;
    memory->mask_count = 0;
    if (length < LONG_LINE || write_masks(memory))
        return true;
    union_lcs_clear(memory);
    return false;
}

void union_lcs_clear(UnionLcs *memory)
{
    for (size_t position = 0; position < memory->other_length; position++)
        ((uint32_t *)memory->first.data)[memory->other[position]] = 0;
    for (size_t position = 0; memory->mask_count > 0 && position < memory->other_length; position++)
        ((uint32_t *)memory->mask.data)[memory->other[position]] = 0;
}

/* Computes a row from the one before: Hyyrö (2004). */
static void write_row(const UnionLcs *memory, uint32_t word, const uint64_t *before, uint64_t *row, size_t words)
{
    const uint32_t *next = memory->next.data;
    const uint64_t *mask = row;
    uint32_t found = ((const uint32_t *)memory->first.data)[word];
    uint32_t number = memory->mask_count > 0 ? ((const uint32_t *)memory->mask.data)[word] : 0;
    if (found == 0) {
        memcpy(row, before, words * sizeof *row);
        return;
    }
    if (number > 0) {
        mask = (const uint64_t *)memory->masks.data + (number - 1) * words;
    } else {
        memset(row, 0, words * sizeof *row);
        for (; found != 0; found = next[found - 1])
            set_bit(row, found - 1);
    }
    uint64_t carry = 0;
    for (size_t index = 0; index < words; index++) {
        uint64_t matched = before[index] & mask[index], sum = before[index] + matched, total = sum + carry;
        carry = (uint64_t)(sum < matched) | (uint64_t)(total < sum);
        row[index] = total | (before[index] & ~matched);
    }
}

/* Returns after how many rows one is kept: all are if they fit, else the rows between are computed again. */
static size_t rows_of_block(size_t length, size_t words)
{
    size_t block = 1;
    if (length + 1 <= MOST_BYTES / sizeof(uint64_t) / words)
        return length;
    while (block * block < length)
        block++;
    return block;
}

/* Writes the rows of a block from `start` on; the first of them is kept. */
static bool write_block(UnionLcs *memory, const uint32_t *line, size_t start, size_t length, Interrupt *interrupt)
{
    size_t words = words_of_bits(memory->other_length);
    size_t end = length - start < memory->block ? length : start + memory->block;
    uint64_t *row = memory->rows.data;
    memcpy(row, (const uint64_t *)memory->kept.data + start / memory->block * words, words * sizeof *row);
    for (size_t position = start; position < end; position++, row += words) {
        write_row(memory, line[position], row, row + words, words);
        interrupt->work += 8 + 4 * words;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

/* Writes all blocks, of which the last stays; its start is `*start`. The line must not be empty. */
static bool write_blocks(UnionLcs *memory, const uint32_t *line, size_t length, size_t *start, Interrupt *interrupt)
{
    size_t words = words_of_bits(memory->other_length), block = memory->block = rows_of_block(length, words);
    if (!buffer_reserve(&memory->rows, (block + 1) * words, sizeof(uint64_t))
        || !buffer_reserve(&memory->kept, (length / block + 1) * words, sizeof(uint64_t)))
        return false;
    uint64_t *kept = memory->kept.data;
    memset(kept, 0xff, words * sizeof *kept);
    for (*start = 0;; *start += block) {
        if (!write_block(memory, line, *start, length, interrupt))
            return false;
        if (length - *start <= block)
            return true;
        kept += words;
        memcpy(kept, (const uint64_t *)memory->rows.data + block * words, words * sizeof *kept);
    }
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
    size_t words = words_of_bits(memory->other_length), columns = memory->other_length, position = length, start;
    if (length == 0 || columns == 0)
        return true;
    if (!write_blocks(memory, line, length, &start, interrupt))
        return false;
    const uint64_t *row = (const uint64_t *)memory->rows.data + (length - start) * words;
    size_t here = length_at(row, columns), before = length_at(row - words, columns);
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
        if (position == start && start > 0) {
            start -= memory->block;
            if (!write_block(memory, line, start, position, interrupt))
                return false;
            row = (const uint64_t *)memory->rows.data + memory->block * words;
        }
        here = before;
        before = position > 0 ? length_at(row - words, columns) : 0;
        interrupt->work += 8 + words;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}
