#include "text_list.h"

void text_list_clear(TextList *list) { list->size = list->count = 0; }

void text_list_free(TextList *list)
{
    buffer_free(&list->bytes);
    buffer_free(&list->ends);
}

char *text_list_reserve(TextList *list, size_t most)
{
    if (most > PTRDIFF_MAX - list->size || !buffer_reserve(&list->bytes, list->size + most + 1, 1)
        || !buffer_reserve(&list->ends, list->count + 1, sizeof(size_t)))
        return NULL;
    return (char *)list->bytes.data + list->size;
}

void text_list_add(TextList *list, const char *end)
{
    list->size = (size_t)(end - (const char *)list->bytes.data);
    ((size_t *)list->ends.data)[list->count++] = list->size;
}

bool text_list_append_to(const TextList *list, size_t first, size_t count, PyObject *strings)
{
    const size_t *ends = list->ends.data;
    for (size_t index = first; index < first + count; index++) {
        size_t start = index == 0 ? 0 : ends[index - 1];
        const char *text = (const char *)list->bytes.data + start;
        PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)(ends[index] - start), "surrogatepass");
        int failed = string == NULL ? -1 : PyList_Append(strings, string);
        Py_XDECREF(string);
        if (failed)
            return false;
    }
    return true;
}
