"""Divides a pair of systems by the inputs for which both have a score: each score is tested on its own (decision 0070).

A metric may have no score for an output, such as a language model that refuses to judge it, and the scores of a metric
may be undefined for different outputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from metrics_framework.significance.pair_groups import SystemPair
from metrics_framework.significance.score_vectors import ScoreVectors


class ScoredInputs(NamedTuple):
    """The inputs of a test.

    Attributes:
        inputs: The number of inputs for which both systems have the score.
        trials: The number of trials or resamples; 0 without inputs.
        exact: Whether the trials represent all possible swaps, so that the p-value is exact and needs no seed.
    """

    inputs: int
    trials: int
    exact: bool


class ScoredPart(NamedTuple):
    """Some scores of a pair of systems, on the inputs for which both systems have all of them.

    Attributes:
        pair: The systems; `None` without any such input.
        shapes: The flat name of each score to the number of its numbers, `None` if it is not a list.
        is_whole: Whether these are all inputs for which both systems have outputs.
    """

    pair: SystemPair | None
    shapes: Mapping[str, int | None]
    is_whole: bool


def scored_parts(pair: SystemPair) -> list[ScoredPart]:
    """Divides a pair into groups of scores that both systems have for the same inputs.

    Scores that are computed from summed statistics, and scores that are defined for all outputs, are not divided.

    Args:
        pair: The systems, scored by the same metric.

    Returns:
        The parts. A pair without undefined scores is one part, and the objects of the pair.
    """
    masks = [{name: system.has_score(name) for name in system.shapes} for system in pair]
    if all(mask.all() for masks_of_system in masks for mask in masks_of_system.values()):
        return [ScoredPart(pair, {}, is_whole=True)]
    inputs = common_inputs(pair)
    if not inputs:
        return [ScoredPart(pair, {}, is_whole=True)]
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in pair[0].shapes:
        scored = [_scored(system, masks_of[name]) for system, masks_of in zip(pair, masks, strict=True)]
        both = scored[0] & scored[1]
        groups.setdefault(tuple(one for one in inputs if one in both), []).append(name)
    return [_part(pair, names, kept, len(kept) == len(inputs)) for kept, names in groups.items()]


def common_inputs(pair: SystemPair) -> list[str]:
    """Returns the inputs for which both systems have outputs, in the order of the first."""
    known = set(pair[1].inputs)
    return [name for name in pair[0].inputs if name in known]


def _scored(system: ScoreVectors, mask: Iterable[bool]) -> set[str]:
    return {name for name, has_score in zip(system.inputs, mask, strict=True) if has_score}


def _part(pair: SystemPair, names: Sequence[str], inputs: Sequence[str], is_whole: bool) -> ScoredPart:
    shapes = {name: math.prod(shape) if shape else None for name, shape in pair[0].shapes.items() if name in names}
    first, second = pair
    restricted = (first.only_means(names, inputs), second.only_means(names, inputs)) if inputs else None
    return ScoredPart(restricted, shapes, is_whole)
