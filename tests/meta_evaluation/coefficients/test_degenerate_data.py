"""Every coefficient at every level with degenerate data: a defined answer, or NaN; no warning, no exception."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from brute_force import coefficients as definitions
from coefficient_values import coefficient
from difference_cases import DEGENERATE as DATA

from metrics_framework.meta_evaluation import group_values
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient
from metrics_framework.meta_evaluation.groups.moments import weighted_row_means

COEFFICIENTS = coefficient_names()
NAN = math.nan
# The definitions of `brute_force` overflow, or take these values for equal.
EXTREME = {  # data, coefficient: value at the levels input, system, global, within-system; "-" is any value
    ("huge", "pearson"): (-1, -1, -1, -1),
    ("huge", "pdp"): (-1,),
    ("huge and tiny", "pearson"): (1, 1, 1, 1),
    ("huge and tiny", "kendall-c"): ("-", 1, "-", 1),
    ("huge and tiny", "acc-23"): (1, 1, 1, 1),
    ("huge and tiny", "pdp"): (1,),
    ("huge and tiny", "spa"): (1,),
    ("both signs near the limit", "kendall-b"): (1, NAN, "-", 1),  # both systems have the mean 0
    ("both signs near the limit", "pearson"): (1, NAN, "-", 1),
    ("denormal", "kendall-b"): (1, "-", 1, 1),  # means have no digits
    ("denormal", "acc-eq"): (1, "-", 1, 1),
}
DEFINED = [data for data in DATA if data not in ("huge", "huge and tiny", "both signs near the limit", "denormal")]


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_coefficient_has_its_value_or_nan_without_warnings(name, data):
    one = load_coefficient(name)
    extreme = EXTREME.get((data, name), ["-"] * len(one.levels))
    human, metric = (np.array(scores, float) for scores in DATA[data])
    missing = np.isnan(human) | np.isnan(metric)
    matrices = [np.where(missing, NAN, scores) for scores in (human, metric)]
    for level, expected in zip(one.levels, extreme, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            value = coefficient(human, metric, name, level=level)
            values = group_values(human, metric, name, level=level)
        assert math.isnan(value) or one.range[0] <= value <= one.range[1], level
        assert np.isnan(values).all() == math.isnan(value), level
        if data in DEFINED:
            options = definitions.fitted(name, *matrices, level, definitions.Options())
            expected = definitions.coefficient(name, *matrices, level, options)
        if expected != "-":
            assert value == pytest.approx(expected, abs=1e-9, nan_ok=True), level


def test_weighted_means_of_a_resample_do_not_depend_on_the_number_of_resamples() -> None:
    generator = np.random.default_rng(1)
    values, weights = generator.normal(size=(15, 400)), generator.integers(0, 4, (300, 400)).astype(float)
    means = weighted_row_means(values, weights)
    assert all((weighted_row_means(values, weights[:rows]) == means[:rows]).all() for rows in (1, 2, 7, 64, 299))
