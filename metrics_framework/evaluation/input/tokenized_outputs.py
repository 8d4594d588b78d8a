"""Outputs that look tokenized, which metrics with a tokenizer score wrongly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from operator import methodcaller

from metrics_framework.common.logs import Log
from metrics_framework.data.texts import as_string
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

MANY = 100
"""The number of outputs of a system that end in a separate full stop from which on sacreBLEU warns."""
_ends_tokenized = methodcaller("endswith", " .")


class TokenizedOutputs:
    """Counts the outputs of each system that end in a separate full stop.

    Args:
        metrics: The metrics of the run.
    """

    def __init__(self, metrics: Sequence[LabelledMetric]) -> None:
        self.counts: dict[str, int] = {}
        self._metrics = [metric.label for metric in metrics if metric.metric.expects_detokenized]

    def add(self, batch: ColumnBatch) -> None:
        """Counts the outputs of a batch."""
        summaries = batch.column("summary")
        texts = summaries if set(map(type, summaries)) == {str} else map(as_string, summaries)
        found = Counter(compress(batch.systems, map(_ends_tokenized, map(str.rstrip, texts))))
        for system in batch.by_system if found else ():
            if system in found:
                self.counts[system] = self.counts.get(system, 0) + found[system]

    def merge(self, counts: Mapping[str, int]) -> None:
        """Adds the counts of later outputs."""
        for system, count in counts.items():
            self.counts[system] = self.counts.get(system, 0) + count

    def warn(self, log: Log) -> None:
        """Warns of every system with many such outputs."""
        for system, count in self.counts.items():
            if count >= MANY:
                log.warn(
                    f"{count} outputs of '{system}' end in a tokenized period (' .'); {', '.join(self._metrics)} "
                    "expects detokenized outputs, and scores tokenized ones wrongly (--force if they are detokenized)"
                )
