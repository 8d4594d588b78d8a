/* Keyword options of kernels, read by a table. */

#ifndef FW_OPTIONS_H
#define FW_OPTIONS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

/* Python's type of an option, and C's of the member that it is written to. */
typedef enum {
    BOOLEAN,    /* bool */
    INTEGER,    /* int, or an enumeration without negative values */
    SIZE,       /* size_t */
    NUMBER,     /* double */
    STRING,     /* const char *, valid as long as the string */
    DICTIONARY, /* PyTypeObject *: a class of dictionaries */
} OptionType;

typedef struct {
    const char *name;
    OptionType type;
    size_t offset;
} Option;

/* An option is called like the member of the structure that it is written to. */
#define OPTION(Structure, member, type) {#member, type, offsetof(Structure, member)}

/* Options that are written to one structure; the table ends with a row without a name. */
typedef struct {
    const Option *table;
    void *structure;
} OptionGroup;

/* Reads the keyword arguments of a function: all options of the groups, and no others. Returns false with a TypeError that
   names the option, or with what a value of another type raises.

   `values` are the values of the keywords, as in a vectorcall; `keywords` is a tuple of their names, or NULL. */
bool read_options(
    const char *function, const OptionGroup *groups, size_t group_count, PyObject *const *values, PyObject *keywords);

#endif
