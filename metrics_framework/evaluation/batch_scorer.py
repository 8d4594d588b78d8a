"""Scores a batch of outputs with every metric of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.data.metrics_dict import AnnotatedScores, MetricsDict
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.context_groups import ContextGroups
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.score_names import Names, ScoreNames
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import CorpusMetric, Metric

SCORES_AND_STATISTICS = Request.SCORES | Request.STATISTICS
VECTORS = Request.STATISTICS | Request.VECTORS
JSON_AND_VECTORS = Request.JSON | Request.VECTORS
SCORES_AND_JACKKNIFED = Request.SCORES | Request.JACKKNIFED


class Scoring(NamedTuple):
    """How a run scores its outputs, and which results it needs; it is sent to the processes that score parts.

    Args:
        metrics: The metrics.
        score: Scores a batch of outputs with every metric.
        has_rows: Whether to format rows.
        sorts_rows: Whether to sort the rows by input and system.
        has_totals: Whether to return what the totals of systems need.
        counts_tokenized: Whether to count outputs that look tokenized.
        counts_unscored: Whether to count outputs without a score; totals count them anyway.
        new_collector: Returns an object that collects what intervals and tests need; `None` for neither.
        keeps_batches: Whether to return the outputs and their results.
        all_fields: Whether to keep fields that no metric needs, also if the format of a file allows to skip them.
        keeps_ids: Whether to return the ids of the outputs; they can also be read again.
        reader: Reads pieces of files; `None` if all outputs are read already.
    """

    metrics: Sequence[LabelledMetric]
    score: Callable[[ColumnBatch], list[BatchScores]]
    has_rows: bool = False
    sorts_rows: bool = False
    has_totals: bool = False
    counts_tokenized: bool = False
    counts_unscored: bool = False
    new_collector: Callable[[], Any] | None = None
    keeps_batches: bool = False
    all_fields: bool = False
    keeps_ids: bool = False
    reader: DatasetReader | None = None

    @property
    def fields(self) -> set[str]:
        """The fields that the metrics need."""
        return {name for metric in self.metrics for name in metric.metric.fields}


@dataclass
class BatchScorer:
    """Scores batches of outputs.

    Args:
        scoring: How to score.
        names: The names of the scores of earlier batches.
    """

    scoring: Scoring
    names: ScoreNames

    def __call__(self, batch: ColumnBatch) -> tuple[list[str], list[BatchScores], list[Names]]:
        """Scores a batch.

        Returns:
            For each output its row, if rows are requested; for each metric the results of all outputs; and for each
            metric the combinations of score names that no earlier batch had.
        """
        results = self.scoring.score(batch)
        scores: list[Sequence[Any]] = []
        for metric, result in zip((labelled.metric for labelled in self.scoring.metrics), results, strict=True):
            scores.append(result.json or result.scores)
            if not scores[-1] and result.vectors is not None and result.vectors.paths is not None:
                scores[-1] = [MetricsDict(dict.fromkeys(path[0] for path in result.vectors.paths))]
            elif not scores[-1] and isinstance(metric, CorpusMetric):  # only statistics, but the names are needed
                first = result.statistics if result.vectors is None else [result.vectors.added_to(None, [0])]
                scores[-1] = list(map(metric.score_statistics, (first or ())[:1]))
        renamed, names = self.names.renamed(scores)
        if not self.scoring.has_rows:
            return [], results, names
        from metrics_framework.evaluation.json_rows import formatted_rows

        lines = formatted_rows(batch, renamed)
        if lines and any(isinstance(one, AnnotatedScores) for result in results for one in result.scores[:1]):
            from metrics_framework.evaluation.row_annotations import annotated

            lines = annotated(lines, [result.scores for result in results], self.scoring.metrics)
        return lines, results, names


@dataclass
class PlainScorer:
    """Scores batches without jackknifing.

    Args:
        metrics: The metrics.
        only_totals: Whether only totals are needed. Kernels that return what is added up as a table then return no
            scores.
        only_files: Whether only totals and rows of JSON are needed. These kernels then write the scores as JSON.
    """

    metrics: Sequence[LabelledMetric]
    only_totals: bool = False
    only_files: bool = False

    def __call__(self, batch: ColumnBatch) -> list[BatchScores]:
        """Scores a batch with every metric."""
        grouping, results = ContextGroups(batch), []
        for labelled in self.metrics:
            metric, request = labelled.metric, SCORES_AND_STATISTICS
            if metric.has_kernel and (isinstance(metric, CorpusMetric) or metric.kernel_adds_scores):
                may_be_json = not labelled.is_renamed and metric.kernel_requests & JSON_AND_VECTORS == JSON_AND_VECTORS
                if self.only_totals:
                    request = VECTORS
                elif self.only_files and may_be_json:
                    request |= JSON_AND_VECTORS
            results.append(grouping.score(metric, request))
        return results


@dataclass
class JackknifeScorer:
    """Scores batches of outputs and their leave-one-out variants.

    If the metric has a jackknifer, a ``peer`` gets its scores and, with the suffix ``_jk``, the means over its
    variants, if it has any. A ``reference`` gets its scores with the suffix only: the references of its row should not
    contain it, so its scores are comparable to the jackknifed scores of peers. Without a jackknifer, every output gets
    scores without the suffix.

    Args:
        metrics: The metrics.
        peers: Whether to compute jackknifed scores of peers.
    """

    metrics: Sequence[LabelledMetric]
    peers: bool = True

    def __call__(self, batch: ColumnBatch) -> list[BatchScores]:
        """Scores a batch with every metric."""
        grouping = ContextGroups(batch)
        if self.peers and set(batch.types) == {"peer"}:
            return [_score_peers(grouping, metric.metric, may_be_json=not metric.is_renamed) for metric in self.metrics]
        is_peer = [self.peers and output_type == "peer" for output_type in batch.types]
        peers, others = (
            ContextGroups(
                ColumnBatch([row for row, peer in zip(batch.instances, is_peer, strict=True) if peer is wanted])
            )
            for wanted in (True, False)
        )
        results = []
        for metric in (labelled.metric for labelled in self.metrics):
            if metric.jackknifer is None:
                results.append(grouping.score(metric, Request.SCORES))
                continue
            of_peers = iter(_score_peers(peers, metric, may_be_json=False).scores)
            of_others = iter(others.score(metric, Request.SCORES).scores)
            scores = [
                next(of_peers) if peer else _named_by_type(output_type, next(of_others))
                for output_type, peer in zip(batch.types, is_peer, strict=True)
            ]
            results.append(BatchScores(scores))
        return results


def _score_peers(grouping: ContextGroups, metric: Metric, may_be_json: bool) -> BatchScores:
    """Scores peers with a metric; as JSON if that is allowed and a kernel supports it."""
    if metric.jackknifer is None:
        return grouping.score(metric, Request.SCORES)
    results = grouping.score(metric, SCORES_AND_JACKKNIFED | Request.JSON if may_be_json else SCORES_AND_JACKKNIFED)
    for scores, mean in zip(results.scores, results.jackknifed or (), strict=False):
        scores.update({f"{name}{JACKKNIFED}": value for name, value in (mean or {}).items()})
    return results


def _named_by_type(output_type: str, scores: MetricsDict) -> MetricsDict:
    """Adds the suffix to the names of the scores of a reference."""
    if output_type != "reference":
        return scores
    renamed = {f"{name}{JACKKNIFED}": value for name, value in scores.items()}
    return AnnotatedScores(renamed, scores.annotations) if isinstance(scores, AnnotatedScores) else MetricsDict(renamed)


def with_sort_keys(batch: ColumnBatch, lines: Sequence[str]) -> list[tuple[str, str]]:
    """Returns the rows of a batch with the keys that sort them by input and system."""
    from metrics_framework.data.identity import order_keys
    from metrics_framework.evaluation.storage.external_sort import sort_keys

    return list(zip(sort_keys(order_keys(batch.ids), order_keys(batch.systems)), lines, strict=True))
