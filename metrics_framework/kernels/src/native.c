/* The module `_native`: arguments, results and the GIL. The kernels know nothing of Python. */

#include <math.h>
#include <string.h>

#include "bleu.h"
#include "chrf.h"
#include "gather.h"
#include "python_json.h"
#include "python_levenshtein.h"
#include "sari.h"
#include "shortest.h"
#include "ter.h"

/* So much text is scored in one go, without the GIL. */
enum { BYTES_OF_A_BATCH = 1 << 20 };

/* What is wanted of each summary; more than one come as a tuple, in this order. */
enum {
    SCORES = 1,     /* a dictionary */
    STATISTICS = 2, /* a list of numbers */
    JACKKNIFED = 4, /* a dictionary of the means of the scores without each reference in turn, None for one reference */
    SUM = 8,        /* beside all results: the sum of all statistics */
    JSON = 16,      /* alone or with JACKKNIFED: the members of a JSON object, those of the means under names with a suffix */
};

/* What a call has in hand. */
typedef struct {
    Kernel *kernel;
    Source source;
    int wanted;
    PyTypeObject *dictionary;
    const char *suffix; /* of the names of means, in JSON */
    PyObject *nothing;  /* the empty tuple */
    PyObject *names[MOST_FIELDS];
    Batch batch;
    Buffer results; /* double: for each summary its statistics, its score and the mean of its scores */
    Buffer vectors; /* double: the statistics of one summary, and those without each reference in turn */
    Buffer sum;     /* double */
    Buffer text;    /* JSON of all summaries */
    size_t text_size;
    Buffer text_ends; /* size_t: where the JSON of a summary ends */
    size_t text_count;
    PyThreadState *thread; /* while the GIL is given up */
} Call;

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

/* ---- JSON, without the GIL -------------------------------------------------------------------------------------- */

static bool write_text(Call *call, const char *text, size_t length)
{
    if (!buffer_reserve(&call->text, call->text_size + length, 1))
        return false;
    memcpy((char *)call->text.data + call->text_size, text, length);
    call->text_size += length;
    return true;
}

/* Writes a number that only Python can write: very large and small ones, and others of which there are few. */
static bool write_rare(Call *call, double number)
{
    if (!isfinite(number))
        return write_text(call, "null", 4);
    PyEval_RestoreThread(call->thread);
    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    PyErr_Clear();
    bool done = text != NULL && write_text(call, text, strlen(text));
    PyMem_Free(text);
    call->thread = PyEval_SaveThread();
    return done;
}

static bool write_number(Call *call, double number, bool is_whole)
{
    char text[LONGEST_NUMBER];
    size_t length = is_whole ? (size_t)snprintf(text, sizeof text, "%.0f", number) : write_shortest(number, text);
    return length > 0 ? write_text(call, text, length) : write_rare(call, number);
}

static bool write_name(Call *call, const char *name, const char *suffix, bool is_first)
{
    return write_text(call, ", \"", 3 * !is_first) && write_text(call, "\"", is_first)
        && write_text(call, name, strlen(name)) && write_text(call, suffix, strlen(suffix)) && write_text(call, "\": ", 3);
}

/* Writes the numbers of a score as members of an object; those of a mean are none of them whole. */
static bool write_members(Call *call, const double *numbers, bool is_mean)
{
    for (size_t index = 0; index < call->kernel->field_count; index++) {
        const ScoreField *field = &call->kernel->fields[index];
        size_t count = field->count > 0 ? field->count : 1;
        if (!write_name(call, field->name, is_mean ? call->suffix : "", index == 0 && !is_mean)
            || !write_text(call, "[", field->count > 0))
            return false;
        for (size_t place = 0; place < count; place++)
            if (!write_text(call, ", ", 2 * (place > 0)) || !write_number(call, numbers[place], field->is_whole && !is_mean))
                return false;
        if (!write_text(call, "]", field->count > 0))
            return false;
        numbers += count;
    }
    return true;
}

static bool write_json(Call *call, const double *scores, const double *mean)
{
    if (!write_members(call, scores, false) || (mean != NULL && !write_members(call, mean, true))
        || !buffer_reserve(&call->text_ends, call->text_count + 1, sizeof(size_t)))
        return false;
    ((size_t *)call->text_ends.data)[call->text_count++] = call->text_size;
    return true;
}

/* ---- summaries -------------------------------------------------------------------------------------------------- */

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
    if ((call->wanted & JSON) && !write_json(call, scores, group->leave_one_out ? mean : NULL))
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
        if (outcome != DONE)
            return kernel->watch.stopped ? STOPPED : outcome;
    }
    return DONE;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

static PyObject *as_number(double number, bool is_whole)
{
    return is_whole ? PyLong_FromLongLong((long long)number) : PyFloat_FromDouble(number);
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

/* Makes strings of the JSON of a group's summaries, the first of which is number `first`. */
static PyObject *json_results(const Call *call, const Group *group, size_t first)
{
    const size_t *ends = call->text_ends.data;
    PyObject *results = PyList_New((Py_ssize_t)group->summary_count);
    for (size_t index = first; results != NULL && index < first + group->summary_count; index++) {
        size_t start = index == 0 ? 0 : ends[index - 1];
        PyObject *text = PyUnicode_FromStringAndSize((char *)call->text.data + start, (Py_ssize_t)(ends[index] - start));
        if (text == NULL)
            Py_CLEAR(results);
        else
            PyList_SET_ITEM(results, (Py_ssize_t)(index - first), text);
    }
    return results;
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
    for (size_t index = 0; index < call->batch.group_count; index++) {
        const Group *group = (const Group *)call->batch.groups.data + index;
        bool is_json = (call->wanted & JSON) != 0;
        PyObject *of_group = is_json ? json_results(call, group, first) : group_results(call, group, numbers);
        first += group->summary_count;
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

/* Scores all groups; returns None where something in the lists is for Python to see to, or the kernel gives no scores. */
static PyObject *run(Call *call)
{
    if (call->kernel == NULL)
        return PyErr_NoMemory();
    Py_ssize_t count = source_count(&call->source);
    bool has_scores = call->kernel->field_count > 0 || !(call->wanted & (SCORES | JACKKNIFED | JSON));
    PyObject *results = NULL;
    if (count < 0 || !has_scores) {
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

/* Reads what all calls begin with: the lists, what is wanted and the class of dictionaries. */
static int read_dictionary(PyObject *object, void *address)
{
    if (!PyType_Check(object) || !PyType_IsSubtype((PyTypeObject *)object, &PyDict_Type)) {
        PyErr_SetString(PyExc_TypeError, "'dictionary' must be a class of dictionaries");
        return 0;
    }
    *(PyTypeObject **)address = (PyTypeObject *)object;
    return 1;
}

static PyObject *ter(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {"summaries_list", "references_list", "wanted", "dictionary", "suffix", "case_sensitive", "no_punct", NULL};
    Call call = {0};
    int case_sensitive, no_punct;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, named, "OOiO&spp", names, &call.source.summaries_list, &call.source.references_list, &call.wanted,
            read_dictionary, &call.dictionary, &call.suffix, &case_sensitive, &no_punct))
        return NULL;
    call.source.lowercase = !case_sensitive;
    call.kernel = ter_new((CuttingRules){.lowercase = !case_sensitive, .no_punct = no_punct != 0, .cut = AT_WHITE_SPACE});
    return run(&call);
}

static PyObject *sari(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {
        "summaries_list", "references_list", "sources", "cased_sources", "wanted", "dictionary", "suffix", "formula", "lowercase", "cut",
        "source_cut", "single_blanks", "f1_of_means", "precision_of_deletion", "intersection", "beta_for_deletion", NULL,
    };
    Call call = {0};
    SariOptions options = {0};
    int formula, lowercase, cut, source_cut, single_blanks, f1_of_means, precision_of_deletion, intersection;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, named, "OOOOiO&sipiippppd", names, &call.source.summaries_list, &call.source.references_list,
            &call.source.others[0], &call.source.others[1], &call.wanted, read_dictionary, &call.dictionary, &call.suffix, &formula,
            &lowercase, &cut, &source_cut, &single_blanks, &f1_of_means, &precision_of_deletion, &intersection,
            &options.beta_for_deletion))
        return NULL;
    bool blanks = single_blanks != 0;
    options.formula = (SariFormula)formula;
    options.f1_of_means = f1_of_means != 0;
    options.precision_of_deletion = precision_of_deletion != 0;
    options.intersection = intersection != 0;
    options.rules = (CuttingRules){.lowercase = lowercase != 0, .cut = (Cut)cut, .at_each_blank = blanks};
    options.source_rules = (CuttingRules){.lowercase = lowercase != 0, .cut = (Cut)source_cut, .at_each_blank = blanks};
    options.cased_rules = (CuttingRules){.cut = (Cut)cut, .at_each_blank = blanks};
    call.source.other_count = options.formula == SARI_MODIFIED ? 2 : 1;
    call.source.lowercase = call.source.lowercase_others[0] = lowercase != 0;
    call.kernel = sari_new(options);
    return run(&call);
}

static PyObject *bleu(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {
        "summaries_list", "references_list", "wanted", "dictionary", "suffix", "lowercase", "cut", "max_order", "smoothing",
        "smooth_value", "effective_order", "compensated", "of_sentence", NULL,
    };
    Call call = {0};
    BleuOptions options = {0};
    Py_ssize_t max_order;
    int lowercase, cut, smoothing, effective_order, compensated, of_sentence;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, named, "OOiO&spinidppp", names, &call.source.summaries_list, &call.source.references_list, &call.wanted,
            read_dictionary, &call.dictionary, &call.suffix, &lowercase, &cut, &max_order, &smoothing, &options.smooth_value,
            &effective_order, &compensated, &of_sentence))
        return NULL;
    options.rules = (CuttingRules){.lowercase = lowercase != 0, .stripped = true, .cut = (Cut)cut};
    options.max_order = (size_t)max_order;
    options.smoothing = (Smoothing)smoothing;
    options.effective_order = effective_order != 0;
    options.compensated = compensated != 0;
    options.of_sentence = of_sentence != 0;
    call.source.lowercase = lowercase != 0;
    call.kernel = bleu_new(options);
    return run(&call);
}

static PyObject *chrf(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {
        "summaries_list", "references_list", "wanted", "dictionary", "suffix", "char_order", "word_order", "squared_beta", "lowercase",
        "whitespace", "eps_smoothing", NULL,
    };
    Call call = {0};
    ChrfOptions options = {0};
    Py_ssize_t char_order, word_order;
    int lowercase, whitespace, eps_smoothing;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, named, "OOiO&snndppp", names, &call.source.summaries_list, &call.source.references_list, &call.wanted,
            read_dictionary, &call.dictionary, &call.suffix, &char_order, &word_order, &options.squared_beta, &lowercase, &whitespace,
            &eps_smoothing))
        return NULL;
    options.char_order = (size_t)char_order;
    options.word_order = (size_t)word_order;
    options.lowercase = lowercase != 0;
    options.whitespace = whitespace != 0;
    options.eps_smoothing = eps_smoothing != 0;
    call.source.lowercase = lowercase != 0;
    call.kernel = chrf_new(options);
    return run(&call);
}

#define KERNEL(name, text) {#name, (PyCFunction)(void (*)(void))name, METH_VARARGS | METH_KEYWORDS, text}

static PyMethodDef methods[] = {
    KERNEL(ter, "Scores groups of summaries that share references with TER."),
    KERNEL(sari, "Scores groups of summaries that share references and source with SARI."),
    KERNEL(bleu, "Scores groups of summaries that share references with BLEU."),
    KERNEL(chrf, "Scores groups of summaries that share references with chrF."),
    KERNEL(edit_distances, "Counts, pair by pair, the insertions, deletions and substitutions that turn one into the other."),
    {"scores_as_json", scores_as_json, METH_O, "Writes dictionaries of numbers as one object of JSON."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED}, /* there is no state to share */
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_doc = "The native kernels; each has a twin in `metrics_framework.kernels.python`, which defines it.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&module); }
