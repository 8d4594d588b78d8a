"""The result of a plan: designs, what they achieve, and the assumptions they depend on, as records and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from metrics_framework.data.file_formats import head_of
from metrics_framework.meta_evaluation.plan.request import PlanRequest


@dataclass(frozen=True)
class Assumptions:
    """What is known about ratings before the study.

    Attributes:
        between: The variance between outputs of what raters agree on; for differences of systems, of the differences.
        within: The variance of a single rating of an output around it; `None` if no output of a pilot has two ratings.
        explained: How much of the variance between outputs the judge explains; 0 without a judge.
        clustered: How much of the variance between outputs is variance between clusters of inputs; 0 without clusters.
        cluster_size: The number of inputs of a planned cluster; 1 without clusters.
        clusters: The number of clusters of the pilot; 0 without clusters or pilot.
        outputs: The number of rated outputs of the pilot, or of inputs on which two systems are rated; 0 without one.
        degrees_of_freedom: Those of the variance between outputs, or clusters, in the pilot; 0 without one.
        raters: The number of raters of the pilot.
    """

    between: float
    within: float | None
    explained: float = 0.0
    clustered: float = 0.0
    cluster_size: int = 1
    clusters: int = 0
    outputs: int = 0
    degrees_of_freedom: int = 0
    raters: int = 0

    def variance(self, raters: int) -> float:
        """Returns the variance between outputs of the mean of some ratings of each output."""
        return self.between + (self.within or 0.0) / raters

    @property
    def correlation(self) -> float:
        """The correlation of the quality of two outputs of a cluster."""
        return self.clustered / self.between if self.between else 0.0

    @property
    def inflation(self) -> float:
        """The factor by which clusters multiply the variance of a mean quality."""
        return 1 + (self.cluster_size - 1) * self.correlation

    def design_effect(self, raters: int) -> float:
        """Returns the factor by which clusters multiply the variance of a mean of ratings."""
        variance = self.variance(raters)
        return 1 + self.between * (self.inflation - 1) / variance if variance else 1.0


@dataclass(frozen=True)
class Design:
    """A design, and what it achieves.

    Attributes:
        raters: The number of ratings of each output.
        inputs: The number of inputs; `None` if no number achieves what is wanted.
        clusters: The number of their clusters; `None` likewise, and without clusters.
        ratings: The number of ratings of all systems; `None` likewise.
        achieved: The power or the half-width; `None` likewise.
        simulated: The same in simulated studies; `None` likewise.
    """

    raters: int
    inputs: int | None
    clusters: int | None
    ratings: int | None
    achieved: float | None
    simulated: float | None


@dataclass(frozen=True)
class Curve:
    """Power or half-width against the number of inputs.

    Attributes:
        raters: The number of ratings of each output.
        points: Pairs of a number of inputs and what it achieves.
    """

    raters: int
    points: Sequence[tuple[int, float]]


@dataclass(repr=False)
class PlanStudy:
    """How many raters and inputs a study needs.

    Attributes:
        request: What is planned.
        assumptions: What is known about ratings; `None` for the alternative annotator test.
        pilot_outputs: The number of outputs of the pilot; 0 without one.
        designs: A design for each number of raters, or of raters and inputs.
        curves: What other numbers of inputs achieve, for each number of raters.
        most_inputs: The largest number of inputs that is tried.
        warnings: What may make the plan misleading.
    """

    request: PlanRequest
    assumptions: Assumptions | None
    pilot_outputs: int
    designs: Sequence[Design]
    curves: Sequence[Curve]
    most_inputs: int
    warnings: list[str] = field(default_factory=list)

    @property
    def quantity(self) -> str:
        """What is planned: ``power`` or ``half_width``."""
        return "power" if self.request.is_about_power else "half_width"

    def __getitem__(self, raters: int) -> Design:
        """Returns the first design with a number of raters.

        Raises:
            KeyError: if there is none.
        """
        for design in self.designs:
            if design.raters == raters:
                return design
        raise KeyError(raters)

    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each design."""
        names = {"achieved": self.quantity, "simulated": f"simulated_{self.quantity}"}
        common = {"goal": self.request.goal, "systems": self.request.planned_systems}
        return [
            {**common, **{names.get(name, name): value for name, value in asdict(design).items()}}
            for design in self.designs
        ]

    def as_json(self) -> dict[str, Any]:
        """Returns all results; the first key names the command."""
        return {
            **head_of("fw plan"),
            **self.request.stated(),
            "quantity": self.quantity,
            "target": self.request.target,
            "tests": self.request.tests,
            "assumptions": None if self.assumptions is None else asdict(self.assumptions),
            "pilot_outputs": self.pilot_outputs,
            "designs": [asdict(design) for design in self.designs],
            "curves": [asdict(curve) for curve in self.curves],
        }
