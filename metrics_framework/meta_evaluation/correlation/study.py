"""A study: several metrics against several human scores on one set of outputs, with comparisons of the metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from metrics_framework.common.errors import UsageError
from metrics_framework.meta_evaluation.coefficients.calibration import calibrate
from metrics_framework.meta_evaluation.correlation.averages import Average, average_over_data_sets
from metrics_framework.meta_evaluation.correlation.comparisons import Comparison, compare, joint_scores
from metrics_framework.meta_evaluation.correlation.correlate import (
    Provenance,
    cluster_labels,
    correlate_columns,
)
from metrics_framework.meta_evaluation.correlation.human_scores import (
    HumanCeiling,
    ceiling_of,
    raters_as_metrics,
    ratings_of,
    with_aggregate,
)
from metrics_framework.meta_evaluation.correlation.partials import Partial, partials_of
from metrics_framework.meta_evaluation.correlation.result import Correlation
from metrics_framework.meta_evaluation.correlation.settings import MEAN, NONE, StudySettings
from metrics_framework.meta_evaluation.correlation.slices import Slice, SliceChange, correlate_slices, slice_changes
from metrics_framework.meta_evaluation.correlation.study_data import StudyData
from metrics_framework.meta_evaluation.explanations.variance_components import VarianceShares, variance_shares
from metrics_framework.meta_evaluation.names import Level
from metrics_framework.meta_evaluation.raters.ceiling import LEAST_OUTPUTS
from metrics_framework.meta_evaluation.scores.long_tables import Ratings
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns

Pair = tuple[str, str]


@dataclass(frozen=True)
class StudyRequest:
    """What a study computes.

    Args:
        pairs: The pairs of scores to correlate: metric and human score.
        settings: Coefficients, levels, intervals and tests.
        sentinels: Whether to correlate sentinels, too.
        slices: Columns; correlations are repeated for each of their values.
        cluster: A column; inputs with the same value are resampled together.
        aggregate: How the ratings of an output become its human score: one of `AGGREGATES`.
        covariates: Scores or sentinels that partial correlations control for.
        data_sets: A column; metrics are averaged over the data sets that it names.
        preset: The shared task whose average is computed, a key of `PRESETS`, or empty.
        humans_as_metrics: Whether to correlate each rater with the mean of the other raters.
    """

    pairs: Sequence[Pair]
    settings: StudySettings
    sentinels: bool = False
    slices: Sequence[str] = ()
    cluster: str | None = None
    aggregate: str = MEAN
    covariates: Sequence[str] = ()
    data_sets: str | None = None
    preset: str = ""
    humans_as_metrics: bool = False


@dataclass(frozen=True)
class Study:
    """The results of a study.

    Args:
        correlations: One for each pair of a metric and a human score.
        settings: What was computed.
        comparisons: The comparisons of the metrics, for each human score, level and coefficient.
        averages: The metrics by their average over data sets.
        ceilings: How well the raters of each human score agree with each other.
        raters: The correlations of each rater, as a metric, with the mean of the other raters.
        partials: Partial correlations of metrics and human scores.
        slices: The correlations within each value of each column.
        changes: How means over slices differ from pooled coefficients.
        variance: Human score to the shares of its variance; of studies with the global level.
        notes: Hints for the user.
        warnings: What may make the results misleading.
    """

    correlations: Sequence[Correlation]
    settings: StudySettings
    comparisons: Sequence[Comparison] = ()
    averages: Sequence[Average] = ()
    ceilings: Sequence[HumanCeiling] = ()
    raters: Sequence[Correlation] = ()
    partials: Sequence[Partial] = ()
    slices: Sequence[Slice] = ()
    changes: Sequence[SliceChange] = ()
    variance: Mapping[str, VarianceShares] = field(default_factory=dict)
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Returns what the study adds to its correlations."""
        row: dict[str, Any] = {}
        if self.comparisons:
            row["comparisons"] = [comparison.as_json() for comparison in self.comparisons]
        if self.averages:
            row["averages"] = [average.as_json() for average in self.averages]
        if self.ceilings:
            row["ceilings"] = {one.human: one.as_json() for one in self.ceilings}
        if self.raters:
            row["raters"] = [one.as_json(ancestor=False) for one in self.raters]
        if self.partials:
            row["partial_correlations"] = [partial.as_json() for partial in self.partials]
        if self.variance:
            row["human_variance"] = {name: asdict(shares) for name, shares in self.variance.items()}
        if self.slices:
            row["slices"] = [one.as_json() for one in self.slices]
            row["slice_changes"] = [change.as_json() for change in self.changes]
        return row


def run_study(data: StudyData, request: StudyRequest, calibration_data: StudyData | None = None) -> Study:
    """Computes a study.

    Args:
        data: The files.
        request: What to compute.
        calibration_data: The files of another data set, on which the ε of ``acc-eq`` is calibrated.

    Raises:
        DataError: if a pair of scores has no output in common, or rows are invalid.
        UsageError: if there is no score or column of a name.
    """
    pairs = _with_sentinels(data, request)
    names = [*dict.fromkeys(name for pair in pairs for name in pair)]
    columns = data.columns([*names, *request.covariates])
    provenance = data.provenance(names)
    people = _People(data, columns, request)
    columns = people.columns
    clusters = None if request.cluster is None else data.input_labels(request.cluster)
    calibrated = _Calibrated(request.settings, names, calibration_data)
    correlations = [
        correlate_columns(columns, *pair, calibrated.settings(*pair), provenance, clusters) for pair in pairs
    ]
    slices, changes = [], []
    for column in request.slices:
        found = correlate_slices(columns, pairs, request.settings, provenance, column, data.labels(column))
        slices += found
        changes += slice_changes(correlations, found)
    return Study(
        correlations=correlations,
        settings=request.settings,
        comparisons=_comparisons(columns, pairs, calibrated, provenance, clusters),
        averages=_averages(data, columns, pairs, request, provenance),
        ceilings=people.ceilings,
        raters=people.raters,
        partials=partials_of(columns, pairs, request.covariates, request.settings) if request.covariates else [],
        slices=slices,
        changes=changes,
        variance=_variance(columns, pairs) if "global" in request.settings.levels else {},
        notes=people.notes,
    )


class _People:
    """The human scores made of the ratings of several people.

    Args:
        data: The files.
        columns: The scores.
        request: What to compute.

    Attributes:
        columns: The scores, with human scores made of ratings as requested.
        ceilings: How well the raters of each human score agree.
        raters: The correlations of raters as metrics.
        notes: How human scores were made.
    """

    def __init__(self, data: StudyData, columns: ScoreColumns, request: StudyRequest) -> None:
        self.columns = columns
        self.ceilings: list[HumanCeiling] = []
        self.raters: list[Correlation] = []
        self.notes: list[str] = []
        self._request = request
        for human in dict.fromkeys(human for _, human in request.pairs):
            needed = request.aggregate != MEAN or request.humans_as_metrics
            if data.has_raters(human):
                self._add(ratings_of(data.tables.ratings(data.base_name(human)), columns))
            elif needed:
                raise UsageError(f"'{human}' has no ratings of several people; name their column with --rater-column")

    def _add(self, ratings: Ratings) -> None:
        settings = self._request.settings
        self.columns, ratings, notes = with_aggregate(self.columns, ratings, self._request.aggregate)
        self.notes += notes
        found = ceiling_of(ratings, settings)
        self.ceilings += [found] if found is not None else []
        if self._request.humans_as_metrics:
            for metric, human, columns in raters_as_metrics(self.columns, ratings, LEAST_OUTPUTS):
                self.raters.append(correlate_columns(columns, metric, human, settings, Provenance()))


def _averages(
    data: StudyData, columns: ScoreColumns, pairs: Sequence[Pair], request: StudyRequest, provenance: Provenance
) -> list[Average]:
    """Averages the metrics of each human score over data sets, if that is requested."""
    if request.data_sets is None and not request.preset:
        return []
    labels = None if request.data_sets is None else (request.data_sets, data.labels(request.data_sets))
    return [
        average_over_data_sets(
            columns,
            human,
            [metric for metric, other in pairs if other == human],
            provenance.directions,
            request.settings,
            labels,
            request.preset,
        )
        for human in dict.fromkeys(human for _, human in pairs)
    ]


def _comparisons(
    columns: ScoreColumns,
    pairs: Sequence[Pair],
    calibrated: _Calibrated,
    provenance: Provenance,
    clusters: Mapping[str, str] | None,
) -> list[Comparison]:
    """Compares the metrics of each human score by every coefficient at every level."""
    settings = calibrated.shared
    if settings.comparison.test == NONE:
        return []
    comparisons = []
    for human in dict.fromkeys(human for _, human in pairs):
        metrics = [metric for metric, other in pairs if other == human]
        if len(metrics) < 2:
            continue
        scores = joint_scores(columns, human, metrics, provenance.directions)
        ties = {metric: calibrated.settings(metric, human).ties for metric in metrics}
        labels = None if clusters is None else cluster_labels(scores.inputs, clusters)
        comparisons += [
            compare(scores, name, level, settings, labels, ties)
            for level in settings.levels
            for name in settings.coefficients_at(level)
        ]
    return comparisons


class _Calibrated:
    """The settings of each pair of scores, with the ε that is calibrated on another data set.

    Args:
        settings: The settings of the study.
        names: The scores.
        data: The other data set; `None` to calibrate on the data of the study.

    Attributes:
        shared: The settings of the study.
    """

    def __init__(self, settings: StudySettings, names: Sequence[str], data: StudyData | None) -> None:
        self.shared = settings
        self._columns = None if data is None else data.columns(names)

    def settings(self, metric: str, human: str) -> StudySettings:
        """Returns the settings of a pair of scores."""
        if self._columns is None:
            return self.shared
        matrix = self._columns.matrix(metric, human)
        levels = cast("Sequence[Level]", self.shared.levels)
        found = {level: calibrate(matrix.z, matrix.x, level=level).epsilon for level in levels}
        epsilons = {str(level): epsilon for level, epsilon in found.items() if not math.isnan(epsilon)}
        ties = replace(self.shared.ties, epsilons=epsilons, source="calibrated on another data set")
        return replace(self.shared, ties=ties)


def _with_sentinels(data: StudyData, request: StudyRequest) -> list[Pair]:
    """Adds the sentinels that can be computed to the metrics correlated with each human score."""
    pairs = [*request.pairs]
    if request.sentinels:
        humans = dict.fromkeys(human for _, human in request.pairs)
        pairs += [(sentinel, human) for human in humans for sentinel in data.sentinels]
    return [*dict.fromkeys(pairs)]


def _variance(columns: ScoreColumns, pairs: Sequence[Pair]) -> dict[str, VarianceShares]:
    return {human: variance_shares(columns.scores[human]) for human in dict.fromkeys(human for _, human in pairs)}
