"""Texts (one string, or the list of its sentences), lists in the forms of other libraries, and missing values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Number
from typing import Any, TypeAlias, TypeGuard

from metrics_framework.common.errors import InputError

Text: TypeAlias = str | Sequence[str]
TextGroups: TypeAlias = Sequence[Sequence[Text]]
"""Groups of texts, such as the summaries of each input, or its references."""


def as_string(text: Text) -> str:
    """Joins the sentences of a text with spaces.

    >>> as_string(["A cat.", "It sat."])
    'A cat. It sat.'
    """
    return text if isinstance(text, str) else " ".join(text)


def without_paragraphs(value: Any) -> Any:
    """Returns the sentences of a document that is a list of paragraphs, or of sections, and other values unchanged.

    >>> without_paragraphs([["A cat.", "It sat."], [["A dog."]]])
    ['A cat.', 'It sat.', 'A dog.']
    """
    if not isinstance(value, (list, tuple)) or not any(isinstance(part, (list, tuple)) for part in value):
        return value
    parts = [without_paragraphs(part) for part in value]
    if not all(map(is_text, parts)):
        return value
    return [sentence for part in parts for sentence in ([part] if isinstance(part, str) else part)]


def is_text(value: Any) -> bool:
    """Returns whether a value is a text: a string or a list of strings."""
    if isinstance(value, str):
        return True
    return isinstance(value, (list, tuple)) and all(isinstance(sentence, str) for sentence in value)


def shown(value: Any, longest: int = 60) -> str:
    """Describes a value for an error message: its type, and its start if it is long."""
    kind = {str: "the string", list: "the list", dict: "the object", bool: "the boolean"}.get(type(value), "")
    if value is None:
        return "null"
    try:
        text = repr(value)
    except ValueError:  # of an integer of more than 4,300 digits
        text = "of too many digits to be shown"
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    if not kind and isinstance(value, (int, float)):
        kind = "the number"
    return f"{kind} {text}".strip()


def check_text(value: Any, name: str) -> None:
    """Checks that a value is a text.

    Raises:
        InputError: if it is neither a string nor a list of strings.
    """
    if not is_text(value):
        raise InputError(f"'{name}' {fault_of(value)}")


def fault_of(value: Any) -> str:
    """Returns what is wrong with a value that is no text, the end of a message."""
    return next((fault for matches, fault in _FAULTS if matches(value)), _OTHER).format(shown(value))


def check_texts(value: Any, name: str) -> None:
    """Checks that a value is a non-empty list of texts.

    Raises:
        InputError: if it is not a non-empty list of texts.
    """
    if isinstance(value, (list, tuple)) and value:
        for text in value:
            if not isinstance(text, str):
                check_text(text, name)
        return
    raise InputError(f"'{name}' must be a non-empty list of texts, got {shown(value)}")


_OTHER = "must be a text (a string or a list of strings), got {}"
_CONVERTERS = ("to_pylist", "to_list", "tolist", "as_py")
"""The methods that return Python values: of pyarrow, of polars and pandas, of NumPy, and of a value of pyarrow."""
_MISSING_TYPES = ("NAType", "NaTType")
"""The types of missing values of pandas."""
_DEEPEST = 2
"""The depth of lists within a field: a list of references that are lists of sentences."""


def index_of(values: Any) -> Any:
    """Returns the index of a table or column of pandas; `None` of other values."""
    return values.index if type(values).__module__.startswith("pandas") and hasattr(values, "index") else None


def is_list(value: Any) -> TypeGuard[Iterable[Any]]:
    """Returns whether a value is an iterable of entries in a fixed order.

    Texts, mappings and sets are not, nor is a table, which yields its column names.
    """
    is_iterable = hasattr(value, "__iter__") and not isinstance(value, (str, bytes, Mapping, set, frozenset))
    return is_iterable and not hasattr(value, "columns") and not hasattr(value, "column_names")


def as_list(values: Iterable[Any]) -> Sequence[Any]:
    """Returns a list or tuple unchanged, and an array, a column of a table or an iterator as a list.

    Columns of pyarrow, polars and pandas contain objects of these libraries; the list contains Python values.

    >>> as_list(iter("ab")), as_list(("a", "b"))
    (['a', 'b'], ('a', 'b'))
    """
    if isinstance(values, (list, tuple)):
        return values
    if type(values).__module__.startswith("datasets.") and hasattr(values, "__len__"):
        values = values[:]  # type: ignore[index]  # several times as fast as its iterator
    converted = _converted(values)
    return converted if isinstance(converted, list) else list(values)


def is_missing_value(value: Any) -> bool:
    """Returns whether a value is missing: `None`, NaN, or the missing value of a library."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in _MISSING_TYPES


_FAULTS: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (is_missing_value, "is null"),
    (lambda value: isinstance(value, Number), "is {}, not a text"),
    (lambda value: isinstance(value, bytes), "is bytes: call .decode()"),
    (lambda value: isinstance(value, dict) and "text" in value, _OTHER + "; pass its 'text', as in column.str['text']"),
)
"""What is wrong with a value that is no text."""


_WRITTEN_LIST = (
    r"""\s*(?:(?:array|list|tuple)\(\s*)?\[\s*(["'“]).*["'”]\s*,?\s*\](?:,\s*dtype=\w+\s*)?\)?\s*"""
    r"""|\s*(?:c|list|tuple)\(\s*["'].*["']\s*\)\s*"""
    r"""|\s*\((['"])(?:(?!\2).)*\2,(?:\s*(['"]).*\3,?)?\)\s*"""
)
"""A list of texts as Python, JSON, NumPy, R and Julia write it; parentheses are one only with a comma after an item."""


def is_written_list(text: str) -> bool:
    """Returns whether a text is a list of texts in the spelling of a program.

    >>> [is_written_list(text) for text in ("['a', 'b']", '["a"]', "['a' 'b']", 'c("a", "b")', "('a',)")]
    [True, True, True, True, True]
    >>> [is_written_list(text) for text in ("[1, 2]", "('a')", '("Yes," he said, "no")', "[sic] it is", "['a'] is b")]
    [False, False, False, False, False]
    """
    return text.rstrip().endswith(("]", ")")) and re.fullmatch(_WRITTEN_LIST, text, re.DOTALL) is not None


def written_as_text(name: str, where: str = "") -> str:
    """Returns the message that texts of a field are a list that was written as a text."""
    return f"'{name}' is a list written as text{where}; use json.loads or ast.literal_eval"


def as_plain(value: Any, depth: int = _DEEPEST) -> Any:
    """Returns the value of a field without objects of other libraries and subclasses of `str`.

    A missing value is `None`.

    A subclass of `str` may override methods such as ``lower``. Its characters are scored, so that kernels and their
    Python twins agree.

    Args:
        value: The value: a text, or a list of texts.
        depth: The number of levels of lists to convert.
    """
    if type(value) is str:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if not isinstance(value, (list, tuple)):
        value = None if is_missing_value(value) else _converted(value)
    if not isinstance(value, (list, tuple)) or set(map(type, value)) <= {str} or not depth:
        return value
    return [as_plain(item, depth - 1) for item in value]


def _converted(value: Any) -> Any:
    for name in _CONVERTERS:
        convert = getattr(value, name, None)
        if convert is not None:
            return convert()
    return value


SPELLINGS = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "none", "null"})
"""How a missing number is written, in any case."""


def is_missing(cell: Any) -> bool:
    """Returns whether a cell states that a value is missing; neither case nor surrounding spaces matter.

    >>> [is_missing(cell) for cell in ("NA", " n/a ", "", None, float("nan"), "0", "nano")]
    [True, True, True, True, True, False, False]
    """
    return cell.strip().casefold() in SPELLINGS if isinstance(cell, str) else is_missing_value(cell)


def plain_text(cell: Any) -> str:
    """Returns an id or a label in a cell, in which a whole number has no decimals.

    >>> plain_text(5.0), plain_text(" Good "), plain_text(0.5)
    ('5', 'Good', '0.5')
    """
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()
