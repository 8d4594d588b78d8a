/* The texts of a group as characters and as words. */

#ifndef FW_NGRAMS_UNITS_H
#define FW_NGRAMS_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/text_group.h"
#include "text/word_ids.h"

/* The two kinds of units. */
enum { CHARACTERS, WORDS, KINDS };

/* A text: code points, and numbers of words. */
typedef struct {
    const uint32_t *units[KINDS];
    size_t lengths[KINDS];
} Units;

/* Starts as {0}. */
typedef struct {
    Numbers words;
    Buffer units; /* uint32_t: those of all texts */
    Buffer texts; /* Units */
} UnitTexts;

typedef struct {
    bool lowercase;  /* A to Z only */
    bool whitespace; /* is a character too */
    bool words;      /* are wanted: punctuation at the end or else the start of a word is a word */
} UnitRules;

void unit_texts_free(UnitTexts *texts);

/* Cuts all summaries and references of a group. Returns false where there is not so much memory. */
bool unit_texts_cut(UnitTexts *texts, const TextGroup *group, UnitRules rules, Watch *watch);

static inline const Units *units_at(const UnitTexts *texts, size_t index)
{
    return (const Units *)texts->texts.data + index;
}

#endif
