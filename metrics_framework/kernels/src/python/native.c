/* The module `_native`. Each kernel is described by one table of options; the kernels themselves know nothing of Python. */

#include "base/hash.h"
#include "metrics/autosummeng.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/error_rates.h"
#include "metrics/google_rouge.h"
#include "metrics/quality.h"
#include "metrics/rouge.h"
#include "metrics/sari.h"
#include "metrics/ter.h"
#include "python/call.h"
#include "python/json_columns.h"
#include "python/json_rows.h"
#include "python/json_scores.h"
#include "python/options.h"
#include "python/plain.h"
#include "python/vector_sums.h"
#include "python/weighted_points.h"
#include "python/word_list.h"

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

enum { MAX_OPTIONS = 16 };

/* How a kernel is called: with lists of texts by position and with options by name. */
typedef struct {
    const char *name;
    Py_ssize_t list_count; /* summaries_list, references_list and others */
    Option options[MAX_OPTIONS + 1];
} Descriptor;

static const Option COMMON_OPTIONS[] = {
    OPTION(Call, request, INTEGER),
    OPTION(Call, dictionary, DICTIONARY),
    OPTION(Call, suffix, STRING),
    OPTION(Call, cell, STRING),
    {0},
};

static const Descriptor TER = {
    "ter",
    2,
    {
        OPTION(TerOptions, case_sensitive, BOOLEAN),
        OPTION(TerOptions, no_punct, BOOLEAN),
    },
};

static const Descriptor SARI = {
    "sari",
    4,
    {
        OPTION(SariOptions, formula, INTEGER),
        OPTION(SariOptions, lowercase, BOOLEAN),
        OPTION(SariOptions, tokenization, INTEGER),
        OPTION(SariOptions, source_tokenization, INTEGER),
        OPTION(SariOptions, single_spaces, BOOLEAN),
        OPTION(SariOptions, f1_of_means, BOOLEAN),
        OPTION(SariOptions, precision_of_deletion, BOOLEAN),
        OPTION(SariOptions, intersection, BOOLEAN),
        OPTION(SariOptions, beta_for_deletion, NUMBER),
    },
};

static const Descriptor BLEU = {
    "bleu",
    2,
    {
        OPTION(BleuOptions, lowercase, BOOLEAN),
        OPTION(BleuOptions, tokenization, INTEGER),
        OPTION(BleuOptions, max_order, SIZE),
        OPTION(BleuOptions, smoothing, INTEGER),
        OPTION(BleuOptions, smooth_value, NUMBER),
        OPTION(BleuOptions, effective_order, BOOLEAN),
        OPTION(BleuOptions, of_sentence, BOOLEAN),
    },
};

static const Descriptor CHRF = {
    "chrf",
    2,
    {
        OPTION(ChrfOptions, char_order, SIZE),
        OPTION(ChrfOptions, word_order, SIZE),
        OPTION(ChrfOptions, squared_beta, NUMBER),
        OPTION(ChrfOptions, lowercase, BOOLEAN),
        OPTION(ChrfOptions, whitespace, BOOLEAN),
        OPTION(ChrfOptions, eps_smoothing, BOOLEAN),
    },
};

static const Descriptor QUALITY = {
    "quality",
    2,
    {
        OPTION(QualityOptions, lowercase, BOOLEAN),
        OPTION(QualityOptions, tokenization, INTEGER),
    },
};

static const Descriptor ERROR_RATES = {
    "error_rates",
    2,
    {
        OPTION(ErrorRatesOptions, characters, BOOLEAN),
        OPTION(ErrorRatesOptions, lowercase, BOOLEAN),
    },
};

static const Descriptor GOOGLE_ROUGE = {
    "google_rouge",
    2,
    {
        OPTION(GoogleRougeOptions, kinds, INTEGER),
        OPTION(GoogleRougeOptions, use_stemmer, BOOLEAN),
    },
};

static const Descriptor AUTOSUMMENG = {
    "autosummeng",
    2,
    {
        OPTION(AutosummengOptions, min_n, SIZE),
        OPTION(AutosummengOptions, max_n, SIZE),
        OPTION(AutosummengOptions, window, SIZE),
        OPTION(AutosummengOptions, published, BOOLEAN),
    },
};

static const Descriptor ROUGE = {
    "rouge",
    2,
    {
        OPTION(RougeOptions, max_ngram, SIZE),
        OPTION(RougeOptions, use_porter_stemmer, BOOLEAN),
        OPTION(RougeOptions, remove_stopwords, BOOLEAN),
        OPTION(RougeOptions, max_bytes, SIZE),
        OPTION(RougeOptions, max_words, SIZE),
        OPTION(RougeOptions, compute_rouge_l, BOOLEAN),
        OPTION(RougeOptions, wlcs_weight, NUMBER),
        OPTION(RougeOptions, skip_reach, SIZE),
        OPTION(RougeOptions, best_reference, BOOLEAN),
        OPTION(RougeOptions, alpha, NUMBER),
        OPTION(RougeOptions, exceptions, WORD_LIST),
        OPTION(RougeOptions, stop_words, WORD_LIST),
        OPTION(RougeOptions, wlcs_name, STRING),
        OPTION(RougeOptions, skip_name, STRING),
        OPTION(RougeOptions, skip_unigram_name, STRING),
    },
};

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Reads the summaries: a list of groups, or `GroupsOfOne`. */
static bool read_summaries(Call *call, PyObject *summaries)
{
    if (PyList_Check(summaries) || PyTuple_Check(summaries)) {
        call->lists.summaries_list = Py_NewRef(summaries);
        return true;
    }
    PyObject *alone = PyObject_GetAttrString(summaries, "only_members");
    if (alone == NULL && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return false;
    PyErr_Clear();
    call->lists.are_alone = alone != NULL;
    call->lists.summaries_list = alone != NULL ? alone : Py_NewRef(summaries);
    return true;
}

static bool read_call(
    Call *call, const Descriptor *descriptor, void *options, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)
{
    if (count != descriptor->list_count) {
        PyErr_Format(
            PyExc_TypeError, "%s() takes %zd lists of texts, got %zd", descriptor->name, descriptor->list_count, count);
        return false;
    }
    if (!read_summaries(call, arguments[0]))
        return false;
    call->lists.references_list = arguments[1];
    for (Py_ssize_t index = 2; index < count; index++)
        call->lists.others[index - 2] = arguments[index];
    const OptionGroup groups[] = {{COMMON_OPTIONS, call}, {descriptor->options, options}};
    return read_options(descriptor->name, groups, 2, arguments + count, keywords);
}

/* Defines the Python function of a kernel: it reads the texts and the options, then scores. */
#define KERNEL_FUNCTION(name, Options, descriptor)                                                                     \
    static PyObject *name(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count, PyObject *keywords)\
    {                                                                                                                  \
        Call call = {0};                                                                                               \
        Options options = {0};                                                                                         \
        bool is_read = read_call(&call, &descriptor, &options, arguments, count, keywords);                            \
        call.kernel = is_read ? name##_new(&options) : NULL;                                                           \
        PyObject *result = is_read ? call_run(&call) : NULL;                                                           \
        Py_XDECREF(call.lists.summaries_list);                                                                         \
        return result;                                                                                                 \
    }

KERNEL_FUNCTION(ter, TerOptions, TER)
KERNEL_FUNCTION(sari, SariOptions, SARI)
KERNEL_FUNCTION(bleu, BleuOptions, BLEU)
KERNEL_FUNCTION(chrf, ChrfOptions, CHRF)
KERNEL_FUNCTION(quality, QualityOptions, QUALITY)
KERNEL_FUNCTION(error_rates, ErrorRatesOptions, ERROR_RATES)
KERNEL_FUNCTION(rouge, RougeOptions, ROUGE)
KERNEL_FUNCTION(google_rouge, GoogleRougeOptions, GOOGLE_ROUGE)
KERNEL_FUNCTION(autosummeng, AutosummengOptions, AUTOSUMMENG)

/* ---- the module -------------------------------------------------------------------------------------------------- */

#define METHOD(name, flags, text) {#name, (PyCFunction)(void (*)(void))name, flags, text}
#define KERNEL(name, text) METHOD(name, METH_FASTCALL | METH_KEYWORDS, text)

static PyMethodDef methods[] = {
    KERNEL(ter, "Scores groups of summaries that share references with TER."),
    KERNEL(sari, "Scores groups of summaries that share references and source with SARI."),
    KERNEL(bleu, "Scores groups of summaries that share references with BLEU."),
    KERNEL(chrf, "Scores groups of summaries that share references with chrF."),
    KERNEL(quality, "Compares groups of summaries that share a source with it."),
    KERNEL(error_rates, "Scores groups of summaries that share references with WER or CER."),
    KERNEL(google_rouge, "Scores groups of summaries that share references with the ROUGE of the package rouge-score."),
    KERNEL(autosummeng, "Scores groups of summaries that share references with AutoSummENG, MeMoG and NPowER."),
    KERNEL(rouge, "Scores groups of summaries that share references with ROUGE as ROUGE-1.5.5 does."),
    METHOD(json_columns, METH_VARARGS, "Reads lines of JSON that have the same keys as columns."),
    METHOD(rows_as_json, METH_VARARGS, "Writes rows as lines of JSON."),
    METHOD(weighted_points, METH_VARARGS, "Adds up pairs of weighted points for many vectors of weights."),
    METHOD(word_list, METH_O, "Returns a list of words for the options of kernels."),
    METHOD(scores_as_json, METH_O, "Writes dictionaries of numbers as one JSON object."),
#ifndef Py_GIL_DISABLED /* it borrows items of lists, which another thread could change; the Python twin runs instead */
    METHOD(are_plain, METH_VARARGS, "Returns whether arguments are plain lists of texts of the given kinds."),
    METHOD(count_objects, METH_O, "Returns the number of different objects in a list or tuple."),
    METHOD(vector_sums, METH_VARARGS, "Returns the sum of each column of a table of doubles."),
#endif
    {NULL, NULL, 0, NULL},
};

/* Derives the seed of the tables from that of Python's strings, so that PYTHONHASHSEED fixes both. */
static int seed_tables(PyObject *Py_UNUSED(module))
{
    static const char *const TEXTS[] = {"first seed of the kernels", "second seed of the kernels"};
    uint64_t seeds[2];
    for (int index = 0; index < 2; index++) {
        PyObject *text = PyUnicode_FromString(TEXTS[index]);
        if (text == NULL)
            return -1;
        seeds[index] = (uint64_t)PyObject_Hash(text);
        Py_DECREF(text);
    }
    set_hash_seed((HashSeed){seeds[0], seeds[1] | 1});
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)seed_tables},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED}, /* the only state is a seed, the same for all */
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
