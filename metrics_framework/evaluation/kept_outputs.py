"""Keeps what outputs add up to until all of them were scored, so that they can be resampled."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.labels import LabelledMetric
from metrics_framework.evaluation.outputs import Outputs
from metrics_framework.evaluation.scored_batches import ScoredBatch
from metrics_framework.metrics.metric import CorpusMetric
from metrics_framework.metrics.totals import MeanTotal, StatisticsTotal


class KeptOutputs:
    """Keeps the outputs of every system, for every metric.

    An output takes 8 bytes for each of its additive statistics (36 of SARI, 10 of BLEU), or for each of its scores, and
    8 for its input; an input some 150 bytes. Resampling takes as much again.

    Args:
        metrics: The metrics.

    Raises:
        UsageError: if the score of a metric is made in a way of its own, neither as a mean nor of summed statistics.
    """

    def __init__(self, metrics: Sequence[LabelledMetric]) -> None:
        for metric in metrics:
            if type(metric.metric.new_total()) not in (MeanTotal, StatisticsTotal):
                raise UsageError(
                    f"'{metric.label}' adds up its outputs in a way of its own, so that they cannot be resampled; "
                    f"leave --confidence out"
                )
        self._metrics = metrics
        self._numbers: dict[str, int] = {}
        self._inputs: dict[str, array[int]] = {}
        self._columns: dict[str, list[_Vectors | _Scores]] = {}

    def add(self, batch: ScoredBatch) -> None:
        """Keeps the outputs of a batch."""
        places: dict[str, list[int]] = {}
        for place, one in enumerate(batch.instances):
            places.setdefault(one.summarizer_id, []).append(place)
        for system, chosen in places.items():
            if system not in self._columns:
                self._inputs[system] = array("q")
                self._columns[system] = [_kept(metric) for metric in self._metrics]
            ids = (batch.instances[place].instance_id for place in chosen)
            self._inputs[system].extend(self._numbers.setdefault(name, len(self._numbers)) for name in ids)
            for column, (scores, statistics) in zip(self._columns[system], batch.columns, strict=True):
                column.add([(scores[place], statistics[place]) for place in chosen])

    @property
    def systems(self) -> list[str]:
        """The systems, in the order in which they came."""
        return list(self._columns)

    def outputs(self, system: str) -> list[Outputs]:
        """Returns the outputs of a system, for each metric."""
        return self._together([system])

    def all_outputs(self) -> list[Outputs]:
        """Returns the outputs of all systems together, for each metric."""
        return self._together(sorted(self._columns))

    def _together(self, systems: Sequence[str]) -> list[Outputs]:
        names = list(self._numbers)
        ids = [names[number] for number in chain.from_iterable(self._inputs[system] for system in systems)]
        columns = zip(*(self._columns[system] for system in systems), strict=True)
        return [several[0].outputs(ids, several) for several in columns]


class _Vectors:
    """Keeps additive statistics.

    Args:
        metric: The metric.
    """

    def __init__(self, metric: CorpusMetric) -> None:
        self._metric = metric
        self.numbers = array("d")
        self.count = 0

    def add(self, scored: Iterable[tuple[Any, Any]]) -> None:
        """Keeps the statistics of outputs."""
        for _, statistics in scored:
            self.numbers.extend(statistics)
            self.count += 1

    def outputs(self, ids: Sequence[str], several: Sequence[Any]) -> Outputs:
        """Joins what several systems have."""
        import numpy as np

        vectors = np.concatenate([np.frombuffer(one.numbers).reshape(one.count, -1) for one in several])
        return Outputs.of_statistics(self._metric, ids, vectors)


class _Scores:
    """Keeps scores."""

    def __init__(self) -> None:
        self.numbers = array("d")
        self.count = 0
        self._places: dict[str, int | None] = {}

    def add(self, scored: Iterable[tuple[Any, Any]]) -> None:
        """Keeps the scores of outputs, NaN where one is not defined."""
        for scores, _ in scored:
            flat = MetricsDict(scores).flatten()
            if not self.count:
                self._places = {
                    name: len(one) if isinstance(one, (list, tuple)) else None for name, one in flat.items()
                }
            for name, places in self._places.items():
                numbers = [flat[name]] if places is None else flat[name]
                self.numbers.extend([float("nan") if one is None else one for one in numbers])
            self.count += 1

    def outputs(self, ids: Sequence[str], several: Sequence[Any]) -> Outputs:
        """Joins what several systems have."""
        import numpy as np

        found = {}
        start = 0
        tables = [np.frombuffer(one.numbers).reshape(one.count, -1) for one in several]
        for name, places in self._places.items():
            end = start + (1 if places is None else places)
            shape = (len(ids),) if places is None else (len(ids), places)
            found[name] = np.concatenate([table[:, start:end] for table in tables]).reshape(shape)
            start = end
        return Outputs.of_columns(ids, found)


def _kept(metric: LabelledMetric) -> _Vectors | _Scores:
    return _Vectors(metric.metric) if isinstance(metric.metric, CorpusMetric) else _Scores()
