/* From lists of Python's strings to the texts of groups. */

#ifndef FW_GATHER_H
#define FW_GATHER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

#include "kernel.h"
#include "memory.h"

/* The arguments of a call: lists of lists of summaries and of references, and lists with one other text per group. */
typedef struct {
    PyObject *summaries_list, *references_list;
    PyObject *others[MOST_OTHERS];
} TextLists;

typedef struct {
    size_t start;      /* of its texts, in `Batch.bytes` */
    size_t first_text; /* in `Batch.ends` */
    size_t summary_count, reference_count;
} Group;

/* Copies of the texts of some groups, so that no Python object is needed while they are scored. Starts as {0}. */
typedef struct {
    Buffer bytes;
    size_t size;
    Buffer ends; /* size_t */
    size_t text_count;
    Buffer groups; /* Group */
    size_t group_count;
    size_t summary_count;
    bool is_plain; /* false once something was met that only Python can make texts of, or refuse */
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

/* As `buffer_reserve`, with a MemoryError. */
static inline bool reserve_or_raise(Buffer *buffer, size_t count, size_t size)
{
    if (buffer_reserve(buffer, count, size))
        return true;
    PyErr_NoMemory();
    return false;
}

#endif
