/* The Python function of sums over pairs of weighted points. */

#ifndef FW_PYTHON_WEIGHTED_POINTS_H
#define FW_PYTHON_WEIGHTED_POINTS_H

#include <Python.h>

/* weighted_points(codes, groups, limits, row_of, column_of, row_weights, column_weights, sums, resamples, wanted) fills `sums`,
   64-bit integers; all other arrays are of 32-bit integers, and `wanted` is a sum of values of Wanted. Returns whether the
   weights are small enough. */
PyObject *weighted_points(PyObject *module, PyObject *arguments);

#endif
