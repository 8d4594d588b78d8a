"""``score``: the scores of each output with jackknifing, sorted, for judging the metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import Column, Scoring
from metrics_framework.evaluation.grouping import Grouping
from metrics_framework.evaluation.input.validation import Duplicates, InputSummary
from metrics_framework.evaluation.json_rows import Scores
from metrics_framework.evaluation.run import scored_batches
from metrics_framework.evaluation.storage.external_sort import ExternalSort, sort_keys
from metrics_framework.io.jsonl import to_line
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import Metric


class Jackknife:
    """Scores outputs, and their leave-one-out variants.

    With a jackknifer, a ``peer`` gets its scores, and each of them once more with ``_jk`` behind its name: the mean
    over the variants, if there are any. A ``reference`` gets only the scores with ``_jk``, which are the plain ones
    against the references it came with. Without a jackknifer everyone gets the plain scores.

    Args:
        batch: The outputs.
        peers: Whether peers get jackknifed scores.
    """

    def __init__(self, batch: Sequence[EvalInstance], peers: bool = True) -> None:
        self._batch = batch
        self._chosen = [peers and instance.summarizer_type == "peer" for instance in batch]
        self._all = Grouping(batch)
        self._jackknifed = self._all if all(self._chosen) else self._those(True)
        self._others = self._those(False)

    def _those(self, chosen: bool) -> Grouping:
        return Grouping([instance for instance, yes in zip(self._batch, self._chosen, strict=True) if yes is chosen])

    def written(self, metric: Metric) -> Sequence[Scores]:
        """Scores the outputs with a metric; where a kernel writes JSON for all of them, that."""
        if self._jackknifed is self._all and metric.has_kernel:
            found = self._all.score_as_json(metric)
            if found is not None:
                return found
        return self.scores(metric)

    def scores(self, metric: Metric) -> list[MetricsDict]:
        """Scores the outputs with a metric."""
        if metric.jackknifer is None:
            return [scores for scores, _ in self._all.score(metric, metric.score_with_statistics)]
        if self._jackknifed is self._all:
            return [_assembled(*both) for both in self._all.score(metric, metric.score_jackknifed)]
        doubly = iter(self._jackknifed.score(metric, metric.score_jackknifed))
        singly = iter(self._others.score(metric, metric.score_with_statistics))
        return [
            _assembled(*next(doubly)) if yes else _plain(instance, next(singly)[0])
            for instance, yes in zip(self._batch, self._chosen, strict=True)
        ]


@dataclass
class JackknifeScorer:
    """Scores batches with jackknifing.

    Args:
        metrics: The metrics.
        peers: Whether peers get jackknifed scores.
    """

    metrics: Sequence[LabelledMetric]
    peers: bool = True

    def __call__(self, batch: Sequence[EvalInstance]) -> list[Column]:
        """Scores a batch with every metric; statistics are not kept."""
        jackknife = Jackknife(batch, self.peers)
        return [
            (jackknife.scores(one.metric) if one.is_renamed else jackknife.written(one.metric), [])
            for one in self.metrics
        ]


def _assembled(plain: MetricsDict, mean: MetricsDict | None) -> MetricsDict:
    if mean is not None:
        for name, value in mean.items():
            plain[f"{name}{JACKKNIFED}"] = value
    return plain


def _plain(instance: EvalInstance, scores: MetricsDict) -> MetricsDict:
    return _marked(scores) if instance.summarizer_type == "reference" else scores


def _marked(scores: MetricsDict) -> MetricsDict:
    return MetricsDict({f"{name}{JACKKNIFED}": value for name, value in scores.items()})


def score(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    write: Callable[[str], object],
    log: Log,
    peers: bool = True,
    duplicates: Duplicates = "error",
    jobs: int = 1,
) -> int:
    """Scores the outputs of files and returns how many there were.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        write: Takes the rows as lines of JSON, many at once, sorted by instance and summarizer; the first has the
            signatures.
        log: Takes warnings.
        peers: Whether peers get jackknifed scores.
        duplicates: What to do with a second output of one system for one input.
        jobs: How many processes score.

    Raises:
        DataError: if the input is not as it must be.
        UsageError: if two metrics give a score of the same name.
        ProcessError: if another process cannot be started, or is gone.
    """
    seen = InputSummary()
    scoring = Scoring(metrics, JackknifeScorer(metrics, peers), lines=True, totals=False)
    scored = scored_batches(reader, input_files, scoring, seen, log, duplicates, jobs)
    with closing(scored), closing(ExternalSort()) as rows:
        for batch in scored:
            ids = [instance.instance_id for instance in batch.instances]
            systems = [instance.summarizer_id for instance in batch.instances]
            rows.add(zip(sort_keys(ids, systems), batch.lines, strict=True))
        signature = {metric.label: metric.metric.signature() for metric in metrics}
        for number, block in enumerate(rows.sorted_blocks()):
            lines = [line for _, line in block]
            if number == 0:
                lines[0] = with_signature(lines[0], signature)
            write("".join(lines))
    return sum(seen.outputs.values())


def with_signature(line: str, signature: dict[str, str]) -> str:
    """Adds the signatures to a row that is a line of JSON already."""
    return line.rstrip("\n")[:-1] + ', "signature": ' + to_line(signature).rstrip("\n") + "}\n"
