#include "ngrams/char_ids.h"

#include <stdlib.h>

void letters_free(Letters *letters) { free(letters->others); }

static unsigned char *letter_of(Letters *letters, uint32_t code)
{
    return code < ASCII ? &letters->ascii[code] : &letters->others[code];
}

void letters_reset(Letters *letters)
{
    for (size_t index = 0; index < letters->count; index++)
        *letter_of(letters, letters->seen[index]) = 0;
    letters->count = 0;
}

bool letters_write(Letters *letters, const uint32_t *codes, size_t length, unsigned char *units)
{
    for (size_t place = 0; place < length; place++) {
        uint32_t code = codes[place];
        if (code >= ASCII && letters->others == NULL && (letters->others = calloc(CODE_POINTS, 1)) == NULL)
            return false;
        unsigned char *letter = letter_of(letters, code);
        if (*letter == 0) {
            if (letters->count == MOST_UNITS)
                return false;
            letters->seen[letters->count++] = code;
            *letter = (unsigned char)letters->count;
        }
        units[place] = *letter;
    }
    return true;
}
