/* Ids of words: equal words have equal ids. */

#ifndef FW_TEXT_WORD_IDS_H
#define FW_TEXT_WORD_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/interrupt.h"

/* The number of bytes that must be readable after every text and every word. */
enum { SPARE_BYTES = 64 };

/* Assigns ids to byte strings in order of first occurrence. Strings are not copied: they must stay in place, within 4
   GiB from `base` on. Initialize with {0}. */
typedef struct {
    const unsigned char *base;
    Buffer slots;      /* uint32_t: the number of a word, which is its id plus 1; 0 if empty */
    Buffer words;      /* StoredWord: by number, so the first one is unused */
    size_t slot_count; /* a power of two */
    unsigned shift;    /* from a hash to a slot */
    HashSeed seed;
    uint32_t used;
} WordIds;

void word_ids_free(WordIds *ids);

/* Removes all words and reserves slots for `count` new ones, at most MANY_WORDS: most words of long texts repeat.
   Returns false if out of memory. */
bool word_ids_reset(WordIds *ids, const void *base, size_t count);

/* Returns the most words for a number of slots: of more, many would collide. */
static inline size_t most_words(size_t slot_count) { return slot_count - slot_count / 4; }

/* Returns the number of slots for `count` words, at least `slot_count`; 0 if there would be too many. */
size_t slots_for_words(size_t count, size_t slot_count);

/* Returns whether there are slots for `count` more words. */
static inline bool word_ids_have_space(const WordIds *ids, size_t count)
{
    return ids->used + count < most_words(ids->slot_count);
}

/* Reserves slots for `count` more words. Returns false if out of memory or interrupted. */
bool word_ids_reserve(WordIds *ids, size_t count, Interrupt *interrupt);

/* The most words for which `word_ids_reset` reserves slots. FW_SMALL_TABLES lets tests cover growth. */
#ifdef FW_SMALL_TABLES
enum { MANY_WORDS = 2 };
#else
enum { MANY_WORDS = 1 << 15 };
#endif

/* The bytes of a word that are stored; few words are longer. */
enum { STORED_BYTES = 16 };

typedef struct {
    uint64_t head, tail; /* the first STORED_BYTES bytes */
    uint32_t start, length;
} StoredWord;

/* Masks of the first bytes of 8: of none for 0 to 8, of 1 to 8 for 9 to 16, of 8 for more. */
static const uint64_t BYTE_MASKS[8 + STORED_BYTES + 1] = {
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

/* Returns 8 bytes, with 0 after `length`. Written without a branch, because lengths are unpredictable. */
static inline uint64_t first_bytes(const unsigned char *bytes, size_t length)
{
    return eight_bytes(bytes) & BYTE_MASKS[8 + (length < 8 ? length : 8)];
}

/* Finds the first STORED_BYTES bytes of a word, with 0 after its end. */
static inline void stored_bytes(const unsigned char *bytes, size_t length, uint64_t *head, uint64_t *tail)
{
    size_t kept = length < STORED_BYTES ? length : STORED_BYTES;
    *head = eight_bytes(bytes) & BYTE_MASKS[8 + kept];
    *tail = eight_bytes(bytes + 8) & BYTE_MASKS[kept];
}

/* Returns the id of a word that has been added, UINT32_MAX of any other. SPARE_BYTES after the word must be readable. */
uint32_t known_word_id(const WordIds *ids, const unsigned char *bytes, size_t length);

/* Does what `word_id` does, for words longer than STORED_BYTES. */
uint32_t long_word_id(WordIds *ids, const unsigned char *bytes, size_t length);

/* Returns the id of a word. A slot must be free, and SPARE_BYTES after the word readable. Whether a word is new is
   unpredictable: each is stored after the last one, and stays there if it is new. */
static inline uint32_t word_id(WordIds *ids, const unsigned char *bytes, size_t length)
{
    if (length > STORED_BYTES)
        return long_word_id(ids, bytes, length);
    uint64_t head, tail;
    uint32_t *slots = ids->slots.data;
    StoredWord *words = ids->words.data;
    stored_bytes(bytes, length, &head, &tail);
    size_t last = ids->slot_count - 1, position = (size_t)(hash_of_two(ids->seed, head, tail) >> ids->shift);
    uint32_t used = ids->used, next = used + 1, number, is_new;
    words[next] = (StoredWord){head, tail, (uint32_t)(bytes - ids->base), (uint32_t)length};
    for (;; position = (position + 1) & last) {
        is_new = slots[position] == 0;
        number = slots[position] | (next & (0 - is_new));
        const StoredWord *stored = &words[number];
        if (((stored->head ^ head) | (stored->tail ^ tail) | (stored->length ^ (uint32_t)length)) == 0)
            break;
    }
    slots[position] = number;
    ids->used = used + is_new;
    return number - 1;
}

/* The position of a word relative to `base`. */
typedef struct {
    uint32_t start, length;
} WordSpan;

/* Writes, by id, where each word first occurs. */
void word_ids_spans(const WordIds *ids, WordSpan *positions);

#endif
