"""What a reader of a report must know besides its numbers: what is missing, left out, or compared in part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metrics_framework.common.plurals import counted
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
    """Says what may make the numbers of a report misleading.

    Args:
        test_set: The outputs.
        columns: The scores.
        systems: The systems and baselines, filled in.
        compared_with: The system that the others are compared with; `None` where none are.
        undefined: Score name to the most resamples of a system in which it is not defined.
        resampling: How to resample; `None` where nothing is.
    """
    notes = [*_without_scores(columns, systems)]
    if resampling is not None:
        notes += [*_compared_in_part(test_set, compared_with), *_undefined(columns, undefined), *_single(systems)]
        if compared_with is not None:
            notes += _too_few_trials(columns, systems, resampling)
    return notes


def left_out(test_set: TestSet, systems: Sequence[System], rows: int) -> list[str]:
    """Says what a report has not.

    Args:
        test_set: The outputs.
        systems: The systems and baselines.
        rows: The number of rows of score files that belong to no output.
    """
    notes = [*_missing(test_set)]
    if test_set.others:
        notes.append(f"Left out: {counted(test_set.others, 'output')} of type 'reference'.")
    if rows:
        notes.append(f"Left out: {counted(rows, 'row')} of the score files, of outputs that are not here.")
    if sum(system.kind == "baseline" for system in systems) < 3:
        notes.append("There is no baseline of one reference: a sentence has fewer than two references.")
    return notes


def _missing(test_set: TestSet) -> Iterator[str]:
    size = len(test_set.sentences)
    counts = {name: size - outputs.count(None) for name, outputs in test_set.systems.items()}
    short = [f"{isolated(name)} {count}" for name, count in counts.items() if count < size]
    if short:
        yield (
            f"Systems with outputs for fewer than all {size} sentences, whose scores are over those: "
            f"{', '.join(short)}."
        )


def _without_scores(columns: Sequence[ScoreColumn], systems: Sequence[System]) -> Iterator[str]:
    outputs = sum(system.outputs for system in systems if system.kind == "system")
    told = []
    for column in columns:
        scored = sum(value is not None for system in systems for value in system.values.get(column.name, ()))
        if column.aggregate == "mean" and scored < outputs:
            told.append(f"{isolated(column.title)} {outputs - scored}")
    if told:
        yield f"Outputs without a score, left out of its mean, of {outputs} in all: {', '.join(told)}."


def _compared_in_part(test_set: TestSet, compared_with: str | None) -> Iterator[str]:
    if compared_with is None:
        return
    theirs = [one is not None for one in test_set.systems[compared_with]]
    told = []
    for name, outputs in test_set.systems.items():
        mine = [one is not None for one in outputs]
        if mine != theirs:
            both = sum(a and b for a, b in zip(mine, theirs, strict=True))
            told.append(f"{isolated(name)} {both}" if both else f"{isolated(name)} none, so that it is not compared")
    if told:
        first = isolated(compared_with)
        yield f"Systems are compared with {first} on the sentences that both have outputs for: {', '.join(told)}."


def _undefined(columns: Sequence[ScoreColumn], undefined: Mapping[str, int]) -> Iterator[str]:
    told = [f"{isolated(one.title)} {undefined[one.name]}" for one in columns if undefined.get(one.name)]
    if told:
        yield (
            f"Up to so many resamples of a system have no score, and intervals are over the others: {', '.join(told)}."
        )


def _too_few_trials(columns: Sequence[ScoreColumn], systems: Sequence[System], resampling: Resampling) -> Iterator[str]:
    """Says where no difference can be marked: systems and baselines are corrected for their own number each."""
    families: tuple[tuple[Kind, str], ...] = (("system", ""), ("baseline", "Baselines: "))
    for kind, whose in families:
        cells = [[one.scores[column.name] for one in systems if one.kind == kind] for column in columns]
        comparisons = max((sum(cell.p is not None for cell in several) for several in cells), default=0)
        told = resampling.too_few_for(comparisons)
        if told is not None:
            yield f"{whose}{told}."


def _single(systems: Sequence[System]) -> Iterator[str]:
    names = [isolated(system.name) for system in systems if system.kind == "system" and system.outputs == 1]
    if names:
        yield f"Systems with one output, of which neither intervals nor tests say anything: {', '.join(names)}."
