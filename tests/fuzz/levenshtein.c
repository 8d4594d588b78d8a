/* Compares the native edit distance with a textbook programme, on random pairs, and lets memory fail.

   levenshtein SEED GROUPS: works out so many groups of random pairs; prints how many pairs were compared. `run` builds it
   with sanitizers. Nothing of Python is in it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "levenshtein.h"

enum { MOST_SYMBOLS = 4400, MOST_PAIRS = 24 };

/* ---- the textbook ----------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t symbols[MOST_SYMBOLS];
    size_t length;
} Text;

static int64_t least(int64_t first, int64_t second) { return first < second ? first : second; }

static int64_t textbook(const Text *first, const Text *second)
{
    static int64_t cells[MOST_SYMBOLS + 1];
    for (size_t column = 0; column <= second->length; column++)
        cells[column] = (int64_t)column;
    for (size_t row = 0; row < first->length; row++) {
        int64_t diagonal = cells[0];
        cells[0]++;
        for (size_t column = 0; column < second->length; column++) {
            int64_t above = cells[column + 1];
            int64_t changed = diagonal + (first->symbols[row] != second->symbols[column]);
            cells[column + 1] = least(changed, 1 + least(above, cells[column]));
            diagonal = above;
        }
    }
    return cells[second->length];
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

/* Lengths around the ends of 64-bit words, of vectors of them, and of what is done in one go; few are long. */
static size_t random_length(void)
{
    static const size_t EDGES[] = {64, 128, 192, 256, 320, 512, 576, 768, 1024, 1280, 2048};
    uint32_t size = chance(4000);
    if (size < 2800)
        return chance(14);
    if (size < 3400)
        return 62 + chance(6);
    if (size < 3800)
        return chance(140);
    return EDGES[chance(size < 3960 ? 4 : size < 3990 ? 8 : 11)] + 2 - chance(5);
}

static uint32_t random_symbol(uint32_t kinds, uint32_t step) { return chance(kinds) * step; }

static void random_text(Text *text, uint32_t kinds, uint32_t step)
{
    text->length = random_length();
    for (size_t place = 0; place < text->length; place++)
        text->symbols[place] = random_symbol(kinds, step);
}

/* Makes a text of another: pieces are left out, put in, replaced, or moved to the end. */
static void random_rewriting(const Text *from, Text *to, uint32_t kinds, uint32_t step)
{
    uint32_t rate = 2 + chance(60);
    size_t turn = chance(8) == 0 ? chance((uint32_t)from->length + 1) : 0;
    to->length = 0;
    for (size_t index = 0; index < from->length; index++) {
        uint32_t symbol = from->symbols[(index + turn) % from->length];
        uint32_t edit = chance(rate);
        if (edit == 0)
            continue;
        to->symbols[to->length++] = edit == 1 ? random_symbol(kinds, step) : symbol;
        if (edit == 2)
            to->symbols[to->length++] = random_symbol(kinds, step);
    }
}

/* ---- a group of pairs ------------------------------------------------------------------------------------------- */

typedef struct {
    LevenshteinPair pairs[MOST_PAIRS];
    int64_t expected[MOST_PAIRS];
    size_t count;
} Case;

/* Copies a text to memory of its size, so that a sanitizer sees what is read beyond, in symbols of some bytes. */
static Symbols written(const Text *text, unsigned width)
{
    unsigned char *data = malloc(text->length * width + (text->length == 0));
    for (size_t place = 0; place < text->length; place++) {
        uint8_t narrow = (uint8_t)text->symbols[place];
        uint16_t half = (uint16_t)text->symbols[place];
        const void *symbol = width == 1 ? (const void *)&narrow : width == 2 ? (const void *)&half : &text->symbols[place];
        memcpy(data + place * width, symbol, width);
    }
    return (Symbols){data, text->length, width};
}

/* Returns bytes of a symbol that are enough for those below `end`. */
static unsigned random_width(uint32_t end)
{
    unsigned least_width = end <= 256 ? 1 : end <= 65536 ? 2 : 4;
    unsigned width = 1U << chance(3);
    return width < least_width ? least_width : width;
}

static void make_pair(LevenshteinPair *pair, int64_t *expected)
{
    static const uint32_t KINDS[] = {1, 2, 3, 6, 26, 200, 256, 1000}, STEPS[] = {1, 1, 61, 4099};
    static Text first, second;
    uint32_t kinds = KINDS[chance(8)], step = STEPS[chance(4)], end = (kinds - 1) * step + 1;
    random_text(&first, kinds, step);
    if (chance(3) > 0)
        random_rewriting(&first, &second, kinds, step);
    else
        random_text(&second, kinds, step);
    bool are_words = step == 1 && chance(3) == 0;
    unsigned width = are_words ? 4 : random_width(end);
    *pair = (LevenshteinPair){written(&first, width), written(&second, are_words ? 4 : random_width(end)), 0};
    if (are_words)
        pair->kinds = end;
    if (chance(2)) {
        Symbols summary = pair->summary;
        pair->summary = pair->reference;
        pair->reference = summary;
    }
    *expected = textbook(&first, &second);
}

static void free_case(const Case *made)
{
    for (size_t index = 0; index < made->count; index++) {
        free((void *)made->pairs[index].summary.data);
        free((void *)made->pairs[index].reference.data);
    }
}

static void check_case(const Case *made, const int64_t *distances, long number)
{
    for (size_t index = 0; index < made->count; index++)
        if (distances[index] != made->expected[index]) {
            const LevenshteinPair *pair = &made->pairs[index];
            fprintf(
                stderr, "group %ld, pair %zu of %zu and %zu symbols: distance %ld, expected %ld\n", number, index,
                pair->summary.length, pair->reference.length, (long)distances[index], (long)made->expected[index]);
            exit(1);
        }
}

/* Works a group out while memory fails after some allocations; all must be whole afterwards. */
static void starve(const Case *made, int64_t *distances, long number)
{
    Levenshtein *levenshtein = levenshtein_new(NULL, NULL);
    allocations_left = (long)chance(8);
    LevenshteinOutcome outcome = levenshtein_distances(levenshtein, made->pairs, made->count, distances);
    allocations_left = -1;
    if (outcome == LEVENSHTEIN_NO_MEMORY)
        outcome = levenshtein_distances(levenshtein, made->pairs, made->count, distances);
    if (outcome != LEVENSHTEIN_DONE)
        exit(1);
    check_case(made, distances, number);
    levenshtein_free(levenshtein);
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0, starved = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    Levenshtein *levenshtein = levenshtein_new(NULL, NULL);
    for (long number = 0; number < groups; number++) {
        static Case made;
        int64_t distances[MOST_PAIRS];
        made.count = 1 + chance(MOST_PAIRS);
        for (size_t index = 0; index < made.count; index++)
            make_pair(&made.pairs[index], &made.expected[index]);
        if (levenshtein_distances(levenshtein, made.pairs, made.count, distances) != LEVENSHTEIN_DONE)
            return 1;
        check_case(&made, distances, number);
        pairs += (long)made.count;
        if (number % 16 == 0) {
            starve(&made, distances, number);
            starved++;
        }
        free_case(&made);
    }
    levenshtein_free(levenshtein);
    printf("%ld groups, %ld pairs: equal to the textbook; memory failed in %ld more\n", groups, pairs, starved);
    return 0;
}
