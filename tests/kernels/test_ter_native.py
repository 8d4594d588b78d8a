"""The native kernel of TER: equal to its twin on any input, and safe."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.kernels import dispatch
from metrics_framework.kernels.python import ter as twin
from metrics_framework.text.tercom import tercom_words

if dispatch.native_module is None and os.environ.get("FW_REQUIRE_NATIVE") != "1":
    pytest.skip("needs the native kernels, which are not built", allow_module_level=True)

from metrics_framework.kernels import _native

Words = list[str]
Counts = list[list[float]]
WHITESPACE = "".join(chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace())
ANYTHING = st.text(st.characters(categories=None)) | st.text(st.sampled_from("aAbB ΣσςİiI.,()\x1c\x85\u3000\ud800😀"))


def native_counts(summaries_list: Any, references_list: Any, *options: bool) -> Counts | None:
    """The edits of each summary and the mean length of its references, group after group."""
    case_sensitive, no_punct = options or (False, False)
    found = _native.ter(
        summaries_list,
        references_list,
        request=dispatch.Request.STATISTICS,
        dictionary=MetricsDict,
        suffix="_jk",
        cell="",
        case_sensitive=case_sensitive,
        no_punct=no_punct,
    )
    return None if found is None else found[0]


def twin_counts(summaries: list[str], references: list[str], *options: bool) -> Counts:
    case_sensitive, no_punct = options or (False, False)

    def words(text: str) -> tuple[str, ...]:
        return tercom_words(text, no_punct=no_punct, case_sensitive=case_sensitive)

    counts = twin.ter_statistics([list(map(words, summaries))], [list(map(words, references))])[0]
    return [[edits, length / number] for edits, length, number in counts]


def assert_equal_to_twin(summary: Words, reference: Words) -> None:
    texts = " ".join(summary), " ".join(reference)
    assert native_counts([[texts[0]]], [[texts[1]]]) == twin_counts([texts[0]], [texts[1]])


COUNTS = """
from metrics_framework.kernels import _native

def native_counts(summaries_list, references_list):
    options = {"request": 2, "dictionary": dict, "suffix": "", "cell": "", "case_sensitive": False, "no_punct": False}
    found = _native.ter(summaries_list, references_list, **options)
    return None if found is None else found[0]
"""


def output_of(code: str) -> str:
    """Runs a program in a new process and returns its output."""
    program = [sys.executable, "-c", COUNTS + textwrap.dedent(code)]
    return subprocess.run(program, capture_output=True, text=True, check=True).stdout


# ---- equal to the twin ----------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(ANYTHING, max_size=3), st.lists(ANYTHING, min_size=1, max_size=3), st.booleans(), st.booleans())
def test_texts_of_any_characters(
    summaries: list[str], references: list[str], case_sensitive: bool, no_punct: bool
) -> None:
    found = native_counts([summaries], [references], case_sensitive, no_punct)
    assert found == twin_counts(summaries, references, case_sensitive, no_punct)


def test_all_whitespace_separates_words_and_nothing_else_does() -> None:
    for code in [*range(0x250), *map(ord, WHITESPACE), 0x180E, 0x200B, 0x2060, 0xFEFF]:
        for text in (f"a{chr(code)}b c", f"a{chr(code)}B ", chr(code)):
            assert native_counts([[text]], [["x"]]) == twin_counts([text], ["x"])


def test_every_letter_is_lower_cased_as_in_python() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).lower() != chr(code)]
    texts = [f"{letter} A{letter} {letter}." for letter in letters]
    lowered = [[text.lower()] for text in texts]
    assert native_counts([[text] for text in texts], lowered) == [[0, 3.0]] * len(texts)


def random_pair(seed: int, most: int) -> tuple[Words, Words]:
    """A reference, and a summary made of it by shifts and substitutions."""
    generator = random.Random(seed)
    kinds = generator.choice([1, 2, 3, 6, 20, 100, 1000])
    reference = [str(generator.randrange(kinds)) for _ in range(generator.randint(0, most))]
    summary = list(reference)
    for _ in range(generator.randint(0, 5)):
        start, length = generator.randint(0, most), generator.randint(1, 15)
        block = summary[start : start + length]
        del summary[start : start + length]
        target = generator.randint(0, len(summary))
        summary[target:target] = block
    for _ in range(generator.randint(0, 1 + len(summary) // generator.choice([2, 5, 20]))):
        start = generator.randint(0, len(summary))
        new = [str(generator.randrange(2 * kinds)) for _ in range(generator.randint(0, 2))]
        summary[start : start + generator.randint(0, 2)] = new
    return summary, reference


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 2**32), st.sampled_from([5, 12, 24, 40, 64, 70, 130, 300]))
def test_pairs_of_any_length(seed: int, most: int) -> None:
    summary, reference = random_pair(seed, most)
    assert_equal_to_twin(summary, reference)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 5), st.integers(40, 260), st.integers(1, 9), st.integers(0, 2**32), st.booleans())
def test_sides_of_very_different_length(short: int, ratio: int, kinds: int, seed: int, swapped: bool) -> None:
    generator = random.Random(seed)
    pair = [[str(generator.randrange(kinds)) for _ in range(length)] for length in (short, short * ratio)]
    summary, reference = reversed(pair) if swapped else pair
    assert_equal_to_twin(summary, reference)


def test_a_long_reference_with_many_words_is_indexed_by_lists() -> None:
    reference = [f"w{number % 2900}" for number in range(12000)]
    summary = reference[:5000] + reference[5030:] + ["new"]
    summary[700:703] = summary[702:699:-1]
    assert_equal_to_twin(summary, reference)


def test_groups_of_different_sizes_and_batches_of_several_megabytes() -> None:
    generator = random.Random(0)

    def text() -> str:
        return " ".join(generator.choice(["a", "B", "c" * 9, "é", "d,"]) for _ in range(generator.randint(0, 12)))

    summaries_list = [[text() for _ in range(generator.randint(0, 3))] for _ in range(300)]
    references_list = [[text() for _ in range(generator.randint(1, 4))] for _ in range(300)]
    groups = zip(summaries_list, references_list, strict=True)
    expected = [counts for group in groups for counts in twin_counts(*group)]
    repeated = 2 * 2**20 // (300 * 100)
    found = native_counts(summaries_list * repeated, references_list * repeated)
    assert found == expected * repeated


def test_sentences_of_a_text_are_joined() -> None:
    assert native_counts([[["A cat.", "It"]]], [[("a", "cat. it"), "x"]]) == [[0, 2.0]]


# ---- hostile input --------------------------------------------------------------------------------------------------


def test_huge_texts() -> None:
    words = [f"w{number}" for number in range(100_000)]
    text = " ".join(words)
    assert native_counts([[text]], [[text]]) == [[0, 100000.0]]
    assert native_counts([["x " + text]], [[text]]) == [[1, 100000.0]]
    assert native_counts([["a " * 100_000]], [["b " * 100_000]]) == [[100000, 100000.0]]
    assert native_counts([["a"]], [["b " * 100_000]]) == [[100000, 100000.0]]
    assert native_counts([["b " * 100_000]], [["a"]]) == [[100000, 1.0]]
    assert native_counts([["a" * 10**7]], [["a" * 10**7 + "b"]]) == [[1, 1.0]]


def test_many_equal_references_and_summaries() -> None:
    assert native_counts([["b a"] * 20_000], [["a b"] * 20_000]) == [[1, 2.0]] * 20_000


@pytest.mark.parametrize(
    ("summaries_list", "references_list"),
    [
        ([["a"]], []),
        ([["a"]], [[]]),
        (None, [["a"]]),
        ([None], [["a"]]),
        ([[None]], [["a"]]),
        (["a"], [["a"]]),
        ([["a"]], ["a"]),
        ([["a"]], [[1]]),
        ([["a"]], [[["a", 1]]]),
        ([["a"]], [["a"], ["b"]]),
        (iter([["a"]]), [["a"]]),
    ],
)
def test_invalid_batches_are_left_to_python(summaries_list: Any, references_list: Any) -> None:
    assert native_counts(summaries_list, references_list) is None


def test_a_list_may_change_during_a_call() -> None:
    class Shrinking(str):
        def lower(self) -> str:
            references.clear()
            return "x"

    references: list[list[str]] = [["a"]] * 3
    counts = native_counts([[Shrinking("É")]] * 3, references)  # a str is taken as it is, whatever its class
    assert counts == [[1, 1.0]] * 3
    assert len(references) == 3


def test_out_of_memory_is_an_error() -> None:
    code = """
        import resource
        text = " ".join(str(number) for number in range(2_000_000))
        resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
        try:
            native_counts([[text]], [["x " + text]])
        except MemoryError:
            print(native_counts([["a"]], [["b"]]))
    """
    assert output_of(code) == "[[1, 1.0]]\n"


# ---- threads and signals --------------------------------------------------------------------------------------------


@pytest.mark.timing
def test_it_can_be_interrupted_within_a_second() -> None:
    """The shifts of a pair take minutes: a reference over 50 times as long is compared cell by cell."""
    code = """
        import os, random, signal, threading, time

        generator = random.Random(0)
        summary = " ".join(str(number) for number in range(20_000))
        reference = " ".join(str(generator.randrange(40_000)) for _ in range(1_020_000))
        at = []

        def interrupt():
            time.sleep(0.5)
            at.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        try:
            native_counts([[summary]] * 100, [[reference]] * 100)
        except KeyboardInterrupt:
            print(time.monotonic() - at[0])
    """
    assert float(output_of(code)) < 1


def test_threads_score_at_the_same_time() -> None:
    pairs = [random_pair(seed, 60) for seed in range(200)]
    summaries_list, references_list = ([[" ".join(words)] for words in side] for side in zip(*pairs, strict=True))
    expected = native_counts(summaries_list, references_list)
    results: list[Any] = []

    def score() -> None:
        results.extend(native_counts(summaries_list, references_list) for _ in range(20))

    threads = [threading.Thread(target=score) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 80


def test_no_memory_leaks() -> None:
    code = """
        import resource

        def calls(number):
            for _ in range(number):
                native_counts([["d e f a b c", "É é"]], [["a b c d e f", ["x", "y"]]])
                for bad in ([["a", None]], [[["a", 1]]], [3]):
                    native_counts(bad, [["a"]])

        calls(5_000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        calls(100_000)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    assert int(output_of(code)) < 1000  # KiB: 10 bytes lost in a call would make as much
