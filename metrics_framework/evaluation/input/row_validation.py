"""Checks that rows can be scored: they have valid fields for all metrics, and each system has one type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics_framework.common.errors import DataError, InputError, how_to_name_column
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import PLAIN_KINDS, check_field
from metrics_framework.data.identity import IDENTITY_FIELDS
from metrics_framework.data.texts import as_plain
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.kernels.dispatch import are_plain
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

READERS_OF_PYRAMIDS = (
    "the reader 'pyramid-based' reads a file of pyramids and a file of annotations, 'ducview' reads XML files"
)
READER_OF_DOCUMENTS = (
    "the reader 'split-document-based' reads documents from the first of two files, and outputs from the second"
)


def invalid_rows(
    batch: ColumnBatch, metrics: Sequence[LabelledMetric], types: dict[str, str] | None
) -> dict[int, DataError]:
    """Returns the indices of the rows that cannot be scored, each with its error.

    Args:
        batch: The rows.
        metrics: The metrics, whose fields every row must have.
        types: Maps each summarizer id to its type; new systems are added. `None` if types are checked elsewhere.
    """
    needed = {
        name: metric.label
        for metric in reversed(metrics)
        for name in metric.metric.fields
        if name not in IDENTITY_FIELDS  # which every row has
    }
    pairs = set(zip(batch.systems, batch.types, strict=True))
    types_of_batch = dict(pairs)
    consistent = types is None or (
        len(types_of_batch) == len(pairs) and all(types.get(name, given) == given for name, given in pairs)
    )
    texts = [name for name in needed if name in PLAIN_KINDS]
    complete = all(batch.has(name) for name in needed if name not in PLAIN_KINDS)
    columns, kinds = tuple(map(batch.column, texts)), "".join(PLAIN_KINDS[name] for name in texts)
    if consistent and complete and are_plain(columns, kinds):  # a native check of most input, in one call
        if types is not None:
            types.update(types_of_batch)
        return {}
    problems = [_problem(instance, needed, types) for instance in batch.instances]
    batch.forget_columns()
    return {index: problem for index, problem in enumerate(problems) if problem is not None}


def _problem(instance: EvalInstance, needed: Mapping[str, str], types: dict[str, str] | None) -> DataError | None:
    for name, metric in needed.items():
        if name not in instance.fields:
            present = ", ".join(f"'{field}'" for field in instance.fields) or "no fields"
            message = f"'{name}' is missing, which the metric '{metric}' needs; the row has {present}"
            return DataError(message + _advice(name, instance), instance.path, instance.line)
        try:
            value = instance.fields[name]
            check_field(name, value)
            if name in PLAIN_KINDS:
                instance.fields[name] = as_plain(value)  # readers of plug-ins may yield subclasses of `str`
        except InputError as error:
            return DataError(str(error), instance.path, instance.line)
    if types is None:
        return None
    known = types.setdefault(instance.summarizer_id, instance.summarizer_type)
    return (
        None
        if known == instance.summarizer_type
        else contradictory_type(instance.summarizer_id, instance.summarizer_type, known, instance.path, instance.line)
    )


def contradictory_type(system: str, here: str, before: str, path: str | None, line: int | None) -> DataError:
    """Returns the error of an output whose system has another type elsewhere."""
    return DataError(f"'{system}' is of type '{here}' here, but '{before}' before", path, line)


def _advice(missing: str, instance: EvalInstance) -> str:
    """Returns how to rename the fields that seem to be references, or which reader joins two files."""
    from metrics_framework.common.errors import advice

    present = instance.fields
    if missing == "annotation":
        return f"; {READERS_OF_PYRAMIDS}"
    if missing == "documents" or (missing == "summary" and "documents" in present):
        return f"; {READER_OF_DOCUMENTS}"
    similar = [name for name in present if name.lower().startswith("ref")] if missing == "references" else []
    if not similar:
        if missing not in PLAIN_KINDS:
            return advice(missing, present)
        return f"; if a column has it under another name, use {how_to_name_column(instance.path, missing)}"
    if len(similar) == 1:
        return f"; rename '{similar[0]}' to 'reference'"
    return f"; rename '{similar[0]}' to 'reference_1', '{similar[1]}' to 'reference_2'{', …' * (len(similar) > 2)}"
