"""Readers of outputs in memory: lists of texts, rows, and tables with columns that are found by name."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, ClassVar, TypeAlias

from metrics_framework.common.calls import in_python
from metrics_framework.common.errors import DataError, InputError, ListName, Problems, how_to_name_column
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import parse_id
from metrics_framework.data.texts import Text, as_list, index_of, is_list, shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, load_reader
from metrics_framework.inputs.frames import Frame, frame_of, lists_of, named_row, without_names
from metrics_framework.inputs.keys import RowCounts
from metrics_framework.inputs.roles import no_field, roles_of_name
from metrics_framework.inputs.row_view import (
    FIELDS,
    LISTS_OF_TEXTS,
    Condition,
    RowView,
    parsed_conditions,
    with_systems,
)
from metrics_framework.inputs.rows import RowNumbers, identity, known_fields, prepared
from metrics_framework.inputs.texts import NO_OUTPUTS, check_same_index, matrix_of_texts, parallel, warn_of_references
from metrics_framework.io.locations import expanded
from metrics_framework.io.reading import Piece, uncompressed_name
from metrics_framework.metrics.base.metric import LabelledMetric

Outputs: TypeAlias = Sequence[Text] | Mapping[str, Sequence[Text]] | Iterable[Mapping[str, Any]] | Any
"""Texts of one system, by system, or by data set and system; rows, or a table with columns that are found by name."""
References: TypeAlias = Sequence[Text] | Sequence[Sequence[Text]] | Mapping[str, Any]
"""For each output its reference, or a list of its references; or a dictionary from data sets to these."""
Sources: TypeAlias = Sequence[Text] | Mapping[str, Sequence[Text]]
"""The source of each output; or a dictionary from data sets to these."""
Files: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str, Any]
"""A file, several, a dictionary from systems to their files of plain text, or from data sets to such dictionaries."""
Columns: TypeAlias = Mapping[str, str | Sequence[str]] | str
"""The columns that fields are read from: ``{"summary": "generated", "references": ["ref_a", "ref_b"]}``, or a flag."""
Where: TypeAlias = Mapping[str, str | int | float | bool] | str | Sequence[str]
"""The values of columns that rows must have: ``{"test_set": "asset"}``, or conditions like ``"lang!=de"``."""
LISTS = ("references", "sources", "documents")
"""The arguments that are lists of texts."""
SYSTEM = "system"
"""The name of a system whose outputs have no name."""
_ARGUMENTS = {"references": "references", "source": "sources", "documents": "documents"}
"""Each field to the argument with its texts."""


def calls_of_sets(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the arguments of a call for each data set if outputs are given by data set and system; else none.

    Args:
        given: The arguments of a public function; references, sources and documents are then by data set, too.

    Raises:
        InputError: if the texts of a data set are missing.

    >>> calls = calls_of_sets({"outputs": {"a": {"ours": ["x"]}}, "references": {"a": ["y"]}})
    >>> calls["a"]
    {'outputs': {'ours': ['x']}, 'references': ['y']}
    """
    name = "files" if given.get("outputs") is None else "outputs"
    sets = given[name]
    if not (isinstance(sets, Mapping) and sets and all(isinstance(of_set, Mapping) for of_set in sets.values())):
        return {}
    calls: dict[str, dict[str, Any]] = {of_set: {**given, name: systems} for of_set, systems in sets.items()}
    for texts in LISTS:
        by_set = given.get(texts)
        for of_set, call in calls.items() if by_set is not None else ():
            if not isinstance(by_set, Mapping) or of_set not in by_set:
                raise InputError(f"'{texts}' must be a dictionary with the data set '{of_set}', as '{name}' is")
            call[texts] = by_set[of_set]
    return calls


@dataclass
class Inputs:
    """What a run reads.

    Args:
        reader: Reads the outputs.
        files: The input files, or the names of lists in memory.
        in_memory: Whether the outputs are in memory.
        library: The library of the table, if the outputs are in one.
        index: The index of the table or of the column of outputs, if it is of pandas: a label for each row.
    """

    reader: DatasetReader
    files: Sequence[str]
    in_memory: bool = False
    library: str | None = None
    index: Any = None


def inputs_of(given: Mapping[str, Any], metrics: Sequence[LabelledMetric]) -> Inputs:
    """Returns what to read.

    Args:
        given: The arguments of a public function, such as ``outputs``, ``references`` or ``files``, by their names.
        metrics: The metrics.

    Raises:
        InputError: if the arguments contradict each other, or an argument has a wrong form.
        UsageError: if ``columns`` or ``where`` have another form.
    """
    columns, where, by = (given.get(name) for name in ("columns", "where", "by"))
    view = with_systems(columns or {}, given.get("systems", ())), parsed_conditions(where or [])
    texts = {name: given[name] for name in LISTS if given.get(name) is not None}
    if by is not None and (not isinstance(by, str) or not by):
        raise InputError(f"'by' must be the name of a column, got {shown(by)}")
    compared = view[1] if by is None else [*view[1], Condition(by, "")]
    own = {field for metric in metrics for field in metric.metric.fields if field not in FIELDS}
    inputs = _inputs(given, texts, metrics, RowView(view[0], compared, own=own))
    if given.get("checks", True) and isinstance(inputs.reader, TextLists):
        systems = given["outputs"].values() if isinstance(given["outputs"], Mapping) else [given["outputs"]]
        warn_of_references(systems, given.get("references"), inputs.reader.fields.get("references", ()))
    if (any(view) or by is not None) and inputs.in_memory and not isinstance(inputs.reader, RowsInMemory):
        raise InputError("'columns', 'where' and 'by' are about rows, tables and files; lists of texts have no columns")
    if any(view):
        inputs.reader = copy(inputs.reader)  # the object of the caller remains as it is
        inputs.reader.set_view(*view)
    return inputs


def _inputs(
    given: Mapping[str, Any], texts: Mapping[str, Any], metrics: Sequence[LabelledMetric], view: RowView
) -> Inputs:
    """Like `inputs_of`, given also the texts for lists of outputs, and the view of columns of a table."""
    outputs, files, reader = given.get("outputs"), given.get("files"), given["reader"]
    if (outputs is None) == (files is None):
        raise InputError("give either 'outputs' (texts, rows or a table) or 'files'")
    if files is not None:
        return _of_files(files, texts, reader)
    if reader != "default":
        raise InputError("'reader' reads 'files'; leave it out for outputs in memory")
    frame = _frame_of(outputs, texts, view)
    if frame is not None:
        _refuse_texts(texts)
        return _of_table(frame, metrics, view)
    if isinstance(outputs, Mapping):
        if not outputs:
            raise InputError("'outputs' must have at least one system, got an empty dictionary")
        systems = _systems(outputs)
        names = [ListName(f"outputs[{name!r}]") for name in outputs]
        return _of_texts(systems, names, texts, metrics)
    if isinstance(outputs, (str, bytes, os.PathLike)):
        raise InputError(f"'outputs' must be a list of texts, got {shown(outputs)}; use files= to read a file")
    if not is_list(outputs):
        raise InputError(f"'outputs' must be texts, rows or a table with columns, got {shown(outputs)}")
    first, values = _peeked(outputs)
    if named_row(first) is not None:
        _refuse_texts(texts)
        return Inputs(RowsInMemory(values), [ListName("rows")], True)
    alone = values if isinstance(outputs, Iterator) else outputs
    return _of_texts({SYSTEM: alone}, [ListName("outputs")], texts, metrics)


def _systems(outputs: Mapping[Any, Any]) -> dict[str, Any]:
    """Returns the outputs of each system by its name.

    Raises:
        InputError: if a name is missing, or two are the same.
    """
    systems: dict[str, Any] = {}
    for name, texts in outputs.items():
        try:
            system = parse_id(name, f"the key {name!r} of outputs")
        except DataError as problem:
            raise InputError(problem.message) from None
        if system in systems:
            same = next(key for key in outputs if str(key).strip() == system)
            raise InputError(f"the keys {same!r} and {name!r} of 'outputs' are one name; rename one of them")
        systems[system] = texts
    return systems


def _frame_of(outputs: Any, texts: Mapping[str, Any], view: RowView) -> Frame | None:
    """Returns a table: a DataFrame, or a dictionary of lists of which one is the column of outputs."""
    if not isinstance(outputs, Mapping):
        return frame_of(outputs, "outputs", view.sources)
    has_outputs = "summary" in view.columns or any("summary" in roles_of_name(str(name)) for name in outputs)
    return lists_of(outputs, "outputs") if has_outputs and "references" not in texts else None


def _of_table(table: Frame, metrics: Sequence[LabelledMetric], view: RowView) -> Inputs:
    fields = [name for metric in metrics for name in metric.metric.fields]
    try:
        view.check_fields(fields)
        columns = view.columns_read(table.names, fields)
        names = {name: name for name in table.names}
        named = view.named(names)
        for condition in view.where:
            view.text_of(condition.column, names, named)
        _check_fields(named, metrics)
    except DataError as problem:
        raise InputError(in_python(problem.message)) from None
    return Inputs(RowsInMemory(table.select(columns)), [ListName("rows")], True, table.library, table.index)


def _check_fields(columns: Collection[str], metrics: Sequence[LabelledMetric]) -> None:
    """Checks that a table has the columns that the metrics need.

    Raises:
        InputError: if not.
        DataError: if two columns are names of the same field.
    """
    for metric in metrics:
        for field in metric.metric.fields:
            if not any(form in columns for form in LISTS_OF_TEXTS.get(field, (field,))):
                advice = f"name its column with {how_to_name_column(ListName('outputs'), field)}"
                raise InputError(no_field(metric.label, field, columns, advice))


def _peeked(values: Any) -> tuple[Any, Iterable[Any]]:
    """Returns the first value and all values, of which an iterator can be read only once."""
    if not isinstance(values, Iterator):
        values = as_list(values)
        return next(iter(values), None), values
    first = list(islice(values, 1))
    return next(iter(first), None), chain(first, values)


def _of_files(files: Files, texts: Mapping[str, Any], reader: Any) -> Inputs:
    given: dict[str, Any] = {}
    if isinstance(files, Mapping):
        given["systems"], files = list(files), list(files.values())
    elif not isinstance(files, (str, os.PathLike)) and not is_list(files):
        raise InputError(f"'files' must be a file, a list of files or a dictionary of them, got {shown(files)}")
    for name, named in texts.items():
        listed = [named] if isinstance(named, (str, os.PathLike)) else named
        given[name] = os.fspath(named) if name == "sources" else expanded(map(os.fspath, listed))
    paths = [os.fspath(path) for path in ([files] if isinstance(files, (str, os.PathLike)) else files)]
    paths = paths if "systems" in given else expanded(paths)
    if isinstance(reader, DatasetReader):
        if given:
            raise InputError(
                f"'{next(iter(given))}' must be an option of the reader, as in load_reader('plain-text', …)"
            )
        return Inputs(reader, paths)
    if reader == "default" and all(uncompressed_name(path).endswith(".txt") for path in paths):
        reader = "plain-text"
    return Inputs(load_reader(reader, **given), paths)


def _refuse_texts(texts: Iterable[str]) -> None:
    for name in texts:
        raise InputError(
            f"rows and tables contain their {name}; leave out {name}=, or pass texts as outputs=: table['A'], or "
            "{'A': table['A'], 'B': table['B']} with a column for each system"
        )


def _of_texts(
    systems: Mapping[str, Any], names: Sequence[str], texts: Mapping[str, Any], metrics: Sequence[LabelledMetric]
) -> Inputs:
    """Checks that the lists are parallel, and that the metrics have the fields they need.

    Raises:
        InputError: if not.
    """
    fields = {field: texts[name] for field, name in _ARGUMENTS.items() if name in texts}
    for values, name in zip(systems.values(), names, strict=True):
        if getattr(values, "ndim", 1) > 1:
            raise InputError(matrix_of_texts(name))
    for metric in metrics:
        for field in metric.metric.fields:
            if field != "summary" and field not in fields:
                argument = _ARGUMENTS.get(field)
                how = f"pass {argument}=" if argument else f"pass rows with '{field}' as outputs="
                raise InputError(no_field(metric.label, field, None, how))
    check_same_index(dict(zip(names, systems.values(), strict=True)))
    lists = {}
    for system, name in zip(systems, names, strict=True):
        read = parallel({"summary": systems[system], **fields}, {**_ARGUMENTS, "summary": name})
        lists[system] = read.pop("summary")
        fields = read  # iterators are read once
    if not any(map(len, lists.values())):
        raise InputError(NO_OUTPUTS)
    index = next((index for texts in systems.values() if (index := index_of(texts)) is not None), None)
    return Inputs(TextLists(lists, fields), names, True, index=index)


class TextLists(DatasetReader):
    """Reads lists of texts, one per system; references and sources are parallel to them.

    Args:
        systems: System to its outputs.
        fields: Field to its values, one per output.
    """

    def __init__(self, systems: Mapping[str, Sequence[Any]], fields: Mapping[str, Sequence[Any]]) -> None:
        self._systems = systems
        self.fields = fields
        self.parallel_files = {field: [ListName(_ARGUMENTS.get(field, field))] for field in fields}

    @overrides
    def can_read_twice(self, input_files: Sequence[str]) -> bool:
        return True

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        names = ("summary", *self.fields)
        for path, (system, texts) in zip(input_files, self._systems.items(), strict=True):
            for number, values in enumerate(zip(texts, *self.fields.values(), strict=True), 1):
                yield EvalInstance(str(number), system, "peer", dict(zip(names, values, strict=True)), path, number)


class RowsInMemory(DatasetReader):
    """Reads rows with the fields of a JSONL file.

    If the first row has no ``instance_id``, the rows are the outputs of one system, and their ids are their numbers,
    from 1.

    Args:
        rows: The rows.
    """

    row_fields: ClassVar[Sequence[str] | None] = ()

    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows = rows
        self._ids_are_integers: set[bool] = set()

    @property
    def has_integer_ids(self) -> bool:
        """Whether the ids of all rows so far are integers, also of those that a copy of this reader has read."""
        return False not in self._ids_are_integers

    @overrides
    def can_read_twice(self, input_files: Sequence[str]) -> bool:
        return not isinstance(self._rows, Iterator)

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        (path,) = input_files
        numbers = RowNumbers(Piece(path, SYSTEM), RowCounts())
        for line, row in prepared(self._plain_rows(path, problems), path, problems, numbers, self.row_view()):
            with problems.at(path, line):
                self._ids_are_integers.add(isinstance(row.get("instance_id"), int))
                fields = known_fields(row)
                yield EvalInstance(*identity(row, SYSTEM), fields, path, line)

    def _plain_rows(self, path: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yields rows as those of a file."""
        for number, row in enumerate(self._rows, 1):
            with problems.at(path, number):
                values = named_row(row)
                if values is None:
                    raise InputError(without_names(row))
                yield number, values
