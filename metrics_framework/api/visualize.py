"""`visualize_pyramid` and `visualize_rouge`: the arithmetic of a score on the texts, as a web page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from metrics_framework.api.inputs import Files, Inputs, inputs_of
from metrics_framework.api.pages import Visualization
from metrics_framework.api.settings import PythonLog
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.suggestions import advice
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import Duplicates
from metrics_framework.metrics.base.labelled_metric import LabelledMetric, labelled

if TYPE_CHECKING:
    from metrics_framework.data.eval_instance import EvalInstance
    from metrics_framework.data.metrics_dict import MetricsDict

PYRAMID_TITLE = "Pyramids"


def visualize_pyramid(
    files: Files,
    *,
    reader: str | Mapping[str, Any] | DatasetReader = "pyramid-based",
    instances: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    title: str = PYRAMID_TITLE,
    duplicates: Duplicates = "error",
    log: Log | None = None,
) -> Visualization:
    """Shows pyramids and the summaries scored against them, as ``fw visualize pyramid`` does.

    The scores on the page are those of the metric ``pyramid-score``.

    Args:
        files: The files: for the default reader the pyramids, then the annotations.
        reader: The reader of the files.
        instances: The inputs to show; by default all.
        systems: The authors of the scored summaries to show; by default all.
        title: The heading.
        duplicates: What to do with a second annotation of a summary.
        log: Receives notes and warnings; by default, warnings are Python warnings.

    Raises:
        DataError: if the input is invalid.
        UsageError: if an input or a system does not exist.
    """
    from metrics_framework.evaluation.evaluate import signatures
    from metrics_framework.reports.html.pyramid_data import PyramidData, pyramid_views
    from metrics_framework.reports.html.pyramid_page import pyramid_page

    log = PythonLog() if log is None else log
    metrics = labelled(["pyramid-score"])
    inputs = inputs_of(None, None, None, files, reader, metrics)
    summary = InputSummary()
    scored = _chosen(_scored(inputs, metrics, summary, duplicates, log), instances, systems)
    views, notes = pyramid_views((instance, scores["modified_pyramid_score"]) for instance, scores in scored)
    for note in notes:
        log.note(note)
    signature = signatures(metrics, summary)["pyramid-score"]
    data = PyramidData(title, [os.path.basename(file) for file in inputs.files], signature, views, notes)
    return Visualization(pyramid_page(data), data.as_json(), log.warnings)


def _scored(
    inputs: Inputs, metrics: Sequence[LabelledMetric], summary: InputSummary, duplicates: Duplicates, log: Log
) -> Iterator[tuple[EvalInstance, MetricsDict]]:
    """Yields every output with its scores under the first metric."""
    from metrics_framework.evaluation.batch_scorer import Scoring
    from metrics_framework.evaluation.evaluate import PlainScorer
    from metrics_framework.evaluation.run import scored_batches

    scoring = Scoring(metrics, PlainScorer(metrics), lines=False, totals=True)
    batches = scored_batches(inputs.reader, inputs.files, scoring, summary, log, duplicates)
    with closing(batches):
        for batch in batches:
            yield from zip(batch.batch.instances, batch.results[0].scores, strict=True)
    summary.warn(log, compared=False)


def _chosen(
    scored: Iterable[tuple[EvalInstance, MetricsDict]], instances: Sequence[str] | None, systems: Sequence[str] | None
) -> list[tuple[EvalInstance, MetricsDict]]:
    """Returns the outputs of the chosen inputs and systems.

    Raises:
        UsageError: if an input or a system has no output.
    """
    everything = list(scored)
    known = {"input": dict.fromkeys(instance.instance_id for instance, _ in everything)}
    known["system"] = dict.fromkeys(instance.summarizer_id for instance, _ in everything)
    for kind, names in (("input", instances), ("system", systems)):
        for name in names or ():
            if name not in known[kind]:
                raise UsageError(f"unknown {kind} '{name}'{advice(name, known[kind])}")
    return [
        (instance, scores)
        for instance, scores in everything
        if (not instances or instance.instance_id in instances) and (not systems or instance.summarizer_id in systems)
    ]
