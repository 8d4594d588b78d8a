"""`visualize_pyramid` and `visualize_rouge`: the arithmetic of a score on the texts, as a web page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from metrics_framework.api.arguments import LogSpec, log_of
from metrics_framework.api.inputs import LISTS, Columns, Files, Inputs, Outputs, References, Where, inputs_of
from metrics_framework.api.report import Page
from metrics_framework.common.errors import UnknownNameError
from metrics_framework.common.logs import Log
from metrics_framework.common.options import checked_arguments
from metrics_framework.data.fields import Duplicates
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.checked_input import InputSummary
from metrics_framework.inputs.checks import TextSample
from metrics_framework.io.locations import file_name
from metrics_framework.metrics.base.metric import LabelledMetric, labelled

if TYPE_CHECKING:
    from metrics_framework.data.eval_instance import EvalInstance
    from metrics_framework.data.metrics_dict import MetricsDict

PYRAMID_TITLE, ROUGE_TITLE = "Pyramids", "ROUGE"
Measure = Literal["1", "2", "3", "4", "l"]


@dataclass(repr=False)
class Visualization(Page):
    """A score on its texts: a page that opens offline in any browser. A notebook shows it.

    Attributes:
        html: The page.
        data: The data that the page embeds, as plain JSON values.
        warnings: What may make the page misleading.
    """

    html: str
    data: dict[str, Any]
    warnings: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        """Returns the title."""
        return f"Visualization({self.data['title']!r})"


def visualize_pyramid(
    files: Files,
    *,
    reader: str | Mapping[str, Any] | DatasetReader = "pyramid-based",
    columns: Columns | None = None,
    where: Where | None = None,
    instances: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    title: str = PYRAMID_TITLE,
    duplicates: Duplicates = "error",
    log: LogSpec = None,
) -> Visualization:
    """Shows pyramids and the summaries scored against them, as ``fw visualize pyramid`` does.

    The scores on the page are those of the metric ``pyramid-score``.

    Args:
        files: The files: for the default reader the pyramids, then the annotations.
        reader: The reader of the files.
        columns: The columns that fields are read from, as for `evaluate`.
        where: The values of columns that a row must have, as for `evaluate`.
        instances: The inputs to show; by default all.
        systems: The authors of the scored summaries to show; by default all.
        title: The heading.
        duplicates: What to do with a second annotation of a summary.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.

    Raises:
        DataError: if the input is invalid.
        UsageError: if an input or a system does not exist.
    """
    from metrics_framework.evaluation.system_scores import signatures
    from metrics_framework.reports.html.pyramid_page import pyramid_page, pyramid_views

    checked_arguments(visualize_pyramid, locals())
    log = log_of(log)
    metrics = labelled(["pyramid-score"])
    inputs = inputs_of({"files": files, "reader": reader, "columns": columns, "where": where}, metrics)
    summary = InputSummary()
    scored = list(_scored(inputs, metrics, summary, duplicates, log))
    kept = set(map(id, _chosen([instance for instance, _ in scored], instances, systems)))
    views, notes = pyramid_views(
        (instance, scores["modified_pyramid_score"]) for instance, scores in scored if id(instance) in kept
    )
    for note in notes:
        log.note(note)
    signature = signatures(metrics, summary)["pyramid-score"]
    names = [file_name(file) for file in inputs.files]
    return Visualization(*pyramid_page(title, names, signature, views, notes), log.warnings)


def visualize_rouge(
    outputs: Outputs | None = None,
    *,
    references: References | None = None,
    files: Files | None = None,
    reader: str | Mapping[str, Any] | DatasetReader = "default",
    columns: Columns | None = None,
    where: Where | None = None,
    measure: Measure = "1",
    use_porter_stemmer: bool = True,
    remove_stopwords: bool = False,
    scoring_function: Literal["average", "max"] = "average",
    instances: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    title: str = ROUGE_TITLE,
    duplicates: Duplicates = "error",
    log: LogSpec = None,
) -> Visualization:
    """Shows the n-grams that summaries share with their references, as ``fw visualize rouge`` does.

    The scores on the page are those of the metric ``rouge``. Its reader can change the measure and the options.

    Args:
        outputs: The summaries, as for `evaluate`.
        references: For lists of texts: for each summary its reference, or a list of its references.
        files: Files to read instead of ``outputs``, as for `evaluate`.
        reader: The reader of the files.
        columns: The columns that fields are read from, as for `evaluate`.
        where: The values of columns that a row must have, as for `evaluate`.
        measure: The measure shown first: the order of the n-grams, ``1`` to ``4``, or ``l`` for ROUGE-L.
        use_porter_stemmer: Whether words are stemmed at first.
        remove_stopwords: Whether stop words are removed at first.
        scoring_function: How several references are combined at first: ``average`` or ``max``, as in ``rouge``.
        instances: The inputs to show; by default all.
        systems: The systems to show; by default all.
        title: The heading.
        duplicates: What to do with a second summary of a system for the same input.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.

    Raises:
        InputError: if an argument is invalid.
        DataError: if the input is invalid.
        UsageError: if an input or a system does not exist, or the texts are too long for a page.
    """
    from metrics_framework.evaluation.checked_input import checked_batches
    from metrics_framework.reports.html.rouge_page import rouge_page

    given = checked_arguments(visualize_rouge, locals(), LISTS)
    log = log_of(log)
    metrics = labelled(["rouge"])
    texts = {"outputs": outputs, "references": references, "files": files, "reader": reader}
    inputs = inputs_of({**texts, "columns": columns, "where": where}, metrics)
    summary = InputSummary(texts=TextSample() if log.checks else None)
    batches = checked_batches(inputs.reader, inputs.files, metrics, summary, duplicates, all_fields=True)
    chosen = _chosen([instance for batch in batches for instance in batch.instances], instances, systems)
    summary.needs = ()  # the page has the options of ROUGE, and no other metric
    summary.warn(log)
    names = [] if inputs.in_memory else [file_name(file) for file in inputs.files]
    options = ("measure", "use_porter_stemmer", "remove_stopwords", "scoring_function")
    page = rouge_page(chosen, title, names, {name: given[name] for name in options})
    return Visualization(*page, log.warnings)


def _scored(
    inputs: Inputs, metrics: Sequence[LabelledMetric], summary: InputSummary, duplicates: Duplicates, log: Log
) -> Iterator[tuple[EvalInstance, MetricsDict]]:
    """Yields every output with its scores under the first metric."""
    from metrics_framework.evaluation.run import Run
    from metrics_framework.evaluation.scoring import PlainScorer, Scoring

    scoring = Scoring(metrics, PlainScorer(metrics), keeps_batches=True, all_fields=True)
    with closing(Run(inputs.reader, inputs.files, scoring, summary, log, duplicates).batches()) as batches:
        for scored in batches:
            yield from zip(scored.batch.instances, scored.results[0].scores, strict=True)
    summary.warn(log, compared=False)


def _chosen(
    outputs: Sequence[EvalInstance], instances: Sequence[str] | None, systems: Sequence[str] | None
) -> list[EvalInstance]:
    """Returns the outputs of the chosen inputs and systems.

    Raises:
        UnknownNameError: if an input or a system has no output.
    """
    for kind, names, known in (
        ("input", instances, dict.fromkeys(output.instance_id for output in outputs)),
        ("system", systems, dict.fromkeys(output.summarizer_id for output in outputs)),
    ):
        for name in names or ():
            if name not in known:
                raise UnknownNameError(kind, name, known)
    return [
        output
        for output in outputs
        if (not instances or output.instance_id in instances) and (not systems or output.summarizer_id in systems)
    ]
