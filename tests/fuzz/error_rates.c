/* Compares the native kernel of WER and CER with a direct transcription of its definition on random texts, also when
   memory runs out.

   error_rates SEED GROUPS: prints the number of pairs that were compared. Built by `run` with sanitizers, without Python;
   with FW_SMALL_TABLES, texts are divided that otherwise would have to be longer. */

#include "case.h"
#include "metrics/error_rates.h"

enum { NUMBERS = 4 };

#ifdef FW_SMALL_TABLES
enum { LEAST_FIRST = 5, LEAST_SECOND = 4, MANY_CELLS = 50 };
#else
enum { LEAST_FIRST = 65, LEAST_SECOND = 10, MANY_CELLS = 1 << 22 };
#endif

static Sequence compared[MOST_TEXTS];

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Words are separated by a space, or by two characters of whitespace or more. */
static void read_words(const Codes *text, int start, int end, Sequence *words)
{
    words->length = 0;
    for (int position = start, word = start; position <= end; position++) {
        int blanks = 0;
        while (position + blanks < end && is_whitespace(text->codes[position + blanks]))
            blanks++;
        if (position < end && blanks < 2 && text->codes[position] != ' ')
            continue;
        if (position > word)
            words->units[words->length++] = number_of_word(text->codes + word, position - word);
        position += blanks > 0 ? blanks - 1 : 0;
        word = position + 1;
    }
}

static void read_text(const Case *made, size_t index, const ErrorRatesOptions *options)
{
    static Codes text;
    Sequence *units = &compared[index];
    decode(made->bytes[index], made->lengths[index], options->lowercase, &text);
    int start = 0, end = text.length;
    while (start < end && is_whitespace(text.codes[start]))
        start++;
    while (end > start && is_whitespace(text.codes[end - 1]))
        end--;
    if (!options->characters) {
        read_words(&text, start, end, units);
        return;
    }
    units->length = end - start;
    for (int position = start; position < end; position++)
        units->units[position - start] = (int)text.codes[position];
}

/* ---- edits ------------------------------------------------------------------------------------------------------- */

typedef struct {
    const int *units;
    int length;
} Part;

static Part part(Part text, int start, int end) { return (Part){text.units + start, end - start}; }

static int least(int first, int second) { return first < second ? first : second; }

/* The textbook algorithm; the cost of two starts is in row `second` and column `first`. */
static int *costs_of(Part first, Part second, bool from_ends)
{
    size_t width = (size_t)first.length + 1;
    int *costs = malloc(width * ((size_t)second.length + 1) * sizeof *costs);
    for (int row = 0; row <= second.length; row++)
        for (int column = 0; column <= first.length; column++) {
            int *cost = costs + (size_t)row * width + (size_t)column;
            *cost = row == 0 ? column : row;
            if (row == 0 || column == 0)
                continue;
            int one = first.units[from_ends ? first.length - column : column - 1];
            int other = second.units[from_ends ? second.length - row : row - 1];
            *cost = least(least(cost[-1], cost[-(ptrdiff_t)width]) + 1, cost[-(ptrdiff_t)width - 1] + (one != other));
        }
    return costs;
}

/* Adds substitutions, deletions and insertions on the way back, on which a deletion comes before all other steps, a
   substitution before an insertion, and an insertion before a symbol that both texts share. */
static void add_whole(Part first, Part second, int *edits)
{
    size_t width = (size_t)first.length + 1;
    int *costs = costs_of(first, second, false), row = second.length, column = first.length;
    while (row > 0 || column > 0) {
        const int *cost = costs + (size_t)row * width + (size_t)column;
        bool is_same = row > 0 && column > 0 && first.units[column - 1] == second.units[row - 1];
        bool substitutes = row > 0 && column > 0 && !is_same && *cost == cost[-(ptrdiff_t)width - 1] + 1;
        if (column > 0 && *cost == cost[-1] + 1) {
            edits[1]++;
            column--;
        } else if (row > 0 && *cost == cost[-(ptrdiff_t)width] + 1 && !substitutes) {
            edits[2]++;
            row--;
        } else {
            edits[0] += first.units[--column] != second.units[--row];
        }
    }
    free(costs);
}

static void add_edits(Part first, Part second, int most, int *edits)
{
    while (first.length > 0 && second.length > 0 && first.units[0] == second.units[0]) {
        first = part(first, 1, first.length);
        second = part(second, 1, second.length);
    }
    while (first.length > 0 && second.length > 0 && first.units[first.length - 1] == second.units[second.length - 1]) {
        first.length--;
        second.length--;
    }
    long band = least(first.length, 2 * most + 1);
    if (first.length < LEAST_FIRST || second.length < LEAST_SECOND || band * second.length < MANY_CELLS) {
        add_whole(first, second, edits);
        return;
    }
    int middle = second.length / 2, rest = second.length - middle, best = 1;
    int *left = costs_of(first, part(second, 0, middle), false);
    int *right = costs_of(first, part(second, middle, second.length), true);
    int *starts = left + middle * (first.length + 1), *ends = right + rest * (first.length + 1);
    for (int column = 2; column <= first.length; column++)
        if (starts[column] + ends[first.length - column] < starts[best] + ends[first.length - best])
            best = column;
    int before = starts[best], after = ends[first.length - best];
    free(left);
    free(right);
    add_edits(part(first, 0, best), part(second, 0, middle), before, edits);
    add_edits(part(first, best, first.length), part(second, middle, second.length), after, edits);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void statistics_of(const Case *made, size_t summary, double *expected)
{
    int fewest = -1;
    for (size_t reference = made->summaries; reference < made->summaries + made->references; reference++) {
        Part first = {compared[reference].units, compared[reference].length};
        Part second = {compared[summary].units, compared[summary].length};
        int *costs = costs_of(first, second, false), edits[3] = {0, 0, 0};
        int distance = costs[(second.length + 1) * (first.length + 1) - 1];
        free(costs);
        if (fewest >= 0 && distance >= fewest)
            continue;
        fewest = distance;
        add_edits(first, second, first.length + second.length, edits);
        for (int kind = 0; kind < 3; kind++)
            expected[kind] = edits[kind];
        expected[3] = first.length;
    }
}

/* Makes the first two texts long ones of few letters, the second a rewriting of the first, so that bands slide. */
static void lengthen(Case *made)
{
    uint32_t letters = 1 + chance(26), changed = 1 + chance(chance(2) ? 4 : 200), length = 200 + chance(800);
    unsigned char *first = made->bytes[0], *second = made->bytes[1];
    size_t used = 0;
    for (uint32_t index = 0; index < length; index++) {
        first[index] = (unsigned char)('a' + chance(letters));
        if (chance(changed) > 0)
            second[used++] = first[index];
        else
            for (uint32_t more = chance(3); more > 0; more--)
                second[used++] = (unsigned char)('a' + chance(letters));
    }
    made->lengths[0] = length;
    made->lengths[1] = used;
}

static long check(Kernel *kernel, const Case *made, const ErrorRatesOptions *options, const Vectors *vectors, long number)
{
    forget_words();
    for (size_t index = 0; index < made->count; index++)
        read_text(made, index, options);
    for (size_t summary = 0; summary < made->summaries; summary++) {
        double expected[NUMBERS];
        statistics_of(made, summary, expected);
        check_vector("statistics", number, vectors->of[summary][0], expected, NUMBERS);
    }
    return (long)(made->summaries * made->references) + check_left_out(kernel, made, vectors, number);
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    Kernel *kernel = NULL;
    ErrorRatesOptions options = {0};
    for (long number = 0; number < groups; number++) {
        static Case made;
        static Vectors vectors;
        if (number % 8 == 0) {
            if (kernel != NULL)
                kernel->free(kernel);
            options = (ErrorRatesOptions){.characters = chance(2), .lowercase = chance(2)};
            kernel = error_rates_new(&options);
        }
        make_case(&made, 0);
        if (made.count > 1 && chance(64) == 0)
            lengthen(&made);
        if (measure_all(kernel, &made, &vectors) != DONE)
            return 1;
        pairs += check(kernel, &made, &options, &vectors, number);
        if (number % 16 == 0)
            starve(error_rates_new(&options), &made, number);
    }
    kernel->free(kernel);
    printf("%ld groups, %ld pairs: equal to the definition\n", groups, pairs);
    return 0;
}
