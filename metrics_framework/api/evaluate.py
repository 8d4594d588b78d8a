"""`evaluate`: scores systems, from data in memory or files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from metrics_framework.api.arguments import AggregateSpec, Jobs, LogSpec, log_of
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
from metrics_framework.api.results import EvaluationResult
from metrics_framework.api.settings import (
    Confidence,
    Metrics,
    ProfileSpec,
    Progress,
    advance_of,
    jobs_of,
    metrics_of,
    profile_of,
    resampling_of,
)
from metrics_framework.common.errors import InputError
from metrics_framework.common.options import checked_arguments
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.system_scores import Evaluation
from metrics_framework.evaluation.system_scores import evaluate as evaluate_files
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import LabelledMetric


def evaluate(
    metrics: Metrics = (),
    outputs: Outputs | None = None,
    *,
    references: References | None = None,
    sources: Sources | None = None,
    documents: References | None = None,
    files: Files | None = None,
    reader: str | Mapping[str, Any] | DatasetReader = "default",
    columns: Columns | None = None,
    where: Where | None = None,
    systems: Sequence[str] = (),
    by: str | None = None,
    profile: ProfileSpec | None = None,
    confidence: Confidence | None = None,
    baseline: str | None = None,
    aggregate: AggregateSpec | None = None,
    duplicates: Duplicates = "error",
    jobs: Jobs = 1,
    progress: Progress = False,
    write: Callable[[str], object] | None = None,
    keep_outputs: bool | None = None,
    checks: bool = True,
    strict: bool = False,
    log: LogSpec = None,
    force: bool = False,
) -> EvaluationResult:
    """Scores systems with several metrics in one pass, as ``fw evaluate`` does.

    Args:
        metrics: A metric or several: names, ``name:option=value``, dictionaries with ``type`` and options, or objects;
            or a dictionary from labels, which rename the scores, to metrics.
        outputs: A list of texts; a dictionary from systems to lists of texts; rows, which are dictionaries with the
            fields of a JSONL file; or a table with these fields as columns, such as a DataFrame. For several data sets:
            a dictionary from data sets to dictionaries from systems to lists; ``references``, ``sources``,
            ``documents`` and ``files`` are by data set, too, and the result is as with ``by="dataset"``.
        references: For lists of texts: for each output its reference, or a list of its references.
        sources: For lists of texts: the source of each output.
        documents: For lists of texts: for each output its document, or a list of its documents.
        files: Files to read instead of ``outputs``: one, several, or a dictionary from systems to text files. Then
            ``references``, ``sources`` and ``documents`` are text files too.
        reader: The reader of the files: a name, a dictionary with ``type`` and options, or an object.
        columns: For rows, tables and files: the columns that fields are read from, such as
            ``{"summary": "generated", "references": ["ref_a", "ref_b"]}``; other fields have their own names.
        where: For rows, tables and files: the values of columns that a row must have to be scored, such as
            ``{"test_set": "asset"}``, or conditions like ``"lang!=de"``.
        systems: For tables with one column of outputs per system: these columns. The other columns belong to all
            systems, and each row is an input.
        by: For rows, tables and files: a column, such as ``test_set``, for each value of which the outputs are scored
            separately. The result then has the means over these sets, and that of each set in ``sets``; its table has
            a block of columns for each.
        profile: A set of metrics with its table, such as ``simplification``; ``metrics`` are added to it.
        confidence: Whether to compute intervals and significance tests: `True`, a level such as 0.95 or 95, or a
            dictionary with any of ``level``, ``method`` (``percentile``, ``bca``, ``studentized`` or ``jackknife``),
            ``resamples`` and ``seed``. By default only with a profile or a baseline.
        baseline: The system to compare the other systems with; by default the first one.
        aggregate: What to make of the scores of several metrics, besides: ``autorank``, the rank of WMT25, from 1 to
            the number of systems (`autorank`), or ``autorank:metrics=A+B``, of these metrics alone.
        duplicates: What to do with a second output of a system for the same input: ``error``, or keep the ``first`` or
            ``last``.
        jobs: The number of processes that score, 0 for all available CPUs; results do not depend on it.
        progress: A function, called with the number of outputs scored since the last call, or an object whose
            ``update`` is such a function, as a bar of tqdm; `True` for a line in a terminal or notebook.
        write: Receives the scores of all outputs as lines of JSON, such as the ``write`` of an open file.
        keep_outputs: Whether to keep the scores of each output; by default yes, but not for files.
        checks: Whether to check texts for mistakes, such as empty, shifted or escaped outputs; what is found are
            warnings of the category `TextWarning`.
        strict: Whether warnings are errors.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.
        force: Whether outputs are known to be detokenized, so that there is no warning if they look tokenized.

    Raises:
        InputError: if an argument is invalid.
        DataError: if outputs, references or sources are invalid; entries are named as in ``outputs['ours'][3]``.
        UsageError: if a metric or an option is unknown, two metrics have a score of the same name, or ``by`` names a
            column of input that can be read only once or has many values.

    >>> import metrics_framework as fw
    >>> outputs = {"ours": ["the cat sat"], "theirs": ["a cat sat down"]}
    >>> result = fw.evaluate(["bleu", "ter"], outputs, references=[["the cat sat down", "the cat sits"]])
    >>> print(result.table("csv").split(",")[0], [round(scores["ter"], 2) for scores in result.systems.values()])
    system [28.57, 28.57]
    >>> rows = [
    ...     {"summary": "the cat sat", "reference": "the cat sat down", "test_set": "short"},
    ...     {"summary": "a bird sang all day", "reference": "a bird sang all day", "test_set": "long"},
    ... ]
    >>> result = fw.evaluate("ter", rows, by="test_set")
    >>> {name: of_set["system"]["ter"] for name, of_set in result.sets.items()}, result["system"]["ter"]
    ({'short': 25.0, 'long': 0.0}, 12.5)
    """
    if calls := calls_of_sets(locals()):
        if by is not None or write is not None:
            raise InputError("'by' and 'write' are about one data set, but outputs are given for several")
        return EvaluationResult.of_sets({name: evaluate(**call) for name, call in calls.items()})
    given = checked_arguments(evaluate, locals(), (*LISTS, "systems", "by"))
    if write is not None and not callable(write):
        raise InputError(f"'write' must be a function, such as the write of an open file, got {shown(write)}")
    chosen_profile = None if profile is None else profile_of(profile)
    chosen = metrics_of(metrics, chosen_profile)
    inputs = inputs_of(locals(), chosen)
    resampling = resampling_of(confidence, by_default=chosen_profile is not None or baseline is not None)
    keeps = inputs.in_memory if keep_outputs is None else keep_outputs
    advance = None if isinstance(progress, bool) else advance_of(progress)
    log = log_of(log, strict=given["strict"], checks=given["checks"], silent=progress is not True)
    log.are_detokenized = given["force"]
    kept: dict[str | None, tuple[list[MetricsRow], list[int]]] = {}

    def observer(of_set: str | None) -> Callable[[ColumnBatch, Sequence[BatchScores]], None] | None:
        rows = kept.setdefault(of_set, ([], [])) if keeps else None
        return None if rows is None and advance is None else _observer(chosen, rows, advance)

    def result(found: Evaluation, of_set: str | None) -> EvaluationResult:
        rows = kept[of_set][0] if of_set in kept else []
        lines = [line for name, (_, found) in kept.items() if of_set in (name, None) for line in found]
        return EvaluationResult(
            **vars(found),
            outputs=rows,
            profile=chosen_profile,
            library=inputs.library,
            labels=None if inputs.index is None else inputs.index.take([line - 1 for line in lines]),
            has_integer_ids=getattr(inputs.reader, "has_integer_ids", False),
        )

    options = {"jobs": jobs_of(jobs), "resampling": resampling, "baseline": baseline, "duplicates": given["duplicates"]}
    if given["aggregate"] is not None:
        from metrics_framework.evaluation.autorank import add_autorank

        options["finish"] = partial(add_autorank, named=given["aggregate"])
    if by is None:
        found = evaluate_files(inputs.reader, inputs.files, chosen, write, log, **options, observe=observer(None))
        return result(found, None)
    if write is not None:
        raise InputError(
            "'write' receives no rows with 'by', because sets may have the same ids; use 'where' for each set"
        )
    from metrics_framework.evaluation.sets import evaluate_sets, sets_of_column

    of_column = sets_of_column(by, chosen, inputs.reader, inputs.files, log)
    sets = evaluate_sets(by, of_column, log, **options, observer=observer)
    by_set = {name: result(found, name) for name, found in sets.sets.items()}
    return replace(result(sets.mean, None), by=by, sets=by_set, warnings=log.warnings)


def _observer(
    metrics: Sequence[LabelledMetric],
    kept: tuple[list[MetricsRow], list[int]] | None,
    advance: Callable[[int], object] | None,
) -> Callable[[ColumnBatch, Sequence[BatchScores]], None]:
    """Returns a function that adds the scores of each output, and its line, to lists, and shows progress."""

    def observe(batch: ColumnBatch, results: Sequence[BatchScores]) -> None:
        if kept is not None:
            rows, lines = kept
            lines += [line or 0 for line in batch.lines]
            columns = zip(*(result.scores for result in results), strict=True)
            for name, system, kind, of_metrics in zip(batch.ids, batch.systems, batch.types, columns, strict=True):
                scores = MetricsDict()
                for metric, of_metric in zip(metrics, of_metrics, strict=True):
                    scores.update(metric.renamed(of_metric))
                rows.append(MetricsRow(name, system, kind, scores))
        if advance is not None:
            advance(len(batch.ids))

    return observe
