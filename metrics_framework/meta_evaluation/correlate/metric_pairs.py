"""Correlates two metrics at every level, with confidence intervals, and reports which outputs were used."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from metrics_framework.common.errors import counted
from metrics_framework.data.scored_counts import unequal_shares
from metrics_framework.data.texts import described
from metrics_framework.meta_evaluation.correlate.level_results import level_results
from metrics_framework.meta_evaluation.correlate.provenance import Provenance
from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest, Pair
from metrics_framework.meta_evaluation.correlate.result import Correlation, LevelResult
from metrics_framework.meta_evaluation.correlate.sentinel_metrics import SENTINELS
from metrics_framework.meta_evaluation.intervals.cautions import RANKED, interval_warnings, overlap_warning
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns, ScoreMatrix
from metrics_framework.significance.multiple_testing import ROUNDING

MAX_TIED = 0.9
"""A calibrated ε that ties at least this share of pairs is degenerate."""


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
    labels = request.cluster_labels(matrix.inputs)
    levels = level_results(matrix, names, request)
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
        warnings=[
            *_missing_scores(matrix, names),
            *_level_warnings(matrix, names[0], levels, labels),
        ],
        missing_judgements=matrix.missing_judgements,
        missing_values={name: counts for name, counts in missing.items() if counts},
        data_set=data_set,
    )


def level_warnings(result: Correlation, levels: Mapping[Level, LevelResult]) -> list[str]:
    """Returns the warnings of a correlation that are about some of its levels."""
    labels = result.request.cluster_labels(result.matrix.inputs)
    return _level_warnings(result.matrix, result.metric1, levels, labels)


def _level_warnings(
    matrix: ScoreMatrix, metric: str, levels: Mapping[Level, LevelResult], clusters: Sequence[Hashable] | None
) -> list[str]:
    return [
        *_unequal_shares(matrix, metric, levels),
        *([] if metric in SENTINELS else _size_warnings(matrix, levels, clusters)),
        *_outside(levels),
    ]


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


def _unequal_shares(matrix: ScoreMatrix, metric: str, levels: Iterable[Level]) -> list[str]:
    """Warns if a metric has scores for unequal shares of the systems' outputs that have the other score."""
    unequal = unequal_shares(metric, matrix.scored) if "system" in levels else None
    return [] if unequal is None else [unequal]


def _size_warnings(
    matrix: ScoreMatrix, levels: Mapping[Level, LevelResult], clusters: Sequence[Hashable] | None
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
        for coefficient, estimate in level.estimates.items():
            tied = estimate.details.get("tied", 0)
            if tied >= MAX_TIED:
                warnings.append(
                    f"at the {name} level, the calibrated ε ties {100 * tied:.0f}% of pairs; {coefficient} then "
                    "rewards tying outputs, not ranking them"
                )
    if "system" in levels:
        warnings += overlap_warning(matrix.x)
    if "system" in levels and systems == 2:
        warnings.append("at the system level there are only two systems; every coefficient is +1 or -1")
    return warnings


def _outside(levels: Mapping[Level, LevelResult]) -> list[str]:
    """Warns of intervals that leave out their coefficient: the jackknife is not meant for steps, as ranks make them.

    The interval of a shrunken coefficient may lie below a value near 1, which is no fault.
    """
    warnings = []
    for level, result in levels.items():
        methods = {
            name: estimate.interval_method
            for name, estimate in result.estimates.items()
            if estimate.lower is not None
            and estimate.upper is not None
            and estimate.interval_method != RANKED
            and not estimate.lower - ROUNDING <= estimate.value <= estimate.upper + ROUNDING
        }
        if methods:
            used = ", ".join(dict.fromkeys(methods.values()))
            warnings.append(
                f"at the {level} level, the interval of {', '.join(methods)} ({used}) does not contain the value; "
                "use another method, such as bootstrap-both"
            )
    return warnings
