#include "ter.h"

#include <stdlib.h>
#include <string.h>

#include "moves.h"
#include "texts.h"

/* A reference of a group, among those that differ. */
typedef struct {
    const Text *text;
    uint32_t sequence;
    size_t times; /* how many references are equal to it */
    bool is_prepared;
    int32_t least; /* what no order of the present summary's words goes below */
} Candidate;

/* What is known of a text, whichever summaries or references are equal to it. */
typedef struct {
    bool is_known;
    int32_t edits;   /* of a summary, to the nearest reference */
    int32_t without; /* the same without that reference */
    size_t nearest;  /* the candidate that it is */
    size_t candidate;
} Known;

typedef struct {
    Kernel kernel;
    CuttingRules rules;
    TextGroup group;
    Texts texts;
    Numbers sequences;
    Buffer sequence_of; /* uint32_t, by text: equal for equal texts */
    Buffer known;       /* Known, by sequence */
    Buffer candidates;  /* Candidate */
    size_t candidate_count;
    Buffer references; /* Reference, by candidate */
    size_t reference_room;
    Buffer row_of_word; /* uint32_t; all 0 */
    Buffer used;        /* int32_t */
    double length;      /* words of all references together */
    Pair pair;
    Moves moves;
} Ter;

/* ---- one pair --------------------------------------------------------------------------------------------------- */

/* Makes moves until none gains anything. Returns the edits, or a number not below `enough` where there are that many. */
static int32_t edits_of_pair(Pair *pair, Moves *moves, int32_t least, int32_t enough)
{
    int32_t made = 0;
    moves->examined = 0;
    while (pair->distance > least && made + 1 + least < enough && !is_stopped(&pair->watch)) {
        pair_align(pair);
        if (!moves_find(moves, pair))
            break;
        Move move = moves_best(moves, pair, least);
        if (move.gain <= 0)
            break;
        pair_exchange(pair, move.start, move.middle, move.end);
        made++;
    }
    return made + pair->distance;
}

/* ---- one summary ------------------------------------------------------------------------------------------------ */

/* Readies a reference and the summary's words for each other. */
static bool look_up(Ter *ter, size_t index, const Text *summary)
{
    Candidate *candidate = (Candidate *)ter->candidates.data + index;
    Reference *reference = (Reference *)ter->references.data + index;
    uint32_t *row_of_word = ter->row_of_word.data;
    if (!candidate->is_prepared
        && !reference_prepare(reference, candidate->text->words, (int32_t)candidate->text->length, row_of_word))
        return false;
    candidate->is_prepared = true;
    if (!buffer_reserve(&ter->used, reference->row_count, sizeof(int32_t)))
        return false;
    candidate->least = reference_look_up(
        reference, summary->words, (int32_t)summary->length, row_of_word, ter->pair.words.data, ter->used.data);
    return true;
}

/* Counts the edits to a reference, if they are less than `*best`. */
static bool compare(Ter *ter, size_t index, const Text *summary, int32_t *best)
{
    const Reference *reference = (Reference *)ter->references.data + index;
    if (!look_up(ter, index, summary) || !moves_reserve(&ter->moves, reference->length)
        || !pair_compare(&ter->pair, reference, (int32_t)summary->length))
        return false;
    int32_t least = ((Candidate *)ter->candidates.data)[index].least;
    int32_t edits = edits_of_pair(&ter->pair, &ter->moves, least, *best);
    if (edits < *best)
        *best = edits;
    return true;
}

/* Counts the edits to the nearest reference, one candidate left out: first that with which it has most words in common,
   as it makes it likely that the others need not be looked at. */
static bool least_edits(Ter *ter, size_t index_of_summary, size_t left_out, int32_t *best, size_t *nearest)
{
    const Text *summary = text_at(&ter->texts, index_of_summary);
    const Candidate *candidates = ter->candidates.data;
    uint32_t sequence = ((const uint32_t *)ter->sequence_of.data)[index_of_summary];
    size_t first = left_out == 0 ? 1 : 0;
    if (!buffer_reserve(&ter->pair.words, summary->length, sizeof(uint32_t)))
        return false;
    *best = INT32_MAX;
    *nearest = first;
    ter->kernel.watch.work += 4 * ter->candidate_count;
    for (size_t index = 0; index < ter->candidate_count; index++) {
        if (index == left_out)
            continue;
        if (candidates[index].sequence == sequence) {
            *best = 0;
            *nearest = index;
            return true;
        }
        if (!look_up(ter, index, summary))
            return false;
        ter->kernel.watch.work += 4 * (8 + summary->length + candidates[index].text->length);
        if (is_stopped(&ter->kernel.watch))
            return false;
        if (candidates[index].least < candidates[first].least)
            first = index;
    }
    for (size_t turn = 0; turn <= ter->candidate_count; turn++) {
        size_t index = turn == 0 ? first : turn - 1;
        int32_t before = *best;
        if (index == left_out || candidates[index].least >= *best || (turn > 0 && index == first))
            continue;
        if (summary->length == 0 || candidates[index].text->length == 0)
            *best = candidates[index].least; /* all words of the other side */
        else if (!compare(ter, index, summary, best))
            return false;
        if (*best < before)
            *nearest = index;
    }
    return true;
}

/* ---- a group ---------------------------------------------------------------------------------------------------- */

/* Cuts the texts of a group into words and finds out which are equal. */
static bool cut_texts(Ter *ter, const TextGroup *group)
{
    size_t count = group->summary_count + group->reference_count;
    if (!texts_cut(&ter->texts, group, ter->rules, 0, NULL, &ter->kernel.watch)
        || !buffer_reserve(&ter->sequence_of, count, sizeof(uint32_t))
        || !numbers_reset(&ter->sequences, ter->texts.numbers.data, count)
        || !numbers_reserve(&ter->sequences, count, &ter->kernel.watch))
        return false;
    for (size_t index = 0; index < count; index++) {
        const Text *text = text_at(&ter->texts, index);
        ((uint32_t *)ter->sequence_of.data)[index] =
            number_of(&ter->sequences, (const unsigned char *)text->words, text->length * sizeof *text->words);
    }
    return true;
}

/* Makes room for what is to be known of words and of texts. */
static bool reserve_numbered(Ter *ter)
{
    size_t words = ter->texts.words.used, texts = ter->sequences.used;
    if (!buffer_reserve(&ter->row_of_word, words, sizeof(uint32_t))
        || !buffer_reserve(&ter->known, texts, sizeof(Known)))
        return false;
    if (words > 0)
        memset(ter->row_of_word.data, 0, words * sizeof(uint32_t));
    for (size_t index = 0; index < texts; index++)
        ((Known *)ter->known.data)[index] = (Known){false, 0, 0, 0, SIZE_MAX};
    return true;
}

/* Makes room for references; those that there are stay. */
static bool reserve_references(Ter *ter, size_t count)
{
    if (!buffer_reserve(&ter->references, count, sizeof(Reference)))
        return false;
    for (; ter->reference_room < count; ter->reference_room++)
        ((Reference *)ter->references.data)[ter->reference_room] = (Reference){0};
    return true;
}

/* Collects the references that differ; adds up the lengths of all. */
static bool collect_references(Ter *ter)
{
    const uint32_t *sequence_of = ter->sequence_of.data;
    Known *known = ter->known.data;
    ter->candidate_count = 0;
    ter->length = 0;
    if (!buffer_reserve(&ter->candidates, ter->group.reference_count, sizeof(Candidate)))
        return false;
    Candidate *candidates = ter->candidates.data;
    for (size_t index = 0; index < ter->group.reference_count; index++) {
        const Text *text = text_at(&ter->texts, ter->group.summary_count + index);
        uint32_t sequence = sequence_of[ter->group.summary_count + index];
        ter->length += (double)text->length;
        if (known[sequence].candidate == SIZE_MAX) {
            known[sequence].candidate = ter->candidate_count;
            candidates[ter->candidate_count++] = (Candidate){text, sequence, 0, false, 0};
        }
        candidates[known[sequence].candidate].times++;
    }
    return reserve_references(ter, ter->candidate_count);
}

static Outcome ter_open(Kernel *kernel, const TextGroup *group)
{
    Ter *ter = (Ter *)kernel;
    ter->group = *group;
    ter->pair.watch.go_on = kernel->watch.go_on;
    ter->pair.watch.context = kernel->watch.context;
    if (!cut_texts(ter, group) || !reserve_numbered(ter) || !collect_references(ter))
        return NO_MEMORY;
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

/* ---- a summary -------------------------------------------------------------------------------------------------- */

/* Returns the edits without a reference. */
static double edits_without(const Ter *ter, const Known *known, size_t reference)
{
    const Candidate *candidates = ter->candidates.data;
    uint32_t sequence = ((const uint32_t *)ter->sequence_of.data)[ter->group.summary_count + reference];
    size_t candidate = ((const Known *)ter->known.data)[sequence].candidate;
    return candidate == known->nearest && candidates[candidate].times == 1 ? known->without : known->edits;
}

static Outcome ter_measure(Kernel *kernel, size_t summary, double *vectors)
{
    Ter *ter = (Ter *)kernel;
    Known *known = (Known *)ter->known.data + ((const uint32_t *)ter->sequence_of.data)[summary];
    double references = (double)ter->group.reference_count;
    bool leave_one_out = ter->group.leave_one_out;
    size_t other;
    if (!known->is_known) {
        if (!least_edits(ter, summary, SIZE_MAX, &known->edits, &known->nearest))
            return NO_MEMORY;
        bool is_needed = leave_one_out && ter->candidate_count > 1
            && ((const Candidate *)ter->candidates.data)[known->nearest].times == 1;
        if (is_needed && !least_edits(ter, summary, known->nearest, &known->without, &other))
            return NO_MEMORY;
        known->is_known = true;
    }
    vectors[0] = known->edits;
    vectors[1] = ter->length / references;
    for (size_t index = 0; leave_one_out && index < ter->group.reference_count; index++) {
        vectors += kernel->width;
        vectors[0] = edits_without(ter, known, index);
        vectors[1] = (ter->length - (double)text_at(&ter->texts, ter->group.summary_count + index)->length) / (references - 1);
    }
    kernel->watch.work++;
    return ter->pair.watch.stopped || is_stopped(&kernel->watch) ? STOPPED : DONE;
}

static void ter_score(const Kernel *kernel, const double *vector, double *scores)
{
    (void)kernel;
    double rate = vector[1] > 0 ? vector[0] / vector[1] : vector[0] > 0;
    scores[0] = 100 * rate;
    scores[1] = vector[0];
    scores[2] = vector[1];
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

static void ter_free(Kernel *kernel)
{
    Ter *ter = (Ter *)kernel;
    for (size_t index = 0; index < ter->reference_room; index++)
        reference_free((Reference *)ter->references.data + index);
    Buffer *buffers[] = {&ter->sequence_of, &ter->known, &ter->candidates, &ter->references, &ter->row_of_word, &ter->used};
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    texts_free(&ter->texts);
    numbers_free(&ter->sequences);
    pair_free(&ter->pair);
    moves_free(&ter->moves);
    free(ter);
}

Kernel *ter_new(const TerOptions *options)
{
    Ter *ter = calloc(1, sizeof *ter);
    if (ter == NULL)
        return NULL;
    ter->rules = (CuttingRules){.lowercase = !options->case_sensitive, .no_punct = options->no_punct, .cut = AT_WHITE_SPACE};
    ter->kernel = (Kernel){
        .width = 2,
        .whole_count = 1,
        .field_count = 3,
        .score_width = 3,
        .lowercase = !options->case_sensitive,
        .fields = {{"ter", 0, false}, {"ter_num_edits", 0, true}, {"ter_ref_length", 0, false}},
        .open = ter_open,
        .measure = ter_measure,
        .score = ter_score,
        .free = ter_free,
    };
    return &ter->kernel;
}
