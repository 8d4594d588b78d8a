"""`plan`: how many raters, inputs and ratings a study needs, before any data or from a pilot, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from metrics_framework.api.option_types import Column, ConfidenceLevel, Count, Scores, Seed, Share
from metrics_framework.api.python_log import PythonLog
from metrics_framework.api.tabular import Records
from metrics_framework.common.logs import Log
from metrics_framework.common.options import AtLeast, Form, NamesFrom
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.judge.request import EPSILONS, Scoring
from metrics_framework.meta_evaluation.plan.request import Comparisons, Goal, PlanRequest
from metrics_framework.meta_evaluation.plan.result import PlanStudy
from metrics_framework.reports.formats.output_format import JSON


@dataclass(repr=False)
class PlanResult(PlanStudy, Records):
    """How many raters and inputs a study needs.

    ``print(result)`` shows the table that ``fw plan`` prints, and a notebook shows it as HTML.

    Attributes:
        request: What is planned.
        assumptions: What is assumed about ratings; `None` for the alternative annotator test.
        pilot_outputs: The number of outputs of the pilot; 0 without one.
        designs: A design for each number of raters, or of raters and inputs.
        curves: What other numbers of inputs achieve, for each number of raters.
        most_inputs: The largest number of inputs that is tried.
        warnings: What may make the plan misleading.
    """

    library: str | None = None

    def __repr__(self) -> str:
        """Returns the goal and the designs."""
        return f"PlanResult({self.request.goal!r}, {[(one.raters, one.inputs) for one in self.designs]})"

    @overrides
    def table(self, format: str = "table") -> str:
        from metrics_framework.reports.plan import plan_table

        return self.to_json() if format == JSON else plan_table(self, format)

    def to_json(self) -> str:
        """Returns all results as ``fw plan --output-file`` writes them."""
        from metrics_framework.io.jsonl import to_json

        return to_json(self.as_json(), indent=2)

    def plot(self) -> str:
        """Returns power or half-width against the number of inputs, as SVG."""
        from metrics_framework.reports.plan import plan_chart

        return plan_chart(self)


def plan(
    goal: Goal,
    pilot: Scores | None = None,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    power: Share | None = None,
    raters: Sequence[Count] = (),
    inputs: Sequence[Count] = (),
    systems: Count | None = None,
    comparisons: Comparisons | None = None,
    sd: float | None = None,
    agreement: Share | None = None,
    correlation: float | None = None,
    judge_agreement: float | None = None,
    judged: Count | None = None,
    cluster_size: Count | None = None,
    cluster_correlation: Share | None = None,
    points: Annotated[int, AtLeast(2)] | None = None,
    scoring: Scoring | None = None,
    epsilon: Annotated[float | str, NamesFrom(lambda: tuple(EPSILONS)), Form("NAME|NUMBER", str)] | None = None,
    q: Share | None = None,
    rating: Column | None = None,
    judge: Column | None = None,
    rater_column: Column | None = None,
    cluster: Column | None = None,
    confidence: ConfidenceLevel = 95,
    simulations: Count = 1000,
    seed: Seed = 0,
    log: Log | None = None,
) -> PlanResult:
    """Plans how many raters, inputs and ratings a study needs, as ``fw plan`` does.

    Finds the smallest number of inputs that achieves a half-width or a power, for each number of raters, and checks it
    in simulated studies. What ratings are like is stated, or follows from the ratings of a pilot.

    Args:
        goal: The mean rating of a system (``mean``), the difference of two (``difference``), a mean with the scores of
            a judge (``estimate``), or the alternative annotator test of a judge (``alt-test``).
        pilot: The ratings of a pilot, as for `agreement`: they show what is otherwise stated by ``sd``, ``agreement``,
            ``correlation``, ``judge_agreement`` and ``cluster_correlation``.
        half_width: The wanted half-width of the interval of a mean or difference.
        difference: A true difference that a test should detect: of two systems, or of a mean from a fixed number.
        power: The wanted probability that this difference is significant, or that a judge passes the alternative
            annotator test; by default 0.8.
        raters: The numbers of ratings of each output; by default 1, 2, 3 and 5, or 2, 3 and 5 for ``alt-test``.
        inputs: The numbers of inputs whose half-width or power is computed, instead of searching for the smallest one.
        systems: The number of systems whose outputs are rated; by default 1, or 2 for ``difference``.
        comparisons: Whether ``all`` pairs of systems are compared, the default, or each with a ``baseline``: the level
            of a test is divided by their number.
        sd: The standard deviation of the ratings of one system, by single raters.
        agreement: The share of their variance on which raters agree, such as Krippendorff's α or the ICC of single
            ratings.
        correlation: The correlation of the quality of two systems over inputs; by default 0.
        judge_agreement: The correlation of the judge with a single rater.
        judged: The number of outputs of a system that the judge scores, with those that people rate.
        cluster_size: The number of inputs of a cluster, such as a document, if whole clusters are rated; with a pilot,
            by default the mean size of its clusters.
        cluster_correlation: The correlation of the quality of two inputs of a cluster.
        points: The number of points of the rating scale, for ``alt-test``; by default 5. With 2, ratings are verdicts.
        scoring: How judge and raters are scored, for ``alt-test``; by default ``neg_rmse``.
        epsilon: How much worse than a rater a judge may be, for ``alt-test``: a number, or ``experts`` (0.2),
            ``skilled`` (0.15, the default) or ``crowd`` (0.1).
        q: The false discovery rate over raters, for ``alt-test``; by default 0.05.
        rating: The column of the ratings of the pilot.
        judge: The column of the judge's scores in the pilot, for ``estimate`` and ``alt-test``.
        rater_column: The column of the raters of the pilot; by default ``rater_id``, ``rater``, ….
        cluster: The column of the clusters of inputs of the pilot, such as their document.
        confidence: The confidence level of intervals, as a fraction (0.95) or in percent (95); tests are at 1 − this.
        simulations: The number of simulated studies.
        seed: The random seed of the simulated studies.
        log: Receives warnings; by default, they are Python warnings.

    Raises:
        InputError: if an option is invalid or has no effect on the goal, or an assumption is missing.
        DataError: if the ratings of the pilot are invalid.
        UnknownNameError: if the pilot has no column of a name.

    >>> import metrics_framework as fw
    >>> result = fw.plan("mean", half_width=0.1, sd=1, agreement=0.4, raters=[1, 3])
    >>> [(design.raters, design.inputs, design.ratings) for design in result.designs]
    [(1, 387, 387), (3, 233, 699)]
    """
    from metrics_framework.api.score_sources import sources_of
    from metrics_framework.common.logs import steps_of
    from metrics_framework.meta_evaluation.plan.study import plan_study
    from metrics_framework.meta_evaluation.scores.long_tables import read_long_tables

    request = PlanRequest(
        goal=goal,
        has_pilot=pilot is not None,
        rating=rating,
        judge=judge,
        rater_column=rater_column,
        half_width=half_width,
        power=power,
        difference=difference,
        raters=tuple(raters),
        inputs=tuple(inputs),
        systems=systems,
        comparisons=comparisons,
        sd=sd,
        agreement=agreement,
        correlation=correlation,
        judge_agreement=judge_agreement,
        judged=judged,
        cluster=cluster,
        cluster_size=cluster_size,
        cluster_correlation=cluster_correlation,
        points=points,
        scoring=scoring,
        epsilon=epsilon,
        q=q,
        confidence=confidence,
        simulations=simulations,
        seed=seed,
    )
    tables, library = None, None
    if pilot is not None:
        sources, library = sources_of(pilot)
        tables = read_long_tables(sources, rater_column=rater_column)
    log = PythonLog() if log is None else log
    with steps_of(log):
        study = plan_study(request, tables)
    for warning in study.warnings:
        log.warn(warning)
    found: dict[str, Any] = {**vars(study), "warnings": log.warnings}
    return PlanResult(**found, library=library)
