/* Memory that grows and is kept for the next use. */

#ifndef FW_BASE_BUFFER_H
#define FW_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}. */
typedef struct {
    void *data;
    size_t capacity; /* bytes */
} Buffer;

/* Does what `buffer_reserve` does where there is too little room. */
bool buffer_grow(Buffer *buffer, size_t count, size_t size);

/* Makes room for `count` items of `size` bytes; keeps what is there. Returns false where there is not so much memory. */
static inline bool buffer_reserve(Buffer *buffer, size_t count, size_t size)
{
    return count <= buffer->capacity / size || buffer_grow(buffer, count, size);
}

/* Makes room for `count` items of `size` bytes, all of them 0; keeps nothing. Memory that is not there yet is cleared where it is
   first used, not here. */
bool buffer_clear(Buffer *buffer, size_t count, size_t size);

void buffer_free(Buffer *buffer);

#endif
