"""A jury, which is a judge that combines several others, compared with each of them (decision 0036)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.groups.swaps import SignSource
from metrics_framework.meta_evaluation.study import Finding, json_of
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.interval_methods import Interval

_ROUNDING = 1e-12


@dataclass(frozen=True)
class JuryDifference(Finding):
    """The difference of a jury and a single judge.

    Attributes:
        judge: The single judge.
        advantage: ρ of the jury minus ρ of the judge.
        p_value: The one-sided p-value that the jury is no better.
    """

    judge: str
    advantage: Interval = field(metadata={"json": "advantage_probability"})
    p_value: float


@dataclass(frozen=True)
class JuryComparison(Finding):
    """A jury compared with single judges.

    Attributes:
        jury: The jury.
        differences: The difference from each single judge, in the order of the judges.
        trials: The number of sign flips.
        is_exact: Whether they are all that exist.
    """

    jury: str
    differences: Sequence[JuryDifference]
    trials: int
    is_exact: bool

    @property
    def best(self) -> JuryDifference:
        """The difference from the single judge with the highest ρ; the first one of equals."""
        return min(self.differences, key=lambda one: one.advantage.value)

    @property
    def p_value(self) -> float:
        """The p-value that the jury is no better than the best judge: the largest one of all judges.

        Which judge is the best is not known, only which one looks best. A jury that is better than each is better than
        the best (intersection–union test; Berger, 1982), so that no correction is needed.
        """
        return max(one.p_value for one in self.differences)

    @overrides
    def as_json(self) -> dict[str, Any]:
        return {
            "jury": self.jury,
            "best": self.best.judge,
            "p_value": self.p_value,
            "trials": self.trials,
            "is_exact": self.is_exact,
            "differences": json_of(self.differences),
        }


def compare_jury(
    jury: str,
    wins: Mapping[str, Floats],
    intervals: Mapping[str, Interval],
    clusters: Clusters,
    *,
    trials: int,
    seed: int,
) -> JuryComparison:
    """Compares a jury with single judges.

    Args:
        jury: The jury.
        wins: For the jury and each single judge, where it is at least as good as a rater, shape (raters, units); NaN
            without a rating.
        intervals: Single judge to ρ of the jury minus ρ of this judge.
        clusters: The clusters of units, whose differences change sign together.
        trials: The number of sign flips.
        seed: Their seed.
    """
    (source,) = SignSource.of_each([clusters.count], trials, [seed])
    differences = [
        JuryDifference(
            judge, interval, sign_flip_p(clusters.sums(_of_units(wins[jury], wins[judge])), trials=trials, seed=seed)
        )
        for judge, interval in intervals.items()
    ]
    return JuryComparison(jury, differences, source.count, source.is_exact)


def _of_units(jury: Floats, judge: Floats) -> Floats:
    """Returns what each unit adds to the difference of ρ, the mean over raters of the share of wins; shape (units,)."""
    counts = np.maximum((~np.isnan(jury)).sum(axis=1, keepdims=True), 1)
    return np.asarray(np.nansum((jury - judge) / counts, axis=0) / len(jury))


def sign_flip_p(differences: Floats, *, trials: int, seed: int) -> float:
    """Computes the one-sided p-value that paired differences are symmetric around 0, against larger ones.

    Args:
        differences: Shape (clusters,).
        trials: The number of random sign flips; if there are no more than these, all are enumerated.
        seed: The seed of the flips.

    Returns:
        The share of sign flips whose sum is as large as the observed one; random flips count it as one more.

    >>> sign_flip_p(np.array([3.0, 1.0, 2.0]), trials=1000, seed=0)
    0.125
    """
    (source,) = SignSource.of_each([len(differences)], trials, [seed])
    least = float(differences.sum()) - _ROUNDING * float(np.abs(differences).sum())
    as_large = sum(bool(signs @ differences >= least) for signs in source.signs("columns"))
    return source.permutations().share(as_large)
