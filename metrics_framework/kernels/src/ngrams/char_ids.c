#include "ngrams/char_ids.h"

#include <string.h>

void char_ids_free(CharIds *char_ids) { buffer_free(&char_ids->pages); }

/* Returns where the id of a code point is; its page must exist. */
static unsigned char *id_of(CharIds *char_ids, uint32_t code)
{
    if (code < ASCII)
        return &char_ids->ascii[code];
    return (unsigned char *)char_ids->pages.data + (size_t)(char_ids->page_of[code / PAGE] - 1) * PAGE + code % PAGE;
}

void char_ids_reset(CharIds *char_ids)
{
    for (size_t index = 0; index < char_ids->count; index++) {
        uint32_t code = char_ids->seen[index];
        if (code < ASCII)
            char_ids->ascii[code] = 0;
        else
            char_ids->page_of[code / PAGE] = 0;
    }
    char_ids->count = char_ids->page_count = 0;
}

/* Adds an empty page for the code points near one. Returns false if out of memory. */
static bool add_page(CharIds *char_ids, uint32_t code)
{
    if (!buffer_reserve(&char_ids->pages, char_ids->page_count + 1, PAGE))
        return false;
    memset((unsigned char *)char_ids->pages.data + char_ids->page_count * PAGE, 0, PAGE);
    char_ids->page_of[code / PAGE] = (unsigned char)++char_ids->page_count;
    return true;
}

/* Assigns an id. Returns false if there are too many. */
static bool assign(CharIds *char_ids, uint32_t code, unsigned char *id)
{
    if (char_ids->count == MAX_UNIT)
        return false;
    char_ids->seen[char_ids->count++] = code;
    *id = (unsigned char)char_ids->count;
    return true;
}

bool char_ids_write(CharIds *char_ids, const uint32_t *codes, size_t length, unsigned char *units)
{
    for (size_t position = 0; position < length; position++) {
        uint32_t code = codes[position];
        bool is_on_page = code < ASCII || char_ids->page_of[code / PAGE] > 0;
        if (!is_on_page && (char_ids->count == MAX_UNIT || !add_page(char_ids, code)))
            return false;
        unsigned char *id = id_of(char_ids, code);
        if (*id == 0 && !assign(char_ids, code, id))
            return false;
        units[position] = *id;
    }
    return true;
}

bool char_ids_write_ascii(CharIds *char_ids, const unsigned char *bytes, size_t length, unsigned char *units)
{
    for (size_t position = 0; position < length; position++) {
        unsigned char *id = &char_ids->ascii[bytes[position]];
        if (*id == 0 && !assign(char_ids, bytes[position], id))
            return false;
        units[position] = *id;
    }
    return true;
}
