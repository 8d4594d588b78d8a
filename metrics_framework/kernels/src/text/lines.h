/* The texts of a group as lines of word ids, as the package rouge-score reads them. `metrics/google_rouge.py` defines
   the words. */

#ifndef FW_TEXT_LINES_H
#define FW_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/interrupt.h"
#include "text/stem_cache.h"
#include "text/text_group.h"
#include "text/word_ids.h"
#include "text/word_keys.h"

/* A part of the words of all texts. */
typedef struct {
    size_t start, length;
} Span;

/* The words of a text, and its lines with at least one word. */
typedef struct {
    Span words, lines;
} LinedText;

/* Initialize with {0}. */
typedef struct {
    StemCache *stems; /* NULL until stems are needed */
    KeyIds word_ids;
    WordIds long_words; /* of more than STORED_BYTES bytes, if there are any */
    bool has_long_words;
    Buffer ids;   /* uint32_t: the words of all texts */
    Buffer texts; /* LinedText: summaries, then references */
    Buffer lines; /* Span: the words of each line */
    size_t word_count;
} Lines;

void lines_free(Lines *lines);

/* Tokenizes the summaries and references of a group; words of four or more letters become stems if `use_stemmer`. The
   texts change. Returns false if out of memory or interrupted. */
bool lines_tokenize(Lines *lines, const TextGroup *group, bool use_stemmer, Interrupt *interrupt);

static inline const LinedText *lined_text(const Lines *lines, size_t index)
{
    return (const LinedText *)lines->texts.data + index;
}

static inline const Span *line_at(const Lines *lines, const LinedText *text, size_t index)
{
    return (const Span *)lines->lines.data + text->lines.start + index;
}

static inline const uint32_t *words_at(const Lines *lines, size_t start) { return (const uint32_t *)lines->ids.data + start; }

#endif
