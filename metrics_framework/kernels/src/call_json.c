#include "call.h"

#include <math.h>
#include <string.h>

#include "shortest.h"

static bool write_text(Call *call, const char *text, size_t length)
{
    if (!buffer_reserve(&call->text, call->text_size + length, 1))
        return false;
    if (length > 0)
        memcpy((char *)call->text.data + call->text_size, text, length);
    call->text_size += length;
    return true;
}

/* Writes a number that only Python can write: very large and small ones, and others of which there are few. */
static bool write_rare(Call *call, double number)
{
    if (!isfinite(number))
        return write_text(call, "null", 4);
    PyEval_RestoreThread(call->thread);
    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    PyErr_Clear();
    bool done = text != NULL && write_text(call, text, strlen(text));
    PyMem_Free(text);
    call->thread = PyEval_SaveThread();
    return done;
}

static bool write_number(Call *call, double number, bool is_whole)
{
    char text[LONGEST_NUMBER];
    size_t length = is_whole ? (size_t)snprintf(text, sizeof text, "%.0f", number) : write_shortest(number, text);
    return length > 0 ? write_text(call, text, length) : write_rare(call, number);
}

static bool write_name(Call *call, const char *name, const char *suffix, bool is_first)
{
    return write_text(call, ", \"", 3 * !is_first) && write_text(call, "\"", is_first)
        && write_text(call, name, strlen(name)) && write_text(call, suffix, strlen(suffix)) && write_text(call, "\": ", 3);
}

/* Writes the numbers of a score as members of an object; those of a mean are none of them whole. */
static bool write_members(Call *call, const double *numbers, bool is_mean)
{
    for (size_t index = 0; index < call->kernel->field_count; index++) {
        const ScoreField *field = &call->kernel->fields[index];
        size_t count = field->count > 0 ? field->count : 1;
        if (!write_name(call, field->name, is_mean ? call->suffix : "", index == 0 && !is_mean)
            || !write_text(call, "[", field->count > 0))
            return false;
        for (size_t place = 0; place < count; place++)
            if (!write_text(call, ", ", 2 * (place > 0)) || !write_number(call, numbers[place], field->is_whole && !is_mean))
                return false;
        if (!write_text(call, "]", field->count > 0))
            return false;
        numbers += count;
    }
    return true;
}

bool call_write_json(Call *call, const double *scores, const double *mean)
{
    if (!write_members(call, scores, false) || (mean != NULL && !write_members(call, mean, true))
        || !buffer_reserve(&call->text_ends, call->text_count + 1, sizeof(size_t)))
        return false;
    ((size_t *)call->text_ends.data)[call->text_count++] = call->text_size;
    return true;
}

PyObject *call_json_results(const Call *call, const Group *group, size_t first)
{
    const size_t *ends = call->text_ends.data;
    PyObject *results = PyList_New((Py_ssize_t)group->summary_count);
    for (size_t index = first; results != NULL && index < first + group->summary_count; index++) {
        size_t start = index == 0 ? 0 : ends[index - 1];
        PyObject *text = PyUnicode_FromStringAndSize((char *)call->text.data + start, (Py_ssize_t)(ends[index] - start));
        if (text == NULL)
            Py_CLEAR(results);
        else
            PyList_SET_ITEM(results, (Py_ssize_t)(index - first), text);
    }
    return results;
}
