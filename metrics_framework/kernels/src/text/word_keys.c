#include "text/word_keys.h"

/* The number of keys between two checks for an interrupt. */
enum { KEYS_PER_CHECK = 1 << 16 };

void key_ids_free(KeyIds *ids)
{
    buffer_free(&ids->slots);
    buffer_free(&ids->keys);
}

/* Reserves keys for a number of slots, and one before the first and one after the last. */
static bool reserve_keys(KeyIds *ids, size_t slot_count)
{
    return buffer_reserve(&ids->keys, most_words(slot_count) + 2, sizeof(WordKey));
}

static void set_slot_count(KeyIds *ids, size_t slot_count)
{
    ids->slot_count = slot_count;
    ids->shift = shift_to_slot(slot_count);
}

bool key_ids_reset(KeyIds *ids, size_t count)
{
    size_t needed = slots_for_words(count < MANY_WORDS ? count : MANY_WORDS, MANY_WORDS < 64 ? 4 : 64);
    ids->slot_count = 0; /* of a table that cannot be used */
    if (!reserve_keys(ids, needed) || !buffer_clear(&ids->slots, needed, sizeof(uint32_t)))
        return false;
    ids->used = 0;
    ids->seed = hash_seed();
    set_slot_count(ids, needed);
    return true;
}

/* Fills empty slots. Returns false if interrupted. */
static bool rehash(KeyIds *ids, Interrupt *interrupt)
{
    const WordKey *keys = ids->keys.data;
    uint32_t *slots = ids->slots.data;
    for (size_t number = 1; number <= ids->used; number++) {
        size_t position = (size_t)(hash_of_two(ids->seed, keys[number].head, keys[number].tail) >> ids->shift);
        while (slots[position] != 0)
            position = (position + 1) & (ids->slot_count - 1);
        slots[position] = (uint32_t)number;
        interrupt->work += 8;
        if (number % KEYS_PER_CHECK == 0 && is_interrupted(interrupt)) {
            ids->slot_count = 0;
            return false;
        }
    }
    return true;
}

bool key_ids_reserve(KeyIds *ids, size_t count, Interrupt *interrupt)
{
    if (ids->used + count < most_words(ids->slot_count))
        return true;
    size_t needed = slots_for_words(ids->used + count, ids->slot_count);
    Buffer slots = {0};
    if (needed == 0 || !reserve_keys(ids, needed) || !buffer_clear(&slots, needed, sizeof(uint32_t)))
        return false;
    buffer_free(&ids->slots);
    ids->slots = slots;
    set_slot_count(ids, needed);
    return rehash(ids, interrupt);
}

/* Whether a key is new is unpredictable: each is stored after the last one, and stays there if it is new. All hashes are
   computed first: a look-up that is mispredicted discards less work. */
void key_ids_of(KeyIds *ids, const WordKey *keys, size_t count, uint32_t *out)
{
    size_t positions[KEY_BATCH], last = ids->slot_count - 1, used = ids->used;
    WordKey *known = ids->keys.data;
    uint32_t *slots = ids->slots.data;
    HashSeed seed = ids->seed; /* locals, because the compiler must assume that a store changes `ids` */
    unsigned shift = ids->shift;
    for (size_t index = 0; index < count; index++)
        positions[index] = (size_t)(hash_of_two(seed, keys[index].head, keys[index].tail) >> shift);
    for (size_t index = 0; index < count; index++) {
        size_t position = positions[index], next = used + 1, is_new, number;
        known[next] = keys[index];
        for (;; position = (position + 1) & last) {
            is_new = slots[position] == 0;
            number = slots[position] | (next & (0 - is_new));
            if (same_key(&known[number], &keys[index]))
                break;
        }
        slots[position] = (uint32_t)number;
        out[index] = (uint32_t)number - 1;
        used += is_new;
    }
    ids->used = (uint32_t)used;
}
