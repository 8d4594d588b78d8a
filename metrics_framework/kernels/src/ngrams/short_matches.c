#include "ngrams/short_matches.h"

#include "base/bits.h"

void short_matches_free(ShortMatches *matches)
{
    buffer_free(&matches->positions);
    buffer_free(&matches->of_reference);
}

bool short_matches_reset(ShortMatches *matches, size_t word_end, size_t reference_count)
{
    return buffer_clear(&matches->positions, word_end, sizeof(uint64_t))
        && buffer_reserve(&matches->of_reference, reference_count, sizeof(Positions));
}

/* Finds the positions of the n-grams that a reference matches. Each n-gram of the reference takes the first position that
   is left, so that those of an n-gram are as many as the smaller of its two counts. */
static Positions matched_positions(const uint64_t *positions, const Text *reference)
{
    Positions ends = {{0}}, matched = {{0}};
    for (size_t word = 0; word < reference->length; word++) {
        positions_next(&ends, positions[reference->words[word]]);
        for (int order = 0; order < POSITION_ORDERS; order++) {
            uint64_t left = ends.of_order[order] & ~matched.of_order[order];
            matched.of_order[order] |= left & (0 - left);
        }
    }
    return matched;
}

/* All references take the first positions of an n-gram, so together they take as many as the one that takes most. */
bool short_matches_find(
    ShortMatches *matches, const Text *summary, const Text *references, size_t reference_count, Interrupt *interrupt)
{
    uint64_t *positions = matches->positions.data;
    Positions *of_reference = matches->of_reference.data, any = {{0}}, many = {{0}};
    positions_add(positions, summary->words, summary->length);
    for (size_t index = 0; index < reference_count; index++) {
        Positions matched = of_reference[index] = matched_positions(positions, &references[index]);
        for (int order = 0; order < POSITION_ORDERS; order++) {
            many.of_order[order] |= any.of_order[order] & matched.of_order[order];
            any.of_order[order] |= matched.of_order[order];
        }
        interrupt->work += 8 * references[index].length;
        if (is_interrupted(interrupt))
            return false;
    }
    positions_remove(positions, summary->words, summary->length);
    matches->of_any = any;
    matches->of_many = many;
    return true;
}

double short_matches_of_order(const ShortMatches *matches, size_t order, size_t reference_count, double *lost)
{
    const Positions *of_reference = matches->of_reference.data;
    for (size_t index = 0; lost != NULL && index < reference_count; index++)
        lost[index] = count_bits(of_reference[index].of_order[order] & ~matches->of_many.of_order[order]);
    return count_bits(matches->of_any.of_order[order]);
}
