"""The difference between two metrics, tested for the population that the test names."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.calibration import calibrate
from metrics_framework.meta_evaluation.coefficients.checks import checked_choice, checked_coefficient
from metrics_framework.meta_evaluation.coefficients.groups import coefficient
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.results import Difference
from metrics_framework.meta_evaluation.differences.schemes import Arrangements, arrange, population
from metrics_framework.meta_evaluation.differences.swapped_coefficients import null_differences
from metrics_framework.meta_evaluation.differences.williams import williams
from metrics_framework.meta_evaluation.names import TESTS, Coefficient, Level
from metrics_framework.significance.arrays import Floats

ROUNDING = 1e-12
"""A trial that is smaller than the observed difference by no more than this counts as equally large."""
CORRELATIONS = ("pearson", "spearman", "kendall-b")
"""The coefficients that Williams' test compares."""
FEWEST_SYSTEMS = 6
"""With fewer systems, there are fewer than 64 arrangements of systems."""


def difference(
    human: npt.ArrayLike,
    metric1: npt.ArrayLike,
    metric2: npt.ArrayLike,
    name: str,
    *,
    level: str,
    test: str,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> Difference:
    """Tests whether two metrics differ in their coefficient of agreement with human scores.

    A permutation test exchanges the scores of the two metrics for whole inputs (``inputs``: it speaks of other inputs
    for these systems), for whole systems (``systems``), for single cells (``cells``) or for both systems and inputs
    (``rows-cols``). ``both`` is the larger of the p-values of ``inputs`` and ``systems``. If there are at most
    ``resamples`` arrangements, all are enumerated, and p is the share of them in which the difference is as large as
    the observed one; otherwise p = (count + 1) / (resamples + 1). Both metrics are standardized first.

    Args:
        human: Human scores, shape (systems, inputs); NaN where missing.
        metric1: Scores of the first metric, of the same shape.
        metric2: Scores of the second metric.
        name: The coefficient; see `metrics_framework.meta_evaluation.names`.
        level: ``input``, ``system``, ``global`` or ``within-system``.
        test: The test.
        resamples: The number of random arrangements or bootstrap resamples.
        seed: The random seed.
        clusters: The cluster of each input; inputs of one cluster are swapped or drawn together.

    Raises:
        InputError: if a name is unknown, or the matrices do not have the same shape.

    >>> human = [[3, 1, 4, 1, 5, 2], [2, 2, 3, 3, 4, 1], [5, 3, 4, 2, 5, 4], [1, 2, 2, 1, 3, 1]]
    >>> metric = [[3, 1, 4, 2, 5, 2], [2, 1, 3, 3, 5, 1], [5, 3, 4, 2, 6, 4], [1, 1, 2, 1, 3, 1]]
    >>> other = [[1, 1, 4, 2, 3, 2], [2, 1, 2, 3, 5, 1], [5, 3, 1, 2, 4, 4], [1, 3, 2, 1, 3, 1]]
    >>> difference(human, metric, other, "pearson", level="input", test="inputs").p_value
    0.125
    """
    coefficient_name, at = checked(name, level, test, resamples)
    scores = PairedScores.of(human, metric1, metric2)
    return compared(scores, coefficient_name, at, test, resamples=resamples, seed=seed, clusters=clusters)


def checked(name: str, level: str, test: str, resamples: int) -> tuple[Coefficient, Level]:
    """Returns the name and the level of a coefficient, after checking the names and the number of resamples.

    Raises:
        InputError: if a name is unknown, the coefficient is undefined at the level, or there are no resamples.
    """
    coefficient_name, at = checked_coefficient(name, level)
    checked_choice(test, TESTS, "test")
    if resamples < 1:
        raise InputError(f"'resamples' must be a positive integer, got {resamples}")
    return coefficient_name, at


def compared(
    scores: PairedScores,
    name: Coefficient,
    level: Level,
    test: str,
    *,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> Difference:
    """Compares two metrics on the same cells; arguments as in `difference`, checked."""
    if test == "both":
        parts = [
            compared(scores, name, level, part, resamples=resamples, seed=seed, clusters=clusters)
            for part in ("inputs", "systems")
        ]
        return _larger(parts[0], parts[1], scores.shape)
    values, epsilons = observed(scores, name, level, seed)
    if test == "williams":
        return _williams(scores, values, name, level)
    arrangements = arrange(test, scores.shape, resamples, seed, clusters)
    fixed = replace(scores, epsilons=epsilons)
    trials = null_differences(fixed, "acc-23" if name == "acc-eq" else name, level, arrangements.spins, seed)
    found = of_trials(scores, values, trials, arrangements, test)
    return replace(found, epsilons=epsilons) if name == "acc-eq" else found


def observed(
    scores: PairedScores, name: Coefficient, level: Level, seed: int = 0
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Computes the coefficients of both metrics, and the ε that each has; ``acc-eq`` calibrates it once."""
    metrics = (scores.first, scores.second)
    if name == "acc-eq":
        found = [calibrate(scores.human, metric, level=level) for metric in metrics]
        return (found[0].accuracy, found[1].accuracy), (found[0].epsilon, found[1].epsilon)
    pairs = zip(metrics, scores.epsilons, strict=True)
    values = [coefficient(scores.human, metric, name, level=level, epsilon=e, seed=seed) for metric, e in pairs]
    return (values[0], values[1]), scores.epsilons


def of_trials(
    scores: PairedScores, values: tuple[float, float], trials: Floats, arrangements: Arrangements, test: str
) -> Difference:
    """Compares an observed difference with those of all arrangements.

    Args:
        scores: The scores.
        values: The observed coefficients.
        trials: The differences in the arrangements, shape (arrangements,).
        arrangements: The arrangements.
        test: The test.
    """
    found = values[0] - values[1]
    undefined = np.isnan(trials)
    p_values = [
        _share(int((undefined | large).sum()), arrangements) if not math.isnan(found) else math.nan
        for large in (
            np.abs(trials) >= abs(found) - ROUNDING,
            trials >= found - ROUNDING,
            trials <= found + ROUNDING,
        )
    ]
    return Difference(
        *values,
        found,
        p_values[0],
        arrangements.spins.count,
        p_greater=p_values[1],
        p_less=p_values[2],
        test=test,
        population=population(test, *scores.shape),
        is_exact=arrangements.is_exact,
        least_p=arrangements.least_p,
        undefined=int(undefined.sum()),
        dropped=scores.dropped,
        notes=_notes(test, scores.shape[0], arrangements),
    )


def _share(count: int, arrangements: Arrangements) -> float:
    if arrangements.is_exact:
        return count / arrangements.spins.count
    return (count + 1) / (arrangements.spins.count + 1)


def _notes(test: str, systems: int, arrangements: Arrangements) -> tuple[str, ...]:
    if test == "systems" and systems < FEWEST_SYSTEMS:
        return (
            f"{systems} systems have only {2**systems} arrangements: "
            f"no p-value below {arrangements.least_p:g} is possible",
        )
    return ()


def _larger(inputs: Difference, systems: Difference, shape: tuple[int, int]) -> Difference:
    """Returns the comparison with the larger p-value, as the result of the test ``both``."""
    one = inputs if inputs.p_value >= systems.p_value else systems
    return replace(
        one,
        test="both",
        population=population("both", *shape),
        p_greater=max(inputs.p_greater, systems.p_greater),
        p_less=max(inputs.p_less, systems.p_less),
        least_p=max(inputs.least_p, systems.least_p),
        is_exact=inputs.is_exact and systems.is_exact,
        notes=(*inputs.notes, *systems.notes),
    )


def _williams(scores: PairedScores, values: tuple[float, float], name: Coefficient, level: Level) -> Difference:
    if level not in ("system", "global"):
        raise InputError(
            f"'williams' needs points that are correlated once, at level 'system' or 'global', got '{level}'"
        )
    if name not in CORRELATIONS:
        raise InputError(f"'williams' compares correlations ({', '.join(CORRELATIONS)}), got '{name}'")
    between = coefficient(scores.first, scores.second, name, level=level)
    present = scores.present
    points = int(present.any(axis=1).sum()) if level == "system" else int(present.sum())
    found = williams(*values, between, points)
    return Difference(
        *values,
        values[0] - values[1],
        found.p_value,
        0,
        p_greater=found.p_greater,
        p_less=found.p_less,
        test="williams",
        population=population("williams", scores.shape[0], 1 if level == "system" else scores.shape[1]),
        dropped=scores.dropped,
    )
