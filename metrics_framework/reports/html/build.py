"""Builds the data of a report from the outputs of systems, and from metrics or score files."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from metrics_framework.common.errors import UnknownNameError, UsageError, counted
from metrics_framework.common.logs import Log
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.metrics_dict import ScoredCount, unequal_shares
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.checked_input import InputSummary
from metrics_framework.evaluation.run import Run
from metrics_framework.evaluation.scoring import PlainScorer, Scoring
from metrics_framework.evaluation.system_scores import signatures
from metrics_framework.inputs.checks import TextSample
from metrics_framework.inputs.keys import similar_names
from metrics_framework.metrics.base.direction import direction_of, label_of
from metrics_framework.metrics.base.metric import CorpusMetric, LabelledMetric
from metrics_framework.reports.html.collected_scores import Scores, add_baselines, finite, numbered, scores_of_rows
from metrics_framework.reports.html.model import (
    Aggregate,
    Better,
    Cell,
    Facts,
    Kind,
    Number,
    ReportData,
    ResamplingFacts,
    Role,
    ScoreColumn,
    System,
)
from metrics_framework.reports.html.test_set import (
    MAX_CHARACTERS,
    SIMPLIFICATION,
    Baseline,
    Selection,
    Task,
    TestSet,
    baselines,
    listed_sentences,
    mean,
    words,
)
from metrics_framework.reports.svg import isolated
from metrics_framework.significance.compared_systems import bootstrap_intervals
from metrics_framework.significance.confidence import adjusted, within_range
from metrics_framework.significance.multiple_testing import TestedDifference, caution_of_few, cautions_of_tests
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import METHOD_NAMES, Resampling
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
        titles: Score name to its title on the page, where they differ; on pages of matches, they are the main scores.
        digits: The number of decimal places.
        by: The field of the rows that divides the inputs into buckets; by default the first.
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
    titles: Mapping[str, str] = field(default_factory=dict)
    digits: int = 2
    by: str | None = None
    selection: Selection = field(default_factory=Selection)
    answers: Mapping[tuple[str, str], list[str]] = field(default_factory=dict)


def report_data(options: ReportOptions, log: Log) -> ReportData:
    """Reads and scores outputs and returns everything the page shows.

    Raises:
        DataError: if the input is invalid, or systems differ in their sources or references.
        UsageError: if two metrics return a score of the same name, there are too many systems or none, or the system to
            compare with does not exist.
    """
    summary = InputSummary(texts=TextSample() if log.checks else None)
    test_set, computed = _read(options, summary, log)
    summary.warn(log, compared=True)
    test_set.finish()
    first = options.compared_with or next(iter(test_set.systems))
    if first not in test_set.systems:
        raise UnknownNameError("system", first, test_set.systems)
    made, without = _baselines_beside(test_set)
    add_baselines(computed, made)
    scores, others = _all_scores(options, computed, test_set, log)
    bins, lengths = test_set.bins()
    report = _Scored(options, test_set, scores, made, first, bins)
    _add_answers(report.named, test_set, options.answers, log)
    warnings = report.warnings()
    for warning in warnings:
        log.warn(warning)
    fields, without_fields = test_set.fields.finished(list(test_set.systems), len(test_set.sentences), options.by)
    listed, selection = listed_sentences(options.selection, report.systems, report.columns, options.task.unit)
    facts, without_documents = _facts(test_set, options), _without_long_documents(test_set)
    return ReportData(
        options.title,
        __version__,
        facts,
        {**options.row_signatures, **signatures(options.metrics, summary, options.resampling)},
        report.columns,
        report.systems,
        lengths,
        test_set.sentences,
        report.resampling_facts(),
        [*options.row_notes, *_left_out(test_set, others), *without, *without_documents, *without_fields, *warnings],
        fields,
        array("i", test_set.lengths()),
        listed,
        selection,
        report.cautions(),
    )


def _all_scores(
    options: ReportOptions, computed: Sequence[Scores], test_set: TestSet, log: Log
) -> tuple[list[Scores], int]:
    """Returns the scores from files, then those of the metrics; and the number of rows of other outputs."""
    indices = {sentence.id: index for index, sentence in enumerate(test_set.sentences)}
    from_files, others = scores_of_rows(options.rows, indices, test_set.systems)
    if others:
        log.warn(f"{others} rows of the score files belong to outputs that are not in this report; they are left out")
        ids = [sentence.id for sentence in test_set.sentences]
        given = [row.summarizer_id for row in options.rows], [row.instance_id for row in options.rows]
        for kind, known, names in zip(("systems", "inputs"), (test_set.systems, ids), given, strict=True):
            if alike := similar_names(kind, dict.fromkeys([*known, *names], 0)):
                log.warn(alike)
    _check_names(computed, from_files)
    return [*from_files, *computed], others


def _read(options: ReportOptions, summary: InputSummary, log: Log) -> tuple[TestSet, list[Scores]]:
    """Reads and scores outputs, and keeps their texts and scores."""
    scoring = Scoring(options.metrics, PlainScorer(options.metrics), keeps_batches=True, all_fields=True)
    source = options.reader, options.input_files
    batches = Run(*source, scoring, summary, log, options.duplicates, options.jobs).batches()
    test_set = TestSet(task=options.task)
    scores_of_metrics = [Scores(metric.label, metric) for metric in options.metrics]
    with closing(batches):
        for scored in batches:
            added = list(map(test_set.add, scored.batch.instances))
            for system, every in scored.batch.by_system.items():
                places = {row: place for row in every if (place := added[row]) is not None}
                for scores, results in zip(scores_of_metrics, scored.results, strict=True) if places else ():
                    scores.add(system, [*places.values()], results, [*places])
    return test_set, scores_of_metrics


def _baselines_beside(test_set: TestSet) -> tuple[list[Baseline], list[str]]:
    """Returns the baselines, renamed if a system has the same name, and notes on missing ones."""
    made = []
    found, notes = baselines(test_set)
    for baseline in found:
        name = baseline.name
        while name in test_set.systems:
            name += " (baseline)"
        made.append(replace(baseline, name=name))
    return made, notes


def _check_names(scores: Sequence[Scores], from_files: Sequence[Scores]) -> None:
    """Checks that no score is both in the score files and computed.

    Raises:
        UsageError: if a score is in both.
    """
    computed = {name for one in scores if from_files for system in one.systems for name in one.of_system(system)}
    for read in from_files:
        if read.label in computed:
            raise UsageError(
                f"'{read.label}' is in the score files, and a metric of this run returns it too; "
                "leave out one of them, or give the metric a label, as in --metric NAME:label=other-name"
            )


def _add_answers(
    systems: Sequence[System], test_set: TestSet, answers: Mapping[tuple[str, str], list[str]], log: Log
) -> None:
    """Adds what language models answered about the outputs of systems."""
    used = 0
    for system in systems if answers else ():
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


def _flat(scores: Scores, results: Mapping[str, Any]) -> dict[str, Any]:
    """Renames results by score to the flat names of the report."""
    return {flat: number for name, value in results.items() for flat, number in numbered(scores.renamed(name), value)}


ROLES: dict[str, Role] = {
    "compression_ratio": "compression",
    "levenshtein_similarity": "similarity",
    "sentence_splits": "splits",
    "exact_copies": "copies",
}


def _is_whole(value: object) -> bool:
    return value is None or isinstance(value, int)


def _listed(text: str, parts: Sequence[str]) -> list[str]:
    """Returns a note that lists what it is about, if there is anything."""
    return [f"{text}: {', '.join(parts)}."] if parts else []


def _left_out(test_set: TestSet, rows: int) -> list[str]:
    """Returns notes on outputs that the report leaves out.

    Args:
        test_set: The outputs.
        rows: The number of rows of score files that belong to no output of the report.
    """
    size, unit = len(test_set.sentences), test_set.task.unit
    counts = {name: size - outputs.count(None) for name, outputs in test_set.systems.items()}
    fewer = f"Systems with outputs for fewer than {counted(size, unit)}, scored on these {unit}s only"
    notes = _listed(fewer, [f"{isolated(name)} {count}" for name, count in counts.items() if count < size])
    if test_set.others:
        notes.append(f"Left out: {counted(test_set.others, 'output')} of type 'reference'.")
    if rows:
        notes.append(f"Left out: {counted(rows, 'row')} of the score files, whose outputs are not in this report.")
    return notes


@dataclass
class _Scored:
    """The systems of a report with their scores, intervals and tests, and where these may mislead.

    Args:
        options: The options of the report.
        test_set: The outputs.
        scores: The scores of the outputs, also of baselines.
        baselines: The baselines.
        first: The system to compare the other systems with.
        bins: The indices of the sentences of each bin of length.
    """

    options: ReportOptions
    test_set: TestSet
    scores: Sequence[Scores]
    baselines: Sequence[Baseline]
    first: str
    bins: Sequence[Sequence[int]]

    def __post_init__(self) -> None:
        self.size = len(self.test_set.sentences)
        self.resampling = self.options.resampling
        self.named = list(map(System, self.test_set.systems))
        self.systems = [*self.named, *(System(one.name, "baseline", one.about) for one in self.baselines)]
        self.compared_with = self.first if len(self.named) > 1 and self.resampling is not None else None
        self.columns = [column for source in self.scores for column in self._columns(source)]
        self.undefined: dict[str, int] = {}  # score to the most resamples of a system in which it is undefined
        cells: dict[str, dict[str, Cell]] = {system.name: {} for system in self.systems}
        if self.resampling is not None:
            for source in self.scores:
                self._add_cells(source, self.resampling, cells)
        for system in self.systems:
            self._add_outputs(system)
            self._add_scores(system, cells[system.name])

    def _columns(self, source: Scores) -> list[ScoreColumn]:
        """Describes every score of a metric that at least one output has.

        The main score has the name of the metric; without such a score, all scores of the metric are main scores.
        Only the main score of a metric has a known direction. Scores from files belong to the metric of a signature if
        their name is its label or begins with it.
        """
        whole: dict[str, bool] = {}
        whole_outputs: dict[str, bool] = {}
        for system in self.systems:
            for name, value in source.of_system(system.name).items():
                whole[name] = whole.get(name, True) and _is_whole(value)
            for name, values in source.of_outputs(system.name, self.size).items():
                whole_outputs[name] = whole_outputs.get(name, True) and all(map(_is_whole, values))
        read = {one.label for one in self.scores if one.metric is None}
        signatures = {label: text for label, text in self.options.row_signatures.items() if label in read}
        if source.metric is not None:
            label, direction = source.label, source.metric.metric.higher_is_better
            main = source.metric.main_scores(list(whole))
        else:
            label = label_of(source.label, signatures)
            direction = direction_of(signatures[label]) if label in signatures else None
            main = [name for name in whole if name == label] or (list(whole) if label == source.label else [])
        better: Better | None = None if direction is None else "higher" if direction else "lower"
        chosen = [name for name in self.options.titles if name in whole and self.options.task.marks == "matches"]
        is_corpus = source.metric is not None and isinstance(source.metric.metric, CorpusMetric)
        aggregate: Aggregate = "corpus" if is_corpus else "mean"
        columns = []
        for name in [*chosen, *(name for name in whole if name not in chosen)]:
            title, role = self.options.titles.get(name, name), ROLES.get(name)
            way = better if name == label or name in chosen else None
            digits, of_outputs = (0 if are_whole[name] else self.options.digits for are_whole in (whole, whole_outputs))
            columns.append(
                ScoreColumn(name, title, label, name in (chosen or main), way, aggregate, digits, of_outputs, role)
            )
        return columns

    def _add_cells(self, source: Scores, resampling: Resampling, cells: Mapping[str, dict[str, Cell]]) -> None:
        """Adds the intervals, p-values and tested differences of a metric; systems are compared on common sentences."""
        ids = [sentence.id for sentence in self.test_set.sentences]
        outputs = {system.name: source.outputs(system.name, ids) for system in self.systems}
        present = {name: vectors for name, vectors in outputs.items() if vectors is not None}
        for name, of_scores in zip(present, bootstrap_intervals(list(present.values()), resampling), strict=True):
            within = of_scores if source.metric is None else within_range(source.metric.metric, of_scores)
            for score, interval in _flat(source, within).items():
                cells[name][score] = Cell(None, finite(interval.lower), finite(interval.upper))
                self.undefined[score] = max(interval.undefined_resamples or 0, self.undefined.get(score, 0))
        if self.first not in present:
            return
        first = present[self.first]
        has_references = source.metric is not None and "references" in source.metric.metric.fields
        apart = {one.name for one in self.baselines if has_references and one.references is not None}  # with fewer
        others = [name for name in present if name not in {self.first, *apart}]
        others = [name for name in others if not set(first.inputs).isdisjoint(present[name].inputs)]
        tested = paired_p_values([(first, present[name]) for name in others], resampling=resampling)
        for name, comparison in zip(others, tested, strict=True):
            for own, value in comparison.differences.items():
                inputs = comparison.scored[own].inputs if own in comparison.scored else comparison.inputs
                for score, difference in numbered(source.renamed(own), value):
                    cell = cells[name][score]
                    cells[name][score] = replace(cell, difference=finite(difference), compared=inputs)
        p_values = {name: _flat(source, one.p_values) for name, one in zip(others, tested, strict=True)}
        for kind in ("system", "baseline"):  # which are corrected separately
            family = [system.name for system in self.systems if system.kind == kind and system.name in p_values]
            for name, corrected in adjusted({name: p_values[name] for name in family}).items():
                for score, p in corrected.items():
                    both = {"p": finite(p_values[name][score]), "p_holm": finite(p)}
                    cells[name][score] = replace(cells[name][score], **both)

    def _add_outputs(self, system: System) -> None:
        """Adds the number of outputs and, for a system, its texts and their scores."""
        if system.kind == "baseline":
            system.outputs = self.size
            return
        system.texts = self.test_set.systems[system.name]
        system.outputs = self.size - system.texts.count(None)
        predicting = next((metric for metric in self.scores if system.name in metric.spans), None)
        if predicting is not None:  # the first metric that predicts errors
            found, system.spans_of = predicting.spans[system.name], predicting.label
            system.spans = [found.get(place) for place in range(self.size)]
        for metric in self.scores:
            system.values.update(metric.of_outputs(system.name, self.size))

    def _add_scores(self, system: System, cells: Mapping[str, Cell]) -> None:
        """Adds the scores over all outputs and by length, `None` where undefined, to a system with its outputs.

        Also adds how many outputs have a score, for means that some of its outputs have no score for. A score that is
        computed from all outputs together needs no score of each output. A baseline that a metric does not score has no
        counts.
        """
        overall, *of_bins = (
            {name: value for metric in self.scores for name, value in metric.of_system(system.name, indices).items()}
            for indices in (None, *self.bins)
        )
        of_outputs = [one.of_outputs(system.name, self.size) for one in self.scores]
        values = {name: numbers for columns in of_outputs for name, numbers in columns.items()}
        for column in self.columns:
            name = column.name
            system.scores[name] = replace(cells.get(name, Cell(None)), value=overall.get(name))
            system.by_length[name] = [of_bin.get(name) for of_bin in of_bins]
            if column.aggregate == "mean" and (system.kind == "system" or name in values):
                numbers: Sequence[Number] = values.get(name, [None] * self.size)
                scored = sum(number is not None for number in numbers)
                if scored < system.outputs:
                    system.scored[name] = scored
                    system.scored_by_length[name] = [_count(system, numbers, places) for places in self.bins]

    def resampling_facts(self) -> ResamplingFacts | None:
        """Describes intervals and tests; `None` without them."""
        drawn = self.resampling
        if drawn is None:
            return None
        compared = {cell.compared for system in self.systems for cell in system.scores.values() if cell.compared}
        intervals, test = METHOD_NAMES[drawn.method], drawn.described_test(compared)
        method = f"{intervals} over {self.options.task.unit}s; {test}, two-sided, Holm's correction"
        level = 100 * drawn.level
        return ResamplingFacts(method, level, drawn.resamples, drawn.seed, self.compared_with, intervals, test)

    def cautions(self) -> list[str]:
        """Returns where intervals and tests of the main scores need care, as tables in a terminal do."""
        if self.resampling is None:
            return []
        cells = [system.scores[column.name] for column in self.columns if column.main for system in self.systems]
        tested = [
            TestedDifference("", cell.p_holm, cell.p, least=self.resampling.least_p(cell.compared))
            for cell in cells
            if cell.p is not None and cell.p_holm is not None and cell.compared
        ]
        units = {system.name: system.outputs for system in self.named}
        return [*cautions_of_tests(tested, self.resampling.alpha), *caution_of_few(units)]

    def warnings(self) -> list[str]:
        """Returns warnings about possibly misleading numbers."""
        outputs = sum(system.outputs for system in self.named)
        scored = {
            column: sum(value is not None for one in self.systems for value in one.values.get(column.name, ()))
            for column in self.columns
            if column.aggregate == "mean"
        }
        without = [f"{isolated(one.title)} {outputs - count}" for one, count in scored.items() if count < outputs]
        notes = _listed(f"Outputs without a score (of {outputs}), excluded from its mean", without)
        notes += self._unequal_shares()
        drawn = self.resampling
        if drawn is None:
            return notes
        if self.compared_with is not None:
            notes += [*self._compared_in_part(self.compared_with), *self._compared_by_scores(self.compared_with)]
        undefined = [f"{isolated(one.title)} {n}" for one in self.columns if (n := self.undefined.get(one.name))]
        notes += _listed("Largest number of resamples with an undefined score, excluded from the intervals", undefined)
        single = [isolated(system.name) for system in self.named if system.outputs == 1]
        notes += _listed("Systems with one output, whose intervals and tests are meaningless", single)
        too_short = drawn.too_short_for({one.name: one.outputs for one in self.named})
        notes += [] if too_short is None else [f"{too_short}."]
        return notes if self.compared_with is None else [*notes, *self._too_few_trials(drawn)]

    def _unequal_shares(self) -> Iterator[str]:
        for column in self.columns:
            if any(column.name in system.scored for system in self.named):
                every = [(one, one.count(column.name)) for one in self.named]
                counts = {isolated(one.name): count or ScoredCount(one.outputs, one.outputs) for one, count in every}
                if (warning := unequal_shares(isolated(column.title), counts)) is not None:
                    yield f"{warning}."

    def _compared_in_part(self, first: str) -> list[str]:
        has_baseline = [output is not None for output in self.test_set.systems[first]]
        parts = []
        for name, outputs in self.test_set.systems.items():
            has_output = [output is not None for output in outputs]
            if has_output != has_baseline:
                both = sum(one and other for one, other in zip(has_output, has_baseline, strict=True))
                parts.append(f"{isolated(name)} {both}" if both else f"{isolated(name)} none (not compared)")
        units = f"{self.options.task.unit}s"
        return _listed(f"Systems are compared with {isolated(first)} on the {units} that both have outputs for", parts)

    def _compared_by_scores(self, first: str) -> Iterator[str]:
        """Reports scores that are compared on fewer sentences than both systems have outputs for."""
        texts, where = self.test_set.systems[first], f"on the {self.options.task.unit}s for which both have a score"
        for column in self.columns:
            parts = []
            for system in self.named:
                compared = system.scores[column.name].compared
                if compared is not None:
                    both = sum(None not in pair for pair in zip(texts, system.texts, strict=True))
                    parts += [f"{isolated(system.name)} {compared} of {both}"] * (compared < both)
            yield from _listed(f"{isolated(column.title)} is compared with {isolated(first)} {where}", parts)

    def _too_few_trials(self, resampling: Resampling) -> Iterator[str]:
        """Reports tests that cannot be significant; p-values of systems and of baselines are corrected separately."""
        families: tuple[tuple[Kind, str], ...] = (("system", ""), ("baseline", "Baselines: "))
        for kind, whose in families:
            systems = [system for system in self.systems if system.kind == kind]
            cells = [[system.scores[column.name] for system in systems] for column in self.columns]
            comparisons = max((sum(cell.p is not None for cell in row) for row in cells), default=0)
            inputs = max((cell.compared or 1 for row in cells for cell in row), default=1)
            too_few = resampling.too_few_for(comparisons, inputs)
            if too_few is not None:
                yield f"{whose}{too_few}."


def _count(system: System, numbers: Sequence[Number], places: Sequence[int]) -> ScoredCount:
    outputs = [place for place in places if not system.texts or system.texts[place] is not None]
    return ScoredCount(sum(numbers[place] is not None for place in outputs), len(outputs))
