#include "ngrams/skip_bigrams.h"

#include <string.h>

/* The largest distance of words up to which pairs are numbered: the number of pairs of any distance grows with the square
   of a text's length. FW_SMALL_TABLES lets tests cover larger distances. */
#ifdef FW_SMALL_TABLES
enum { MOST_NUMBERED = 2 };
#else
enum { MOST_NUMBERED = 64 };
#endif

typedef struct {
    uint32_t of_lane[LANES];
} LaneCounts;

/* Where a word occurs in a summary and in a reference. */
enum { SUMMARY, REFERENCE, SIDES };
typedef struct {
    uint32_t starts[SIDES], ends[SIDES]; /* its first position, and the one after its last; both 0 if it does not occur */
} WordSpans;

void skip_bigrams_free(SkipBigrams *block)
{
    ngram_ids_free(&block->pair_ids);
    buffer_free(&block->lane_counts);
}

void pair_memory_free(PairMemory *memory)
{
    buffer_free(&memory->pairs);
    buffer_free(&memory->seen);
    buffer_free(&memory->found);
    buffer_free(&memory->spans);
    buffer_free(&memory->left);
}

/* Returns the largest distance of two words. */
static size_t max_distance(size_t length, size_t reach)
{
    size_t last = length > 0 ? length - 1 : 0;
    return reach < last ? reach : last;
}

size_t count_skip_bigrams(size_t length, size_t reach)
{
    size_t most = max_distance(length, reach);
    return most * length - most * (most + 1) / 2;
}

/* ---- pairs of any distance, counted for one first word after the other ------------------------------------------------ */

static bool reserve_words(PairMemory *memory, size_t word_end)
{
    if (word_end <= memory->word_end)
        return true;
    memory->word_end = 0;
    if (!buffer_clear(&memory->spans, word_end, sizeof(WordSpans)) || !buffer_clear(&memory->left, word_end, sizeof(uint64_t)))
        return false;
    memory->word_end = word_end;
    return true;
}

static void set_spans(WordSpans *spans, WordSequence text, size_t side)
{
    for (size_t position = 0; position < text.length; position++) {
        WordSpans *span = &spans[text.words[position]];
        if (span->ends[side] == 0)
            span->starts[side] = (uint32_t)position;
        span->ends[side] = (uint32_t)position + 1;
    }
}

/* The positions from the first occurrence of a word to the last one within its reach. */
typedef struct {
    size_t start, end;
} Followers;

static Followers followers_of(const WordSpans *span, size_t side, size_t length, size_t reach)
{
    size_t last = span->ends[side] - (size_t)1;
    return (Followers){span->starts[side], reach < length - last ? last + reach + 1 : length};
}

/* Counts the pairs of a word and each word that follows it, into `left`; or, of a summary, those that are left. */
static uint64_t count_followers(uint64_t *left, WordSequence text, uint32_t word, Followers at, size_t reach, bool is_summary)
{
    uint64_t before = 0, shared = 0;
    for (size_t position = at.start; position < at.end; position++) {
        uint64_t *of_pair = &left[text.words[position]];
        if (is_summary) {
            uint64_t taken = *of_pair < before ? *of_pair : before;
            *of_pair -= taken;
            shared += taken;
        } else {
            *of_pair += before;
        }
        before += text.words[position] == word;
        before -= position - at.start >= reach && text.words[position - reach] == word;
    }
    return shared;
}

/* Returns the number of pairs that two texts share. */
static uint64_t shared_of_any_distance(
    PairMemory *memory, WordSequence summary, WordSequence reference, size_t reach, Interrupt *interrupt)
{
    WordSpans *spans = memory->spans.data;
    uint64_t *left = memory->left.data, shared = 0;
    set_spans(spans, summary, SUMMARY);
    set_spans(spans, reference, REFERENCE);
    for (size_t position = 0; position < summary.length && !is_interrupted(interrupt); position++) {
        uint32_t word = summary.words[position];
        if (spans[word].starts[SUMMARY] != position || spans[word].ends[REFERENCE] == 0)
            continue;
        Followers ours = followers_of(&spans[word], SUMMARY, summary.length, reach);
        Followers theirs = followers_of(&spans[word], REFERENCE, reference.length, reach);
        count_followers(left, reference, word, theirs, reach, false);
        shared += count_followers(left, summary, word, ours, reach, true);
        for (size_t index = theirs.start; index < theirs.end; index++)
            left[reference.words[index]] = 0;
        interrupt->work += 1 + ours.end - ours.start + theirs.end - theirs.start;
    }
    for (size_t position = 0; position < summary.length; position++)
        spans[summary.words[position]] = (WordSpans){{0}, {0}};
    for (size_t position = 0; position < reference.length; position++)
        spans[reference.words[position]] = (WordSpans){{0}, {0}};
    return shared;
}

/* ---- references -------------------------------------------------------------------------------------------------- */

/* Reserves counts for all pairs; new ones are 0. */
static bool reserve_counts(SkipBigrams *block, size_t before)
{
    if (!buffer_reserve(&block->lane_counts, (size_t)block->pair_ids.used + 1, sizeof(LaneCounts)))
        return false;
    if (block->pair_ids.used > before)
        memset((LaneCounts *)block->lane_counts.data + before, 0, (block->pair_ids.used - before) * sizeof(LaneCounts));
    return true;
}

static bool count_reference(
    SkipBigrams *block, uint32_t *pairs, WordSequence text, size_t lane, size_t reach, Interrupt *interrupt)
{
    for (size_t distance = 1; distance <= max_distance(text.length, reach); distance++) {
        size_t count = text.length - distance, before = block->pair_ids.used;
        memcpy(pairs, text.words, count * sizeof *pairs);
        if (!ngram_ids_reserve(&block->pair_ids, count, interrupt))
            return false;
        assign_ngram_ids(&block->pair_ids, pairs, text.words + distance, count);
        if (!reserve_counts(block, before))
            return false;
        LaneCounts *lane_counts = block->lane_counts.data;
        for (size_t position = 0; position < count; position++)
            lane_counts[pairs[position]].of_lane[lane]++;
        interrupt->work += 8 * count;
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

/* Pairs have 32-bit ids; more of them count as out of memory. */
bool skip_bigrams_open(
    SkipBigrams *block, PairMemory *memory, const WordSequence *references, size_t count, size_t reach, uint32_t word_end,
    Interrupt *interrupt)
{
    size_t max = 0, longest = 0;
    for (size_t index = 0; index < count; index++) {
        max += count_skip_bigrams(references[index].length, reach);
        block->references[index] = references[index];
        longest = references[index].length > longest ? references[index].length : longest;
    }
    block->count = count;
    block->is_near = max_distance(longest, reach) <= MOST_NUMBERED;
    if (reach > MOST_NUMBERED && !reserve_words(memory, word_end))
        return false;
    if (!block->is_near)
        return true;
    if (max > UINT32_MAX / 4 || !ngram_ids_reset(&block->pair_ids, max, 0, word_end) || !reserve_counts(block, 0)
        || !buffer_reserve(&memory->pairs, longest + 1, sizeof(uint32_t)))
        return false;
    for (size_t index = 0; index < count; index++)
        if (!count_reference(block, memory->pairs.data, references[index], index, reach, interrupt))
            return false;
    if (!buffer_reserve(&memory->seen, (size_t)block->pair_ids.used + 1, sizeof(uint32_t))
        || !buffer_reserve(&memory->found, (size_t)block->pair_ids.used + 1, sizeof(uint32_t)))
        return false;
    memset(memory->seen.data, 0, ((size_t)block->pair_ids.used + 1) * sizeof(uint32_t));
    return true;
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Counts the pairs of one distance that a summary shares with each reference, and collects those seen first. */
static size_t count_shared(
    const LaneCounts *lane_counts, const PairMemory *memory, const uint32_t *pairs, size_t count, uint32_t *shared,
    size_t found_count)
{
    uint32_t *seen = memory->seen.data, *found = memory->found.data;
    for (size_t position = 0; position < count; position++) {
        if (pairs[position] == NO_NGRAM)
            continue;
        const uint32_t *of_lane = lane_counts[pairs[position]].of_lane;
        uint32_t now = seen[pairs[position]] + (seen[pairs[position]] < UINT32_MAX); /* counts in references are lower */
        seen[pairs[position]] = now;
        found[found_count] = pairs[position];
        found_count += now == 1;
        for (size_t lane = 0; lane < LANES; lane++)
            shared[lane] += of_lane[lane] >= now;
    }
    return found_count;
}

bool skip_bigrams_shared(
    const SkipBigrams *block, PairMemory *memory, WordSequence summary, size_t reach, double *shared, Interrupt *interrupt)
{
    uint32_t totals[LANES] = {0};
    size_t found = 0;
    if (!block->is_near || max_distance(summary.length, reach) > MOST_NUMBERED) {
        for (size_t index = 0; index < block->count; index++)
            shared[index] = (double)shared_of_any_distance(memory, summary, block->references[index], reach, interrupt);
        return !is_interrupted(interrupt);
    }
    bool done = buffer_reserve(&memory->pairs, summary.length + 1, sizeof(uint32_t));
    uint32_t *pairs = memory->pairs.data;
    for (size_t distance = 1; done && distance <= max_distance(summary.length, reach); distance++) {
        size_t count = summary.length - distance;
        memcpy(pairs, summary.words, count * sizeof *pairs);
        find_ngram_ids(&block->pair_ids, pairs, summary.words + distance, count);
        found = count_shared(block->lane_counts.data, memory, pairs, count, totals, found);
        interrupt->work += 8 * count;
        done = !is_interrupted(interrupt);
    }
    for (size_t index = 0; index < found; index++)
        ((uint32_t *)memory->seen.data)[((const uint32_t *)memory->found.data)[index]] = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        shared[lane] = totals[lane];
    return done;
}
