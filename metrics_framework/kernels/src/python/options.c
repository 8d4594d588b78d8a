#include "python/options.h"

#include <limits.h>

#include "python/word_list.h"

static bool read_integer(PyObject *value, int *integer)
{
    long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred())
        return false;
    if (number < INT_MIN || number > INT_MAX) {
        PyErr_SetString(PyExc_OverflowError, "the integer does not fit into a C int");
        return false;
    }
    *integer = (int)number;
    return true;
}

static bool read_size(PyObject *value, size_t *size)
{
    Py_ssize_t number = PyNumber_AsSsize_t(value, PyExc_OverflowError);
    if (number >= 0) {
        *size = (size_t)number;
        return true;
    }
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "the number must not be negative");
    return false;
}

static bool read_number(PyObject *value, double *number)
{
    *number = PyFloat_AsDouble(value);
    return *number != -1 || !PyErr_Occurred();
}

static bool read_boolean(PyObject *value, bool *boolean)
{
    int is_true = PyObject_IsTrue(value);
    *boolean = is_true > 0;
    return is_true >= 0;
}

static bool read_string(PyObject *value, const char **string)
{
    *string = PyUnicode_AsUTF8(value);
    return *string != NULL;
}

static bool read_dictionary(PyObject *value, PyTypeObject **dictionary)
{
    if (!PyType_Check(value) || !PyType_IsSubtype((PyTypeObject *)value, &PyDict_Type)) {
        PyErr_SetString(PyExc_TypeError, "'dictionary' must be a class of dictionaries");
        return false;
    }
    *dictionary = (PyTypeObject *)value;
    return true;
}

static bool read_option(const Option *option, PyObject *value, void *structure)
{
    void *member = (char *)structure + option->offset;
    switch (option->type) {
    case BOOLEAN:
        return read_boolean(value, member);
    case INTEGER:
        return read_integer(value, member);
    case SIZE:
        return read_size(value, member);
    case NUMBER:
        return read_number(value, member);
    case STRING:
        return read_string(value, member);
    case WORD_LIST:
        return read_word_list(value, member);
    default:
        return read_dictionary(value, member);
    }
}

/* Returns the value of an option and counts it; NULL if it is missing. */
static PyObject *value_of(const char *name, PyObject *const *values, PyObject *keywords, Py_ssize_t *found)
{
    for (Py_ssize_t index = 0; keywords != NULL && index < PyTuple_GET_SIZE(keywords); index++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, index), name) == 0) {
            ++*found;
            return values[index];
        }
    return NULL;
}

static bool is_known(PyObject *keyword, const OptionGroup *groups, size_t group_count)
{
    for (size_t group = 0; group < group_count; group++)
        for (const Option *option = groups[group].table; option->name != NULL; option++)
            if (PyUnicode_CompareWithASCIIString(keyword, option->name) == 0)
                return true;
    return false;
}

static bool raise_unknown(const char *function, const OptionGroup *groups, size_t group_count, PyObject *keywords)
{
    Py_ssize_t index = 0, last = PyTuple_GET_SIZE(keywords) - 1;
    while (index < last && is_known(PyTuple_GET_ITEM(keywords, index), groups, group_count))
        index++;
    PyObject *keyword = PyTuple_GET_ITEM(keywords, index);
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function, keyword);
    return false;
}

bool read_options(
    const char *function, const OptionGroup *groups, size_t group_count, PyObject *const *values, PyObject *keywords)
{
    Py_ssize_t found = 0;
    for (size_t group = 0; group < group_count; group++)
        for (const Option *option = groups[group].table; option->name != NULL; option++) {
            PyObject *value = value_of(option->name, values, keywords, &found);
            if (value == NULL) {
                PyErr_Format(PyExc_TypeError, "%s() missing required keyword argument '%s'", function, option->name);
                return false;
            }
            if (!read_option(option, value, groups[group].structure))
                return false;
        }
    bool has_all = keywords == NULL || found == PyTuple_GET_SIZE(keywords);
    return has_all || raise_unknown(function, groups, group_count, keywords);
}
