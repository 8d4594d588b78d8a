/* Compares the native kernel of the quality features with a direct transcription of the definition, on random texts, and lets
   memory fail.

   quality SEED GROUPS: measures so many groups of random texts; prints how many pairs were compared. `run` builds it with
   sanitizers. Nothing of Python is in it. */

#include "quality.h"
#include "tokenizer_13a.h"

enum { NUMBERS = 7 };

static Sequence words[MOST_TEXTS];
static Codes plain[MOST_TEXTS];

/* Makes of a text what is compared: its code points, for 13a its words with a blank between them. */
static void read_text(const Case *made, size_t index, CuttingRules rules)
{
    words_by_the_letter(made->bytes[index], made->lengths[index], rules, &words[index]);
    if (rules.cut != BY_13A) {
        decode(made->bytes[index], made->lengths[index], rules.lowercase, &plain[index]);
        return;
    }
    plain[index].length = 0;
    known_starts[known_count] = known_words.length;
    for (int place = 0; place < words[index].length; place++) {
        int word = words[index].units[place], start = known_starts[word];
        if (place > 0)
            plain[index].codes[plain[index].length++] = ' ';
        for (int letter = start; letter < known_starts[word + 1]; letter++)
            plain[index].codes[plain[index].length++] = known_words.codes[letter];
    }
}

/* The programme of insertions and deletions, cell by cell. */
static int distance_of(const Codes *first, const Codes *second)
{
    static int row[MOST_CODES + 1];
    for (int column = 0; column <= second->length; column++)
        row[column] = column;
    for (int place = 1; place <= first->length; place++) {
        int diagonal = row[0];
        row[0] = place;
        for (int column = 1; column <= second->length; column++) {
            int above = row[column], least = above < row[column - 1] ? above : row[column - 1];
            bool matches = first->codes[place - 1] == second->codes[column - 1];
            row[column] = matches ? diagonal : least + 1;
            diagonal = above;
        }
    }
    return row[second->length];
}

static int times_of(const Sequence *text, int word)
{
    int times = 0;
    for (int place = 0; place < text->length; place++)
        times += text->units[place] == word;
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
    for (int place = 0; place < found.length; place++)
        if (found.codes[place] != expected->codes[place])
            differs("text", number, (size_t)place, found.codes[place], expected->codes[place]);
}

static long check(Kernel *kernel, const Case *made, const QualityOptions *options, const Vectors *vectors, long number)
{
    size_t source = made->summaries;
    forget_words();
    for (size_t index = 0; index <= source; index++)
        read_text(made, index, (CuttingRules){.lowercase = options->lowercase, .cut = options->tokenization});
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
            options = (QualityOptions){.lowercase = chance(2), .tokenization = chance(2) ? BY_13A : AT_WHITE_SPACE};
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
