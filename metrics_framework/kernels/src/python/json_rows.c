#include "python/json_rows.h"

#include <stdbool.h>
#include <string.h>

#include "python/json_scores.h"

/* The columns of rows: lists of strings of equal length, and a tuple of such lists. */
typedef struct {
    PyObject *ids, *heads, *columns;
} Parts;

static char *write_text(char *out, const char *text, size_t length)
{
    memcpy(out, text, length);
    return out + length;
}

static char *write_string(char *out, PyObject *string)
{
    return write_text(out, (const char *)PyUnicode_1BYTE_DATA(string), (size_t)PyUnicode_GET_LENGTH(string));
}

static bool is_list_of(PyObject *list, Py_ssize_t count) { return PyList_CheckExact(list) && PyList_GET_SIZE(list) == count; }

static bool are_lists_of(const Parts *parts, Py_ssize_t count)
{
    bool are = is_list_of(parts->heads, count);
    for (Py_ssize_t column = 0; are && column < PyTuple_GET_SIZE(parts->columns); column++)
        are = is_list_of(PyTuple_GET_ITEM(parts->columns, column), count);
    return are;
}

/* Adds the length of an item; returns false if it is not an ASCII string. */
static bool add_length(PyObject *item, Py_ssize_t *length)
{
    if (!PyUnicode_CheckExact(item) || !PyUnicode_IS_ASCII(item))
        return false;
    *length += PyUnicode_GET_LENGTH(item);
    return true;
}

static const char START[] = "{\"instance_id\": \"", END[] = "}}\n";

/* Returns the line of a row. NULL without an exception means that Python has to write it. */
static PyObject *line_of(const Parts *parts, Py_ssize_t row)
{
    PyObject *id = PyList_GET_ITEM(parts->ids, row), *head = PyList_GET_ITEM(parts->heads, row);
    Py_ssize_t column_count = PyTuple_GET_SIZE(parts->columns), length = sizeof START - 1 + sizeof END - 1 + 2; /* and "{ */
    bool is_first = true, is_plain = needs_no_escapes(id) && add_length(id, &length) && add_length(head, &length);
    for (Py_ssize_t column = 0; is_plain && column < column_count; column++) {
        Py_ssize_t before = length;
        is_plain = add_length(PyList_GET_ITEM(PyTuple_GET_ITEM(parts->columns, column), row), &length);
        length += length > before && !is_first ? 2 : 0;
        is_first = is_first && length == before;
    }
    PyObject *line = is_plain ? PyUnicode_New(length, 127) : NULL;
    if (line == NULL)
        return NULL;
    char *out = write_text((char *)PyUnicode_1BYTE_DATA(line), START, sizeof START - 1), *scores;
    out = write_string(write_text(write_string(out, id), "\"", 1), head);
    scores = out = write_text(out, "{", 1);
    for (Py_ssize_t column = 0; column < column_count; column++) {
        PyObject *members = PyList_GET_ITEM(PyTuple_GET_ITEM(parts->columns, column), row);
        bool follows = out > scores && PyUnicode_GET_LENGTH(members) > 0;
        out = write_string(write_text(out, ", ", 2 * follows), members);
    }
    write_text(out, END, sizeof END - 1);
    return line;
}

PyObject *rows_as_json(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    Parts parts;
    if (!PyArg_ParseTuple(arguments, "O!OO!", &PyList_Type, &parts.ids, &parts.heads, &PyTuple_Type, &parts.columns))
        return NULL;
    Py_ssize_t count = PyList_GET_SIZE(parts.ids);
    if (!are_lists_of(&parts, count))
        Py_RETURN_NONE;
    PyObject *lines = PyList_New(count);
    for (Py_ssize_t row = 0; lines != NULL && row < count; row++) {
        PyObject *line = line_of(&parts, row);
        if (line == NULL) {
            Py_CLEAR(lines);
            return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
        }
        PyList_SET_ITEM(lines, row, line);
    }
    return lines;
}
