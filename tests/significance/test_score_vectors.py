"""Score vectors: whatever the order of outputs, scores and systems, intervals and p-values are the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from significance_cases import AS_SACREBLEU, Texts, interval_of, means, some_numbers

from metrics_framework.common.errors import InputError
from metrics_framework.metrics.base.metric import load
from metrics_framework.significance.compared_systems import bootstrap_intervals
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors


def test_a_score_that_no_output_has_is_undefined() -> None:
    found = interval_of(means([math.nan, math.nan]), "m")
    assert (math.isnan(found.lower), math.isnan(found.upper), found.undefined_resamples) == (True, True, 1000)
    (compared,) = paired_p_values([(means([math.nan]), means([1.0]))])
    assert math.isnan(compared.p_values["m"])


def test_the_order_of_scores_does_not_matter() -> None:
    one = ScoreVectors.of_scores(["1", "2"], [{"a": 1.0, "b": [5.0, 6.0]}, {"b": [7.0, 8.0], "a": 2.0}])
    other = ScoreVectors.of_scores(["1", "2"], [{"b": [5.0, 6.0], "a": 1.0}, {"b": [7.0, 8.0], "a": 2.0}])
    assert list(one.scores_of(one.vectors)) == ["a", "b"]
    (found,) = paired_p_values([(one, other)])
    assert found.p_values == {"a": 1.0, "b": [1.0, 1.0]}
    both = ScoreVectors.joined([one, other])
    assert bootstrap_intervals([both]) == bootstrap_intervals([ScoreVectors.joined([other, one])])


def test_joined_systems_are_resampled_with_all_their_outputs() -> None:
    one, other = means([1.0, 2.0, 4.0], ["c", "a", "b"]), means([8.0, 16.0], ["b", "d"])
    together = means([1.0, 2.0, 4.0, 8.0, 16.0], ["c", "a", "b", "b", "d"])
    both = ScoreVectors.joined([one, other])
    assert both.inputs == together.inputs == ["a", "b", "c", "d"]
    assert both.vectors.tolist() == together.vectors.tolist() == [[2, 1], [12, 2], [1, 1], [16, 1]]


def test_lists_of_numbers_have_an_interval_and_a_p_value_each() -> None:
    ids = ["1", "2", "3"]
    one = ScoreVectors.of_scores(ids, [{"a": [1.0, 2.0], "b": {"c": value}} for value in (4.0, 5.0, 6.0)])
    other = ScoreVectors.of_scores(ids, [{"a": [0.0, 2.0], "b": {"c": value}} for value in (4.0, 5.0, 6.0)])
    (found,) = bootstrap_intervals([one], AS_SACREBLEU)
    numbers: Any = found["a"]
    assert [(*each.numbers, each.undefined_resamples) for each in numbers] == [(1.0, 1.0, 1.0, 0), (2.0, 2.0, 2.0, 0)]
    assert list(found) == ["a", "b_c"]
    (compared,) = paired_p_values([(one, other)])
    first, second = compared.p_values["a"]
    assert first < 0.5
    assert (second, compared.p_values["b_c"]) == (1.0, 1.0)


def metric_outputs(texts: Texts, order: Sequence[int]) -> list[ScoreVectors]:
    """The same outputs, in some order: as statistics that are whole, as statistics that are not, and as scores."""
    found = []
    for spec in ("bleu", "sari:variant=hf"):
        metric = load(spec)
        more = [texts.references_list[place][0] + " tree" for place in order]
        groups = metric.statistics_multi_all(
            [[texts.good[place]] for place in order],
            [texts.references_list[place] for place in order],
            *([more] if spec != "bleu" else []),
        )
        found.append(
            ScoreVectors.of_statistics(metric, [texts.ids[place] for place in order], [one for (one,) in groups])
        )
    scores = load("sent-bleu").score_all(
        [texts.good[place] for place in order], [texts.references_list[place] for place in order]
    )
    return [*found, ScoreVectors.of_scores([texts.ids[place] for place in order], scores)]


@given(st.permutations(range(25)))
@settings(max_examples=15)
def test_the_order_of_the_outputs_does_not_matter(order: list[int]) -> None:
    texts = Texts(25)
    resampling = Resampling(100)
    expected = metric_outputs(texts, range(25))
    shuffled = metric_outputs(texts, order)
    assert bootstrap_intervals(shuffled, resampling) == bootstrap_intervals(expected, resampling)
    pairs, expected_pairs = [(shuffled[0], shuffled[0])], [(expected[0], expected[0])]
    assert paired_p_values(pairs, resampling=resampling) == paired_p_values(expected_pairs, resampling=resampling)


def test_results_of_a_system_do_not_depend_on_other_systems() -> None:
    several = [means(some_numbers(count, count)) for count in (5, 9, 5, 12)]
    assert bootstrap_intervals(several) == [bootstrap_intervals([one])[0] for one in several]
    pairs = [(several[0], several[2]), (several[1], several[1]), (several[1], several[3])]
    assert paired_p_values(pairs) == [paired_p_values([pair])[0] for pair in pairs]


def test_ids_and_outputs_must_have_equal_lengths() -> None:
    with pytest.raises(InputError, match="got 0 outputs, 1 ids"):
        ScoreVectors.of_scores(["1"], [])
    with pytest.raises(InputError, match="got 2 outputs, 1 ids"):
        ScoreVectors.of_statistics(load("ter"), ["1"], [[1, 2.0], [1, 2.0]])
    with pytest.raises(InputError, match="at least one, got 0 outputs, 0 ids"):
        ScoreVectors.of_scores([], [])
