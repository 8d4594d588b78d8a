/* Compares the native SARI kernel with a direct transcription of its sums on random texts, also when memory runs out.
   For the formulas of sentences, compares leave-one-out statistics with those of groups that never had the reference.

   sari SEED GROUPS: prints the number of pairs that were compared. Built by `run` with sanitizers, without Python. */

#include "metrics/sari_formulas.h"
#include "tokenizer_13a.h"

static Sequence words[MOST_TEXTS];

/* ---- the definition, transcribed --------------------------------------------------------------------------------- */

static long in_references(const Case *made, size_t left_out, const Sequence *ngram, int at, int order)
{
    long times = 0;
    for (size_t index = 0; index < made->references; index++) {
        const Sequence *other = &words[made->summaries + index];
        times += index == left_out ? 0 : times_in(ngram, at, other, ngrams_in(other, order), order);
    }
    return times;
}

static bool is_first(const Sequence *text, int position, int order) { return times_in(text, position, text, position, order) == 0; }

/* Counts the types that references have and the source has not. */
static long new_types(const Case *made, size_t left_out, const Sequence *source, int order)
{
    long types = 0;
    for (size_t index = 0; index < made->references; index++) {
        const Sequence *own = &words[made->summaries + index];
        for (int position = 0; index != left_out && position < ngrams_in(own, order); position++) {
            bool is_new = is_first(own, position, order) && times_in(own, position, source, ngrams_in(source, order), order) == 0;
            for (size_t before = 0; is_new && before < index; before++) {
                const Sequence *other = &words[made->summaries + before];
                is_new = before == left_out || times_in(own, position, other, ngrams_in(other, order), order) == 0;
            }
            types += is_new;
        }
    }
    return types;
}

static long least(long a, long b) { return a < b ? a : b; }

static long most(long a, long b) { return a > b ? a : b; }

static void expect_order(const Case *made, size_t summary, size_t left_out, int order, double *sums)
{
    const Sequence *own = &words[summary], *source = &words[made->summaries + made->references];
    long number = (long)made->references - (left_out != SIZE_MAX), numbers[NUMBERS_OF_ORDER] = {0};
    for (int position = 0; position < ngrams_in(own, order); position++) {
        if (!is_first(own, position, order) || times_in(own, position, source, ngrams_in(source, order), order) > 0)
            continue;
        numbers[0] += in_references(made, left_out, own, position, order) > 0;
        numbers[1]++;
    }
    numbers[2] = new_types(made, left_out, source, order);
    for (int position = 0; position < ngrams_in(source, order); position++) {
        if (!is_first(source, position, order))
            continue;
        long rs = number * times_in(source, position, source, ngrams_in(source, order), order);
        long rp = number * times_in(source, position, own, ngrams_in(own, order), order);
        long r = in_references(made, left_out, source, position, order);
        long kept = least(rs, rp), deleted = most(rs - rp, 0), surplus = most(rs - r, 0);
        numbers[3] += least(kept, r);
        numbers[4] += kept;
        numbers[5] += least(rs, r);
        numbers[6] += least(deleted, surplus);
        numbers[7] += deleted;
        numbers[8] += surplus;
    }
    for (int position = 0; position < NUMBERS_OF_ORDER; position++)
        sums[position] = (double)numbers[position];
}

static TokenizeRules rules_of(const SariOptions *options, bool is_source)
{
    Tokenization tokenization = is_source ? options->source_tokenization : options->tokenization;
    return (TokenizeRules){.lowercase = options->lowercase, .tokenization = tokenization, .single_spaces = options->single_spaces};
}

static void tokenize_all(const Case *made, const SariOptions *options)
{
    size_t source = made->summaries + made->references;
    forget_words();
    for (size_t index = 0; index <= source; index++)
        tokenize_plainly(
            made->bytes[index], made->lengths[index], rules_of(options, index == source), &words[index]);
}

static long check(Kernel *kernel, const Case *made, const SariOptions *options, const Vectors *vectors, long number)
{
    size_t variants = made->references > 1 ? made->references : 0;
    tokenize_all(made, options);
    for (size_t summary = 0; summary < made->summaries; summary++)
        for (size_t variant = 0; variant <= variants; variant++) {
            double expected[ORDERS * NUMBERS_OF_ORDER], scores[4];
            for (int order = 1; order <= ORDERS; order++)
                expect_order(made, summary, variant - 1, order, expected + (order - 1) * NUMBERS_OF_ORDER);
            check_vector("sums", number, vectors->of[summary][variant], expected, kernel->width);
            kernel->score(kernel, expected, scores);
            if (!(scores[0] >= 0 && scores[0] <= 100.0000001))
                differs("score", number, 0, scores[0], 100);
        }
    return (long)(made->summaries * made->references);
}

/* ---- all groups -------------------------------------------------------------------------------------------------- */

static SariOptions random_options(void)
{
    static const Tokenization TOKENIZATIONS[] = {TOKENIZER_13A, TOKENIZER_13A, WHITESPACE, SINGLE_SPACES};
    Tokenization tokenization = TOKENIZATIONS[chance(4)];
    return (SariOptions){
        .lowercase = chance(2),
        .tokenization = tokenization,
        .source_tokenization = chance(3) == 0 ? TOKENIZATIONS[chance(4)] : tokenization,
        .single_spaces = chance(2),
        .formula = chance(2) ? SARI_SUMS : (SariFormula)chance(SARI_SET + 1),
        .f1_of_means = chance(2),
        .precision_of_deletion = chance(2),
        .intersection = chance(2),
        .beta_for_deletion = chance(3) / 2.0,
    };
}

int main(int count, char **arguments)
{
    long groups = count > 2 ? atol(arguments[2]) : 1000, pairs = 0, others = 0;
    chance_state = UINT64_C(0x9e3779b97f4a7c15) ^ (count > 1 ? (uint64_t)atol(arguments[1]) : 0);
    Kernel *kernel = NULL;
    SariOptions options = {0};
    for (long number = 0; number < groups; number++) {
        static Case made;
        static Vectors vectors;
        if (number % 8 == 0) {
            if (kernel != NULL)
                kernel->free(kernel);
            options = random_options();
            kernel = sari_new(&options);
        }
        make_case(&made, options.formula == SARI_MODIFIED ? 2 : 1);
        if (measure_all(kernel, &made, &vectors) != DONE)
            return 1;
        if (options.formula == SARI_SUMS)
            pairs += check(kernel, &made, &options, &vectors, number);
        others += check_left_out(kernel, &made, &vectors, number);
        if (number % 16 == 0)
            starve(sari_new(&options), &made, number);
    }
    kernel->free(kernel);
    printf("%ld groups, %ld pairs: equal to the definition; %ld more with a reference left out\n", groups, pairs, others);
    return 0;
}
