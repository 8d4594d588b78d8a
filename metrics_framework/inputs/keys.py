"""Keys of rows: ids in one spelling, names that differ in spelling only, and inputs whose ids are not unique.

A row is identified by its input and system, and a rating also by its rater. If ids restart, in each document or in each
data set, one id names several inputs; columns of the document, the source or the data set then change within an input.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, ItemsView, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice, product, repeat
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize
from zlib import adler32, crc32

from metrics_framework.common.errors import DataError, ListName, counted, how_to_name_column, how_to_set, location_of
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.fields import MAX_DIGITS, folded, quoted
from metrics_framework.data.texts import as_string, is_missing, plain_text

if TYPE_CHECKING:
    from metrics_framework.data.scored_output import OutputKey

CONSTANT = ("document_id", "data_set", "source", "documents")
"""The roles of columns that must not change within an input."""
OF_OUTPUT = ("summary", "summarizer_type")
"""The roles of columns that must not change within an output."""
_CHECKSUMS: Mapping[str, tuple[Callable[[bytes, int], int], int]] = {
    role: (adler32 if role in ("source", "documents", "summary") else crc32, 32 * index)
    for roles in (("source", "document_id", "data_set", "documents"), OF_OUTPUT)
    for index, role in enumerate(roles)
}
"""How a column of each of these roles is summed, texts the fast way, and where its sum begins in a checksum."""
MAX_VALUES = 20
"""The number of values of a column of conditions that are counted."""
INPUTS_COMPARED = 1 << 16
"""The number of inputs whose columns are compared in a run that reads its input once, which takes about 12 MB."""
_WHOLE = re.compile(r"[+-]?\d+(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_AHEAD, _BATCH = 1000, 100
_SEPARATOR = "\0"
_NO_CELLS: Mapping[str, Any] = {}
_OF_LABEL_STUDIO = frozenset({"lead_time", "annotation_id", "completed_by", "was_cancelled"})
"""Columns of exports of Label Studio, whose ``id`` numbers the tasks."""
_ROLES = (*CONSTANT, *OF_OUTPUT)
_PLURALS = dict(zip(_ROLES, ("documents", "data sets", "sources", "lists of documents", "texts", "types"), strict=True))
_LONGEST_SHOWN, _LONGEST_KEY, _IDS_LISTED, _FEWEST_MOVED = 30, 60, 5, 5


# ---- rows ------------------------------------------------------------------------------------------------------------


class LongRow(NamedTuple):
    """A row of ratings or scores.

    Args:
        instance_id: The input.
        summarizer_id: The system; empty if the row has no column for it.
        rater: The rater; `None` if the row has no column for raters.
        cells: Column to cell: text, a number, a list of numbers, or `None`.
        path: The file.
        line: The line, counted from 1.
        data_set: The data set, such as the language pair; `None` if it is unknown.
        summarizer_type: The type of the system; `None` if the row has no column for it.
        metrics: The scores of the output, nested as they were read; of votes, the columns of each role.
        raters: The raters of the list in the column ``raters``, if ratings are in one column per rater.
    """

    instance_id: str
    summarizer_id: str
    rater: str | None
    cells: Mapping[str, Any]
    path: str
    line: int
    data_set: str | None = None
    summarizer_type: Any = None
    metrics: Mapping[str, Any] = {}
    raters: Sequence[str] = ()

    @property
    def key(self) -> OutputKey:
        """The key that rows of the same output share."""
        return self.data_set, self.instance_id, self.summarizer_id

    @property
    def unit(self) -> tuple[str, str]:
        """The output: input and system."""
        return self.instance_id, self.summarizer_id

    @property
    def output_name(self) -> str:
        """The output as error messages name it."""
        from metrics_framework.data.scored_output import name_of_output  # only for messages

        return name_of_output(self.unit, self.data_set)

    @property
    def location(self) -> str:
        """The file and line of the row, as ``file:line``."""
        return location_of(self.path, self.line)


class JoinedCells(Mapping[str, str]):
    """The texts in a row, joined into one, which takes a fraction of the memory of a dictionary.

    Args:
        joined: The texts.
        positions: The columns of the table and their positions.
    """

    __slots__ = ("_joined", "_positions")

    def __init__(self, joined: str, positions: Mapping[str, int]) -> None:
        self._joined, self._positions = joined, positions

    def __getitem__(self, name: str) -> str:
        return self._joined.split(_SEPARATOR)[self._positions[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)

    @overrides
    def items(self) -> ItemsView[str, str]:
        return dict(zip(self._positions, self._joined.split(_SEPARATOR), strict=True)).items()


class KeptRows(list[LongRow]):
    """The rows of a table, with joined texts.

    Attributes:
        names: The columns of all rows.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, None] = {}
        self._first: Mapping[str, int] = {}

    def keep(self, row: LongRow) -> None:
        """Adds a row, with its texts joined."""
        cells = row.cells
        self._first = self._first or {name: index for index, name in enumerate(cells)}
        if not self or cells.keys() != self._first.keys():
            self.names.update(dict.fromkeys(cells))
        with suppress(TypeError):
            joined = _SEPARATOR.join(cells.values())
            if [*cells] == [*self._first] and joined.count(_SEPARATOR) < len(cells):
                row = row._replace(cells=JoinedCells(joined, self._first))
        self.append(row)

    def batches(self) -> Iterator[tuple[int, list[Mapping[str, Any]]]]:
        """Yields the cells of consecutive rows, with the number of the first one."""
        for start in range(0, len(self), _BATCH):
            yield start, [dict(row.cells.items()) for row in self[start : start + _BATCH]]


@dataclass
class RowCounts:
    """What happened to the rows that were read, for notes and errors.

    Attributes:
        left_out: The number of rows that did not meet the conditions.
        values: The columns of conditions that were not met, and how many of these rows have each value.
        unused: Columns with the name of a field that was read from another column, and that field.
        is_numbered: Whether rows have no id, so that they were numbered.
        turn: The column of turns of a dialogue, which are part of the ids; empty if there is none.
        is_viewed: Whether a view was applied to the rows.
        id_columns: The columns of the ids of inputs.
        varying: The fields whose columns have names that may mean something else, so that they may change in an input.
    """

    left_out: int = 0
    values: dict[str, Counter[str]] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)
    is_numbered: bool = False
    turn: str = ""
    is_viewed: bool = False
    id_columns: Sequence[str] = ()
    varying: set[str] = field(default_factory=set)

    def keeps(self, where: Iterable[tuple[str, str, bool]], text_of: Callable[[str], str | None]) -> bool:
        """Returns whether a row meets all conditions, and counts it with its values if it does not.

        Args:
            where: The conditions: a column, a text, and whether its text must be equal or different.
            text_of: Returns the text of the row in a column; `None` for a column whose conditions do not apply.
        """
        unmet = []
        for column, value, is_equal in where:
            text = text_of(column)
            if text is not None and (text == value) is not is_equal:
                unmet.append((column, text))
        for column, text in unmet:
            counts = self.values.setdefault(column, Counter())
            if text in counts or len(counts) < MAX_VALUES:
                counts[text] += 1
        self.left_out += bool(unmet)
        return not unmet

    def add_counts(self, other: RowCounts) -> None:
        """Adds the counts of later rows."""
        self.left_out += other.left_out
        for column, counts in other.values.items():
            self.values.setdefault(column, Counter()).update(counts)
        self.unused.update(other.unused)
        self.is_numbered = self.is_numbered or other.is_numbered
        self.turn = self.turn or other.turn


# ---- ids -------------------------------------------------------------------------------------------------------------


def whole_ids(ids: Sequence[str]) -> Sequence[str]:
    """Returns the ids of a column: whole numbers without decimals, if all numbers of the column are whole.

    >>> whole_ids(["1.0", "2.0", "x"]), whole_ids(["1.0", "1.1"])
    (['1', '2', 'x'], ['1.0', '1.1'])
    """
    if not any(".0" in name for name in ids) or not all(map(_WHOLE.fullmatch, filter(_NUMBER.fullmatch, ids))):
        return ids
    return [name.partition(".")[0] if _WHOLE.fullmatch(name) else name for name in ids]


def with_whole_ids(rows: Iterator[tuple[int, dict[str, Any]]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the rows of a table with the ids of `whole_ids`; the first thousand rows decide."""
    first = list(islice(rows, 1))
    is_whole = bool(first) and str(first[0][1].get("instance_id", "")).endswith(".0")
    if is_whole:
        first += islice(rows, _AHEAD - 1)
        ids = [str(row.get("instance_id", "")).strip() for _, row in first]
        is_whole = whole_ids(ids) is not ids
    for line, row in chain(first, rows):
        if is_whole and "instance_id" in row:
            row["instance_id"] = whole_ids([str(row["instance_id"]).strip()])[0]
        yield line, row


def moved_ids(ids: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yields warnings of files whose ids are those of the first file plus or minus 1, such as from 0 and from 1.

    Args:
        ids: The ids of the inputs of each file.

    >>> [one.partition(";")[0] for one in moved_ids({"a.csv": [*"12345"], "b.csv": [*"01234"]})]
    ["ids look moved by one: those of 'a.csv' minus 1 are in 'b.csv'"]
    """
    numbers = {
        path: {*map(int, of_file)}
        for path, of_file in ids.items()
        if len(of_file) >= _FEWEST_MOVED and all(name.isdecimal() and len(name) <= MAX_DIGITS for name in of_file)
    }
    first, *others = numbers or [""]
    for pair in ((first, other) for other in others):
        for (one, other), step in product((pair, pair[::-1]), (1, -1)):
            few, many = numbers[one], numbers[other]
            moved = {number + step for number in few}
            if not few <= many and moved <= many and (moved == many or (0 in few) is not (0 in many)):
                yield (
                    f"ids look moved by one: those of {quoted(one)} {'plus' if step > 0 else 'minus'} 1 are in "
                    f"{quoted(other)}; number its inputs alike, or outputs are paired with their neighbours"
                )
                break


# ---- names that are alike --------------------------------------------------------------------------------------------


def similar_names(kind: str, counts: Mapping[str, int], unit: str = "") -> str | None:
    """Returns a warning of names that differ in case, spaces or invisible characters only; `None` if there are none.

    Args:
        kind: What the names are of, in the plural, such as "raters".
        counts: Maps each name to the number of its rows.
        unit: What is counted, such as "rating"; empty to state no numbers.

    >>> similar_names("raters", {"Ann": 40, "ann": 20, "Bo": 3}, "rating")
    "raters 'Ann' (40 ratings) and 'ann' (20) differ in case only and count as two"
    """
    groups: dict[str, list[str]] = {}
    for name in counts:
        groups.setdefault(folded(name), []).append(name)
    alike = [names for names in groups.values() if len(names) > 1]
    if not alike:
        return None
    first, second = alike[0][:2]
    numbers = [f" ({counted(counts[first], unit)})", f" ({counts[second]})"] if unit else ["", ""]
    message = (
        f"{kind} {quoted(first)}{numbers[0]} and {quoted(second)}{numbers[1]} differ in {_how(first, second)} only "
    )
    more = sum(map(len, alike)) - 2
    return f"{message}and count as two{f'; {more} more names are like this' if more else ''}"


def _how(first: str, second: str) -> str:
    if first.casefold() == second.casefold():
        return "case"
    if first.split() == second.split() or "".join(first.split()) == "".join(second.split()):
        return "spaces"
    return "width" if normalize("NFKC", first) == normalize("NFKC", second) else "case, spaces or invisible characters"


# ---- inputs whose columns change -------------------------------------------------------------------------------------


def constant_columns(
    columns: Sequence[str], row: Mapping[str, Any], given: Mapping[str, Sequence[str]] = _NO_CELLS
) -> dict[str, str]:
    """Returns the roles of the columns that must not change within an input; two columns of one role count both."""
    from metrics_framework.inputs.roles import column_key, find_columns, roles_of_name  # which text files do not need

    found = {}
    for role in CONSTANT:
        try:
            named = {role: given[role]} if role in given else None
            names = find_columns(columns, [role], named, row).get(role, ())
        except DataError:
            names = tuple(name for name in columns if role in roles_of_name(name))
        if role == "document_id" and names:  # ``doc`` is one, too, where ``doc_id`` numbers parts of documents
            names += find_columns([name for name in columns if column_key(name) == "doc"], [role], row=row).get(
                role, ()
            )
        found.update(dict.fromkeys(names, role))
    return found


class InputColumns:
    """Finds an input whose document, data set or source changes, while rows are read, in bounded memory."""

    def __init__(self, limit: int = INPUTS_COMPARED) -> None:
        self._limit = limit
        self._known: dict[int, int] = {}
        self._columns: dict[tuple[str, ...], list[tuple[str, str]]] = {}

    def differ(self, batch: ColumnBatch, skipped: Iterable[str] = ()) -> bool:
        """Returns whether an input of a batch has other columns than before; a missing value agrees with all.

        Args:
            batch: Rows.
            skipped: Roles that may change within an input.
        """
        if not batch.checksums:
            batch.checksums = self.checksums(batch, skipped)
        return self.add(batch.ids, batch.checksums)

    def add(self, inputs: Iterable[Hashable], checksums: Iterable[int]) -> bool:
        """Returns whether an input has another checksum than before, and adds new ones."""
        names, known = list(map(hash, inputs)), self._known
        is_full = len(known) >= self._limit  # the batch that reaches the limit is kept whole
        if is_full and known.keys().isdisjoint(names):
            return False
        for name, checksum in zip(names, checksums, strict=False):
            before = known.get(name)
            if before is None:
                if not is_full:
                    known[name] = checksum
            elif before != checksum:
                if contradict(before, checksum):
                    return True
                known[name] = before | checksum
        return False

    def add_row(self, key: Hashable, cells: Mapping[str, Any], columns: Mapping[str, str]) -> bool:
        """Like `add`, given a row, and the roles of its columns that must not change."""
        total = 0
        for name, role in columns.items():
            of_bytes, bits = _CHECKSUMS[role]
            total |= _checksum(cells.get(name), of_bytes) << bits
        return self._known.get(hash(key)) != total and self.add([key], [total])

    def checksums(self, batch: ColumnBatch, skipped: Iterable[str] = ()) -> list[int]:
        """Returns a checksum of what must not change for each row, 32 bits for each column; 0 for missing values."""
        names = tuple(batch.names)
        columns = self._columns.get(names)
        if columns is None:
            row = {name: batch.column(name)[0] for name in names}
            roles = constant_columns(names, row)
            columns = self._columns[names] = [(name, role) for name, role in roles.items() if role not in skipped]
        totals: list[int] = []
        for name, role in columns:
            values, (of_bytes, bits) = batch.column(name), _CHECKSUMS[role]
            try:
                checksums = list(map(of_bytes, map(str.encode, values), repeat(0)))
            except (TypeError, UnicodeError):
                checksums = [_checksum(value, of_bytes) for value in values]
            if bits or totals:
                before = totals or repeat(0)
                checksums = [total | checksum << bits for total, checksum in zip(before, checksums, strict=False)]
            totals = checksums
        return totals


def shortened(text: str) -> str:
    """Returns the start of a text for a message."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def _checksum(value: Any, of_bytes: Callable[[bytes, int], int]) -> int:
    if value is None:
        return 0
    if not isinstance(value, str):
        value = " ".join(map(as_string, value)) if isinstance(value, (list, tuple)) else str(value)
    return of_bytes(value.encode("utf-8", "surrogatepass"), 0)


def contradict(first: int, second: int) -> bool:
    """Returns whether two checksums differ in a column that neither row lacks."""
    pairs = ((first >> shift & 0xFFFFFFFF, second >> shift & 0xFFFFFFFF) for shift in range(0, 128, 32))
    return any(one and other and one != other for one, other in pairs)


def columns_of_outputs(columns: Iterable[str], given: Mapping[str, Sequence[str]] = _NO_CELLS) -> dict[str, str]:
    """Returns the roles of the columns that must not change within an output, whose names have no other meaning.

    >>> columns_of_outputs(["id", "Hypothesis", "system_type", "response"])
    {'Hypothesis': 'summary', 'system_type': 'summarizer_type'}
    """
    from metrics_framework.inputs.roles import column_key, roles_of_name

    roles = {name: {"summary"} if column_key(name) == "output" else roles_of_name(name) for name in columns}
    named = {column_key(name): role for role in OF_OUTPUT for name in given.get(role, ())}
    return {name: role for name in roles for role in OF_OUTPUT if role in (*roles[name], named.get(column_key(name)))}


def find_contradiction(
    rows: Iterable[LongRow],
    id_columns: Sequence[str] = (),
    task_column: bool = False,
    rated: Collection[str] | None = None,
    given: Mapping[str, Sequence[str]] = _NO_CELLS,
) -> DataError | None:
    """Returns the problem that an input has two documents, sources or data sets; it names the columns that tell apart.

    Args:
        rows: All rows.
        id_columns: The columns of the ids.
        task_column: Whether the caller has the option ``--task-column``.
        rated: The columns of ratings, whose rows must not have two texts or types of an output; `None` for others.
        given: The columns of roles that are named.
    """
    listed = list(rows)
    columns: dict[str, str] = {}
    for cells in {tuple(row.cells): row.cells for row in listed}.values():
        columns.update(constant_columns(list(cells), cells, given))
        columns.update({} if rated is None else columns_of_outputs(cells.keys() - {*rated}, given))
    for column, role in columns.items():
        pair, changed = _changes(listed, column, role)
        if pair is not None and role == "source" and pair[0].path != pair[1].path:
            return _moved(pair, changed, column)
        if pair is not None:
            advice = _advice(listed, columns, "+".join(id_columns) or "instance_id", task_column, rated or ())
            texts = different_parts([repr(row.cells[column]) for row in pair])
            shown = [f"{text} ({row.location})" for text, row in zip(texts, pair, strict=True)]
            what, name = "other input", f"instance {quoted(pair[0].instance_id)}"
            if role in OF_OUTPUT:
                what, name = "other output", pair[0].output_name
            if role in OF_OUTPUT and not pair[0].summarizer_id:
                system = how_to_name_column(pair[0].path, "summarizer_id")
                advice = f"if the rows are by several systems, name them with {system}"
            more = f", and so have {counted(len(changed) - 1, what)}" if len(changed) > 1 else ""
            return DataError(f"{name} has two {_PLURALS[role]}: {' and '.join(shown)}{more}; {advice}")
    return None


def find_other_ids(
    rows: Iterable[LongRow],
    ids: Mapping[str, Collection[str]],
    doubtful: Mapping[str, str],
    skipped: Collection[str],
) -> DataError | None:
    """Returns the problem that another column of a file has the ids of the other files; it names the column.

    Args:
        rows: All rows.
        ids: The ids of the inputs of each file.
        doubtful: The files whose ids are in a column that may be no id, or numbers of rows, and that column.
        skipped: The columns of ratings.
    """
    others = {path: {one for other in ids if other != path for one in ids[other]} for path in doubtful if path in ids}
    cells: dict[str, dict[str, set[str]]] = {path: {} for path in others if others[path]}
    for row in rows if cells else ():
        for name, cell in row.cells.items() if row.path in cells else ():
            if isinstance(cell, (str, int, float)) and name not in (*skipped, doubtful[row.path]):
                cells[row.path].setdefault(name, set()).add(plain_text(cell))
    for path, columns in cells.items():
        known, mine, column = others[path], ids[path], doubtful[path]
        matched, is_number = len(known.intersection(mine)), column and not columns.keys().isdisjoint(_OF_LABEL_STUDIO)
        for name, values in columns.items():
            found = len(values & known)
            is_better = found * len(mine) >= matched * len(values) + (not is_number)
            has_most = 2 * found >= len(values) and 2 * found > min(len(known), len(mine))  # a rating has few values
            is_id = has_most or (is_number and name.casefold().endswith("id"))
            if found >= max(2, matched) and is_better and is_id:
                use = how_to_name_column(path, "instance_id", name)
                origin = f"from '{column}'" if column else "the numbers of rows"
                share = f"{matched} of {len(mine)} ids, {origin}, are in the other files"
                keep = f", or {how_to_name_column(path, 'instance_id', column)} for the numbers of tasks"
                advice = f"use {use}{keep if is_number else ''}"
                return DataError(f"{share}, but {found} of {len(values)} values of '{name}'; {advice}", path)
    return None


def _moved(pair: tuple[LongRow, LongRow], changed: Sequence[str], column: str) -> DataError:
    """Returns the problem that ids name other inputs in another file; it lists five."""
    texts = different_parts([repr(row.cells[column]) for row in pair])
    sources = " and ".join(f"{text} ({row.location})" for text, row in zip(texts, pair, strict=True))
    others = ", ".join(map(quoted, changed[1:_IDS_LISTED])) + (", …" if len(changed) > _IDS_LISTED else "")
    more = f", and so have {counted(len(changed) - 1, 'other input')}: {others}" if others else ""
    advice = f"if ids have moved, pair the inputs by their sources with {how_to_set(pair[0].path, 'pair_by', 'source')}"
    return DataError(f"instance {quoted(changed[0])} has two sources: {sources}{more}; {advice}")


def different_parts(texts: Sequence[str]) -> list[str]:
    """Returns parts of two texts that show where they differ."""
    start = 0
    while max(map(len, texts)) > _LONGEST_SHOWN and len({text[: start + _LONGEST_SHOWN - 1] for text in texts}) == 1:
        start += _LONGEST_SHOWN // 2
    return [f"{'…' * (start > 0)}{shortened(text[start:])}" for text in texts]


def cell_text(cell: Any) -> str:
    """Returns a cell as it is compared: the number 5 and the text "5" are equal."""
    if isinstance(cell, (list, tuple)):
        return "\0".join(map(cell_text, cell))
    return str(cell.get("text", cell) if isinstance(cell, dict) else cell)


def _changes(
    rows: Iterable[LongRow], column: str, role: str, by: str | None = None
) -> tuple[tuple[LongRow, LongRow] | None, list[str]]:
    """Returns the first two rows of an input or output whose cells of a column differ, and the inputs of such pairs."""
    first: dict[Any, LongRow] = {}
    found: tuple[LongRow, LongRow] | None = None
    changed = dict[Any, str]()
    for row in rows:
        cell = row.cells.get(column)
        if is_missing(cell):
            continue
        system = row.summarizer_id if role in OF_OUTPUT else None
        key = row.data_set, row.instance_id, system, None if by is None else str(row.cells.get(by))
        before = first.setdefault(key, row)
        if before is not row and cell_text(before.cells[column]) != cell_text(cell):
            found = found or (before, row)
            changed[key] = row.instance_id
    return found, [*changed.values()]


def _advice(
    rows: Sequence[LongRow], columns: Mapping[str, str], ids: str, task_column: bool, skipped: Collection[str]
) -> str:
    """Returns what tells the inputs apart: the first column with which nothing is contradicted."""
    from metrics_framework.inputs.roles import PAIR_OF_LANGUAGES, column_key, may_have_role

    pair = [name for name in columns if column_key(name) in PAIR_OF_LANGUAGES]
    names = dict.fromkeys(name for row in rows for name in row.cells if name not in skipped)
    by_role = sorted(columns, key=lambda name: _ROLES.index(columns[name]))
    for name in dict.fromkeys([*(name for name in by_role if columns[name] in CONSTANT[:2]), *names]):
        values = {str(row.cells.get(name))[: _LONGEST_KEY + 1] for row in rows}
        is_key = 1 < len(values) <= max(2, len(rows) // 2) and max(map(len, values)) <= _LONGEST_KEY
        is_key = is_key and columns.get(name, "" if may_have_role(name) else None) in (None, *CONSTANT[:2])
        if is_key and not any(
            _changes(rows, column, role, name)[1] for column, role in columns.items() if column != name
        ):
            key = pair if name in pair else [name]
            option = how_to_name_column(rows[0].path, "instance_id", *key, *ids.split("+"))
            if columns.get(name) == "data_set":
                by_set = "data_sets" if isinstance(rows[0].path, ListName) else "task-column"
                task = f" or {how_to_set(rows[0].path, by_set, name)}" if task_column and len(key) == 1 else ""
                return f"if ids restart in each data set, use {option}{task}"
            where = "document" if columns.get(name) == "document_id" else f"'{name}'"
            return f"if ids restart in each {where}, use {option}"
    return "the rows need another id"
