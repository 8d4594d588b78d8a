"""Scores texts for ``compare``: the outputs of each system as vectors, and the clusters of inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.common.errors import DataError, UnknownNameError
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.rows import LISTS_OF_TEXTS
from metrics_framework.evaluation.score_comparison import ScoredSystems, scored_systems, taken_as_higher
from metrics_framework.evaluation.system_scores import Evaluation, evaluate
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.significance.confidence import ScoreCollector
from metrics_framework.significance.score_vectors import ScoreVectors


@dataclass
class ScoredTexts:
    """The scores of texts.

    Attributes:
        scores: The scores to compare.
        evaluation: The scores of the systems, as `evaluate` returns them.
        clusters: Input to its cluster; empty without clusters.
    """

    scores: list[ScoredSystems]
    evaluation: Evaluation
    clusters: dict[str, str] = field(default_factory=dict)


def score_texts(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    log: Log,
    *,
    names: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
    cluster: str | None = None,
    duplicates: Duplicates = "error",
    jobs: int = 1,
    force: bool = False,
) -> ScoredTexts:
    """Scores the outputs of files.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        log: Receives warnings.
        names: The flat names of the scores to compare; by default the main scores.
        lower_is_better: The scores for which lower is better, besides those whose metric states it.
        cluster: The field with the cluster of an input, such as ``document``; `None` for no clusters.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes that score.
        force: Whether outputs are known to be detokenized.

    Raises:
        DataError: if the input is invalid, or an input has no cluster or two.
        UnknownNameError: if there is no score of a name.
    """
    collector = ScoreCollector(metrics, hint="leave the metric out")
    labels = ClusterLabels(cluster)

    def observe(batch: ColumnBatch, results: Sequence[BatchScores]) -> None:
        collector.add(batch.ids, batch.systems, results)
        labels.add(batch)

    evaluation = evaluate(
        reader,
        input_files,
        metrics,
        None,
        log,
        duplicates=duplicates,
        jobs=jobs,
        observe=observe,
        all_fields=cluster is not None,
        force=force,
    )
    systems = collector.score_vectors()
    for name in (*names, *lower_is_better):
        if name not in _numbers(evaluation):
            raise UnknownNameError("score", name, _numbers(evaluation))
    scores = [
        _scored(
            evaluation,
            metric,
            name,
            {system: vectors[index] for system, vectors in systems.items()},
            taken_as_higher(name, False if name in lower_is_better else evaluation.kinds[name].higher_is_better, log),
        )
        for index, metric in enumerate(metrics)
        for name in _chosen(evaluation, metric, names)
    ]
    return ScoredTexts(scores, evaluation, labels.clusters)


def _numbers(evaluation: Evaluation) -> list[str]:
    """Returns the flat names of the scores that are numbers."""
    return [name for name, value in evaluation.metrics.flatten().items() if not isinstance(value, (list, str))]


def _chosen(evaluation: Evaluation, metric: LabelledMetric, names: Sequence[str]) -> list[str]:
    """Returns the scores of a metric to compare."""
    of_metric = [name for name in evaluation.names[metric.label] if name in _numbers(evaluation)]
    return [name for name in of_metric if (name in names if names else evaluation.kinds[name].is_main)]


def _scored(
    evaluation: Evaluation,
    metric: LabelledMetric,
    name: str,
    systems: Mapping[str, ScoreVectors],
    higher_is_better: bool,
) -> ScoredSystems:
    kind = evaluation.kinds[name]
    names = next(iter(systems.values())).score()
    own_name = next(own for own in names if metric.renamed_score(own) == name)
    return scored_systems(
        name,
        systems,
        own_name,
        higher_is_better=higher_is_better,
        is_ratio=kind.is_ratio,
        signature=evaluation.signature[metric.label],
    )


class ClusterLabels:
    """Collects the clusters of inputs from a field of their outputs.

    Args:
        field_name: The name of the field; `None` to collect nothing.

    Attributes:
        clusters: Input to its cluster.
    """

    def __init__(self, field_name: str | None) -> None:
        self._name = field_name
        self.clusters: dict[str, str] = {}

    def add(self, batch: ColumnBatch) -> None:
        """Adds the clusters of a batch.

        Raises:
            DataError: if an output has no cluster, or another than an output for the same input.
        """
        if self._name is None:
            return
        column = LISTS_OF_TEXTS.get(self._name, (self._name,))[0]
        for instance, value in zip(batch.instances, batch.column(column), strict=True):
            add_cluster(self.clusters, self._name, instance.instance_id, value, instance.path, instance.line)


def add_cluster(
    clusters: dict[str, str], name: str, instance_id: str, value: Any, path: str | None, line: int | None
) -> None:
    """Adds the cluster of an input.

    Args:
        clusters: Input to its cluster.
        name: The name of the field.
        instance_id: The input.
        value: The value of the field.
        path: Where it was read.
        line: The line.

    Raises:
        DataError: if there is no value, or the input has another cluster.
    """
    if value is None or value == "" or value == []:
        raise DataError(f"'{name}', the cluster of the input, is missing", path, line)
    label = value if isinstance(value, str) else repr(value)
    known = clusters.setdefault(instance_id, label)
    if known != label:
        raise DataError(
            f"input '{instance_id}' has the {name} {shown(value)}, but {shown(known)} in an earlier row; an input "
            "belongs to one cluster",
            path,
            line,
        )
