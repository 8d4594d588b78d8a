"""The edits of WER and CER: the twin equals rapidfuzz, and the native kernel equals the twin."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from twins import differences, groups_of, random_groups, requires_native, under

from metrics_framework.kernels.python import edits
from metrics_framework.metrics.base.metric import load

NAMES = ["wer", "cer", "wer:lowercase=true", "cer:lowercase=true"]
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
        (64, 70_000, "not divided, because the first is short"),
        (65, 70_000, "divided, though the first is short"),
        (500_000, 9, "not divided, because the second is short"),
        (420_000, 10, "divided, though the second is short"),
        (5000, 3000, "divided several times"),
        (3000, 7000, "divided several times, the second is longer"),
    ],
)
@pytest.mark.parametrize("kinds", [2, 30, 5000])
def test_long_texts_are_divided_as_by_rapidfuzz(first: int, second: int, why: str, kinds: int) -> None:
    for seed in range(2):
        pair = random_pair(seed, first, second, kinds)
        expected = of_rapidfuzz(*pair)
        found = load("wer").score(" ".join(pair[1]), [" ".join(pair[0])])
        counts = tuple(found[f"wer_{name}"] for name in ("substitutions", "deletions", "insertions"))
        assert counts == expected, why
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


@pytest.mark.parametrize("share", [0.003, 0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("letters", ["a", "ab", "abcdefgh ", "aé漢😀\udfff"])
def test_bands_of_any_width_contain_all_shortest_edits(letters: str, share: float) -> None:
    generator = random.Random(f"{letters!r} {share}")
    metric = load("cer")
    for length in [65, 150, 257, 300, 500, 800, 1200, 1700, 2040]:
        one, other = changed_pair(generator, letters, length, share)
        block = generator.randrange(length)
        for first, second in ((one, other), (other, one), (one, one[block:] + other[:block]), (one, other[block:])):
            found = metric.score(second, [first])
            counts = tuple(found[f"cer_{name}"] for name in ("substitutions", "deletions", "insertions"))
            assert counts == of_rapidfuzz(list(first.strip()), list(second.strip()))


@requires_native
@given(data=st.data())
def test_the_native_edits_of_changed_texts_equal_those_of_the_twin(data: Any) -> None:
    generator = random.Random(data.draw(st.integers(0, 2**32)))
    letters = data.draw(st.sampled_from(["ab", "abcdefgh ", "aé漢😀"]))
    pair = changed_pair(generator, letters, data.draw(st.integers(1, 900)), data.draw(st.floats(0, 1)))
    first, second = pair if data.draw(st.booleans()) else pair[::-1]
    metric, groups = load("cer"), [[[second]], [[first, first[::-1]]]]
    assert under("native", metric.score_multi_all, *groups) == under("python", metric.score_multi_all, *groups)


def test_division_changes_what_is_counted() -> None:
    pair = random_pair(5, 2500, 2500, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edits, "MANY_CELLS", 1 << 30)
        whole = edits.edits(*pair)
    assert sum(whole) == sum(edits.edits(*pair)) == edits.distance(*pair)
    assert whole != edits.edits(*pair)


@requires_native
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_any_texts(name: str, data: Any) -> None:
    assert differences(load(name), data.draw(groups_of(2))) == {}


@requires_native
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", NAMES)
def test_random_batches(name: str, seed: int) -> None:
    assert differences(load(name), random_groups(seed, 10, 2, most_references=9)) == {}


BLANKS = st.text(st.sampled_from("ab \t\n\x1c\x85\u00a0\u1680\u2003\u2028\u3000\u200bé"), max_size=12)


@requires_native
@pytest.mark.parametrize("name", ["wer", "cer"])
@given(st.lists(BLANKS, min_size=1, max_size=4), BLANKS)
def test_whitespace_of_all_kinds(name: str, references: list[str], summary: str) -> None:
    assert differences(load(name), [[[summary]], [references]]) == {}


@requires_native
@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129, 191, 193, 255, 256, 257, 300, 513])
@pytest.mark.parametrize("letters", ["ab", "abcdefgh ", "aé", "漢字かな", "a😀\udfff"])
def test_lengths_around_those_of_words_and_stripes(length: int, letters: str) -> None:
    generator = random.Random(length)
    texts = ["".join(generator.choices(letters, k=length + more)) for more in (-1, 0, 1, 70)]
    for name in ("cer", "wer"):
        metric, groups = load(name), [[texts, texts], [texts[::-1], texts[:1]]]
        assert under("native", metric.score_multi_all, *groups) == under("python", metric.score_multi_all, *groups)
