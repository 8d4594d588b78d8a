#include <math.h>
#include <string.h>

#include "python/call.h"
#include "text/word_ids.h"

/* ---- the score of a pair ----------------------------------------------------------------------------------------- */

/* Returns whether a flat name is that of a number, or of a part of a dictionary. */
static bool is_named(const char *name, const char *field, const char *part)
{
    size_t length = strlen(field);
    if (part == NULL)
        return strcmp(name, field) == 0;
    return strncmp(name, field, length) == 0 && name[length] == '_' && strcmp(name + length + 1, part) == 0;
}

bool call_find_cell(Call *call)
{
    const Kernel *kernel = call->kernel;
    size_t first = 0;
    for (size_t index = 0; *call->cell != '\0' && index < kernel->field_count; index++) {
        const ScoreField *field = &kernel->fields[index];
        size_t parts = field->count == 0 ? 1 : field->parts == NULL ? 0 : field->count; /* lists are no numbers */
        for (size_t part = 0; part < parts; part++)
            if (is_named(call->cell, field->name, field->count == 0 ? NULL : field->parts[part])) {
                call->cell_index = first + part;
                return true;
            }
        first += field->count > 0 ? field->count : 1;
    }
    return *call->cell == '\0';
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Returns a bytearray for the matrix of a group. It is resized, because CPython reports an internal error on standard error
   if there is no memory to create a large one. */
static PyObject *new_matrix(const Group *group)
{
    size_t most = (size_t)(PTRDIFF_MAX / 2) / sizeof(double);
    if (group->summary_count > most / group->reference_count)
        return PyErr_NoMemory();
    PyObject *matrix = PyByteArray_FromStringAndSize(NULL, 0);
    Py_ssize_t size = (Py_ssize_t)(group->summary_count * group->reference_count * sizeof(double));
    if (matrix != NULL && PyByteArray_Resize(matrix, size) < 0)
        Py_CLEAR(matrix);
    return matrix;
}

bool call_append_matrices(Call *call)
{
    if (!reserve_or_raise(&call->matrix_of_group, call->batch.group_count, sizeof(double *)))
        return false;
    for (size_t index = 0; index < call->batch.group_count; index++) {
        PyObject *matrix = new_matrix((const Group *)call->batch.groups.data + index);
        int failed = matrix == NULL ? -1 : PyList_Append(call->matrices, matrix);
        if (!failed)
            ((double **)call->matrix_of_group.data)[index] = (double *)(void *)PyByteArray_AS_STRING(matrix);
        Py_XDECREF(matrix);
        if (failed)
            return false;
    }
    return true;
}

/* ---- scoring, without the GIL ------------------------------------------------------------------------------------ */

static bool reserve_pair(Call *call, const TextGroup *group)
{
    const Kernel *kernel = call->kernel;
    size_t texts = group->summary_count + group->reference_count + kernel->other_count;
    return buffer_reserve(&call->pair_bytes, group->ends[texts - 1] + SPARE_BYTES, 1)
        && buffer_reserve(&call->pair_ends, texts, sizeof(size_t))
        && buffer_reserve(&call->vectors, kernel->width + kernel->score_width, sizeof(double));
}

/* Appends `count` texts of a group, from text `first` on; returns the size of all. */
static size_t copy_texts(Call *call, const TextGroup *group, size_t first, size_t count, size_t *out, size_t size)
{
    size_t start = first == 0 ? 0 : group->ends[first - 1];
    for (size_t index = 0; index < count; index++)
        out[index] = size + group->ends[first + index] - start;
    if (count > 0)
        memcpy((unsigned char *)call->pair_bytes.data + size, group->bytes + start, group->ends[first + count - 1] - start);
    return count > 0 ? out[count - 1] : size;
}

/* Copies the summaries, one reference and the other texts of a group: kernels change texts. */
static TextGroup with_one_reference(Call *call, const TextGroup *group, size_t reference)
{
    size_t summaries = group->summary_count, *ends = call->pair_ends.data;
    size_t size = copy_texts(call, group, 0, summaries, ends, 0);
    size = copy_texts(call, group, summaries + reference, 1, ends + summaries, size);
    copy_texts(
        call, group, summaries + group->reference_count, call->kernel->other_count, ends + summaries + 1, size);
    return (TextGroup){call->pair_bytes.data, ends, summaries, 1, false};
}

/* Compares the texts of a group by opening a group for each reference. */
static Outcome compare_by_opening(Call *call, const TextGroup *group, double *matrix)
{
    Kernel *kernel = call->kernel;
    if (!reserve_pair(call, group))
        return OUT_OF_MEMORY;
    double *vector = call->vectors.data, *scores = vector + kernel->width;
    for (size_t column = 0; column < group->reference_count; column++) {
        TextGroup alone = with_one_reference(call, group, column);
        Outcome outcome = kernel->open(kernel, &alone);
        for (size_t row = 0; outcome == DONE && row < group->summary_count; row++) {
            outcome = kernel->measure(kernel, row, vector);
            if (outcome != DONE)
                break;
            kernel->score(kernel, vector, scores);
            matrix[row * group->reference_count + column] = scores[call->cell_index];
        }
        if (outcome != DONE)
            return outcome;
    }
    return DONE;
}

Outcome call_compare_groups(Call *call)
{
    Kernel *kernel = call->kernel;
    for (size_t index = 0; index < call->batch.group_count; index++) {
        TextGroup group = batch_group(&call->batch, index);
        double *matrix = ((double **)call->matrix_of_group.data)[index];
        size_t pairs = group.summary_count * group.reference_count;
        Outcome outcome = kernel->compare == NULL ? compare_by_opening(call, &group, matrix)
                                                  : kernel->compare(kernel, &group, call->cell_index, matrix);
        if (outcome != DONE)
            return kernel->interrupt.interrupted ? INTERRUPTED : outcome;
        for (size_t pair = 0; pair < pairs; pair++)
            matrix[pair] = isfinite(matrix[pair]) ? matrix[pair] : NAN; /* as in scores */
    }
    return DONE;
}
