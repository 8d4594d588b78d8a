"""The scores of the outputs of a report: computed by metrics, or read from score files."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.metrics_dict import PREDICTED_SPANS, MetricsDict, annotations_of
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.evaluation.scoring import PlainScorer
from metrics_framework.metrics.base.batch_scores import BatchScores, Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, LabelledMetric
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal, Total
from metrics_framework.reports.html.model import Number
from metrics_framework.reports.html.test_set import Baseline
from metrics_framework.significance.score_vectors import ScoreVectors, can_be_resampled


@dataclass
class Scores:
    """The scores of all outputs under one metric, or of one name from score files.

    Args:
        label: The label of the metric, or the name of the score.
        metric: The metric; `None` for scores from files, which are averaged over the outputs of a system.
        systems: Name of a system or baseline to the scores of its outputs.
        spans: Name of a system to the predicted errors of its outputs, by the indices of their sentences.
    """

    label: str
    metric: LabelledMetric | None
    systems: dict[str, OutputScores] = field(default_factory=dict)
    spans: dict[str, dict[int, list[tuple[int, int, str]]]] = field(default_factory=dict)
    _overall: dict[str, dict[str, Any]] = field(default_factory=dict, init=False, repr=False)
    _by_output: dict[str, dict[str, Numbers]] = field(default_factory=dict, init=False, repr=False)

    def add(self, system: str, places: Sequence[int], results: BatchScores, rows: Sequence[int]) -> None:
        """Adds outputs of a system.

        Args:
            system: The system.
            places: The indices of their sentences.
            results: The results of a batch.
            rows: Their rows in the batch.
        """
        statistics = None if results.statistics is None else [results.statistics[row] for row in rows]
        if results.scores:
            scores = [results.scores[row] for row in rows]
        elif self.metric is not None and isinstance(self.metric.metric, CorpusMetric) and statistics is not None:
            scores = list(map(self.metric.metric.score_statistics, statistics))
        else:
            scores = [MetricsDict()] * len(rows)
        self._of(system).extend(places, scores, statistics)
        for place, of_output in zip(places, scores, strict=True):
            spans = annotations_of(of_output).get(PREDICTED_SPANS)
            if spans is not None:
                of_text = [span for span in spans if span.get("side") != "source"]
                found = [(span["start"], span["end"], span["severity"]) for span in of_text]
                self.spans.setdefault(system, {})[place] = found

    def of_system(self, system: str, indices: Iterable[int] | None = None) -> dict[str, Any]:
        """Returns the scores of a system by flat name, over all its outputs or the outputs for some sentences.

        Each number of a list gets its own name, such as ``bleu_precisions_1``; NaN becomes `None`. The scores over all
        outputs are computed once.
        """
        outputs = self.systems.get(system)
        if indices is not None:
            score = None if outputs is None else outputs.score_of(indices, self._new_total())
            return {} if score is None else self._flat(score)
        if system not in self._overall:
            has_outputs = outputs is not None and outputs.total.count
            self._overall[system] = self._flat(outputs.total.score()) if outputs is not None and has_outputs else {}
        return self._overall[system]

    def of_outputs(self, system: str, size: int) -> dict[str, Numbers]:
        """Returns the scores of each output of a system: flat name to a number per sentence, computed once.

        Args:
            system: The system.
            size: The number of sentences.
        """
        if system not in self._by_output:
            outputs = self.systems.get(system)
            columns = {} if outputs is None else outputs.columns
            self._by_output[system] = {
                self._name(*key): column.spread(outputs.places if outputs is not None else (), size)
                for key, column in columns.items()
            }
        return self._by_output[system]

    def outputs(self, system: str, ids: Sequence[str]) -> ScoreVectors | None:
        """Returns the scores of the outputs of a system for resampling.

        `None` without outputs, and for a metric whose total is neither a mean nor a sum of statistics.

        Args:
            system: The system.
            ids: The instance id of each sentence.
        """
        outputs = self.systems.get(system)
        metric = None if self.metric is None else self.metric.metric
        if outputs is None or not outputs.places or (metric is not None and not can_be_resampled(metric)):
            return None
        import numpy as np

        inputs = [ids[index] for index in outputs.places]
        if isinstance(metric, CorpusMetric):
            statistics = np.column_stack([column.array for column in outputs.statistics])
            return ScoreVectors.of_statistics(metric, inputs, statistics)
        columns: dict[str, list[Any]] = {}
        for (name, _), column in outputs.columns.items():
            columns.setdefault(name, []).append(np.asarray(column.array))
        lists = {name for name, position in outputs.columns if position is not None}
        stacked = {name: np.column_stack(one) if name in lists else one[0] for name, one in columns.items()}
        return ScoreVectors.of_columns(inputs, stacked)

    def renamed(self, name: str) -> str:
        """Returns the name of a score of the metric in this run."""
        return name if self.metric is None else self.metric.renamed_score(name)

    def _of(self, system: str) -> OutputScores:
        if system not in self.systems:
            keeps_all = self.metric is not None and not can_be_resampled(self.metric.metric)
            self.systems[system] = OutputScores(self._new_total(), keeps_all)
        return self.systems[system]

    def _new_total(self) -> Total:
        return MeanTotal() if self.metric is None else self.metric.metric.new_total()

    def _name(self, name: str, position: int | None) -> str:
        renamed = self.renamed(name)
        return renamed if position is None else f"{renamed}_{position + 1}"

    def _flat(self, scores: MetricsDict) -> dict[str, Any]:
        named = scores if self.metric is None else self.metric.renamed(scores)
        numbers = (item for name, value in named.flatten().items() for item in numbered(name, value))
        return {name: finite(value) for name, value in numbers}


def numbered(name: str, value: Any) -> list[tuple[str, Any]]:
    """Returns the numbers of a list, each with its own name.

    >>> numbered("bleu_precisions", [50.0, 25.0])
    [('bleu_precisions_1', 50.0), ('bleu_precisions_2', 25.0)]
    """
    if isinstance(value, list):
        return [(f"{name}_{index}", number) for index, number in enumerate(value, 1)]
    return [(name, value)]


def finite(value: Any) -> Any:
    """Returns a number, `None` if it is `None`, NaN or infinite."""
    return None if value is None or not math.isfinite(value) else value


def add_baselines(scores_of_metrics: Sequence[Scores], found: Iterable[Baseline]) -> None:
    """Scores the baselines.

    Args:
        scores_of_metrics: The scores of the systems, to which those of the baselines are added.
        found: The baselines.

    Raises:
        PluginError: if a metric fails.
    """
    wanted = [one for one in scores_of_metrics if one.metric is not None]
    # no file has the summarizer id of a baseline
    scored = [one for one in wanted if one.metric and "summarizer_id" not in one.metric.metric.fields]
    scorer = PlainScorer([one.metric for one in scored if one.metric])
    for baseline in found:
        start = 0
        for batch in baseline.batches():
            rows = range(len(batch))
            places = range(start, start + len(batch))
            for scores, results in zip(scored, scorer(ColumnBatch(batch)), strict=True):
                scores.add(baseline.name, places, results, rows)
            start += len(batch)


def scores_of_rows(
    rows: Sequence[MetricsRow], indices: Mapping[str, int], systems: Iterable[str]
) -> tuple[list[Scores], int]:
    """Assigns the scores of score files to the outputs of the report.

    Args:
        rows: The rows of the files.
        indices: Instance id to the index of the sentence.
        systems: The systems of the report.

    Returns:
        One `Scores` for each flat name, and the number of rows that belong to no output of the report.
    """
    known = set(systems)
    by_name: dict[str, Scores] = {}
    others = 0
    for row in rows:
        index = indices.get(row.instance_id)
        if index is None or row.summarizer_id not in known:
            others += 1
            continue
        for name, value in row.metrics.average_values().flatten().items():
            scores = by_name.setdefault(name, Scores(name, None))
            number = math.nan if value is None else value
            scores.add(row.summarizer_id, [index], BatchScores([MetricsDict({name: number})]), [0])
    return list(by_name.values()), others


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
        for name, value in MetricsDict(scores).flatten().items():
            for position, number in enumerate(value) if isinstance(value, (list, tuple)) else [(None, value)]:
                self._column(name, position, size).append(number)
        for column in self.columns.values():
            if len(column) == size:
                column.append(None)

    def _column(self, name: str, position: int | None, size: int) -> Numbers:
        column = self.columns.get((name, position))
        if column is None:
            column = self.columns[name, position] = Numbers(size)
        return column
