/* Sums of the rows of a table of doubles. */

#ifndef FW_PYTHON_VECTOR_SUMS_H
#define FW_PYTHON_VECTOR_SUMS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* vector_sums(data, width, rows, start): the sum of each column of a table of doubles, which has `width` columns, added from
   top to bottom to the numbers of the list `start`; if that is None, to the first row. `rows` is a list of the rows to
   add, in this order; None for all. Raises ValueError for a row that does not exist, or if nothing is to be added. */
PyObject *vector_sums(PyObject *module, PyObject *arguments);

#endif
