/* Scores as JSON. */

#ifndef FW_PYTHON_JSON_SCORES_H
#define FW_PYTHON_JSON_SCORES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

/* Takes dictionaries and returns the JSON of one object of all their entries. Returns None where there is anything else
   than finite numbers and lists of them, under names of plain ASCII. */
PyObject *scores_as_json(PyObject *module, PyObject *dictionaries);

/* Tells whether a string stands in JSON as it is, between quotes. */
bool stands_as_it_is(PyObject *name);

#endif
