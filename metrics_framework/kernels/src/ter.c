#include "ter.h"

#include <stdlib.h>
#include <string.h>

#include "moves.h"

/* The words of a text. */
typedef struct {
    const uint32_t *words;
    int32_t length;
    uint32_t sequence; /* equal for equal texts */
} Text;

/* A reference of a group, among those that differ. */
typedef struct {
    Text text;
    bool is_prepared;
    int32_t least; /* what no order of the present summary's words goes below */
} Candidate;

struct TerScorer {
    CuttingRules rules;
    Numbers words, sequences;
    Buffer numbers;    /* uint32_t: the words of all texts of the group */
    Buffer texts;      /* Text */
    Buffer known;      /* int64_t, by sequence: the edits of a summary, -1 where they are not known */
    Buffer candidates; /* Candidate */
    Buffer references; /* Reference, by candidate */
    size_t reference_room;
    Buffer row_of_word; /* uint32_t; all 0 */
    Buffer used;        /* int32_t */
    Pair pair;
    Moves moves;
};

TerScorer *ter_scorer_new(CuttingRules rules, GoOn go_on, void *context)
{
    TerScorer *scorer = calloc(1, sizeof *scorer);
    if (scorer == NULL)
        return NULL;
    scorer->rules = rules;
    scorer->pair.watch.go_on = go_on;
    scorer->pair.watch.context = context;
    return scorer;
}

void ter_scorer_free(TerScorer *scorer)
{
    if (scorer == NULL)
        return;
    numbers_free(&scorer->words);
    numbers_free(&scorer->sequences);
    for (size_t index = 0; index < scorer->reference_room; index++)
        reference_free((Reference *)scorer->references.data + index);
    Buffer *buffers[] = {
        &scorer->numbers,    &scorer->texts,       &scorer->known, &scorer->candidates,
        &scorer->references, &scorer->row_of_word, &scorer->used,
    };
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    pair_free(&scorer->pair);
    moves_free(&scorer->moves);
    free(scorer);
}

/* ---- one pair --------------------------------------------------------------------------------------------------- */

/* Makes moves until none gains anything. Returns the edits, or a number not below `enough` where there are that many. */
static int32_t edits_of_pair(Pair *pair, Moves *moves, int32_t least, int32_t enough)
{
    int32_t made = 0;
    moves->examined = 0;
    while (pair->distance > least && made + 1 + least < enough && !pair->watch.stopped) {
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
static bool look_up(TerScorer *scorer, size_t index, const Text *summary)
{
    Candidate *candidate = (Candidate *)scorer->candidates.data + index;
    Reference *reference = (Reference *)scorer->references.data + index;
    uint32_t *row_of_word = scorer->row_of_word.data;
    if (!candidate->is_prepared
        && !reference_prepare(reference, candidate->text.words, candidate->text.length, row_of_word))
        return false;
    candidate->is_prepared = true;
    if (!buffer_reserve(&scorer->used, reference->row_count, sizeof(int32_t)))
        return false;
    candidate->least = reference_look_up(
        reference, summary->words, summary->length, row_of_word, scorer->pair.words.data, scorer->used.data);
    return true;
}

/* Counts the edits to a reference, if they are less than `*best`. */
static bool compare(TerScorer *scorer, size_t index, const Text *summary, int32_t *best)
{
    const Reference *reference = (Reference *)scorer->references.data + index;
    if (!look_up(scorer, index, summary) || !moves_reserve(&scorer->moves, reference->length)
        || !pair_compare(&scorer->pair, reference, summary->length))
        return false;
    int32_t least = ((Candidate *)scorer->candidates.data)[index].least;
    int32_t edits = edits_of_pair(&scorer->pair, &scorer->moves, least, *best);
    if (edits < *best)
        *best = edits;
    return true;
}

/* Counts the edits to the nearest reference: first that with which it has most words in common, as it makes it likely
   that the others need not be looked at. */
static TerOutcome least_edits(TerScorer *scorer, const Text *summary, size_t candidate_count, int32_t *best)
{
    const Candidate *candidates = scorer->candidates.data;
    size_t first = 0;
    if (!buffer_reserve(&scorer->pair.words, (size_t)summary->length, sizeof(uint32_t)))
        return TER_NO_MEMORY;
    *best = INT32_MAX;
    for (size_t index = 0; index < candidate_count; index++) {
        if (candidates[index].text.sequence == summary->sequence) {
            *best = 0;
            return TER_DONE;
        }
        if (!look_up(scorer, index, summary))
            return TER_NO_MEMORY;
        if (candidates[index].least < candidates[first].least)
            first = index;
    }
    for (size_t turn = 0; turn <= candidate_count; turn++) {
        size_t index = turn == 0 ? first : turn - 1;
        if (candidates[index].least >= *best || (turn > 0 && index == first))
            continue;
        if (summary->length == 0 || candidates[index].text.length == 0)
            *best = candidates[index].least; /* all words of the other side */
        else if (!compare(scorer, index, summary, best))
            return TER_NO_MEMORY;
    }
    return scorer->pair.watch.stopped ? TER_STOPPED : TER_DONE;
}

/* ---- a group ---------------------------------------------------------------------------------------------------- */

/* Cuts the texts of a group into words. */
static bool cut_texts(TerScorer *scorer, const TerGroup *group)
{
    size_t count = group->summary_count + group->reference_count, start = 0, used = 0;
    size_t size = group->ends[count - 1], most = most_words(group->bytes, size) + count;
    /* Numbers of words and lengths are numbers of 32 bits; what goes beyond is refused as too much for the memory. */
    if (size > INT32_MAX || most > INT32_MAX / 4 || !buffer_reserve(&scorer->texts, count, sizeof(Text))
        || !buffer_reserve(&scorer->numbers, most + SPARE_BYTES, sizeof(uint32_t))
        || !numbers_reset(&scorer->words, group->bytes, most)
        || !numbers_reset(&scorer->sequences, scorer->numbers.data, count))
        return false;
    uint32_t *numbers = scorer->numbers.data;
    Text *texts = scorer->texts.data;
    for (size_t index = 0; index < count; index++) {
        uint32_t *words = numbers + used;
        size_t length = group->ends[index] - start;
        size_t cut = cut_words(scorer->rules, &scorer->words, group->bytes + start, length, words);
        memset(words + cut, 0, SPARE_BYTES); /* readable, and the same in each run */
        uint32_t sequence = number_of(&scorer->sequences, (unsigned char *)words, cut * sizeof *words);
        texts[index] = (Text){words, (int32_t)cut, sequence};
        used += cut;
        start = group->ends[index];
        scorer->pair.watch.work += length;
    }
    return true;
}

/* Makes room for references; those that there are stay. */
static bool reserve_references(TerScorer *scorer, size_t count)
{
    if (!buffer_reserve(&scorer->references, count, sizeof(Reference)))
        return false;
    for (; scorer->reference_room < count; scorer->reference_room++)
        ((Reference *)scorer->references.data)[scorer->reference_room] = (Reference){0};
    return true;
}

/* Makes room for what is to be known of words and sequences. */
static bool reserve_numbered(TerScorer *scorer)
{
    if (!buffer_reserve(&scorer->row_of_word, scorer->words.used, sizeof(uint32_t))
        || !buffer_reserve(&scorer->known, scorer->sequences.used, sizeof(int64_t)))
        return false;
    if (scorer->words.used > 0)
        memset(scorer->row_of_word.data, 0, scorer->words.used * sizeof(uint32_t));
    return true;
}

/* Collects the references that differ; adds up the lengths of all. Returns false where there is not so much memory. */
static bool collect_references(TerScorer *scorer, const TerGroup *group, size_t *candidate_count, int64_t *length)
{
    const Text *references = (Text *)scorer->texts.data + group->summary_count;
    int64_t *seen = scorer->known.data;
    if (!buffer_reserve(&scorer->candidates, group->reference_count, sizeof(Candidate)))
        return false;
    for (size_t index = 0; index < scorer->sequences.used; index++)
        seen[index] = -1;
    for (size_t index = 0; index < group->reference_count; index++) {
        *length += references[index].length;
        if (seen[references[index].sequence]++ < 0)
            ((Candidate *)scorer->candidates.data)[(*candidate_count)++] = (Candidate){references[index], false, 0};
    }
    return reserve_references(scorer, *candidate_count);
}

TerOutcome ter_score_group(TerScorer *scorer, const TerGroup *group, TerCounts *counts)
{
    size_t candidate_count = 0;
    int64_t length = 0;
    if (!cut_texts(scorer, group) || !reserve_numbered(scorer)
        || !collect_references(scorer, group, &candidate_count, &length))
        return TER_NO_MEMORY;
    const Text *summaries = scorer->texts.data;
    int64_t *known = scorer->known.data;
    for (size_t index = 0; index < scorer->sequences.used; index++)
        known[index] = -1;
    for (size_t index = 0; index < group->summary_count; index++) {
        int32_t edits = 0;
        int64_t *own = &known[summaries[index].sequence];
        if (*own < 0) {
            TerOutcome outcome = least_edits(scorer, &summaries[index], candidate_count, &edits);
            if (outcome != TER_DONE)
                return outcome;
            *own = edits;
        }
        counts[index] = (TerCounts){*own, length};
    }
    return is_stopped(&scorer->pair.watch) ? TER_STOPPED : TER_DONE;
}
