#include "words.h"

#include <string.h>

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t head; /* the first 8 bytes: most words have no more */
    uint32_t start, length;
    uint32_t generation;
    uint32_t number;
} Slot;

void numbers_free(Numbers *numbers) { buffer_free(&numbers->slots); }

bool numbers_reset(Numbers *numbers, const void *base, size_t count)
{
    size_t needed = 64;
    while (needed / 2 < count) {
        if (needed > SIZE_MAX / 2)
            return false;
        needed *= 2;
    }
    numbers->base = base;
    numbers->used = 0;
    if (needed <= numbers->slot_count && ++numbers->generation != 0)
        return true;
    if (needed < numbers->slot_count)
        needed = numbers->slot_count;
    if (!buffer_reserve(&numbers->slots, needed, sizeof(Slot)))
        return false;
    memset(numbers->slots.data, 0, needed * sizeof(Slot));
    numbers->slot_count = needed;
    numbers->generation = 1;
    return true;
}

static uint64_t first_bytes(const unsigned char *bytes, size_t length)
{
    unsigned char head[8] = {0};
    uint64_t word;
    memcpy(&word, bytes, 8);
    if (length >= 8)
        return word;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    (void)head;
    return word & ((UINT64_C(1) << 8 * length) - 1);
#else
    memcpy(head, bytes, length);
    memcpy(&word, head, 8);
    return word;
#endif
}

static uint64_t mixed(uint64_t word)
{
    word *= UINT64_C(0x9e3779b97f4a7c15);
    return word ^ word >> 32;
}

static uint64_t hash_of(const unsigned char *bytes, size_t length, uint64_t head)
{
    uint64_t hash = mixed(head ^ length);
    for (size_t place = 8; place < length; place += 8)
        hash = mixed(hash ^ first_bytes(bytes + place, length - place));
    return hash;
}

static bool is_of(const Numbers *numbers, const Slot *slot, const unsigned char *bytes, size_t length, uint64_t head)
{
    return slot->head == head && slot->length == length
        && (length <= 8 || memcmp(numbers->base + slot->start + 8, bytes + 8, length - 8) == 0);
}

uint32_t number_of(Numbers *numbers, const unsigned char *bytes, size_t length)
{
    Slot *slots = numbers->slots.data;
    uint64_t head = first_bytes(bytes, length);
    size_t last = numbers->slot_count - 1;
    size_t place = hash_of(bytes, length, head) & last;
    for (; slots[place].generation == numbers->generation; place = (place + 1) & last)
        if (is_of(numbers, &slots[place], bytes, length, head))
            return slots[place].number;
    uint32_t start = (uint32_t)(bytes - numbers->base);
    slots[place] = (Slot){head, start, (uint32_t)length, numbers->generation, numbers->used};
    return numbers->used++;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* So plain that a compiler does many bytes at once. */
static void lower_case(unsigned char *text, size_t length)
{
    for (size_t place = 0; place < length; place++) {
        unsigned char byte = text[place];
        text[place] = (unsigned char)(byte - 'A') < 26 ? byte | 0x20 : byte;
    }
}

/* Removes marks; returns the new length. */
static size_t without_punctuation(unsigned char *text, size_t length)
{
    size_t kept = 0;
    for (size_t place = 0; place < length; place++)
        if (text[place] == 0 || strchr(".,?:;!\"()", text[place]) == NULL)
            text[kept++] = text[place];
    return kept;
}

/* Tells what str.split() takes for white space; U+001C to U+001F are separators. */
static inline bool is_space(unsigned char byte)
{
    return byte <= ' ' && (byte == ' ' || (byte >= '\t' && byte <= '\r') || byte >= 0x1c);
}

size_t most_words(const unsigned char *text, size_t length)
{
    size_t count = 1;
    for (size_t place = 0; place < length; place++)
        count += text[place] <= ' ';
    return count;
}

size_t cut_words(CuttingRules rules, Numbers *numbers, unsigned char *text, size_t length, uint32_t *words)
{
    if (rules.lowercase)
        lower_case(text, length);
    if (rules.no_punct)
        length = without_punctuation(text, length);
    unsigned char behind = text[length];
    size_t count = 0, place = 0;
    text[length] = ' '; /* so that the last word ends too */
    for (;;) {
        while (place < length && is_space(text[place]))
            place++;
        if (place == length)
            break;
        size_t start = place;
        while (!is_space(text[place]))
            place++;
        words[count++] = number_of(numbers, text + start, place - start);
    }
    text[length] = behind;
    return count;
}
