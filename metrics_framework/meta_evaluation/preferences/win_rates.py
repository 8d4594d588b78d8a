"""Wins, ties and losses of systems and pairs of systems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from metrics_framework.meta_evaluation.preferences.votes import OUTCOMES, Vote
from metrics_framework.significance.proportions import Proportion, wilson


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
