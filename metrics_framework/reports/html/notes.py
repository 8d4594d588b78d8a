"""The notes of a report: outputs that are missing, left out, or compared on some sentences only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metrics_framework.common.errors import counted
from metrics_framework.data.scored_counts import ScoredCount, unequal_shares
from metrics_framework.reports.html.model import Kind, ScoreColumn, System
from metrics_framework.reports.html.test_set import TestSet
from metrics_framework.reports.printable import isolated
from metrics_framework.significance.resampling import Resampling


def cautions(
    test_set: TestSet,
    columns: Sequence[ScoreColumn],
    systems: Sequence[System],
    compared_with: str | None,
    undefined: Mapping[str, int],
    resampling: Resampling | None,
) -> list[str]:
    """Returns warnings about possibly misleading numbers of a report.

    Args:
        test_set: The outputs.
        columns: The scores.
        systems: The systems and baselines, filled in.
        compared_with: The baseline of the tests; `None` without tests.
        undefined: Score name to the largest number of resamples of a system in which it is undefined.
        resampling: How to resample; `None` without intervals.
    """
    notes = [*_without_scores(columns, systems), *_unequal_shares(columns, systems)]
    if resampling is not None:
        notes += [
            *_compared_in_part(test_set, compared_with),
            *_compared_by_scores(columns, systems, test_set, compared_with),
        ]
        notes += [*_undefined(columns, undefined), *_single(systems)]
        too_short = resampling.too_short_for({one.name: one.outputs for one in systems if one.kind == "system"})
        notes += [] if too_short is None else [f"{too_short}."]
        if compared_with is not None:
            notes += _too_few_trials(columns, systems, resampling)
    return notes


def left_out(test_set: TestSet, rows: int) -> list[str]:
    """Returns notes on outputs that the report leaves out.

    Args:
        test_set: The outputs.
        rows: The number of rows of score files that belong to no output of the report.
    """
    notes = [*_missing(test_set)]
    if test_set.others:
        notes.append(f"Left out: {counted(test_set.others, 'output')} of type 'reference'.")
    if rows:
        notes.append(f"Left out: {counted(rows, 'row')} of the score files, whose outputs are not in this report.")
    return notes


def _missing(test_set: TestSet) -> Iterator[str]:
    size = len(test_set.sentences)
    counts = {name: size - outputs.count(None) for name, outputs in test_set.systems.items()}
    short = [f"{isolated(name)} {count}" for name, count in counts.items() if count < size]
    if short:
        yield (
            f"Systems with outputs for fewer than {counted(size, test_set.task.unit)}, scored on these "
            f"{test_set.task.unit}s only: {', '.join(short)}."
        )


def _without_scores(columns: Sequence[ScoreColumn], systems: Sequence[System]) -> Iterator[str]:
    outputs = sum(system.outputs for system in systems if system.kind == "system")
    parts = []
    for column in columns:
        scored = sum(value is not None for system in systems for value in system.values.get(column.name, ()))
        if column.aggregate == "mean" and scored < outputs:
            parts.append(f"{isolated(column.title)} {outputs - scored}")
    if parts:
        yield f"Outputs without a score (of {outputs}), excluded from its mean: {', '.join(parts)}."


def _unequal_shares(columns: Sequence[ScoreColumn], systems: Sequence[System]) -> Iterator[str]:
    named = [system for system in systems if system.kind == "system"]
    for column in columns:
        if any(column.name in system.scored for system in named):
            counts = {
                isolated(one.name): one.count(column.name) or ScoredCount(one.outputs, one.outputs) for one in named
            }
            if (warning := unequal_shares(isolated(column.title), counts)) is not None:
                yield f"{warning}."


def _compared_by_scores(
    columns: Sequence[ScoreColumn], systems: Sequence[System], test_set: TestSet, compared_with: str | None
) -> Iterator[str]:
    """Reports scores that are compared on fewer sentences than both systems have outputs for."""
    if compared_with is None:
        return
    first = test_set.systems[compared_with]
    for column in columns:
        parts = []
        for system in systems:
            compared = system.scores[column.name].compared
            if system.kind == "system" and compared is not None:
                both = sum(None not in pair for pair in zip(first, system.texts, strict=True))
                parts += [f"{isolated(system.name)} {compared} of {both}"] * (compared < both)
        if parts:
            yield (
                f"{isolated(column.title)} is compared with {isolated(compared_with)} on the {test_set.task.unit}s for "
                f"which both have a score: {', '.join(parts)}."
            )


def _compared_in_part(test_set: TestSet, compared_with: str | None) -> Iterator[str]:
    if compared_with is None:
        return
    has_baseline = [output is not None for output in test_set.systems[compared_with]]
    parts = []
    for name, outputs in test_set.systems.items():
        has_output = [output is not None for output in outputs]
        if has_output != has_baseline:
            both = sum(one and other for one, other in zip(has_output, has_baseline, strict=True))
            parts.append(f"{isolated(name)} {both}" if both else f"{isolated(name)} none (not compared)")
    if parts:
        first = isolated(compared_with)
        units = f"{test_set.task.unit}s"
        yield f"Systems are compared with {first} on the {units} that both have outputs for: {', '.join(parts)}."


def _undefined(columns: Sequence[ScoreColumn], undefined: Mapping[str, int]) -> Iterator[str]:
    parts = [f"{isolated(column.title)} {undefined[column.name]}" for column in columns if undefined.get(column.name)]
    if parts:
        yield f"Largest number of resamples with an undefined score, excluded from the intervals: {', '.join(parts)}."


def _too_few_trials(columns: Sequence[ScoreColumn], systems: Sequence[System], resampling: Resampling) -> Iterator[str]:
    """Reports tests that cannot be significant; p-values of systems and of baselines are corrected separately."""
    families: tuple[tuple[Kind, str], ...] = (("system", ""), ("baseline", "Baselines: "))
    for kind, whose in families:
        cells = [[system.scores[column.name] for system in systems if system.kind == kind] for column in columns]
        comparisons = max((sum(cell.p is not None for cell in row) for row in cells), default=0)
        inputs = max((cell.compared or 1 for row in cells for cell in row), default=1)
        too_few = resampling.too_few_for(comparisons, inputs)
        if too_few is not None:
            yield f"{whose}{too_few}."


def _single(systems: Sequence[System]) -> Iterator[str]:
    names = [isolated(system.name) for system in systems if system.kind == "system" and system.outputs == 1]
    if names:
        yield f"Systems with one output, whose intervals and tests are meaningless: {', '.join(names)}."
