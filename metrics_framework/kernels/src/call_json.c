#include "call.h"

#include <math.h>
#include <string.h>

#include "shortest.h"

static char *write_text(char *out, const char *text, size_t length)
{
    memcpy(out, text, length);
    return out + length;
}

/* Writes a number that only Python can write: very large and small ones, and others of which there are few. Returns NULL where
   there is not so much memory. */
static char *write_rare(Call *call, double number, char *out)
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
    size_t length = is_whole ? write_digits((uint64_t)number, out) : write_shortest(number, out);
    return length > 0 ? out + length : write_rare(call, number, out);
}

/* Returns the room that the members of a score take at most. */
static size_t most_of_members(const Call *call)
{
    size_t most = 0;
    for (size_t index = 0; index < call->kernel->field_count; index++) {
        const ScoreField *field = &call->kernel->fields[index];
        size_t count = field->count > 0 ? field->count : 1;
        most += strlen(field->name) + strlen(call->suffix) + sizeof(", \"\": []") + count * (LONGEST_NUMBER + sizeof(", "));
    }
    return most;
}

/* Writes the numbers of a score as members of an object; those of a mean are none of them whole. Returns NULL where there is not
   so much memory. */
static char *write_members(Call *call, const double *numbers, bool is_mean, char *out)
{
    const char *suffix = is_mean ? call->suffix : "";
    for (size_t index = 0; index < call->kernel->field_count; index++) {
        const ScoreField *field = &call->kernel->fields[index];
        size_t count = field->count > 0 ? field->count : 1;
        bool is_first = index == 0 && !is_mean, is_whole = field->is_whole && !is_mean;
        out = write_text(out, ", \"" + 2 * is_first, 3 - 2 * is_first);
        out = write_text(out, field->name, strlen(field->name));
        out = write_text(out, suffix, strlen(suffix));
        out = write_text(out, "\": [", 3 + (field->count > 0));
        for (size_t place = 0; out != NULL && place < count; place++)
            out = write_number(call, numbers[place], is_whole, place == 0 ? out : write_text(out, ", ", 2));
        if (out == NULL)
            return NULL;
        out = write_text(out, "]", field->count > 0);
        numbers += count;
    }
    return out;
}

bool call_write_json(Call *call, const double *scores, const double *mean)
{
    char *out = text_list_reserve(&call->json_members, 2 * most_of_members(call));
    if (out != NULL)
        out = write_members(call, scores, false, out);
    if (out != NULL && mean != NULL)
        out = write_members(call, mean, true, out);
    if (out == NULL)
        return false;
    text_list_add(&call->json_members, out);
    return true;
}
