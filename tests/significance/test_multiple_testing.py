"""Holm's correction, and how many trials it needs."""

from __future__ import annotations

import math

import pytest
from messages import CANNOT_BE_SIGNIFICANT

from metrics_framework.significance.confidence import Significance
from metrics_framework.significance.multiple_testing import holm, is_significant
from metrics_framework.significance.paired_tests import ScoredInputs
from metrics_framework.significance.resampling import Resampling

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
    (19, 200, 0.95, 380, "19 / 201 is above 0.05"),
    (19, 379, 0.95, 380, "19 / 380 is 0.05, which is not below it, though rounding makes 19 * (1 / 380) less"),
    (19, 380, 0.95, None, "19 / 381 is below 0.05"),
    (19, 1000, 0.99, 1900, "19 / 1901 is the first below 0.01"),
    (1, 40, 0.95, None, "one comparison needs 20, and an interval 40"),
    (2, 40, 0.95, None, "2 / 41 is below 0.05"),
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
