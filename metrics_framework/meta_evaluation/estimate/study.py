"""What `estimate` computes: means, differences and shares of systems from ratings and the scores of judges."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import DataError, InputError, UnknownNameError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import order_keys
from metrics_framework.data.metrics_dict import ScoredCount, unequal_shares
from metrics_framework.data.texts import shown
from metrics_framework.inputs.ratings import LongTables, Unit, input_clusters
from metrics_framework.meta_evaluation.estimate.estimators import (
    FEWEST_RATINGS,
    IntervalName,
    PredictedMean,
    misclassification,
    predicted_mean,
)
from metrics_framework.meta_evaluation.estimate.request import EstimateRequest
from metrics_framework.meta_evaluation.groups.moments import row_means
from metrics_framework.meta_evaluation.study import NOT_IN_JSON, OMITTED_IF_NO_ENTRY, Finding, Study, defined, flat
from metrics_framework.significance.clusters import Clusters, labels_of
from metrics_framework.significance.interval_methods import Interval
from metrics_framework.significance.multiple_testing import TestedDifference, caution_of_few, cautions_of_tests, holm
from metrics_framework.significance.non_inferiority import are_too_few
from metrics_framework.significance.proportions import EffectiveTrials

if TYPE_CHECKING:
    from typing_extensions import Self


MIN_RARER = 10
"""Below this many ratings, or clusters, of the rarer class, intervals of shares or their differences are too short."""
MIN_PAIRS = 10
"""Differences of systems are undefined if fewer inputs have ratings of both."""
MAX_IMBALANCE = 3.0
"""Rated and unrated outputs differ if their mean scores are further apart, in standard errors."""
FEWEST = 5
"""Curves begin at this many ratings."""
SEED = 0
"""The seed of the order in which outputs are rated."""
_CURVE_POINTS = 30


@dataclass(frozen=True)
class EstimateStudy(Study):
    """Mean ratings of systems, and their differences.

    Attributes:
        request: What was computed.
        estimates: The estimates with the scores of each judge.
        missing: The counts of missing ratings by their spelling.
        warnings: What may make the estimates misleading.
    """

    command: ClassVar[str] = "fw estimate"
    request: EstimateRequest
    estimates: Sequence[JudgeEstimates] = field(metadata={"json": "judges"})
    missing: Mapping[str, int] = field(metadata=OMITTED_IF_NO_ENTRY)
    warnings: list[str]

    @classmethod
    @overrides
    def of(cls, tables: LongTables, request: EstimateRequest) -> Self:
        """Estimates means, differences and shares of systems with the scores of each judge.

        Args:
            tables: The tables of ratings and scores.
            request: What to compute.

        Raises:
            InputError: if no output has both a rating and a score.
            DataError: if the data are invalid.
            UnknownNameError: if there is no column or system of a name.
        """
        estimates = [_estimates(tables, judge, request) for judge in request.judges]
        named = [(f"{found.judge}: " if len(estimates) > 1 else "", found) for found in estimates]
        warnings = [name + warning for name, found in named for warning in _warnings(found)]
        return cls(request, estimates, tables.rules.value_missing.get(request.rating, {}), warnings)

    @overrides
    def cautions(self) -> Iterator[str]:
        tested, rated = list[TestedDifference](), dict[str, int]()
        for found in self.estimates:
            of = f"{found.judge}: " if len(self.estimates) > 1 else ""
            rated |= {f"{of}{one.system or 'all outputs'}": one.mean.rated for one in found.means if one.mean}
            for pair in found.differences:
                if pair.mean is not None:
                    name, ends = f"{of}{pair.system1} − {pair.system2}", (pair.mean.lower, pair.mean.upper)
                    tested.append(TestedDifference(name, pair.p_adjusted, pair.p_value, *ends))
        yield from cautions_of_tests(tested, 1 - self.request.confidence / 100)
        yield from caution_of_few(rated, "rating")

    @overrides
    def stated(self) -> dict[str, Any]:
        return self.request.options("rating", "baseline", "tuning", "confidence", "cluster")

    @overrides
    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each system and each difference."""
        records = []
        for found in self.estimates:
            shares = {share.system: share for share in found.shares}
            rows: list[tuple[Any, ...]] = [
                (entry.system, None, entry.mean, None, shares.get(entry.system)) for entry in found.means
            ]
            rows += [(pair.system1, pair.system2, pair.mean, pair, None) for pair in found.differences]
            for system, minus, mean, pair, share in rows:
                p_values = {"p_value": _of(pair, "p_value"), "p_holm": _of(pair, "p_adjusted")}
                rates = {name: _of(getattr(share, name, None), "value") for name in ("sensitivity", "specificity")}
                corrected = {**flat("corrected", getattr(share, "corrected", None)), **rates} if shares else {}
                first = {"judge": found.judge, "system": system, "minus": minus}
                records.append({**first, **_numbers(mean), **p_values, **corrected})
        return records


def _of(found: Any, name: str) -> Any:
    """Returns a number of a finding; `None` if it is undefined, or there is no finding."""
    return defined(getattr(found, name, None))


def _numbers(mean: PredictedMean | None) -> dict[str, Any]:
    names = ("rated", "unrated", "value", "lower", "upper", "tuning", "standard_error", "ratings_saved", "imbalance")
    classical = flat("classical", getattr(mean, "classical", None), "classical_value")
    return {**{name: _of(mean, name) for name in names}, **classical, "interval": getattr(mean, "interval", None)}


@dataclass(frozen=True)
class SystemMean(Finding):
    """The mean of a system.

    Attributes:
        system: The system.
        mean: The estimate; `None` without an output that has a rating and a score.
        ratings_without_score: The number of ratings that are not used, because the output has no score.
    """

    system: str
    mean: PredictedMean | None
    ratings_without_score: int


@dataclass(frozen=True)
class MeanDifference(Finding):
    """The difference of two systems on the same inputs.

    Attributes:
        system1: The first system.
        system2: The second system.
        rated: The number of inputs whose outputs are both rated.
        mean: The mean of the first minus the second; `None` for fewer than ten such inputs.
        p_value: The two-sided p-value of no difference; NaN if undefined.
        p_adjusted: The same with Holm's correction.
    """

    system1: str
    system2: str
    rated: int
    mean: PredictedMean | None
    p_value: float
    p_adjusted: float


class Counts(NamedTuple):
    """The number of unrated outputs, and of rated ones that are bad or good: n, m₀ and m₁."""

    unrated: int
    rated_bad: int
    rated_good: int


@dataclass(frozen=True)
class ShareEstimate(Finding):
    """The share of good outputs of a system, by a pass/fail judge.

    Attributes:
        system: The system.
        rated: The share of good ones among the rated outputs, with its score interval.
        judged: The share that the judge calls good among the unrated outputs, with its score interval.
        predicted: The prediction-powered share, within [0, 1]; `None` without rated outputs.
        corrected: The share corrected for the errors of the judge (Rogan and Gladen); NaN if undefined.
        sensitivity: The share that the judge calls good among good outputs, with its score interval.
        specificity: The share that it calls bad among bad outputs, with its score interval.
        counts: The numbers of outputs.
        reason: Why the corrected share is undefined; `None` if it is not.
    """

    system: str
    rated: Interval
    judged: Interval
    predicted: PredictedMean | None
    corrected: Interval
    sensitivity: Interval
    specificity: Interval
    counts: Counts
    reason: str | None


class CurvePoint(NamedTuple):
    """The estimates from some of the ratings.

    Attributes:
        ratings: The number of rated outputs.
        mean: The prediction-powered mean.
        classical: The mean of the ratings only.
    """

    ratings: int
    mean: Interval
    classical: Interval


@dataclass(frozen=True)
class RatingCurve:
    """The estimates of a system against the number of its ratings, which are added in a random order.

    Attributes:
        system: The system.
        points: The estimates, in the order of the number of ratings; the last one is that of all ratings.
    """

    system: str
    points: Sequence[CurvePoint]


@dataclass(frozen=True)
class JudgeEstimates(Finding):
    """The estimates with the scores of one judge.

    Attributes:
        judge: The judge.
        clusters: The number of clusters of inputs; `None` without clusters.
        undecided: The number of outputs left out because as many raters call them good as bad.
        means: The mean rating of each system.
        shares: The share of good outputs of each system, for pass/fail judges.
        differences: The differences of systems.
        curves: The estimates of systems with more than five ratings, from fewer ratings.
    """

    judge: str
    clusters: int | None
    undecided: int
    means: Sequence[SystemMean] = field(metadata={"json": "systems"})
    shares: Sequence[ShareEstimate]
    differences: Sequence[MeanDifference]
    curves: Sequence[RatingCurve] = field(metadata=NOT_IN_JSON)


def _estimates(tables: LongTables, judge: str, request: EstimateRequest) -> JudgeEstimates:
    data, undecided = _rated_scores(tables, request.rating, judge, request.cluster, as_verdicts=request.pass_fail)
    if request.baseline is not None and request.baseline not in data.systems:
        raise UnknownNameError("system", request.baseline, data.systems)
    means = _system_means(data, request)
    if all(entry.mean is None for entry in means):
        rated = sum(entry.ratings_without_score for entry in means)
        raise InputError(
            f"no output has both a rating and a score of '{judge}', and {counted(rated, 'output')} a rating only; do "
            "the tables have the same ids of inputs and systems, and are the scores neither empty nor null?"
        )
    return JudgeEstimates(
        judge=judge,
        clusters=None if data.clusters is None else len(set(data.clusters)),
        undecided=undecided,
        means=means,
        shares=[_share(data, row, entry, request) for row, entry in enumerate(means)] if request.pass_fail else [],
        differences=_mean_differences(data, request),
        curves=[*_rating_curves(data, request)],
    )


def _system_means(data: RatedScores, request: EstimateRequest) -> list[SystemMean]:
    """Estimates the mean rating of each system; see `predicted_mean`."""
    means = []
    for system, ratings, scores in zip(data.systems, data.ratings, data.scores, strict=True):
        try:
            mean = _mean(ratings, scores, data, request, data.interval)
        except InputError as error:
            raise InputError(f"{system or 'the outputs'}: {error}") from None
        means.append(SystemMean(system, mean, int((~np.isnan(ratings) & np.isnan(scores)).sum())))
    return means


def _mean(
    ratings: Floats, scores: Floats, data: RatedScores, request: EstimateRequest, interval: IntervalName
) -> PredictedMean | None:
    scored = ~np.isnan(scores)
    rated, others = scored & ~np.isnan(ratings), scored & np.isnan(ratings)
    if not rated.any():
        return None
    return predicted_mean(
        ratings[rated],
        scores[rated],
        scores[others],
        tuning=request.tuning,
        interval=interval,
        confidence=request.confidence,
        clusters=labels_of(data.clusters, rated),
        unlabelled_clusters=labels_of(data.clusters, others),
    )


def _mean_differences(data: RatedScores, request: EstimateRequest) -> list[MeanDifference]:
    """Estimates the differences of systems, or of all systems from the baseline, from those on each input."""
    numbers = range(len(data.systems))
    pairs = [(a, b) for a in numbers for b in numbers if a < b]
    if request.baseline is not None:
        against = list(data.systems).index(request.baseline)
        pairs = [(other, against) for other in numbers if other != against]
    means = []
    counts = []
    for a, b in pairs:
        ratings, scores = data.ratings[a] - data.ratings[b], data.scores[a] - data.scores[b]
        counts.append(int((~np.isnan(ratings + scores)).sum()))
        means.append(_mean(ratings, scores, data, request, "t") if counts[-1] >= MIN_PAIRS else None)
    p_values = [math.nan if mean is None else _p_value(mean) for mean in means]
    numbered = zip(pairs, counts, means, p_values, holm(p_values), strict=True)
    return [
        MeanDifference(data.systems[a], data.systems[b], count, mean, p, adjusted)
        for (a, b), count, mean, p, adjusted in numbered
    ]


def _p_value(mean: PredictedMean) -> float:
    from scipy.special import stdtr

    if math.isnan(mean.standard_error):
        return math.nan
    if not mean.standard_error:
        return 1.0 if not mean.value else 0.0
    return float(2 * stdtr(mean.degrees_of_freedom, -abs(mean.value / mean.standard_error)))


def _share(data: RatedScores, row: int, entry: SystemMean, request: EstimateRequest) -> ShareEstimate:
    """Estimates the share of good outputs of a system from verdicts: 1 is good, 0 is bad."""
    ratings, verdicts = data.ratings[row], data.scores[row]
    is_pooled = request.errors_of != "system"
    known = (data.ratings, data.scores) if is_pooled else (data.ratings[[row]], data.scores[[row]])
    judged = data.trials(verdicts[None], np.isnan(ratings)[None])
    sensitivity, specificity = data.trials(known[1], known[0] == 1), data.trials(1 - known[1], known[0] == 0)
    proportions = judged, specificity, sensitivity
    corrected, reason = _corrected(*proportions, request.confidence)
    return ShareEstimate(
        entry.system,
        data.trials(ratings[None]).interval(request.confidence),
        judged.interval(request.confidence),
        entry.mean,
        corrected,
        sensitivity.interval(request.confidence),
        specificity.interval(request.confidence),
        Counts(*(trials.size for trials in proportions)),
        reason or None,
    )


def _corrected(
    judged: EffectiveTrials, specificity: EffectiveTrials, sensitivity: EffectiveTrials, level: float
) -> tuple[Interval, str]:
    parts = ((judged, "unrated"), (specificity, "rated bad"), (sensitivity, "rated good"))
    absent = [what for trials, what in parts if not trials.size]
    if absent:
        return Interval(math.nan), f"no output is {' or '.join(absent)}"
    shares, counts = zip(*((trials.proportion, trials.effective) for trials, _ in parts), strict=True)
    try:
        estimate = misclassification(*shares, **dict(zip(("n", "m0", "m1"), counts, strict=True)), confidence=level)
    except InputError as error:
        return Interval(math.nan), str(error)
    return estimate, "" if estimate.is_defined else "too few rated outputs for an interval"


def _rating_curves(data: RatedScores, request: EstimateRequest) -> Iterator[RatingCurve]:
    """Yields the curve of each system with enough ratings; clusters are rated one after the other.

    Args:
        data: Ratings and scores.
        request: What is estimated, and how.
    """
    groups = Clusters.of(data.clusters, data.ratings.shape[1])
    position = np.random.default_rng(SEED).permutation(groups.count)[groups.codes]
    order = np.argsort(position, kind="stable")
    clusters = None if data.clusters is None else [data.clusters[number] for number in order]
    data = RatedScores(data.systems, data.ratings[:, order], data.scores[:, order], clusters)
    for system, ratings, scores in zip(data.systems, data.ratings, data.scores, strict=True):
        rated = np.flatnonzero(~np.isnan(ratings) & ~np.isnan(scores))
        if len(rated) > FEWEST:
            numbers = np.unique(np.rint(np.geomspace(FEWEST, len(rated), _CURVE_POINTS)).astype(int)).tolist()
            first = [np.where(np.isin(np.arange(len(ratings)), rated[:number]), ratings, np.nan) for number in numbers]
            means = filter(None, (_mean(some, scores, data, request, data.interval) for some in first))
            points = ((one.rated, Interval(one.value, one.lower, one.upper), one.classical) for one in means)
            yield RatingCurve(system, [CurvePoint(*point) for point in points])


def _warnings(found: JudgeEstimates) -> list[str]:
    means = [(entry.system or "the outputs", entry.mean) for entry in found.means]
    rated = [(system, mean) for system, mean in means if mean is not None]
    warnings = []
    if rated and not any(mean.unrated for _, mean in rated):
        warnings.append("every scored output is rated, so that the scores change nothing")
    differences = [pair.mean for pair in found.differences if pair.mean is not None]
    warnings += _interval_warnings([mean for _, mean in rated], differences)
    warnings += [_imbalanced(system, mean) for system, mean in rated if abs(mean.imbalance) > MAX_IMBALANCE]
    absent = [system for system, mean in means if mean is None]
    if absent:
        warnings.append(f"no output with a rating and a score of {', '.join(absent)}: no prediction-powered mean")
    sparse = sum(pair.mean is None for pair in found.differences)
    if sparse:
        warnings.append(
            f"{counted(sparse, 'difference')} of systems undefined: fewer than {MIN_PAIRS} inputs have ratings of "
            "both; rate the outputs of all systems for the same inputs"
        )
    unscored = sum(entry.ratings_without_score for entry in found.means)
    if unscored:
        warnings.append(f"{counted(unscored, 'rated output')} without a score of '{found.judge}' left out")
        counts = {entry.system: count for entry in found.means if (count := _scored(entry)).outputs}
        unequal = unequal_shares(found.judge, counts)
        warnings += [] if unequal is None else [unequal]
    warnings += [f"{share.system or 'the outputs'}: {share.reason}" for share in found.shares if share.reason]
    return warnings


def _scored(entry: SystemMean) -> ScoredCount:
    """Returns how many of the rated outputs of a system have a score."""
    scored = 0 if entry.mean is None else entry.mean.rated
    return ScoredCount(scored, scored + entry.ratings_without_score)


def _imbalanced(system: str, mean: PredictedMean) -> str:
    higher = "higher" if mean.imbalance > 0 else "lower"
    return (
        f"{system}: rated outputs have {higher} scores than the others (z = {mean.imbalance:.1f}), so they are hardly "
        "a random sample, and the estimate may be biased"
    )


def _interval_warnings(systems: Sequence[PredictedMean], differences: Sequence[PredictedMean]) -> list[str]:
    warnings = []
    for is_affected, text in _CAUTIONS:
        affected = [[mean for mean in means if is_affected(mean)] for means in (systems, differences)]
        words = zip(affected, ("system", "difference"), strict=True)
        who = " and ".join(counted(len(means), word) for means, word in words if means)
        warnings += [f"{who} {text([*affected[0], *affected[1]])}"] if who else []
    return warnings


def _skewed(means: Sequence[PredictedMean]) -> str:
    most = max(means, key=lambda mean: abs(mean.skewness))
    return (
        f"with skewed ratings (skewness up to {most.skewness:.1f}, with {counted(most.rated, 'rating')}): such 95 % "
        "intervals contained the mean in 85 to 90 % of simulations with 10 ratings, 87 to 92 % with 30, 92 to 94 % "
        "with 100"
    )


def _rare(means: Sequence[PredictedMean]) -> str:
    return (
        f"with fewer than {MIN_RARER} ratings or clusters of the rarer class ({min(mean.rarer or 0 for mean in means)} "
        "or more): 95 % intervals contained the share in 90 to 100 % of simulations, with clusters in 87 to 100 %, and "
        "differences of systems in 73 to 100 %"
    )


_CAUTIONS: Sequence[tuple[Callable[[PredictedMean], bool], Callable[[Sequence[PredictedMean]], str]]] = (
    (
        lambda mean: math.isnan(mean.lower),
        lambda _: f"without an interval, which needs {FEWEST_RATINGS} clusters with ratings, and 2 without",
    ),
    (lambda mean: mean.interval == "t" and are_too_few(mean.degrees_of_freedom, mean.skewness), _skewed),
    (
        lambda mean: mean.interval == "t" and math.isnan(mean.skewness),
        lambda _: "with equal ratings only: the interval has no width or is undefined",
    ),
    (lambda mean: mean.interval == "score" and mean.rarer is not None and mean.rarer < MIN_RARER, _rare),
)
"""Which intervals may be too short, and the coverage that ``benchmarks/estimate_coverage.py`` measures."""


VERDICTS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "pass", "passed", "good", "correct"), 1.0),
    **dict.fromkeys(("0", "0.0", "false", "no", "fail", "failed", "bad", "incorrect"), 0.0),
}
"""Spellings of verdicts, in lower case: 1 is good, 0 is bad."""
MAX_SIZE = 8e307
"""Ratings and scores up to this size have differences that do not overflow."""


@dataclass(frozen=True)
class RatedScores:
    """Ratings of some outputs, and a judge's scores of these and others.

    Args:
        systems: The systems.
        ratings: Shape (systems, inputs), NaN without a rating.
        scores: Shape (systems, inputs), NaN without a score.
        clusters: The cluster of each input; by default each input is one.
    """

    systems: Sequence[str]
    ratings: Floats
    scores: Floats
    clusters: Sequence[Hashable] | None = None

    @property
    def interval(self) -> IntervalName:
        """The kind of the intervals of means: ``score`` if the ratings of all systems are 0 or 1, else ``t``."""
        known = self.ratings[~np.isnan(self.ratings)]
        return "score" if np.isin(known, (0, 1)).all() else "t"

    def trials(self, outcomes: Floats, used: Bools | None = None) -> EffectiveTrials:
        """Counts effective trials of the outcomes of outputs, shape (systems, inputs); NaN where there is none.

        Args:
            outcomes: The outcomes, 0 or 1.
            used: Which of them to use, of the same shape; by default all.
        """
        is_known = ~np.isnan(outcomes) & (True if used is None else used)
        labels = None if self.clusters is None else [self.clusters[index] for index in np.nonzero(is_known)[1].tolist()]
        return EffectiveTrials.of(outcomes[is_known], labels)


def _rated_scores(
    tables: LongTables, rating: str, judge: str, cluster: str | None = None, *, as_verdicts: bool = False
) -> tuple[RatedScores, int]:
    """Returns ratings, averaged over raters, and the scores of a judge.

    Args:
        tables: The rows.
        rating: The column of the ratings.
        judge: The column of the judge's scores, or a rater who is a judge.
        cluster: The column of clusters of inputs; that of inputs changes nothing.
        as_verdicts: Whether ratings and judgements are verdicts. Several raters decide by majority.

    Returns:
        The matrices, and the number of outputs left out because as many raters call them good as bad.

    Raises:
        UnknownNameError: if there is no column of a name.
        DataError: if a value is not a number, or not a verdict.
    """
    people = _values_by_rater(tables, rating, as_verdicts)
    if judge in tables.columns:
        scores = (
            tables.numbers(judge, is_judge=True)
            if not as_verdicts
            else {unit: _verdict(text, judge) for unit, text in tables.texts(judge).items()}
        )
    elif judge in people:
        scores = people.pop(judge)
    else:
        raise UnknownNameError("judge", judge, tables.columns, "A judge is a column, or a rater.")
    ratings = _means(people)
    undecided = [unit for unit, mean in ratings.items() if as_verdicts and mean == 0.5]
    for unit in undecided:
        del ratings[unit]
        scores.pop(unit, None)
    if as_verdicts:
        ratings = {unit: float(mean > 0.5) for unit, mean in ratings.items()}
    return _matrices(ratings, scores, tables, cluster), len(undecided)


def _values_by_rater(tables: LongTables, rating: str, as_verdicts: bool) -> dict[str, dict[Unit, float]]:
    ratings = tables.ratings(rating, as_labels=as_verdicts)
    verdicts = [_verdict(label, rating) for label in ratings.labels] if as_verdicts else None
    found: dict[str, dict[Unit, float]] = {}
    for rater, row in zip(ratings.raters, ratings.values, strict=True):
        numbers = {unit: number for unit, number in zip(ratings.units, row, strict=True) if not np.isnan(number)}
        found[rater] = {
            unit: float(number if verdicts is None else verdicts[int(number)]) for unit, number in numbers.items()
        }
    return found


def _verdict(text: str, column: str) -> float:
    verdict = VERDICTS.get(text.strip().lower())
    if verdict is None:
        spellings = ", ".join(VERDICTS)
        raise DataError(f"'{column}' must be a verdict (one of {spellings}), got {shown(text)}")
    return verdict


def _means(people: Mapping[str, Mapping[Unit, float]]) -> dict[Unit, float]:
    lists: dict[Unit, list[float]] = {}
    for rated in people.values():
        for unit, value in rated.items():
            lists.setdefault(unit, []).append(value)
    return {unit: float(row_means(np.array([values]))[0]) for unit, values in lists.items()}


def _matrices(
    ratings: Mapping[Unit, float], scores: Mapping[Unit, float], tables: LongTables, cluster: str | None
) -> RatedScores:
    units = {*ratings, *scores}
    if not ratings:
        raise InputError("no output has a rating")
    systems = _ordered({system for _, system in units})
    inputs = _ordered({instance for instance, _ in units})
    row = {system: index for index, system in enumerate(systems)}
    column = {instance: index for index, instance in enumerate(inputs)}

    def matrix(values: Mapping[Unit, float]) -> Floats:
        filled = np.full((len(systems), len(inputs)), np.nan)
        for (instance, system), value in values.items():
            if abs(value) > MAX_SIZE:
                raise DataError(
                    f"ratings and scores must be within ±{MAX_SIZE:g}, so that their differences are numbers, "
                    f"got {value:g} for system {shown(system)} and instance {shown(instance)}"
                )
            filled[row[system], column[instance]] = value
        return filled

    return RatedScores(systems, matrix(ratings), matrix(scores), input_clusters(tables, cluster, inputs))


def _ordered(names: set[str]) -> list[str]:
    listed = sorted(names)
    return [name for _, name in sorted(zip(order_keys(listed), listed, strict=True))]
