/* Ids of words: equal words have equal ids. */

#ifndef FW_TEXT_WORD_IDS_H
#define FW_TEXT_WORD_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/interrupt.h"

/* The number of bytes that must be readable after every text and every word. */
enum { SPARE_BYTES = 64 };

/* Assigns ids to byte strings in order of first occurrence. Strings are not copied: they must stay in place, within 4
   GiB from `base` on. Initialize with {0}. */
typedef struct {
    const unsigned char *base;
    Buffer slots;
    size_t capacity;     /* allocated slots */
    size_t slot_count;   /* slots in use, a power of two: as few as possible, to stay in the cache */
    unsigned shift;      /* from a hash to a slot */
    HashSeed seed;
    uint32_t generation; /* slots of another generation are empty, so that clearing the table costs nothing */
    uint32_t used;
} WordIds;

void word_ids_free(WordIds *ids);

/* Removes all words and reserves slots for `count` new ones, at most MANY_WORDS: most words of long texts repeat.
   Returns false if out of memory. */
bool word_ids_reset(WordIds *ids, const void *base, size_t count);

/* Returns whether there are slots for `count` more words. */
static inline bool word_ids_have_space(const WordIds *ids, size_t count)
{
    return ids->used + count < ids->slot_count - ids->slot_count / 4;
}

/* Reserves slots for `count` more words. Returns false if out of memory or interrupted. */
bool word_ids_reserve(WordIds *ids, size_t count, Interrupt *interrupt);

/* The most words for which `word_ids_reset` reserves slots. FW_SMALL_TABLES lets tests cover growth. */
#ifdef FW_SMALL_TABLES
enum { MANY_WORDS = 2 };
#else
enum { MANY_WORDS = 1 << 15 };
#endif

/* The bytes of a word that are in its slot; few words are longer. */
enum { SLOT_BYTES = 16 };

typedef struct {
    uint64_t head, tail; /* the first SLOT_BYTES bytes */
    uint32_t start, length;
    uint32_t generation;
    uint32_t id;
} WordSlot;

/* Masks of the first 0 to 8 bytes. */
static const uint64_t BYTE_MASKS[] = {
    0,
    UINT64_C(0xff),
    UINT64_C(0xffff),
    UINT64_C(0xffffff),
    UINT64_C(0xffffffff),
    UINT64_C(0xffffffffff),
    UINT64_C(0xffffffffffff),
    UINT64_C(0xffffffffffffff),
    UINT64_C(0xffffffffffffffff),
};

/* Returns 8 bytes, with 0 after `length`. Written without a branch, because lengths are unpredictable. */
static inline uint64_t first_bytes(const unsigned char *bytes, size_t length)
{
    size_t kept = length < 8 ? length : 8;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word & BYTE_MASKS[kept];
#else
    uint64_t word = 0;
    for (size_t position = 0; position < kept; position++)
        word |= (uint64_t)bytes[position] << 8 * position;
    return word & BYTE_MASKS[kept];
#endif
}

/* Continues the hash of a word longer than SLOT_BYTES. */
uint64_t hash_long(HashSeed seed, const unsigned char *bytes, size_t length, uint64_t hash);

/* Returns the first slot to try for a word: the highest bits of its hash. */
static inline size_t word_slot_index(
    const WordIds *ids, uint64_t head, uint64_t tail, const unsigned char *bytes, size_t length)
{
    uint64_t hash = hash_of_two(ids->seed, head, tail);
    return (size_t)((length > SLOT_BYTES ? hash_long(ids->seed, bytes, length, hash) : hash) >> ids->shift);
}

/* Returns the id of a word. A slot must be free, and SPARE_BYTES after the word readable. */
static inline uint32_t word_id(WordIds *ids, const unsigned char *bytes, size_t length)
{
    WordSlot *slots = ids->slots.data;
    uint64_t head = first_bytes(bytes, length), tail = first_bytes(bytes + 8, length > 8 ? length - 8 : 0);
    size_t last = ids->slot_count - 1, position = word_slot_index(ids, head, tail, bytes, length);
    for (; slots[position].generation == ids->generation; position = (position + 1) & last) {
        const WordSlot *slot = &slots[position];
        if (((slot->head ^ head) | (slot->tail ^ tail) | (slot->length ^ length)) == 0
            && (length <= SLOT_BYTES || memcmp(ids->base + slot->start + SLOT_BYTES, bytes + SLOT_BYTES, length - SLOT_BYTES) == 0))
            return slot->id;
    }
    uint32_t start = (uint32_t)(bytes - ids->base);
    slots[position] = (WordSlot){head, tail, start, (uint32_t)length, ids->generation, ids->used};
    return ids->used++;
}

/* The position of a word relative to `base`. */
typedef struct {
    uint32_t start, length;
} WordSpan;

/* Writes, by id, where each word first occurs. */
void word_ids_spans(const WordIds *ids, WordSpan *positions);

#endif
