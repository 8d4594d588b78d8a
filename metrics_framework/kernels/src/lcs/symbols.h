/* The symbols of a text: its characters as bytes, code points, or small numbers. */

#ifndef FW_LCS_SYMBOLS_H
#define FW_LCS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Symbols of 1 or 4 bytes each. */
typedef struct {
    const unsigned char *data;
    size_t length;
    unsigned width;
} Symbols;

static inline uint32_t symbol_at(const Symbols *symbols, size_t index)
{
    return symbols->width == 1 ? symbols->data[index] : ((const uint32_t *)symbols->data)[index];
}

static inline Symbols part_of(const Symbols *symbols, size_t start, size_t length)
{
    return (Symbols){symbols->data + start * symbols->width, length, symbols->width};
}

/* Takes away what two rows have in common at their beginnings and at their ends. */
void cut_common(Symbols *first, Symbols *second);

/* Numbers symbols from 1 on, in the order in which they first come. Starts as {0}. */
typedef struct {
    Buffer slots;
    size_t slot_count;   /* a power of two */
    uint32_t generation; /* a slot of another generation is empty, so that forgetting costs nothing */
    uint32_t used;
    Buffer numbers; /* uint32_t */
} Alphabet;

void alphabet_free(Alphabet *alphabet);

/* Puts numbers in the place of symbols: from 1 to `used` for those that the first row has, 0 for others. Returns false
   where there is not so much memory. */
bool alphabet_translate(Alphabet *alphabet, Symbols *first, Symbols *second);

#endif
