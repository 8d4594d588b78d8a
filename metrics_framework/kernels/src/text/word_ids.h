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

/* Masks of the first bytes of 8: of none for 0 to 8, of 1 to 8 for 9 to 16, of 8 for more. */
static const uint64_t BYTE_MASKS[8 + SLOT_BYTES + 1] = {
    [9] = UINT64_C(0xff),
    [10] = UINT64_C(0xffff),
    [11] = UINT64_C(0xffffff),
    [12] = UINT64_C(0xffffffff),
    [13] = UINT64_C(0xffffffffff),
    [14] = UINT64_C(0xffffffffffff),
    [15] = UINT64_C(0xffffffffffffff),
    [16] = UINT64_MAX,
    [17] = UINT64_MAX,
    [18] = UINT64_MAX,
    [19] = UINT64_MAX,
    [20] = UINT64_MAX,
    [21] = UINT64_MAX,
    [22] = UINT64_MAX,
    [23] = UINT64_MAX,
    [24] = UINT64_MAX,
};

/* Returns 8 bytes. */
static inline uint64_t eight_bytes(const unsigned char *bytes)
{
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, bytes, 8);
#else
    for (size_t position = 0; position < 8; position++)
        word |= (uint64_t)bytes[position] << 8 * position;
#endif
    return word;
}

/* Returns 8 bytes, with 0 after `length`. Written without a branch, because lengths are unpredictable. */
static inline uint64_t first_bytes(const unsigned char *bytes, size_t length)
{
    return eight_bytes(bytes) & BYTE_MASKS[8 + (length < 8 ? length : 8)];
}

/* Finds the first SLOT_BYTES bytes of a word, with 0 after its end. */
static inline void slot_bytes(const unsigned char *bytes, size_t length, uint64_t *head, uint64_t *tail)
{
    size_t kept = length < SLOT_BYTES ? length : SLOT_BYTES;
    *head = eight_bytes(bytes) & BYTE_MASKS[8 + kept];
    *tail = eight_bytes(bytes + 8) & BYTE_MASKS[kept];
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
    uint64_t head, tail;
    slot_bytes(bytes, length, &head, &tail);
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
