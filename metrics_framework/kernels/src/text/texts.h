/* The texts of a group as word ids. */

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

/* Initialize with {0}. */
typedef struct {
    WordIds words;
    Buffer ids;   /* uint32_t: the words of all texts */
    Buffer texts; /* Text */
    size_t count;
} Texts;

void texts_free(Texts *texts);

/* Tokenizes the summaries and references of a group, and its `other_count` other texts by their own rules. The words of
   the other texts get the lowest ids. Returns false if out of memory or interrupted. */
bool texts_tokenize(
    Texts *texts, const TextGroup *group, TokenizeRules rules, size_t other_count, const TokenizeRules *other_rules,
    Interrupt *interrupt);

static inline const Text *text_at(const Texts *texts, size_t index) { return (const Text *)texts->texts.data + index; }

#endif
