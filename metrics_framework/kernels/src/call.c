#include "call.h"

#include <math.h>

/* So much text is scored in one go, without the GIL. */
enum { BYTES_OF_A_BATCH = 1 << 20 };

static size_t result_width(const Kernel *kernel) { return kernel->width + 2 * kernel->score_width; }

/* ---- computing, without the GIL --------------------------------------------------------------------------------- */

/* Lets Python see to signals, as Ctrl-C; returns whether to go on. */
static bool signals_allow(void *context)
{
    Call *call = context;
    PyEval_RestoreThread(call->thread);
    bool go_on = PyErr_CheckSignals() == 0;
    call->thread = PyEval_SaveThread();
    return go_on;
}

/* Writes the mean of the scores of some vectors. */
static void write_mean(const Kernel *kernel, const double *vectors, size_t count, double *scores, double *mean)
{
    for (size_t index = 0; index < count; index++) {
        kernel->score(kernel, vectors + index * kernel->width, scores);
        for (size_t place = 0; place < kernel->score_width; place++)
            mean[place] = index == 0 ? scores[place] : mean[place] + scores[place];
    }
    for (size_t place = 0; place < kernel->score_width; place++)
        mean[place] /= (double)count;
}

static Outcome measure_summary(Call *call, const TextGroup *group, size_t summary, double *result)
{
    Kernel *kernel = call->kernel;
    double *vectors = call->vectors.data, *scores = result + kernel->width, *mean = scores + kernel->score_width;
    Outcome outcome = kernel->measure(kernel, summary, vectors);
    if (outcome != DONE)
        return outcome;
    kernel->watch.work += 8 * kernel->width * (group->leave_one_out ? group->reference_count : 1); /* of what follows */
    if (group->leave_one_out)
        write_mean(kernel, vectors + kernel->width, group->reference_count, scores, mean);
    if (call->wanted & (SCORES | JSON))
        kernel->score(kernel, vectors, scores);
    if ((call->wanted & JSON) && !call_write_json(call, scores, group->leave_one_out ? mean : NULL))
        return NO_MEMORY;
    for (size_t place = 0; place < kernel->width; place++)
        result[place] = vectors[place];
    if (call->wanted & SUM)
        for (size_t place = 0; place < kernel->width; place++)
            ((double *)call->sum.data)[place] += vectors[place];
    return DONE;
}

static Outcome measure_groups(Call *call)
{
    Kernel *kernel = call->kernel;
    size_t width = result_width(kernel);
    double *result = call->results.data;
    for (size_t index = 0; index < call->batch.group_count; index++) {
        TextGroup group = batch_group(&call->batch, index);
        group.leave_one_out = (call->wanted & JACKKNIFED) && group.reference_count > 1;
        size_t vectors = 1 + (group.leave_one_out ? group.reference_count : 0);
        if (!buffer_reserve(&call->vectors, vectors * kernel->width, sizeof(double)))
            return NO_MEMORY;
        Outcome outcome = kernel->open(kernel, &group);
        for (size_t summary = 0; outcome == DONE && summary < group.summary_count; summary++, result += width)
            outcome = measure_summary(call, &group, summary, result);
        if (outcome == DONE && (call->wanted & TEXTS) && !call_keep_texts(call, &group))
            outcome = NO_MEMORY;
        if (outcome != DONE)
            return kernel->watch.stopped ? STOPPED : outcome;
    }
    return DONE;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* A number that is infinite is not defined, as the checks of scores that come from Python have it. */
static PyObject *as_number(double number, bool is_whole)
{
    return is_whole ? PyLong_FromLongLong((long long)number) : PyFloat_FromDouble(isfinite(number) ? number : NAN);
}

/* Makes a list of numbers of which the first so many are whole. */
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

/* Makes a dictionary of the numbers of a score; those of a mean are none of them whole. */
static PyObject *as_dictionary(const Call *call, const double *numbers, bool is_mean)
{
    PyObject *dictionary = call->dictionary->tp_new(call->dictionary, call->nothing, NULL);
    for (size_t index = 0; dictionary != NULL && index < call->kernel->field_count; index++) {
        const ScoreField *field = &call->kernel->fields[index];
        bool is_list = field->count > 0;
        PyObject *value = is_list ? as_list(numbers, field->count, 0) : as_number(*numbers, field->is_whole && !is_mean);
        numbers += is_list ? field->count : 1;
        if (value == NULL || PyDict_SetItem(dictionary, call->names[index], value) < 0)
            Py_CLEAR(dictionary);
        Py_XDECREF(value);
    }
    return dictionary;
}

/* Puts an item into a tuple; returns false with an exception where there is none. */
static bool put(PyObject *tuple, Py_ssize_t *place, PyObject *item)
{
    if (item == NULL)
        return false;
    PyTuple_SET_ITEM(tuple, (*place)++, item);
    return true;
}

/* Makes what is wanted of one summary. */
static PyObject *as_result(const Call *call, const double *numbers, bool is_jackknifed)
{
    const Kernel *kernel = call->kernel;
    const double *scores = numbers + kernel->width;
    int wanted = call->wanted & (SCORES | STATISTICS | JACKKNIFED);
    if (wanted == SCORES)
        return as_dictionary(call, scores, false);
    if (wanted == STATISTICS)
        return as_list(numbers, kernel->width, kernel->whole_count);
    Py_ssize_t place = 0, size = !!(wanted & SCORES) + !!(wanted & STATISTICS) + !!(wanted & JACKKNIFED);
    PyObject *result = PyTuple_New(size);
    bool done = result != NULL;
    if (done && (wanted & SCORES))
        done = put(result, &place, as_dictionary(call, scores, false));
    if (done && (wanted & STATISTICS))
        done = put(result, &place, as_list(numbers, kernel->width, kernel->whole_count));
    if (done && (wanted & JACKKNIFED))
        done = put(result, &place, is_jackknifed ? as_dictionary(call, scores + kernel->score_width, true) : Py_NewRef(Py_None));
    if (!done)
        Py_CLEAR(result);
    return result;
}

static PyObject *group_results(const Call *call, const Group *group, const double *numbers)
{
    PyObject *results = PyList_New((Py_ssize_t)group->summary_count);
    for (size_t index = 0; results != NULL && index < group->summary_count; index++) {
        PyObject *result = as_result(call, numbers, group->reference_count > 1);
        if (result == NULL)
            Py_CLEAR(results);
        else
            PyList_SET_ITEM(results, (Py_ssize_t)index, result);
        numbers += result_width(call->kernel);
    }
    return results;
}

static bool append_results(const Call *call, PyObject *results)
{
    const double *numbers = call->results.data;
    size_t first = 0;
    if (call->wanted & JSON)
        return call_append_json(call, results);
    for (size_t index = 0; index < call->batch.group_count; index++) {
        const Group *group = (const Group *)call->batch.groups.data + index;
        bool has_texts = (call->wanted & TEXTS) != 0;
        PyObject *of_group = group_results(call, group, numbers);
        if (of_group != NULL && has_texts)
            of_group = call_with_texts(call, of_group, group, first);
        first += group->summary_count + (has_texts ? group->reference_count : 0);
        if (of_group == NULL)
            return false;
        int failed = PyList_Append(results, of_group);
        Py_DECREF(of_group);
        if (failed)
            return false;
        numbers += group->summary_count * result_width(call->kernel);
    }
    return true;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* Scores the groups that are gathered. */
static bool score_batch(Call *call, PyObject *results)
{
    if (!reserve_or_raise(&call->results, call->batch.summary_count, result_width(call->kernel) * sizeof(double)))
        return false;
    call->thread = PyEval_SaveThread();
    Outcome outcome = measure_groups(call);
    PyEval_RestoreThread(call->thread);
    if (outcome == NO_MEMORY)
        PyErr_NoMemory();
    bool done = outcome == DONE && append_results(call, results) && PyErr_CheckSignals() == 0;
    batch_clear(&call->batch);
    call->text_size = call->text_count = 0;
    return done;
}

static bool score_all(Call *call, Py_ssize_t count, PyObject *results)
{
    for (Py_ssize_t index = 0; index < count; index++) {
        if (!batch_append_group(&call->batch, &call->source, index))
            return false;
        if ((call->batch.size >= BYTES_OF_A_BATCH || index + 1 == count) && !score_batch(call, results))
            return false;
    }
    return true;
}

static bool prepare(Call *call)
{
    Kernel *kernel = call->kernel;
    kernel->watch.go_on = signals_allow;
    kernel->watch.context = call;
    if ((call->nothing = PyTuple_New(0)) == NULL)
        return false;
    for (size_t index = 0; index < kernel->field_count; index++)
        if ((call->names[index] = PyUnicode_InternFromString(kernel->fields[index].name)) == NULL)
            return false;
    if (!reserve_or_raise(&call->sum, kernel->width, sizeof(double)))
        return false;
    for (size_t place = 0; place < kernel->width; place++)
        ((double *)call->sum.data)[place] = 0;
    batch_clear(&call->batch);
    return true;
}

static void call_free(Call *call)
{
    call->kernel->free(call->kernel);
    Py_XDECREF(call->nothing);
    for (size_t index = 0; index < MOST_FIELDS; index++)
        Py_XDECREF(call->names[index]);
    batch_free(&call->batch);
    buffer_free(&call->results);
    buffer_free(&call->vectors);
    buffer_free(&call->sum);
    buffer_free(&call->text);
    buffer_free(&call->text_ends);
}

/* Adds the sum of all statistics to the results, where it is wanted. */
static PyObject *with_sum(const Call *call, PyObject *results)
{
    if (results == NULL || !(call->wanted & SUM))
        return results;
    PyObject *sum = as_list(call->sum.data, call->kernel->width, call->kernel->whole_count);
    PyObject *both = sum == NULL ? NULL : PyTuple_Pack(2, results, sum);
    Py_DECREF(results);
    Py_XDECREF(sum);
    return both;
}

PyObject *call_run(Call *call)
{
    if (call->kernel == NULL)
        return PyErr_NoMemory();
    Py_ssize_t count = source_count(&call->source);
    bool has_all = (call->kernel->field_count > 0 || !(call->wanted & (SCORES | JACKKNIFED | JSON)))
        && (call->kernel->text != NULL || !(call->wanted & TEXTS));
    PyObject *results = NULL;
    if (count < 0 || !has_all) {
        results = Py_NewRef(Py_None);
    } else if (prepare(call) && (results = PyList_New(0)) != NULL) {
        if (!score_all(call, count, results))
            Py_CLEAR(results);
        if (results == NULL && !call->batch.is_plain && !PyErr_Occurred())
            results = Py_NewRef(Py_None);
        else
            results = with_sum(call, results);
    }
    call_free(call);
    return results;
}
