"""Systems on common inputs: their scores and differences, with intervals and effect sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from metrics_framework.common.arrays import Floats
from metrics_framework.significance.clusters import Clusters, design_effect
from metrics_framework.significance.interval_methods import (
    Interval,
    bca_interval,
    jackknife_interval,
    percentile_interval,
    standard_errors,
    studentized_interval,
)
from metrics_framework.significance.proportions import EffectiveTrials
from metrics_framework.significance.resampling import Resampling, bootstrap_weights, weighted_sums
from metrics_framework.significance.score_vectors import ScoreVectors

Pair = tuple[int, int]
"""The indices of two systems."""


class Outcomes(NamedTuple):
    """How often the first of two systems is better.

    Attributes:
        wins: The number of inputs for which it has the better score.
        ties: The number of inputs for which both scores are equal, up to rounding.
        losses: The number of inputs for which it has the worse score.
    """

    wins: int
    ties: int
    losses: int


def are_verdicts(systems: Iterable[ScoreVectors], name: str) -> bool:
    """Returns whether the score of each input is 0 or 1, and that of a system is their mean."""
    import numpy as np

    for one in systems:
        if not one.is_mean:
            return False
        values = one.of_each_input(name)
        if not np.isin(values, (0.0, 1.0)).all() or abs(values.mean() - one.score()[name][0]) > 1e-12:
            return False
    return True


class ComparedSystems:
    """Computes what can be said about one score of several systems on the same inputs.

    All systems and pairs share the draws of a bootstrap, and what several results need is computed once.

    Args:
        systems: The outputs of each system for the same inputs.
        name: The flat name of the score.
        resampling: How to resample, with the method of the intervals.
        clusters: Input to its cluster, if inputs are resampled in clusters.
    """

    def __init__(
        self,
        systems: Sequence[ScoreVectors],
        name: str,
        resampling: Resampling,
        clusters: Mapping[str, str] | None = None,
    ) -> None:
        self._systems = systems
        self._units = [system.clustered(clusters) for system in systems]
        self._name = name
        self._resampling = resampling
        self._clusters = clusters

    @cached_property
    def scores(self) -> Floats:
        """The score of each system, shape (systems,)."""
        import numpy as np

        return np.array([float(system.score()[self._name][0]) for system in self._systems])

    @property
    def num_units(self) -> int:
        """The number of inputs or clusters that are resampled."""
        return len(self._units[0].inputs)

    def intervals(self) -> list[Interval]:
        """Returns the interval of the score of each system."""
        return self._intervals([(index,) for index in range(len(self._units))])

    def intervals_of_differences(self, pairs: Sequence[Pair]) -> list[Interval]:
        """Returns the interval of the difference of each pair, first minus second."""
        return self._intervals(pairs)

    def standardized_difference(self, pair: Pair) -> float:
        """Returns the difference of two systems over the standard deviation of its pseudo-values (n − 1).

        The pseudo-value of an input is n·θ − (n − 1)·θ₍ᵢ₎, where θ₍ᵢ₎ is the difference without input i. For a mean,
        this is the difference of the scores for the input, and the result is Cohen's d of paired observations. NaN for
        a single input, or without variation unless the difference is 0.
        """
        one, other = ScoreVectors.relative([self._systems[index] for index in pair])
        difference = float((one.score()[self._name] - other.score()[self._name])[0])
        n = len(one.inputs)
        if n < 2 or math.isnan(difference):
            return math.nan
        left_out = one.without_each_input()[self._name] - other.without_each_input()[self._name]
        largest = float(abs(left_out).max()) or 1.0  # the squares of very large numbers would overflow
        deviation = largest * float(((n - 1) * (left_out / largest)).std(ddof=1))
        rounding = float((one.rounding()[self._name] + other.rounding()[self._name])[0])
        if deviation <= n * rounding:
            return 0.0 if abs(difference) <= rounding else math.nan
        return difference / deviation

    def outcomes(self, pair: Pair, higher_is_better: bool = True) -> Outcomes:
        """Counts the inputs for which the first system is better, equal and worse; undefined scores are equal."""
        first, second = (self._of_each_input[index] for index in (pair if higher_is_better else pair[::-1]))
        rounding = self._rounding_of_each[pair[0]] + self._rounding_of_each[pair[1]]
        wins, losses = int((first - second > rounding).sum()), int((second - first > rounding).sum())
        return Outcomes(wins, len(first) - wins - losses, losses)

    def design_effect(self, system: int) -> float:
        """Returns how many times larger the variance of a score is with clusters than for independent inputs."""
        n = len(self._systems[0].inputs)
        if self._clusters is None or n < 2:
            return math.nan
        labels = [self._clusters[name] for name in self._systems[0].inputs]
        pseudo_values = n * self.scores[system] - (n - 1) * self._without_each_input[system]
        return design_effect(pseudo_values, Clusters.of(labels, n))

    @cached_property
    def _of_each_input(self) -> list[Floats]:
        return [system.of_each_input(self._name) for system in self._systems]

    @cached_property
    def _rounding_of_each(self) -> list[Floats]:
        return [system.rounding(each_input=True)[self._name] for system in self._systems]

    @cached_property
    def _without_each_input(self) -> list[Floats]:
        return [system.without_each_input()[self._name] for system in self._systems]

    @cached_property
    def _without_each_unit(self) -> list[Floats]:
        if self._clusters is None:
            return self._without_each_input
        return [system.without_each_input()[self._name] for system in self._units]

    @cached_property
    def _drawn(self) -> list[Floats]:
        """The score of each system in each resample."""
        weights = bootstrap_weights(self.num_units, self._resampling)
        sums = weighted_sums(weights, [system.vectors for system in self._units], self._resampling.resamples)
        return [system.scores_of(one)[self._name] for system, one in zip(self._units, sums, strict=True)]

    def _share(self, system: int) -> Interval:
        """Returns the score interval of the share of verdicts that are 1."""
        inputs = self._systems[system].inputs
        labels = None if self._clusters is None else [self._clusters[name] for name in inputs]
        share = EffectiveTrials.of(self._of_each_input[system], labels).interval(self._resampling.level)
        return Interval(share.lower, share.upper)

    def _intervals(self, targets: Sequence[tuple[int, ...]]) -> list[Interval]:
        """Returns the intervals of systems, or of the differences of pairs of systems.

        Few verdicts of 0 and 1 have the same value in many resamples, which have no standard error: in place of
        studentized ones, systems have score intervals then, and differences those of the jackknife.
        """
        method, tail = self._resampling.method, self._resampling.tail
        if method == "studentized" and are_verdicts(self._systems, self._name):
            method = "jackknife"
            if targets and len(targets[0]) == 1:
                return [self._share(target[0]) for target in targets]
        if method == "percentile":
            return [percentile_interval(_of(self._drawn, target), tail) for target in targets]
        left_out = [_of(self._without_each_unit, target) for target in targets]
        scores = [_of(self.scores[:, None], target) for target in targets]
        if method == "jackknife":
            return [jackknife_interval(score, one, tail) for score, one in zip(scores, left_out, strict=True)]
        drawn = [_of(self._drawn, target) for target in targets]
        if method == "bca":
            return [bca_interval(*arrays, tail) for arrays in zip(drawn, scores, left_out, strict=True)]
        errors = standard_errors(left_out, self._resampling)
        return [studentized_interval(*arrays, tail) for arrays in zip(drawn, scores, left_out, errors, strict=True)]


def _of(values: Sequence[Floats] | Floats, target: tuple[int, ...]) -> Floats:
    """Returns the values of a system, or the difference of those of two."""
    result: Floats = values[target[0]] if len(target) == 1 else values[target[0]] - values[target[1]]
    return result
