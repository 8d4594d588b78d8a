"""The notes below tables of correlations: what was correlated, what was left out, and how intervals were computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlation.result import AVERAGED, Correlation, LevelResult
from metrics_framework.meta_evaluation.correlation.settings import NONE, IntervalSettings

Lines: TypeAlias = "list[str]"

RESAMPLED = {"both": "systems and inputs", "inputs": "inputs", "systems": "systems"}
"""The end of the name of a bootstrap to what it resamples."""


def correlation_notes(results: Sequence[Correlation]) -> Lines:
    """Returns the notes on correlations, one per line; notes on one of several start with its name."""
    named = zip(results, names_among(results), strict=True)
    return [*dict.fromkeys(line for result, name in named for line in _notes(result, name))]


def names_among(results: Sequence[Correlation]) -> list[str]:
    """Returns for each correlation the name that tells it from the others: nothing if it is the only one.

    The name is that of the metric, with that of the rating if there are several.
    """
    if len(results) == 1:
        return [""]
    if len({result.metric2 for result in results}) == 1:
        return [result.metric1 for result in results]
    return [f"{result.metric1} against {result.metric2}" for result in results]


def _notes(result: Correlation, name: str) -> Lines:
    """Returns the notes on a correlation, one per line; with several correlations, each starts with its name."""
    groups = (line for level in AVERAGED if level in result.levels for line in _groups(result.levels[level]))
    lines = [outputs_of(result), *groups, *_ties(result)]
    if name:
        lines = [f"{name}: {line}" for line in lines]
    else:
        lines[0] = f"data: {lines[0]}"
    lines += _intervals(result)
    if undefined := _undefined(result):
        lines.append(undefined)
    lines.append(f"sign: {result.orientation}")
    for label, signature in result.signatures.items():
        is_name = signature.split("|")[0] == label
        lines.append(f"signature: {signature}" if is_name else f"signature {label}: {signature}")
    return lines


def outputs_of(result: Correlation) -> str:
    """Describes the outputs that a correlation is computed on, and those left out."""
    matrix = result.matrix
    causes = {
        "summarizer_type": f"not of type {result.summarizer_type}",
        "metric1_missing": f"{result.metric1} missing",
        "metric2_missing": f"{result.metric2} missing",
        "both_missing": "both missing",
    }
    dropped = [f"{count} {causes[cause]}" for cause, count in result.dropped.items() if count]
    whose = {"all": "peers and references", "peer": "peers", "reference": "references"}[result.summarizer_type]
    outputs, systems = counted(matrix.num_cells, "output"), counted(len(matrix.systems), "system")
    outputs = f"{outputs} of {systems} ({whose}) on {counted(len(matrix.inputs), 'input')}"
    return f"{outputs}; left out: {', '.join(dropped) or 'none'}"


def _groups(level: LevelResult) -> Lines:
    """Describes the groups averaged at a level, and those skipped."""
    group, member = ("input", "system") if level.level == "input" else ("system", "input")
    reasons = {
        f"num_groups_one_{member}": f"with one {member}",
        "num_groups_too_small": "with too few outputs",
        "num_groups_constant": "constant in a metric",
    }
    skipped = [f"{level.details[key]} {why}" for key, why in reasons.items() if level.details.get(key)]
    sizes = ", ".join(
        f"{count} of {counted(int(size), member)}" for size, count in level.details["group_sizes"].items()
    )
    used = f"{counted(level.points, group)} used{f' ({sizes})' if sizes else ''}"
    return [f"{level.level} level: {used}; skipped: {', '.join(skipped) or 'none'}"]


def _ties(result: Correlation) -> Lines:
    parts = []
    for level, level_result in result.levels.items():
        tied = level_result.ties["metric1"], level_result.ties["metric2"], level_result.ties["both"]
        if any(tied):
            parts.append(
                f"{level} {tied[0]} in {result.metric1}, {tied[1]} in {result.metric2}, {tied[2]} in both, "
                f"of {level_result.ties['pairs']} pairs"
            )
    return [f"ties: {'; '.join(parts) or 'none'} (τ-b corrects for them)"] if parts else ["ties: none"]


def _intervals(result: Correlation) -> Lines:
    """Describes the interval methods of all levels, and what Fisher's formula ignores at the input level."""
    methods: dict[str, list[str]] = {}
    for name, level in result.levels.items():
        for estimate in level.estimates.values():
            if name not in methods.setdefault(estimate.interval_method, []):
                methods[estimate.interval_method].append(name)
    if len(methods) == 1:
        lines = [f"intervals: {_interval(next(iter(methods)), result.interval)}"]
    else:
        lines = [
            f"intervals ({', '.join(levels)}): {_interval(method, result.interval)}"
            for method, levels in methods.items()
        ]
    if "input" in methods.get("fisher", []):
        systems = counted(len(result.matrix.systems), "system")
        lines.append(f"input-level intervals: for one input with {systems}, not for the mean over inputs")
    return lines


def _interval(method: str, settings: IntervalSettings) -> str:
    if method == NONE:
        return "none"
    level = f"{settings.confidence:g}% {'two-tailed' if settings.two_tailed else 'one-tailed'}"
    kind, _, resampled = method.partition("-")
    if kind == "fisher":
        return f"{level}, Fisher's transformation"
    if kind == "jackknife":
        return f"{level}, jackknife over {resampled} of the transformed coefficient"
    kind = "percentile bootstrap" if kind == "bootstrap" else "BCa bootstrap"
    return f"{level}, {kind} over {RESAMPLED[resampled]}, {settings.resamples} resamples, seed {settings.seed}"


def _undefined(result: Correlation) -> str:
    parts = [
        f"{estimate.undefined_resamples} at the {level} level"
        for level, level_result in result.levels.items()
        for name, estimate in level_result.estimates.items()
        if name == next(iter(level_result.estimates)) and estimate.undefined_resamples
    ]
    return f"undefined resamples, skipped: {', '.join(parts)}" if parts else ""
