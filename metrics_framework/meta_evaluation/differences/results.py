"""`Difference`: two metrics compared by a test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Difference:
    """Two metrics compared by a test. NaN is undefined.

    Args:
        value1: The coefficient of the first metric, on the cells that all three matrices have.
        value2: The coefficient of the second metric.
        difference: The first minus the second.
        p_value: The two-sided p-value.
        arrangements: The number of arrangements or resamples; 0 if a formula gives the p-value.
        p_greater: The one-sided p-value of the alternative that the first metric has the larger coefficient.
        p_less: The one-sided p-value of the alternative that the second metric has the larger coefficient.
        test: The test.
        population: The population of which the test speaks.
        is_exact: Whether the p-value is exact, and does not depend on the seed.
        least_p: The least two-sided p-value that the test can have on these data.
        undefined: The number of arrangements in which a coefficient is undefined. A permutation test counts them as
            large, the bootstrap excludes them.
        dropped: The number of cells excluded because one or two of the three scores are missing.
        epsilons: For ``acc-eq``, the ε of each metric.
        notes: What a reader must know about the p-value.
    """

    value1: float
    value2: float
    difference: float
    p_value: float
    arrangements: int
    p_greater: float = math.nan
    p_less: float = math.nan
    test: str = ""
    population: str = ""
    is_exact: bool = False
    least_p: float = math.nan
    undefined: int = 0
    dropped: int = 0
    epsilons: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()

    @property
    def p_in_favour(self) -> float:
        """The one-sided p-value in favour of the metric with the larger coefficient."""
        return self.p_greater if self.difference >= 0 else self.p_less

    @property
    def monte_carlo_error(self) -> float:
        """The standard error of the p-value from drawing arrangements at random; 0 if it is exact."""
        if self.is_exact or not self.arrangements:
            return 0.0
        return math.sqrt(self.p_value * (1 - self.p_value) / self.arrangements)

    def as_json(self) -> dict[str, Any]:
        """Returns the results by name; NaN is written as ``null``."""
        fields = ("value1", "value2", "difference", "p_value", "p_greater", "p_less", "arrangements", "is_exact")
        result = {name: getattr(self, name) for name in fields}
        result |= {"least_p": self.least_p, "undefined_arrangements": self.undefined, "dropped_cells": self.dropped}
        if self.epsilons is not None:
            result["epsilons"] = list(self.epsilons)
        return {"test": self.test, "population": self.population, **result, "notes": list(self.notes)}
