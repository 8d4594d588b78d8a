#include "python/plain.h"

#include <stdbool.h>

#include "base/bits.h"
#include "base/hash.h"

static bool is_sequence(PyObject *object) { return PyList_CheckExact(object) || PyTuple_CheckExact(object); }

static bool are_texts(PyObject *texts, bool may_end_in_bracket)
{
    PyObject **items = PySequence_Fast_ITEMS(texts);
    for (Py_ssize_t index = 0, count = PySequence_Fast_GET_SIZE(texts); index < count; index++) {
        Py_ssize_t length = PyUnicode_CheckExact(items[index]) ? PyUnicode_GET_LENGTH(items[index]) : -1;
        Py_UCS4 last = may_end_in_bracket || length <= 0 ? 0 : PyUnicode_READ_CHAR(items[index], length - 1);
        if (length < 0 || last == ']' || last == ')')
            return false;
    }
    return true;
}

static bool is_plain(PyObject *argument, char kind)
{
    bool may_end_in_bracket = kind >= 'a';
    kind |= 'a' - 'A';
    if (kind == 't')
        return are_texts(argument, may_end_in_bracket);
    if (kind != 'l' && kind != 'g')
        return false;
    PyObject **items = PySequence_Fast_ITEMS(argument);
    for (Py_ssize_t index = 0, count = PySequence_Fast_GET_SIZE(argument); index < count; index++)
        if (!is_sequence(items[index]) || !are_texts(items[index], may_end_in_bracket) || (kind == 'l' && PySequence_Fast_GET_SIZE(items[index]) == 0))
            return false;
    return true;
}

PyObject *are_plain(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *lists;
    const char *kinds;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(arguments, "O!s#", &PyTuple_Type, &lists, &kinds, &count))
        return NULL;
    bool plain = PyTuple_GET_SIZE(lists) == count;
    for (Py_ssize_t index = 0; plain && index < count; index++) {
        PyObject *list = PyTuple_GET_ITEM(lists, index), *first = PyTuple_GET_ITEM(lists, 0);
        plain = is_sequence(list) && PySequence_Fast_GET_SIZE(list) == PySequence_Fast_GET_SIZE(first) && is_plain(list, kinds[index]);
    }
    return PyBool_FromLong(plain);
}

/* Returns how many different objects there are. `slots` are all NULL, and more than objects. */
static Py_ssize_t count_in_slots(PyObject **items, Py_ssize_t count, PyObject **slots, size_t slot_count)
{
    HashSeed seed = hash_seed();
    unsigned shift = shift_to_slot(slot_count);
    Py_ssize_t different = 0;
    for (Py_ssize_t index = 0; index < count; index++) {
        size_t slot = (size_t)(hash_of(seed, (uint64_t)(uintptr_t)items[index]) >> shift);
        while (slots[slot] != NULL && slots[slot] != items[index])
            slot = (slot + 1) & (slot_count - 1);
        different += slots[slot] == NULL;
        slots[slot] = items[index];
    }
    return different;
}

PyObject *count_objects(PyObject *Py_UNUSED(module), PyObject *values)
{
    if (!is_sequence(values)) {
        PyErr_SetString(PyExc_TypeError, "count_objects() needs a list or tuple");
        return NULL;
    }
    Py_ssize_t count = PySequence_Fast_GET_SIZE(values);
    size_t slot_count = 2;
    while (slot_count / 2 < (size_t)count)
        slot_count *= 2;
    PyObject **slots = PyMem_Calloc(slot_count, sizeof *slots);
    if (slots == NULL)
        return PyErr_NoMemory();
    Py_ssize_t different = count_in_slots(PySequence_Fast_ITEMS(values), count, slots, slot_count);
    PyMem_Free(slots);
    return PyLong_FromSsize_t(different);
}
