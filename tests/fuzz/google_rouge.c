/* Compares the native kernel of google-rouge with a direct transcription of its definition on random texts, also when
   memory runs out.

   google_rouge SEED GROUPS: prints the number of pairs that were compared. Built by `run` with sanitizers, without
   Python. Stems are those of `nltk_stem`, which the tests in Python compare with its definition. */

#include "case.h"
#include "metrics/google_rouge.h"
#include "text/nltk_porter.h"

enum { MAX_ORDER = 9, ROUGE_L = MAX_ORDER, ROUGE_LSUM, KINDS, PARTS = 3, MOST_WORDS = MOST_TEXT_BYTES / 2 + 1 };

typedef struct {
    int words[MOST_WORDS], length;
    int line_ends[MOST_TEXT_BYTES + 1], lines; /* lines may be empty */
} Plain;

static Plain plain[MOST_TEXTS];

/* ---- words ------------------------------------------------------------------------------------------------------- */

static int add_word(const unsigned char *letters, size_t length, bool use_stemmer)
{
    static unsigned char copy[MOST_TEXT_BYTES];
    uint32_t codes[MOST_TEXT_BYTES];
    memcpy(copy, letters, length);
    if (use_stemmer && length > 3)
        length = nltk_stem(copy, length);
    for (size_t index = 0; index < length; index++)
        codes[index] = copy[index];
    return number_of_word(codes, (int)length);
}

static void read_text(const Case *made, size_t index, bool use_stemmer)
{
    unsigned char word[MOST_TEXT_BYTES];
    size_t length = 0;
    Plain *text = &plain[index];
    text->length = text->lines = 0;
    for (size_t position = 0; position <= made->lengths[index]; position++) {
        int byte = position < made->lengths[index] ? made->bytes[index][position] : '\n';
        if (byte >= 'A' && byte <= 'Z')
            byte += 'a' - 'A';
        if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')) {
            word[length++] = (unsigned char)byte;
            continue;
        }
        if (length > 0)
            text->words[text->length++] = add_word(word, length, use_stemmer);
        length = 0;
        if (byte == '\n')
            text->line_ends[text->lines++] = text->length;
    }
}

/* ---- units in common --------------------------------------------------------------------------------------------- */

static bool same_ngram(const Plain *first, int start, const Plain *second, int other, int order)
{
    return memcmp(first->words + start, second->words + other, (size_t)order * sizeof(int)) == 0;
}

/* Matches each n-gram of the summary with one that is not yet matched. */
static int shared_ngrams(const Plain *summary, const Plain *reference, int order)
{
    bool used[MOST_WORDS] = {false};
    int shared = 0;
    for (int start = 0; start + order <= summary->length; start++)
        for (int other = 0; other + order <= reference->length; other++)
            if (!used[other] && same_ngram(summary, start, reference, other, order)) {
                used[other] = true;
                shared++;
                break;
            }
    return shared;
}

static int table[MOST_WORDS + 1][MOST_WORDS + 1];

static void fill_table(const int *first, int rows, const int *second, int columns)
{
    for (int row = 0; row <= rows; row++)
        for (int column = 0; column <= columns; column++) {
            int above = row > 0 ? table[row - 1][column] : 0, left = column > 0 ? table[row][column - 1] : 0;
            bool matches = row > 0 && column > 0 && first[row - 1] == second[column - 1];
            table[row][column] = row == 0 || column == 0 ? 0 : matches ? table[row - 1][column - 1] + 1 : above > left ? above : left;
        }
}

static int line_start(const Plain *text, int line) { return line == 0 ? 0 : text->line_ends[line - 1]; }

static int union_words(const Plain *summary, const Plain *reference)
{
    bool marked[MOST_WORDS] = {false}, used[MOST_WORDS] = {false};
    int shared = 0;
    for (int line = 0; line < reference->lines; line++)
        for (int other = 0; other < summary->lines; other++) {
            const int *first = reference->words + line_start(reference, line), *second = summary->words + line_start(summary, other);
            int row = reference->line_ends[line] - line_start(reference, line);
            int column = summary->line_ends[other] - line_start(summary, other);
            fill_table(first, row, second, column);
            while (row > 0 && column > 0) {
                if (first[row - 1] == second[column - 1]) {
                    marked[line_start(reference, line) + --row] = true;
                    column--;
                } else if (table[row][column - 1] > table[row - 1][column]) {
                    column--;
                } else {
                    row--;
                }
            }
        }
    for (int position = 0; position < reference->length; position++)
        for (int other = 0; marked[position] && other < summary->length; other++)
            if (!used[other] && summary->words[other] == reference->words[position]) {
                used[other] = true;
                shared++;
                break;
            }
    return shared;
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

static void score_pair(const Plain *summary, const Plain *reference, int kind, double *score)
{
    int order = kind < MAX_ORDER ? kind + 1 : 1, shared;
    int count = summary->length - order + 1, reference_count = reference->length - order + 1;
    if (kind < MAX_ORDER) {
        shared = shared_ngrams(summary, reference, order);
    } else if (kind == ROUGE_L) {
        fill_table(summary->words, summary->length, reference->words, reference->length);
        shared = table[summary->length][reference->length];
    } else {
        shared = union_words(summary, reference);
    }
    score[0] = count > 0 ? shared / (double)count : 0;
    score[1] = reference_count > 0 ? shared / (double)reference_count : 0;
    score[2] = score[0] + score[1] > 0 ? 2 * score[0] * score[1] / (score[0] + score[1]) : 0;
}

static long check(const Case *made, const GoogleRougeOptions *options, const Vectors *vectors, long number)
{
    forget_words();
    for (size_t index = 0; index < made->count; index++)
        read_text(made, index, options->use_stemmer);
    for (size_t summary = 0; summary < made->summaries; summary++) {
        double expected[KINDS * PARTS], *out = expected;
        for (int kind = 0; kind < KINDS; kind++) {
            if (!(options->kinds >> kind & 1))
                continue;
            for (size_t reference = 0; reference < made->references; reference++) {
                double score[PARTS];
                score_pair(&plain[summary], &plain[made->summaries + reference], kind, score);
                if (reference == 0 || score[2] > out[2])
                    memcpy(out, score, sizeof score);
            }
            out += PARTS;
        }
        check_vector("scores", number, vectors->of[summary][0], expected, (size_t)(out - expected));
    }
    return (long)(made->summaries * made->references);
}

/* Stems a random word in memory of exactly its size. */
static void check_stem(long number)
{
    static const char *const PIECES[] = {
        "a", "e", "i", "o", "y", "yy", "b", "l", "s", "t", "w", "z", "1", "ed", "ing", "ied", "eed", "sses", "ies", "at", "bl",
        "iz", "ational", "alli", "ousli", "bli", "fulli", "logi", "ical", "ness", "ement", "ment", "ent", "sion", "tion", "ion",
        "ive", "ll",
    };
    unsigned char word[64];
    size_t length = 0;
    for (uint32_t pieces = 1 + chance(6); pieces > 0; pieces--)
        length += put_bytes(word + length, PIECES[chance(sizeof PIECES / sizeof *PIECES)]);
    unsigned char *exact = malloc(length);
    memcpy(exact, word, length);
    size_t found = nltk_stem(exact, length);
    free(exact);
    if (found == 0 || found > length)
        differs("length of a stem", number, 0, (double)found, (double)length);
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    Kernel *kernel = NULL;
    GoogleRougeOptions options = {0};
    for (long number = 0; number < groups; number++) {
        static Case made;
        static Vectors vectors;
        check_stem(number);
        if (number % 8 == 0) {
            if (kernel != NULL)
                kernel->free(kernel);
            int kinds = chance(2) ? 1 + (int)chance((1 << KINDS) - 1) : 1 << ROUGE_LSUM | 1 << ROUGE_L | 1;
            options = (GoogleRougeOptions){.kinds = kinds, .use_stemmer = chance(2)};
            kernel = google_rouge_new(&options);
        }
        make_case(&made, 0);
        if (measure_all(kernel, &made, &vectors) != DONE)
            return 1;
        pairs += check(&made, &options, &vectors, number) + check_left_out(kernel, &made, &vectors, number);
        if (number % 16 == 0)
            starve(google_rouge_new(&options), &made, number);
    }
    kernel->free(kernel);
    printf("%ld groups, %ld pairs: equal to the definition\n", groups, pairs);
    return 0;
}
