/* Scores as JSON. */

#ifndef FW_PYTHON_JSON_SCORES_H
#define FW_PYTHON_JSON_SCORES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

/* Takes a sequence of dictionaries and returns one JSON object with all their entries. Returns None if a value is not a
   finite number, a list of them or a nested dictionary, or a key is not plain ASCII. */
PyObject *scores_as_json(PyObject *module, PyObject *dictionaries);

/* Returns whether a string can be written between quotes as it is. */
bool needs_no_escapes(PyObject *name);

#endif
