"""Pairs of systems, grouped so that each group shares its draws, and each system is resampled once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

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
