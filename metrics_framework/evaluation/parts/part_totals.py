"""Totals over parts: the same digits as adding output by output, for any split.

Sums of integers are added part by part. A sum of fractions depends on the order of its additions, so fractions are kept
as columns, and added from left to right through the columns of all parts.
"""

from __future__ import annotations

import functools
import operator
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics_framework.common.errors import InputError
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal, Total

if TYPE_CHECKING:
    from metrics_framework.common.arrays import Floats
    from metrics_framework.metrics.base.batch_scores import Vectors

    Column: TypeAlias = array[float] | Floats

_FEW_NUMBERS = 5000
Path: TypeAlias = "tuple[Any, ...]"
"""Leads to a number of the scores of an output: keys of dictionaries, indices of lists."""


class IrregularError(Exception):
    """The results of a metric cannot be columns of numbers; its totals need the results themselves."""


@dataclass
class PartTotals:
    """What the totals of a metric need of a part.

    Attributes:
        counts: Maps the index of each system to its number of outputs.
        columns: The path of each column of scores, or the number of each statistic.
        sums: For each system and column the sum of integers; 0 for columns that are kept.
        values: The columns that are kept, as bytes of floats: a number for each output, NaN where it is undefined.
        whole: The columns that are kept, but contain integers.
        results: Instead of columns, the systems and the results of each batch.
    """

    counts: dict[int, int] = field(default_factory=dict)
    columns: list[Path] = field(default_factory=list)
    sums: dict[int, list[int]] = field(default_factory=dict)
    values: dict[int, bytes] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    results: list[tuple[Mapping[int, Sequence[int]], BatchScores]] | None = None


class TotalsEncoder:
    """Collects what the totals of a metric need, batch by batch.

    Args:
        kind: The class of the totals.
        has_kernel: Whether a kernel computes the statistics, each of which is always an integer or always a float.
        as_results: Whether to keep the results themselves.
    """

    def __init__(self, kind: type[Total], has_kernel: bool, as_results: bool) -> None:
        self.totals = PartTotals()
        self._kind = kind
        self._sums_whole_numbers = has_kernel
        self._values: dict[int, array[float]] = {}
        if as_results or kind not in (StatisticsTotal, MeanTotal):
            self.totals.results = []

    def add(self, results: BatchScores, members: Mapping[int, Sequence[int]]) -> None:
        """Adds the results of a batch.

        Args:
            results: The results.
            members: Maps the index of each system to its outputs in the batch.

        Raises:
            IrregularError: if the results themselves are needed.
        """
        for system, indices in members.items():
            self.totals.counts[system] = self.totals.counts.get(system, 0) + len(indices)
        if self.totals.results is not None:
            scores = [] if self._kind is StatisticsTotal else results.scores
            needed = BatchScores(scores, results.statistics, vectors=results.vectors)
            self.totals.results.append(({system: list(indices) for system, indices in members.items()}, needed))
            return
        if results.vectors is not None:
            self._add_vectors(results.vectors, members)
            return
        columns = dict(_columns(results.statistics if self._kind is StatisticsTotal else results.scores))
        self.totals.columns = self.totals.columns or list(columns)
        if self.totals.columns != list(columns):
            raise IrregularError
        for number, values in enumerate(columns.values()):
            self._add_column(number, values, members)

    def finish(self) -> PartTotals:
        """Returns what was collected."""
        self.totals.values = {number: values.tobytes() for number, values in self._values.items()}
        return self.totals

    def _add_vectors(self, vectors: Vectors, members: Mapping[int, Sequence[int]]) -> None:
        columns = [(number,) for number in range(vectors.width)] if vectors.paths is None else vectors.paths
        self.totals.columns = self.totals.columns or columns
        if self.totals.columns != columns:
            raise IrregularError
        for system, indices in members.items() if vectors.whole else ():
            sums = self.totals.sums.setdefault(system, [0] * vectors.width)
            added = vectors.added_to(None, None if len(members) == 1 else indices)
            sums[: vectors.whole] = [
                before + int(one) for before, one in zip(sums, added[: vectors.whole], strict=False)
            ]
        for number in range(vectors.whole, vectors.width):
            self._values.setdefault(number, array("d")).extend(vectors.column(number))

    def _add_column(self, number: int, values: Sequence[Any], members: Mapping[int, Sequence[int]]) -> None:
        types = set(map(type, values))
        is_whole = self._kind is StatisticsTotal and types == {int}
        if is_whole and self._sums_whole_numbers and number not in self._values:
            for system, indices in members.items():
                sums = self.totals.sums.setdefault(system, [0] * len(self.totals.columns))
                sums[number] += sum(values) if len(members) == 1 else sum([values[index] for index in indices])
            return
        if number not in self._values:
            if any(sums[number] for sums in self.totals.sums.values()) or not types <= {int, float, type(None)}:
                raise IrregularError
            self._values[number] = array("d")
            self.totals.whole.add(number)
        if not is_whole:
            self.totals.whole.discard(number)
        try:
            self._values[number].extend(nan if value is None else value for value in values)
        except (TypeError, OverflowError):
            raise IrregularError from None


def _columns(rows: Sequence[Any] | None) -> Iterator[tuple[Path, Sequence[Any]]]:
    """Yields the path and the values of each number of equally shaped rows.

    Raises:
        IrregularError: if the rows have different shapes.
    """
    if not rows:
        raise IrregularError
    first = rows[0]
    if isinstance(first, Mapping):
        keys = first.keys()
        if not all(isinstance(row, Mapping) and row.keys() == keys for row in rows):
            raise IrregularError
        for key in keys:
            for path, values in _columns([row[key] for row in rows]):
                yield (key, *path), values
    elif isinstance(first, (list, tuple)):
        if not all(isinstance(row, (list, tuple)) and len(row) == len(first) for row in rows):
            raise IrregularError
        for index, column in enumerate(zip(*rows, strict=True)):
            for path, values in _columns(column):
                yield (index, *path), values
    else:
        yield (), rows


def add_to_totals(part: PartTotals, everything: Total, systems: Sequence[Total], numbers: bytes) -> None:
    """Adds a part to the totals of a metric; the parts of a run are added in their order.

    Args:
        part: What the totals need of the part.
        everything: The total of all systems.
        systems: The totals of the systems of the part.
        numbers: For each output of the part the index of its system, as bytes of 32-bit integers.

    Raises:
        InputError: if its results have other scores than those of earlier parts.
    """
    if part.results is not None:
        for members, results in part.results:
            if results.vectors is not None:
                added: list[tuple[Total, Sequence[int] | None, int]] = [
                    (systems[index], None if len(members) == 1 else outputs, len(outputs))
                    for index, outputs in members.items()
                ]
                for total, chosen, count in [*added, (everything, None, sum(map(len, members.values())))]:
                    if isinstance(total, StatisticsTotal):
                        total.sums = results.vectors.added_to(total.sums, chosen)
                        total.count += count
                    else:
                        assert isinstance(total, MeanTotal)
                        _add_scores(total, results.vectors, chosen, count)
                continue
            scores: Sequence[Any] = results.scores or [{}] * sum(map(len, members.values()))
            everything.extend(scores, results.statistics)
            for index, outputs in members.items():
                statistics = results.statistics and [results.statistics[output] for output in outputs]
                systems[index].extend([scores[output] for output in outputs], statistics)
        return
    if not part.counts:
        return
    kept = _kept_columns(part)
    _add_columns(everything, part, kept, sum(part.counts.values()), None)
    for index, count in part.counts.items():
        _add_columns(systems[index], part, _of_system(kept, part, index, numbers), count, index)


def _kept_columns(part: PartTotals) -> dict[int, Column]:
    return {number: _column(values) for number, values in part.values.items()}


def _column(values: bytes) -> Column:
    """Returns the numbers of a column; few numbers do not need NumPy."""
    if len(values) <= 8 * _FEW_NUMBERS:
        return array("d", values)
    import numpy as np

    return np.frombuffer(values)


def _of_system(kept: dict[int, Column], part: PartTotals, system: int, numbers: bytes) -> dict[int, Column]:
    """Returns the columns of the outputs of a system."""
    if not kept or len(part.counts) == 1:
        return kept
    if len(numbers) <= 4 * _FEW_NUMBERS:
        chosen = [index for index, number in enumerate(array("I", numbers)) if number == system]
        return {number: array("d", map(values.__getitem__, chosen)) for number, values in kept.items()}
    import numpy as np

    members = np.frombuffer(numbers, dtype=np.uint32) == system
    return {number: np.asarray(values)[members] for number, values in kept.items()}


def _add_columns(total: Total, part: PartTotals, kept: Mapping[int, Column], count: int, system: int | None) -> None:
    """Adds the columns of a part, or of one of its systems, to a total."""
    if isinstance(total, StatisticsTotal):
        sums = part.sums if system is None else {system: part.sums.get(system, [0] * len(part.columns))}
        total.sums = _advanced_sums(total.sums, part, kept, list(sums.values()))
        total.count += count
    elif isinstance(total, MeanTotal):
        _advance_means(total, part.columns, kept, count)


def _advanced_sums(
    before: Sequence[float] | None, part: PartTotals, kept: Mapping[int, Column], sums: Sequence[Sequence[int]]
) -> list[float]:
    """Returns sums of statistics, to which those of a part were added."""
    if before is not None and len(before) != len(part.columns):
        raise InputError(f"the statistics must have {len(before)} numbers for every output, got {len(part.columns)}")
    advanced: list[float] = []
    for number in range(len(part.columns)):
        start = None if before is None else before[number]
        if number not in kept:
            advanced.append((start or 0) + sum(of_system[number] for of_system in sums))
        elif number in part.whole and type(start) is not float:
            advanced.append(int(carried(start, kept[number])))
        else:
            advanced.append(carried(start, kept[number]))
    return advanced


def carried(start: float | None, values: Column) -> float:
    """Adds numbers to a sum from left to right, one after the other; without a sum, to the first number."""
    if not len(values):
        return 0.0 if start is None else start
    if isinstance(values, array):
        return (
            functools.reduce(operator.add, values) if start is None else functools.reduce(operator.add, values, start)
        )
    import numpy as np

    summands = np.array(values, dtype=float)
    if start is not None:
        summands[0] += start
    return float(np.add.accumulate(summands)[-1])


def _advance_means(total: MeanTotal, columns: Sequence[Path], kept: Mapping[int, Column], count: int) -> None:
    """Adds columns of scores to means."""
    undefined: dict[str, set[int]] = {}
    for number, path in enumerate(columns):
        defined, missing = _defined(kept[number])
        mean = total.mean_at(path)
        mean.sum = carried(mean.sum, defined)
        mean.count += count - len(missing)
        undefined.setdefault("_".join(key for key in path if isinstance(key, str)), set()).update(missing)
    total.advance(count, {name: len(missing) for name, missing in undefined.items() if missing})


def _add_scores(total: MeanTotal, vectors: Vectors, outputs: Sequence[int] | None, count: int) -> None:
    """Adds the scores of `count` outputs to means, those of all outputs if `outputs` is `None`."""
    paths = vectors.paths or ()
    means = list(map(total.mean_at, paths))
    sums = vectors.added_to([mean.sum for mean in means], outputs)
    if all(map(isfinite, sums)):
        for mean, number in zip(means, sums, strict=True):
            mean.sum = number
            mean.count += count
        total.advance(count, {})
        return
    columns = (list(vectors.column(number)) for number in range(vectors.width))
    chosen = {
        number: array("d", column if outputs is None else map(column.__getitem__, outputs))
        for number, column in enumerate(columns)
    }
    _advance_means(total, paths, chosen, count)


def _defined(values: Column) -> tuple[Column, Sequence[int]]:
    """Returns the numbers of a column without NaN, and the indices of NaN."""
    if isinstance(values, array):
        missing = [index for index, value in enumerate(values) if value != value]
        return (array("d", (value for value in values if value == value)) if missing else values), missing
    import numpy as np

    is_missing = np.isnan(values)
    return values[~is_missing], np.flatnonzero(is_missing).tolist()
