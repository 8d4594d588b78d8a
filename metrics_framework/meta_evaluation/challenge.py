"""Challenge sets: how often metrics score a good output above a bad one, by phenomenon, and the ACES score."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.data.sums import plain_sum
from metrics_framework.datasets.dataset import declared_in
from metrics_framework.significance.clusters import labels_of
from metrics_framework.significance.interval_methods import Interval
from metrics_framework.significance.multiple_testing import CORRECTIONS
from metrics_framework.significance.proportions import EffectiveTrials

CITATIONS = {"aces": "amrhein-etal-2022-aces"}
ALL = "all"


@dataclass(frozen=True)
class Accuracy:
    """How often a metric scores good outputs above bad ones.

    Attributes:
        metric: The metric.
        by: The column of the group; empty for all pairs.
        group: The value of the column.
        pairs: The number of pairs of a good and a bad output that have scores.
        correct: How many good outputs have the better score.
        ties: How many pairs have equal scores, which are wrong.
        missing: The number of pairs without a score.
        accuracy: The share of correct pairs with its interval; NaN without pairs.
    """

    metric: str
    by: str
    group: str
    pairs: int
    correct: int
    ties: int
    missing: int
    accuracy: Interval

    @property
    def tau(self) -> float:
        """2 · accuracy − 1: the share of correct pairs minus that of wrong ones."""
        return 2 * self.accuracy.value - 1


@dataclass(frozen=True)
class AccuracyTest:
    """Whether two metrics differ in their accuracy: an exact test of McNemar, or one of clusters.

    Attributes:
        by: The column of the group; empty for all pairs.
        group: The value of the column.
        first: The first metric.
        second: The second.
        only_first: The number of pairs that only the first metric has correct.
        only_second: That of the second.
        p_value: The two-sided p-value.
        adjusted: The p-value, corrected for the groups of the column.
    """

    by: str
    group: str
    first: str
    second: str
    only_first: int
    only_second: int
    p_value: float
    adjusted: float


Groups = Mapping[str, Sequence[str | None]]
"""Column to the group of each pair; `None` for pairs without a group."""


def accuracies(
    advantages: Mapping[str, Floats], groups: Groups, clusters: Sequence[Hashable] | None, confidence: float
) -> list[Accuracy]:
    """Computes the accuracy of each metric on all pairs and in each group.

    Args:
        advantages: Metric to how much better the good output of each pair scores, shape (pairs,); NaN if missing.
        groups: The groups.
        clusters: The cluster of each pair, such as its source.
        confidence: The confidence level.

    >>> (found,) = accuracies({"m": np.array([1.0, 2, 0, np.nan])}, {}, None, 95)
    >>> found.pairs, found.correct, found.ties, found.missing, round(found.tau, 3)
    (3, 2, 1, 1, 0.333)
    """
    found = []
    for by, group, members in _members(groups, next(iter(advantages.values()), np.empty(0))):
        for metric, every in advantages.items():
            used = members & ~np.isnan(every)
            correct = every[used] > 0
            interval = EffectiveTrials.of(correct, labels_of(clusters, used)).interval(confidence)
            ties, missing = int((every[used] == 0).sum()), int(members.sum() - used.sum())
            found.append(Accuracy(metric, by, group, len(correct), int(correct.sum()), ties, missing, interval))
    return found


def accuracy_tests(
    advantages: Mapping[str, Floats], groups: Groups, clusters: Sequence[Hashable] | None, correction: str
) -> list[AccuracyTest]:
    """Tests each two metrics on all pairs and in each group.

    Args:
        advantages: As in `accuracies`.
        groups: The groups.
        clusters: The cluster of each pair.
        correction: The correction of the p-values of two metrics for the groups of a column.
    """
    found = []
    for first, second in combinations(advantages, 2):
        one, other = advantages[first], advantages[second]
        differ, tested = ~np.isnan(one) & ~np.isnan(other) & ((one > 0) != (other > 0)), []
        for by, group, members in _members(groups, one):
            used = differ & members
            trials, wins = EffectiveTrials.of(one[used] > 0, labels_of(clusters, used)), int((one[used] > 0).sum())
            tested.append(AccuracyTest(by, group, first, second, wins, trials.size - wins, trials.even_p, math.nan))
        for _, of_column in groupby(tested, lambda test: test.by):
            tests = [*of_column]
            corrected = CORRECTIONS[correction]([test.p_value for test in tests])
            found += [replace(test, adjusted=p) for test, p in zip(tests, corrected, strict=True)]
    return found


def _members(groups: Groups, values: Floats) -> Iterator[tuple[str, str, Bools]]:
    """Yields the column and the name of each group, and which pairs it has; first that of all pairs."""
    yield "", ALL, np.ones(len(values), dtype=bool)
    for by, labels in groups.items():
        for group in dict.fromkeys(label for label in labels if label is not None):
            yield by, group, np.array([label == group for label in labels])


def category_taus(
    advantages: Mapping[str, Floats], phenomena: Sequence[str | None], categories: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """Averages τ over the phenomena of each category.

    Args:
        advantages: As in `accuracies`.
        phenomena: The phenomenon of each pair; `None` for none.
        categories: Phenomenon to its category.

    Returns:
        Metric to category to the mean; NaN if a phenomenon has no pairs with scores.
    """
    taus: dict[str, dict[str, list[float]]] = {}
    for one in accuracies(advantages, {"phenomenon": phenomena}, None, 95):
        if one.by and (category := categories.get(one.group)):
            taus.setdefault(one.metric, {}).setdefault(category, []).append(one.tau)
    return {
        metric: {category: plain_sum(each) / len(each) for category, each in of_metric.items()}
        for metric, of_metric in taus.items()
    }


def aces_score(taus: Mapping[str, float]) -> float:
    """Returns the ACES score: the weighted sum of the τ of its ten categories; NaN without one of them.

    Source: Amrhein, Moghe and Guillou (2022), "ACES: Translation Accuracy Challenge Sets".

    Args:
        taus: Category to the mean of τ over its phenomena; names are read without regard to case, ``-`` and ``_``.

    >>> round(aces_score(dict.fromkeys(declared_in("wmt.json")["aces"], 1.0)), 6)
    29.1
    >>> aces_score({"addition": 1.0})
    nan
    """
    weights = declared_in("wmt.json")["aces"]
    return plain_sum(weights[name][0] * tau for name, tau in aces_taus(taus).items())


def aces_categories(phenomena: Collection[str]) -> dict[str, str]:
    """Returns the category of each phenomenon of ACES; none if a phenomenon is not of ACES.

    >>> aces_categories({"xnli-omission-neutral", "copy-source"}) == {
    ...     "xnli-omission-neutral": "mistranslation", "copy-source": "untranslated"
    ... }
    True
    >>> aces_categories({"copy-source", "negation"})
    {}
    """
    starts = [(start, category) for category, (_, names) in declared_in("wmt.json")["aces"].items() for start in names]
    found = {name: category for name in phenomena for start, category in starts if name.startswith(start)}
    return found if len(found) == len(phenomena) else {}


def aces_taus(taus: Mapping[str, float]) -> dict[str, float]:
    """Returns τ for each category of the ACES score, NaN if it is missing."""
    named = {_plain(category): tau for category, tau in taus.items()}
    return {name: named.get(_plain(name), math.nan) for name in declared_in("wmt.json")["aces"]}


def _plain(category: str) -> str:
    return category.lower().replace("-", " ").replace("_", " ")
