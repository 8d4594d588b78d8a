"""The index of columns of pandas: texts are paired by position, so the same labels in another order are an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.api.columns import library_of
from metrics_framework.common.errors import InputError


def check_same_order(outputs: Any, **others: Any) -> None:
    """Rejects columns of pandas whose index has the labels of another column in another order.

    Columns with different labels are accepted: they may come from two tables, and their order is all there is.

    Args:
        outputs: A list of texts, or systems and their lists of texts.
        others: Argument to its value.

    Raises:
        InputError: if there are such columns.
    """
    lists = {f"outputs[{name!r}]": texts for name, texts in outputs.items()} if isinstance(outputs, Mapping) else {}
    check_same_index({**(lists or {"outputs": outputs}), **others})


def check_same_index(lists: Mapping[str, Any]) -> None:
    """Rejects columns of pandas as `check_same_order` does, given all arguments by name.

    Raises:
        InputError: if there are such columns.
    """
    columns = {
        name: values.index
        for name, values in lists.items()
        if library_of(values) == "pandas" and hasattr(values, "index")
    }
    for name, index in columns.items():
        first_name, first = next(iter(columns.items()))
        if not index.equals(first) and len(index) == len(first) and set(index) == set(first):
            raise InputError(
                f"'{name}' and '{first_name}' have the same index in different orders, but texts are paired by "
                "position; call sort_index() on both, or reset_index(drop=True) if their positions match"
            )
