/* Compares the native kernel of rouge with a direct transcription of its definition on random texts, also when memory
   runs out.

   rouge SEED GROUPS: prints the number of pairs that were compared. Built by `run` with sanitizers, without Python.
   Stems are those of `rouge_stem`, which the tests in Python compare with its definition. */

#include <math.h>

#include "case.h"
#include "metrics/rouge.h"
#include "text/rouge_porter.h"

enum { PARTS = 3, MOST_WORDS = 2 * MOST_TEXT_BYTES, MAX_MEASURES = 13 };

static const char EXCEPTIONS[] = "abcdefgh zzz\nabcdefghi abcdefghi\nskip skipped_base\n";
static const char STOP_WORDS[] = "a\nab\n";

/* Words, and the ends of the lines that they come from. */
typedef struct {
    int words[MOST_WORDS], length, line_ends[MOST_TEXT_BYTES + 1], lines;
} Reading;

/* What n-grams are made of, and what longest common subsequences are made of. */
static Reading flat[MOST_TEXTS], lined[MOST_TEXTS];

/* ---- words and limits -------------------------------------------------------------------------------------------- */

static void add_word(Reading *text, const unsigned char *letters, size_t length, const RougeOptions *options)
{
    static unsigned char copy[MOST_TEXT_BYTES];
    uint32_t codes[MOST_TEXT_BYTES];
    if (options->remove_stopwords
        && ((length == 1 && letters[0] == 'a') || (length == 2 && letters[0] == 'a' && letters[1] == 'b')))
        return;
    memcpy(copy, letters, length);
    if (options->use_porter_stemmer && length == 8 && memcmp(letters, "abcdefgh", 8) == 0)
        length = put_bytes(copy, "zzz");
    else if (options->use_porter_stemmer && length == 4 && memcmp(letters, "skip", 4) == 0)
        length = put_bytes(copy, "skipped_base");
    else if (options->use_porter_stemmer && length > 3 && !(length == 9 && memcmp(letters, "abcdefghi", 9) == 0))
        length = rouge_stem(copy, length);
    for (size_t index = 0; index < length; index++)
        codes[index] = copy[index];
    text->words[text->length++] = number_of_word(codes, (int)length);
}

static void read_line(Reading *text, const unsigned char *line, size_t length, const RougeOptions *options)
{
    unsigned char word[MOST_TEXT_BYTES];
    size_t letters = 0;
    for (size_t position = 0; position <= length; position++) {
        int byte = position < length ? line[position] : ' ';
        if (byte >= 'A' && byte <= 'Z')
            byte += 'a' - 'A';
        if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')) {
            word[letters++] = (unsigned char)byte;
            continue;
        }
        if (letters > 0)
            add_word(text, word, letters, options);
        letters = 0;
    }
    text->line_ends[text->lines++] = text->length;
}

static bool is_blank(unsigned char byte) { return byte == ' ' || (byte >= 9 && byte <= 13); }

/* Splits at whitespace as Perl's split does: a line that starts with whitespace has an empty first word. */
static size_t end_of_words(const unsigned char *line, size_t length, size_t *left)
{
    size_t end = 0, last = length;
    while (last > 0 && is_blank(line[last - 1]))
        last--;
    for (size_t position = 0, start = 0; last > 0 && position <= last && *left > 0; position++) {
        if (position < last && !is_blank(line[position]))
            continue;
        if (position > start || position == 0) {
            --*left;
            end = position;
        }
        start = position + 1;
    }
    return end;
}

static void read_text(const unsigned char *bytes, size_t size, bool by_line, const RougeOptions *options, Reading *text)
{
    size_t words = options->max_words, left = options->max_bytes;
    text->length = text->lines = 0;
    for (size_t start = 0; start <= size;) {
        size_t end = start, length;
        while (end < size && bytes[end] != '\n')
            end++;
        length = end - start;
        if (options->max_words > 0)
            length = end_of_words(bytes + start, length, &words);
        if (options->max_bytes > 0 && length > left)
            length = left;
        if (options->max_bytes > 0 && !by_line)
            left -= length;
        read_line(text, bytes + start, length, options);
        if (options->max_bytes > 0 && by_line && end - start >= options->max_bytes)
            return;
        start = end + 1;
    }
}

/* ---- hits -------------------------------------------------------------------------------------------------------- */

/* Matches each n-gram of the summary with one that is not yet matched. */
static int shared_ngrams(const Reading *summary, const Reading *reference, int order, int left_out)
{
    bool used[MOST_WORDS] = {false};
    int shared = 0;
    for (int start = 0; start + order <= summary->length - left_out; start++)
        for (int other = 0; other + order <= reference->length - left_out; other++)
            if (!used[other]
                && memcmp(summary->words + start, reference->words + other, (size_t)order * sizeof(int)) == 0) {
                used[other] = true;
                shared++;
                break;
            }
    return shared;
}

static int count_pairs(const Reading *text, size_t reach)
{
    int count = 0;
    for (int first = 0; first < text->length; first++)
        for (int second = first + 1; second < text->length && (size_t)(second - first) <= reach; second++)
            count++;
    return count;
}

static int times_of_pair(const Reading *text, size_t reach, int one, int other)
{
    int times = 0;
    for (int first = 0; first < text->length; first++)
        for (int second = first + 1; text->words[first] == one && second < text->length && (size_t)(second - first) <= reach;
             second++)
            times += text->words[second] == other;
    return times;
}

/* Adds up each different pair of the summary once. */
static int shared_pairs(const Reading *summary, const Reading *reference, size_t reach)
{
    static bool seen[512][512];
    int shared = 0;
    memset(seen, 0, sizeof seen);
    for (int first = 0; first < summary->length; first++)
        for (int second = first + 1; second < summary->length && (size_t)(second - first) <= reach; second++) {
            int one = summary->words[first], other = summary->words[second];
            if (one >= 512 || other >= 512)
                exit(2); /* the array is too small */
            if (seen[one][other])
                continue;
            seen[one][other] = true;
            int ours = times_of_pair(summary, reach, one, other), theirs = times_of_pair(reference, reach, one, other);
            shared += ours < theirs ? ours : theirs;
        }
    return shared;
}

static double values[MOST_TEXT_BYTES + 1][MOST_TEXT_BYTES + 1];
static int runs[MOST_TEXT_BYTES + 1][MOST_TEXT_BYTES + 1];

static double weight_of(int run, double weight) { return weight > 0 ? pow(run, weight) : run; }

static void mark_line(const int *line, int rows, const int *other, int columns, double weight, bool *marks)
{
    for (int row = 0; row <= rows; row++)
        for (int column = 0; column <= columns; column++) {
            bool inside = row > 0 && column > 0, matches = inside && line[row - 1] == other[column - 1];
            int run = matches ? runs[row - 1][column - 1] : 0;
            runs[row][column] = matches ? run + 1 : 0;
            if (!inside)
                values[row][column] = 0;
            else if (matches)
                values[row][column] = values[row - 1][column - 1] + weight_of(run + 1, weight) - weight_of(run, weight);
            else
                values[row][column] = fmax(values[row - 1][column], values[row][column - 1]);
        }
    while (rows > 0 && columns > 0)
        if (line[rows - 1] == other[columns - 1]) {
            marks[--rows] = true;
            columns--;
        } else if (values[rows - 1][columns] >= values[rows][columns - 1]) {
            rows--;
        } else {
            columns--;
        }
}

static int line_start(const Reading *text, int line) { return line == 0 ? 0 : text->line_ends[line - 1]; }

static int times_of(const Reading *text, int word)
{
    int times = 0;
    for (int position = 0; position < text->length; position++)
        times += text->words[position] == word;
    return times;
}

/* Returns the hits of ROUGE-L, or of ROUGE-W with a weight. */
static double union_hits(size_t summary, size_t reference, double weight)
{
    static int used[MOST_CODES];
    const Reading *text = &lined[reference];
    double hits = 0;
    memset(used, 0, sizeof used);
    for (int line = 0; line < text->lines; line++) {
        bool marks[MOST_TEXT_BYTES + 1] = {false};
        int start = line_start(text, line), length = text->line_ends[line] - start, run = 0;
        for (int other = 0; other < lined[summary].lines; other++)
            mark_line(
                text->words + start, length, lined[summary].words + line_start(&lined[summary], other),
                lined[summary].line_ends[other] - line_start(&lined[summary], other), weight, marks);
        for (int position = 0; position < length; position++) {
            int word = text->words[start + position];
            int ours = times_of(&flat[summary], word), theirs = times_of(&flat[reference], word);
            if (!marks[position] || used[word] >= (ours < theirs ? ours : theirs))
                continue;
            used[word]++;
            run++;
            if (weight == 0 || !marks[position + 1]) {
                hits += weight_of(run, weight);
                run = 0;
            }
        }
    }
    return hits;
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

typedef struct {
    double statistics[PARTS], recall;
} Match;

static Match new_match(double hits, double reference, double summary)
{
    return (Match){{hits, reference, summary}, reference > 0 ? hits / reference : 0};
}

static Match match_weighted(size_t summary, size_t reference, double weight)
{
    double size = 0, hits = union_hits(summary, reference, weight);
    for (int line = 0; line < lined[reference].lines; line++)
        size += pow(lined[reference].line_ends[line] - line_start(&lined[reference], line), weight);
    return (Match){{hits, pow(size, weight), pow(flat[summary].length, weight)}, size > 0 ? hits / size : 0};
}

/* Writes the matches of all measures; returns their number. */
static int match_pair(size_t summary, size_t reference, const RougeOptions *options, Match *matches)
{
    const Reading *ours = &flat[summary], *theirs = &flat[reference];
    int count = 0;
    for (int order = 1; order <= (int)options->max_ngram; order++)
        matches[count++] = new_match(
            shared_ngrams(ours, theirs, order, 0), theirs->length >= order ? theirs->length - order + 1 : 0,
            ours->length >= order ? ours->length - order + 1 : 0);
    if (options->compute_rouge_l)
        matches[count++] = new_match(union_hits(summary, reference, 0), lined[reference].length, ours->length);
    if (options->wlcs_weight > 0)
        matches[count++] = match_weighted(summary, reference, options->wlcs_weight);
    if (options->skip_reach > 0) {
        int pairs = shared_pairs(ours, theirs, options->skip_reach), unigrams = shared_ngrams(ours, theirs, 1, 1);
        int our_pairs = count_pairs(ours, options->skip_reach), their_pairs = count_pairs(theirs, options->skip_reach);
        matches[count++] = new_match(pairs, their_pairs, our_pairs);
        matches[count++] = new_match(
            pairs + unigrams, their_pairs + theirs->length - (theirs->length > 0), our_pairs + ours->length - (ours->length > 0));
    }
    return count;
}

static long check(const Case *made, const RougeOptions *options, const Vectors *vectors, long number)
{
    forget_words();
    for (size_t index = 0; index < made->count; index++) {
        read_text(made->bytes[index], made->lengths[index], false, options, &flat[index]);
        read_text(made->bytes[index], made->lengths[index], true, options, &lined[index]);
    }
    for (size_t summary = 0; summary < made->summaries; summary++) {
        Match total[MAX_MEASURES], matches[MAX_MEASURES];
        double expected[MAX_MEASURES * PARTS];
        int count = match_pair(summary, made->summaries, options, total);
        for (size_t reference = 1; reference < made->references; reference++) {
            match_pair(summary, made->summaries + reference, options, matches);
            for (int measure = 0; measure < count; measure++) {
                if (options->best_reference && matches[measure].recall > total[measure].recall)
                    total[measure] = matches[measure];
                for (int part = 0; !options->best_reference && part < PARTS; part++)
                    total[measure].statistics[part] += matches[measure].statistics[part];
            }
        }
        for (int measure = 0; measure < count; measure++)
            memcpy(expected + measure * PARTS, total[measure].statistics, PARTS * sizeof(double));
        check_vector("statistics", number, vectors->of[summary][0], expected, (size_t)count * PARTS);
    }
    return (long)(made->summaries * made->references);
}

/* ---- stems and rounding ------------------------------------------------------------------------------------------- */

/* Stems a random word in memory of exactly its size. */
static void check_stem(long number)
{
    static const char *const PIECES[] = {
        "a", "e", "i", "o", "y", "yy", "b", "l", "s", "t", "w", "z", "1", "ed", "ing", "eed", "sses", "ies", "at", "bl", "iz",
        "ational", "alli", "ousli", "bli", "logi", "ical", "ness", "ement", "ment", "ent", "sion", "tion", "ion", "ive", "ll",
    };
    unsigned char word[64];
    size_t length = 0;
    for (uint32_t pieces = 1 + chance(6); pieces > 0; pieces--)
        length += put_bytes(word + length, PIECES[chance(sizeof PIECES / sizeof *PIECES)]);
    unsigned char *exact = malloc(length);
    memcpy(exact, word, length);
    size_t found = rouge_stem(exact, length);
    free(exact);
    if (found == 0 || found > length)
        differs("length of a stem", number, 0, (double)found, (double)length);
}

/* Compares the rounding of recall with that of printf, which rounds the exact value. */
static void check_rounding(const Kernel *kernel, long number)
{
    double vector[MAX_MEASURES * PARTS] = {0}, scores[MAX_MEASURES * PARTS];
    char printed[32];
    double size = chance(2) ? (double)(UINT32_C(1) << chance(25)) : 1 + chance(100000), hits = chance((uint32_t)size + 1);
    vector[0] = hits;
    vector[1] = size;
    kernel->score(kernel, vector, scores);
    snprintf(printed, sizeof printed, "%.5f", hits / size);
    double expected = floor(atof(printed) * 1e5 + 0.5) / 1000;
    if (scores[0] != expected)
        differs("rounded recall", number, 0, scores[0], expected);
}

static const WordList *exceptions, *stop_words;

static RougeOptions random_options(void)
{
    uint32_t limit = chance(4);
    return (RougeOptions){
        .max_ngram = 1 + chance(9),
        .use_porter_stemmer = chance(2),
        .remove_stopwords = chance(2),
        .max_words = limit == 0 ? 1 + chance(12) : 0,
        .max_bytes = limit == 1 ? 1 + chance(40) : 0,
        .compute_rouge_l = chance(2),
        .wlcs_weight = chance(2) ? 1 + chance(4) * 0.3 : 0,
        .skip_reach = chance(3) ? chance(6) : SIZE_MAX,
        .best_reference = chance(2),
        .alpha = 0.5,
        .exceptions = exceptions,
        .stop_words = stop_words,
        .wlcs_name = "w",
        .skip_name = "s",
        .skip_unigram_name = "su",
    };
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    WordList *lists[] = {word_list_new(EXCEPTIONS, sizeof EXCEPTIONS - 1), word_list_new(STOP_WORDS, sizeof STOP_WORDS - 1)};
    Kernel *kernel = NULL;
    exceptions = lists[0];
    stop_words = lists[1];
    RougeOptions options = {0};
    for (long number = 0; number < groups; number++) {
        static Case made;
        static Vectors vectors;
        check_stem(number);
        if (number % 8 == 0) {
            if (kernel != NULL)
                kernel->free(kernel);
            options = random_options();
            kernel = rouge_new(&options);
        }
        check_rounding(kernel, number);
        make_case(&made, 0);
        if (measure_all(kernel, &made, &vectors) != DONE)
            return 1;
        pairs += check(&made, &options, &vectors, number) + check_left_out(kernel, &made, &vectors, number);
        if (number % 16 == 0)
            starve(rouge_new(&options), &made, number);
    }
    kernel->free(kernel);
    word_list_free(lists[0]);
    word_list_free(lists[1]);
    printf("%ld groups, %ld pairs: equal to the definition\n", groups, pairs);
    return 0;
}
