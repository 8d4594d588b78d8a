"""The correlation of two scores at every level, with intervals, and the outputs, groups and ties it rests on."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from metrics_framework.common.errors import counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import unequal_shares
from metrics_framework.inputs.score_matrices import ScoreColumns, ScoreMatrix
from metrics_framework.inputs.values import described
from metrics_framework.meta_evaluation.choices import AVERAGED, GROUP_AXIS, Level
from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, CoefficientValue
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.data import SENTINELS, Provenance
from metrics_framework.meta_evaluation.correlate.request import (
    DEFAULT,
    NONE,
    CorrelateRequest,
    Pair,
    coefficient_name,
    sacrerouge_interval_name,
)
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, without_small_groups
from metrics_framework.meta_evaluation.groups.weighted_groups import EQUAL
from metrics_framework.meta_evaluation.intervals import (
    IntervalRequest,
    Key,
    has_interval,
    interval_warnings,
    near_one_warning,
    overlap_warning,
    shared_intervals,
    skew_warning,
)
from metrics_framework.meta_evaluation.study import Finding
from metrics_framework.significance.interval_methods import Interval

JSON_LEVELS = {
    "input": "summary_level",
    "system": "system_level",
    "global": "global",
    "within-system": "within_system_level",
}
"""The key of a level in the JSON file; the input level keeps the name that SacreROUGE gave it."""
MAX_TIED = 0.9
"""A calibrated ε that ties at least this share of pairs is degenerate."""
_GROUP_KEYS: Mapping[Level, tuple[str, str]] = {
    "input": ("num_summary_groups", "num_groups_one_system"),
    "within-system": ("num_summarizer_groups", "num_groups_one_input"),
}
"""Level to the keys of the number of its groups, and of those with a single output."""


@dataclass(frozen=True)
class Estimate:
    """One coefficient at one level.

    Args:
        value: The coefficient; NaN if undefined.
        p_value: The two-sided p-value of no correlation; `None` for averages and coefficients without one.
        lower: The lower end of the confidence interval, if there is one.
        upper: The upper end.
        undefined_resamples: The number of resamples in which the coefficient is undefined; `None` without a bootstrap.
        interval_method: How the interval was computed; ``none`` if there is none.
        groups: The number of groups averaged; `None` at the levels system and global.
        details: What a coefficient reports beyond its value, such as ``epsilon``.
        reason: Why the value has no interval, although the method has one; empty if it has one.
    """

    value: float
    p_value: float | None = None
    lower: float | None = None
    upper: float | None = None
    undefined_resamples: int | None = None
    interval_method: str = NONE
    groups: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""

    @property
    def defined(self) -> bool:
        """Whether the coefficient has a value."""
        return not math.isnan(self.value)

    def as_json(self, name: str, level: str, sacrerouge: bool) -> dict[str, Any]:
        """Returns the estimate as it appears in the JSON file.

        Args:
            name: The coefficient.
            level: The level.
            sacrerouge: Whether to add the value under the name that SacreROUGE gave it.
        """
        known = load_coefficient(name).sacrerouge_name
        row: dict[str, Any] = {known[1]: self.value} if sacrerouge and known is not None else {}
        row["value"] = self.value
        if level not in AVERAGED and known is not None:
            row["p_value"] = self.p_value
        row.update(lower=self.lower, upper=self.upper)
        row.update({"reason": self.reason} if self.reason else {})
        if not sacrerouge:
            row["ci_method"] = self.interval_method
            if self.groups is not None:
                row["num_groups"] = self.groups
        row.update(self.details)
        return row


UNCOMPUTED = Estimate(math.nan)


class Estimates(dict[str, Estimate]):
    """Coefficient to estimate; ``kendall`` is another name of ``kendall-b``."""

    def __missing__(self, name: str) -> Estimate:
        """Returns the estimate of a coefficient by another of its names."""
        own = coefficient_name(name) if name in COEFFICIENTS.names(aliases=True) else name
        if own == name or own not in self:
            raise KeyError(name)
        return self[own]


@dataclass(frozen=True)
class LevelResult:
    """The coefficients of one level.

    Args:
        level: ``input``, ``system``, ``global`` or ``within-system``.
        size: The numbers of correlated points, under their keys in the JSON file.
        estimates: Coefficient name to estimate.
        ties: The number of pairs, and of pairs tied in the first, the second and both metrics.
        details: Further counts; for averages the skipped groups and the sizes of groups.
        groups: Coefficient name to its value for every input or system (NaN if undefined); empty at the levels system
            and global.
    """

    level: Level
    size: Mapping[str, int]
    estimates: Estimates
    ties: Mapping[str, int]
    details: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """The number of correlated points, or of groups averaged by each coefficient."""
        return self.points_of(*self.estimates)

    def points_of(self, *coefficients: str) -> int:
        """Returns the number of points, or of groups if all of these coefficients average the same number.

        An accuracy, for example, also has a value for groups in which a metric is constant.
        """
        points = next(iter(self.size.values()))
        every = points + self.details.get("num_groups_constant", 0)
        groups = (self.estimates[name].groups for name in coefficients)
        counts = {every if count is None else count for count in groups}
        return counts.pop() if len(counts) == 1 else points

    def as_json(self, request: CorrelateRequest, sacrerouge: bool) -> dict[str, Any]:
        """Returns the level as it appears in the JSON file.

        Args:
            request: What was computed.
            sacrerouge: Whether to use the names that SacreROUGE gave to coefficients and methods.
        """
        methods = {estimate.interval_method for estimate in self.estimates.values()}
        method = methods.pop() if len(methods) == 1 else request.ci
        row: dict[str, Any] = dict(self.size)
        row["ci_method"] = sacrerouge_interval_name(method) if sacrerouge else method
        row.update(alpha=request.error, two_tailed=request.two_tailed)
        known = {name: load_coefficient(name).sacrerouge_name if sacrerouge else None for name in self.estimates}
        names = {name: name if one is None else one[0] for name, one in known.items()}
        for name, estimate in self.estimates.items():
            row[names[name]] = estimate.as_json(name, self.level, sacrerouge)
        row.update(self.details)
        row["ties"] = dict(self.ties)
        undefined = {
            names[name]: estimate.undefined_resamples
            for name, estimate in self.estimates.items()
            if estimate.undefined_resamples is not None
        }
        if undefined:
            row["undefined_resamples"] = undefined
        return row


@dataclass(frozen=True)
class Correlation(Finding):
    """The correlation of two metrics at every level.

    Args:
        metric1: Flat name of the first metric.
        metric2: Flat name of the second, by convention the human one.
        summarizer_type: Which outputs: ``all``, ``reference`` or ``peer``.
        request: What was computed.
        levels: Level to result, in the order of `LEVELS`.
        dropped: Maps each cause to the number of outputs left out.
        matrix: The scores.
        signatures: Metric to its signature.
        orientation: What the sign of a coefficient means.
        notes: Hints for the user.
        left_out: Warnings of scores that are missing.
        cautions: Warnings of what may make the results of a level misleading, each with its level.
        missing_judgements: The number of judgements missing from lists of judgements.
        missing_values: Metric to the counts of its missing values in tables, by their spelling.
        data_set: The data set of the outputs; empty if there is only one.
        higher_is_better: Whether higher scores of the first metric are better; `None` if that is unknown.
    """

    metric1: str
    metric2: str
    summarizer_type: str
    request: CorrelateRequest
    levels: Mapping[Level, LevelResult]
    dropped: Mapping[str, int]
    matrix: ScoreMatrix
    signatures: Mapping[str, str]
    orientation: str
    notes: Sequence[str] = ()
    left_out: Sequence[str] = ()
    cautions: Sequence[tuple[Level, str]] = ()
    missing_judgements: int = 0
    missing_values: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    data_set: str = ""
    higher_is_better: bool | None = None

    @property
    def warnings(self) -> list[str]:
        """What may make the results misleading."""
        return [*self.left_out, *(text for _, text in self.cautions)]

    @property
    def is_resampled(self) -> bool:
        """Whether an interval depends on the seed."""
        return any(
            estimate.undefined_resamples is not None
            for level in self.levels.values()
            for estimate in level.estimates.values()
        )

    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each coefficient at each level."""
        return [
            {
                "metric1": self.metric1,
                "metric2": self.metric2,
                "summarizer_type": self.summarizer_type,
                "level": level,
                "n": found.points_of(name),
                "coefficient": name,
                **{one: getattr(estimate, one) for one in ("value", "lower", "upper", "p_value")},
            }
            for level, found in self.levels.items()
            for name, estimate in found.estimates.items()
        ]

    @overrides
    def as_json(self, sacrerouge: bool = False) -> dict[str, Any]:
        """Returns the result as it appears in the JSON file; undefined values are NaN here and ``null`` there.

        Args:
            sacrerouge: Whether to use the names that SacreROUGE gave to coefficients and methods.
        """
        row: dict[str, Any] = {"data_set": self.data_set} if self.data_set else {}
        row |= {"metric1": self.metric1, "metric2": self.metric2, "summarizer_type": self.summarizer_type}
        for level, result in self.levels.items():
            row[JSON_LEVELS[level]] = result.as_json(self.request, sacrerouge)
        row["dropped"] = dict(self.dropped)
        row["missing_judgements"] = self.missing_judgements
        row["missing_values"] = {name: dict(counts) for name, counts in self.missing_values.items()}
        row["confidence"] = self.request.confidence
        row["resamples"] = self.request.drawn if self.is_resampled else None
        row["seed"] = self.request.seed if self.is_resampled else None
        row["orientation"] = self.orientation
        row["signatures"] = dict(self.signatures)
        row["notes"] = list(self.notes)
        row["warnings"] = list(self.warnings)
        return row


def correlate_pair(
    columns: ScoreColumns, names: Pair, request: CorrelateRequest, provenance: Provenance, data_set: str = ""
) -> Correlation:
    """Correlates two scores over the outputs that have both.

    Args:
        columns: The scores.
        names: The names of the scores, by convention the metric and the human score.
        request: What to compute.
        provenance: What is known about the scores.
        data_set: The data set of the scores.

    Raises:
        DataError: if no output has both scores.
    """
    matrix = columns.matrix(*names)
    clusters = request.cluster_labels(matrix.inputs)
    levels = _levels(matrix, names, request, clusters)
    missing = {name: provenance.missing.get(name, {}) for name in names}
    return Correlation(
        metric1=names[0],
        metric2=names[1],
        summarizer_type=columns.summarizer_type,
        request=request,
        levels=levels,
        dropped=matrix.dropped,
        matrix=matrix,
        signatures=_signatures_of([provenance.negated.get(name, name) for name in names], provenance.signatures),
        orientation=_orientation(names, provenance),
        higher_is_better=provenance.directions.get(names[0]),
        notes=_notes(matrix, missing),
        left_out=_missing_scores(matrix, names),
        cautions=[*_level_cautions(matrix, names[0], levels, clusters)],
        missing_judgements=matrix.missing_judgements,
        missing_values={name: counts for name, counts in missing.items() if counts},
        data_set=data_set,
    )


def _levels(
    matrix: ScoreMatrix, pair: Pair, request: CorrelateRequest, clusters: Sequence[Hashable] | None
) -> dict[Level, LevelResult]:
    """Computes all coefficients at all levels."""
    scores = _scores_of_levels(matrix, request)
    measured, pairs = {}, {}
    for level in request.levels:
        for one in request.coefficients_at(level):
            options = request.options_for(one, *pair, level)
            used, fixed, details = one.prepared(scores[level], options, clusters)
            value = one.measure(used, level, fixed)
            measured[level, one.name] = one, replace(value, details={**value.details, **details})
            pairs[level, one.name] = used
    intervals = _intervals(measured, pairs, request, clusters)
    results = {}
    for level in request.levels:
        of_level = {name: found for (at, name), found in measured.items() if at == level}
        # A coefficient such as PDP pools the groups, and has no value for each.
        count = scores[level].shape[level == "input"] if level in AVERAGED else -1
        groups = {name: value.groups for name, (_, value) in of_level.items() if len(value.groups) == count}
        estimates = Estimates()
        for name, (coefficient, value) in of_level.items():
            interval, method = intervals[level, name]
            estimates[name] = Estimate(
                math.nan if math.isnan(value.value) else value.value,  # the one NaN that equals itself in lists
                coefficient.p_value_at(scores[level], level, clustered=clusters is not None),
                interval.lower if interval.is_defined else None,
                interval.upper if interval.is_defined else None,
                interval.undefined_resamples,
                method,
                int((~np.isnan(groups[name])).sum()) if name in groups else None,
                value.details,
                interval.reason,
            )
        values = {name: of_groups.tolist() for name, of_groups in groups.items()}
        size, details = _counts(matrix, level, request.min_group)
        results[level] = LevelResult(level, size, estimates, _ties(scores[level], level), details, values)
    return results


def _scores_of_levels(matrix: ScoreMatrix, request: CorrelateRequest) -> dict[Level, ScorePair]:
    """Returns the scores without groups that are too small at each level; levels without such groups share them."""
    everything = ScorePair(matrix.z, matrix.x)
    scores = {}
    for level in request.levels:
        human = without_small_groups(matrix.z, level, request.min_group)
        is_whole = human is matrix.z or bool((np.isnan(human) == np.isnan(matrix.z)).all())
        scores[level] = everything if is_whole else ScorePair(human, matrix.x)
    return scores


def _intervals(
    measured: Mapping[Key, tuple[Coefficient, CoefficientValue]],
    scores: Mapping[Key, ScorePair],
    request: CorrelateRequest,
    clusters: Sequence[Hashable] | None,
) -> dict[Key, tuple[Interval, str]]:
    """Returns intervals and their methods: ``none`` for coefficients for which the method is undefined."""
    found = {key: (Interval(point.value), NONE) for key, (_, point) in measured.items()}
    batches: dict[tuple[str, int], list[Key]] = {}
    for (level, name), (coefficient, _) in measured.items():
        method = coefficient.default_interval(level) if request.ci == DEFAULT else request.ci
        used = scores[level, name]
        if method != NONE and used.present.any() and has_interval(coefficient, method):
            batches.setdefault((method, id(used)), []).append((level, name))
    for (method, _), keys in batches.items():
        how = IntervalRequest(method, request.confidence, request.drawn, request.seed, clusters, tail=request.tail)
        wanted = {key: (measured[key][0], measured[key][1].options) for key in keys}
        for key, interval in shared_intervals([(scores[keys[0]], wanted)], how)[0].items():
            found[key] = replace(interval, value=measured[key][1].value), method
    return found


def _ties(scores: ScorePair, level: Level) -> dict[str, int]:
    """Counts the pairs of outputs in groups, and those tied in the metric, in the human scores, and in both."""
    counts = np.zeros(4)
    for _, groups in scores.groups(level, None, None):
        sums = groups.pair_sums(EQUAL)
        both = sums.total - sums.untied_human - sums.untied_metric + sums.untied
        each = sums.total, sums.total - sums.untied_metric, sums.total - sums.untied_human, both
        counts += [one.sum() for one in each]
    return dict(zip(("pairs", "metric1", "metric2", "both"), counts.astype(int).tolist(), strict=True))


def _counts(matrix: ScoreMatrix, level: Level, min_group: int) -> tuple[dict[str, int], dict[str, Any]]:
    """Returns what a level rests on, by the keys of the JSON file.

    Returns:
        The numbers of correlated points, or of groups averaged; the groups left out, and the sizes of the others.
    """
    if level == "system":
        return {"num_summarizers": len(matrix.systems), "num_instances": len(matrix.inputs)}, {}
    if level == "global":
        return {"num_summaries": matrix.num_cells}, {}
    present = ~np.isnan(matrix.x)
    axis = GROUP_AXIS[level]
    sizes = present.sum(axis=axis)
    constant = np.zeros(len(sizes), dtype=np.bool_)
    for scores in (matrix.x, matrix.z):
        least = np.where(present, scores, math.inf).min(axis=axis)
        constant |= least >= np.where(present, scores, -math.inf).max(axis=axis)
    key, one = _GROUP_KEYS[level]
    used = (sizes >= min_group) & ~constant
    details: dict[str, Any] = {one: int((sizes == 1).sum())}
    if min_group > 2:
        details["num_groups_too_small"] = int(((sizes > 1) & (sizes < min_group)).sum())
    details["num_groups_constant"] = int((constant & (sizes >= min_group)).sum())
    each, counts = np.unique(sizes[used], return_counts=True)
    details["group_sizes"] = {str(size): int(count) for size, count in zip(each, counts, strict=True)}
    return {key: int(used.sum())}, details


def _notes(matrix: ScoreMatrix, missing: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Returns hints on scores to use instead, and the missing values of tables that are not just empty cells."""
    jackknifed = [
        f"some outputs left out have '{other}' instead of '{name}'; to keep them, use '{other}'"
        for name, other in matrix.jackknifed_names.items()
    ]
    values = [
        f"{counted(sum(counts.values()), 'missing value')} of '{name}' in tables: {described(counts)}"
        for name, counts in missing.items()
        if any(counts)
    ]
    return [*jackknifed, *values]


def _signatures_of(names: Sequence[str], signatures: Mapping[str, str]) -> dict[str, str]:
    """Selects the signatures of the correlated metrics; ``sari_keep`` has the signature of ``sari``."""
    selected = {}
    for name in names:
        owners = [owner for owner in signatures if name == owner or name.startswith(f"{owner}_")]
        if owners:
            owner = max(owners, key=len)
            selected[owner] = signatures[owner]
    return selected


def _orientation(names: Sequence[str], provenance: Provenance) -> str:
    directions = provenance.directions
    negated = [f"{name} is {provenance.negated[name]} negated" for name in names if name in provenance.negated]
    known = [f"{name}: {'higher' if directions[name] else 'lower'} is better" for name in names if name in directions]
    return "; ".join([*(negated or ["signed as computed, no score was negated"]), *known])


def _missing_scores(matrix: ScoreMatrix, names: Sequence[str]) -> list[str]:
    """Warns of outputs left out because a score is missing, with an example of each cause, and of judgements."""
    missing = {"metric1_missing": names[0], "metric2_missing": names[1], "both_missing": " and ".join(names)}
    parts = []
    for cause, metrics in missing.items():
        if matrix.dropped[cause]:
            instance, summarizer = matrix.examples[cause]
            count = counted(matrix.dropped[cause], "output")
            parts.append(f"{count} without {metrics} (for example '{summarizer}' on '{instance}')")
    warnings = [f"left out: {'; '.join(parts)}"] if parts else []
    if matrix.missing_judgements:
        count = counted(matrix.missing_judgements, "judgement")
        warnings.append(f"{count} missing from lists of judgements; means are over the judgements present")
    return warnings


def _level_cautions(
    matrix: ScoreMatrix, metric: str, levels: Mapping[Level, LevelResult], clusters: Sequence[Hashable] | None
) -> Iterator[tuple[Level, str]]:
    """Yields what may make the results of a level misleading; sentinels are not warned of once more."""
    if "system" in levels:
        unequal = unequal_shares(metric, matrix.scored)
        if unequal is not None:
            yield "system", unequal
    if metric not in SENTINELS:
        yield from _size_cautions(matrix, levels, clusters)


def _size_cautions(
    matrix: ScoreMatrix, levels: Mapping[Level, LevelResult], clusters: Sequence[Hashable] | None
) -> Iterator[tuple[Level, str]]:
    for level, result in levels.items():
        methods = {name: estimate.interval_method for name, estimate in result.estimates.items()}
        yield from ((level, text) for text in interval_warnings(matrix.x, level, methods, clusters))
    if "input" in levels:
        used, of_two = levels["input"].points, levels["input"].details["group_sizes"].get("2", 0)
        if 2 * of_two > used:
            yield (
                "input",
                f"at the input level, {of_two} of {counted(used, 'input')} have only two systems; "
                "there every coefficient is +1 or -1",
            )
    for level, result in levels.items():
        for coefficient, estimate in result.estimates.items():
            tied = estimate.details.get("tied", 0)
            if tied >= MAX_TIED:
                yield (
                    level,
                    f"at the {level} level, the calibrated ε ties {100 * tied:.0f} % of pairs; {coefficient} then "
                    "rewards tying outputs, not ranking them",
                )
    if "global" in levels and levels["global"].estimates.get("pearson", UNCOMPUTED).interval_method != NONE:
        yield from (("global", text) for text in skew_warning(matrix.x, matrix.z))
    if "system" in levels:
        values = {name: estimate.value for name, estimate in levels["system"].estimates.items()}
        yield from (("system", text) for text in near_one_warning(values, len(matrix.systems)))
        yield from (("system", text) for text in overlap_warning(matrix.x))
        if len(matrix.systems) == 2:
            yield "system", "at the system level there are only two systems; every coefficient is +1 or -1"
