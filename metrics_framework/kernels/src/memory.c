#include "memory.h"

#include <stdint.h>
#include <stdlib.h>

bool buffer_grow(Buffer *buffer, size_t count, size_t size)
{
    if (count > PTRDIFF_MAX / size)
        return false;
    size_t needed = count * size;
    size_t capacity = buffer->capacity + buffer->capacity / 2; /* so that what grows by little is seldom moved */
    if (capacity < needed || capacity > PTRDIFF_MAX)
        capacity = needed;
    void *data = realloc(buffer->data, capacity);
    if (data == NULL)
        return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void buffer_free(Buffer *buffer)
{
    free(buffer->data);
    buffer->data = NULL;
    buffer->capacity = 0;
}
