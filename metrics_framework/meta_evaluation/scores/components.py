"""Scores that are lists: the components of a metric, which are correlated one by one, or ratings of several people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.metrics import REGISTRY as METRICS


class Components:
    """The lists of numbers that metrics return, and the names of their numbers.

    The precisions of BLEU, for n-grams of four orders, are different quantities: their mean means nothing. Ratings of
    one output by several people are the same quantity, and are averaged. A list belongs to a metric if its name is that
    of a metric, or starts with it.

    Args:
        labels: The labels of the metrics that have signatures.
    """

    def __init__(self, labels: Iterable[str]) -> None:
        self._labels = {*labels, *METRICS.names(aliases=True)}
        self._is_metric: dict[str, bool] = {}

    def names(self, name: str, value: Any) -> Sequence[str]:
        """Returns the names of the numbers of a list that a metric returned; empty for any other score.

        >>> Components([]).names("bleu_precisions", [50.0, 25.0]), Components([]).names("simplicity", [4, 5])
        (['bleu_precisions_1', 'bleu_precisions_2'], [])
        """
        if not isinstance(value, (list, tuple)) or not self._is_of_metric(name):
            return []
        return [f"{name}_{index}" for index in range(1, len(value) + 1)]

    def _is_of_metric(self, name: str) -> bool:
        found = self._is_metric.get(name)
        if found is None:
            parts = name.split("_")
            found = any("_".join(parts[:end]) in self._labels for end in range(1, len(parts) + 1))
            self._is_metric[name] = found
        return found

    def value(self, scores: Mapping[str, Any], name: str) -> Any:
        """Returns a score, or a number of a list by its name; `None` if there is neither.

        Raises:
            UsageError: if the score is a list that a metric returned.
        """
        if name not in scores:
            owner, _, index = name.rpartition("_")
            listed = scores.get(owner, ())
            return listed[int(index) - 1] if name in self.names(owner, listed) else None
        names = self.names(name, scores[name])
        if names:
            raise UsageError(
                f"'{name}' is a list of {len(names)} different numbers, whose mean has no meaning; "
                f"use one of {', '.join(names)}"
            )
        return scores[name]


def missing_ratings(score: Any) -> int:
    """Counts the missing numbers in a list of ratings; no other score has any."""
    return sum(number is None or math.isnan(number) for number in score) if isinstance(score, (list, tuple)) else 0


def as_number(score: Any) -> float:
    """Returns a score as a number: the mean of the defined numbers of a list, NaN for a missing score."""
    if isinstance(score, (list, tuple)):
        present = [number for number in score if number is not None and not math.isnan(number)]
        # An exact sum does not depend on the order of the judges; a divided one does not overflow.
        try:
            return math.fsum(present) / len(present) if present else math.nan
        except OverflowError:
            return math.fsum(number / len(present) for number in present)
    return math.nan if score is None else float(score)
