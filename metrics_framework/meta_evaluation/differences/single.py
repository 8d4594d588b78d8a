"""The difference between two metrics, tested for the population that the test names."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.calibration import calibrate
from metrics_framework.meta_evaluation.coefficients.checks import checked_choice, checked_coefficient
from metrics_framework.meta_evaluation.coefficients.groups import coefficient
from metrics_framework.meta_evaluation.differences.pair_swaps import WARNING, swapped_pairs
from metrics_framework.meta_evaluation.differences.paired_bootstrap import bootstrap_differences, bootstrap_p_values
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.results import Difference
from metrics_framework.meta_evaluation.differences.schemes import SCHEMES, Arrangements, arrange, population
from metrics_framework.meta_evaluation.differences.swapped_coefficients import null_differences
from metrics_framework.meta_evaluation.differences.williams import williams
from metrics_framework.meta_evaluation.intervals.populations import Population
from metrics_framework.meta_evaluation.names import TESTS, Coefficient, Level, Test
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
    epsilon: float | tuple[float, float] = 0.0,
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
        epsilon: The largest difference that is a tie, of both metrics or of each, for ``acc-23`` and the like; for
            ``kendall-like``, the least difference of human scores that counts. ``acc-eq`` calibrates it.

    Raises:
        InputError: if a name is unknown, or the matrices do not have the same shape.

    >>> human = [[3, 1, 4, 1, 5, 2], [2, 2, 3, 3, 4, 1], [5, 3, 4, 2, 5, 4], [1, 2, 2, 1, 3, 1]]
    >>> metric = [[3, 1, 4, 2, 5, 2], [2, 1, 3, 3, 5, 1], [5, 3, 4, 2, 6, 4], [1, 1, 2, 1, 3, 1]]
    >>> other = [[1, 1, 4, 2, 3, 2], [2, 1, 2, 3, 5, 1], [5, 3, 1, 2, 4, 4], [1, 3, 2, 1, 3, 1]]
    >>> difference(human, metric, other, "pearson", level="input", test="inputs").p_value
    0.125
    """
    epsilons = epsilon if isinstance(epsilon, tuple) else (epsilon, epsilon)
    coefficient_name, at = checked_coefficient(name, level, max(epsilons))
    settings = TestSettings(checked_choice(test, TESTS, "test"), resamples, seed, clusters)
    scores = replace(PairedScores.of(human, metric1, metric2), epsilons=epsilons)
    return compared(scores, coefficient_name, at, settings)


@dataclass(frozen=True)
class TestSettings:
    """How differences are tested.

    Args:
        test: The test.
        resamples: The number of random arrangements or bootstrap resamples.
        seed: The random seed.
        clusters: The cluster of each input.

    Raises:
        InputError: if there are no resamples, or the seed is negative.
    """

    __test__ = False  # not a class of tests

    test: Test
    resamples: int = 1000
    seed: int = 0
    clusters: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        if self.resamples < 1 or self.seed < 0:
            raise InputError(
                f"'resamples' must be at least 1 and 'seed' at least 0, got {self.resamples} and {self.seed}"
            )

    def arrange(self, scheme: str, shape: tuple[int, int]) -> Arrangements:
        """Draws or enumerates the arrangements of a scheme."""
        return arrange(scheme, shape, self.resamples, self.seed, self.clusters)

    def drawn(self, shape: tuple[int, int]) -> dict[str, Arrangements]:
        """Draws the arrangements that all pairs of metrics share."""
        schemes = ("inputs", "systems") if self.test == "both" else (self.test,)
        return {scheme: self.arrange(scheme, shape) for scheme in schemes if scheme in SCHEMES}


Measured: TypeAlias = "tuple[float, float]"
"""The coefficient of a metric, and its ε."""


def compared(
    scores: PairedScores,
    name: Coefficient,
    level: Level,
    settings: TestSettings,
    known: tuple[Measured, Measured] | None = None,
    drawn: Mapping[str, Arrangements] | None = None,
) -> Difference:
    """Compares two metrics on the same cells.

    Args:
        scores: The scores.
        name: The coefficient.
        level: The level, one at which the coefficient is defined.
        settings: The test.
        known: The coefficient and ε of each metric, if they are known.
        drawn: Scheme to its arrangements, if they are known.
    """
    first, second = known or (
        measured(scores.human, metric, name, level, settings.seed, epsilon)
        for metric, epsilon in zip((scores.first, scores.second), scores.epsilons, strict=True)
    )
    values, epsilons = (first[0], second[0]), (first[1], second[1])
    if math.isnan(values[0] - values[1]):
        return _difference(scores, values, settings.test, (math.nan,) * 3)
    fixed = replace(scores, epsilons=epsilons)
    found = _tested(fixed, values, "acc-23" if name == "acc-eq" else name, level, settings, drawn or {})
    return replace(found, epsilons=epsilons) if name == "acc-eq" else found


def _tested(
    scores: PairedScores,
    values: tuple[float, float],
    name: Coefficient,
    level: Level,
    settings: TestSettings,
    drawn: Mapping[str, Arrangements],
) -> Difference:
    test = settings.test
    if test == "both":
        parts = [
            _tested(scores, values, name, level, replace(settings, test=part), drawn) for part in ("inputs", "systems")
        ]
        return _larger(parts[0], parts[1], scores.shape)
    if test == "williams":
        return _williams(scores, values, name, level)
    if test == "pairs":
        return _swapped_pairs(scores, values, name, level, settings)
    if test in ("bootstrap-inputs", "bootstrap-systems", "bootstrap-both"):
        return _bootstrapped(scores, values, name, level, settings)
    arrangements = drawn.get(test) or settings.arrange(test, scores.shape)
    trials = null_differences(scores, name, level, arrangements.spins, settings.seed)
    return of_trials(scores, values, trials, arrangements, test)


def measured(
    human: Floats, metric: Floats, name: Coefficient, level: Level, seed: int = 0, epsilon: float = 0.0
) -> Measured:
    """Computes the coefficient of a metric, and its ε, which ``acc-eq`` calibrates."""
    if name == "acc-eq":
        found = calibrate(human, metric, level=level)
        return found.accuracy, found.epsilon
    return coefficient(human, metric, name, level=level, epsilon=epsilon, seed=seed), epsilon


def of_trials(
    scores: PairedScores, values: tuple[float, float], trials: Floats, arrangements: Arrangements, test: Test
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
        _share(int((undefined | large).sum()), arrangements)
        for large in (
            np.abs(trials) >= abs(found) - ROUNDING,
            trials >= found - ROUNDING,
            trials <= found + ROUNDING,
        )
    ]
    return _difference(
        scores,
        values,
        test,
        p_values,
        arrangements=arrangements.spins.count,
        is_exact=arrangements.is_exact,
        least_p=arrangements.least_p,
        undefined=int(undefined.sum()),
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


def _bootstrapped(
    scores: PairedScores, values: tuple[float, float], name: Coefficient, level: Level, settings: TestSettings
) -> Difference:
    population_of_test = cast("Population", settings.test.removeprefix("bootstrap-"))
    trials = bootstrap_differences(
        scores, name, level, population_of_test, settings.resamples, settings.seed, settings.clusters
    )
    undefined = int(np.isnan(trials).sum())
    tails = bootstrap_p_values(trials, ROUNDING)
    return _difference(
        scores,
        values,
        settings.test,
        tails,
        arrangements=len(trials),
        least_p=2 / (len(trials) - undefined + 1),
        undefined=undefined,
    )


def _swapped_pairs(
    scores: PairedScores, values: tuple[float, float], name: Coefficient, level: Level, settings: TestSettings
) -> Difference:
    found = swapped_pairs(scores, name, level, settings.resamples, settings.seed)
    drawn = 0 if found.is_exact else settings.resamples
    return _difference(
        scores, values, "pairs", found[:3], arrangements=drawn, is_exact=found.is_exact, notes=(WARNING,)
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
    tested = _difference(scores, values, "williams", (found.p_value, found.p_greater, found.p_less))
    of_points = population("williams", scores.shape[0], 1 if level == "system" else scores.shape[1])
    return replace(tested, population=of_points)


def _difference(
    scores: PairedScores, values: tuple[float, float], test: Test, p_values: Sequence[float], **details: Any
) -> Difference:
    return Difference(
        value1=values[0],
        value2=values[1],
        difference=values[0] - values[1],
        p_value=p_values[0],
        p_greater=p_values[1],
        p_less=p_values[2],
        test=test,
        population=population(test, *scores.shape),
        dropped=scores.dropped,
        **{"arrangements": 0, **details},
    )
