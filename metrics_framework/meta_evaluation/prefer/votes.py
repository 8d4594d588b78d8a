"""`Vote`: one row of a table of votes; the words for its winner; wins, ties and losses of systems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError
from metrics_framework.data.texts import shown
from metrics_framework.significance.proportions import Proportion, wilson

SIDES = {
    "a": "a",
    "model_a": "a",
    "system_a": "a",
    "b": "b",
    "model_b": "b",
    "system_b": "b",
    "tie": "tie",
    "tie (bothbad)": "tie",
}
"""The words for the winner, and the side that they mean."""
OUTCOMES = {"a": 1.0, "b": 0.0, "tie": 0.5}
"""What the first system of a vote scores."""


class Vote(NamedTuple):
    """A vote between the outputs of two systems for one input.

    Attributes:
        first: The system whose output was shown first.
        second: The system whose output was shown second.
        winner: ``a`` (the first), ``b`` (the second) or ``tie``.
        input: The input; `None` if the table does not name inputs.
        rater: The person or judge; `None` if the table does not name raters.
        values: Further columns.
    """

    first: str
    second: str
    winner: str
    input: str | None = None
    rater: str | None = None
    values: Mapping[str, Any] = {}

    @property
    def pair(self) -> tuple[str, str]:
        """The two systems, sorted."""
        return (self.first, self.second) if self.first < self.second else (self.second, self.first)

    @property
    def verdict(self) -> str:
        """The name of the winning system, or an empty string for a tie."""
        return {"a": self.first, "b": self.second, "tie": ""}[self.winner]


def side_of(word: Any, first: str, second: str) -> str:
    """Returns the side that a word for the winner means: ``a``, ``b`` or ``tie``.

    Args:
        word: A key of `SIDES` in any case, or the name of a system.
        first: The system whose output was shown first.
        second: The system whose output was shown second.

    Raises:
        DataError: if the word is neither, or may mean either system.

    >>> side_of("model_b", "x", "y"), side_of("x", "x", "y"), side_of("Tie", "x", "y")
    ('b', 'a', 'tie')
    """
    text = str(word).strip()
    by_name = {first: "a", second: "b"}.get(text)
    side = SIDES.get(text.lower())
    if by_name is None and side is None:
        raise DataError(f"the winner must be 'a', 'b', 'tie' or the name of one of both systems, got {shown(word)}")
    if by_name is not None and side is not None and by_name != side:
        raise DataError(
            f"the winner '{text}' may be the system of that name, or the other side: write model_a or model_b"
        )
    return by_name or side or "tie"


@dataclass
class Record:
    """What a system won.

    Args:
        wins: The number of votes that it won.
        ties: The number of ties.
        losses: The number of votes that it lost.
    """

    wins: int = 0
    ties: int = 0
    losses: int = 0

    @property
    def votes(self) -> int:
        """The number of votes."""
        return self.wins + self.ties + self.losses

    def add(self, outcome: float) -> None:
        """Adds a vote: 1 for a win, ½ for a tie, 0 for a loss."""
        self.wins += outcome == 1
        self.ties += outcome == 0.5
        self.losses += outcome == 0

    def win_rate(self, confidence: float = 95) -> Proportion:
        """Returns the share of votes won, with ties as half a win, and Wilson's interval.

        >>> Record(wins=1, ties=2, losses=1).win_rate().value
        0.5
        """
        return wilson(self.wins + self.ties / 2, self.votes, confidence)


def records(votes: Iterable[Vote]) -> tuple[dict[str, Record], dict[tuple[str, str], Record]]:
    """Counts the votes of each system, and those between each pair of systems, from the side of the first one."""
    of_systems: dict[str, Record] = defaultdict(Record)
    of_pairs: dict[tuple[str, str], Record] = defaultdict(Record)
    for vote in votes:
        outcome = OUTCOMES[vote.winner]
        of_systems[vote.first].add(outcome)
        of_systems[vote.second].add(1 - outcome)
        of_pairs[vote.pair].add(outcome if vote.pair[0] == vote.first else 1 - outcome)
    return dict(sorted(of_systems.items())), dict(sorted(of_pairs.items()))
