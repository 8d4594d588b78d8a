"""Best–worst scaling: scores of items from tuples of which people name the best and the worst."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.prefer.votes import Vote


class Choice(NamedTuple):
    """One annotation of a tuple of items.

    Attributes:
        items: The items.
        best: The best item.
        worst: The worst item.
        input: What the tuple belongs to; `None` if nothing is named.
        rater: The person or judge; `None` if nobody is named.
    """

    items: tuple[str, ...]
    best: str
    worst: str
    input: str | None = None
    rater: str | None = None


class BestWorst(NamedTuple):
    """How often an item was chosen.

    Attributes:
        appearances: The number of annotations with the item.
        best: The number in which it is the best.
        worst: The number in which it is the worst.
    """

    appearances: int = 0
    best: int = 0
    worst: int = 0

    @property
    def score(self) -> float:
        """(best − worst) / appearances, from −1 to 1."""
        return (self.best - self.worst) / self.appearances


@dataclass(frozen=True)
class Reliability:
    """The mean correlation between the scores of two random halves of the annotations.

    Args:
        pearson: The mean of Pearson's r; NaN if undefined in every split.
        spearman: The mean of Spearman's ρ.
        splits: The number of splits in which they are defined.
    """

    pearson: float
    spearman: float
    splits: int

    @property
    def of_all(self) -> float:
        """Pearson's r for all annotations, twice as many as in a half: 2r/(1+r) (Spearman–Brown)."""
        return 2 * self.pearson / (1 + self.pearson) if self.pearson > -1 else math.nan


def best_worst(choices: Iterable[Choice]) -> dict[str, BestWorst]:
    """Counts how often each item appears, is the best and is the worst.

    Source: Kiritchenko and Mohammad, "Best-Worst Scaling More Reliable than Rating Scales" (ACL 2017).

    >>> counts = best_worst([Choice(("x", "y", "z"), "x", "z"), Choice(("x", "y", "w"), "x", "y")])
    >>> {item: found.score for item, found in counts.items()}
    {'x': 1.0, 'y': -0.5, 'z': -1.0, 'w': 0.0}
    """
    counts: dict[str, BestWorst] = defaultdict(BestWorst)
    for choice in choices:
        for item in choice.items:
            found = counts[item]
            is_best, is_worst = item == choice.best, item == choice.worst
            counts[item] = BestWorst(found.appearances + 1, found.best + is_best, found.worst + is_worst)
    return dict(counts)


def votes_of(choices: Sequence[Choice]) -> tuple[list[Vote], list[str]]:
    """Turns choices into votes: the best item wins against all others, and all others win against the worst.

    Returns:
        The votes, and the cluster of each: its input, or else its choice.
    """
    votes, clusters = [], []
    for index, choice in enumerate(choices):
        others = [item for item in choice.items if item not in (choice.best, choice.worst)]
        pairs = [(choice.best, item) for item in [*others, choice.worst]] + [(item, choice.worst) for item in others]
        votes += [Vote(first, second, "a", choice.input, choice.rater) for first, second in pairs]
        clusters += [f"choice {index}" if choice.input is None else f"input {choice.input}"] * len(pairs)
    return votes, clusters


def split_half(choices: Sequence[Choice], splits: int = 100, seed: int = 0) -> Reliability:
    """Computes the reliability of best–worst scores.

    The annotations of each tuple are split at random into halves; items without a score in one half are left out.

    Args:
        choices: The annotations.
        splits: The number of random splits.
        seed: The seed.

    Raises:
        InputError: if the number of splits is not positive.
    """
    if splits < 1:
        raise InputError(f"'splits' must be 1 or more, got {splits}")
    by_tuple: dict[tuple[str | None, tuple[str, ...]], list[Choice]] = defaultdict(list)
    for choice in sorted(choices, key=lambda choice: (str(choice.input), *map(str, choice[:3]), str(choice.rater))):
        by_tuple[choice.input, tuple(sorted(choice.items))].append(choice)
    random = np.random.default_rng(seed)
    found = [_correlations(*_halves(list(by_tuple.values()), random)) for _ in range(splits)]
    defined = [pair for pair in found if pair[0] == pair[0] and pair[1] == pair[1]]
    if not defined:
        return Reliability(math.nan, math.nan, 0)
    pearson, spearman = (math.fsum(column) / len(defined) for column in zip(*defined, strict=True))
    return Reliability(pearson, spearman, len(defined))


def _halves(tuples: Sequence[Sequence[Choice]], random: np.random.Generator) -> tuple[list[Choice], list[Choice]]:
    """Splits the annotations of each tuple; an odd one goes to the smaller half."""
    halves: tuple[list[Choice], list[Choice]] = [], []
    for index in random.permutation(len(tuples)):
        found = tuples[int(index)]
        start = 0 if len(halves[0]) < len(halves[1]) else 1 if len(halves[1]) < len(halves[0]) else random.integers(2)
        for place, number in enumerate(random.permutation(len(found))):
            halves[(int(start) + place) % 2].append(found[int(number)])
    return halves


def _correlations(one: Sequence[Choice], other: Sequence[Choice]) -> tuple[float, float]:
    from scipy.stats import rankdata

    first, second = best_worst(one), best_worst(other)
    items = [item for item in first if item in second]
    x, y = (np.array([counts[item].score for item in items]) for counts in (first, second))
    if len(items) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan, math.nan
    return float(np.corrcoef(x, y)[0, 1]), float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])
