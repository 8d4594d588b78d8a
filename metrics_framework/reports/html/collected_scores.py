"""The scores of the outputs of a report: computed by metrics, or read from score files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.metrics_dict import PREDICTED_SPANS, MetricsDict, annotations_of
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.evaluation.scoring import PlainScorer
from metrics_framework.metrics.base.batch_scores import BatchScores, Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, LabelledMetric
from metrics_framework.metrics.base.totals import MeanTotal
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
    _by_output: dict[str, dict[str, list[Number]]] = field(default_factory=dict, init=False, repr=False)

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
        outputs = self.systems.setdefault(system, OutputScores())
        outputs.places += places
        outputs.scores += scores
        outputs.statistics += statistics or ()
        for place, of_output in zip(places, scores, strict=True):
            spans = annotations_of(of_output).get(PREDICTED_SPANS)
            if spans is not None:
                of_text = [span for span in spans if span.get("side") != "source"]
                found = [(span["start"], span["end"], span["severity"]) for span in of_text]
                self.spans.setdefault(system, {})[place] = found

    def of_system(self, system: str, indices: Iterable[int] | None = None) -> dict[str, Any]:
        """Returns the scores of a system by flat name, over all its outputs or the outputs for some sentences.

        Each number of a list gets its own name, such as ``bleu_precisions_1``; NaN becomes `None`.
        """
        outputs = self.systems.get(system, OutputScores())
        row_of = {place: row for row, place in enumerate(outputs.places)}
        rows = [row_of[index] for index in (outputs.places if indices is None else indices) if index in row_of]
        if not rows:
            return {}
        total = MeanTotal() if self.metric is None else self.metric.metric.new_total()
        statistics = [outputs.statistics[row] for row in rows] if outputs.statistics else None
        total.extend([outputs.scores[row] for row in rows], statistics)
        score = total.score()
        flat = (score if self.metric is None else self.metric.renamed(score)).flatten()
        return {name: finite(number) for key, value in flat.items() for name, number in numbered(key, value)}

    def of_outputs(self, system: str, size: int) -> dict[str, list[Number]]:
        """Returns the scores of each output of a system: flat name to a number per sentence, computed once.

        Args:
            system: The system.
            size: The number of sentences.
        """
        if system not in self._by_output:
            columns: dict[str, list[Any]] = {}
            outputs = self.systems.get(system)
            for place, scores in zip(outputs.places, outputs.scores, strict=True) if outputs is not None else ():
                for name, value in MetricsDict(scores).flatten().items():
                    for part, number in numbered(name, value):
                        column = columns.get(part) or columns.setdefault(part, [None] * size)
                        column[place] = number
            self._by_output[system] = {self.renamed(name): _of_one_type(values) for name, values in columns.items()}
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
        inputs = [ids[index] for index in outputs.places]
        if isinstance(metric, CorpusMetric):
            return ScoreVectors.of_statistics(metric, inputs, outputs.statistics)
        return ScoreVectors.of_scores(inputs, outputs.scores)

    def renamed(self, name: str) -> str:
        """Returns the name of a score of the metric in this run."""
        return name if self.metric is None else self.metric.renamed_score(name)


def numbered(name: str, value: Any) -> list[tuple[str, Any]]:
    """Returns the numbers of a list, each with its own name.

    >>> numbered("bleu_precisions", [50.0, 25.0])
    [('bleu_precisions_1', 50.0), ('bleu_precisions_2', 25.0)]
    """
    if isinstance(value, (list, tuple)):
        return [(f"{name}_{index}", number) for index, number in enumerate(value, 1)]
    return [(name, value)]


def finite(value: Any) -> Any:
    """Returns a number, `None` if it is `None`, NaN or infinite."""
    return None if value is None or not math.isfinite(value) else value


def _of_one_type(values: Sequence[Any]) -> list[Number]:
    """Returns integers if all defined numbers are integers, else floats; `None` where undefined or infinite."""
    is_whole = all(value is None or value != value or isinstance(value, int) for value in values)
    return [
        None if (number := finite(value)) is None else int(number) if is_whole else float(number) for value in values
    ]


def add_baselines(scores_of_metrics: Sequence[Scores], found: Iterable[Baseline]) -> None:
    """Scores the baselines.

    Args:
        scores_of_metrics: The scores of the systems, to which those of the baselines are added.
        found: The baselines.

    Raises:
        PluginError: if a metric fails.
    """
    wanted = [(one, one.metric) for one in scores_of_metrics if one.metric is not None]
    # no file has the summarizer id of a baseline
    scored = [(one, metric) for one, metric in wanted if "summarizer_id" not in metric.metric.fields]
    scorer = PlainScorer([metric for _, metric in scored])
    for baseline in found:
        start = 0
        for batch in baseline.batches():
            places = range(start, start + len(batch))
            for (scores, _), results in zip(scored, scorer(ColumnBatch(batch)), strict=True):
                scores.add(baseline.name, places, results, range(len(batch)))
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


@dataclass
class OutputScores:
    """The scores of the outputs of one system under one metric.

    Args:
        places: The index of the sentence of each output.
        scores: The scores of each output.
        statistics: The statistics of each output, if the metric has any.
    """

    places: list[int] = field(default_factory=list)
    scores: list[MetricsDict] = field(default_factory=list)
    statistics: list[Statistics] = field(default_factory=list)
