"""Checks that rows can be scored: the fields that the metrics need, their types, one type for each system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from metrics_framework.common.errors import DataError, InputError
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import CHECKS, check_field
from metrics_framework.data.texts import check_text
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.metrics.base.labelled_metric import LabelledMetric


def invalid_rows(batch: ColumnBatch, metrics: Sequence[LabelledMetric], types: dict[str, str]) -> dict[int, DataError]:
    """Returns the rows of a batch that cannot be scored, by their index, and why.

    Args:
        batch: The rows.
        metrics: The metrics, whose fields every row must have.
        types: Summarizer id to type; new ones are added.
    """
    needed = {name: metric.label for metric in reversed(metrics) for name in metric.metric.fields}
    pairs = set(zip(batch.systems, batch.types, strict=True))
    of_batch = dict(pairs)
    known = len(of_batch) == len(pairs) and all(types.get(system, kind) == kind for system, kind in pairs)
    if known and all(_are_plain(name, batch) for name in needed):
        types.update(of_batch)
        return {}
    problems = (_problem(instance, needed, types) for instance in batch.instances)
    return {index: problem for index, problem in enumerate(problems) if problem is not None}


def _problem(instance: EvalInstance, needed: Mapping[str, str], types: dict[str, str]) -> DataError | None:
    for name, metric in needed.items():
        if name not in instance.fields:
            given = ", ".join(f"'{field}'" for field in instance.fields) or "no fields"
            message = f"'{name}' is missing, which the metric '{metric}' needs; the row has {given}"
            return DataError(message, instance.path, instance.line)
        try:
            check_field(name, instance.fields[name])
        except InputError as error:
            return DataError(str(error), instance.path, instance.line)
    known = types.setdefault(instance.summarizer_id, instance.summarizer_type)
    if known != instance.summarizer_type:
        message = f"'{instance.summarizer_id}' is of type '{instance.summarizer_type}' here, but '{known}' before"
        return DataError(message, instance.path, instance.line)
    return None


def _are_plain(name: str, batch: ColumnBatch) -> bool:
    """Returns whether every row has a field, and its value is what it mostly is: a string, or a list of strings."""
    if name not in CHECKS:
        return all(name in fields for fields in batch.fields)
    values, types = batch.column(name)
    if CHECKS[name] is check_text:
        return types == {str}
    return types == {list} and all(values) and set(map(type, chain.from_iterable(values))) == {str}
