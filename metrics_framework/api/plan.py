"""`plan`: how many raters, inputs and ratings a study needs, before any data or from a pilot, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import (
    NAME_OR_NUMBER,
    Column,
    ConfidenceLevel,
    Count,
    LogSpec,
    Reading,
    Scores,
    Seed,
    Share,
)
from metrics_framework.common.options import AtLeast, Between, NamesFrom, checked_arguments, with_options
from metrics_framework.meta_evaluation.judge.request import EPSILONS, Scoring
from metrics_framework.meta_evaluation.plan.request import DEFAULT_ASSURANCE, Comparisons, Goal, PlanRequest

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from metrics_framework.api.analysis_results import PlanResult


Several: TypeAlias = Annotated[int, AtLeast(2)]
Correlation: TypeAlias = Annotated[float, Between(-1, 1)]


@with_options(Reading)
def plan(
    goal: Goal,
    pilot: Scores | None = None,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    power: Share | None = None,
    assurance: Share = DEFAULT_ASSURANCE,
    raters: Sequence[Count] = (),
    inputs: Sequence[Count] = (),
    systems: Count | None = None,
    comparisons: Comparisons | None = None,
    sd: float | None = None,
    share: Share | None = None,
    agreement: Annotated[float, Between(0, 1, includes_high=True)] | None = None,
    correlation: Correlation | None = None,
    judge_agreement: Correlation | None = None,
    judged: Several | None = None,
    cluster_size: Several | None = None,
    cluster_correlation: Share | None = None,
    points: Several | None = None,
    scoring: Scoring | None = None,
    epsilon: Annotated[float | str, NamesFrom(lambda: tuple(EPSILONS)), NAME_OR_NUMBER] | None = None,
    q: Share | None = None,
    rating: Column | None = None,
    judge: Column | None = None,
    cluster: Column | None = None,
    confidence: ConfidenceLevel = 95,
    simulations: Count = 1000,
    seed: Seed = 0,
    log: LogSpec = None,
    **reading: Unpack[Reading],
) -> PlanResult:
    """Plans how many raters, inputs and ratings a study needs, as ``fw plan`` does.

    Finds the smallest number of inputs that achieves a half-width or a power, for each number of raters, and checks it
    in simulated studies. What ratings are like is stated, or follows from the ratings of a pilot.

    Args:
        goal: The mean rating of a system (``mean``), the difference of two (``difference``), a mean with the scores of
            a judge (``estimate``), or the alternative annotator test of a judge (``alt-test``).
        pilot: The ratings of a pilot, as for `agreement`: they show what is otherwise stated by ``sd``, ``agreement``,
            ``share``, ``correlation``, ``judge_agreement`` and ``cluster_correlation``.
        half_width: The wanted half-width of the interval of a mean or difference.
        difference: A true difference that a test should detect: of two systems, or of a mean from a fixed number.
        power: The wanted probability that this difference is significant, or that a judge passes the alternative
            annotator test; by default 0.8.
        assurance: The chance that a study achieves the half-width; with a pilot, also the power: over what the pilot
            leaves open about ratings.
        raters: The numbers of ratings of each output; by default 1, 2, 3 and 5, or 2, 3 and 5 for ``alt-test``.
        inputs: The numbers of inputs whose half-width or power is computed, instead of searching for the smallest one.
        systems: The number of systems whose outputs are rated; by default 1, or 2 for ``difference``.
        comparisons: Whether ``all`` pairs of systems are compared, the default, or each with a ``baseline``: the level
            of a test is divided by their number.
        sd: The standard deviation of the ratings of one system, by single raters.
        share: The share of good outputs, for ratings that are single verdicts, in place of ``sd`` and ``agreement``:
            intervals are then the score intervals of `estimate`.
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
        cluster: The column of the clusters of inputs of the pilot, such as their document.
        confidence: The confidence level of intervals, as a fraction (0.95) or in percent (95); tests are at 1 − this.
        simulations: The number of simulated studies.
        seed: The random seed of the simulated studies.
        log: A function, such as `print`, or a log that receives warnings; by default Python warnings.
        reading: How the ratings of the pilot are read, see `Reading`.

    Raises:
        InputError: if an option is invalid or has no effect on the goal, or an assumption is missing.
        DataError: if the ratings of the pilot are invalid.
        UnknownNameError: if the pilot has no column of a name.

    >>> import metrics_framework as fw
    >>> result = fw.plan("mean", half_width=0.1, sd=1, agreement=0.4, raters=[1, 3])
    >>> [(design.raters, design.inputs, design.ratings) for design in result.designs]
    [(1, 409, 409), (3, 251, 753)]
    """
    from metrics_framework.api.analysis_results import PlanResult
    from metrics_framework.inputs.rating_rows import RatingRules
    from metrics_framework.meta_evaluation.plan.study import PlanStudy

    given = checked_arguments(plan, locals(), declared=reading)
    refuse_idle(plan, given)
    request = PlanRequest.of(given, has_pilot=pilot is not None)
    rules = RatingRules.of(
        {name: given[name] for name in (*Reading.__annotations__, "cluster")}, [given["rating"], given["judge"]]
    )
    return PlanResult.on_ratings(PlanStudy, request, pilot, rules, log, is_pilot=True)
