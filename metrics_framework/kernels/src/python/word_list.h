/* Lists of words for kernels, as Python objects. */

#ifndef FW_PYTHON_WORD_LIST_H
#define FW_PYTHON_WORD_LIST_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

#include "text/word_list.h"

/* Takes the lines of a list as a string; returns a capsule. */
PyObject *word_list(PyObject *module, PyObject *lines);

/* Reads an option: a capsule that `word_list` returned. Returns false with an exception. */
bool read_word_list(PyObject *value, const WordList **list);

#endif
