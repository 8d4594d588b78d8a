"""Confidence intervals of system scores, and p-values of their differences from the score of one system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from metrics_framework.reports.html.collected_scores import Scores, finite, numbered
from metrics_framework.reports.html.model import Cell, System
from metrics_framework.significance.bootstrap import bootstrap_intervals
from metrics_framework.significance.multiple_testing import holm
from metrics_framework.significance.paired_tests import Comparison, paired_p_values
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors


def cells_of(
    scores: Sequence[Scores],
    systems: Sequence[System],
    ids: Sequence[str],
    compared_with: str,
    resampling: Resampling | None,
) -> tuple[dict[str, dict[str, Cell]], dict[str, int]]:
    """Computes intervals, p-values and the tested differences.

    Args:
        scores: The scores.
        systems: The systems and baselines.
        ids: The instance id of each sentence.
        compared_with: The system to compare the other systems with.
        resampling: How to resample; `None` to compute nothing.

    Returns:
        System to score name to a cell without its value; and score name to the largest number of resamples of a system
        in which it is undefined.
    """
    cells: dict[str, dict[str, Cell]] = {system.name: {} for system in systems}
    undefined: dict[str, int] = {}
    if resampling is None:
        return cells, undefined
    for metric in scores:
        outputs = {system.name: metric.outputs(system.name, ids) for system in systems}
        present = {name: vectors for name, vectors in outputs.items() if vectors is not None}
        for name, of_scores in zip(present, bootstrap_intervals(list(present.values()), resampling), strict=True):
            for score, interval in _flat(metric, of_scores).items():
                cells[name][score] = Cell(None, finite(interval.low), finite(interval.high))
                undefined[score] = max(interval.undefined, undefined.get(score, 0))
        compared = _compared(present, compared_with, resampling)
        for name, comparison in compared.items():
            inputs = _flat(metric, _inputs_of(comparison))
            for score, difference in _flat(metric, comparison.differences).items():
                cell = cells[name][score]
                cells[name][score] = replace(cell, difference=finite(difference), compared=inputs[score])
        for kind in ("system", "baseline"):
            family = [system.name for system in systems if system.kind == kind and system.name in compared]
            _add_p_values(cells, {name: _flat(metric, compared[name].p_values) for name in family})
    return cells, undefined


def _add_p_values(cells: Mapping[str, dict[str, Cell]], tested: Mapping[str, Mapping[str, float]]) -> None:
    """Adds p-values, without and with Holm's correction for the number of comparisons of a score."""
    for score in {score for of_system in tested.values() for score in of_system}:
        p_values = {name: of_system[score] for name, of_system in tested.items() if score in of_system}
        for (name, p), adjusted in zip(p_values.items(), holm(list(p_values.values())), strict=True):
            cells[name][score] = replace(cells[name][score], p=finite(p), p_holm=finite(adjusted))


def _inputs_of(comparison: Comparison) -> dict[str, int | list[int]]:
    """Returns the number of inputs on which each score was compared, for each number of a list-valued score."""
    counts = {
        name: comparison.scored[name].inputs if name in comparison.scored else comparison.inputs
        for name in comparison.differences
    }
    return {
        name: [counts[name]] * len(value) if isinstance(value, list) else counts[name]
        for name, value in comparison.differences.items()
    }


def _flat(scores: Scores, results: Mapping[str, Any]) -> dict[str, Any]:
    """Renames results by score to the flat names of the report."""
    return {flat: number for name, value in results.items() for flat, number in numbered(scores.renamed(name), value)}


def _compared(outputs: Mapping[str, ScoreVectors], first: str, resampling: Resampling) -> dict[str, Comparison]:
    """Compares each system with the first system, on the sentences that both have."""
    if first not in outputs:
        return {}
    known = set(outputs[first].inputs)
    others = [system for system, vectors in outputs.items() if system != first and known & set(vectors.inputs)]
    compared = paired_p_values([(outputs[first], outputs[system]) for system in others], resampling=resampling)
    return dict(zip(others, compared, strict=True))
