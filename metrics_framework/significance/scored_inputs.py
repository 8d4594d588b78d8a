"""Divides a pair of systems by the inputs for which both have a score: each score is tested on its own (decision 0070).

A metric may have no score for an output, such as a language model that refuses to judge it, and the scores of a metric
may be undefined for different outputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from metrics_framework.common.errors import InputError
from metrics_framework.significance.score_vectors import ScoreVectors, check_meaning

SystemPair: TypeAlias = "tuple[ScoreVectors, ScoreVectors]"


@dataclass
class PairGroup:
    """Pairs of systems that are compared on equally many inputs or clusters.

    Attributes:
        num_units: The number of inputs or clusters of inputs that are drawn or swapped.
        systems: The outputs of each system for the common inputs of a pair, with one vector per unit.
        pairs: The indices of the two systems of each pair in ``systems``.
        inputs: The number of common inputs of each pair.
        indices: The index of each pair in the list that was grouped.
    """

    num_units: int
    systems: list[ScoreVectors] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)


def grouped_pairs(pairs: Sequence[SystemPair], clusters: Mapping[str, str] | None = None) -> list[PairGroup]:
    """Groups pairs of systems by the number of their common inputs, or of the clusters of these.

    Args:
        pairs: The pairs; both systems of a pair are scored by the same metric.
        clusters: Input to its cluster; `None` for no clusters.

    Raises:
        InputError: if two systems share no input or were scored by different metrics.
    """
    groups: dict[int, PairGroup] = {}
    common = _CommonInputs()
    restricted: dict[tuple[int, int], tuple[ScoreVectors, int]] = {}  # with the index in the group
    for index, pair in enumerate(pairs):
        check_meaning(pair)
        inputs = common.of(*pair)
        members = []
        for system in pair:
            key = id(system), id(inputs)
            if key not in restricted:
                on_inputs = system if len(system.inputs) == len(inputs) else system.only(inputs)
                units = on_inputs.clustered(clusters)
                group = groups.setdefault(len(units.inputs), PairGroup(len(units.inputs)))
                restricted[key] = units, len(group.systems)
                group.systems.append(units)
            units, member = restricted[key]
            members.append(member)
        group = groups[len(units.inputs)]
        group.pairs.append((members[0], members[1]))
        group.inputs.append(len(inputs))
        group.indices.append(index)
    return list(groups.values())


class _CommonInputs:
    """Finds the inputs that two systems share; equal lists of inputs yield the same object."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._of_system: dict[int, tuple[str, ...]] = {}
        self._of_pair: dict[tuple[int, int], tuple[str, ...]] = {}

    def of(self, first: ScoreVectors, second: ScoreVectors) -> tuple[str, ...]:
        """Returns the common inputs, in the order of the first system.

        Raises:
            InputError: if there are none.
        """
        one, other = self._of(first), self._of(second)
        if one is other:
            return one
        key = id(one), id(other)
        if key not in self._of_pair:
            known = set(other)
            common = tuple(name for name in one if name in known)
            if not common:
                raise InputError("cannot compare two systems that share no input: a paired test needs outputs of both")
            self._of_pair[key] = self._known.setdefault(common, common)
        return self._of_pair[key]

    def _of(self, system: ScoreVectors) -> tuple[str, ...]:
        if id(system) not in self._of_system:
            inputs = tuple(system.inputs)
            self._of_system[id(system)] = self._known.setdefault(inputs, inputs)
        return self._of_system[id(system)]


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
