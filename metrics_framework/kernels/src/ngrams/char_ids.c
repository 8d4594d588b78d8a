#include "ngrams/char_ids.h"

#include <stdlib.h>

void char_ids_free(CharIds *char_ids) { free(char_ids->others); }

static unsigned char *id_of(CharIds *char_ids, uint32_t code)
{
    return code < ASCII ? &char_ids->ascii[code] : &char_ids->others[code];
}

void char_ids_reset(CharIds *char_ids)
{
    for (size_t index = 0; index < char_ids->count; index++)
        *id_of(char_ids, char_ids->seen[index]) = 0;
    char_ids->count = 0;
}

bool char_ids_write(CharIds *char_ids, const uint32_t *codes, size_t length, unsigned char *units)
{
    for (size_t position = 0; position < length; position++) {
        uint32_t code = codes[position];
        if (code >= ASCII && char_ids->others == NULL && (char_ids->others = calloc(CODE_POINTS, 1)) == NULL)
            return false;
        unsigned char *id = id_of(char_ids, code);
        if (*id == 0) {
            if (char_ids->count == MAX_UNIT)
                return false;
            char_ids->seen[char_ids->count++] = code;
            *id = (unsigned char)char_ids->count;
        }
        units[position] = *id;
    }
    return true;
}
