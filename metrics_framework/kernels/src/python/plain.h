/* What lists of arguments contain: plain texts, and how many different objects. */

#ifndef FW_PYTHON_PLAIN_H
#define FW_PYTHON_PLAIN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* are_plain(arguments, kinds): whether the arguments, a tuple, are lists or tuples of one length, each of the kind that its
   character in `kinds` names: "t" texts, "l" non-empty lists of texts, "g" lists of texts. A text is exactly a str. */
PyObject *are_plain(PyObject *module, PyObject *arguments);

/* count_objects(values): the number of different objects in a list or tuple. */
PyObject *count_objects(PyObject *module, PyObject *values);

#endif
