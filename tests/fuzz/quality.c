/* Compares the native kernel of the quality features with a direct transcription of its definition on random texts,
   also when memory runs out.

   quality SEED GROUPS: prints the number of pairs that were compared. Built by `run` with sanitizers, without Python. */

#include "metrics/quality.h"
#include "tokenizer_13a.h"

enum { NUMBERS = 7 };

static Sequence words[MOST_TEXTS];
static Codes plain[MOST_TEXTS];

/* Reads what is compared: the code points of a text or, for 13a, of its words joined with spaces. */
static void read_text(const Case *made, size_t index, TokenizeRules rules)
{
    tokenize_plainly(made->bytes[index], made->lengths[index], rules, &words[index]);
    if (rules.tokenization != TOKENIZER_13A) {
        decode(made->bytes[index], made->lengths[index], rules.lowercase, &plain[index]);
        return;
    }
    plain[index].length = 0;
    known_starts[known_count] = known_words.length;
    for (int position = 0; position < words[index].length; position++) {
        int word = words[index].units[position], start = known_starts[word];
        if (position > 0)
            plain[index].codes[plain[index].length++] = ' ';
        for (int letter = start; letter < known_starts[word + 1]; letter++)
            plain[index].codes[plain[index].length++] = known_words.codes[letter];
    }
}

/* The textbook algorithm with insertions and deletions only. */
static int distance_of(const Codes *first, const Codes *second)
{
    static int row[MOST_CODES + 1];
    for (int column = 0; column <= second->length; column++)
        row[column] = column;
    for (int position = 1; position <= first->length; position++) {
        int diagonal = row[0];
        row[0] = position;
        for (int column = 1; column <= second->length; column++) {
            int above = row[column], least = above < row[column - 1] ? above : row[column - 1];
            bool matches = first->codes[position - 1] == second->codes[column - 1];
            row[column] = matches ? diagonal : least + 1;
            diagonal = above;
        }
    }
    return row[second->length];
}

static int times_of(const Sequence *text, int word)
{
    int times = 0;
    for (int position = 0; position < text->length; position++)
        times += text->units[position] == word;
    return times;
}

static int shared_words(const Sequence *first, const Sequence *second)
{
    int shared = 0;
    for (int word = 0; word < known_count; word++) {
        int one = times_of(first, word), other = times_of(second, word);
        shared += one < other ? one : other;
    }
    return shared;
}

static void check_text(Kernel *kernel, const Codes *expected, size_t index, long number)
{
    static Codes found;
    size_t size;
    const char *bytes = kernel->text(kernel, index, &size);
    decode((const unsigned char *)bytes, size, false, &found);
    if (found.length != expected->length)
        differs("length of the text", number, index, found.length, expected->length);
    for (int position = 0; position < found.length; position++)
        if (found.codes[position] != expected->codes[position])
            differs("text", number, (size_t)position, found.codes[position], expected->codes[position]);
}

static long check(Kernel *kernel, const Case *made, const QualityOptions *options, const Vectors *vectors, long number)
{
    size_t source = made->summaries;
    forget_words();
    for (size_t index = 0; index <= source; index++)
        read_text(made, index, (TokenizeRules){.lowercase = options->lowercase, .tokenization = options->tokenization});
    for (size_t index = 0; index <= source; index++)
        check_text(kernel, &plain[index], index, number);
    for (size_t summary = 0; summary < made->summaries; summary++) {
        int distance = distance_of(&plain[summary], &plain[source]);
        double expected[NUMBERS] = {
            plain[summary].length,  plain[source].length, distance, distance == 0, words[summary].length, words[source].length,
            shared_words(&words[summary], &words[source]),
        };
        check_vector("statistics", number, vectors->of[summary][0], expected, NUMBERS);
    }
    return (long)made->summaries;
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    Kernel *kernel = NULL;
    QualityOptions options = {0};
    for (long number = 0; number < groups; number++) {
        static Case made;
        static Vectors vectors;
        if (number % 8 == 0) {
            if (kernel != NULL)
                kernel->free(kernel);
            options = (QualityOptions){.lowercase = chance(2), .tokenization = chance(2) ? TOKENIZER_13A : WHITESPACE};
            kernel = quality_new(&options);
        }
        make_case(&made, 0);
        made.references = 1; /* the source */
        made.count = made.summaries + 1;
        if (measure_all(kernel, &made, &vectors) != DONE)
            return 1;
        pairs += check(kernel, &made, &options, &vectors, number);
        if (number % 16 == 0)
            starve(quality_new(&options), &made, number);
    }
    kernel->free(kernel);
    printf("%ld groups, %ld pairs: equal to the definition\n", groups, pairs);
    return 0;
}
