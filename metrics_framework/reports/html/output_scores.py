"""The scores of the outputs of one system, in arrays: a score takes eight bytes, whatever the number of outputs."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.totals import StatisticsTotal, Total
from metrics_framework.reports.html.model import Number


class Numbers(Sequence[Number]):
    """Numbers in an array: an undefined number is stored as NaN and read as `None`, as infinities are.

    Args:
        size: The number of undefined numbers to start with.

    Attributes:
        array: The numbers.
        whole: Whether all defined numbers are integers, which are then read as `int`.
    """

    __slots__ = ("array", "whole")

    def __init__(self, size: int = 0) -> None:
        self.array = array("d", [math.nan]) * size
        self.whole = True

    def append(self, value: Any) -> None:
        """Adds a number; `None` is undefined."""
        if type(value) is float and value == value:
            self.whole = False
        elif value is None or value != value:
            value = math.nan
        elif not isinstance(value, int):
            self.whole = False
        self.array.append(value)

    def extend(self, values: Sequence[Any]) -> None:
        """Adds numbers."""
        types = set(map(type, values))
        if types <= {int} or (types == {float} and not any(map(math.isnan, values))):
            self.whole = self.whole and float not in types
            self.array.extend(values)
        else:
            for value in values:
                self.append(value)

    def at(self, indices: Sequence[int]) -> Sequence[Number]:
        """Returns the numbers at some places."""
        values = list(map(self.array.__getitem__, indices))
        if not all(map(math.isfinite, values)):
            return list(map(self._read, values))
        return list(map(int, values)) if self.whole else values

    def spread(self, places: Sequence[int], size: int) -> Numbers:
        """Returns as many numbers as sentences, with these numbers at their places."""
        spread = Numbers(size)
        spread.whole = self.whole
        for place, value in zip(places, self.array, strict=True):
            spread.array[place] = value
        return spread

    @overload
    def __getitem__(self, index: int) -> Number: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Number]: ...
    @overrides
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(map(self._read, self.array[index]))
        return self._read(self.array[index])

    @overrides
    def __len__(self) -> int:
        return len(self.array)

    @overrides
    def __iter__(self) -> Iterator[Number]:
        return map(self._read, self.array)

    def __eq__(self, other: object) -> bool:
        """Returns whether the numbers are those of another sequence."""
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        """Numbers are compared by value, and not hashed by it."""
        return id(self)

    def _read(self, value: float) -> Number:
        if not math.isfinite(value):
            return None
        return int(value) if self.whole else value


class OutputScores:
    """The scores of the outputs of one system under one metric.

    Args:
        total: Computes the score of the system.
        keeps_all: Whether to keep scores as they are, for a total that is neither a mean nor a score of summed
            statistics.

    Attributes:
        places: The index of the sentence of each output.
        columns: Flat name of a score, and the index of a number of a list, to the numbers of the outputs.
        statistics: The columns of the statistics of the outputs.
    """

    def __init__(self, total: Total, keeps_all: bool = False) -> None:
        self.total = total
        self.places = array("q")
        self.columns: dict[tuple[str, int | None], Numbers] = {}
        self.statistics: list[Numbers] = []
        self._all: list[tuple[MetricsDict, Statistics | None]] | None = [] if keeps_all else None

    def extend(
        self, places: Sequence[int], scores: Sequence[MetricsDict], statistics: Sequence[Statistics] | None
    ) -> None:
        """Adds outputs, in the order of the input."""
        self.total.extend(scores, statistics)
        self.places.extend(places)
        if self._all is not None:
            vectors: Sequence[Statistics | None] = statistics or [None] * len(scores)
            self._all += zip(scores, vectors, strict=True)
        if not self._is_added_by_columns(scores):
            for of_output in scores:
                self._add(of_output)
        if statistics and isinstance(self.total, StatisticsTotal):
            self.statistics = self.statistics or [Numbers() for _ in statistics[0]]
            for column, numbers in zip(self.statistics, zip(*statistics, strict=True), strict=True):
                column.extend(numbers)

    def score_of(self, indices: Iterable[int], total: Total) -> MetricsDict | None:
        """Returns the score of the outputs for some sentences, in this order; `None` without any.

        Args:
            indices: The indices of the sentences.
            total: An empty total.
        """
        row_of = dict(zip(self.places, range(len(self.places)), strict=True))
        rows = [row_of[index] for index in indices if index in row_of]
        if not rows:
            return None
        if self._all is not None:
            for row in rows:
                total.add(*self._all[row])
        elif isinstance(total, StatisticsTotal):
            vectors = list(zip(*(column.at(rows) for column in self.statistics), strict=True))
            total.extend([MetricsDict()] * len(rows), vectors)
        else:
            for row in rows:
                total.add(self._nested(row), None)
        return total.score()

    def _nested(self, row: int) -> MetricsDict:
        """Returns the scores of an output, with lists of numbers as lists."""
        scores: dict[str, Any] = {}
        for (name, position), column in self.columns.items():
            if position is None:
                scores[name] = column.array[row]
            else:
                scores.setdefault(name, []).append(column.array[row])
        return MetricsDict(scores)

    def _is_added_by_columns(self, scores: Sequence[Mapping[str, Any]]) -> bool:
        """Adds outputs with the same scores, which are all numbers; returns whether it did."""
        names = scores[0].keys() if scores else ()
        if self.columns and self.columns.keys() != {(name, None) for name in names}:
            return False
        if not all(of_output.keys() == names for of_output in scores):
            return False
        columns = {name: [of_output[name] for of_output in scores] for name in names}
        if not {float, int, type(None)}.issuperset(type(value) for values in columns.values() for value in values):
            return False
        for name, values in columns.items():
            self._column(name, None, 0).extend(values)
        return True

    def _add(self, scores: Mapping[str, Any]) -> None:
        size = len(next(iter(self.columns.values()), ()))
        for name, value in scores.items():
            cls = type(value)
            if cls is float or cls is int or value is None:
                self._column(name, None, size).append(value)
            elif isinstance(value, (list, tuple)):
                for position, number in enumerate(value):
                    self._column(name, position, size).append(number)
            elif isinstance(value, Mapping):
                self._add_flat(MetricsDict({name: value}).flatten(), size)
            else:
                self._column(name, None, size).append(value)
        for column in self.columns.values():
            if len(column) == size:
                column.append(None)

    def _add_flat(self, flat: Mapping[str, Any], size: int) -> None:
        for name, value in flat.items():
            numbers = enumerate(value) if isinstance(value, (list, tuple)) else [(None, value)]
            for position, number in numbers:
                self._column(name, position, size).append(number)

    def _column(self, name: str, position: int | None, size: int) -> Numbers:
        column = self.columns.get((name, position))
        if column is None:
            column = self.columns[name, position] = Numbers(size)
        return column
