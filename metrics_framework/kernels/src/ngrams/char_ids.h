/* Ids of characters, one byte each. */

#ifndef FW_NGRAMS_CHAR_IDS_H
#define FW_NGRAMS_CHAR_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "ngrams/sorted_ngrams.h"

enum { CODE_POINTS = 0x110000, ASCII = 0x80 };

/* Assigns ids to code points from 1 on, up to MAX_UNIT of them. Initialize with {0}. */
typedef struct {
    unsigned char ascii[ASCII];
    unsigned char *others; /* by code point; NULL until a code point is not ASCII */
    uint32_t seen[MAX_UNIT];
    size_t count;
} CharIds;

void char_ids_free(CharIds *char_ids);

/* Removes all ids. */
void char_ids_reset(CharIds *char_ids);

/* Writes the ids of the characters of a text. Returns false if there are too many different ones, or if out of memory. */
bool char_ids_write(CharIds *char_ids, const uint32_t *codes, size_t length, unsigned char *units);

#endif
