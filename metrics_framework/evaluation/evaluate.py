"""``evaluate``: scores each output and each system, without jackknifing."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.plurals import counted
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import Scoring
from metrics_framework.evaluation.grouping import Grouping
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.tokenized_outputs import TokenizedOutputs
from metrics_framework.evaluation.input.validation import Duplicates
from metrics_framework.evaluation.json_rows import RowWriter
from metrics_framework.evaluation.run import number_of_processes, scored_batches
from metrics_framework.evaluation.score_kinds import ScoreKind, kinds_of
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.totals import Total
from metrics_framework.significance.collector import Collector
from metrics_framework.significance.new_collector import new_collector
from metrics_framework.significance.resampling import LEVEL, METHOD, SCHEME, Resampling
from metrics_framework.significance.systems import Confidence, signature_fields

if TYPE_CHECKING:
    from metrics_framework.evaluation.parts.result import PartResult
    from metrics_framework.evaluation.parts.scorer import Task


@dataclass
class Evaluation:
    """The scores of the systems of a run.

    Args:
        metrics: The scores over all outputs of all systems.
        systems: Maps each summarizer id to the scores of the system; systems are in the order of their first outputs.
        num_instances: The number of inputs.
        num_outputs: Maps each summarizer id to its number of outputs, in the same order.
        signature: Maps each metric to its signature, which states exactly what was computed.
        other_signatures: Maps each metric to the signatures that other programs print for the same scores.
        undefined: Maps each score to the number of outputs for which it is undefined.
        names: Maps each metric to the flat names of its scores.
        kinds: Maps each flat name to the kind of the score.
        confidence: Intervals and significance tests, if they were requested.
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
    kinds: dict[str, ScoreKind] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Returns the content of the macro file."""
        written: dict[str, Any] = {
            "metrics": self.metrics,
            "systems": self.systems,
            "num_instances": self.num_instances,
            "num_outputs": self.num_outputs,
            "signature": self.signature,
        }
        if any(self.other_signatures.values()):
            written["other_signatures"] = {name: others for name, others in self.other_signatures.items() if others}
        if self.undefined:
            written["undefined"] = self.undefined
        if self.confidence is not None:
            written.update(self.confidence.as_json())
        return written


class Totals:
    """The totals of each system, and of all systems together, for every metric.

    Args:
        metrics: The metrics.
    """

    def __init__(self, metrics: Sequence[LabelledMetric]) -> None:
        self.metrics = metrics
        self.everything = [metric.metric.new_total() for metric in metrics]
        self.systems: dict[str, list[Total]] = {}

    def add(self, batch: ColumnBatch, results: Sequence[BatchScores]) -> None:
        """Adds the results of a batch; there is one for each metric."""
        for total, result in zip(self.everything, results, strict=True):
            total.extend(result.scores, result.statistics)
        for system, indices in batch.by_system.items():
            if system not in self.systems:
                self.systems[system] = [metric.metric.new_total() for metric in self.metrics]
            for total, result in zip(self.systems[system], results, strict=True):
                scores = result.scores and [result.scores[index] for index in indices]
                total.extend(scores, result.statistics and [result.statistics[index] for index in indices])

    def add_part(self, part: PartResult) -> None:
        """Adds the results of a part."""
        from metrics_framework.evaluation.parts.totals import add_to_totals

        for system in part.systems:
            if system not in self.systems:
                self.systems[system] = [metric.metric.new_total() for metric in self.metrics]
        for index, totals in enumerate(part.totals):
            systems = [self.systems[system][index] for system in part.systems]
            add_to_totals(totals, self.everything[index], systems, part.system_numbers)

    def evaluation(
        self,
        summary: InputSummary,
        log: Log,
        tokenized: TokenizedOutputs | None,
        collector: Collector | None,
        resampling: Resampling | None,
        baseline: str | None,
    ) -> Evaluation:
        """Returns the scores of each system, and of all systems together, and reports the warnings of the run.

        Args:
            summary: Counts of the input.
            log: Receives warnings.
            tokenized: The numbers of outputs that look tokenized, if they were counted.
            collector: What intervals and tests need, if they are requested.
            resampling: How to resample inputs.
            baseline: The system to compare the other systems with.

        Raises:
            UsageError: if the totals of two metrics have a score of the same name, or the baseline does not exist.
        """
        summary.warn(log, compared=True)
        if tokenized is not None:
            tokenized.warn(log)
        confidence = None
        if collector is not None and resampling is not None:
            confidence = collector.confidence(self.metrics, resampling, baseline, log)
        undefined, overall = dict[str, int](), dict[str, MetricsDict]()
        for metric, total in zip(self.metrics, self.everything, strict=True):
            undefined.update({metric.renamed_score(name): count for name, count in total.undefined.items()})
            overall[metric.label] = metric.renamed(total.score())
        merged = MetricsDict({name: value for scores in overall.values() for name, value in scores.items()})
        if len(merged) < sum(map(len, overall.values())):  # a total may have names that `ScoreNames` has not seen
            raise UsageError(
                "two metrics have a score of the same name; label one of them, as in NAME:label=other-name"
            )
        systems = {}
        for system, totals in self.systems.items():
            by_metric = (metric.renamed(total.score()) for metric, total in zip(self.metrics, totals, strict=True))
            systems[system] = MetricsDict({name: value for scores in by_metric for name, value in scores.items()})
        others = {metric.label: metric.metric.other_signatures(summary.number_of_references) for metric in self.metrics}
        for name, count in undefined.items():
            excluded = "it is" if count == 1 else "they are"
            log.warn(f"'{name}' is undefined for {counted(count, 'output')}; {excluded} excluded from its mean")
        names = {label: list(scores.flatten()) for label, scores in overall.items()}
        return Evaluation(
            merged,
            systems,
            summary.num_instances,
            {system: summary.outputs[system] for system in systems},
            signatures(self.metrics, summary, resampling),
            others if resampling is None else _resampled(others, resampling),
            undefined,
            names,
            confidence,
            kinds_of(self.metrics, names),
        )


def signatures(
    metrics: Sequence[LabelledMetric], summary: InputSummary, resampling: Resampling | None = None
) -> dict[str, str]:
    """Returns the signature of each metric; it includes the number of references if the metric uses them."""
    resampled = signature_fields(resampling, len(summary.outputs)) if resampling else {}
    by_label = {}
    for metric in metrics:
        references = {"refs": summary.number_of_references} if "references" in metric.metric.fields else {}
        by_label[metric.label] = metric.metric.signature(**references, **resampled)
    return by_label


def _resampled(others: Mapping[str, Mapping[str, str]], resampling: Resampling) -> dict[str, dict[str, str]]:
    """Adds the resampling to the signatures of other programs; sacreBLEU has draws and 95 % percentile intervals."""
    if resampling.scheme != SCHEME:
        return {metric: dict(programs) for metric, programs in others.items()}
    has_its_intervals = (resampling.level, resampling.method) == (LEVEL, METHOD)
    fields = f"bs:{resampling.resamples}|" if has_its_intervals else ""
    if resampling.test == "paired-ar":
        fields += f"ar:{resampling.number_of_trials}|"
    resampled = f"|{fields}seed:{resampling.seed}|" if fields else "|"
    return {
        metric: {program: signature.replace("|", resampled, 1) for program, signature in programs.items()}
        for metric, programs in others.items()
    }


def evaluate(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    write: Callable[[str], object] | None,
    log: Log,
    *,
    duplicates: Duplicates = "error",
    jobs: int = 1,
    resampling: Resampling | None = None,
    baseline: str | None = None,
    observe: Callable[[ColumnBatch, Sequence[BatchScores]], object] | None = None,
    force: bool = False,
) -> Evaluation:
    """Scores the outputs of files.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        write: Receives strings of complete rows: one line of JSON for each output, in the order of the input; the first
            row has the signatures. `None` for no rows.
        log: Receives warnings.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes that score.
        resampling: How to resample inputs for intervals and tests; `None` for neither.
        baseline: The system to compare the other systems with; by default the first system of the input.
        observe: Receives each batch, and the results of each metric; a result may have statistics instead of scores.
        force: Whether outputs are known to be detokenized, even if they look tokenized.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name, or there is no system with the baseline's id.
        ProcessError: if a worker process cannot be started or dies.
    """
    summary, totals = InputSummary(), Totals(metrics)
    counts_tokenized = not force and any(metric.metric.expects_detokenized for metric in metrics)
    tokenized = TokenizedOutputs(metrics) if counts_tokenized else None
    collector = None if resampling is None else new_collector(metrics, resampling)
    rows = None if write is None else RowWriter(write, metrics)
    scoring = Scoring(metrics, PlainScorer(metrics), lines=rows is not None, totals=True)
    if jobs == 1 or (jobs := number_of_processes(metrics, jobs, log)) == 1:
        with closing(scored_batches(reader, input_files, scoring, summary, log, duplicates)) as batches:
            for batch, lines, results, _ in batches:
                totals.add(batch, results)
                if tokenized is not None:
                    tokenized.add(batch)
                if collector is not None:
                    collector.add(batch.ids, batch.systems, results)
                if rows is not None:
                    rows.write(lines)
                if observe is not None:
                    observe(batch, results)
    else:
        from metrics_framework.evaluation.parallel.copier import Copier
        from metrics_framework.evaluation.parts.local import scored_parts

        task = _task(scoring, tokenized, resampling, keeps_batches=observe is not None)
        with (
            closing(scored_parts(reader, input_files, task, summary, log, duplicates, jobs)) as parts,
            Copier() as copier,
        ):
            rows = None if write is None else RowWriter(write, metrics, copier)
            _add_parts(parts, totals, tokenized, collector, rows, observe)
    return totals.evaluation(summary, log, tokenized, collector, resampling, baseline)


def evaluate_parts(
    parts: Callable[[InputSummary], Generator[PartResult, None, None]],
    metrics: Sequence[LabelledMetric],
    log: Log,
    *,
    resampling: Resampling | None = None,
    baseline: str | None = None,
    counts_tokenized: bool = False,
) -> Evaluation:
    """Adds up the results of parts that are scored already.

    Args:
        parts: Yields the parts in their order, and counts their input.
        metrics: The metrics.
        log: Receives warnings.
        resampling: How to resample inputs for intervals and tests; `None` for neither.
        baseline: The system to compare the other systems with; by default the first system of the input.
        counts_tokenized: Whether the parts counted outputs that look tokenized.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name, or there is no system with the baseline's id.
    """
    summary, totals = InputSummary(), Totals(metrics)
    tokenized = TokenizedOutputs(metrics) if counts_tokenized else None
    collector = None if resampling is None else new_collector(metrics, resampling)
    with closing(parts(summary)) as results:
        _add_parts(results, totals, tokenized, collector, None, None)
    return totals.evaluation(summary, log, tokenized, collector, resampling, baseline)


def _task(
    scoring: Scoring, tokenized: TokenizedOutputs | None, resampling: Resampling | None, keeps_batches: bool
) -> Task:
    """Returns what to do with the parts of a run."""
    from metrics_framework.evaluation.parts.scorer import Task

    return Task(
        scoring,
        counts_tokenized=tokenized is not None,
        new_collector=None if resampling is None else partial(new_collector, scoring.metrics, resampling),
        keeps_batches=keeps_batches,
    )


def _add_parts(
    parts: Iterable[PartResult],
    totals: Totals,
    tokenized: TokenizedOutputs | None,
    collector: Collector | None,
    rows: RowWriter | None,
    observe: Callable[[ColumnBatch, Sequence[BatchScores]], object] | None,
) -> None:
    """Adds the results of parts."""
    for part in parts:
        totals.add_part(part)
        if tokenized is not None:
            tokenized.merge(part.tokenized)
        if collector is not None:
            collector.merge(part.collected)
        if rows is not None and part.rows_file is not None:
            rows.write_file(part.rows_file)
        elif rows is not None and part.rows:
            end = part.rows.index("\n") + 1
            rows.write([part.rows[:end], part.rows[end:]])
        for instances, results in part.batches:
            if observe is not None:
                observe(ColumnBatch(instances), results)


@dataclass
class PlainScorer:
    """Scores batches without jackknifing.

    Args:
        metrics: The metrics.
    """

    metrics: Sequence[LabelledMetric]

    def __call__(self, batch: ColumnBatch) -> list[BatchScores]:
        """Scores a batch with every metric."""
        grouping = Grouping(batch)
        return [grouping.score(metric.metric, Request.SCORES | Request.STATISTICS) for metric in self.metrics]
