"""A coefficient of another package: one file, one function; values, intervals and resamples equal brute force."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from concordance import registered_concordance

from metrics_framework.common.errors import InputError, PluginError
from metrics_framework.meta_evaluation import coefficient
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient

NAME = "concordance"


@pytest.fixture(autouse=True)
def registered():
    with registered_concordance():
        yield


def scores(seed=0):
    """Ratings with ties and gaps, and a metric on the same scale."""
    generator = np.random.default_rng(seed)
    quality = generator.normal(size=(7, 1)) + generator.normal(size=(7, 9))
    human, metric = np.round(2 * quality) / 2, quality + generator.normal(size=(7, 9)) / 2
    human[generator.random(human.shape) < 0.15] = np.nan
    return human, metric


def test_the_value_worked_by_hand() -> None:
    # h̄ = 2, m̄ = 3, s_hm = 4/3, s_hh = 2/3, s_mm = 8/3: 2·(4/3) / (2/3 + 8/3 + 1²) = 8/13
    assert coefficient([[1, 2, 3]], [[1, 3, 5]], NAME).value == pytest.approx(8 / 13)
    assert coefficient([[1, 2, 3]], [[1, 2, 3]], NAME).value == 1
    assert coefficient([[1, 2, 3]], [[3, 2, 1]], NAME).value == -1
    assert coefficient([[1, 1]], [[2, 2]], NAME).value == 0
    assert math.isnan(coefficient([[1, 1]], [[1, 1]], NAME).value)
    assert math.isnan(coefficient([[1]], [[2]], NAME).value)


@pytest.mark.parametrize("returned", [0.5, np.float64(0.5), None, [0.5] * 4, np.zeros((3, 1)), [None] * 3, ["a"] * 3])
def test_one_value_for_each_group_is_required(returned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def weighted(self, human, metric, weights, options):
        return returned

    monkeypatch.setattr(type(load_coefficient(NAME)), "weighted", weighted)
    expected = rf"{re.escape(__file__)}:\d+: weighted of the coefficient '{NAME}' must return an array"
    with pytest.raises(PluginError, match=expected):
        coefficient(np.ones((2, 3)), np.ones((2, 3)), NAME, level="input")


def test_it_has_no_epsilon() -> None:
    with pytest.raises(InputError, match="'epsilon' must be 0 for 'concordance'"):
        coefficient(*scores(), NAME, epsilon=0.5)
