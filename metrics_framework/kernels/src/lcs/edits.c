#include "lcs/edits.h"

#include <string.h>

#include "base/bits.h"

/* The number of 64-bit words of the first text that are computed together, and their symbols. */
enum { STRIPE_WORDS = 4, STRIPE = STRIPE_WORDS * WORD_BITS };

/* The number of symbols of the second text between two checks for an interrupt. */
enum { ROWS_AT_ONCE = 1 << 14 };

/* Texts of at least `LEAST_FIRST` and `LEAST_SECOND` symbols are divided if their comparison has this number of cells.
   FW_SMALL_TABLES lets tests divide short texts. */
#ifdef FW_SMALL_TABLES
enum { LEAST_FIRST = 5, LEAST_SECOND = 4, MANY_CELLS = 50 };
#else
enum { LEAST_FIRST = 65, LEAST_SECOND = 10, MANY_CELLS = 1 << 22 };
#endif

/* The differences between the costs of neighbouring starts of the first text, for one start of the second: bit k is that
   between the first k + 1 symbols and the first k. */
typedef struct {
    uint64_t more[STRIPE_WORDS], less[STRIPE_WORDS];
} Column;

/* What a stripe hands on to the next one. */
enum { CARRY_MORE = 1, CARRY_LESS = 2 };

void edits_free(EditMemory *memory)
{
    masks_free(&memory->masks);
    symbol_ids_free(&memory->symbol_ids);
    edit_band_free(&memory->band);
    buffer_free(&memory->carries);
    buffer_free(&memory->rows);
    buffer_free(&memory->costs);
    buffer_free(&memory->reversed);
}

bool edits_read(EditMemory *memory, Symbols first, Symbols second, size_t kinds, EditPair *pair)
{
    strip_common(&first, &second);
    if (kinds == 0 && (first.width > 1 || second.width > 1)) {
        if (!symbol_ids_translate(&memory->symbol_ids, &first, &second))
            return false;
        kinds = (size_t)memory->symbol_ids.used + 1;
    }
    *pair = (EditPair){first, second, kinds == 0 ? 256 : kinds};
    return true;
}

/* ---- stripes of the first text ----------------------------------------------------------------------------------- */

/* What the symbols of the second text are compared with, and where the results go. */
typedef struct {
    const Masks *masks;
    const Symbols *second;
    unsigned char *carries; /* NULL if the stripe is the whole text */
    uint64_t *kept;         /* for each symbol `more` of each word, then `less`; NULL for nothing */
} Comparison;

/* Compares a stripe with the symbols of the second text from `start` to `end` (Hyyrö 2003). */
static inline void run(
    Column *column, const Comparison *comparison, size_t words, bool is_whole, size_t start, size_t end)
{
    Column own = *column;
    const uint64_t *all = comparison->masks->words.data;
    size_t kinds = comparison->masks->kinds;
    const Symbols second = *comparison->second;
    unsigned char *carries = comparison->carries;
    uint64_t *kept = comparison->kept == NULL ? NULL : comparison->kept + 2 * words * start;
    for (size_t row = start; row < end; row++) {
        const uint64_t *mask = all + symbol_at(&second, row);
        unsigned char carry = is_whole ? CARRY_MORE : carries[row];
        uint64_t more_in = carry & CARRY_MORE, less_in = carry >> 1;
        for (size_t word = 0; word < words; word++) {
            uint64_t more = own.more[word], less = own.less[word], equal = mask[word * kinds] | less_in;
            uint64_t diagonal = (((equal & more) + more) ^ more) | equal | less;
            uint64_t right = less | ~(diagonal | more), left = diagonal & more;
            uint64_t shifted_right = right << 1 | more_in, shifted_left = left << 1 | less_in;
            more_in = right >> (WORD_BITS - 1);
            less_in = left >> (WORD_BITS - 1);
            own.more[word] = shifted_left | ~(diagonal | shifted_right);
            own.less[word] = shifted_right & diagonal;
        }
        if (!is_whole)
            carries[row] = (unsigned char)(more_in | less_in << 1);
        for (size_t word = 0; kept != NULL && word < words; word++) {
            kept[word] = own.more[word];
            kept[words + word] = own.less[word];
        }
        kept = kept == NULL ? NULL : kept + 2 * words;
    }
    *column = own;
}

/* `run` with a constant number of words, so that the compiler unrolls its loops. */
static void run_words(Column *column, const Comparison *comparison, size_t words, size_t start, size_t end)
{
    if (comparison->carries != NULL && words < STRIPE_WORDS)
        run(column, comparison, words, false, start, end);
    else if (comparison->carries != NULL)
        run(column, comparison, STRIPE_WORDS, false, start, end);
    else if (words == 1)
        run(column, comparison, 1, true, start, end);
    else if (words == 2)
        run(column, comparison, 2, true, start, end);
    else if (words == 3)
        run(column, comparison, 3, true, start, end);
    else
        run(column, comparison, STRIPE_WORDS, true, start, end);
}

/* Runs the stripe that begins at symbol `position` of the first text over the second text, and keeps its columns if `kept`
   is not NULL; writes the length of the stripe. Returns false if interrupted. */
static bool run_stripe(
    EditMemory *memory, const EditPair *pair, size_t position, Interrupt *interrupt, Column *column, uint64_t *kept,
    size_t *length)
{
    size_t left = pair->first.length - position;
    Symbols stripe = part_of(&pair->first, position, left < STRIPE ? left : STRIPE);
    size_t words = words_of_bits(stripe.length);
    unsigned char *carries = pair->first.length <= STRIPE ? NULL : memory->carries.data;
    Comparison comparison = {&memory->masks, &pair->second, carries, kept};
    bool done = true;
    *length = stripe.length;
    memset(column->more, 0xff, sizeof column->more);
    memset(column->less, 0, sizeof column->less);
    masks_set(&memory->masks, &stripe);
    for (size_t start = 0; done && start < pair->second.length; start += ROWS_AT_ONCE) {
        size_t end = pair->second.length - start < ROWS_AT_ONCE ? pair->second.length : start + ROWS_AT_ONCE;
        run_words(column, &comparison, words, start, end);
        interrupt->work += (end - start) * (1 + 4 * words);
        done = !is_interrupted(interrupt);
    }
    masks_clear(&memory->masks, &stripe);
    return done;
}

/* Prepares memory for two texts that are not empty. */
static bool reserve(EditMemory *memory, const EditPair *pair)
{
    size_t carries = pair->first.length <= STRIPE ? 0 : pair->second.length;
    if (!masks_reserve(&memory->masks, STRIPE_WORDS, pair->kinds) || !buffer_reserve(&memory->carries, carries, 1))
        return false;
    if (carries > 0)
        memset(memory->carries.data, CARRY_MORE, carries);
    return true;
}

/* Returns whether texts are divided, given the most edits that they can need. */
static bool is_divided(const EditPair *pair, size_t most)
{
    size_t band = most < pair->first.length / 2 ? 2 * most + 1 : pair->first.length;
    return pair->first.length >= LEAST_FIRST && pair->second.length >= LEAST_SECOND
        && band > (MANY_CELLS - 1) / pair->second.length;
}

/* ---- a band around the diagonal ---------------------------------------------------------------------------------- */

/* The share of the first text that is edited, expected at first: 35 %, as in simplified sentences. */
enum { GUESSED_PARTS = 7, PARTS = 20 };

/* Compares texts that need at most `most` edits in the narrowest band that is wide enough: in one for a guess, and if they
   need more edits, in one for those found. Writes a band without lanes if texts have to be compared in stripes. Returns
   false if out of memory or interrupted. */
static bool run_band(
    EditMemory *memory, const EditPair *pair, size_t most, Interrupt *interrupt, EditBand *band, size_t *distance)
{
    size_t guess = pair->first.length / PARTS * GUESSED_PARTS;
    *band = edit_band_for(pair, most < guess ? most : guess);
    for (; band->lanes > 0; *band = edit_band_for(pair, *distance)) {
        if (!edit_band_run(&memory->band, &memory->masks, pair, band, interrupt, distance))
            return false;
        if (*distance <= band->most_edits)
            break;
    }
    return true;
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

/* Adds the differences of a stripe to a cost. */
static size_t cost_after(size_t cost, const Column *column, size_t length)
{
    for (size_t word = 0; word < words_of_bits(length); word++) {
        uint64_t used = low_bits((int64_t)length - (int64_t)(WORD_BITS * word));
        cost += (size_t)count_bits(column->more[word] & used);
        cost -= (size_t)count_bits(column->less[word] & used);
    }
    return cost;
}

static bool distance_in_stripes(EditMemory *memory, const EditPair *pair, Interrupt *interrupt, size_t *distance)
{
    Column column;
    *distance = pair->second.length;
    if (!reserve(memory, pair))
        return false;
    for (size_t start = 0, length; start < pair->first.length; start += STRIPE) {
        if (!run_stripe(memory, pair, start, interrupt, &column, NULL, &length))
            return false;
        *distance = cost_after(*distance, &column, length);
    }
    return true;
}

bool edits_distance(EditMemory *memory, const EditPair *pair, Interrupt *interrupt, size_t *distance)
{
    EditBand band = {0, 0, 0};
    *distance = pair->second.length > 0 ? pair->second.length : pair->first.length;
    if (pair->first.length == 0 || pair->second.length == 0)
        return true;
    if (!is_divided(pair, SIZE_MAX) && !run_band(memory, pair, SIZE_MAX, interrupt, &band, distance))
        return false;
    return band.lanes > 0 || distance_in_stripes(memory, pair, interrupt, distance);
}

/* Writes the distance of each start of the first text, the empty one included, from the second text. */
static bool write_costs(EditMemory *memory, const EditPair *pair, Interrupt *interrupt, size_t *costs)
{
    Column column;
    costs[0] = pair->second.length;
    if (!reserve(memory, pair))
        return false;
    for (size_t start = 0, length; start < pair->first.length; start += STRIPE) {
        if (!run_stripe(memory, pair, start, interrupt, &column, NULL, &length))
            return false;
        for (size_t position = 0; position < length; position++) {
            uint64_t more = column.more[position / WORD_BITS], less = column.less[position / WORD_BITS];
            size_t bit = position % WORD_BITS;
            costs[start + position + 1] = costs[start + position] + (more >> bit & 1) - (less >> bit & 1);
        }
    }
    return true;
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* The way back through the columns: where it is, and the insertions so far. */
typedef struct {
    size_t column, row, insertions;
} Path;

/* What was kept of one word of the first text: `more` for a symbol of the second text, and where `less` and the symbol
   before are from there. */
typedef struct {
    const uint64_t *more;
    size_t less, step;
} Kept;

/* Follows the path through one word of the first text, whose symbols start at `start`. A deletion is preferred to all other
   steps, a substitution to an insertion, and an insertion to a symbol that both texts share. */
static void follow_path(Path *path, size_t start, Kept kept)
{
    size_t row = path->row, insertions = path->insertions;
    uint64_t bit = UINT64_C(1) << (path->column - start - 1);
    while (row > 0) {
        if ((*kept.more & bit) != 0) { /* deletions, down to the next bit that is not set */
            uint64_t others = ~*kept.more & (bit - 1);
            bit = others == 0 ? 0 : UINT64_C(1) << highest_bit(others);
            if (bit == 0)
                break;
        }
        if (--row > 0)
            kept.more -= kept.step;
        if (row > 0 && (kept.more[kept.less] & bit) != 0) {
            insertions++;
            continue;
        }
        bit >>= 1;
        if (bit == 0)
            break;
    }
    *path = (Path){bit == 0 ? start : start + (size_t)lowest_bit(bit) + 1, row, insertions};
}

/* Returns what was kept of a word of the first text for the symbol of the second before `row`, where the texts were
   compared in a band, or in stripes. */
static Kept kept_of(const EditMemory *memory, const EditPair *pair, const EditBand *band, size_t word, size_t row)
{
    if (band->lanes > 0)
        return (Kept){edit_band_column(&memory->band, band, word, row - 1), band->lanes, 2 * band->lanes};
    size_t first_word = word - word % STRIPE_WORDS, left = words_of_bits(pair->first.length) - first_word;
    size_t words = left < STRIPE_WORDS ? left : STRIPE_WORDS;
    const uint64_t *stripe = (const uint64_t *)memory->rows.data + 2 * first_word * pair->second.length;
    return (Kept){stripe + 2 * (row - 1) * words + word - first_word, words, 2 * words};
}

/* Counts the insertions on the path. */
static size_t insertions_on_path(const EditMemory *memory, const EditPair *pair, const EditBand *band)
{
    Path path = {pair->first.length, pair->second.length, 0};
    while (path.row > 0 && path.column > 0) {
        size_t word = (path.column - 1) / WORD_BITS;
        follow_path(&path, word * WORD_BITS, kept_of(memory, pair, band, word, path.row));
    }
    return path.insertions + path.row;
}

/* Compares texts in stripes and keeps all columns. */
static bool keep_stripes(EditMemory *memory, const EditPair *pair, Interrupt *interrupt, size_t *distance)
{
    size_t words = words_of_bits(pair->first.length);
    if (pair->second.length > PTRDIFF_MAX / 16 / words || !reserve(memory, pair)
        || !buffer_reserve(&memory->rows, 2 * words * pair->second.length, sizeof(uint64_t)))
        return false;
    Column column;
    uint64_t *kept = memory->rows.data;
    *distance = pair->second.length;
    for (size_t start = 0, length; start < pair->first.length; start += STRIPE) {
        uint64_t *rows = kept + 2 * STRIPE_WORDS * (start / STRIPE) * pair->second.length;
        if (!run_stripe(memory, pair, start, interrupt, &column, rows, &length))
            return false;
        *distance = cost_after(*distance, &column, length);
    }
    return true;
}

/* Counts the edits of texts that are compared as a whole and need at most `most`. */
static bool count_whole(EditMemory *memory, const EditPair *pair, size_t most, Interrupt *interrupt, Edits *edits)
{
    size_t first = pair->first.length, second = pair->second.length;
    size_t distance = first > 0 ? first : second, insertions = second;
    if (first > 0 && second > 0) {
        EditBand band;
        if (!run_band(memory, pair, most, interrupt, &band, &distance)
            || (band.lanes == 0 && !keep_stripes(memory, pair, interrupt, &distance)))
            return false;
        insertions = insertions_on_path(memory, pair, &band);
        interrupt->work += first + second;
    } else if (second == 0) {
        insertions = 0;
    }
    size_t deletions = insertions + first - second;
    edits->substitutions += distance - deletions - insertions;
    edits->deletions += deletions;
    edits->insertions += insertions;
    return true;
}

/* Reverses the symbols of a text. */
static Symbols reversed(const Symbols *symbols, uint32_t *out)
{
    for (size_t position = 0; position < symbols->length; position++)
        out[position] = symbol_at(symbols, symbols->length - 1 - position);
    return (Symbols){(const unsigned char *)out, symbols->length, sizeof *out};
}

/* Finds where the first text is divided if the second is divided after `middle` symbols: the first of the positions after
   its first symbol that add the fewest edits. */
static bool find_division(
    EditMemory *memory, const EditPair *pair, size_t middle, Interrupt *interrupt, size_t *position, size_t *left,
    size_t *right)
{
    const Symbols *first = &pair->first, *second = &pair->second;
    if (!buffer_reserve(&memory->costs, 2 * (first->length + 1), sizeof(size_t))
        || !buffer_reserve(&memory->reversed, first->length + second->length, sizeof(uint32_t)))
        return false;
    size_t *starts = memory->costs.data, *ends = starts + first->length + 1, best = SIZE_MAX;
    Symbols start = part_of(second, 0, middle), end = part_of(second, middle, second->length - middle);
    uint32_t *out = memory->reversed.data;
    EditPair before = {*first, start, pair->kinds};
    EditPair after = {reversed(first, out), reversed(&end, out + first->length), pair->kinds};
    if (!write_costs(memory, &after, interrupt, ends) || !write_costs(memory, &before, interrupt, starts))
        return false;
    for (size_t index = 1; index <= first->length; index++)
        if (starts[index] + ends[first->length - index] < best) {
            best = starts[index] + ends[first->length - index];
            *position = index;
        }
    *left = starts[*position];
    *right = ends[first->length - *position];
    interrupt->work += 4 * (first->length + second->length);
    return true;
}

static bool add_edits(EditMemory *memory, EditPair pair, size_t most, Interrupt *interrupt, Edits *edits);

/* Adds the edits of texts without a common start or end, which need at most `most`; long texts are divided (Hirschberg
   1975). */
static bool add_different(EditMemory *memory, const EditPair *pair, size_t most, Interrupt *interrupt, Edits *edits)
{
    if (!is_divided(pair, most))
        return count_whole(memory, pair, most, interrupt, edits);
    size_t middle = pair->second.length / 2, position = 0, left, right;
    if (!find_division(memory, pair, middle, interrupt, &position, &left, &right))
        return false;
    EditPair before = {part_of(&pair->first, 0, position), part_of(&pair->second, 0, middle), pair->kinds};
    EditPair after = {
        part_of(&pair->first, position, pair->first.length - position),
        part_of(&pair->second, middle, pair->second.length - middle),
        pair->kinds,
    };
    return add_edits(memory, before, left, interrupt, edits) && add_edits(memory, after, right, interrupt, edits);
}

/* Adds the edits of parts of texts that need at most `most`. */
static bool add_edits(EditMemory *memory, EditPair pair, size_t most, Interrupt *interrupt, Edits *edits)
{
    strip_common(&pair.first, &pair.second);
    return add_different(memory, &pair, most, interrupt, edits);
}

bool edits_count(EditMemory *memory, const EditPair *pair, Interrupt *interrupt, Edits *edits)
{
    *edits = (Edits){0, 0, 0};
    return add_different(memory, pair, SIZE_MAX, interrupt, edits);
}
