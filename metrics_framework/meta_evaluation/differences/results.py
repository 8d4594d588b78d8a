"""`Difference`: two metrics compared by a test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from metrics_framework.common.errors import counted
from metrics_framework.common.stability import deprecated
from metrics_framework.meta_evaluation.differences.difference_test import Tested


class Drawn(Protocol):
    """A result of permutations or of resamples."""

    @property
    def permutations(self) -> int:
        """The number of permutations."""

    @property
    def resamples(self) -> int:
        """The number of resamples."""

    @property
    def is_exact(self) -> bool:
        """Whether the p-value does not depend on the seed."""

    @property
    def least_p(self) -> float:
        """The least two-sided p-value that is possible."""

    @property
    def undefined_draws(self) -> int:
        """The number of draws in which a coefficient is undefined."""

    @property
    def parts(self) -> tuple[Tested, ...]:
        """The tests that this one combines."""


@dataclass(frozen=True)
class Difference:
    """Two metrics compared by a test. NaN is undefined.

    Args:
        value1: The coefficient of the first metric, on the cells that all three matrices have.
        value2: The coefficient of the second metric.
        difference: The first minus the second.
        p_value: The two-sided p-value.
        permutations: The number of permutations; 0 for tests without. For ``both``, the smaller number of its parts.
        p_greater: The one-sided p-value of the alternative that the first metric has the larger coefficient.
        p_less: The one-sided p-value of the alternative that the second metric has the larger coefficient.
        test: The test.
        population: The population of which the test speaks.
        resamples: The number of bootstrap resamples; 0 for tests without.
        is_exact: Whether the p-value is exact, and does not depend on the seed.
        least_p: The least two-sided p-value that the test can have on these data.
        undefined_draws: The number of permutations or resamples in which a coefficient is undefined. A permutation test
            counts them as large, the bootstrap excludes them.
        dropped: The number of cells excluded because one or two of the three scores are missing.
        epsilons: For a coefficient that calibrates ε, that of each metric.
        notes: What a reader must know about the p-value.
        parts: The tests that this one combines, as ``both`` does.
    """

    value1: float
    value2: float
    difference: float
    p_value: float
    permutations: int
    p_greater: float = math.nan
    p_less: float = math.nan
    test: str = ""
    population: str = ""
    resamples: int = 0
    is_exact: bool = False
    least_p: float = math.nan
    undefined_draws: int = 0
    dropped: int = 0
    epsilons: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    parts: tuple[Tested, ...] = ()

    @property
    def arrangements(self) -> int:
        """The former name of `permutations` and `resamples`, which is deprecated."""
        deprecated("'arrangements'", "'permutations' or 'resamples'", removed_in="1.2")
        return self.permutations or self.resamples

    @property
    def p_in_favour(self) -> float:
        """The one-sided p-value in favour of the metric with the larger coefficient."""
        return self.p_greater if self.difference >= 0 else self.p_less

    @property
    def monte_carlo_error(self) -> float:
        """The standard error of the p-value from drawing permutations at random; 0 if it is exact."""
        drawn = self.permutations or self.resamples
        if self.is_exact or not drawn:
            return 0.0
        return math.sqrt(self.p_value * (1 - self.p_value) / drawn)

    def as_json(self) -> dict[str, Any]:
        """Returns the results by name; NaN is written as ``null``."""
        fields = ("value1", "value2", "difference", "p_value", "p_greater", "p_less")
        result = {name: getattr(self, name) for name in fields}
        result |= {**draws_as_json(self), "dropped_cells": self.dropped}
        if self.epsilons is not None:
            result["epsilons"] = list(self.epsilons)
        return {"test": self.test, "population": self.population, **result, "notes": list(self.notes)}


def draws_as_json(found: Drawn) -> dict[str, Any]:
    """Returns the numbers of permutations or resamples of a result, and what follows from them."""
    kind = "resamples" if found.resamples else "permutations"
    numbers: dict[str, Any] = {kind: getattr(found, kind), "is_exact": found.is_exact, "least_p": found.least_p}
    parts = [{"test": one.test, "population": one.population, **draws_as_json(one)} for one in found.parts]
    return {**numbers, f"undefined_{kind}": found.undefined_draws, **({"parts": parts} if parts else {})}


def notes_on_resamples(tested: Sequence[Tested]) -> list[str]:
    """Returns what a reader must know of resamples that bootstrap tests left out."""
    worst = max(tested, key=lambda one: one.undefined_draws, default=None)
    if worst is None or not worst.resamples or not worst.undefined_draws:
        return []
    most = "" if len(tested) == 1 else "up to "
    return [
        f"{most}{counted(worst.undefined_draws, 'resample')} of {worst.resamples} left out, in which a coefficient is "
        "undefined"
    ]
