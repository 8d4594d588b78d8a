"""Intervals of coefficients of agreement: both ends, their limit, and what is undefined."""

from __future__ import annotations

import math

import numpy as np
import pytest

import metrics_framework as fw
from metrics_framework.meta_evaluation.unit_resamples import UnitResamples
from metrics_framework.significance.clusters import Clusters

RESAMPLES = UnitResamples(Clusters.of(None, 4), confidence=80)
Z_80 = 1.2815515655446004


def test_a_normal_interval_has_both_ends_at_the_same_distance() -> None:
    drawn = np.array([0.1, 0.3, math.nan, 0.5])  # standard deviation .2
    found = RESAMPLES.normal_interval(0.25, drawn, largest=1.0)
    assert (found.lower, found.upper) == pytest.approx((0.25 - 0.2 * Z_80, 0.25 + 0.2 * Z_80), abs=1e-15)
    assert (found.value, found.undefined_resamples) == (0.25, 1)


def test_the_upper_end_is_at_most_the_largest_value() -> None:
    drawn = np.array([0.7, 0.9])
    assert RESAMPLES.normal_interval(0.95, drawn, largest=1.0).upper == 1.0
    assert RESAMPLES.normal_interval(0.95, drawn).upper == pytest.approx(0.95 + Z_80 * math.sqrt(0.02))


def test_a_percentile_interval_has_both_quantiles() -> None:
    found = RESAMPLES.interval(5.0, np.array([*map(float, range(11)), math.nan]))
    assert (found.lower, found.upper) == pytest.approx((1.0, 9.0), abs=1e-14)
    assert found.undefined_resamples == 1


def test_blocks_have_the_same_draws_whatever_their_size() -> None:
    whole, cut = ([*RESAMPLES.blocks(width)] for width in (5, 1 << 18))
    assert len(whole) == 1 < len(cut)
    assert np.array_equal(np.concatenate(whole), np.concatenate(cut))


@pytest.mark.parametrize("drawn", [[], [math.nan], [0.5]])
def test_one_value_has_no_standard_error(drawn: list[float]) -> None:
    found = RESAMPLES.normal_interval(0.5, np.array(drawn))
    assert math.isnan(found.lower)
    assert math.isnan(found.upper)


def ratings(agreement: int) -> list[dict[str, object]]:
    """Ratings of 120 outputs by three raters and a judge, which agree on all but each of some outputs."""
    rows = []
    for unit in range(120):
        good = [(unit + (unit % agreement == rater)) % 4 for rater in range(3)]
        rows.append({"id": unit, "good": good, "model": (unit + (unit % agreement == 3)) % 4})
    return rows


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["alpha", "kappa"])
def test_agreement_of_judges_and_raters_has_symmetric_intervals_up_to_one(name: str) -> None:
    for agreement, is_cut in ((4, False), (120, True)):
        result = fw.judge(ratings(agreement), "good", ["model"], seed=3).as_json()
        for found in (result["judges"][0]["agreement"][name], result["raters"][name]):
            value, lower, upper = (found[key] for key in ("value", "lower", "upper"))
            assert lower < value < upper
            symmetric = value + (value - lower)
            assert upper == (1.0 if is_cut else pytest.approx(symmetric, abs=1e-12))
            assert (symmetric > 1) == is_cut
