#include "text/word_ids.h"

#include <string.h>

#include "base/bits.h"

/* The number of slots between two checks for an interrupt. */
enum { SLOTS_PER_CHECK = 1 << 16 };

void word_ids_free(WordIds *ids) { buffer_free(&ids->slots); }

/* Returns the number of slots for `count` words, at least `slot_count`; 0 if there would be too many. */
static size_t slots_for(size_t count, size_t slot_count)
{
    while (slot_count - slot_count / 4 <= count) {
        if (slot_count > SIZE_MAX / 2)
            return 0;
        slot_count *= 2;
    }
    return slot_count;
}

bool word_ids_reset(WordIds *ids, const void *base, size_t count)
{
    size_t needed = slots_for(count < MANY_WORDS ? count : MANY_WORDS, MANY_WORDS < 64 ? 4 : 64);
    ids->base = base;
    ids->used = 0;
    ids->seed = hash_seed();
    ids->slot_count = needed;
    ids->shift = shift_to_slot(needed);
    if (needed <= ids->capacity && ++ids->generation != 0)
        return true;
    if (needed < ids->capacity)
        needed = ids->capacity;
    bool done = buffer_clear(&ids->slots, needed, sizeof(WordSlot));
    ids->capacity = done ? needed : 0;
    ids->generation = 1;
    return done;
}

uint64_t hash_long(HashSeed seed, const unsigned char *bytes, size_t length, uint64_t hash)
{
    hash ^= length;
    for (size_t position = SLOT_BYTES; position < length; position += SLOT_BYTES) {
        uint64_t head, tail;
        slot_bytes(bytes + position, length - position, &head, &tail);
        hash = hash_continued(seed, hash, head, tail);
    }
    return hash;
}

/* Copies the words of a table to a larger empty one. Returns false if interrupted. */
static bool rehash(WordIds *ids, const WordIds *old, Interrupt *interrupt)
{
    const WordSlot *slots = old->slots.data;
    WordSlot *own = ids->slots.data;
    size_t last = ids->slot_count - 1;
    for (size_t start = 0; start < old->slot_count; start += SLOTS_PER_CHECK) {
        size_t end = old->slot_count - start < SLOTS_PER_CHECK ? old->slot_count : start + SLOTS_PER_CHECK;
        for (size_t index = start; index < end; index++) {
            const WordSlot *slot = &slots[index];
            if (slot->generation != old->generation)
                continue;
            size_t position = word_slot_index(ids, slot->head, slot->tail, ids->base + slot->start, slot->length);
            while (own[position].generation == ids->generation)
                position = (position + 1) & last;
            own[position] = *slot;
            own[position].generation = ids->generation;
        }
        interrupt->work += 8 * (end - start);
        if (is_interrupted(interrupt))
            return false;
    }
    return true;
}

bool word_ids_reserve(WordIds *ids, size_t count, Interrupt *interrupt)
{
    WordIds old = *ids;
    size_t needed = slots_for(ids->used + count, ids->slot_count);
    if (needed == ids->slot_count)
        return true;
    ids->slots = (Buffer){0};
    if (needed == 0 || !buffer_clear(&ids->slots, needed, sizeof(WordSlot))) {
        *ids = old;
        return false;
    }
    ids->generation = 1;
    ids->capacity = needed;
    ids->slot_count = needed;
    ids->shift = shift_to_slot(needed);
    bool done = rehash(ids, &old, interrupt);
    buffer_free(&old.slots);
    return done;
}

void word_ids_spans(const WordIds *ids, WordSpan *positions)
{
    const WordSlot *slots = ids->slots.data;
    for (size_t position = 0; position < ids->slot_count; position++)
        if (slots[position].generation == ids->generation)
            positions[slots[position].id] = (WordSpan){slots[position].start, slots[position].length};
}
