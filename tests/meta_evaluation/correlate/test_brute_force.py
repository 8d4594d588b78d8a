"""Random combinations of the options of `correlate` against an independent implementation of all its sections."""

from __future__ import annotations

import inspect
import math
import random
import warnings

import numpy as np
import pytest
from brute_force.results import differing, numbers_of
from brute_force.study import Part, expected, rows_of
from samples import sampled

import metrics_framework as fw
from metrics_framework.api.acting import acts_of

COMBINATIONS = 150
QUICK = 6
METRICS = ("A", "B", "C")
COEFFICIENTS = [
    "pearson", "spearman", "kendall-a", "kendall-b", "kendall-c", "tau-23", "acc-23", "acc-eq", "kendall-like",
    "pairwise-accuracy", "spa", "spa:normal", "pdp",
]  # fmt: skip
WITH_EPSILON = {"acc-eq", "acc-23", "tau-23"}
AT_SYSTEM = {"pairwise-accuracy", "spa", "spa:normal"}
INTERVALS = [
    "none", "default", "default", "fisher", "fisher-shrunken", "bootstrap-inputs", "bootstrap-systems",
    "bootstrap-both", "bca-inputs", "bca-systems", "jackknife-inputs", "jackknife-systems",
]  # fmt: skip
SWAPS = ["default", "inputs", "systems", "both", "cells"]
TESTS = ["none", *SWAPS, "williams", "bootstrap-inputs", "bootstrap-systems"]


def random_request(draw):
    """Returns arguments of `correlate`, none of which it refuses."""
    request = {
        "levels": draw.sample(["input", "system", "global", "within-system"], draw.choice([1, 1, 2, 3])),
        "coefficients": draw.sample(COEFFICIENTS, draw.choice([1, 1, 2, 2, 3])),
        "ci": draw.choice(INTERVALS),
        "confidence": draw.choice([95.0, 80.0]),
        "two_tailed": draw.random() < 0.8,
        "resamples": draw.choice([12, 12, 16, 33]),
        "seed": draw.randrange(3),
        "test": draw.choice(TESTS),
        "correct": draw.choice(["holm", "bh", "by", "none"]),
        "data_sets": draw.choice([None, None, "task"]),
        "preset": draw.choice(["", "", "", "wmt23", "wmt24"]),
        "average_test": draw.choice(["joint", "joint", "published"]),
        "epsilon": draw.choice([None, None, 0.3701]),
        "epsilon_from": draw.random() < 0.3,
        "threshold": draw.choice([None, 0.77]),
        "sign_flips": draw.choice([1000, 1000, 50]),
        "stream": draw.choice(["default", "default", "mt-metrics-eval"]),
        "min_group": draw.choice([2, 2, 3, 4]),
        "cluster": draw.choice([None, None, "doc"]),
        "slices": draw.choice([(), (), "kind"]),
        "partial": draw.choice([(), "length"]),
        "humans_as_metrics": draw.random() < 0.2,
    }
    return without_contradictions(request, draw)


def without_contradictions(request, draw):
    """Changes what `correlate` would refuse."""
    levels, names = request["levels"], request["coefficients"]
    for users, level in ((AT_SYSTEM, "system"), ({"pdp"}, "input")):
        if users & {*names} and level not in levels:
            levels.append(level)
    if request["test"] == "williams":
        request.update(levels=["system"], coefficients=["pearson"])
    if not request["data_sets"]:
        request["preset"] = ""
    elif request["test"] not in ("none", *SWAPS):
        request["test"] = "default"
    if request["average_test"] == "published" and request["test"] == "both":
        request["test"] = "inputs"
    levels, names = request["levels"], {*request["coefficients"]}
    if is_refused_interval(request["ci"], levels, request["cluster"]):
        request["ci"] = "default"
    if not (names & {"pearson", "spearman"} and {*levels} & {"input", "global"}):
        request["partial"] = ()
    return with_options_of_coefficients(request, names)


def is_refused_interval(ci, levels, cluster):
    """Returns whether a method is invalid at one of the levels, or with clusters."""
    if ci == "fisher-shrunken":
        return levels != ["system"]
    return (ci == "fisher" and cluster) or (ci == "bca-inputs" and "system" in levels)


def with_options_of_coefficients(request, names):
    """Leaves out the options that no coefficient uses."""
    if not names & WITH_EPSILON:
        request["epsilon"] = None
    request["epsilon_from"] = request["epsilon_from"] and request["epsilon"] is None and "acc-eq" in names
    if "kendall-like" not in names:
        request["threshold"] = None
    if "spa" not in names:
        request.update(sign_flips=1000, stream="default")
    return request


def random_part(draw, request, raters, count):
    """Returns the scores of a data set, with holes, ties, small groups, clusters and slices."""
    generator = np.random.default_rng(draw.randrange(2**32))
    shape = draw.choice([4, 5, 6]), draw.choice([6, 7, 8, 10])
    holes = draw.choice([0.0, 0.0, 0.15])
    quality = generator.normal(0.5 * np.arange(shape[0])[:, None], 0.9, shape)
    ratings = np.round(quality[:, :, None] + generator.normal(0, 0.7, (*shape, raters)))
    ratings[generator.random(shape) < holes] = math.nan
    if draw.random() < 0.5:
        ratings[2:, ::3] = math.nan  # every third input is rated for two systems
    metrics = {name: quality + generator.normal(0, 1, shape) for name in METRICS[:count]}
    if "system" not in request["levels"] or not WITH_EPSILON & {*request["coefficients"]}:
        metrics["B"] = np.round(4 * metrics["B"]) / 4  # its means would differ by ε up to rounding
    if request["stream"] != "default":
        metrics = {name: np.round(32 * scores) / 32 for name, scores in metrics.items()}
    for scores in metrics.values():
        scores[generator.random(shape) < draw.choice([0, holes])] = math.nan
    kinds = np.arange(shape[0])[:, None] % 2 + 0 * np.arange(shape[1])
    return Part(
        ratings,
        metrics,
        np.round(generator.normal(quality, 2)),
        [f"d{index * 3 // 7}" for index in range(shape[1])] if request["cluster"] else None,
        {f"k{kind}": kinds == kind for kind in range(2)},
    )


def without_single_precision(numbers):
    """Leaves out p-values of SPA in single precision: sums of standardized scores depend on the order of additions."""
    numbers.pop("p-values of averages", None)
    for section in ("p-values of differences", "p-values in favour", "corrected p-values"):
        for key in [key for key in numbers.get(section, ()) if key[-1] == "spa"]:
            del numbers[section][key]


def by_unordered_pair(numbers):
    """Sorts the names of pairs, because rounding orders metrics of equal value, and leaves out what favours one."""
    for section, values in (
        ("p-values of differences", None),
        ("corrected p-values", None),
        ("p-values in favour", numbers.get("compared values", {})),
    ):
        for key, table in numbers.get(section, {}).items():
            numbers[section][key] = {
                tuple(sorted(pair)): p
                for pair, p in table.items()
                if values is None or abs(values[key][pair[0]] - values[key][pair[1]]) > 1e-9
            }
    if "p-values of averages" in numbers:
        values, table = numbers["averages"], numbers["p-values of averages"]
        numbers["p-values of averages"] = {
            tuple(sorted(pair)): p[: 1 + (abs(values[pair[0]] - values[pair[1]]) > 1e-9)] for pair, p in table.items()
        }


@pytest.mark.parametrize("seed", sampled(range(COMBINATIONS), QUICK))
def test_combinations_equal_brute_force(seed):
    draw = random.Random(seed)
    request = random_request(draw)
    raters = draw.choice([1, 3])
    if request["stream"] != "default" or ("acc-eq" in request["coefficients"] and "system" in request["levels"]):
        raters = 1  # means of ratings are no single-precision numbers, and differ by an ε of ratings up to rounding
    request["humans_as_metrics"] &= raters > 1
    count = draw.choice([2, 2, 3])
    names = ["cs-uk", "en-de"] if request["data_sets"] else [""]
    parts, other = ({name: random_part(draw, request, raters, count) for name in names} for _ in range(2))
    defaults = {name: one.default for name, one in inspect.signature(fw.correlate).parameters.items()}
    given = {**defaults, **request, "has_raters": raters > 1}
    idle = {name for name, acts in acts_of("correlate").items() if not acts.holds(given)}
    arguments = {name: value for name, value in request.items() if name not in idle}
    arguments["epsilon_from"] = rows_of(other) if request["epsilon_from"] else ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = fw.correlate(rows_of(parts), list(METRICS[:count]), "human", **arguments).study
        wanted = expected(parts, request, other if request["epsilon_from"] else None)
    found = numbers_of(study)
    for numbers in (found, wanted):
        if request["stream"] != "default":
            without_single_precision(numbers)
        by_unordered_pair(numbers)
    for section in sorted({*found} | {*wanted}):
        bad = differing(found.get(section, {}), wanted.get(section, {}), (section,))
        assert not bad, (request, bad[:5])
