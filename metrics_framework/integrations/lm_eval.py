"""Metrics for the tasks of lm-evaluation-harness.

Every name of a metric is a function of this module that aggregates the documents of a task, and
``process_results+ter+sari`` is the function that keeps what the metrics named in it need, so that a task needs only
YAML::

    process_results: !function metrics_framework.integrations.lm_eval.process_results+ter
    metric_list:
      - metric: ter
        aggregation: !function metrics_framework.integrations.lm_eval.ter
        higher_is_better: false

>>> from metrics_framework.integrations import lm_eval
>>> document = {"id": 7, "references": ["a dog", "the dog"]}
>>> kept = getattr(lm_eval, "process_results+ter")(document, ["a cat"])
>>> kept
{'ter': {'summary': 'a cat', 'references': ['a dog', 'the dog']}}
>>> lm_eval.ter([kept["ter"]])
50.0
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metrics_framework.api.settings import MetricSpec
from metrics_framework.common.errors import FwError, InputError
from metrics_framework.data.texts import shown
from metrics_framework.integrations.corpus_scorer import CorpusScorer, Row, row_of, texts_of

_PROCESS_RESULTS = "process_results"


def aggregation(metric: MetricSpec, score: str | None = None) -> Callable[[Sequence[Any]], float]:
    """Returns a function for ``aggregation:``, which computes a corpus score.

    Args:
        metric: The metric: a name, ``name:option=value,…``, a dictionary with ``type`` and options, or an object.
        score: The flat name of the score; by default, the score with the name of the metric.

    Raises:
        UsageError: if the metric cannot be built.
    """
    scorer = CorpusScorer(metric, score)

    def aggregate(documents: Sequence[Any]) -> float:
        return scorer.score(map(_row, documents))

    return aggregate


def rows_for(*metrics: MetricSpec, **columns: str) -> Callable[[Mapping[str, Any], Sequence[Any]], dict[str, Row]]:
    """Returns a function for ``process_results:``, which keeps the output, and the columns that the metrics need.

    Args:
        metrics: The metrics; their labels are the names in ``metric_list``.
        columns: For a field of the metrics (``references``, ``source``, …) the column of the data set; by default, the
            column with one of the names that files may have.

    Raises:
        UsageError: if a metric cannot be built.
    """
    scorers = [CorpusScorer(metric) for metric in metrics]
    fields = {name: scorer.label for scorer in reversed(scorers) for name in scorer.metric.fields}

    def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Row]:
        known = {name: value for name, value in doc.items() if name not in columns.values()} if columns else doc
        missing = [column for column in columns.values() if column not in doc]
        if missing:
            raise InputError(f"the data set has no column '{missing[0]}'; it has {', '.join(map(repr, doc))}")
        row = row_of(results[0], {**known, **{name: doc[column] for name, column in columns.items()}}, fields)
        return {scorer.label: {name: row[name] for name in scorer.metric.fields} for scorer in scorers}

    return process_results


def metric_list(*metrics: MetricSpec) -> list[dict[str, Any]]:
    """Returns the ``metric_list`` of a task that is defined in Python.

    Args:
        metrics: The metrics.

    Raises:
        UsageError: if a metric cannot be built.
    """
    scorers = [CorpusScorer(metric) for metric in metrics]
    return [
        {"metric": scorer.label, "aggregation": aggregation(metric), "higher_is_better": scorer.higher_is_better}
        for metric, scorer in zip(metrics, scorers, strict=True)
    ]


def _row(document: Any) -> Row:
    """Returns what `rows_for` kept, or a pair of reference and output, which the harness keeps for its own metrics."""
    if isinstance(document, Mapping):
        return document
    if isinstance(document, (list, tuple)) and len(document) == 2 and isinstance(document[1], str):
        return {"summary": document[1], "references": texts_of(document[0])}
    raise InputError(
        f"the aggregation needs the outputs and references of all documents, got {shown(document)}; add "
        "process_results: !function metrics_framework.integrations.lm_eval.process_results+NAME"
    )


@functools.cache
def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    kind, *metrics = name.split("+")
    try:
        if metrics and kind == _PROCESS_RESULTS:
            return rows_for(*metrics)
        return aggregation(name)
    except FwError as error:
        hint = f"; name the metrics, as in {_PROCESS_RESULTS}+ter+bleu" if name == _PROCESS_RESULTS else ""
        raise AttributeError(f"module '{__name__}' has no attribute '{name}': {error}{hint}") from None
