/* Copies the texts of groups out of Python lists. */

#ifndef FW_PYTHON_GROUP_TEXTS_H
#define FW_PYTHON_GROUP_TEXTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

#include "base/buffer.h"
#include "metrics/kernel.h"

/* The arguments of a call: lists of lists of summaries and of references, and lists with one other text per group. */
typedef struct {
    PyObject *summaries_list; /* or a list of summaries, if each is a separate group */
    PyObject *references_list;
    bool are_alone;
    PyObject *others[MAX_OTHER_TEXTS];
} TextLists;

typedef struct {
    size_t start;      /* of its texts in `Batch.bytes` */
    size_t first_text; /* index into `Batch.ends` */
    size_t summary_count, reference_count;
} Group;

/* Copies of the texts of some groups: they are scored without access to Python objects. Initialize with {0}. */
typedef struct {
    Buffer bytes;
    size_t size;
    Buffer ends; /* size_t */
    size_t text_count;
    Buffer groups; /* Group */
    size_t group_count;
    size_t summary_count;
    bool is_plain; /* false if something is left to Python: texts of other types, or invalid ones */
} Batch;

void batch_clear(Batch *batch);

void batch_free(Batch *batch);

/* Returns the number of groups, -1 if an argument is not a list or tuple, or the lengths differ. */
Py_ssize_t group_count(const TextLists *lists, const Kernel *kernel);

/* Appends a group. Returns false with an exception, or with `is_plain` false. */
bool batch_append_group(Batch *batch, const TextLists *lists, const Kernel *kernel, Py_ssize_t index);

static inline TextGroup batch_group(const Batch *batch, size_t index)
{
    const Group *group = (const Group *)batch->groups.data + index;
    return (TextGroup){
        (unsigned char *)batch->bytes.data + group->start,
        (const size_t *)batch->ends.data + group->first_text,
        group->summary_count,
        group->reference_count,
        false,
    };
}

/* Like `buffer_reserve`, but raises a MemoryError. */
static inline bool reserve_or_raise(Buffer *buffer, size_t count, size_t size)
{
    if (buffer_reserve(buffer, count, size))
        return true;
    PyErr_NoMemory();
    return false;
}

#endif
