"""Builds the data of a report from a test set, the outputs of systems, and metrics or score files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from metrics_framework.common.errors import UnknownNameError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.data.texts import as_string
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import Scoring
from metrics_framework.evaluation.evaluate import PlainScorer, signatures
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import Duplicates
from metrics_framework.evaluation.run import scored_batches
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import CorpusMetric
from metrics_framework.reports.html.baselines import Baseline, baselines
from metrics_framework.reports.html.columns import columns_of
from metrics_framework.reports.html.model import Cell, Facts, ReportData, ScoreColumn, System
from metrics_framework.reports.html.model import Resampling as ResamplingFacts
from metrics_framework.reports.html.notes import cautions, left_out
from metrics_framework.reports.html.scoring import Scored, Scores, scores_by_metrics, scores_of_rows
from metrics_framework.reports.html.significance import cells_of
from metrics_framework.reports.html.test_set import TestSet, mean, words
from metrics_framework.significance.resampling import Resampling
from metrics_framework.version import __version__


@dataclass
class ReportOptions:
    """Says what a report is to hold.

    Args:
        reader: Reads the files.
        input_files: The files of outputs.
        metrics: The metrics.
        title: The heading.
        duplicates: What to do with a second output of one system for one input.
        jobs: How many processes score.
        rows: Rows of score files.
        row_signatures: Metric to signature, as the score files state them.
        row_notes: What a reader must know of the score files.
        files: The names of all files, without folders.
        licence: The licence of the test set, if one is known.
        resampling: How intervals are made; `None` for none.
        compared_with: The system that the others are compared with; by default the first.
        titles: Score name to what the page calls it, where that is another name.
        digits: Digits behind the point.
    """

    reader: DatasetReader
    input_files: Sequence[str]
    metrics: Sequence[LabelledMetric]
    title: str = "Simplification report"
    duplicates: Duplicates = "error"
    jobs: int = 1
    rows: Sequence[MetricsRow] = ()
    row_signatures: Mapping[str, str] = field(default_factory=dict)
    row_notes: Sequence[str] = ()
    files: Sequence[str] = ()
    licence: str | None = None
    resampling: Resampling | None = None
    compared_with: str | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    digits: int = 2


def report_data(wanted: ReportOptions, log: Log) -> ReportData:
    """Reads and scores outputs, and works out all that the page shows.

    Raises:
        DataError: if the input is not as it must be, or systems differ in their sources or references.
        UsageError: if two metrics give a score of the same name, there are too many systems or none, or none of the
            name to compare with.
    """
    seen = InputSummary()
    scored = list(_scored(wanted, seen, log))
    seen.warn(log, compared=True)
    test_set = TestSet.of(instance for instance, _ in scored)
    first = _compared_with(test_set, wanted.compared_with)
    made = _baselines_beside(test_set)
    places = {sentence.id: place for place, sentence in enumerate(test_set.sentences)}
    peers = [one for one in scored if one[0].summarizer_type == "peer"]
    scores = scores_by_metrics(wanted.metrics, peers, places, made)
    from_files, others = scores_of_rows(wanted.rows, places, test_set.systems)
    if others:
        log.warn(f"{others} rows of the score files are of outputs that are not in this report, and are left out")
    _refuse_twice(scores, from_files)
    scores = [*from_files, *scores]  # first what a reader brought: the features are there in any case
    systems = [*map(System, test_set.systems), *(System(one.name, "baseline", one.about) for one in made)]
    names = [system.name for system in systems]
    columns = columns_of(scores, names, wanted.titles, wanted.digits, wanted.row_signatures)
    cells, undefined = cells_of(scores, systems, list(places), first, wanted.resampling)
    bins, lengths = test_set.bins()
    for system in systems:
        _fill(system, scores, columns, cells[system.name], bins)
        _add_outputs(system, scores, test_set)
    resampled = _resampling(wanted.resampling, first, len(test_set.systems))
    compared_with = None if resampled is None else resampled.compared_with
    careful = cautions(test_set, columns, systems, compared_with, undefined, wanted.resampling)
    for caution in careful:
        log.warn(caution)
    return ReportData(
        wanted.title,
        __version__,
        _facts(test_set, wanted),
        {**wanted.row_signatures, **signatures(wanted.metrics, seen, wanted.resampling)},
        columns,
        systems,
        lengths,
        test_set.sentences,
        resampled,
        [*wanted.row_notes, *left_out(test_set, systems, others), *careful],
    )


def _scored(wanted: ReportOptions, seen: InputSummary, log: Log) -> Iterator[tuple[EvalInstance, list[Scored]]]:
    """Gives every output with its scores under each metric."""
    scoring = Scoring(wanted.metrics, PlainScorer(wanted.metrics), lines=False, totals=True)
    batches = scored_batches(wanted.reader, wanted.input_files, scoring, seen, log, wanted.duplicates, wanted.jobs)
    with closing(batches):
        for found in batches:
            columns = [_scored_outputs(*one) for one in zip(wanted.metrics, found.results, strict=True)]
            for instance, *results in zip(found.batch.instances, *columns, strict=True):
                yield instance, results


def _scored_outputs(metric: LabelledMetric, results: BatchScores) -> list[Scored]:
    """Returns the scores and statistics of each output; another process may have sent the statistics only."""
    if results.statistics is None:
        return [(MetricsDict(scores), None) for scores in results.scores]
    scores_list = results.scores
    if isinstance(metric.metric, CorpusMetric) and not scores_list:
        scores_list = list(map(metric.metric.score_statistics, results.statistics))
    return list(zip(map(MetricsDict, scores_list), results.statistics, strict=True))


def _compared_with(test_set: TestSet, name: str | None) -> str:
    if name is not None and name not in test_set.systems:
        raise UnknownNameError("system to compare the others with", name, test_set.systems)
    return name or next(iter(test_set.systems))


def _baselines_beside(test_set: TestSet) -> list[Baseline]:
    """Makes the baselines; one whose name a system has is called otherwise."""
    made = []
    for baseline in baselines(test_set):
        name = baseline.name
        while name in test_set.systems:
            name += " (baseline)"
        made.append(Baseline(name, baseline.about, baseline.outputs))
    return made


def _refuse_twice(scores: Sequence[Scores], from_files: Sequence[Scores]) -> None:
    """Refuses a score that is in the score files and computed too.

    Raises:
        UsageError: if there is one.
    """
    computed = {name for one in scores for system in one.systems for name in one.of_system(system)}
    for one in from_files:
        if one.label in computed:
            raise UsageError(
                f"'{one.label}' is in the score files and a metric of this run gives it too; "
                "leave one of them out, or give the metric a label, as in --metric NAME:label=other-name"
            )


def _fill(
    system: System,
    scores: Sequence[Scores],
    columns: Sequence[ScoreColumn],
    cells: Mapping[str, Cell],
    bins: Sequence[Sequence[int]],
) -> None:
    """Puts in the scores over all outputs and by length, `None` where there is none."""
    found = {name: value for one in scores for name, value in one.of_system(system.name).items()}
    of_bins = [
        {name: value for one in scores for name, value in one.of_system(system.name, places).items()} for places in bins
    ]
    for name in [column.name for column in columns]:
        system.scores[name] = replace(cells.get(name, Cell(None)), value=found.get(name))
        system.by_length[name] = [values.get(name) for values in of_bins]


def _add_outputs(system: System, scores: Sequence[Scores], test_set: TestSet) -> None:
    """Puts in the number of outputs and, of a system, its texts and their scores."""
    size = len(test_set.sentences)
    if system.kind == "baseline":
        system.outputs = size
        return
    outputs = test_set.systems[system.name]
    system.outputs = size - outputs.count(None)
    system.texts = [None if one is None else as_string(one.fields["summary"]) for one in outputs]
    for one in scores:
        system.values.update(one.of_outputs(system.name, size))


def _facts(test_set: TestSet, wanted: ReportOptions) -> Facts:
    references = [words(text) for sentence in test_set.sentences for text in sentence.references]
    return Facts(
        len(test_set.sentences),
        test_set.number_of_references,
        mean([words(sentence.source) for sentence in test_set.sentences]) or 0.0,
        mean(references),
        list(wanted.files),
        wanted.licence,
    )


def _resampling(resampling: Resampling | None, first: str, systems: int) -> ResamplingFacts | None:
    if resampling is None:
        return None
    method = "percentile bootstrap over sentences; paired approximate randomization, two-sided, Holm's correction"
    compared = first if systems > 1 else None
    return ResamplingFacts(method, 100 * resampling.level, resampling.resamples, resampling.seed, compared)
