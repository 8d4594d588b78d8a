"""``evaluate``: the scores of systems, added up over the batches of a run, without jackknifing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from metrics_framework.common.errors import UsageError, counted
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.metrics_dict import (
    MetricsDict,
    ScoredCount,
    UndefinedScoresError,
    is_defined,
    unequal_shares,
)
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.checked_input import InputSummary
from metrics_framework.evaluation.run import Run
from metrics_framework.evaluation.scoring import PlainScorer, RowWriter, ScoredBatch, Scoring
from metrics_framework.inputs.checks import TextSample
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.metrics.base.totals import Total
from metrics_framework.significance.resampling import LEVEL, PERCENTILE

if TYPE_CHECKING:
    from metrics_framework.evaluation.engine import Engine
    from metrics_framework.significance.confidence import Confidence, ScoreCollector
    from metrics_framework.significance.resampling import Resampling


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
        num_scored: Maps each of these scores to the number of outputs of each system that have it: its means are over
            these.
        names: Maps each metric to the flat names of its scores.
        kinds: Maps each flat name to the kind of the score.
        confidence: Intervals and significance tests, if they were requested.
        without_score: The main scores that are undefined for every system, whether they are means or corpus scores.
        rows: How rows were read, if some were left out or ``--columns`` named columns.
        warnings: What may make the scores misleading.
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
    num_scored: dict[str, dict[str, int]] = field(default_factory=dict)
    without_score: list[str] = field(default_factory=list)
    rows: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def scored_counts(self, name: str) -> dict[str, ScoredCount]:
        """Returns how many outputs of each system have a score; empty if all outputs have it.

        Args:
            name: The flat name of the score.
        """
        counts = self.num_scored.get(name, {})
        return {system: ScoredCount(count, self.num_outputs[system]) for system, count in counts.items()}

    def cautions(self) -> list[str]:
        """Returns where intervals and tests need care: p-values are the least, scores do not vary, inputs are few."""
        if self.confidence is None:
            return []
        from metrics_framework.significance.multiple_testing import caution_of_few

        main = [name for name, kind in self.kinds.items() if kind.is_main]
        return [*self.confidence.cautions(main), *caution_of_few(self.num_outputs)]

    def check_scores(self) -> None:
        """Checks that an output has a score.

        Raises:
            UndefinedScoresError: if all main scores are undefined for all outputs.
        """
        main = [name for name, kind in self.kinds.items() if kind.is_main]
        if self.without_score == main:
            raise UndefinedScoresError(main, sum(self.num_outputs.values()))

    def as_json(self) -> dict[str, Any]:
        """Returns the content of the macro file."""
        from metrics_framework.data.file_formats import FORMAT, FORMATS

        written: dict[str, Any] = {
            "metrics": self.metrics,
            "systems": self.systems,
            "num_instances": self.num_instances,
            "num_outputs": self.num_outputs,
            "signature": self.signature,
        }
        if any(self.other_signatures.values()):
            written["other_signatures"] = {name: others for name, others in self.other_signatures.items() if others}
        if self.rows:
            written["rows"] = self.rows
        if self.undefined:
            written["undefined"] = self.undefined
            written["num_scored"] = self.num_scored
        if self.confidence is not None:
            written.update(self.confidence.as_json())
            if cautions := self.cautions():
                written["cautions"] = cautions
        if self.warnings:
            written["warnings"] = sorted(self.warnings)  # in an order that does not depend on processes
        return {**written, FORMAT: FORMATS["macro"]}


Finish: TypeAlias = "Callable[[Evaluation, Sequence[LabelledMetric], ScoreCollector | None], object]"
"""What receives the scores of a run, its metrics and, with intervals, its outputs."""


@dataclass
class Totals:
    """The totals of each system, and of all systems together, for every metric; batches are added in their order.

    Args:
        metrics: The metrics.

    Attributes:
        summary: Counts of the input.
    """

    metrics: Sequence[LabelledMetric]
    summary: InputSummary = field(default_factory=InputSummary)
    _everything: list[Total] = field(default_factory=list)
    _systems: dict[str, list[Total]] = field(default_factory=dict)

    def add(self, scored: ScoredBatch) -> None:
        """Adds the results of a batch."""
        self._everything = self._everything or [metric.metric.new_total() for metric in self.metrics]
        by_system = scored.batch.by_system
        for system, outputs in by_system.items():
            if system not in self._systems:
                self._systems[system] = [metric.metric.new_total() for metric in self.metrics]
            for total, results in zip(self._systems[system], scored.results, strict=True):
                total.add_batch(results, None if len(by_system) == 1 else outputs, len(outputs))
        for total, results in zip(self._everything, scored.results, strict=True):
            total.add_batch(results, None, len(scored.batch.ids))

    def evaluation(
        self,
        log: Log,
        resampling: Resampling | None = None,
        baseline: str | None = None,
        collector: ScoreCollector | None = None,
    ) -> Evaluation:
        """Returns the scores of each system, and of all systems together, and reports the warnings of the run.

        Args:
            log: Receives warnings.
            resampling: How to resample inputs; `None` for no intervals.
            baseline: The system to compare the other systems with; by default the first system of the input.
            collector: Has collected what intervals and tests need; `None` without them.

        Raises:
            UsageError: if the totals of two metrics have a score of the same name, or the baseline does not exist.
        """
        self.summary.warn(log, compared=True)
        confidence = None
        if collector is not None and resampling is not None:
            confidence = collector.confidence(self.metrics, resampling, baseline, log)
            resampling = confidence.resampling
        merged, overall = self._scores(self._everything)
        if len(merged) < sum(map(len, overall.values())):  # a total may have names that `ScoreNames` has not seen
            raise UsageError(
                "two metrics have a score of the same name; label one of them, as in NAME:label=other-name"
            )
        systems = {system: self._scores(totals)[0] for system, totals in self._systems.items()}
        names = {label: list(scores.flatten()) for label, scores in overall.items()}
        references = self.summary.number_of_references
        others = {metric.label: metric.metric.other_signatures(references) for metric in self.metrics}
        undefined, kinds = dict[str, int](), kinds_of(self.metrics, names)
        for metric, total in zip(self.metrics, self._everything, strict=True):
            undefined |= {metric.renamed_score(name): count for name, count in total.undefined.items()}
        flat = [scores.flatten() for scores in (merged, *systems.values())]
        main = (name for name, kind in kinds.items() if kind.is_main)
        evaluation = Evaluation(
            merged,
            systems,
            self.summary.num_instances,
            {system: self.summary.outputs[system] for system in systems},
            signatures(self.metrics, self.summary, resampling),
            others if resampling is None else resampled_by_others(others, resampling),
            undefined,
            names,
            confidence,
            kinds,
            self._num_scored() if undefined else {},
            [name for name in main if not any(is_defined(scores.get(name)) for scores in flat)],
            self.summary.rows_as_json() if self.summary.columns or self.summary.where else {},
        )
        if undefined or evaluation.without_score:
            _warn_of_undefined(evaluation, log)
        return evaluation

    def _scores(self, totals: Sequence[Total]) -> tuple[MetricsDict, dict[str, MetricsDict]]:
        """Returns the scores of the totals of all metrics, together and by the labels of the metrics."""
        by_metric = {
            metric.label: metric.renamed(total.score()) for metric, total in zip(self.metrics, totals, strict=True)
        }
        return MetricsDict({name: value for scores in by_metric.values() for name, value in scores.items()}), by_metric

    def _num_scored(self) -> dict[str, dict[str, int]]:
        """Returns the number of outputs of each system that have a score, for scores that some outputs do not have."""
        outputs = self.summary.outputs
        return {
            metric.renamed_score(name): {
                system: outputs[system] - totals[index].undefined.get(name, 0)
                for system, totals in self._systems.items()
            }
            for index, metric in enumerate(self.metrics)
            for name in self._everything[index].undefined
        }


def _warn_of_undefined(evaluation: Evaluation, log: Log) -> None:
    """Warns of outputs without a score, and of systems with unequal shares of them."""
    outputs, flat = sum(evaluation.num_outputs.values()), evaluation.metrics.flatten()
    for name, count in evaluation.undefined.items():
        if count == outputs > 1 and not is_defined(flat[name]):
            log.warn(f"'{name}' is undefined for all {count} outputs")
        else:
            excluded = "it is" if count == 1 else "they are"
            log.warn(f"'{name}' is undefined for {counted(count, 'output')}; {excluded} excluded from its mean")
    for name in evaluation.without_score:
        if name not in evaluation.undefined:  # a corpus score, whose outputs are not counted
            log.warn(f"'{name}' is undefined for {'all ' if outputs > 1 else ''}{counted(outputs, 'output')}")
    for name in evaluation.num_scored:
        if (warning := unequal_shares(name, evaluation.scored_counts(name))) is not None:
            log.warn(warning)


def signatures(
    metrics: Sequence[LabelledMetric], summary: InputSummary, resampling: Resampling | None = None
) -> dict[str, str]:
    """Returns the signature of each metric; it includes the number of references if the metric uses them."""
    resampled = {}
    if resampling is not None:
        from metrics_framework.significance.confidence import signature_fields

        resampled = signature_fields(resampling, len(summary.outputs), max(summary.outputs.values(), default=0))
    by_label = {}
    for metric in metrics:
        references = {"refs": summary.number_of_references} if "references" in metric.metric.fields else {}
        by_label[metric.label] = metric.metric.signature(**references, **resampled)
    return by_label


def resampled_by_others(others: Mapping[str, Mapping[str, str]], resampling: Resampling) -> dict[str, dict[str, str]]:
    """Adds the resampling to the signatures of other programs; sacreBLEU has 95 % percentile intervals, or ``ar``."""
    has_its_intervals = (resampling.level, resampling.method) == (LEVEL, PERCENTILE)
    fields = f"bs:{resampling.resamples}|" if has_its_intervals else ""
    if resampling.test == "paired-ar":
        fields = f"ar:{resampling.number_of_trials}|"
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
    engine: Engine | None = None,
    resampling: Resampling | None = None,
    baseline: str | None = None,
    observe: Callable[[ColumnBatch, Sequence[BatchScores]], object] | None = None,
    all_fields: bool = False,
    finish: Finish | None = None,
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
        engine: The engine that scores, instead of processes of this machine.
        resampling: How to resample inputs for intervals and tests; `None` for neither.
        baseline: The system to compare the other systems with; by default the first system of the input.
        observe: Receives each batch, and the results of each metric.
        all_fields: Whether batches have fields that no metric needs, also if the format of a file allows to skip them.
        finish: Adds further scores of the systems.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name, or there is no system with the baseline's id.
        ProcessError: if a worker process cannot be started or dies.
    """
    new_collector = collected = None
    if resampling is not None:
        from metrics_framework.significance.confidence import MANY_OUTPUTS, ScoreCollector

        new_collector, collected = partial(ScoreCollector, metrics), ScoreCollector(metrics, most=MANY_OUTPUTS)
    needs_scores = resampling is not None or observe is not None
    scoring = Scoring(
        metrics,
        PlainScorer(metrics, only_totals=write is None and not needs_scores, only_files=not needs_scores),
        has_rows=write is not None,
        has_totals=True,
        new_collector=new_collector,
        keeps_batches=observe is not None,
        all_fields=all_fields,
    )
    totals = Totals(metrics, InputSummary(texts=TextSample() if log.checks else None))
    rows = None if write is None else RowWriter(write, metrics)
    run = Run(reader, input_files, scoring, totals.summary, log, duplicates, jobs, engine, collected)
    with closing(run.batches()) as batches:
        for scored in batches:
            totals.add(scored)
            if rows is not None:
                rows.write(scored.rows)
            if observe is not None:
                observe(scored.batch, scored.results)
    found = totals.evaluation(log, resampling, baseline, collected)
    if finish is not None:
        finish(found, metrics, collected)
    return replace(found, warnings=log.warnings)


class ScoreKind(NamedTuple):
    """The kind of a score.

    Attributes:
        metric: The label of its metric.
        is_main: Whether it is a main score: one that the user named, else the score with the name of the metric;
            without such a score, all scores of the metric are main scores.
        higher_is_better: Whether higher scores are better; `None` if unknown, as for all scores that are not main.
        is_ratio: Whether it is a ratio, with values around or below 1, rather than a percentage or a count.
        is_shown: Whether tables for programs have it: not if the user named other scores of the metric.
        score_range: The lowest and highest possible score; `None` for unbounded, or unknown as for all that are not
            main.
    """

    metric: str = ""
    is_main: bool = True
    higher_is_better: bool | None = None
    is_ratio: bool = False
    is_shown: bool = True
    score_range: tuple[float | None, float | None] = (None, None)


def kinds_of(metrics: Iterable[LabelledMetric], names: Mapping[str, Sequence[str]]) -> dict[str, ScoreKind]:
    """Returns the kind of each score of a run.

    Args:
        metrics: The metrics.
        names: Maps the label of each metric to the flat names of its scores.
    """
    kinds = {}
    for metric in metrics:
        main = metric.main_scores(names[metric.label])
        directions = {metric.renamed_score(name): better for name, better in metric.metric.directions.items()}
        ratios = {metric.renamed_score(name) for name in metric.metric.ratios}
        ranges = {metric.renamed_score(name): ends for name, ends in metric.metric.component_ranges.items()}
        for name in names[metric.label]:
            is_main = name in main
            is_ratio = name in ratios or (name == metric.label and metric.metric.score_range[1] == 1)
            is_own = name == metric.label or metric.label not in names[metric.label]
            better = directions.get(name, metric.metric.higher_is_better if is_own else None)
            bounds = ranges.get(name, metric.metric.score_range if is_own else (None, None))
            kinds[name] = ScoreKind(metric.label, is_main, better, is_ratio, is_main or not metric.scores, bounds)
    return kinds


def score_named(word: str, names: Collection[str], titles: Mapping[str, str]) -> str:
    """Returns the score with a name or, regardless of case, with a heading of the profile; else the word.

    >>> score_named("SARI", ["sari", "sari_add"], {"sari": "SARI", "sari_add": "add"})
    'sari'
    """
    if word in names:
        return word
    return next((name for name, title in titles.items() if title.casefold() == word.casefold()), word)
