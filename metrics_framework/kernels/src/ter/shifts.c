#include "ter/shifts.h"

#include <string.h>

/* Words of a summary that are looked at before a watch is asked. */
enum { WORDS_AT_ONCE = 1 << 12 };

void moves_free(Moves *moves)
{
    buffer_free(&moves->changes);
    buffer_free(&moves->reach);
}

bool moves_reserve(Moves *moves, int32_t columns)
{
    return buffer_reserve(&moves->changes, (size_t)columns + 1, sizeof(int32_t))
        && buffer_reserve(&moves->reach, words_of_bits((size_t)columns) + SPARE_WORDS, sizeof(uint64_t));
}

static inline int32_t smaller(int32_t one, int32_t other) { return one < other ? one : other; }

/* ---- what can be moved ------------------------------------------------------------------------------------------ */

static void count_changes(Moves *moves, const Pair *pair)
{
    int32_t *changes = moves->changes.data;
    const int32_t *targets = pair->targets.data;
    changes[0] = 0;
    for (int32_t column = 1; column <= pair->columns; column++)
        changes[column] = changes[column - 1] + (targets[column] != targets[column - 1]);
}

/* Finds the words of the reference from which a block of any length can have an error in it: so most are passed over. */
static void find_reach(Moves *moves, const Pair *pair)
{
    static const int SHIFTS[] = {1, 2, 4, 2}; /* each adds to the 1 + 1 + 2 + 4 words seen so far: 10 */
    size_t words = words_of_bits((size_t)pair->columns);
    uint64_t *reach = moves->reach.data;
    memcpy(reach, pair->reference_errors.data, (words + SPARE_WORDS) * sizeof *reach);
    for (size_t index = 0; index < sizeof SHIFTS / sizeof *SHIFTS; index++)
        for (size_t word = 0; word < words; word++)
            reach[word] |= reach[word] >> SHIFTS[index] | reach[word + 1] << (WORD_BITS - SHIFTS[index]);
}

/* Returns the places from which a block that starts at `start` may be taken. */
static uint64_t near_places(int32_t start, int32_t offset)
{
    return low_bits((int64_t)start + LONGEST_WAY + 1 - offset) & ~low_bits((int64_t)start - LONGEST_WAY - offset);
}

/* Adds a block and counts its moves; returns false where those are too many. */
static bool add_block(Moves *moves, int32_t length, Block block)
{
    const int32_t *changes = moves->changes.data;
    for (uint64_t left = block.places; left; left &= left - 1) {
        int32_t place = block.offset + lowest_bit(left);
        moves->examined += 1 + changes[place + length] - changes[place];
        if (moves->examined >= MOST_MOVES)
            return false;
    }
    if (moves->first[length] < 0)
        moves->first[length] = moves->count;
    else
        moves->blocks[moves->last[length]].next = moves->count;
    moves->last[length] = moves->count;
    moves->blocks[moves->count++] = block;
    return true;
}

/* Collects the blocks that start at a word and stand at one of the 64 places from `offset` on in the reference; those
   of less than `shortest` words have no error in the summary. */
static bool find_blocks(Moves *moves, const Pair *pair, int32_t start, int32_t shortest, int32_t offset)
{
    const uint64_t *errors = pair->reference_errors.data;
    const int32_t *reached = pair->reached.data;
    uint64_t places = near_places(start, offset) & bits_at(moves->reach.data, (size_t)offset), some_error = 0;
    int32_t longest = smaller(LONGEST_BLOCK, pair->rows - start);
    for (int32_t length = 1; length <= longest; length++) {
        places &= pair_places(pair, start + length - 1, offset + length - 1);
        if (places == 0)
            break;
        some_error |= bits_at(errors, (size_t)(offset + length - 1));
        if (length < shortest)
            continue;
        uint64_t inside = low_bits(reached[start + length] - offset) & ~low_bits(reached[start] - offset);
        uint64_t allowed = places & some_error & ~inside;
        if (allowed && !add_block(moves, length, (Block){start, -1, offset, allowed}))
            return false;
    }
    return true;
}

bool moves_find(Moves *moves, Pair *pair)
{
    const uint64_t *errors = pair->summary_errors.data;
    count_changes(moves, pair);
    find_reach(moves, pair);
    moves->count = 0;
    memset(moves->first, -1, sizeof moves->first);
    for (int32_t start = 0; start < pair->rows; start++) {
        if (start % WORDS_AT_ONCE == WORDS_AT_ONCE - 1) {
            pair->watch.work += 64 * WORDS_AT_ONCE;
            if (is_stopped(&pair->watch))
                return false;
        }
        uint64_t near = bits_at(errors, (size_t)start) & low_bits(LONGEST_BLOCK);
        if (near == 0)
            continue;
        bool is_short = pair->columns <= WORD_BITS;
        int32_t offset = is_short || start < LONGEST_WAY ? 0 : start - LONGEST_WAY;
        int32_t end = start >= pair->columns - LONGEST_WAY ? pair->columns : start + LONGEST_WAY + 1;
        for (; offset < end; offset += WORD_BITS)
            if (!find_blocks(moves, pair, start, lowest_bit(near) + 1, offset))
                return false;
    }
    return true;
}

/* ---- the best move ---------------------------------------------------------------------------------------------- */

/* Returns the move of a block before the word `target`; within itself, by so many words to the right, as far as there
   are any. */
static Move move_to(int32_t start, int32_t length, int32_t target, int32_t rows)
{
    if (target < start)
        return (Move){target, start, start + length, 0};
    int32_t end = target > start + length ? target : target + length;
    return (Move){start, start + length, smaller(end, rows), 0};
}

/* Takes a move if it gains more than `best`. A move takes the shorter of two neighbouring pieces from one side of the
   other to its other side, so it gains twice that many words at most, and what the band has kept from being found. */
static void try_move(Move move, Pair *pair, int32_t over, Move *best)
{
    int32_t moved = smaller(move.middle - move.start, move.end - move.middle);
    if (2 * moved + over <= best->gain || is_stopped(&pair->watch))
        return;
    move.gain = pair->distance - distance_of_exchange(pair, move.start, move.middle, move.end);
    if (move.gain > best->gain)
        *best = move;
}

/* Tries the moves of a block, by target; those of neighbouring places overlap. */
static void try_block(const Block *block, int32_t length, Pair *pair, int32_t over, Move *best)
{
    const int32_t *targets = pair->targets.data;
    int32_t column = 0, tried = -1; /* targets ascend with the columns */
    for (uint64_t left = block->places; left; left &= left - 1) {
        int32_t place = block->offset + lowest_bit(left);
        for (column = column > place ? column : place; column <= place + length; column++)
            if (targets[column] != tried) {
                tried = targets[column];
                try_move(move_to(block->start, length, tried, pair->rows), pair, over, best);
            }
    }
}

Move moves_best(const Moves *moves, Pair *pair, int32_t least)
{
    Move best = {0, 0, 0, 0};
    int32_t over = pair->distance - unbanded_distance(pair);
    for (int32_t length = LONGEST_BLOCK; length > 0; length--)
        for (int32_t index = moves->first[length]; index >= 0; index = moves->blocks[index].next) {
            if (2 * length + over <= best.gain || pair->distance - least <= best.gain)
                return best;
            try_block(&moves->blocks[index], length, pair, over, &best);
        }
    return best;
}
