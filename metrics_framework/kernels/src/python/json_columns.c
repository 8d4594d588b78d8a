#include "python/json_columns.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

enum { MAX_KEYS = 64, MAX_DIGITS = 18, MAX_NUMBER = 63 };

/* A block of lines that is read from left to right. */
typedef struct {
    PyObject *block;
    const void *data;
    int kind;
    Py_ssize_t length, at;
    Buffer decoded; /* of a string with escapes */
} Reader;

/* The keys of the first line, as ranges of the block without the quotation marks. */
typedef struct {
    Py_ssize_t count;
    Py_ssize_t starts[MAX_KEYS], ends[MAX_KEYS];
} Keys;

/* All functions that return an object return NULL without an exception for what is left to Python. */

/* Returns a character; after the last one, a line feed, which ends every token. */
static Py_UCS4 character(const Reader *reader, Py_ssize_t index)
{
    return index < reader->length ? PyUnicode_READ(reader->kind, reader->data, index) : '\n';
}

static void skip_spaces(Reader *reader)
{
    Py_UCS4 next = character(reader, reader->at);
    while (next == ' ' || next == '\t' || next == '\r')
        next = character(reader, ++reader->at);
}

/* Skips spaces and, if it follows, a character; returns whether it did. */
static bool skip(Reader *reader, Py_UCS4 wanted)
{
    skip_spaces(reader);
    bool found = character(reader, reader->at) == wanted;
    reader->at += found;
    return found;
}

static bool skip_word(Reader *reader, const char *word)
{
    Py_ssize_t index = 0;
    while (word[index] != 0 && character(reader, reader->at + index) == (Py_UCS4)word[index])
        index++;
    if (word[index] != 0)
        return false;
    reader->at += index;
    return true;
}

static bool ends_plain_text(Py_UCS4 next) { return next == '"' || next == '\\' || next < 0x20; }

/* Returns whether one of 8 bytes is a quotation mark, a backslash or a control character. */
static bool has_end(const unsigned char *bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highest = ones << 7;
    uint64_t word, quotes, backslashes;
    memcpy(&word, bytes, sizeof word);
    quotes = word ^ ones * '"';
    backslashes = word ^ ones * '\\';
    return (((quotes - ones) & ~quotes) | ((backslashes - ones) & ~backslashes) | ((word - ones * 0x20) & ~word)) & highest;
}

/* Returns the position of the next quotation mark, backslash or control character. */
static Py_ssize_t plain_text_end(const Reader *reader, Py_ssize_t at)
{
    if (reader->kind == PyUnicode_1BYTE_KIND)
        while (reader->length - at >= 8 && !has_end((const unsigned char *)reader->data + at))
            at += 8;
    while (!ends_plain_text(character(reader, at)))
        at++;
    return at;
}

/* Reads four hexadecimal digits; returns -1 if there are others. */
static int32_t read_code(const Reader *reader, Py_ssize_t at)
{
    int32_t code = 0;
    for (Py_ssize_t index = 0; index < 4; index++) {
        Py_UCS4 digit = character(reader, at + index), letter = digit | 0x20;
        if (digit >= '0' && digit <= '9')
            code = code << 4 | (int32_t)(digit - '0');
        else if (letter >= 'a' && letter <= 'f')
            code = code << 4 | (int32_t)(letter - 'a' + 10);
        else
            return -1;
    }
    return code;
}

static bool is_surrogate(int32_t code, int32_t first) { return code >= first && code < first + 0x400; }

/* Reads the escape sequence after a backslash at `*at`; returns -1 if it is invalid. */
static int32_t read_escape(const Reader *reader, Py_ssize_t *at)
{
    static const char NAMES[] = "\"\\/bfnrt", VALUES[] = "\"\\/\b\f\n\r\t";
    Py_UCS4 name = character(reader, *at + 1);
    *at += 2;
    if (name != 'u') {
        const char *found = name < 128 && name > 0 ? strchr(NAMES, (int)name) : NULL;
        return found == NULL ? -1 : VALUES[found - NAMES];
    }
    int32_t code = read_code(reader, *at), low;
    *at += 4;
    if (!is_surrogate(code, 0xd800) || character(reader, *at) != '\\' || character(reader, *at + 1) != 'u')
        return code;
    low = read_code(reader, *at + 2);
    if (!is_surrogate(low, 0xdc00))
        return low < 0 ? -1 : code;
    *at += 6;
    return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

/* Returns the string from `start` on, whose first backslash is at `at`. */
static PyObject *read_escaped(Reader *reader, Py_ssize_t start, Py_ssize_t at)
{
    size_t count = 0;
    Py_UCS4 next;
    while ((next = character(reader, at)) != '"') {
        Py_ssize_t end = plain_text_end(reader, at);
        if (!buffer_reserve(&reader->decoded, count + (size_t)(end - start) + 1, sizeof(Py_UCS4)))
            return PyErr_NoMemory();
        Py_UCS4 *decoded = reader->decoded.data;
        for (; start < end; start++)
            decoded[count++] = character(reader, start);
        at = end;
        if (character(reader, at) == '\\') {
            int32_t code = read_escape(reader, &at);
            if (code < 0)
                return NULL;
            decoded[count++] = (Py_UCS4)code;
            start = at;
        } else if (character(reader, at) != '"') { /* a control character, or the end of the block */
            return NULL;
        }
    }
    reader->at = at + 1;
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, reader->decoded.data, (Py_ssize_t)count);
}

/* Returns whether a text equals a range of the block; it may return false for wider characters. */
static bool equals(const Reader *reader, Py_ssize_t start, Py_ssize_t end, PyObject *text)
{
    return text != NULL && PyUnicode_CheckExact(text) && PyUnicode_GET_LENGTH(text) == end - start &&
           reader->kind == PyUnicode_1BYTE_KIND && PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND &&
           memcmp(PyUnicode_DATA(text), (const char *)reader->data + start, (size_t)(end - start)) == 0;
}

/* Reads a string, whose quotation mark has been read. Returns `before` if it is equal: rows often repeat texts. */
static PyObject *read_string(Reader *reader, PyObject *before)
{
    Py_ssize_t start = reader->at, end = plain_text_end(reader, start);
    Py_UCS4 after = character(reader, end);
    if (after == '\\')
        return read_escaped(reader, start, end);
    if (after != '"')
        return NULL;
    reader->at = end + 1;
    return equals(reader, start, end, before) ? Py_NewRef(before) : PyUnicode_Substring(reader->block, start, end);
}

/* Reads a list of strings, whose bracket has been read; `before` may be such a list. */
static PyObject *read_list(Reader *reader, PyObject *before)
{
    PyObject *list = PyList_New(0);
    Py_ssize_t count = before != NULL && PyList_CheckExact(before) ? PyList_GET_SIZE(before) : 0;
    bool is_complete = list != NULL && skip(reader, ']');
    while (list != NULL && !is_complete) {
        Py_ssize_t index = PyList_GET_SIZE(list);
        PyObject *text = skip(reader, '"') ? read_string(reader, index < count ? PyList_GET_ITEM(before, index) : NULL) : NULL;
        bool is_added = text != NULL && PyList_Append(list, text) == 0;
        Py_XDECREF(text);
        is_complete = is_added && skip(reader, ']');
        if (!is_added || (!is_complete && !skip(reader, ',')))
            Py_CLEAR(list);
    }
    return list;
}

/* Copies ASCII digits to a text of at most MAX_NUMBER characters; returns their number. */
static Py_ssize_t copy_digits(Reader *reader, char *text, Py_ssize_t *size)
{
    Py_ssize_t count = 0;
    for (Py_UCS4 next; (next = character(reader, reader->at)) >= '0' && next <= '9' && *size < MAX_NUMBER; count++, reader->at++)
        text[(*size)++] = (char)next;
    return count;
}

/* Copies a character if it is one of two; returns whether it is. */
static bool copy_one_of(Reader *reader, char *text, Py_ssize_t *size, char first, char second)
{
    Py_UCS4 next = character(reader, reader->at);
    bool found = (next == (Py_UCS4)first || next == (Py_UCS4)second) && *size < MAX_NUMBER;
    if (found) {
        text[(*size)++] = (char)next;
        reader->at++;
    }
    return found;
}

static PyObject *read_number(Reader *reader)
{
    char text[MAX_NUMBER + 1];
    Py_ssize_t size = 0;
    bool is_integer = true;
    copy_one_of(reader, text, &size, '-', '-');
    Py_ssize_t first = size, digits = copy_digits(reader, text, &size);
    if (digits == 0 || (digits > 1 && text[first] == '0'))
        return NULL;
    if (copy_one_of(reader, text, &size, '.', '.')) {
        is_integer = false;
        if (copy_digits(reader, text, &size) == 0)
            return NULL;
    }
    if (copy_one_of(reader, text, &size, 'e', 'E')) {
        is_integer = false;
        copy_one_of(reader, text, &size, '+', '-');
        if (copy_digits(reader, text, &size) == 0)
            return NULL;
    }
    text[size] = 0;
    if (size == MAX_NUMBER || (is_integer && digits > MAX_DIGITS))
        return NULL;
    if (is_integer)
        return PyLong_FromString(text, NULL, 10);
    double number = PyOS_string_to_double(text, NULL, NULL);
    return number == -1 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(number);
}

static PyObject *read_value(Reader *reader, PyObject *before)
{
    if (skip(reader, '"'))
        return read_string(reader, before);
    if (skip(reader, '['))
        return read_list(reader, before);
    if (skip_word(reader, "null"))
        return Py_NewRef(Py_None);
    if (skip_word(reader, "true"))
        return Py_NewRef(Py_True);
    if (skip_word(reader, "false"))
        return Py_NewRef(Py_False);
    return read_number(reader);
}

/* Adds a key of the first line, whose quotation mark has been read; returns false if it has escapes or occurred before. */
static bool add_key(Reader *reader, Keys *keys)
{
    Py_ssize_t start = reader->at, end = plain_text_end(reader, start);
    if (keys->count == MAX_KEYS || character(reader, end) != '"')
        return false;
    size_t size = (size_t)reader->kind;
    for (Py_ssize_t index = 0; index < keys->count; index++)
        if (keys->ends[index] - keys->starts[index] == end - start &&
            memcmp((const char *)reader->data + size * (size_t)keys->starts[index],
                   (const char *)reader->data + size * (size_t)start, size * (size_t)(end - start)) == 0)
            return false;
    keys->starts[keys->count] = start;
    keys->ends[keys->count++] = end;
    reader->at = end + 1;
    return true;
}

/* Skips a key that must be that of the first line; its quotation mark has been read. */
static bool skip_key(Reader *reader, const Keys *keys, Py_ssize_t number)
{
    Py_ssize_t length = keys->ends[number] - keys->starts[number];
    size_t size = (size_t)reader->kind;
    if (reader->length - reader->at <= length ||
        memcmp((const char *)reader->data + size * (size_t)keys->starts[number],
               (const char *)reader->data + size * (size_t)reader->at, size * (size_t)length) != 0)
        return false;
    reader->at += length;
    bool is_end = character(reader, reader->at) == '"';
    reader->at += is_end;
    return is_end;
}

/* Reads a line into `values`, which the caller releases; returns false if it is left to Python, or after an exception. */
static bool read_line(Reader *reader, Keys *keys, PyObject *columns, PyObject **values)
{
    Py_ssize_t row = columns == NULL ? 0 : PyList_GET_SIZE(PyTuple_GET_ITEM(columns, 0)), number = 0;
    if (!skip(reader, '{'))
        return false;
    for (bool is_complete = false; !is_complete;) {
        bool has_key = skip(reader, '"') && (columns == NULL ? add_key(reader, keys) : number < keys->count && skip_key(reader, keys, number));
        if (!has_key || !skip(reader, ':'))
            return false;
        PyObject *before = row > 0 ? PyList_GET_ITEM(PyTuple_GET_ITEM(columns, number), row - 1) : NULL;
        values[number] = read_value(reader, before);
        if (values[number++] == NULL)
            return false;
        is_complete = skip(reader, '}');
        if (!is_complete && !skip(reader, ','))
            return false;
    }
    skip_spaces(reader);
    return number == keys->count && character(reader, reader->at) == '\n';
}

/* Returns a tuple of empty lists. */
static PyObject *new_columns(Py_ssize_t count)
{
    PyObject *columns = PyTuple_New(count);
    for (Py_ssize_t index = 0; columns != NULL && index < count; index++) {
        PyObject *column = PyList_New(0);
        if (column == NULL)
            Py_CLEAR(columns);
        else
            PyTuple_SET_ITEM(columns, index, column);
    }
    return columns;
}

static bool add_row(PyObject *columns, PyObject *const *values)
{
    for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(columns); index++)
        if (PyList_Append(PyTuple_GET_ITEM(columns, index), values[index]) < 0)
            return false;
    return true;
}

/* Reads lines into columns; returns NULL if the first line is left to Python, or after an exception. */
static PyObject *read_lines(Reader *reader, Keys *keys, Py_ssize_t size)
{
    PyObject *columns = NULL;
    bool goes_on = true;
    for (Py_ssize_t row = 0; goes_on && row < size && reader->at <= reader->length; row++) {
        PyObject *values[MAX_KEYS] = {NULL};
        Py_ssize_t start = reader->at;
        goes_on = read_line(reader, keys, columns, values);
        if (goes_on && columns == NULL)
            columns = new_columns(keys->count);
        goes_on = goes_on && columns != NULL && add_row(columns, values);
        for (Py_ssize_t index = 0; index < MAX_KEYS && values[index] != NULL; index++)
            Py_DECREF(values[index]);
        reader->at = goes_on ? reader->at + 1 : start;
    }
    if (PyErr_Occurred())
        Py_CLEAR(columns);
    return columns;
}

/* Returns the names of the keys. */
static PyObject *names_of(const Reader *reader, const Keys *keys)
{
    PyObject *names = PyTuple_New(keys->count);
    for (Py_ssize_t index = 0; names != NULL && index < keys->count; index++) {
        PyObject *name = PyUnicode_Substring(reader->block, keys->starts[index], keys->ends[index]);
        if (name == NULL)
            Py_CLEAR(names);
        else
            PyTuple_SET_ITEM(names, index, name);
    }
    return names;
}

PyObject *json_columns(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    Reader reader = {0};
    Keys keys = {0};
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "Unn", &reader.block, &reader.at, &size))
        return NULL;
    reader.data = PyUnicode_DATA(reader.block);
    reader.kind = PyUnicode_KIND(reader.block);
    reader.length = PyUnicode_GET_LENGTH(reader.block);
    if (reader.at < 0 || reader.at > reader.length)
        Py_RETURN_NONE;
    PyObject *columns = read_lines(&reader, &keys, size), *names = columns == NULL ? NULL : names_of(&reader, &keys);
    buffer_free(&reader.decoded);
    if (names == NULL) {
        Py_XDECREF(columns);
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    return Py_BuildValue("NNn", names, columns, reader.at);
}
