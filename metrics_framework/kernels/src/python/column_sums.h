/* Sums of the columns of vectors of numbers. */

#ifndef FW_PYTHON_COLUMN_SUMS_H
#define FW_PYTHON_COLUMN_SUMS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* column_sums(vectors): the sum of each column of a list of lists of equal length, added from left to right. Returns None,
   and Python adds, unless all numbers are floats and integers, and the sums of integers fit into 64 bits. */
PyObject *column_sums(PyObject *module, PyObject *vectors);

#endif
