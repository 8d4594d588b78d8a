#include "python/weighted_points.h"

#include "pairs/weighted_points.h"

enum { CODES, GROUPS, LIMITS, ROW_OF, COLUMN_OF, ROW_WEIGHTS, COLUMN_WEIGHTS, ARRAYS };

static size_t length_of(const Py_buffer *buffer, size_t size) { return (size_t)buffer->len / size; }

/* Reads the shapes from the lengths of the arrays; returns false if they do not fit together. */
static bool read_shapes(WeightedPoints *points, const Py_buffer *arrays, const Py_buffer *sums)
{
    size_t resamples = points->resamples, lengths[ARRAYS];
    for (int index = 0; index < ARRAYS; index++) {
        lengths[index] = length_of(&arrays[index], sizeof(int32_t));
        if ((size_t)arrays[index].len != lengths[index] * sizeof(int32_t))
            return false;
    }
    points->points = lengths[COLUMN_OF];
    points->varying = lengths[CODES] != points->points;
    size_t sets = points->varying ? resamples : 1;
    for (int index = CODES; index <= ROW_OF; index++)
        if (lengths[index] % sets != 0 || lengths[index] / sets != points->points)
            return false;
    points->rows = lengths[ROW_WEIGHTS] / resamples;
    points->columns = lengths[COLUMN_WEIGHTS] / resamples;
    return lengths[ROW_WEIGHTS] % resamples == 0 && lengths[COLUMN_WEIGHTS] % resamples == 0 &&
           points->points <= INT32_MAX && length_of(sums, sizeof(int64_t)) / SUM_COUNT == resamples &&
           (size_t)sums->len % (SUM_COUNT * sizeof(int64_t)) == 0;
}

static bool are_aligned(const Py_buffer *arrays, const Py_buffer *sums)
{
    bool aligned = (uintptr_t)sums->buf % sizeof(int64_t) == 0;
    for (int index = 0; index < ARRAYS; index++)
        aligned = aligned && (uintptr_t)arrays[index].buf % sizeof(int32_t) == 0;
    return aligned;
}

static PyObject *sum_arrays(const Py_buffer *arrays, Py_buffer *sums, Py_ssize_t resamples, int wanted)
{
    WeightedPoints points = {.resamples = (size_t)resamples, .wanted = (unsigned)wanted};
    if (resamples < 1 || !read_shapes(&points, arrays, sums) || !are_aligned(arrays, sums)) {
        PyErr_SetString(PyExc_ValueError, "weighted_points() got arrays whose shapes do not fit together");
        return NULL;
    }
    if (wanted < 0 || wanted > WANT_ALL) {
        PyErr_Format(PyExc_ValueError, "weighted_points() got %d as the sums that are wanted", wanted);
        return NULL;
    }
    points.codes = arrays[CODES].buf;
    points.groups = arrays[GROUPS].buf;
    points.limits = arrays[LIMITS].buf;
    points.row_of = arrays[ROW_OF].buf;
    points.column_of = arrays[COLUMN_OF].buf;
    points.row_weights = arrays[ROW_WEIGHTS].buf;
    points.column_weights = arrays[COLUMN_WEIGHTS].buf;
    SumsResult result;
    Py_BEGIN_ALLOW_THREADS
    result = sum_weighted_points(&points, sums->buf);
    Py_END_ALLOW_THREADS
    if (result == SUMS_OUT_OF_MEMORY)
        return PyErr_NoMemory();
    if (result == SUMS_INVALID) {
        PyErr_SetString(PyExc_ValueError, "weighted_points() got an index out of range, a negative weight or an invalid prefix");
        return NULL;
    }
    return PyBool_FromLong(result == SUMS_DONE);
}

PyObject *weighted_points(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    Py_buffer a[ARRAYS], sums;
    Py_ssize_t resamples;
    int wanted;
    if (!PyArg_ParseTuple(
            arguments, "y*y*y*y*y*y*y*w*ni:weighted_points", &a[CODES], &a[GROUPS], &a[LIMITS], &a[ROW_OF], &a[COLUMN_OF],
            &a[ROW_WEIGHTS], &a[COLUMN_WEIGHTS], &sums, &resamples, &wanted))
        return NULL;
    PyObject *result = sum_arrays(a, &sums, resamples, wanted);
    for (int index = 0; index < ARRAYS; index++)
        PyBuffer_Release(&a[index]);
    PyBuffer_Release(&sums);
    return result;
}
