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
    """Holds the scores of all outputs under one metric, or of one name from score files.

    Args:
        label: What the metric is called in this run, or the name of the score.
        metric: The metric; `None` for scores from files, whose mean is the score of a system.
        systems: Name of a system or baseline to the scores of its outputs by the place of their sentence.
    """

    label: str
    metric: LabelledMetric | None
    systems: dict[str, dict[int, Scored]] = field(default_factory=dict)

    def of_system(self, system: str, places: Iterable[int] | None = None) -> dict[str, Any]:
        """Returns the scores of a system by flat name, over all its outputs or over those of some sentences.

        The numbers of a list get a name each, as in ``bleu_precisions_1``; NaN becomes `None`.
        """
        scored = self.systems.get(system, {})
        total: Total = MeanTotal() if self.metric is None else self.metric.metric.new_total()
        for place in scored if places is None else places:
            if place in scored:
                total.add(*scored[place])
        return self._flat(total.score()) if total.count else {}

    def of_outputs(self, system: str, size: int) -> dict[str, list[Any]]:
        """Returns the scores of each output of a system: flat name to one number a sentence."""
        scored = {place: self._flat(scores) for place, (scores, _) in self.systems.get(system, {}).items()}
        names = dict.fromkeys(name for scores in scored.values() for name in scores)
        return {name: [scored.get(place, {}).get(name) for place in range(size)] for name in names}

    def outputs(self, system: str, ids: Sequence[str]) -> ScoreVectors | None:
        """Returns the outputs of a system the way they are resampled.

        `None` where there are none, and where the metric adds them up in a way of its own.

        Args:
            system: The system.
            ids: The instance id of each sentence.
        """
        scored = self.systems.get(system)
        metric = None if self.metric is None else self.metric.metric
        if not scored or (metric is not None and not can_be_resampled(metric)):
            return None
        inputs = [ids[place] for place in scored]
        if isinstance(metric, CorpusMetric):
            return ScoreVectors.of_statistics(
                metric, inputs, [list(statistics or ()) for _, statistics in scored.values()]
            )
        return ScoreVectors.of_scores(inputs, [scores for scores, _ in scored.values()])

    def renamed(self, name: str) -> str:
        """Returns the name that a score of the metric goes by in this run."""
        return name if self.metric is None else self.metric.renamed_score(name)

    def _flat(self, scores: MetricsDict) -> dict[str, Any]:
        named = scores if self.metric is None else self.metric.renamed(scores)
        numbers = (item for name, value in named.flatten().items() for item in numbered(name, value))
        return {name: _defined(value) for name, value in numbers}


def numbered(name: str, value: Any) -> list[tuple[str, Any]]:
    """Gives every number of a list a name of its own.

    >>> numbered("bleu_precisions", [50.0, 25.0])
    [('bleu_precisions_1', 50.0), ('bleu_precisions_2', 25.0)]
    """
    if isinstance(value, list):
        return [(f"{name}_{place}", one) for place, one in enumerate(value, 1)]
    return [(name, value)]


def _defined(value: Any) -> Any:
    return None if value is None or not math.isfinite(value) else value


def scores_by_metrics(
    metrics: Sequence[LabelledMetric],
    scored: Iterable[tuple[EvalInstance, Sequence[Scored]]],
    places: Mapping[str, int],
    baselines: Iterable[Baseline],
) -> list[Scores]:
    """Sorts the scores of outputs by metric and system, and scores baselines besides.

    Args:
        metrics: The metrics.
        scored: ScoreVectors of systems, with their scores under each metric.
        places: Instance id to the place of the sentence.
        baselines: The baselines.

    Raises:
        PluginError: if a metric fails.
    """
    found = [Scores(metric.label, metric) for metric in metrics]
    for instance, results in scored:
        for scores, result in zip(found, results, strict=True):
            scores.systems.setdefault(instance.summarizer_id, {})[places[instance.instance_id]] = result
    for baseline in baselines:
        for scores, batch in zip(found, PlainScorer(metrics)(ColumnBatch(baseline.outputs)), strict=True):
            statistics: Sequence[Statistics | None] = batch.statistics or [None] * len(batch.scores)
            scores.systems[baseline.name] = dict(enumerate(zip(batch.scores, statistics, strict=True)))
    return found


def scores_of_rows(
    rows: Sequence[MetricsRow], places: Mapping[str, int], systems: Iterable[str]
) -> tuple[list[Scores], int]:
    """Puts the scores of score files to the outputs they belong to.

    Args:
        rows: The rows of the files.
        places: Instance id to the place of the sentence.
        systems: The systems of the report.

    Returns:
        One `Scores` for each flat name, and the number of rows that belong to no output of the report.
    """
    known = set(systems)
    found: dict[str, Scores] = {}
    others = 0
    for row in rows:
        place = places.get(row.instance_id)
        if place is None or row.summarizer_id not in known:
            others += 1
            continue
        for name, value in row.metrics.average_values().flatten().items():
            scores = found.setdefault(name, Scores(name, None))
            number = math.nan if value is None else value
            scores.systems.setdefault(row.summarizer_id, {})[place] = MetricsDict({name: number}), None
    return list(found.values()), others
