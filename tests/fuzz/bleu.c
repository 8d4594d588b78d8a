/* Compares the native BLEU kernel with a direct transcription of its definition on random texts, also when memory runs
   out.

   bleu SEED GROUPS: prints the number of pairs that were compared. Built by `run` with sanitizers, without Python. */

#include "metrics/bleu.h"
#include "tokenizer_13a.h"

static Sequence words[MOST_TEXTS];

static void expect(const Case *made, const BleuOptions *options, size_t summary, size_t left_out, double *vector)
{
    const Sequence *own = &words[summary];
    int least = -1;
    vector[0] = own->length;
    for (size_t index = 0; index < made->references; index++) {
        int length = words[made->summaries + index].length, difference = abs(length - own->length);
        if (index == left_out || (least >= 0 && (difference > least || (difference == least && length >= vector[1]))))
            continue;
        least = difference;
        vector[1] = length;
    }
    for (int order = 1; order <= (int)options->max_order; order++) {
        int matches = 0, count = ngrams_in(own, order);
        for (int position = 0; position < count; position++) {
            int most = 0;
            for (size_t index = 0; index < made->references; index++) {
                const Sequence *other = &words[made->summaries + index];
                int times = index == left_out ? 0 : times_in(own, position, other, ngrams_in(other, order), order);
                most = times > most ? times : most;
            }
            matches += times_in(own, position, own, position, order) < most;
        }
        vector[1 + order] = matches;
        vector[1 + order + (int)options->max_order] = count;
    }
}

static TokenizeRules rules_of(const BleuOptions *options)
{
    return (TokenizeRules){.lowercase = options->lowercase, .strip_end = true, .tokenization = options->tokenization};
}

static long check(Kernel *kernel, const Case *made, const BleuOptions *options, const Vectors *vectors, long number)
{
    size_t variants = made->references > 1 ? made->references : 0;
    forget_words();
    for (size_t index = 0; index < made->count; index++)
        tokenize_plainly(made->bytes[index], made->lengths[index], rules_of(options), &words[index]);
    for (size_t summary = 0; summary < made->summaries; summary++)
        for (size_t variant = 0; variant <= variants; variant++) {
            double expected[MOST_WIDTH], scores[MOST_WIDTH];
            expect(made, options, summary, variant - 1, expected);
            check_vector("statistics", number, vectors->of[summary][variant], expected, kernel->width);
            kernel->score(kernel, expected, scores);
            if (!(scores[0] >= 0))
                differs("score", number, 0, scores[0], 0);
        }
    return (long)(made->summaries * made->references);
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    Kernel *kernel = NULL;
    BleuOptions options = {0};
    for (long number = 0; number < groups; number++) {
        static Case made;
        static Vectors vectors;
        if (number % 8 == 0) {
            if (kernel != NULL)
                kernel->free(kernel);
            options.lowercase = chance(2);
            options.tokenization = chance(4) ? TOKENIZER_13A : WHITESPACE;
            options.max_order = 1 + chance(chance(4) ? 5 : 20);
            options.smoothing = (Smoothing)chance(4);
            options.smooth_value = chance(3) / 2.0;
            options.effective_order = chance(2);
            kernel = bleu_new(&options);
        }
        make_case(&made, 0);
        if (measure_all(kernel, &made, &vectors) != DONE)
            return 1;
        pairs += check(kernel, &made, &options, &vectors, number);
        pairs += check_left_out(kernel, &made, &vectors, number);
        check_matrix(kernel, &made, number);
        if (number % 16 == 0)
            starve(bleu_new(&options), &made, number);
    }
    kernel->free(kernel);
    printf("%ld groups, %ld pairs: equal to the definition\n", groups, pairs);
    return 0;
}
