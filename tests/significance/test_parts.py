"""Draws of inputs and of clusters, ranks of systems, and Holm's correction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from messages import CANNOT_BE_SIGNIFICANT, NEEDS_RESAMPLES

from metrics_framework.common.errors import InputError
from metrics_framework.significance.clusters import Clusters, bootstrap_weights, drawn_weights
from metrics_framework.significance.confidence import Significance, described_inputs
from metrics_framework.significance.confidence_level import as_fraction, as_percent
from metrics_framework.significance.multiple_testing import holm, is_significant, ranked
from metrics_framework.significance.paired_tests import ScoredInputs
from metrics_framework.significance.resampling import Resampling, swap_weights


def test_a_level_above_1_is_in_percent() -> None:
    assert (as_fraction(1.5), as_fraction(0.99), as_percent(99.5)) == (0.015, 0.99, 99.5)
    with pytest.raises(InputError):
        as_fraction(1)


@pytest.mark.parametrize("inputs", [11, pytest.param(50_000, marks=pytest.mark.slow)])
def test_blocks_draw_as_one_call_does(inputs: int) -> None:
    """The generator discards the rest of a random word after each call, so each call must draw whole words."""
    resampling = Resampling(100, seed=7)
    blocks = list(bootstrap_weights(inputs, resampling))
    assert (len(blocks) > 1) == (inputs > 11)
    expected = np.random.default_rng(7).integers(inputs, size=(100, inputs))
    for drawn, row in zip(np.concatenate(blocks), expected, strict=True):
        assert np.array_equal(drawn, np.bincount(row, minlength=inputs))
    stays = np.random.default_rng(7).integers(2, size=(100, inputs), dtype=bool)
    for width in (0, 400_000):
        swapped = list(swap_weights(inputs, resampling, width))
        assert np.array_equal(np.concatenate(swapped), ~stays)
        assert (len(swapped) > 1) == (inputs > 11 or width > 0)


BAD = [
    ({"level": 1.0}, "between 0 and 1"),
    ({"level": math.nan}, "between 0 and 1"),
    ({"resamples": 39}, f"95 % {NEEDS_RESAMPLES} 40 resamples, got 39"),
    ({"resamples": 100, "level": 0.99}, "needs at least 200 resamples"),
    ({"seed": -1}, "non-negative"),
    ({"method": "basic"}, "'method' must be one of percentile, bca, studentized, jackknife, got 'basic'"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Resampling(**options)


def test_draws_of_clusters_do_not_depend_on_blocks() -> None:
    clusters = Clusters.of(None, 7)
    whole = np.concatenate([drawn for (drawn,) in drawn_weights([clusters], 20, 3, 20)])
    np.testing.assert_array_equal(whole, np.concatenate([drawn for (drawn,) in drawn_weights([clusters], 20, 3, 3)]))
    assert set(whole.sum(axis=1)) == {7.0}


def test_items_of_a_cluster_are_drawn_together() -> None:
    ((drawn,),) = drawn_weights([Clusters.of("aabbbc", 6)], 50, 0, 50)
    assert drawn.shape == (50, 6)
    np.testing.assert_array_equal(drawn[:, 0], drawn[:, 1])
    np.testing.assert_array_equal(drawn[:, 2], drawn[:, 4])
    assert {*(drawn[:, 0] + drawn[:, 2] + drawn[:, 5])} == {3.0}


CLUSTERS = [  # p-values above the diagonal row by row, clusters at 5 %, why
    (([0.2, 0.03, 0.01, 0.0], [0.2, 0.04, 0.0], [0.3, 0.01], [0.2]), [1, 1, 2, 2, 3], "the first of a cluster decides"),
    (([0.01, 0.3, 0.3], [0.01, 0.3], [0.5]), [1, 2, 3, 3], "not transitive: the first does not beat the last two"),
    (([0.3, 0.3], [0.01]), [1, 1, 2], "the second of a cluster decides"),
    (([],), [1], "one system"),
    ((), [], "no system"),
]


@pytest.mark.parametrize(("rows", "clusters", "why"), CLUSTERS)
def test_a_cluster_ends_where_one_of_it_is_significantly_better(
    rows: tuple[list[float], ...], clusters: list[int], why: str
) -> None:
    beats = [[False] * len(clusters) for _ in clusters]
    for row, p_values in enumerate(rows):
        for column, p in enumerate(p_values, row + 1):
            beats[row][column] = p <= 0.05
    assert [rank.cluster for rank in ranked(beats)] == clusters, why


def test_the_range_of_a_rank_counts_systems_that_are_better_and_worse() -> None:
    """The first beats the third; the second does not differ from either."""
    beats = [[False, False, True], [False, False, False], [False, False, False]]
    assert [(rank.best, rank.worst) for rank in ranked(beats)] == [(1, 2), (1, 3), (2, 3)]


HOLM = [  # p-values, adjusted, why
    ([], [], "nothing is compared"),
    ([0.03], [0.03], "one comparison needs no correction"),
    ([0.01, 0.04], [0.02, 0.04], "the least counts twice"),
    ([0.04, 0.03], [0.06, 0.06], "none is less than one before it"),
    ([0.9, 0.8], [1.0, 1.0], "none is greater than 1"),
    ([math.nan, 0.02], [math.nan, 0.02], "what is undefined is no comparison"),
]


@pytest.mark.parametrize(("p_values", "expected", "why"), HOLM, ids=[why for *_, why in HOLM])
def test_holm(p_values: list[float], expected: list[float], why: str) -> None:
    assert holm(p_values) == pytest.approx(expected, nan_ok=True), why


TRIALS = [  # comparisons, trials, level, trials that are enough, why
    (19, 379, 0.95, 380, "19 / 380 is 0.05, which is not below it, though rounding makes 19 * (1 / 380) less"),
    (19, 380, 0.95, None, "19 / 381 is below 0.05"),
    (0, 40, 0.95, None, "nothing is compared"),
]


@pytest.mark.parametrize(("comparisons", "trials", "level", "enough", "why"), TRIALS, ids=[why for *_, why in TRIALS])
def test_too_few_trials_are_reported(comparisons: int, trials: int, level: float, enough: int | None, why: str) -> None:
    message = Resampling(trials, level=level).too_few_for(comparisons)
    assert message == (
        None
        if enough is None
        else f"{comparisons} comparisons with {trials} {CANNOT_BE_SIGNIFICANT} {1 - level:.2g}; "
        f"use --resamples {enough} or more"
    )


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_the_reported_number_of_trials_is_the_smallest_that_suffices(level: float) -> None:
    error = round(1 - level, 12)
    for comparisons in range(1, 200):
        trials = math.ceil(2 / error)  # the fewest that an interval can have
        message = Resampling(trials, level=level).too_few_for(comparisons)
        enough = trials if message is None else int(message.split("--resamples ")[1].split()[0])
        assert is_significant(holm([1 / (enough + 1)] * comparisons)[0], error)
        assert enough == trials or not is_significant(holm([1 / enough] * comparisons)[0], error)


@pytest.mark.parametrize(("common", "named"), [(4, ["'n'"]), (50, [])])
def test_only_scores_with_too_few_common_inputs_are_reported(common: int, named: list[str]) -> None:
    scored = {"x": {"n": ScoredInputs(common, 1000, exact=False)}}
    tested = Significance("a", {"x": 100}, p_values={"x": {"m": 0.5, "n": 0.5}}, scored=scored)
    assert [warning.partition(":")[0] for warning in tested.too_few(Resampling())] == named


def test_at_most_five_systems_are_named() -> None:
    systems = [f"s{number}" for number in range(7)]
    scored = {system: {"ter": ScoredInputs(3, 8, True)} for system in systems}
    described = described_inputs(Significance("b", dict.fromkeys(systems, 9), scored=scored), "ter")
    assert described == ", ".join(f"3 of 9 for '{system}'" for system in systems[:5]) + " and 2 more"
