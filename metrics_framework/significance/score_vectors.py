"""The outputs of a system as vectors that sum to its score, so that they can be resampled, swapped and left out."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, groupby
from typing import Any

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import inexact_sizes, rounding_error
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.totals import ArrayScores, MeanTotal, StatisticsTotal, SwapScores

FORMULA_ROUNDING = 1e-12
"""How much rounding may change a score that is computed from summed statistics, as a fraction of the score."""


def can_be_resampled(metric: Metric) -> bool:
    """Returns whether the score of a system is a mean or computed from summed statistics, and nothing else."""
    return type(metric.new_total()) in (MeanTotal, StatisticsTotal)


def defines_score_sums(metric: CorpusMetric, method: str = "score_sums") -> bool:
    """Returns whether a formula on arrays is one of the metric's ``score_statistics``, not of those of its base.

    Args:
        metric: The metric.
        method: The formula: ``score_sums`` or ``score_swaps``.
    """
    formulas = {"score_sums", "score_statistics", "score_swaps"}
    return next((method in vars(base) for base in type(metric).__mro__ if formulas & vars(base).keys()), False)


class InputOrder:
    """The inputs of outputs, sorted: numbers by value, then other ids as strings.

    Args:
        ids: The instance id of each output.

    Attributes:
        inputs: The instance ids without duplicates, sorted.
        groups: For each input, the indices of its outputs.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        order = sorted(range(len(ids)), key=lambda index: id_sort_key(ids[index]))
        groups = [(name, list(indices)) for name, indices in groupby(order, key=lambda index: ids[index])]
        self.inputs = [name for name, _ in groups]
        self.groups = [indices for _, indices in groups]
        self._size = len(ids)

    def __len__(self) -> int:
        """Returns the number of outputs."""
        return self._size


class ScoreVectors:
    """The outputs of one system under one metric.

    Create them with `of_statistics` or `of_scores`.

    Args:
        ids: The instance id of each output, or their order, which several metrics share.
        vectors: Shape (outputs, width); the vectors of outputs with the same instance id are summed.
        scores_of: Computes scores from sums of vectors, shape (sums, width): flat name to values of shape (sums,), or
            (sums, numbers) for a list-valued score; NaN where a score is undefined.
        meaning: What the numbers of a vector are; only vectors with the same meaning are summed or compared.
        shapes: If scores are means of the scores of outputs, which may be undefined: flat name to the shape of the
            score of one output. A vector then has the numbers of all scores, sorted by name, and after them how many
            values each of these numbers is the sum of.

    Attributes:
        inputs: The instance ids without duplicates, sorted: numbers by value, then other ids as strings.
        vectors: One vector per input.
        scores_of: The argument.
        scores_of_swaps: Computes scores as `scores_of` does, up to rounding: perhaps with a faster formula.
        meaning: The argument.
        is_mean: Whether scores are means of the scores of outputs, which may be undefined.
        shapes: The argument; empty for scores that are no means.
        given: The means of the absolute values that are no integers, before `relative` changed them.

    Raises:
        InputError: if there are no outputs, or the numbers of vectors and ids differ.
    """

    def __init__(
        self,
        ids: Sequence[str] | InputOrder,
        vectors: Floats,
        scores_of: Callable[[Floats], dict[str, Floats]],
        meaning: Sequence[str],
        shapes: Mapping[str, tuple[int, ...]] | None = None,
    ) -> None:
        _check_length(ids, vectors)
        self.scores_of = self.scores_of_swaps = scores_of
        self.meaning = meaning
        self.is_mean = shapes is not None
        self.shapes = shapes or {}
        self.given: Mapping[str, Floats] | None = None
        order = ids if isinstance(ids, InputOrder) else InputOrder(ids)
        self.inputs = order.inputs
        self._sizes_of_clusters: Floats | None = None
        self.vectors = _summed(vectors, order.groups)

    @classmethod
    def of_statistics(
        cls, metric: CorpusMetric, ids: Sequence[str] | InputOrder, statistics: Sequence[Statistics] | Floats
    ) -> ScoreVectors:
        """Creates vectors of additive statistics; the score of the system is computed from their sum.

        Args:
            metric: The metric.
            ids: The instance id of each output.
            statistics: The statistics of each output, shape (outputs, statistics).
        """
        import numpy as np

        dtype = np.int64 if metric.statistics_are_whole else np.float64
        of_arrays = metric.score_sums if isinstance(metric, ArrayScores) and defines_score_sums(metric) else None

        def scores_of(
            sums: Floats, formula: Callable[[Floats], dict[str, Floats]] | None = of_arrays
        ) -> dict[str, Floats]:
            finite = None if metric.statistics_are_whole else np.isfinite(sums)
            defined = None if finite is None or finite.all() else np.asarray(finite.all(axis=1))
            rows = sums if defined is None else sums[defined]
            if formula is not None and len(rows) > 1:
                scores = formula(rows)
            else:  # a single score is that of the macro file, to the last bit
                scores = _columns([metric.score_statistics(row) for row in rows.astype(dtype).tolist()])
            if defined is None:
                return scores
            return {name: _with_nan(values, defined) for name, values in scores.items()}

        vectors = cls(ids, np.asarray(statistics, dtype=np.float64), scores_of, (metric.signature(),))
        if isinstance(metric, SwapScores) and defines_score_sums(metric, "score_swaps"):
            vectors.scores_of_swaps = functools.partial(scores_of, formula=metric.score_swaps)
        return vectors

    @classmethod
    def of_scores(cls, ids: Sequence[str], scores: Sequence[Mapping[str, Any]]) -> ScoreVectors:
        """Creates vectors of scores; the score of the system is their mean.

        As in `metrics.base.totals.MeanTotal`, the mean is over the outputs for which a score is defined, and NaN if
        there are none. If the score of an output is infinite, it is undefined in every resample.

        Args:
            ids: The instance id of each output.
            scores: The scores of each output; all outputs have the same score names.
        """
        _check_length(ids, scores)
        return cls.of_columns(ids, _columns(scores))

    @classmethod
    def of_columns(cls, ids: Sequence[str] | InputOrder, columns: Mapping[str, Floats]) -> ScoreVectors:
        """Like `of_scores`, from arrays of the values of each score, shape (outputs,) or (outputs, numbers)."""
        import numpy as np

        flat = [columns[name].reshape(len(ids), -1) for name in sorted(columns)]
        shapes = {name: values.shape[1:] for name, values in columns.items()}
        numbers = np.concatenate([np.empty((len(ids), 0)), *flat], axis=1)
        defined = ~np.isnan(numbers)
        numbers = np.where(np.isinf(numbers), np.nan, np.where(defined, numbers, 0.0))
        vectors = np.concatenate([numbers, defined], axis=1)
        return cls(ids, vectors, _means_of(shapes), _meaning_of(shapes), shapes)

    @classmethod
    def joined(cls, systems: Sequence[ScoreVectors]) -> ScoreVectors:
        """Joins the outputs of several systems, as if one system had written all of them.

        Raises:
            InputError: if the systems were scored by different metrics.
        """
        import numpy as np

        check_meaning(systems)
        rows: dict[str, int] = {}
        rows_of_systems = [[rows.setdefault(name, len(rows)) for name in system.inputs] for system in systems]
        vectors = np.zeros((len(rows), systems[0].vectors.shape[1]))
        for system, indices in zip(systems, rows_of_systems, strict=True):
            vectors[indices] += system.vectors
        first = systems[0]
        shapes = first.shapes if first.is_mean else None
        return cls(list(rows), vectors, first.scores_of, first.meaning, shapes)

    def score(self) -> dict[str, Floats]:
        """Returns the score over all outputs: flat name to values of shape (1,) or (1, numbers)."""
        return self.scores_of(self.vectors.sum(axis=0, keepdims=True))

    def rounding(self, *, each_input: bool = False) -> dict[str, Floats]:
        """Returns how much rounding may change the score over all outputs, in the form of `score`.

        Args:
            each_input: Whether to return it for the scores of each input instead, in the form of `of_each_input`.
        """
        if not self.is_mean:
            scores = self.scores_of(self.vectors) if each_input else self.score()
            return {name: FORMULA_ROUNDING * abs(values) for name, values in scores.items()}
        sizes, given = self._sizes(each_input), self.given or self._sizes(each_input, inexact_only=True)
        count = 1 if each_input else len(self.inputs)
        return {name: rounding_error(size, count, given[name]) for name, size in sizes.items()}

    def _sizes(self, each_input: bool = False, inexact_only: bool = False) -> dict[str, Floats]:
        """Returns the means of absolute values, or of those that are no integers, whose decimals floats round."""
        import numpy as np

        numbers, counts = _halves(self.vectors)
        sizes = np.concatenate([inexact_sizes(numbers) if inexact_only else abs(numbers), counts], axis=1)
        return self.scores_of(sizes if each_input else sizes.sum(axis=0, keepdims=True))

    @staticmethod
    def relative(systems: Sequence[ScoreVectors]) -> list[ScoreVectors]:
        """Subtracts what the scores of systems have in common for each input, so that sums keep their differences.

        Args:
            systems: Systems with outputs for the same inputs, scored by the same metric.

        Returns:
            Systems whose means have the same differences; the systems themselves if scores are no means, or systems
            have different numbers of outputs for an input.
        """
        import numpy as np

        stacked, middle = np.stack([system.vectors for system in systems]), (len(systems) - 1) // 2
        numbers, counts = _halves(stacked) if systems[0].is_mean else (stacked, stacked)
        if not systems[0].is_mean or (counts != counts[0]).any():
            return list(systems)
        common = np.partition(numbers, middle, axis=0)[middle]  # NaN is the largest
        common = np.where(np.isnan(common), 0.0, common)
        found = []
        for system, values in zip(systems, numbers, strict=True):
            one = system._with(system.inputs, np.concatenate([values - common, counts[0]], axis=1))
            one.given = system._sizes(inexact_only=True)
            found.append(one)
        return found

    def without_each_input(self) -> dict[str, Floats]:
        """Returns the scores without the outputs for one input each, shape (inputs,) or (inputs, numbers).

        They are undefined if there is no other input.
        """
        import numpy as np

        if len(self.inputs) == 1:
            return {name: np.full_like(values, np.nan) for name, values in self.score().items()}
        return self.scores_of(self.vectors.sum(axis=0) - self.vectors)

    def only(self, inputs: Sequence[str]) -> ScoreVectors:
        """Returns the outputs for some of the inputs."""
        rows = {name: index for index, name in enumerate(self.inputs)}
        order = sorted(rows[name] for name in set(inputs))
        return self._with([self.inputs[index] for index in order], self.vectors[order])

    def has_score(self, name: str) -> Bools:
        """Returns for which inputs a mean has values, shape (inputs,); for a list-valued score, values of each number.

        Args:
            name: The flat name of a score that is a mean.
        """
        import numpy as np

        columns = self._columns_of([name])
        return np.asarray((self.vectors[:, columns[len(columns) // 2 :]] > 0).all(axis=1))

    def only_means(self, names: Sequence[str], inputs: Sequence[str]) -> ScoreVectors:
        """Returns the outputs for some of the inputs, with some of their scores.

        Args:
            names: The flat names of scores that are means.
            inputs: The inputs.
        """
        one = self.only(inputs)
        one.vectors = one.vectors[:, self._columns_of(names)]
        one.shapes = {name: shape for name, shape in self.shapes.items() if name in names}
        one.scores_of = one.scores_of_swaps = _means_of(one.shapes)
        one.meaning = _meaning_of(one.shapes)
        return one

    def _columns_of(self, names: Sequence[str]) -> list[int]:
        """Returns the columns of the numbers of some means, and then those of their counts."""
        owners = [name for name, shape in sorted(self.shapes.items()) for _ in range(math.prod(shape))]
        columns = [index for index, owner in enumerate(owners) if owner in names]
        return [*columns, *(len(owners) + index for index in columns)]

    def only_score(self, name: str, new_name: str, divisor: float = 1.0) -> ScoreVectors | None:
        """Returns the outputs with one of their scores; if it is a mean, without the inputs where it is undefined.

        Returns `None` if it is undefined for all inputs.

        Args:
            name: The flat name of a score that is a number.
            new_name: Its new name.
            divisor: What to divide the scores of outputs by, if the score is a mean.
        """
        import numpy as np

        if self.is_mean:
            values = self.of_each_input(name)
            (defined,) = np.nonzero(np.isfinite(values))
            ids = [self.inputs[index] for index in defined]
            return ScoreVectors.of_columns(ids, {new_name: values[defined] / divisor}) if ids else None
        one = self._with(self.inputs, self.vectors)
        one.scores_of, one.meaning = lambda sums: {new_name: self.scores_of(sums)[name]}, (*self.meaning, name)
        one.scores_of_swaps = lambda sums: {new_name: self.scores_of_swaps(sums)[name]}
        return one

    def of_each_input(self, name: str) -> Floats:
        """Returns a score of the outputs for each input alone, shape (inputs,)."""
        return self.scores_of(self.vectors)[name]

    def clustered(self, clusters: Mapping[str, str] | None) -> ScoreVectors:
        """Sums the vectors of each cluster of inputs, which are then resampled, swapped and left out together.

        Args:
            clusters: Input to its cluster; `None` for no clusters.

        Returns:
            One vector per cluster, in the order of their first inputs, so that clusters of one input change nothing.
        """
        import numpy as np

        if clusters is None:
            return self
        members: dict[str, list[int]] = {}
        for index, name in enumerate(self.inputs):
            members.setdefault(clusters[name], []).append(index)
        found = self._with(list(members), _summed(self.vectors, list(members.values())))
        found._sizes_of_clusters = np.array([float(len(rows)) for rows in members.values()])
        return found

    @property
    def sizes(self) -> Floats:
        """The number of inputs of each vector: 1, or that of its cluster."""
        import numpy as np

        return np.ones(len(self.inputs)) if self._sizes_of_clusters is None else self._sizes_of_clusters

    def averaged_over(self, parts: Mapping[str, str], names: Sequence[str]) -> ScoreVectors:
        """Returns vectors whose score is the mean over parts, such as domains, of the score over the inputs of each.

        A sum of vectors without inputs of a part has the mean over its other parts.

        Args:
            parts: Input to its part.
            names: The parts of all systems, in the order of their numbers in a vector.
        """
        import numpy as np

        rows, width = range(len(self.inputs)), self.vectors.shape[1] + 1  # the last number counts inputs
        columns = [names.index(parts[name]) for name in self.inputs]
        vectors = np.zeros((len(self.inputs), len(names), width))
        vectors[rows, columns, :-1], vectors[rows, columns, -1] = self.vectors, 1

        def scores_of(sums: Floats) -> dict[str, Floats]:
            by_part = sums.reshape(-1, width)
            has = by_part[:, -1] > 0
            counts = has.reshape(len(sums), -1).sum(axis=1)
            means = {}
            for name, values in self.scores_of(by_part[has, :-1]).items():
                filled = np.zeros(len(by_part))
                filled[has] = values
                means[name] = filled.reshape(len(sums), -1).sum(axis=1) / counts
            return means

        return ScoreVectors(self.inputs, vectors.reshape(len(rows), -1), scores_of, (*self.meaning, *names))

    def rounded(self, bits: int) -> ScoreVectors:
        """Rounds the numbers of vectors to multiples of 2 to the power of −bits."""
        import numpy as np

        return self._with(self.inputs, np.ldexp(np.rint(np.ldexp(self.vectors, bits)), -bits))

    @property
    def counts(self) -> Floats:
        """How many values each number of a mean is the sum of, shape (inputs, numbers); of no numbers otherwise."""
        return self.vectors[:, self.vectors.shape[1] // 2 if self.is_mean else self.vectors.shape[1] :]

    def _with(self, inputs: list[str], vectors: Floats) -> ScoreVectors:
        """Returns vectors of the same scores for other inputs, in their order."""
        other = copy.copy(self)
        other.inputs, other.vectors, other._sizes_of_clusters = inputs, vectors, None
        return other


def id_sort_key(name: str) -> tuple[bool, int, str, str]:
    """Returns the sort key of an id: numbers by value, then other ids as strings.

    >>> sorted(["b", "10", "9", "a1"], key=id_sort_key)
    ['9', '10', 'a1', 'b']
    """
    if not (name.isascii() and name.isdigit()):
        return True, 0, name, name
    digits = name.lstrip("0")
    return False, len(digits), digits, name


def check_meaning(systems: Sequence[ScoreVectors]) -> None:
    """Checks that all systems were scored by the same metric.

    Raises:
        InputError: if two systems were scored by different metrics.
    """
    first = list(systems[0].meaning)
    for system in systems[1:]:
        if list(system.meaning) != first:
            raise InputError(
                f"systems must be scored by the same metric, got {', '.join(first)} and {', '.join(system.meaning)}"
            )


def _check_length(ids: Sequence[str] | InputOrder, values: Sequence[Any] | Floats) -> None:
    if not len(ids) or len(ids) != len(values):
        raise InputError(f"expected one id for each output and at least one, got {len(values)} outputs, {len(ids)} ids")


def _summed(vectors: Floats, groups: Sequence[list[int]]) -> Floats:
    """Sums the vectors of each group, from left to right (decision 0013)."""
    import numpy as np

    sums = vectors[[indices[0] for indices in groups]]
    for nth in range(1, max(map(len, groups))):
        longer = [group for group, indices in enumerate(groups) if len(indices) > nth]
        sums[longer] += vectors[[groups[group][nth] for group in longer]]
    return np.ascontiguousarray(sums, dtype=np.float64)


def _means_of(shapes: Mapping[str, tuple[int, ...]]) -> Callable[[Floats], dict[str, Floats]]:
    """Returns a function of sums of numbers, sorted by name, and of their counts to means, NaN without values.

    Args:
        shapes: Flat name of each score to its shape.
    """
    import numpy as np

    ends = dict(zip(sorted(shapes), accumulate(math.prod(shapes[name]) for name in sorted(shapes)), strict=True))

    def scores_of(sums: Floats) -> dict[str, Floats]:
        numbers, counts = _halves(sums)
        means = np.where(counts > 0, numbers / np.maximum(counts, 1), np.nan)
        return {
            name: means[:, ends[name] - math.prod(shape) : ends[name]].reshape(len(sums), *shape)
            for name, shape in shapes.items()
        }

    return scores_of


def _halves(vectors: Floats) -> tuple[Floats, Floats]:
    """Returns the numbers of vectors of means, and their counts."""
    width = vectors.shape[-1] // 2
    return vectors[..., :width], vectors[..., width:]


def _meaning_of(shapes: Mapping[str, tuple[int, ...]]) -> list[str]:
    return [f"{name} {shapes[name]}" for name in sorted(shapes)]


def _columns(scores: Sequence[Mapping[str, Any]]) -> dict[str, Floats]:
    """Turns the scores of outputs into arrays of shape (outputs,) or (outputs, numbers), by flat name."""
    import numpy as np

    if not scores:
        return {}
    nested = any(isinstance(value, Mapping) for value in scores[0].values())  # most are flat, and copying takes time
    rows = [MetricsDict(nested_scores).flatten() for nested_scores in scores] if nested else scores
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in rows[0]}


def _with_nan(values: Floats, defined: Bools) -> Floats:
    """Returns the values at the indices that are defined, and NaN at all others."""
    import numpy as np

    result = np.full((len(defined), *values.shape[1:]), np.nan)
    result[defined] = values
    return result
