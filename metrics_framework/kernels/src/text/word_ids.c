#include "text/word_ids.h"

#include <string.h>

/* The number of words between two checks for an interrupt. */
enum { WORDS_PER_CHECK = 1 << 16 };

void word_ids_free(WordIds *ids)
{
    buffer_free(&ids->slots);
    buffer_free(&ids->words);
}

size_t slots_for_words(size_t count, size_t slot_count)
{
    while (most_words(slot_count) <= count) {
        if (slot_count > SIZE_MAX / 2)
            return 0;
        slot_count *= 2;
    }
    return slot_count;
}

/* Reserves space for the words of a table, and for those before the first and after the last. */
static bool reserve_words(WordIds *ids, size_t slot_count)
{
    return buffer_reserve(&ids->words, most_words(slot_count) + 2, sizeof(StoredWord));
}

static void set_slot_count(WordIds *ids, size_t slot_count)
{
    ids->slot_count = slot_count;
    ids->shift = shift_to_slot(slot_count);
}

bool word_ids_reset(WordIds *ids, const void *base, size_t count)
{
    size_t needed = slots_for_words(count < MANY_WORDS ? count : MANY_WORDS, MANY_WORDS < 64 ? 4 : 64);
    ids->slot_count = 0; /* of a table that cannot be used */
    if (!reserve_words(ids, needed) || !buffer_clear(&ids->slots, needed, sizeof(uint32_t)))
        return false;
    ids->base = base;
    ids->used = 0;
    ids->seed = hash_seed();
    set_slot_count(ids, needed);
    return true;
}

static uint64_t hash_of_word(HashSeed seed, const unsigned char *bytes, size_t length)
{
    uint64_t head, tail;
    stored_bytes(bytes, length, &head, &tail);
    uint64_t hash = hash_of_two(seed, head, tail);
    if (length <= STORED_BYTES)
        return hash;
    hash ^= length;
    for (size_t position = STORED_BYTES; position < length; position += STORED_BYTES) {
        stored_bytes(bytes + position, length - position, &head, &tail);
        hash = hash_continued(seed, hash, head, tail);
    }
    return hash;
}

/* Returns the slot of a word, or the empty slot where it belongs. */
static size_t slot_of_word(const WordIds *ids, const unsigned char *bytes, size_t length)
{
    const uint32_t *slots = ids->slots.data;
    size_t last = ids->slot_count - 1, position = (size_t)(hash_of_word(ids->seed, bytes, length) >> ids->shift);
    for (; slots[position] != 0; position = (position + 1) & last) {
        const StoredWord *stored = (const StoredWord *)ids->words.data + slots[position];
        if (stored->length == length && memcmp(ids->base + stored->start, bytes, length) == 0)
            break;
    }
    return position;
}

uint32_t known_word_id(const WordIds *ids, const unsigned char *bytes, size_t length)
{
    return ((const uint32_t *)ids->slots.data)[slot_of_word(ids, bytes, length)] - 1;
}

uint32_t long_word_id(WordIds *ids, const unsigned char *bytes, size_t length)
{
    uint32_t *slot = (uint32_t *)ids->slots.data + slot_of_word(ids, bytes, length);
    if (*slot == 0) {
        *slot = ++ids->used;
        ((StoredWord *)ids->words.data)[*slot] = (StoredWord){
            eight_bytes(bytes), eight_bytes(bytes + 8), (uint32_t)(bytes - ids->base), (uint32_t)length};
    }
    return *slot - 1;
}

/* Fills empty slots. Returns false if interrupted. */
static bool rehash(WordIds *ids, Interrupt *interrupt)
{
    const StoredWord *words = ids->words.data;
    uint32_t *slots = ids->slots.data;
    for (size_t number = 1; number <= ids->used; number++) {
        const StoredWord *word = &words[number];
        slots[slot_of_word(ids, ids->base + word->start, word->length)] = (uint32_t)number;
        interrupt->work += 8;
        if (number % WORDS_PER_CHECK == 0 && is_interrupted(interrupt)) {
            ids->slot_count = 0;
            return false;
        }
    }
    return true;
}

bool word_ids_reserve(WordIds *ids, size_t count, Interrupt *interrupt)
{
    size_t needed = slots_for_words(ids->used + count, ids->slot_count);
    Buffer slots = {0};
    if (needed == ids->slot_count)
        return true;
    if (needed == 0 || !reserve_words(ids, needed) || !buffer_clear(&slots, needed, sizeof(uint32_t)))
        return false;
    buffer_free(&ids->slots);
    ids->slots = slots;
    set_slot_count(ids, needed);
    return rehash(ids, interrupt);
}

void word_ids_spans(const WordIds *ids, WordSpan *positions)
{
    const StoredWord *words = ids->words.data;
    for (size_t id = 0; id < ids->used; id++)
        positions[id] = (WordSpan){words[id + 1].start, words[id + 1].length};
}
