#include "python/vector_sums.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
    const double *numbers;
    Py_ssize_t height, width;
    PyObject *rows; /* a list, or None */
} Table;

static Py_ssize_t row_count(const Table *table)
{
    return table->rows == Py_None ? table->height : PyList_GET_SIZE(table->rows);
}

/* Returns a row of those to add, NULL with an exception if it does not exist. */
static const double *row_at(const Table *table, Py_ssize_t index)
{
    Py_ssize_t row = index;
    if (index >= row_count(table))
        row = -1;
    else if (table->rows != Py_None)
        row = PyLong_AsSsize_t(PyList_GET_ITEM(table->rows, index));
    if (row >= 0 && row < table->height)
        return table->numbers + row * table->width;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "there is no such row");
    return NULL;
}

/* Reads the numbers to begin with; returns false with an exception. */
static bool read_start(const Table *table, PyObject *start, double *sums)
{
    if (!PyList_Check(start) || PyList_GET_SIZE(start) != table->width) {
        PyErr_SetString(PyExc_ValueError, "'start' must have a number for each column");
        return false;
    }
    for (Py_ssize_t column = 0; column < table->width; column++) {
        sums[column] = PyFloat_AsDouble(PyList_GET_ITEM(start, column));
        if (sums[column] == -1 && PyErr_Occurred())
            return false;
    }
    return true;
}

static bool add_rows(const Table *table, PyObject *start, double *sums)
{
    Py_ssize_t count = row_count(table), index = 0;
    if (start != Py_None) {
        if (!read_start(table, start, sums))
            return false;
    } else {
        const double *row = row_at(table, index++);
        if (row == NULL)
            return false;
        memcpy(sums, row, (size_t)table->width * sizeof *sums);
    }
    for (; index < count; index++) {
        const double *row = row_at(table, index);
        if (row == NULL)
            return false;
        for (Py_ssize_t column = 0; column < table->width; column++)
            sums[column] += row[column];
    }
    return true;
}

static PyObject *as_list(const double *sums, Py_ssize_t width)
{
    PyObject *list = PyList_New(width);
    for (Py_ssize_t column = 0; list != NULL && column < width; column++) {
        PyObject *sum = PyFloat_FromDouble(sums[column]);
        if (sum == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, column, sum);
    }
    return list;
}

PyObject *vector_sums(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    Py_buffer data;
    Table table;
    PyObject *start, *sums_of_columns = NULL;
    if (!PyArg_ParseTuple(arguments, "y*nOO", &data, &table.width, &table.rows, &start))
        return NULL;
    Py_ssize_t size = (Py_ssize_t)sizeof(double);
    if (table.width < 1 || data.len % size != 0 || data.len / size % table.width != 0
        || !(table.rows == Py_None || PyList_Check(table.rows))) {
        PyErr_SetString(PyExc_ValueError, "'data' must be a table of doubles, and 'rows' a list");
    } else {
        table.numbers = data.buf;
        table.height = data.len / size / table.width;
        double *sums = PyMem_Calloc((size_t)table.width, sizeof *sums);
        if (sums == NULL)
            PyErr_NoMemory();
        else if (add_rows(&table, start, sums))
            sums_of_columns = as_list(sums, table.width);
        PyMem_Free(sums);
    }
    PyBuffer_Release(&data);
    return sums_of_columns;
}
