"""Correlates two metrics at every level, with intervals, and says what the numbers rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.common.plurals import counted
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.meta_evaluation.coefficients import Floats
from metrics_framework.meta_evaluation.intervals import (
    Resample,
    bootstrap,
    draw_resamples,
    fisher,
    percentile_interval,
)
from metrics_framework.meta_evaluation.levels import (
    InputLevel,
    global_level,
    input_level,
    system_level,
    ties,
    ties_of_columns,
)
from metrics_framework.meta_evaluation.result import (
    COEFFICIENTS,
    INTERVAL_METHODS,
    LEVELS,
    RESAMPLED,
    Correlation,
    Estimate,
    IntervalSettings,
    LevelResult,
)
from metrics_framework.meta_evaluation.score_matrix import ScoreMatrix, score_matrix
from metrics_framework.meta_evaluation.weighted import tie_classes

FEWEST_SYSTEMS = 10
"""With fewer systems than this, a bootstrap over systems says little."""


def correlate(
    rows: Iterable[MetricsRow],
    metric1: str,
    metric2: str,
    *,
    summarizer_type: str = "peer",
    ci_method: str = "bootstrap-both",
    confidence: float = 95.0,
    two_tailed: bool = True,
    resamples: int = 1000,
    seed: int = 0,
    levels: Sequence[str] = LEVELS,
    signatures: Mapping[str, str] | None = None,
    directions: Mapping[str, bool] | None = None,
    hints: Mapping[str, str] | None = None,
) -> Correlation:
    """Correlates two metrics over the same outputs.

    Args:
        rows: The scores, one row an output; they are not changed.
        metric1: Flat name of the first metric.
        metric2: Flat name of the second, by custom the human one.
        summarizer_type: Whose outputs: ``all``, ``reference`` or ``peer``.
        ci_method: A key of `INTERVAL_METHODS`.
        confidence: Of the intervals, in percent.
        two_tailed: Whether both ends of an interval share the error; else each end has all of it.
        resamples: How many, for a bootstrap.
        seed: Of the random numbers, for a bootstrap.
        levels: Which of ``input``, ``system``, ``global``.
        signatures: What exactly was computed, by name of metric.
        directions: By name of metric, whether higher is better.
        hints: By name, why there is no metric of that name, for the error message.

    Raises:
        InputError: if an option is out of its range.
        UnknownNameError: if a metric occurs in no row.
        DataError: if no output has both scores.

    >>> from metrics_framework.data.metrics_dict import MetricsDict
    >>> row = lambda i, s, a, b: MetricsRow(str(i), s, "peer", MetricsDict({"sari": a, "human": b}))
    >>> scores = [row(1, "A", 40.0, 3), row(1, "B", 30.0, 2), row(1, "C", 35.0, 1)]
    >>> round(correlate(scores, "sari", "human", ci_method="none").levels["global"].estimates["pearson"].value, 6)
    0.5
    """
    interval = _settings(ci_method, confidence, two_tailed, resamples, seed)
    if not levels or any(level not in LEVELS for level in levels):
        raise InputError(f"'levels' must be some of {', '.join(LEVELS)}, got {list(levels)!r}")
    matrix = score_matrix(rows, metric1, metric2, summarizer_type, hints)
    wanted = [level for level in LEVELS if level in levels]
    groups = input_level(matrix.x, matrix.z)
    return Correlation(
        metric1=metric1,
        metric2=metric2,
        summarizer_type=summarizer_type,
        interval=interval,
        levels=level_results(matrix, groups, interval, wanted),
        dropped=matrix.dropped,
        matrix=matrix,
        input_coefficients={name: one.tolist() for name, one in groups.coefficients.items()}
        if "input" in wanted
        else {},
        signatures=_of_metrics(signatures or {}, (metric1, metric2)),
        orientation=_orientation((metric1, metric2), directions or {}),
        notes=_notes(matrix),
        warnings=[*_left_out(matrix, (metric1, metric2)), *_warnings(matrix, groups, interval, wanted)],
        missing_judgements=matrix.missing_judgements,
    )


def _settings(method: str, confidence: float, two_tailed: bool, resamples: int, seed: int) -> IntervalSettings:
    if method not in INTERVAL_METHODS:
        raise InputError(f"'ci_method' must be one of {', '.join(INTERVAL_METHODS)}, got '{method}'")
    if not 1 < confidence < 100:
        advice = f"; did you mean {100 * confidence:g}?" if 0 < confidence < 1 else ""
        raise InputError(f"'confidence' must be in percent, above 1 and below 100, got {confidence:g}{advice}")
    if resamples < 1 or seed < 0:
        raise InputError(f"'resamples' must be at least 1 and 'seed' at least 0, got {resamples} and {seed}")
    return IntervalSettings(INTERVAL_METHODS[method], float(confidence), two_tailed, resamples, seed)


def level_results(
    matrix: ScoreMatrix,
    groups: InputLevel,
    interval: IntervalSettings,
    levels: Sequence[str],
    draws: Iterable[Resample] | None = None,
) -> dict[str, LevelResult]:
    """Computes the coefficients and intervals of the levels asked for.

    Args:
        matrix: The scores.
        groups: The correlations at every input.
        interval: Which intervals.
        levels: Which levels.
        draws: The resamples of a bootstrap; drawn from the seed if not given.
    """
    samples: dict[tuple[str, str], Floats] = {}
    if interval.is_bootstrap:
        shape = (len(matrix.systems), len(matrix.inputs))
        drawn = draw_resamples(interval.method, shape, interval.resamples, interval.seed) if draws is None else draws
        samples = bootstrap(matrix.x, matrix.z, drawn, levels)
    results = {}
    for level in levels:
        estimates = {}
        for name in COEFFICIENTS:
            value, p_value = _value(matrix, groups, level, name)
            n = matrix.num_cells if level == "global" else len(matrix.systems)
            estimates[name] = _estimate(name, value, p_value, n, interval, samples.get((level, name)))
        results[level] = _level_result(matrix, groups, level, estimates)
    return results


def _value(matrix: ScoreMatrix, groups: InputLevel, level: str, name: str) -> tuple[float, float | None]:
    if level == "input":
        return groups.mean(name), None
    if level == "system":
        return system_level(*matrix.system_means(), name)
    return global_level(matrix.x, matrix.z, name)


def _estimate(
    name: str, value: float, p_value: float | None, n: int, interval: IntervalSettings, samples: Floats | None
) -> Estimate:
    ends = None
    undefined = None
    if interval.method == "fisher":
        ends = fisher(name, value, n, interval.tail)
    elif samples is not None:
        ends = percentile_interval(samples, interval.tail)
        undefined = int(np.isnan(samples).sum())
    lower, upper = ends or (None, None)
    return Estimate(value, p_value, lower, upper, undefined)


def _level_result(
    matrix: ScoreMatrix, groups: InputLevel, level: str, estimates: Mapping[str, Estimate]
) -> LevelResult:
    details: dict[str, Any] = {}
    if level == "input":
        size = {"num_summary_groups": groups.used}
        details["num_groups_one_system"] = groups.one_system
        details["num_groups_constant"] = groups.constant
        details["group_sizes"] = {str(size): count for size, count in groups.sizes.items()}
        tied = ties_of_columns(matrix.x, matrix.z)
    elif level == "system":
        size = {"num_summarizers": len(matrix.systems), "num_instances": len(matrix.inputs)}
        tied = ties(*map(tie_classes, matrix.system_means()))
    else:
        size = {"num_summaries": matrix.num_cells}
        present = ~np.isnan(matrix.x)
        tied = ties(matrix.x[present], matrix.z[present])
    return LevelResult(level, size, estimates, tied, details)


def _of_metrics(signatures: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Keeps the signatures of the metrics correlated: of the metric itself, or of the one whose part it is."""
    kept = {}
    for name in names:
        owners = [owner for owner in signatures if name == owner or name.startswith(f"{owner}_")]
        if owners:
            owner = max(owners, key=len)
            kept[owner] = signatures[owner]
    return kept


def _orientation(names: Sequence[str], directions: Mapping[str, bool]) -> str:
    told = [f"{name}: {'higher' if directions[name] else 'lower'} is better" for name in names if name in directions]
    return "; ".join(["signed as computed, no score was negated", *told])


def _notes(matrix: ScoreMatrix) -> list[str]:
    return [
        f"some outputs left out have '{other}' instead of '{name}'; to keep them, ask for '{other}'"
        for name, other in matrix.jackknifed_names.items()
    ]


def _left_out(matrix: ScoreMatrix, names: Sequence[str]) -> list[str]:
    """Says which outputs were left out for lack of a score, with one of each kind."""
    lacks = {"metric1_missing": names[0], "metric2_missing": names[1], "both_missing": " and ".join(names)}
    parts = []
    for cause, missing in lacks.items():
        if matrix.dropped[cause]:
            instance, summarizer = matrix.examples[cause]
            count = counted(matrix.dropped[cause], "output")
            parts.append(f"{count} without {missing} (one is '{summarizer}' on '{instance}')")
    warnings = [f"left out: {'; '.join(parts)}"] if parts else []
    if matrix.missing_judgements:
        count = counted(matrix.missing_judgements, "number")
        warnings.append(f"{count} missing in lists of judgements; the means are over the others")
    return warnings


def _warnings(matrix: ScoreMatrix, groups: InputLevel, interval: IntervalSettings, levels: Sequence[str]) -> list[str]:
    warnings = []
    systems = len(matrix.systems)
    if "systems" in RESAMPLED.get(interval.method, "") and systems < FEWEST_SYSTEMS:
        warnings.append(
            f"the bootstrap draws from {counted(systems, 'system')} only; with fewer than {FEWEST_SYSTEMS} "
            "its intervals are rough"
        )
    of_two = groups.sizes.get(2, 0)
    if "input" in levels and 2 * of_two > groups.used:
        warnings.append(
            f"at the input level {of_two} of {counted(groups.used, 'input')} have two systems only, "
            "where every coefficient is +1 or -1"
        )
    if "system" in levels and systems == 2:
        warnings.append("at the system level there are two systems only, where every coefficient is +1 or -1")
    return warnings
