"""Lists in the forms of other libraries: arrays, columns of tables, iterators; and texts as plain strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

_CONVERTERS = ("to_pylist", "to_list", "tolist", "as_py")
"""The methods that return Python values: of pyarrow, of polars and pandas, of NumPy, and of a value of pyarrow."""
_MISSING_TYPES = ("NAType", "NaTType")
"""The types of missing values of pandas."""
_DEEPEST = 2
"""The depth of lists within a field: a list of references that are lists of sentences."""


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
