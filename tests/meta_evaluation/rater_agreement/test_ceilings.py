"""Standardized ratings, and the ceiling: how well ratings agree with each other."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metrics_framework.inputs.ratings import Ratings, read_long_tables
from metrics_framework.meta_evaluation.rater_agreement.ceilings import ceilings, standardized

NA = math.nan


def ceiling(ratings, *, level="global", **options):
    """Returns the ceiling of Pearson's coefficient."""
    return ceilings(ratings, [("pearson", level)], **options)[0]


def ratings_of(values: Any) -> Ratings:
    """Returns ratings of outputs of two systems in turns."""
    values = np.array(values, dtype=float)
    units = [(str(unit // 2), "ab"[unit % 2]) for unit in range(values.shape[1])]
    return Ratings("quality", units, [f"r{rater}" for rater in range(len(values))], values)


@pytest.fixture(scope="module")
def simplicity(shared_path: Callable[[str], Path]) -> Ratings:
    return read_long_tables([str(shared_path("data/simplicity_da/simplicity_DA_ratings.csv"))]).ratings("simplicity")


def test_z_scores_of_simplicity_da_are_the_published_ones(
    simplicity: Ratings, shared_path: Callable[[str], Path]
) -> None:
    means = standardized(simplicity)[0].means()
    with shared_path("data/simplicity_da/simplicity_DA.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            published = float(row["simplicity_zscore"])
            assert means[row["sent_id"], row["sys_name"]] == pytest.approx(published, abs=5.1e-10)


@pytest.mark.slow
def test_the_ceiling_of_simplicity_da(simplicity: Ratings) -> None:
    result = ceiling(standardized(simplicity)[0], splits=1000)
    assert round(result.one_vs_rest, 3) == 0.592
    assert round(result.split_half, 3) == 0.825
    assert (result.raters, result.raters_left_out) == (59, 8)


def test_all_splits_of_raters_who_rated_everything_are_used() -> None:
    values = np.random.default_rng(3).normal(size=(4, 12))
    pairs = [(0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2)]
    expected = np.mean([np.corrcoef(values[[a, b]].mean(0), values[[c, d]].mean(0))[0, 1] for a, b, c, d in pairs])
    result = ceiling(ratings_of(values))
    assert (result.splits, result.split_half) == (3, pytest.approx(expected))
    assert result.reliability == pytest.approx(2 * expected / (1 + expected))


def test_unrelated_halves_have_a_reliability_of_0() -> None:
    result = ceiling(ratings_of(np.array([[1.0, 2.0, 1.0, 2.0] * 3, [1.0, 1.0, 2.0, 2.0] * 3])))
    assert (result.split_half, result.reliability) == (0.0, 0.0)


def test_raters_of_few_outputs_are_left_out_and_counted() -> None:
    values = np.random.default_rng(4).normal(size=(3, 12))
    values[2, 5:] = NA
    result = ceiling(ratings_of(values))
    assert (result.raters, result.raters_left_out) == (2, 1)


def test_splits_are_the_same_for_the_same_seed() -> None:
    values = np.random.default_rng(5).normal(size=(5, 14))
    values[np.random.default_rng(6).random(values.shape) < 0.3] = NA
    ratings = ratings_of(values)
    assert ceiling(ratings) == ceiling(ratings) != ceiling(ratings, seed=1)


DEGENERATE = [  # ratings, why
    ([[1, 2, 3, 4] * 3], "one rater"),
    ([[1, NA] * 6, [NA, 2] * 6], "raters who share nothing"),
    ([[2] * 12, [2] * 12], "constant ratings"),
    ([[1, 2], [2, 1]], "two outputs"),
]


@pytest.mark.parametrize(("values", "why"), DEGENERATE, ids=[why for _, why in DEGENERATE])
@pytest.mark.parametrize("level", ["global", "input", "system"])
def test_a_ceiling_without_enough_ratings_is_undefined(values: Any, why: str, level: Any) -> None:
    assert math.isnan(ceiling(ratings_of(values), level=level).one_vs_rest)


def test_z_scores_use_the_population_standard_deviation() -> None:
    scores, constant = standardized(ratings_of([[1, 2, 3, NA], [5, 5, NA, 5], [7, NA, NA, NA]]))
    np.testing.assert_allclose(scores.values[0], [-math.sqrt(1.5), 0, math.sqrt(1.5), NA])
    assert np.isnan(scores.values[1:]).all()
    assert constant == ["r1", "r2"]


def test_equal_ratings_have_no_z_score_despite_rounding() -> None:
    assert standardized(ratings_of([[0.1] * 12]))[1] == ["r0"]


def test_z_scores_do_not_depend_on_the_scale_of_each_rater() -> None:
    values = np.random.default_rng(9).normal(size=(2, 12))
    expected = standardized(ratings_of(values))[0].values
    scaled = standardized(ratings_of(values * np.array([[1e300], [1e-300]])))[0].values
    np.testing.assert_allclose(scaled, expected, atol=1e-9)
