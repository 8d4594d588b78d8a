#include "python/word_list.h"

static const char CAPSULE[] = "metrics_framework.kernels.WordList";

static void free_capsule(PyObject *capsule) { word_list_free(PyCapsule_GetPointer(capsule, CAPSULE)); }

PyObject *word_list(PyObject *Py_UNUSED(module), PyObject *lines)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(lines, &size);
    if (text == NULL)
        return NULL;
    WordList *list = word_list_new(text, (size_t)size);
    if (list == NULL)
        return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(list, CAPSULE, free_capsule);
    if (capsule == NULL)
        word_list_free(list);
    return capsule;
}

bool read_word_list(PyObject *value, const WordList **list)
{
    *list = PyCapsule_GetPointer(value, CAPSULE);
    return *list != NULL;
}
