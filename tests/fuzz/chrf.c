/* Compares the native chrF kernel with a direct transcription of its definition on random texts, also when memory runs
   out.

   chrf SEED GROUPS: prints the number of pairs that were compared. Built by `run` with sanitizers, without Python. */

#include "metrics/chrf.h"
#include "tokenizer_13a.h"

static Sequence characters[MOST_TEXTS], words[MOST_TEXTS];

static bool is_punctuation(uint32_t code) { return code > ' ' && code < 0x80 && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", (int)code); }

/* Puts a space between a word and the punctuation mark at its end, or else at its start. */
static void set_marks_apart(const Codes *text, Codes *made)
{
    made->length = 0;
    for (int start = 0, end; start < text->length; start = end) {
        for (end = start; end < text->length && !is_whitespace(text->codes[end]);)
            end++;
        int length = end - start, split_at = length > 1 && is_punctuation(text->codes[end - 1]) ? length - 1
            : length > 1 && is_punctuation(text->codes[start])                             ? 1
                                                                                           : 0;
        for (int position = 0; position < length; position++) {
            if (position == split_at && split_at > 0)
                made->codes[made->length++] = ' ';
            made->codes[made->length++] = text->codes[start + position];
        }
        made->codes[made->length++] = ' ';
        end += end < text->length;
    }
}

static void tokenize_all(const Case *made, const ChrfOptions *options)
{
    static Codes text, apart;
    forget_words();
    for (size_t index = 0; index < made->count; index++) {
        decode(made->bytes[index], made->lengths[index], options->lowercase, &text);
        characters[index].length = 0;
        for (int position = 0; position < text.length; position++)
            if (options->whitespace || !is_whitespace(text.codes[position]))
                characters[index].units[characters[index].length++] = (int)text.codes[position];
        set_marks_apart(&text, &apart);
        split(&apart, false, &words[index]);
    }
}

/* Writes three numbers for each order of one kind of units. */
static double *expect_kind(const Sequence *own, const Sequence *other, size_t orders, double *vector)
{
    for (int order = 1; order <= (int)orders; order++, vector += 3) {
        int shared = 0, others = ngrams_in(other, order);
        for (int position = 0; position < ngrams_in(own, order); position++)
            shared += times_in(own, position, own, position, order) < times_in(own, position, other, others, order);
        vector[0] = others > 0 ? ngrams_in(own, order) : 0;
        vector[1] = others;
        vector[2] = shared;
    }
    return vector;
}

static double score_of(const ChrfOptions *options, const double *vector)
{
    double squared = options->squared_beta, precisions = 0, recalls = 0, sum = 0, count = 0;
    size_t orders = options->char_order + options->word_order;
    for (size_t order = 0; order < orders; order++, vector += 3) {
        double precision = vector[0] > 0 ? vector[2] / vector[0] : 1e-16, recall = vector[1] > 0 ? vector[2] / vector[1] : 1e-16;
        double divisor = squared * precision + recall;
        sum += divisor > 0 ? (1 + squared) * precision * recall / divisor : 1e-16;
        if (vector[0] > 0 && vector[1] > 0) {
            precisions += precision;
            recalls += recall;
            count++;
        }
    }
    if (options->eps_smoothing)
        return 100 * sum / (double)orders;
    if (precisions + recalls == 0)
        return 0;
    double precision = precisions / count, recall = recalls / count, score = (1 + squared) * precision * recall;
    score /= squared * precision + recall;
    return 100 * score;
}

static long check(Kernel *kernel, const Case *made, const ChrfOptions *options, const Vectors *vectors, long number)
{
    size_t variants = made->references > 1 ? made->references : 0;
    tokenize_all(made, options);
    for (size_t summary = 0; summary < made->summaries; summary++) {
        double with[MOST_TEXTS][MOST_WIDTH], score;
        for (size_t index = 0; index < made->references; index++) {
            size_t reference = made->summaries + index;
            double *behind = expect_kind(&characters[summary], &characters[reference], options->char_order, with[index]);
            expect_kind(&words[summary], &words[reference], options->word_order, behind);
        }
        for (size_t variant = 0; variant <= variants; variant++) {
            size_t best = variant == 1;
            for (size_t index = 0; index < made->references; index++)
                if (index + 1 != variant && score_of(options, with[index]) > score_of(options, with[best]))
                    best = index;
            check_vector("statistics", number, vectors->of[summary][variant], with[best], kernel->width);
            kernel->score(kernel, with[best], &score);
            if (score != score_of(options, with[best]))
                differs("score", number, variant, score, score_of(options, with[best]));
        }
    }
    return (long)(made->summaries * made->references);
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    Kernel *kernel = NULL;
    ChrfOptions options = {0};
    for (long number = 0; number < groups; number++) {
        static Case made;
        static Vectors vectors;
        if (number % 8 == 0) {
            if (kernel != NULL)
                kernel->free(kernel);
            double beta = chance(4) ? chance(5) / 2.0 : chance(1000000);
            options = (ChrfOptions){
                chance(4) ? chance(9) : chance(12), chance(4), beta * beta, chance(2), chance(2), chance(2),
            };
            options.char_order += options.char_order + options.word_order == 0;
            kernel = chrf_new(&options);
        }
        make_case(&made, 0);
        if (measure_all(kernel, &made, &vectors) != DONE)
            return 1;
        pairs += check(kernel, &made, &options, &vectors, number);
        pairs += check_left_out(kernel, &made, &vectors, number);
        check_matrix(kernel, &made, number);
        if (number % 16 == 0)
            starve(chrf_new(&options), &made, number);
    }
    kernel->free(kernel);
    printf("%ld groups, %ld pairs: equal to the definition\n", groups, pairs);
    return 0;
}
