/* The texts of a group as numbers of words. */

#ifndef FW_TEXT_TEXTS_H
#define FW_TEXT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/text_group.h"
#include "text/tokenize.h"

typedef struct {
    const uint32_t *words;
    size_t length;
} Text;

/* Starts as {0}. */
typedef struct {
    Numbers words;
    Buffer numbers; /* uint32_t: the words of all texts */
    Buffer texts;   /* Text */
    size_t count;
} Texts;

void texts_free(Texts *texts);

/* Cuts the summaries and references of a group, and `other_count` texts behind them by rules of their own; the words of
   these get the first numbers. Returns false where there is not so much memory, or the watch is stopped. */
bool texts_cut(
    Texts *texts, const TextGroup *group, CuttingRules rules, size_t other_count, const CuttingRules *other_rules,
    Watch *watch);

static inline const Text *text_at(const Texts *texts, size_t index) { return (const Text *)texts->texts.data + index; }

#endif
