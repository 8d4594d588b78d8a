"""The graph of wins: whether the votes determine the strengths."""

from __future__ import annotations

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError, printable
from metrics_framework.meta_evaluation.prefer.vote_arrays import VoteArrays

_MAX_NAMES = 6


class UndeterminedError(InputError):
    """The votes do not determine the strengths."""


def win_matrix(votes: VoteArrays) -> Floats:
    """Counts the wins of each system (row) over each other system (column); a tie is half a win for both."""
    size = len(votes.systems)
    won = np.bincount(votes.first * size + votes.second, weights=votes.outcomes, minlength=size * size)
    lost = np.bincount(votes.second * size + votes.first, weights=1 - votes.outcomes, minlength=size * size)
    return np.asarray(won + lost, dtype=np.float64).reshape(size, size)


def groups(wins: Floats) -> list[list[int]]:
    """Returns the strongly connected groups of systems, those with more wins than losses first.

    Within a group, every system has won against every other one, directly or through others.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(csr_matrix(wins > 0), directed=True, connection="strong")
    members: dict[int, list[int]] = {}
    for system, label in enumerate(labels):
        members.setdefault(int(label), []).append(system)
    balance = wins.sum(axis=1) - wins.sum(axis=0)
    return sorted(members.values(), key=lambda part: (-float(balance[part].mean()), part[0]))


def check_connected(votes: VoteArrays) -> None:
    """Checks that the maximum likelihood exists.

    Raises:
        UndeterminedError: if it does not, naming the groups of systems and what separates them.
    """
    if len(votes.systems) < 2:
        raise UndeterminedError(f"votes between at least two systems are needed, got {len(votes.systems)} systems")
    wins = win_matrix(votes)
    parts = groups(wins)
    if len(parts) == 1:
        return
    described = " | ".join(_described(part, votes) for part in parts)
    raise UndeterminedError(
        f"the votes do not determine the strengths: {_reason(wins, parts, votes)}",
        f"groups within which they are determined: {described}",
        "rank each group on its own, add votes between the groups, or use a ridge",
    )


def _reason(wins: Floats, parts: list[list[int]], votes: VoteArrays) -> str:
    for part in parts:
        rest = [system for other in parts if other is not part for system in other]
        won, lost = wins[np.ix_(part, rest)].sum() > 0, wins[np.ix_(rest, part)].sum() > 0
        if won != lost:
            return f"{_described(part, votes)} {'never lost to' if won else 'never won against'} any other system"
        if not won:
            return f"there are no votes between {_described(part, votes)} and the other systems"
    return "there is no chain of wins from every system to every other one"


def _described(part: list[int], votes: VoteArrays) -> str:
    names = [printable(votes.systems[system]) for system in part]
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more
