"""Counts outputs without a score, for runs that compute no totals (decision 0070)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import counted
from metrics_framework.common.logs import Log
from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.data.scored_counts import ScoredCount, UndefinedScoresError, is_defined, unequal_shares
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric


class UnscoredOutputs:
    """Counts the outputs of each system without a main score of each metric.

    Args:
        metrics: The metrics.

    Attributes:
        counts: For each metric, systems to their numbers of outputs without a main score.
    """

    def __init__(self, metrics: Sequence[LabelledMetric]) -> None:
        self._metrics = metrics
        self.counts: list[dict[str, int]] = [{} for _ in metrics]

    def add(self, batch: ColumnBatch, results: Sequence[BatchScores]) -> None:
        """Adds the outputs of a batch and their scores."""
        for metric, counts, of_metric in zip(self._metrics, self.counts, results, strict=True):
            name = metric.metric.name
            if of_metric.json:
                if "null" not in "".join(of_metric.json):  # nearly always
                    continue
                missing = [
                    index
                    for index, text in enumerate(of_metric.json)
                    if "null" in text and _is_without_score(name, json.loads(f"{{{text}}}"))
                ]
            else:
                missing = [index for index, scores in enumerate(of_metric.scores) if _is_without_score(name, scores)]
            for index in missing:
                system = batch.systems[index]
                counts[system] = counts.get(system, 0) + 1

    def merge(self, later: Sequence[Mapping[str, int]]) -> None:
        """Adds the counts of another part; a part without outputs has none."""
        for counts, others in zip(self.counts, later, strict=False):
            for system, count in others.items():
                counts[system] = counts.get(system, 0) + count

    def warn(self, outputs: Mapping[str, int], log: Log) -> None:
        """Warns of outputs without a score.

        Args:
            outputs: System to its number of outputs.
            log: Receives warnings.
        """
        for metric, counts in zip(self._metrics, self.counts, strict=True):
            if not counts:
                continue
            log.warn(f"'{metric.label}' is undefined for {counted(sum(counts.values()), 'output')}")
            scored = {system: ScoredCount(count - counts.get(system, 0), count) for system, count in outputs.items()}
            if (unequal := unequal_shares(metric.label, scored)) is not None:
                log.warn(unequal)

    def check(self, outputs: Mapping[str, int]) -> None:
        """Checks that an output has a score.

        Args:
            outputs: System to its number of outputs.

        Raises:
            UndefinedScoresError: if none has.
        """
        total = sum(outputs.values())
        if all(sum(counts.values()) == total for counts in self.counts):
            raise UndefinedScoresError([metric.label for metric in self._metrics], total)


def _is_without_score(metric: str, scores: Mapping[str, Any]) -> bool:
    value = scores.get(metric)
    if type(value) is float and value == value:  # nearly always
        return False
    main = [
        value
        for name, value in scores.items()
        if name.removesuffix(JACKKNIFED) == metric and not isinstance(value, Mapping)
    ]
    return not any(map(is_defined, main or scores.values()))
