#include "base/buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns the new size in bytes for `count` items: half as much again as before, so that a growing buffer is rarely
   reallocated. Returns 0 if that is more than an object can have. */
static size_t new_capacity(const Buffer *buffer, size_t count, size_t size)
{
    size_t capacity = buffer->capacity + buffer->capacity / 2;
    if (count > PTRDIFF_MAX / size)
        return 0;
    return capacity < count * size || capacity > PTRDIFF_MAX ? count * size : capacity;
}

bool buffer_grow(Buffer *buffer, size_t count, size_t size)
{
    size_t capacity = new_capacity(buffer, count, size);
    void *data = capacity == 0 ? NULL : realloc(buffer->data, capacity);
    if (data == NULL)
        return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

bool buffer_clear(Buffer *buffer, size_t count, size_t size)
{
    if (count <= buffer->capacity / size) {
        if (count > 0)
            memset(buffer->data, 0, count * size);
        return true;
    }
    size_t capacity = new_capacity(buffer, count, size);
    buffer_free(buffer);
    if (capacity == 0 || (buffer->data = calloc(capacity, 1)) == NULL)
        return false;
    buffer->capacity = capacity;
    return true;
}

void buffer_free(Buffer *buffer)
{
    free(buffer->data);
    buffer->data = NULL;
    buffer->capacity = 0;
}
