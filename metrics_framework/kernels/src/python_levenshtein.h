/* The Python-facing layer of `levenshtein.h`. */

#ifndef FW_PYTHON_LEVENSHTEIN_H
#define FW_PYTHON_LEVENSHTEIN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* edit_distances(summaries, references) -> list of integers */
PyObject *edit_distances(PyObject *module, PyObject *arguments, PyObject *named);

#endif
