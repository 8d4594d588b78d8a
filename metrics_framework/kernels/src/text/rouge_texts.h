/* The texts of a group as the program ROUGE-1.5.5 reads them. `text/rouge_words.py` defines the words and limits. */

#ifndef FW_TEXT_ROUGE_TEXTS_H
#define FW_TEXT_ROUGE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/interrupt.h"
#include "text/lines.h"
#include "text/text_group.h"
#include "text/word_ids.h"
#include "text/word_list.h"

typedef struct {
    bool use_stemmer, remove_stopwords;
    size_t max_words, max_bytes; /* 0 for no limit */
    const WordList *exceptions, *stop_words;
} RougeRules;

/* Initialize with {0} and rules. */
typedef struct {
    RougeRules rules;
    WordIds strings; /* tokens and stems; they stay for all groups, so that each token is stemmed once */
    Buffer arena;    /* the bytes of strings */
    size_t arena_used;
    Buffer words; /* uint32_t: by string id, the id of the stem of a token, or another value of `rouge_texts.c` */
    Buffer ids;   /* uint32_t: the words of all texts, and with a limit of bytes the words of their lines */
    size_t id_count;
    Buffer texts; /* LinedText: summaries, then references */
    Buffer lines; /* Span: the words of each line that has any */
    size_t line_count;
} RougeTexts;

void rouge_texts_free(RougeTexts *texts);

/* Tokenizes the summaries and references of a group, which become lower case. Returns false if out of memory or
   interrupted. */
bool rouge_texts_read(RougeTexts *texts, const TextGroup *group, Interrupt *interrupt);

/* All word ids are below this number. */
static inline size_t rouge_texts_word_end(const RougeTexts *texts) { return texts->strings.used; }

static inline const LinedText *rouge_text(const RougeTexts *texts, size_t index)
{
    return (const LinedText *)texts->texts.data + index;
}

static inline const Span *rouge_line(const RougeTexts *texts, const LinedText *text, size_t index)
{
    return (const Span *)texts->lines.data + text->lines.start + index;
}

static inline const uint32_t *rouge_words(const RougeTexts *texts, size_t start)
{
    return (const uint32_t *)texts->ids.data + start;
}

#endif
