"""The fields of an output: the checks of their values.

The ids of inputs and systems, and the types of systems, are fields, too (decision 0021); ids that are similar are
reported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import product
from typing import Any, Literal

from metrics_framework.common.errors import DataError
from metrics_framework.data.texts import SPELLINGS, check_text, check_texts, is_missing, is_missing_value, shown

FIELD_CHECKS: dict[str, Callable[[Any, str], None]] = {
    "summary": check_text,
    "source": check_text,
    "references": check_texts,
    "documents": check_texts,
}
SINGULARS = {"references": "reference", "documents": "document"}
"""The fields that are lists of texts, and the name of one text."""
PLAIN_KINDS = {name: "t" if check is check_text else "l" for name, check in FIELD_CHECKS.items()}
"""The codes of the types of fields in `metrics_framework.kernels.dispatch.are_plain`."""


def check_field(name: str, value: Any) -> None:
    """Checks the value of a field; unknown fields are not checked.

    Raises:
        InputError: if the value is invalid.
    """
    check = FIELD_CHECKS.get(name)
    if check is not None:
        check(value, name)


def context_key(value: Any) -> Any:
    """Returns a hashable form of the value of a field: equal for equal values."""
    if type(value) is str:
        return value
    if isinstance(value, (list, tuple)):
        items = tuple(value)
        try:
            hash(items)  # items are nearly always strings
        except TypeError:
            return tuple([context_key(item) for item in items])
        return items
    if isinstance(value, dict):
        return tuple((key, context_key(item)) for key, item in sorted(value.items()))
    return value


# ---- ids and types ---------------------------------------------------------------------------------------------------

SummarizerFilter = Literal["peer", "reference", "all"]
"""Whose outputs are selected: a type of systems, or all."""
Duplicates = Literal["error", "first", "last"]
PairBy = Literal["id", "source"]
"""What an input is known by in several files."""
"""Which of several outputs with the same ids is kept, unless they are an error."""
SUMMARIZER_TYPES = ("peer", "reference")
IDENTITY_FIELDS = ("instance_id", "summarizer_id", "summarizer_type")
MAX_DIGITS = 90
"""The most digits of an id that sorts as a number."""


def parse_id(value: Any, name: str) -> str:
    """Returns an id as a string, without surrounding spaces: of a JSON string or a whole number, or a cell of a table.

    Args:
        value: The id.
        name: The field, for the error message.

    Raises:
        DataError: if the id is missing or empty, the spelling of a missing value, or neither a string nor a whole
            number.

    >>> parse_id(" s1", "summarizer_id"), parse_id(7, "instance_id"), parse_id(7.0, "instance_id")
    ('s1', '7', '7')
    """
    if type(value) is str:
        text: str = value.strip()
        if is_missing(text):
            raise DataError(f"'{name}' is {repr(text) if text else 'empty'}: rows need an id")
        return text
    if type(value) is int or (type(value) is float and value.is_integer()):
        try:
            return str(int(value))
        except ValueError:  # beyond 4,300 digits
            raise DataError(f"'{name}' must have fewer digits, or be a text; got {shown(value)}") from None
    if is_missing_value(value):
        raise DataError(f"'{name}' is {'null' if value is None else 'NaN'}: rows need an id")
    raise DataError(f"'{name}' must be a non-empty string or an integer, got {shown(value)}")


def turn_note(column: str) -> str:
    """Returns the note that turns are part of ids."""
    return f"'{column}' is part of the ids of inputs, as the turn of a dialogue"


def plain_ids(values: Sequence[str]) -> list[str] | None:
    """Returns ids without surrounding spaces; `None` if one is empty or the spelling of a missing value."""
    ids = list(map(str.strip, values))
    return ids if _NO_IDS.isdisjoint(ids) else None


_NO_IDS = frozenset(
    "".join(letters) for word in SPELLINGS for letters in product(*zip(word.lower(), word.upper(), strict=True))
)
"""The spellings of missing values in every case."""


def parse_summarizer_type(value: Any, name: str) -> str:
    """Returns the type of a summarizer.

    Args:
        value: The type.
        name: The field, for the error message.

    Raises:
        DataError: if the type is neither ``peer`` nor ``reference``.
    """
    if type(value) is str and value in SUMMARIZER_TYPES:
        return value
    raise DataError(f"'{name}' must be 'peer' or 'reference', got {shown(value)}")


def order_keys(names: Sequence[str]) -> list[str]:
    """Returns keys that sort numbers by value, then other ids as strings; different ids have different keys.

    A number is a string of up to 90 digits. Numbers of equal value are sorted by their leading zeros.

    >>> sorted(["s", "10", "9", "010", "-1"], key=lambda name: order_keys([name]))
    ['9', '10', '010', '-1', 's']
    """
    keys = {name: _order_key(name) for name in set(names)}
    return [keys[name] for name in names]


def _order_key(name: str) -> str:
    if not (name.isdigit() and name.isascii() and len(name) <= MAX_DIGITS):
        return f"~{name}"
    digits = name.lstrip("0") or "0"
    zeros = len(name) - len(digits)
    key = chr(ord(" ") + len(digits)) + digits  # the length first: a number with more digits is greater
    return f"{key}{chr(ord(' ') + zeros)}" if zeros else key


class SimilarNames:
    """Finds a name that differs from a given one only in case, spaces or invisible characters.

    Args:
        names: The names to search; they are read on first use.

    >>> SimilarNames(["sys1 ", "sys2"]).hint("Sys 1")
    "; it has 'sys1 ', which differs only in case or spaces"
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    @cached_property
    def _by_fold(self) -> dict[str, str]:
        return {folded(name): name for name in self._names}

    def hint(self, name: str) -> str:
        """Returns the end of a message that a name is missing, empty if there is no similar name."""
        found = self._by_fold.get(folded(name))
        return "" if found is None else f"; it has {quoted(found)}, which differs only in case or spaces"


def quoted(name: str) -> str:
    """Quotes a name; one with characters that are not visible, or not as they seem, is escaped.

    >>> quoted("sys1 "), quoted("猫"), quoted("sys\\u200b1")
    ("'sys1 '", "'猫'", "'sys\\\\u200b1'")
    """
    from unicodedata import category, normalize

    is_plain = normalize("NFKC", name) == name and not any(category(character) == "Cf" for character in name)
    return f"'{name}'" if is_plain else ascii(name)


def folded(name: str) -> str:
    """Returns a name without case, spaces, invisible characters and width."""
    if name.isascii():
        return "".join(name.split()).lower()
    from unicodedata import category, normalize

    visible = "".join(character for character in normalize("NFKC", name) if category(character) != "Cf")
    return "".join(visible.split()).casefold()
