/* The module `_native`: arguments of calls. The kernels know nothing of Python. */

#include "bleu.h"
#include "call.h"
#include "chrf.h"
#include "python_json.h"
#include "python_levenshtein.h"
#include "python_rows.h"
#include "quality.h"
#include "sari.h"
#include "ter.h"

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
    return call_run(&call);
}

static PyObject *sari(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {
        "summaries_list", "references_list", "sources", "cased_sources", "wanted", "dictionary", "suffix", "formula", "lowercase", "tokenization",
        "source_tokenization", "single_spaces", "f1_of_means", "precision_of_deletion", "intersection", "beta_for_deletion", NULL,
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
    return call_run(&call);
}

static PyObject *bleu(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {
        "summaries_list", "references_list", "wanted", "dictionary", "suffix", "lowercase", "tokenization", "max_order", "smoothing",
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
    return call_run(&call);
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
    return call_run(&call);
}

static PyObject *quality(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {"summaries_list", "sources_list", "wanted", "dictionary", "suffix", "lowercase", "tokenization", NULL};
    Call call = {0};
    int lowercase, cut;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, named, "OOiO&spi", names, &call.source.summaries_list, &call.source.references_list, &call.wanted,
            read_dictionary, &call.dictionary, &call.suffix, &lowercase, &cut))
        return NULL;
    call.source.lowercase = lowercase != 0;
    call.kernel = quality_new((CuttingRules){.lowercase = lowercase != 0, .cut = (Cut)cut});
    return call_run(&call);
}

#define KERNEL(name, text) {#name, (PyCFunction)(void (*)(void))name, METH_VARARGS | METH_KEYWORDS, text}

static PyMethodDef methods[] = {
    KERNEL(ter, "Scores groups of summaries that share references with TER."),
    KERNEL(sari, "Scores groups of summaries that share references and source with SARI."),
    KERNEL(bleu, "Scores groups of summaries that share references with BLEU."),
    KERNEL(chrf, "Scores groups of summaries that share references with chrF."),
    KERNEL(quality, "Compares groups of summaries that share a source with it."),
    KERNEL(edit_distances, "Counts, pair by pair, the insertions, deletions and substitutions that turn one into the other."),
    {"rows_as_json", rows_as_json, METH_VARARGS, "Makes lines of JSON of ids, what stands behind them, and members of scores."},
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
