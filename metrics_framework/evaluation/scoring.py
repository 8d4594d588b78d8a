"""Scores a batch of outputs with every metric of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import (
    PLUGIN_FAILURES,
    FwError,
    OutputError,
    PluginError,
    UsageError,
    counted,
    message_of,
)
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.fields import order_keys
from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.data.metrics_dict import (
    AnnotatedScores,
    MetricsDict,
    ScoredCount,
    annotations_of,
    is_defined,
    unequal_shares,
)
from metrics_framework.evaluation.external_sort import packed
from metrics_framework.io.jsonl import to_json
from metrics_framework.kernels.dispatch import Request, native_function
from metrics_framework.metrics.base.batch_scores import BatchScores, OutputsByContext
from metrics_framework.metrics.base.checks import wrong_scoring_arguments
from metrics_framework.metrics.base.metric import CorpusMetric, LabelledMetric, Metric
from metrics_framework.metrics.base.totals import StatisticsTotal

if TYPE_CHECKING:  # runs without intervals start faster
    from metrics_framework.significance.confidence import ScoreCollector

SCORES_AND_STATISTICS = Request.SCORES | Request.STATISTICS
VECTORS = Request.STATISTICS | Request.VECTORS
JSON_AND_VECTORS = Request.JSON | Request.VECTORS
SCORES_AND_JACKKNIFED = Request.SCORES | Request.JACKKNIFED


class Scoring(NamedTuple):
    """How a run scores its outputs, and which results it needs; it is sent to the processes that score parts.

    Args:
        metrics: The metrics.
        score: Scores a batch of outputs with every metric.
        has_rows: Whether to format rows.
        has_totals: Whether to return what the totals of systems need. Otherwise rows are sorted by input and system,
            and outputs without a score are counted, as totals count them.
        new_collector: Returns an object that collects what intervals and tests need; `None` for neither.
        keeps_batches: Whether to return the outputs and their results.
        all_fields: Whether to keep fields that no metric needs, also if the format of a file allows to skip them.
        checks_texts: Whether to return the first texts of each system, for checks.
    """

    metrics: Sequence[LabelledMetric]
    score: Callable[[ColumnBatch], list[BatchScores]]
    has_rows: bool = False
    has_totals: bool = False
    new_collector: Callable[[], ScoreCollector] | None = None
    keeps_batches: bool = False
    all_fields: bool = False
    checks_texts: bool = False

    @property
    def fields(self) -> set[str]:
        """The fields that the metrics need."""
        return {name for metric in self.metrics for name in metric.metric.fields}


@dataclass
class ScoredBatch:
    """The outputs of a batch, and what a run needs of their scores.

    Args:
        batch: The outputs.
        results: For each metric the results of all outputs.
        names: For each metric the combinations of score names that no earlier batch had.
        rows: The rows of all outputs, if they are requested and not sorted.
        sorted_rows: Rows with the keys that they are sorted by (`packed`), if they are requested so.
        unscored: For each metric, systems to their numbers of outputs without a score; empty if not requested.
    """

    batch: ColumnBatch
    results: list[BatchScores] = field(default_factory=list)
    names: list[Names] = field(default_factory=list)
    rows: str = ""
    sorted_rows: list[str] = field(default_factory=list)
    unscored: list[dict[str, int]] = field(default_factory=list)

    def to_send(self, scoring: Scoring) -> ScoredBatch:
        """Returns only what the main process needs of a batch that was scored in another one."""
        totals = zip(scoring.metrics, self.results, strict=True) if scoring.has_totals else ()
        results = [results.for_total(isinstance(one.metric.new_total(), StatisticsTotal)) for one, results in totals]
        return replace(self, batch=self.batch.without_fields(), results=results)


Names: TypeAlias = "set[tuple[str, ...]]"
"""Every combination of score names that an output has."""


@dataclass
class BatchScorer:
    """Scores batches of outputs one after the other.

    Args:
        scoring: How to score.
        collector: Collects what intervals and tests need of all batches; `None` without them.
    """

    scoring: Scoring
    collector: ScoreCollector | None
    _known: dict[str, Names] = field(default_factory=dict)  # of each label

    def __call__(self, batch: ColumnBatch) -> ScoredBatch:
        """Scores a batch."""
        scoring = self.scoring
        results = scoring.score(batch)
        columns, names = self._renamed(results)
        scored = ScoredBatch(batch, results, names)
        if scoring.has_rows:
            lines = formatted_rows(batch, columns)
            if lines and any(isinstance(one, AnnotatedScores) for result in results for one in result.scores[:1]):
                lines = annotated(lines, [result.scores for result in results], scoring.metrics)
            if scoring.has_totals:
                scored.rows = "".join(lines)
            else:
                scored.sorted_rows = sorted(packed(order_keys(batch.ids), order_keys(batch.systems), lines))
                scored.unscored = [
                    dict(Counter(batch.systems[index] for index in _without_score(metric.metric.name, of_metric)))
                    for metric, of_metric in zip(scoring.metrics, results, strict=True)
                ]
        if self.collector is not None:
            self.collector.add(batch.ids, batch.systems, results)
        return scored

    def _renamed(self, all_results: Sequence[BatchScores]) -> tuple[list[Sequence[Any]], list[Names]]:
        """Renames scores by the labels of their metrics.

        Returns:
            For each metric the scores of all outputs, or their JSON if a kernel wrote it, which needs no renaming; and
            the combinations of names that no earlier batch had.
        """
        columns, new = [], []
        for labelled, results in zip(self.scoring.metrics, all_results, strict=True):
            metric = labelled.metric
            scores: Sequence[Any] = results.json or results.scores
            if not scores and results.vectors is not None and results.vectors.paths is not None:
                scores = [MetricsDict(dict.fromkeys(path[0] for path in results.vectors.paths))]  # for their names
            elif not scores and isinstance(metric, CorpusMetric):  # only statistics, but the names are needed
                first = results.statistics if results.vectors is None else [results.vectors.added_to(None, [0])]
                scores = list(map(metric.score_statistics, (first or ())[:1]))
            if labelled.label != metric.name:
                scores = list(map(labelled.renamed, scores))
            names = set()
            if scores and isinstance(scores[0], str):  # a kernel returns the same names for all outputs
                names = {tuple(json.loads(f"{{{scores[0]}}}"))}
            elif scores:
                first_names = scores[0].keys()
                names = {tuple(first_names), *(tuple(other) for other in scores if other.keys() != first_names)}
            names -= self._known.setdefault(labelled.label, set())
            self._known[labelled.label] |= names
            columns.append(scores)
            new.append(names)
        return columns, new


@dataclass
class PlainScorer:
    """Scores batches without jackknifing.

    Args:
        metrics: The metrics.
        only_totals: Whether only totals are needed. Kernels that return what is added up as a table then return no
            scores.
        only_files: Whether only totals and rows of JSON are needed. These kernels then write the scores as JSON.
    """

    metrics: Sequence[LabelledMetric]
    only_totals: bool = False
    only_files: bool = False

    def __call__(self, batch: ColumnBatch) -> list[BatchScores]:
        """Scores a batch with every metric."""
        outputs, results = OutputsByContext(batch.column), []
        for labelled in self.metrics:
            metric, request = labelled.metric, SCORES_AND_STATISTICS
            if metric.has_kernel and (isinstance(metric, CorpusMetric) or metric.kernel_adds_scores):
                writes_json = metric.kernel_requests & JSON_AND_VECTORS == JSON_AND_VECTORS
                if self.only_totals:
                    request = VECTORS
                elif self.only_files and writes_json and labelled.label == metric.name:
                    request |= JSON_AND_VECTORS
            results.append(_score_metric(metric, request, batch, outputs))
        return results


@dataclass
class JackknifeScorer:
    """Scores batches of outputs and their leave-one-out variants.

    If the metric has a jackknifer, a ``peer`` gets its scores and, with the suffix ``_jk``, the means over its
    variants, if it has any. A ``reference`` gets its scores with the suffix only: the references of its row should not
    contain it, so its scores are comparable to the jackknifed scores of peers. Without a jackknifer, every output gets
    scores without the suffix.

    Args:
        metrics: The metrics.
        peers: Whether to compute jackknifed scores of peers.
    """

    metrics: Sequence[LabelledMetric]
    peers: bool = True

    def __call__(self, batch: ColumnBatch) -> list[BatchScores]:
        """Scores a batch with every metric."""
        outputs = OutputsByContext(batch.column)
        if self.peers and set(batch.types) == {"peer"}:
            return [
                _score_peers(one.metric, batch, outputs, may_be_json=one.label == one.metric.name)
                for one in self.metrics
            ]
        is_peer = [self.peers and output_type == "peer" for output_type in batch.types]
        peers, others = (
            ColumnBatch([row for row, peer in zip(batch.instances, is_peer, strict=True) if peer is wanted])
            for wanted in (True, False)
        )
        of_peers, of_others = (OutputsByContext(part.column) for part in (peers, others))
        results = []
        for metric in (labelled.metric for labelled in self.metrics):
            if metric.jackknifer is None:
                results.append(_score_metric(metric, Request.SCORES, batch, outputs))
                continue
            peer_scores = iter(_score_peers(metric, peers, of_peers, may_be_json=False).scores)
            other_scores = iter(_score_metric(metric, Request.SCORES, others, of_others).scores)
            scores = [
                next(peer_scores) if peer else _named_by_type(output_type, next(other_scores))
                for output_type, peer in zip(batch.types, is_peer, strict=True)
            ]
            results.append(BatchScores(scores))
        return results


def _score_peers(metric: Metric, batch: ColumnBatch, outputs: OutputsByContext, may_be_json: bool) -> BatchScores:
    """Scores peers with a metric; as JSON if that is allowed and a kernel supports it."""
    if metric.jackknifer is None:
        return _score_metric(metric, Request.SCORES, batch, outputs)
    request = SCORES_AND_JACKKNIFED | Request.JSON if may_be_json else SCORES_AND_JACKKNIFED
    results = _score_metric(metric, request, batch, outputs)
    for scores, mean in zip(results.scores, results.jackknifed or (), strict=False):
        scores.update({f"{name}{JACKKNIFED}": value for name, value in (mean or {}).items()})
    return results


def _named_by_type(output_type: str, scores: MetricsDict) -> MetricsDict:
    """Adds the suffix to the names of the scores of a reference."""
    if output_type != "reference":
        return scores
    renamed = {f"{name}{JACKKNIFED}": value for name, value in scores.items()}
    return AnnotatedScores(renamed, scores.annotations) if isinstance(scores, AnnotatedScores) else MetricsDict(renamed)


def _score_metric(metric: Metric, request: Request, batch: ColumnBatch, outputs: OutputsByContext) -> BatchScores:
    """Scores a batch with `Metric.score_batch`; the results are in the order of the outputs.

    Args:
        metric: The metric.
        request: What to compute.
        batch: The outputs, checked.
        outputs: The same, grouped by context.

    Raises:
        PluginError: if the metric fails with an error that is not an `FwError`.
    """
    if not batch.ids:
        return BatchScores([])
    summary, context = metric.required_summary_fields, metric.required_context_fields
    arguments, members = outputs.arguments_of(summary, context, metric.has_kernel)
    try:
        results = metric.score_batch(request, *arguments, checked=True)
        return results if members is None else results.in_order(members)
    except OutputError as error:
        index = error.index if members is None else list(chain.from_iterable(members))[error.index]
        raise located_in(batch, error, index) from None
    except (FwError, KeyboardInterrupt, MemoryError):
        raise
    except PLUGIN_FAILURES as error:
        wrong = wrong_scoring_arguments(type(metric), metric.name, metric.fields)
        if wrong is not None and isinstance(error, TypeError):
            raise wrong from None
        got_list = "'list' object has no attribute" in str(error)
        advice = "; a text may be a list of sentences, which as_string of metrics_framework joins" if got_list else ""
        raise PluginError(
            f"the metric '{metric.name}' failed{failed_at(error, type(metric))}: {message_of(error)}{advice}"
        ) from error


def located_in(batch: ColumnBatch, error: OutputError, index: int) -> OutputError:
    """Returns an error about an output of a batch, given its index, with its file and line."""
    row = batch.instances[index]
    located = OutputError(*error.args, index=index)
    located.place(row.path, row.line, f"instance '{row.instance_id}' of system '{row.summarizer_id}'")
    return located


_END = "}\n"
Scores: TypeAlias = "Mapping[str, Any] | str"
"""The scores of an output, or the same as members of a JSON object, if a kernel wrote them."""


def formatted_rows(batch: ColumnBatch, columns: Sequence[Sequence[Scores]]) -> list[str]:
    """Returns a row of JSON for each output, with keys in a fixed order, NaN as ``null`` and a line break.

    Args:
        batch: The outputs.
        columns: For each metric the scores of all outputs; no two metrics have a score of the same name.
    """
    members = tuple(map(_members, columns))
    systems = list(zip(batch.systems, batch.types, strict=True))
    heads = {system: _head(*system) for system in set(systems)}
    heads_of_rows = [heads[system] for system in systems]
    format_natively = native_function("rows_as_json")
    lines = None if format_natively is None else format_natively(batch.ids, heads_of_rows, members)
    return rows_as_json(batch.ids, heads_of_rows, members) if lines is None else lines


def _members(column: Sequence[Any]) -> list[str]:
    """Returns scores as the members of JSON objects."""
    if column and isinstance(column[0], str):  # a kernel wrote the whole column
        return cast("list[str]", column)
    format_natively = native_function("scores_as_json")
    texts = [None if format_natively is None else format_natively((scores,)) for scores in column]
    return [(to_json(scores) if text is None else text)[1:-1] for scores, text in zip(column, texts, strict=True)]


def rows_as_json(ids: Sequence[str], heads: Sequence[str], columns: Sequence[Sequence[str]]) -> list[str]:
    """Formats rows; the Python twin of the native formatter.

    Args:
        ids: The ids of the inputs.
        heads: For each row the JSON between its id and its scores.
        columns: For each metric the scores of each output as members of a JSON object; empty without scores.
    """
    scores = [", ".join(filter(None, parts)) for parts in zip(*columns, strict=True)] if columns else [""] * len(ids)
    return [
        f'{{"instance_id": {to_json(name)}{head}{{{members}}}}}\n'
        for name, head, members in zip(ids, heads, scores, strict=True)
    ]


def _head(summarizer_id: str, summarizer_type: str) -> str:
    """Returns the JSON between the id of the input and the scores."""
    return f', "summarizer_id": {to_json(summarizer_id)}, "summarizer_type": {to_json(summarizer_type)}, "metrics": '


def annotated(lines: list[str], columns: Sequence[Sequence[Any]], metrics: Sequence[LabelledMetric]) -> list[str]:
    """Adds what scores are annotated with, such as error spans, to rows, after the scores.

    Args:
        lines: The rows, as JSON with a line break.
        columns: For each metric the scores of all outputs.
        metrics: The metrics.

    Raises:
        UsageError: if two metrics have an annotation of the same name.
    """
    owners: dict[str, LabelledMetric] = {}
    for metric, column in zip(metrics, columns, strict=True):
        if not any(isinstance(scores, AnnotatedScores) for scores in column):
            continue
        annotations = list(map(annotations_of, column))
        for name in dict.fromkeys(name for of_output in annotations for name in of_output):
            other = owners.setdefault(name, metric)
            if other is not metric:
                raise UsageError(
                    f"the metrics '{other.label}' and '{metric.label}' both write '{name}' into the rows; use one of "
                    "them in a run"
                )
        lines = [
            f"{line[: -len(_END)]}, {to_json(of_output)[1:-1]}{_END}" if of_output else line
            for line, of_output in zip(lines, annotations, strict=True)
        ]
    return lines


@dataclass
class RowWriter:
    """Writes rows, and adds the signatures of the metrics to the first one (decision 0002).

    Args:
        write: Writes a string of complete rows.
        metrics: The metrics of the run.
    """

    _write: Callable[[str], object]
    metrics: Sequence[LabelledMetric]
    _has_signature: bool = False

    def write(self, rows: str) -> None:
        """Writes rows."""
        if rows and self.metrics and not self._has_signature:  # some metrics know theirs only after scoring
            signature = {metric.label: metric.metric.signature() for metric in self.metrics}
            end = rows.index(_END)
            rows = f'{rows[:end]}, "signature": {to_json(signature)}{rows[end:]}'
            self._has_signature = True
        if rows:
            self._write(rows)


# ---- outputs without a score, in runs that compute no totals ---------------------------------------------------------


def _without_score(metric: str, results: BatchScores) -> list[int]:
    """Returns the indices of the outputs without a main score."""
    if not results.json:
        return [index for index, scores in enumerate(results.scores) if _is_without_score(metric, scores)]
    if "null" not in "".join(results.json):  # nearly always
        return []
    return [
        index
        for index, text in enumerate(results.json)
        if "null" in text and _is_without_score(metric, json.loads(f"{{{text}}}"))
    ]


def _is_without_score(metric: str, scores: Mapping[str, Any]) -> bool:
    value = scores.get(metric)
    if type(value) is float and value == value:  # nearly always
        return False
    main = [
        value
        for name, value in scores.items()
        if name.removesuffix(JACKKNIFED) == metric and not isinstance(value, Mapping)
    ]
    return not any(map(is_defined, main or scores.values()))


def warn_of_unscored(
    unscored: Sequence[Mapping[str, int]], metrics: Sequence[LabelledMetric], outputs: Mapping[str, int], log: Log
) -> None:
    """Warns of outputs without a score.

    Args:
        unscored: For each metric how many outputs of each system have no score.
        metrics: The metrics.
        outputs: System to its number of outputs.
        log: Receives warnings.
    """
    for metric, counts in zip(metrics, unscored, strict=True):
        if not counts:
            continue
        log.warn(f"'{metric.label}' is undefined for {counted(sum(counts.values()), 'output')}")
        scored = {system: ScoredCount(count - counts.get(system, 0), count) for system, count in outputs.items()}
        if (unequal := unequal_shares(metric.label, scored)) is not None:
            log.warn(unequal)
