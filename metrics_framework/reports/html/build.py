"""Builds the data of a report from the outputs of systems, and from metrics or score files."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from metrics_framework.common.errors import UnknownNameError, UsageError, counted
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
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
from metrics_framework.significance.confidence import within_range
from metrics_framework.significance.multiple_testing import TestedDifference, caution_of_few, cautions_of_tests, holm
from metrics_framework.significance.paired_tests import Comparison, paired_p_values
from metrics_framework.significance.resampling import METHOD_NAMES, Resampling
from metrics_framework.significance.score_vectors import ScoreVectors
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
    main: Collection[str] = ()
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
    systems = [
        *map(System, test_set.systems),
        *(System(baseline.name, "baseline", baseline.about) for baseline in made),
    ]
    columns = columns_of(
        scores, systems, len(test_set.sentences), options.titles, options.digits, options.row_signatures, options.main
    )
    ids = [sentence.id for sentence in test_set.sentences]
    fewer = {baseline.name for baseline in made if baseline.references is not None}
    cells, undefined = cells_of(scores, systems, ids, first, options.resampling, fewer)
    bins, lengths = test_set.bins()
    for system in systems:
        _add_outputs(system, scores, test_set)
        _add_scores(system, scores, columns, cells[system.name], bins, len(test_set.sentences))
    _add_answers(systems, test_set, options.answers, log)
    compared_with = first if len(test_set.systems) > 1 and options.resampling is not None else None
    warnings = cautions(test_set, columns, systems, compared_with, undefined, options.resampling)
    for warning in warnings:
        log.warn(warning)
    fields, without_fields = test_set.fields.finished(list(test_set.systems), len(test_set.sentences), options.by)
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
        _cautions_of_tests(columns, systems, options.resampling),
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
        made.append(replace(baseline, name=name))
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
    size: int,
) -> None:
    """Adds the scores over all outputs and by length, `None` where undefined, to a system with its outputs.

    Also adds how many outputs have a score, for means that some of its outputs have no score for. A score that is
    computed from all outputs together needs no score of each output. A baseline that a metric does not score has no
    counts.
    """
    overall, *of_bins = (
        {name: value for metric in scores for name, value in metric.of_system(system.name, indices).items()}
        for indices in (None, *bins)
    )
    values = {name: numbers for one in scores for name, numbers in one.of_outputs(system.name, size).items()}
    for column in columns:
        name = column.name
        system.scores[name] = replace(cells.get(name, Cell(None)), value=overall.get(name))
        system.by_length[name] = [of_bin.get(name) for of_bin in of_bins]
        if column.aggregate == "mean" and (system.kind == "system" or name in values):
            numbers: Sequence[Number] = values.get(name, [None] * size)
            scored = sum(number is not None for number in numbers)
            if scored < system.outputs:
                system.scored[name] = scored
                system.scored_by_length[name] = [_count(system, numbers, places) for places in bins]


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


def cautions(
    test_set: TestSet,
    columns: Sequence[ScoreColumn],
    systems: Sequence[System],
    compared_with: str | None,
    undefined: Mapping[str, int],
    resampling: Resampling | None,
) -> list[str]:
    """Returns warnings about possibly misleading numbers of a report.

    Args:
        test_set: The outputs.
        columns: The scores.
        systems: The systems and baselines, filled in.
        compared_with: The baseline of the tests; `None` without tests.
        undefined: Score name to the largest number of resamples of a system in which it is undefined.
        resampling: How to resample; `None` without intervals.
    """
    notes = [*_without_scores(columns, systems), *_unequal_shares(columns, systems)]
    if resampling is not None:
        notes += [
            *_compared_in_part(test_set, compared_with),
            *_compared_by_scores(columns, systems, test_set, compared_with),
        ]
        notes += [*_undefined(columns, undefined), *_single(systems)]
        too_short = resampling.too_short_for({one.name: one.outputs for one in systems if one.kind == "system"})
        notes += [] if too_short is None else [f"{too_short}."]
        if compared_with is not None:
            notes += _too_few_trials(columns, systems, resampling)
    return notes


def _cautions_of_tests(
    columns: Sequence[ScoreColumn], systems: Sequence[System], resampling: Resampling | None
) -> list[str]:
    """Returns where intervals and tests of the main scores need care, as tables in a terminal do."""
    if resampling is None:
        return []
    cells = [system.scores[column.name] for column in columns if column.main for system in systems]
    tested = [
        TestedDifference("", cell.p_holm, cell.p, least=resampling.least_p(cell.compared))
        for cell in cells
        if cell.p is not None and cell.p_holm is not None and cell.compared
    ]
    units = {system.name: system.outputs for system in systems if system.kind == "system"}
    return [*cautions_of_tests(tested, resampling.alpha), *caution_of_few(units)]


def left_out(test_set: TestSet, rows: int) -> list[str]:
    """Returns notes on outputs that the report leaves out.

    Args:
        test_set: The outputs.
        rows: The number of rows of score files that belong to no output of the report.
    """
    notes = [*_missing(test_set)]
    if test_set.others:
        notes.append(f"Left out: {counted(test_set.others, 'output')} of type 'reference'.")
    if rows:
        notes.append(f"Left out: {counted(rows, 'row')} of the score files, whose outputs are not in this report.")
    return notes


def _missing(test_set: TestSet) -> Iterator[str]:
    size = len(test_set.sentences)
    counts = {name: size - outputs.count(None) for name, outputs in test_set.systems.items()}
    short = [f"{isolated(name)} {count}" for name, count in counts.items() if count < size]
    if short:
        yield (
            f"Systems with outputs for fewer than {counted(size, test_set.task.unit)}, scored on these "
            f"{test_set.task.unit}s only: {', '.join(short)}."
        )


def _without_scores(columns: Sequence[ScoreColumn], systems: Sequence[System]) -> Iterator[str]:
    outputs = sum(system.outputs for system in systems if system.kind == "system")
    parts = []
    for column in columns:
        scored = sum(value is not None for system in systems for value in system.values.get(column.name, ()))
        if column.aggregate == "mean" and scored < outputs:
            parts.append(f"{isolated(column.title)} {outputs - scored}")
    if parts:
        yield f"Outputs without a score (of {outputs}), excluded from its mean: {', '.join(parts)}."


def _unequal_shares(columns: Sequence[ScoreColumn], systems: Sequence[System]) -> Iterator[str]:
    named = [system for system in systems if system.kind == "system"]
    for column in columns:
        if any(column.name in system.scored for system in named):
            counts = {
                isolated(one.name): one.count(column.name) or ScoredCount(one.outputs, one.outputs) for one in named
            }
            if (warning := unequal_shares(isolated(column.title), counts)) is not None:
                yield f"{warning}."


def _compared_by_scores(
    columns: Sequence[ScoreColumn], systems: Sequence[System], test_set: TestSet, compared_with: str | None
) -> Iterator[str]:
    """Reports scores that are compared on fewer sentences than both systems have outputs for."""
    if compared_with is None:
        return
    first = test_set.systems[compared_with]
    for column in columns:
        parts = []
        for system in systems:
            compared = system.scores[column.name].compared
            if system.kind == "system" and compared is not None:
                both = sum(None not in pair for pair in zip(first, system.texts, strict=True))
                parts += [f"{isolated(system.name)} {compared} of {both}"] * (compared < both)
        if parts:
            yield (
                f"{isolated(column.title)} is compared with {isolated(compared_with)} on the {test_set.task.unit}s for "
                f"which both have a score: {', '.join(parts)}."
            )


def _compared_in_part(test_set: TestSet, compared_with: str | None) -> Iterator[str]:
    if compared_with is None:
        return
    has_baseline = [output is not None for output in test_set.systems[compared_with]]
    parts = []
    for name, outputs in test_set.systems.items():
        has_output = [output is not None for output in outputs]
        if has_output != has_baseline:
            both = sum(one and other for one, other in zip(has_output, has_baseline, strict=True))
            parts.append(f"{isolated(name)} {both}" if both else f"{isolated(name)} none (not compared)")
    if parts:
        first = isolated(compared_with)
        units = f"{test_set.task.unit}s"
        yield f"Systems are compared with {first} on the {units} that both have outputs for: {', '.join(parts)}."


def _undefined(columns: Sequence[ScoreColumn], undefined: Mapping[str, int]) -> Iterator[str]:
    parts = [f"{isolated(column.title)} {undefined[column.name]}" for column in columns if undefined.get(column.name)]
    if parts:
        yield f"Largest number of resamples with an undefined score, excluded from the intervals: {', '.join(parts)}."


def _too_few_trials(columns: Sequence[ScoreColumn], systems: Sequence[System], resampling: Resampling) -> Iterator[str]:
    """Reports tests that cannot be significant; p-values of systems and of baselines are corrected separately."""
    families: tuple[tuple[Kind, str], ...] = (("system", ""), ("baseline", "Baselines: "))
    for kind, whose in families:
        cells = [[system.scores[column.name] for system in systems if system.kind == kind] for column in columns]
        comparisons = max((sum(cell.p is not None for cell in row) for row in cells), default=0)
        inputs = max((cell.compared or 1 for row in cells for cell in row), default=1)
        too_few = resampling.too_few_for(comparisons, inputs)
        if too_few is not None:
            yield f"{whose}{too_few}."


def _single(systems: Sequence[System]) -> Iterator[str]:
    names = [isolated(system.name) for system in systems if system.kind == "system" and system.outputs == 1]
    if names:
        yield f"Systems with one output, whose intervals and tests are meaningless: {', '.join(names)}."


def cells_of(
    scores: Sequence[Scores],
    systems: Sequence[System],
    ids: Sequence[str],
    compared_with: str,
    resampling: Resampling | None,
    fewer_references: Collection[str] = (),
) -> tuple[dict[str, dict[str, Cell]], dict[str, int]]:
    """Computes intervals, p-values and the tested differences.

    Args:
        scores: The scores.
        systems: The systems and baselines.
        ids: The instance id of each sentence.
        compared_with: The system to compare the other systems with.
        resampling: How to resample; `None` to compute nothing.
        fewer_references: Baselines whose scores of references are not compared, as they have fewer.

    Returns:
        System to score name to a cell without its value; and score name to the largest number of resamples of a system
        in which it is undefined.
    """
    cells: dict[str, dict[str, Cell]] = {system.name: {} for system in systems}
    undefined: dict[str, int] = {}
    if resampling is None:
        return cells, undefined
    for metric in scores:
        outputs = {system.name: metric.outputs(system.name, ids) for system in systems}
        present = {name: vectors for name, vectors in outputs.items() if vectors is not None}
        for name, of_scores in zip(present, bootstrap_intervals(list(present.values()), resampling), strict=True):
            within = of_scores if metric.metric is None else within_range(metric.metric.metric, of_scores)
            for score, interval in _flat(metric, within).items():
                cells[name][score] = Cell(None, finite(interval.lower), finite(interval.upper))
                undefined[score] = max(interval.undefined_resamples or 0, undefined.get(score, 0))
        if metric.metric is not None and "references" in metric.metric.metric.fields:
            present = {name: vectors for name, vectors in present.items() if name not in fewer_references}
        compared = _compared(present, compared_with, resampling)
        for name, comparison in compared.items():
            inputs = _flat(metric, _inputs_of(comparison))
            for score, difference in _flat(metric, comparison.differences).items():
                cell = cells[name][score]
                cells[name][score] = replace(cell, difference=finite(difference), compared=inputs[score])
        for kind in ("system", "baseline"):
            family = [system.name for system in systems if system.kind == kind and system.name in compared]
            _add_p_values(cells, {name: _flat(metric, compared[name].p_values) for name in family})
    return cells, undefined


def _add_p_values(cells: Mapping[str, dict[str, Cell]], tested: Mapping[str, Mapping[str, float]]) -> None:
    """Adds p-values, without and with Holm's correction for the number of comparisons of a score."""
    for score in {score for of_system in tested.values() for score in of_system}:
        p_values = {name: of_system[score] for name, of_system in tested.items() if score in of_system}
        for (name, p), adjusted in zip(p_values.items(), holm(list(p_values.values())), strict=True):
            cells[name][score] = replace(cells[name][score], p=finite(p), p_holm=finite(adjusted))


def _inputs_of(comparison: Comparison) -> dict[str, int | list[int]]:
    """Returns the number of inputs on which each score was compared, for each number of a list-valued score."""
    counts = {
        name: comparison.scored[name].inputs if name in comparison.scored else comparison.inputs
        for name in comparison.differences
    }
    return {
        name: [counts[name]] * len(value) if isinstance(value, list) else counts[name]
        for name, value in comparison.differences.items()
    }


def _flat(scores: Scores, results: Mapping[str, Any]) -> dict[str, Any]:
    """Renames results by score to the flat names of the report."""
    return {flat: number for name, value in results.items() for flat, number in numbered(scores.renamed(name), value)}


def _compared(outputs: Mapping[str, ScoreVectors], first: str, resampling: Resampling) -> dict[str, Comparison]:
    """Compares each system with the first system, on the sentences that both have."""
    if first not in outputs:
        return {}
    known = set(outputs[first].inputs)
    others = [system for system, vectors in outputs.items() if system != first and known & set(vectors.inputs)]
    compared = paired_p_values([(outputs[first], outputs[system]) for system in others], resampling=resampling)
    return dict(zip(others, compared, strict=True))


ROLES: dict[str, Role] = {
    "compression_ratio": "compression",
    "levenshtein_similarity": "similarity",
    "sentence_splits": "splits",
    "exact_copies": "copies",
}


def columns_of(
    scores: Sequence[Scores],
    systems: Iterable[System],
    size: int,
    titles: Mapping[str, str],
    digits: int,
    signatures: Mapping[str, str],
    main: Collection[str] = (),
) -> list[ScoreColumn]:
    """Describes every score that at least one output has, in the order of the metrics.

    The main score has the name of the metric; without such a score, all scores of the metric are main scores.
    Only the main score of a metric has a known direction. Scores from files belong to the metric of a signature if
    their name is its label or begins with it.

    Args:
        scores: The scores.
        systems: The systems and baselines.
        size: The number of sentences.
        titles: Score name to its title on the page, where they differ.
        digits: The number of decimal places of numbers that are not integers.
        signatures: Label of a metric to its signature, from the score files.
        main: The main scores of metrics that return one of them, in order, each with the direction of the metric.
    """
    names = [system.name for system in systems]
    read = {source.label for source in scores if source.metric is None}
    signed = {label: signature for label, signature in signatures.items() if label in read}
    return [column for source in scores for column in _columns(source, names, size, titles, digits, signed, main)]


def _columns(
    scores: Scores,
    systems: Sequence[str],
    size: int,
    titles: Mapping[str, str],
    digits: int,
    signatures: Mapping[str, str],
    main: Collection[str],
) -> list[ScoreColumn]:
    whole: dict[str, bool] = {}
    whole_outputs: dict[str, bool] = {}
    for system in systems:
        for name, value in scores.of_system(system).items():
            whole[name] = whole.get(name, True) and _is_whole(value)
        for name, values in scores.of_outputs(system, size).items():
            whole_outputs[name] = whole_outputs.get(name, True) and all(map(_is_whole, values))
    label = scores.label if scores.metric is not None else label_of(scores.label, signatures)
    better = _better(scores, signatures.get(label))
    chosen = [name for name in main if name in whole]
    if scores.metric is not None:
        is_main = chosen or scores.metric.main_scores(list(whole))
    else:
        is_main = chosen or [name for name in whole if name == label] or (list(whole) if label == scores.label else [])
    return [
        ScoreColumn(
            name,
            titles.get(name, name),
            label,
            name in is_main,
            better if name == label or name in chosen else None,
            "corpus" if scores.metric is not None and isinstance(scores.metric.metric, CorpusMetric) else "mean",
            0 if whole[name] else digits,
            0 if whole_outputs[name] else digits,
            ROLES.get(name),
        )
        for name in [*chosen, *(name for name in whole if name not in chosen)]
    ]


def _is_whole(value: object) -> bool:
    return value is None or isinstance(value, int)


def _better(scores: Scores, signature: str | None) -> Better | None:
    """Returns the direction of the main score of a metric; for scores from files, of the metric in their signature."""
    if scores.metric is not None:
        direction = scores.metric.metric.higher_is_better
    else:
        direction = None if signature is None else direction_of(signature)
    return None if direction is None else "higher" if direction else "lower"


def _count(system: System, numbers: Sequence[Number], places: Sequence[int]) -> ScoredCount:
    outputs = [place for place in places if not system.texts or system.texts[place] is not None]
    return ScoredCount(sum(numbers[place] is not None for place in outputs), len(outputs))
