/* The code points of texts in UTF-8; lone surrogates are encoded like other code points. */

#ifndef FW_TEXT_CODE_POINTS_H
#define FW_TEXT_CODE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool is_ascii(const unsigned char *bytes, size_t size)
{
    unsigned char any = 0;
    for (size_t position = 0; position < size; position++)
        any |= bytes[position];
    return any < 0x80;
}

/* Returns the number of bytes of a code point, given the first. */
static inline size_t bytes_of_code(unsigned char first)
{
    return 1 + (size_t)(first >= 0xc0) + (first >= 0xe0) + (first >= 0xf0);
}

/* Decodes UTF-8; returns the number of code points. */
static inline size_t decode(const unsigned char *bytes, size_t size, uint32_t *codes)
{
    size_t count = 0;
    for (size_t position = 0; position < size;) {
        uint32_t first = bytes[position];
        size_t more = bytes_of_code(bytes[position++]) - 1;
        uint32_t code = more == 0 ? first : first & (0x3fu >> more);
        for (; more > 0; more--)
            code = code << 6 | (bytes[position++] & 0x3fu);
        codes[count++] = code;
    }
    return count;
}

#endif
