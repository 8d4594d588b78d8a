"""Native kernels under hostile conditions: huge texts, lists that change, threads, signals, lack of memory."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import sampled
from twins import jackknifed, kernels, random_groups, requires_native, under

from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.kernels import dispatch
from metrics_framework.metrics.base.metric import load

pytestmark = requires_native
TESTS = str(Path(__file__).resolve().parent.parent)

NAMES = [
    "sari",
    "sari:variant=xu2016",
    "sari:variant=modified",
    "bleu",
    "sent-bleu",
    "chrf",
    "chrf:word_order=2",
    "ter",
    "google-rouge:use_stemmer=true",
    "rouge:compute_rouge_l=true,skip_bigram_gap_length=4,wlcs_weight=1.2",
]
EVERY = [*NAMES, "quality-estimation:splitter=none,lexical_complexity=false"]


@pytest.fixture(autouse=True)
def _natively() -> Any:
    with kernels("native"):
        yield


def arguments(name: str, summaries_list: Any, references_list: Any, sources: Any = None) -> list[Any]:
    """Returns the arguments of a metric; without sources, the first references are the sources."""
    sources = sources or [references[0] for references in references_list]
    fields = {"summary": summaries_list, "references": references_list, "source": sources}
    return [fields[field] for field in load(name).fields]


def output_of(code: str, *parameters: str) -> str:
    """Runs a program in a new process, with `load` and `jackknifed` imported, and returns its output."""
    program = f"""
import sys
sys.path.insert(0, {TESTS!r})
from samples import sampled
from twins import jackknifed
from metrics_framework.metrics.base.metric import load
{textwrap.dedent(code)}"""
    call = [sys.executable, "-c", program, *parameters]
    environment = {**os.environ, "FW_KERNELS": "native"}
    done = subprocess.run(call, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- large inputs ---------------------------------------------------------------------------------------------------

LONG = " ".join(f"w{number}" for number in range(30_000))


@pytest.mark.parametrize("name", sampled(NAMES, 1))
def test_texts_of_many_words(name: str) -> None:
    metric = load(name)
    groups = arguments(name, [[LONG, LONG.replace("w5 ", "x ")]], [[LONG]], [LONG + " z"])
    equal, other = (scores.flatten() for scores in metric.score_multi_all(*groups)[0])
    few = "w0 w1 w2 w3 w4"
    alone = metric.score_multi_all(*arguments(name, [[few]], [[few]], [few + " z"]))[0][0].flatten()
    key = next(iter(equal))
    assert equal[key] == pytest.approx(alone[key])
    assert other[key] != equal[key]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bleu", "sari", "chrf:char_order=9", "chrf:word_order=2"])
def test_tables_that_grow_are_reused(name: str) -> None:
    """More words and n-grams than a table has slots at first; then few, then many."""
    metric = load(name)
    chance = random.Random(0)
    many, more = ([" ".join(str(chance.randrange(9_000)) for _ in range(20_000)) for _ in range(4)] for _ in range(2))
    groups = arguments(name, [many[:2], ["a b"], more[:2]], [many[2:], ["a c", "b"], more[2:]])
    natively = metric.statistics_multi_all(*groups)
    assert natively == under("python", lambda: metric.statistics_multi_all(*groups))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sari", "bleu", "ter", "chrf", "chrf:word_order=2"])
def test_one_word_of_ten_megabytes(name: str) -> None:
    word = "ab" * 5_000_000
    metric = load(name)
    equal, other = metric.statistics_multi_all(*arguments(name, [[word, word + "c"]], [[word]]))[0]
    (again,) = metric.statistics_multi_all(*arguments(name, [[word]], [[word]]))[0]
    assert equal == again != other


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_leave_one_out_with_twenty_thousand_references(name: str) -> None:
    references = [f"a b {number} d" for number in range(20_000)]
    call = jackknifed(load(name))
    ((scores, mean),) = call(*arguments(name, [["a b 77 d"]], [references], ["a b d"]))
    without = load(name).score_multi_all(
        *arguments(name, [["a b 77 d"]] * 2, [references[:77] + references[78:], references[1:]], ["a b d"] * 2)
    )
    key = next(iter(scores.flatten()))
    left_out, kept = (group[0].flatten()[key] for group in without)
    assert mean.flatten()[key] == pytest.approx((left_out + 19_999 * kept) / 20_000, rel=1e-9)


@pytest.mark.parametrize("name", sampled(EVERY, 1))
def test_many_equal_summaries(name: str) -> None:
    call = jackknifed(load(name))
    found = call(*arguments(name, [["b a c"] * 20_000], [["a b c", "b a", ""]]))
    assert found == call(*arguments(name, [["b a c"]], [["a b c", "b a", ""]])) * 20_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sari", "bleu", "chrf:word_order=2"])
def test_more_groups_than_a_table_has_generations(name: str) -> None:
    """16 bits distinguish 65,535 generations; then the table is cleared."""
    metric = load(name)
    kinds = [("a b c d", "a b c e"), ("a c b d", "b d a c"), ("d e", "d e")]
    alone = [metric.score_multi_all(*arguments(name, [[one]], [[other]]))[0][0] for one, other in kinds]
    pairs = [kinds[number % 3] for number in range(66_000)]
    found = metric.score_multi_all(*arguments(name, [[one] for one, _ in pairs], [[other] for _, other in pairs]))
    assert [scores for (scores,) in found] == [alone[number % 3] for number in range(66_000)]


# ---- lists that change ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sampled(EVERY, 1))
def test_lists_that_another_thread_changes(name: str) -> None:
    """The result is the score of some state of the lists, or an error about one of them."""
    metric = load(name)
    plain = metric.score_multi_all(*arguments(name, [["a b"]], [["a b", "b"]]))[0][0]
    summaries, references = [["a b"]] * 300, [["a b", "b"]] * 300
    sources = ["a b"] * 300
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            del references[100:], summaries[100:], sources[100:]
            references.extend([["a b", "b"]] * 200)
            summaries.extend([["a b"]] * 200)
            sources.extend(["a b"] * 200)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(300):
            try:
                found = metric.score_multi_all(*arguments(name, summaries, references, sources))
            except (InputError, ValueError):  # lists of unequal length
                continue
            assert all(group == [plain] for group in found)
    finally:
        done.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_lists_that_shrink_during_garbage_collection(name: str) -> None:
    """Results are created after the texts are read, so garbage collection cannot change what was read."""

    class Garbage:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            summaries.clear()
            references.clear()

    metric = load(name)
    summaries, references = [["a b", "b"]] * 2000, [["a b", "x"]] * 2000
    groups = arguments(name, summaries, references)
    expected = jackknifed(metric)(*arguments(name, [["a b", "b"]], [["a b", "x"]]))
    thresholds = gc.get_threshold()
    gc.collect()
    gc.set_threshold(1000)  # objects: only the results are that many
    Garbage()
    try:
        found = jackknifed(metric)(*groups)
    finally:
        gc.set_threshold(*thresholds)
    gc.collect()
    assert not summaries
    assert found == expected * 2000


class WithAttributes(MetricsDict):
    """Scores with attributes, as instances of a subclass have them."""


def scored_as(dictionary: type[MetricsDict]) -> MetricsDict:
    assert dispatch.native_module is not None
    options = {"request": 1, "dictionary": dictionary, "suffix": "", "cell": "", "case_sensitive": False}
    scores: MetricsDict = dispatch.native_module.ter([["a b"]], [["a c"]], no_punct=False, **options)[0][0]
    return scores


def test_only_scores_that_can_be_in_a_cycle_are_tracked_by_the_garbage_collector() -> None:
    tracks_all = sys.version_info >= (3, 14)  # as Python does, and kernels leave it at that
    assert gc.is_tracked(scored_as(MetricsDict)) == tracks_all
    assert gc.is_tracked(scored_as(WithAttributes))
    assert gc.is_tracked(load("bleu").score("a", ["a"]))  # has a list
    rouge = load("google-rouge").score("a", ["a"])
    assert gc.is_tracked(rouge)
    assert gc.is_tracked(rouge["rouge1"]) == tracks_all


class Holder:
    """An object that refers to scores."""

    scores: Any = None


CHANGES: dict[str, Callable[[MetricsDict, Holder], Any]] = {
    "item": lambda scores, holder: scores.__setitem__("x", holder),
    "update": lambda scores, holder: scores.update(x=holder),
    "setdefault": lambda scores, holder: scores.setdefault("x", holder),
}


@pytest.mark.parametrize("change", sampled(CHANGES, 1))
def test_scores_that_got_into_a_cycle_are_collected(change: str) -> None:
    scores, holder = scored_as(MetricsDict), Holder()
    holder.scores = scores
    CHANGES[change](scores, holder)
    alive = weakref.ref(holder)
    del scores, holder
    gc.collect()
    assert alive() is None


# ---- threads and signals --------------------------------------------------------------------------------------------


def test_threads_score_at_the_same_time() -> None:
    rounds = 5
    calls: list[Callable[[], Any]] = []
    for seed, name in enumerate(EVERY):
        metric, groups = load(name), arguments(name, *random_groups(seed, 30, 3, most_references=9))
        calls.append(lambda metric=metric, groups=groups: jackknifed(metric)(*groups))
    expected = [call() for call in calls]
    results: list[Any] = []

    def score() -> None:
        results.extend([call() for call in calls] for _ in range(rounds))

    threads = [threading.Thread(target=score) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4 * rounds


LONG_RUNS = [  # metric, groups, why it takes long
    ("bleu", "[['a b c d'] * 2000], [[f'a b {n}' for n in range(20_000)]]", "leave-one-out"),
    ("chrf", "[['a b c d'] * 2000], [[f'a b {n}' for n in range(20_000)]]", "leave-one-out"),
    ("sari", "[['a b c d'] * 2000], [[f'a b {n}' for n in range(20_000)]], ['a b c']", "leave-one-out"),
    ("sari", "[[words(20_000)]], [['a b'] * 20_000], [words(20_000)]", "the same, with a long source"),
    ("sari:variant=xu2016", "[[words(20_000)]], [['a b'] * 20_000], [words(20_000)]", "the same, sums over types"),
    (
        "sari:variant=modified",
        "[[words(30_000)]], [[words(30_000)]], ['x ' + words(30_000)[::-1]]",
        "n-grams looked for",
    ),
    ("ter", "[[f'{n} b' for n in range(20_000)]], [[f'a b {n} c d e f g h' for n in range(20_000)]]", "many pairs"),
    ("chrf:char_order=6", "[[letters(2**20)] * 50], [[letters(2**20)[::-1]] * 50]", "long texts of few letters"),
    ("chrf:char_order=6", "[[letters(300)]] * 9, [[letters(2**20)] * 500] * 9", "short outputs, long references"),
    ("chrf:char_order=9", "[[letters(2**20)] * 50], [[letters(2**20)[::-1]] * 50]", "long texts, long n-grams"),
    ("chrf:char_order=9", "[[letters(2**20)] * 50], [[letters(2**20, n) for n in range(3)]]", "most n-grams differ"),
    ("chrf:word_order=2", "[[words(60_000)] * 9] * 50, [[words(60_000)[::-1]] * 9] * 50", "long texts of many words"),
    ("bleu", "[[words(60_000)] * 9] * 50, [[words(60_000)[::-1]] * 9] * 50", "long texts of many words"),
    ("bleu", "[[words(500_000)] * 50], [[words(500_000)[::-1], words(500_000)] * 5]", "a table that grows"),
    ("sari", "[[words(500_000)] * 50], [[words(500_000)[::-1]] * 9], [words(500_000)]", "a table that grows"),
    ("ter", "[[words(200_000)] * 50], [[words(200_000)[::-1]] * 9]", "long texts of many words"),
    (
        "ter",
        "[[words(20_000)]] * 100, [[' '.join(random.Random(0).choices(words(40_000).split(), k=1_020_000))]] * 100",
        "a reference over 50 times as long is compared cell by cell",
    ),
    ("cer", "[[letters(2_000_000)]], [[letters(2_000_000, 1)]]", "a comparison that takes minutes"),
    (EVERY[-1], "[[letters(500_000)] * 9], [letters(500_000, 1)]", "long texts of few letters"),
    (EVERY[-1], "[['aé漢😀 ' * 100_000] * 9], [' 😀漢éa' * 100_000]", "long texts of wide characters"),
    ("google-rouge", "[['a b c d'] * 2000], [[f'a b {n}' for n in range(20_000)]]", "leave-one-out"),
    ("google-rouge", "[[words(60_000)] * 50], [[words(60_000)[::-1]] * 9]", "long texts of many words"),
    ("google-rouge", "[['a b\\n' * 20_000] * 9], [['b a\\n' * 20_000] * 9]", "many lines"),
    ("google-rouge", "[['a b ' * 10_000 + '\\nc'] * 9], [['b a ' * 10_000] * 9]", "long lines of few words"),
    ("rouge", "[['a b c d'] * 2000], [[f'a b {n}' for n in range(20_000)]]", "leave-one-out"),
    ("rouge", "[[words(60_000)] * 50], [[words(60_000)[::-1]] * 9]", "long texts of many words"),
    (
        "rouge:compute_rouge_l=true",
        "[['a b ' * 10_000 + '\\nc'] * 9], [['b a ' * 10_000] * 9]",
        "long lines of few words",
    ),
    (
        "rouge:compute_rouge_l=true",
        "[[words(200_000)]], [['\\n'.join(words(200_000).split())]]",
        "a long line, many lines",
    ),
    ("rouge:wlcs_weight=1.2", "[['a b ' * 5_000 + '\\nc'] * 9], [['b a ' * 5_000] * 9]", "weighted runs"),
    ("rouge:wlcs_weight=1.2", "[['a b'] * 20], [['a b c'] * 20_000]", "sums in order"),
    (
        "autosummeng:window=1000",
        "[['a']], [[''.join(chr(33 + i**3 % 50021) for i in range(50_000))]]",
        "many pairs of n-grams",
    ),
    ("rouge:skip_bigram_gap_length=-1", "[[words(9_000)] * 9], [[words(9_000)] * 9]", "many pairs of words"),
]


@pytest.mark.timing
@pytest.mark.parametrize(("name", "groups", "why"), LONG_RUNS)
def test_it_can_be_interrupted_within_a_second(name: str, groups: str, why: str) -> None:
    """At any time: while texts are tokenized, tables made, n-grams counted, results written.

    Seconds are those of its own processor time, which other processes do not prolong.
    """
    code = """
        import os, random, signal, sys, threading, time

        def words(count):
            return " ".join(map(str, range(count)))

        def letters(count, seed=0):
            return "".join(random.Random(seed).choices("abcdefgh", k=count))

        name, groups = sys.argv[1:]
        groups = eval(groups)
        metric = load(name)
        waited = []
        for delay in (0.15, 0.5, 0.8, 1.3):
            at = []

            def interrupt():
                time.sleep(delay)
                at.append(time.process_time())
                os.kill(os.getpid(), signal.SIGINT)

            thread = threading.Thread(target=interrupt)
            try:
                thread.start()
                jackknifed(metric)(*groups)
                thread.join()
                break  # done before it was interrupted
            except KeyboardInterrupt:
                if at:
                    waited.append(time.process_time() - at[0])
        print(len(waited), max(waited))
    """
    times, longest = output_of(code, name, groups).split()
    assert int(times) > 0
    assert float(longest) < 1, why


# ---- memory ---------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_out_of_memory_is_an_error(name: str) -> None:
    """With more and more memory, until it is enough: each attempt returns the score or raises a MemoryError."""
    code = """
        import resource, sys

        name = sys.argv[1]
        metric = load(name)
        text = " ".join(str(number) for number in range(20_000))
        groups = [[[text + " x"]], [[text, text[::-1], text + " y"]]]
        if name.startswith("sari"):
            groups.append([text])
        small = [[["a b"]], [["b a"]], ["a"]][: len(groups)]
        expected = jackknifed(metric)(*small)
        start = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        failed, room = 0, 2**20
        while True:
            room += room // 5
            resource.setrlimit(resource.RLIMIT_AS, (start + room, resource.RLIM_INFINITY))
            try:
                jackknifed(metric)(*groups)
            except MemoryError:
                failed += 1
            else:
                break
            assert jackknifed(metric)(*small) == expected
        print(failed)
    """
    assert int(output_of(code, name)) >= 5


CALLS = """
    import resource, sys

    from metrics_framework.data.metrics_dict import MetricsDict
    from metrics_framework.kernels import _native
    from metrics_framework.metrics.base.batch_scores import GroupsOfOne

    OPTIONS = {
        "ter": {"case_sensitive": False, "no_punct": False},
        "sari": {
            "formula": 0, "lowercase": True, "tokenization": 2, "source_tokenization": 2, "single_spaces": False,
            "f1_of_means": False, "precision_of_deletion": False, "intersection": False, "beta_for_deletion": 0.0,
        },
        "bleu": {
            "lowercase": True, "tokenization": 2, "max_order": 4, "smoothing": 3, "smooth_value": 0.0,
            "effective_order": False, "of_sentence": False,
        },
        "chrf": {
            "char_order": 3, "word_order": 1, "squared_beta": 4.0, "lowercase": True, "whitespace": False,
            "eps_smoothing": False,
        },
        "error_rates": {"characters": True, "lowercase": True},
        "quality": {"lowercase": True, "tokenization": 2},
        "google_rouge": {"kinds": 0x7ff, "use_stemmer": True},
        "rouge": {
            "max_ngram": 2, "use_porter_stemmer": True, "remove_stopwords": True, "max_bytes": 0, "max_words": 0,
            "compute_rouge_l": True, "wlcs_weight": 1.2, "skip_reach": 3, "best_reference": False, "alpha": 0.5,
            "exceptions": _native.word_list("mice mouse\\n"), "stop_words": _native.word_list("the\\n"),
            "wlcs_name": "w", "skip_name": "s", "skip_unigram_name": "su",
        },
    }
    kernel, options = getattr(_native, sys.argv[1]), {"suffix": "_jk", "cell": "", **OPTIONS[sys.argv[1]]}
    summaries, references = [["d e f a b c", "É é"], []], [["a b c d e f", ["x", "y"], "漢\\u3000字"], ("a",)]
    others = [["a é b", "c"], ["a É b", "c"]] if sys.argv[1] == "sari" else []
    many = [["a"] * 3], [["b"] * 20], *[["c"]] * len(others)
    bad = [
        ([["a", None]], [["a"]]), ([["a"]], [[["a", 1]]]), ([["a"]], [[]]), ([3], [["a"]]), (3, [["a"]]),
        (["a"], [["a"], ["b"]]), ([["a"], ["é", 2]], [["a"], ["b"]]), ([["a"]], [None]),
    ]
    bad = [(*pair, *[["a"] * len(pair[1])] * len(others)) for pair in bad]

    def calls(number):
        for index in range(number):
            options["request"] = (*range(1, 16), 16, 20, 31, 34, 64, 128)[index % 21]
            kernel(summaries, references, *others, dictionary=MetricsDict, **options)
            kernel(*many, dictionary=dict, **options)
            assert kernel(*bad[index % len(bad)], dictionary=MetricsDict, **options) is None
            kernel(GroupsOfOne(["a b", ["c", "d"]]), references, *others, dictionary=dict, **options)
            for wrong in ({"dictionary": int}, {}, {"dictionary": dict, "unknown": 0}) if index % 8 == 0 else ():
                try:
                    kernel(summaries, references, *others, **wrong, **options)
                except TypeError:
                    pass

    calls(3_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(int(sys.argv[2]))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB there")
@pytest.mark.parametrize("name", ["ter", "sari", "bleu", "chrf", "error_rates", "google_rouge", "rouge", "quality"])
def test_no_memory_leaks(name: str) -> None:
    """Many calls of each kernel: with every request, and with invalid arguments."""
    assert int(output_of(CALLS, name, "40_000")) < 1000  # KiB: less than an object in each round


def test_a_kernel_works_after_an_exception() -> None:
    class Failing(MetricsDict):
        def __new__(cls) -> Failing:
            raise OSError("no dictionary")

    options = {
        "request": 1,
        "dictionary": Failing,
        "suffix": "",
        "cell": "",
        "case_sensitive": False,
        "no_punct": False,
    }
    with pytest.raises(OSError, match="no dictionary"):
        dispatch.native_module.ter([["a"]], [["b"]], **options)
    assert under("native", load("ter").score, "a", ["b"])["ter"] == 100.0
