"""A plan: the designs that achieve what is wanted, and what other numbers of inputs achieve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import LongWork, long_work
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.ratings import LongTables
from metrics_framework.meta_evaluation.plan.judge_tests import (
    MAX_OUTPUTS,
    JudgeTest,
    NormalRatings,
    PilotRatings,
    complete_panel,
)
from metrics_framework.meta_evaluation.plan.precision import Assumptions, Precision, assumptions_of
from metrics_framework.meta_evaluation.plan.request import PlanRequest
from metrics_framework.meta_evaluation.study import NOT_IN_JSON, Finding, Study

if TYPE_CHECKING:
    from typing_extensions import Self

DEFAULT_POINTS = 5
_Plan: TypeAlias = Precision | JudgeTest
"""Computes what numbers of raters and inputs achieve."""


@dataclass(frozen=True)
class PlanStudy(Study):
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

    command: ClassVar[str] = "fw plan"
    request: PlanRequest
    assumptions: Assumptions | None
    pilot_outputs: int
    designs: Sequence[Design]
    curves: Sequence[Curve]
    most_inputs: int = field(metadata=NOT_IN_JSON)
    warnings: list[str]

    @classmethod
    @overrides
    def of(cls, tables: LongTables | None, request: PlanRequest) -> Self:
        """Plans a study.

        Args:
            tables: The ratings of a pilot, if the request has one.
            request: What is planned.

        Raises:
            InputError: if the assumptions contradict each other, or the pilot does not show what is needed.
            UnknownNameError: if the pilot has no column of a name.
            DataError: if a value of the pilot is not a number.
        """
        plan: _Plan = _judge_test(request, tables) if request.goal == "alt-test" else _precision(request, tables)
        what = f"planning from {request.simulations:,} simulated studies"
        steps = (1 + (request.goal == "alt-test")) * len(request.planned_raters)  # other curves follow from formulas
        with long_work(what, steps, "fewer simulations take less", "planned", "designs and curves") as work:
            designs = []
            for raters in request.planned_raters:
                numbers = request.inputs if request.target is None else [plan.inputs_for(raters, request.target)]
                designs += [_design(plan, request, raters, inputs) for inputs in numbers]
                work.advance()
            curves = _curves(plan, request, designs, work)
        warnings = _warnings(request, plan, designs)
        return cls(request, plan.assumptions, plan.pilot_outputs, designs, curves, plan.most_inputs, warnings)

    @property
    def quantity(self) -> str:
        """What is planned: ``power`` or ``half_width``."""
        return "power" if self.request.is_about_power else "half_width"

    @overrides
    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each design."""
        names = {"achieved": self.quantity, "simulated": f"simulated_{self.quantity}"}
        common = {"goal": self.request.goal, "systems": self.request.planned_systems}
        return [
            {**common, **{names.get(name, name): value for name, value in design.as_json().items()}}
            for design in self.designs
        ]

    @overrides
    def stated(self) -> dict[str, Any]:
        request = self.request
        return {**request.stated(), "quantity": self.quantity, "target": request.target, "tests": request.tests}


@dataclass(frozen=True)
class Design(Finding):
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
class Curve(Finding):
    """Power or half-width against the number of inputs.

    Attributes:
        raters: The number of ratings of each output.
        points: Pairs of a number of inputs and what it achieves.
    """

    raters: int
    points: Sequence[tuple[int, float]]


def _precision(request: PlanRequest, pilot: LongTables | None) -> Precision:
    known, posterior = (_stated(request), []) if pilot is None else assumptions_of(pilot, request)
    if known.within is None and set(request.planned_raters) != {1}:
        raise InputError(
            "no output of the pilot has two ratings, so it does not show how much raters differ; use 'raters' 1, or "
            "rate some outputs twice"
        )
    options = request.judged, request.difference, request.confidence, request.tests, request.simulations, request.seed
    wanted = Precision(known, *options, request.assurance, posterior)
    least, size = wanted.least_inputs, known.cluster_size
    for name, numbers in (("judged", [request.judged] if request.judged else []), ("inputs", request.inputs)):
        for number in numbers:
            if number < least or (name == "inputs" and number % size):
                some = f"{least // size} or more" if size == 1 else f"{least // size} or more clusters of {size} inputs"
                raise InputError(f"'{name}' must be {some}, got {number}")
            if number > wanted.most_inputs and name == "inputs":
                raise InputError(f"'inputs' must be {wanted.most_inputs} or less, got {number}")
    return wanted


def _stated(request: PlanRequest) -> Assumptions:
    """Returns the variances that the stated standard deviation and agreements mean."""
    share = request.share
    total = (request.sd or 0.0) ** 2 if share is None else share * (1 - share)
    agreement = 1.0 if request.agreement is None else request.agreement
    agreed, rest, explained, correlation = total * agreement, total * (1 - agreement), 0.0, request.correlation or 0.0
    if request.goal == "difference":
        agreed, rest = 2 * agreed * (1 - correlation), 2 * rest
    else:
        explained = total * (request.judge_agreement or 0.0) ** 2
    if explained > agreed:
        raise InputError(
            f"'judge_agreement' must be {agreement**0.5:.3g} or less, the root of 'agreement': raters have no more in "
            f"common that a judge could know, got {request.judge_agreement:g}"
        )
    clustered = agreed * (request.cluster_correlation or 0.0)
    return Assumptions(agreed, rest, explained, clustered, request.cluster_size or 1, share=share)


def _judge_test(request: PlanRequest, pilot: LongTables | None) -> JudgeTest:
    options = request.settings, request.simulations, request.seed, max([MAX_OUTPUTS, *request.inputs])
    if pilot is None:
        points = request.points or DEFAULT_POINTS
        return JudgeTest(NormalRatings(request.agreement or 0.0, request.judge_agreement or 0.0, points), *options)
    ratings = PilotRatings.of(complete_panel(pilot, request))
    return JudgeTest(ratings, *options, len(ratings.judge), request.assurance)


def _design(plan: _Plan, request: PlanRequest, raters: int, inputs: int | None) -> Design:
    if inputs is None:
        return Design(raters, None, None, None, None, None)
    ratings = raters * inputs * request.planned_systems
    clusters = None if plan.cluster_size == 1 else inputs // plan.cluster_size
    return Design(raters, inputs, clusters, ratings, plan.achieved(raters, inputs), plan.simulated(raters, inputs))


def _curves(plan: _Plan, request: PlanRequest, designs: Sequence[Design], work: LongWork) -> list[Curve]:
    found = [design.inputs for design in designs if design.inputs is not None]
    low, high = max(plan.least_inputs, min(found, default=50) // 3), min(plan.most_inputs, 2 * max(found, default=500))
    size = plan.cluster_size
    sizes = np.rint(np.geomspace(low, max(low + 1, high), plan.curve_points) / size).astype(int) * size
    grid = [inputs for inputs in np.unique(sizes).tolist() if inputs <= plan.most_inputs]
    curves = []
    for raters in request.planned_raters:
        curves.append(Curve(raters, [(inputs, plan.achieved(raters, inputs)) for inputs in grid]))
        work.advance()
    return curves


def _warnings(request: PlanRequest, plan: _Plan, designs: Sequence[Design]) -> list[str]:
    none = ", ".join(str(design.raters) for design in designs if design.inputs is None)
    wanted = f"a {'power' if request.is_about_power else 'half-width'} of {request.target or 0:g}"
    text = f"up to {plan.most_inputs} inputs do not achieve {wanted} with {none} raters for each output"
    return [text] if none else []
