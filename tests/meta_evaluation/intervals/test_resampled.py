"""Coefficients of weighted resamples equal those of copied systems and inputs."""

from __future__ import annotations

import numpy as np
import pytest
from coefficient_values import coefficient
from scipy import stats

from metrics_framework.meta_evaluation import resampled
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient

KEYS = [(name, level) for name in coefficient_names() for level in load_coefficient(name).levels]


def test_pdp_of_many_resamples_is_that_of_each():
    generator = np.random.default_rng(5)
    human, metric = generator.integers(0, 9, (3, 20_000)) / 4, generator.normal(size=(3, 20_000))
    rows, columns = generator.integers(0, 3, (101, 3)), np.ones((101, 20_000))
    values = resampled(human, metric, "pdp", level="input", rows=rows, columns=columns)
    last = resampled(human, metric, "pdp", level="input", rows=rows[-1:], columns=columns[-1:])
    assert values[-1] == pytest.approx(last[0], abs=1e-12)


@pytest.mark.parametrize("level", ["input", "system", "global"])
def test_close_values_far_from_the_mean_keep_their_digits(level):
    # Resamples without the last system correlate numbers that differ in the eighth digit of the spread.
    human = np.array([[1.0], [1.0 + 2e-8], [1.0 + 5e-8], [9.0]])
    metric = np.array([[3.0], [1.0], [2.0], [9.0]])
    drawn = [[0, 1, 2, 2], [0, 0, 1, 2], [0, 1, 2, 3]]
    rows = np.array([np.bincount(one, minlength=4) for one in drawn])
    values = resampled(human, metric, "pearson", level=level, rows=rows, columns=None)
    expected = [np.corrcoef(human[one, 0], metric[one, 0])[0, 1] for one in drawn]
    assert values == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall-b"])
@pytest.mark.parametrize("level", ["input", "system"])
def test_a_constant_is_found_by_comparison_not_by_variance(level, name):
    # 0.1 three times: its mean is not 0.1 in floats, and the deviations are not 0.
    human, metric = np.array([[0.1, 0.3]] * 3), np.array([[1.0, 2.0], [2.0, 1.0], [4.0, 4.0]])
    rows, columns = (np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), 20) for n in human.shape)
    assert np.isnan(resampled(human, metric, name, level=level, rows=rows, columns=columns)).all()


def test_sums_of_ranks_are_exact_for_large_weights():
    generator = np.random.default_rng(3)
    human, metric = generator.integers(0, 5, (2, 12, 6)).astype(float)
    rows = np.tile(generator.integers(1, 4, 12), (2, 1)) * np.array([[1.0], [1000]])
    for name in ("spearman", "kendall-b", "acc-23"):
        values = resampled(human, metric, name, level="input", rows=rows, columns=None)
        scores = (np.repeat(one, rows[0].astype(int) * 20, axis=0) for one in (human, metric))
        limit = coefficient(*scores, name, level="input")  # copies are ties, so that values approach it
        assert values[1] == pytest.approx(limit, abs=3e-3)
        ranks = [stats.rankdata(np.repeat(one[:, 0], rows[1].astype(int))) for one in (human, metric)]
        of_first = resampled(human[:, :1], metric[:, :1], "spearman", level="input", rows=rows[1:], columns=None)
        assert of_first[0] == pytest.approx(np.corrcoef(*ranks)[0, 1], abs=1e-12)


@pytest.mark.parametrize(("name", "level"), [key for key in KEYS if key[0] not in ("spa", "acc-eq", "f1", "mcc")])
def test_a_system_that_is_not_drawn_does_not_matter_however_huge_its_scores(name, level):
    generator = np.random.default_rng(4)
    human, metric = generator.integers(0, 5, (6, 9)).astype(float), generator.normal(size=(6, 9))
    rows = np.array([[1.0, 1, 1, 1, 1, 0], [2, 1, 1, 0, 1, 0]])
    expected = resampled(human, metric, name, level=level, rows=rows, columns=None)
    for huge in (1e13, 1e200):
        metric[5] = huge * generator.normal(size=9)
        found = resampled(human, metric, name, level=level, rows=rows, columns=None)
        assert found == pytest.approx(expected, abs=1e-9)
