"""The kernel of the quality features: worked by hand, equal to rapidfuzz, and the native one equal to its twin."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel, LCSseq
from twins import STRINGS, Subclassed, random_groups, requires_native, under

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.kernels.dispatch import Request, Tokenization, native_kernel
from metrics_framework.kernels.python.quality import common_subsequence, indel_distance, quality_statistics
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer

tokenize_13a = load_tokenizer("13a").tokenize

LETTERS = st.text(st.sampled_from("abcdé漢😀\ud800\udfff \u3000"), max_size=300) | st.text(max_size=40)
TOKENIZATIONS = (Tokenization.TOKENIZER_13A, Tokenization.WHITESPACE)
SETTINGS = [(tokenization, lowercase) for tokenization in TOKENIZATIONS for lowercase in (False, True)]


def native(summaries_list: Any, sources: Sequence[Any], tokenization: Tokenization, lowercase: bool) -> Any:
    kernel = under("native", native_kernel, "quality", Request.STATISTICS | Request.TEXTS)
    options = {"lowercase": lowercase, "tokenization": tokenization}
    statistics, texts_list = kernel(summaries_list, [(source,) for source in sources], **options)
    remaining = iter(statistics)
    return [([next(remaining) for _ in texts[:-1]], texts) for texts in texts_list]


def twin(summaries_list: Any, sources: Sequence[Any], tokenization: Tokenization, lowercase: bool) -> Any:
    def normalized(text: Any) -> str:
        string = text if isinstance(text, str) else " ".join(text)
        string = string.lower() if lowercase else string
        return tokenize_13a(string) if tokenization == Tokenization.TOKENIZER_13A else str(string)

    texts_list = [[normalized(summary) for summary in summaries] for summaries in summaries_list]
    own = [normalized(source) for source in sources]
    statistics = quality_statistics(texts_list, own)
    return [(numbers, [*texts, source]) for numbers, texts, source in zip(statistics, texts_list, own, strict=True)]


# ---- the twin -------------------------------------------------------------------------------------------------------

BY_HAND = [  # first, second, longest common subsequence, why
    ("", "", 0, "nothing"),
    ("abc", "", 0, "nothing in common"),
    ("abcbdab", "bdcaba", 4, "the example of textbooks: bcba"),
    ("aaaa", "aa", 2, "one letter"),
    ("abc", "abc", 3, "equal"),
    ("ab", "ba", 1, "another order"),
    ("a😀\ud800b", "a\ud800😀b", 3, "code points beyond 16 bits and halves of characters are characters"),
    ("a" * 64 + "b", "b" + "a" * 64, 64, "a carry over the end of a word of 64 bits"),
]


@pytest.mark.parametrize(("first", "second", "length", "why"), BY_HAND, ids=[why for *_, why in BY_HAND])
def test_the_longest_common_subsequence_by_hand(first: str, second: str, length: int, why: str) -> None:
    assert common_subsequence(first, second) == common_subsequence(second, first) == length
    assert indel_distance(first, second) == len(first) + len(second) - 2 * length


def test_the_numbers_of_a_pair_by_hand() -> None:
    """They share ' cat ' followed by 'at', and the word cat once."""
    assert quality_statistics([["a cat cat", "the cat sat"], []], ["the cat sat", "x"]) == [
        [[9, 11, 20 - 2 * 7, 0, 3, 3, 1], [11, 11, 0, 1, 3, 3, 3]],
        [],
    ]


@given(LETTERS, LETTERS)
def test_the_distance_is_that_of_rapidfuzz(first: str, second: str) -> None:
    assert common_subsequence(first, second) == LCSseq.similarity(first, second)
    assert indel_distance(first, second) == Indel.distance(first, second)


# Two frequent letters and 700 rare ones.
RARE_LETTERS = "ab" * 100 + "".join(map(chr, range(0x4E00, 0x4E00 + 700)))

# ---- the native kernel ----------------------------------------------------------------------------------------------


@requires_native
@pytest.mark.parametrize(("tokenization", "lowercase"), SETTINGS)
def test_random_batches(tokenization: Tokenization, lowercase: bool) -> None:
    for seed in range(150):
        summaries_list, references_list = random_groups(seed, 5, 2, most_references=1)
        sources = [references[0] if references else "" for references in references_list]
        assert native(summaries_list, sources, tokenization, lowercase) == twin(
            summaries_list, sources, tokenization, lowercase
        )


@requires_native
@settings(max_examples=200)
@given(st.lists(STRINGS | LETTERS, max_size=3), STRINGS | LETTERS, st.sampled_from(SETTINGS))
def test_any_texts(summaries: list[str], source: str, setting: tuple[Tokenization, bool]) -> None:
    found = native([summaries], [source], *setting)
    assert found == twin([summaries], [source], *setting)
    ((numbers, texts),) = found
    assert [own[2] for own in numbers] == [Indel.distance(text, texts[-1]) for text in texts[:-1]]


@requires_native
def test_every_character_is_lower_cased_as_by_python() -> None:
    texts = [f"{character}A{character}Zm\u00c9" for character in map(chr, (*range(0x10000), 0x1F600, 0x10400))]
    texts += [f"{text}\u2019" for text in texts[0x80:0x180]]
    ((_, found),) = native([texts], ["\u00d7\u00dfA"], Tokenization.WHITESPACE, True)
    assert found == [*(text.lower() for text in texts), "\u00d7\u00dfa"]


@requires_native
@pytest.mark.parametrize("length", [63, 64, 65, 255, 256, 257, 511, 513, 2000])
@pytest.mark.parametrize("letters", ["ab", "abcdefgh ", "aé", "漢字かな", "a😀\udfff", RARE_LETTERS])
def test_lengths_around_those_of_words_and_of_short_texts(length: int, letters: str) -> None:
    generator = random.Random(length)
    texts = ["".join(generator.choices(letters, k=length + more)) for more in (-1, 0, 1, 70)]
    for source in texts:
        ((numbers, _),) = native([texts], [source], Tokenization.WHITESPACE, False)
        assert [own[2] for own in numbers] == [Indel.distance(text, source) for text in texts]


@requires_native
@pytest.mark.parametrize("letters", ["abcd", RARE_LETTERS])
def test_carries_from_stripe_to_stripe_of_long_texts(letters: str) -> None:
    """A stripe has 65,536 characters."""
    generator = random.Random(7)
    texts = ["".join(generator.choices(letters, k=65_600)), "b" * 65_600]
    source = "".join(generator.choices(letters, k=65_700))
    ((numbers, _),) = native([texts], [source], Tokenization.WHITESPACE, False)
    assert [own[2] for own in numbers] == [Indel.distance(text, source) for text in texts]


@requires_native
def test_many_different_characters() -> None:
    generator = random.Random(0)
    letters = [chr(0x4E00 + number) for number in range(3000)]
    texts = ["".join(generator.sample(letters, 3000)) for _ in range(3)] + ["a" * 300, "b"]
    assert native([texts, texts], [texts[0], "ab"], Tokenization.WHITESPACE, False) == twin(
        [texts, texts], [texts[0], "ab"], Tokenization.WHITESPACE, False
    )


@requires_native
def test_texts_may_have_other_forms() -> None:
    plain = native([["a B", "c d"]], ["a b"], Tokenization.TOKENIZER_13A, True)
    assert native(((Subclassed("a B"), ["c", "d"]),), (("a", "b"),), Tokenization.TOKENIZER_13A, True) == plain


REFUSED = [  # summaries_list, sources_list, why
    ([["a", None]], [["a"]], "no text"),
    ([["a"]], [[]], "no source"),
    ([["a"]], [["a"], ["b"]], "unequal lists"),
    (3, [["a"]], "no list"),
]


@requires_native
@pytest.mark.parametrize(("summaries_list", "sources_list", "why"), REFUSED, ids=[why for *_, why in REFUSED])
def test_what_is_not_plain_is_left_to_python(summaries_list: Any, sources_list: Any, why: str) -> None:
    kernel = under("native", native_kernel, "quality", Request.STATISTICS | Request.TEXTS)
    assert kernel(summaries_list, sources_list, lowercase=True, tokenization=Tokenization.WHITESPACE) is None


@requires_native
def test_requests() -> None:
    def asked(name: str, request: int, **options: Any) -> Any:
        kernel = under("native", native_kernel, name, Request(request))
        return kernel([["Ab c"], []], [["ab"], ["x"]], **options)

    options = {"lowercase": True, "tokenization": Tokenization.WHITESPACE}
    numbers = [4, 2, 2, 0, 2, 1, 1]
    texts_list = [["ab c", "ab"], ["x"]]
    assert asked("quality", 2, **options) == ([numbers],)
    assert asked("quality", 32, **options) == (texts_list,)
    assert asked("quality", 34, **options) == ([numbers], texts_list)
    assert asked("quality", 42, **options) == ([numbers], numbers, texts_list)
    for request in (1, 4, 16):
        assert asked("quality", request, **options) is None  # it has no scores
    assert asked("ter", 34, case_sensitive=True, no_punct=False) is None  # it shows no texts


# ---- hostile conditions ---------------------------------------------------------------------------------------------


def output_of(code: str, *parameters: str) -> str:
    """Runs a program in a new process, with a function ``quality``, and returns its output."""
    program = """
from metrics_framework.kernels.dispatch import Tokenization, Request, native_kernel
kernel = native_kernel("quality", Request.STATISTICS | Request.TEXTS)
def quality(summaries, source, tokenization=Tokenization.TOKENIZER_13A):
    return kernel([summaries], [[source]], lowercase=True, tokenization=tokenization)
"""
    call = [sys.executable, "-c", program + textwrap.dedent(code), *parameters]
    done = subprocess.run(call, capture_output=True, text=True, check=False, env={**os.environ, "FW_KERNELS": "native"})
    assert done.returncode == 0, done.stderr
    return done.stdout


@requires_native
def test_one_word_of_ten_megabytes() -> None:
    word = "ab" * 5_000_000
    for tokenization in TOKENIZATIONS:
        ((numbers, texts),) = native([[word, word + "c", "x" + word[1:]]], [word], tokenization, True)
        assert [own[2] for own in numbers] == [0, 1, 2]
        assert texts[0] == texts[-1] == word


@requires_native
def test_many_equal_summaries_and_many_words() -> None:
    text = " ".join(map(str, range(20_000)))
    ((numbers, _),) = native([["b a c"] * 20_000], ["a b c"], Tokenization.TOKENIZER_13A, True)
    assert numbers == [[5, 5, 4, 0, 3, 3, 3]] * 20_000
    ((numbers, _),) = native([[text, "x " + text]], [text], Tokenization.TOKENIZER_13A, True)
    assert [own[4:] for own in numbers] == [[20_000, 20_000, 20_000], [20_001, 20_000, 20_000]]


@pytest.mark.timing
@requires_native
@pytest.mark.parametrize("letters", ["abcdefgh ", "aé漢😀 "])
def test_it_can_be_interrupted_within_a_second(letters: str) -> None:
    code = """
        import os, random, signal, sys, threading, time

        texts = ["".join(random.Random(seed).choices(sys.argv[1], k=500_000)) for seed in range(2)]
        at = []

        def interrupt():
            time.sleep(0.5)
            at.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        try:
            quality([texts[0]] * 9, texts[1])
        except KeyboardInterrupt:
            print(time.monotonic() - at[0])
    """
    assert float(output_of(code, letters)) < 1


@requires_native
@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_out_of_memory_is_an_error() -> None:
    """With more and more memory, until it is enough: each attempt returns numbers or raises a MemoryError."""
    code = """
        import resource

        text = " ".join(str(number) for number in range(40_000)) + " é"
        small = quality(["b a"], "a b")
        start = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        failed, room = 0, 2**20
        while True:
            room += room // 5
            resource.setrlimit(resource.RLIMIT_AS, (start + room, resource.RLIM_INFINITY))
            try:
                quality([text + " x", text], text)
            except MemoryError:
                failed += 1
            else:
                break
            assert quality(["b a"], "a b") == small
        print(failed)
    """
    assert int(output_of(code)) >= 5


@requires_native
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB there")
def test_no_memory_leaks() -> None:
    code = """
        import resource

        def calls(number):
            for index in range(number):
                quality(["É é", "d e f", "漢\\u3000字"], "a é b", Tokenization(2 * (index % 2)))
                quality(["a", 3], "a")
                try:
                    quality(["a"], "a", "x")
                except TypeError:
                    pass

        calls(3_000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        calls(80_000)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    assert int(output_of(code)) < 1000


@requires_native
def test_threads_count_at_the_same_time() -> None:
    calls: list[Callable[[], Any]] = []
    for seed in range(4):
        summaries_list, references_list = random_groups(seed, 30, 2, most_references=1)
        sources = [references[0] if references else "" for references in references_list]
        calls.append(lambda own=(summaries_list, sources): native(*own, Tokenization.TOKENIZER_13A, True))
    expected = [call() for call in calls]
    results: list[Any] = []
    threads = [
        threading.Thread(target=lambda: results.extend([call() for call in calls] for _ in range(10))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 40


@requires_native
def test_a_kernel_works_after_an_exception() -> None:
    kernel = under("native", native_kernel, "quality", Request.STATISTICS)
    with pytest.raises(TypeError, match="class of dictionaries"):
        kernel([["a"]], [["b"]], lowercase=True, tokenization=0, dictionary=int)
    assert kernel([["a"]], [["b"]], lowercase=True, tokenization=0, dictionary=MetricsDict) == (
        [[1, 1, 2, 0, 1, 1, 0]],
    )
