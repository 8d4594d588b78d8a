"""`report`: compares systems on a test set, as a web page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Annotated, Any

from metrics_framework.api.arguments import Count, Jobs, LogSpec, Scores, log_of
from metrics_framework.api.inputs import (
    LISTS,
    Columns,
    Files,
    Outputs,
    References,
    Sources,
    Where,
    calls_of_sets,
    inputs_of,
)
from metrics_framework.api.settings import (
    Confidence,
    Metrics,
    ProfileSpec,
    jobs_of,
    metrics_of,
    profile_of,
    resampling_of,
)
from metrics_framework.common.errors import InputError, ListName, MissingExtraError
from metrics_framework.common.logs import Log
from metrics_framework.common.options import AtLeast, checked_arguments
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import Duplicates
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.io.locations import file_name
from metrics_framework.io.writing import open_for_writing
from metrics_framework.metrics.base.metric import LabelledMetric, labelled
from metrics_framework.significance.resampling import SEED

if TYPE_CHECKING:
    from metrics_framework.reports.html.model import ReportData

DEFAULT_PROFILE = "simplification"
FEATURES = "quality-estimation"
"""The metric whose features reports on simplifications have."""


_HEIGHT = 700  # pixels, in a notebook


class Page:
    """A page that opens offline in any browser. A notebook shows it."""

    html: str

    def pieces(self) -> Iterable[str]:
        """Returns the page in parts, which need not all be in memory."""
        return [self.html]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file.

        Raises:
            UsageError: if the file cannot be written.
        """
        with open_for_writing(os.fspath(path)) as stream:
            for piece in self.pieces():
                stream.write(piece)

    def _repr_html_(self) -> str:
        """Returns the page in a frame, for notebooks."""
        style = f"width: 100%; height: {_HEIGHT}px; border: none"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(self.html)}"></iframe>'


@dataclass(repr=False)
class Report(Page):
    """A report on systems: a page that opens offline in any browser. A notebook shows it.

    Attributes:
        data: The scores, systems and sentences on the page; with several data sets, those of the first.
        warnings: What may make the report misleading.
        sets: Data set to its report, if the page has several; it then begins with a table of all scores.
        title: The heading of the page of several data sets.
    """

    data: ReportData
    warnings: list[str] = field(default_factory=list)
    sets: dict[str, Report] = field(default_factory=dict)
    title: str = ""

    @classmethod
    def of_sets(cls, sets: Mapping[str, Report]) -> Report:
        """Returns the reports on several data sets, whose titles become their names, as one page."""
        first = next(iter(sets.values()))
        title, warnings = first.data.title, [f"{name}: {warning}" for name in sets for warning in sets[name].warnings]
        for name, one in sets.items():
            one.data.title = name
        return cls(first.data, warnings, {**sets}, title)

    @property
    def html(self) -> str:  # type: ignore[override]
        """The page; `save` writes it without holding all of it in memory."""
        return "".join(self.pieces())

    @overrides
    def pieces(self) -> Iterable[str]:
        from metrics_framework.reports.html.page import page_pieces, set_pieces

        sets = {name: one.data for name, one in self.sets.items()}
        return set_pieces(self.title, sets) if sets else page_pieces(self.data)

    def __repr__(self) -> str:
        """Returns the title and the systems."""
        systems = [system.name for system in self.data.systems if system.kind == "system"]
        return f"Report({(self.title or self.data.title)!r}, systems={systems})"


def report(
    outputs: Outputs | None = None,
    *,
    references: References | None = None,
    sources: Sources | None = None,
    documents: References | None = None,
    metrics: Metrics | None = None,
    profile: ProfileSpec | None = None,
    scores: Scores | None = None,
    answers: str | Sequence[str] = (),
    files: Files | None = None,
    reader: str | Mapping[str, Any] | DatasetReader = "default",
    columns: Columns | None = None,
    where: Where | None = None,
    systems: Sequence[str] = (),
    title: str | None = None,
    by: str | None = None,
    confidence: Confidence = True,
    baseline: str | None = None,
    digits: Annotated[int, AtLeast(0)] | None = None,
    duplicates: Duplicates = "error",
    jobs: Jobs = 1,
    worst: Count | None = None,
    sample: Count | None = None,
    licence: str | None = None,
    file_names: Sequence[str] | None = None,
    checks: bool = True,
    strict: bool = False,
    log: LogSpec = None,
) -> Report:
    """Compares systems on a test set, as ``fw report`` does: one HTML page that opens offline.

    Args:
        outputs: The outputs, as for `evaluate`; simplifications need sources. Several data sets have one page.
        references: For lists of texts: for each output its reference, or a list of its references.
        sources: For lists of texts: the source of each output.
        documents: For lists of texts: for each output its document, or a list of its documents.
        metrics: The metrics, as for `evaluate`; by default those of the profile, or none with ``scores``. The features
            of ``quality-estimation`` are added to reports on simplifications, if their packages are installed.
        profile: The metrics and the kind of page: ``simplification`` (the default), ``summarization``, ``translation``,
            or another profile.
        scores: Scores or human ratings of these outputs, as for `correlate`.
        answers: Files of answers of language models about these outputs, which the page shows beside them.
        files: Files to read instead of ``outputs``, as for `evaluate`.
        reader: The reader of the files.
        columns: The columns that fields are read from, as for `evaluate`; also those of ids in ``scores``.
        where: The values of columns that a row must have, as for `evaluate`; also rows of ``scores`` with such columns.
        systems: For tables with one column of outputs per system: these columns, as for `evaluate`.
        title: The heading of the page; by default the task and "report".
        by: A field of the rows, such as ``domain``, whose values divide the inputs into buckets; by default the first.
        confidence: Whether to compute intervals and significance tests, or their level, as for `evaluate`.
        baseline: The system to compare the other systems with; by default the first one.
        digits: The number of decimal places; by default 2, or 4 if no score exceeds 1.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes that score, 0 for all available CPUs.
        worst: The number of inputs to list, those with the worst scores; tables cover all outputs. By default, all
            inputs are listed.
        sample: The number of random inputs to list, drawn with the seed of ``confidence``; with ``worst``, both.
        licence: The licence of the test set, for the page.
        file_names: The names of the data on the page; by default those of the files.
        checks: Whether to check texts for mistakes, such as empty, shifted or escaped outputs; what is found are
            warnings of the category `TextWarning`.
        strict: Whether warnings are errors.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.

    Raises:
        InputError: if an argument is invalid.
        DataError: if the input is invalid, or systems differ in their sources or references.
        UsageError: if a metric is unknown, or there are too many systems.
    """
    if calls := calls_of_sets(locals()):
        if scores is not None or answers:
            raise InputError("'scores' and 'answers' are about one data set, but outputs are given for several")
        return Report.of_sets({name: report(**call) for name, call in calls.items()})
    from metrics_framework.api.comparisons import score_files_of, score_rules
    from metrics_framework.inputs.score_files import ScoreFiles
    from metrics_framework.language_models.answer_file import described_answers
    from metrics_framework.reports.html.build import ReportOptions, report_data
    from metrics_framework.reports.html.test_set import TASKS, Selection

    given = checked_arguments(report, locals(), (*LISTS, "systems"))
    log = log_of(log, strict=given["strict"], checks=given["checks"])
    chosen_profile = profile_of(DEFAULT_PROFILE if profile is None else profile)
    task = TASKS[chosen_profile.task]
    chosen = report_metrics(metrics, has_scores=scores is not None, profile=chosen_profile, log=log)
    inputs = inputs_of(locals(), chosen)
    read = ScoreFiles()
    if scores is not None:
        read = score_files_of(scores, score_rules(columns, where, duplicates, of_outputs=True), log).files
    resampling = resampling_of(confidence, by_default=True)
    options = ReportOptions(
        title=task.title if title is None else title,
        reader=inputs.reader,
        input_files=inputs.files,
        metrics=chosen,
        duplicates=given["duplicates"],
        jobs=jobs_of(jobs),
        rows=read.rows,
        row_signatures=read.signatures,
        row_notes=[
            column.warning(column.path if isinstance(column.path, ListName) else file_name(column.path))
            for column in read.dropped
        ],
        licence=licence,
        files=[file_name(file) for file in inputs.files if not inputs.in_memory] if file_names is None else file_names,
        task=task,
        titles=chosen_profile.columns,
        resampling=resampling,
        compared_with=baseline,
        digits=_digits(chosen) if digits is None else given["digits"],
        by=by,
        selection=Selection(given["worst"], given["sample"], SEED if resampling is None else resampling.seed),
        answers=described_answers(given["answers"]),
    )
    data = report_data(options, log)
    return Report(data, log.warnings)


def report_metrics(
    metrics: Metrics | None, has_scores: bool, profile: ProfileSpec | None, log: Log | None = None
) -> list[LabelledMetric]:
    """Returns the metrics of a report; on simplifications, they include the features, if their packages are installed.

    Args:
        metrics: The metrics; `None` for those of the profile.
        has_scores: Whether the report also has scores of other origin.
        profile: The profile; `None` for the default.
        log: Receives a note if packages of the features are missing.
    """
    chosen_profile = profile_of(DEFAULT_PROFILE if profile is None else profile)
    by_default = [] if has_scores else chosen_profile.specs
    if profile is None:  # metrics that are named replace these, so that they need no other label
        by_default = [{**spec, "profile": ("", {})} for spec in by_default]
    chosen = labelled(by_default) if metrics is None else metrics_of(metrics)
    if chosen_profile.task != DEFAULT_PROFILE or any(metric.metric.name == FEATURES for metric in chosen):
        return chosen
    try:
        return labelled([*chosen, FEATURES])
    except MissingExtraError as error:
        if log is not None:
            log.note(f"the page has no features of simplifications: {error}")
        return chosen


def _digits(metrics: Sequence[LabelledMetric]) -> int:
    """Returns the default number of decimal places: more if all scores are shares."""
    highest = [metric.metric.score_range[1] for metric in metrics]
    return 4 if highest and all(limit is not None and limit <= 1 for limit in highest) else 2
