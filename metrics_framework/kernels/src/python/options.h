/* Keyword options of kernels, read by a table. */

#ifndef FW_PYTHON_OPTIONS_H
#define FW_PYTHON_OPTIONS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

/* The type of an option in C. */
typedef enum {
    BOOLEAN,    /* bool */
    INTEGER,    /* int, or an enumeration without negative values */
    SIZE,       /* size_t */
    NUMBER,     /* double */
    STRING,     /* const char *, valid as long as the string */
    DICTIONARY, /* PyTypeObject *: a class of dictionaries */
    WORD_LIST,  /* const WordList *, valid as long as the object that `word_list` returned */
} OptionType;

typedef struct {
    const char *name;
    OptionType type;
    size_t offset;
} Option;

/* A row of a table. The option and the member it is written to have the same name. */
#define OPTION(Structure, member, type) {#member, type, offsetof(Structure, member)}

/* A table, which ends with a row without a name, and the structure that its options are written to. */
typedef struct {
    const Option *table;
    void *structure;
} OptionGroup;

/* Reads the keyword arguments of a function: every option of the groups is required, others are unknown. Returns false
   with a TypeError that names the option, or with the exception of a value of the wrong type.

   `values` and `keywords` are those of a vectorcall; `keywords` may be NULL. */
bool read_options(
    const char *function, const OptionGroup *groups, size_t group_count, PyObject *const *values, PyObject *keywords);

#endif
