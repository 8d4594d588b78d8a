#include "ter/banded_distance.h"

#include <math.h>
#include <string.h>

enum { HALF_WIDTH = 25 };

/* The number of rows after a shift between two bounds of its gain. */
enum { ROWS_PER_BOUND = 4 };

/* Above this number of steps (some milliseconds) the distance without the band costs more than it saves. */
static const uint64_t MAX_WIDE_STEPS = UINT64_C(1) << 20;

static const int32_t UNREACHABLE = INT32_MAX / 2;

typedef enum { MATCH, SUBSTITUTION, UP, LEFT } Step;

void pair_free(Pair *pair)
{
    Buffer *buffers[] = {
        &pair->words, &pair->matches, &pair->states, &pair->band, &pair->cells, &pair->steps, &pair->edges,
        &pair->wide, &pair->targets, &pair->reached, &pair->summary_errors, &pair->reference_errors,
    };
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
}

/* ---- rows of bits ------------------------------------------------------------------------------------------------ */

typedef struct {
    uint64_t rise, fall;
    int32_t value;
} State;

/* Computes the next row (Myers 1999, Hyyrö 2003); returns where D(i, j) = D(i - 1, j - 1). */
static inline uint64_t advance(State *state, uint64_t match)
{
    uint64_t rise = state->rise, fall = state->fall;
    uint64_t level = (((match & rise) + rise) ^ rise) | match | fall;
    uint64_t more = (fall | ~(rise | level)) << 1 | 1; /* D(i, j - 1) = D(i - 1, j - 1) + 1 */
    state->rise = (rise & level) << 1 | ~(more | level);
    state->fall = more & level;
    return level;
}

static inline int32_t climb(const State *state, uint64_t columns)
{
    return count_bits(state->rise & columns) - count_bits(state->fall & columns);
}

/* ---- short segments ---------------------------------------------------------------------------------------------- */

/* Returns whether the band cannot change an unbanded distance, nor any lower one. */
static bool is_within_band(int32_t distance, int32_t rows, int32_t columns)
{
    int32_t difference = rows > columns ? rows - columns : columns - rows;
    return (int64_t)distance + difference <= 2 * HALF_WIDTH - 2;
}

static inline int32_t plain_end(const Pair *pair, const State *state)
{
    return pair->rows + climb(state, low_bits(pair->columns));
}

static void plain_rows(Pair *pair, int32_t start)
{
    Row *states = pair->states.data;
    const uint64_t *matches = pair->matches.data;
    State state = {states[start].rise, states[start].fall, 0};
    for (int32_t row = start; row < pair->rows; row++) {
        uint64_t above = state.fall, level = advance(&state, matches[row]);
        states[row + 1] = (Row){state.rise, state.fall, matches[row], level & ~matches[row], above, 0};
    }
    pair->distance = plain_end(pair, &state);
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* Returns the columns of the band in a row: from `first` up to, not including, `end`. */
static CellRow band_of_row(int32_t row, int32_t rows, int32_t columns)
{
    double ratio = (double)columns / rows;
    double half = ratio / 2 > HALF_WIDTH ? ceil(ratio / 2 + HALF_WIDTH) : HALF_WIDTH;
    double centre = floor(row * ratio); /* a product of doubles, as in sacreBLEU: it can be below the exact quotient */
    double end = row == rows || centre + half > columns ? columns + 1.0 : centre + half;
    return (CellRow){(int32_t)(centre > half ? centre - half : 0), (int32_t)end, 0};
}

/* Computes the window of each row. Its bits start after column `base`, whose value must follow from the row above:

   - If the band starts at the same column as in the row above, `base` is that column; it is reached from above only.

   - Otherwise `base` is the column before the band. Its value may be set to D(i - 1, base) + 1: a step from there into
   the band costs 2, a diagonal step at most 1.

   Columns after the band get the value of its last column plus their distance from it. The first of them never leads to
   a lower value, because the diagonal step to that column costs less; `diagonal` excludes matches beyond it.

   Returns false if the windows of adjacent rows do not overlap, or if a window is wider than a word. */
static bool lay_windows(Pair *pair)
{
    BandRow *band = pair->band.data;
    CellRow above = {0, pair->columns + 1, 0};
    band[0] = (BandRow){~UINT64_C(0), ~UINT64_C(0), 0, 0};
    for (int32_t row = 1; row <= pair->rows; row++) {
        CellRow edges = band_of_row(row, pair->rows, pair->columns);
        int32_t base = edges.first == above.first ? edges.first : edges.first - 1;
        int32_t shift = base - band[row - 1].base, width = edges.end - 1 - base;
        if (base >= above.end || shift >= WORD_BITS || width > WORD_BITS)
            return false;
        band[row] = (BandRow){low_bits(width), low_bits((int64_t)above.end - base), base, shift};
        above = edges;
    }
    return true;
}

/* Aligns a row with the window of the next row. */
static inline void slide(State *state, int32_t shift)
{
    if (shift > 0) {
        bool is_single = shift == 1; /* nearly always, and counting bits is slow */
        state->value += is_single ? (int32_t)(state->rise & 1) - (int32_t)(state->fall & 1) : climb(state, low_bits(shift));
        state->rise = ~(~state->rise >> shift); /* columns after the band rise */
        state->fall >>= shift;
    }
    state->value += 1;
}

static inline uint64_t window_step(State *state, uint64_t match, const BandRow *band)
{
    uint64_t level = advance(state, match);
    state->rise |= ~band->kept;
    state->fall &= band->kept;
    return level;
}

static inline int32_t window_end(const Pair *pair, const State *state)
{
    const BandRow *last = (const BandRow *)pair->band.data + pair->rows;
    return state->value + climb(state, low_bits(pair->columns - last->base));
}

static void window_rows(Pair *pair, int32_t start)
{
    Row *states = pair->states.data;
    const BandRow *band = pair->band.data;
    State state = {states[start].rise, states[start].fall, states[start].value};
    for (int32_t row = start + 1; row <= pair->rows; row++) {
        slide(&state, band[row].shift);
        uint64_t above = state.fall, match = pair_positions(pair, row - 1, band[row].base) & band[row].diagonal;
        uint64_t sideways = (window_step(&state, match, &band[row]) & ~match) | ~band[row].diagonal;
        states[row] = (Row){state.rise, state.fall, match, sideways, above, state.value};
    }
    pair->distance = window_end(pair, &state);
}

/* ---- rows after a shift -------------------------------------------------------------------------------------------- */

/* Advances over words; `row` is the row of the first. */
static inline void advance_over(const Pair *pair, Method method, State *state, int32_t row, int32_t start, int32_t end)
{
    const uint64_t *matches = pair->matches.data;
    const BandRow *band = (const BandRow *)pair->band.data + row;
    for (int32_t word = start; word < end; word++, band++) {
        if (method == PLAIN) {
            advance(state, matches[word]);
        } else {
            slide(state, band->shift);
            window_step(state, pair_positions(pair, word, band->base) & band->diagonal, band);
        }
    }
}

/* Advances over the words that come first after a shift. The shifts of a block to the right, from near to far, have
   most of them in common: the rows continue where the last shift ended. */
static inline State rows_before_block(Pair *pair, Method method, int32_t start, int32_t middle, int32_t end)
{
    const Row *row = (const Row *)pair->states.data + start;
    LastShift *last = &pair->last_shift;
    bool continues = last->start == start && last->middle == middle && last->end <= end;
    State state = continues ? (State){last->rise, last->fall, last->value} : (State){row->rise, row->fall, row->value};
    int32_t from = continues ? last->end : middle;
    advance_over(pair, method, &state, 1 + start + from - middle, from, end);
    *last = (LastShift){start, middle, end, state.rise, state.fall, state.value};
    return state;
}

/* Returns an upper bound of the values that a row has below those of another: its value at `base`, and all columns where
   the difference grows. If the words after both rows are the same, the final distance gains no more. */
static inline int32_t most_gain(const State *state, const Row *row)
{
    return row->value - state->value + count_bits(row->rise & ~state->rise) + count_bits(state->fall & ~row->fall);
}

/* Returns the distance after a shift, see `distance_after_shift`. The values of PLAIN rows are all 0, because they
   start at column 0, as the old ones do. */
static inline int32_t bits_distance(Pair *pair, Method method, int32_t start, int32_t middle, int32_t end, int32_t gain)
{
    const Row *states = pair->states.data;
    State state = rows_before_block(pair, method, start, middle, end);
    advance_over(pair, method, &state, 1 + start + end - middle, start, middle);
    for (int32_t word = end; word < pair->rows; word++) {
        /* If a row differs from the old one by a constant, so do all rows after it. */
        if (state.rise == states[word].rise && state.fall == states[word].fall)
            return pair->distance + state.value - states[word].value;
        if ((word - end) % ROWS_PER_BOUND == 0 && most_gain(&state, &states[word]) <= gain)
            return pair->distance - gain;
        advance_over(pair, method, &state, word + 1, word, word + 1);
    }
    return method == PLAIN ? plain_end(pair, &state) : window_end(pair, &state);
}

/* ---- cell by cell ------------------------------------------------------------------------------------------------ */

/* Computes the edges of the band. Returns false if out of memory. */
static bool lay_edges(Pair *pair)
{
    size_t cells = 0;
    if (!buffer_reserve(&pair->edges, (size_t)pair->rows + 1, sizeof(CellRow))
        || !buffer_reserve(&pair->cells, 2 * ((size_t)pair->columns + 1), sizeof(int32_t)))
        return false;
    CellRow *edges = pair->edges.data;
    edges[0] = (CellRow){0, pair->columns + 1, 0};
    for (int32_t row = 1; row <= pair->rows; row++) {
        edges[row] = band_of_row(row, pair->rows, pair->columns);
        edges[row].steps = cells;
        cells += (size_t)(edges[row].end - edges[row].first);
    }
    return buffer_reserve(&pair->steps, cells, 1);
}

/* Computes the cells of a row; cells next to the band that the next row reads become unreachable. */
static void cells_of_row(Pair *pair, int32_t row, const int32_t *above, int32_t *cells)
{
    const CellRow *edges = (const CellRow *)pair->edges.data + row;
    unsigned char *steps = (unsigned char *)pair->steps.data + edges->steps;
    const uint32_t *columns = reference_keys(pair->reference);
    uint32_t word = ((uint32_t *)pair->words.data)[row - 1];
    int32_t left = UNREACHABLE, column = edges->first;
    if (column == 0) {
        cells[column++] = left = above[0] + 1;
        *steps++ = UP;
    } else {
        cells[column - 1] = UNREACHABLE;
    }
    for (; column < edges->end; column++) {
        bool matches = columns[column - 1] == word;
        int32_t least = above[column - 1] + !matches;
        Step step = matches ? MATCH : SUBSTITUTION;
        if (above[column] + 1 < least) {
            least = above[column] + 1;
            step = UP;
        }
        if (left + 1 < least) {
            least = left + 1;
            step = LEFT;
        }
        cells[column] = left = least;
        *steps++ = (unsigned char)step;
    }
    for (; row < pair->rows && column < edges[1].end; column++)
        cells[column] = UNREACHABLE;
}

static void all_cells(Pair *pair)
{
    pair->interrupt.work += ((const CellRow *)pair->edges.data)[pair->rows].steps;
    int32_t *above = pair->cells.data, *cells = above + pair->columns + 1;
    for (int32_t column = 0; column <= pair->columns; column++)
        above[column] = column;
    for (int32_t row = 1; row <= pair->rows; row++) {
        cells_of_row(pair, row, above, cells);
        int32_t *swap = above;
        above = cells;
        cells = swap;
    }
    pair->distance = above[pair->columns];
}

/* ---- without the band -------------------------------------------------------------------------------------------- */

/* Computes the next row of several words, with a carry from word to word. */
static void wide_row(uint64_t *rises, uint64_t *falls, const uint64_t *matches, size_t words)
{
    uint64_t carry = 0, more_in = 1, less_in = 0;
    for (size_t word = 0; word < words; word++) {
        uint64_t rise = rises[word], fall = falls[word], match = matches[word];
        uint64_t masked = match & rise, sum = masked + rise, total = sum + carry;
        carry = (sum < masked) | (total < sum);
        uint64_t level = (total ^ rise) | match | fall;
        uint64_t more = fall | ~(rise | level), less = rise & level;
        uint64_t more_shifted = more << 1 | more_in, less_shifted = less << 1 | less_in;
        more_in = more >> (WORD_BITS - 1);
        less_in = less >> (WORD_BITS - 1);
        rises[word] = less_shifted | ~(more_shifted | level);
        falls[word] = more_shifted & level;
    }
}

/* Returns the positions of a word of the summary in the reference. */
static const uint64_t *bits_of_word(const Pair *pair, int32_t word)
{
    if (pair->reference->is_short)
        return (const uint64_t *)pair->matches.data + word;
    return bits_of_row(pair->reference, ((const uint32_t *)pair->words.data)[word]);
}

static int32_t wide_distance(Pair *pair, size_t words)
{
    uint64_t *rises = pair->wide.data, *falls = rises + words;
    memset(rises, 0xff, words * sizeof *rises);
    memset(falls, 0, words * sizeof *falls);
    for (int32_t row = 0; row < pair->rows; row++)
        wide_row(rises, falls, bits_of_word(pair, row), words);
    int32_t distance = pair->rows;
    for (size_t word = 0; word < words; word++) {
        State state = {rises[word], falls[word], 0};
        distance += climb(&state, low_bits(pair->columns - (int64_t)word * WORD_BITS));
    }
    return distance;
}

int32_t unbanded_distance(Pair *pair)
{
    size_t words = words_of_bits((size_t)pair->columns);
    if (pair->method == PLAIN || is_within_band(pair->distance, pair->rows, pair->columns))
        return pair->distance;
    if (!pair->reference->is_dense || (uint64_t)pair->rows * words > MAX_WIDE_STEPS)
        return 0;
    pair->interrupt.work += (uint64_t)pair->rows * words;
    return wide_distance(pair, words);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Records the look-ups of `count` words. A reference stored as lists needs a binary search with cache misses for each. */
static void count_work(Pair *pair, int32_t count)
{
    pair->interrupt.work += (pair->reference->is_dense ? 1 : 32) * (uint64_t)count;
}

static void compute_rows(Pair *pair, int32_t start)
{
    pair->last_shift.start = -1;
    count_work(pair, pair->rows - start);
    switch (pair->method) {
    case PLAIN:
        plain_rows(pair, start);
        break;
    case WINDOW:
        window_rows(pair, start);
        break;
    case CELLS:
        all_cells(pair);
        break;
    }
}

static bool reserve_rows(Pair *pair)
{
    size_t rows = (size_t)pair->rows + 1, columns = (size_t)pair->columns + 1;
    return buffer_reserve(&pair->words, rows, sizeof(uint32_t))
        && buffer_reserve(&pair->states, rows, sizeof(Row))
        && buffer_reserve(&pair->band, rows, sizeof(BandRow))
        && buffer_reserve(&pair->matches, rows, sizeof(uint64_t))
        && buffer_reserve(&pair->reached, rows, sizeof(int32_t))
        && buffer_reserve(&pair->summary_errors, words_of_bits(rows) + SPARE_WORDS, sizeof(uint64_t))
        && buffer_reserve(&pair->targets, columns, sizeof(int32_t))
        && buffer_reserve(&pair->wide, 2 * words_of_bits(columns), sizeof(uint64_t))
        && buffer_reserve(&pair->reference_errors, words_of_bits(columns) + SPARE_WORDS, sizeof(uint64_t));
}

/* Looks up the words of a summary among the marks of the reference. */
static void look_up(Pair *pair, const uint32_t *words, const uint64_t *marks)
{
    uint32_t *keys = pair->words.data;
    uint64_t *matches = pair->matches.data;
    for (int32_t word = 0; word < pair->rows; word++)
        if (pair->reference->is_short) {
            keys[word] = words[word];
            matches[word] = marks[words[word]];
        } else {
            keys[word] = (uint32_t)marks[words[word]];
        }
}

int32_t pair_least_distance(const Pair *pair)
{
    const uint64_t *matches = pair->matches.data;
    uint64_t taken = 0; /* by each word its first position that is left */
    for (int32_t word = 0; word < pair->rows; word++) {
        uint64_t left = matches[word] & ~taken;
        taken |= left & (0 - left);
    }
    return (pair->rows > pair->columns ? pair->rows : pair->columns) - count_bits(taken);
}

/* Computes the distance without the band; returns whether the band does not change it. */
static bool is_plain(Pair *pair)
{
    if (!pair->reference->is_short)
        return false;
    pair->method = PLAIN;
    compute_rows(pair, 0);
    return is_within_band(pair->distance, pair->rows, pair->columns);
}

bool pair_compare(Pair *pair, const Reference *reference, const uint32_t *words, int32_t rows, const uint64_t *marks)
{
    pair->reference = reference;
    pair->rows = rows;
    pair->columns = reference->length;
    if (!reserve_rows(pair))
        return false;
    look_up(pair, words, marks);
    ((Row *)pair->states.data)[0] = (Row){~UINT64_C(0), 0, 0, 0, 0, 0};
    if (is_plain(pair))
        return true;
    pair->method = pair->columns / 2.0 / rows <= HALF_WIDTH && lay_windows(pair) ? WINDOW : CELLS;
    if (pair->method == CELLS && !lay_edges(pair))
        return false;
    compute_rows(pair, 0);
    return true;
}

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

static void reverse_words(Pair *pair, int32_t start, int32_t end)
{
    uint32_t *words = pair->words.data;
    uint64_t *matches = pair->matches.data;
    for (end--; start < end; start++, end--) {
        uint32_t word = words[start];
        uint64_t match = matches[start];
        words[start] = words[end];
        words[end] = word;
        matches[start] = matches[end];
        matches[end] = match;
    }
}

static void shift_words(Pair *pair, int32_t start, int32_t middle, int32_t end)
{
    reverse_words(pair, start, middle);
    reverse_words(pair, middle, end);
    reverse_words(pair, start, end);
}

static int32_t cells_distance(Pair *pair, int32_t start, int32_t middle, int32_t end)
{
    int32_t before = pair->distance;
    shift_words(pair, start, middle, end);
    all_cells(pair);
    shift_words(pair, start, start + end - middle, end);
    int32_t after = pair->distance;
    pair->distance = before;
    return after;
}

int32_t distance_after_shift(Pair *pair, int32_t start, int32_t middle, int32_t end, int32_t gain)
{
    count_work(pair, pair->rows - start);
    switch (pair->method) {
    case PLAIN:
        return bits_distance(pair, PLAIN, start, middle, end, gain);
    case WINDOW:
        return bits_distance(pair, WINDOW, start, middle, end, gain);
    default:
        return cells_distance(pair, start, middle, end);
    }
}

void pair_shift(Pair *pair, int32_t start, int32_t middle, int32_t end)
{
    shift_words(pair, start, middle, end);
    compute_rows(pair, start);
}

/* ---- alignment --------------------------------------------------------------------------------------------------- */

static Step step_of_cell(const Pair *pair, int32_t row, int32_t column)
{
    const CellRow *edges = (const CellRow *)pair->edges.data + row;
    if (column < edges->first || column >= edges->end) /* unreachable; never read outside of the array */
        return UP;
    return (Step)((const unsigned char *)pair->steps.data)[edges->steps + (size_t)(column - edges->first)];
}

/* Returns the bit of a column in a row of bits; 0 for the column before the band. */
static inline uint64_t bit_of_column(const Pair *pair, Method method, int32_t row, int32_t column)
{
    int32_t base = method == WINDOW ? ((const BandRow *)pair->band.data)[row].base : 0;
    return column == base ? 0 : UINT64_C(1) << (column - base - 1);
}

static inline bool is_matched(const Pair *pair, Method method, int32_t row, int32_t column)
{
    if (method == CELLS)
        return step_of_cell(pair, row, column) == MATCH;
    return ((const Row *)pair->states.data)[row].matched & bit_of_column(pair, method, row, column);
}

/* Returns the step to a cell that is not a match. */
static inline Step step_of_error(const Pair *pair, Method method, int32_t row, int32_t column)
{
    if (method == CELLS)
        return step_of_cell(pair, row, column);
    const Row *state = (const Row *)pair->states.data + row;
    uint64_t bit = bit_of_column(pair, method, row, column);
    if (bit != 0 && !(state->sideways & bit))
        return SUBSTITUTION;
    return bit == 0 || state->up & bit ? UP : LEFT;
}

static void fill_bits(uint64_t *bits, int32_t count)
{
    size_t full = (size_t)count / WORD_BITS, all = words_of_bits((size_t)count);
    memset(bits, 0xff, full * sizeof *bits);
    memset(bits + full, 0, (all - full + SPARE_WORDS) * sizeof *bits);
    if (all > full)
        bits[full] = low_bits(count % WORD_BITS);
}

void pair_align(Pair *pair)
{
    const Method method = pair->method; /* in a variable, because the loop writes to memory */
    int32_t row = pair->rows, column = pair->columns;
    int32_t *targets = pair->targets.data, *reached = pair->reached.data;
    uint64_t *summary_errors = pair->summary_errors.data, *reference_errors = pair->reference_errors.data;
    fill_bits(summary_errors, row);
    fill_bits(reference_errors, column);
    reached[row] = column;
    while (row > 0 && column > 0) {
        int32_t matched = 0;
        for (; row > 0 && column > 0 && is_matched(pair, method, row, column); matched++) {
            targets[column--] = row--;
            reached[row] = column;
        }
        clear_bits(summary_errors, (size_t)row, matched);
        clear_bits(reference_errors, (size_t)column, matched);
        if (row == 0 || column == 0)
            break;
        Step step = step_of_error(pair, method, row, column);
        targets[column] = row;
        column -= step != UP;
        row -= step != LEFT;
        if (step != LEFT)
            reached[row] = column;
    }
    memset(targets, 0, ((size_t)column + 1) * sizeof *targets);
    memset(reached, 0, (size_t)row * sizeof *reached);
}
