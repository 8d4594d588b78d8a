"""Position bias: the verdicts on pairs of outputs that were judged in both orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from metrics_framework.common.errors import UnknownChoiceError
from metrics_framework.meta_evaluation.prefer.votes import Vote
from metrics_framework.significance.proportions import Proportion, binomial_p, wilson

Inconsistent = Literal["tie", "drop", "keep"]
INCONSISTENT: tuple[Inconsistent, ...] = ("tie", "drop", "keep")
_Swapped = dict[int, int]


@dataclass(frozen=True)
class PositionBias:
    """How verdicts depend on the order in which two outputs are shown.

    Args:
        pairs: The number of pairs judged in both orders.
        consistent: The number of these with the same verdict in both orders.
        first: The number of pairs in which the output shown first won twice.
        second: The number of pairs in which the output shown second won twice.
    """

    pairs: int
    consistent: int
    first: int
    second: int

    def consistency(self, confidence: float = 95) -> Proportion:
        """Returns the share of pairs with the same verdict in both orders, and Wilson's interval."""
        return wilson(self.consistent, self.pairs, confidence)

    def first_rate(self, confidence: float = 95) -> Proportion:
        """Returns the share of `first` in `first` and `second`, and Wilson's interval; ½ without a preference."""
        return wilson(self.first, self.first + self.second, confidence)

    @property
    def p_value(self) -> float:
        """The two-sided p-value of the exact binomial test of no preference for a position.

        >>> round(PositionBias(pairs=40, consistent=25, first=9, second=3).p_value, 9)
        0.145996094
        """
        return binomial_p(self.first, self.first + self.second)


def position_bias(votes: Sequence[Vote]) -> PositionBias:
    """Counts verdicts on pairs of outputs that one rater judged once in each order.

    Args:
        votes: The votes; those without an input are ignored.
    """
    kinds = [_kind(votes[one], votes[other]) for one, other in _swapped(votes).items()]
    return PositionBias(len(kinds), kinds.count("same"), kinds.count("a"), kinds.count("b"))


def _kind(one: Vote, other: Vote) -> str:
    """Returns ``same`` for the same verdict, the side that won twice, or ``tie`` if only one vote is a tie."""
    if one.verdict == other.verdict:
        return "same"
    return one.winner if one.winner == other.winner else "tie"


def merged(votes: Sequence[Vote], inconsistent: Inconsistent = "tie") -> list[Vote]:
    """Merges the two votes on a pair that was judged in both orders into one.

    Args:
        votes: The votes.
        inconsistent: What two different verdicts become: a ``tie``, or none (``drop``); ``keep`` keeps all votes.

    Raises:
        UnknownChoiceError: if it is another word.
    """
    if inconsistent not in INCONSISTENT:
        raise UnknownChoiceError("inconsistent", inconsistent, INCONSISTENT)
    if inconsistent == "keep":
        return list(votes)
    swapped = _swapped(votes)
    seconds = set(swapped.values())
    kept = []
    for index, vote in enumerate(votes):
        if index in seconds:
            continue
        if index in swapped and vote.verdict != votes[swapped[index]].verdict:
            if inconsistent == "drop":
                continue
            vote = vote._replace(winner="tie")
        kept.append(vote)
    return kept


def _swapped(votes: Iterable[Vote]) -> _Swapped:
    """Maps the index of a vote to that of the vote by the same rater on the same outputs in the other order.

    Outputs on which a rater has voted twice in one order are left out: without names of raters, they may come from
    several.
    """
    by_unit: dict[tuple[str | None, str, tuple[str, str]], list[tuple[int, str]]] = defaultdict(list)
    for index, vote in enumerate(votes):
        if vote.input is not None:
            by_unit[vote.rater, vote.input, vote.pair].append((index, vote.first))
    pairs = (found for found in by_unit.values() if len(found) == 2 and found[0][1] != found[1][1])
    return {one: other for (one, _), (other, _) in pairs}
