"""Builds the data of a report from the outputs of systems, and from metrics or score files."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from metrics_framework.common.errors import UnknownNameError, UsageError, counted
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.identity import Duplicates, similar_in_files
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.input_summary import InputSummary
from metrics_framework.evaluation.run import scored_batches
from metrics_framework.evaluation.scoring import PlainScorer, Scoring
from metrics_framework.evaluation.system_scores import signatures
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.reports.html.baselines import Baseline, baselines
from metrics_framework.reports.html.collected_scores import Scores, add_baselines, scores_of_rows
from metrics_framework.reports.html.model import Cell, Facts, ReportData, ResamplingFacts, ScoreColumn, System
from metrics_framework.reports.html.notes import cautions, left_out
from metrics_framework.reports.html.score_cells import cells_of
from metrics_framework.reports.html.score_columns import columns_of
from metrics_framework.reports.html.selection import Selection, listed_sentences
from metrics_framework.reports.html.system_counts import add_counts
from metrics_framework.reports.html.task import SIMPLIFICATION, Task
from metrics_framework.reports.html.test_set import MAX_CHARACTERS, TestSet, mean, words
from metrics_framework.significance.interval_options import METHOD_NAMES
from metrics_framework.significance.resampling import Resampling
from metrics_framework.version import __version__


@dataclass
class ReportOptions:
    """The input and the options of a report.

    Args:
        reader: Reads the files.
        input_files: The files of outputs.
        metrics: The metrics.
        title: The heading.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes.
        rows: Rows of score files.
        row_signatures: Metric to signature, from the score files.
        row_notes: Notes on the score files.
        files: The names of all files, without folders.
        licence: The licence of the test set, if known.
        resampling: How to compute intervals; `None` for none.
        compared_with: The system to compare the other systems with; by default the first.
        task: The task.
        main: The main scores; by default, those that have the name of their metric.
        titles: Score name to its title on the page, where they differ.
        digits: The number of decimal places.
        selection: Which sentences the page lists.
        answers: What language models answered about outputs, by input and system.
    """

    reader: DatasetReader
    input_files: Sequence[str]
    metrics: Sequence[LabelledMetric]
    title: str = SIMPLIFICATION.title
    duplicates: Duplicates = "error"
    jobs: int = 1
    rows: Sequence[MetricsRow] = ()
    row_signatures: Mapping[str, str] = field(default_factory=dict)
    row_notes: Sequence[str] = ()
    files: Sequence[str] = ()
    licence: str | None = None
    resampling: Resampling | None = None
    compared_with: str | None = None
    task: Task = SIMPLIFICATION
    main: Collection[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    digits: int = 2
    selection: Selection = field(default_factory=Selection)
    answers: Mapping[tuple[str, str], list[str]] = field(default_factory=dict)


def report_data(options: ReportOptions, log: Log) -> ReportData:
    """Reads and scores outputs and returns everything the page shows.

    Raises:
        DataError: if the input is invalid, or systems differ in their sources or references.
        UsageError: if two metrics return a score of the same name, there are too many systems or none, or the system to
            compare with does not exist.
    """
    summary = InputSummary()
    test_set, computed = _read(options, summary, log)
    summary.warn(log, compared=True)
    test_set.finish()
    first = options.compared_with or next(iter(test_set.systems))
    if first not in test_set.systems:
        raise UnknownNameError("system", first, test_set.systems)
    made, without = _baselines_beside(test_set)
    add_baselines(computed, made)
    scores, others = _all_scores(options, computed, test_set, log)
    systems = [
        *map(System, test_set.systems),
        *(System(baseline.name, "baseline", baseline.about) for baseline in made),
    ]
    columns = columns_of(
        scores, systems, len(test_set.sentences), options.titles, options.digits, options.row_signatures, options.main
    )
    cells, undefined = cells_of(
        scores, systems, [sentence.id for sentence in test_set.sentences], first, options.resampling
    )
    bins, lengths = test_set.bins()
    for system in systems:
        _add_scores(system, scores, columns, cells[system.name], bins)
        _add_outputs(system, scores, test_set)
        add_counts(system, scores, columns, bins, len(test_set.sentences))
    _add_answers(systems, test_set, options.answers, log)
    compared_with = first if len(test_set.systems) > 1 and options.resampling is not None else None
    warnings = cautions(test_set, columns, systems, compared_with, undefined, options.resampling)
    for warning in warnings:
        log.warn(warning)
    fields, without_fields = test_set.fields.finished(list(test_set.systems), len(test_set.sentences))
    listed, selection = listed_sentences(options.selection, systems, columns, options.task.unit)
    facts, without_documents = _facts(test_set, options), _without_long_documents(test_set)
    return ReportData(
        options.title,
        __version__,
        facts,
        {**options.row_signatures, **signatures(options.metrics, summary, options.resampling)},
        columns,
        systems,
        lengths,
        test_set.sentences,
        _resampling_facts(options.resampling, compared_with, systems, options.task.unit),
        [*options.row_notes, *left_out(test_set, others), *without, *without_documents, *without_fields, *warnings],
        fields,
        array("i", test_set.lengths()),
        listed,
        selection,
    )


def _all_scores(
    options: ReportOptions, computed: Sequence[Scores], test_set: TestSet, log: Log
) -> tuple[list[Scores], int]:
    """Returns the scores from files, then those of the metrics; and the number of rows of other outputs."""
    indices = {sentence.id: index for index, sentence in enumerate(test_set.sentences)}
    from_files, others = scores_of_rows(options.rows, indices, test_set.systems)
    if others:
        log.warn(f"{others} rows of the score files belong to outputs that are not in this report; they are left out")
        for warning in _similar_names(options.rows, test_set):
            log.warn(warning)
    _check_names(computed, from_files)
    return [*from_files, *computed], others


def _similar_names(rows: Sequence[MetricsRow], test_set: TestSet) -> list[str]:
    """Describes ids that differ only in case or spaces from those of the report."""
    ids = {sentence.id for sentence in test_set.sentences}
    return [
        *similar_in_files(
            "systems", {"the score files": {row.summarizer_id for row in rows}, "this report": test_set.systems}
        ),
        *similar_in_files("inputs", {"the score files": {row.instance_id for row in rows}, "this report": ids}),
    ]


def _read(options: ReportOptions, summary: InputSummary, log: Log) -> tuple[TestSet, list[Scores]]:
    """Reads and scores outputs, and keeps their texts and scores."""
    scoring = Scoring(options.metrics, PlainScorer(options.metrics), keeps_batches=True, all_fields=True)
    source = options.reader, options.input_files
    batches = scored_batches(*source, scoring, summary, log, options.duplicates, options.jobs)
    test_set = TestSet(task=options.task)
    scores_of_metrics = [Scores(metric.label, metric) for metric in options.metrics]
    with closing(batches):
        for scored in batches:
            for system, (places, rows) in _by_system(test_set, scored.batch.instances).items():
                for scores, results in zip(scores_of_metrics, scored.results, strict=True):
                    scores.add(system, places, results, rows)
    return test_set, scores_of_metrics


def _by_system(test_set: TestSet, instances: Sequence[EvalInstance]) -> dict[str, tuple[list[int], list[int]]]:
    """Adds a batch to the test set; returns for each system the indices of its sentences and its rows in the batch."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    for row, instance in enumerate(instances):
        place = test_set.add(instance)
        if place is not None:
            places, rows = found.setdefault(instance.summarizer_id, ([], []))
            places.append(place)
            rows.append(row)
    return found


def _baselines_beside(test_set: TestSet) -> tuple[list[Baseline], list[str]]:
    """Returns the baselines, renamed if a system has the same name, and notes on missing ones."""
    made = []
    found, notes = baselines(test_set)
    for baseline in found:
        name = baseline.name
        while name in test_set.systems:
            name += " (baseline)"
        made.append(Baseline(name, baseline.about, baseline.outputs))
    return made, notes


def _check_names(scores: Sequence[Scores], from_files: Sequence[Scores]) -> None:
    """Checks that no score is both in the score files and computed.

    Raises:
        UsageError: if a score is in both.
    """
    computed = {name for metric in scores for system in metric.systems for name in metric.of_system(system)}
    for read in from_files:
        if read.label in computed:
            raise UsageError(
                f"'{read.label}' is in the score files, and a metric of this run returns it too; "
                "leave out one of them, or give the metric a label, as in --metric NAME:label=other-name"
            )


def _add_scores(
    system: System,
    scores: Sequence[Scores],
    columns: Sequence[ScoreColumn],
    cells: Mapping[str, Cell],
    bins: Sequence[Sequence[int]],
) -> None:
    """Adds the scores over all outputs and by length, `None` where undefined."""
    overall = {name: value for metric in scores for name, value in metric.of_system(system.name).items()}
    of_bins = [
        {name: value for metric in scores for name, value in metric.of_system(system.name, indices).items()}
        for indices in bins
    ]
    for name in [column.name for column in columns]:
        system.scores[name] = replace(cells.get(name, Cell(None)), value=overall.get(name))
        system.by_length[name] = [values.get(name) for values in of_bins]


def _add_outputs(system: System, scores: Sequence[Scores], test_set: TestSet) -> None:
    """Adds the number of outputs and, for a system, its texts and their scores."""
    size = len(test_set.sentences)
    if system.kind == "baseline":
        system.outputs = size
        return
    outputs = test_set.systems[system.name]
    system.outputs = size - outputs.count(None)
    system.texts = outputs
    predicting = next((metric for metric in scores if system.name in metric.spans), None)
    if predicting is not None:  # the first metric that predicts errors
        found, system.spans_of = predicting.spans[system.name], predicting.label
        system.spans = [found.get(place) for place in range(size)]
    for metric in scores:
        system.values.update(metric.of_outputs(system.name, size))


def _add_answers(
    systems: Sequence[System], test_set: TestSet, answers: Mapping[tuple[str, str], list[str]], log: Log
) -> None:
    """Adds what language models answered about the outputs of systems."""
    used = 0
    for system in systems if answers else ():
        if system.kind == "system":
            system.answers = [answers.get((sentence.id, system.name), []) for sentence in test_set.sentences]
            used += sum(map(bool, system.answers))
    if used < len(answers):
        other = counted(len(answers) - used, "output")
        log.warn(f"the files of answers also have answers about {other} that this report does not have")


def _without_long_documents(test_set: TestSet) -> list[str]:
    """Removes documents that are too long for a page, and returns a note on it."""
    characters = sum(len(text) for sentence in test_set.sentences for text in sentence.documents)
    if characters <= MAX_CHARACTERS:
        return []
    test_set.sentences = [replace(sentence, documents=[]) for sentence in test_set.sentences]
    return [f"Documents are not on the page: they have {characters:,} characters, more than {MAX_CHARACTERS:,}."]


def _facts(test_set: TestSet, options: ReportOptions) -> Facts:
    references = [words(text) for sentence in test_set.sentences for text in sentence.references]
    task, length_of = test_set.task, test_set.length_of
    return Facts(
        len(test_set.sentences),
        test_set.number_of_references,
        mean(test_set.lengths()) if length_of in ("source", "documents") else None,
        mean(references),
        list(options.files),
        options.licence,
        task.name,
        task.marks,
        task.unit,
        length_of,
    )


def _resampling_facts(
    resampling: Resampling | None, compared_with: str | None, systems: Sequence[System], unit: str
) -> ResamplingFacts | None:
    if resampling is None:
        return None
    compared = {cell.compared for system in systems for cell in system.scores.values() if cell.compared}
    intervals, test = METHOD_NAMES[resampling.method], resampling.described_test(compared)
    method = f"{intervals} over {unit}s; {test}, two-sided, Holm's correction"
    level, resamples, seed = 100 * resampling.level, resampling.resamples, resampling.seed
    return ResamplingFacts(method, level, resamples, seed, compared_with, intervals, test)
