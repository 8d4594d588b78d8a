/* Words as numbers: the same word has the same number. */

#ifndef FW_TEXT_WORD_IDS_H
#define FW_TEXT_WORD_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/interrupt.h"

/* Bytes that must be readable behind every text and every key. */
enum { SPARE_BYTES = 64 };

/* Numbers byte strings in the order in which they first come. It keeps no copies: the strings must stay where they are,
   in the 4 GiB from `base` on. Starts as {0}. */
typedef struct {
    const unsigned char *base;
    Buffer slots;
    size_t room;         /* slots that there are */
    size_t slot_count;   /* slots in use, a power of two: no more than needed, so that they stay in the cache */
    unsigned shift;      /* makes a place of a hash */
    uint32_t generation; /* a slot of another generation is empty, so that forgetting costs nothing */
    uint32_t used;
} Numbers;

void numbers_free(Numbers *numbers);

/* Forgets all strings and makes room for `count` others, from `base` on, where they are not too many: most of many are the
   same. Returns false where there is not so much memory. */
bool numbers_reset(Numbers *numbers, const void *base, size_t count);

/* Tells whether there is room for `count` more. */
static inline bool numbers_have_room(const Numbers *numbers, size_t count)
{
    return numbers->used + count < numbers->slot_count - numbers->slot_count / 4;
}

/* Makes room for `count` more. Returns false where there is not so much memory, or the watch is stopped. */
bool numbers_reserve(Numbers *numbers, size_t count, Watch *watch);

/* For so many strings `numbers_reset` makes room at once. FW_SMALL_TABLES lets tests see tables grow. */
#ifdef FW_SMALL_TABLES
enum { MANY_STRINGS = 2 };
#else
enum { MANY_STRINGS = 1 << 15 };
#endif

/* How many bytes of a string stand in its slot: hardly a word has more. */
enum { WORD_BYTES = 16 };

typedef struct {
    uint64_t head, tail; /* the first WORD_BYTES bytes */
    uint32_t start, length;
    uint32_t generation;
    uint32_t number;
} WordSlot;

/* The bytes of a word of up to 8 bytes, by their number. */
static const uint64_t BYTES_KEPT[] = {
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

/* Returns 8 bytes of which those behind `length` are 0; no branch, as lengths are not foreseen. */
static inline uint64_t first_bytes(const unsigned char *bytes, size_t length)
{
    size_t kept = length < 8 ? length : 8;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word & BYTES_KEPT[kept];
#else
    uint64_t word = 0;
    for (size_t place = 0; place < kept; place++)
        word |= (uint64_t)bytes[place] << 8 * place;
    return word & BYTES_KEPT[kept];
#endif
}

/* Goes on with the hash of a string that has more than WORD_BYTES. */
uint64_t hash_of_more(const unsigned char *bytes, size_t length, uint64_t hash);

/* Returns the place of a string in a table, if no other is there: the highest bits of a hash. */
static inline size_t word_place(
    uint64_t head, uint64_t tail, const unsigned char *bytes, size_t length, unsigned shift)
{
    uint64_t hash = head * UINT64_C(0x9e3779b97f4a7c15) + tail * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (size_t)((length > WORD_BYTES ? hash_of_more(bytes, length, hash) : hash) >> shift);
}

/* Returns the number of a string. There must be room for it; SPARE_BYTES behind it must be readable. */
static inline uint32_t number_of(Numbers *numbers, const unsigned char *bytes, size_t length)
{
    WordSlot *slots = numbers->slots.data;
    uint64_t head = first_bytes(bytes, length), tail = first_bytes(bytes + 8, length > 8 ? length - 8 : 0);
    size_t last = numbers->slot_count - 1, place = word_place(head, tail, bytes, length, numbers->shift);
    for (; slots[place].generation == numbers->generation; place = (place + 1) & last) {
        const WordSlot *slot = &slots[place];
        if (((slot->head ^ head) | (slot->tail ^ tail) | (slot->length ^ length)) == 0
            && (length <= WORD_BYTES || memcmp(numbers->base + slot->start + WORD_BYTES, bytes + WORD_BYTES, length - WORD_BYTES) == 0))
            return slot->number;
    }
    uint32_t start = (uint32_t)(bytes - numbers->base);
    slots[place] = (WordSlot){head, tail, start, (uint32_t)length, numbers->generation, numbers->used};
    return numbers->used++;
}

/* Where a string stands, seen from `base`. */
typedef struct {
    uint32_t start, length;
} WordPlace;

/* Writes, by number, where all strings first came. */
void numbers_places(const Numbers *numbers, WordPlace *places);

#endif
