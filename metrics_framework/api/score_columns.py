"""`columns`: the scores of each output as columns of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from metrics_framework.api.inputs import Columns
from metrics_framework.api.settings import Metrics, metrics_of
from metrics_framework.common.calls import in_python
from metrics_framework.common.errors import DataError, InputError, UsageError
from metrics_framework.inputs.frames import Frame, frame_of, lists_of
from metrics_framework.inputs.roles import no_field
from metrics_framework.inputs.row_view import LISTS_OF_TEXTS, RowView, parsed_columns
from metrics_framework.inputs.texts import check_same_index, parallel
from metrics_framework.metrics.base.metric import SCORES, LabelledMetric

EXAMPLE = {"summary": "a", "source": "a", "references": ["a"], "documents": ["a"]}
"""An output whose scores have the names of those of an empty table."""


def columns(
    metrics: Metrics,
    summary: Any = None,
    references: Any = None,
    source: Any = None,
    *,
    columns: Columns | None = None,
    **fields: Any,
) -> dict[str, list[Any]]:
    """Scores each output, and returns a list for each score: new columns of a table.

    Columns are lists, arrays, or columns of pandas, Polars, Arrow or datasets; all have the same scores.

    Args:
        metrics: A metric or several, as for `evaluate`.
        summary: The outputs; or a table, or a batch of it (a dictionary of columns), whose columns are found by name:
            ``summary``, ``references`` or numbered ones such as ``reference_1``, and ``source``. Arguments precede
            columns of the table.
        references: For each output its reference, or a list of its references; or a table with a column for each
            reference, whose missing values are left out.
        source: The source of each output.
        columns: The columns of the table that fields are read from, as for `evaluate`.
        fields: Other fields that a metric needs, such as ``documents``.

    Returns:
        For each score its values, under its flat name; undefined values are NaN, as in `Metric.score_all`.

    Raises:
        InputError: if a field that a metric needs is missing, no metric has one of ``fields``, columns differ in
            length, or a value has a wrong type or is missing; the message states the index of its row.
        UsageError: if a metric or an option is unknown, or two metrics have a score of the same name.

    >>> import metrics_framework as fw
    >>> fw.columns("ter", ["a cat", "the dog sat down"], references=["a dog", ["the dog sat", "a dog"]])
    {'ter': [50.0, 40.0], 'ter_num_edits': [1, 1], 'ter_ref_length': [2.0, 2.5]}
    """
    chosen = metrics_of(metrics)
    known = {field: None for metric in chosen for field in metric.metric.fields}
    for name in fields:
        if name not in known:
            raise InputError(f"no metric of this call has the field '{name}'; their fields are {', '.join(known)}")
    view = RowView(parsed_columns(columns or {}))
    view.check_fields(known)
    given = _fields({"summary": summary, "references": references, "source": source, **fields}, view)
    fields_read = {name: _field(metric, name, given) for metric in chosen for name in metric.metric.fields}
    lists = parallel(fields_read, None, chosen)
    result: dict[str, list[Any]] = {}
    for metric in chosen:
        for name, values in _scores(metric, [lists[name] for name in metric.metric.fields]).items():
            if name in result:
                raise UsageError(f"two metrics have a score called '{name}'; label one, as in ter:label=other-name")
            result[name] = values
    return result


def _fields(given: Mapping[str, Any], view: RowView) -> Mapping[str, Any]:
    """Returns the fields that are given, with the columns of the table if there is one.

    Args:
        given: The fields; that of the summary may be a table.
        view: From which columns of the table fields are read.

    Raises:
        InputError: if two columns are names of the same field, columns of pandas are in different orders, or columns
            are named, but there is no table or no such column.
    """
    fields = {name: values for name, values in given.items() if values is not None}
    check_same_index(fields)
    table = given["summary"]
    frame = lists_of(table, "summary") if isinstance(table, Mapping) else frame_of(table, "summary")
    if frame is None:
        if view.columns:
            raise InputError("'columns' names columns of a table, so 'summary' must be a table")
        return fields
    del fields["summary"]
    try:
        homes = view.named({name: name for name in frame.names})
    except DataError as problem:
        raise InputError(in_python(problem.message)) from None
    return {**{field: partial(_column, frame, home) for field, home in homes.items()}, **fields}


def _column(table: Frame, home: str | list[str]) -> Any:
    """Returns a column of a table, or its numbered references."""
    if isinstance(home, str):
        return table.column(home)
    numbered = zip(*map(table.column, home), strict=True)
    return [[text for text in row if text is not None and text != ""] for row in numbered]


def _field(metric: LabelledMetric, name: str, given: Mapping[str, Any]) -> Any:
    """Returns the values of a field.

    Raises:
        InputError: if the field is missing.
    """
    found = next((other for other in LISTS_OF_TEXTS.get(name, (name,)) if other in given), None)
    if found is None:
        raise InputError(no_field(metric.label, name, given, f"pass {name}="))
    values = given[found]
    return values() if isinstance(values, partial) else values


def _scores(metric: LabelledMetric, fields: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    if not any(map(len, fields)):
        return _no_scores(metric)
    scores = metric.metric.score_each(SCORES, fields, checked=True).scores
    if any(isinstance(value, Mapping) for value in scores[0].values()):
        scores = [one.flatten() for one in scores]
    names = metric.main_scores(list(scores[0])) if metric.scores else list(scores[0])
    if not all(one.keys() == scores[0].keys() for one in scores):
        raise InputError(f"the metric '{metric.label}' must return the same scores for every output")
    return {
        metric.renamed_score(name): [math.nan if (value := one[name]) is None else value for one in scores]
        for name in names
    }


def _no_scores(metric: LabelledMetric) -> dict[str, list[Any]]:
    """Returns empty columns, so that an empty part of a table has the columns of the other parts."""
    if metric.metric.in_one_process or not EXAMPLE.keys() >= set(metric.metric.fields):
        return {}
    return {name: [] for name in _scores(metric, [[EXAMPLE[field]] for field in metric.metric.fields])}
