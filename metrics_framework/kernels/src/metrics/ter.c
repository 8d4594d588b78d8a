#include "metrics/ter.h"

#include <stdlib.h>
#include <string.h>

#include "ter/shifts.h"
#include "text/texts.h"

/* A distinct reference of a group. */
typedef struct {
    const Text *text;
    uint32_t sequence;
    size_t times; /* the number of references equal to it */
    bool is_prepared;
    int32_t least; /* a lower bound of the distance to the current summary, for any order of its words; -1 if unknown */
} Candidate;

/* The results of a distinct text: equal summaries are measured once. */
typedef struct {
    bool is_known;
    int32_t edits;   /* to the closest reference */
    int32_t without; /* to the closest of the other references */
    size_t nearest;  /* the candidate with `edits` */
    size_t candidate;
} TextResult;

typedef struct {
    Kernel kernel;
    TokenizeRules rules;
    TextGroup group;
    Texts texts;
    WordIds sequences;
    Buffer sequence_of; /* uint32_t, by text: equal for equal texts */
    size_t sequence_count;
    Buffer results;     /* TextResult, by sequence */
    Buffer candidates;  /* Candidate */
    size_t candidate_count;
    Buffer references; /* Reference, by candidate */
    size_t reference_capacity;
    Buffer marks;  /* uint64_t, by word: those of the candidate `marked` */
    size_t marked; /* SIZE_MAX for none */
    Buffer counts; /* int32_t, by word: the number of times it occurs in a text; 0 between texts */
    double length;      /* the total length of the references */
    Pair pair;
    Shifts shifts;
} Ter;

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Applies shifts until none reduces the distance. Returns the number of edits; once it cannot be below `enough`, any
   number not below `enough`. A shift is an edit itself: at a distance of `least + 1` none lowers the number of edits. */
static int32_t edits_of_pair(Pair *pair, Shifts *shifts, int32_t least, int32_t enough)
{
    int32_t made = 0;
    shifts->examined = 0;
    while (pair->distance > least + 1 && made + 1 + least < enough && !is_interrupted(&pair->interrupt)) {
        pair_align(pair);
        if (!shifts_find(shifts, pair))
            break;
        Shift shift = shifts_best(shifts, pair, least);
        if (shift.end == 0)
            break;
        pair_shift(pair, shift.start, shift.middle, shift.end);
        made++;
    }
    return made + pair->distance;
}

/* ---- closest references ------------------------------------------------------------------------------------------ */

/* Prepares a reference if it is new, and marks its words instead of those of the last one: summaries of a group are
   often compared with the same reference one after the other. Returns false if out of memory. */
static bool mark(Ter *ter, size_t index)
{
    Candidate *candidate = (Candidate *)ter->candidates.data + index;
    Reference *references = ter->references.data;
    uint64_t *marks = ter->marks.data;
    if (candidate->is_prepared && ter->marked == index)
        return true;
    if (ter->marked != SIZE_MAX)
        reference_unmark(&references[ter->marked], marks);
    ter->marked = SIZE_MAX;
    if (!candidate->is_prepared
        && !reference_prepare(&references[index], candidate->text->words, (int32_t)candidate->text->length, marks))
        return false;
    candidate->is_prepared = true;
    reference_mark(&references[index], marks);
    ter->marked = index;
    return true;
}

/* Counts the edits to a reference, if they may be fewer than `*best`; its bound must be known unless it is short. */
static bool compare(Ter *ter, size_t index, const Text *summary, int32_t *best)
{
    const Reference *reference = (Reference *)ter->references.data + index;
    Candidate *candidate = (Candidate *)ter->candidates.data + index;
    if (!mark(ter, index) || !shifts_reserve(&ter->shifts, reference->length)
        || !pair_compare(&ter->pair, reference, summary->words, (int32_t)summary->length, ter->marks.data))
        return false;
    if (candidate->least < 0)
        candidate->least = pair_least_distance(&ter->pair);
    int32_t edits = edits_of_pair(&ter->pair, &ter->shifts, candidate->least, *best);
    if (edits < *best)
        *best = edits;
    return true;
}

static void add_to_counts(int32_t *counts, const Text *text, int32_t number)
{
    for (size_t position = 0; position < text->length; position++)
        counts[text->words[position]] += number;
}

/* Returns a lower bound of the edit distance of two texts for any order of their words: the length of the longer text
   minus the words in common. `counts` has those of one of the texts. */
static int32_t least_distance(int32_t *counts, size_t counted_length, const Text *text)
{
    size_t common = 0;
    for (size_t position = 0; position < text->length; position++)
        common += counts[text->words[position]]-- > 0;
    add_to_counts(counts, text, 1);
    return (int32_t)((counted_length > text->length ? counted_length : text->length) - common);
}

/* Finds the bounds of the distances of a summary from candidates. The bound of a single short one rules out nothing, and is
   found faster when they are compared. Returns false if interrupted. */
static bool find_bounds(Ter *ter, const Text *summary, size_t left_out)
{
    Candidate *candidates = ter->candidates.data;
    int32_t *counts = ter->counts.data;
    if (ter->candidate_count == 1 && summary->length > 0 && candidates->text->length > 0
        && candidates->text->length <= WORD_BITS) {
        candidates->least = -1;
        return true;
    }
    add_to_counts(counts, summary, 1);
    for (size_t index = 0; index < ter->candidate_count && !is_interrupted(&ter->kernel.interrupt); index++) {
        if (index == left_out)
            continue;
        candidates[index].least = least_distance(counts, summary->length, candidates[index].text);
        ter->kernel.interrupt.work += 8 + 2 * candidates[index].text->length;
    }
    add_to_counts(counts, summary, -1);
    ter->kernel.interrupt.work += summary->length;
    return !is_interrupted(&ter->kernel.interrupt);
}

/* Counts the edits to the closest reference, except candidate `left_out`. The candidate with the lowest bound comes
   first: its result usually rules out the others. */
static bool least_edits(Ter *ter, size_t index_of_summary, size_t left_out, int32_t *best, size_t *nearest)
{
    const Text *summary = text_at(&ter->texts, index_of_summary);
    const Candidate *candidates = ter->candidates.data;
    uint32_t sequence = ((const uint32_t *)ter->sequence_of.data)[index_of_summary];
    size_t first = left_out == 0 ? 1 : 0;
    *best = INT32_MAX;
    *nearest = first;
    ter->kernel.interrupt.work += 4 * ter->candidate_count;
    for (size_t index = 0; index < ter->candidate_count; index++)
        if (candidates[index].sequence == sequence && index != left_out) {
            *best = 0;
            *nearest = index;
            return true;
        }
    if (!find_bounds(ter, summary, left_out))
        return false;
    for (size_t index = first + 1; index < ter->candidate_count; index++)
        if (index != left_out && candidates[index].least < candidates[first].least)
            first = index;
    for (size_t turn = 0; turn <= ter->candidate_count; turn++) {
        size_t index = turn == 0 ? first : turn - 1;
        int32_t before = *best;
        if (index == left_out || candidates[index].least >= *best || (turn > 0 && index == first))
            continue;
        if (summary->length == 0 || candidates[index].text->length == 0)
            *best = candidates[index].least; /* all words of the other text */
        else if (!compare(ter, index, summary, best))
            return false;
        if (*best < before)
            *nearest = index;
    }
    return true;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The number of texts up to which each is compared with those before it. */
#ifdef FW_SMALL_TABLES
enum { FEW_TEXTS = 3 };
#else
enum { FEW_TEXTS = 16 };
#endif

static bool are_equal(const Text *text, const Text *other)
{
    return text->length == other->length
        && (text->length == 0 || memcmp(text->words, other->words, text->length * sizeof *text->words) == 0);
}

/* Finds which of a few texts are equal. */
static void compare_texts(Ter *ter, size_t count)
{
    const Text *texts = ter->texts.texts.data;
    uint32_t *sequence_of = ter->sequence_of.data;
    ter->sequence_count = 0;
    for (size_t index = 0; index < count; index++) {
        size_t other = 0;
        while (other < index && !are_equal(&texts[other], &texts[index]))
            other++;
        sequence_of[index] = other < index ? sequence_of[other] : (uint32_t)ter->sequence_count++;
    }
}

/* Tokenizes the texts and finds equal ones. */
static bool tokenize_texts(Ter *ter, const TextGroup *group)
{
    size_t count = group->summary_count + group->reference_count;
    if (!texts_tokenize(&ter->texts, group, ter->rules, 0, NULL, &ter->kernel.interrupt)
        || !buffer_reserve(&ter->sequence_of, count, sizeof(uint32_t)))
        return false;
    if (count <= FEW_TEXTS) {
        compare_texts(ter, count);
        return true;
    }
    if (!word_ids_reset(&ter->sequences, ter->texts.ids.data, count)
        || !word_ids_reserve(&ter->sequences, count, &ter->kernel.interrupt))
        return false;
    for (size_t index = 0; index < count; index++) {
        const Text *text = text_at(&ter->texts, index);
        ((uint32_t *)ter->sequence_of.data)[index] =
            word_id(&ter->sequences, (const unsigned char *)text->words, text->length * sizeof *text->words);
    }
    ter->sequence_count = ter->sequences.used;
    return true;
}

/* Reserves and resets what is stored by word and by sequence. */
static bool reserve_results(Ter *ter)
{
    size_t words = ter->texts.words.used, texts = ter->sequence_count;
    if (!buffer_clear(&ter->marks, words, sizeof(uint64_t)) || !buffer_clear(&ter->counts, words, sizeof(int32_t))
        || !buffer_reserve(&ter->results, texts, sizeof(TextResult)))
        return false;
    ter->marked = SIZE_MAX;
    for (size_t index = 0; index < texts; index++)
        ((TextResult *)ter->results.data)[index] = (TextResult){false, 0, 0, 0, SIZE_MAX};
    return true;
}

/* Reserves references; existing ones keep their memory. */
static bool reserve_references(Ter *ter, size_t count)
{
    if (!buffer_reserve(&ter->references, count, sizeof(Reference)))
        return false;
    for (; ter->reference_capacity < count; ter->reference_capacity++)
        ((Reference *)ter->references.data)[ter->reference_capacity] = (Reference){0};
    return true;
}

/* Collects the distinct references; sums the lengths of all. */
static bool collect_references(Ter *ter)
{
    const uint32_t *sequence_of = ter->sequence_of.data;
    TextResult *results = ter->results.data;
    ter->candidate_count = 0;
    ter->length = 0;
    if (!buffer_reserve(&ter->candidates, ter->group.reference_count, sizeof(Candidate)))
        return false;
    Candidate *candidates = ter->candidates.data;
    for (size_t index = 0; index < ter->group.reference_count; index++) {
        const Text *text = text_at(&ter->texts, ter->group.summary_count + index);
        uint32_t sequence = sequence_of[ter->group.summary_count + index];
        ter->length += (double)text->length;
        if (results[sequence].candidate == SIZE_MAX) {
            results[sequence].candidate = ter->candidate_count;
            candidates[ter->candidate_count++] = (Candidate){text, sequence, 0, false, 0};
        }
        candidates[results[sequence].candidate].times++;
    }
    return reserve_references(ter, ter->candidate_count);
}

static Outcome ter_open(Kernel *kernel, const TextGroup *group)
{
    Ter *ter = (Ter *)kernel;
    ter->group = *group;
    ter->pair.interrupt.should_continue = kernel->interrupt.should_continue;
    ter->pair.interrupt.context = kernel->interrupt.context;
    if (!tokenize_texts(ter, group) || !reserve_results(ter) || !collect_references(ter))
        return OUT_OF_MEMORY;
    return is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Returns the number of edits with a reference left out. */
static double edits_without(const Ter *ter, const TextResult *results, size_t reference)
{
    const Candidate *candidates = ter->candidates.data;
    uint32_t sequence = ((const uint32_t *)ter->sequence_of.data)[ter->group.summary_count + reference];
    size_t candidate = ((const TextResult *)ter->results.data)[sequence].candidate;
    return candidate == results->nearest && candidates[candidate].times == 1 ? results->without : results->edits;
}

static Outcome ter_measure(Kernel *kernel, size_t summary, double *vectors)
{
    Ter *ter = (Ter *)kernel;
    TextResult *results = (TextResult *)ter->results.data + ((const uint32_t *)ter->sequence_of.data)[summary];
    double references = (double)ter->group.reference_count;
    bool leave_one_out = ter->group.leave_one_out;
    size_t other;
    if (!results->is_known) {
        if (!least_edits(ter, summary, SIZE_MAX, &results->edits, &results->nearest))
            return OUT_OF_MEMORY;
        bool is_needed = leave_one_out && ter->candidate_count > 1
            && ((const Candidate *)ter->candidates.data)[results->nearest].times == 1;
        if (is_needed && !least_edits(ter, summary, results->nearest, &results->without, &other))
            return OUT_OF_MEMORY;
        results->is_known = true;
    }
    vectors[0] = results->edits;
    vectors[1] = ter->length / references;
    for (size_t index = 0; leave_one_out && index < ter->group.reference_count; index++) {
        vectors += kernel->width;
        vectors[0] = edits_without(ter, results, index);
        vectors[1] = (ter->length - (double)text_at(&ter->texts, ter->group.summary_count + index)->length) / (references - 1);
    }
    kernel->interrupt.work++;
    return ter->pair.interrupt.interrupted || is_interrupted(&kernel->interrupt) ? INTERRUPTED : DONE;
}

static void ter_score(const Kernel *kernel, const double *vector, double *scores)
{
    (void)kernel;
    double rate = vector[1] > 0 ? vector[0] / vector[1] : vector[0] > 0;
    scores[0] = 100 * rate;
    scores[1] = vector[0];
    scores[2] = vector[1];
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Counts the edits to the reference of candidate 0, whose words are counted. */
static bool edits_to_first(Ter *ter, const Text *summary, int32_t *edits)
{
    Candidate *first = ter->candidates.data;
    first->least = least_distance(ter->counts.data, first->text->length, summary);
    *edits = summary->length == 0 || first->text->length == 0 ? first->least : INT32_MAX;
    return *edits != INT32_MAX
        || compare(ter, 0, summary, edits);
}

/* Writes a number of the scores of all summaries with one reference. */
static Outcome compare_with(Ter *ter, size_t column, size_t index, double *matrix)
{
    const uint32_t *sequence_of = ter->sequence_of.data;
    size_t rows = ter->group.summary_count, columns = ter->group.reference_count;
    const Text *reference = text_at(&ter->texts, rows + column);
    Kernel *kernel = &ter->kernel;
    *(Candidate *)ter->candidates.data = (Candidate){reference, sequence_of[rows + column], 1, false, 0};
    add_to_counts(ter->counts.data, reference, 1);
    for (size_t row = 0; row < rows; row++) {
        const Text *summary = text_at(&ter->texts, row);
        int32_t edits = 0;
        double scores[MAX_FIELDS];
        kernel->interrupt.work += 4 * (8 + summary->length + reference->length);
        if (is_interrupted(&kernel->interrupt))
            return INTERRUPTED;
        if (sequence_of[row] != sequence_of[rows + column] && !edits_to_first(ter, summary, &edits))
            return OUT_OF_MEMORY;
        if (ter->pair.interrupt.interrupted)
            return INTERRUPTED;
        kernel->score(kernel, (const double[]){edits, (double)reference->length}, scores);
        matrix[row * columns + column] = scores[index];
    }
    add_to_counts(ter->counts.data, reference, -1);
    return DONE;
}

static Outcome ter_compare(Kernel *kernel, const TextGroup *group, size_t index, double *matrix)
{
    Ter *ter = (Ter *)kernel;
    Outcome outcome = ter_open(kernel, group);
    for (size_t column = 0; outcome == DONE && column < group->reference_count; column++)
        outcome = compare_with(ter, column, index, matrix);
    return outcome;
}

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void ter_free(Kernel *kernel)
{
    Ter *ter = (Ter *)kernel;
    for (size_t index = 0; index < ter->reference_capacity; index++)
        reference_free((Reference *)ter->references.data + index);
    Buffer *buffers[] = {&ter->sequence_of, &ter->results, &ter->candidates, &ter->references, &ter->marks, &ter->counts};
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    texts_free(&ter->texts);
    word_ids_free(&ter->sequences);
    pair_free(&ter->pair);
    shifts_free(&ter->shifts);
    free(ter);
}

Kernel *ter_new(const TerOptions *options)
{
    Ter *ter = calloc(1, sizeof *ter);
    if (ter == NULL)
        return NULL;
    ter->rules = (TokenizeRules){.lowercase = !options->case_sensitive, .no_punct = options->no_punct, .tokenization = WHITESPACE};
    ter->kernel = (Kernel){
        .width = 2,
        .whole_count = 1,
        .field_count = 3,
        .score_width = 3,
        .lowercase = !options->case_sensitive,
        .fields = {{.name = "ter"}, {.name = "ter_num_edits", .is_whole = true}, {.name = "ter_ref_length"}},
        .open = ter_open,
        .measure = ter_measure,
        .compare = ter_compare,
        .score = ter_score,
        .free = ter_free,
    };
    return &ter->kernel;
}
