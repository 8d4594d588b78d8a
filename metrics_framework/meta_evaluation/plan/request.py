"""`PlanRequest`: what is planned, under which assumptions, and which options each goal has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.judge.request import MIN_UNITS, AltTestSettings, Scoring, tolerance_of
from metrics_framework.meta_evaluation.study import Request

Goal = Literal["mean", "difference", "estimate", "alt-test"]
"""What a study is for: a mean rating, a difference of systems, a mean with a judge, or the test of a judge."""
GOALS: tuple[Goal, ...] = get_args(Goal)
Comparisons = Literal["all", "baseline"]
"""Which systems are compared: all pairs, or each with a baseline."""
DEFAULT_POWER = 0.8
DEFAULT_ASSURANCE = 0.8
MAX_INPUTS = 1_000_000
"""The largest number of inputs, and of outputs that a judge scores."""
MAX_SIZE = 1e100
"""The largest rating: squares of larger ones could overflow."""
DEFAULT_RATERS: Mapping[Goal, tuple[int, ...]] = {
    "mean": (1, 2, 3, 5),
    "difference": (1, 2, 3, 5),
    "estimate": (1, 2, 3, 5),
    "alt-test": (2, 3, 5),
}
ASSUMED: Mapping[Goal, tuple[str, ...]] = {
    "mean": ("sd", "share", "agreement", "cluster_correlation"),
    "difference": ("sd", "agreement", "correlation", "cluster_correlation"),
    "estimate": ("sd", "share", "agreement", "judge_agreement", "cluster_correlation"),
    "alt-test": ("agreement", "judge_agreement", "points"),
}
"""What each goal assumes about ratings, which a pilot shows instead."""
_OPTIONAL = frozenset({"share", "correlation", "cluster_correlation", "points"})
"""Assumptions that are not needed."""


@dataclass(frozen=True)
class PlanRequest(Request):
    """The options of `api.plan.plan`, in the order of the JSON file; `None` for what is not stated.

    Args:
        has_pilot: Whether ratings of a pilot are given.
    """

    goal: Goal
    has_pilot: bool
    rating: str | None
    judge: str | None
    rater_column: str | None
    half_width: float | None
    power: float | None
    assurance: float
    difference: float | None
    raters: Sequence[int]
    inputs: Sequence[int]
    systems: int | None
    comparisons: Comparisons | None
    sd: float | None
    share: float | None
    agreement: float | None
    correlation: float | None
    judge_agreement: float | None
    judged: int | None
    cluster: str | None
    cluster_size: int | None
    cluster_correlation: float | None
    points: int | None
    scoring: Scoring | None
    epsilon: float | str | None
    q: float | None
    confidence: float
    simulations: int
    seed: int

    def __post_init__(self) -> None:
        self._check_ranges()
        self._check_target()
        self._check_assumptions()
        self._check_clusters()
        if self.goal == "alt-test":
            _ = self.settings  # checks them

    def _check_ranges(self) -> None:
        for name in ("half_width", "sd"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= MAX_SIZE:
                raise InputError(f"'{name}' must be a number above 0, and {MAX_SIZE:g} at most, got {value:g}")
        for name, value in (("judged", self.judged or 0), *(("inputs", inputs) for inputs in self.inputs)):
            if value > MAX_INPUTS:
                raise InputError(f"'{name}' must be {MAX_INPUTS} or less, got {value}")
        if self.difference is not None and not 0 < abs(self.difference) <= MAX_SIZE:
            raise InputError(
                f"'difference' must be a number other than 0, and ±{MAX_SIZE:g} at most, got {self.difference:g}"
            )
        if self.share is not None and not 0 <= self.share - (self.difference or 0.0) <= 1:
            raise InputError(f"'difference' must be from another share: {self.share:g} − {self.difference:g} is none")
        if self.goal == "difference" and self.systems == 1:
            raise InputError("'systems' must be 2 or more for the goal 'difference', got 1")
        if self.share is not None and set(self.planned_raters) != {1}:
            raise InputError("'raters' must be 1 for a 'share', which is that of single verdicts; state 'sd' instead")
        self._check_numbers("raters", 2 if self.goal == "alt-test" else 1)
        self._check_numbers("inputs", MIN_UNITS if self.goal == "alt-test" else 2)

    def _check_numbers(self, name: str, least: int) -> None:
        for value in getattr(self, name):
            if value < least:
                raise InputError(f"'{name}' must be {least} or more for the goal '{self.goal}', got {value}")

    def _check_target(self) -> None:
        if self.half_width is not None and self.difference is not None:
            raise InputError("use either --half-width, or --difference with --power")
        if self.inputs and (self.half_width is not None or self.power is not None):
            raise InputError("'inputs' asks what these numbers of inputs achieve; leave out 'half_width' and 'power'")
        if self.goal == "alt-test" or self.inputs:
            return
        if self.half_width is None and self.difference is None:
            raise InputError(
                "what should the study achieve? Use --half-width, or --difference with --power, or --inputs"
            )

    def _check_assumptions(self) -> None:
        if self.has_pilot:
            if self.rating is None:
                raise InputError("'rating' must name the column of the ratings of the pilot")
            if self.judge is None and self.goal in ("estimate", "alt-test"):
                raise InputError("'judge' must name the column of the judge's scores in the pilot")
        else:
            for name in ASSUMED[self.goal]:
                is_needed = name not in ("sd", "agreement") or self.share is None
                is_needed &= name != "agreement" or self.goal != "mean" or set(self.planned_raters) != {1}
                if getattr(self, name) is None and name not in _OPTIONAL and is_needed:
                    raise InputError(f"'{name}' is missing: the goal '{self.goal}' needs it, or the ratings of a pilot")
        if self.goal == "estimate" and self.judged is None:
            raise InputError("'judged' is missing: the number of outputs of a system that the judge scores")

    def _check_clusters(self) -> None:
        if self.has_pilot:
            if self.cluster_size is not None and self.cluster is None:
                raise InputError("'cluster' must name the column of the clusters of the pilot for 'cluster_size'")
        elif (self.cluster_size is None) != (self.cluster_correlation is None):
            raise InputError("clusters of inputs need both 'cluster_size' and 'cluster_correlation'")

    @property
    def planned_raters(self) -> tuple[int, ...]:
        """The numbers of ratings of each output that are planned for."""
        return tuple(self.raters) or ((1,) if self.share is not None else DEFAULT_RATERS[self.goal])

    @property
    def planned_systems(self) -> int:
        """The number of systems."""
        return self.systems or (2 if self.goal == "difference" else 1)

    @property
    def tests(self) -> int:
        """The number of tests that are corrected for together."""
        systems = self.planned_systems
        if self.goal != "difference":
            return 1
        return systems - 1 if self.comparisons == "baseline" else systems * (systems - 1) // 2

    @property
    def is_about_power(self) -> bool:
        """Whether power is planned, otherwise the half-width."""
        return self.goal == "alt-test" or self.difference is not None

    @property
    def target(self) -> float | None:
        """The wanted power or half-width; `None` if numbers of inputs are given."""
        if self.inputs:
            return None
        return (self.power or DEFAULT_POWER) if self.is_about_power else self.half_width

    @property
    def settings(self) -> AltTestSettings:
        """The options of the alternative annotator test."""
        epsilon = tolerance_of("skilled" if self.epsilon is None else self.epsilon)
        return AltTestSettings(self.scoring or "neg_rmse", epsilon, 0.05 if self.q is None else self.q)

    def stated(self) -> dict[str, Any]:
        """Returns the options that are stated, and those with a default."""
        return {name: value for name, value in vars(self).items() if value is not None and value != []}
