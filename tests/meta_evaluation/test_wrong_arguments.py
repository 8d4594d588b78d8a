"""Wrong arguments of the functions of arrays: each is an error that says what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from coefficient_values import coefficient
from messages import NEEDS_TWO_RATERS, NO_BETTER_THAN_CHANCE

from metrics_framework.common.errors import InputError, UnknownChoiceError, UnknownNameError
from metrics_framework.meta_evaluation import (
    Task,
    agreement,
    alt_test,
    bradley_terry,
    calibrate,
    difference_matrix,
    group_values,
    group_weights,
    misclassification,
    partial_correlation,
    predicted_mean,
    reliability,
    resampled,
    soft_pairwise_accuracy,
)
from metrics_framework.meta_evaluation import coefficient as interval
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.rater_agreement.generalizability import variance_components

INF, NAN = math.inf, math.nan
AT_LEAST = "must be an integer of at least"
MATRIX_EXPECTED = "must be a matrix of numbers"
TWO_INPUTS = {"human": [[1, 2], [3, 1]], "metric": [[1, 2], [2, 1]], "name": "pearson"}
RATED = {rater: dict.fromkeys(range(40), rater) for rater in (1, 2, 3)}
TEN_VOTES = [(*pair, winner) for pair in ("ab", "bc", "ca", "ac", "cb") for winner in "ab"]
FIVE_POINTS = [[1.0, 2, 3, 4, 5], [1.0, 2, 3, 5, 5]]
VALID: dict[Callable[..., Any], dict[str, Any]] = {
    coefficient: {**TWO_INPUTS, "level": "global"},
    group_values: {**TWO_INPUTS, "level": "input"},
    group_weights: {**TWO_INPUTS, "level": "input"},
    interval: {**TWO_INPUTS, "level": "input", "ci": "bootstrap-both"},
    resampled: {**TWO_INPUTS, "level": "global", "rows": [[1, 1]], "columns": None},
    calibrate: {"human": [[1, 2]], "metric": [[1, 2]], "level": "global"},
    soft_pairwise_accuracy: {"human": [[1, 2], [3, 1]], "metric": [[1, 2], [2, 1]]},
    partial_correlation: {"human": [[1, 2, 3, 4]], "metric": [[2, 2, 5, 4]], "covariates": {}},
    difference_matrix: {"human": [[1, 2]], "metrics": {}, "name": "pearson", "level": "global", "test": "inputs"},
    Task: {"name": "r", "coefficient": "pearson", "level": "input", "data_sets": []},
    load_coefficient: {},
    predicted_mean: {"labels": [1, 2, 1, 2], "predictions": [1, 2, 2, 1], "unlabelled": [1]},
    misclassification: {"share": 0.5, "specificity": 0.9, "sensitivity": 0.8, "n": 10, "m0": 5, "m1": 5},
    alt_test: {"judge": RATED[1], "humans": RATED, "scoring": "neg_rmse", "epsilon": 0.1},
    reliability: {"stated": [0.5], "outcomes": [1]},
    agreement: {"ratings": FIVE_POINTS, "name": "gwet"},
    variance_components: {"ratings": np.ones((2, 2, 2))},
    bradley_terry: {"votes": TEN_VOTES},
}
NAMED = (coefficient, group_values, group_weights, resampled, interval, load_coefficient)
WRONG: list[tuple[Callable[..., Any], dict[str, Any], str]] = [  # function, changed arguments, message
    (coefficient, {"human": [1, 2]}, r"'human' must have the shape \(systems, inputs\), got \(2,\)"),
    (coefficient, {"human": [[1, 2]], "metric": [[1], [2]]}, r"the same shape, got \(1, 2\) and \(2, 1\)"),
    (coefficient, {"human": [["a"]]}, f"'human' {MATRIX_EXPECTED}"),
    (coefficient, {"human": [["1", "2"]]}, "its type is <U1"),
    (coefficient, {"human": [[1, INF], [3, 1]]}, "'human' must be finite"),
    (coefficient, {"metric": [[1, -INF], [3, 1]]}, "'metric' must be finite"),
    (coefficient, {"name": "ccc"}, "'name' must be one of acc-23, .*spearman, tau-23, got 'ccc'"),
    (coefficient, {"name": "kendal-b"}, "did you mean 'kendall-b'"),
    (coefficient, {"name": ["pearson"]}, "'name' must be one of"),
    (coefficient, {"human": "pearson", "name": np.eye(40)}, r"the order .* coefficient\(human, metric, name\)"),
    (coefficient, {"metric": "pearson", "name": [1, 2]}, r"the order .* coefficient\(human, metric, name\)"),
    (coefficient, {"name": np.eye(40)}, r"'name' must be one of [^[]*, got array\(\[\[1., [^\n]{,200}…$"),
    *(
        (function, {"name": name}, "'name' must be one of acc-23, ")
        for name in ("ccc", "kendal-b", "pearsn", "", None, 3)
        for function in NAMED
    ),
    (coefficient, {"level": "summary"}, "'level' must be one of input, system"),
    (coefficient, {"name": "spa", "level": "input"}, "'spa' is defined at the system level only"),
    (coefficient, {"name": "pdp", "level": "system"}, "'pdp' is defined at the input level only"),
    (coefficient, {"name": "acc-23", "epsilon": -1}, "'epsilon' must be a number of at least 0"),
    (coefficient, {"name": "acc-23", "epsilon": NAN}, "'epsilon' must be a number of at least 0"),
    (coefficient, {"name": "acc-23", "epsilon": "0.1"}, "'epsilon' must be a number of at least 0, got '0.1'"),
    (coefficient, {"name": "acc-eq", "epsilon": 0.1}, "pass a given one to 'acc-23'"),
    (coefficient, {"name": "pearson", "epsilon": 0.1}, "'epsilon' must be 0 for 'pearson'"),
    (coefficient, {"name": "kendall-c", "epsilon": 0.1}, "'epsilon' must be 0 for 'kendall-c'"),
    (coefficient, {"name": "spa", "level": "system", "sign_flips": 0}, f"'sign_flips' {AT_LEAST} 1"),
    (coefficient, {"name": "spa", "level": "system", "sign_flips": 1.5}, f"'sign_flips' {AT_LEAST} 1"),
    (calibrate, {"human": np.zeros((1, 70_000)), "metric": np.zeros((1, 70_000))}, "compares all pairs of outputs, at"),
    (soft_pairwise_accuracy, {"sign_flips": 0}, f"'sign_flips' {AT_LEAST} 1"),
    (soft_pairwise_accuracy, {"seed": -1}, f"'seed' {AT_LEAST} 0, got -1"),
    (soft_pairwise_accuracy, {"seed": "a"}, f"'seed' {AT_LEAST} 0, got 'a'"),
    (soft_pairwise_accuracy, {"stream": "mt-metric-eval"}, "'stream' must be one of default, mt-metrics-eval"),
    (interval, {"ci": "jackknife"}, "'ci' must be one of"),
    (interval, {"ci": "fisher", "name": "acc-23"}, "'fisher' is undefined for 'acc-23'; use jackknife-systems"),
    (interval, {"ci": "fisher", "name": "spa", "level": "system"}, "'fisher' is undefined for 'spa'"),
    (interval, {"confidence": 0}, "confidence level"),
    (interval, {"resamples": 0}, "'resamples' must be at least 1"),
    (interval, {"seed": -1}, "'seed' must be an integer of at least 0"),
    (interval, {"clusters": [1, 2, 3]}, "one label for each of the 2 inputs, got 3"),
    (interval, {"human": np.ones((2, 3))}, "same shape"),
    (interval, {"human": [["a", "b"]] * 2}, "numbers"),
    (interval, {"name": "spa"}, "system level only"),
    (interval, {"epsilon": -1.0, "name": "acc-23"}, "'epsilon'"),
    (resampled, {"rows": None}, "'rows' or 'columns'"),
    (resampled, {"rows": [[1, 1, 1]]}, r"'rows' must be integers .*, shape \(resamples, 2\); got the shape \(1, 3\)"),
    (resampled, {"columns": [[1, 1, 1]]}, r"'columns' .* shape \(resamples, 2\)"),
    (resampled, {"rows": [[1, -1]]}, "'rows' must be integers of at least 0"),
    (resampled, {"rows": [[0.5, 1]]}, "'rows' must be integers of at least 0"),
    (resampled, {"rows": [[1, NAN]]}, "'rows' must be integers of at least 0"),
    (resampled, {"rows": [1, 1]}, "'rows' must have the shape"),
    (resampled, {"columns": [[1, 1], [1, 1]]}, "one row for each resample"),
    (partial_correlation, {"covariates": {"length": [[1, 2]]}}, "must have the shape of the scores"),
    (partial_correlation, {"covariates": {"length": [[{}, "short", "long", "short"]]}}, MATRIX_EXPECTED),
    (partial_correlation, {"covariates": [[1, 2, 3, 5]]}, "'covariates' must be a mapping of names .*, got list"),
    (difference_matrix, {"metrics": {"a": [[1, 2]], "b": [[1]]}}, "'b' must have the shape"),
    (Task, {"weight": 0}, "weight"),
    (predicted_mean, {"labels": [], "predictions": []}, "at least one rating"),
    (predicted_mean, {"predictions": [1]}, "one score for each of 4 labels"),
    (predicted_mean, {"labels": [1, 2, 1, NAN]}, "'labels' must be finite"),
    (predicted_mean, {"labels": [[1]], "predictions": [1]}, "shape"),
    (predicted_mean, {"tuning": INF}, "finite"),
    (predicted_mean, {"tuning": "fre"}, "did you mean"),
    (predicted_mean, {"clusters": "ab"}, "one label for each of the 5"),
    (
        predicted_mean,
        {"labels": [1, 2, 3], "predictions": [1, 2, 4]},
        "needs 4 outputs with a rating and a score, got 3",
    ),
    (predicted_mean, {"variances": "n"}, "'variances' must be one of sample, population, got 'n'"),
    (predicted_mean, {"interval": "score"}, "ratings of 0 and 1"),
    (predicted_mean, {"interval": "wald"}, "'interval' must be one of t, score, normal, got 'wald'"),
    (misclassification, {"specificity": 0.5, "sensitivity": 0.5}, NO_BETTER_THAN_CHANCE),
    (misclassification, {"share": 1.2}, "'share' must be between 0 and 1"),
    (misclassification, {"m0": 0}, "'m0' must be positive"),
    (alt_test, {"scoring": "rmse"}, "'scoring' must be one of accuracy, neg_rmse, ranks"),
    (alt_test, {"epsilon": 1.5}, "'epsilon' must be between 0 and 1"),
    (alt_test, {"q": 0}, "'q' must be between 0 and 1"),
    (alt_test, {"min_humans": 1}, "'min_humans' must be 2 or more"),
    (alt_test, {"min_instances": 0}, "'min_instances' must be 1 or more"),
    (alt_test, {"humans": {}}, "at least one rater"),
    (alt_test, {"judge": [1, 2]}, "'judge' must map units"),
    (alt_test, {"judge": {**RATED[1], 1: "good"}}, r"'judge\[1\]' must be a finite number"),
    (alt_test, {"humans": {"a": {1: INF}}}, r"'humans\['a'\]\[1\]' must be a finite number"),
    (alt_test, {"humans": {"a": RATED[1]}}, "0 units in all"),
    (alt_test, {"clusters": dict.fromkeys(range(39), "d")}, "'clusters' must have every unit, but 39 is missing"),
    (reliability, {"outcomes": [1, 0]}, "one number for each of 1 cases, got 2"),
    (reliability, {"stated": [1.5]}, "'stated' must be numbers from 0 to 1"),
    (reliability, {"outcomes": [NAN]}, "'outcomes' must be numbers from 0 to 1"),
    (reliability, {"stated": [], "outcomes": []}, "one case or more"),
    (reliability, {"bins": 0}, "'bins' must be 1 or more, got 0"),
    (reliability, {"binning": "equal"}, "'equal'"),
    (agreement, {"ratings": [1, 2, 3]}, r"shape \(raters, units\), got 1 dimensions"),
    (agreement, {"ratings": [["a", "b"]]}, "must be numbers"),
    (agreement, {"ratings": [[1, INF], [1, 2]]}, "finite"),
    (agreement, {"ratings": [[1, 2]] * 4, "name": "cohen"}, f"{NEEDS_TWO_RATERS} 4"),
    (agreement, {"ratings": [[-1, 2], [1, 2]], "name": "krippendorff", "weights": "ratio"}, "not negative"),
    (agreement, {"name": "kappa"}, "must be one of"),
    (agreement, {"weights": "ordinal"}, "must be one of"),
    (agreement, {"name": "icc", "weights": "4,1"}, "must be one of"),
    (variance_components, {"ratings": np.ones((1, 3, 2))}, r"at least two systems, .*, got the shape \(1, 3, 2\)"),
    (variance_components, {"ratings": np.full((2, 2, 2), 1e300)}, "must be within ±1e"),
    (variance_components, {"ratings": np.ones((2, 2))}, r"got the shape \(2, 2\)"),
    (variance_components, {"ratings": np.full((2, 2, 2), NAN)}, "every rater must rate every output"),
    (bradley_terry, {"votes": []}, "at least two systems"),
    (bradley_terry, {"votes": [("x", "y", "a")]}, "x never lost to any other system"),
    (bradley_terry, {"votes": [("x", "x", "a")]}, "'x' twice"),
    (bradley_terry, {"votes": [("x", "y", "tie"), ("z", "w", "tie")]}, "no votes between w, z and the other systems"),
    (bradley_terry, {"votes": [("x", "y", "a"), ("y", "z", "tie")]}, r"x \| y, z"),
    (bradley_terry, {"votes": [("x", "y", "up")]}, "the string 'up'"),
    (bradley_terry, {"votes": [("x", "y")]}, "two systems and a winner"),
    (bradley_terry, {"covariates": {"length": [3.0] * 10}}, "constant"),
    (bradley_terry, {"covariates": {"length": [1.0] * 9}}, r"shape \(10,\)"),
    (bradley_terry, {"covariates": {"length": [[1, -1]] * 10}}, "not negative"),
    (bradley_terry, {"covariates": {"length": [NAN] * 10}}, "finite"),
    (bradley_terry, {"covariates": np.ones((3, 2))}, r"shape \(10,\)"),
    (bradley_terry, {"covariates": {"one": range(10), "other": range(10)}}, "depend"),
    (bradley_terry, {"covariates": {"same": [1 if winner == "a" else -1 for *_, winner in TEN_VOTES]}}, "separate"),
]


@pytest.mark.parametrize(("function", "changed", "message"), WRONG)
def test_wrong_arguments_are_reported(function: Callable[..., Any], changed: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, UnknownChoiceError, UnknownNameError), match=message):
        function(**VALID[function] | changed)


def test_the_other_arguments_are_valid() -> None:
    for function in (coefficient, interval, resampled, predicted_mean, alt_test, agreement, bradley_terry):
        function(**VALID[function])
