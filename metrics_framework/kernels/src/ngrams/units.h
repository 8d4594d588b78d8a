/* The texts of a group as characters and as words. */

#ifndef FW_NGRAMS_UNITS_H
#define FW_NGRAMS_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/text_group.h"
#include "text/word_ids.h"

/* The kinds of units. */
enum { CHARACTERS, WORDS, KINDS };

/* A text as code points and as word ids. */
typedef struct {
    const uint32_t *units[KINDS];
    size_t lengths[KINDS];
    const unsigned char *bytes; /* the characters instead of code points, or NULL */
} Units;

/* Initialize with {0}. */
typedef struct {
    WordIds words;
    Buffer units; /* uint32_t: the units of all texts */
    Buffer texts; /* Units */
} UnitTexts;

typedef struct {
    bool lowercase;  /* A to Z only */
    bool whitespace; /* whitespace counts as characters */
    bool words;      /* split words; punctuation at the end or else at the start is a separate word */
    bool bytes;      /* if all texts are ASCII, characters are bytes */
} UnitRules;

void unit_texts_free(UnitTexts *texts);

/* Splits the summaries and references of a group. Returns false if out of memory or interrupted. */
bool unit_texts_split(UnitTexts *texts, const TextGroup *group, UnitRules rules, Interrupt *interrupt);

static inline const Units *units_at(const UnitTexts *texts, size_t index)
{
    return (const Units *)texts->texts.data + index;
}

#endif
