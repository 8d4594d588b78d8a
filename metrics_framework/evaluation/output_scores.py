"""The scores of each output of a run, kept in memory."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.checks import as_scores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import CorpusMetric


class OutputScores:
    """Collects the scores of every output, in the order of the input.

    Args:
        metrics: The metrics.

    Attributes:
        rows: The scores.
    """

    def __init__(self, metrics: Sequence[LabelledMetric]) -> None:
        self._metrics = metrics
        self.rows: list[MetricsRow] = []

    def add(self, batch: ColumnBatch, results: Sequence[BatchScores]) -> None:
        """Adds the results of a batch; there is one for each metric."""
        columns = [scores_of(metric, result) for metric, result in zip(self._metrics, results, strict=True)]
        for index, (instance_id, system, kind) in enumerate(zip(batch.ids, batch.systems, batch.types, strict=True)):
            scores = MetricsDict(columns[0][index])
            for column in columns[1:]:
                scores.update(column[index])
            self.rows.append(MetricsRow(instance_id, system, kind, scores))


def scores_of(metric: LabelledMetric, results: BatchScores) -> list[MetricsDict]:
    """Returns the scores of each output, under their names in this run.

    Worker processes send plain dictionaries, or only the statistics from which the scores are computed.
    """
    scores_list = results.scores
    if not scores_list and results.statistics is not None and isinstance(metric.metric, CorpusMetric):
        of_statistics = metric.metric.score_statistics
        scores_list = [as_scores(metric.metric.name, of_statistics(vector)) for vector in results.statistics]
    return [metric.renamed(scores if type(scores) is MetricsDict else MetricsDict(scores)) for scores in scores_list]
