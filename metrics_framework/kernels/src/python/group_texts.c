#include "python/group_texts.h"

#include <string.h>

#include "text/word_ids.h"

void batch_clear(Batch *batch)
{
    batch->size = batch->text_count = batch->group_count = batch->summary_count = 0;
    batch->is_plain = true;
}

void batch_free(Batch *batch)
{
    buffer_free(&batch->bytes);
    buffer_free(&batch->ends);
    buffer_free(&batch->groups);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static bool is_list(PyObject *object) { return PyList_Check(object) || PyTuple_Check(object); }

static Py_ssize_t list_size(PyObject *list) { return PyList_Check(list) ? PyList_GET_SIZE(list) : PyTuple_GET_SIZE(list); }

/* Returns a new reference, NULL without an exception if the index is too large: another thread may change the list. */
static PyObject *item_at(PyObject *list, Py_ssize_t index)
{
    PyObject *item = NULL;
#ifdef Py_GIL_DISABLED
    if (PyList_Check(list)) {
        item = PyList_GetItemRef(list, index);
        if (item == NULL)
            PyErr_Clear();
        return item;
    }
#endif
    if (index < list_size(list))
        item = PyList_Check(list) ? PyList_GET_ITEM(list, index) : PyTuple_GET_ITEM(list, index);
    Py_XINCREF(item);
    return item;
}

Py_ssize_t group_count(const TextLists *lists, const Kernel *kernel)
{
    if (!is_list(lists->summaries_list) || !is_list(lists->references_list))
        return -1;
    Py_ssize_t count = list_size(lists->summaries_list);
    bool is_equal = list_size(lists->references_list) == count;
    for (size_t index = 0; index < kernel->other_count; index++)
        is_equal = is_equal && is_list(lists->others[index]) && list_size(lists->others[index]) == count;
    return is_equal ? count : -1;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* The number of characters that are written together if all are ASCII, as most are. */
enum { ASCII_BLOCK = 16 };

static unsigned char *write_code_point(unsigned char *out, Py_UCS4 code)
{
    if (code < 0x80) {
        *out++ = (unsigned char)code;
    } else if (code < 0x800) {
        *out++ = (unsigned char)(0xc0 | code >> 6);
        *out++ = (unsigned char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (unsigned char)(0xe0 | code >> 12);
        *out++ = (unsigned char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (unsigned char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (unsigned char)(0xf0 | code >> 18);
        *out++ = (unsigned char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (unsigned char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (unsigned char)(0x80 | (code & 0x3f));
    }
    return out;
}

/* Writes characters of a kind, which is constant so that the compiler vectorizes the loops over ASCII characters. */
static inline unsigned char *write_characters(int kind, const void *data, size_t length, unsigned char *out)
{
    for (size_t start = 0; start < length; start += ASCII_BLOCK) {
        size_t end = length - start < ASCII_BLOCK ? length : start + ASCII_BLOCK;
        Py_UCS4 all = 0x80;
        if (end - start == ASCII_BLOCK) {
            all = 0;
            for (size_t index = 0; index < ASCII_BLOCK; index++)
                all |= PyUnicode_READ(kind, data, (Py_ssize_t)(start + index));
            for (size_t index = 0; index < ASCII_BLOCK; index++)
                out[index] = (unsigned char)PyUnicode_READ(kind, data, (Py_ssize_t)(start + index));
        }
        if (all < 0x80)
            out += ASCII_BLOCK;
        else
            for (size_t index = start; index < end; index++)
                out = write_code_point(out, PyUnicode_READ(kind, data, (Py_ssize_t)index));
    }
    return out;
}

static unsigned char *write_string(PyObject *string, unsigned char *out)
{
    size_t length = (size_t)PyUnicode_GET_LENGTH(string);
    const void *data = PyUnicode_DATA(string);
    switch (PyUnicode_KIND(string)) {
    case PyUnicode_1BYTE_KIND:
        return write_characters(PyUnicode_1BYTE_KIND, data, length, out);
    case PyUnicode_2BYTE_KIND:
        return write_characters(PyUnicode_2BYTE_KIND, data, length, out);
    default:
        return write_characters(PyUnicode_4BYTE_KIND, data, length, out);
    }
}

/* Appends a string as UTF-8; lone surrogates are encoded like other code points. */
static bool append_string(Batch *batch, PyObject *string)
{
    size_t length = (size_t)PyUnicode_GET_LENGTH(string);
    size_t max = PyUnicode_IS_ASCII(string) ? 1 : 4; /* bytes per character */
    if (length > (PTRDIFF_MAX - batch->size - SPARE_BYTES) / max) {
        PyErr_NoMemory();
        return false;
    }
    if (!reserve_or_raise(&batch->bytes, batch->size + max * length + SPARE_BYTES, 1))
        return false;
    unsigned char *start = (unsigned char *)batch->bytes.data, *out = start + batch->size;
    if (PyUnicode_IS_ASCII(string)) {
        memcpy(out, PyUnicode_1BYTE_DATA(string), length);
        batch->size += length;
        return true;
    }
    batch->size = (size_t)(write_string(string, out) - start);
    return true;
}

/* Returns whether `lower_bytes` does what str.lower() does: whether all characters are Latin-1, general punctuation, or
   from U+3000 to U+9FFF, which includes kana and most ideographs. */
static bool has_plain_case(PyObject *string)
{
    const Py_UCS2 *characters = PyUnicode_DATA(string);
    bool has_other = PyUnicode_KIND(string) == PyUnicode_4BYTE_KIND;
    if (PyUnicode_KIND(string) == PyUnicode_2BYTE_KIND)
        for (Py_ssize_t index = 0; index < PyUnicode_GET_LENGTH(string); index++) {
            unsigned code = characters[index];
            has_other |= (code >= 0x100) & (code - 0x2000 >= 0x70) & (code - 0x3000 >= 0x7000);
        }
    return !has_other;
}

/* Lower-cases A to Z, and U+00C0 to U+00DE except the multiplication sign, in UTF-8. */
static void lower_bytes(unsigned char *bytes, size_t size)
{
    unsigned char before = 0;
    for (size_t position = 0; position < size; position++) {
        unsigned char byte = bytes[position];
        bool is_latin = (before == 0xc3) & (byte <= 0x9e) & (byte != 0x97), is_ascii = (unsigned char)(byte - 'A') < 26;
        bytes[position] = (unsigned char)(byte | (is_latin | is_ascii) << 5);
        before = byte;
    }
}

/* Returns a new reference to an exact string; the sentences of a list are joined. Returns NULL without an exception if
   the object is not a text. */
static PyObject *plain_string(PyObject *text, const char *separator)
{
    if (PyUnicode_CheckExact(text))
        return Py_NewRef(text);
    if (PyUnicode_Check(text))
        return PyUnicode_FromObject(text);
    if (!is_list(text))
        return NULL;
    PyObject *between = PyUnicode_FromString(separator);
    if (between == NULL)
        return NULL;
    PyObject *joined = PyUnicode_Join(between, text);
    Py_DECREF(between);
    if (joined == NULL && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Clear();
    return joined;
}

/* Appends a text to the current group. */
static bool append_text(Batch *batch, PyObject *text, const char *separator, bool lowercase)
{
    PyObject *string = plain_string(text, separator);
    if (string == NULL) {
        batch->is_plain = batch->is_plain && PyErr_Occurred();
        return false;
    }
    bool is_lowered = lowercase && !PyUnicode_IS_ASCII(string), has_lower_bytes = is_lowered && has_plain_case(string);
    if (is_lowered && !has_lower_bytes) {
        PyObject *lower = PyObject_CallMethod(string, "lower", NULL);
        Py_DECREF(string);
        string = lower;
    }
    size_t old_size = batch->size;
    bool done = string != NULL && append_string(batch, string)
        && reserve_or_raise(&batch->ends, batch->text_count + 1, sizeof(size_t));
    if (done && has_lower_bytes)
        lower_bytes((unsigned char *)batch->bytes.data + old_size, batch->size - old_size);
    if (done) {
        size_t start = ((Group *)batch->groups.data)[batch->group_count].start;
        ((size_t *)batch->ends.data)[batch->text_count++] = batch->size - start;
    }
    Py_XDECREF(string);
    return done;
}

/* Returns what separates the sentences of a text. */
static const char *separator_of(const Kernel *kernel) { return kernel->joins_lines ? "\n" : " "; }

/* Appends texts to the current group and counts them. */
static bool append_texts(Batch *batch, PyObject *texts, const Kernel *kernel, size_t *count)
{
    if (!is_list(texts)) {
        batch->is_plain = false;
        return false;
    }
    PyObject *text;
    bool done = true;
    while (done && (text = item_at(texts, (Py_ssize_t)*count)) != NULL) {
        done = append_text(batch, text, separator_of(kernel), kernel->lowercase);
        Py_DECREF(text);
        ++*count;
    }
    return done;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static bool append_other(Batch *batch, PyObject *texts, bool lowercase, Py_ssize_t index)
{
    PyObject *text = item_at(texts, index);
    if (text == NULL) {
        batch->is_plain = false;
        return false;
    }
    bool done = append_text(batch, text, " ", lowercase);
    Py_DECREF(text);
    return done;
}

/* Appends the summaries of a group. */
static bool append_summaries(Batch *batch, const TextLists *lists, const Kernel *kernel, Py_ssize_t index, size_t *count)
{
    PyObject *summaries = item_at(lists->summaries_list, index);
    bool done = summaries != NULL;
    if (done && lists->are_alone) {
        *count = 1;
        done = append_text(batch, summaries, separator_of(kernel), kernel->lowercase);
    } else if (done) {
        done = append_texts(batch, summaries, kernel, count);
    }
    Py_XDECREF(summaries);
    return done;
}

bool batch_append_group(Batch *batch, const TextLists *lists, const Kernel *kernel, Py_ssize_t index)
{
    if (!reserve_or_raise(&batch->groups, batch->group_count + 1, sizeof(Group))
        || !reserve_or_raise(&batch->bytes, batch->size + SPARE_BYTES, 1)) /* also for empty texts */
        return false;
    Group *group = (Group *)batch->groups.data + batch->group_count;
    *group = (Group){batch->size, batch->text_count, 0, 0};
    PyObject *references = item_at(lists->references_list, index);
    bool done = references != NULL && append_summaries(batch, lists, kernel, index, &group->summary_count)
        && append_texts(batch, references, kernel, &group->reference_count);
    Py_XDECREF(references);
    for (size_t other = 0; done && other < kernel->other_count; other++)
        done = append_other(batch, lists->others[other], kernel->lowercase_others[other], index);
    if (!done || group->reference_count == 0) {
        batch->is_plain = batch->is_plain && PyErr_Occurred();
        return false;
    }
    batch->summary_count += group->summary_count;
    batch->group_count++;
    return true;
}
