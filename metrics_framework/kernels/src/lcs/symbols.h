/* The symbols of a text: its characters as bytes, code points, or small ids. */

#ifndef FW_LCS_SYMBOLS_H
#define FW_LCS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hash.h"

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

/* Removes the common prefix and the common suffix of two texts. */
void strip_common(Symbols *first, Symbols *second);

/* Assigns ids to symbols, from 1 on, in order of first occurrence. Initialize with {0}. */
typedef struct {
    Buffer slots;
    size_t slot_count;   /* a power of two */
    unsigned shift;      /* from a hash to a slot */
    HashSeed seed;
    uint32_t generation; /* slots of another generation are empty, so that clearing the table costs nothing */
    uint32_t used;
    Buffer common; /* uint32_t: the ids of symbols below COMMON_SYMBOLS; 0 between translations */
    Buffer ids; /* uint32_t */
} SymbolIds;

void symbol_ids_free(SymbolIds *symbol_ids);

/* Replaces symbols by ids: those of the first text by 1 to `used`, others of the second text by 0. Returns false if out
   of memory. */
bool symbol_ids_translate(SymbolIds *symbol_ids, Symbols *first, Symbols *second);

#endif
