"""The plain edit distance: both implementations against a textbook programme and rapidfuzz, on whatever comes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from metrics_framework.common.errors import InputError
from metrics_framework.kernels import dispatch
from metrics_framework.kernels.dispatch import edit_distances

of_each_implementation = pytest.mark.usefixtures("kernels")
needs_native = pytest.mark.skipif(
    dispatch.native_module is None and os.environ.get("FW_REQUIRE_NATIVE") != "1",
    reason="needs the native kernels, which are not built",
)

LENGTHS = [0, 1, 2, 7, 31, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300, 511, 512, 513, 520, 1025, 1300]
ALPHABETS = ["ab", "abcdefgh", "aé\x00ÿ", "aé日本", "日本語😀\ud800", "".join(map(chr, range(0x4E00, 0x4F00)))]


def textbook(summary: Sequence[str], reference: Sequence[str]) -> int:
    above = list(range(len(reference) + 1))
    for row, symbol in enumerate(summary, 1):
        cells = [row]
        for column, other in enumerate(reference, 1):
            cells.append(min(above[column] + 1, cells[-1] + 1, above[column - 1] + (symbol != other)))
        above = cells
    return above[-1]


def random_pair(generator: random.Random, length: int) -> tuple[str, str]:
    """A text, and another that is made of it by edits or has nothing to do with it."""
    alphabet = generator.choice(ALPHABETS)

    def text(size: int) -> list[str]:
        return [generator.choice(alphabet) for _ in range(size)]

    first = text(length)
    second = list(first)
    if generator.random() < 0.3:
        second = text(generator.choice([length, generator.randint(0, length + 5), length * 3]))
    else:
        for _ in range(generator.randint(0, 1 + length // generator.choice([2, 5, 50]))):
            place = generator.randint(0, len(second))
            second[place : place + generator.randint(0, 2)] = text(generator.randint(0, 2))
    pair = ["".join(first), "".join(second)]
    generator.shuffle(pair)
    return pair[0], pair[1]


def output_of(code: str) -> str:
    """Runs a program of its own and returns what it prints."""
    program = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(program, capture_output=True, text=True, check=True).stdout


# ---- equal to the definition ----------------------------------------------------------------------------------------

CASES: list[tuple[Any, Any, int, str]] = [
    ("", "", 0, "nothing to edit"),
    ("", "abc", 3, "three insertions"),
    ("abc", "", 3, "three deletions"),
    ("kitten", "sitting", 3, "k to s, e to i, g"),
    ("ab", "ba", 2, "there are no exchanges"),
    ("é", "e\u0301", 2, "code points, not what is seen: e for é, and the accent"),
    ("😀", "😁", 1, "a character outside of the basic plane is one"),
    ("\ud83d\ude00", "😀", 2, "two lone surrogates are no pair"),
    ("a\x00b", "a\x00c", 1, "a NUL does not end a string"),
    ("\u6161", "aa", 2, "the bytes are the same, the characters are not"),
    ([], [], 0, "no words"),
    ([], ["a", "b"], 2, "two insertions"),
    (["", ""], [""], 1, "empty words are words"),
    (["ab", "c"], ["a", "bc"], 2, "words, not what they join to"),
    (["\u6161"], ["aa"], 1, "as with characters"),
    (("the", "cat"), ["the", "cat"], 0, "any sequence will do"),
    (["é"], ["e\u0301"], 1, "words are not normalized"),
]


@of_each_implementation
@pytest.mark.parametrize(("summary", "reference", "expected", "why"), CASES, ids=[case[3] for case in CASES])
def test_worked_by_hand(summary: Any, reference: Any, expected: int, why: str) -> None:
    assert edit_distances([summary], [reference]) == [expected]
    assert edit_distances([reference], [summary]) == [expected]


@of_each_implementation
def test_no_pairs() -> None:
    assert edit_distances([], []) == []


FEW = st.text(st.sampled_from("ab"), max_size=80)
ANYTHING = st.text(st.characters(categories=None), max_size=80) | st.text(st.sampled_from("ab\xe9日😀\ud800"))
WORDS = st.lists(st.sampled_from(["a", "b", "日", "", "ab"]) | st.text(st.characters(categories=None), max_size=3))


@of_each_implementation
@given(st.lists(st.tuples(FEW, FEW) | st.tuples(ANYTHING, ANYTHING) | st.tuples(WORDS, WORDS), max_size=12))
def test_pairs_of_any_symbols(pairs: list[tuple[Any, Any]]) -> None:
    found = edit_distances([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert found == [textbook(*pair) for pair in pairs]
    for pair, distance in zip(pairs, found, strict=True):
        if not {"", "\0"} <= {*pair[0], *pair[1]}:  # which rapidfuzz, comparing hashes of words, takes for the same
            assert distance == Levenshtein.distance(*pair)


@of_each_implementation
@settings(max_examples=40)
@given(st.integers(0, 2**32), st.booleans())
def test_pairs_of_any_length(seed: int, as_words: bool) -> None:
    generator = random.Random(seed)
    pairs: list[tuple[Any, Any]] = [random_pair(generator, generator.choice(LENGTHS)) for _ in range(15)]
    if as_words:
        pairs = [(list(first), list(second)) for first, second in pairs]
    found = edit_distances([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert found == [Levenshtein.distance(*pair) for pair in pairs]


@of_each_implementation
@given(WORDS, WORDS, WORDS)
def test_it_is_a_metric(first: list[str], second: list[str], third: list[str]) -> None:
    here, back, onwards, across = edit_distances([first, second, second, first], [second, first, third, third])
    assert here == back
    assert (here == 0) == (first == second)
    assert across <= here + onwards
    assert abs(len(first) - len(second)) <= here <= max(len(first), len(second))


@of_each_implementation
def test_more_pairs_than_a_batch_has_and_of_all_kinds() -> None:
    generator = random.Random(0)
    pairs: list[tuple[Any, Any]] = [random_pair(generator, generator.choice(LENGTHS[:12])) for _ in range(2500)]
    pairs[::7] = [(list(first), tuple(second)) for first, second in pairs[::7]]
    found = edit_distances([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert found == [Levenshtein.distance(list(first), list(second)) for first, second in pairs]


@needs_native
@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_long_pairs_that_are_near_or_far(seed: int) -> None:
    """So long that a small distance is tried first."""
    generator = random.Random(seed)
    first = "".join(generator.choice("abcdefgh") for _ in range(generator.randint(1025, 6000)))
    edited = list(first)
    for _ in range(generator.choice([3, 50, 500, 3000])):
        place = generator.randint(0, len(edited))
        edited[place : place + generator.randint(0, 2)] = generator.choice(["", "a", "bc"])
    cut = generator.randint(0, len(edited))
    for second in ("".join(edited), "".join(edited[cut:] + edited[:cut]), "".join(edited[:cut])):
        assert dispatch._native.edit_distances([first], [second]) == [Levenshtein.distance(first, second)]


@needs_native
def test_huge_pairs_that_are_near_take_no_time_of_their_own() -> None:
    generator = random.Random(0)
    first = "".join(generator.choice("abcdefgh") for _ in range(1_000_000))
    second = "x" + first[:300_000] + "日" + first[300_100:800_000] + "yy" + first[800_000:-1]
    # x; one of 100 characters replaced and 99 left out; yy; the last one left out
    assert dispatch._native.edit_distances([first, first], [second, first]) == [1 + 100 + 2 + 1, 0]
    words = [f"w{number}" for number in range(200_000)]
    other = ["x", *words[:100_000], *words[100_010:], "y"]
    assert dispatch._native.edit_distances([words], [other]) == [1 + 10 + 1]


@of_each_implementation
def test_huge_pairs_that_share_nearly_all() -> None:
    text = "a日" * 500_000
    assert edit_distances([text, text, "", text], [text, text + "b", text, "x" + text]) == [0, 1, 1_000_000, 1]


# ---- hostile input --------------------------------------------------------------------------------------------------


class Strange(str):
    """A string that says it equals all and none."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("not to be asked")

    def __hash__(self) -> int:
        raise AssertionError("not to be asked")

    def __len__(self) -> int:
        return 99

    def __str__(self) -> str:
        return "another"

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("not to be asked")


@of_each_implementation
def test_strings_of_derived_classes_are_plain_strings() -> None:
    strange = Strange("abc")
    assert edit_distances([strange, "abd", strange], ["abd", strange, strange]) == [1, 1, 0]
    assert edit_distances([[strange, "b"]], [["abc", Strange("c")]]) == [1]


class Endless:
    """A sequence whose items raise."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> str:
        raise RuntimeError("no item")


@of_each_implementation
@pytest.mark.parametrize(
    ("summaries", "references", "error", "message"),
    [
        (["a"], [], InputError, "as many summaries as references, got 1 and 0"),
        (["a", "b"], ["a", ["b"]], InputError, r"summaries\[1\] is a string and references\[1\] is not"),
        ([["b"]], ["b"], InputError, r"references\[0\] is a string and summaries\[0\] is not"),
        (["a"], [None], InputError, r"summaries\[0\] is a string"),
        (None, ["a"], TypeError, "NoneType"),
        ([None], [None], TypeError, "NoneType"),
        ([["a", 1]], [["a"]], TypeError, "a word must be a string, not int"),
        ([["a"]], [["a", b"b"]], TypeError, "a word must be a string, not bytes"),
        ([b"ab"], [b"ab"], TypeError, "a word must be a string, not int"),
        ([Endless()], [["a"]], RuntimeError, "no item"),
        (Endless(), ["a"], RuntimeError, "no item"),
    ],
)
def test_what_is_no_batch_of_pairs_is_refused(summaries: Any, references: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        edit_distances(summaries, references)


class Meddling:
    """A sequence that empties the lists it is given in while it is read."""

    def __init__(self, *lists: list[Any]) -> None:
        self.lists = lists

    def __iter__(self) -> Iterator[str]:
        for some in self.lists:
            some.clear()
        return iter(["a", "b"])


@of_each_implementation
def test_lists_that_change_under_way() -> None:
    summaries: list[Any] = ["x" * 100 + "y"]
    references: list[Any] = ["z" * 100]
    words: list[Any] = ["c", "d", "e"]
    summaries += [Meddling(summaries, references, words), "q" * 50]
    references += [words, "r" * 60]
    assert edit_distances(summaries, references) == [101, 2, 60]


@needs_native
def test_no_memory_is_an_error() -> None:
    code = """
        import resource
        from metrics_framework.kernels import _native
        text = "a日" * 20_000_000
        resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
        try:
            _native.edit_distances([text], ["b"])
        except MemoryError:
            print(_native.edit_distances(["a"], ["b"]))
    """
    assert output_of(code) == "[1]\n"


# ---- company --------------------------------------------------------------------------------------------------------


@needs_native
@pytest.mark.parametrize("kind", ["str", "list"])
def test_it_can_be_interrupted_within_a_second(kind: str) -> None:
    """One pair, which would take hours."""
    code = f"""
        import os, random, signal, threading, time
        from metrics_framework.kernels import _native

        generator = random.Random(0)
        summary, reference = ({kind}(bytes(generator.choices(range(97, 107), k=1_000_000)).decode()) for _ in range(2))
        at = []

        def interrupt():
            time.sleep(0.5)
            at.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        try:
            _native.edit_distances([summary], [reference])
        except KeyboardInterrupt:
            print(time.monotonic() - at[0])
    """
    assert float(output_of(code)) < 1


@needs_native
def test_many_short_pairs_can_be_interrupted_within_a_second() -> None:
    code = """
        import os, signal, threading, time
        from metrics_framework.kernels import _native

        at = []

        def interrupt():
            time.sleep(0.2)
            at.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        summaries, references = ["kitten" * 20] * 10**7, ["sitting" * 20] * 10**7
        threading.Thread(target=interrupt).start()
        try:
            _native.edit_distances(summaries, references)
        except KeyboardInterrupt:
            print(time.monotonic() - at[0])
    """
    assert float(output_of(code)) < 1


@needs_native
def test_threads_do_not_disturb_each_other() -> None:
    generator = random.Random(1)
    pairs = [random_pair(generator, generator.choice(LENGTHS)) for _ in range(300)]
    summaries, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = dispatch._native.edit_distances(summaries, references)
    results: list[list[int]] = []

    def count() -> None:
        results.extend(dispatch._native.edit_distances(summaries, references) for _ in range(20))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 80


@needs_native
@pytest.mark.slow
def test_no_memory_is_lost() -> None:
    code = """
        import resource
        from metrics_framework.kernels import _native

        class Derived(str):
            pass

        BAD = [([["a", None]], [["a"]]), (["a"], [3]), ([3], [3]), (["a"], []), ([["a"]], [[Derived("b"), 1]])]
        long, other = "ab日c" * 200, "acb日" * 300

        def calls(number):
            for _ in range(number):
                _native.edit_distances(["kitten", "a日", "x" * 70], ["sitting", "日", "y" * 80])
                _native.edit_distances([["a", "b", Derived("c")], ("é", "")], [["b", "c"], ["", "é"]])
            for _ in range(number // 10):
                for summaries, references in BAD:
                    try:
                        _native.edit_distances(summaries, references)
                    except (TypeError, ValueError):
                        pass
            for _ in range(number // 500):
                _native.edit_distances([long, list(long)], [other, list(other)])

        calls(50_000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        calls(500_000)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    assert int(output_of(code)) < 1000  # KiB: 2 bytes lost in a call would make as much
