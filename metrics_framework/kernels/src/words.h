/* Words as numbers: the same word has the same number. */

#ifndef FW_WORDS_H
#define FW_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

/* Bytes that must be readable behind every text and every key. */
enum { SPARE_BYTES = 8 };

/* Numbers byte strings in the order in which they first come. It keeps no copies: the strings must stay where they are,
   in the 4 GiB from `base` on. Starts as {0}. */
typedef struct {
    const unsigned char *base;
    Buffer slots;
    size_t room;         /* slots that there are */
    size_t slot_count;   /* slots in use, a power of two: no more than needed, so that they stay in the cache */
    uint32_t generation; /* a slot of another generation is empty, so that forgetting costs nothing */
    uint32_t used;
} Numbers;

void numbers_free(Numbers *numbers);

/* Forgets all strings and makes room for `count` others, from `base` on. Returns false where there is not so much
   memory. */
bool numbers_reset(Numbers *numbers, const void *base, size_t count);

/* Returns the number of a string. There must be room for it; SPARE_BYTES behind it must be readable. */
uint32_t number_of(Numbers *numbers, const unsigned char *bytes, size_t length);

/* Where a string stands, seen from `base`. */
typedef struct {
    uint32_t start, length;
} WordPlace;

/* Writes, by number, where all strings first came. */
void numbers_places(const Numbers *numbers, WordPlace *places);

#endif
