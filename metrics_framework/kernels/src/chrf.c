#include "chrf.h"

#include <stdlib.h>
#include <string.h>

#include "cutting.h"
#include "grams.h"

/* References are counted so many at a time, so that a summary's n-gram is looked up once for all of them. */
enum { LANES = 8 };

/* What an n-gram of one character, or of one word, begins with. */
static const uint32_t NO_CHARACTER = UINT32_MAX - 1, NO_WORD = UINT32_MAX - 2;

static const double EPSILON = 1e-16;

/* A text as characters and as words: numbers of code points and of words. */
typedef struct {
    const uint32_t *units[2];
    size_t lengths[2];
} Units;

/* How often an n-gram stands in each reference of a block. */
typedef struct {
    uint32_t counts[LANES];
} Row;

/* Up to LANES references. Starts as {0}. */
typedef struct {
    Grams grams;
    Buffer rows; /* Row, by number of an n-gram */
} Block;

typedef struct {
    Kernel kernel;
    ChrfOptions options;
    size_t orders; /* of characters and of words */
    TextGroup group;
    Numbers words;
    Buffer units;  /* uint32_t: those of all texts */
    Buffer texts;  /* Units */
    Buffer blocks; /* Block */
    size_t block_room;
    Buffer ends;    /* uint32_t: the n-gram that begins at each place of a text */
    Buffer times;   /* uint32_t, by number of an n-gram: how often it has come in a summary; all 0 */
    Buffer shared;  /* double: for each order and reference the n-grams that a summary shares with it */
    Buffer vectors; /* double: the statistics of a summary against each reference */
    Buffer scores;  /* double: the score of each of them */
} Chrf;

static const Units *units_at(const Chrf *chrf, size_t index) { return (const Units *)chrf->texts.data + index; }

static Block *block_at(const Chrf *chrf, size_t index) { return (Block *)chrf->blocks.data + index; }

/* ---- texts into characters and words ---------------------------------------------------------------------------- */

/* Reads one code point; returns how many bytes it has. */
static size_t read_code_point(const unsigned char *text, uint32_t *code)
{
    if (text[0] < 0x80) {
        *code = text[0];
        return 1;
    }
    if (text[0] < 0xe0) {
        *code = (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu);
        return 2;
    }
    if (text[0] < 0xf0) {
        *code = (text[0] & 0xfu) << 12 | (text[1] & 0x3fu) << 6 | (text[2] & 0x3fu);
        return 3;
    }
    *code = (text[0] & 7u) << 18 | (text[1] & 0x3fu) << 12 | (text[2] & 0x3fu) << 6 | (text[3] & 0x3fu);
    return 4;
}

static size_t cut_characters(const unsigned char *text, size_t length, bool whitespace, uint32_t *out)
{
    size_t count = 0;
    for (size_t place = 0; place < length;) {
        size_t space = whitespace ? 0 : white_space_at(text + place, length - place);
        place += space > 0 ? space : read_code_point(text + place, &out[count++]);
    }
    return count;
}

static bool is_punctuation(unsigned char byte)
{
    return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`')
        || (byte >= '{' && byte <= '~');
}

/* Cuts one mark off the end of a word, or else off its start. */
static size_t cut_word(Numbers *words, const unsigned char *word, size_t length, uint32_t *out)
{
    size_t first = length;
    if (length > 1 && is_punctuation(word[length - 1]))
        first = length - 1;
    else if (length > 1 && is_punctuation(word[0]))
        first = 1;
    out[0] = number_of(words, word, first);
    if (first == length)
        return 1;
    out[1] = number_of(words, word + first, length - first);
    return 2;
}

static size_t cut_into_words(Numbers *words, const unsigned char *text, size_t length, uint32_t *out)
{
    size_t count = 0, start = 0;
    for (size_t place = 0; place <= length;) {
        size_t space = place == length ? 1 : white_space_at(text + place, length - place);
        if (space == 0) {
            place++;
            continue;
        }
        if (place > start)
            count += cut_word(words, text + start, place - start, out + count);
        place += space;
        start = place;
    }
    return count;
}

/* Makes characters and words of all texts. Places are numbers of 32 bits; what goes beyond is refused as too much for the
   memory. */
static bool cut_texts(Chrf *chrf, const TextGroup *group)
{
    size_t count = group->summary_count + group->reference_count, size = group->ends[count - 1], start = 0;
    bool has_words = chrf->options.word_order > 0;
    size_t most_words = has_words ? size + count : 0;
    if (size > INT32_MAX / 4 || !buffer_reserve(&chrf->texts, count, sizeof(Units))
        || !buffer_reserve(&chrf->units, size + most_words + 1, sizeof(uint32_t))
        || !numbers_reset(&chrf->words, group->bytes, most_words))
        return false;
    uint32_t *out = chrf->units.data;
    for (size_t index = 0; index < count; index++) {
        unsigned char *text = group->bytes + start;
        size_t length = group->ends[index] - start;
        Units *units = (Units *)chrf->texts.data + index;
        if (chrf->options.lowercase)
            lower_case(text, length);
        size_t characters = cut_characters(text, length, chrf->options.whitespace, out);
        size_t words = has_words ? cut_into_words(&chrf->words, text, length, out + characters) : 0;
        *units = (Units){{out, out + characters}, {characters, words}};
        out += characters + words;
        start = group->ends[index];
        chrf->kernel.watch.work += 4 * length;
    }
    return true;
}

/* ---- references ------------------------------------------------------------------------------------------------- */

/* The two kinds of units: which orders there are of them, and what their first n-gram begins with. */
static size_t order_of(const Chrf *chrf, int kind) { return kind == 0 ? chrf->options.char_order : chrf->options.word_order; }

static uint32_t beginning_of(int kind) { return kind == 0 ? NO_CHARACTER : NO_WORD; }

static size_t most_grams(const Chrf *chrf, const Units *units)
{
    size_t most = 0;
    for (int kind = 0; kind < 2; kind++) {
        size_t orders = order_of(chrf, kind), length = units->lengths[kind];
        most += length * (orders < length ? orders : length);
    }
    return most;
}

/* Makes room for rows; new ones are 0. */
static bool reserve_rows(Block *block, size_t before)
{
    if (!buffer_reserve(&block->rows, block->grams.used, sizeof(Row)))
        return false;
    if (block->grams.used > before)
        memset((Row *)block->rows.data + before, 0, (block->grams.used - before) * sizeof(Row));
    return true;
}

static bool count_reference(Chrf *chrf, Block *block, const Units *units, size_t lane)
{
    uint32_t *grams = chrf->ends.data;
    for (int kind = 0; kind < 2; kind++) {
        for (size_t order = 1; order <= order_of(chrf, kind); order++) {
            size_t count = gram_count(units->lengths[kind], order), before = block->grams.used;
            const uint32_t *unit = units->units[kind] + order - 1;
            for (size_t place = 0; place < count; place++)
                grams[place] = gram_number(&block->grams, order == 1 ? beginning_of(kind) : grams[place], unit[place]);
            if (!reserve_rows(block, before))
                return false;
            Row *rows = block->rows.data;
            for (size_t place = 0; place < count; place++)
                rows[grams[place]].counts[lane]++;
            chrf->kernel.watch.work += 8 * count;
        }
    }
    return true;
}

/* Counts the references of a block. */
static bool open_block(Chrf *chrf, size_t index)
{
    Block *block = block_at(chrf, index);
    size_t first = index * LANES, behind = chrf->group.reference_count, most = 0;
    if (behind > first + LANES)
        behind = first + LANES;
    for (size_t reference = first; reference < behind; reference++)
        most += most_grams(chrf, units_at(chrf, chrf->group.summary_count + reference));
    if (!grams_reset(&block->grams, most, 0))
        return false;
    for (size_t reference = first; reference < behind; reference++)
        if (!count_reference(chrf, block, units_at(chrf, chrf->group.summary_count + reference), reference - first))
            return false;
    if (!buffer_reserve(&chrf->times, block->grams.used, sizeof(uint32_t)))
        return false;
    return true;
}

/* Makes room for all that a group needs. */
static bool reserve_group(Chrf *chrf, size_t block_count)
{
    size_t longest = 0, references = block_count * LANES;
    for (size_t index = 0; index < chrf->group.summary_count + chrf->group.reference_count; index++)
        for (int kind = 0; kind < 2; kind++) {
            size_t length = units_at(chrf, index)->lengths[kind];
            longest = length > longest ? length : longest;
        }
    if (!buffer_reserve(&chrf->blocks, block_count, sizeof(Block))
        || !buffer_reserve(&chrf->ends, longest + 1, sizeof(uint32_t))
        || !buffer_reserve(&chrf->shared, references * chrf->orders, sizeof(double))
        || !buffer_reserve(&chrf->vectors, references * chrf->kernel.width, sizeof(double))
        || !buffer_reserve(&chrf->scores, references, sizeof(double)))
        return false;
    for (; chrf->block_room < block_count; chrf->block_room++)
        *block_at(chrf, chrf->block_room) = (Block){0};
    return true;
}

static Outcome chrf_open(Kernel *kernel, const TextGroup *group)
{
    Chrf *chrf = (Chrf *)kernel;
    size_t block_count = (group->reference_count + LANES - 1) / LANES, most = 0;
    chrf->group = *group;
    if (!cut_texts(chrf, group) || !reserve_group(chrf, block_count))
        return NO_MEMORY;
    for (size_t index = 0; index < block_count; index++) {
        if (!open_block(chrf, index))
            return NO_MEMORY;
        size_t used = block_at(chrf, index)->grams.used;
        most = used > most ? used : most;
    }
    if (most > 0)
        memset(chrf->times.data, 0, most * sizeof(uint32_t));
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

/* ---- a summary -------------------------------------------------------------------------------------------------- */

/* Counts the n-grams of an order that a summary shares with each reference of a block. */
static void count_shared(Chrf *chrf, const Block *block, size_t count, uint32_t *shared)
{
    const uint32_t *grams = chrf->ends.data;
    const Row *rows = block->rows.data;
    uint32_t *times = chrf->times.data;
    for (size_t place = 0; place < count; place++) {
        if (grams[place] == NO_GRAM)
            continue;
        const uint32_t *counts = rows[grams[place]].counts;
        uint32_t now = ++times[grams[place]];
        for (size_t lane = 0; lane < LANES; lane++)
            shared[lane] += counts[lane] >= now;
    }
    for (size_t place = 0; place < count; place++)
        if (grams[place] != NO_GRAM)
            times[grams[place]] = 0;
}

/* Does so for all orders. */
static void compare_with_block(Chrf *chrf, const Units *summary, size_t index)
{
    const Block *block = block_at(chrf, index);
    double *all_shared = (double *)chrf->shared.data + index * LANES * chrf->orders;
    uint32_t *grams = chrf->ends.data;
    for (int kind = 0; kind < 2; kind++) {
        for (size_t order = 1; order <= order_of(chrf, kind); order++, all_shared += LANES) {
            size_t count = gram_count(summary->lengths[kind], order);
            const uint32_t *unit = summary->units[kind] + order - 1;
            uint32_t shared[LANES] = {0};
            for (size_t place = 0; place < count; place++)
                if (order == 1 || grams[place] != NO_GRAM)
                    grams[place] = known_gram(&block->grams, order == 1 ? beginning_of(kind) : grams[place], unit[place]);
            count_shared(chrf, block, count, shared);
            for (size_t lane = 0; lane < LANES; lane++)
                all_shared[lane] = shared[lane];
            chrf->kernel.watch.work += 8 * count;
        }
    }
}

/* Writes the statistics of a summary against one reference. */
static void write_vector(const Chrf *chrf, const Units *summary, size_t index, double *vector)
{
    const Units *reference = units_at(chrf, chrf->group.summary_count + index);
    const double *shared = (double *)chrf->shared.data + index / LANES * LANES * chrf->orders + index % LANES;
    for (int kind = 0; kind < 2; kind++) {
        for (size_t order = 1; order <= order_of(chrf, kind); order++, vector += 3, shared += LANES) {
            size_t of_reference = gram_count(reference->lengths[kind], order);
            vector[0] = of_reference > 0 ? (double)gram_count(summary->lengths[kind], order) : 0;
            vector[1] = (double)of_reference;
            vector[2] = *shared;
        }
    }
}

/* Returns the reference with the best score, the first of equals. */
static size_t best_reference(const Chrf *chrf, size_t left_out)
{
    const double *scores = chrf->scores.data;
    size_t best = left_out == 0 ? 1 : 0;
    for (size_t index = best + 1; index < chrf->group.reference_count; index++)
        if (index != left_out && scores[index] > scores[best])
            best = index;
    return best;
}

static Outcome chrf_measure(Kernel *kernel, size_t summary, bool leave_one_out, double *vectors)
{
    Chrf *chrf = (Chrf *)kernel;
    size_t references = chrf->group.reference_count, variants = leave_one_out ? references : 0;
    const Units *units = units_at(chrf, summary);
    double *own = chrf->vectors.data, *scores = chrf->scores.data;
    for (size_t index = 0; index * LANES < references; index++)
        compare_with_block(chrf, units, index);
    for (size_t index = 0; index < references; index++) {
        write_vector(chrf, units, index, own + index * kernel->width);
        if (references > 1)
            kernel->score(kernel, own + index * kernel->width, &scores[index]);
    }
    for (size_t variant = 0; variant <= variants; variant++) {
        size_t best = best_reference(chrf, variant - 1);
        memcpy(vectors + variant * kernel->width, own + best * kernel->width, kernel->width * sizeof(double));
    }
    return is_stopped(&kernel->watch) ? STOPPED : DONE;
}

/* ---- from statistics to scores ---------------------------------------------------------------------------------- */

/* Averages an F-score for each order; without n-grams precision or recall is a tiny number. */
static double mean_of_f(const double *vector, size_t orders, double squared)
{
    double score = 0;
    for (size_t order = 0; order < orders; order++, vector += 3) {
        double precision = vector[0] > 0 ? vector[2] / vector[0] : EPSILON;
        double recall = vector[1] > 0 ? vector[2] / vector[1] : EPSILON;
        double divisor = squared * precision + recall;
        score += divisor > 0 ? (1 + squared) * precision * recall / divisor : EPSILON;
    }
    return 100 * score / (double)orders;
}

/* Averages precision and recall over the orders, then takes one F-score. */
static double f_of_means(const double *vector, size_t orders, double squared)
{
    double precision = 0, recall = 0, count = 0;
    for (size_t order = 0; order < orders; order++, vector += 3) {
        if (vector[0] == 0 || vector[1] == 0)
            continue;
        precision += vector[2] / vector[0];
        recall += vector[2] / vector[1];
        count++;
    }
    if (precision + recall == 0)
        return 0;
    precision /= count;
    recall /= count;
    double score = (1 + squared) * precision * recall;
    score /= squared * precision + recall;
    return 100 * score;
}

static void chrf_score(const Kernel *kernel, const double *vector, double *scores)
{
    const Chrf *chrf = (const Chrf *)kernel;
    double squared = chrf->options.squared_beta;
    scores[0] = (chrf->options.eps_smoothing ? mean_of_f : f_of_means)(vector, chrf->orders, squared);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

static void chrf_free(Kernel *kernel)
{
    Chrf *chrf = (Chrf *)kernel;
    for (size_t index = 0; index < chrf->block_room; index++) {
        grams_free(&block_at(chrf, index)->grams);
        buffer_free(&block_at(chrf, index)->rows);
    }
    Buffer *buffers[] = {&chrf->units, &chrf->texts, &chrf->blocks, &chrf->ends, &chrf->times, &chrf->shared, &chrf->vectors, &chrf->scores};
    for (size_t index = 0; index < sizeof buffers / sizeof *buffers; index++)
        buffer_free(buffers[index]);
    numbers_free(&chrf->words);
    free(chrf);
}

Kernel *chrf_new(ChrfOptions options)
{
    Chrf *chrf = calloc(1, sizeof *chrf);
    if (chrf == NULL)
        return NULL;
    chrf->options = options;
    chrf->orders = options.char_order + options.word_order;
    chrf->kernel = (Kernel){
        .width = 3 * chrf->orders,
        .whole_count = 3 * chrf->orders,
        .field_count = 1,
        .score_width = 1,
        .fields = {{"chrf", 0, false}},
        .open = chrf_open,
        .measure = chrf_measure,
        .score = chrf_score,
        .free = chrf_free,
    };
    return &chrf->kernel;
}
