/* Rows of scores as lines of JSON. */

#ifndef FW_PYTHON_JSON_ROWS_H
#define FW_PYTHON_JSON_ROWS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Makes the lines of rows: of a list of ids, one of what stands between the id and the scores, and, for each metric, one of the
   members of the objects of scores. None where one of the strings is not for here. */
PyObject *rows_as_json(PyObject *module, PyObject *arguments);

#endif
