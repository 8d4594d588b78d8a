"""`BootstrapTest`: tests that compare two metrics in resamples drawn with replacement."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.logs import current_work
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level, Population
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.differences.difference_test import (
    RESAMPLING_METHODS,
    ROUNDING,
    ComparedMetrics,
    DifferenceTest,
    MetricSet,
    TestResult,
)
from metrics_framework.meta_evaluation.differences.power import PowerEstimator
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.meta_evaluation.intervals.resamples import bootstrap_weights
from metrics_framework.significance.clusters import Clusters


class BootstrapTest(DifferenceTest):
    """A test of resamples that are drawn with replacement, the same for all metrics.

    The one-sided p-values are (count + 1) / (B + 1), where count is the number of defined resamples, of B, in which the
    difference is 0 or has the opposite sign; the two-sided one is twice the smaller of the two, at most 1.

    Attributes:
        interval_over: What is drawn with replacement.
    """

    citation: ClassVar[str] = RESAMPLING_METHODS
    interval_over: ClassVar[Population]

    @overrides
    def compare(self, compared: ComparedMetrics, first: str, second: str) -> TestResult:
        values = compared.once(self.name, lambda: self._values(compared))
        trials = values[first] - values[second]
        undefined = int(np.isnan(trials).sum())
        population = self.population(compared.scores.shape, compared.level)
        power = None
        if compared.settings.power:
            found, alpha = compared.coefficient, compared.settings.alpha
            unit = compared.scores.unit(self.interval_over)
            estimator = PowerEstimator(found, compared.level, self.name, population, unit, alpha)
            observed = compared.measured[first].value, compared.measured[second].value
            power = estimator.of_resamples(observed, trials, self._units(compared.scores))
        return TestResult(
            *bootstrap_tails(trials),
            test=self.name,
            population=population,
            resamples=len(trials),
            least_p=2 / (len(trials) - undefined + 1),
            undefined_draws=undefined,
            power=power,
            draws=trials,
        )

    def _units(self, scores: MetricSet) -> int:
        return (
            scores.shape[0] if self.interval_over == "systems" else Clusters.of(scores.clusters, scores.shape[1]).count
        )

    def _values(self, compared: ComparedMetrics) -> dict[str, Floats]:
        settings = compared.settings
        options = {name: one.options for name, one in compared.measured.items()}
        return bootstrap_values(
            compared.scores,
            compared.coefficient,
            compared.level,
            options,
            self.interval_over,
            settings.resamples,
            settings.seed,
        )


def bootstrap_values(
    scores: MetricSet,
    coefficient: Coefficient,
    level: Level,
    options: Mapping[str, CoefficientOptions],
    resampled: Population,
    resamples: int,
    seed: int,
) -> dict[str, Floats]:
    """Computes the coefficient of each metric in bootstrap resamples.

    Args:
        scores: The scores.
        coefficient: The coefficient.
        level: The level.
        options: Metric to the options of the coefficient.
        resampled: What is drawn with replacement.
        resamples: The number of resamples.
        seed: The seed.

    Returns:
        Metric to values of shape (resamples,); NaN where undefined.
    """
    pairs = {name: ScorePair(scores.human, scores.metrics[name]) for name in options}
    parts: dict[str, list[Floats]] = {name: [] for name in options}
    clusters: Sequence[Hashable] | None = scores.clusters
    for rows, columns in bootstrap_weights(resampled, scores.shape, resamples, seed, clusters):
        for name, pair in pairs.items():
            parts[name].append(coefficient.resampled(pair, level, rows, columns, options[name]))
        current_work().advance_within(sum(map(len, next(iter(parts.values())))) / resamples)
    return {name: np.concatenate(values) for name, values in parts.items()}


def bootstrap_tails(differences: Floats) -> tuple[float, float, float]:
    """Returns the two-sided p-value and those of the alternatives that the first or the second metric is better.

    Args:
        differences: Shape (resamples,); NaN where undefined.
    """
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return np.nan, np.nan, np.nan
    greater, less = ((int(np.count_nonzero(side * defined <= ROUNDING)) + 1) / (len(defined) + 1) for side in (1, -1))
    return min(1.0, 2 * min(greater, less)), greater, less


@DifferenceTest.register("bootstrap-inputs")
class ResampledInputs(BootstrapTest):
    """Draws inputs with replacement: speaks of other inputs for the same systems."""

    interval_over: ClassVar[Population] = "inputs"
    speaks = "for other inputs, {systems}"


@DifferenceTest.register("bootstrap-systems")
class ResampledSystems(BootstrapTest):
    """Draws systems with replacement: speaks of other systems for the same inputs."""

    interval_over: ClassVar[Population] = "systems"
    speaks = "for other systems, {inputs}"
