/* Ids of characters, one byte each. */

#ifndef FW_NGRAMS_CHAR_IDS_H
#define FW_NGRAMS_CHAR_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "ngrams/sorted_ngrams.h"

enum { CODE_POINTS = 0x110000, ASCII = 0x80, PAGE = 0x100 };

/* Assigns ids to code points from 1 on, up to MAX_UNIT of them. Initialize with {0}. The ids of code points that are not
   ASCII are on pages, because a table of all code points would take longer to allocate than a pair to compare. */
typedef struct {
    unsigned char ascii[ASCII];
    unsigned char page_of[CODE_POINTS / PAGE]; /* from 1 on; 0: none of these code points has an id */
    Buffer pages;                              /* unsigned char */
    size_t page_count;                         /* each has an id */
    uint32_t seen[MAX_UNIT];
    size_t count;
} CharIds;

void char_ids_free(CharIds *char_ids);

/* Removes all ids. */
void char_ids_reset(CharIds *char_ids);

/* Writes the ids of the characters of a text. Returns false if there are too many different ones, or if out of memory. */
bool char_ids_write(CharIds *char_ids, const uint32_t *codes, size_t length, unsigned char *units);
bool char_ids_write_ascii(CharIds *char_ids, const unsigned char *bytes, size_t length, unsigned char *units);

#endif
