"""Keeps what outputs add up to until all of them were scored, so that they can be resampled."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from math import nan
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import UsageError
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import CorpusMetric
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal
from metrics_framework.significance.score_vectors import ScoreVectors

if TYPE_CHECKING:
    from metrics_framework.significance.score_vectors import Floats


class ScoreCollector:
    """Keeps the outputs of every system, for every metric.

    An output takes 8 bytes for each of its additive statistics (36 of SARI, 10 of BLEU), or for each of its scores, and
    8 for its input; an input some 150 bytes. Resampling several systems takes up to four times as much.

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
        self._kinds = [_Vectors(one.metric) if isinstance(one.metric, CorpusMetric) else _Scores() for one in metrics]
        self._numbers: dict[str, int] = {}
        self._inputs: dict[str, array[int]] = {}
        self._columns: dict[str, list[array[float]]] = {}

    def add(
        self, instances: Sequence[EvalInstance], columns: Sequence[tuple[Sequence[Any], Sequence[Any] | None]]
    ) -> None:
        """Keeps the scores of outputs.

        Args:
            instances: The outputs.
            columns: For each metric the scores of all outputs, and their additive statistics.
        """
        places: dict[str, list[int]] = {}
        for place, one in enumerate(instances):
            places.setdefault(one.summarizer_id, []).append(place)
        for system, chosen in places.items():
            if system not in self._columns:
                self._inputs[system] = array("q")
                self._columns[system] = [array("d") for _ in self._kinds]
            ids = (instances[place].instance_id for place in chosen)
            self._inputs[system].extend(self._numbers.setdefault(name, len(self._numbers)) for name in ids)
            for kind, column, scored in zip(self._kinds, self._columns[system], columns, strict=True):
                scores, statistics = scored
                for place in chosen:
                    own = None if statistics is None else statistics[place]
                    column.extend(kind.numbers(scores[place] if scores else None, own))

    @property
    def systems(self) -> list[str]:
        """The systems, in the order in which they came."""
        return list(self._columns)

    def outputs(self, system: str) -> list[ScoreVectors]:
        """Returns the outputs of a system, for each metric."""
        import numpy as np

        names = list(self._numbers)
        ids = [names[number] for number in self._inputs[system]]
        columns = (np.asarray(column).reshape(len(ids), -1) for column in self._columns[system])
        return [kind.outputs(ids, column) for kind, column in zip(self._kinds, columns, strict=True)]


class _Vectors:
    """Turns outputs into their additive statistics.

    Args:
        metric: The metric.
    """

    def __init__(self, metric: CorpusMetric) -> None:
        self._metric = metric

    def numbers(self, scores: Any, statistics: Any) -> Sequence[float]:
        """Returns the numbers of an output."""
        numbers: Sequence[float] = statistics
        return numbers

    def outputs(self, ids: Sequence[str], numbers: Floats) -> ScoreVectors:
        """Makes outputs of their numbers, shape (outputs, statistics)."""
        return ScoreVectors.of_statistics(self._metric, ids, numbers)


class _Scores:
    """Turns outputs into their scores: numbers in the order of the first output, NaN where one is not defined."""

    def __init__(self) -> None:
        self._places: dict[str, int | None] | None = None

    def numbers(self, scores: Any, statistics: Any) -> Sequence[float]:
        """Returns the numbers of an output."""
        flat = MetricsDict(scores).flatten()
        if self._places is None:
            self._places = {name: len(one) if isinstance(one, (list, tuple)) else None for name, one in flat.items()}
        several = ((flat[name],) if places is None else flat[name] for name, places in self._places.items())
        return [nan if one is None else one for one in chain.from_iterable(several)]

    def outputs(self, ids: Sequence[str], numbers: Floats) -> ScoreVectors:
        """Makes outputs of their numbers, shape (outputs, numbers)."""
        columns, start = {}, 0
        for name, places in (self._places or {}).items():
            columns[name] = numbers[:, start] if places is None else numbers[:, start : start + places]
            start += 1 if places is None else places
        return ScoreVectors.of_columns(ids, columns)
