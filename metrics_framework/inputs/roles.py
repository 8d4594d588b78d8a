"""The roles of columns: which column of a table has the ids, the texts, the raters, under the names of many programs.

Columns are found by name, whatever the format of the table: neither case nor surrounding spaces matter, and ``.``,
``-``, a space and ``_`` are the same. Names that may have another meaning count only if no other column has the role.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, ListName, advice, how_to_name_column


class Role(NamedTuple):
    """What a column is for.

    Args:
        meaning: What it names, as in messages.
        groups: The names of its column; names of a group count if there is no column of an earlier group, and two
            columns of one group are an error.
    """

    meaning: str
    groups: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> list[str]:
        """The names of all groups."""
        return [name for group in self.groups for name in group]


MODELS = ("model", "model_id", "model_name", "generator", "engine", "method")
"""Names of the system that may also name a judge."""
_UNSURE = (
    "id item index original_id docsegid input system target_id output resps target tgt text response completion "
    "summary_text input_text instruction prompt doc _session_id task type status answer"
)
UNSURE = frozenset([*MODELS, *_UNSURE.split()])
"""Names that may have another meaning."""
with open(os.path.join(os.path.dirname(__file__), "roles.json"), encoding="utf-8") as _stream:
    ROLES: dict[str, Role] = {
        name: Role(meaning, tuple(tuple(group.split()) for group in groups))
        for name, (meaning, *groups) in json.load(_stream).items()
    }
"""Each role by the name of its field; names are lower case, with ``_`` for ``.``, ``-`` and spaces."""
PREFERRED = {name for group in ROLES["first"].groups[1:] for name in group}
"""The names of columns of systems that won."""
NUMBERED_REFERENCE = re.compile(r"(?:reference|ref)[_.\- ]?(\d+)")
PREFIXES = ("input_", "answer_", "data_", "item_", "doc_")
"""What programs put before the names of columns; it is ignored where no column has the name without it."""
_NEEDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("instance_id", "doc_id"): ("resps",),
    ("instance_id", "docsegid"): ("document_id",),
    ("summary", "target"): ("source", "summarizer_id"),
    ("references", "target"): ("resps",),
    ("rater", "judge"): ("vote",),
    ("first", "baseline"): ("games",),
    ("first", "winner"): ("loser",),
    ("second", "model"): ("games",),
}
"""Names that have a role only beside other columns or roles."""
_EXCLUDED = {("document_id", "doc_id"): "resps", ("summarizer_id", "model"): "games"}
"""Names that lose a role beside another column."""
PAIR_OF_LANGUAGES = ("src_lang", "tgt_lang")
"""Columns that name the data set together."""
_BOTH_FORMS = ({"references", "reference"}, {"documents", "document"})
"""A list and its singular form, of which a row may have both: the other one is null, or the singular one counts."""
LISTED = 8
"""The largest number of columns that a message lists."""
_DOCUMENT_WORDS = 20
"""The number of words from which a cell of ``doc`` is a document, and not its name."""
_SEPARATORS = str.maketrans(".- ", "___")
Columns = dict[str, tuple[str, ...]]
"""The columns of each role: one, or several that are joined, or several references."""


@lru_cache(4096)
def column_key(name: str) -> str:
    """Returns the name of a column as it is compared.

    >>> column_key(" Input.Sent-ID"), column_key("\\ufeffsummary")
    ('input_sent_id', 'summary')
    """
    return " ".join(name.strip("\ufeff\u200b").split()).translate(_SEPARATORS).lower()


def is_numbered_reference(name: str) -> bool:
    """Returns whether a column is one of several references.

    >>> [is_numbered_reference(name) for name in ("reference_0", "Ref.1", "reference", "ref_id")]
    [True, True, False, False]
    """
    return NUMBERED_REFERENCE.fullmatch(column_key(name)) is not None


@lru_cache(4096)
def roles_of_name(name: str) -> frozenset[str]:
    """Returns the roles that a column has by its name alone, without doubt."""
    key = column_key(name)
    return frozenset(
        role
        for role in ROLES
        if (key in ROLES[role].names and key not in UNSURE and (role, key) not in _NEEDS)
        or (role == "references" and NUMBERED_REFERENCE.fullmatch(key))
    )


def may_have_role(name: str, roles: Iterable[str] = ROLES) -> bool:
    """Returns whether a column may have one of several roles by its name, beside some other columns.

    >>> may_have_role("ID"), may_have_role("id", ["summary"]), may_have_role("reference_1")
    (True, False, True)
    """
    key = column_key(name)
    return any(key in ROLES[role].names for role in roles) or (
        "references" in roles and NUMBERED_REFERENCE.fullmatch(key) is not None
    )


def role_named(name: str, roles: Iterable[str]) -> str:
    """Returns the role that a name left of ``=`` in ``--columns`` means; another name is another field.

    Args:
        name: The name.
        roles: The roles that matter.

    >>> [role_named(name, ["summary", "summarizer_id"]) for name in ("Output", "system", "question")]
    ['summary', 'summarizer_id', 'question']
    """
    key, roles = column_key(name), list(roles)
    if key in roles:
        return key
    found = (role for role in roles if key in ROLES[role].names)
    return next((role for role in found if (role, key) not in _NEEDS), name)


def find_columns(
    columns: Sequence[str],
    roles: Iterable[str],
    given: Mapping[str, Sequence[str]] | None = None,
    row: Mapping[str, Any] | None = None,
    own: Collection[str] = (),
) -> Columns:
    """Returns the columns of each role that a table has.

    Args:
        columns: The names of the columns of the table.
        roles: The roles that matter.
        given: The columns of roles that are named by ``--columns``, which goes before all names.
        row: A row, whose cells decide whether ``doc`` is a document or its name.
        own: Columns that have no role by their names, such as those of ratings.

    Raises:
        DataError: if a role has two columns, or a column that is named is missing.

    >>> find_columns(["Sent ID", "system", "model", "Ref-1", "ref 2"], ["instance_id", "summarizer_id", "references"])
    {'instance_id': ('Sent ID',), 'summarizer_id': ('system',), 'references': ('Ref-1', 'ref 2')}
    """
    given = given or {}
    found: Columns = {
        role: tuple(column_named(columns, name, f"--columns reads '{role}' from it") for name in names)
        for role, names in given.items()
    }
    taken = {*own, *(name for names in found.values() for name in names)}
    by_key: dict[str, list[str]] = {}
    for name in columns:
        if name not in taken:
            by_key.setdefault(column_key(name), []).append(name)
    roles = list(roles)
    for role in roles:
        if role not in found:
            names = _columns_of(role, by_key, row, _names_beside(role, roles))
            if names:
                found[role] = names
    if "instance_id" in found and "instance_id" not in given:  # the turn of a dialogue is part of the id of the input
        found["instance_id"] += found.get("turn", ())
    return found


def _names_beside(role: str, roles: Collection[str]) -> Iterable[Sequence[str]]:
    """Returns the names of a role; ``input`` is the id of the input of votes, and no id beside the role of outputs."""
    if role != "instance_id" or not {"first", "summary"}.intersection(roles):
        return ROLES[role].groups
    groups = [[name for name in group if name != "input"] for group in ROLES[role].groups]
    return [[*groups[0], "input"], *groups[1:]] if "first" in roles else groups


def _columns_of(
    role: str, by_key: Mapping[str, list[str]], row: Mapping[str, Any] | None, groups: Iterable[Sequence[str]]
) -> tuple[str, ...]:
    if role == "data_set" and by_key.keys() >= {*PAIR_OF_LANGUAGES} and by_key.keys().isdisjoint(ROLES[role].names):
        return tuple(by_key[key][0] for key in PAIR_OF_LANGUAGES)
    numbered = _numbered(by_key) if role == "references" else []
    if numbered:
        plain = [column for key, columns in by_key.items() if key in ROLES[role].names for column in columns]
        _check_numbered([name for name in plain if row is None or row[name] is not None], numbered)
        return tuple(numbered)
    for group in groups:
        for prefixes in ("",), PREFIXES:
            keys = [
                key
                for name in group
                for key in (f"{prefix}{name}" for prefix in prefixes)
                if key in by_key and _means(name, key, by_key) and _counts(role, name, key, by_key, row)
            ]
            columns = [column for key in dict.fromkeys(keys) for column in by_key[key]]
            if len(columns) > 1 and set(columns) not in _BOTH_FORMS:
                both = f"'{columns[0]}' and '{columns[1]}' both name {ROLES[role].meaning}"
                raise DataError(f"{both}; choose one with --columns {role}=COLUMN")
            if columns:
                joined = "docsegid" in keys and _columns_of("document_id", by_key, row, ROLES["document_id"].groups)
                return (*joined, *columns) if joined else tuple(columns)
    return ()


def _means(name: str, key: str, by_key: Mapping[str, list[str]]) -> bool:
    """Returns whether a column is called like a name, or so after a prefix where no column has the name without it."""
    column = by_key[key][0]
    is_variable = column.startswith("Input.")  # of MTurk, which names all variables of a template so
    if key == name:
        return not is_variable
    return name not in by_key and "." in column and (is_variable or not may_have_role(key))


def _counts(role: str, name: str, key: str, by_key: Mapping[str, list[str]], row: Mapping[str, Any] | None) -> bool:
    """Returns whether a column has a role by its name, beside the other columns."""
    if _EXCLUDED.get((role, name)) in by_key:
        return False
    if name == "doc":
        cell = None if row is None else row.get(by_key[key][0])
        return (_words(cell) >= _DOCUMENT_WORDS) is (role == "documents")
    return all(
        needed in by_key or (needed in ROLES and any(may_have_role(other, [needed]) for other in by_key))
        for needed in _NEEDS.get((role, name), ())
    )


def _words(cell: Any) -> int:
    if isinstance(cell, (list, tuple)):
        return sum(map(_words, cell))
    return len(cell.split()) if isinstance(cell, str) else 0


def _numbered(by_key: Mapping[str, list[str]]) -> list[str]:
    """Returns the numbered references, in the order of the columns."""
    for prefixes in ("",), PREFIXES:
        found = [
            name
            for key, names in by_key.items()
            if any(key.startswith(prefix) and NUMBERED_REFERENCE.fullmatch(key[len(prefix) :]) for prefix in prefixes)
            for name in names
        ]
        if found:
            return found
    return []


def _check_numbered(columns: Sequence[str], numbered: Sequence[str]) -> None:
    """Checks that a row with numbered references has no others.

    Raises:
        DataError: if it has.
    """
    if columns:
        taken = {int(match[1]) for match in map(NUMBERED_REFERENCE.fullmatch, map(column_key, numbered)) if match}
        free = next(number for number in (1, 0, max(taken) + 1) if number not in taken)
        joined = "+".join((*columns, *numbered))
        raise DataError(
            f"references must all be numbered or none, got '{columns[0]}' and '{numbered[0]}'; "
            f"rename '{columns[0]}' to 'reference_{free}'; or use --columns references={joined}"
        )


def column_named(columns: Collection[str], name: str, why: str = "") -> str:
    """Returns the column that is meant by a name: exactly it, else one that differs in case, spaces or a prefix.

    Args:
        columns: The columns of the table.
        name: The name that a user gave.
        why: Why the column is needed, for the message.

    Raises:
        DataError: if there is none, or several differ from the name in the same way.
    """
    found = columns_like(columns, name)
    if len(found) > 1:
        raise DataError(f"'{found[0]}' and '{found[1]}' both resemble the column '{name}'; write the name exactly")
    if found:
        return found[0]
    raise DataError(
        f"the column '{name}' is missing{f' ({why})' if why else ''}; {listed(columns)}{advice(name, columns)}"
    )


def columns_like(columns: Collection[str], name: str) -> Sequence[str]:
    """Returns the columns that may be meant by a name, as in `column_named`."""
    if name in columns:
        return [name]
    key = column_key(str(name))
    for prefixes in ("",), PREFIXES:
        found = [column for column in columns if any(column_key(column) == prefix + key for prefix in prefixes)]
        if found:
            return found
    return []


def listed(columns: Collection[str], what: str = "the row has") -> str:
    """Lists the columns of a table for a message, of many the first ones.

    >>> listed(["a", "b"]), listed([])
    ("the row has 'a', 'b'", 'the row has nothing')
    """
    first = ", ".join(map(repr, islice(columns, LISTED)))
    return f"{what} {first or 'nothing'}{f', … ({len(columns)} columns)' if len(columns) > LISTED else ''}"


def no_column(role: str, columns: Collection[str], path: str | None) -> DataError:
    """Returns the error for a table without a column of a role; it names the option that fixes it."""
    return DataError(
        f"has no column for {ROLES[role].meaning}; {listed(columns, 'its columns are')}; name it with "
        f"{how_to_name_column(path, role)}"
    )


def no_field(metric: str, field: str, present: Collection[str] | None = None, advice: str = "") -> str:
    """Returns the message that a field of a metric is missing.

    Args:
        metric: The metric.
        field: The field.
        present: The fields or columns that there are; `None` not to list them.
        advice: What to do.

    >>> no_field("sari", "source", ["summary", "references"], "pass source=")
    "the metric 'sari' needs 'source', but got only 'summary', 'references'; pass source="
    """
    got = "" if present is None else listed(present, ", but got only" if present else ", but got")
    return f"the metric '{metric}' needs '{field}'{got}{advice and '; '}{advice}"


def advised(message: str, path: str | None) -> str:
    """Returns a message as the place where rows come from should print it."""
    if not isinstance(path, ListName):
        return message
    from metrics_framework.common.calls import in_python  # only for mistakes in calls

    return in_python(message)
