"""Bootstrap resamples of units or of clusters of units, as weights."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.logs import long_work
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction

_BLOCK_WEIGHTS = 1 << 22


@dataclass(frozen=True)
class UnitResamples:
    """How units are resampled.

    Args:
        clusters: The clusters of units, which are drawn as a whole.
        resamples: The number of resamples.
        seed: The seed of NumPy's default generator.
        confidence: The level of the intervals, a fraction or in percent.
    """

    clusters: Clusters
    resamples: int = 1000
    seed: int = 0
    confidence: float = 95

    @property
    def tail(self) -> float:
        """The fraction beyond each end of an interval."""
        return (1 - as_fraction(self.confidence)) / 2

    def blocks(self, width: int = 1) -> Iterator[Floats]:
        """Yields how often each resample draws each unit, in blocks of shape (resamples, units).

        Args:
            width: The number of values that are computed for each resample, to bound the size of a block.
        """
        rows = max(1, _BLOCK_WEIGHTS // max(width, len(self.clusters.codes), 1))
        what = f"computing {self.resamples:,} resamples"
        with long_work(what, self.resamples, "fewer resamples take less", "computed", "resamples") as work:
            for block in self.clusters.draws(self.resamples, self.seed, rows):
                yield block
                work.advance(len(block))

    def normal_interval(self, value: float, drawn: Floats, largest: float = math.inf) -> Interval:
        """Returns a value ± z standard errors, estimated from resamples.

        Repeated units bias coefficients of few units, such as α, so that their percentiles may miss the value itself;
        their standard deviation is not affected.

        Args:
            value: The value in the data.
            drawn: The value in each resample, shape (resamples,); undefined ones are excluded.
            largest: The largest possible value.
        """
        from scipy.special import ndtri

        defined = drawn[~np.isnan(drawn)]
        undefined = len(drawn) - len(defined)
        if math.isnan(value) or len(defined) < 2:
            return Interval(value, undefined_resamples=undefined)
        half_width = float(ndtri(1 - self.tail) * defined.std(ddof=1))
        return Interval(value, value - half_width, min(largest, value + half_width), undefined)

    def interval(self, value: float, drawn: Floats) -> Interval:
        """Returns the percentile interval of a value.

        Args:
            value: The value in the data.
            drawn: The value in each resample, shape (resamples,); undefined ones are excluded.
        """
        defined = drawn[~np.isnan(drawn)]
        undefined = len(drawn) - len(defined)
        if math.isnan(value) or not len(defined):
            return Interval(value, undefined_resamples=undefined)
        lower, upper = np.quantile(defined, [self.tail, 1 - self.tail])
        return Interval(value, float(lower), float(upper), undefined)


def mean_of_defined(values: Floats) -> Floats:
    """Returns the mean over the last axis of what is defined; NaN if nothing is."""
    defined = ~np.isnan(values)
    sums, counts = np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1)
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means
