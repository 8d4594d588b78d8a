#include "metrics/sari_short.h"

#include <string.h>

#include "base/bits.h"
#include "ngrams/ngram_ids.h"

void sari_short_free(SariShort *counts)
{
    buffer_free(&counts->positions);
    buffer_free(&counts->missing);
    buffer_free(&counts->ngrams);
    ngram_set_free(&counts->new_ngrams);
    ngram_set_free(&counts->added_ngrams);
}

bool sari_short_fits(size_t words, size_t source_length, size_t length_of_references, size_t longest)
{
    return words <= PACKED_UNITS && source_length < MAX_POSITIONS && length_of_references <= PACKED_UNITS
        && longest <= PACKED_UNITS;
}

/* A position of a text where n-grams end that are not in the source: those of the orders from `known` to `last`. If an
   n-gram is not in the source, no longer one that ends at the same position is. */
typedef struct {
    uint64_t words; /* the last ones, as in a packed n-gram */
    uint32_t known, last;
} Missing;

/* Counts the n-grams of a text that are in the source, and lists the positions with others; returns their number. Written
   without branches, which would be mispredicted. */
static size_t count_text(const SariShort *short_counts, const Text *text, PositionCounts *counts)
{
    const uint64_t *positions = short_counts->positions.data;
    Missing *missing = short_counts->missing.data;
    Positions ends = {{0}};
    uint64_t words = 0;
    size_t listed = 0;
    for (size_t position = 0; position < text->length; position++) {
        uint32_t word = text->words[position], known = 0;
        positions_next(&ends, positions[word]);
        for (int order = 0; order < ORDERS; order++) {
            uint64_t found = ends.of_order[order];
            counts->of_order[order][(uint32_t)lowest_bit(found | UINT64_C(1) << (MAX_POSITIONS - 1))]++;
            known += found != 0;
        }
        words = words << UNIT_BITS | word;
        missing[listed] = (Missing){words, known, position < ORDERS ? (uint32_t)position : ORDERS - 1};
        listed += known < ORDERS;
    }
    return listed;
}

/* Lists the n-grams of a text that are not in the source; returns their number. Written without branches, too. */
static size_t list_missing(const SariShort *counts, size_t listed, uint64_t *ngrams)
{
    const Missing *missing = counts->missing.data;
    size_t count = 0;
    for (size_t index = 0; index < listed; index++)
        for (uint32_t order = 0; order < ORDERS; order++) {
            ngrams[count] = packed_ngram(missing[index].words, order);
            count += (order >= missing[index].known) & (order <= missing[index].last);
        }
    return count;
}

/* Counts the types of a reference that are neither in the source nor in an earlier reference. */
static void add_new(SariShort *counts, size_t listed)
{
    uint64_t *ngrams = counts->ngrams.data;
    size_t count = list_missing(counts, listed, ngrams);
    for (size_t index = 0; index < count; index++)
        counts->new[order_of_packed(ngrams[index])] += ngram_set_add(&counts->new_ngrams, ngrams[index]);
}

/* Counts the types of a summary that are not in the source, and those of them that are in references. */
static void compare_added(SariShort *counts, size_t listed)
{
    uint64_t *ngrams = counts->ngrams.data;
    size_t count = list_missing(counts, listed, ngrams);
    for (size_t index = 0; index < count; index++) {
        size_t order = order_of_packed(ngrams[index]);
        bool is_added = ngram_set_add(&counts->added_ngrams, ngrams[index]);
        counts->added[order] += is_added;
        counts->right[order] += is_added & ngram_set_has(&counts->new_ngrams, ngrams[index]);
    }
}

bool sari_short_open(
    SariShort *counts, size_t word_end, const Text *source, const Text *references, size_t reference_count, size_t longest)
{
    size_t total = 0;
    for (size_t index = 0; index < reference_count; index++)
        total += references[index].length;
    if (!buffer_clear(&counts->positions, word_end, sizeof(uint64_t))
        || !buffer_reserve(&counts->missing, longest + 1, sizeof(Missing))
        || !buffer_reserve(&counts->ngrams, ORDERS * longest + 1, sizeof(uint64_t))
        || !ngram_set_reset(&counts->new_ngrams, ORDERS * total))
        return false;
    counts->source = counts->references = (PositionCounts){{{0}}};
    memset(counts->new, 0, sizeof counts->new);
    counts->source_length = source->length;
    positions_add(counts->positions.data, source->words, source->length);
    count_text(counts, source, &counts->source);
    for (size_t index = 0; index < reference_count; index++)
        add_new(counts, count_text(counts, &references[index], &counts->references));
    return true;
}

bool sari_short_count(SariShort *counts, const Text *summary)
{
    if (!ngram_set_reset(&counts->added_ngrams, ORDERS * summary->length))
        return false;
    counts->summary = (PositionCounts){{{0}}};
    memset(counts->added, 0, sizeof counts->added);
    memset(counts->right, 0, sizeof counts->right);
    compare_added(counts, count_text(counts, summary, &counts->summary));
    return true;
}

void sari_short_write(const SariShort *counts, size_t order, OrderCounts *written)
{
    written->types = ngram_count(counts->source_length, order + 1);
    written->source = counts->source.of_order[order] + order;
    written->summary = counts->summary.of_order[order] + order;
    written->references = counts->references.of_order[order] + order;
    written->added = counts->added[order];
    written->right = counts->right[order];
    written->new = counts->new[order];
}
