#include "ter/shifts.h"

#include <string.h>

void shifts_free(Shifts *shifts)
{
    buffer_free(&shifts->changes);
    buffer_free(&shifts->reach);
}

bool shifts_reserve(Shifts *shifts, int32_t columns)
{
    return buffer_reserve(&shifts->changes, (size_t)columns + 1, sizeof(int32_t))
        && buffer_reserve(&shifts->reach, words_of_bits((size_t)columns) + SPARE_WORDS, sizeof(uint64_t));
}

/* The largest distance between an error of the summary and the position of a block before it. */
enum { FARTHEST_POSITION = MAX_SHIFT_DISTANCE + MAX_SHIFT_SIZE };

/* For an error of the summary, see `Interrupt`; a reference stored as lists needs a binary search for each look-up. */
enum { WORK_OF_BITS = 64, WORK_OF_LISTS = 2048 };

static inline int32_t smaller(int32_t one, int32_t other) { return one < other ? one : other; }

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static void count_changes(Shifts *shifts, const Pair *pair)
{
    int32_t *changes = shifts->changes.data;
    const int32_t *targets = pair->targets.data;
    changes[0] = 0;
    for (int32_t column = 1; column <= pair->columns; column++)
        changes[column] = changes[column - 1] + (targets[column] != targets[column - 1]);
}

/* Finds the positions of the reference from which a block of any length can contain an error; most positions are
   skipped. */
static void find_reach(Shifts *shifts, const Pair *pair)
{
    static const int STEPS[] = {1, 2, 4, 2}; /* widens the range of words seen from 1 to 2, 4, 8 and 10 */
    size_t words = words_of_bits((size_t)pair->columns);
    uint64_t *reach = shifts->reach.data;
    memcpy(reach, pair->reference_errors.data, (words + SPARE_WORDS) * sizeof *reach);
    for (size_t index = 0; index < sizeof STEPS / sizeof *STEPS; index++)
        for (size_t word = 0; word < words; word++)
            reach[word] |= reach[word] >> STEPS[index] | reach[word + 1] << (WORD_BITS - STEPS[index]);
}

/* Returns the positions within the maximum shift distance of `start`. */
static uint64_t near_positions(int32_t start, int32_t offset)
{
    return low_bits((int64_t)start + MAX_SHIFT_DISTANCE + 1 - offset) & ~low_bits((int64_t)start - MAX_SHIFT_DISTANCE - offset);
}

/* Adds a block and counts its shifts. Returns false if there are too many candidates. */
static bool add_block(Shifts *shifts, const Pair *pair, int32_t length, Block block)
{
    const int32_t *changes = shifts->changes.data;
    if (shifts->count == 0)
        count_changes(shifts, pair);
    for (uint64_t left = block.positions; left; left &= left - 1) {
        int32_t position = block.offset + lowest_bit(left);
        shifts->examined += 1 + changes[position + length] - changes[position];
        if (shifts->examined >= MAX_SHIFT_CANDIDATES)
            return false;
    }
    if (shifts->first[length] < 0)
        shifts->first[length] = shifts->count;
    else
        shifts->blocks[shifts->last[length]].next = shifts->count;
    shifts->last[length] = shifts->count;
    shifts->blocks[shifts->count++] = block;
    return true;
}

/* Collects the blocks that start at word `start` and occur at one of the 64 positions of the reference from `offset`
   on. Blocks of fewer than `shortest` words have no error in the summary. Returns false if there are too many
   candidates. */
static bool find_blocks(Shifts *shifts, const Pair *pair, int32_t start, int32_t shortest, int32_t offset)
{
    const uint64_t *errors = pair->reference_errors.data;
    const int32_t *reached = pair->reached.data;
    uint64_t positions = near_positions(start, offset) & bits_at(shifts->reach.data, (size_t)offset), some_error = 0;
    positions &= pair_positions(pair, start + shortest - 1, offset + shortest - 1); /* usually none */
    if (positions == 0)
        return true;
    int32_t longest = smaller(MAX_SHIFT_SIZE, pair->rows - start);
    for (int32_t length = 1; length <= longest; length++) {
        positions &= pair_positions(pair, start + length - 1, offset + length - 1);
        if (positions == 0)
            break;
        some_error |= bits_at(errors, (size_t)(offset + length - 1));
        if (length < shortest)
            continue;
        uint64_t inside = low_bits(reached[start + length] - offset) & ~low_bits(reached[start] - offset);
        uint64_t allowed = positions & some_error & ~inside;
        if (allowed && !add_block(shifts, pair, length, (Block){start, -1, offset, allowed}))
            return false;
    }
    return true;
}

/* Returns the first word, from `first` on, from which all words up to `error` occur in the same order in the reference,
   at a position from which a shift may come; `error` + 1 if not even that word occurs. */
static int32_t first_start(const Pair *pair, int32_t first, int32_t error)
{
    bool is_short = pair->columns <= WORD_BITS;
    int32_t base = is_short || error < FARTHEST_POSITION ? 0 : error - FARTHEST_POSITION;
    if (base >= pair->columns)
        return error + 1;
    bool has_high = base + WORD_BITS < pair->columns;
    uint64_t low = pair_positions(pair, error, base), high = has_high ? pair_positions(pair, error, base + WORD_BITS) : 0;
    int32_t start = error + 1;
    while (low | high) {
        if (--start == first)
            break;
        low = (low >> 1 | high << (WORD_BITS - 1)) & pair_positions(pair, start - 1, base);
        high = has_high ? high >> 1 & pair_positions(pair, start - 1, base + WORD_BITS) : 0;
    }
    return start;
}

/* Collects the blocks that start at word `start`, whose first error is `error`. Returns false if there are too many
   candidates. */
static bool find_blocks_at(Shifts *shifts, const Pair *pair, int32_t start, int32_t error)
{
    bool is_short = pair->columns <= WORD_BITS;
    int32_t offset = is_short || start < MAX_SHIFT_DISTANCE ? 0 : start - MAX_SHIFT_DISTANCE;
    int32_t end = start >= pair->columns - MAX_SHIFT_DISTANCE ? pair->columns : start + MAX_SHIFT_DISTANCE + 1;
    for (; offset < end; offset += WORD_BITS)
        if (!find_blocks(shifts, pair, start, error + 1 - start, offset))
            return false;
    return true;
}

bool shifts_find(Shifts *shifts, Pair *pair)
{
    const uint64_t *errors = pair->summary_errors.data;
    int32_t before = -1; /* the previous error */
    find_reach(shifts, pair);
    shifts->count = 0;
    memset(shifts->first, -1, sizeof shifts->first);
    for (int32_t base = 0; base < pair->rows; base += WORD_BITS)
        for (uint64_t left = errors[base / WORD_BITS]; left; left &= left - 1) {
            int32_t error = base + lowest_bit(left), first = error - MAX_SHIFT_SIZE;
            int32_t start = first_start(pair, 1 + (first > before ? first : before), error);
            for (; start <= error; start++)
                if (!find_blocks_at(shifts, pair, start, error))
                    return false;
            before = error;
            pair->interrupt.work += pair->reference->is_dense ? WORK_OF_BITS : WORK_OF_LISTS;
            if (is_interrupted(&pair->interrupt))
                return false;
        }
    return true;
}

/* ---- the best shift ---------------------------------------------------------------------------------------------- */

/* Returns the shift of a block before the word `target`. A target inside the block means that many words to the right. */
static Shift shift_to(int32_t start, int32_t length, int32_t target, int32_t rows)
{
    if (target < start)
        return (Shift){target, start, start + length, 0};
    int32_t end = target > start + length ? target : target + length;
    return (Shift){start, start + length, smaller(end, rows), 0};
}

/* Evaluates a shift and keeps it if it gains more than `best`. A shift moves the shorter of two adjacent parts to the
   other side of the longer one, so its gain is at most twice the length of the shorter part, plus what the band has
   cost. */
static void try_shift(Shift shift, Pair *pair, int32_t over, Shift *best)
{
    int32_t shifted = smaller(shift.middle - shift.start, shift.end - shift.middle);
    if (2 * shifted + over <= best->gain || is_interrupted(&pair->interrupt))
        return;
    shift.gain = pair->distance - distance_after_shift(pair, shift.start, shift.middle, shift.end, best->gain);
    if (shift.gain > best->gain)
        *best = shift;
}

/* Evaluates the shifts of a block by target; adjacent positions share targets. */
static void try_block(const Block *block, int32_t length, Pair *pair, int32_t over, Shift *best)
{
    const int32_t *targets = pair->targets.data;
    int32_t column = 0, tried = -1; /* targets ascend with columns */
    for (uint64_t left = block->positions; left; left &= left - 1) {
        int32_t position = block->offset + lowest_bit(left);
        for (column = column > position ? column : position; column <= position + length; column++)
            if (targets[column] != tried) {
                tried = targets[column];
                try_shift(shift_to(block->start, length, tried, pair->rows), pair, over, best);
            }
    }
}

Shift shifts_best(const Shifts *shifts, Pair *pair, int32_t least)
{
    /* At a distance of `least + 2`, a shift that gains 1 would be the last, and does not lower the number of edits. */
    Shift best = {0, 0, 0, pair->distance == least + 2};
    int32_t over = pair->distance - unbanded_distance(pair);
    for (int32_t length = MAX_SHIFT_SIZE; length > 0; length--)
        for (int32_t index = shifts->first[length]; index >= 0; index = shifts->blocks[index].next) {
            if (2 * length + over <= best.gain || pair->distance - least <= best.gain)
                return best;
            try_block(&shifts->blocks[index], length, pair, over, &best);
        }
    return best;
}
