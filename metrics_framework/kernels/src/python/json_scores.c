#include "python/json_scores.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/double_to_text.h"

/* A growing text. */
typedef struct {
    Buffer bytes;
    size_t size;
    bool is_plain; /* false if a value is left to Python */
} Writer;

static char *capacity(Writer *writer, size_t more)
{
    if (buffer_reserve(&writer->bytes, writer->size + more, 1))
        return (char *)writer->bytes.data + writer->size;
    PyErr_NoMemory();
    return NULL;
}

static bool write_bytes(Writer *writer, const char *bytes, size_t count)
{
    char *out = capacity(writer, count);
    if (out == NULL)
        return false;
    memcpy(out, bytes, count);
    writer->size += count;
    return true;
}

static bool refuse(Writer *writer)
{
    writer->is_plain = false;
    return false;
}

static bool write_float(Writer *writer, double number)
{
    char *out = capacity(writer, MAX_NUMBER_LENGTH);
    if (out == NULL)
        return false;
    if (!isfinite(number))
        return refuse(writer);
    size_t count = double_to_text(number, out);
    if (count > 0) {
        writer->size += count;
        return true;
    }
    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (text == NULL)
        return false;
    bool done = write_bytes(writer, text, strlen(text));
    PyMem_Free(text);
    return done;
}

static bool write_whole(Writer *writer, PyObject *number)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow != 0)
        return refuse(writer);
    char text[MAX_NUMBER_LENGTH];
    return write_bytes(writer, text, (size_t)snprintf(text, sizeof text, "%lld", value));
}

static bool write_number(Writer *writer, PyObject *number)
{
    if (PyFloat_CheckExact(number))
        return write_float(writer, PyFloat_AS_DOUBLE(number));
    return PyLong_CheckExact(number) ? write_whole(writer, number) : refuse(writer);
}

static bool write_members(Writer *writer, PyObject *dictionary, bool is_first);

static bool write_value(Writer *writer, PyObject *value)
{
    if (PyDict_Check(value)) {
        if (Py_EnterRecursiveCall(" while writing scores"))
            return false;
        bool done = write_bytes(writer, "{", 1) && write_members(writer, value, true) && write_bytes(writer, "}", 1);
        Py_LeaveRecursiveCall();
        return done;
    }
    if (!PyList_CheckExact(value))
        return write_number(writer, value);
    bool done = write_bytes(writer, "[", 1);
    for (Py_ssize_t index = 0; done && index < PyList_GET_SIZE(value); index++)
        done = (index == 0 || write_bytes(writer, ", ", 2)) && write_number(writer, PyList_GET_ITEM(value, index));
    return done && write_bytes(writer, "]", 1);
}

bool needs_no_escapes(PyObject *name)
{
    if (!PyUnicode_CheckExact(name) || !PyUnicode_IS_ASCII(name))
        return false;
    const unsigned char *bytes = PyUnicode_1BYTE_DATA(name);
    for (Py_ssize_t position = 0; position < PyUnicode_GET_LENGTH(name); position++)
        if (bytes[position] < ' ' || bytes[position] == '"' || bytes[position] == '\\' || bytes[position] == 0x7f)
            return false;
    return true;
}

static bool write_members(Writer *writer, PyObject *dictionary, bool is_first)
{
    PyObject *name, *value;
    Py_ssize_t position = 0;
    for (; PyDict_Next(dictionary, &position, &name, &value); is_first = false) {
        if (!needs_no_escapes(name))
            return refuse(writer);
        if ((!is_first && !write_bytes(writer, ", ", 2)) || !write_bytes(writer, "\"", 1)
            || !write_bytes(writer, (const char *)PyUnicode_1BYTE_DATA(name), (size_t)PyUnicode_GET_LENGTH(name))
            || !write_bytes(writer, "\": ", 3) || !write_value(writer, value))
            return false;
    }
    return true;
}

static bool write_dictionary(Writer *writer, PyObject *dictionary)
{
    return PyDict_Check(dictionary) ? write_members(writer, dictionary, writer->size == 1) : refuse(writer);
}

PyObject *scores_as_json(PyObject *Py_UNUSED(module), PyObject *dictionaries)
{
    Writer writer = {.is_plain = true};
    PyObject *items = PySequence_Tuple(dictionaries), *text = NULL;
    bool done = items != NULL && write_bytes(&writer, "{", 1);
    for (Py_ssize_t index = 0; done && index < PyTuple_GET_SIZE(items); index++)
        done = write_dictionary(&writer, PyTuple_GET_ITEM(items, index));
    if (done && write_bytes(&writer, "}", 1))
        text = PyUnicode_FromStringAndSize(writer.bytes.data, (Py_ssize_t)writer.size);
    else if (!writer.is_plain && !PyErr_Occurred())
        text = Py_NewRef(Py_None);
    Py_XDECREF(items);
    buffer_free(&writer.bytes);
    return text;
}
