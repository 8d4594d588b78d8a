"""Totals: what outputs add up to, one output at a time and in constant memory."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from overrides import overrides

from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import MetricsDict


class Total(ABC):
    """Adds up outputs, in the order they come.

    Attributes:
        count: How many outputs were added.
        undefined: Score name to the number of outputs for which it was not defined (NaN).
    """

    def __init__(self) -> None:
        self.count = 0
        self.undefined: dict[str, int] = {}

    @abstractmethod
    def add(self, scores: MetricsDict, statistics: Sequence[float] | None) -> None:
        """Adds one output: its scores, and its statistics if the metric has them."""

    @abstractmethod
    def score(self) -> MetricsDict:
        """Returns the score of all that was added."""


class MeanTotal(Total):
    """The mean of the outputs' scores, each over the outputs for which it is defined; NaN where it is for none."""

    def __init__(self) -> None:
        super().__init__()
        self._sum: MetricsDict | None = None

    @overrides
    def add(self, scores: MetricsDict, statistics: Sequence[float] | None) -> None:
        self.count += 1
        for name, value in scores.flatten().items():
            if isinstance(value, float) and math.isnan(value):
                self.undefined[name] = self.undefined.get(name, 0) + 1
        defined = scores.map(lambda value: 0.0 if math.isnan(value) else value)
        self._sum = defined if self._sum is None else self._sum + defined

    @overrides
    def score(self) -> MetricsDict:
        if self._sum is None:
            raise InputError("the score of no outputs is not defined")
        return self._divided(self._sum, "")

    def _divided(self, sums: MetricsDict, prefix: str) -> MetricsDict:
        mean = MetricsDict()
        for key, value in sums.items():
            name = f"{prefix}{key}"
            if isinstance(value, MetricsDict):
                mean[key] = self._divided(value, f"{name}_")
                continue
            count = self.count - self.undefined.get(name, 0)
            divided = MetricsDict({key: value}) / count if count else MetricsDict({key: math.nan})
            mean[key] = divided[key]
        return mean


class StatisticsTotal(Total):
    """The score of the sum of the outputs' statistics.

    Args:
        score_statistics: Turns a vector of statistics into a score.
    """

    def __init__(self, score_statistics: Callable[[Sequence[float]], MetricsDict]) -> None:
        super().__init__()
        self._score_statistics = score_statistics
        self._sum: list[float] | None = None

    @overrides
    def add(self, scores: MetricsDict, statistics: Sequence[float] | None) -> None:
        if statistics is None:
            raise InputError("a corpus metric must give the statistics of every output")
        self.count += 1
        if self._sum is None:
            self._sum = list(statistics)
            return
        if len(statistics) != len(self._sum):
            raise InputError(
                f"the statistics must have {len(self._sum)} numbers for every output, got {len(statistics)}"
            )
        self._sum = [total + number for total, number in zip(self._sum, statistics, strict=True)]

    @overrides
    def score(self) -> MetricsDict:
        if self._sum is None:
            raise InputError("the score of no outputs is not defined")
        return self._score_statistics(self._sum)
