"""N-gram graphs: worked by hand, and the native kernel equal to its twin."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import sampled
from twins import jackknifed, kernels, requires_native, under

from metrics_framework.kernels.dispatch import Request, native_kernel
from metrics_framework.kernels.python.ngram_graphs import Graph, merged, ngram_graph, similarity, units_of
from metrics_framework.metrics.base.metric import load

UNITS = [  # text, code units, why
    ("", "", "no line"),
    ("a", "a\n", "the last line ends too"),
    ("a\n", "a\n", "no empty line after the last"),
    ("\n\n", "\n\n", "two empty lines"),
    ("a\r\nb\rc", "a\nb\nc\n", "all three line ends of Java"),
    ("\r", "\n", "one empty line"),
    ("\n\r", "\n\n", "a carriage return after a line feed ends another line"),
    ("a\x0b\u2028\x85", "a\x0b\u2028\x85\n", "other characters end no line"),
    ("😀", "\ud83d\ude00\n", "two code units"),
    ("\ud83d", "\ud83d\n", "half of a character is one code unit"),
]


@pytest.mark.parametrize(("text", "units", "why"), UNITS)
def test_texts_are_code_units_of_lines(text: str, units: str, why: str) -> None:
    assert units_of(text) == units


GRAPHS = [  # code units, order, window, weights, directed edges, why
    ("", 1, 3, {}, 0, "nothing"),
    ("ab", 3, 3, {}, 0, "shorter than an n-gram"),
    ("abc", 3, 3, {}, 0, "one n-gram, so no edge"),
    ("abcd", 3, 3, {("abc", "bcd"): 1}, 2, "two n-grams"),
    ("aaa", 1, 2, {("a", "a"): 3}, 1, "a loop: two of distance 1, one of distance 2"),
    ("aba", 1, 1, {("a", "b"): 2}, 2, "both directions are one edge"),
    ("aba", 1, 9, {("a", "b"): 2, ("a", "a"): 1}, 3, "a window beyond the text"),
]


@pytest.mark.parametrize(("units", "n", "window", "weights", "size", "why"), GRAPHS)
def test_graphs_by_hand(units: str, n: int, window: int, weights: Any, size: int, why: str) -> None:
    graph = ngram_graph(units, n, window)
    assert (graph.weights, graph.size) == (weights, size)


def test_merging_by_hand() -> None:
    """b: (4 + 1) / 2 after the second, then a third of the way to 1; new edges keep their weight."""
    graphs = [Graph({("a", "b"): 4.0}), Graph({("a", "b"): 1.0, ("c", "c"): 5.0}, 1), Graph({("a", "b"): 1.0})]
    found = merged(graphs)
    assert found.weights == {("a", "b"): 2.5 - 1.5 / 3, ("c", "c"): 5.0}
    assert (found.loops, found.size) == (1, 3)


def test_similarities_by_hand() -> None:
    """Shared are a-b, 2 of 4 in both directions, and the loop, 1 of 2; the larger graph has 5 directed edges."""
    first = Graph({("a", "b"): 2.0, ("c", "c"): 2.0}, 1)
    second = Graph({("c", "c"): 1.0, ("a", "b"): 4.0, ("a", "d"): 1.0}, 1)
    assert similarity(first, second) == similarity(second, first) == (0.5 + 2 * 0.5) / 5
    assert similarity(Graph(), Graph()) == similarity(first, Graph()) == 0


TEXT = st.text(st.sampled_from("ab \n\r😀\ud83d"), max_size=30)


@given(TEXT, st.integers(1, 4), st.integers(1, 4))
def test_a_text_equals_itself(text: str, n: int, window: int) -> None:
    graph = ngram_graph(units_of(text), n, window)
    assert similarity(graph, graph) == (1 if graph.weights else 0)
    assert merged([graph, graph]).weights == graph.weights


@given(TEXT, TEXT, st.integers(1, 4), st.integers(1, 4))
def test_similarity_is_symmetric_and_between_0_and_1(first: str, second: str, n: int, window: int) -> None:
    one, other = (ngram_graph(units_of(text), n, window) for text in (first, second))
    assert similarity(one, other) == pytest.approx(similarity(other, one), abs=1e-15)
    assert 0 <= similarity(one, other) <= 1 + 1e-15


# ---- the native kernel ----------------------------------------------------------------------------------------------


@requires_native
@pytest.mark.parametrize(
    "options", sampled([{}, {"min_n": 1, "max_n": 5, "window": 40}, {"min_n": 900, "max_n": 900}], 1)
)
def test_large_groups_are_compared_in_chunks(options: dict[str, int]) -> None:
    """More pairs of n-grams than short ids, and more than one chunk of summaries; a chunk may have one summary."""
    chance = random.Random(0)
    texts = ["".join(chance.choices("abcdefgh é", k=chance.choice([0, 5, 2_000]))) for _ in range(40)]
    texts += ["".join(map(chr, chance.choices(range(0x20, 0xFFF0), k=4_000))) for _ in range(2)]
    groups = [[texts[5:], texts[:5]], [texts[:2], texts[-2:]]]
    metric = load("autosummeng", **options)
    assert under("native", metric.score_multi_all, *groups) == under("python", metric.score_multi_all, *groups)


@pytest.mark.slow
@requires_native
def test_a_text_of_ten_megabytes() -> None:
    word = "ab" * 5_000_000
    equal, half = under("native", load("autosummeng").score_multi_all, [[word, word[:5_000_000]]], [[word]])[0]
    assert equal["AutoSummENG"] == 1
    # aba and bab: each an edge to itself, and two between them; bab and aba with the last n-gram: two each, equal
    assert half["AutoSummENG"] == pytest.approx((2 * 0.5 + 2 * 0.5 + 4 * 1) / 8, abs=1e-5)


@requires_native
def test_leave_one_out_with_many_references() -> None:
    references = [f"a b {number} d" for number in range(70)]
    metric = load("autosummeng")
    groups = ([["a b 77 d", ""]], [references])
    assert under("native", jackknifed(metric), *groups) == under("python", jackknifed(metric), *groups)


@requires_native
def test_more_than_memory_can_hold_is_a_memory_error() -> None:
    kernel = under("native", native_kernel, "autosummeng", Request.SCORES)
    text = "".join(map(chr, range(1, 0xD000))) * 40
    with pytest.raises(MemoryError):
        kernel([["a"]], [[text]], min_n=3, max_n=3, window=1000, published=True)


@pytest.mark.slow
@requires_native
def test_ctrl_c_ends_a_long_computation() -> None:
    program = """
    import signal
    from metrics_framework.metrics.base.metric import load
    metric = load("autosummeng", window=100)
    text = "".join(chr(33 + index * index % 89) for index in range(100_000))
    metric.score("a", ["b"])
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        metric.score_multi_all([[text] * 300], [[text] * 2])
    except KeyboardInterrupt:
        print("interrupted")
    """
    with kernels("native"):
        call = [sys.executable, "-c", textwrap.dedent(program)]
        done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr
