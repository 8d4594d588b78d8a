"""Totals whose last digits do not depend on the order of outputs: sums of integers, and exact sums of fractions.

A sum of floats is kept as partial sums that do not overlap, after Shewchuk, "Adaptive Precision Floating-Point
Arithmetic and Fast Robust Geometric Predicates" (1997): together they are the exact sum, which is rounded once, at the
end. Other totals (`metrics_framework.metrics.base.totals`) add from left to right, as decision 0013 explains.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum

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
        inner = result
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = value
    return MetricsDict(_with_lists(result))


def _with_lists(values: Any) -> Any:
    if not isinstance(values, dict):
        return values
    if 0 in values:
        return [_with_lists(value) for _, value in sorted(values.items())]
    return {key: _with_lists(value) for key, value in values.items()}
