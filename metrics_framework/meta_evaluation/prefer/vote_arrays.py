"""Votes between the outputs of two systems, as arrays, and the graph of wins: whether votes determine strengths."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError, printable
from metrics_framework.data.texts import is_list, shown
from metrics_framework.meta_evaluation.prefer.votes import OUTCOMES, SIDES

_MAX_NAMES = 6


@dataclass(frozen=True, eq=False)
class VoteArrays:
    """Votes in canonical order, so that sums do not depend on the order of rows.

    Args:
        systems: The names of the systems, sorted.
        first: The index of the first system of each vote, shape (votes,); always below that of the second.
        second: The index of the second system.
        outcomes: What the first system scores: 1 for a win, ½ for a tie, 0 for a loss.
        covariates: The standardized covariates, shape (votes, covariates), from the side of the first system.
        covariate_names: The names of the covariates.
        clusters: The cluster of each vote, numbered from 0; `None` if each vote is one.
    """

    systems: tuple[str, ...]
    first: Indices
    second: Indices
    outcomes: Floats
    covariates: Floats
    covariate_names: tuple[str, ...] = ()
    clusters: Indices | None = None

    @property
    def cluster_count(self) -> int:
        """The number of clusters; the number of votes without clusters."""
        if self.clusters is None:
            return len(self.outcomes)
        return int(self.clusters.max()) + 1 if len(self.clusters) else 0


def vote_arrays(
    votes: Iterable[tuple[str, str, str]],
    covariates: Mapping[str, Any] | Sequence[Any] | Floats | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> VoteArrays:
    """Checks votes and returns them as arrays.

    Args:
        votes: The two systems, and the winner: ``a``, ``b`` or ``tie``.
        covariates: See `bradley_terry`.
        clusters: The cluster of each vote, such as its input.

    Raises:
        InputError: if a vote is invalid, or the other arguments do not have one entry for each vote.
    """
    rows = list(votes)
    for index, row in enumerate(rows):
        if not (isinstance(row, (tuple, list)) or is_list(row)) or len(row) != 3:
            raise InputError(f"'votes[{index}]' must be two systems and a winner, got {shown(row)}")
    first_names, second_names, words = zip(*rows, strict=True) if rows else ((), (), ())
    systems = tuple(sorted({str(name) for name in {*first_names, *second_names}}))
    numbers = {name: number for number, name in enumerate(systems)}
    first, second = (_numbered(names, numbers) for names in (first_names, second_names))
    if (first == second).any():
        index = int(np.argmax(first == second))
        raise InputError(f"'votes[{index}]' must be between two systems, got '{first_names[index]}' twice")
    names, columns = _columns(covariates, len(rows))
    outcomes = _outcomes(words)
    return in_canonical_order(VoteArrays(systems, first, second, outcomes, columns, names, _codes(clusters, len(rows))))


def _numbered(names: Sequence[object], numbers: Mapping[str, int]) -> Indices:
    return np.fromiter((numbers[str(name)] for name in names), dtype=np.intp, count=len(names))


def _outcomes(words: Sequence[Any]) -> Floats:
    known = {word: OUTCOMES[side] for word, side in SIDES.items()}
    try:
        return np.fromiter(map(known.__getitem__, words), dtype=np.float64, count=len(words))
    except (KeyError, TypeError):
        index, word = next((i, word) for i, word in enumerate(words) if not isinstance(word, str) or word not in known)
        message = f"the winner of 'votes[{index}]' must be 'a', 'b' or 'tie', got {shown(word)}"
        raise InputError(message) from None


def _codes(clusters: Sequence[Hashable] | None, count: int) -> Indices | None:
    """Numbers clusters in the order of their names."""
    if clusters is None:
        return None
    labels = list(clusters)
    if len(labels) != count:
        raise InputError(f"'clusters' must have one label for each of the {count} votes, got {len(labels)}")
    numbers = {label: number for number, label in enumerate(sorted(set(labels), key=lambda label: repr(label)))}
    return np.array([numbers[label] for label in labels], dtype=np.intp)


def in_canonical_order(votes: VoteArrays) -> VoteArrays:
    """Swaps votes so that the first system has the lower index, and sorts them."""
    swapped = votes.first > votes.second
    first, second = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    outcomes = np.where(swapped, 1 - votes.outcomes, votes.outcomes)
    covariates = np.where(swapped[:, None], -votes.covariates, votes.covariates)
    keys = [*covariates.T, outcomes, second, first]
    if votes.clusters is not None:
        keys.append(votes.clusters)
    order = np.lexsort(keys)
    return replace(
        votes,
        first=first[order],
        second=second[order],
        outcomes=outcomes[order],
        covariates=covariates[order],
        clusters=None if votes.clusters is None else votes.clusters[order],
    )


def _columns(covariates: Any, count: int) -> tuple[tuple[str, ...], Floats]:
    """Returns the names of the covariates, and their standardized differences, shape (votes, covariates)."""
    if covariates is None:
        return (), np.empty((count, 0))
    if not isinstance(covariates, Mapping):
        values = np.asarray(covariates, dtype=np.float64)
        columns = values[:, None] if values.ndim == 1 else values
        if columns.ndim != 2 or len(columns) != count:
            raise InputError(f"'covariates' must have shape ({count},) or ({count}, covariates), got {values.shape}")
        covariates = {f"covariate {number}": column for number, column in enumerate(columns.T, 1)}
    names = tuple(map(str, covariates))
    standardized = [_standardized(name, values, count) for name, values in covariates.items()]
    return names, np.column_stack(standardized) if names else np.empty((count, 0))


def _standardized(name: str, values: Any, count: int) -> Floats:
    """Divides differences by their standard deviation over the votes; the mean is not subtracted."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape == (count, 2):
        numbers = relative_difference(numbers[:, 0], numbers[:, 1], name)
    if numbers.shape != (count,):
        raise InputError(f"covariate '{name}' must have shape ({count},) or ({count}, 2), got {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise InputError(f"covariate '{name}' must be finite; vote {int(np.argmin(np.isfinite(numbers)))} is not")
    deviation = float(np.sqrt(np.mean((numbers - numbers.mean()) ** 2)))
    if not deviation > 1e-12 * float(np.abs(numbers).max(initial=0)):
        raise InputError(f"covariate '{name}' is constant over all votes, so its effect cannot be estimated")
    return numbers / deviation


def relative_difference(first: Floats, second: Floats, name: str) -> Floats:
    """Computes (a − b) / (a + b) of two non-negative columns; 0 where both are 0.

    Raises:
        InputError: if a value is negative or not finite.
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all() and (first >= 0).all() and (second >= 0).all()):
        raise InputError(f"covariate '{name}' must have values that are not negative, for both systems of each vote")
    total = first + second
    return np.divide(first - second, total, out=np.zeros_like(total), where=total > 0)


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
