"""`CorpusScorer`: the corpus score of outputs that an evaluation harness collects one by one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.api.settings import MetricSpec, metric_of
from metrics_framework.common.errors import DataError, InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import as_list, is_list, shown
from metrics_framework.inputs.roles import ROLES, find_columns, no_field
from metrics_framework.inputs.row_view import LISTS_OF_TEXTS
from metrics_framework.metrics.base.metric import Metric, no_number

Row: TypeAlias = Mapping[str, Any]
"""An output with its context, by field: ``summary``, ``references``, ``source``, …"""


class CorpusScorer:
    """A metric that scores rows.

    Args:
        metric: The metric: a name, ``name:option=value,…``, a dictionary with ``type`` and options, or an object.
        score: The flat name of the score that `score` returns; by default, the label of the metric.

    Raises:
        UsageError: if the metric cannot be built.

    >>> ter = CorpusScorer("ter")
    >>> ter.score([{"summary": "a cat", "references": ["a dog"]}, {"summary": "so", "references": ["so"]}])
    33.33333333333333
    """

    def __init__(self, metric: MetricSpec, score: str | None = None) -> None:
        self._labelled = metric_of(metric)
        self.label = self._labelled.label
        self._score = self.label if score is None else score

    @property
    def metric(self) -> Metric:
        """The metric."""
        return self._labelled.metric

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher values of the score that `score` returns are better; `None` if neither is."""
        directions = {self._labelled.renamed_score(name): better for name, better in self.metric.directions.items()}
        return directions.get(self._score, self.metric.higher_is_better)

    def scores(self, rows: Iterable[Row]) -> MetricsDict:
        """Returns the scores of all rows together, with flat names.

        Raises:
            InputError: if there are no rows, or a row lacks a field or has a field of a wrong type.
        """
        macro, _ = self.metric.evaluate(*self._fields(list(rows)))
        return self._labelled.renamed(macro).flatten()

    def numbers(self, rows: Iterable[Row]) -> dict[str, float]:
        """Returns the scores of all rows together, with flat names and without lists; undefined ones are NaN.

        Raises:
            InputError: as for `scores`.
        """
        return _numbers(self.scores(rows))

    def score(self, rows: Iterable[Row]) -> float:
        """Returns one score of all rows together, NaN if it is undefined.

        Raises:
            InputError: as for `scores`.
            UsageError: if the metric has no such score.
        """
        scores = self.scores(rows)
        numbers = _numbers(scores)
        if self._score not in numbers:
            raise no_number(self._score, self.label, scores)
        return numbers[self._score]

    def scores_of_one(self, row: Row) -> dict[str, float]:
        """Returns the scores of one row, with flat names and without lists; undefined ones are NaN.

        Raises:
            InputError: if the row lacks a field, or has a field of a wrong type.
        """
        return _numbers(self._labelled.renamed(self.metric.score_all(*self._fields([row]))[0]).flatten())

    def _fields(self, rows: Sequence[Row]) -> list[list[Any]]:
        for index, row in enumerate(rows):
            for name in self.metric.fields:
                if name not in row:
                    raise InputError(no_field(self.label, name, row, f"add it to document {index}"))
        return [[row[name] for row in rows] for name in self.metric.fields]


def row_of(summary: Any, columns: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """Returns a row of an output and the columns of its document that metrics need.

    Columns are found under the names that files may have, such as ``reference``, ``reference_1`` or ``src``.

    Args:
        summary: The output.
        columns: The columns of the document.
        fields: The fields that metrics need, each with a metric.

    Raises:
        InputError: if the output is not a text, a field is missing, or two columns are names of the same field.
    """
    if not isinstance(summary, str):
        raise InputError(f"an output must be a text, got {shown(summary)}; keep one output for each document")
    try:
        found = find_columns([*columns], [name for name in fields if name in ROLES and name != "summary"])
    except DataError as problem:
        raise InputError(problem.message.replace("--columns ", "")) from None  # an argument of the caller
    row: dict[str, Any] = {"summary": summary}
    for name in (name for name in fields if name != "summary"):
        names = found.get(name) or [column for column in columns if column == name]
        if not names:
            raise InputError(no_field(fields[name], name, columns, f"name its column with {name}=COLUMN"))
        names = [name] if {*names} == {*LISTS_OF_TEXTS.get(name, ())} else names  # a list and its singular form
        values = [columns[column] for column in names if columns[column] or len(names) == 1]
        row[name] = [text for value in values for text in texts_of(value)] if name in LISTS_OF_TEXTS else values[0]
    return row


def texts_of(value: Any) -> list[Any]:
    """Returns a list of texts, given one or several."""
    return [value] if isinstance(value, str) or not is_list(value) else list(as_list(value))


def _numbers(scores: Mapping[str, Any]) -> dict[str, float]:
    return {name: math.nan if value is None else float(value) for name, value in scores.items() if not is_list(value)}
