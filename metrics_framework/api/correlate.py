"""`correlate`: correlates metrics with human ratings, from data in memory or files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from metrics_framework.api.columns import column_names, library_of, plain, rows_of_table, with_named_index
from metrics_framework.api.correlations import CorrelationResult
from metrics_framework.api.results import EvaluationResult
from metrics_framework.api.settings import PythonLog
from metrics_framework.common.errors import InputError, ListName
from metrics_framework.common.logs import Log
from metrics_framework.data.lists import is_list
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.rows import FIELD_NAMES
from metrics_framework.evaluation.input.validation import Duplicates
from metrics_framework.io.locations import expanded
from metrics_framework.meta_evaluation.correlation.settings import (
    DEFAULT_COEFFICIENTS,
    DEFAULT_LEVELS,
    ComparisonSettings,
    IntervalSettings,
    StudySettings,
    checked_preset,
    names_in,
    ties_of,
)
from metrics_framework.meta_evaluation.names import Coefficient, Level

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.correlation.study import Study
    from metrics_framework.meta_evaluation.scores.scores_in_memory import ScoresInMemory

Scores: TypeAlias = str | os.PathLike[str] | EvaluationResult | Iterable[Any] | Any
"""A file, the result of `evaluate`, rows or a table of ids and scores; or a list of these, which are joined by id."""


def correlate(
    scores: Scores,
    metrics: str | Sequence[str] | Sequence[tuple[str, str]],
    human: str | Sequence[str] | None = None,
    *,
    summarizer_type: Literal["peer", "reference", "all"] = "peer",
    levels: str | Sequence[Level | str] = DEFAULT_LEVELS,
    coefficients: str | Sequence[Coefficient | str] = DEFAULT_COEFFICIENTS,
    ci: str = IntervalSettings.method,
    confidence: float = IntervalSettings.confidence,
    two_tailed: bool = True,
    resamples: int = IntervalSettings.resamples,
    seed: int = IntervalSettings.seed,
    test: str = ComparisonSettings.test,
    correct: str = ComparisonSettings.correction,
    alpha: float = ComparisonSettings.alpha,
    power: bool = False,
    data_sets: str | None = None,
    preset: str = "",
    epsilon: float | str | None = None,
    epsilon_from: Scores = (),
    threshold: float = 0.0,
    stream: str = StudySettings.stream,
    min_group: int = StudySettings.min_group,
    sentinels: bool = False,
    texts: Scores = (),
    slices: str | Sequence[str] = (),
    partial: str | Sequence[str] = (),
    cluster: str | None = None,
    rater_column: str | None = None,
    aggregate: str = "mean",
    humans_as_metrics: bool = False,
    duplicates: Duplicates = "error",
    log: Log | None = None,
) -> CorrelationResult:
    """Correlates metrics with human ratings, or with each other, as ``fw correlate`` does.

    Args:
        scores: A table with a row for each output and columns ``instance_id``, ``summarizer_id`` and scores, such as a
            DataFrame; rows with these keys; the result of `evaluate`; a score file. Or a list of these, which are
            joined by input and system. With a column ``rater_id``, rows are single ratings.
        metrics: The scores to correlate with ``human``; or pairs of scores.
        human: The human rating, or several.
        summarizer_type: Whose outputs: those of systems (``peer``), of people (``reference``), or ``all``.
        levels: Any of ``input``, ``system``, ``global`` and ``within-system``.
        coefficients: Any of ``pearson``, ``spearman``, ``kendall-a``, ``kendall-b`` (or ``kendall``), ``kendall-c``,
            ``tau-23``, ``acc-23``, ``acc-eq``, ``kendall-like``, ``pairwise-accuracy``, ``spa``, ``spa:normal`` and
            ``pdp``.
        ci: The method for confidence intervals: ``bootstrap-both``, ``bootstrap-inputs``, ``bootstrap-systems``,
            ``fisher`` or ``none``.
        confidence: The level of the intervals: a fraction (0.95) or in percent (95).
        two_tailed: Whether the error probability is split between both ends of an interval.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
        test: How to compare the metrics: ``inputs``, ``systems``, ``both``, … (see `names.TESTS`), ``default`` for the
            test that is valid at each level, or ``none``.
        correct: The correction of p-values for the number of pairs: ``holm``, ``bh``, ``by`` or ``none``.
        alpha: The level of significance for clusters of metrics.
        power: Whether to estimate which differences between metrics the tests can detect.
        data_sets: A column, such as the language pair; metrics are averaged over its values, with a test.
        preset: Averages as a shared task does: ``wmt23``, ``wmt24`` or ``wmt25``.
        epsilon: The largest difference of metric scores that is a tie, for ``acc-eq``, ``acc-23`` and ``tau-23``; or
            ``cross-fit:K`` for the ε of the other of K folds of inputs. By default, ``acc-eq`` calibrates it.
        epsilon_from: Scores of another data set, in any form that ``scores`` may have; ``acc-eq`` has the ε that fits
            these best.
        threshold: The least difference of human scores that ``kendall-like`` counts.
        stream: How the sign flips of ``spa`` are drawn: ``default``, or ``mt-metrics-eval`` to repeat its draws.
        min_group: The least number of outputs of an input (or of a system, at the level ``within-system``).
        sentinels: Whether to correlate the length of the output, its similarity to the source, and the length of the
            source, too; the data must have texts.
        texts: Further files or rows that are read for texts and labels only, such as the scored outputs.
        slices: Columns, such as the type of system; correlations are repeated for each of their values.
        partial: Scores or sentinels (``sentinel-length``, …); correlations at equal values of them are added.
        cluster: A column, such as the document of an input; its inputs are drawn, swapped and left out together.
        rater_column: The column of raters; by default ``rater_id``, ``rater`` or ``annotator``.
        aggregate: How the ratings of an output become its human score: ``mean``, or ``zscore-mean``, the mean of
            z-scores per rater.
        humans_as_metrics: Whether to correlate each rater, as if a metric, with the mean of the other raters.
        duplicates: What to do if one table has several rows for an output: ``error``, or keep the ``first`` or
            ``last``.
        log: Receives notes and warnings; by default, warnings are Python warnings.

    Raises:
        InputError: if an argument is invalid.
        DataError: if scores are invalid, or no output has both scores.
        UnknownNameError: if there is no score of a name.

    >>> import metrics_framework as fw
    >>> quality = {"a": 3, "b": 2, "c": 1}
    >>> ratings = [{"instance_id": 1, "summarizer_id": system, "quality": rating} for system, rating in quality.items()]
    >>> result = fw.evaluate("ter", {"a": ["x y"], "b": ["x z"], "c": ["z z"]}, references=["x y"])
    >>> correlation = fw.correlate([result, ratings], "ter", "quality", ci="none", levels=["global"])["ter"]
    >>> round(correlation.levels["global"].estimates["pearson"].value, 3)
    -1.0
    """
    from metrics_framework.meta_evaluation.correlation.study import StudyRequest, run_study
    from metrics_framework.meta_evaluation.correlation.study_data import DataRequest, StudyData

    pairs = _pairs(metrics, human)
    request = StudyRequest(
        pairs=pairs,
        settings=StudySettings(
            coefficients=names_in(coefficients),
            levels=names_in(levels),
            interval=IntervalSettings(ci, confidence, two_tailed, resamples, seed),
            comparison=ComparisonSettings(test, correct, alpha, power),
            ties=ties_of(epsilon, threshold),
            min_group=min_group,
            stream=stream,
        ),
        sentinels=sentinels,
        slices=names_in(slices),
        cluster=cluster,
        aggregate=aggregate,
        covariates=names_in(partial),
        humans_as_metrics=humans_as_metrics,
        data_sets=data_sets,
        preset=checked_preset(preset),
    )
    sources, library = sources_of(scores)
    reading = DataRequest(summarizer_type, duplicates, rater_column, [] if _is_empty(texts) else sources_of(texts)[0])
    data = StudyData(sources, reading)
    log = PythonLog() if log is None else log
    for warning in data.files.warnings:
        log.warn(warning)
    other = (
        None
        if isinstance(epsilon_from, (list, tuple)) and not epsilon_from
        else StudyData(sources_of(epsilon_from)[0], reading)
    )
    study = run_study(data, request, other)
    _log_notes(study, log)
    return CorrelationResult(study, log.warnings, library, has_ancestor_form=human is None)


def _is_empty(scores: Any) -> bool:
    return isinstance(scores, (list, tuple)) and not scores


def _pairs(metrics: Any, human: Any) -> list[tuple[str, str]]:
    """Returns the pairs of scores to correlate.

    Raises:
        InputError: if there are none, or a pair is not a pair.
    """
    names: list[Any] = [metrics] if isinstance(metrics, str) else list(metrics)
    if human is not None:
        humans = [human] if isinstance(human, str) else list(human)
        pairs = [(metric, rating) for rating in humans for metric in names]
    else:
        pairs = [(pair[0], pair[1]) for pair in names if isinstance(pair, (tuple, list)) and len(pair) == 2]
        if len(pairs) < len(names):
            raise InputError("'human' must name the ratings to correlate with, unless 'metrics' are pairs of scores")
    if not pairs or not all(isinstance(name, str) for pair in pairs for name in pair):
        raise InputError(f"'metrics' must name scores, or pairs of scores, got {shown(metrics)}")
    for metric, rating in pairs:
        if metric == rating:
            raise InputError(f"a pair must be two different scores, got '{metric}' twice")
    return list(dict.fromkeys(pairs))


def sources_of(scores: Any) -> tuple[list[str | ScoresInMemory], str | None]:
    """Returns what to read, and the library of the first table.

    Raises:
        InputError: if the scores have none of the forms that `correlate` accepts.
    """
    is_source = isinstance(scores, (str, os.PathLike, EvaluationResult)) or column_names(scores) is not None
    if not is_source and not is_list(scores):
        raise InputError(f"'scores' must be a table, rows, a result of evaluate() or files, got {shown(scores)}")
    parts = [scores] if is_source else list(scores)
    parts = [
        file
        for part in parts
        for file in (expanded([os.fspath(part)]) if isinstance(part, (str, os.PathLike)) else [part])
    ]
    if parts and isinstance(parts[0], (Mapping, MetricsRow)):
        parts = [parts]
    library = next(filter(None, map(library_of, parts)), None)
    return [_source(part, "scores" if len(parts) == 1 else f"scores[{i}]") for i, part in enumerate(parts)], library


def _source(part: Any, name: str) -> str | ScoresInMemory:
    from metrics_framework.meta_evaluation.scores.scores_in_memory import ScoresInMemory

    if isinstance(part, (str, os.PathLike)):
        return os.fspath(part)
    if isinstance(part, EvaluationResult):
        if not part.outputs:
            raise InputError("the result has no scores of outputs; call evaluate() with keep_outputs=True")
        return ScoresInMemory(ListName(name), rows=part.outputs, signatures=dict(part.signature))
    part = with_named_index(part, FIELD_NAMES)
    columns = column_names(part)
    rows = part if columns is None else rows_of_table(part, columns)
    if columns is None and not is_list(rows):
        raise InputError(f"'{name}' must be a table, rows, a result of evaluate() or a file, got {shown(part)}")
    rows = list(rows)
    if rows and all(isinstance(row, MetricsRow) for row in rows):
        return ScoresInMemory(ListName(name), rows=rows)
    for index, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"'{name}[{index}]' must be a dictionary of ids and scores, got {shown(row)}")
    return ScoresInMemory.of_rows(name, ({column: plain(value) for column, value in row.items()} for row in rows))


def _log_notes(study: Study, log: Log) -> None:
    """Logs notes and warnings."""
    from metrics_framework.reports.correlation_notes import names_among, with_names

    results = study.correlations
    names = names_among(results)
    if any(not result.matrix.has_outputs_of(results[0].matrix) for result in results[1:]):
        log.warn("the metrics have scores for different outputs, so their correlations are not comparable")
    for note in dict.fromkeys([*study.notes, *(note for result in results for note in result.notes)]):
        log.note(note)
    for warning in study.warnings:
        log.warn(warning)
    named = [(name, warning) for result, name in zip(results, names, strict=True) for warning in result.warnings]
    shared = [warning for warning in results[0].warnings if all(warning in other.warnings for other in results)]
    for warning in [*shared, *with_names((name, warning) for name, warning in named if warning not in shared)]:
        log.warn(warning)
