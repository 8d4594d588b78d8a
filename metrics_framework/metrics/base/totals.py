"""Totals: the score of a system or corpus, accumulated output by output in constant memory."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.kernels.dispatch import native_column_sums
from metrics_framework.kernels.python.column_sums import column_sums
from metrics_framework.metrics.base.checks import as_scores


class Total(ABC):
    """Accumulates the scores or statistics of outputs.

    Attributes:
        count: The number of outputs added.
        undefined: For each score with undefined (NaN) values, the number of outputs with such a value.
    """

    count: int = 0
    undefined: Mapping[str, int] = MappingProxyType({})

    @abstractmethod
    def add(self, scores: MetricsDict, statistics: Sequence[float] | None) -> None:
        """Adds one output: its scores, and its statistics if the metric has any."""

    def extend(
        self,
        scores: Sequence[MetricsDict],
        statistics: Sequence[Sequence[float]] | None,
        total: Sequence[float] | None = None,
    ) -> None:
        """Adds outputs in order.

        Args:
            scores: The scores of each output.
            statistics: The statistics of each output, if the metric has any.
            total: The sum of these statistics, if it is already known.
        """
        for index, output in enumerate(scores):
            self.add(output, None if statistics is None else statistics[index])

    @abstractmethod
    def score(self) -> MetricsDict:
        """Returns the score of all outputs added."""


class Mean:
    """The mean of the defined values of one number.

    Attributes:
        sum: The sum of the values, added from left to right.
        count: The number of values.
    """

    def __init__(self) -> None:
        self.sum = 0.0
        self.count = 0

    def add(self, value: Any) -> bool:
        """Adds a value; returns whether it is defined."""
        if value is None or value != value:
            return False
        self.sum += value
        self.count += 1
        return True

    @property
    def value(self) -> float:
        """The mean; NaN without values."""
        return self.sum / self.count if self.count else math.nan


class MeanTotal(Total):
    """The mean of each score over the outputs with a defined value; NaN if no output has one."""

    def __init__(self) -> None:
        self._means: dict[str, Any] = {}
        self.undefined: dict[str, int] = {}

    @overrides
    def add(self, scores: MetricsDict, statistics: Sequence[float] | None) -> None:
        if self.count and self._means.keys() != scores.keys():
            differing = ", ".join(sorted(self._means.keys() ^ scores.keys()))
            raise InputError(
                f"a metric must return the same scores for every output; only some outputs have {differing}"
            )
        self._add(self._means, scores, "")
        self.count += 1

    @overrides
    def extend(
        self,
        scores: Sequence[MetricsDict],
        statistics: Sequence[Sequence[float]] | None,
        total: Sequence[float] | None = None,
    ) -> None:
        if total is None or self.count or not all(map(math.isfinite, total)):
            super().extend(scores, statistics)
            return
        self._means = _means_of(scores[0], iter(total), len(scores))
        self.count = len(scores)

    def _add(self, means: dict[str, Any], scores: Mapping[str, Any], prefix: str) -> None:
        for key, value in scores.items():
            mean = means.get(key)
            if type(value) is float and value == value and type(mean) is Mean:
                mean.sum += value
                mean.count += 1
                continue
            name = f"{prefix}{key}"
            if isinstance(value, Mapping):
                self._add(means.setdefault(key, {}), value, f"{name}_")
            elif isinstance(value, (list, tuple)):
                entries = means.setdefault(key, [Mean() for _ in value])
                if len(entries) != len(value):
                    raise InputError(
                        f"score '{name}' has {len(value)} numbers for one output, {len(entries)} for another"
                    )
                defined = [mean.add(number) for mean, number in zip(entries, value, strict=True)]
                self._count_undefined(name, all(defined))
            else:
                self._count_undefined(name, means.setdefault(key, Mean()).add(value))

    def mean_at(self, path: Sequence[Any]) -> Mean:
        """Returns the mean of one number, to add outputs that were collected elsewhere.

        Args:
            path: Keys of dictionaries, and an index of a list, that lead to the number.
        """
        means: Any = self._means
        for key, following in zip(path, [*path[1:], None], strict=True):
            new: Any = Mean() if following is None else {} if isinstance(following, str) else []
            if isinstance(key, str):
                means = means.setdefault(key, new)
            else:
                means += [new] if key == len(means) else []
                means = means[key]
        mean: Mean = means
        return mean

    def advance(self, count: int, undefined: Mapping[str, int]) -> None:
        """Counts outputs whose numbers were added to their means.

        Args:
            count: The number of outputs.
            undefined: For each score the number of outputs for which it is undefined, if there are any.
        """
        self.count += count
        for name, number in undefined.items():
            self.undefined[name] = self.undefined.get(name, 0) + number

    def _count_undefined(self, name: str, is_defined: bool) -> None:
        if not is_defined:
            self.undefined[name] = self.undefined.get(name, 0) + 1

    @overrides
    def score(self) -> MetricsDict:
        if not self.count:
            raise InputError("cannot compute the score of zero outputs")
        return MetricsDict(_values(self._means))


def _means_of(scores: Any, sums: Iterator[float], count: int) -> Any:
    """Returns the means of all numbers of a score, given their sums in the same order."""
    if isinstance(scores, dict):
        return {key: _means_of(value, sums, count) for key, value in scores.items()}
    if isinstance(scores, (list, tuple)):
        return [_means_of(value, sums, count) for value in scores]
    mean = Mean()
    mean.sum, mean.count = float(next(sums)), count
    return mean


def _values(means: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, mean in means.items():
        if isinstance(mean, dict):
            values[key] = _values(mean)
        else:
            values[key] = [entry.value for entry in mean] if isinstance(mean, list) else mean.value
    return values


class StatisticsTotal(Total):
    """The score of the summed statistics of all outputs.

    Args:
        metric: The name of the metric, for error messages.
        score_statistics: Computes the score of a vector of statistics.

    Attributes:
        sums: The sum of each statistic; `None` without outputs.
    """

    def __init__(self, metric: str, score_statistics: Callable[[Sequence[float]], MetricsDict]) -> None:
        self.sums: list[float] | None = None
        self._metric = metric
        self._score_statistics = score_statistics

    @overrides
    def add(self, scores: MetricsDict, statistics: Sequence[float] | None) -> None:
        self.extend([scores], None if statistics is None else [statistics])

    @overrides
    def extend(
        self,
        scores: Sequence[MetricsDict],
        statistics: Sequence[Sequence[float]] | None,
        total: Sequence[float] | None = None,
    ) -> None:
        added = statistics if total is None else [total]
        if added is None:
            raise InputError("a corpus metric must return the statistics of every output")
        vectors = [*added] if self.sums is None else [self.sums, *added]
        if len(set(map(len, vectors))) > 1:
            expected, other = list(dict.fromkeys(map(len, vectors)))[:2]
            raise InputError(
                f"the statistics of '{self._metric}' must have {expected} numbers for every output, got {other}"
            )
        # Not sum(): since Python 3.12 it compensates rounding errors and would change last digits (decision 0013).
        sums = native_column_sums(vectors)
        self.sums = (column_sums(vectors) if sums is None else sums) or None
        self.count += len(scores)

    @overrides
    def score(self) -> MetricsDict:
        if self.sums is None:
            raise InputError("cannot compute the score of zero outputs")
        return as_scores(self._metric, self._score_statistics(self.sums))
