/* Rows of scores as lines of JSON. */

#ifndef FW_PYTHON_JSON_ROWS_H
#define FW_PYTHON_JSON_ROWS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Takes a list of ids, a list of what is between id and scores, and for each metric a list of the members of the
   scores; returns a list of lines. Returns None if a string is not ASCII or an id needs escapes. */
PyObject *rows_as_json(PyObject *module, PyObject *arguments);

#endif
