"""Correlates two metrics at every level, with confidence intervals, and reports which outputs were used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.common.plurals import counted
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.meta_evaluation.coefficients.levels import (
    InputLevel,
    global_level,
    input_level,
    system_level,
    ties_of_columns,
)
from metrics_framework.meta_evaluation.correlation.result import Correlation, Estimate, LevelResult
from metrics_framework.meta_evaluation.intervals.bootstrap import bootstrap, draw_resamples, fisher, percentile_interval
from metrics_framework.meta_evaluation.scores.missing_values import described
from metrics_framework.meta_evaluation.scores.score_matrix import ScoreMatrix, score_matrix
from metrics_framework.meta_evaluation.settings import (
    COEFFICIENTS,
    INTERVAL_METHODS,
    LEVELS,
    RESAMPLED,
    IntervalSettings,
)
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.confidence_level import as_percent

FEWEST_SYSTEMS = 10
"""With fewer systems, bootstrap intervals are rough."""


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
    levels: Sequence[str] = LEVELS,
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
        ci_method: How to compute confidence intervals: a key of `INTERVAL_METHODS`.
        confidence: The confidence level, in percent or as a fraction.
        two_tailed: Whether alpha is split between both ends; otherwise each end gets all of it.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
        levels: The levels: ``input``, ``system``, ``global``.
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
    settings = _settings(ci_method, confidence, two_tailed, resamples, seed)
    if not levels or any(level not in LEVELS for level in levels):
        raise InputError(f"'levels' must be a subset of {', '.join(LEVELS)}, got {list(levels)!r}")
    matrix = score_matrix(rows, metric1, metric2, summarizer_type, hints, signatures or {})
    inputs = input_level(matrix.x, matrix.z) if "input" in levels else None
    intervals = _Intervals(matrix, settings, levels)
    results = {}
    if inputs is not None:
        results["input"] = _input_result(matrix, inputs, intervals)
    if "system" in levels:
        results["system"] = _system_result(matrix, intervals)
    if "global" in levels:
        results["global"] = _global_result(matrix, intervals)
    names = metric1, metric2
    return Correlation(
        metric1=metric1,
        metric2=metric2,
        summarizer_type=summarizer_type,
        interval=settings,
        levels=results,
        dropped=matrix.dropped,
        matrix=matrix,
        input_coefficients={}
        if inputs is None
        else {name: values.tolist() for name, values in inputs.coefficients.items()},
        signatures=_signatures_of(names, signatures or {}),
        orientation=_orientation(names, directions or {}),
        notes=_notes(matrix, missing_values := {name: (missing or {}).get(name, {}) for name in names}),
        warnings=[*_missing_scores(matrix, names), *_size_warnings(matrix, inputs, settings, levels)],
        missing_judgements=matrix.missing_judgements,
        missing_values={name: counts for name, counts in missing_values.items() if counts},
    )


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


def _settings(method: str, confidence: float, two_tailed: bool, resamples: int, seed: int) -> IntervalSettings:
    if method not in INTERVAL_METHODS:
        raise InputError(f"'ci_method' must be one of {', '.join(INTERVAL_METHODS)}, got '{method}'")
    if resamples < 1 or seed < 0:
        raise InputError(f"'resamples' must be at least 1 and 'seed' at least 0, got {resamples} and {seed}")
    return IntervalSettings(INTERVAL_METHODS[method], as_percent(confidence), two_tailed, resamples, seed)


class _Intervals:
    """Adds confidence intervals to coefficients; all coefficients and levels share the same bootstrap resamples."""

    def __init__(self, matrix: ScoreMatrix, settings: IntervalSettings, levels: Sequence[str]) -> None:
        self._settings = settings
        self._samples: dict[tuple[str, str], Floats] = {}
        if settings.is_bootstrap:
            shape = len(matrix.systems), len(matrix.inputs)
            draws = draw_resamples(settings.method, shape, settings.resamples, settings.seed)
            self._samples = bootstrap(matrix.x, matrix.z, draws, levels)

    def estimates(
        self, level: str, coefficients: Mapping[str, tuple[float, float | None]], points: int
    ) -> dict[str, Estimate]:
        return {
            name: self._estimate(level, name, value, p_value, points) for name, (value, p_value) in coefficients.items()
        }

    def _estimate(self, level: str, name: str, value: float, p_value: float | None, points: int) -> Estimate:
        ends = undefined = None
        if self._settings.method == "fisher":
            ends = fisher(name, value, points, self._settings.tail)
        elif self._settings.is_bootstrap:
            samples = self._samples[level, name]
            ends = percentile_interval(samples, self._settings.tail)
            undefined = int(np.isnan(samples).sum())
        lower, upper = ends or (None, None)
        return Estimate(value, p_value, lower, upper, undefined)


def _input_result(matrix: ScoreMatrix, inputs: InputLevel, intervals: _Intervals) -> LevelResult:
    means = {name: (inputs.mean(name), None) for name in COEFFICIENTS}
    details = {
        "num_groups_one_system": inputs.one_system,
        "num_groups_constant": inputs.constant,
        "group_sizes": {str(systems): count for systems, count in inputs.sizes.items()},
    }
    return LevelResult(
        level="input",
        size={"num_summary_groups": inputs.used},
        estimates=intervals.estimates("input", means, len(matrix.systems)),
        ties=ties_of_columns(matrix.x, matrix.z),
        details=details,
    )


def _system_result(matrix: ScoreMatrix, intervals: _Intervals) -> LevelResult:
    points = system_level(*matrix.system_means())
    estimates = intervals.estimates("system", points.coefficients, len(matrix.systems))
    size = {"num_summarizers": len(matrix.systems), "num_instances": len(matrix.inputs)}
    return LevelResult("system", size, estimates, points.ties)


def _global_result(matrix: ScoreMatrix, intervals: _Intervals) -> LevelResult:
    points = global_level(matrix.x, matrix.z)
    estimates = intervals.estimates("global", points.coefficients, matrix.num_cells)
    return LevelResult("global", {"num_summaries": matrix.num_cells}, estimates, points.ties)


def _signatures_of(names: Sequence[str], signatures: Mapping[str, str]) -> dict[str, str]:
    """Selects the signatures of the correlated metrics; ``sari_keep`` has the signature of ``sari``."""
    selected = {}
    for name in names:
        owners = [owner for owner in signatures if name == owner or name.startswith(f"{owner}_")]
        if owners:
            owner = max(owners, key=len)
            selected[owner] = signatures[owner]
    return selected


def _orientation(names: Sequence[str], directions: Mapping[str, bool]) -> str:
    known = [f"{name}: {'higher' if directions[name] else 'lower'} is better" for name in names if name in directions]
    return "; ".join(["signed as computed, no score was negated", *known])


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
    matrix: ScoreMatrix, inputs: InputLevel | None, settings: IntervalSettings, levels: Sequence[str]
) -> list[str]:
    warnings = []
    systems = len(matrix.systems)
    if "systems" in RESAMPLED.get(settings.method, "") and systems < FEWEST_SYSTEMS:
        warnings.append(
            f"the bootstrap resamples only {counted(systems, 'system')}; with fewer than {FEWEST_SYSTEMS}, "
            "intervals are rough"
        )
    if inputs is not None and 2 * inputs.sizes.get(2, 0) > inputs.used:
        warnings.append(
            f"at the input level, {inputs.sizes[2]} of {counted(inputs.used, 'input')} have only two systems; "
            "there every coefficient is +1 or -1"
        )
    if "system" in levels and systems == 2:
        warnings.append("at the system level there are only two systems; every coefficient is +1 or -1")
    return warnings
