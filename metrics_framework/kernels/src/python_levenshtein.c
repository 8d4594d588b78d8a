#include "python_levenshtein.h"

#include <string.h>

#include "levenshtein.h"
#include "memory.h"

/* So many pairs, or pairs of so many symbols, are worked out in one go, without the GIL. */
enum { PAIRS_OF_A_BATCH = 1024, SYMBOLS_OF_A_BATCH = 1 << 20 };

typedef struct {
    Levenshtein *levenshtein;
    PyThreadState *thread; /* while the GIL is given up */
    Buffer pairs;          /* LevenshteinPair */
    Buffer distances;      /* int64_t */
    size_t pair_count;
    size_t symbol_count; /* of all pairs of the batch */
    Buffer slots;        /* Slot: the words of the pair that is gathered */
    size_t slot_count;   /* a power of two */
    size_t generation;   /* a slot of another generation is empty, so that forgetting costs nothing */
    uint32_t used;
    Buffer numbers; /* uint32_t: the words of the batch */
    size_t number_count;
} Call;

typedef struct {
    PyObject *word; /* borrowed */
    Py_hash_t hash;
    size_t generation;
    uint32_t number;
} Slot;

/* As `buffer_reserve`, with a MemoryError. */
static bool reserve(Buffer *buffer, size_t count, size_t size)
{
    if (buffer_reserve(buffer, count, size))
        return true;
    PyErr_NoMemory();
    return false;
}

static void refuse(const char *format, Py_ssize_t first, Py_ssize_t second)
{
    PyObject *errors = PyImport_ImportModule("metrics_framework.common.errors");
    PyObject *error = errors ? PyObject_GetAttrString(errors, "InputError") : NULL;
    if (error != NULL)
        PyErr_Format(error, format, first, second);
    Py_XDECREF(errors);
    Py_XDECREF(error);
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

static bool are_plain(PyObject *words)
{
    PyObject **items = PySequence_Fast_ITEMS(words);
    for (Py_ssize_t index = 0; index < PySequence_Fast_GET_SIZE(words); index++)
        if (!PyUnicode_CheckExact(items[index]))
            return false;
    return true;
}

/* Tells whether words can be read where they are: as long as no Python code runs, nobody changes their list. */
static bool can_be_read(PyObject *words)
{
#ifndef Py_GIL_DISABLED
    if (PyList_CheckExact(words))
        return are_plain(words);
#endif
    return PyTuple_CheckExact(words) && are_plain(words);
}

/* Returns a new tuple with plain strings for instances of classes derived from `str`, whose code is not to be run. */
static PyObject *made_plain(PyObject *words)
{
    Py_ssize_t count = PyTuple_GET_SIZE(words);
    PyObject *plain = PyTuple_New(count);
    for (Py_ssize_t index = 0; plain != NULL && index < count; index++) {
        PyObject *word = PyTuple_GET_ITEM(words, index);
        PyObject *string = NULL;
        if (PyUnicode_Check(word))
            string = PyUnicode_FromObject(word);
        else
            PyErr_Format(PyExc_TypeError, "a word must be a string, not %.100s", Py_TYPE(word)->tp_name);
        if (string == NULL)
            Py_CLEAR(plain);
        else
            PyTuple_SET_ITEM(plain, index, string);
    }
    return plain;
}

/* Returns a new reference to a tuple of plain strings: it cannot change under way. */
static PyObject *plain_words(PyObject *words)
{
    PyObject *items = PySequence_Tuple(words);
    if (items == NULL || are_plain(items))
        return items;
    PyObject *plain = made_plain(items);
    Py_DECREF(items);
    return plain;
}

/* Forgets all words and makes room for `count` others. */
static bool reset_words(Call *call, size_t count)
{
    size_t needed = 64;
    while (needed / 2 < count)
        needed *= 2;
    call->used = 0;
    call->generation++;
    if (needed <= call->slot_count)
        return true;
    if (!reserve(&call->slots, needed, sizeof(Slot)))
        return false;
    Slot *slots = call->slots.data;
    for (size_t place = 0; place < needed; place++)
        slots[place].generation = 0;
    call->slot_count = needed;
    call->generation = 1;
    return true;
}

static bool is_same(const Slot *slot, PyObject *word, Py_hash_t hash)
{
    PyObject *other = slot->word;
    return other == word
        || (slot->hash == hash && PyUnicode_GET_LENGTH(other) == PyUnicode_GET_LENGTH(word)
            && PyUnicode_KIND(other) == PyUnicode_KIND(word)
            && memcmp(
                   PyUnicode_DATA(other), PyUnicode_DATA(word),
                   (size_t)PyUnicode_GET_LENGTH(word) * (size_t)PyUnicode_KIND(word))
                == 0);
}

/* Strings keep their hash, so that a word that comes but once need not be read. */
static uint32_t number_of_word(Call *call, PyObject *word)
{
    Slot *slots = call->slots.data;
    Py_hash_t hash = PyObject_Hash(word);
    size_t last = call->slot_count - 1, place = (size_t)hash & last;
    for (; slots[place].generation == call->generation; place = (place + 1) & last)
        if (is_same(&slots[place], word, hash))
            return slots[place].number;
    slots[place] = (Slot){word, hash, call->generation, call->used};
    return call->used++;
}

/* Appends the numbers of words; where they begin is filled in when they stay where they are. */
static Symbols append_words(Call *call, PyObject *words)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(words);
    PyObject **items = PySequence_Fast_ITEMS(words);
    uint32_t *numbers = (uint32_t *)call->numbers.data + call->number_count;
    for (Py_ssize_t index = 0; index < count; index++)
        numbers[index] = number_of_word(call, items[index]);
    call->number_count += (size_t)count;
    return (Symbols){NULL, (size_t)count, sizeof *numbers};
}

/* Numbers the words of a pair, which are tuples or lists of plain strings. */
static bool append_pair(Call *call, PyObject *summary, PyObject *reference, LevenshteinPair *pair)
{
    size_t count = (size_t)PySequence_Fast_GET_SIZE(summary) + (size_t)PySequence_Fast_GET_SIZE(reference);
    if (count > UINT32_MAX) {
        PyErr_NoMemory();
        return false;
    }
    if (!reset_words(call, count) || !reserve(&call->numbers, call->number_count + count, sizeof(uint32_t)))
        return false;
    pair->summary = append_words(call, summary);
    pair->reference = append_words(call, reference);
    pair->kinds = (size_t)call->used + (call->used == 0);
    return true;
}

static bool gather_words(Call *call, PyObject *summary, PyObject *reference, LevenshteinPair *pair)
{
    if (can_be_read(summary) && can_be_read(reference))
        return append_pair(call, summary, reference, pair);
    PyObject *first = plain_words(summary), *second = first ? plain_words(reference) : NULL;
    bool done = second != NULL && append_pair(call, first, second, pair);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return done;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

/* Returns the characters of a string, which are read in place: whoever holds the string keeps them. */
static Symbols characters_of(PyObject *string)
{
    return (Symbols){PyUnicode_DATA(string), (size_t)PyUnicode_GET_LENGTH(string), (unsigned)PyUnicode_KIND(string)};
}

static bool is_ready(PyObject *string)
{
#if PY_VERSION_HEX < 0x030c0000
    return PyUnicode_READY(string) == 0;
#else
    (void)string;
    return true;
#endif
}

static bool gather_pair(Call *call, PyObject *summary, PyObject *reference, Py_ssize_t index)
{
    LevenshteinPair *pair = (LevenshteinPair *)call->pairs.data + call->pair_count;
    int strings = PyUnicode_Check(summary) + PyUnicode_Check(reference);
    if (strings == 1) {
        refuse(
            PyUnicode_Check(summary)
                ? "summaries[%zd] is a string and references[%zd] is not: give both as strings, or both as lists of words"
                : "references[%zd] is a string and summaries[%zd] is not: give both as strings, or both as lists of words",
            index, index);
        return false;
    }
    if (strings == 0) {
        if (!gather_words(call, summary, reference, pair))
            return false;
    } else {
        if (!is_ready(summary) || !is_ready(reference))
            return false;
        *pair = (LevenshteinPair){characters_of(summary), characters_of(reference), 0};
        if (summary == reference)
            pair->summary.length = pair->reference.length = 0; /* nothing need be read */
    }
    call->pair_count++;
    call->symbol_count += pair->summary.length + pair->reference.length;
    return true;
}

/* Says where the numbers of words are, which are one behind the other. */
static void find_numbers(Call *call)
{
    LevenshteinPair *pairs = call->pairs.data;
    uint32_t *numbers = call->numbers.data;
    for (size_t index = 0; index < call->pair_count; index++) {
        if (pairs[index].kinds == 0)
            continue;
        pairs[index].summary.data = (const unsigned char *)numbers;
        pairs[index].reference.data = (const unsigned char *)(numbers + pairs[index].summary.length);
        numbers += pairs[index].summary.length + pairs[index].reference.length;
    }
}

static bool put_results(const Call *call, PyObject *results, Py_ssize_t first)
{
    const int64_t *distances = call->distances.data;
    for (size_t index = 0; index < call->pair_count; index++) {
        PyObject *distance = PyLong_FromLongLong(distances[index]);
        if (distance == NULL)
            return false;
        PyList_SET_ITEM(results, first + (Py_ssize_t)index, distance);
    }
    return true;
}

/* ---- the call --------------------------------------------------------------------------------------------------- */

/* Lets Python see to signals, as Ctrl-C; returns whether to go on. */
static bool signals_allow(void *context)
{
    Call *call = context;
    PyEval_RestoreThread(call->thread);
    bool go_on = PyErr_CheckSignals() == 0;
    call->thread = PyEval_SaveThread();
    return go_on;
}

/* Works out the pairs that are gathered, the last of which is that of number `end` - 1. */
static bool run_batch(Call *call, PyObject *results, Py_ssize_t end)
{
    if (!reserve(&call->distances, call->pair_count, sizeof(int64_t)))
        return false;
    find_numbers(call);
    call->thread = PyEval_SaveThread();
    LevenshteinOutcome outcome =
        levenshtein_distances(call->levenshtein, call->pairs.data, call->pair_count, call->distances.data);
    PyEval_RestoreThread(call->thread);
    if (outcome == LEVENSHTEIN_NO_MEMORY)
        PyErr_NoMemory();
    bool done = outcome == LEVENSHTEIN_DONE && put_results(call, results, end - (Py_ssize_t)call->pair_count)
        && PyErr_CheckSignals() == 0;
    call->pair_count = call->symbol_count = call->number_count = 0;
    return done;
}

static bool run_all(Call *call, PyObject *summaries, PyObject *references, PyObject *results)
{
    Py_ssize_t count = PyTuple_GET_SIZE(summaries);
    if (!reserve(&call->pairs, PAIRS_OF_A_BATCH, sizeof(LevenshteinPair)))
        return false;
    for (Py_ssize_t index = 0; index < count; index++) {
        if (!gather_pair(call, PyTuple_GET_ITEM(summaries, index), PyTuple_GET_ITEM(references, index), index))
            return false;
        bool is_full = call->pair_count == PAIRS_OF_A_BATCH || call->symbol_count >= SYMBOLS_OF_A_BATCH;
        if ((is_full || index + 1 == count) && !run_batch(call, results, index + 1))
            return false;
    }
    return true;
}

/* Returns the distances of the pairs of two tuples. */
static PyObject *distances_of(PyObject *summaries, PyObject *references)
{
    Call call = {0};
    Py_ssize_t count = PyTuple_GET_SIZE(summaries);
    if (PyTuple_GET_SIZE(references) != count) {
        refuse(
            "there must be as many summaries as references, got %zd and %zd", count, PyTuple_GET_SIZE(references));
        return NULL;
    }
    PyObject *results = PyList_New(count);
    if (results == NULL)
        return NULL;
    call.levenshtein = levenshtein_new(signals_allow, &call);
    if (call.levenshtein == NULL)
        PyErr_NoMemory();
    if (call.levenshtein == NULL || !run_all(&call, summaries, references, results))
        Py_CLEAR(results);
    levenshtein_free(call.levenshtein);
    buffer_free(&call.pairs);
    buffer_free(&call.distances);
    buffer_free(&call.slots);
    buffer_free(&call.numbers);
    return results;
}

PyObject *edit_distances(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *named)
{
    static char *names[] = {"summaries", "references", NULL};
    PyObject *summaries_given, *references_given;
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "OO", names, &summaries_given, &references_given))
        return NULL;
    PyObject *summaries = PySequence_Tuple(summaries_given); /* a tuple keeps what is read without the GIL */
    PyObject *references = summaries ? PySequence_Tuple(references_given) : NULL;
    PyObject *results = references ? distances_of(summaries, references) : NULL;
    Py_XDECREF(summaries);
    Py_XDECREF(references);
    return results;
}
