#include "stripes.h"

#include <string.h>

/* What is worked on: no more than what a distance of `limit` may need (Ukkonen 1985). In a row, D(i, j) + j and
   D(i, j) - j do not cross over: with each column D(i, j) + j becomes no less, and D(i, j) - j no greater. So what a path
   costs that goes through a column, D(i, j) and the way from there to the end's diagonal at least, is least where the row
   crosses that diagonal and becomes no less to either side. */
typedef struct {
    Symbols pattern, text;
    int64_t rows, columns;
    int64_t limit;
    int64_t row;               /* the last one that is done */
    int64_t left, right;       /* its first and its last column; multiples of 64, `right` may be the last of all */
    int64_t at_left, at_right; /* D there */
    int64_t least;             /* what no path through the row costs less than */
} Band;

/* Pairs of so many rows are likely enough to have a small distance for it to be tried. */
enum { LONG = 1024, FIRST_SLACK = 128 };

void stripes_free(Stripes *stripes)
{
    masks_free(&stripes->masks);
    buffer_free(&stripes->rises);
    buffer_free(&stripes->falls);
}

/* ---- a row ------------------------------------------------------------------------------------------------------ */

static int64_t lesser(int64_t first, int64_t second) { return first < second ? first : second; }

static int64_t greater(int64_t first, int64_t second) { return first > second ? first : second; }

/* Returns how much greater D is at most 64 columns on, `start` being a multiple of 64. */
static int64_t rise_between(const Stripes *stripes, int64_t start, int64_t end)
{
    uint64_t asked = low_bits(end - start);
    size_t word = (size_t)start / WORD_BITS;
    return count_bits(((uint64_t *)stripes->rises.data)[word] & asked)
        - count_bits(((uint64_t *)stripes->falls.data)[word] & asked);
}

static int64_t value_at(const Stripes *stripes, const Band *band, int64_t column)
{
    int64_t value = band->at_left;
    for (int64_t start = band->left; start < column; start += WORD_BITS)
        value += rise_between(stripes, start, lesser(start + WORD_BITS, column));
    return value;
}

/* Leaves out what no path within the limit goes through; returns false where there is none. */
static bool narrow(const Stripes *stripes, Band *band)
{
    int64_t crossing = band->row + band->columns - band->rows;
    int64_t nearest = greater(band->left, lesser(band->right, crossing));
    int64_t value = value_at(stripes, band, nearest);
    band->at_right = value_at(stripes, band, band->right);
    band->least = value + (crossing > nearest ? crossing - nearest : nearest - crossing);
    if (band->least > band->limit)
        return false;
    band->limit = lesser(band->limit, value + greater(band->rows - band->row, band->columns - nearest));
    while (band->left + WORD_BITS <= nearest) {
        int64_t next = band->left + WORD_BITS, there = band->at_left + rise_between(stripes, band->left, next);
        if (there + crossing - next <= band->limit)
            break;
        band->left = next;
        band->at_left = there;
    }
    while (band->right > nearest) {
        int64_t next = (band->right - 1) / WORD_BITS * WORD_BITS;
        int64_t there = band->at_right - rise_between(stripes, next, band->right);
        if (next < nearest || there + next - crossing <= band->limit)
            break;
        band->right = next;
        band->at_right = there;
    }
    return true;
}

/* Takes in the columns that a path within the limit may come to in the next rows. Further right than before the row that
   is done is taken to rise, which is no less than what is there. */
static void widen(Stripes *stripes, Band *band, int64_t height)
{
    int64_t slack = band->limit - band->at_right + band->right - band->row + band->columns - band->rows;
    int64_t reach = slack / 2 + band->row + height;
    int64_t right = reach < band->columns ? (reach + WORD_BITS - 1) / WORD_BITS * WORD_BITS : band->columns;
    right = lesser(right, band->columns);
    if (right <= band->right)
        return;
    size_t start = (size_t)band->right / WORD_BITS, count = words_of_bits((size_t)right) - start;
    memset((uint64_t *)stripes->rises.data + start, 0xff, count * sizeof(uint64_t));
    memset((uint64_t *)stripes->falls.data + start, 0, count * sizeof(uint64_t));
    band->at_right += right - band->right;
    band->right = right;
}

/* ---- a stripe --------------------------------------------------------------------------------------------------- */

/* Finds for 64 steps where the symbols stand that the lanes come to. Lane `first` begins with the column after `start`,
   each lane after it a step later. */
static void look_up(Stripes *stripes, const Band *band, size_t first, int64_t start)
{
    for (size_t lane = first; lane < LANES; lane++, start--) {
        int64_t begin = greater(start, band->left), end = lesser(start + WORD_BITS, band->right);
        int64_t early = begin - start; /* a lane that has not begun must not change */
        for (int64_t step = 0; step < early; step++)
            stripes->matches[step][lane] = 0;
        if (begin >= end)
            continue;
        Symbols part = part_of(&band->text, (size_t)begin, (size_t)(end - begin));
        masks_look_up(&stripes->masks, lane, &part, stripes->matches + early, lane);
    }
}

/* Works out the columns of a stripe and puts its last row in the place of the row above it. */
static void run_columns(Stripes *stripes, const Band *band, Team *team, size_t first)
{
    uint64_t *rises = stripes->rises.data, *falls = stripes->falls.data;
    unsigned delay = (unsigned)(LANES - 1 - first); /* of what comes out */
    int64_t end = band->right + delay;
    for (int64_t start = band->left; start < end && !is_stopped(&stripes->watch); start += WORD_BITS) {
        size_t word = (size_t)start / WORD_BITS, steps = (size_t)lesser(WORD_BITS, end - start);
        bool has_columns = start < band->right;
        look_up(stripes, band, first, start);
        team->in_rise[first] = has_columns ? rises[word] : 0;
        team->in_fall[first] = has_columns ? falls[word] : 0;
        stripes->run(team, (const uint64_t(*)[LANES])stripes->matches, steps);
        stripes->watch.work += WORD_BITS;
        uint64_t rise = team->out_rise[LANES - 1], fall = team->out_fall[LANES - 1];
        if (start > band->left) {
            rises[word - 1] |= rise << 1 << (WORD_BITS - 1 - delay);
            falls[word - 1] |= fall << 1 << (WORD_BITS - 1 - delay);
        }
        if (has_columns) {
            rises[word] = rise >> delay;
            falls[word] = fall >> delay;
        }
    }
}

/* Goes on by `height` rows. If they do not fill the stripe the first of its lanes are not used, and rows that match
   nothing fill the next one up. */
static void run_stripe(Stripes *stripes, Band *band, int64_t height)
{
    size_t spare = (size_t)(STRIPE_ROWS - height), first = spare / WORD_BITS;
    Symbols pattern = part_of(&band->pattern, (size_t)band->row, (size_t)height);
    Team team = {0};
    for (size_t lane = first; lane < LANES; lane++) {
        team.rise[lane] = lane > first ? ~UINT64_C(0) : ~low_bits((int64_t)(spare % WORD_BITS));
        team.linked[lane] = lane > first ? ~UINT64_C(0) : 0;
    }
    masks_set(&stripes->masks, &pattern, spare);
    run_columns(stripes, band, &team, first);
    masks_clear(&stripes->masks, &pattern, spare);
    band->row += height;
    band->at_left += height;
}

/* ---- a pair ----------------------------------------------------------------------------------------------------- */

/* Finds the distance, if it is within the limit. */
static bool is_within(Stripes *stripes, Band *band)
{
    band->row = band->left = band->right = band->at_left = band->at_right = 0;
    int64_t height = (band->rows - 1) % STRIPE_ROWS + 1;
    for (; band->row < band->rows; height = STRIPE_ROWS) {
        widen(stripes, band, height);
        run_stripe(stripes, band, height);
        if (stripes->watch.stopped || !narrow(stripes, band))
            return false;
    }
    return true;
}

/* Returns a limit to try after one that was too low: as much as the rows so far make likely, and twice as much. */
static int64_t next_limit(const Band *band, int64_t most)
{
    double likely = 1.125 * (double)band->least * (double)band->rows / (double)band->row;
    int64_t limit = lesser(most, 2 * band->limit);
    return likely < (double)most ? greater(limit, (int64_t)likely) : most;
}

StripesOutcome stripes_distance(
    Stripes *stripes, const Symbols *pattern, const Symbols *text, size_t kinds, int64_t *distance)
{
    Band band = {.pattern = *pattern, .text = *text};
    band.rows = (int64_t)pattern->length;
    band.columns = (int64_t)text->length;
    size_t words = words_of_bits(text->length);
    if (!masks_reserve(&stripes->masks, LANES, kinds) || !buffer_reserve(&stripes->rises, words, sizeof(uint64_t))
        || !buffer_reserve(&stripes->falls, words, sizeof(uint64_t)))
        return STRIPES_NO_MEMORY;
    int64_t most = greater(band.rows, band.columns), apart = most - lesser(band.rows, band.columns);
    int64_t limit = band.rows > LONG ? lesser(most, apart + FIRST_SLACK) : most;
    for (;; limit = next_limit(&band, most)) {
        band.limit = limit;
        if (is_within(stripes, &band))
            break;
        if (stripes->watch.stopped)
            return STRIPES_STOPPED;
    }
    *distance = value_at(stripes, &band, band.columns);
    return STRIPES_DONE;
}
