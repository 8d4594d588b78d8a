"""How many raters and inputs a study needs: variance components and the reliability of plans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError

_LARGEST = 1e150


@dataclass(frozen=True)
class Plan:
    """The reliability of a study with a number of inputs and raters.

    Args:
        inputs: The number of inputs that each system is rated on.
        raters: The number of raters of each output.
        generalizability: Eρ²: the reliability of differences between systems.
        dependability: Φ: the reliability of scores by themselves.
    """

    inputs: int
    raters: int
    generalizability: float
    dependability: float

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name."""
        return asdict(self)


@dataclass(frozen=True)
class VarianceComponents:
    """The variance of ratings by its sources, where every rater rated every output.

    Components are shown as estimated; a negative one counts as 0 in plans.

    Args:
        components: Source to variance: ``systems``, ``inputs``, ``raters``, ``systems × inputs``, ``systems × raters``,
            ``inputs × raters`` and ``error``.
        systems: The number of systems.
        inputs: The number of inputs.
        raters: The number of raters.
    """

    components: Mapping[str, float]
    systems: int
    inputs: int
    raters: int

    def plan(self, inputs: int, raters: int) -> Plan:
        """Predicts the reliability of the scores of systems in another study.

        Eρ² = σ²_s / (σ²_s + σ²_si / n_i + σ²_sr / n_r + σ²_e / (n_i n_r)); Φ adds σ²_i / n_i + σ²_r / n_r +
        σ²_ir / (n_i n_r) to the denominator.

        Args:
            inputs: The number of inputs n_i.
            raters: The number of raters n_r.

        Raises:
            InputError: if a number is below 1.
        """
        if inputs < 1 or raters < 1:
            raise InputError(f"a plan needs at least one input and one rater, got {inputs} and {raters}")
        of = {source: max(variance, 0.0) for source, variance in self.components.items()}
        both = inputs * raters
        relative = of["systems × inputs"] / inputs + of["systems × raters"] / raters + of["error"] / both
        absolute = relative + of["inputs"] / inputs + of["raters"] / raters + of["inputs × raters"] / both
        return Plan(inputs, raters, _share(of["systems"], relative), _share(of["systems"], absolute))

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name."""
        return asdict(self)


def variance_components(ratings: Any) -> VarianceComponents:
    """Estimates the variance components of completely crossed ratings from mean squares.

    Source: Brennan (2001), "Generalizability Theory".

    Args:
        ratings: Shape (systems, inputs, raters), without NaN; at least two of each.

    Raises:
        InputError: if ratings are missing or beyond ±1e150, or there are fewer than two systems, inputs or raters.
    """
    cube = np.asarray(ratings, dtype=np.float64)
    if cube.ndim != 3 or min(cube.shape) < 2:
        raise InputError(f"'ratings' must have at least two systems, inputs and raters, got the shape {cube.shape}")
    if not np.isfinite(cube).all():
        raise InputError("'ratings' must be complete: every rater must rate every output")
    if np.abs(cube).max() > _LARGEST:
        raise InputError(f"'ratings' must be within ±{_LARGEST:g}, whose square is still a number")
    n = dict(zip("sir", cube.shape, strict=True))
    squares = _mean_squares(cube - cube.mean())
    error = squares["sir"]
    components = {
        "systems": (squares["s"] - squares["si"] - squares["sr"] + error) / (n["i"] * n["r"]),
        "inputs": (squares["i"] - squares["si"] - squares["ir"] + error) / (n["s"] * n["r"]),
        "raters": (squares["r"] - squares["sr"] - squares["ir"] + error) / (n["s"] * n["i"]),
        "systems × inputs": (squares["si"] - error) / n["r"],
        "systems × raters": (squares["sr"] - error) / n["i"],
        "inputs × raters": (squares["ir"] - error) / n["s"],
        "error": error,
    }
    return VarianceComponents(components, *cube.shape)


def complete_inputs(cube: Floats) -> Floats:
    """Keeps the inputs whose outputs all raters rated, of ratings of the shape (systems, inputs, raters)."""
    kept: Floats = cube[:, np.isfinite(cube).all(axis=(0, 2))]
    return kept


def mean_of_ratings(single: float, raters: Iterable[int]) -> dict[int, float]:
    """Predicts the reliability of an output's mean of k ratings, kρ / (1 + (k − 1)ρ), from that of one rating.

    Args:
        single: The reliability ρ of one rating: an intraclass correlation of form (1,1). Negative ones count as 0.
        raters: The numbers of ratings k.

    >>> mean_of_ratings(0.5, [1, 3])
    {1: 0.5, 3: 0.75}
    """
    known = max(single, 0.0)
    return {k: k * known / (1 + (k - 1) * known) for k in raters}


def _mean_squares(cube: Floats) -> dict[str, float]:
    """Returns the mean square of each source of variance of centred ratings, named by its letters."""
    axis = {letter: number for number, letter in enumerate("sir")}
    effects: dict[str, Floats] = {}
    squares = {}
    for source in ("s", "i", "r", "si", "sr", "ir", "sir"):
        others = tuple(axis[letter] for letter in "sir" if letter not in source)
        effect = cube.mean(axis=others, keepdims=True) if others else cube
        for smaller, known in effects.items():
            if set(smaller) < set(source):
                effect = effect - known
        effects[source] = effect
        freedom = math.prod(cube.shape[axis[letter]] - 1 for letter in source)
        squares[source] = float((effect**2).sum()) * cube.size / effect.size / freedom
    return squares


def _share(variance: float, rest: float) -> float:
    return variance / (variance + rest) if variance + rest else math.nan
