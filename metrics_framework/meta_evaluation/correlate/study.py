"""A study: several metrics against several human scores on one set of outputs, with comparisons of the metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from metrics_framework.common.arrays import Bools
from metrics_framework.common.errors import DataError, InputError, UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.ratings import ALL, DataSets, Ratings
from metrics_framework.inputs.score_matrices import ScoreColumns
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient
from metrics_framework.meta_evaluation.correlate.comparisons import (
    Average,
    Comparison,
    average_over_data_sets,
    compare_metrics_of,
    progress_of_tests,
)
from metrics_framework.meta_evaluation.correlate.correlation import Correlation, correlate_pair
from metrics_framework.meta_evaluation.correlate.data import DataSetScores, Provenance
from metrics_framework.meta_evaluation.correlate.request import MEAN, CorrelateRequest, Pair
from metrics_framework.meta_evaluation.explanations import (
    PartialCoefficient,
    PartialCorrelation,
    PartialLevel,
    VarianceShares,
    partial_correlation,
    variance_shares,
)
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, without_small_groups
from metrics_framework.meta_evaluation.rater_agreement.ceilings import MIN_OUTPUTS, Ceiling, ceilings, standardized
from metrics_framework.meta_evaluation.study import OMITTED_IF_EMPTY, Finding, Study, json_of

if TYPE_CHECKING:
    from typing_extensions import Self


MAX_SLICES = 100
"""A column with more values is no partition of the data, but a text or a number."""


@dataclass(frozen=True)
class CorrelationStudy(Study):
    """The results of a study.

    Args:
        correlations: One for each pair of a metric and a human score.
        request: What was computed.
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
        hidden_levels: The levels that were computed, but are not shown; `as_shown` leaves them out.
    """

    correlations: Sequence[Correlation]
    request: CorrelateRequest
    comparisons: Sequence[Comparison] = ()
    averages: Sequence[Average] = ()
    ceilings: Sequence[HumanCeiling] = ()
    raters: Sequence[Correlation] = ()
    partials: Sequence[Partial] = ()
    slices: Sequence[Slice] = ()
    changes: Sequence[SliceChange] = ()
    variance: Mapping[str, VarianceShares] = field(default_factory=dict)
    notes: Sequence[str] = ()
    warnings: list[str] = field(default_factory=list)
    hidden_levels: Sequence[Level] = ()

    command = "fw correlate"

    @classmethod
    @overrides
    def of(
        cls, tables: DataSets, request: CorrelateRequest, others: Mapping[str, DataSets] = MappingProxyType({})
    ) -> Self:
        """Computes what is asked for.

        Args:
            tables: The scores of each data set.
            request: What to compute.
            others: Option of coefficients to other scores that it fits: those of the data set of the same name.

        Raises:
            DataError: if a pair of scores has no output in common, or rows are invalid.
            UsageError: if there is no score or column of a name.
            InputError: if an option that fits other data would be ignored.
        """
        scores = [DataSetScores(tables, name, request.summarizer_type) for name in tables.parts]
        fits = {}
        for option, other in others.items():
            _check_fit(request, option)
            fits[option] = [DataSetScores(other, name, request.summarizer_type) for name in other.parts]
        sentinels = len(scores[0].sentinels) if request.sentinels else 0
        with progress_of_tests(request, len(scores), sentinels):
            parts = [_Part(one, _resolved(one, request, fits)) for one in scores]
            averages = []
            if request.data_sets is not None or request.preset:
                columns = {part.data_set or ALL: part.columns for part in parts}
                requests = {part.data_set or ALL: part.request for part in parts}
                directions = parts[0].provenance.directions
                averages = [average_over_data_sets(columns, human, requests, directions) for human in request.humans]
            return cls(
                correlations=[one for part in parts for one in part.correlations],
                request=parts[0].request,
                comparisons=[
                    one
                    for part in parts
                    for human in request.humans
                    for one in compare_metrics_of(
                        part.columns, human, part.request, part.provenance.directions, part.data_set
                    )
                ],
                averages=averages,
                ceilings=[one for part in parts for one in part.ceilings],
                raters=[one for part in parts for one in part.raters],
                partials=[one for part in parts for one in partials_of(part)],
                slices=[one for part in parts for one in part.slices],
                changes=[one for part in parts for one in part.changes],
                variance={
                    _named(human, part.data_set): variance_shares(part.columns.scores[human])
                    for part in parts
                    for human in (request.humans if "global" in part.request.levels else ())
                },
                notes=list(dict.fromkeys([*tables.notes, *(note for part in parts for note in part.notes)])),
            )

    @overrides
    def as_json(self) -> dict[str, Any]:
        """Returns what the study adds to its correlations."""
        sections = {
            "comparisons": self.comparisons,
            "averages": self.averages,
            "ceilings": {_named(one.human, one.data_set): one for one in self.ceilings},
            "raters": self.raters,
            "partial_correlations": self.partials,
            "human_variance": self.variance,
            "slices": self.slices,
            "slice_changes": self.changes,
        }
        return {name: json_of(found) for name, found in sections.items() if found}

    @overrides
    def to_records(self, of: str = "correlations") -> list[dict[str, Any]]:
        """Returns a dictionary for each coefficient at each level, or for each pair of compared metrics.

        Args:
            of: ``correlations`` or ``differences``.
        """
        if of == "differences":
            return [record for comparison in self.comparisons for record in comparison.to_records()]
        return [record for result in self.correlations for record in result.to_records()]


def _named(name: str, data_set: str) -> str:
    return f"{data_set}: {name}" if data_set else name


def _resolved(
    data: DataSetScores, request: CorrelateRequest, others: Mapping[str, Sequence[DataSetScores]]
) -> CorrelateRequest:
    """Returns the request with what depends on the data: sentinels, clusters, and options that fit other data sets.

    Raises:
        DataError: if no other data set has the same name.
    """
    pairs = [*request.pairs]
    if request.sentinels:
        pairs += [(sentinel, human) for human in request.humans for sentinel in data.sentinels]
    pairs = [*dict.fromkeys(pairs)]
    clusters = None if request.cluster is None else data.tables.texts_of_inputs(request.cluster)
    resolved = replace(request, pairs=pairs, clusters=clusters)
    fitted: dict[tuple[str, str, str, str], Mapping[str, Any]] = {}
    for option, those in others.items():
        counterpart = next((one for one in those if one.name == data.name), None)
        if counterpart is None:
            names = ", ".join(one.name for one in those)
            raise DataError(f"the scores on which {option} is fitted have no data set '{data.name}', only {names}")
        fitted |= _fitted(counterpart, resolved, option)
    return replace(resolved, fitted=fitted)


def _check_fit(request: CorrelateRequest, option: str) -> None:
    """Refuses other data that no coefficient fits, or that contradict a given value.

    Raises:
        InputError: if the data would be ignored.
    """
    fitting = [name for name in coefficient_names() if load_coefficient(name).fits == option]
    if not {*fitting} & {*request.coefficients}:
        raise InputError(
            f"'{option}_from' is an option of {', '.join(fitting)}, but the coefficients are "
            f"{', '.join(request.coefficients)}"
        )
    if getattr(request, option) is not None:
        shown = {"epsilon": "ε"}.get(option, option)
        raise InputError(f"'{option}' and '{option}_from' cannot both say which {shown} is used; give one of them")


def _fitted(
    data: DataSetScores, request: CorrelateRequest, option: str
) -> dict[tuple[str, str, str, str], Mapping[str, Any]]:
    """Fits an option for each pair of scores, level and coefficient that fits it.

    Raises:
        DataError: if the data fit no threshold.
    """
    columns = data.columns([*dict.fromkeys(name for pair in request.pairs for name in pair)])
    fitted = {}
    for metric, human in request.pairs:
        matrix = columns.matrix(metric, human)
        for level in request.levels:
            people = without_small_groups(matrix.z, level, request.min_group)
            for one in request.coefficients_at(level):
                if one.fits == option:
                    options = CoefficientOptions(good_above=request.good_above)
                    fitted[metric, human, str(level), one.name] = one.fit(ScorePair(people, matrix.x), level, options)
                    if option == "threshold" and not fitted[metric, human, str(level), one.name]:
                        raise DataError(f"no threshold of '{metric}' fits: outputs must be good and bad by '{human}'")
    return fitted


def _refuse_lower(request: CorrelateRequest, provenance: Provenance) -> None:
    """Refuses a metric of which lower scores are better where high scores are called good.

    Raises:
        InputError: if there is such a metric.
    """
    names = [name for name in request.coefficients if load_coefficient(name).fits == "threshold"]
    for metric, _ in request.pairs if names else ():
        if provenance.directions.get(metric) is False:
            raise InputError(
                f"'{names[0]}' calls high scores good, but lower is better for '{metric}'; name it '-{metric}'"
            )


class _Part:
    """The study of one data set.

    Args:
        data: Its scores.
        request: What to compute.

    Attributes:
        data_set: Its name; empty if there is only one.
        columns: The scores, with human scores made of ratings as requested.
        categories: Each covariate that is no score to the category of each output.
        provenance: What is known about the scores.
        correlations: The correlations of all pairs.
        ceilings: How well the raters of each human score agree.
        raters: The correlations of raters as metrics.
        slices: The correlations within slices.
        changes: How means over slices differ from the pooled values.
        notes: How human scores were made.
    """

    def __init__(self, data: DataSetScores, request: CorrelateRequest) -> None:
        self.data_set, self.request = data.name, request
        names = [*dict.fromkeys(name for pair in request.pairs for name in pair)]
        self.categories = {name: labels for name in request.partial if (labels := data.categories(name)) is not None}
        self.columns = data.columns([*names, *(name for name in request.partial if name not in self.categories)])
        self.provenance = data.provenance(names)
        _refuse_lower(request, self.provenance)
        self.ceilings: list[HumanCeiling] = []
        self.raters: list[Correlation] = []
        self.notes: list[str] = []
        for human in request.humans:
            self._add_raters(data, human)
        self.correlations = [
            correlate_pair(self.columns, pair, request, self.provenance, data.name) for pair in request.pairs
        ]
        self.slices: list[Slice] = []
        self.changes: list[SliceChange] = []
        for column in request.slices:
            found = correlate_slices(self, column, data.tables.texts(column))
            self.slices += found
            self.changes += slice_changes(self.correlations, found)

    def _add_raters(self, data: DataSetScores, human: str) -> None:
        """Makes a human score of the ratings of several people, if it has them."""
        request = self.request
        if not data.has_raters(human):
            if request.aggregate != MEAN or request.humans_as_metrics:
                raise UsageError(f"'{human}' has no ratings of several people; name their column with --rater-column")
            return
        ratings = ratings_of(data.tables.ratings(data.base_name(human)), self.columns)
        self.columns, ratings, notes = with_aggregate(self.columns, ratings, request.aggregate)
        self.notes += notes
        found = ceiling_of(ratings, request, self.data_set)
        self.ceilings += [found] if found is not None else []
        if request.humans_as_metrics:
            self.raters += correlate_raters(self.columns, ratings, request, self.data_set)


@dataclass(frozen=True)
class Slice(Finding):
    """The outputs with one value of a column.

    Args:
        data_set: The data set of the outputs; empty if there is only one.
        column: The column.
        value: Its value.
        correlations: The correlations of these outputs; pairs of scores without outputs are left out.
    """

    data_set: str = field(metadata=OMITTED_IF_EMPTY)
    column: str
    value: str
    correlations: Sequence[Correlation]


@dataclass(frozen=True)
class SliceChange(Finding):
    """How the mean of a coefficient over slices differs from its pooled value.

    A change of sign or size shows that slices differ in their means (Simpson's paradox), not only in their outputs.

    Args:
        data_set: The data set of the outputs; empty if there is only one.
        column: The column.
        metric1: The first score.
        metric2: The second.
        level: The level.
        coefficient: The coefficient.
        pooled: The value over all outputs.
        mean_of_slices: The mean of the values of the slices where it is defined; each slice counts once.
        change: The mean of slices minus the pooled value.
        slices: The number of these slices.
    """

    data_set: str = field(metadata=OMITTED_IF_EMPTY)
    column: str
    metric1: str
    metric2: str
    level: Level
    coefficient: str
    pooled: float
    mean_of_slices: float
    change: float
    slices: int


def cells_by_label(
    columns: ScoreColumns, name: str, labels: Mapping[tuple[str, str], str], most: int = MAX_SLICES
) -> dict[str, Bools]:
    """Returns the outputs with each label, shape (systems, inputs), sorted by label.

    Args:
        columns: The scores.
        name: The column, for the error message.
        labels: Instance and summarizer to label; outputs without one are in no slice.
        most: The largest number of labels.

    Raises:
        UsageError: if there are more labels, or no output has one.
    """
    cells: dict[str, Bools] = {}
    for row, system in enumerate(columns.systems):
        for column, instance in enumerate(columns.inputs):
            label = labels.get((instance, system))
            if label is not None and columns.present[row, column]:
                if label not in cells:
                    cells[label] = np.zeros(columns.present.shape, dtype=np.bool_)
                cells[label][row, column] = True
    if not cells:
        raise UsageError(f"no output has a value in the column '{name}'")
    if len(cells) > most:
        raise UsageError(f"the column '{name}' has {len(cells)} different values; use one with at most {most}")
    return dict(sorted(cells.items()))


def correlate_slices(study: _Part, column: str, labels: Mapping[tuple[str, str], str]) -> list[Slice]:
    """Correlates each pair of scores within each slice: the same request on fewer outputs.

    Args:
        study: The study of the data set.
        column: The column of the slices.
        labels: Instance and summarizer to slice.

    Raises:
        UsageError: if the column has too many values, or none.
        InputError: if an option cannot be applied to a slice.
    """
    slices = []
    for value, cells in cells_by_label(study.columns, column, labels).items():
        part = study.columns.restricted(cells)
        correlations = []
        for pair in study.request.pairs:
            try:
                correlations.append(correlate_pair(part, pair, study.request, study.provenance, study.data_set))
            except DataError:  # no output of the slice has both scores
                continue
            except InputError as error:
                raise InputError(f"{error}, in the slice '{value}' of '{column}'") from None
        slices.append(Slice(study.data_set, column, value, correlations))
    return slices


def slice_changes(correlations: Sequence[Correlation], slices: Sequence[Slice]) -> list[SliceChange]:
    """Compares pooled coefficients with their means over the slices of one column."""
    changes = []
    for pooled in correlations:
        of_pair = [
            found
            for one in slices
            for found in one.correlations
            if (found.metric1, found.metric2) == (pooled.metric1, pooled.metric2)
        ]
        for level, result in pooled.levels.items():
            for name, estimate in result.estimates.items():
                values = [found.levels[level].estimates[name].value for found in of_pair]
                defined = [value for value in values if not math.isnan(value)]
                mean = math.fsum(defined) / len(defined) if defined else math.nan
                where = pooled.data_set, slices[0].column, pooled.metric1, pooled.metric2, level, name
                change = mean - estimate.value
                changes.append(SliceChange(*where, estimate.value, mean, change, len(defined)))
    return changes


@dataclass(frozen=True)
class Partial(Finding):
    """A partial correlation of a metric and a human score.

    Args:
        metric1: The metric.
        metric2: The human score.
        level: The level.
        coefficient: The coefficient.
        covariates: The names of the covariates.
        categories: Those of them that are categories, not numbers.
        found: The partial correlation.
        data_set: The data set of the outputs; empty if there is only one.
    """

    metric1: str
    metric2: str
    level: str
    coefficient: str
    covariates: Sequence[str]
    categories: Sequence[str]
    found: PartialCorrelation
    data_set: str = ""

    @overrides
    def as_json(self) -> dict[str, Any]:
        """Returns the correlation as it appears in the JSON file."""
        return {
            **({"data_set": self.data_set} if self.data_set else {}),
            "metric1": self.metric1,
            "metric2": self.metric2,
            "level": self.level,
            "coefficient": self.coefficient,
            "covariates": list(self.covariates),
            "categories": list(self.categories),
            "value": self.found.value,
            "uncontrolled": self.found.uncontrolled,
            "p_value": self.found.p_value,
            "of_residuals": self.found.of_residuals,
            "num_outputs": self.found.outputs,
            "dropped": self.found.left_out,
        }


def partials_of(part: _Part) -> list[Partial]:
    """Computes the partial correlations of all pairs, at the levels and by the coefficients that have them.

    Args:
        part: The study of a data set.

    Raises:
        UsageError: if the study has no level or no coefficient with a partial correlation, or a column has too many
            categories.
    """
    request, columns = part.request, part.columns
    if not request.partial:
        return []
    names = [name for name in request.coefficients if name in get_args(PartialCoefficient)]
    levels = [level for level in request.levels if level in get_args(PartialLevel)]
    if not names or not levels:
        raise UsageError(
            f"partial correlations need a coefficient of {', '.join(get_args(PartialCoefficient))} "
            f"at a level of {', '.join(get_args(PartialLevel))}"
        )
    covariates: dict[str, Any] = {}
    for name in request.partial:
        if name not in part.categories:
            covariates[name] = columns.scores[name]
            continue
        labels = np.full(columns.present.shape, None, dtype=object)
        for label, cells in cells_by_label(columns, name, part.categories[name], columns.present.size).items():
            labels[cells] = label
        covariates[name] = labels
    return [
        Partial(*pair, level, name, request.partial, [*part.categories], found, part.data_set)
        for pair in request.pairs
        if pair[0] not in request.partial
        for level in levels
        for name in names
        for found in [_partial(part, pair, level, name, covariates)]
    ]


def _partial(part: _Part, pair: Pair, level: Level, name: str, covariates: Mapping[str, Any]) -> PartialCorrelation:
    metric, human = (part.columns.scores[one] for one in pair)
    found = partial_correlation(
        without_small_groups(np.where(np.isnan(metric), np.nan, human), level, part.request.min_group),
        metric,
        covariates,
        cast("PartialCoefficient", name),
        level=cast("PartialLevel", level),
    )
    # The p-value is that of independent outputs, which outputs of one cluster are not.
    return found if part.request.cluster_labels(part.columns.inputs) is None else replace(found, p_value=math.nan)


@dataclass(frozen=True)
class HumanCeiling(Finding):
    """How well the raters of a human score agree with each other; no metric can be expected to do much better.

    Args:
        human: The human score.
        num_raters: The number of raters.
        num_outputs: The number of rated outputs.
        ceilings: Level and coefficient to the agreement.
        data_set: The data set of the outputs; empty if there is only one.
        ratings: The ratings.
    """

    human: str
    num_raters: int
    num_outputs: int
    ceilings: Mapping[tuple[Level, str], Ceiling]
    data_set: str
    ratings: Ratings = field(repr=False, compare=False)

    @overrides
    def as_json(self) -> dict[str, Any]:
        """Returns the ceiling as it appears in the JSON file."""
        rows = [found.as_json() for found in self.ceilings.values()]
        where = {"data_set": self.data_set} if self.data_set else {}
        return {**where, "num_raters": self.num_raters, "num_outputs": self.num_outputs, "coefficients": rows}


def ratings_of(ratings: Ratings, columns: ScoreColumns) -> Ratings:
    """Returns only the ratings of outputs that are in a matrix, and the raters who rated them."""
    row = {system: index for index, system in enumerate(columns.systems)}
    column = {instance: index for index, instance in enumerate(columns.inputs)}
    kept = [
        unit
        for unit, (instance, system) in enumerate(ratings.units)
        if instance in column and system in row and columns.present[row[system], column[instance]]
    ]
    values = ratings.values[:, kept]
    rated = np.flatnonzero(~np.isnan(values).all(axis=1))
    return replace(
        ratings,
        units=[ratings.units[unit] for unit in kept],
        raters=[ratings.raters[rater] for rater in rated.tolist()],
        values=values[rated],
    )


def with_aggregate(columns: ScoreColumns, ratings: Ratings, aggregate: str) -> tuple[ScoreColumns, Ratings, list[str]]:
    """Replaces a human score by the mean of standardized ratings, if that is requested.

    Args:
        columns: The scores.
        ratings: The ratings of the outputs.
        aggregate: ``mean`` or ``zscore-mean``.

    Returns:
        The scores, the ratings that they are means of, and notes.

    Raises:
        UsageError: if there is only one rater.
    """
    if aggregate == MEAN:
        return columns, ratings, []
    if len(ratings.raters) < 2:
        raise UsageError(
            f"'{ratings.name}' has no ratings of several people to standardize; name their column with --rater-column"
        )
    scaled, constant = standardized(ratings)
    text = f"{ratings.name}: z-scores per rater (population standard deviation), averaged over the raters of an output"
    if constant:
        text += f"; without {counted(len(constant), 'rater')} whose ratings are all equal"
    return columns.plus(ratings.name, scaled.means()), scaled, [text]


def ceiling_of(ratings: Ratings, request: CorrelateRequest, data_set: str = "") -> HumanCeiling | None:
    """Computes the agreement of the raters by every coefficient at every level; `None` without several raters.

    A given ε is one of metric scores: ratings are tied if they are equal, or by an ε that is calibrated on them.
    """
    rated = (~np.isnan(ratings.values)).sum(axis=0)
    if not (rated > 1).any():
        return None
    options = CoefficientOptions(**request.options("threshold", "good_above", "sign_flips", "seed", "stream"))
    chosen = [
        (one.name, level) for level in request.levels for one in request.coefficients_at(level) if one.ceiling_splits
    ]
    of_each = ceilings(ratings, chosen, seed=request.seed, options=options, min_group=request.min_group)
    found = {(level, name): one for (name, level), one in zip(chosen, of_each, strict=True)}
    return HumanCeiling(ratings.name, len(ratings.raters), int((rated > 0).sum()), found, data_set, ratings)


def correlate_raters(
    columns: ScoreColumns, ratings: Ratings, request: CorrelateRequest, data_set: str = ""
) -> list[Correlation]:
    """Correlates each rater, as if a metric, with the mean of the other raters.

    Raters with fewer than `MIN_OUTPUTS` outputs that others rated, too, are left out.
    """
    present = ~np.isnan(ratings.values)
    counts, found = present.sum(axis=0), []
    for index, rater in enumerate(ratings.raters):
        shared = np.flatnonzero(present[index] & (counts > 1))
        if len(shared) < MIN_OUTPUTS:
            continue
        # A mean of the others, not a difference of sums, which would break ties by rounding.
        others = np.nanmean(np.delete(ratings.values, index, axis=0)[:, shared], axis=0)
        units = [ratings.units[unit] for unit in shared.tolist()]
        own = dict(zip(units, ratings.values[index, shared].tolist(), strict=True))
        rest = dict(zip(units, others.tolist(), strict=True))
        names = f"rater:{rater}", f"{ratings.name} of the other raters"
        both = columns.plus(names[0], own).plus(names[1], rest)
        found.append(correlate_pair(both, names, request, Provenance(), data_set))
    return found
