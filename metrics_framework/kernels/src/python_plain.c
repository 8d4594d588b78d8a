#include "python_plain.h"

#include <stdbool.h>

static bool is_sequence(PyObject *object) { return PyList_CheckExact(object) || PyTuple_CheckExact(object); }

static bool are_texts(PyObject *texts)
{
    PyObject **items = PySequence_Fast_ITEMS(texts);
    for (Py_ssize_t index = 0, count = PySequence_Fast_GET_SIZE(texts); index < count; index++)
        if (!PyUnicode_CheckExact(items[index]))
            return false;
    return true;
}

static bool is_plain(PyObject *argument, char kind)
{
    if (kind == 't')
        return are_texts(argument);
    if (kind != 'l' && kind != 'g')
        return false;
    PyObject **items = PySequence_Fast_ITEMS(argument);
    for (Py_ssize_t index = 0, count = PySequence_Fast_GET_SIZE(argument); index < count; index++)
        if (!is_sequence(items[index]) || !are_texts(items[index]) || (kind == 'l' && PySequence_Fast_GET_SIZE(items[index]) == 0))
            return false;
    return true;
}

PyObject *are_plain(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *lists;
    const char *kinds;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(arguments, "O!s#", &PyTuple_Type, &lists, &kinds, &count))
        return NULL;
    bool plain = PyTuple_GET_SIZE(lists) == count;
    for (Py_ssize_t index = 0; plain && index < count; index++) {
        PyObject *list = PyTuple_GET_ITEM(lists, index), *first = PyTuple_GET_ITEM(lists, 0);
        plain = is_sequence(list) && PySequence_Fast_GET_SIZE(list) == PySequence_Fast_GET_SIZE(first) && is_plain(list, kinds[index]);
    }
    return PyBool_FromLong(plain);
}
