"""``evaluate``: the scores of each output and of each system, without jackknifing, in the order of the input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import Column, ScoredBatch, Scoring
from metrics_framework.evaluation.grouping import Grouping
from metrics_framework.evaluation.input.validation import Duplicates, InputSummary
from metrics_framework.evaluation.run import scored_batches
from metrics_framework.evaluation.score_names import ScoreNames
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import Scored
from metrics_framework.metrics.base.totals import Total
from metrics_framework.significance.collector import ScoreCollector
from metrics_framework.significance.resampling import LEVEL, Resampling
from metrics_framework.significance.systems import Confidence, confidence_of, signature_fields


@dataclass
class Evaluation:
    """The macro scores of a run.

    Args:
        metrics: The scores over all outputs of all systems.
        systems: Summarizer id to the scores of that system.
        num_instances: The number of inputs.
        num_outputs: Summarizer id to its number of outputs.
        signature: Metric to the string that says exactly what was computed.
        other_signatures: Metric to the signatures other programs would print.
        undefined: Score name to the number of outputs for which it was not defined.
        names: Metric to the flat names of its scores.
        confidence: The intervals of the scores, and tests against one of the systems, where they were asked for.
    """

    metrics: MetricsDict
    systems: dict[str, MetricsDict]
    num_instances: int
    num_outputs: dict[str, int]
    signature: dict[str, str]
    other_signatures: dict[str, dict[str, str]] = field(default_factory=dict)
    undefined: dict[str, int] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    confidence: Confidence | None = None

    def as_json(self) -> dict[str, Any]:
        """Returns what the macro file holds."""
        written: dict[str, Any] = {
            "metrics": self.metrics,
            "systems": self.systems,
            "num_instances": self.num_instances,
            "num_outputs": self.num_outputs,
            "signature": self.signature,
        }
        if any(self.other_signatures.values()):
            written["other_signatures"] = {name: found for name, found in self.other_signatures.items() if found}
        if self.undefined:
            written["undefined"] = self.undefined
        if self.confidence is not None:
            written.update(self.confidence.as_json())
        return written


class Totals:
    """Adds up the outputs of every system, and of all, for every metric.

    Args:
        metrics: The metrics.
    """

    def __init__(self, metrics: Sequence[LabelledMetric]) -> None:
        self.metrics = metrics
        self.everything = [metric.metric.new_total() for metric in metrics]
        self.systems: dict[str, list[Total]] = {}

    def add(self, batch: ScoredBatch) -> None:
        """Adds the outputs of a batch."""
        for instance, *results in zip(
            batch.instances, *(zip(*column, strict=True) for column in batch.columns), strict=True
        ):
            system = self.systems.get(instance.summarizer_id)
            if system is None:
                system = self.systems[instance.summarizer_id] = [metric.metric.new_total() for metric in self.metrics]
            for index, (scores, statistics) in enumerate(results):
                system[index].add(scores, statistics)
                self.everything[index].add(scores, statistics)

    def evaluation(self, seen: InputSummary, confidence: Confidence | None = None) -> Evaluation:
        """Returns the macro scores."""
        resampling = None if confidence is None else confidence.resampling
        return Evaluation(
            self._joined(self.everything),
            {name: self._joined(self.systems[name]) for name in sorted(self.systems)},
            seen.num_instances,
            {name: seen.outputs[name] for name in sorted(seen.outputs)},
            signatures(self.metrics, seen, resampling),
            {metric.label: _other_signatures(metric, seen, resampling) for metric in self.metrics},
            {
                metric.renamed_score(name): count
                for metric, total in zip(self.metrics, self.everything, strict=True)
                for name, count in total.undefined.items()
            },
            {
                metric.label: list(metric.renamed(total.score()).flatten())
                for metric, total in zip(self.metrics, self.everything, strict=True)
            },
            confidence,
        )

    def _joined(self, totals: Sequence[Total]) -> MetricsDict:
        joined = MetricsDict()
        for (scores,) in ScoreNames(self.metrics).labelled([[total.score()] for total in totals]):
            joined.update(scores)
        return joined


def signatures(
    metrics: Sequence[LabelledMetric], seen: InputSummary, resampling: Resampling | None = None
) -> dict[str, str]:
    """Returns the signature of each metric; with the number of references, where it looks at them."""
    resampled = signature_fields(resampling, len(seen.outputs)) if resampling else {}
    found = {}
    for metric in metrics:
        references = {"refs": seen.number_of_references} if "references" in metric.fields else {}
        found[metric.label] = metric.metric.signature(**references, **resampled)
    return found


def _other_signatures(metric: LabelledMetric, seen: InputSummary, resampling: Resampling | None) -> dict[str, str]:
    """Returns what other programs would print; sacreBLEU has intervals of 95 % only."""
    found = metric.metric.other_signatures(seen.number_of_references)
    if resampling is None or resampling.level != LEVEL:
        return found
    resampled = f"bs:{resampling.resamples}|seed:{resampling.seed}"
    return {program: signature.replace("|", f"|{resampled}|", 1) for program, signature in found.items()}


def evaluate(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    write: Callable[[str], object] | None,
    log: Log,
    duplicates: Duplicates = "error",
    jobs: int = 1,
    resampling: Resampling | None = None,
    baseline: str | None = None,
) -> Evaluation:
    """Scores the outputs of files.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        write: Takes each output with its scores as a line of JSON, in the order of the input; `None` for no lines.
        log: Takes warnings.
        duplicates: What to do with a second output of one system for one input.
        jobs: How many processes score.
        resampling: How to resample inputs for intervals; `None` for no intervals.
        baseline: The system that the others are compared with; the one that comes first by default.

    Raises:
        DataError: if the input is not as it must be.
        UsageError: if two metrics give a score of the same name, or the baseline is none of the systems.
        ProcessError: if another process cannot be started, or is gone.
    """
    seen, totals = InputSummary(), Totals(metrics)
    kept = None if resampling is None else ScoreCollector(metrics)
    scoring = Scoring(metrics, PlainScorer(metrics), lines=write is not None, totals=True)
    with closing(scored_batches(reader, input_files, scoring, seen, log, duplicates, jobs)) as scored:
        for batch in scored:
            totals.add(batch)
            if kept is not None:
                instances = batch.instances
                kept.add(
                    [one.instance_id for one in instances], [one.summarizer_id for one in instances], batch.columns
                )
            if write is not None:
                for line in batch.lines:
                    write(line)
    seen.tell_missing(log)
    confidence = None
    if kept is not None and resampling is not None:
        confidence = confidence_of(kept.score_vectors(), metrics, resampling, baseline, log)
    result = totals.evaluation(seen, confidence)
    for name, count in result.undefined.items():
        log.warn(f"'{name}' is not defined for {count} outputs; its means are over the others")
    return result


@dataclass
class PlainScorer:
    """Scores batches without jackknifing.

    Args:
        metrics: The metrics.
    """

    metrics: Sequence[LabelledMetric]

    def __call__(self, batch: Sequence[EvalInstance]) -> list[Column]:
        """Scores a batch with every metric."""
        grouping = Grouping(batch)
        return [_column(grouping.score(one.metric, one.metric.score_with_statistics)) for one in self.metrics]


def _column(scored: Sequence[Scored]) -> Column:
    return [scores for scores, _ in scored], [statistics for _, statistics in scored]
