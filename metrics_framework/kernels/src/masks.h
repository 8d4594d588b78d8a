/* Where the symbols of some rows of a pattern stand. */

#ifndef FW_MASKS_H
#define FW_MASKS_H

#include "lanes.h"
#include "memory.h"
#include "symbols.h"

/* A 64-bit word for each symbol in each lane. All are 0 but between `masks_set` and `masks_clear`. Starts as {0}. */
typedef struct {
    Buffer words;
    size_t count;
    size_t kinds; /* symbols are below */
} Masks;

void masks_free(Masks *masks);

/* Makes room for `lanes` lanes. Returns false where there is not so much memory. */
bool masks_reserve(Masks *masks, size_t lanes, size_t kinds);

/* Says where the symbols of a pattern stand whose first is in row `row`, counted from the first row of the first lane. Its
   symbols are of 1 or 4 bytes. */
void masks_set(Masks *masks, const Symbols *pattern, size_t row);
void masks_clear(Masks *masks, const Symbols *pattern, size_t row);

/* Writes where the symbols of a text, of 1 or 4 bytes, stand in the rows of mask lane `from`, to lane `to`. */
void masks_look_up(const Masks *masks, size_t from, const Symbols *text, uint64_t (*matches)[LANES], size_t to);

/* Returns some symbols of a row. */
static inline Symbols part_of(const Symbols *symbols, size_t start, size_t length)
{
    return (Symbols){symbols->data + start * symbols->width, length, symbols->width};
}

#endif
