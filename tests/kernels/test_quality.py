"""The kernel of the quality features: worked by hand, equal to rapidfuzz, and the native one equal to its twin."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel, LCSseq
from twins import STRINGS, Subclassed, random_groups, requires_native, under

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.kernels.dispatch import Request, Tokenization, native_kernel
from metrics_framework.kernels.python.google_rouge import common_subsequence
from metrics_framework.kernels.python.quality import indel_distance, quality_statistics
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
    for seed in range(40):
        summaries_list, references_list = random_groups(seed, 5, 2, most_references=1)
        sources = [references[0] if references else "" for references in references_list]
        assert native(summaries_list, sources, tokenization, lowercase) == twin(
            summaries_list, sources, tokenization, lowercase
        )


@requires_native
@settings(max_examples=100)
@given(st.lists(STRINGS | LETTERS, max_size=3), STRINGS | LETTERS, st.sampled_from(SETTINGS))
def test_any_texts(summaries: list[str], source: str, setting: tuple[Tokenization, bool]) -> None:
    found = native([summaries], [source], *setting)
    assert found == twin([summaries], [source], *setting)
    ((numbers, texts),) = found
    assert [own[2] for own in numbers] == [Indel.distance(text, texts[-1]) for text in texts[:-1]]


@pytest.mark.slow
@requires_native
def test_every_character_is_lower_cased_as_by_python() -> None:
    texts = [f"{character}A{character}Zm\u00c9" for character in map(chr, (*range(0x10000), 0x1F600, 0x10400))]
    texts += [f"{text}\u2019" for text in texts[0x80:0x180]]
    ((_, found),) = native([texts], ["\u00d7\u00dfA"], Tokenization.WHITESPACE, True)
    assert found == [*(text.lower() for text in texts), "\u00d7\u00dfa"]


@requires_native
@pytest.mark.parametrize("letters", ["ab", "abcdefgh ", "aé", "漢字かな", "a😀\udfff", RARE_LETTERS])
def test_lengths_around_those_of_words_and_of_short_texts(letters: str) -> None:
    for length in (64, 256, 512, 2000):
        generator = random.Random(length)
        texts = ["".join(generator.choices(letters, k=length + more)) for more in (-1, 0, 1, 70)]
        for source in texts:
            ((numbers, _),) = native([texts], [source], Tokenization.WHITESPACE, False)
            assert [own[2] for own in numbers] == [Indel.distance(text, source) for text in texts]


@pytest.mark.slow
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
@pytest.mark.parametrize(("summaries_list", "sources_list", "why"), REFUSED)
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


@pytest.mark.slow
@requires_native
def test_one_word_of_ten_megabytes() -> None:
    word = "ab" * 5_000_000
    for tokenization in TOKENIZATIONS:
        ((numbers, texts),) = native([[word, word + "c", "x" + word[1:]]], [word], tokenization, True)
        assert [own[2] for own in numbers] == [0, 1, 2]
        assert texts[0] == texts[-1] == word


@requires_native
def test_many_words() -> None:
    text = " ".join(map(str, range(20_000)))
    ((numbers, _),) = native([[text, "x " + text]], [text], Tokenization.TOKENIZER_13A, True)
    assert [own[4:] for own in numbers] == [[20_000, 20_000, 20_000], [20_001, 20_000, 20_000]]


@requires_native
def test_a_kernel_works_after_an_exception() -> None:
    kernel = under("native", native_kernel, "quality", Request.STATISTICS)
    with pytest.raises(TypeError, match="class of dictionaries"):
        kernel([["a"]], [["b"]], lowercase=True, tokenization=0, dictionary=int)
    assert kernel([["a"]], [["b"]], lowercase=True, tokenization=0, dictionary=MetricsDict) == (
        [[1, 1, 2, 0, 1, 1, 0]],
    )
