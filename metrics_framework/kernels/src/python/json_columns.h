/* Rows of JSON lines as columns. */

#ifndef FW_PYTHON_JSON_COLUMNS_H
#define FW_PYTHON_JSON_COLUMNS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* json_columns(block, start, size): reads at most `size` lines of a block from the line on that starts at `start`, while
   they are objects with the keys of the first one, in the same order, whose values are strings, lists of strings, short
   numbers, booleans or null. Returns the keys, a list of values for each, and the position after the last line and its
   line break. Returns None if the first line is something else; Python decides what it is. */
PyObject *json_columns(PyObject *module, PyObject *arguments);

#endif
