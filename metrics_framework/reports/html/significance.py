"""Intervals of the scores of systems, and p-values of their differences to one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from metrics_framework.reports.html.model import Cell, System
from metrics_framework.reports.html.scoring import Scores, numbered
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
    """Computes intervals, p-values and the differences that they are of.

    Args:
        scores: The scores.
        systems: The systems and baselines.
        ids: The instance id of each sentence.
        compared_with: The system that the others are compared with.
        resampling: How to resample; `None` for nothing to be computed.

    Returns:
        System to score name to a cell without its value; and score name to the most resamples of a system in which it
        is not defined.
    """
    cells: dict[str, dict[str, Cell]] = {system.name: {} for system in systems}
    undefined: dict[str, int] = {}
    if resampling is None:
        return cells, undefined
    for one in scores:
        outputs = {system.name: one.outputs(system.name, ids) for system in systems}
        there = {name: found for name, found in outputs.items() if found is not None}
        for name, of_scores in zip(there, bootstrap_intervals(list(there.values()), resampling), strict=True):
            for score, interval in _flat(one, of_scores).items():
                cells[name][score] = Cell(None, _defined(interval.low), _defined(interval.high))
                undefined[score] = max(interval.undefined, undefined.get(score, 0))
        compared = _compared(there, compared_with, resampling)
        for name, found in compared.items():
            _add_differences(cells[name], _flat(one, found.differences), found.inputs)
        for kind in ("system", "baseline"):
            family = [system.name for system in systems if system.kind == kind and system.name in compared]
            _add_p_values(cells, {name: _flat(one, compared[name].p_values) for name in family})
    return cells, undefined


def _add_differences(cells: dict[str, Cell], differences: Mapping[str, float], compared: int) -> None:
    """Puts in the differences that are tested, and on how many sentences."""
    for score, difference in differences.items():
        cells[score] = replace(cells[score], difference=_defined(difference), compared=compared)


def _add_p_values(cells: Mapping[str, dict[str, Cell]], tested: Mapping[str, Mapping[str, float]]) -> None:
    """Puts in p-values, plain and adjusted for as many comparisons of a score as there are."""
    for score in {score for of_system in tested.values() for score in of_system}:
        found = {name: of_system[score] for name, of_system in tested.items() if score in of_system}
        for (name, p), adjusted in zip(found.items(), holm(list(found.values())), strict=True):
            cells[name][score] = replace(cells[name][score], p=_defined(p), p_holm=_defined(adjusted))


def _flat(scores: Scores, results: Mapping[str, Any]) -> dict[str, Any]:
    """Names what was found of each score as the report does: the numbers of a list have a name each."""
    return {flat: one for name, value in results.items() for flat, one in numbered(scores.renamed(name), value)}


def _compared(outputs: Mapping[str, ScoreVectors], first: str, resampling: Resampling) -> dict[str, Comparison]:
    """Compares each system with the first, on the sentences that both have."""
    if first not in outputs:
        return {}
    known = set(outputs[first].inputs)
    others = [system for system, one in outputs.items() if system != first and known & set(one.inputs)]
    compared = paired_p_values([(outputs[first], outputs[system]) for system in others], resampling=resampling)
    return dict(zip(others, compared, strict=True))


def _defined(number: float | None) -> float | None:
    return None if number is None or not math.isfinite(number) else number
