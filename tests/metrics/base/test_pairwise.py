"""`Metric.pairwise`: every cell of the matrix is a score."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import NOT_TEXT
from overrides import overrides
from samples import sampled
from twins import TEXTS, kernels, random_groups, requires_native

from metrics_framework import InputError, MetricsDict, ReferenceBasedMetric, UsageError, load
from metrics_framework.data.texts import as_string
from metrics_framework.kernels.dispatch import Request, native_kernel, native_module
from metrics_framework.metrics.base import metric as metric_module

np = pytest.importorskip("numpy", reason="the matrix is a NumPy array")

SPECS = {  # and the name of the score
    "autosummeng": "MeMoG",
    "bleu": None,
    "bleu:tokenizer=intl,lowercase=true": None,
    "bleu:max_ngram_order=2,smooth_method=add-k": "bleu_bp",
    "bleu:max_ngram_order=101": None,
    "chrf": None,
    "chrf:char_order=0,word_order=3": None,
    "chrf:word_order=2,eps_smoothing=true,lowercase=true": None,
    "chrf:char_order=14,whitespace=true,beta=1": None,
    "google-rouge": "rougeLsum_recall",
    "rouge:max_words=9,remove_stopwords=true": "rouge-2_f1",
    "sent-bleu": None,
    "sent-bleu:effective_order=false,smooth_method=floor": None,
    "ter": None,
    "ter:case_sensitive=true,no_punct=true": "ter_num_edits",
    "ter:normalized=true,asian_support=true": "ter_ref_length",
    "token-f1": None,
}
STRINGS = TEXTS.map(as_string)
TWO_LISTS = st.tuples(st.lists(STRINGS, max_size=6), st.lists(STRINGS, max_size=6))


def expected(metric: Any, hypotheses: Sequence[Any], references: Sequence[Any], name: str, *source: Any) -> Any:
    """The matrix by its definition."""
    rows = [
        [metric.score(hypothesis, [reference], *source).flatten()[name] for reference in references]
        for hypothesis in hypotheses
    ]
    return np.array(rows, dtype=np.float64).reshape(len(hypotheses), len(references))


def assert_is(found: Any, wanted: Any) -> None:
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, wanted)  # NaN equals NaN


@pytest.mark.parametrize("implementation", [pytest.param("native", marks=requires_native), "python"])
@pytest.mark.parametrize("spec", sampled(SPECS, 9))
@settings(max_examples=5, deadline=None)
@given(lists=TWO_LISTS)
def test_every_cell_is_a_score(spec: str, implementation: str, lists: tuple[list[Any], list[Any]]) -> None:
    metric, (hypotheses, references) = load(spec), lists
    name = SPECS[spec] or metric.name
    with kernels(implementation):
        matrix = metric.pairwise(hypotheses, references, score=SPECS[spec])
        assert_is(matrix, expected(metric, hypotheses, references, name))
        assert_is(metric.pairwise(hypotheses, score=name), expected(metric, hypotheses, hypotheses, name))


@pytest.mark.parametrize("spec", sampled(["chrf:word_order=2", "bleu", "ter", "google-rouge"], 1))
@pytest.mark.parametrize("seed", sampled(range(3), 1))
def test_many_texts(spec: str, seed: int) -> None:
    metric = load(spec)
    summaries_list, references_list = random_groups(seed, 70, 2, most_references=3)
    hypotheses = [text for texts in summaries_list for text in texts]
    references = [text for texts in references_list for text in texts]
    name = "rougeL_fmeasure" if spec == "google-rouge" else metric.name
    assert len(hypotheses) > 64
    assert len(references) > 128
    wanted = expected(metric, hypotheses, references, name)
    assert_is(metric.pairwise(hypotheses, references, score=name), wanted)


def test_repeated_units_and_long_texts() -> None:
    hypotheses = ["a" * 300, "a" * 299 + "b", "ab" * 200, "a b " * 40, "", " ", "\ud800\U0010ffff" * 40, "x" * 70000]
    for spec in ("chrf", "chrf:char_order=9,word_order=5", "bleu"):
        metric = load(spec)
        assert_is(metric.pairwise(hypotheses), expected(metric, hypotheses, hypotheses, metric.name))


def test_the_source_is_that_of_all_hypotheses() -> None:
    source, hypotheses = "About 95 species are accepted .", ["About 95 you now get in .", "95 species", "About 95"]
    for spec in ("sari", "sari:variant=set", "sari:variant=joshua", "ibleu"):
        metric = load(spec)
        for implementation in ("native", "python") if native_module else ("python",):
            with kernels(implementation):
                matrix = metric.pairwise(hypotheses, hypotheses[1:], source=source)
            assert_is(matrix, expected(metric, hypotheses, hypotheses[1:], metric.name, source))
    with pytest.raises(InputError, match=r"'sari' needs the source of the hypotheses; pass source="):
        load("sari").pairwise(hypotheses)
    with pytest.raises(InputError, match="'ter' does not use a source; leave it out"):
        load("ter").pairwise(hypotheses, source=source)
    with pytest.raises(InputError, match=f"'source' is the number 3, {NOT_TEXT}"):
        load("sari").pairwise(hypotheses, source=3)


@pytest.mark.parametrize("name", ["cer", "fkbleu", "ibleu", "transformations", "wer"])
def test_metrics_without_a_kernel_of_pairs(name: str) -> None:
    metric, texts = (
        load(name),
        ["About 95 species are accepted .", "95 species", "A cat .", "", "\ud800 😀", "95 species"],
    )
    source = ["About 95 species are currently accepted ."] if "source" in metric.fields else []
    score = (
        metric.name if name != "transformations" else next(iter(metric.score(texts[0], texts[:1], *source).flatten()))
    )
    matrix = metric.pairwise(texts, texts[:4], source=source[0] if source else None, score=score)
    assert_is(matrix, expected(metric, texts, texts[:4], score, *source))


class Lengths(ReferenceBasedMetric):
    """A metric without a kernel, with a score that may be undefined."""

    calls: list[int]

    @overrides
    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Any]], references_list: Sequence[Sequence[Any]]
    ) -> list[list[MetricsDict]]:
        self.calls.append(sum(map(len, summaries_list)))
        return [
            [MetricsDict({"difference": len(one) - len(texts[0]) if texts[0] else None}) for one in summaries]
            for summaries, texts in zip(summaries_list, references_list, strict=True)
        ]


def test_a_metric_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_module, "CELLS_AT_ONCE", 6)
    metric = Lengths()
    metric.calls = []
    matrix = metric.pairwise(["a", "bb", "a"], ["ccc", "", "ccc", "d"])
    assert_is(matrix, [[-2, math.nan, -2, 0], [-1, math.nan, -1, 1], [-2, math.nan, -2, 0]])
    assert metric.calls == [6]  # equal texts are compared once
    metric.pairwise(["a", "bb"], list("cdefg"))
    assert metric.calls == [6, 6, 4]


def test_lists_of_other_libraries() -> None:
    ter = load("ter")
    wanted = ter.pairwise(["a b", "b c d"])
    assert_is(ter.pairwise(np.array(["a b", "b c d"])), wanted)
    assert_is(ter.pairwise(iter(["a b", "b c d"])), wanted)
    wanted[0, 0] = 7  # the matrix may be changed
    assert wanted[0, 0] == 7


@pytest.mark.parametrize("texts", [[["a", "b"], ["c"]], [("a",)], ["a", ["b"]], np.array([["a", "b"], ["c", "d"]])])
def test_lists_in_place_of_texts_are_refused(texts: Any) -> None:
    """They may be the hypotheses of several inputs, which would be joined to one text each."""
    for arguments in ([texts], [["a"], texts]):
        with pytest.raises(InputError, match=r"must be a string, got .* call pairwise"):
            load("ter").pairwise(*arguments)


def test_no_texts() -> None:
    assert load("ter").pairwise([]).shape == (0, 0)
    assert load("ter").pairwise(["a", "b"], []).shape == (2, 0)
    assert load("token-f1").pairwise([], ["a"]).shape == (0, 1)


def test_mistakes_are_reported() -> None:
    with pytest.raises(InputError, match="'hypotheses' must be a list"):
        load("ter").pairwise("a cat")
    with pytest.raises(InputError, match=rf"'references\[1\]' is the number 3, {NOT_TEXT}"):
        load("ter").pairwise(["a"], ["a", 3])
    with pytest.raises(InputError, match=r"the fields of 'fkgl' are: summary"):
        load("fkgl").pairwise(["a"])
    with pytest.raises(UsageError, match="'google-rouge' has several scores; pass score=, one of rouge1_precision, "):
        load("google-rouge").pairwise(["a"])
    with pytest.raises(UsageError, match="the score 'bleu_precisions' of 'bleu' is a list; pass score=, one of bleu, "):
        load("bleu").pairwise(["a"], score="bleu_precisions")
    with pytest.raises(
        UsageError, match="the score 'chrf' of 'ter' is unknown; pass score=, one of ter, ter_num_edits"
    ):
        load("ter").pairwise(["a"], score="chrf")


@requires_native
def test_kernels_return_matrices_only_by_themselves() -> None:
    ter = load("ter")
    for request in (Request.PAIRS | Request.SCORES, Request.PAIRS | Request.TEXTS):
        assert ter.native(native_kernel("ter", request), [["a"]], [["a"]]) is None
    found = ter.native(native_kernel("ter", Request.PAIRS), [["a b", "b"], []], [["a"], ["a", "b"]])
    assert [np.frombuffer(matrix).tolist() for matrix in found[0]] == [[100, 100], []]
    assert (
        load("bleu").native(
            lambda *groups, **options: native_kernel("bleu", 64)(*groups, **{**options, "cell": "x"}), [["a"]], [["a"]]
        )
        is None
    )


PROGRAM = """
import os, random, signal, sys, threading
from metrics_framework import load

chance = random.Random(5)
words = ["".join(chance.choices("etaoinshrdlu", k=chance.randrange(1, 9))) for _ in range(2000)]
def texts(count, length):
    return [" ".join(chance.choices(words, k=length)) for _ in range(count)]
name = "rougeL_recall" if sys.argv[1] == "google-rouge" else None
metric = load(sys.argv[1])
metric.pairwise(texts(2, 9), score=name)
"""
MEMORY = """
def resident(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))

many = texts(1024, 22)
open("/proc/self/clear_refs", "w").write("5")  # the peak is now the current size
before = resident("VmRSS:")
metric.pairwise(many)
print(resident("VmHWM:") - before)
"""
INTERRUPT = """
many = texts(4000, 100)
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    metric.pairwise(many, score=name)
except KeyboardInterrupt:
    print("interrupted")
"""
OUT_OF_MEMORY = """
import resource

resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
try:
    metric.pairwise([str(number) for number in range(100_000)])
except MemoryError:
    print(metric.pairwise(["a b"], ["a b"]).tolist())
"""


def output_of(program: str, spec: str) -> str:
    """Returns what a program prints about a metric."""
    call = [sys.executable, "-c", PROGRAM + program, spec]
    environment = {**os.environ, "FW_KERNELS": "native"}
    done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
@requires_native
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory has other units")
@pytest.mark.parametrize("spec", ["chrf", "bleu", "ter"])
def test_memory_is_the_matrix_and_the_texts(spec: str) -> None:
    assert 8_000 < int(output_of(MEMORY, spec)) < 30_000  # kB; the matrix alone has 8,192


@pytest.mark.slow
@requires_native
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("spec", ["chrf", "bleu", "ter", "google-rouge"])
def test_an_interrupt_ends_a_large_matrix(spec: str) -> None:
    assert output_of(INTERRUPT, spec) == "interrupted\n"


@pytest.mark.slow
@requires_native
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
@pytest.mark.parametrize(("spec", "score"), [("chrf", "100.0"), ("ter", "0.0")])
def test_a_matrix_larger_than_the_memory_is_an_error(spec: str, score: str) -> None:
    """CPython also reports an internal error if it cannot create a bytearray of this size."""
    assert output_of(OUT_OF_MEMORY, spec) == f"[[{score}]]\n"
