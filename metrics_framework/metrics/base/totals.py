"""Totals: the score of a system or corpus, accumulated output by output in constant memory.

Totals add from left to right, as decision 0013 explains. `ExactSum` is for sums whose last digits must not depend on
the order of outputs; it keeps partial sums of floats that do not overlap, after Shewchuk, "Adaptive Precision
Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997): together they are the exact sum, which is
rounded once, at the end.

`ArrayScores` are metrics that compute one score for each of many sums in one call, as resampling needs them. Their
function for one vector of statistics is the definition; up to the rounding of logarithms and exponentials, the results
on arrays are equal.
"""

from __future__ import annotations

import functools
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, runtime_checkable

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict, put
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import shown
from metrics_framework.metrics.base.batch_scores import BatchScores, Statistics, as_scores


class Total(ABC):
    """Accumulates the scores or statistics of outputs.

    Attributes:
        count: The number of outputs added.
        undefined: For each score with undefined (NaN) values, the number of outputs with such a value.
    """

    count: int = 0
    undefined: Mapping[str, int] = MappingProxyType({})

    @abstractmethod
    def add(self, scores: MetricsDict, statistics: Statistics | None) -> None:
        """Adds one output: its scores, and its statistics if the metric has any."""

    def extend(self, scores: Sequence[MetricsDict], statistics: Sequence[Statistics] | None) -> None:
        """Adds outputs in order.

        Args:
            scores: The scores of each output.
            statistics: The statistics of each output, if the metric has any.
        """
        for index, output in enumerate(scores):
            self.add(output, None if statistics is None else statistics[index])

    def add_batch(self, results: BatchScores, outputs: Sequence[int] | None, count: int) -> None:
        """Adds outputs of a batch, in order.

        Args:
            results: What the metric returned for the batch.
            outputs: The indices of the outputs; `None` for all.
            count: Their number.
        """
        scores, statistics = results.scores, results.statistics
        if outputs is not None:
            scores = [scores[output] for output in outputs] if scores else []
            statistics = [statistics[output] for output in outputs] if statistics else None
        self.extend(scores or [MetricsDict()] * count, statistics)

    @abstractmethod
    def score(self) -> MetricsDict:
        """Returns the score of all outputs added."""


@dataclass(eq=False)
class Mean:
    """The mean of the defined values of one number.

    Attributes:
        sum: The sum of the values, added from left to right.
        count: The number of values.
    """

    sum: float = 0.0
    count: int = 0

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
    def add(self, scores: MetricsDict, statistics: Statistics | None) -> None:
        self._add(self._means, scores, "")
        self.count += 1

    def _add(self, means: dict[str, Any], scores: Mapping[str, Any], prefix: str) -> None:
        if self.count and means.keys() != scores.keys():
            differing = ", ".join(f"{prefix}{key}" for key in sorted(means.keys() ^ scores.keys()))
            raise InputError(
                f"a metric must return the same scores for every output; only some outputs have {differing}"
            )
        for key, value in scores.items():
            mean = means.get(key)
            if type(value) is float and value == value and type(mean) is Mean:
                mean.sum += value
                mean.count += 1
                continue
            name, is_list = f"{prefix}{key}", isinstance(value, (list, tuple))
            new: Any = [Mean() for _ in value] if is_list else {} if isinstance(value, Mapping) else Mean()
            mean = means.setdefault(key, new)
            if type(mean) is not type(new):
                raise InputError(f"score '{name}' must be of one kind for every output; one output has {shown(value)}")
            if is_list and any(isinstance(number, (list, tuple, Mapping)) for number in value):
                raise InputError(f"score '{name}' must be a number or a list of numbers, got {shown(value)}")
            if is_list and len(mean) != len(value):
                raise InputError(f"score '{name}' has {len(value)} numbers for one output, {len(mean)} for another")
            if is_list:
                defined = [mean.add(number) for mean, number in zip(mean, value, strict=True)]
                self._count_undefined(name, all(defined))
            elif isinstance(value, Mapping):
                self._add(mean, value, f"{name}_")
            else:
                self._count_undefined(name, mean.add(value))

    @overrides
    def add_batch(self, results: BatchScores, outputs: Sequence[int] | None, count: int) -> None:
        vectors, known = results.vectors, results.sum
        if known is not None and outputs is None and not self.count and all(map(math.isfinite, known)):
            self._means, self.count = _means_of(results.scores[0], iter(known), count), count
            return
        if vectors is None:
            super().add_batch(results, outputs, count)
            return
        paths = vectors.paths or ()
        means = list(map(self._mean_at, paths))
        sums = vectors.added_to([mean.sum for mean in means], outputs)
        self.count += count
        if all(map(math.isfinite, sums)):
            for mean, number in zip(means, sums, strict=True):
                mean.sum = number
                mean.count += count
            return
        undefined: dict[str, set[int]] = {}
        for number, (path, mean) in enumerate(zip(paths, means, strict=True)):
            column = list(vectors.column(number))
            values = column if outputs is None else map(column.__getitem__, outputs)
            missing = undefined.setdefault("_".join(key for key in path if isinstance(key, str)), set())
            missing.update(index for index, value in enumerate(values) if not mean.add(value))
        for name, missing in undefined.items():
            if missing:
                self.undefined[name] = self.undefined.get(name, 0) + len(missing)

    def _mean_at(self, path: Sequence[Any]) -> Mean:
        """Returns the mean of one number, given the keys of dictionaries and the index of a list that lead to it."""
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
    return Mean(float(next(sums)), count)


def _values(means: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, mean in means.items():
        if isinstance(mean, dict):
            values[key] = _values(mean)
        else:
            values[key] = [entry.value for entry in mean] if isinstance(mean, list) else mean.value
    return values


@dataclass(eq=False)
class StatisticsTotal(Total):
    """The score of the summed statistics of all outputs.

    Args:
        metric: The name of the metric, for error messages.
        score_statistics: Computes the score of a vector of statistics.

    Attributes:
        sums: The sum of each statistic; `None` without outputs.
    """

    metric: str
    score_statistics: Callable[[Sequence[float]], MetricsDict]
    sums: list[float] | None = None

    @overrides
    def add(self, scores: MetricsDict, statistics: Statistics | None) -> None:
        self.extend([scores], None if statistics is None else [statistics])

    @overrides
    def extend(self, scores: Sequence[MetricsDict], statistics: Sequence[Statistics] | None) -> None:
        if statistics is None:
            raise InputError("a corpus metric must return the statistics of every output")
        vectors = [*statistics] if self.sums is None else [self.sums, *statistics]
        if len(set(map(len, vectors))) > 1:
            expected, other = list(dict.fromkeys(map(len, vectors)))[:2]
            raise InputError(
                f"the statistics of '{self.metric}' must have {expected} numbers for every output, got {other}"
            )
        # Not sum(): since Python 3.12 it compensates rounding errors and would change last digits (decision 0013).
        self.sums = [functools.reduce(operator.add, column) for column in zip(*vectors, strict=True)] or None
        self.count += len(scores)

    @overrides
    def add_batch(self, results: BatchScores, outputs: Sequence[int] | None, count: int) -> None:
        if results.vectors is not None:
            self.sums = results.vectors.added_to(self.sums, outputs)
            self.count += count
        elif results.sum is not None and outputs is None:
            self.extend(results.scores, [results.sum])
        else:
            super().add_batch(results, outputs, count)

    @overrides
    def score(self) -> MetricsDict:
        if self.sums is None:
            raise InputError("cannot compute the score of zero outputs")
        return as_scores(self.metric, self.score_statistics(self.sums))


Path: TypeAlias = tuple[Any, ...]
"""Where a number is in nested scores: keys, and indices of lists."""
Partials: TypeAlias = list[float]


class ExactSum:
    """The exact sum of numbers, and their count.

    Args:
        whole: The sum of the integers.
        partials: The exact sum of the floats, as partial sums.
        count: The number of defined values.

    >>> total = ExactSum()
    >>> total.add([0.1] * 10)
    >>> total.value
    1.0
    """

    __slots__ = ("count", "partials", "whole")

    def __init__(self, whole: int = 0, partials: Iterable[float] = (), count: int = 0) -> None:
        self.whole = whole
        self.partials: Partials = list(partials)
        self.count = count

    def add(self, values: Sequence[Any]) -> None:
        """Adds numbers; undefined values (`None` and NaN) are left out."""
        values = [value for value in values if value is not None and value == value]
        self.count += len(values)
        if set(map(type, values)) <= {int}:
            self.whole += sum(values)
        else:
            self.whole += sum(value for value in values if type(value) is int)
            self.partials = exact_partials([*self.partials, *(value for value in values if type(value) is not int)])

    def merge(self, other: ExactSum) -> None:
        """Adds the numbers of another sum."""
        self.whole += other.whole
        self.count += other.count
        if other.partials:
            self.partials = exact_partials([*self.partials, *other.partials])

    @property
    def value(self) -> float:
        """The sum, rounded once; an integer if all numbers are."""
        return math.fsum([*self.partials, self.whole]) if self.partials else self.whole

    def state(self) -> tuple[int, Partials, int]:
        """Returns the arguments of the constructor."""
        return self.whole, list(self.partials), self.count


def exact_partials(values: Sequence[float]) -> Partials:
    """Returns partial sums, the largest first, whose exact sum is that of the values.

    Each is the rounded sum of what the previous ones leave out. Without a finite sum, there is one: infinity or NaN.

    >>> exact_partials([1e100, 1.0, 1e-30, -1e100])
    [1.0, 1e-30]
    """
    try:
        total = math.fsum(values)
    except (OverflowError, ValueError):  # infinities of both signs, or too large for a float
        return [plain_sum(values)]
    partials: Partials = []
    rest = list(values)
    while total:
        partials.append(total)
        if not math.isfinite(total):
            break
        rest.append(-total)
        total = math.fsum(rest)
    return partials or [0.0]


def leaves(rows: Sequence[Any], path: Path = ()) -> Iterable[tuple[Path, list[Any]]]:
    """Yields each number of nested scores: where it is, and its values in all rows.

    Raises:
        InputError: if the rows have different scores.
    """
    first = rows[0]
    if isinstance(first, Mapping):
        for key in first:
            yield from leaves(_column(rows, key, Mapping, set(first), path), (*path, key))
    elif isinstance(first, (list, tuple)):
        for index in range(len(first)):
            yield from leaves(_column(rows, index, (list, tuple), len(first), path), (*path, index))
    else:
        yield path, list(rows)


def _column(rows: Sequence[Any], key: Any, kind: Any, shape: Any, path: Path) -> list[Any]:
    measure: Callable[[Any], Any] = len if isinstance(shape, int) else set
    if not all(isinstance(row, kind) and measure(row) == shape for row in rows):
        where = f" in '{'_'.join(map(str, path))}'" if path else ""
        raise InputError(f"a metric must return the same scores for every output; some outputs differ{where}")
    return [row[key] for row in rows]


def nested(values: Mapping[Path, Any]) -> MetricsDict:
    """Returns scores from their numbers; the opposite of `leaves`.

    >>> nested({("a", "b"): 1, ("c", 0): 2, ("c", 1): 3})
    {'a': {'b': 1}, 'c': [2, 3]}
    """
    result: dict[Any, Any] = {}
    for path, value in values.items():
        put(result, path, value)
    return MetricsDict(_with_lists(result))


def _with_lists(values: Any) -> Any:
    if not isinstance(values, dict):
        return values
    if 0 in values:
        return [_with_lists(value) for _, value in sorted(values.items())]
    return {key: _with_lists(value) for key, value in values.items()}


# ---- the scores of many sums at once ---------------------------------------------------------------------------------


@runtime_checkable
class ArrayScores(Protocol):
    """A corpus metric that computes the scores of many summed statistics in one call, as resampling needs them."""

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes scores equal to those of ``score_statistics``, up to rounding.

        Args:
            sums: Shape (sums, statistics).

        Returns:
            Flat score names to arrays of shape (sums,), or (sums, numbers).
        """


@runtime_checkable
class SwapScores(ArrayScores, Protocol):
    """A corpus metric with a faster formula for swaps, whose scores are compared with a tolerance for rounding."""

    def score_swaps(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of ``score_sums`` with other rounding."""


def ratio(above: Floats, below: Floats, otherwise: float | Bools = 0.0) -> Floats:
    """Divides element by element; where the divisor is not positive, the result is another number."""
    import numpy as np

    if below.min(initial=1.0) > 0:
        quotients: Floats = above / below
        return quotients
    result = np.full(np.broadcast(above, below).shape, otherwise, dtype=np.float64)
    np.divide(above, below, out=result, where=below > 0)
    return result


def added(values: Floats) -> Floats:
    """Adds the columns from left to right."""
    total: Floats = values[:, 0]
    for column in values.T[1:]:
        total = total + column
    return total
