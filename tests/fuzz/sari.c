/* Compares the native SARI kernel with a direct transcription of its sums, on random texts, and lets memory fail.

   sari SEED GROUPS: measures so many groups of random texts; prints how many pairs were compared. For the formulas of
   sentences, what is measured without a reference is compared with what is measured where it never was. `run` builds it
   with sanitizers. Nothing of Python is in it. */

#include "sari_formulas.h"
#include "tokenizer_13a.h"

static Sequence words[MOST_TEXTS];

/* ---- the definition, transcribed -------------------------------------------------------------------------------- */

static long in_references(const Case *made, size_t left_out, const Sequence *gram, int at, int order)
{
    long times = 0;
    for (size_t index = 0; index < made->references; index++) {
        const Sequence *other = &words[made->summaries + index];
        times += index == left_out ? 0 : times_in(gram, at, other, grams_in(other, order), order);
    }
    return times;
}

static bool is_first(const Sequence *text, int place, int order) { return times_in(text, place, text, place, order) == 0; }

/* Counts the types of the references that are not in the source. */
static long new_types(const Case *made, size_t left_out, const Sequence *source, int order)
{
    long types = 0;
    for (size_t index = 0; index < made->references; index++) {
        const Sequence *own = &words[made->summaries + index];
        for (int place = 0; index != left_out && place < grams_in(own, order); place++) {
            bool is_new = is_first(own, place, order) && times_in(own, place, source, grams_in(source, order), order) == 0;
            for (size_t before = 0; is_new && before < index; before++) {
                const Sequence *other = &words[made->summaries + before];
                is_new = before == left_out || times_in(own, place, other, grams_in(other, order), order) == 0;
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
    for (int place = 0; place < grams_in(own, order); place++) {
        if (!is_first(own, place, order) || times_in(own, place, source, grams_in(source, order), order) > 0)
            continue;
        numbers[0] += in_references(made, left_out, own, place, order) > 0;
        numbers[1]++;
    }
    numbers[2] = new_types(made, left_out, source, order);
    for (int place = 0; place < grams_in(source, order); place++) {
        if (!is_first(source, place, order))
            continue;
        long rs = number * times_in(source, place, source, grams_in(source, order), order);
        long rp = number * times_in(source, place, own, grams_in(own, order), order);
        long r = in_references(made, left_out, source, place, order);
        long kept = least(rs, rp), deleted = most(rs - rp, 0), surplus = most(rs - r, 0);
        numbers[3] += least(kept, r);
        numbers[4] += kept;
        numbers[5] += least(rs, r);
        numbers[6] += least(deleted, surplus);
        numbers[7] += deleted;
        numbers[8] += surplus;
    }
    for (int place = 0; place < NUMBERS_OF_ORDER; place++)
        sums[place] = (double)numbers[place];
}

static CuttingRules rules_of(const SariOptions *options, bool is_source)
{
    Cut cut = is_source ? options->source_tokenization : options->tokenization;
    return (CuttingRules){.lowercase = options->lowercase, .cut = cut, .at_each_blank = options->single_spaces};
}

static void cut_all(const Case *made, const SariOptions *options)
{
    size_t source = made->summaries + made->references;
    forget_words();
    for (size_t index = 0; index <= source; index++)
        words_by_the_letter(
            made->bytes[index], made->lengths[index], rules_of(options, index == source), &words[index]);
}

static long check(Kernel *kernel, const Case *made, const SariOptions *options, const Vectors *vectors, long number)
{
    size_t variants = made->references > 1 ? made->references : 0;
    cut_all(made, options);
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

/* ---- all groups ------------------------------------------------------------------------------------------------- */

static SariOptions random_options(void)
{
    static const Cut CUTS[] = {BY_13A, BY_13A, AT_WHITE_SPACE, AT_EACH_BLANK};
    Cut tokenization = CUTS[chance(4)];
    return (SariOptions){
        .lowercase = chance(2),
        .tokenization = tokenization,
        .source_tokenization = chance(3) == 0 ? CUTS[chance(4)] : tokenization,
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
