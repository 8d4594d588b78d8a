"""``--resampling poisson``: intervals and tests from sums that are computed as outputs are scored (decision 0058)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.significance.collector import Collector, encoders_of
from metrics_framework.significance.poisson_confidence import MetricSums, poisson_confidence
from metrics_framework.significance.poisson_sums import PoissonSums
from metrics_framework.significance.poisson_weights import input_words, poisson_weights, swaps
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.systems import Confidence


class PoissonCollector(Collector):
    """Sums the statistics or scores of each system in each resample.

    Memory does not depend on the number of outputs: 48 bytes for each number of an output, resample and system, as many
    for trials.

    Args:
        metrics: The metrics.
        resampling: How to resample.

    Raises:
        UsageError: if a metric cannot be resampled.
    """

    def __init__(self, metrics: Sequence[LabelledMetric], resampling: Resampling) -> None:
        self._encoders = encoders_of(metrics, "leave out --confidence")
        self._labels = [metric.label for metric in metrics]
        self._resampling = resampling
        self._systems: dict[str, list[PoissonSums]] = {}

    @overrides
    def add(self, instance_ids: Sequence[str], summarizer_ids: Sequence[str], results: Sequence[BatchScores]) -> None:
        import numpy as np

        names = {name: index for index, name in enumerate(dict.fromkeys(instance_ids))}
        words = input_words(list(names), self._resampling.seed)
        weights, swapped = poisson_weights(words, self._draws), swaps(words, self._resampling.number_of_trials)
        rows = [self._numbers(index, result) for index, result in enumerate(results)]
        by_system: dict[str, list[int]] = {}
        for index, system in enumerate(summarizer_ids):
            by_system.setdefault(system, []).append(index)
        for system, members in by_system.items():
            inputs = [names[instance_ids[index]] for index in members]
            all_inputs = inputs == list(range(len(names)))
            factors = (weights, swapped) if all_inputs else (weights[inputs], swapped[inputs])
            of_inputs = words[inputs].tolist()
            sums = self._sums_of(system, [numbers.shape[1] for numbers in rows])
            for label, numbers, of_metric in zip(self._labels, rows, sums, strict=True):
                try:
                    of_metric.add(np.asarray(numbers[members]), *factors, of_inputs)
                except ValueError as error:
                    raise UsageError(f"cannot resample '{label}' with --resampling poisson: {error}") from None

    @property
    def _draws(self) -> int:
        return max(self._resampling.resamples, self._resampling.number_of_trials)

    def _numbers(self, index: int, result: BatchScores) -> Floats:
        import numpy as np

        return np.array(self._encoders[index].rows(result), dtype=np.float64)

    def _sums_of(self, system: str, widths: Sequence[int]) -> list[PoissonSums]:
        if system not in self._systems:
            trials = self._resampling.number_of_trials
            self._systems[system] = [PoissonSums(width, self._draws, trials) for width in widths]
        return self._systems[system]

    @overrides
    def merge(self, later: Any) -> None:
        for encoder, other in zip(self._encoders, later._encoders, strict=True):
            encoder.take_over(other)
        for system, others in later._systems.items():
            sums = self._sums_of(system, [len(one.infinite) for one in others])
            for own, other in zip(sums, others, strict=True):
                own.merge(other)

    @overrides
    def confidence(
        self, metrics: Sequence[LabelledMetric], resampling: Resampling, baseline: str | None, log: Log
    ) -> Confidence:
        functions = [encoder.scores_of_sums() for encoder in self._encoders]
        columns = [encoder.columns() for encoder in self._encoders]
        systems = {system: list(map(MetricSums, functions, sums, columns)) for system, sums in self._systems.items()}
        return poisson_confidence(systems, metrics, resampling, baseline, log)
