"""The scores of the outputs of a report: computed by metrics, or read from score files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.evaluation.evaluate import PlainScorer
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import CorpusMetric
from metrics_framework.metrics.base.totals import MeanTotal, Total
from metrics_framework.reports.html.baselines import Baseline
from metrics_framework.significance.score_vectors import ScoreVectors, can_be_resampled

Scored: TypeAlias = tuple[MetricsDict, Statistics | None]


@dataclass
class Scores:
    """The scores of all outputs under one metric, or of one name from score files.

    Args:
        label: The label of the metric, or the name of the score.
        metric: The metric; `None` for scores from files, which are averaged over the outputs of a system.
        systems: Name of a system or baseline to the scores of its outputs by the index of their sentence.
    """

    label: str
    metric: LabelledMetric | None
    systems: dict[str, dict[int, Scored]] = field(default_factory=dict)
    _overall: dict[str, dict[str, Any]] = field(default_factory=dict, init=False, repr=False)
    _by_output: dict[str, dict[str, list[Any]]] = field(default_factory=dict, init=False, repr=False)

    def of_system(self, system: str, indices: Iterable[int] | None = None) -> dict[str, Any]:
        """Returns the scores of a system by flat name, over all its outputs or the outputs for some sentences.

        Each number of a list gets its own name, such as ``bleu_precisions_1``; NaN becomes `None`. The scores over all
        outputs are computed once.
        """
        if indices is None and system in self._overall:
            return self._overall[system]
        scored = self.systems.get(system, {})
        total: Total = MeanTotal() if self.metric is None else self.metric.metric.new_total()
        for index in scored if indices is None else indices:
            if index in scored:
                total.add(*scored[index])
        scores = self._flat(total.score()) if total.count else {}
        if indices is None:
            self._overall[system] = scores
        return scores

    def of_outputs(self, system: str, size: int) -> dict[str, list[Any]]:
        """Returns the scores of each output of a system: flat name to a number per sentence, computed once.

        Args:
            system: The system.
            size: The number of sentences.
        """
        if system not in self._by_output:
            scored = {index: self._flat(scores) for index, (scores, _) in self.systems.get(system, {}).items()}
            names = dict.fromkeys(name for scores in scored.values() for name in scores)
            self._by_output[system] = {
                name: [scored.get(index, {}).get(name) for index in range(size)] for name in names
            }
        return self._by_output[system]

    def outputs(self, system: str, ids: Sequence[str]) -> ScoreVectors | None:
        """Returns the scores of the outputs of a system for resampling.

        `None` without outputs, and for a metric whose total is neither a mean nor a sum of statistics.

        Args:
            system: The system.
            ids: The instance id of each sentence.
        """
        scored = self.systems.get(system)
        metric = None if self.metric is None else self.metric.metric
        if not scored or (metric is not None and not can_be_resampled(metric)):
            return None
        inputs = [ids[index] for index in scored]
        if isinstance(metric, CorpusMetric):
            return ScoreVectors.of_statistics(
                metric, inputs, [list(statistics or ()) for _, statistics in scored.values()]
            )
        return ScoreVectors.of_scores(inputs, [scores for scores, _ in scored.values()])

    def renamed(self, name: str) -> str:
        """Returns the name of a score of the metric in this run."""
        return name if self.metric is None else self.metric.renamed_score(name)

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


def scores_by_metrics(
    metrics: Sequence[LabelledMetric],
    scored: Iterable[tuple[EvalInstance, Sequence[Scored]]],
    indices: Mapping[str, int],
    baselines: Iterable[Baseline],
) -> list[Scores]:
    """Groups the scores of outputs by metric and system, and scores the baselines.

    Args:
        metrics: The metrics.
        scored: Outputs of systems, with their scores under each metric.
        indices: Instance id to the index of the sentence.
        baselines: The baselines.

    Raises:
        PluginError: if a metric fails.
    """
    scores_of_metrics = [Scores(metric.label, metric) for metric in metrics]
    for instance, results in scored:
        for scores, result in zip(scores_of_metrics, results, strict=True):
            scores.systems.setdefault(instance.summarizer_id, {})[indices[instance.instance_id]] = result
    of_texts = [metric for metric in metrics if "summarizer_id" not in metric.metric.fields]  # no file has baselines
    scored_metrics = [scores for scores in scores_of_metrics if scores.metric in of_texts]
    for baseline in baselines:
        for scores, batch in zip(scored_metrics, PlainScorer(of_texts)(ColumnBatch(baseline.outputs)), strict=True):
            statistics: Sequence[Statistics | None] = batch.statistics or [None] * len(batch.scores)
            scores.systems[baseline.name] = dict(enumerate(zip(batch.scores, statistics, strict=True)))
    return scores_of_metrics


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
            scores.systems.setdefault(row.summarizer_id, {})[index] = MetricsDict({name: number}), None
    return list(by_name.values()), others
