/* Memory that grows and is reused. */

#ifndef FW_BASE_BUFFER_H
#define FW_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Initialize with {0}. */
typedef struct {
    void *data;
    size_t capacity; /* in bytes */
} Buffer;

/* Called by `buffer_reserve` if the capacity is too small. */
bool buffer_grow(Buffer *buffer, size_t count, size_t size);

/* Ensures space for `count` items of `size` bytes and keeps the contents. Returns false if out of memory. */
static inline bool buffer_reserve(Buffer *buffer, size_t count, size_t size)
{
    return count <= buffer->capacity / size || buffer_grow(buffer, count, size);
}

/* Ensures space for `count` items of `size` bytes that are all 0; the contents are lost. New memory comes from calloc,
   which clears a page when it is first used. Returns false if out of memory. */
bool buffer_clear(Buffer *buffer, size_t count, size_t size);

void buffer_free(Buffer *buffer);

#endif
