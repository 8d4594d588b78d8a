#include "python/call.h"

#include <math.h>
#include <string.h>

#include "base/double_to_text.h"

static char *write_text(char *out, const char *text, size_t length)
{
    memcpy(out, text, length);
    return out + length;
}

/* Writes a number with Python's own function: rare cases of `double_to_text`, and NaN. Returns NULL if out of memory. */
static char *write_with_python(Call *call, double number, char *out)
{
    if (!isfinite(number))
        return write_text(out, "null", 4);
    PyEval_RestoreThread(call->thread);
    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    PyErr_Clear();
    out = text == NULL ? NULL : write_text(out, text, strlen(text));
    PyMem_Free(text);
    call->thread = PyEval_SaveThread();
    return out;
}

static char *write_number(Call *call, double number, bool is_whole, char *out)
{
    size_t length = is_whole ? integer_to_text((uint64_t)number, out) : double_to_text(number, out);
    return length > 0 ? out + length : write_with_python(call, number, out);
}

/* Returns an upper bound of the bytes that the members of a score take. */
static size_t max_members_length(const Call *call)
{
    size_t max = 0;
    for (size_t index = 0; index < call->kernel->field_count; index++) {
        const ScoreField *field = &call->kernel->fields[index];
        size_t count = field->count > 0 ? field->count : 1;
        max += strlen(field->name) + strlen(call->suffix) + sizeof(", \"\": []") + count * (MAX_NUMBER_LENGTH + sizeof(", "));
        for (size_t part = 0; field->parts != NULL && part < count; part++)
            max += strlen(field->parts[part]) + sizeof("\"\": ");
    }
    return max;
}

static char *write_name(char *out, const char *name, const char *suffix)
{
    out = write_text(write_text(out, "\"", 1), name, strlen(name));
    return write_text(write_text(out, suffix, strlen(suffix)), "\": ", 3);
}

/* Writes the value of a field. Returns NULL if out of memory. */
static char *write_value(Call *call, const ScoreField *field, const double *numbers, bool is_whole, char *out)
{
    size_t count = field->count > 0 ? field->count : 1;
    const char *brackets = field->count == 0 ? "" : field->parts == NULL ? "[]" : "{}";
    out = write_text(out, brackets, field->count > 0);
    for (size_t position = 0; out != NULL && position < count; position++) {
        out = write_text(out, ", ", 2 * (position > 0));
        if (field->parts != NULL)
            out = write_name(out, field->parts[position], "");
        out = write_number(call, numbers[position], is_whole, out);
    }
    return out == NULL ? NULL : write_text(out, brackets + 1, field->count > 0);
}

/* Writes a score as members of a JSON object; the fields of a mean are floats. Returns NULL if out of memory. */
static char *write_members(Call *call, const double *numbers, bool is_mean, char *out)
{
    const char *suffix = is_mean ? call->suffix : "";
    for (size_t index = 0; out != NULL && index < call->kernel->field_count; index++) {
        const ScoreField *field = &call->kernel->fields[index];
        out = write_text(out, ", ", 2 * (index > 0 || is_mean));
        out = write_name(out, field->name, suffix);
        out = write_value(call, field, numbers, field->is_whole && !is_mean, out);
        numbers += field->count > 0 ? field->count : 1;
    }
    return out;
}

bool call_write_json(Call *call, const double *scores, const double *mean)
{
    char *out = text_list_reserve(&call->json_members, 2 * max_members_length(call));
    if (out != NULL)
        out = write_members(call, scores, false, out);
    if (out != NULL && mean != NULL)
        out = write_members(call, mean, true, out);
    if (out == NULL)
        return false;
    text_list_add(&call->json_members, out);
    return true;
}
