"""`AgreementCoefficient`: the base class of coefficients of agreement, computed in many weighted samples at once."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import UnknownChoiceError
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.rater_agreement.rated_units import RatedUnits
from metrics_framework.meta_evaluation.unit_resamples import UnitResamples
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.interval_methods import percentile_interval


class AgreementCoefficient(ABC):
    """A coefficient of agreement of ratings.

    Args:
        values: The ratings, shape (raters, units); NaN where missing. No coefficient depends on their scale.
        weights: The level of measurement, the weights or the form: one of `all_weights`.

    Attributes:
        name: The name of the coefficient.
        all_weights: What `weights` may be.
        default_weights: What it is unless chosen.
        label_weights: What it is for categories that are text; `None` if the coefficient needs numbers.
        raters: The number of raters that it is defined for; `None` for any.
        units: The ratings that it uses.

    Raises:
        UnknownChoiceError: if the coefficient has no such weights.
    """

    name: ClassVar[str]
    all_weights: ClassVar[tuple[str, ...]]
    default_weights: ClassVar[str]
    label_weights: ClassVar[str | None] = None
    raters: ClassVar[int | None] = None

    def __init__(self, values: Floats, weights: str) -> None:
        if weights not in self.all_weights:
            raise UnknownChoiceError(f"weights of {self.name}", weights, self.all_weights)
        self.weights = weights
        self.units = RatedUnits(values)

    @classmethod
    @abstractmethod
    def title(cls, weights: str) -> str:
        """Returns the heading of a table, such as "Krippendorff α, ordinal"."""

    @classmethod
    def weights_for(cls, values: Floats) -> list[str]:
        """Returns the weights that are defined for ratings."""
        return [*cls.all_weights]

    @abstractmethod
    def estimates(self, weights: Floats) -> Floats:
        """Computes the coefficient in weighted samples.

        Args:
            weights: How often each sample has each unit, shape (samples, units).

        Returns:
            Shape (samples,); NaN where it is undefined.
        """

    @property
    def is_used(self) -> Bools:
        """Whether each unit is used, shape (units,)."""
        return self.units.is_paired

    @property
    def undefined_reason(self) -> str:
        """Why the coefficient is undefined, if it is."""
        return self.units.undefined_reason or "chance agreement is complete"

    def value(self) -> float:
        """Computes the coefficient of all ratings; NaN if it is undefined."""
        units = len(self.is_used)
        return float(self.estimates(np.ones((1, units)))[0]) if units else math.nan

    def standard_error(self, clusters: Clusters) -> float:
        """Computes the analytic standard error over clusters of units; NaN if there is none."""
        return math.nan

    def interval(self, resamples: UnitResamples) -> Interval:
        """Computes the coefficient with its confidence interval: by default, percentiles of resamples.

        The interval is undefined for a single unit or cluster, without resamples, and if the coefficient is undefined.
        """
        value = self.value()
        is_varied = len(set(resamples.clusters.codes[self.is_used])) > 1
        if not resamples.resamples or not is_varied or math.isnan(value):
            return Interval(value)
        blocks = resamples.blocks(len(self.units.categories))
        drawn = np.concatenate([self.estimates(block) for block in blocks])
        return Interval(value, *percentile_interval(drawn, resamples.tail)[:3])
