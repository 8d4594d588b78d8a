#include "python/call.h"

#include <math.h>
#include <string.h>

/* The size of text that is scored without the GIL in one batch. */
enum { BATCH_BYTES = 1 << 20 };

static size_t result_width(const Kernel *kernel) { return kernel->width + 2 * kernel->score_width; }

static size_t sum_width(const Kernel *kernel) { return kernel->adds_scores ? kernel->score_width : kernel->width; }

/* ---- scoring, without the GIL ------------------------------------------------------------------------------------ */

/* Lets Python handle signals such as Ctrl-C; returns false if a handler raised an exception. */
static bool check_signals(void *context)
{
    Call *call = context;
    PyEval_RestoreThread(call->thread);
    bool should_continue = PyErr_CheckSignals() == 0;
    call->thread = PyEval_SaveThread();
    return should_continue;
}

/* Writes the mean of the scores of several vectors. */
static void write_mean(const Kernel *kernel, const double *vectors, size_t count, double *scores, double *mean)
{
    for (size_t index = 0; index < count; index++) {
        kernel->score(kernel, vectors + index * kernel->width, scores);
        for (size_t position = 0; position < kernel->score_width; position++)
            mean[position] = index == 0 ? scores[position] : mean[position] + scores[position];
    }
    for (size_t position = 0; position < kernel->score_width; position++)
        mean[position] /= (double)count;
}

static Outcome measure_summary(Call *call, const TextGroup *group, size_t summary, double *result)
{
    Kernel *kernel = call->kernel;
    double *vectors = call->vectors.data, *scores = result + kernel->width, *mean = scores + kernel->score_width;
    Outcome outcome = kernel->measure(kernel, summary, vectors);
    if (outcome != DONE)
        return outcome;
    kernel->interrupt.work += 8 * kernel->width * (group->leave_one_out ? group->reference_count : 1); /* for the scores */
    if (group->leave_one_out)
        write_mean(kernel, vectors + kernel->width, group->reference_count, scores, mean);
    if (call->request & (SCORES | JSON) || (kernel->adds_scores && call->request & (SUM | VECTORS)))
        kernel->score(kernel, vectors, scores);
    if ((call->request & JSON) && !call_write_json(call, scores, group->leave_one_out ? mean : NULL))
        return OUT_OF_MEMORY;
    for (size_t position = 0; position < kernel->width; position++)
        result[position] = vectors[position];
    const double *added = kernel->adds_scores ? scores : vectors;
    if (call->request & SUM)
        for (size_t position = 0; position < sum_width(kernel); position++)
            ((double *)call->sum.data)[position] += added[position];
    return DONE;
}

/* Collects the texts of the current group as they were compared. */
static bool collect_texts(Call *call, const TextGroup *group)
{
    for (size_t index = 0; index < group->summary_count + group->reference_count; index++) {
        size_t size;
        const char *text = call->kernel->text(call->kernel, index, &size);
        char *out = text_list_reserve(&call->compared_texts, size);
        if (out == NULL)
            return false;
        if (size > 0)
            memcpy(out, text, size);
        text_list_add(&call->compared_texts, out + size);
    }
    return true;
}

static Outcome measure_groups(Call *call)
{
    Kernel *kernel = call->kernel;
    size_t width = result_width(kernel);
    double *result = call->results.data;
    for (size_t index = 0; index < call->batch.group_count; index++) {
        TextGroup group = batch_group(&call->batch, index);
        group.leave_one_out = (call->request & JACKKNIFED) && group.reference_count > 1;
        size_t vectors = 1 + (group.leave_one_out ? group.reference_count : 0);
        if (!buffer_reserve(&call->vectors, vectors * kernel->width, sizeof(double)))
            return OUT_OF_MEMORY;
        Outcome outcome = kernel->open(kernel, &group);
        for (size_t summary = 0; outcome == DONE && summary < group.summary_count; summary++, result += width)
            outcome = measure_summary(call, &group, summary, result);
        if (outcome == DONE && (call->request & TEXTS) && !collect_texts(call, &group))
            outcome = OUT_OF_MEMORY;
        if (outcome != DONE)
            return kernel->interrupt.interrupted ? INTERRUPTED : outcome;
    }
    return DONE;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Infinite numbers become NaN, as for scores computed in Python. */
static PyObject *as_number(double number, bool is_whole)
{
    return is_whole ? PyLong_FromLongLong((long long)number) : PyFloat_FromDouble(isfinite(number) ? number : NAN);
}

/* Returns a list of numbers; the first `whole_count` are ints. */
static PyObject *as_list(const double *numbers, size_t count, size_t whole_count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t index = 0; list != NULL && index < count; index++) {
        PyObject *number = as_number(numbers[index], index < whole_count);
        if (number == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)index, number);
    }
    return list;
}

static PyObject *new_dictionary(const Call *call)
{
    return call->dictionary->tp_new(call->dictionary, call->no_arguments, NULL);
}

/* Keeps the garbage collector from visiting a dictionary of numbers, as Python does for a `dict`: it is in no cycle, and is
   tracked as soon as it gets a value that may be. */
static void untrack(const Call *call, PyObject *dictionary)
{
#if PY_VERSION_HEX < 0x030e0000 /* later versions always track dictionaries */
    if (dictionary != NULL && !call->has_attributes)
        PyObject_GC_UnTrack(dictionary);
#else
    (void)call;
    (void)dictionary;
#endif
}

/* Sets an item to a new reference, which it steals. Returns false with an exception, also if the value is NULL. */
static bool set_item(PyObject *dictionary, PyObject *name, PyObject *value)
{
    int failed = value == NULL ? -1 : PyDict_SetItem(dictionary, name, value);
    Py_XDECREF(value);
    return !failed;
}

/* Returns a dictionary with the numbers of one field. */
static PyObject *as_parts(const Call *call, size_t field, const double *numbers)
{
    PyObject *dictionary = new_dictionary(call);
    for (size_t index = 0; dictionary != NULL && index < call->kernel->fields[field].count; index++)
        if (!set_item(dictionary, call->part_names[field][index], as_number(numbers[index], false)))
            Py_CLEAR(dictionary);
    untrack(call, dictionary);
    return dictionary;
}

/* Returns the value of a field; the fields of a mean are floats. */
static PyObject *field_value(const Call *call, size_t index, const double *numbers, bool is_mean)
{
    const ScoreField *field = &call->kernel->fields[index];
    if (field->count == 0)
        return as_number(*numbers, field->is_whole && !is_mean);
    return field->parts == NULL ? as_list(numbers, field->count, 0) : as_parts(call, index, numbers);
}

/* Returns a dictionary with the fields of a score. */
static PyObject *as_dictionary(const Call *call, const double *numbers, bool is_mean)
{
    PyObject *dictionary = new_dictionary(call);
    bool has_objects = false;
    for (size_t index = 0; dictionary != NULL && index < call->kernel->field_count; index++) {
        size_t count = call->kernel->fields[index].count;
        has_objects |= count > 0;
        if (!set_item(dictionary, call->names[index], field_value(call, index, numbers, is_mean)))
            Py_CLEAR(dictionary);
        numbers += count > 0 ? count : 1;
    }
    if (!has_objects)
        untrack(call, dictionary);
    return dictionary;
}

/* Appends a new reference, which it steals. Returns false with an exception, also if the item is NULL. */
static bool append(PyObject *list, PyObject *item)
{
    int failed = item == NULL ? -1 : PyList_Append(list, item);
    Py_XDECREF(item);
    return !failed;
}

/* Appends what is requested of a summary to the columns. */
static bool append_summary(Call *call, const double *statistics, bool is_jackknifed)
{
    const Kernel *kernel = call->kernel;
    const double *scores = statistics + kernel->width, *mean = scores + kernel->score_width;
    return (call->scores == NULL || append(call->scores, as_dictionary(call, scores, false)))
        && (call->statistics == NULL || append(call->statistics, as_list(statistics, kernel->width, kernel->whole_count)))
        && (call->jackknifed == NULL
            || append(call->jackknifed, is_jackknifed ? as_dictionary(call, mean, true) : Py_NewRef(Py_None)));
}

/* Appends a list of the `count` compared texts of a group. */
static bool append_texts(Call *call, size_t first, size_t count)
{
    PyObject *texts = PyList_New(0);
    if (texts != NULL && !text_list_append_to(&call->compared_texts, first, count, texts))
        Py_CLEAR(texts);
    return append(call->texts, texts);
}

/* Appends to the table what is added up of each summary of the batch; infinite scores become NaN. Returns false with an
   exception. */
static bool append_to_table(Call *call)
{
    const Kernel *kernel = call->kernel;
    size_t width = sum_width(kernel), size = call->batch.summary_count * width * sizeof(double);
    Py_ssize_t before = PyByteArray_GET_SIZE(call->table);
    if (PyByteArray_Resize(call->table, before + (Py_ssize_t)size) < 0)
        return false;
    const double *result = call->results.data;
    double *row = (double *)(PyByteArray_AS_STRING(call->table) + before);
    for (size_t summary = 0; summary < call->batch.summary_count; summary++) {
        const double *added = kernel->adds_scores ? result + kernel->width : result;
        for (size_t position = 0; position < width; position++)
            row[position] = kernel->adds_scores && !isfinite(added[position]) ? NAN : added[position];
        row += width;
        result += result_width(kernel);
    }
    return true;
}

/* Appends to a list the keys and indices that lead to each number of a score. Returns false with an exception. */
static bool append_paths(const Call *call, PyObject *paths)
{
    for (size_t field = 0; field < call->kernel->field_count; field++) {
        const ScoreField *own = &call->kernel->fields[field];
        if (own->count == 0 && !append(paths, PyTuple_Pack(1, call->names[field])))
            return false;
        for (size_t part = 0; part < own->count; part++)
            if (!append(paths, own->parts != NULL
                                   ? PyTuple_Pack(2, call->names[field], call->part_names[field][part])
                                   : Py_BuildValue("On", call->names[field], (Py_ssize_t)part)))
                return false;
    }
    return true;
}

/* Returns the table, its width, how many of its columns are whole, and the paths of its columns if they are scores. */
static PyObject *as_vectors(const Call *call)
{
    const Kernel *kernel = call->kernel;
    PyObject *paths = kernel->adds_scores ? PyList_New(0) : Py_NewRef(Py_None);
    if (paths == NULL || (kernel->adds_scores && !append_paths(call, paths))) {
        Py_XDECREF(paths);
        return NULL;
    }
    Py_ssize_t whole = kernel->adds_scores ? 0 : (Py_ssize_t)kernel->whole_count;
    return Py_BuildValue("OnnN", call->table, (Py_ssize_t)sum_width(kernel), whole, paths);
}

/* Appends the results of the batch. Garbage is collected later, because dictionaries of scores are in no cycles. */
static bool append_batch(Call *call)
{
    const double *result = call->results.data;
    size_t first = 0;
    int is_collecting = PyGC_Disable();
    bool done = true, has_summaries = call->scores != NULL || call->statistics != NULL || call->jackknifed != NULL;
    for (size_t index = 0; done && index < call->batch.group_count; index++) {
        const Group *group = (const Group *)call->batch.groups.data + index;
        for (size_t summary = 0; done && has_summaries && summary < group->summary_count; summary++) {
            done = append_summary(call, result, group->reference_count > 1);
            result += result_width(call->kernel);
        }
        size_t count = group->summary_count + group->reference_count;
        done = done && (call->texts == NULL || append_texts(call, first, count));
        first += count;
    }
    if (is_collecting)
        PyGC_Enable();
    done = done && (call->table == NULL || append_to_table(call));
    return done && (call->json == NULL || text_list_append_to(&call->json_members, 0, call->json_members.count, call->json));
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Scores the groups of the batch and appends their results. */
static bool score_batch(Call *call)
{
    if (!reserve_or_raise(&call->results, call->batch.summary_count, result_width(call->kernel) * sizeof(double))
        || (call->matrices != NULL && !call_append_matrices(call)))
        return false;
    call->thread = PyEval_SaveThread();
    Outcome outcome = call->matrices != NULL ? call_compare_groups(call) : measure_groups(call);
    PyEval_RestoreThread(call->thread);
    if (outcome == OUT_OF_MEMORY)
        PyErr_NoMemory();
    bool done = outcome == DONE && (call->matrices != NULL || append_batch(call)) && PyErr_CheckSignals() == 0;
    batch_clear(&call->batch);
    text_list_clear(&call->json_members);
    text_list_clear(&call->compared_texts);
    return done;
}

static bool score_all(Call *call, Py_ssize_t count)
{
    for (Py_ssize_t index = 0; index < count; index++) {
        if (!batch_append_group(&call->batch, &call->lists, call->kernel, index))
            return false;
        if ((call->batch.size >= BATCH_BYTES || index + 1 == count) && !score_batch(call))
            return false;
    }
    return true;
}

/* Makes the list of a column if it is requested; returns false with an exception. */
static bool prepare_column(PyObject **column, bool is_requested)
{
    *column = is_requested ? PyList_New(0) : NULL;
    return !is_requested || *column != NULL;
}

static bool prepare_names(Call *call)
{
    for (size_t index = 0; index < call->kernel->field_count; index++) {
        const ScoreField *field = &call->kernel->fields[index];
        if ((call->names[index] = PyUnicode_InternFromString(field->name)) == NULL)
            return false;
        for (size_t part = 0; field->parts != NULL && part < field->count; part++)
            if ((call->part_names[index][part] = PyUnicode_InternFromString(field->parts[part])) == NULL)
                return false;
    }
    return true;
}

static bool prepare(Call *call)
{
    Kernel *kernel = call->kernel;
    int request = call->request;
    kernel->interrupt.should_continue = check_signals;
    kernel->interrupt.context = call;
    if ((call->no_arguments = PyTuple_New(0)) == NULL)
        return false;
    call->has_attributes = call->dictionary->tp_dictoffset != 0;
    if (!prepare_names(call))
        return false;
    if (!reserve_or_raise(&call->sum, sum_width(kernel), sizeof(double)))
        return false;
    for (size_t position = 0; position < sum_width(kernel); position++)
        ((double *)call->sum.data)[position] = 0;
    batch_clear(&call->batch);
    return prepare_column(&call->scores, request & SCORES) && prepare_column(&call->statistics, request & STATISTICS)
        /* with JSON the means are members of the JSON objects */
        && prepare_column(&call->jackknifed, (request & JACKKNIFED) && !(request & JSON))
        && prepare_column(&call->json, request & JSON) && prepare_column(&call->texts, request & TEXTS)
        && prepare_column(&call->matrices, request & PAIRS)
        && (!(request & VECTORS) || (call->table = PyByteArray_FromStringAndSize(NULL, 0)) != NULL);
}

static void call_free(Call *call)
{
    PyObject *objects[] = {
        call->no_arguments, call->scores, call->statistics, call->jackknifed, call->json, call->texts, call->matrices,
        call->table,
    };
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++)
        Py_XDECREF(objects[index]);
    for (size_t index = 0; index < MAX_FIELDS; index++) {
        Py_XDECREF(call->names[index]);
        for (size_t part = 0; part < MAX_PARTS; part++)
            Py_XDECREF(call->part_names[index][part]);
    }
    call->kernel->free(call->kernel);
    batch_free(&call->batch);
    buffer_free(&call->results);
    buffer_free(&call->vectors);
    buffer_free(&call->sum);
    text_list_free(&call->json_members);
    text_list_free(&call->compared_texts);
    buffer_free(&call->matrix_of_group);
    buffer_free(&call->pair_bytes);
    buffer_free(&call->pair_ends);
}

/* Returns a tuple of what was requested, in the order of the flags. */
static PyObject *requested(const Call *call)
{
    const Kernel *kernel = call->kernel;
    size_t whole = kernel->adds_scores ? 0 : kernel->whole_count;
    PyObject *sum = call->request & SUM ? as_list(call->sum.data, sum_width(kernel), whole) : NULL;
    if ((call->request & SUM) && sum == NULL)
        return NULL;
    PyObject *vectors = NULL;
    if (call->table != NULL) {
        vectors = as_vectors(call);
        if (vectors == NULL) {
            Py_XDECREF(sum);
            return NULL;
        }
    }
    PyObject *items[] = {
        call->scores, call->statistics, call->jackknifed, sum, call->json, call->texts, call->matrices, vectors,
    };
    Py_ssize_t count = 0, max = sizeof items / sizeof *items;
    for (Py_ssize_t index = 0; index < max; index++)
        if (items[index] != NULL)
            items[count++] = items[index];
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t index = 0; tuple != NULL && index < count; index++)
        PyTuple_SET_ITEM(tuple, index, Py_NewRef(items[index]));
    Py_XDECREF(sum);
    Py_XDECREF(vectors);
    return tuple;
}

/* Returns whether the kernel can return what is requested. */
static bool has_requested(const Call *call)
{
    return (call->kernel->field_count > 0 || !(call->request & (SCORES | JACKKNIFED | JSON | PAIRS)))
        && (call->kernel->text != NULL || !(call->request & TEXTS)) && (call->request == PAIRS || !(call->request & PAIRS));
}

PyObject *call_run(Call *call)
{
    if (call->kernel == NULL)
        return PyErr_NoMemory();
    PyObject *result = NULL;
    Py_ssize_t count = group_count(&call->lists, call->kernel);
    if (count < 0 || !has_requested(call) || ((call->request & PAIRS) && !call_find_cell(call)))
        result = Py_NewRef(Py_None);
    else if (prepare(call) && score_all(call, count))
        result = requested(call);
    else if (!call->batch.is_plain && !PyErr_Occurred())
        result = Py_NewRef(Py_None);
    call_free(call);
    return result;
}
