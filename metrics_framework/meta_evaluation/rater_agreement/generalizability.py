"""How many raters and inputs a study needs: variance components and the reliability of plans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.inputs.ratings import Ratings
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import agreement
from metrics_framework.meta_evaluation.study import Finding, json_of

_LARGEST = 1e150
USUAL_RATERS = (1, 2, 3, 5, 10, 20)
"""The numbers of raters of the plans that are shown unless others are requested."""


@dataclass(frozen=True)
class Plan(Finding):
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


@dataclass(frozen=True)
class VarianceComponents(Finding):
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


@dataclass(frozen=True)
class Plans(Finding):
    """The reliability of studies of other sizes.

    Args:
        components: The variance components; `None` unless raters and outputs are completely crossed.
        crossed: The plans, if they are.
        nested: The number of ratings per output, to the reliability of their mean, if they are not.
        left_out: The number of inputs that are left out because ratings are missing.
        reason: Why raters are taken as nested in outputs, or empty.
    """

    components: VarianceComponents | None
    crossed: Sequence[Plan] = ()
    nested: Mapping[int, float] = field(default_factory=dict)
    left_out: int = 0
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns the plans by the names of the JSON file."""
        return {
            "variance_components": json_of(self.components),
            "plans": json_of(self.crossed),
            "mean_of_ratings": {str(k): value for k, value in self.nested.items()},
        }


def reliability_plans(ratings: Ratings, plans: Sequence[tuple[int, int]] = ()) -> Plans:
    """Predicts the reliability of studies with other numbers of raters and inputs.

    If all raters rated all outputs of at least two inputs, plans follow from variance components. Else raters are
    nested in outputs, and the reliability of an output's mean of k ratings follows from the intraclass correlation.

    Args:
        ratings: The ratings.
        plans: Numbers of raters and inputs; by default the usual numbers of raters.
    """
    cube = ratings.cube()[2]
    complete = complete_inputs(cube)
    if min(complete.shape) >= 2:
        components = variance_components(complete)
        inputs = components.inputs
        numbers = plans or [(raters, inputs) for raters in sorted({*USUAL_RATERS, components.raters})]
        crossed = [components.plan(inputs, raters) for raters, inputs in numbers]
        return Plans(components, crossed, left_out=cube.shape[1] - inputs)
    reason = _why_nested(cube, complete)
    single = agreement(ratings.values, "icc", weights="1,1").value
    if math.isnan(single):
        return Plans(None, reason=reason)
    raters = [raters for raters, _ in plans] or sorted({*USUAL_RATERS, round(float(np.mean(ratings.counts)))} - {0})
    return Plans(None, nested=mean_of_ratings(single, raters), reason=reason)


def _why_nested(cube: Floats, complete: Floats) -> str:
    systems, _, raters = cube.shape
    if systems < 2 or raters < 2:
        return f"there {'is one system' if systems < 2 else 'is one rater'}"
    rated = int(np.isfinite(cube).sum())
    return f"{complete.shape[1]} inputs have ratings of all systems by all raters, {rated} of {cube.size} ratings exist"


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
    return np.asarray(cube[:, np.isfinite(cube).all(axis=(0, 2))])


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
