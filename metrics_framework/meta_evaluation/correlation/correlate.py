"""Correlates two metrics at every level, with confidence intervals, and reports which outputs were used."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from metrics_framework.common.plurals import counted
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.data.missing_values import described
from metrics_framework.meta_evaluation.correlation.level_results import level_results
from metrics_framework.meta_evaluation.correlation.result import Correlation, LevelResult
from metrics_framework.meta_evaluation.correlation.sentinels import SENTINELS
from metrics_framework.meta_evaluation.correlation.settings import (
    DEFAULT_COEFFICIENTS,
    DEFAULT_LEVELS,
    IntervalSettings,
    StudySettings,
)
from metrics_framework.meta_evaluation.intervals.cautions import interval_warnings, overlap_warning
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns, score_columns
from metrics_framework.meta_evaluation.scores.score_matrix import ScoreMatrix
from metrics_framework.significance.multiple_testing import ROUNDING

MOST_TIED = 0.9
"""A calibrated ε that ties at least this share of pairs is degenerate."""


NEGATED = "-"
"""Before the name of a score: the score with the opposite sign, for metrics of which lower values are better."""


@dataclass(frozen=True)
class Provenance:
    """What is known about scores besides their values.

    Args:
        signatures: Metric to its signature.
        directions: Metric to whether higher is better.
        missing: Metric to the counts of its missing values in tables, by their spelling.
        negated: Name of a negated score to the score.
    """

    signatures: Mapping[str, str] = field(default_factory=dict)
    directions: Mapping[str, bool] = field(default_factory=dict)
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    negated: Mapping[str, str] = field(default_factory=dict)


def correlate(
    rows: Iterable[MetricsRow],
    metric1: str,
    metric2: str,
    *,
    summarizer_type: str = "peer",
    ci_method: str = IntervalSettings.method,
    confidence: float = IntervalSettings.confidence,
    two_tailed: bool = IntervalSettings.two_tailed,
    resamples: int = IntervalSettings.resamples,
    seed: int = IntervalSettings.seed,
    levels: Sequence[str] = DEFAULT_LEVELS,
    coefficients: Sequence[str] = DEFAULT_COEFFICIENTS,
    signatures: Mapping[str, str] | None = None,
    directions: Mapping[str, bool] | None = None,
    hints: Mapping[str, str] | None = None,
    missing: Mapping[str, Mapping[str, int]] | None = None,
) -> Correlation:
    """Correlates two metrics over the same outputs.

    Args:
        rows: The scores, one row per output; they are not changed.
        metric1: Flat name of the first metric.
        metric2: Flat name of the second, by convention the human one.
        summarizer_type: Which outputs: ``all``, ``reference`` or ``peer``.
        ci_method: How to compute confidence intervals: one of `names.INTERVAL_METHODS`, or ``none``.
        confidence: The confidence level, in percent or as a fraction.
        two_tailed: Whether alpha is split between both ends; otherwise each end gets all of it.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
        levels: The levels: ``input``, ``system``, ``global``, ``within-system``.
        coefficients: The coefficients: any of `names.COEFFICIENTS`.
        signatures: Metric to its signature.
        directions: Metric to whether higher is better.
        hints: Name to why it is not a metric, for the error message.
        missing: Metric to the counts of its missing values in tables, by their spelling.

    Raises:
        InputError: if an option is out of range.
        UsageError: if a metric is a list of different numbers, such as ``bleu_precisions``.
        UnknownNameError: if a metric appears in no row.
        DataError: if no output has both scores.

    >>> from metrics_framework.data.metrics_dict import MetricsDict
    >>> row = lambda i, s, a, b: MetricsRow(str(i), s, "peer", MetricsDict({"sari": a, "human": b}))
    >>> scores = [row(1, "A", 40.0, 3), row(1, "B", 30.0, 2), row(1, "C", 35.0, 1)]
    >>> round(correlate(scores, "sari", "human", ci_method="none").levels["global"].estimates["pearson"].value, 6)
    0.5
    """
    settings = StudySettings(
        coefficients=coefficients,
        levels=levels,
        interval=IntervalSettings(ci_method, confidence, two_tailed, resamples, seed),
    )
    columns = score_columns(rows, (metric1, metric2), summarizer_type, hints, signatures or {})
    return correlate_columns(
        columns, metric1, metric2, settings, Provenance(signatures or {}, directions or {}, missing or {})
    )


def correlate_columns(
    columns: ScoreColumns,
    metric1: str,
    metric2: str,
    settings: StudySettings,
    provenance: Provenance,
    clusters: Mapping[str, str] | None = None,
) -> Correlation:
    """Correlates two scores over the outputs that have both.

    Args:
        columns: The scores.
        metric1: Name of the first score.
        metric2: Name of the second.
        settings: What to compute.
        provenance: What is known about the scores.
        clusters: Input to its cluster; an input without one is a separate cluster.

    Raises:
        DataError: if no output has both scores.
    """
    matrix = columns.matrix(metric1, metric2)
    labels = None if clusters is None else cluster_labels(matrix.inputs, clusters)
    levels = level_results(matrix, settings, labels)
    names = metric1, metric2
    missing = {name: provenance.missing.get(name, {}) for name in names}
    return Correlation(
        metric1=metric1,
        metric2=metric2,
        summarizer_type=columns.summarizer_type,
        settings=settings,
        levels=levels,
        dropped=matrix.dropped,
        matrix=matrix,
        signatures=_signatures_of([provenance.negated.get(name, name) for name in names], provenance.signatures),
        orientation=_orientation(names, provenance),
        notes=_notes(matrix, missing),
        warnings=[
            *_missing_scores(matrix, names),
            *([] if metric1 in SENTINELS else _size_warnings(matrix, levels, labels)),
            *_outside(levels),
        ],
        missing_judgements=matrix.missing_judgements,
        missing_values={name: counts for name, counts in missing.items() if counts},
    )


def cluster_labels(inputs: Sequence[str], clusters: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Returns the cluster of each input; an input without one is a separate cluster.

    >>> cluster_labels(["1", "2", "3"], {"1": "a", "2": "a"})
    [('a',), ('a',), ('', '3')]
    """
    return [(clusters[name],) if name in clusters else ("", name) for name in inputs]


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


def _size_warnings(
    matrix: ScoreMatrix, levels: Mapping[str, LevelResult], clusters: Sequence[Hashable] | None
) -> list[str]:
    warnings = []
    systems = len(matrix.systems)
    for name, level in levels.items():
        methods = {coefficient: estimate.interval_method for coefficient, estimate in level.estimates.items()}
        warnings += interval_warnings(matrix.x, name, methods, clusters)
    if "input" in levels:
        used, of_two = levels["input"].points, levels["input"].details["group_sizes"].get("2", 0)
        if 2 * of_two > used:
            warnings.append(
                f"at the input level, {of_two} of {counted(used, 'input')} have only two systems; "
                "there every coefficient is +1 or -1"
            )
    for name, level in levels.items():
        details = level.estimates["acc-eq"].details if "acc-eq" in level.estimates else {}
        if details.get("tied", 0) >= MOST_TIED:
            warnings.append(
                f"at the {name} level, the calibrated ε ties {100 * details['tied']:.0f}% of pairs; acc-eq then "
                "rewards tying outputs, not ranking them"
            )
    if "system" in levels:
        warnings += overlap_warning(matrix.x)
    if "system" in levels and systems == 2:
        warnings.append("at the system level there are only two systems; every coefficient is +1 or -1")
    return warnings


def _outside(levels: Mapping[str, LevelResult]) -> list[str]:
    """Warns of intervals that leave out their coefficient: the jackknife is not meant for steps, as ranks make them."""
    warnings = []
    for level, result in levels.items():
        methods = {
            name: estimate.interval_method
            for name, estimate in result.estimates.items()
            if estimate.lower is not None
            and estimate.upper is not None
            and not estimate.lower - ROUNDING <= estimate.value <= estimate.upper + ROUNDING
        }
        if methods:
            used = ", ".join(dict.fromkeys(methods.values()))
            warnings.append(
                f"at the {level} level, the interval of {', '.join(methods)} ({used}) does not contain the value; "
                "use another method, such as bootstrap-both"
            )
    return warnings
