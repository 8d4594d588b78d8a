"""The one reader of ratings and scores: each source, a file or rows in memory, is read once, row by row.

A row has one rating, several qualities, a list of ratings, or scores of an output. `RatingRows` finds the columns of
ids and raters and yields each row with its ids. Both views of the rows are made of them: matrices of scores
(`score_files`), and the ratings of each rater (`ratings`).
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from metrics_framework.common.errors import (
    DataError,
    FwError,
    InputError,
    ListName,
    Problems,
    UnknownNameError,
    advice,
    counted,
    how_to_keep_one,
    how_to_name_column,
    how_to_set,
)
from metrics_framework.common.logs import Log
from metrics_framework.data.fields import parse_id, turn_note
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.data.texts import is_list, is_missing
from metrics_framework.inputs.exports import KINDS, decoded, flat_row, is_pearmut, is_questionnaire, plain_rows
from metrics_framework.inputs.frames import frame_of, library_of, named_row, parts_of, rows_of
from metrics_framework.inputs.keys import (
    CONSTANT,
    InputColumns,
    KeptRows,
    LongRow,
    RowCounts,
    columns_of_outputs,
    constant_columns,
    find_contradiction,
    find_other_ids,
    moved_ids,
    similar_names,
    whole_ids,
)
from metrics_framework.inputs.logs import log_at, logs_in
from metrics_framework.inputs.roles import (
    LISTED,
    ROLES,
    UNSURE,
    Columns,
    advised,
    column_key,
    columns_like,
    find_columns,
    listed,
    may_have_role,
    no_column,
    role_named,
    roles_of_name,
)
from metrics_framework.inputs.row_view import JOINED_BY, Condition, all_left_out, value_text
from metrics_framework.inputs.rows import RowNumbers, id_in_some_rows
from metrics_framework.inputs.tables import KINDS_OF_APPRAISE, header_line, is_of_appraise, is_plain_table, read_rows
from metrics_framework.inputs.values import USUAL, ValueRules
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.locations import split_name
from metrics_framework.io.parquet import read_score_rows
from metrics_framework.io.reading import Piece, is_read_once, start_of, stem

RATERS, SYSTEMS = "raters", "systems"
"""The columns of ratings that are in one column per rater, or in one per system."""
FILE = "FILE"
"""In place of the column of raters: each file of ratings that names no rater is by one, who is called like it."""
RATINGS = "ratings:"
"""What begins the signatures of ratings, whose lists have one number per rater."""
ROLES_OF_RATINGS = ("instance_id", "summarizer_id", "summarizer_type", "rater", "turn", "kind", "status")
"""The roles of columns of rows of ratings, which are found by their names."""
_OTHER_ROLES = {"document": "document_id", "doc": "document_id", "counts": "kind"}
"""What some names left of ``=`` in ``--columns`` mean among ratings, which have no texts of documents."""
_OPTIONS_OF_COLUMNS = ("by", "cluster", "covariates", "jury", "partial", "slices", "subset", "text")
"""The options that name columns besides those of ratings and judgements."""
_KINDS = frozenset({*map(str.lower, KINDS_OF_APPRAISE), *KINDS})
"""The kinds of items of Appraise and Pearmut; all but the first are checks, tutorials and what a rater took back."""
_COUNTED = frozenset({"tgt", "accept", "accepted", "approved", "submitted", "completed", "done", "ip address", ""})
_NOT_COUNTED = frozenset(
    {
        *("reject", "rejected", "returned", "timed-out", "cancelled", "canceled", "skipped", "ignore", "ignored"),
        *("discarded", "draft"),
        "survey preview",
    }
)
"""The statuses of work that counts, and of work that does not."""
_NO_METRICS: Mapping[str, Any] = {}  # one for all rows
_FLAGS_NOT_SET = frozenset({"false", "0"})
_FLAGS = _FLAGS_NOT_SET | {"true", "1"}
"""The values of columns such as ``was_cancelled``."""


# ---- sources ---------------------------------------------------------------------------------------------------------


@runtime_checkable
class ScoredOutputs(Protocol):
    """A result of `evaluate`, with the scores of outputs."""

    @property
    def signature(self) -> Mapping[str, str]:
        """Metric to its signature."""

    def scored_rows(self) -> Sequence[MetricsRow]:
        """Returns the scores of each output.

        Raises:
            InputError: if there are none, or those of several sets.
        """


class RatingsInMemory(NamedTuple):
    """Rows of ratings, votes or scores, which are read like those of a file of JSON lines.

    Args:
        name: The name for messages.
        rows: The rows.
        signatures: Metric to its signature.
        label: The name that a dictionary gives them, as in ``NAME=FILE``.
    """

    name: ListName
    rows: Iterable[Mapping[str, Any]]
    signatures: Mapping[str, str] | None = None
    label: str = ""


Source: TypeAlias = "str | RatingsInMemory"


def campaign_in(path: str) -> str:
    """Returns the format of the export of a campaign, ``appraise`` or ``pearmut``; empty for other files."""
    import csv  # which few analyses need

    try:
        start = start_of(path)
        if is_of_appraise(next(csv.reader([start.partition(b"\n")[0].decode("utf-8", "replace")]), [])):
            return "appraise"
        is_log = b'"annotation"' in start and b'"user_id"' in start
        if not is_read_once(path):  # of a pipe only the start can be read before
            is_log = is_pearmut(next(read_jsonl(path, Problems()), (0, {}))[1])
    except (FwError, csv.Error):  # which the reader of another format reports
        return ""
    return "pearmut" if is_log else ""


def sources_of(
    given: Any,
    name: str = "scores",
    expected: str = "a table, rows, a result of evaluate() or files",
    as_row: Callable[[Any], Any] = lambda row: row,
) -> tuple[list[Source], str | None]:
    """Returns what to read, and the library of the first table.

    Args:
        given: Files, tables, rows, results of `evaluate`, or a list of these, or a dictionary from names to these.
        name: The argument.
        expected: What it must be, for the message.
        as_row: Returns a row whose values have names for one of another form; other rows as they are.

    Raises:
        InputError: if the value has another form.
    """
    kinds = ScoredOutputs, RatingsInMemory
    if isinstance(given, Mapping) and given and all(map(_is_source, given.values())):
        found = [(key, one) for key, part in given.items() for one in sources_of(part, f"{name}[{key!r}]")[0]]
        named = [f"{key}={one}" if isinstance(one, str) else one._replace(label=str(key)) for key, one in found]
        return named, next(filter(None, map(library_of, given.values())), None)
    parts, library = parts_of(given, name, expected, kinds, lambda row: as_row(row) is not row)
    sources: list[Source] = []
    for part, of_part in parts:
        if isinstance(part, str):
            label, path = split_name(part)
            logs = logs_in(path) if os.path.isdir(path) else []  # that of Parquet files is refused later
            sources += [f"{label}={log}" if label else log for log in logs] or [part]
        else:
            sources.append(_in_memory(part, of_part, as_row))
    return sources, library


def _is_source(part: Any) -> bool:
    """Returns whether an entry of a dictionary is a file or a table, and no column."""
    first = next(iter(part), None) if isinstance(part, (list, tuple)) else None
    return isinstance(part, (str, os.PathLike)) or frame_of(part, "ratings") is not None or named_row(first) is not None


def _in_memory(part: Any, name: str, as_row: Callable[[Any], Any]) -> RatingsInMemory:
    signatures = None
    if isinstance(part, RatingsInMemory):
        return part
    if isinstance(part, ScoredOutputs):
        signatures, part = dict(part.signature), part.scored_rows()
    if is_list(part):
        part = [row.as_json() if isinstance(row, MetricsRow) else as_row(row) for row in part]
    return RatingsInMemory(ListName(name), rows_of(part, name), signatures)


# ---- rules -----------------------------------------------------------------------------------------------------------


def why_not_counted(column: str, cells: Iterable[Any], keep: Iterable[str] = ()) -> list[str]:
    """Returns for each row why it does not count, by a column of kinds of items or of statuses of work, or empty texts.

    Args:
        column: The column.
        cells: Its cells.
        keep: What counts nevertheless.

    >>> why_not_counted("status", ["Approved", "Rejected"]), why_not_counted("was_cancelled", ["true", "false"])
    (['', 'Rejected'], ['was_cancelled', ''])
    """
    kinds = ["" if cell is None else str(cell).strip() for cell in cells]
    flags = _FLAGS if re.search("cancel|skip|golden|tainted", column, re.IGNORECASE) else frozenset()
    known = {kind.casefold() for kind in kinds}
    if not (known <= _KINDS or known <= _COUNTED | _NOT_COUNTED | flags):
        return [""] * len(kinds)
    names = [column if kind.casefold() in flags else kind for kind in kinds]
    counted_kinds, kept = _COUNTED | _FLAGS_NOT_SET, {*map(str.casefold, keep)}
    return [
        "" if kind.casefold() in counted_kinds or name.casefold() in kept else name
        for name, kind in zip(names, kinds, strict=True)
    ]


@dataclass
class FoundRows(RowCounts):
    """What was found while rows were read.

    Args:
        used: The columns that options name and a file has.
        kinds: Why rows do not count to their number: their kind, or the status of work.
        path: The last file with rows that do not count.
        of_logs: What has no score in a log, to its number.
        repeated: The number of rows that repeat others.
        notes: What a reader of the results should know.
        names: Systems, inputs or raters and their data set, to each name and the number of its rows.
        contradicts: Whether what must not change within an input changes.
        ids: The ids of the inputs of each file.
        doubtful: The files whose ids are in a column that may be no id, or numbers of rows, and that column.
        raters: The raters of each file of ratings; none if it does not name them.
        of_systems: The files of which each row has the scores of a system.
    """

    used: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    path: str | None = None
    of_logs: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    notes: list[str] = field(default_factory=list)
    names: dict[tuple[str, str | None], dict[str, int]] = field(default_factory=dict)
    contradicts: bool = False
    ids: dict[str, set[str]] = field(default_factory=dict)
    doubtful: dict[str, str] = field(default_factory=dict)
    raters: dict[str, dict[str, None]] = field(default_factory=dict)
    of_systems: set[str] = field(default_factory=set)

    @cached_property
    def inputs(self) -> InputColumns:
        """What must not change within an input, or within an output."""
        return InputColumns()

    def counts(self, data_set: str | None) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        """Returns the numbers of rows of each input, system and rater of a data set."""
        inputs, systems, raters = (
            self.names.setdefault((kind, data_set), {}) for kind in ("inputs", "systems", "raters")
        )
        return inputs, systems, raters

    def note(self, text: str) -> None:
        """Adds a note once."""
        if text not in self.notes:
            self.notes.append(text)


@dataclass
class RatingRules:
    """From which columns ratings are read, and which rows are read.

    Args:
        columns: Roles such as ``rater`` to their columns, in the files that have them; the columns of other roles are
            found by their names.
        where: The conditions that rows must meet, in the files that have their columns.
        data_set: The column of data sets; `None` if all rows belong to one.
        labels: Files to the data sets of their rows, which then need no column.
        raters: The columns of a table with one column per rater.
        systems: The columns of a table with one column per system.
        keep: Kinds of rows, such as ``BAD``, that count although they are checks or rejected work.
        duplicates: Which of several ratings by one rater of one output is kept: none (``error``), the ``first`` or the
            ``last``.
        pair_by: What an input is known by: its ``id`` or its ``source``.
        drop_raters: The rule by which raters of exports of campaigns are left out.
        column_names: The names of the columns of tables without a header.
        has_data_sets: Whether the caller can be given a column of data sets.
        needs_system: Whether a table of scores must have a column of systems; else its rows may be of one system.
        named: Columns with ratings and judgements, which have no other role by their names.
        others: Further columns that options name, such as clusters.
        option: The option that names the ratings; empty if there is none.
        values: How cells become numbers or labels.
        ratings: The columns of ratings.
        rated: The same, among those of scores, that the scale is of; `None` if all are.
        found: What was found in all files.
        value_warnings: Which values may be misread.
        value_missing: Rated quality to the counts of its missing values by their spelling.
    """

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    where: Sequence[Condition] = ()
    data_set: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    raters: Sequence[str] = ()
    systems: Sequence[str] = ()
    keep: Sequence[str] = ()
    duplicates: str = "error"
    pair_by: str = "id"
    drop_raters: str = ""
    column_names: Sequence[str] = ()
    has_data_sets: bool = False
    needs_system: bool = True
    named: Collection[str] = ()
    others: Collection[str] = ()
    option: str = ""
    values: ValueRules = USUAL
    ratings: Collection[str] = ()
    rated: Collection[str] | None = None
    found: FoundRows = field(default_factory=FoundRows)
    value_warnings: list[str] = field(default_factory=list)
    value_missing: dict[str, Mapping[str, int]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        given: Mapping[str, Any],
        named: Iterable[str | None] = (),
        rated: Collection[str] | None = None,
        known: Sequence[str] = (*ROLES_OF_RATINGS, "summary"),
    ) -> RatingRules:
        """Returns the rules that options state.

        Args:
            given: The checked arguments of a public function: ``rater_column``, and those called like these rules.
            named: Columns with ratings and judgements.
            rated: The columns of ratings, if the files also have scores.
            known: The roles of columns, besides those that must not change within an input.

        Raises:
            InputError: if a role is unknown, or has several columns.
        """
        rater = given.get("rater_column")
        roles = {} if rater is None else {"rater": [rater]}
        for name, sources in (given.get("columns") or {}).items():
            role = _role_left_of_equals(str(name), known, given)
            if role in roles or (len(sources) > 1 and role not in ("instance_id", "data_set")):
                raise InputError(f"'columns' must name one column for '{role}'")
            roles[role] = [*sources]
        options = ("where", "raters", "systems", "keep", "duplicates", "pair_by", "drop_raters", "column_names")
        rules = {name: given[name] for name in options if given.get(name) is not None}
        columns = {name for name in named if name is not None}
        others = (given.get(name) or () for name in _OPTIONS_OF_COLUMNS)
        rules["others"] = [*chain.from_iterable([one] if isinstance(one, str) else one for one in others)]
        rules["has_data_sets"] = "data_sets" in given
        rules["option"] = next((name for name in ("rating", "human") if name in given), "")
        ratings = given.get("rating") or rated or ()
        rules["ratings"] = [ratings] if isinstance(ratings, str) else ratings
        return cls(roles, named=columns, values=ValueRules.of(given), rated=rated, **rules)

    def of_roles(self, *roles: str) -> Mapping[str, Sequence[str]]:
        """Returns the columns that are named of some roles."""
        return {role: self.columns[role] for role in roles if role in self.columns}

    def has_ratings(self, row: Collection[str]) -> bool:
        """Returns whether a row has a column of ratings."""
        return any(columns_like(row, name) for name in self.ratings)

    def is_rated(self, column: str) -> bool:
        """Returns whether a column has ratings, among those of scores."""
        rated = self.rated or ()
        return column in rated or (RATERS in rated and column in self.raters)

    def values_of(self, column: str) -> ValueRules:
        """Returns how the cells of a column become numbers."""
        return self.values if self.rated is None or self.is_rated(column) else replace(self.values, scale=None)

    def keeps(self, row: Mapping[str, Any]) -> bool:
        """Returns whether a row meets all conditions whose columns it has.

        Raises:
            DataError: if a value has no text.
        """

        def text_of(name: str) -> str | None:
            column = self.in_row(name, row)
            return value_text(column, row[column]) if column else None

        return self.found.keeps(self.where, text_of)

    def in_row(self, name: str, row: Collection[str]) -> str:
        """Returns the column of a row that an option names, and records it; an empty string if there is none."""
        columns = columns_like(row, name)
        if len(columns) != 1:
            return ""
        self.found.used.add(name)
        return columns[0]

    def given(self, row: Mapping[str, Any]) -> dict[str, list[str]]:
        """Returns the columns of roles that options name, as far as a row has them."""
        found = {role: [self.in_row(name, row) for name in names] for role, names in self.columns.items()}
        if self.pair_by == "source" and "instance_id" not in found:
            found["instance_id"] = found.get("source") or [*find_columns([*row], ["source"], row=row).get("source", ())]
            if not found["instance_id"]:
                raise DataError(
                    f"has no column for the source to pair inputs by; {listed(row, 'its columns are')}; name another "
                    "column with --columns instance_id=COLUMN"
                )
        return {role: names for role, names in found.items() if all(names)}

    def check_used(self, columns: Sequence[str]) -> None:
        """Checks that the files have the columns that are named, and rows that meet the conditions.

        Args:
            columns: The columns of all files.

        Raises:
            DataError: if the conditions leave out all rows.
            UnknownNameError: if a column is in no file.
        """
        found = self.found
        conditions = (condition.column for condition in self.where)
        for column in (*chain.from_iterable(self.columns.values()), *conditions, *self.raters, *self.systems):
            if column not in found.used:
                raise UnknownNameError("column", column, columns)
        if found.left_out and not found.names:
            raise DataError(all_left_out([*map(str, self.where)], found.left_out, found.values))

    def name_warnings(self) -> list[str]:
        """Returns which systems, inputs and raters of a data set have names that differ in spelling only."""
        alike = (similar_names(kind, counts, "row") for (kind, _), counts in self.found.names.items())
        return [*filter(None, alike)]

    def check_inputs(self, rows: Iterable[LongRow]) -> None:
        """Checks that the document, the source and the data set of each input are the same in all rows.

        Args:
            rows: All rows.

        Raises:
            DataError: if not; it names the columns that tell the inputs apart.
        """
        found = self.found
        if found.contradicts and (
            problem := find_contradiction(rows, found.id_columns, self.has_data_sets, self.named, self.columns)
        ):
            raise problem

    def check_ids(self, rows: Iterable[LongRow]) -> None:
        """Checks that ids in a column that may be no id are those of the other files, unless another column has these.

        Args:
            rows: All rows.

        Raises:
            DataError: if another column has them; it names the column. Or if some files have scores of systems, and
                others those of several inputs.
        """
        of_inputs = next((path for path, ids in self.found.ids.items() if len(ids) > 1), None)
        for path in sorted(self.found.of_systems) if of_inputs else ():
            message = f"each row has the scores of a system, but {of_inputs} has several inputs"
            raise DataError(f"{message}; write the mean of each system in that file, too, in one row each", path)
        if problem := find_other_ids(rows, self.found.ids, self.found.doubtful, self.named):
            raise problem

    def _tell_pooled(self, log: Log) -> None:
        """Says which raters of several files rate the same inputs, as a warning if only some of the files name any."""
        raters, first, pooled = self.found.raters, dict[str, str](), dict[str, None]()
        for path, of_file in raters.items():
            others = (first.setdefault(instance, path) for instance in self.found.ids[path])
            pooled |= dict.fromkeys(one for other in others if raters[other] != of_file for one in (other, path))
        names = [", ".join(map(repr, raters[path])) or "one without a name" for path in pooled]
        listed = ", ".join(f"{of_file} ({path})" for of_file, path in zip(names, pooled, strict=True))
        tell = log.warn if len({bool(raters[path]) for path in pooled}) > 1 else log.note
        if pooled:
            tell(f"raters of the same inputs are pooled: {listed}")

    @property
    def left_out(self) -> dict[str, int]:
        """Why rows are left out to their number: their kind, ``repeated``, and of logs ``FILE: error`` and the like."""
        repeated = {"repeated": self.found.repeated} if self.found.repeated else {}
        return {**self.found.kinds, **repeated, **self.found.of_logs}

    def tell(self, log: Log) -> None:
        """Logs what was left out, and what a reader of the results should know."""
        for note in self.found.notes:
            log.note(note)
        self._tell_pooled(log)
        for warning in dict.fromkeys([*moved_ids(self.found.ids), *self.name_warnings(), *self.value_warnings]):
            log.warn(warning)
        why = {"do not meet the conditions": self.found.left_out, "repeat others": self.found.repeated}
        for reason, count in why.items():
            if count:
                log.note(f"left out: {counted(count, 'row')} that {reason}")
        if self.found.kinds:
            listed = ", ".join(f"{count} '{kind}'" for kind, count in self.found.kinds.items())
            keep = how_to_set(self.found.path, "keep", ",".join(self.found.kinds))
            log.warn(f"left out: rows that do not count ({listed}); to keep them, use {keep}")


def _role_left_of_equals(name: str, known: Sequence[str], given: Mapping[str, Any]) -> str:
    """Returns the role that a name means in ``--columns`` of a function.

    Raises:
        InputError: if its rows have no such role; it names the option for it, if there is one.
    """
    known = (*known, *CONSTANT, *(("first", "second") if "labels" in given else ()))
    key, others = column_key(name), {**_OTHER_ROLES, **({"judge": "rater"} if "vote" in known else {})}
    role = others.get(key) or role_named(name, known)
    if role in known:
        return role
    ratings = ("rating", "human") if key == "rating" or role_named(name, ROLES) == "vote" else ()
    options = (one for one in (key, f"{key}s", f"stated_{key}", *ratings) if one in given and one != "confidence")
    if option := next(options, ""):
        raise InputError(f"'columns' has no role {name} here; use '{option}' for it")
    names = () if may_have_role(name) else chain(known, *(ROLES[role].names for role in known))
    what_to_do = advice(name, dict.fromkeys(names)) or f"; leave out {name}=COLUMN"
    raise InputError(f"'columns' has no role {name} here, but {', '.join(known[:LISTED])}, …{what_to_do}")


def rated_twice(rater: str, row: LongRow, first: LongRow) -> str:
    """Returns the message about a second rating of an output by one rater."""
    return f"rater '{rater}' rates {row.output_name} twice (first at {first.location}){how_to_tell_apart(row, first)}"


def how_to_tell_apart(row: LongRow, first: LongRow) -> str:
    """Returns what to do about a row that repeats another, the end of a message: name a column, or keep one of them."""
    roles = {"systems": "summarizer_id"} if not row.summarizer_id else {}
    roles |= {"raters": "rater"} if row.rater is None and "metrics" not in row.cells else {}
    columns = " or ".join(how_to_name_column(row.path, role) for role in roles.values())
    advice = [f"if the rows are by several {' or '.join(roles)}, name them with {columns}"] if roles else []
    if "raters" in roles and row.path != first.path:
        advice.append(f"if each file is by one rater, use {how_to_set(row.path, 'rater_column', FILE)}")
    advice += ["name the rater of each file, as in NAME=FILE"] if FILE in row.cells and row.path != first.path else []
    advice += [how_to_keep_one(row.path)] if row.path == first.path else []
    return f"; {'; else '.join(advice)}" if advice else ""


class RatingRows:
    """The rows of one source.

    Args:
        source: A file, which may have the form ``SYSTEM=FILE``, or rows in memory.
        rules: The columns and the conditions.
        problems: Collects invalid rows.

    Attributes:
        roles: The roles of columns.
        needs_ids: Whether a row must have the id of the input, or else its number is the id.
        path: The file.
        rules: The columns and the conditions.
        signatures: Metric to its signature, of scores in memory.
        log: The log that the file is, of which all but the path is known once its rows are read; `None` for others.
        columns: The columns of the roles of the first row, once it is read, and those in `RATERS` and `SYSTEMS`.
        has_scores: Whether the rows have scores of outputs in ``metrics``, once the first one is read.
        kept: The rows of a table of scores, which is read column by column.
    """

    roles: Sequence[str] = ROLES_OF_RATINGS
    needs_ids = True

    def __init__(self, source: Source, rules: RatingRules, problems: Problems) -> None:
        self._named = "" if isinstance(source, str) else source.label
        if isinstance(source, str):
            self._named, source = split_name(source)
        self._system: str | None = None  # the column of systems, which the name of the file replaces
        self._renamed: set[Any] = set()  # the systems in it
        self._systems: dict[str, None] = {}  # those of rows without ids, while each has one row
        is_asked = [*rules.columns.get("rater", ())] == [FILE]
        self._is_by_file = None if is_asked else False  # whether the file names the rater, once the first row is read
        self.path = source if isinstance(source, str) else source.name
        self.signatures = None if isinstance(source, str) else source.signatures
        self.columns: Columns | None = None
        self.has_scores = False
        self.kept = KeptRows()
        self._source = source
        self.rules = rules
        self._problems = problems
        self._is_table = isinstance(source, str) and is_plain_table(source)
        self.log = log_at(source) if isinstance(source, str) and not self._is_table else None
        self._shapes: dict[tuple[str, ...], tuple[tuple[str, ...], Columns]] = {}
        self._constant: dict[str, str] = {}
        self._of_outputs: dict[str, str] = {}
        self._lists: list[str] = []  # the columns of ratings that are lists in a cell of a table
        self._ids: dict[str, tuple[str, str]] = {}  # cell to it and its id
        self._numbers = RowNumbers(Piece(self.path, ""), rules.found)

    def __iter__(self) -> Iterator[LongRow]:
        """Yields the rows that count, without those that `duplicates` leaves out; rows of empty cells are ignored.

        Raises:
            DataError: if the file cannot be read, or a table has no column for the input, or two columns of one role.
        """
        if self.rules.duplicates == "error":
            yield from self._counting()
            return
        rows, kept, found = [*self._counting()], dict[tuple[str | None, ...], LongRow](), self.rules.found
        for row in rows:
            key = (*row.key, row.rater)
            if key not in kept or self.rules.duplicates == "last":
                kept[key] = row
        found.repeated += len(rows) - len(kept)
        yield from rows if found.contradicts else kept.values()  # all, if ids restart, which makes them equal

    def _counting(self) -> Iterator[LongRow]:
        """Yields the rows that count, and records their names."""
        rows = self._rows()
        first = next(rows, None)
        if first is None:
            return
        columns = self.columns or {}
        kinds = (*columns.get("kind", ()), *columns.get("status", ()))
        if kinds or any((name or "").endswith(".0") for name in first[:3]):
            rows = self._counted([first, *rows], kinds)
        else:
            rows = chain([first], rows)
        found, data_set, constant, of_outputs = self.rules.found, first.data_set, self._constant, self._of_outputs
        inputs, systems, raters = found.counts(data_set)
        ids = found.ids.setdefault(self.path, set())
        of_file = dict[str, None]()
        if RATERS not in first.cells and self.rules.has_ratings(first.cells):
            found.raters[self.path] = of_file
        for row in rows:
            if row.data_set is not data_set:
                data_set = row.data_set
                inputs, systems, raters = found.counts(data_set)
            instance, system, rater = row.instance_id, row.summarizer_id, row.rater
            ids.add(instance)
            inputs[instance] = inputs.get(instance, 0) + 1
            systems[system] = systems.get(system, 0) + 1
            if rater is not None:
                raters[rater] = raters.get(rater, 0) + 1
                of_file[rater] = None
            if constant and not found.contradicts:
                found.contradicts = found.inputs.add_row((data_set, instance), row.cells, constant)
            if of_outputs and not found.contradicts:
                found.contradicts = found.inputs.add_row((data_set, instance, system), row.cells, of_outputs)
            yield row

    @property
    def names(self) -> list[str]:
        """The columns of all rows that were read."""
        return [*dict.fromkeys(chain.from_iterable(renamed or names for names, (renamed, _) in self._shapes.items()))]

    def _rows(self) -> Iterator[LongRow]:
        shapes, where = self._shapes, self.rules.where
        for line, row in self._read():
            self._numbers.count += 1
            shape = None
            try:
                row = self._labelled(row) if self._named or self._is_by_file is not False else row
                if (shape := shapes.get(names := tuple(row))) is None:
                    shape = shapes[names] = self._new_shape(row)
                names, columns = shape
                row = {**row, **{name: decoded(row[name]) for name in self._lists}} if self._lists else row
                if names:
                    row = dict(zip(names, row.values(), strict=True))
                if where and not self.rules.keeps(row):
                    continue
                if RATERS in columns or SYSTEMS in columns:
                    yield from self._of_wide(row, columns, line)
                else:
                    yield self._long_row(row, columns, line)
            except DataError as problem:
                if shape is None and (self._is_table or not isinstance(self._source, str)):
                    raise DataError(problem.message, self.path, header_line(self.path) or line) from None
                self._problems.add(DataError(problem.message, self.path, line))

    def _labelled(self, row: dict[str, Any]) -> dict[str, Any]:
        """Returns a row with the name of its file, as the rater or as the system."""
        if self._is_by_file is None:
            has_rater = FILE in row or "rater" in find_columns([*row], ["rater"], row=row)
            self._is_by_file = self.rules.has_ratings(row) and not has_rater
            self._named = (self._named or stem(self.path)) if self._is_by_file else ""
        if self._is_by_file:
            return {**row, FILE: self._named}
        if not self._named:
            return row
        if self._system is None:
            self._system = find_columns([*row], ["summarizer_id"]).get("summarizer_id", ("",))[0]
        self._renamed.add(row.get(self._system))
        if len(self._renamed) > 1:
            how = how_to_set(self.path, "rater_column", FILE)
            raise DataError(f"has several systems, but is called '{self._named}'; if this is the rater, use {how}")
        others = {name: cell for name, cell in row.items() if "summarizer_id" not in roles_of_name(name)}
        return {**others, "summarizer_id": self._named}

    def _new_shape(self, row: Mapping[str, Any]) -> tuple[tuple[str, ...], Columns]:
        """Returns the names of the columns of a row, if options write some in another way, and those of the ids."""
        named = self.rules.named
        found = {self.rules.in_row(name, row): name for name in (*named, *self.rules.others) if name not in row}
        renamed = {
            column: name
            for column, name in found.items()
            if column and column not in named and roles_of_name(column).isdisjoint(self.roles)
        }
        columns = self._columns_of({renamed.get(name, name): cell for name, cell in row.items()})
        if self.columns is None:
            rated = (name for one in (*self.rules.ratings, RATERS) for name in columns_like(row, one))
            self._lists = [name for name in rated if decoded(row[name]) != row[name]]
            self.columns, self.has_scores = columns, "metrics" in row and "rater" not in columns
        return tuple(renamed.get(name, name) for name in row) if renamed else (), columns

    def _read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        is_wide = self.rules.raters and "instance_id" in self.rules.columns  # its raters are no questions
        ratings = (self.rules.option, self.rules.named) if self.rules.option and not is_wide else None
        if isinstance(self._source, str) and self._is_table:
            yield from read_rows(self._source, self._problems, None, self.rules.column_names, ratings, as_texts=True)
            return
        if self.log is not None:
            yield from self.log.rows(self._problems)
            self.rules.found.notes += self.log.notes()
            left_out = {f"{self.path}: {reason}": count for reason, count in self.log.left_out.items()}
            self.rules.found.of_logs.update(left_out)
            self.rules.value_warnings += self.log.warnings()
            return
        if isinstance(self._source, str):
            rows = read_score_rows(self._source, self._problems, self.rules.data_set)
        else:  # copies, which exports change
            rows = enumerate(({str(name): cell for name, cell in row.items()} for row in self._source.rows), 1)
        for line, row in plain_rows(rows, self.path, ratings):
            yield line, row if "metrics" in row else flat_row(row)

    def _columns_of(self, row: Mapping[str, Any]) -> Columns:
        """Returns the columns of the roles of a row, and those of ratings, one per rater or one per system.

        Raises:
            DataError: if there is none for the input, or two for one role.
        """
        rules = self.rules
        given = rules.given(row)
        metadata = (name for name in row if "." in name and "metrics" in row)  # whose fields may have any name
        own = {*rules.named, *metadata}
        try:
            found = self._found(row, given, own)
        except DataError as problem:
            raise DataError(advised(problem.message, self.path)) from None
        for name, columns in ((RATERS, rules.raters), (SYSTEMS, rules.systems)):
            wide = tuple([rules.in_row(column, row) for column in columns])
            found |= {name: wide} if wide and all(wide) else {}
        instance = found.get("instance_id", ())
        if instance[-1:] == found.get("turn"):
            rules.found.note(turn_note(instance[-1]))
        if self.needs_ids and self._numbers.have_ids({"instance_id"} if instance else ()) and not instance:
            raise id_in_some_rows(first_has_id=True)
        if self.needs_ids and not instance:
            if "rater" in found and RATERS not in found and SYSTEMS not in found:
                raise no_column("instance_id", row, self.path)
            if RATERS in found and is_questionnaire(row):
                raise DataError(
                    "a row has the answers of one person, so its columns are no raters; call those of answers Q1, Q2, "
                    f"… and use {how_to_set(self.path, self.rules.option, 'Q')}, or name the column of ids with "
                    f"{how_to_name_column(self.path, 'instance_id')}"
                )
            rules.found.note(f"{self.path}: rows have no id of the input and are numbered")
        names = [name for name in row if name not in own]
        roles = rules.columns
        constant = constant_columns(names if "metrics" in row else [*row], row, roles) if rules.pair_by == "id" else {}
        self._constant |= {name: role for name, role in constant.items() if name not in (*instance, rules.data_set)}
        if self.needs_ids and "metrics" not in row:  # the types of rows of scores are compared when rows are merged
            self._of_outputs |= columns_of_outputs(names, roles)
        rules.found.id_columns = rules.found.id_columns or instance
        if self.needs_ids and "instance_id" not in given and {*map(column_key, instance)} <= UNSURE:
            rules.found.doubtful[self.path] = "".join(instance[:1])
        return found

    def _found(self, row: Mapping[str, Any], given: Mapping[str, Sequence[str]], own: Collection[str]) -> Columns:
        return find_columns([*row], self.roles, given, row, own)

    def _long_row(self, row: dict[str, Any], columns: Columns, line: int) -> LongRow:
        label, kind = self.rules.data_set, columns.get("summarizer_type")
        system = self._id(row, columns["summarizer_id"][0]) if "summarizer_id" in columns else ""
        if names := columns.get("instance_id"):
            instance = self._id(row, names[0])
            if len(names) > 1:
                instance = JOINED_BY.join([instance, *(self._id(row, name) for name in names[1:])])
        else:
            is_wide = RATERS in columns or SYSTEMS in columns  # then each row is an input
            instance = str(self._numbers.count) if is_wide else self._number_of(system, row)
        by = self._id(row, columns["rater"][0]) if "rater" in columns else None
        data_set = None if label is None else self.rules.labels.get(self.path) or label_in(row, label)
        type_of = None if kind is None else row[kind[0]]
        return LongRow._make(
            (instance, system, by, row, self.path, line, data_set, type_of, row.get("metrics", _NO_METRICS), ())
        )

    def _number_of(self, system: str, row: dict[str, Any]) -> str:
        """Returns the number of a row without an id; rows of correlated scores may be of a system each, and one input.

        Raises:
            DataError: if rows are of several systems otherwise.
        """
        systems, of_systems = self._systems, self.rules.found.of_systems
        if self.rules.option == "human" and 0 < len(systems) == self._numbers.count - 1 and system not in systems:
            of_systems.add(self.path)
            self.rules.found.note(f"{self.path}: each row has the scores of a system, as of one input")
            systems[system] = None
            return "1"
        systems[system] = None
        return str(self._numbers.of_row([*systems][1] if self.path in of_systems else system, row))

    def _id(self, row: dict[str, Any], name: str) -> str:
        """Returns the id in a column; the rows of an input, system or rater share it, and their cells, too.

        Raises:
            DataError: if it is missing or invalid.
        """
        cell = row[name]
        if type(cell) is str:
            known = self._ids.get(cell) or self._ids.setdefault(cell, (cell, parse_id(cell, name)))
            row[name] = known[0]
            return known[1]
        is_text = type(cell) is float and cell % 1 and not isinstance(self._source, str)  # 1.5 of a frame is text
        return parse_id(str(cell) if is_text else cell, name)

    def _of_wide(self, row: dict[str, Any], columns: Columns, line: int) -> Iterator[LongRow]:
        """Yields the rows of a table with one column per rater, or per system, in the column `RATERS` or `SYSTEMS`."""
        if raters := columns.get(RATERS):
            cells = {**row, RATERS: [row[name] for name in raters]}
            yield self._long_row(cells, columns, line)._replace(raters=raters, rater=None)
        others = {role: names for role, names in columns.items() if role != "summarizer_id"}
        for system in columns.get(SYSTEMS, ()):
            yield self._long_row({**row, SYSTEMS: row[system]}, others, line)._replace(summarizer_id=system)

    def _counted(self, rows: Sequence[LongRow], columns: Sequence[str]) -> Iterator[LongRow]:
        """Yields the rows that count by columns of kinds of items or statuses of work, with ids as in `whole_ids`."""
        ids = [whole_ids([name or "" for name in names]) for names in zip(*(row[:3] for row in rows), strict=True)]
        rows = [
            row._replace(instance_id=instance, summarizer_id=system, rater=row.rater and rater)
            for row, instance, system, rater in zip(rows, *ids, strict=True)
        ]
        left_out: Counter[str] = Counter()
        for column in columns:
            why = why_not_counted(column, [row.cells.get(column) for row in rows], self.rules.keep)
            left_out.update(filter(None, why))
            rows = [row for row, reason in zip(rows, why, strict=True) if not reason]
        self.rules.found.kinds.update(left_out)
        self.rules.found.path = self.path if left_out else self.rules.found.path
        if not rows:
            advice = how_to_set(self.path, "keep", ",".join(left_out))
            self._problems.add(
                DataError(f"has no row that counts; all are {', '.join(left_out)}; use {advice}", self.path)
            )
        yield from rows


def label_in(row: Mapping[str, Any], column: str) -> str | None:
    """Returns the label of a row, such as its data set; `None` if it is missing.

    The column is a key of the row, or one of its scores.

    >>> label_in({"lp": "en-de", "metrics": {"ter": 40.0}}, "lp"), label_in({"metrics": {"year": 2023}}, "year")
    ('en-de', '2023')
    """
    cell = row.get(column)
    if column not in row or column in (row.get("metrics") or ()) or isinstance(cell, Mapping):
        flat = flat_row(row)  # nearly never, because it takes time
        cell = next((flat[name] for name in columns_like(flat, column)), None)
    return None if is_missing(cell) else str(cell)
