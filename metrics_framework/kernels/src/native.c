/* The Python-facing layer: arguments, strings, references and the GIL. The kernels know nothing of Python. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "memory.h"
#include "python_levenshtein.h"
#include "ter.h"

/* So much text is scored in one go, without the GIL. */
enum { BYTES_OF_A_BATCH = 1 << 20 };

typedef struct {
    size_t start;      /* of its texts, in `Batch.bytes` */
    size_t first_text; /* in `Batch.ends` */
    size_t summary_count, reference_count;
} Group;

/* Copies of the texts of some groups, so that no Python object is needed while they are scored. */
typedef struct {
    Buffer bytes;
    size_t size;
    Buffer ends; /* size_t */
    size_t text_count;
    Buffer groups; /* Group */
    size_t group_count;
    Buffer counts; /* TerCounts */
    size_t summary_count;
    bool lowercase;
} Batch;

typedef bool (*AppendText)(Batch *batch, PyObject *text);

static void batch_clear(Batch *batch)
{
    batch->size = batch->text_count = batch->group_count = batch->summary_count = 0;
}

static void batch_free(Batch *batch)
{
    buffer_free(&batch->bytes);
    buffer_free(&batch->ends);
    buffer_free(&batch->groups);
    buffer_free(&batch->counts);
}

/* As `buffer_reserve`, with a MemoryError. */
static bool reserve(Buffer *buffer, size_t count, size_t size)
{
    if (buffer_reserve(buffer, count, size))
        return true;
    PyErr_NoMemory();
    return false;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

static unsigned char *put_code_point(unsigned char *out, Py_UCS4 code)
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

/* A byte of no UTF-8: it marks white space within a word, where words are given and not texts. */
enum { ESCAPE = 0xff };

/* Appends a string as UTF-8, lone surrogates like any other code point. White space becomes a blank; with `is_word`, what
   the kernel would cut at becomes something else. */
static bool append_string(Batch *batch, PyObject *string, bool is_word)
{
    size_t length = (size_t)PyUnicode_GET_LENGTH(string);
    if (length > (PTRDIFF_MAX - batch->size - SPARE_BYTES) / 4) {
        PyErr_NoMemory();
        return false;
    }
    if (!reserve(&batch->bytes, batch->size + 4 * length + SPARE_BYTES, 1))
        return false;
    unsigned char *start = (unsigned char *)batch->bytes.data, *out = start + batch->size;
    int kind = PyUnicode_KIND(string);
    const void *data = PyUnicode_DATA(string);
    for (size_t place = 0; place < length; place++) {
        Py_UCS4 code = PyUnicode_READ(kind, data, (Py_ssize_t)place);
        if (!Py_UNICODE_ISSPACE(code) || (is_word && code >= 0x80)) {
            out = put_code_point(out, code);
        } else if (is_word) {
            *out++ = ESCAPE;
            *out++ = (unsigned char)(code + 0x80);
        } else {
            *out++ = ' ';
        }
    }
    batch->size = (size_t)(out - start);
    return true;
}

static bool append_ascii(Batch *batch, PyObject *string)
{
    size_t length = (size_t)PyUnicode_GET_LENGTH(string);
    if (length > PTRDIFF_MAX - batch->size - SPARE_BYTES) {
        PyErr_NoMemory();
        return false;
    }
    if (!reserve(&batch->bytes, batch->size + length + SPARE_BYTES, 1))
        return false;
    memcpy((unsigned char *)batch->bytes.data + batch->size, PyUnicode_1BYTE_DATA(string), length);
    batch->size += length;
    return true;
}

/* Returns a new reference to a plain string; the sentences of a list are joined with blanks. */
static PyObject *plain_string(PyObject *text)
{
    if (PyUnicode_Check(text))
        return PyUnicode_FromObject(text);
    PyObject *blank = PyUnicode_FromStringAndSize(" ", 1);
    if (blank == NULL)
        return NULL;
    PyObject *joined = PyUnicode_Join(blank, text);
    Py_DECREF(blank);
    return joined;
}

/* Appends a text. Outside of ASCII, Python itself makes lower case of it. */
static bool append_text(Batch *batch, PyObject *text)
{
    PyObject *string = plain_string(text);
    if (string == NULL)
        return false;
    bool done = false;
    if (PyUnicode_IS_ASCII(string)) {
        done = append_ascii(batch, string);
    } else if (batch->lowercase) {
        PyObject *lower = PyObject_CallMethod(string, "lower", NULL);
        if (lower != NULL)
            done = append_string(batch, lower, false);
        Py_XDECREF(lower);
    } else {
        done = append_string(batch, string, false);
    }
    Py_DECREF(string);
    return done;
}

/* Appends a word, and a blank behind it; the empty word as a mark of its own. */
static bool append_word(Batch *batch, PyObject *word)
{
    if (!PyUnicode_Check(word)) {
        PyErr_Format(PyExc_TypeError, "a word must be a string, not %.100s", Py_TYPE(word)->tp_name);
        return false;
    }
    PyObject *string = PyUnicode_FromObject(word);
    if (string == NULL)
        return false;
    bool done = append_string(batch, string, true) && reserve(&batch->bytes, batch->size + 2 + SPARE_BYTES, 1);
    if (done) {
        unsigned char *bytes = batch->bytes.data;
        if (PyUnicode_GET_LENGTH(string) == 0)
            bytes[batch->size++] = ESCAPE;
        bytes[batch->size++] = ' ';
    }
    Py_DECREF(string);
    return done;
}

/* Appends a text that is given as its words. */
static bool append_words(Batch *batch, PyObject *words)
{
    PyObject *items = PySequence_Tuple(words); /* a tuple cannot change under way */
    if (items == NULL)
        return false;
    bool done = true;
    for (Py_ssize_t index = 0; done && index < PyTuple_GET_SIZE(items); index++)
        done = append_word(batch, PyTuple_GET_ITEM(items, index));
    Py_DECREF(items);
    return done;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* Appends texts to the last group. */
static bool append_texts(Batch *batch, PyObject *texts, AppendText append, size_t *count)
{
    PyObject *items = PySequence_Tuple(texts);
    if (items == NULL)
        return false;
    *count = (size_t)PyTuple_GET_SIZE(items);
    bool done = reserve(&batch->ends, batch->text_count + *count, sizeof(size_t));
    size_t group_start = ((Group *)batch->groups.data)[batch->group_count].start;
    for (size_t index = 0; done && index < *count; index++) {
        done = append(batch, PyTuple_GET_ITEM(items, (Py_ssize_t)index));
        ((size_t *)batch->ends.data)[batch->text_count++] = batch->size - group_start;
    }
    Py_DECREF(items);
    return done;
}

static bool append_group(Batch *batch, PyObject *summaries, PyObject *references, AppendText append)
{
    if (!reserve(&batch->groups, batch->group_count + 1, sizeof(Group))
        || !reserve(&batch->bytes, batch->size + SPARE_BYTES, 1)) /* even if there is not one word */
        return false;
    Group *group = (Group *)batch->groups.data + batch->group_count;
    *group = (Group){batch->size, batch->text_count, 0, 0};
    if (!append_texts(batch, summaries, append, &group->summary_count)
        || !append_texts(batch, references, append, &group->reference_count))
        return false;
    if (group->reference_count == 0) {
        PyErr_SetString(PyExc_ValueError, "a group must have one reference at least");
        return false;
    }
    batch->summary_count += group->summary_count;
    batch->group_count++;
    return reserve(&batch->counts, batch->summary_count, sizeof(TerCounts));
}

static TerOutcome score_groups(TerScorer *scorer, const Batch *batch)
{
    TerCounts *counts = batch->counts.data;
    TerOutcome outcome = TER_DONE;
    for (size_t index = 0; outcome == TER_DONE && index < batch->group_count; index++) {
        const Group *group = (const Group *)batch->groups.data + index;
        TerGroup texts = {
            (unsigned char *)batch->bytes.data + group->start,
            (const size_t *)batch->ends.data + group->first_text,
            group->summary_count,
            group->reference_count,
        };
        outcome = ter_score_group(scorer, &texts, counts);
        counts += group->summary_count;
    }
    return outcome;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

static PyObject *group_results(const Group *group, const TerCounts *counts)
{
    PyObject *results = PyList_New((Py_ssize_t)group->summary_count);
    for (size_t index = 0; results != NULL && index < group->summary_count; index++) {
        long long edits = counts[index].edits, length = counts[index].length;
        PyObject *result = Py_BuildValue("(LLn)", edits, length, (Py_ssize_t)group->reference_count);
        if (result == NULL)
            Py_CLEAR(results);
        else
            PyList_SET_ITEM(results, (Py_ssize_t)index, result);
    }
    return results;
}

static bool append_results(const Batch *batch, PyObject *results)
{
    const TerCounts *counts = batch->counts.data;
    for (size_t index = 0; index < batch->group_count; index++) {
        const Group *group = (const Group *)batch->groups.data + index;
        PyObject *of_group = group_results(group, counts);
        if (of_group == NULL)
            return false;
        int failed = PyList_Append(results, of_group);
        Py_DECREF(of_group);
        if (failed)
            return false;
        counts += group->summary_count;
    }
    return true;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* What a call to the kernel has in hand. */
typedef struct {
    TerScorer *scorer;
    Batch batch;
    PyThreadState *thread; /* while the GIL is given up */
} Call;

/* Lets Python see to signals, as Ctrl-C; returns whether to go on. */
static bool signals_allow(void *context)
{
    Call *call = context;
    PyEval_RestoreThread(call->thread);
    bool go_on = PyErr_CheckSignals() == 0;
    call->thread = PyEval_SaveThread();
    return go_on;
}

/* Scores the groups that are gathered. */
static bool score_batch(Call *call, PyObject *results)
{
    call->thread = PyEval_SaveThread();
    TerOutcome outcome = score_groups(call->scorer, &call->batch);
    PyEval_RestoreThread(call->thread);
    if (outcome == TER_NO_MEMORY)
        PyErr_NoMemory();
    bool done = outcome == TER_DONE && append_results(&call->batch, results) && PyErr_CheckSignals() == 0;
    batch_clear(&call->batch);
    return done;
}

static bool score_all(Call *call, PyObject *summaries, PyObject *references, AppendText append, PyObject *results)
{
    Py_ssize_t count = PyTuple_GET_SIZE(summaries);
    if (PyTuple_GET_SIZE(references) != count) {
        PyErr_Format(
            PyExc_ValueError, "there must be as many groups of summaries as of references, got %zd and %zd", count,
            PyTuple_GET_SIZE(references));
        return false;
    }
    for (Py_ssize_t index = 0; index < count; index++) {
        PyObject *group = PyTuple_GET_ITEM(summaries, index);
        if (!append_group(&call->batch, group, PyTuple_GET_ITEM(references, index), append))
            return false;
        if ((call->batch.size >= BYTES_OF_A_BATCH || index + 1 == count) && !score_batch(call, results))
            return false;
    }
    return true;
}

static PyObject *statistics(PyObject *summaries_list, PyObject *references_list, CuttingRules rules, AppendText append)
{
    Call call = {0};
    call.batch.lowercase = rules.lowercase;
    PyObject *summaries = PySequence_Tuple(summaries_list);
    PyObject *references = summaries ? PySequence_Tuple(references_list) : NULL;
    PyObject *results = references ? PyList_New(0) : NULL;
    if (results != NULL) {
        call.scorer = ter_scorer_new(rules, signals_allow, &call);
        if (call.scorer == NULL)
            PyErr_NoMemory();
        if (call.scorer == NULL || !score_all(&call, summaries, references, append, results))
            Py_CLEAR(results);
    }
    Py_XDECREF(summaries);
    Py_XDECREF(references);
    ter_scorer_free(call.scorer);
    batch_free(&call.batch);
    return results;
}

static PyObject *ter_statistics(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {"summaries_list", "references_list", NULL};
    PyObject *summaries_list, *references_list;
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "OO", names, &summaries_list, &references_list))
        return NULL;
    return statistics(summaries_list, references_list, (CuttingRules){false, false}, append_words);
}

static PyObject *ter_text_statistics(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {"summaries_list", "references_list", "case_sensitive", "no_punct", NULL};
    PyObject *summaries_list, *references_list;
    int case_sensitive = 0, no_punct = 0;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, named, "OO|pp", names, &summaries_list, &references_list, &case_sensitive, &no_punct))
        return NULL;
    CuttingRules rules = {!case_sensitive, no_punct != 0};
    return statistics(summaries_list, references_list, rules, append_text);
}

static PyMethodDef methods[] = {
    {"ter_statistics", (PyCFunction)(void (*)(void))ter_statistics, METH_VARARGS | METH_KEYWORDS,
     "Counts edits and words for groups of summaries that share references, all given as words."},
    {"ter_text_statistics", (PyCFunction)(void (*)(void))ter_text_statistics, METH_VARARGS | METH_KEYWORDS,
     "Counts edits and words for groups of summaries that share references, all given as texts."},
    {"edit_distances", (PyCFunction)(void (*)(void))edit_distances, METH_VARARGS | METH_KEYWORDS,
     "Counts, pair by pair, the insertions, deletions and substitutions that turn one into the other."},
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
