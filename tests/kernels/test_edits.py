"""The edits of WER and CER: the twin equals rapidfuzz, and the native kernel equals the twin."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from twins import requires_native, under

from metrics_framework.kernels.python import edits
from metrics_framework.metrics.base.metric import load

LETTERS = st.lists(st.sampled_from("abc"), max_size=80)


def of_rapidfuzz(first: Sequence[str], second: Sequence[str]) -> tuple[int, int, int]:
    found = Counter(tag for tag, _, _ in Levenshtein.editops(first, second).as_list())
    return found["replace"], found["delete"], found["insert"]


def random_pair(seed: int, first: int, second: int, kinds: int) -> tuple[list[str], list[str]]:
    """Texts of words among as many kinds; the second is a rewriting of the first, or has nothing to do with it."""
    generator = random.Random(seed)

    def word() -> str:
        return f"w{generator.randrange(kinds)}"

    one = [word() for _ in range(first)]
    if generator.random() < 0.5:
        return one, [word() for _ in range(second)]
    changed = generator.choice([0.02, 0.2, 0.5])
    other = [word() if generator.random() < changed else own for own in one if generator.random() > changed]
    return one, other[:second] + [word() for _ in range(second - len(other))]


@given(LETTERS, LETTERS)
def test_the_edits_of_short_texts_are_those_of_rapidfuzz(first: list[str], second: list[str]) -> None:
    assert edits.edits(first, second) == of_rapidfuzz(first, second)
    assert edits.distance(first, second) == Levenshtein.distance(first, second)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (2048, 2047, "just not divided"),
        (2048, 2048, "divided once"),
        (2500, 2500, "divided, which changes what is counted"),
        (64, 70_000, "not divided, because the first is short"),
        (65, 70_000, "divided, though the first is short"),
        pytest.param(500_000, 9, "not divided, because the second is short", marks=pytest.mark.slow),
        pytest.param(420_000, 10, "divided, though the second is short", marks=pytest.mark.slow),
        (5000, 3000, "divided several times"),
        pytest.param(3000, 7000, "divided several times, the second is longer", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("kinds", [2, 5000])
def test_long_texts_are_divided_as_by_rapidfuzz(first: int, second: int, why: str, kinds: int) -> None:
    pair = random_pair(5, first, second, kinds)
    expected = of_rapidfuzz(*pair)
    found = load("wer").score(" ".join(pair[1]), [" ".join(pair[0])])
    assert tuple(found[f"wer_{name}"] for name in ("substitutions", "deletions", "insertions")) == expected, why
    if first < 10_000 and second < 10_000:
        assert edits.edits(*pair) == expected, why


def changed_pair(generator: random.Random, letters: str, length: int, share: float) -> tuple[str, str]:
    """A text, and one in which this share of the letters is replaced, removed or followed by another one."""
    first = generator.choices(letters, k=length)
    second = [
        generator.choice(["", generator.choice(letters), letter + generator.choice(letters)])
        if generator.random() < share
        else letter
        for letter in first
    ]
    return "".join(first), "".join(second)


@pytest.mark.parametrize("letters", ["a", "ab", "abcdefgh ", "aé漢😀\udfff"])
def test_bands_of_any_width_contain_all_shortest_edits(letters: str) -> None:
    generator = random.Random(letters.encode("utf-8", "surrogatepass"))
    metric = load("cer")
    for share, length in itertools.product([0.003, 0.05, 0.2, 0.5, 1.0], [65, 257, 500, 1200, 2040]):
        one, other = changed_pair(generator, letters, length, share)
        block = generator.randrange(length)
        for first, second in ((one, other), (other, one), (one, one[block:] + other[:block]), (one, other[block:])):
            found = metric.score(second, [first])
            counts = tuple(found[f"cer_{name}"] for name in ("substitutions", "deletions", "insertions"))
            assert counts == of_rapidfuzz(list(first.strip()), list(second.strip()))


@requires_native
@pytest.mark.parametrize("letters", ["ab", "abcdefgh ", "aé", "漢字かな", "a😀\udfff"])
def test_lengths_around_those_of_words_and_stripes(letters: str) -> None:
    generator = random.Random(0)
    for length, name in itertools.product([64, 128, 192, 256, 512], ["cer", "wer"]):
        texts = ["".join(generator.choices(letters, k=length + more)) for more in (-1, 0, 1, 70)]
        metric, groups = load(name), [[texts, texts], [texts[::-1], texts[:1]]]
        assert under("native", metric.score_multi_all, *groups) == under("python", metric.score_multi_all, *groups)
