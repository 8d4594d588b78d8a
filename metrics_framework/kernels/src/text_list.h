/* Texts collected while the GIL is released, to become Python strings later. */

#ifndef FW_TEXT_LIST_H
#define FW_TEXT_LIST_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

#include "memory.h"

/* Starts as {0}. */
typedef struct {
    Buffer bytes;
    size_t size;
    Buffer ends; /* size_t: where each text ends */
    size_t count;
} TextList;

void text_list_clear(TextList *list);

void text_list_free(TextList *list);

/* Returns where a text of at most `most` bytes may be written, NULL if out of memory. */
char *text_list_reserve(TextList *list, size_t most);

/* Adds the text that was written to the reserved bytes, up to `end`. */
void text_list_add(TextList *list, const char *end);

/* Appends `count` texts, from index `first` on, to a Python list. Returns false with an exception. */
bool text_list_append_to(const TextList *list, size_t first, size_t count, PyObject *strings);

#endif
