"""Every coefficient at every level with degenerate data: a defined answer, or NaN; no warning, no exception."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from metrics_framework.meta_evaluation import calibrate, coefficient, group_values
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient
from metrics_framework.meta_evaluation.levels import LEVELS
from metrics_framework.meta_evaluation.sums.means import weighted_row_means

COEFFICIENTS = coefficient_names()
NAN = math.nan
RAMP = [[1.0, 2, 3], [2, 4, 1], [3, 1, 6]]


def alone(shape=(3, 3)):
    """One system for each input."""
    scores = np.full(shape, NAN)
    np.fill_diagonal(scores, [1.0, 2, 4])
    return scores


BIG = np.array(RAMP) * 1e300
DATA = {  # name: human, metric
    "one system an input": (alone(), alone()),
    "disjoint inputs": (
        [[1, 2, NAN, NAN], [NAN, NAN, 3, 1]],
        [[2, 1, NAN, NAN], [NAN, NAN, 3, 3]],
    ),
    "no common output": ([[1, NAN], [NAN, 2]], [[NAN, 1], [2, NAN]]),
    "constant human": ([[0.1] * 3] * 3, RAMP),
    "constant metric": (RAMP, [[0.1] * 3] * 3),
    "both constant": ([[0.1] * 3] * 3, [[0.7] * 3] * 3),
    "constant inputs": ([[1, 2, 3]] * 3, [[3, 1, 2]] * 3),
    "constant systems": ([[1] * 3, [2] * 3, [3] * 3], [[1] * 3, [3] * 3, [2] * 3]),
    "single input": ([[1], [2], [3]], [[1], [3], [2]]),
    "single system": ([[1, 2, 3]], [[1, 3, 2]]),
    "single output": ([[1]], [[2]]),
    "no input": (np.empty((3, 0)), np.empty((3, 0))),
    "no system": (np.empty((0, 3)), np.empty((0, 3))),
    "all missing": ([[NAN] * 3] * 3, [[NAN] * 3] * 3),
    "huge": (BIG, -BIG),
    "huge and tiny": (BIG, np.array(RAMP) * 1e-300),
    "both signs near the limit": ([[1.7e308, -1.7e308], [-1.7e308, 1.7e308]], [[1.7e308, -1.7e308], [1, 2]]),
    "denormal": (np.array(RAMP) * 5e-324, RAMP),
}

# Row by row, the coefficient that is exactly this; the rest of a row is only checked to be within its range or NaN.
# input, system, global, within-system; "-" is any value.
EXPECTED = [
    ("one system an input", "pearson", (NAN, 1, 1, NAN)),
    ("one system an input", "kendall-b", (NAN, 1, 1, NAN)),
    ("one system an input", "acc-23", (NAN, 1, 1, NAN)),
    ("one system an input", "acc-eq", (NAN, 1, 1, NAN)),
    ("one system an input", "pairwise-accuracy", (1,)),
    ("one system an input", "spa", (NAN,)),  # no input that all systems have
    ("one system an input", "pdp", (NAN,)),
    ("disjoint inputs", "pearson", (NAN, 1, "-", -1)),
    ("disjoint inputs", "acc-23", (NAN, 1, "-", 0)),
    ("disjoint inputs", "acc-eq", (NAN, 1, "-", 0)),
    ("disjoint inputs", "spa:normal", (NAN,)),
    ("no common output", "pearson", (NAN,) * 4),
    ("no common output", "acc-eq", (NAN,) * 4),
    ("no common output", "pairwise-accuracy", (NAN,)),
    ("constant human", "pearson", (NAN,) * 4),
    ("constant human", "spearman", (NAN,) * 4),
    ("constant human", "kendall-a", (NAN,) * 4),
    ("constant human", "kendall-b", (NAN,) * 4),
    ("constant human", "kendall-c", (NAN,) * 4),
    ("constant human", "kendall-like", (NAN,) * 4),
    ("constant human", "acc-23", (0, 0, "-", 0)),
    ("constant human", "acc-eq", (1, 1, 1, 1)),  # everything is tied
    ("constant human", "pairwise-accuracy", (0,)),
    ("constant human", "pdp", (NAN,)),
    ("constant metric", "pearson", (NAN,) * 4),
    ("constant metric", "kendall-like", (-1, -1, -1, -1)),  # its ties are discordant
    ("constant metric", "acc-23", (0, 0, "-", 0)),
    ("constant metric", "tau-23", (-1, -1, "-", -1)),
    ("constant metric", "pdp", (NAN,)),
    ("both constant", "acc-23", (1, 1, 1, 1)),
    ("both constant", "tau-23", (1, 1, 1, 1)),
    ("both constant", "acc-eq", (1, 1, 1, 1)),
    ("both constant", "spa", (1,)),
    ("both constant", "spa:normal", (1,)),
    ("both constant", "spearman", (NAN,) * 4),
    ("constant inputs", "pearson", (NAN, NAN, -0.5, -0.5)),
    ("constant inputs", "acc-23", (1, 1, "-", 1 / 3)),
    ("constant inputs", "pdp", (NAN,)),
    ("constant systems", "pearson", (0.5, 0.5, 0.5, NAN)),
    ("constant systems", "acc-23", (2 / 3, 2 / 3, "-", 1)),
    ("constant systems", "pairwise-accuracy", (2 / 3,)),
    ("single input", "pearson", (0.5, 0.5, 0.5, NAN)),
    ("single input", "tau-23", (1 / 3, 1 / 3, 1 / 3, NAN)),
    ("single input", "pdp", (0.5,)),
    ("single system", "pearson", (NAN, NAN, 0.5, 0.5)),
    ("single system", "pairwise-accuracy", (NAN,)),
    ("single system", "spa", (NAN,)),
    *[
        (data, name, (NAN,))
        for data in ("single output", "no input", "no system", "all missing")
        for name in COEFFICIENTS
    ],
    ("huge", "pearson", (-1, -1, -1, -1)),
    ("huge", "spearman", (-1, -1, -1, -1)),
    ("huge", "kendall-b", (-1, -1, -1, -1)),
    ("huge", "pdp", (-1,)),
    ("huge", "pairwise-accuracy", (0,)),
    ("huge and tiny", "pearson", (1, 1, 1, 1)),
    ("huge and tiny", "kendall-c", ("-", 1, "-", 1)),
    ("huge and tiny", "acc-23", (1, 1, 1, 1)),
    ("huge and tiny", "pdp", (1,)),
    ("huge and tiny", "spa", (1,)),
    ("both signs near the limit", "kendall-b", (1, NAN, "-", 1)),  # both systems have the mean 0
    ("both signs near the limit", "pearson", (1, NAN, "-", 1)),
    ("denormal", "kendall-b", (1, "-", 1, 1)),  # means have no digits
    ("denormal", "acc-eq", (1, "-", 1, 1)),
]


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_coefficient_is_defined_or_nan_without_warnings(name, data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        least, largest = load_coefficient(name).range
        for level in load_coefficient(name).levels:
            value = coefficient(*DATA[data], name, level=level)
            assert math.isnan(value) or least <= value <= largest, level
            values = group_values(*DATA[data], name, level=level)
            assert np.isnan(values).all() == math.isnan(value), level


@pytest.mark.parametrize(("data", "name", "expected"), EXPECTED)
def test_values_of_degenerate_data(data, name, expected):
    expected = expected * len(load_coefficient(name).levels) if len(expected) == 1 else expected
    for level, value in zip(load_coefficient(name).levels, expected, strict=True):
        if value != "-":
            found = coefficient(*DATA[data], name, level=level)
            assert found == pytest.approx(value, abs=1e-12, nan_ok=True), level


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("level", LEVELS)
def test_calibration_is_defined_or_nan_without_warnings(level, data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = calibrate(*DATA[data], level=level)
        value = coefficient(*DATA[data], "acc-eq", level=level)
        assert found.accuracy == pytest.approx(value, abs=1e-12, nan_ok=True)
        for number in (found.accuracy_at_zero, found.accuracy_all_tied, found.tied):
            assert math.isnan(number) == math.isnan(value)


def test_weighted_means_of_a_resample_do_not_depend_on_the_number_of_resamples() -> None:
    generator = np.random.default_rng(1)
    values, weights = generator.normal(size=(15, 400)), generator.integers(0, 4, (300, 400)).astype(float)
    means = weighted_row_means(values, weights)
    assert all((weighted_row_means(values, weights[:rows]) == means[:rows]).all() for rows in (1, 2, 7, 64, 299))
