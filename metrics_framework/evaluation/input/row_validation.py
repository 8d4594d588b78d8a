"""Whether rows can be scored: the fields that the metrics need, their kinds, one type for each system."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from metrics_framework.common.errors import DataError, InputError
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import CHECKS, check_field
from metrics_framework.data.texts import check_text
from metrics_framework.evaluation.input.column_batch import Columns
from metrics_framework.metrics.base.labelled_metric import LabelledMetric


class RowValidator:
    """Finds the rows that cannot be scored.

    Args:
        metrics: The metrics; their fields must be there.
        types: Summarizer id to type; takes those that are new.
    """

    def __init__(self, metrics: Sequence[LabelledMetric], types: dict[str, str]) -> None:
        self._needed = {name: metric.name for metric in reversed(metrics) for name in metric.fields}
        self._types = types

    def unfit(self, batch: Columns) -> dict[int, DataError]:
        """Returns the rows of a batch that cannot be scored, by their number in it, and why."""
        if all(_all_plain(name, batch) for name in self._needed) and self._all_of_known_type(batch):
            return {}
        problems = map(self._problem, batch.instances)
        return {number: problem for number, problem in enumerate(problems) if problem is not None}

    def _all_of_known_type(self, batch: Columns) -> bool:
        """Tells whether no type contradicts another, and takes note of new ones if so."""
        types = dict(batch.outputs.keys())
        if len(types) < len(batch.outputs):
            return False
        if any(self._types.get(system, kind) != kind for system, kind in types.items()):
            return False
        self._types.update(types)
        return True

    def _problem(self, instance: EvalInstance) -> DataError | None:
        for name, metric in self._needed.items():
            if name not in instance.fields:
                there = ", ".join(f"'{field}'" for field in instance.fields) or "no fields"
                return _at(instance, f"misses '{name}', which the metric '{metric}' needs; there is {there}")
            try:
                check_field(name, instance.fields[name])
            except InputError as error:
                return _at(instance, str(error))
        known = self._types.setdefault(instance.summarizer_id, instance.summarizer_type)
        if known != instance.summarizer_type:
            return _at(
                instance, f"'{instance.summarizer_id}' is of type '{instance.summarizer_type}' here, '{known}' before"
            )
        return None


def _all_plain(name: str, batch: Columns) -> bool:
    """Tells whether all rows have a field, and hold there what most do: a string, or a list of strings."""
    if name not in CHECKS:
        return all(name in fields for fields in batch.fields)
    values, kinds = batch.column(name)
    if CHECKS[name] is check_text:
        return kinds == {str}
    return kinds == {list} and all(values) and set(map(type, chain.from_iterable(values))) == {str}


def _at(instance: EvalInstance, message: str) -> DataError:
    return DataError(message, instance.path, instance.line)
