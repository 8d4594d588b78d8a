"""Collects the scores and statistics of a run for resampling."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from math import nan
from typing import Any

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import CorpusMetric, LabelledMetric
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import InputOrder, ScoreVectors, can_be_resampled
from metrics_framework.significance.systems import Confidence, confidence_of


class Collector(ABC):
    """Collects what intervals and tests need of every output."""

    @abstractmethod
    def add(self, instance_ids: Sequence[str], summarizer_ids: Sequence[str], results: Sequence[BatchScores]) -> None:
        """Adds scored outputs.

        Args:
            instance_ids: The input of each output.
            summarizer_ids: The system of each output.
            results: For each metric, the scores and additive statistics of all outputs.
        """

    @abstractmethod
    def merge(self, later: Any) -> None:
        """Adds what another collector of the same kind collected from later outputs."""

    @abstractmethod
    def confidence(
        self, metrics: Sequence[LabelledMetric], resampling: Resampling, baseline: str | None, log: Log
    ) -> Confidence:
        """Computes intervals and tests.

        Args:
            metrics: The metrics of the run.
            resampling: How to resample.
            baseline: The system to compare the other systems with; `None` for the first system.
            log: Receives warnings.

        Raises:
            UnknownNameError: if the baseline is not one of the systems.
        """


def encoders_of(metrics: Sequence[LabelledMetric], hint: str) -> list[StatisticsEncoder | ScoresEncoder]:
    """Returns what encodes the outputs of each metric as numbers.

    Args:
        metrics: The metrics.
        hint: What to do about a metric that cannot be resampled.

    Raises:
        UsageError: if a metric's system score is neither a mean nor computed from summed statistics.
    """
    for metric in metrics:
        if not can_be_resampled(metric.metric):
            raise UsageError(
                f"cannot resample '{metric.label}': its system score is neither a mean nor computed from summed "
                f"statistics; {hint}"
            )
    return [
        StatisticsEncoder(labelled.metric) if isinstance(labelled.metric, CorpusMetric) else ScoresEncoder()
        for labelled in metrics
    ]


class ScoreCollector(Collector):
    """Collects the results of every output, by system and metric.

    Memory: for each output, 8 bytes per additive statistic (36 for SARI, 10 for BLEU) or per score, and 8 bytes for the
    number of its input; for each input, some 150 bytes. Resampling several systems needs up to four times as much.

    Args:
        metrics: The metrics.
        hint: What to do about a metric that cannot be resampled.

    Raises:
        UsageError: if a metric's system score is neither a mean nor computed from summed statistics.
    """

    def __init__(self, metrics: Sequence[LabelledMetric], hint: str = "leave out --confidence") -> None:
        self._encoders = encoders_of(metrics, hint)
        self._input_numbers: dict[str, int] = {}
        self._inputs: dict[str, array[int]] = {}
        self._columns: dict[str, list[array[float]]] = {}

    @overrides
    def add(self, instance_ids: Sequence[str], summarizer_ids: Sequence[str], results: Sequence[BatchScores]) -> None:
        rows_of_metrics = [encoder.rows(result) for encoder, result in zip(self._encoders, results, strict=True)]
        by_system: dict[str, list[int]] = {}
        for index, system in enumerate(summarizer_ids):
            by_system.setdefault(system, []).append(index)
        numbers = self._input_numbers
        for system, indices in by_system.items():
            if system not in self._columns:
                self._inputs[system] = array("q")
                self._columns[system] = [array("d") for _ in self._encoders]
            ids = (instance_ids[index] for index in indices)
            self._inputs[system].extend(numbers.setdefault(name, len(numbers)) for name in ids)
            for column, rows in zip(self._columns[system], rows_of_metrics, strict=True):
                column.extend(chain.from_iterable(rows[index] for index in indices))

    @overrides
    def merge(self, later: Any) -> None:
        for encoder, other in zip(self._encoders, later._encoders, strict=True):
            encoder.take_over(other)
        names = list(later._input_numbers)
        numbers = [self._input_numbers.setdefault(name, len(self._input_numbers)) for name in names]
        for system, inputs in later._inputs.items():
            if system not in self._columns:
                self._inputs[system] = array("q")
                self._columns[system] = [array("d") for _ in self._encoders]
            self._inputs[system].extend(numbers[number] for number in inputs)
            for column, values in zip(self._columns[system], later._columns[system], strict=True):
                column.extend(values)

    @overrides
    def confidence(
        self, metrics: Sequence[LabelledMetric], resampling: Resampling, baseline: str | None, log: Log
    ) -> Confidence:
        return confidence_of(self.score_vectors(), metrics, resampling, baseline, log)

    def score_vectors(self) -> dict[str, list[ScoreVectors]]:
        """Returns the vectors of each system for each metric; systems are in the order of their first outputs."""
        import numpy as np

        names = list(self._input_numbers)
        vectors = {}
        orders: dict[bytes, InputOrder] = {}  # most systems have the same inputs in the same order
        for system, columns in self._columns.items():
            numbers_of_inputs = self._inputs[system]
            key = numbers_of_inputs.tobytes()
            if key not in orders:
                orders[key] = InputOrder([names[number] for number in numbers_of_inputs])
            order = orders[key]
            matrices = (np.asarray(column).reshape(len(order), -1) for column in columns)
            vectors[system] = [
                encoder.score_vectors(order, numbers) for encoder, numbers in zip(self._encoders, matrices, strict=True)
            ]
        return vectors


class StatisticsEncoder:
    """Encodes an output as its additive statistics.

    Args:
        metric: The metric.
    """

    def __init__(self, metric: CorpusMetric) -> None:
        self._metric = metric

    def rows(self, results: BatchScores) -> Sequence[Sequence[float]]:
        """Returns the numbers of each output."""
        return results.statistics or []

    def take_over(self, other: Any) -> None:
        """Does nothing: statistics have no names."""

    def columns(self) -> dict[str, list[int]]:
        """Returns nothing: a score of summed statistics needs all of them."""
        return {}

    def scores_of_sums(self) -> Callable[[Floats], dict[str, Floats]]:
        """Returns a function of the sums of statistics and of weights, shape (sums, 2 · statistics), to scores."""

        def scores_of(sums: Floats) -> dict[str, Floats]:
            numbers = sums[:, : sums.shape[1] // 2]
            return self.score_vectors(InputOrder(["input"]), numbers[:1]).scores_of(numbers)

        return scores_of

    def score_vectors(self, ids: InputOrder, numbers: Floats) -> ScoreVectors:
        """Decodes the numbers of outputs, shape (outputs, statistics)."""
        return ScoreVectors.of_statistics(self._metric, ids, numbers)


class ScoresEncoder:
    """Encodes an output as its scores, in the order of the first output; NaN where a score is undefined."""

    def __init__(self) -> None:
        self._lengths: dict[str, int | None] | None = None  # the length of each list-valued score, None for a number

    def rows(self, results: BatchScores) -> Sequence[Sequence[float]]:
        """Returns the numbers of each output."""
        return [self._numbers(MetricsDict(scores).flatten()) for scores in results.scores]  # workers send plain dicts

    def take_over(self, other: Any) -> None:
        """Takes over the names of the scores of later outputs, if there were no outputs so far."""
        self._lengths = self._lengths or other._lengths

    def _numbers(self, scores: Mapping[str, Any]) -> list[float]:
        if self._lengths is None:
            self._lengths = {
                name: len(value) if isinstance(value, (list, tuple)) else None for name, value in scores.items()
            }
        values = ((scores[name],) if length is None else scores[name] for name, length in self._lengths.items())
        return [nan if value is None else value for value in chain.from_iterable(values)]

    def columns(self) -> dict[str, list[int]]:
        """Returns the columns of the numbers of each score."""
        columns, start = {}, 0
        for name, length in (self._lengths or {}).items():
            end = start + (1 if length is None else length)
            columns[name] = list(range(start, end))
            start = end
        return columns

    def scores_of_sums(self) -> Callable[[Floats], dict[str, Floats]]:
        """Returns a function of the sums of scores and of weights, shape (sums, 2 · numbers), to means."""

        def scores_of(sums: Floats) -> dict[str, Floats]:
            import numpy as np

            width = sums.shape[1] // 2
            counts = sums[:, width:]
            means = np.where(counts > 0, sums[:, :width] / np.maximum(counts, 1), np.nan)
            return self._columns(means)

        return scores_of

    def score_vectors(self, ids: InputOrder, numbers: Floats) -> ScoreVectors:
        """Decodes the numbers of outputs, shape (outputs, numbers)."""
        return ScoreVectors.of_columns(ids, self._columns(numbers))

    def _columns(self, numbers: Floats) -> dict[str, Floats]:
        lengths = self._lengths or {}
        return {
            name: numbers[:, columns[0]] if lengths[name] is None else numbers[:, columns]
            for name, columns in self.columns().items()
        }
