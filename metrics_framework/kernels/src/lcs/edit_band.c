#include "lcs/edit_band.h"

#include <string.h>

#include "base/bits.h"
#include "lcs/edit_lanes.h"

/* Each word has a lane from `ahead` rows before its first symbol on, for PERIOD steps for each lane; then the lane is that
   of another word. Each word starts PERIOD steps after the word before it. */
enum { PERIOD = WORD_BITS + LAG };

/* The number of steps between two checks for an interrupt. */
enum { STEPS_AT_ONCE = 1 << 13 };

void edit_band_free(EditBandMemory *memory)
{
    buffer_free(&memory->symbols);
    buffer_free(&memory->columns);
}

/* ---- the width of a band ----------------------------------------------------------------------------------------- */

/* A word w is compared from row 64 · w − ahead on, in PERIOD · lanes − LAG rows, so the cells of all its symbols are compared
   where the row minus the column is above −ahead and at most PERIOD · lanes − LAG − 64 − ahead. A path needs two edits for each
   step beyond a side of the diagonals of the first and of the last cell, and one for each of those between them. */
static EditBand band_of(const EditPair *pair, size_t lanes)
{
    size_t words = words_of_bits(pair->first.length);
    if (lanes >= words)
        return (EditBand){lanes, (ptrdiff_t)(WORD_BITS * words), SIZE_MAX};
    ptrdiff_t more = (ptrdiff_t)pair->second.length - (ptrdiff_t)pair->first.length;
    ptrdiff_t width = (ptrdiff_t)(PERIOD * lanes) - LAG - WORD_BITS - 1;
    if (more > width || more < -width)
        return (EditBand){lanes, 0, 0};
    ptrdiff_t ahead = ((width - more) / 2 + 1) / 2 * 2;
    ptrdiff_t above = 2 * (ahead - 1) + more, below = 2 * (width - ahead + 1) - more, most = above < below ? above : below;
    return (EditBand){lanes, ahead, most < 0 ? 0 : (size_t)most};
}

EditBand edit_band_for(const EditPair *pair, size_t edits)
{
    size_t first = pair->first.length, second = pair->second.length, gap = first < second ? second - first : first - second;
    size_t words = words_of_bits(first), needed = edits < gap ? gap : edits;
    EditBand band = {0, 0, 0};
    if (words < 2 || second < 2 * LAG * words || pair->kinds >= UINT32_MAX / MAX_LANES)
        return band;
    for (size_t lanes = LANES_AT_ONCE; lanes <= MAX_LANES; lanes += LANES_AT_ONCE) {
        band = band_of(pair, lanes);
        if (band.most_edits >= needed)
            return band;
    }
    return (EditBand){0, 0, 0};
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

typedef struct {
    const EditPair *pair;
    const EditBand *band;
    uint64_t *masks;
    unsigned shift;          /* from a symbol to the index of its masks */
    const uint32_t *symbols; /* of the second text */
    EditLanes *lanes;
} Run;

static size_t word_count(const Run *run) { return words_of_bits(run->pair->first.length); }

static Symbols symbols_of_word(const Run *run, size_t word)
{
    size_t left = run->pair->first.length - WORD_BITS * word;
    return part_of(&run->pair->first, WORD_BITS * word, left < WORD_BITS ? left : WORD_BITS);
}

static void set_masks(const Run *run, size_t word)
{
    const Symbols symbols = symbols_of_word(run, word);
    uint64_t *masks = run->masks + word % run->band->lanes, bit = 1;
    unsigned shift = run->shift;
    for (size_t index = 0; index < symbols.length; index++, bit <<= 1)
        masks[(size_t)symbol_at(&symbols, index) << shift] |= bit;
}

static void clear_masks(const Run *run, size_t word)
{
    const Symbols symbols = symbols_of_word(run, word);
    uint64_t *masks = run->masks + word % run->band->lanes;
    unsigned shift = run->shift;
    for (size_t index = 0; index < symbols.length; index++)
        masks[(size_t)symbol_at(&symbols, index) << shift] = 0;
}

/* Gives a word its lane. */
static void start_word(Run *run, size_t word)
{
    EditLanes *lanes = run->lanes;
    size_t lane = word % lanes->lanes;
    if (word >= lanes->lanes) {
        clear_masks(run, word - lanes->lanes);
        lanes->inner[lane] = ~UINT64_C(0);
        lanes->inner[(lane + 1) % lanes->lanes] = 0;
    }
    lanes->more[lane] = ~UINT64_C(0);
    lanes->less[lane] = 0;
    lanes->symbols[lane] = run->symbols - LAG * word;
    set_masks(run, word);
}

/* Writes where the masks of the symbols of the second text are, so that each word has some in each step. Returns where
   they start. */
static const uint32_t *write_symbols(const EditPair *pair, unsigned shift, size_t before, size_t after, uint32_t *out)
{
    const Symbols *second = &pair->second;
    uint32_t none = (uint32_t)pair->kinds << shift, *start = out + before;
    for (size_t index = 0; index < before; index++)
        out[index] = none;
    if (second->width == 1)
        for (size_t index = 0; index < second->length; index++)
            start[index] = (uint32_t)second->data[index] << shift;
    else
        for (size_t index = 0; index < second->length; index++)
            start[index] = symbol_at(second, index) << shift;
    for (size_t index = 0; index < after; index++)
        start[second->length + index] = none;
    return start;
}

/* Before its first row, a lane compares symbols that occur nowhere and gets no carries, so that it stays as it is. */
static void start_lanes(Run *run, uint64_t *kept)
{
    EditLanes *lanes = run->lanes;
    lanes->lanes = run->band->lanes;
    lanes->masks = run->masks;
    lanes->kept = kept;
    for (size_t lane = 0; lane < lanes->lanes; lane++) {
        lanes->more[lane] = lanes->no_more_out[0][lane] = lanes->no_more_out[1][lane] = ~UINT64_C(0);
        lanes->less[lane] = lanes->less_out[0][lane] = lanes->less_out[1][lane] = 0;
        lanes->inner[lane] = mask_if(lane > 0);
        lanes->symbols[lane] = run->symbols - LAG * lane;
    }
}

/* Runs all steps. Returns false if interrupted. */
static bool run_steps(Run *run, size_t steps, Interrupt *interrupt)
{
    RunEditLanes run_lanes = edit_lanes_runner();
    size_t words = word_count(run), next = 0;
    bool done = true;
    for (; next < words && (ptrdiff_t)(WORD_BITS * next) <= run->band->ahead; next++)
        start_word(run, next);
    for (size_t step = 0; done && step < steps;) {
        size_t start = next < words ? PERIOD * next - (size_t)run->band->ahead : steps;
        size_t end = start - step > STEPS_AT_ONCE ? step + STEPS_AT_ONCE : start;
        run_lanes(run->lanes, step, end);
        interrupt->work += (end - step) * (2 + run->band->lanes);
        done = !is_interrupted(interrupt);
        if (done && end == start && next < words)
            start_word(run, next++);
        step = end;
    }
    for (size_t word = next > run->band->lanes ? next - run->band->lanes : 0; word < next; word++)
        clear_masks(run, word);
    return done;
}

/* Returns the cost of the last cell: those of the rows, and the differences of each word in the last of its rows. */
static size_t last_cost(const EditBandMemory *memory, const EditPair *pair, const EditBand *band)
{
    size_t cost = pair->second.length, words = words_of_bits(pair->first.length), last = pair->second.length - 1;
    for (size_t word = 0; word < words; word++) {
        size_t row = last;
        if (word + band->lanes < words) {
            size_t end = WORD_BITS * word + PERIOD * band->lanes - LAG - 1 - (size_t)band->ahead;
            row = end < last ? end : last;
        }
        const uint64_t *column = edit_band_column(memory, band, word, row);
        uint64_t used = low_bits((int64_t)pair->first.length - (int64_t)(WORD_BITS * word));
        cost += (size_t)count_bits(column[0] & used);
        cost -= (size_t)count_bits(column[band->lanes] & used);
    }
    return cost;
}

bool edit_band_run(
    EditBandMemory *memory, Masks *masks, const EditPair *pair, const EditBand *band, Interrupt *interrupt, size_t *distance)
{
    size_t words = words_of_bits(pair->first.length), lanes = band->lanes;
    size_t before = LAG * (words > lanes ? words : lanes), steps = (pair->second.length + LAG * words + 1) / 2 * 2;
    unsigned shift = (unsigned)highest_bit(2 * lanes - 1);
    if (!masks_reserve(masks, (size_t)1 << shift, pair->kinds + 1) || steps > PTRDIFF_MAX / 16 / MAX_LANES
        || !buffer_reserve(&memory->columns, 2 * lanes * steps, sizeof(uint64_t))
        || !buffer_reserve(&memory->symbols, before + steps, sizeof(uint32_t)))
        return false;
    EditLanes state;
    Run run = {pair, band, masks->words.data, shift, NULL, &state};
    run.symbols = write_symbols(pair, shift, before, steps - pair->second.length, memory->symbols.data);
    start_lanes(&run, memory->columns.data);
    if (!run_steps(&run, steps, interrupt))
        return false;
    *distance = last_cost(memory, pair, band);
    return true;
}

const uint64_t *edit_band_column(const EditBandMemory *memory, const EditBand *band, size_t word, size_t row)
{
    const uint64_t *columns = memory->columns.data;
    return columns + 2 * band->lanes * (row + LAG * word) + word % band->lanes;
}
