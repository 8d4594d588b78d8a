#include "python/column_sums.h"

#include <stdbool.h>
#include <stdint.h>

static bool are_vectors(PyObject *vectors)
{
    if (!PyList_CheckExact(vectors) || PyList_GET_SIZE(vectors) == 0)
        return false;
    PyObject *first = PyList_GET_ITEM(vectors, 0);
    for (Py_ssize_t row = 0; row < PyList_GET_SIZE(vectors); row++) {
        PyObject *vector = PyList_GET_ITEM(vectors, row);
        if (!PyList_CheckExact(vector) || PyList_GET_SIZE(vector) != PyList_GET_SIZE(first))
            return false;
    }
    return true;
}

/* Reads an integer of at most 53 bits, which is also a double; returns false for any other object. */
static bool read_integer(PyObject *item, int64_t *integer)
{
    int overflow = 1;
    if (PyLong_CheckExact(item))
        *integer = PyLong_AsLongLongAndOverflow(item, &overflow);
    return overflow == 0 && *integer <= INT64_C(1) << 53 && *integer >= -(INT64_C(1) << 53);
}

/* Adds a number to a sum; returns false if the result would overflow. */
static bool add(int64_t *sum, int64_t number)
{
    if (number > 0 ? *sum > INT64_MAX - number : *sum < INT64_MIN - number)
        return false;
    *sum += number;
    return true;
}

/* Returns the sum of a column: an integer until the first float is added. NULL without an exception is left to Python. */
static PyObject *sum_of(PyObject *vectors, Py_ssize_t column)
{
    int64_t whole = 0, integer;
    double total = 0;
    bool is_float = false;
    for (Py_ssize_t row = 0; row < PyList_GET_SIZE(vectors); row++) {
        PyObject *item = PyList_GET_ITEM(PyList_GET_ITEM(vectors, row), column);
        if (PyFloat_CheckExact(item)) {
            double number = PyFloat_AS_DOUBLE(item);
            total = row == 0 ? number : (is_float ? total : (double)whole) + number; /* 0.0 + -0.0 would lose the sign */
            is_float = true;
        } else if (!read_integer(item, &integer) || (!is_float && !add(&whole, integer))) {
            return NULL;
        } else if (is_float) {
            total += (double)integer;
        }
    }
    return is_float ? PyFloat_FromDouble(total) : PyLong_FromLongLong(whole);
}

PyObject *column_sums(PyObject *Py_UNUSED(module), PyObject *vectors)
{
    if (!are_vectors(vectors))
        Py_RETURN_NONE;
    Py_ssize_t count = PyList_GET_SIZE(PyList_GET_ITEM(vectors, 0));
    PyObject *sums = PyList_New(count);
    for (Py_ssize_t column = 0; sums != NULL && column < count; column++) {
        PyObject *sum = sum_of(vectors, column);
        if (sum == NULL) {
            Py_CLEAR(sums);
            return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
        }
        PyList_SET_ITEM(sums, column, sum);
    }
    return sums;
}
