"""The edits of TER: against sacreBLEU, their laws, and the native kernel against its twin."""

from __future__ import annotations

import random
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import BeamEditDistance, _flip_trace, trace_to_alignment, translation_edit_rate
from twins import requires_native, under

from metrics_framework.kernels.python import ter as twin
from metrics_framework.kernels.python.ter import (
    Reference,
    Rows,
    aligned,
    band,
    banded_steps,
    is_path_within_band,
    is_within_band,
)
from metrics_framework.metrics.ter import Ter

Words = list[str]

of_each_implementation = pytest.mark.usefixtures("kernels")


def ter_statistics(summaries_list: list[list[Words]], references_list: list[list[Words]]) -> list[list[list[float]]]:
    """The edits of each summary and the mean length of its references, from the implementation in use."""
    summaries, references = (
        [[" ".join(words) for words in texts] for texts in group] for group in (summaries_list, references_list)
    )
    return [list(map(list, group)) for group in Ter(case_sensitive=True).statistics_multi_all(summaries, references)]


def ter_edits(summary: Words, reference: Words) -> int:
    return int(ter_statistics([[summary]], [[reference]])[0][0][0])


# ---- strategies -----------------------------------------------------------------------------------------------------


@st.composite
def pairs(draw: st.DrawFn, most: int, kinds: int = 6) -> tuple[Words, Words]:
    """A reference with few different words, and a summary made of it by shifts and substitutions, or another one."""
    word = st.sampled_from([str(number) for number in range(draw(st.integers(1, kinds)))])
    reference = draw(st.lists(word, max_size=most))
    if draw(st.booleans()):
        return draw(st.lists(word, max_size=most)), reference
    summary = list(reference)
    for _ in range(draw(st.integers(0, 4))):
        start, length, target = (draw(st.integers(0, most)) for _ in range(3))
        block = summary[start : start + length]
        del summary[start : start + length]
        summary[target:target] = block
    for position in draw(st.lists(st.integers(0, most), max_size=4)):
        summary[position : position + draw(st.integers(0, 1))] = draw(st.lists(word | st.just("new"), max_size=2))
    return summary, reference


def long_pair(seed: int, words: int, kinds: int) -> tuple[Words, Words]:
    """Two halves that are swapped, with some other words: the best path leaves the band."""
    generator = random.Random(seed)
    reference = [str(generator.randrange(kinds)) for _ in range(words)]
    cut = generator.randint(words // 4, words // 2)
    summary = reference[cut:] + reference[:cut]
    for _ in range(generator.randint(0, words // 4)):
        summary[generator.randrange(len(summary))] = str(generator.randrange(2 * kinds))
    return summary[generator.randint(0, 3) :], reference[: words - generator.randint(0, 3)]


def sacrebleu_edits(summary: Words, reference: Words) -> int:
    return int(translation_edit_rate(summary, reference)[0])


# ---- edits ----------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(pairs(24))
def test_edits_are_those_of_sacrebleu(pair: tuple[Words, Words]) -> None:
    assert twin.ter_edits(*pair) == sacrebleu_edits(*pair)


@pytest.mark.slow
@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(24, 70), st.sampled_from([2, 5, 20, 1000]))
def test_edits_are_those_of_sacrebleu_where_the_band_begins_to_bind(seed: int, words: int, kinds: int) -> None:
    pair = long_pair(seed, words, kinds)
    assert twin.ter_edits(*pair) == sacrebleu_edits(*pair)


@pytest.mark.slow
@pytest.mark.parametrize(("words", "kinds"), [(66, 1000), (66, 3), (100, 30), (130, 3), (130, 300)])
def test_edits_are_those_of_sacrebleu_for_long_segments(words: int, kinds: int) -> None:
    pair = long_pair(words, words, kinds)
    assert twin.ter_edits(*pair) == sacrebleu_edits(*pair)


@pytest.mark.slow
@settings(deadline=None, max_examples=6)
@given(st.integers(51, 60), st.integers(25, 50), st.sampled_from([20, 40]), st.integers(0, 10**6), st.booleans())
def test_edits_are_those_of_sacrebleu_for_a_text_over_and_one_under_50_words(
    longer: int, shorter: int, kinds: int, seed: int, is_summary_longer: bool
) -> None:
    generator = random.Random(seed)
    words = [str(generator.randrange(kinds)) for _ in range(longer)]
    part = words[longer - shorter // 2 :] + words[: shorter - shorter // 2]
    pair = (words, part) if is_summary_longer else (part, words)
    assert twin.ter_edits(*pair) == sacrebleu_edits(*pair)


NEW = [f"x{number}" for number in range(200)]
OLD = [f"c{number}" for number in range(250)]
CASES = [  # summary, reference, edits, why
    ([], [], 0, "nothing to edit"),
    (OLD[:7], [], 7, "an empty reference: every word goes"),
    ([], OLD[:7], 7, "an empty summary: every word comes"),
    (OLD[:60], OLD[:60], 0, "equal"),
    (["b", "a"], ["a", "b"], 1, "one shift"),
    (["c", "b", "a"], ["a", "b", "c"], 2, "the middle stays"),
    (list("defghabc"), list("abcdefgh"), 1, "a block of three words is one shift"),
    (OLD[10:20] + OLD[:10], OLD[:20], 1, "ten words are one shift"),
    (OLD[11:22] + OLD[:11], OLD[:22], 2, "eleven words are two blocks"),
    (OLD[50:53] + OLD[:50], OLD[:53], 1, "three words from 50 positions away"),
    (OLD[51:54] + OLD[:51], OLD[:54], 6, "51 positions are too far: three deletions, three insertions"),
    (OLD[51:54] + OLD[:45], OLD[:54], 12, "so are they for a summary under and a reference over 50 words"),
    (OLD[:54], OLD[51:54] + OLD[:45], 12, "and for a summary over and a reference under 50 words"),
    (["a", "a", "b"] * 16, ["b", "b", "a"] * 16, 17, "a shift and 16 edits; the distance is 18"),
    (["a", "a", "b"] * 18, ["b", "b", "a"] * 18, 20, "the distance: after 1,000 candidates no shift is applied"),
    (["a"], ["b"] * 200, 200, "1 to 200: a band wide enough for the rows to overlap"),
    (["b"] * 200, ["a"], 200, "200 to 1"),
    (NEW[:24] + OLD[:86], OLD[:112], 50, "row 55 has its centre at 55, as 55 * (112 / 110) < 56 in doubles; else 51"),
]


@of_each_implementation
@pytest.mark.parametrize(("summary", "reference", "edits", "why"), CASES)
def test_traps(summary: Words, reference: Words, edits: int, why: str) -> None:
    assert ter_edits(summary, reference) == edits, why


@pytest.mark.slow
def test_traps_are_those_of_sacrebleu() -> None:
    for summary, reference, edits, why in CASES:
        assert sacrebleu_edits(summary, reference) == edits, why


# ---- the native kernel ----------------------------------------------------------------------------------------------


def assert_equal_to_twin(summary: Words, reference: Words) -> None:
    assert under("native", ter_edits, summary, reference) == twin.ter_edits(summary, reference)


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


@requires_native
@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32), st.sampled_from([5, 12, 24, 40, 64, 70, 130, 300]))
def test_the_native_edits_of_pairs_of_any_length_equal_those_of_the_twin(seed: int, most: int) -> None:
    assert_equal_to_twin(*random_pair(seed, most))


@requires_native
@settings(deadline=None, max_examples=30)
@given(st.integers(1, 5), st.integers(40, 260), st.integers(1, 9), st.integers(0, 2**32), st.booleans())
def test_sides_of_very_different_length(short: int, ratio: int, kinds: int, seed: int, swapped: bool) -> None:
    generator = random.Random(seed)
    pair = [[str(generator.randrange(kinds)) for _ in range(length)] for length in (short, short * ratio)]
    assert_equal_to_twin(*(reversed(pair) if swapped else pair))


@pytest.mark.slow
@requires_native
def test_a_long_reference_with_many_words_is_indexed_by_lists() -> None:
    reference = [f"w{number % 2900}" for number in range(12000)]
    summary = reference[:5000] + reference[5030:] + ["new"]
    summary[700:703] = summary[702:699:-1]
    assert_equal_to_twin(summary, reference)


@requires_native
def test_every_letter_is_lower_cased_as_in_python() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).lower() != chr(code)]
    texts = [f"{letter} A{letter} {letter}." for letter in letters]
    found = under("native", Ter().statistics_multi_all, [[text] for text in texts], [[text.lower()] for text in texts])
    assert found == [[[0, 3.0]]] * len(texts)


@requires_native
def test_very_long_texts_on_one_side() -> None:
    assert under("native", ter_statistics, [[["a"] * 100_000]], [[["b"] * 100_000]]) == [[[100_000, 100_000.0]]]
    assert under("native", ter_statistics, [[["a"]]], [[["b"] * 100_000]]) == [[[100_000, 100_000.0]]]
    assert under("native", ter_statistics, [[["b"] * 100_000]], [[["a"]]]) == [[[100_000, 1.0]]]


@requires_native
def test_texts_are_taken_as_they_are_whatever_their_class() -> None:
    class Shrinking(str):
        def lower(self) -> str:
            references.clear()
            return "x"

    references: list[list[str]] = [["a"]] * 3
    assert under("native", Ter().statistics_multi_all, [[Shrinking("É")]] * 3, references) == [[[1, 1.0]]] * 3
    assert len(references) == 3


# ---- batches --------------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=9), max_size=4),
    st.lists(st.lists(st.sampled_from("abcd"), max_size=9), min_size=1, max_size=4),
)
@of_each_implementation
def test_statistics_are_the_least_edits_and_the_lengths_of_all_references(
    summaries: list[Words], references: list[Words]
) -> None:
    expected = [
        [min(ter_edits(summary, reference) for reference in references), sum(map(len, references)) / len(references)]
        for summary in summaries
    ]
    assert ter_statistics([summaries, summaries], [references, references[::-1]]) == [expected, expected]


@of_each_implementation
def test_no_groups_and_empty_groups() -> None:
    assert ter_statistics([], []) == []
    assert ter_statistics([[]], [[["a"]]]) == [[]]


# ---- the edit distance ----------------------------------------------------------------------------------------------


def sacrebleu_alignment(summary: Words, reference: Words) -> tuple[int, list[int], int, int]:
    distance, trace = BeamEditDistance(reference)(summary)
    align, reference_errors, summary_errors = trace_to_alignment(_flip_trace(trace))
    targets = [0, *(align[position] + 1 for position in range(len(reference)))]
    return distance, targets, as_bits(summary_errors), as_bits(reference_errors)


def as_bits(flags: list[int]) -> int:
    return sum(flag << position for position, flag in enumerate(flags))


@settings(max_examples=50)
@given(pairs(40))
def test_the_banded_distance_is_that_of_sacrebleu(pair: tuple[Words, Words]) -> None:
    summary, reference = pair
    matches = Reference(reference).matches(summary)
    distance, steps = banded_steps(matches, len(reference))
    found = (distance, *aligned(matches, len(reference), steps))
    assert found == sacrebleu_alignment(summary, reference)


@given(st.integers(1, 130), st.integers(0, 130), st.integers(0, 10**6), st.sampled_from([2, 20, 1000]))
def test_the_band_changes_nothing_if_it_is_wide_enough(rows: int, length: int, seed: int, kinds: int) -> None:
    generator = random.Random(seed)
    reference = [str(generator.randrange(kinds)) for _ in range(length)]
    from_there = generator.randint(0, 40)
    summary = (reference[from_there:] + [str(generator.randrange(kinds)) for _ in range(rows)])[:rows]
    matches = Reference(reference).matches(summary)
    unbanded = Rows(length)
    unbanded.extend(matches, 0)
    distance, steps = banded_steps(matches, length)
    assert unbanded.distance <= distance
    alignment = aligned(matches, length, unbanded.steps())
    within = is_within_band(unbanded.distance, rows, length)
    if within or is_path_within_band(alignment.targets, rows):
        assert (unbanded.distance, alignment) == (distance, aligned(matches, length, steps))
    if within:
        assert is_path_within_band(alignment.targets, rows)


def textbook_distance(summary: Words, reference: Words) -> int:
    above = list(range(len(reference) + 1))
    for row, word in enumerate(summary, 1):
        cells = [row]
        for column, other in enumerate(reference, 1):
            cells.append(min(above[column - 1] + (word != other), above[column] + 1, cells[-1] + 1))
        above = cells
    return above[-1]


@settings(max_examples=50)
@given(pairs(75), st.integers(0, 75))
def test_rows_can_be_continued_from_any_row(pair: tuple[Words, Words], start: int) -> None:
    summary, reference = pair
    matches = Reference(reference).matches(summary)
    rows = Rows(len(reference))
    rows.extend(matches, 0)
    assert rows.distance == textbook_distance(summary, reference)
    start = min(start, len(summary))
    other = summary[:start] + summary[start:][::-1]
    other_matches = Reference(reference).matches(other)
    assert rows.distance_with(other_matches[start:], start) == textbook_distance(other, reference)
    rows.extend(other_matches, start)
    assert rows.distance == textbook_distance(other, reference)


@given(pairs(20))
def test_the_least_distance_is_that_of_the_multisets(pair: tuple[Words, Words]) -> None:
    summary, reference = pair
    common = (Counter(summary) & Counter(reference)).total()
    ready = Reference(reference)
    least = ready.least_distance(ready.matches(summary))
    assert least == max(len(summary), len(reference)) - common
    assert least <= twin.ter_edits(summary, reference) <= max(len(summary), len(reference))


def test_the_band_follows_the_diagonal() -> None:
    assert list(band(0, 5)) == []
    assert list(band(3, 3)) == [(0, 4), (0, 4), (0, 4)]
    assert list(band(60, 60))[29:31] == [(5, 55), (6, 56)]
    assert list(band(2, 200)) == [(25, 175), (125, 201)]  # 200 / 2 / 2 + 25 = 75 columns to either side
    assert list(band(110, 112))[54] == (30, 80)  # the centre is 55, not 55 * 112 // 110 = 56
    assert list(band(60, 2))[-1] == (0, 3)
