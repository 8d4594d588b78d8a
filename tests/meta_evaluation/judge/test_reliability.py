"""Calibration: Brier score, ECE and bins by hand and by scikit-learn, and what a calibrated judge has by chance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metrics_framework.meta_evaluation import reliability
from metrics_framework.meta_evaluation.judge.judge_agreement import judge_pairs, kappa_parts


def test_several_raters_count_as_single_ratings() -> None:
    # p = .8 and ratings 1 1 0; p = .4 and ratings 0 0 1: squared errors .04 .04 .64, .16 .16 .36
    found = reliability([0.8, 0.4], [2 / 3, 1 / 3])
    assert found.brier.value == pytest.approx((0.04 + 0.04 + 0.64 + 0.16 + 0.16 + 0.36) / 6)
    assert found.brier_of_constant == 0.25
    assert found.skill.value == pytest.approx(1 - found.brier.value / 0.25)
    assert found.overconfidence.value == pytest.approx(0.6 - 0.5)
    assert found.ece == pytest.approx((abs(0.8 - 2 / 3) + abs(0.4 - 1 / 3)) / 2)


EDGES = [  # stated, bin, why
    (0.0, (0.0, 0.1), "0 is in the first bin"),
    (0.1, (0.0, 0.1), "an edge belongs to the bin below"),
    (0.3, (0.2, 0.3), "3/10 is not rounded into the next bin"),
    (0.7, (0.6, 0.7), "nor is 7/10"),
    (0.95, (0.9, 1.0), "between two edges"),
    (1.0, (0.9, 1.0), "1 is in the last bin"),
]


@pytest.mark.parametrize(("stated", "expected", "why"), EDGES)
def test_edges_belong_to_the_bin_below(stated: float, expected: tuple[float, float], why: str) -> None:
    (found,) = reliability([stated], [1]).bins
    assert (found.lower, found.upper) == pytest.approx(expected), why


@pytest.mark.parametrize(("binning", "strategy"), [("width", "uniform"), ("mass", "quantile")])
def test_bins_are_those_of_scikit_learn(binning, strategy) -> None:
    calibration = pytest.importorskip("sklearn.calibration")
    stream = np.random.default_rng(3)
    p = np.round(stream.beta(4, 1.5, 400), 2)
    y = (stream.random(400) < p**2).astype(float)
    observed, stated = calibration.calibration_curve(y, p, n_bins=12, strategy=strategy)
    bins = reliability(p, y, bins=12, binning=binning).bins
    assert [one.observed for one in bins] == pytest.approx(list(observed))
    assert [one.stated for one in bins] == pytest.approx(list(stated))


def test_equal_probabilities_are_in_one_bin_of_equal_mass() -> None:
    found = reliability([0.9] * 8 + [0.5, 0.6], [1] * 10, bins=5, binning="mass")
    assert [one.n for one in found.bins] in ([1, 1, 8], [2, 8])
    assert math.isnan(found.skill.value)


@pytest.mark.parametrize("size", [1, 4])
def test_a_calibrated_judge_has_the_ece_that_is_expected_by_chance(size: int) -> None:
    """Outcomes of a cluster are equal if their probabilities are, so that a cluster counts as one case."""
    stream = np.random.default_rng(7)
    found = []
    for _ in range(300):
        p = np.repeat(stream.choice([0.55, 0.65, 0.75, 0.85, 0.95], 80), size)
        y = (np.repeat(stream.random(80), size) < p).astype(float)
        one = reliability(p, y, clusters=np.repeat(np.arange(80), size).tolist())
        found.append((one.ece, one.ece_of_calibrated))
    ece, expected = np.mean(found, axis=0)
    assert ece == pytest.approx(expected, rel=0.05)
    assert ece > 0.05


def test_the_interval_of_the_brier_score_covers() -> None:
    stream = np.random.default_rng(8)
    covered = 0  # outcomes have the probability q = p − .1, uniform from .4 to .9: E (p − y)² = .1² + E q − E q²
    for number in range(200):
        p = stream.uniform(0.5, 1, 120)
        found = reliability(p, stream.random(120) < p - 0.1, seed=number)
        covered += found.brier.lower <= 0.01 + 0.65 - 0.65**2 - 0.25 / 12 <= found.brier.upper
    assert 0.89 <= covered / 200 <= 0.99


def test_kappa_follows_from_agreement_prevalence_and_bias() -> None:
    stream = np.random.default_rng(2)
    judge = (stream.random(50) < 0.8).astype(float)
    rater = np.where(stream.random(50) < 0.7, judge, 1.0 * (stream.random(50) < 0.6))
    parts = kappa_parts(judge, rater[None], (), as_labels=False)
    assert parts is not None
    assert (parts.label, parts.agreement) == (1.0, (judge == rater).mean())
    assert parts.bias == pytest.approx(judge.mean() - rater.mean())
    index, bias = 2 * parts.prevalence - 1, parts.bias
    expected = (parts.adjusted - index**2 + bias**2) / (1 - index**2 + bias**2)
    kappa = judge_pairs(judge, rater[None], as_labels=True).sums(np.ones(50)).kappa()[0]
    assert kappa == pytest.approx(expected)


def test_parts_of_kappa_are_those_of_labels_only() -> None:
    ratings = np.array([[1.0, 2, 3] * 5, [1.0, 2, 2] * 5])
    assert kappa_parts(None, ratings, (), as_labels=False) is None
    found = kappa_parts(None, ratings, ("", "bad", "fair", "good"), as_labels=True)
    # 'fair' has 1/3 and 2/3 of the labels; two of three agree: (3 · 2/3 − 1) / 2
    assert found is not None
    assert (found.label, found.prevalence, found.bias) == ("fair", 0.5, pytest.approx(1 / 3))
    assert found.adjusted == pytest.approx(0.5)
    assert kappa_parts(None, ratings[:1], (), as_labels=True) is None
    assert kappa_parts(np.ones(3), np.ones((2, 3)), (), as_labels=True) is None
