"""Ranks of systems, and clusters of systems that do not differ significantly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Rank(NamedTuple):
    """The rank of a system among all systems.

    Attributes:
        cluster: The number of its cluster, from 1 for the best.
        best: The best rank it may have: 1 plus the number of systems that are significantly better.
        worst: The worst rank it may have: the number of systems minus those that are significantly worse.
    """

    cluster: int
    best: int
    worst: int


def ranked(beats: Sequence[Sequence[bool]]) -> list[Rank]:
    """Ranks systems by which of them are significantly better than which.

    A system starts a new cluster if any system of the current cluster is significantly better. Significance is not
    transitive: a system may share a cluster with a system that is better than one of its members, and systems of
    different clusters need not differ.

    Args:
        beats: Shape (systems, systems), the system with the best score first: whether the system of a row is
            significantly better than that of a column.

    >>> [rank.cluster for rank in ranked([[False, False, True], [False, False, False], [False, False, False]])]
    [1, 1, 2]
    """
    clusters: list[list[int]] = []
    for system in range(len(beats)):
        if not clusters or any(beats[member][system] for member in clusters[-1]):
            clusters.append([])
        clusters[-1].append(system)
    numbers = {system: number for number, members in enumerate(clusters, 1) for system in members}
    return [
        Rank(numbers[system], 1 + sum(row[system] for row in beats), len(beats) - sum(beats[system]))
        for system in range(len(beats))
    ]
