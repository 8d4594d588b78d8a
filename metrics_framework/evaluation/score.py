"""``score``: the scores of each output with jackknifing, sorted, for judging the metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batches import Duplicates, Seen
from metrics_framework.evaluation.grouping import score_grouped
from metrics_framework.evaluation.labels import LabelledMetric
from metrics_framework.evaluation.scored_rows import scored_rows
from metrics_framework.evaluation.spool import SortedSpool
from metrics_framework.io.jsonl import to_line
from metrics_framework.metrics.jackknifing import Jackknifed
from metrics_framework.metrics.metric import Metric, Scored

JACKKNIFED = "_jk"


def jackknife(metric: Metric, batch: Sequence[EvalInstance], peers: bool = True) -> list[MetricsDict]:
    """Scores outputs, and their leave-one-out variants.

    With a jackknifer, a ``peer`` gets its scores, and each of them once more with ``_jk`` behind its name: the mean
    over the variants, if there are any. A ``reference`` gets only the scores with ``_jk``, which are the plain ones
    against the references it came with. Without a jackknifer everyone gets the plain scores.

    Args:
        metric: The metric.
        batch: The outputs.
        peers: Whether peers get jackknifed scores.
    """
    if metric.jackknifer is None:
        return [scores for scores, _ in score_grouped(metric, metric.score_with_statistics, batch)]
    jackknifed = [peers and instance.summarizer_type == "peer" for instance in batch]
    doubly = iter(_score_jackknifed(metric, [instance for instance, yes in zip(batch, jackknifed, strict=True) if yes]))
    others = [instance for instance, yes in zip(batch, jackknifed, strict=True) if not yes]
    singly = iter(score_grouped(metric, metric.score_with_statistics, others))
    return [
        _assembled(*next(doubly)) if yes else _plain(instance, next(singly)[0])
        for instance, yes in zip(batch, jackknifed, strict=True)
    ]


def _score_jackknifed(metric: Metric, batch: Sequence[EvalInstance]) -> list[Jackknifed]:
    return score_grouped(metric, metric.score_jackknifed, batch)


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
) -> int:
    """Scores the outputs of files and returns how many there were.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        write: Takes the rows as lines of JSON, sorted by instance and summarizer; the first has the signatures.
        log: Takes warnings.
        peers: Whether peers get jackknifed scores.
        duplicates: What to do with a second output of one system for one input.

    Raises:
        DataError: if the input is not as it must be.
        UsageError: if two metrics give a score of the same name.
    """
    seen = Seen()

    def jackknifed(metric: Metric, batch: Sequence[EvalInstance]) -> list[Scored]:
        return [(scores, None) for scores in jackknife(metric, batch, peers)]

    with SortedSpool() as spool:
        for _, row, _ in scored_rows(reader, input_files, metrics, jackknifed, seen, log, duplicates):
            spool.add((row.instance_id, row.summarizer_id), to_line(row.as_json()))
        signature = {metric.label: metric.metric.signature() for metric in metrics}
        for line in _signed(spool.lines(), signature):
            write(line)
    return sum(seen.outputs.values())


def _signed(lines: Iterator[str], signature: dict[str, str]) -> Iterator[str]:
    """Adds the signatures to the first row, as its last key."""
    first = next(lines, None)
    if first is not None:
        yield with_signature(first, signature)
    yield from lines


def with_signature(line: str, signature: dict[str, str]) -> str:
    """Adds the signatures to a row that is a line of JSON already."""
    return line.rstrip("\n")[:-1] + ', "signature": ' + to_line(signature).rstrip("\n") + "}\n"
