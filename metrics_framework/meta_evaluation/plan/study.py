"""A plan: the designs that achieve what is wanted, and what other numbers of inputs achieve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
_FEW = 20
_SMALL_PILOT = 400


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
        steps = 2 * len(request.planned_raters)
        with long_work(what, steps, "fewer simulations take less", "planned", "designs and curves") as work:
            designs = []
            for raters in request.planned_raters:
                designs += _designs(plan, request, raters)
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
    known = _stated(request) if pilot is None else assumptions_of(pilot, request)
    if known.within is None and set(request.planned_raters) != {1}:
        raise InputError(
            "no output of the pilot has two ratings, so it does not show how much raters differ; use 'raters' 1, or "
            "rate some outputs twice"
        )
    options = request.judged, request.difference, request.confidence, request.tests, request.simulations, request.seed
    wanted = Precision(known, *options)
    if wanted.most_inputs < wanted.least_inputs:
        raise InputError(f"'judged' must be two or more clusters of {known.cluster_size} inputs, got {request.judged}")
    _check_inputs(request, known.cluster_size, wanted.most_inputs)
    return wanted


def _check_inputs(request: PlanRequest, cluster_size: int, most: int) -> None:
    for inputs in request.inputs:
        if inputs > most:
            raise InputError(f"'inputs' must be {most} or less, got {inputs}")
        if inputs % cluster_size or inputs < 2 * cluster_size:
            raise InputError(f"'inputs' must be two or more clusters of {cluster_size} inputs, got {inputs}")


def _stated(request: PlanRequest) -> Assumptions:
    """Returns the variances that the stated standard deviation and agreements mean."""
    total = (request.sd or 0.0) ** 2
    agreement = 1.0 if request.agreement is None else request.agreement
    agreed, rest = total * agreement, total * (1 - agreement)
    if request.goal == "difference":
        return _clustered(Assumptions(2 * agreed * (1 - (request.correlation or 0.0)), 2 * rest), request)
    explained = total * (request.judge_agreement or 0.0) ** 2
    if explained > agreed:
        raise InputError(
            f"'judge_agreement' must be {agreement**0.5:.3g} or less, the root of 'agreement': raters have no more in "
            f"common that a judge could know, got {request.judge_agreement:g}"
        )
    return _clustered(Assumptions(agreed, rest, explained), request)


def _clustered(known: Assumptions, request: PlanRequest) -> Assumptions:
    clustered = known.between * (request.cluster_correlation or 0.0)
    return replace(known, clustered=clustered, cluster_size=request.cluster_size or 1)


def _judge_test(request: PlanRequest, pilot: LongTables | None) -> JudgeTest:
    options = request.settings, request.simulations, request.seed, max([MAX_OUTPUTS, *request.inputs])
    if pilot is None:
        points = request.points or DEFAULT_POINTS
        return JudgeTest(NormalRatings(request.agreement or 0.0, request.judge_agreement or 0.0, points), *options)
    ratings = PilotRatings.of(complete_panel(pilot, request))
    return JudgeTest(ratings, *options, len(ratings.judge))


def _designs(plan: _Plan, request: PlanRequest, raters: int) -> list[Design]:
    target = request.target
    numbers: Sequence[int | None] = request.inputs if target is None else [plan.inputs_for(raters, target)]
    return [_design(plan, request, raters, inputs) for inputs in numbers]


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
    grid = np.unique(
        np.rint(np.geomspace(low, max(low + 1, high), plan.curve_points) / size).astype(int) * size
    ).tolist()
    curves = []
    for raters in request.planned_raters:
        curves.append(
            Curve(raters, [(inputs, plan.achieved(raters, inputs)) for inputs in grid if inputs <= plan.most_inputs])
        )
        work.advance()
    return curves


def _warnings(request: PlanRequest, plan: _Plan, designs: Sequence[Design]) -> list[str]:
    warnings = []
    none = [str(design.raters) for design in designs if design.inputs is None]
    if none:
        warnings.append(
            f"up to {plan.most_inputs} inputs do not achieve {_wanted(request)} with {', '.join(none)} raters for each "
            "output"
        )
    units = [design.inputs // plan.cluster_size for design in designs if design.inputs is not None]
    if request.goal == "estimate" and min(units, default=_FEW) < _FEW:
        warnings.append(
            f"{min(units)} {'inputs' if plan.cluster_size == 1 else 'clusters'} are few for a mean with a judge, whose "
            "weight is estimated from them: intervals are slightly too short"
        )
    if request.goal == "alt-test" and 0 < plan.pilot_outputs < _SMALL_PILOT:
        warnings.append(
            f"a pilot of {plan.pilot_outputs} outputs is small for the alternative annotator test: in simulations with "
            "100, a promised power of 0.80 was 0.74"
        )
    return warnings


def _wanted(request: PlanRequest) -> str:
    return f"a power of {request.target:g}" if request.is_about_power else f"a half-width of {request.target:g}"
