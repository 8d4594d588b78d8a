"""The difference between two metrics, tested for the population that the test names."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.checks import checked_scores
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.differences.difference_settings import TestSettings
from metrics_framework.meta_evaluation.differences.difference_test import Compared, Tested, chosen_test
from metrics_framework.meta_evaluation.differences.matrices import epsilons_of
from metrics_framework.meta_evaluation.differences.measured_metrics import measured_metrics
from metrics_framework.meta_evaluation.differences.metric_set import MetricSet
from metrics_framework.meta_evaluation.differences.results import Difference, notes_on_resamples

FIRST, SECOND = "metric1", "metric2"
"""The names of the two metrics in messages."""


def difference(
    human: Any,
    metric1: Any,
    metric2: Any,
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
    for these systems), for whole systems (``systems``) or for single cells (``cells``). ``both`` is the larger of the
    p-values of ``inputs`` and ``systems``. If there are at most ``resamples`` permutations, all are enumerated, and p
    is the share of them in which the difference is as large as the observed one; otherwise p = (count + 1) /
    (resamples + 1). Both metrics are standardized first.

    Args:
        human: Human scores, shape (systems, inputs); NaN where missing.
        metric1: Scores of the first metric, of the same shape.
        metric2: Scores of the second metric.
        name: The coefficient; ``fw list coefficients`` shows all.
        level: ``input``, ``system``, ``global`` or ``within-system``.
        test: The test; ``fw list tests`` shows all.
        resamples: The number of random permutations or bootstrap resamples.
        seed: The random seed.
        clusters: The cluster of each input; inputs of one cluster are swapped or drawn together.
        epsilon: The largest difference that is a tie, of both metrics or of each, for ``acc-23`` and the like; for
            ``kendall-like``, the least difference of human scores that counts. ``acc-eq`` calibrates it.

    Raises:
        InputError: if a name is unknown, the test is invalid for the coefficient, or shapes differ.

    >>> human = [[3, 1, 4, 1, 5, 2], [2, 2, 3, 3, 4, 1], [5, 3, 4, 2, 5, 4], [1, 2, 2, 1, 3, 1]]
    >>> metric = [[3, 1, 4, 2, 5, 2], [2, 1, 3, 3, 5, 1], [5, 3, 4, 2, 6, 4], [1, 1, 2, 1, 3, 1]]
    >>> other = [[1, 1, 4, 2, 3, 2], [2, 1, 2, 3, 5, 1], [5, 3, 1, 2, 4, 4], [1, 3, 2, 1, 3, 1]]
    >>> difference(human, metric, other, "pearson", level="input", test="inputs").p_value
    0.125
    """
    found, at, _ = checked_coefficient(name, level)
    epsilons = epsilon if isinstance(epsilon, tuple) else (epsilon, epsilon)
    options = {
        metric: checked_coefficient(name, level, value, seed=seed)[2]
        for metric, value in zip((FIRST, SECOND), epsilons, strict=True)
    }
    settings, scores = TestSettings(test, resamples, seed), paired_scores(human, metric1, metric2, clusters)
    chosen = chosen_test(at, test)
    chosen.check(found, at, clustered=clusters is not None)
    compared = Compared(scores, found, at, measured_metrics(scores, found, at, options), settings)
    first, second = (compared.measured[metric].value for metric in (FIRST, SECOND))
    undefined = Tested(math.nan, math.nan, math.nan, chosen.name, chosen.population(scores.shape, at))
    tested = undefined if math.isnan(first - second) else chosen.compare(compared, FIRST, SECOND)
    calibrated = epsilons_of(found, compared.measured)
    return Difference(
        value1=first,
        value2=second,
        difference=first - second,
        p_value=tested.p_value,
        permutations=tested.permutations,
        p_greater=tested.p_greater,
        p_less=tested.p_less,
        test=tested.test,
        population=tested.population,
        resamples=tested.resamples,
        is_exact=tested.is_exact,
        least_p=tested.least_p,
        undefined_draws=tested.undefined_draws,
        dropped=scores.incomplete,
        epsilons=(calibrated[FIRST], calibrated[SECOND]) if calibrated and tested is not undefined else None,
        notes=(*tested.notes, *notes_on_resamples([tested])),
        parts=tested.parts,
    )


def paired_scores(human: Any, metric1: Any, metric2: Any, clusters: Sequence[Hashable] | None = None) -> MetricSet:
    """Keeps the cells that two metrics and human scores share.

    Raises:
        InputError: if a matrix is invalid, or shapes differ.
    """
    named = (("human", human), (FIRST, metric1), (SECOND, metric2))
    people, first, second = (checked_scores(values, name) for name, values in named)
    if len({values.shape for values in (people, first, second)}) > 1:
        shapes = ", ".join(str(values.shape) for values in (people, first, second))
        raise InputError(f"human and both metrics must have the same shape (systems, inputs), got {shapes}")
    return MetricSet.of(people, {FIRST: first, SECOND: second}, clusters)
