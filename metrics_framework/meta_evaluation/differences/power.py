"""Power: the least difference that a test can detect, and how many inputs or systems a difference needs.

With the standard error s of the difference for n units, the least detectable difference is k·s, where k is the expected
t of a difference that a t-test with n − 1 degrees of freedom detects with the given probability; for many units, k is
z₁₋ₐ/₂ + z_power. A difference d needs n·(k·s/d)² units, if further units are like the present ones. Both are computed
on the scale of Fisher's transformation, as a metric that agrees less also has a larger error. For coefficients of the
means of systems, s is multiplied by √((n − 1)/(n − 3)), and with fewer than 10 systems no difference is named. How
often tests find the difference was simulated (`benchmarks/detectable_power.py`).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.groups.swaps import Permutations

POWER = 0.8
"""The probability of detecting the least detectable difference."""

ROUNDING = 1e-12

MIN_POINTS = 10
"""With fewer systems, the coefficients of their means vary too much (`benchmarks/detectable_power.py`)."""

MAX_FREEDOM = 10**6
"""With more degrees of freedom, Student's t is normal."""


@dataclass(frozen=True)
class Power:
    """What a test can detect with these data. NaN is undefined.

    Args:
        difference: The observed difference between the two coefficients.
        standard_error: The standard error of the difference.
        least_detectable: The least difference that the test detects with the given power; NaN if there is none.
        needed: How many units the test needs to detect the target with that power; `None` if the target is 0 or
            undefined.
        target: The difference to detect: the observed one.
        units: The number of units in these data.
        unit: What a unit is: ``inputs``, ``clusters`` of them, ``systems``, or ``cells``.
        power: The probability of detecting the difference.
        alpha: The two-sided level of significance.
        test: The test.
        population: The population of which the test speaks.
        reason: Why no difference can be detected; empty if one can.
    """

    difference: float
    standard_error: float
    least_detectable: float
    needed: int | None
    target: float
    units: int
    unit: str
    power: float
    alpha: float
    test: str = ""
    population: str = ""
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name; NaN is written as ``null``."""
        return asdict(self)


@dataclass(frozen=True)
class PowerEstimator:
    """Estimates what a test can detect.

    Args:
        coefficient: The coefficient.
        level: The level.
        test: The name of the test.
        population: The population of which it speaks.
        unit: What its units are.
        alpha: The two-sided level of significance.
    """

    coefficient: Coefficient
    level: Level
    test: str
    population: str
    unit: str
    alpha: float

    def of_permutations(self, values: tuple[float, float], trials: Floats, drawn: Permutations) -> Power:
        """Estimates what a permutation test can detect, from the same permutations as its p-value.

        The standard error s is that of the differences e after swaps, without the part that the observed difference d
        adds to it: s² = (mean e² − d²/n)·n/(n − 1) for n units.

        Args:
            values: The coefficients of the two metrics.
            trials: The differences in the permutations, shape (permutations,).
            drawn: The permutations.
        """
        defined, units, observed = trials[~np.isnan(trials)], drawn.units, values[0] - values[1]
        changed = np.abs(np.abs(defined) - abs(observed)) > ROUNDING
        if math.isnan(observed) or not changed.any() or units < 2:
            return self._power(observed, math.nan, units, reason="no permutation changes the difference")
        variance = (float((defined**2).mean()) - observed**2 / units) * units / (units - 1)
        if variance <= ROUNDING:
            return self._power(observed, math.nan, units, reason="its standard error cannot be estimated")
        alpha = self.alpha
        if drawn.is_exact:  # p is a multiple of 2/count
            alpha = math.floor(self.alpha * drawn.count / 2 + ROUNDING) * 2 / drawn.count
        return self._estimated(values, math.sqrt(variance), units, alpha, drawn.least_p)

    def of_resamples(self, values: tuple[float, float], trials: Floats, units: int) -> Power:
        """Estimates what a bootstrap test can detect, from the same resamples as its p-value.

        Args:
            values: The coefficients of the two metrics.
            trials: The differences in the resamples, shape (resamples,).
            units: The number of units that are drawn.
        """
        defined, observed = trials[~np.isnan(trials)], values[0] - values[1]
        if math.isnan(observed) or len(defined) < 2 or np.ptp(defined) <= ROUNDING or units < 2:
            return self._power(observed, math.nan, units, reason="no resample changes the difference")
        error = float(defined.std()) * math.sqrt(units / (units - 1))
        return self._estimated(values, error, units, self.alpha, 2 / (len(defined) + 1))

    def _estimated(self, values: tuple[float, float], error: float, units: int, alpha: float, least_p: float) -> Power:
        observed = values[0] - values[1]
        scale = _Scale.of(values, self.coefficient.range)
        needed = self._needed(scale, observed, error, units)
        detectable, reason = math.nan, ""
        least, largest = self.coefficient.range
        if least_p > self.alpha:
            reason = f"the least possible p-value is {least_p:.3g}, above {self.alpha:g}"
        elif self._has_units_as_points and units < MIN_POINTS:
            reason = f"it can be estimated from {MIN_POINTS} systems on"
        elif (factor := self._factor(units, alpha)) * error > largest - least:
            reason = f"two coefficients cannot differ by more than {largest - least:g}"
        else:
            detectable = scale.difference(factor * error)
        return self._power(observed, error, units, detectable, needed, reason)

    @property
    def _has_units_as_points(self) -> bool:
        """Whether the coefficient is one of points that are the units: of the means of systems."""
        return self.level == "system" and self.unit == "systems"

    def _factor(self, units: int, alpha: float) -> float:
        """Returns how many standard errors are detected.

        The variance of Fisher's transformation of n points is 1/(n − 3), not 1/(n − 1).
        """
        factor = noncentrality(units - 1, alpha, POWER)
        return factor * math.sqrt((units - 1) / (units - 3)) if self._has_units_as_points else factor

    def _needed(self, scale: _Scale, target: float, error: float, units: int) -> int | None:
        """Returns how many units are needed if further ones are like the present ones."""
        distance = scale.distance(abs(target))
        if not distance or math.isnan(distance) or math.isnan(error):
            return None
        deviation = error * math.sqrt(units) / distance
        fewest = math.ceil(math.log2(2 / self.alpha))  # fewer units have no p-value as small as alpha
        fewest = max(fewest, MIN_POINTS) if self._has_units_as_points else fewest
        needed = max(fewest, math.ceil((noncentrality(MAX_FREEDOM, self.alpha, POWER) * deviation) ** 2))
        while needed < (self._factor(needed, self.alpha) * deviation) ** 2:
            needed += 1
        return needed

    def _power(
        self, observed: float, error: float, units: int, least: float = math.nan, needed: Any = None, reason: str = ""
    ) -> Power:
        shared = self.unit, POWER, self.alpha, self.test, self.population
        return Power(observed, error, least, needed, observed, units, *shared, reason)


@dataclass(frozen=True)
class _Scale:
    """The scale of Fisher's transformation, on which the standard error hardly depends on the coefficient.

    Args:
        best: The coefficient of the better metric, from −1 to 1.
        slope: The derivative of artanh between both metrics.
        half: Half of the range of the coefficient.
    """

    best: float
    slope: float
    half: float

    @classmethod
    def of(cls, values: tuple[float, float], ends: tuple[float, float]) -> _Scale:
        """Finds the scale of two coefficients with values between two ends."""
        half = (ends[1] - ends[0]) / 2
        first, second = ((value - ends[0]) / half - 1 for value in values)
        return cls(max(first, second), 1 / max(1 - ((first + second) / 2) ** 2, ROUNDING), half)

    def difference(self, distance: float) -> float:
        """Returns how far a worse metric is below the better one, given a distance in multiples of `distance`."""
        if self.best >= 1:
            return distance
        worse = math.tanh(math.atanh(self.best) - distance / self.half * self.slope)
        return (self.best - worse) * self.half

    def distance(self, difference: float) -> float:
        """Inverts `difference`; NaN if no coefficient is that far below the better one."""
        worse = self.best - difference / self.half
        if worse <= -1:
            return math.nan
        if self.best >= 1:
            return difference
        return (math.atanh(self.best) - math.atanh(worse)) / self.slope * self.half


def noncentrality(freedom: int, alpha: float, power: float) -> float:
    """Returns the expected t of a difference that a two-sided t-test detects with a given probability.

    Args:
        freedom: The degrees of freedom.
        alpha: The two-sided level of significance.
        power: The probability.

    >>> round(noncentrality(10**6, 0.05, 0.8), 3)
    2.802
    """
    from scipy.special import nctdtrinc, stdtrit

    freedom = min(freedom, MAX_FREEDOM)
    return float(nctdtrinc(freedom, 1 - power, stdtrit(freedom, 1 - alpha / 2)))
