/* Few different code points as units of windows. */

#ifndef FW_NGRAMS_CHAR_IDS_H
#define FW_NGRAMS_CHAR_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "ngrams/sorted_ngrams.h"

enum { CODE_POINTS = 0x110000, ASCII = 0x80 };

/* Numbers code points from 1 on, as long as they are not more than MOST_UNITS. Starts as {0}. */
typedef struct {
    unsigned char ascii[ASCII];
    unsigned char *others; /* by code point; only where there were others than ASCII */
    uint32_t seen[MOST_UNITS];
    size_t count;
} Letters;

void letters_free(Letters *letters);

/* Forgets all. */
void letters_reset(Letters *letters);

/* Writes the units of a text. Returns false where they are too many, or there is not so much memory. */
bool letters_write(Letters *letters, const uint32_t *codes, size_t length, unsigned char *units);

#endif
