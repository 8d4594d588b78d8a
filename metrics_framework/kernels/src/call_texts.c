#include "call.h"

#include <string.h>

static bool keep_text(Call *call, const char *text, size_t size)
{
    if (!buffer_reserve(&call->text, call->text_size + size, 1)
        || !buffer_reserve(&call->text_ends, call->text_count + 1, sizeof(size_t)))
        return false;
    if (size > 0)
        memcpy((char *)call->text.data + call->text_size, text, size);
    call->text_size += size;
    ((size_t *)call->text_ends.data)[call->text_count++] = call->text_size;
    return true;
}

bool call_keep_texts(Call *call, const TextGroup *group)
{
    for (size_t index = 0; index < group->summary_count + group->reference_count; index++) {
        size_t size;
        const char *text = call->kernel->text(call->kernel, index, &size);
        if (!keep_text(call, text, size))
            return false;
    }
    return true;
}

PyObject *call_with_texts(const Call *call, PyObject *results, const Group *group, size_t first)
{
    size_t count = group->summary_count + group->reference_count;
    const size_t *ends = call->text_ends.data;
    PyObject *texts = PyList_New((Py_ssize_t)count), *both = NULL;
    for (size_t index = first; texts != NULL && index < first + count; index++) {
        size_t start = index == 0 ? 0 : ends[index - 1];
        const char *bytes = (const char *)call->text.data + start;
        PyObject *text = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)(ends[index] - start), "surrogatepass");
        if (text == NULL)
            Py_CLEAR(texts);
        else
            PyList_SET_ITEM(texts, (Py_ssize_t)(index - first), text);
    }
    if (texts != NULL)
        both = PyTuple_Pack(2, results, texts);
    Py_DECREF(results);
    Py_XDECREF(texts);
    return both;
}
